//! TOOT and OTTO: players drop discs with a T or an O into columns. The first player wins with TOOT in a line, the
//! second with OTTO, whichever player completes it; both words at once are a tie.
//!
//! Discs have no owner, but each player has a given number of discs of each letter. So a position is the board and
//! the number of T that the player to move has used. A tier is the number of discs, of T on the board and of T used
//! by the mover. A position's number is its skyline and its letters.

mod possible;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use zermelo_core::prelude::*;

/// TOOT and OTTO, the game of dropping letters into columns.
pub struct Toot {
    grid: Grid,
    /// The number of discs of each letter that each player has.
    each: u32,
    /// The four cells of every line, and the two in its middle.
    lines: Vec<[u64; 2]>,
    symmetries: Symmetries,
    /// The skylines by the number of discs, each list made when it is first wanted.
    skylines: Vec<OnceLock<Arc<[u64]>>>,
}

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Letters {
    /// Cells with a T.
    t: u64,
    /// Cells with any disc.
    all: u64,
    /// The number of T that the player to move has used.
    own: u8,
}

/// A move: a letter and the cell where it comes to lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drop {
    cell: u8,
    t: bool,
}

/// The numbering of one tier: its skylines in order, and the ways to put the letters.
pub struct Skylines {
    all: Arc<[u64]>,
    t: usize,
    own: u8,
    ways: u64,
}

/// The number of discs on the board, of T among them, and of T that the mover has used.
fn counts(t: Tier) -> (u32, u32, u32) {
    ((t.0 >> 16) as u32, (t.0 >> 8 & 255) as u32, (t.0 & 255) as u32)
}

fn tier_of(discs: u32, t: u32, own: u32) -> Tier {
    Tier(u64::from(discs << 16 | t << 8 | own))
}

impl Toot {
    /// Whether TOOT stands on the board, and whether OTTO does.
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

    /// The cells on which a disc would come to rest.
    #[inline]
    fn landings(&self, all: u64) -> u64 {
        let floor = self.grid.row(self.grid.rows - 1);
        self.grid.full() & !all & (all >> self.grid.cols | floor)
    }

    /// Every set of `discs` cells that is filled column by column from below.
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

    /// The number of skylines with `discs` discs.
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

    /// The contents of each cell.
    fn letters(&self, p: Letters) -> String {
        self.grid.pieces(Turn::First, Pair { own: p.t, other: p.all & !p.t }).replace('x', "t")
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
        for cell in members(self.landings(p.all)) {
            let letters = [true, false].into_iter().zip(left).filter(|(_, left)| *left);
            letters.for_each(|(t, _)| visit(Drop { cell: cell as u8, t }));
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

    fn name(&self, tier: Tier) -> String {
        let (discs, t, own) = counts(tier);
        let cells = self.grid.cells();
        format!("{discs} of {cells} discs, {t} are T, {own} of these own")
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
        let all = self.skylines[discs as usize].get_or_init(|| self.skylines(discs).into()).clone();
        Skylines { all, t: t as usize, own: own as u8, ways }
    }

    fn index_bytes(&self) -> u64 {
        8 * (self.grid.rows as u64 + 1).saturating_pow(self.grid.cols as u32)
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
        // At most 56 cells leave 8 bits free.
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
            ("rows=4,cols=4,each=4", "a tie: 1.3 million numbers, a blink"),
            ("rows=4,cols=5,each=5", "49 million numbers, some seconds"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let grid = Grid::of(options);
        let middle = |line: u64| line & (line - 1) & !(1 << (63 - line.leading_zeros()));
        let lines = grid.lines(4).sets().into_iter().map(|line| [line, middle(line)]).collect();
        let skylines = vec![OnceLock::new(); grid.cells() + 1];
        Ok(Toot { grid, each: options.get("each") as u32, lines, symmetries: grid.mirror(), skylines })
    }

    fn show(&self, turn: Turn, p: Letters) -> String {
        let others = p.t.count_ones() - u32::from(p.own);
        let first = if turn == Turn::First { p.own.into() } else { others };
        format!("{}_{}_{first}", turn.digit(), self.letters(p))
    }

    fn read(&self, text: &str) -> Result<(Turn, Letters), Complaint> {
        let bad = |why: &str| Complaint::position(text, why);
        let parts = text.rsplit_once('_').and_then(|(board, used)| Some((board, whole_number(used.trim())?)));
        let Some((board, first)) = parts.filter(|(board, _)| board.len() > 1) else {
            let sample = self.sample();
            return Err(bad(&format!("end with _ and the T that the first player has used, as in {sample}")));
        };
        let (turn, discs) = self.grid.read_letters(self, board, ['t', 'o'])?;
        let [t, o] = discs.by_player(turn);
        let mut p = Letters { t, all: t | o, own: 0 };
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

    // The two cells on the right are where a person picks a letter.
    fn board(&self) -> Board {
        let board = self.grid.board();
        let (right, height) = (board.width + 1.0, board.height.max(2.0));
        let cells = [board.cells, vec![(right, 0.5), (right, height - 0.5)]].concat();
        let names = [board.names, vec!["T".into(), "O".into()]].concat();
        Board { width: board.width + 1.5, height, cells, names, ..Board::default() }
    }

    fn pieces(&self, _: Turn, p: Letters) -> String {
        self.letters(p) + "to"
    }

    fn draw(&self, _: Turn, _: Letters, Drop { cell, t }: Drop) -> Drawing {
        Drawing::Arrow(self.grid.cells() + usize::from(!t), cell.into())
    }
}
