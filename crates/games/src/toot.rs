//! TOOT and OTTO: players drop discs with a T or an O into columns. The first player wins with
//! TOOT in a line, the second with OTTO, whoever completes it; both at once are a tie.
//!
//! Discs have no owner, but each player has so many of each letter, so a position is the board
//! and how many T the player to move has used. A tier is the number of discs, of T on the board
//! and of T used by the mover; a position's number is its skyline and its letters.

use zermelo_core::grid::{Grid, Symmetries};
use zermelo_core::rank::{CHOOSE, compress, expand, rank_set, unrank_set};
use zermelo_core::{
    Board, Card, Choice, Complaint, Drawing, Face, Game, Options, Outcome, Packed, Pair, Tier, Tiers, Turn,
};

/// The game.
pub struct Toot {
    grid: Grid,
    /// Discs of each letter that each player has.
    each: u32,
    /// The four cells of every line, and the two in its middle.
    lines: Vec<[u64; 2]>,
    symmetries: Symmetries,
}

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Letters {
    /// Cells with a T.
    t: u64,
    /// Cells with any disc.
    all: u64,
    /// How many T the player to move has used.
    own: u8,
}

/// A letter and the cell where it comes to lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drop {
    cell: u8,
    t: bool,
}

/// The numbering of one tier: its skylines in order, and the ways to put the letters.
pub struct Skylines {
    all: Vec<u64>,
    t: usize,
    own: u8,
    ways: u64,
}

/// Discs on the board, T among them, T that the mover has used.
fn counts(t: Tier) -> (u32, u32, u32) {
    ((t.0 >> 16) as u32, (t.0 >> 8 & 255) as u32, (t.0 & 255) as u32)
}

fn tier_of(discs: u32, t: u32, own: u32) -> Tier {
    Tier(u64::from(discs << 16 | t << 8 | own))
}

impl Toot {
    /// Whether TOOT and whether OTTO stands on the board.
    #[inline]
    fn words(&self, t: u64, all: u64) -> [bool; 2] {
        let mut words = [false; 2];
        for [line, middle] in self.lines.iter().filter(|[line, _]| all & line == *line) {
            words[0] |= t & line == line & !middle;
            words[1] |= t & line == *middle;
        }
        words
    }

    /// The letters that the mover still has, T first.
    #[inline]
    fn left(&self, discs: u32, own: u32) -> [bool; 2] {
        [own < self.each, discs / 2 - own < self.each]
    }

    /// Cells on which a disc would come to rest.
    #[inline]
    fn landings(&self, all: u64) -> u64 {
        let floor = self.grid.full() & !(self.grid.full() >> self.grid.cols);
        self.grid.full() & !all & (all >> self.grid.cols | floor)
    }

    /// Every set of so many cells that is filled column by column from below.
    fn skylines(&self, discs: u32) -> Vec<u64> {
        let Grid { rows, cols } = self.grid;
        let column =
            |c: usize, height: usize| (rows - height..rows).fold(0u64, |set, r| set | 1 << (r * cols + c));
        let mut found = vec![0u64];
        for c in 0..cols {
            let room = ((cols - 1 - c) * rows) as u32;
            let grown = found.iter().flat_map(|set| (0..=rows).map(move |h| set | column(c, h)));
            let fits = |set: &u64| (set.count_ones()..=set.count_ones() + room).contains(&discs);
            found = grown.filter(fits).collect();
        }
        found.sort_unstable();
        found
    }

    /// How many skylines there are with so many discs.
    fn count_skylines(&self, discs: u32) -> u64 {
        let Grid { rows, cols } = self.grid;
        let mut ways = vec![1u64];
        for _ in 0..cols {
            let mut next = vec![0; ways.len() + rows];
            for (n, count) in ways.iter().enumerate() {
                next[n..=n + rows].iter_mut().for_each(|sum| *sum += count);
            }
            ways = next;
        }
        ways.get(discs as usize).copied().unwrap_or(0)
    }

    /// What lies on each cell.
    fn letters(&self, p: Letters) -> String {
        self.grid.pieces(Turn::First, Pair { own: p.t, other: p.all & !p.t }).replace('x', "t")
    }

    /// Why a position cannot arise, if so.
    fn fault(&self, turn: Turn, p: Letters, first: u32) -> Option<&'static str> {
        let (discs, t) = (p.all.count_ones(), p.t.count_ones());
        let second = t.checked_sub(first);
        let used = |played: u32, t: u32| t <= self.each && played >= t && played - t <= self.each;
        if discs.is_multiple_of(2) != (turn == Turn::First) {
            return Some("players drop discs in turn, so the number of discs tells who is to move");
        }
        if p.all & !(p.all >> self.grid.cols | self.landings(0)) != 0 {
            return Some("a disc has nothing below it");
        }
        if !used(discs.div_ceil(2), first) || !second.is_some_and(|second| used(discs / 2, second)) {
            return Some("a player would have used more discs of a letter than there are");
        }
        // The last disc lies on top of its column, and there was no word before it.
        let others = if turn == Turn::First { second.unwrap_or(0) } else { first };
        let has_t = others > 0;
        let has_o = discs.div_ceil(2) > others;
        let last = |cell: u64| {
            let top = p.all & cell != 0 && (cell >> self.grid.cols) & p.all == 0;
            let had = if p.t & cell != 0 { has_t } else { has_o };
            top && had && self.words(p.t & !cell, p.all & !cell) == [false; 2]
        };
        if p.all != 0 && !(0..self.grid.cells()).any(|cell| last(1 << cell)) {
            return Some("no disc can have been the last one, so the game was over before");
        }
        None
    }
}

impl Game for Toot {
    type Position = Letters;
    type Move = Drop;

    fn start(&self) -> Letters {
        Letters { t: 0, all: 0, own: 0 }
    }

    #[inline]
    fn outcome(&self, p: Letters) -> Option<Outcome> {
        let discs = p.all.count_ones();
        let words = self.words(p.t, p.all);
        let over = p.all == self.grid.full() || discs == 4 * self.each;
        match if discs.is_multiple_of(2) { words } else { [words[1], words[0]] } {
            [true, false] => Some(Outcome::Win),
            [false, true] => Some(Outcome::Lose),
            [true, true] => Some(Outcome::Tie),
            [false, false] => over.then_some(Outcome::Tie),
        }
    }

    #[inline]
    fn moves(&self, p: Letters, mut visit: impl FnMut(Drop)) {
        let left = self.left(p.all.count_ones(), p.own.into());
        let mut cells = self.landings(p.all);
        while cells != 0 {
            let cell = cells.trailing_zeros() as u8;
            [true, false]
                .into_iter()
                .zip(left)
                .filter(|(_, left)| *left)
                .for_each(|(t, _)| visit(Drop { cell, t }));
            cells &= cells - 1;
        }
    }

    #[inline]
    fn play(&self, p: Letters, Drop { cell, t }: Drop) -> Letters {
        let others = p.t.count_ones() as u8 - p.own;
        Letters { t: p.t | u64::from(t) << cell, all: p.all | 1 << cell, own: others }
    }

    fn ply(&self, p: Letters) -> Option<u32> {
        Some(p.all.count_ones())
    }
}

impl Tiers for Toot {
    type Index = Skylines;

    #[inline]
    fn tier(&self, p: Letters) -> Tier {
        tier_of(p.all.count_ones(), p.t.count_ones(), p.own.into())
    }

    fn children(&self, tier: Tier) -> Vec<Tier> {
        let (discs, t, own) = counts(tier);
        if discs as usize == self.grid.cells() {
            return vec![];
        }
        let below = [tier_of(discs + 1, t + 1, t - own), tier_of(discs + 1, t, t - own)];
        below.into_iter().zip(self.left(discs, own)).filter(|(_, left)| *left).map(|(tier, _)| tier).collect()
    }

    fn size(&self, tier: Tier) -> u64 {
        let (discs, t, _) = counts(tier);
        self.count_skylines(discs).saturating_mul(CHOOSE[discs as usize][t as usize])
    }

    fn index(&self, tier: Tier) -> Skylines {
        let (discs, t, own) = counts(tier);
        let ways = CHOOSE[discs as usize][t as usize];
        Skylines { all: self.skylines(discs), t: t as usize, own: own as u8, ways }
    }

    #[inline]
    fn rank(&self, index: &Skylines, p: Letters) -> u64 {
        let p = self.canonical(p);
        let skyline = index.all.partition_point(|all| *all < p.all) as u64;
        skyline * index.ways + rank_set(compress(p.t, p.all))
    }

    #[inline]
    fn unrank(&self, index: &Skylines, i: u64) -> Option<Letters> {
        let all = *index.all.get((i / index.ways) as usize)?;
        let p = Letters { t: expand(unrank_set(i % index.ways, index.t), all), all, own: index.own };
        (self.canonical(p) == p).then_some(p)
    }

    #[inline]
    fn canonical(&self, p: Letters) -> Letters {
        let (all, t) = self.symmetries.least(p.all, p.t);
        Letters { t, all, ..p }
    }

    fn copies(&self, _: &Skylines, p: Letters) -> u64 {
        self.symmetries.images(p.all, p.t)
    }

    fn alike(&self, p: Letters) -> u64 {
        self.symmetries.images(p.all, p.t)
    }
}

impl Packed for Letters {
    fn pack(self) -> [u64; 2] {
        // Of at most 56 cells 8 bits are free.
        [self.t, self.all | u64::from(self.own) << 56]
    }

    fn unpack([t, all]: [u64; 2]) -> Letters {
        Letters { t, all: all & (u64::MAX >> 8), own: (all >> 56) as u8 }
    }
}

impl Face for Toot {
    const CARD: Card = Card {
        name: "toot",
        revision: 1,
        title: "TOOT and OTTO",
        summary: "drop letters into columns to spell your word",
        rules: "Each player has `each` discs with a T and as many with an O, and in turn drops one of them into a \
                column, where it falls on what is there. The first player wins when TOOT stands in a line, across, up \
                or diagonally, and the second when OTTO does, whoever completes it. Both at once are a tie, and so is \
                a board that is full, or no disc left, without a word.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells row by row from the top left: t, o, \
                   and - for empty, then _ and how many T the first player has used, as in \
                   2_------------------t-----_1. A move is the letter and the column: tb.",
        options: &[
            Choice::number("rows", "rows of the board", (1, 7), 4),
            Choice::number("cols", "columns of the board", (1, 8), 6),
            Choice::number("each", "discs of each letter that a player has", (1, 16), 6),
        ],
        examples: &[
            ("rows=3,cols=4,each=3", "a small board, solved in a blink"),
            ("rows=4,cols=4,each=4", "a tie: 4 million numbers, some seconds"),
            ("rows=4,cols=5,each=5", "200 million numbers: minutes"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let grid = Grid::new(options.get("rows"), options.get("cols"));
        let middle = |line: u64| line & (line - 1) & !(1 << (63 - line.leading_zeros()));
        let lines = grid.lines(4).sets().into_iter().map(|line| [line, middle(line)]).collect();
        let mirror =
            (0..grid.cells()).map(|cell| cell / grid.cols * grid.cols + grid.cols - 1 - cell % grid.cols);
        let maps = [(0..grid.cells()).collect(), mirror.collect()];
        Ok(Toot {
            grid,
            each: options.get("each") as u32,
            lines,
            symmetries: Symmetries::new(grid.cells(), &maps),
        })
    }

    fn show(&self, turn: Turn, p: Letters) -> String {
        let others = p.t.count_ones() - u32::from(p.own);
        let first = if turn == Turn::First { p.own.into() } else { others };
        format!("{}_{}_{first}", turn.digit(), self.letters(p))
    }

    fn read(&self, text: &str) -> Result<(Turn, Letters), Complaint> {
        let bad = |why: &str| Complaint::position(text, why);
        let sample = self.show(Turn::First, self.start());
        let parts =
            text.rsplit_once('_').and_then(|(board, used)| Some((board, used.trim().parse::<u32>().ok()?)));
        let Some((board, first)) = parts.filter(|(board, _)| board.len() > 1) else {
            return Err(bad(&format!("end with _ and the T that the first player has used, as in {sample}")));
        };
        let (turn, Pair { own, other }) = self.grid.read_letters(board, ['t', 'o'])?;
        let t = if turn == Turn::First { own } else { other };
        let mut p = Letters { t, all: own | other, own: 0 };
        if let Some(why) = self.fault(turn, p, first) {
            return Err(bad(why));
        }
        p.own = (if turn == Turn::First { first } else { t.count_ones() - first }) as u8;
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, _: Letters, Drop { cell, t }: Drop) -> String {
        let column = char::from(b'a' + cell % self.grid.cols as u8);
        format!("{}{column}", if t { 't' } else { 'o' })
    }

    // The two cells on the right are where a letter is picked.
    fn board(&self) -> Board {
        let Grid { rows, cols } = self.grid;
        let mut board = self.grid.board();
        board.width += 1.5;
        for (n, letter) in ["T", "O"].into_iter().enumerate() {
            board.cells.push((cols as f32 + 1.0, (rows as f32 - 1.0) * n as f32 + 0.5));
            board.names.push(letter.into());
        }
        board
    }

    fn pieces(&self, _: Turn, p: Letters) -> String {
        self.letters(p) + "to"
    }

    fn draw(&self, _: Turn, _: Letters, Drop { cell, t }: Drop) -> Drawing {
        Drawing::Arrow(self.grid.cells() + usize::from(!t), cell.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game(options: &str) -> Toot {
        Toot::new(&Options::read(&Toot::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        for options in [
            "rows=2,cols=4,each=2",
            "rows=3,cols=4,each=3",
            "rows=4,cols=4,each=4",
            "rows=4,cols=1,each=1",
            "rows=1,cols=5,each=1",
            "",
        ] {
            laws::check(&game(options), 3_000).expect("no law is broken");
            laws::check_face(&game(options), 1_000).expect("no law is broken");
        }
    }

    #[test]
    fn skylines_are_counted_and_listed_alike() {
        let game = game("");
        for discs in 0..=24 {
            let list = game.skylines(discs);
            assert_eq!(list.len() as u64, game.count_skylines(discs), "{discs}");
            assert!(list.is_sorted_by(|a, b| a < b) && list.iter().all(|set| set.count_ones() == discs));
        }
    }

    #[test]
    fn words_by_hand() {
        let game = game("rows=4,cols=4,each=4");
        let outcome = |text: &str| game.outcome(game.read(text).expect(text).1);
        // TOOT is the first player's, whoever made it: here the second did.
        assert_eq!(outcome("1_------------toot_1"), Some(Outcome::Win));
        assert_eq!(outcome("1_------------otto_1"), Some(Outcome::Lose));
        // The last O, at the top, makes both.
        let (_, both) = game.read("1_toot/ttoo/ttoo/toto_4").expect("a position");
        assert_eq!((game.words(both.t, both.all), game.outcome(both)), ([true; 2], Some(Outcome::Tie)));
        assert_eq!(outcome("1_----------------_0"), None);
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game("rows=4,cols=4,each=2");
        for (text, why) in [
            ("", "end with"),
            ("1_----------------", "end with"),
            ("_0", "end with"),
            ("3_----------------_0", "begin with"),
            ("1_---x------------_0", "not one of t, o"),
            ("1_---_0", "cells"),
            ("1_------------t---_1", "in turn"),
            ("2_--------t-------_1", "nothing below"),
            ("2_------------t---_0", "more discs"),
            ("2_------------ttt-_3", "more discs"),
            ("2_------------t---_2", "more discs"),
            ("2_t---o---o---t---_1", "in turn"),
        ] {
            let found = game.read(text).expect_err(text).to_string();
            assert!(found.contains(why), "{text}: {found}");
        }
        let over =
            self::game("rows=4,cols=4,each=4").read("1_--------otootoot_2").expect_err("TOOT lies below");
        assert!(over.to_string().contains("game was over"), "{over}");
        assert!(game.read("2_------------t---_1").is_ok() && game.read("2_------------O---_0").is_ok());
    }
}
