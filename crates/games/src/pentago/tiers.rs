//! Numbers positions by the published files. Tiers are the standard sections of `zermelo_core::sections`, and the
//! numbers follow the files: block by block, 256 ways to turn the quadrants of each entry.
//!
//! Where a section is its own image, a board and its image have two places. The lower place is the number of both.

use std::ops::Range;

use zermelo_core::prelude::*;
use zermelo_core::sections::quadrants::QUADRANT;
use zermelo_core::sections::{BoardPlace, SPOTS, Section, TRANSFORMS, TURNS, join, transform, turn_quadrant};

use super::Pentago;
use super::quadrants::{board_of, by_turn, stones_of, turn_of, unpack};

/// The numbering of one section.
pub struct PentagoNumbers {
    section: Section,
    /// The transforms that lead from the section into itself.
    same: Vec<u8>,
}

/// One way to turn a pattern.
#[derive(Clone, Copy)]
struct Way {
    quadrant: u16,
    black: u64,
    white: u64,
    /// Whether no smaller number of turns leads to the same quadrant.
    own_number: bool,
}

impl PentagoNumbers {
    /// The four ways to turn each pattern of an entry.
    fn ways(&self, at: [usize; 4]) -> Option<[[Way; 4]; 4]> {
        let none = Way { quadrant: 0, black: 0, white: 0, own_number: true };
        let mut ways = [[none; 4]; 4];
        for (q, patterns) in self.section.patterns().iter().enumerate() {
            for turns in 0..4 {
                let quadrant = turn_quadrant(*patterns.get(at[q])?, turns as u8)?;
                let (black, white) = unpack(quadrant.into())?;
                let own_number = ways[q][..turns].iter().all(|way| way.quadrant != quadrant);
                ways[q][turns] = Way { quadrant, black, white, own_number };
            }
        }
        Some(ways)
    }

    /// The place of a board in the section, which may be the board's own section or one that shares its tables.
    fn place(&self, BoardPlace { index, turns, .. }: BoardPlace) -> u64 {
        self.section.grid().place(index) * TURNS + u64::from(turns)
    }

    /// The board at a place, if there is one.
    fn board(&self, place: u64) -> Option<u64> {
        let (index, turns) = (self.section.grid().index(place / TURNS)?, (place % TURNS) as u8);
        let mut quadrants = [0; 4];
        for (q, patterns) in self.section.patterns().iter().enumerate() {
            quadrants[q] = turn_quadrant(patterns[index[q]], turns >> (2 * q))?;
        }
        Some(join(quadrants))
    }

    /// The number of a board of the section.
    fn number(&self, board: u64) -> u64 {
        let image = |g: u8| BoardPlace::of_standard(self.section, transform(board, g)?);
        let places = self.same.iter().filter_map(|g| image(*g)).map(|spot| self.place(spot));
        places.min().unwrap_or(0)
    }
}

impl Tiers for Pentago {
    type Index = PentagoNumbers;

    // Millions of boards are solved each second, and packing must not take much longer.
    const LEVEL: Option<i32> = Some(3);
    const BLOCK_ENTRIES: Option<usize> = Some(1 << 16);

    #[inline]
    fn tier(&self, p: Pair) -> Tier {
        Tier(section_of(p).map_or(0, |section| section.standard().0.sig()))
    }

    fn name(&self, t: Tier) -> String {
        let Some(section) = Section::from_sig(t.0) else { return t.to_string() };
        let digits: String = section.counts().iter().flatten().map(u8::to_string).collect();
        format!("section {digits}, {} of {SPOTS} stones", section.stones())
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        let children = Section::from_sig(t.0).into_iter().flat_map(Section::children);
        Tier::each_once(children.map(|(_, child)| Tier(child.standard().0.sig())))
    }

    fn size(&self, t: Tier) -> u64 {
        Section::from_sig(t.0).map_or(0, |section| section.entries().saturating_mul(TURNS))
    }

    fn index(&self, t: Tier) -> PentagoNumbers {
        let section = Section::from_sig(t.0).unwrap_or_default();
        let same = (0..TRANSFORMS).filter(|g| section.transform(*g) == section).collect();
        PentagoNumbers { section, same }
    }

    fn rank(&self, index: &PentagoNumbers, p: Pair) -> u64 {
        let board = board_of(p);
        let standard = section_of(p).and_then(|section| transform(board, section.standard().1));
        index.number(standard.unwrap_or(board))
    }

    fn unrank(&self, index: &PentagoNumbers, i: u64) -> Option<Pair> {
        let board = index.board(i)?;
        (index.number(board) == i).then(|| stones_of(board)).flatten()
    }

    fn copies(&self, index: &PentagoNumbers, p: Pair) -> u64 {
        // Transforms that move the section move the board.
        let board = board_of(p);
        let section = section_of(p).map_or(0, |section| section.standard().1);
        let Some(board) = transform(board, section) else { return 1 };
        let fixed = index.same.iter().filter(|g| transform(board, **g) == Some(board)).count();
        u64::from(TRANSFORMS) / fixed.max(1) as u64
    }

    /// Visits the boards of a range entry by entry: the patterns are found once for 256 turns.
    fn scan(&self, index: &PentagoNumbers, range: Range<u64>, mut visit: impl FnMut(u64, Pair)) {
        let grid = index.section.grid();
        for entry in range.start / TURNS..range.end.div_ceil(TURNS) {
            let Some(at) = grid.index(entry) else { return };
            let Some(ways) = index.ways(at) else { return };
            let (first, last) = (entry * TURNS, (entry + 1) * TURNS);
            for i in range.start.max(first)..range.end.min(last) {
                let turn = |q: usize| ways[q][(i >> (2 * q)) as usize & 3];
                let parts = [turn(0), turn(1), turn(2), turn(3)];
                // A symmetric pattern that is turned into itself has a lower number.
                if !parts.iter().all(|part| part.own_number) {
                    continue;
                }
                let board = join(parts.map(|part| part.quadrant));
                if index.same.len() == 1 || index.number(board) == i {
                    let side = |of: fn(&Way) -> u64| (0..4).map(|q| of(&parts[q]) << (16 * q)).sum();
                    let (black, white) = (side(|way| way.black), side(|way| way.white));
                    visit(i, by_turn(black, white));
                }
            }
        }
    }
}

fn section_of(p: Pair) -> Option<Section> {
    let [black, white] = p.by_player(turn_of(p));
    let count = |side: u64, q: usize| (side >> (16 * q) & QUADRANT).count_ones() as u8;
    Section::new([0, 1, 2, 3].map(|q| [count(black, q), count(white, q)]))
}

/// A board of the section that is not over, if the first of its numbers have one.
pub(super) fn example(section: Section) -> Pair {
    const TRIED: u64 = 100_000;
    let index = Pentago::default().index(Tier(section.sig()));
    let boards = || (0..TRIED).map_while(|entry| stones_of(index.board(entry * TURNS)?));
    let running = boards().find(|p| Pentago::default().outcome(*p).is_none());
    running.or_else(|| boards().next()).unwrap_or(Pair::EMPTY)
}

/// Reads the stones of a section: black and white of the lower left, upper left, lower right and upper right
/// quadrant. Returns its standard image.
pub(super) fn read_section(text: &str) -> Result<Section, Complaint> {
    let wrong = |why: &str| {
        Complaint::new(format!(
            "section {} {why}; give eight digits: black and white stones in the lower left, upper left, \
             lower right and upper right quadrant, as in 45544444",
            quoted(text)
        ))
    };
    let digit = |letter: char| letter.to_digit(10).map(|digit| digit as u8);
    let digits: Option<Vec<u8>> = text.trim().chars().map(digit).collect();
    let digits: [u8; 8] =
        digits.and_then(|d| d.try_into().ok()).ok_or_else(|| wrong("is no list of eight digits"))?;
    let section = Section::new([0, 1, 2, 3].map(|q| [digits[2 * q], digits[2 * q + 1]]));
    let section = section.ok_or_else(|| {
        wrong("cannot be: a quadrant has nine cells, and black has as many stones as white or one more")
    })?;
    Ok(section.standard().0)
}

/// The eight digits of a section.
pub(super) fn digits(section: Section) -> String {
    section.counts().iter().flatten().map(u8::to_string).collect()
}
