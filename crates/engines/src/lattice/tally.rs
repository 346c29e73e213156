//! Counts of a tier: reached positions by number of stones and code.

use super::board::{Board, Shard};
use super::forward::{Marks, ones};
use super::slab::{At, Half};
use crate::isa::{Bits, Kernel};

/// Words that are copied together.
const LANES: usize = 8;
/// Words that are counted together.
const BATCH: usize = 64;

/// Counts by number of stones and code.
pub(crate) struct Tally {
    pub(crate) codes: usize,
    /// All positions.
    pub(crate) all: Vec<u64>,
    /// Positions that are their own mirror images.
    pub(crate) even: Vec<u64>,
    /// An example of each: the shard and the bit in its list.
    pub(crate) example: Vec<Option<(u32, u32)>>,
}

/// Counts a tier.
pub(crate) struct Count<'a, const P: usize> {
    pub(crate) board: &'a Board,
    pub(crate) begin: Shard,
    pub(crate) halves: [&'a Half; 2],
    pub(crate) marks: &'a Marks,
}

/// What is being counted for one number of stones.
///
/// A list has few words with the same number of stones, so words are collected over many
/// lists until there is a batch of them.
struct Row<const P: usize> {
    /// Words in use.
    len: usize,
    /// Which entries are reached.
    reached: [u64; BATCH + LANES],
    /// The codes of the entries, as the lists have them.
    planes: [[u64; BATCH + LANES]; P],
    /// Where the words are from: the shard, and the place in its list.
    from: [(u32, u32); BATCH + LANES],
    /// For each code: how many entries.
    all: Vec<u64>,
    /// For each code: the first entry.
    example: Vec<Option<(u32, u32)>>,
}

impl<const P: usize> Kernel for Count<'_, P> {
    type Output = Tally;

    #[inline(always)]
    fn run<B: Bits>(self, _: B) -> Tally {
        let board = self.board;
        let (plies, codes) = (board.layout.cells() as usize + 1, 1 << P);
        let mut even = vec![0; plies * codes];
        let mut rows: Vec<_> = (0..plies).map(|_| Row::<P>::new()).collect();
        let mut walk = board.walk(self.begin, false);
        while let Some(shard) = walk.next() {
            for turn in 0..2 {
                if let At::Words(at) = self.marks.halves[turn].at(shard.index) {
                    self.list(&shard, turn, self.marks.halves[turn].list(at), &mut rows, &mut even);
                }
            }
        }
        for row in &mut rows {
            row.count();
        }
        let all = rows.iter().flat_map(|row| row.all.iter().copied()).collect();
        let example = rows.iter().flat_map(|row| row.example.iter().copied()).collect();
        Tally { codes, all, even, example }
    }
}

impl<const P: usize> Count<'_, P> {
    #[inline(always)]
    fn list(&self, shard: &Shard, turn: usize, reached: &[u64], rows: &mut [Row<P>], even: &mut [u64]) {
        let board = self.board;
        let Some(list) = board.list(shard, turn) else { return };
        let codes = match self.halves[turn].at(shard.index) {
            At::Words(at) => Some(self.halves[turn].list(at)),
            _ => None,
        };
        for level in &list.levels {
            let ply = shard.stones + level.height;
            let row = &mut rows[ply as usize];
            let Some(codes) = codes else {
                let words = &reached[level.word..level.word + level.words];
                row.all_one(words, board.ends.win_in_one(ply) as usize, shard, level.word);
                continue;
            };
            for w in (level.word..level.word + level.words).step_by(LANES) {
                let many = LANES.min(level.word + level.words - w);
                row.take(&reached[w..], &codes[w..], list.words, many, shard, w);
            }
        }
        board.evens(shard, |it| {
            if it.turn == turn && reached[it.bit / 64] >> (it.bit % 64) & 1 != 0 {
                let code = match codes {
                    None => board.ends.win_in_one(it.ply) as usize,
                    Some(codes) => mover_code(P, codes, list.words, it.bit) as usize,
                };
                even[(it.ply as usize) << P | code] += 1;
            }
        });
    }
}

impl<const P: usize> Row<P> {
    fn new() -> Row<P> {
        Row {
            len: 0,
            reached: [0; BATCH + LANES],
            planes: [[0; BATCH + LANES]; P],
            from: [(0, 0); BATCH + LANES],
            all: vec![0; 1 << P],
            example: vec![None; 1 << P],
        }
    }

    /// Counts words whose entries all have the same code.
    #[inline(always)]
    fn all_one(&mut self, reached: &[u64], code: usize, shard: &Shard, word: usize) {
        let many = ones(reached);
        if many > 0 && self.example[code].is_none() {
            self.example[code] = Some((shard.index as u32, first(reached, word) as u32));
        }
        self.all[code] += many;
    }

    /// Takes some words of a list; what is behind them is read, too.
    #[inline(always)]
    fn take(
        &mut self,
        reached: &[u64],
        codes: &[u64],
        pitch: usize,
        many: usize,
        shard: &Shard,
        word: usize,
    ) {
        let len = self.len;
        self.reached[len..][..LANES].copy_from_slice(&reached[..LANES]);
        for (p, plane) in self.planes.iter_mut().enumerate() {
            plane[len..][..LANES].copy_from_slice(&codes[p * pitch..][..LANES]);
        }
        for (i, from) in self.from[len..][..LANES].iter_mut().enumerate() {
            *from = (shard.index as u32, (word + i) as u32);
        }
        self.len += many;
        if self.len >= BATCH {
            self.count();
        }
    }

    /// Counts a batch, or less, and moves what is behind it to the front.
    #[inline(always)]
    fn count(&mut self) {
        // A number that the compiler does not know: it would unroll the loops.
        let many = self.len.min(BATCH);
        let mut mask = [0; BATCH];
        // Groups of codes that differ in the low planes alone; many of them are empty.
        let low = P.min(LOW);
        for group in 0..1 << (P - low) {
            let mut any = 0;
            for i in 0..many {
                mask[i] = self.reached[i] & matching(&self.planes[low..], i, group);
                any |= mask[i];
            }
            if any != 0 {
                for code in 0..1 << low {
                    self.add(group << low | code, &mask[..many], code);
                }
            }
        }
        self.reached.copy_within(BATCH.., 0);
        for plane in &mut self.planes {
            plane.copy_within(BATCH.., 0);
        }
        self.from.copy_within(BATCH.., 0);
        self.len -= many;
    }

    /// Counts those entries of a mask that have a code, given what it is in the low planes.
    #[inline(always)]
    fn add(&mut self, code: usize, mask: &[u64], low_code: usize) {
        let low = &self.planes[..P.min(LOW)];
        let found = |i: usize| mask[i] & matching(low, i, low_code);
        let many: u64 = (0..mask.len().min(BATCH)).map(|i| u64::from(found(i).count_ones())).sum();
        self.all[code] += many;
        // Lists of wins alone are not collected, so they may have come first from behind.
        if many > 0 && self.example[code].is_none_or(|(shard, _)| shard > self.from[0].0) {
            let at = (0..mask.len()).find(|i| found(*i) != 0).unwrap_or(0);
            let (shard, word) = self.from[at];
            let here = (shard, word * 64 + found(at).trailing_zeros());
            self.example[code] = Some(self.example[code].map_or(here, |example| example.min(here)));
        }
    }
}

/// Planes that are told apart without looking whether there is anything.
const LOW: usize = 2;

/// Which entries of a word have a code in some planes. Lists are as the player before sees
/// them, so the planes are the complement of the code.
#[inline(always)]
fn matching(planes: &[[u64; BATCH + LANES]], word: usize, code: usize) -> u64 {
    let mut out = u64::MAX;
    for (p, plane) in planes.iter().enumerate() {
        out &= plane[word] ^ if code >> p & 1 != 0 { u64::MAX } else { 0 };
    }
    out
}

/// The first bit of a mask that begins with a word.
fn first(mask: &[u64], word: usize) -> usize {
    let at = mask.iter().position(|w| *w != 0).unwrap_or(0);
    (word + at) * 64 + mask[at].trailing_zeros() as usize
}

/// The code of one entry of a list for the player to move; lists are as the player before sees them.
#[inline(always)]
pub(crate) fn mover_code(planes: usize, list: &[u64], words: usize, bit: usize) -> u32 {
    let plane = |p: usize| (!list[p * words + bit / 64] >> (bit % 64) & 1) as u32;
    (0..planes).fold(0, |code, p| code | plane(p) << p)
}
