//! Connect 4: players take turns to drop a stone into a column, and the first with
//! `connect` stones in a row wins.
//!
//! A tier is the heights of the columns, left-right mirrored ones as one. A position is numbered by which of the
//! occupied cells are the mover's. Every move leaves the tier.
//!
//! Sets of cells are bits, column by column from the bottom, with one bit of space above each column so that lines
//! never run over the edge (here 6 rows, 7 columns):
//!
//! ```text
//!   6 13 20 27 34 41 48    always empty
//!   5 12 19 26 33 40 47    top row
//!   . .  .  .  .  .  .
//!   0  7 14 21 28 35 42    bottom row
//! ```

mod lines;
mod rows;
mod search;
mod table;
#[cfg(test)]
mod tests;

use lines::Lines;
use zermelo_core::prelude::*;
use zermelo_core::{Colours, File, Growing, Limits, Value};

/// Connect 4, on a board of any size.
pub struct Connect4 {
    grid: Grid,
    connect: u32,
    /// The lowest cell of every column.
    bottom: u64,
    /// Every cell.
    full: u64,
    /// The board as it is, and mirrored.
    symmetries: Symmetries,
}

/// With at most this many empty cells a search takes a tenth of a millisecond on average.
const SEARCHED: u32 = 22;

/// Stones of the player to move, and all stones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stones {
    own: u64,
    all: u64,
}

impl Connect4 {
    /// The number of bits of a column, the space above it included.
    fn height(&self) -> usize {
        self.grid.rows + 1
    }

    fn column(&self, c: usize) -> u64 {
        ((1 << self.grid.rows) - 1) << (c * self.height())
    }

    #[inline]
    fn has_line(&self, set: u64) -> bool {
        let h = self.height() as u32;
        [1, h, h + 1, h - 1].into_iter().any(|step| {
            // After `have` steps a bit stands for a run of `have` cells; double until there are enough.
            let (mut run, mut have) = (set, 1);
            while have < self.connect {
                let more = have.min(self.connect - have);
                run &= run.checked_shr(more * step).unwrap_or(0);
                have += more;
            }
            run != 0
        })
    }

    /// A set with its columns in the other order.
    #[inline]
    fn mirrored(&self, set: u64) -> u64 {
        self.symmetries.image(set, 1)
    }

    /// The heights of the columns as one number, and whether they read the same backwards. The smaller number of the
    /// two directions counts.
    fn heights(&self, all: u64) -> (Tier, u64) {
        let mirrored = self.mirrored(all);
        let least = all.min(mirrored);
        let high = |c| u64::from((least & self.column(c)).count_ones());
        (Tier((0..self.grid.cols).fold(0, |n, c| n * self.height() as u64 + high(c))), least)
    }

    /// The occupied cells of a tier.
    fn occupied(&self, t: Tier) -> u64 {
        let h = self.height() as u64;
        let (mut rest, mut all) = (t.0, 0);
        for c in (0..self.grid.cols).rev() {
            all |= ((1 << (rest % h)) - 1) << (c as u64 * h);
            rest /= h;
        }
        all
    }

    /// The bit of a cell that is numbered row by row from the top left.
    fn bit(&self, cell: usize) -> u64 {
        let (r, c) = (cell / self.grid.cols, cell % self.grid.cols);
        1 << (c * self.height() + self.grid.rows - 1 - r)
    }

    /// A set in the grid's numbering of cells.
    fn on_grid(&self, set: u64) -> u64 {
        set_of((0..self.grid.cells()).filter(|cell| set & self.bit(*cell) != 0))
    }

    fn off_grid(&self, set: u64) -> u64 {
        members(set).fold(0, |out, cell| out | self.bit(cell))
    }

    /// The cell where a stone dropped into a column comes to rest.
    #[inline]
    fn landing(&self, all: u64, c: u8) -> u64 {
        (all + (self.bottom & self.column(c.into()))) & self.column(c.into())
    }

    /// Plays columns, given as digits, from the start.
    fn read_moves(&self, text: &str) -> Result<(Turn, Stones), Complaint> {
        let (mut turn, mut p) = (Turn::First, self.start());
        for (i, ch) in text.char_indices() {
            let wrong =
                |why: &str| Complaint::new(format!("moves {}: {ch} at place {}: {why}", quoted(text), i + 1));
            let column = ch.to_digit(10).filter(|c| (1..=self.grid.cols as u32).contains(c));
            let c =
                column.ok_or_else(|| wrong(&format!("want columns from 1 to {}", self.grid.cols)))? as u8 - 1;
            if self.outcome(p).is_some() {
                return Err(wrong("the game was over before"));
            }
            if self.landing(p.all, c) == 0 {
                return Err(wrong("the column is full"));
            }
            (turn, p) = (turn.other(), self.play(p, c));
        }
        Ok((turn, p))
    }
}

impl Game for Connect4 {
    type Position = Stones;
    type Move = u8;

    fn start(&self) -> Stones {
        Stones { own: 0, all: 0 }
    }

    #[inline]
    fn outcome(&self, p: Stones) -> Option<Outcome> {
        if self.has_line(p.all ^ p.own) {
            return Some(Outcome::Lose);
        }
        // Only an impossible position has a line of the player to move.
        if self.has_line(p.own) {
            return Some(Outcome::Win);
        }
        (p.all == self.full).then_some(Outcome::Tie)
    }

    #[inline]
    fn moves(&self, p: Stones, mut visit: impl FnMut(u8)) {
        for c in 0..self.grid.cols as u8 {
            if self.landing(p.all, c) != 0 {
                visit(c);
            }
        }
    }

    #[inline]
    fn play(&self, p: Stones, c: u8) -> Stones {
        Stones { own: p.all ^ p.own, all: p.all | self.landing(p.all, c) }
    }

    fn ply(&self, p: Stones) -> Option<u32> {
        Some(p.all.count_ones())
    }

    fn own_search(&self, p: Stones, limits: Limits) -> Option<Option<Value>> {
        self.own_searches(&[p], limits)?.pop()
    }

    fn own_searches(&self, positions: &[Stones], limits: Limits) -> Option<Vec<Option<Value>>> {
        Some(search::search(self, positions, limits))
    }
}

/// The numbering of one tier.
pub struct Heights {
    all: u64,
    /// The number of stones that the player to move has.
    own: usize,
    /// Whether the heights read the same backwards, so that a position and its mirror image share the tier.
    even: bool,
}

impl Tiers for Connect4 {
    type Index = Heights;

    #[inline]
    fn tier(&self, p: Stones) -> Tier {
        self.heights(p.all).0
    }

    fn name(&self, t: Tier) -> String {
        let all = self.occupied(t);
        let high = |c| (all & self.column(c)).count_ones().to_string();
        let heights: Vec<String> = (0..self.grid.cols).map(high).collect();
        format!("{} of {} stones, columns {} high", all.count_ones(), self.grid.cells(), heights.join(" "))
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        let all = self.occupied(t);
        let stones = (0..self.grid.cols as u8).map(|c| self.landing(all, c)).filter(|stone| *stone != 0);
        Tier::each_once(stones.map(|stone| self.heights(all | stone).0))
    }

    fn size(&self, t: Tier) -> u64 {
        let stones = self.occupied(t).count_ones() as usize;
        CHOOSE[stones][stones / 2]
    }

    fn index(&self, t: Tier) -> Heights {
        let all = self.occupied(t);
        Heights { all, own: all.count_ones() as usize / 2, even: self.mirrored(all) == all }
    }

    #[inline]
    fn rank(&self, index: &Heights, p: Stones) -> u64 {
        let own = match index.even {
            true => p.own.min(self.mirrored(p.own)),
            false if p.all != index.all => self.mirrored(p.own),
            false => p.own,
        };
        rank_set(compress(own, index.all))
    }

    #[inline]
    fn unrank(&self, index: &Heights, i: u64) -> Option<Stones> {
        let own = expand(unrank_set(i, index.own), index.all);
        (!index.even || own <= self.mirrored(own)).then_some(Stones { own, all: index.all })
    }

    fn canonical(&self, p: Stones) -> Stones {
        let image = Stones { own: self.mirrored(p.own), all: self.mirrored(p.all) };
        if (image.all, image.own) < (p.all, p.own) { image } else { p }
    }

    fn copies(&self, _: &Heights, p: Stones) -> u64 {
        self.alike(p)
    }

    fn alike(&self, p: Stones) -> u64 {
        if self.mirrored(p.all) == p.all && self.mirrored(p.own) == p.own { 1 } else { 2 }
    }
}

impl Placing for Connect4 {
    fn layout(&self) -> Option<BoardFiles> {
        let (rows, cols) = (self.grid.rows, self.grid.cols);
        let file = |c: usize| File { shift: (c * self.height()) as u32, cells: rows as u32 };
        let lines = self.grid.lines(self.connect as usize).sets().into_iter().map(|set| self.off_grid(set));
        let lines: Vec<u64> = lines.collect();
        Some(BoardFiles {
            files: (0..cols).map(file).collect(),
            stacked: true,
            lines: [lines.clone(), lines],
            mirror: true,
        })
    }

    #[inline]
    fn soon(&self, p: Stones) -> Option<Value> {
        match self.connect {
            3 => Lines::<3>::new(self).soon(p),
            4 => Lines::<4>::new(self).soon(p),
            5 => Lines::<5>::new(self).soon(p),
            6 => Lines::<6>::new(self).soon(p),
            7 => Lines::<7>::new(self).soon(p),
            _ => Lines::<8>::new(self).soon(p),
        }
    }

    fn late(&self) -> Option<u32> {
        (self.grid.cells() as u32).checked_sub(SEARCHED)
    }
}

impl Growing for Connect4 {
    type Spot = u64;

    fn symmetries(&self) -> &Symmetries {
        &self.symmetries
    }

    fn cells(&self) -> u32 {
        self.grid.cells() as u32
    }

    fn fillable(&self, occupied: u64) -> u64 {
        (occupied + self.bottom) & self.full
    }

    fn spot(&self, cell: u32) -> u64 {
        1 << cell
    }

    #[inline]
    fn fill(&self, [own, other]: Colours, stone: u64) -> Option<Colours> {
        Some([other, own | stone])
    }
}

impl Packed for Stones {
    fn pack(self) -> [u64; 2] {
        [self.own, self.all ^ self.own]
    }

    fn unpack([own, other]: [u64; 2]) -> Stones {
        Stones { own, all: own | other }
    }
}

impl Face for Connect4 {
    const CARD: Card = Card {
        name: "connect4",
        revision: 1,
        title: "Connect 4",
        summary: "drop stones into columns; first to get four in a row",
        rules: "Players take turns to drop a stone into a column that is not full; it comes to rest on the stones \
                below. The first player has x and the second o. Whoever first has `connect` stones in a row, across, \
                down or diagonally, wins; a full board without a line is a tie.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells row by row from the top left: x, o, \
                   and - for empty; or the columns played so far as digits, as in 4455. A move is the number of a \
                   column.",
        options: &[
            Choice::number("rows", "rows of the board", (1, 15), 6),
            Choice::number("cols", "columns of the board", (1, 16), 7),
            Choice::number("connect", "stones in a row that win", (3, 8), 4),
        ],
        examples: &[
            ("rows=4,cols=4", "161,029 positions, a blink"),
            ("rows=5,cols=4", "1.7 million positions: a tie in 20"),
            ("", "the board that is sold: 4.5 * 10^12 positions"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let (rows, cols) = (options.get("rows"), options.get("cols"));
        if (rows + 1) * cols > 64 {
            refuse!("a {rows}x{cols} board is too large: (rows + 1) * cols may be up to 64");
        }
        let grid = Grid::new(rows, cols);
        let (connect, height) = (options.get("connect") as u32, rows + 1);
        let bottom = set_of((0..cols).map(|c| c * height));
        let full = bottom * ((1 << rows) - 1);
        let mirrored = |bit: usize| (cols - 1 - bit / height) * height + bit % height;
        let maps = [(0..cols * height).collect(), (0..cols * height).map(mirrored).collect()];
        let symmetries = Symmetries::new(cols * height, &maps);
        Ok(Connect4 { grid, connect, bottom, full, symmetries })
    }

    fn read(&self, text: &str) -> Result<(Turn, Stones), Complaint> {
        if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
            return self.read_moves(text);
        }
        let (turn, Pair { own, other }) = self.grid.read(self, text)?;
        let p = Pair { own: self.off_grid(own), other: self.off_grid(other) };
        let all = p.both();
        if all & !(all << 1 | self.bottom) != 0 {
            let why = "a stone hangs in the air; stones rest on the bottom or on stones";
            return Err(Complaint::position(text, why));
        }
        placed_in_turn(text, (turn, p), all & !(all >> 1), |set| self.has_line(set))?;
        Ok((turn, Stones { own: p.own, all }))
    }

    fn show_move(&self, _: Turn, _: Stones, c: u8) -> String {
        (c + 1).to_string()
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, turn: Turn, p: Stones) -> String {
        let [own, other] = p.pack().map(|set| self.on_grid(set));
        self.grid.pieces(turn, Pair { own, other })
    }

    fn draw(&self, _: Turn, p: Stones, c: u8) -> Drawing {
        let stone = self.landing(p.all, c);
        Drawing::Cell((0..self.grid.cells()).find(|cell| self.bit(*cell) == stone).unwrap_or(0))
    }
}
