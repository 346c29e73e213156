//! Every position below one with few empty cells, by rotation tables.
//!
//! Turns never change which stones are where on the board before them, so a node is two disjoint
//! sets of the cells that were empty at the root: the stones put since by whoever has just moved
//! and by the other. Its table tells for every turn (of one parity: see `tables`) whether the one
//! who has just put a stone, and has not turned yet, wins, and whether they do not lose.
//!
//! A slice is all nodes with so many stones; it follows from the next one, and two are kept. The
//! nodes of a slice lie in rows by the set of who has just moved, and within a row by the other's
//! set among the cells left. For a row, every node of the next slice that it needs is fetched
//! once: the same sets with the roles swapped and one stone more. Which of them are the children
//! of which node is the same for all rows.

use rayon::prelude::*;
use zermelo_core::rank::next_set;

use super::tables::{Half, Parts, has, reach};
use crate::isa::{Bits, Isa, Kernel, dispatch};

/// For every turn of one parity: whether the player wins, and whether they do not lose.
type Node = [u64; 4];

/// How a board comes out for a player: 1, 0 or -1.
pub(super) type Score = i8;

/// The root's value and those of all its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answers {
    /// For the player to move.
    pub(super) root: Score,
    /// For each empty cell, by its bit: the value with the stone put and a turn still due, for who
    /// put it; and of the eight boards after the turns (by quadrant, right then left), for the
    /// other player. A stone that makes five has no turns.
    pub(super) cells: Vec<(u64, Score, [Score; 8])>,
}

/// The rows and columns of a slice, in numbers.
#[derive(Clone, Copy)]
struct Shape {
    /// Empty cells at the root.
    empty: usize,
    /// Stones of who has just moved, and of the other, since the root.
    moved: usize,
    waits: usize,
}

fn choose(n: usize, k: usize) -> usize {
    (0..k).fold(1, |ways, j| ways * (n - j.min(n)) / (j + 1))
}

impl Shape {
    fn new(empty: usize, stones: usize) -> Shape {
        Shape { empty, moved: stones.div_ceil(2), waits: stones / 2 }
    }

    fn rows(self) -> usize {
        choose(self.empty, self.moved)
    }

    fn columns(self) -> usize {
        choose(self.empty - self.moved, self.waits)
    }

    fn nodes(self) -> usize {
        self.rows() * self.columns()
    }
}

/// All sets of `k` of `n` things, in colexicographic order.
fn sets(n: usize, k: usize) -> impl Iterator<Item = u64> {
    let first = (1u64 << k) - 1;
    std::iter::successors(Some(first), |set| Some(next_set(*set))).take(choose(n, k))
}

/// The place of every set among those of its size.
fn places(n: usize) -> Vec<u32> {
    let mut places = vec![0; 1 << n];
    for k in 0..=n {
        sets(n, k).enumerate().for_each(|(place, set)| places[set as usize] = place as u32);
    }
    places
}

/// What is the same for all slices below a root.
struct Below<'a> {
    parts: &'a Parts,
    /// The empty cells.
    empty: u64,
    many: usize,
    /// Stones at the root of the player to move there, and of the other.
    stones: [u64; 2],
    /// The place of every set of empty cells among those of its size.
    places: Vec<u32>,
    isa: Isa,
}

/// All wins of one side: for each set of so many stones put since the root, by turn and parity.
fn all_wins(below: &Below<'_>, stones: u64, k: usize) -> Vec<[Half; 2]> {
    let spread = |set: u64| zermelo_core::rank::expand(set, below.empty);
    let list: Vec<u64> = sets(below.many, k).collect();
    list.par_iter().map(|set| below.parts.wins(stones | spread(*set))).collect()
}

/// One slice of the tables, to be filled in from the next.
struct Slice<'a> {
    shape: Shape,
    /// Wins of who has just moved, by row; of the other, by set.
    moved: &'a [[Half; 2]],
    waits: &'a [[Half; 2]],
    /// The parity of the turns that stand before the turn due at this slice.
    parity: usize,
    places: &'a [u32],
    /// The next slice; none where the board is full.
    next: Option<(&'a [Node], Shape)>,
    /// The sets of the waiting player with one stone more, among the cells a row leaves.
    more: Vec<u32>,
    /// The sets of the waiting player, among those cells.
    sets: Vec<u32>,
    /// For each of those, which of `more` have it and one stone more.
    children: Vec<u16>,
}

impl<'a> Slice<'a> {
    fn new(
        below: &'a Below<'_>,
        stones: usize,
        wins: &'a [Vec<[Half; 2]>; 2],
        next: Option<(&'a [Node], Shape)>,
    ) -> Slice<'a> {
        let shape = Shape::new(below.many, stones);
        let left = below.many - shape.moved;
        let all: Vec<u32> = sets(left, shape.waits).map(|set| set as u32).collect();
        let cells = (1u64 << left) - 1;
        let child = |set: &u32| {
            let set = u64::from(*set);
            (0..left).filter(move |cell| cells & !set & 1 << cell != 0).map(move |cell| set | 1 << cell)
        };
        let places = &below.places;
        let children = all.iter().flat_map(child).map(|set| places[set as usize] as u16).collect();
        let more = match next {
            Some(_) => sets(left, shape.waits + 1).map(|set| set as u32).collect(),
            None => vec![],
        };
        // Whoever is to move at the root has the first stone.
        let [moved, waits] = if stones % 2 == 1 { [&wins[0], &wins[1]] } else { [&wins[1], &wins[0]] };
        let parity = (stones + 1) % 2;
        Slice { shape, moved, waits, parity, places, next, more, sets: all, children }
    }

    /// What the waiting player has after the turn, at each column of a row.
    // Plain loops: only what is inlined to the last is compiled for the instruction set.
    #[inline(always)]
    fn row<B: Bits>(&self, bits: B, row: u64, fetched: &mut [Node], out: &mut [Node]) {
        let every = (1u64 << self.shape.empty) - 1;
        let free = every & !row;
        if let Some((next, shape)) = self.next {
            let columns = shape.columns();
            for (n, set) in self.more.iter().enumerate() {
                let set = bits.pdep(*set as u64, free);
                let column = self.places[bits.pext(row, every & !set) as usize];
                fetched[n] = next[self.places[set as usize] as usize * columns + column as usize];
            }
        }
        let moved = self.moved[self.places[row as usize] as usize][1 - self.parity];
        let many = self.shape.empty - self.shape.moved - self.shape.waits;
        // A full board without five is a tie.
        let tie = if many == 0 { u64::MAX } else { 0 };
        for (column, set) in self.sets.iter().enumerate() {
            let mut best = [0, 0, tie, tie];
            for child in &self.children[column * many..(column + 1) * many] {
                let child = &fetched[*child as usize];
                best = [best[0] | child[0], best[1] | child[1], best[2] | child[2], best[3] | child[3]];
            }
            let waits = self.waits[self.places[bits.pdep(*set as u64, free) as usize] as usize];
            let waits = waits[1 - self.parity];
            let over = [!(moved[0] | waits[0]), !(moved[1] | waits[1])];
            out[column] = [
                best[0] & over[0] | waits[0] & !moved[0],
                best[1] & over[1] | waits[1] & !moved[1],
                best[2] & over[0] | waits[0],
                best[3] & over[1] | waits[1],
            ];
        }
    }
}

/// What a turn makes of a board for who turns: they win where the other loses, and so on.
#[inline(always)]
fn turned(ends: Node, won: Half) -> Node {
    let win = reach([!ends[2], !ends[3]]);
    let hold = reach([!ends[0], !ends[1]]);
    [win[0] | won[0], win[1] | won[1], hold[0] | won[0], hold[1] | won[1]]
}

/// Fills a slice.
struct Fill<'a, 'b> {
    slice: &'a Slice<'b>,
    rows: &'a [u64],
    out: &'a mut [Node],
}

impl Kernel for Fill<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let slice = self.slice;
        let mut fetched = vec![[0; 4]; slice.more.len()];
        for (row, out) in self.rows.iter().zip(self.out.chunks_exact_mut(slice.shape.columns())) {
            let won = slice.moved[slice.places[*row as usize] as usize][slice.parity];
            slice.row(bits, *row, &mut fetched, out);
            for node in out {
                *node = turned(*node, won);
            }
        }
    }
}

/// Rows that one task takes.
const ROWS: usize = 64;

/// Solves everything below a board that is not over and has at most 18 empty cells.
pub(super) fn solve(parts: &Parts, stones: [u64; 2], all: u64, isa: Isa) -> Answers {
    let empty = all & !(stones[0] | stones[1]);
    let many = empty.count_ones() as usize;
    let below = Below { parts, empty, many, stones, places: places(many), isa };
    // Neighbouring slices take turns in two buffers.
    let room = |parity: usize| {
        (2..=many).filter(|k| k % 2 == parity).map(|k| Shape::new(many, k).nodes()).max().unwrap_or(0)
    };
    let mut here = vec![[0; 4]; room(many % 2)];
    let mut next = vec![[0; 4]; room(1 - many % 2)];
    for k in (2..=many).rev() {
        let shape = Shape::new(many, k);
        let wins = wins_at(&below, k);
        let under = (k < many).then(|| (&next[..], Shape::new(many, k + 1)));
        let slice = Slice::new(&below, k, &wins, under);
        let rows: Vec<u64> = sets(many, shape.moved).collect();
        let columns = shape.columns();
        here[..shape.nodes()].par_chunks_mut(ROWS * columns).zip(rows.par_chunks(ROWS)).for_each(
            |(out, rows)| {
                dispatch(below.isa, Fill { slice: &slice, rows, out });
            },
        );
        std::mem::swap(&mut here, &mut next);
    }
    first(&below, &next)
}

/// Wins of both players at the root with the stones they have after `k` more.
fn wins_at(below: &Below<'_>, k: usize) -> [Vec<[Half; 2]>; 2] {
    [all_wins(below, below.stones[0], k.div_ceil(2)), all_wins(below, below.stones[1], k / 2)]
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

fn score(ends: Node, turn: [u8; 4]) -> Score {
    let win = has([ends[0], ends[1]], turn);
    let hold = has([ends[2], ends[3]], turn);
    Score::from(win) + Score::from(hold) - 1
}

/// The first stone and the root, from the slice with two stones.
fn first(below: &Below<'_>, next: &[Node]) -> Answers {
    struct First<'a, 'b>(&'a Slice<'b>);
    impl Kernel for First<'_, '_> {
        type Output = Vec<(Node, Node)>;
        #[inline(always)]
        fn run<B: Bits>(self, bits: B) -> Vec<(Node, Node)> {
            let (slice, mut found) = (self.0, vec![]);
            let mut fetched = vec![[0; 4]; slice.more.len()];
            for (cell, wins) in slice.moved.iter().enumerate() {
                let mut ends = [[0; 4]];
                slice.row(bits, 1 << cell, &mut fetched, &mut ends);
                found.push((ends[0], turned(ends[0], wins[slice.parity])));
            }
            found
        }
    }
    let wins = wins_at(below, 1);
    let under = (below.many > 1).then(|| (next, Shape::new(below.many, 2)));
    let found = dispatch(below.isa, First(&Slice::new(below, 1, &wins, under)));
    let bits = (0..64).map(|n| 1u64 << n).filter(|bit| below.empty & bit != 0);
    let cells: Vec<_> = bits
        .zip(found)
        .map(|(bit, (ends, middle))| (bit, score(middle, [0; 4]), TURNS.map(|turn| score(ends, turn))))
        .collect();
    let root = cells.iter().map(|cell| cell.1).max().unwrap_or(0);
    Answers { root, cells }
}
