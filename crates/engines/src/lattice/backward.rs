//! The values of a tier, from the tiers below: bit-sliced codes, whole lists at a time.
//!
//! A list is kept as the player *before* sees it, so that a move takes the best of the
//! lists it leads to as they are. Codes are planes of bits, the least significant first.

use super::board::{Board, Shard};
use super::isa::{Bits, Kernel};
use super::slab::{At, Half};

/// Words that are worked on together.
const LANES: usize = 8;
/// So many words side by side.
type Lanes = [u64; LANES];

/// Solves a tier, with codes of `P` planes.
pub(crate) struct Backward<'a, const P: usize> {
    pub(crate) board: &'a Board,
    pub(crate) begin: Shard,
    /// Lists of the tiers below for the next player to move, with the colour of the stone
    /// that leads there.
    pub(crate) below: &'a [(usize, &'a Half)],
    /// Words that the lists of each player will take.
    pub(crate) words: [usize; 2],
}

/// The buffers of one shard, for each player to move.
struct Work {
    /// Words of a plane.
    pitch: usize,
    /// The best of the moves outside.
    best: [Vec<u64>; 2],
    /// The finished codes, as the player before sees them.
    codes: [Vec<u64>; 2],
    /// Where the mover wins with the next stone.
    wins: [Vec<u64>; 2],
    /// What each slot of moves inside leads to.
    inside: Vec<u64>,
}

impl<const P: usize> Kernel for Backward<'_, P> {
    type Output = [Half; 2];

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> [Half; 2] {
        let board = self.board;
        let mut halves = self.words.map(|words| Half::new(board.shards, words));
        let pitch = board.inner.most_words + LANES;
        let planes = || vec![0u64; P * pitch];
        let mut work = Work {
            pitch,
            best: [planes(), planes()],
            codes: [planes(), planes()],
            wins: [vec![0; pitch], vec![0; pitch]],
            inside: vec![0; board.inner.slots * P * pitch],
        };
        let mut walk = board.walk(self.begin, true);
        while let Some(shard) = walk.next() {
            if !board.is_dead(&shard) {
                self.shard(bits, &shard, &mut halves, &mut work);
            }
        }
        halves
    }
}

impl<const P: usize> Backward<'_, P> {
    #[inline(always)]
    fn shard<B: Bits>(&self, bits: B, shard: &Shard, halves: &mut [Half; 2], work: &mut Work) {
        let board = self.board;
        let mut solved = [false; 2];
        for turn in 0..2 {
            if board.list(shard, turn).is_none() {
                continue;
            }
            if board.wins_outside(shard, turn) {
                halves[turn].all_win(shard.index);
                continue;
            }
            solved[turn] = true;
            self.outside(shard, turn, halves, work);
        }
        if solved == [false; 2] {
            return;
        }
        self.inside(bits, shard, solved, work);
        for turn in 0..2 {
            if let Some(list) = board.list(shard, turn).filter(|_| solved[turn]) {
                let planes = (0..P).map(|p| &work.codes[turn][p * work.pitch..][..list.words]);
                halves[turn].push(shard.index, planes);
            }
        }
    }

    /// The best of the moves outside, and where the mover wins at once.
    #[inline(always)]
    fn outside(&self, shard: &Shard, turn: usize, halves: &[Half; 2], work: &mut Work) {
        let board = self.board;
        let Some(list) = board.list(shard, turn) else { return };
        let wins = &mut work.wins[turn][..list.words];
        wins.copy_from_slice(&list.wins[turn]);
        board.add_wins(shard, list, turn, wins);

        // Where the other player can win at once there is no list, and nothing to take.
        let mut best =
            Best::<P> { out: &mut work.best[turn], pitch: work.pitch, words: list.words, any: false };
        for (_, half) in self.below.iter().filter(|(c, _)| *c == turn) {
            best.take(half, shard.index);
        }
        for f in board.prefix..board.outer {
            let content = shard.contents[f] as usize;
            for (_, to) in &board.files[f].all[content].next[turn] {
                best.take(&halves[1 - turn], shard.index + (*to as usize - content) * board.stride(f));
            }
        }
        if !best.any {
            for p in 0..P {
                work.best[turn][p * work.pitch..][..list.words].fill(0);
            }
        }
    }

    /// Moves inside, most stones first, and the codes that result.
    #[inline(always)]
    fn inside<B: Bits>(&self, bits: B, shard: &Shard, solved: [bool; 2], work: &mut Work) {
        let board = self.board;
        let lists = [board.list(shard, 0), board.list(shard, 1)];
        let mut left = lists.map(|l| l.map_or(0, |l| l.levels.len()));
        loop {
            let height = |turn: usize| Some(lists[turn]?.levels[left[turn].checked_sub(1)?].height);
            let turn = match (height(0), height(1)) {
                (None, None) => return,
                (Some(a), Some(b)) => usize::from(b > a),
                (a, _) => usize::from(a.is_none()),
            };
            left[turn] -= 1;
            let Some(level) = lists[turn].map(|l| &l.levels[left[turn]]).filter(|_| solved[turn]) else {
                continue;
            };
            let slots = if solved[1 - turn] { &level.moves[turn][..] } else { &[] };
            let slot_words = P * level.words;
            for (slot, steps) in slots.iter().enumerate() {
                let out = &mut work.inside[slot * slot_words..][..slot_words + LANES];
                out.fill(0);
                let from = &work.codes[1 - turn];
                for step in steps {
                    let (here, there) = (step.here as usize - level.word, step.there as usize);
                    for p in 0..P {
                        let moved = bits.pext(from[p * work.pitch + there], step.take);
                        out[p * level.words + here] |= bits.pdep(moved, step.put);
                    }
                }
            }
            let ply = shard.stones + level.height;
            let codes = Codes::<P> { floor: board.ends.floor(ply), win: board.ends.win_in_one(ply) };
            for w in (0..level.words).step_by(LANES) {
                let at = level.word + w;
                let mut best: [Lanes; P] = lanes(&work.best[turn][at..], work.pitch);
                for slot in 0..slots.len() {
                    let inside = lanes(&work.inside[slot * slot_words + w..], level.words);
                    raise(&mut best, &inside);
                }
                let wins = *work.wins[turn][at..].first_chunk::<LANES>().unwrap_or(&[0; LANES]);
                let done = codes.settle(best, wins);
                let many = LANES.min(level.words - w);
                for p in 0..P {
                    let out = &mut work.codes[turn][p * work.pitch + at..];
                    for (out, word) in out[..many].iter_mut().zip(done[p]) {
                        *out = word;
                    }
                }
            }
        }
    }
}

/// The best of several lists.
struct Best<'a, const P: usize> {
    out: &'a mut [u64],
    pitch: usize,
    words: usize,
    any: bool,
}

impl<const P: usize> Best<'_, P> {
    #[inline(always)]
    fn take(&mut self, half: &Half, shard: usize) {
        let At::Words(at) = half.at(shard) else { return };
        let list = half.list(at);
        for w in (0..self.words).step_by(LANES) {
            let more: [Lanes; P] = lanes(&list[w..], self.words);
            let best = if self.any {
                let mut best = lanes(&self.out[w..], self.pitch);
                raise(&mut best, &more);
                best
            } else {
                more
            };
            for p in 0..P {
                self.out[p * self.pitch + w..][..LANES].copy_from_slice(&best[p]);
            }
        }
        self.any = true;
    }
}

/// The planes of neighbouring words.
#[inline(always)]
fn lanes<const P: usize>(words: &[u64], pitch: usize) -> [Lanes; P] {
    let mut planes = [[0; LANES]; P];
    for (p, plane) in planes.iter_mut().enumerate() {
        plane.copy_from_slice(&words[p * pitch..][..LANES]);
    }
    planes
}

/// Makes each code the greater of two.
#[inline(always)]
fn raise<const P: usize>(best: &mut [Lanes; P], more: &[Lanes; P]) {
    let mut greater = [0; LANES];
    for p in 0..P {
        for i in 0..LANES {
            let (a, b) = (more[p][i], best[p][i]);
            greater[i] = (a & !b) | (greater[i] & !(a ^ b));
        }
    }
    for p in 0..P {
        for i in 0..LANES {
            best[p][i] = (more[p][i] & greater[i]) | (best[p][i] & !greater[i]);
        }
    }
}

/// The codes that need no move.
struct Codes<const P: usize> {
    floor: u32,
    win: u32,
}

impl<const P: usize> Codes<P> {
    /// The finished codes, as the player before sees them.
    #[inline(always)]
    fn settle(&self, best: [Lanes; P], wins: Lanes) -> [Lanes; P] {
        let mut found = [0; LANES];
        for plane in &best {
            for i in 0..LANES {
                found[i] |= plane[i];
            }
        }
        let mut out = best;
        for (p, plane) in out.iter_mut().enumerate() {
            let bit = |code: u32| 0u64.wrapping_sub(u64::from(code >> p & 1));
            let (floor, win) = (bit(self.floor), bit(self.win));
            for i in 0..LANES {
                // A code of zero is the floor's place: nothing better was found.
                let code = plane[i] | (!found[i] & floor);
                plane[i] = !((wins[i] & win) | (!wins[i] & code));
            }
        }
        out
    }
}
