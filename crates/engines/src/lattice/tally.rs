//! Counts of a tier: reached positions by number of stones and code.

use super::board::{Board, Shard};
use super::forward::{Marks, ones};
use super::isa::{Bits, Kernel};
use super::slab::{At, Half};

const LANES: usize = 4;

/// Counts by number of stones and code.
pub(crate) struct Tally {
    pub(crate) codes: usize,
    /// All positions.
    pub(crate) all: Vec<u64>,
    /// Those that are their own mirror images.
    pub(crate) even: Vec<u64>,
    /// One of each: the shard and the bit in its list.
    pub(crate) example: Vec<Option<(u32, u32)>>,
}

/// Counts a tier.
pub(crate) struct Count<'a, const P: usize> {
    pub(crate) board: &'a Board,
    pub(crate) begin: Shard,
    pub(crate) halves: [&'a Half; 2],
    pub(crate) marks: &'a Marks,
}

impl<const P: usize> Kernel for Count<'_, P> {
    type Output = Tally;

    #[inline(always)]
    fn run<B: Bits>(self, _: B) -> Tally {
        let board = self.board;
        let codes = 1 << P;
        let cells = (board.layout.cells() as usize + 1) * codes;
        let mut tally =
            Tally { codes, all: vec![0; cells], even: vec![0; cells], example: vec![None; cells] };
        let mut walk = board.walk(self.begin, false);
        while let Some(shard) = walk.next() {
            for turn in 0..2 {
                if let At::Words(at) = self.marks.halves[turn].at(shard.index) {
                    self.list(&shard, turn, self.marks.halves[turn].list(at), &mut tally);
                }
            }
        }
        tally
    }
}

impl<const P: usize> Count<'_, P> {
    #[inline(always)]
    fn list(&self, shard: &Shard, turn: usize, reached: &[u64], tally: &mut Tally) {
        let board = self.board;
        let Some(list) = board.list(shard, turn) else { return };
        let codes = match self.halves[turn].at(shard.index) {
            At::Words(at) => Some(self.halves[turn].list(at)),
            _ => None,
        };
        for level in &list.levels {
            let ply = shard.stones + level.height;
            let row = ply as usize * tally.codes;
            let Some(codes) = codes else {
                let code = board.ends.win_in_one(ply);
                let words = &reached[level.word..level.word + level.words];
                tally.add(row, code as usize, ones(words), shard, || first(words, level.word));
                continue;
            };
            for w in (level.word..level.word + level.words).step_by(LANES) {
                let many = LANES.min(level.word + level.words - w);
                let mut mask = [0; LANES];
                mask[..many].copy_from_slice(&reached[w..w + many]);
                let mut planes = [[0; LANES]; P];
                for (p, plane) in planes.iter_mut().enumerate() {
                    plane.copy_from_slice(&codes[p * list.words + w..][..LANES]);
                }
                split::<P>(&planes, mask, P, 0, &mut |code, mask| {
                    // Lists are as the player before sees them.
                    let code = tally.codes - 1 - code;
                    tally.add(row, code, ones(&mask), shard, || first(&mask, w));
                });
            }
        }
        board.evens(shard, |even| {
            if even.turn == turn && reached[even.bit / 64] >> (even.bit % 64) & 1 != 0 {
                let code = match codes {
                    None => board.ends.win_in_one(even.ply) as usize,
                    Some(codes) => tally.codes - 1 - code_at::<P>(codes, list.words, even.bit) as usize,
                };
                tally.even[even.ply as usize * tally.codes + code] += 1;
            }
        });
    }
}

impl Tally {
    #[inline(always)]
    fn add(&mut self, row: usize, code: usize, many: u64, shard: &Shard, bit: impl FnOnce() -> usize) {
        if many > 0 {
            if self.all[row + code] == 0 {
                self.example[row + code] = Some((shard.index as u32, bit() as u32));
            }
            self.all[row + code] += many;
        }
    }
}

/// The first bit of a mask that begins with a word.
fn first(mask: &[u64], word: usize) -> usize {
    let at = mask.iter().position(|w| *w != 0).unwrap_or(0);
    (word + at) * 64 + mask[at].trailing_zeros() as usize
}

/// The code of one entry of a list, as it stands there.
#[inline(always)]
pub(crate) fn code_at<const P: usize>(list: &[u64], words: usize, bit: usize) -> u32 {
    (0..P).fold(0, |code, p| code | ((list[p * words + bit / 64] >> (bit % 64) & 1) as u32) << p)
}

/// Splits a mask by the codes of its entries, from the highest plane down.
#[inline(always)]
fn split<const P: usize>(
    planes: &[[u64; LANES]; P],
    mask: [u64; LANES],
    left: usize,
    code: usize,
    found: &mut impl FnMut(usize, [u64; LANES]),
) {
    // An explicit stack: recursion would not be inlined into the kernel.
    let mut stack = [(mask, left, code); 16];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let (mask, left, code) = stack[depth];
        if mask.iter().fold(0, |any, w| any | w) == 0 {
            continue;
        }
        let Some(p) = left.checked_sub(1) else {
            found(code, mask);
            continue;
        };
        let (mut ones, mut zeros) = (mask, mask);
        for i in 0..LANES {
            ones[i] &= planes[p][i];
            zeros[i] &= !planes[p][i];
        }
        stack[depth] = (zeros, p, code);
        stack[depth + 1] = (ones, p, code | 1 << p);
        depth += 2;
    }
}
