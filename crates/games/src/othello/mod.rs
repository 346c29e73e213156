//! Othello: players take turns to put a disc on a cell so that it and another disc of theirs enclose a row of the
//! other's discs, which change sides.
//!
//! A tier is a *blob*: the set of occupied cells, symmetric sets as one. A position is numbered by which of these
//! cells are the mover's. Every move fills a cell, so every move leaves the tier.
//!
//! A player who cannot move passes. The pass belongs to the move before it: the same player moves again, and there is
//! no position in which a pass is the only move. When neither player can move the game is over, and there is no
//! player to move. Such a board is stored as the loser sees it.

mod discs;
#[cfg(test)]
mod tests;

use discs::{Lines, Rays};
use zermelo_core::prelude::*;
use zermelo_core::{Colours, Growing, Scored, Settled, play_moves};

/// Othello, on a board of any size.
pub struct Othello {
    grid: Grid,
    start: Pair,
    lines: Lines,
    symmetries: Symmetries,
}

impl Othello {
    fn can_move(&self, p: Pair) -> bool {
        self.lines.moves(p.own, p.other) != 0
    }

    /// A finished board as the loser sees it; for a tie one of the two views.
    fn finished(p: Pair) -> Pair {
        match p.lead() {
            0 => p.min(p.swapped()),
            n if n < 0 => p,
            _ => p.swapped(),
        }
    }

    fn image(&self, p: Pair, s: usize) -> Pair {
        Pair { own: self.symmetries.image(p.own, s), other: self.symmetries.image(p.other, s) }
    }

    /// The ways in which a position may be turned. The colours of a finished tie may also be swapped.
    fn images(&self, p: Pair) -> impl Iterator<Item = Pair> + '_ {
        let tie = p.lead() == 0 && !self.can_move(p);
        (0..self.symmetries.count()).flat_map(move |s| {
            let image = self.image(p, s);
            [Some(image), tie.then(|| image.swapped())].into_iter().flatten()
        })
    }

    /// The four cells in the middle.
    fn centre(grid: Grid) -> [u64; 4] {
        let corner = (grid.rows / 2 - 1) * grid.cols + grid.cols / 2 - 1;
        [corner, corner + 1, corner + grid.cols, corner + grid.cols + 1].map(|cell| 1 << cell)
    }
}

impl Game for Othello {
    type Position = Pair;
    type Move = u8;

    const AGAIN: bool = true;
    const SIDES: bool = false;

    fn start(&self) -> Pair {
        self.start
    }

    #[inline]
    fn outcome(&self, p: Pair) -> Option<Outcome> {
        if self.can_move(p) {
            return None;
        }
        Some(match p.lead() {
            0 => Outcome::Tie,
            n if n < 0 => Outcome::Lose,
            _ => Outcome::Win,
        })
    }

    #[inline]
    fn moves(&self, p: Pair, mut visit: impl FnMut(u8)) {
        members(self.lines.moves(p.own, p.other)).for_each(|cell| visit(cell as u8));
    }

    #[inline]
    fn mobility(&self, p: Pair) -> u64 {
        self.lines.moves(p.own, p.other).count_ones().into()
    }

    #[inline]
    fn play(&self, p: Pair, m: u8) -> Pair {
        let rays = &self.lines.rays[usize::from(m)];
        let flips = rays.flips(p.own, p.other);
        let (Settled::Open(next) | Settled::Passed(next) | Settled::Over(next)) =
            self.settle([p.other & !flips, p.own | flips | rays.cell]);
        Pair::unpack(next)
    }

    #[inline]
    fn again(&self, m: u8, after: Pair) -> bool {
        after.own >> m & 1 != 0
    }

    #[inline]
    fn ply(&self, p: Pair) -> Option<u32> {
        Some(p.both().count_ones() - 4)
    }
}

impl Scored for Othello {
    fn score(&self, p: Pair) -> i32 {
        p.lead()
    }
}

/// The numbering of a blob.
pub struct Blob {
    occupied: u64,
    /// The symmetries that take the blob to itself.
    even: Vec<usize>,
}

impl Tiers for Othello {
    type Index = Blob;

    fn tier(&self, p: Pair) -> Tier {
        Tier(self.symmetries.least(p.both(), 0).0)
    }

    fn name(&self, t: Tier) -> String {
        let row = |row| {
            (0..self.grid.cols)
                .map(move |col| if t.0 >> (row * self.grid.cols + col) & 1 != 0 { 'x' } else { '-' })
        };
        let rows: Vec<String> = (0..self.grid.rows).map(|r| row(r).collect()).collect();
        format!("{} of {} discs, on {}", t.0.count_ones(), self.grid.cells(), rows.join("/"))
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        let filled = |cell| self.tier(Pair { own: t.0 | 1u64 << cell, other: 0 });
        Tier::each_once(members(self.fillable(t.0)).map(filled))
    }

    fn size(&self, t: Tier) -> u64 {
        1u64.checked_shl(t.0.count_ones()).unwrap_or(u64::MAX)
    }

    fn roots(&self) -> Vec<Tier> {
        if self.grid.cells() <= 20 { vec![self.tier(self.start())] } else { vec![] }
    }

    fn index(&self, t: Tier) -> Blob {
        let even = (0..self.symmetries.count()).filter(|s| self.symmetries.image(t.0, *s) == t.0);
        Blob { occupied: t.0, even: even.collect() }
    }

    fn rank(&self, index: &Blob, p: Pair) -> u64 {
        let here = self.images(p).filter(|image| image.both() == index.occupied);
        compress(here.map(|image| image.own).min().unwrap_or(p.own), index.occupied)
    }

    fn unrank(&self, index: &Blob, i: u64) -> Option<Pair> {
        let own = expand(i, index.occupied);
        let p = Pair { own, other: index.occupied & !own };
        let least = index.even.iter().all(|s| self.symmetries.image(own, *s) >= own);
        if !least {
            return None;
        }
        match self.settle([own, p.other]) {
            Settled::Open(_) => Some(p),
            Settled::Passed(_) => None,
            Settled::Over(_) if p.lead() > 0 => None,
            Settled::Over(_) => (p.lead() != 0 || self.rank(index, p) == i).then_some(p),
        }
    }

    fn canonical(&self, p: Pair) -> Pair {
        let images = self.images(p);
        images.min_by_key(|image| (image.both(), image.own)).unwrap_or(p)
    }

    fn canonical_turn(&self, turn: Turn, p: Pair) -> (Turn, Pair) {
        let canonical = self.canonical(p);
        if p.lead() != 0 || self.can_move(p) {
            return (turn, canonical);
        }
        // In a tie whose colours may be swapped by turning the board, either player will do.
        let turns_to = |q: Pair| (0..self.symmetries.count()).any(|s| self.image(p, s) == q);
        match (turns_to(canonical), turns_to(canonical.swapped())) {
            (true, true) => (Turn::First, canonical),
            (true, false) => (turn, canonical),
            (false, _) => (turn.other(), canonical),
        }
    }

    fn copies(&self, _: &Blob, p: Pair) -> u64 {
        let mut images: Vec<Pair> = self.images(p).collect();
        images.sort();
        images.dedup();
        images.len() as u64
    }
}

impl Growing for Othello {
    type Spot = Rays;

    fn symmetries(&self) -> &Symmetries {
        &self.symmetries
    }

    fn fillable(&self, occupied: u64) -> u64 {
        self.lines.around(occupied) & !occupied
    }

    fn spot(&self, cell: u32) -> Rays {
        self.lines.rays[cell as usize]
    }

    #[inline]
    fn fill(&self, [own, other]: Colours, spot: Rays) -> Option<Colours> {
        let flips = spot.flips(own, other);
        (flips != 0).then_some([other & !flips, own | flips | spot.cell])
    }

    #[inline]
    fn settle(&self, [own, other]: Colours) -> Settled {
        if self.lines.moves(own, other) != 0 {
            return Settled::Open([own, other]);
        }
        if self.lines.moves(other, own) != 0 {
            return Settled::Passed([other, own]);
        }
        Settled::Over(Othello::finished(Pair { own, other }).pack())
    }
}

impl Face for Othello {
    const CARD: Card = Card {
        name: "othello",
        revision: 1,
        title: "Othello",
        summary: "enclose the other's discs to turn them over; most discs win",
        rules: "Players take turns to put a disc on an empty cell so that one or more straight rows of the other's \
                discs lie between it and other discs of the player's own; all discs in these rows are turned over. \
                The first player is black (x) and the second white (o). A player who cannot move passes; here the \
                other player just moves again. When nobody can move the game is over, and whoever has more discs \
                wins; empty cells count for nobody.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells row by row from the top left: \
                   x, o, and - for empty; or the moves played so far without blanks, as in f5d6c3, passes left out. \
                   A move names a cell by column and row from the top: a1 is the top left.",
        options: &[
            Choice::number("rows", "rows of the board", (4, 8), 8),
            Choice::number("cols", "columns of the board", (4, 8), 8),
            Choice::word("start", "how the first four discs lie", &["standard", "parallel"]),
        ],
        examples: &[
            ("rows=4,cols=4", "ten thousand positions, solved in a blink"),
            ("rows=4,cols=5", "two million positions, a second"),
            ("rows=4,cols=6", "116 million positions, half a minute"),
            ("", "the whole board: solve endgames with --from, or count its positions"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let grid = Grid::of(options);
        let [a, b, c, d] = Othello::centre(grid);
        let start = match options.get("start") {
            0 => Pair { own: b | c, other: a | d },
            _ => Pair { own: c | d, other: a | b },
        };
        Ok(Othello { grid, start, lines: Lines::new(grid), symmetries: grid.symmetries() })
    }

    fn read(&self, text: &str) -> Result<(Turn, Pair), Complaint> {
        if text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return play_moves(self, (Turn::First, self.start()), text);
        }
        let (turn, Pair { own, other }) = self.grid.read(self, text)?;
        if Othello::centre(self.grid).iter().any(|cell| (own | other) & cell == 0) {
            return Err(Complaint::position(text, "the four cells in the middle are never empty"));
        }
        let settled = match self.settle([own, other]) {
            Settled::Open(next) | Settled::Passed(next) | Settled::Over(next) => Pair::unpack(next),
        };
        // A forced pass has been made by now. A finished board is seen by the loser.
        let turn = if settled.own == own { turn } else { turn.other() };
        Ok((turn, settled))
    }

    fn show_move(&self, _: Turn, _: Pair, m: u8) -> String {
        self.grid.name_from_above(m.into())
    }

    /// The words of a list of moves, in which cells may follow each other without a blank.
    fn move_words<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let mut words = vec![];
        for word in text.split([' ', ',', '\t', '\n']).filter(|w| !w.is_empty()) {
            let is_letter = |(_, c): &(usize, char)| c.is_ascii_alphabetic();
            let starts: Vec<usize> = word.char_indices().filter(is_letter).map(|(at, _)| at).collect();
            let cells = starts.len() > 1 && starts.windows(2).all(|w| w[1] - w[0] > 1) && starts[0] == 0;
            if cells {
                let ends = starts.iter().skip(1).copied().chain([word.len()]);
                words.extend(starts.iter().zip(ends).map(|(from, to)| &word[*from..to]));
            } else {
                words.push(word);
            }
        }
        words
    }

    fn board(&self) -> Board {
        let name = |cell| self.grid.name_from_above(cell);
        Board::tiles(self.grid.cols, (0..self.grid.cells()).map(name).collect())
    }

    fn pieces(&self, turn: Turn, p: Pair) -> String {
        self.grid.pieces(turn, p)
    }

    fn draw(&self, _: Turn, _: Pair, m: u8) -> Drawing {
        Drawing::Cell(m.into())
    }
}
