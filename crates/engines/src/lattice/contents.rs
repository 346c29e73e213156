//! What can stand on one file: its contents, and how stones lead from one to another.
//!
//! Contents are kept in lexicographic order of their cells, so that putting a stone of
//! one colour on one cell keeps the order. Everything else rests on that: moves become
//! order-preserving maps, which two bit instructions carry out for 64 positions.

use std::collections::BTreeMap;

use zermelo_core::{BoardFiles, File};

/// The contents of one file.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// Cells of the first player and of the second, on the board.
    pub(crate) stones: [u64; 2],
    /// Stones.
    pub(crate) height: u32,
    /// First player's stones less the second's.
    pub(crate) balance: i32,
    /// What a stone of either colour leads to, with the slot of the move: the cell, or 0 on
    /// a stacked file. Moves of one slot keep the order of contents.
    pub(crate) next: [Vec<(usize, u32)>; 2],
    /// What a stone of either colour may have come from.
    pub(crate) from: [Vec<u32>; 2],
    /// How many stones of either colour lead to a finished file (see [`Contents::new`]).
    pub(crate) finish: [u32; 2],
    /// The place of these contents in an order in which contents come right before all that a stone on their last cell
    /// makes of them.
    pub(crate) rank: u32,
}

/// All contents of one file.
pub(crate) struct Contents {
    file: File,
    stacked: bool,
    pub(crate) all: Vec<Content>,
    /// From [`Contents::key`] to the place in `all`.
    find: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Contents {
    /// Works out the contents of a file.
    ///
    /// On a stacked file a line inside the file is complete with the topmost stone only, so
    /// such contents have a single past, and nothing is played on them: they are left out,
    /// and their parents count them in `finish`.
    pub(crate) fn new(layout: &BoardFiles, file: File) -> Contents {
        let within = |c: usize| layout.lines[c].iter().filter(|line| **line & !file.mask() == 0);
        let over = |stones: [u64; 2]| (0..2).any(|c| within(c).any(|line| stones[c] & line == *line));
        let mut all = BTreeMap::from([(order(layout.stacked, file, [0; 2]), [0; 2])]);
        let mut open = vec![[0u64; 2]];
        while let Some(before) = open.pop() {
            for stone in landings(layout.stacked, file, before) {
                for c in 0..2 {
                    let mut stones = before;
                    stones[c] |= stone;
                    let finished = layout.stacked && over(stones);
                    if !finished && all.insert(order(layout.stacked, file, stones), stones).is_none() {
                        open.push(stones);
                    }
                }
            }
        }
        let mut contents = Contents { file, stacked: layout.stacked, all: vec![], find: vec![] };
        for stones in all.into_values() {
            let key = contents.key(stones);
            if contents.find.len() <= key {
                contents.find.resize(key + 1, NOWHERE);
            }
            contents.find[key] = contents.all.len() as u32;
            let count = stones.map(|s| s.count_ones() as i32);
            contents.all.push(Content {
                stones,
                height: (count[0] + count[1]) as u32,
                balance: count[0] - count[1],
                next: [vec![], vec![]],
                from: [vec![], vec![]],
                finish: [0; 2],
                rank: 0,
            });
        }
        contents.link();
        let mut by_rank: Vec<&mut Content> = contents.all.iter_mut().collect();
        by_rank.sort_by_key(|content| order(false, file, content.stones));
        (0..).zip(by_rank).for_each(|(rank, content)| content.rank = rank);
        contents
    }

    fn link(&mut self) {
        for at in 0..self.all.len() {
            let stones = self.all[at].stones;
            for stone in landings(self.stacked, self.file, stones) {
                for c in 0..2 {
                    let mut next = stones;
                    next[c] |= stone;
                    match self.find(next) {
                        Some(to) => {
                            let slot =
                                if self.stacked { 0 } else { stone.trailing_zeros() - self.file.shift };
                            self.all[at].next[c].push((slot as usize, to as u32));
                            self.all[to].from[c].push(at as u32);
                        }
                        None => self.all[at].finish[c] += 1,
                    }
                }
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The place of what stands on the file; `None` for a finished file.
    #[inline]
    pub(crate) fn find(&self, stones: [u64; 2]) -> Option<usize> {
        self.find.get(self.key(stones)).filter(|at| **at != NOWHERE).map(|at| *at as usize)
    }

    #[inline]
    fn key(&self, stones: [u64; 2]) -> usize {
        let File { shift, cells } = self.file;
        let low = |s: u64| (s & self.file.mask()) >> shift;
        let (first, both) = (low(stones[0]), low(stones[0] | stones[1]));
        // On a stacked file the empty cells begin above the stones: one marker bit tells where.
        (if self.stacked { first | (both + 1) } else { both << cells | first }) as usize
    }

    /// Moves that may differ in where they put a stone.
    pub(crate) fn slots(&self) -> usize {
        if self.stacked { 1 } else { self.file.cells as usize }
    }

    /// The cells a stone may go to.
    pub(crate) fn landings(&self, at: usize) -> u64 {
        landings(self.stacked, self.file, self.all[at].stones).fold(0, |set, stone| set | stone)
    }
}

/// The cells that a stone may go to, one by one.
fn landings(stacked: bool, file: File, stones: [u64; 2]) -> impl Iterator<Item = u64> {
    let empty = file.mask() & !(stones[0] | stones[1]);
    let mut left = if stacked { empty & empty.wrapping_neg() } else { empty };
    std::iter::from_fn(move || {
        let stone = left & left.wrapping_neg();
        left ^= stone;
        (stone != 0).then_some(stone)
    })
}

/// The key that contents are sorted by: cells as digits, the first the most significant;
/// on a stacked file the height comes before all.
fn order(stacked: bool, file: File, stones: [u64; 2]) -> u64 {
    let digit = |cell: u32| {
        let bit = 1u64 << (file.shift + cell);
        if stones[0] & bit != 0 { 1 } else { u64::from(stones[1] & bit != 0) * 2 }
    };
    if !stacked {
        return (0..file.cells).fold(0, |key, cell| key * 3 + digit(cell));
    }
    let height = (stones[0] | stones[1]).count_ones();
    (0..height).fold(1, |key, cell| key * 2 + (digit(cell) & 1))
}
