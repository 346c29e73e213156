//! Every position below one with few empty cells, by rotation tables.
//!
//! Turns never change which stones are where on the board before them, so a node is two disjoint
//! sets of the cells that were empty at the root: the stones put since by whoever has just moved
//! and by the other. Its table tells for every turn (of one parity: see `tables`) how the game
//! comes out for the one who has just put a stone, and has not turned yet.
//!
//! A slice is all nodes with so many stones; it follows from the next one, and two are kept. The
//! nodes of a slice lie in rows by the set of who has just moved, and within a row by the other's
//! set among the cells left. For a row, every node of the next slice that it needs is fetched
//! once: the same sets with the roles swapped and one stone more. They lie far apart, so they are
//! asked for while the row before is worked on. Which of them are the children of which node is
//! the same for all rows.

use rayon::prelude::*;

use super::nodes::Node;
use super::room::Room;
use super::subsets::{Places, PlacesOf, Shape, choose, sets};
use super::tables::Parts;
use crate::isa::{Bits, Isa, Kernel, Plain, dispatch, prefetch};

/// The root's value and those of all its moves.
pub(super) struct Answers<A> {
    /// For the player to move.
    pub(super) root: A,
    pub(super) cells: Vec<Cell<A>>,
}

/// What comes of a stone in an empty cell.
pub(super) struct Cell<A> {
    pub(super) bit: u64,
    /// For who put it, with a turn still due.
    pub(super) placed: A,
    /// For the other, after each of the eight turns, by quadrant, right then left. A stone that
    /// makes five has none.
    pub(super) turns: [A; 8],
}

/// What is the same for all slices below a root.
struct Below<'a> {
    parts: &'a Parts,
    /// The empty cells.
    empty: u64,
    many: usize,
    /// Stones at the root of the player to move there, and of the other.
    stones: [u64; 2],
    places: Places,
    isa: Isa,
}

/// Where one side has five, for each set of so many stones put since the root: in the turns of
/// even parity, and of odd.
struct Wins<N: Node> {
    stones: usize,
    halves: [Vec<N::Won>; 2],
}

impl<N: Node> Wins<N> {
    fn new(below: &Below<'_>, player: usize, stones: usize) -> Wins<N> {
        let list: Vec<u64> = sets(below.many, stones).collect();
        let find = |set: &u64| {
            let put = zermelo_core::rank::expand(*set, below.empty);
            below.parts.wins(below.stones[player] | put).map(N::won).into()
        };
        let (even, odd) = list.par_iter().map(find).unzip();
        Wins { stones, halves: [even, odd] }
    }

    /// The wins of both players after `k` more stones. From one slice to the next they change for one
    /// player only.
    fn both(below: &Below<'_>, k: usize, old: Option<[Wins<N>; 2]>) -> [Wins<N>; 2] {
        let many = [k.div_ceil(2), k / 2];
        let new = |player: usize| Wins::new(below, player, many[player]);
        let [first, second] = old.map_or([None, None], |old| old.map(Some));
        let kept = |wins: Option<Wins<N>>, player: usize| {
            wins.filter(|wins| wins.stones == many[player]).unwrap_or_else(|| new(player))
        };
        [kept(first, 0), kept(second, 1)]
    }
}

/// One slice of the tables, to be filled in from the next.
struct Slice<'a, N: Node> {
    shape: Shape,
    /// Fives of who has just moved, by row: before the turn due at this slice, and after it.
    won: &'a [N::Won],
    moved: &'a [N::Won],
    /// Fives of the other after it, by set.
    waits: &'a [N::Won],
    /// Places of the sets of who has just moved, of the other's, and of those with a stone more.
    rows: PlacesOf<'a>,
    others: PlacesOf<'a>,
    next_rows: PlacesOf<'a>,
    /// The next slice, and its columns; nothing where the board is full.
    next: &'a [N],
    columns: usize,
    /// The sets of the waiting player among the cells a row leaves, and those with a stone more.
    sets: Vec<u32>,
    more: Vec<u32>,
    /// For each of `sets` which of `more` have it and one stone more, in `width` numbers.
    children: Vec<u16>,
    width: usize,
}

impl<'a, N: Node> Slice<'a, N> {
    fn new(below: &'a Below<'_>, stones: usize, wins: &'a [Wins<N>; 2], next: &'a [N]) -> Slice<'a, N> {
        let shape = Shape::new(below.many, stones);
        let left = below.many - shape.moved;
        let places = &below.places;
        let list = |stones: usize| sets(left, stones).map(|set| set as u32).collect::<Vec<u32>>();
        let full = stones == below.many;
        // Whoever is to move at the root has the first stone.
        let [moved, waits] = if stones % 2 == 1 { [&wins[0], &wins[1]] } else { [&wins[1], &wins[0]] };
        // The parity of the turns that stand before the turn due at this slice.
        let parity = (stones + 1) % 2;
        let mut slice = Slice {
            shape,
            won: &moved.halves[parity],
            moved: &moved.halves[1 - parity],
            waits: &waits.halves[1 - parity],
            rows: places.of(shape.moved),
            others: places.of(shape.waits),
            next_rows: places.of(shape.waits + 1),
            next,
            columns: if full { 0 } else { Shape::new(below.many, stones + 1).columns() },
            sets: list(shape.waits),
            more: if full { vec![] } else { list(shape.waits + 1) },
            children: vec![],
            width: width::<N>(left - shape.waits),
        };
        if !full {
            slice.list_children(left);
        }
        slice
    }

    fn list_children(&mut self, left: usize) {
        for set in self.sets.iter().map(|set| u64::from(*set)) {
            let cells = (0..left).filter(|cell| set >> cell & 1 == 0);
            let from = self.children.len();
            self.children.extend(cells.map(|cell| self.next_rows.place(set | 1 << cell) as u16));
            // One more than once does not change what is the best.
            self.children.resize(from + self.width, self.children[from]);
        }
    }

    /// Finds where some of the nodes are that a row needs, and asks for them.
    // Plain loops: only what is inlined to the last is compiled for the instruction set.
    #[inline(always)]
    fn find<B: Bits>(&self, bits: B, row: u64, sets: &[u32], at: &mut [u32]) {
        let every = (1u64 << self.shape.empty) - 1;
        let free = every & !row;
        for (set, at) in sets.iter().zip(at) {
            let set = bits.pdep(*set as u64, free);
            let column = self.rows.place(bits.pext(row, every & !set));
            let place = self.next_rows.place(set) * self.columns + column;
            prefetch(self.next, place);
            *at = place as u32;
        }
    }

    /// What the waiting player has after the turn, at the columns of a row from one on.
    #[inline(always)]
    fn fold<B: Bits, const WIDTH: usize>(
        &self,
        bits: B,
        row: u64,
        from: usize,
        fetched: &[N],
        out: &mut [N],
    ) {
        let free = ((1u64 << self.shape.empty) - 1) & !row;
        let moved = self.moved[self.rows.place(row)];
        let children = &self.children.as_chunks::<WIDTH>().0[from..];
        for ((children, set), out) in children.iter().zip(&self.sets[from..]).zip(out) {
            let mut best = fetched[children[0] as usize];
            for child in &children[1..] {
                best = best.best(&fetched[*child as usize]);
            }
            let waits = self.waits[self.others.place(bits.pdep(*set as u64, free))];
            *out = best.settled(moved, waits);
        }
    }
}

/// How many children the kernels take with so many empty cells: they are made for few widths.
fn width<N: Node>(empty: usize) -> usize {
    match empty {
        0..=8 if N::FEW_WIDTHS => empty.next_multiple_of(2),
        0..=8 => empty,
        9..=12 if !N::FEW_WIDTHS => 12,
        _ => 18,
    }
}

/// Columns of a row that are worked on between two lots of nodes asked for.
const PIECE: usize = 16;

/// Fills some rows of a slice.
struct Fill<'a, 'b, N: Node> {
    slice: &'a Slice<'b, N>,
    rows: &'a [u64],
    out: &'a mut [N],
}

impl<N: Node> Kernel for Fill<'_, '_, N> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        match self.slice.width {
            0 => self.full(bits),
            1 if !N::FEW_WIDTHS => self.fill::<B, 1>(bits),
            2 => self.fill::<B, 2>(bits),
            3 if !N::FEW_WIDTHS => self.fill::<B, 3>(bits),
            4 => self.fill::<B, 4>(bits),
            5 if !N::FEW_WIDTHS => self.fill::<B, 5>(bits),
            6 => self.fill::<B, 6>(bits),
            7 if !N::FEW_WIDTHS => self.fill::<B, 7>(bits),
            8 => self.fill::<B, 8>(bits),
            12 if !N::FEW_WIDTHS => self.fill::<B, 12>(bits),
            _ => self.fill::<B, 18>(bits),
        }
    }
}

impl<N: Node> Fill<'_, '_, N> {
    #[inline(always)]
    fn full<B: Bits>(self, bits: B) {
        let slice = self.slice;
        for (row, out) in self.rows.iter().zip(self.out) {
            let place = slice.rows.place(*row);
            let free = ((1u64 << slice.shape.empty) - 1) & !row;
            let waits = slice.waits[slice.others.place(bits.pdep(slice.sets[0] as u64, free))];
            *out = N::TIE.settled(slice.moved[place], waits).turned(slice.won[place]);
        }
    }

    #[inline(always)]
    fn fill<B: Bits, const WIDTH: usize>(self, bits: B) {
        let slice = self.slice;
        let (columns, more) = (slice.shape.columns(), slice.more.len());
        let mut fetched = vec![N::zeroed(); more];
        let mut at = vec![0; more];
        let step = more.div_ceil(columns.div_ceil(PIECE));
        slice.find(bits, self.rows[0], &slice.more, &mut at);
        for (n, (row, out)) in self.rows.iter().zip(self.out.chunks_exact_mut(columns)).enumerate() {
            let won = slice.won[slice.rows.place(*row)];
            for (at, fetched) in at.iter().zip(&mut fetched) {
                *fetched = slice.next[*at as usize];
            }
            let coming = self.rows[(n + 1).min(self.rows.len() - 1)];
            for (piece, out) in out.chunks_mut(PIECE).enumerate() {
                let asked = (piece * step).min(more)..((piece + 1) * step).min(more);
                slice.find(bits, coming, &slice.more[asked.clone()], &mut at[asked]);
                slice.fold::<B, WIDTH>(bits, *row, piece * PIECE, &fetched, out);
                for node in out {
                    *node = node.turned(won);
                }
            }
        }
    }
}

/// Rows that one task takes.
const ROWS: usize = 64;

/// What a search from so many empty cells takes: two neighbouring slices, and the fives of both.
pub(super) fn bytes<N: Node>(empty: usize) -> u64 {
    let nodes = Shape::most_nodes(empty, 0) + Shape::most_nodes(empty, 1);
    let fives = 4 * choose(empty, empty / 2);
    (nodes * size_of::<N>() + fives * size_of::<N::Won>()) as u64
}

/// Solves everything below a board that is not over and has at most 18 empty cells.
pub(super) fn solve<N: Node>(parts: &Parts, stones: [u64; 2], all: u64, isa: Isa) -> Answers<N::Answer> {
    let empty = all & !(stones[0] | stones[1]);
    let many = empty.count_ones() as usize;
    let below = Below { parts, empty, many, stones, places: Places::new(many), isa };
    // Neighbouring slices take turns in two rooms.
    let mut here: Room<N> = Room::new(Shape::most_nodes(many, many % 2));
    let mut next: Room<N> = Room::new(Shape::most_nodes(many, 1 - many % 2));
    let mut wins = None;
    for k in (2..=many).rev() {
        let shape = Shape::new(many, k);
        let both = Wins::both(&below, k, wins.take());
        let slice = Slice::new(&below, k, &both, next.get());
        let rows: Vec<u64> = sets(many, shape.moved).collect();
        let out = here.get_mut()[..shape.nodes()].par_chunks_mut(ROWS * shape.columns());
        out.zip(rows.par_chunks(ROWS)).for_each(|(out, rows)| {
            dispatch(below.isa, Fill { slice: &slice, rows, out });
        });
        std::mem::swap(&mut here, &mut next);
        wins = Some(both);
    }
    first(&below, next.get())
}

/// The eight turns of a move, by quadrant, right then left.
const TURNS: [[u8; 4]; 8] = {
    let mut turns = [[0; 4]; 8];
    let mut n = 0;
    while n < 8 {
        turns[n][n / 2] = if n % 2 == 0 { 3 } else { 1 };
        n += 1;
    }
    turns
};

/// The first stone and the root, from the slice with two stones.
fn first<N: Node>(below: &Below<'_>, next: &[N]) -> Answers<N::Answer> {
    let wins = Wins::both(below, 1, None);
    let slice = Slice::new(below, 1, &wins, next);
    let cells = (0..64).map(|n| 1u64 << n).filter(|bit| below.empty & bit != 0);
    let cell = |(n, bit): (usize, u64)| {
        let mut at = vec![0; slice.more.len()];
        slice.find(Plain, 1 << n, &slice.more, &mut at);
        let children = at.iter().map(|at| next[*at as usize]);
        let best = children.reduce(|best, child| best.best(&child)).unwrap_or(N::TIE);
        let ends = best.settled(slice.moved[n], slice.waits[0]);
        let placed = ends.turned(slice.won[n]).answer([0; 4]);
        Cell { bit, placed, turns: TURNS.map(|turn| ends.answer(turn)) }
    };
    let cells: Vec<_> = cells.enumerate().map(cell).collect();
    // A full board has no such cell, and is none that this is asked for.
    let tie = N::TIE.answer([0; 4]);
    Answers { root: cells.iter().map(|cell| cell.placed).max().unwrap_or(tie), cells }
}
