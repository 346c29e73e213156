//! Quarto: every piece is different, neither player owns one, and each player chooses the piece that the other must
//! place. The player who completes a line of pieces with something in common wins.
//!
//! A tier is the number of pieces placed, and whether one was given, so every move leaves its tier. A position is
//! numbered by two things: the kind of its set of cells, up to the symmetries of the board; and the sequence of the
//! piece given and the pieces on these cells, up to the symmetries of the attributes ([`order`]). Sequences have no
//! gaps. A set of cells that is symmetric itself makes holes.
//!
//! The whole game has 3.7 * 10^12 numbers, with 32 times 384 symmetries. Of the 2.7 * 10^12 with a piece given 61 in
//! 100 are used: 85 at 8 pieces placed, 68 at 12, 25 at 15. The others are for finished boards and nearly all holes.
//! A variant that starts from a board of its own is numbered alone, without symmetries of the board.

mod cells;
mod face;
mod order;
#[cfg(test)]
mod tests;

use cells::Cells;
use order::{LONGEST, Opening, Sequences};
use zermelo_core::{Game, Outcome, Tier, Tiers};

/// No piece, or no cell.
const NONE: u8 = 16;

/// Quarto, the game of different pieces that neither player owns.
pub struct Quarto {
    rows: usize,
    attributes: usize,
    cells: Cells,
    /// By the length of the sequence: the numbering of sequences.
    orders: Vec<Sequences>,
    /// The start, and with it the pieces that are never moved.
    start: QuartoPosition,
    opening: Opening,
}

/// The pieces on the board, four bits a cell; the cells they are on; and the piece given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QuartoPosition {
    pieces: u64,
    taken: u16,
    given: u8,
}

/// A move: the cell for the piece given, and the piece to give next. The first move only gives, the last only places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuartoPut {
    cell: u8,
    next: u8,
}

const EMPTY: QuartoPosition = QuartoPosition { pieces: 0, taken: 0, given: NONE };

impl QuartoPosition {
    fn at(self, cell: usize) -> u8 {
        (self.pieces >> (4 * cell)) as u8 & 15
    }

    fn holds(self, cell: usize) -> bool {
        self.taken >> cell & 1 != 0
    }

    fn put(&mut self, cell: usize, piece: u8) {
        self.pieces |= u64::from(piece) << (4 * cell);
        self.taken |= 1 << cell;
    }

    fn without(self, cell: usize) -> QuartoPosition {
        QuartoPosition { pieces: self.pieces & !(15 << (4 * cell)), taken: self.taken & !(1 << cell), ..self }
    }

    fn placed(self) -> usize {
        self.taken.count_ones() as usize
    }

    fn cells(self) -> impl Iterator<Item = usize> {
        (0..16).filter(move |cell| self.holds(*cell))
    }

    /// The pieces on the board or given, as a set.
    fn used(self) -> u32 {
        let given = if self.given == NONE { 0 } else { 1 << self.given };
        self.cells().fold(given, |set, cell| set | 1 << self.at(cell))
    }
}

impl Quarto {
    fn squares(&self) -> usize {
        self.rows * self.rows
    }

    fn pieces(&self) -> usize {
        1 << self.attributes
    }

    /// All pieces, as a set.
    fn every_piece(&self) -> u32 {
        (1 << self.pieces()) - 1
    }

    /// Whether the pieces of a line have something in common.
    fn complete(&self, p: QuartoPosition, line: &[usize]) -> bool {
        if !line.iter().all(|cell| p.holds(*cell)) {
            return false;
        }
        let (all, any) = line.iter().fold((15, 0), |(all, any), cell| (all & p.at(*cell), any | p.at(*cell)));
        all != 0 || usize::from(any) != self.pieces() - 1
    }

    fn has_line(&self, p: QuartoPosition) -> bool {
        self.cells.lines.iter().any(|line| self.complete(p, line))
    }

    /// Whether there is no cell left to place a piece on, or no piece.
    fn exhausted(&self, p: QuartoPosition) -> bool {
        p.placed() == self.squares().min(self.pieces())
    }

    /// Whether a piece is given exactly where the game goes on.
    fn sound(&self, p: QuartoPosition) -> bool {
        p == self.start || (p.given == NONE) == (self.has_line(p) || self.exhausted(p))
    }

    /// The number of moves made before a position. The first move may only give.
    fn plies(&self, p: QuartoPosition) -> usize {
        match self.start.given {
            NONE if p == self.start => 0,
            NONE => p.placed() + 1,
            _ => p.placed() - self.start.placed(),
        }
    }

    /// Writes the pieces that never move, the piece given and the other pieces, in the order of the cells that a
    /// symmetry takes them to. Returns how many pieces there are.
    fn sequence(
        &self,
        p: QuartoPosition,
        symmetry: usize,
        image: u16,
        list: &mut [u8; LONGEST + 1],
    ) -> usize {
        let fixed = self.start.taken;
        let others = (0..16).filter(|cell| (image & !fixed) >> cell & 1 != 0);
        let others = others.map(|cell| p.at(self.cells.sources[symmetry][cell]));
        let given = Some(p.given).filter(|piece| *piece != NONE);
        let first = self.start.cells().map(|cell| p.at(cell));
        let all = first.chain(given).chain(others);
        all.zip(list.iter_mut()).map(|(piece, place)| *place = piece).count()
    }

    /// The number of a position's sequence when a symmetry takes it to a set of cells.
    fn order_of(&self, p: QuartoPosition, symmetry: usize, image: u16) -> u64 {
        let mut list = [0; LONGEST + 1];
        let length = self.sequence(p, symmetry, image, &mut list);
        self.orders[length].rank(&self.opening, &list[..length])
    }
}

impl Game for Quarto {
    type Position = QuartoPosition;
    type Move = QuartoPut;

    fn start(&self) -> QuartoPosition {
        self.start
    }

    #[inline]
    fn outcome(&self, p: QuartoPosition) -> Option<Outcome> {
        if p.given != NONE || p == EMPTY {
            return None;
        }
        Some(if self.has_line(p) { Outcome::Lose } else { Outcome::Tie })
    }

    fn moves(&self, p: QuartoPosition, mut visit: impl FnMut(QuartoPut)) {
        let left = self.every_piece() & !p.used();
        let mut visit_with = |cell: usize, last: bool| {
            let left = if last { 1 << NONE } else { left };
            let pieces = (0..=NONE).filter(|piece| left >> piece & 1 != 0);
            pieces.for_each(|next| visit(QuartoPut { cell: cell as u8, next }));
        };
        if p.given == NONE {
            return visit_with(NONE.into(), false);
        }
        for cell in (0..self.squares()).filter(|cell| !p.holds(*cell)) {
            let mut after = p;
            after.put(cell, p.given);
            let mut lines = self.cells.lines.iter().filter(|line| line.contains(&cell));
            visit_with(cell, self.exhausted(after) || lines.any(|line| self.complete(after, line)));
        }
    }

    #[inline]
    fn play(&self, mut p: QuartoPosition, m: QuartoPut) -> QuartoPosition {
        if m.cell != NONE {
            p.put(m.cell.into(), p.given);
        }
        QuartoPosition { given: m.next, ..p }
    }

    fn ply(&self, p: QuartoPosition) -> Option<u32> {
        Some(self.plies(p) as u32)
    }
}

/// The numbering of a tier.
pub struct QuartoNumbers {
    placed: usize,
    given: bool,
    length: usize,
    sequences: u64,
}

impl Tiers for Quarto {
    type Index = QuartoNumbers;

    #[inline]
    fn tier(&self, p: QuartoPosition) -> Tier {
        Tier(2 * p.placed() as u64 + u64::from(p.given != NONE))
    }

    fn name(&self, t: Tier) -> String {
        let given = if t.0 % 2 == 1 { "one given" } else { "none given" };
        format!("{} of {} pieces placed, {given}", t.0 / 2, self.squares().min(self.pieces()))
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        let placed = t.0 as usize / 2 + 1;
        if t.0 == 0 {
            return vec![Tier(1)];
        }
        let most = self.squares().min(self.pieces());
        let over = t.0 % 2 == 1 && (placed >= self.rows || placed == most);
        let goes_on = t.0 % 2 == 1 && placed < most;
        [(goes_on, t.0 + 2), (over, t.0 + 1)].into_iter().filter(|child| child.0).map(|c| Tier(c.1)).collect()
    }

    fn size(&self, t: Tier) -> u64 {
        let index = self.index(t);
        self.cells.kinds(index.placed) * index.sequences
    }

    fn index(&self, t: Tier) -> QuartoNumbers {
        let (placed, given) = (t.0 as usize / 2, t.0 % 2 == 1);
        let length = placed + usize::from(given);
        QuartoNumbers { placed, given, length, sequences: self.orders[length].count(&self.opening) }
    }

    fn rank(&self, index: &QuartoNumbers, p: QuartoPosition) -> u64 {
        let (kind, image) = self.cells.kind(p.taken);
        let numbers = self.cells.to_standard(p.taken).map(|s| self.order_of(p, s, image));
        kind * index.sequences + numbers.min().unwrap_or(0)
    }

    fn unrank(&self, index: &QuartoNumbers, i: u64) -> Option<QuartoPosition> {
        let taken = self.cells.sets[index.placed][(i / index.sequences) as usize];
        let mut p = QuartoPosition { given: NONE, ..self.start };
        let mut cells = (0..16).filter(|cell| (taken & !self.start.taken) >> cell & 1 != 0);
        let mut waits = index.given;
        self.orders[index.length].unrank(&self.opening, i % index.sequences, |piece| {
            if std::mem::take(&mut waits) {
                p.given = piece;
            } else if let Some(cell) = cells.next() {
                p.put(cell, piece);
            }
        });
        let symmetric = self.cells.to_standard(taken).nth(1).is_some();
        (self.sound(p) && (!symmetric || self.rank(index, p) == i)).then_some(p)
    }

    fn copies(&self, _: &QuartoNumbers, p: QuartoPosition) -> u64 {
        if p == EMPTY {
            return 1;
        }
        let mut list = [0; LONGEST + 1];
        let length = self.sequence(p, 0, p.taken, &mut list);
        let fixed = self.start.placed();
        let all = match fixed {
            0 => (1..=self.attributes as u64).product::<u64>() << self.attributes,
            _ => Sequences::fixing(self.attributes, &list[..fixed]),
        };
        let own = self.order_of(p, 0, p.taken);
        let same = self.cells.fixing(p.taken).filter(|s| self.order_of(p, *s, p.taken) == own).count();
        self.cells.symmetries() as u64 / same as u64
            * (all / Sequences::fixing(self.attributes, &list[..length]))
    }
}
