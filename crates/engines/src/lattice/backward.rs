//! The values of a tier, from the tiers below: bit-sliced codes, whole lists at a time.
//!
//! A list is kept as the player *before* sees it, so that a move takes the best of the
//! lists it leads to as they are. Codes are planes of bits, the least significant first.

use super::board::{Board, Shard};
use super::ends::Ends;
use super::inner::{Level, List};
use super::slab::{At, Half};
use crate::isa::{Bits, Kernel};

/// Words that are worked on together.
const LANES: usize = 8;
/// [`LANES`] words side by side, on which a vector instruction works at once.
type Lanes = [u64; LANES];

/// Solves a tier, with codes of `P` planes.
pub(crate) struct Backward<'a, const P: usize> {
    pub(crate) board: &'a Board,
    pub(crate) begin: Shard,
    /// Lists of the tiers below for the next player to move, with the colour of the stone
    /// that leads there.
    pub(crate) below: &'a [(usize, &'a Half)],
    /// For each player to move: the marks of the positions that matter, where not all do. Shards without one have no
    /// list.
    pub(crate) reached: Option<[&'a Half; 2]>,
}

/// The buffers of one shard.
struct Work<const P: usize> {
    /// Words of a plane, with some to spare: whole lanes are read and written.
    pitch: usize,
    /// For each player to move: the best of the moves outside.
    best: [Vec<u64>; 2],
    /// For each player to move: where that player wins with the next stone.
    wins: [Vec<u64>; 2],
    /// For each player to move: the codes of the level that was finished last.
    last: [Vec<[Lanes; P]>; 2],
    /// What each slot of moves inside leads to, from the words of one level.
    inside: Vec<[Lanes; P]>,
    /// By number of stones.
    fixed: Vec<Fixed<P>>,
}

impl<const P: usize> Work<P> {
    fn new(board: &Board) -> Work<P> {
        let pitch = board.inner.most_words + LANES;
        let planes = || vec![0u64; P * pitch];
        let blocks = |lists: usize| vec![[[0; LANES]; P]; lists * pitch.div_ceil(LANES)];
        Work {
            pitch,
            best: [planes(), planes()],
            wins: [vec![0; pitch], vec![0; pitch]],
            last: [blocks(1), blocks(1)],
            inside: blocks(board.inner.slots),
            fixed: (0..=board.layout.cells()).map(|ply| Fixed::new(&board.ends, ply)).collect(),
        }
    }
}

impl<const P: usize> Kernel for Backward<'_, P> {
    type Output = [Half; 2];

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> [Half; 2] {
        let board = self.board;
        let mut halves = [board.half(), board.half()];
        let mut work = Work::new(board);
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
    fn shard<B: Bits>(&self, bits: B, shard: &Shard, halves: &mut [Half; 2], work: &mut Work<P>) {
        let board = self.board;
        let mut lists = [None; 2];
        for turn in 0..2 {
            let Some(list) = board.list(shard, turn) else { continue };
            if self.reached.is_some_and(|reached| reached[turn].at(shard.index) == At::None) {
                continue;
            }
            if board.wins_outside(shard, turn) {
                halves[turn].all_win(shard.index);
                continue;
            }
            lists[turn] = Some(list);
            self.outside(shard, turn, list, halves, work);
        }
        let [first, second] = halves;
        let room = |half: &mut Half, list: Option<&List>| list.map(|l| half.add(shard.index, P * l.words));
        let codes = [room(first, lists[0]), room(second, lists[1])];
        let mut codes = [first.list_mut(codes[0]), second.list_mut(codes[1])];
        self.inside(bits, shard, lists, &mut codes, work);
    }

    /// The best of the moves outside, and where the mover wins at once.
    #[inline(always)]
    fn outside(&self, shard: &Shard, turn: usize, list: &List, halves: &[Half; 2], work: &mut Work<P>) {
        let board = self.board;
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
                best.take(&halves[1 - turn], shard.index + (*to as usize - content) * board.strides[f]);
            }
        }
        best.finish();
    }

    /// Moves inside, most stones first, and the codes that result.
    #[inline(always)]
    fn inside<B: Bits>(
        &self,
        bits: B,
        shard: &Shard,
        lists: [Option<&List>; 2],
        codes: &mut [&mut [u64]; 2],
        work: &mut Work<P>,
    ) {
        let words = lists.map(|l| l.map_or(0, |l| l.words));
        let mut last = [0; 2];
        let levels = |turn: usize| lists[turn].map_or(&[][..], |l| &l.levels[..]);
        let mut left = [levels(0), levels(1)];
        loop {
            let turn = match (left[0].last(), left[1].last()) {
                (None, None) => return,
                (Some(a), Some(b)) => usize::from(b.height > a.height),
                (a, _) => usize::from(a.is_none()),
            };
            let Some((level, rest)) = left[turn].split_last() else { return };
            left[turn] = rest;
            let slots = if words[1 - turn] > 0 { self.board.inner.slots } else { 0 };
            let blocks = level.words.div_ceil(LANES);
            let inside = &mut work.inside[..slots * blocks];
            if slots > 0 {
                // Moves lead to the next level of the other list: the one finished last.
                gather(bits, level, turn, &work.last[1 - turn], last[1 - turn], inside);
            }
            last[turn] = level.word;

            let fixed = &work.fixed[(shard.stones + level.height) as usize];
            for block in 0..blocks {
                let at = level.word + block * LANES;
                let mut best: [Lanes; P] = lanes(&work.best[turn][at..], work.pitch);
                for slot in 0..slots {
                    raise(&mut best, &inside[slot * blocks + block]);
                }
                let mut wins = [0; LANES];
                wins.copy_from_slice(&work.wins[turn][at..][..LANES]);
                let done = fixed.settle(best, wins);
                work.last[turn][block] = done;
                write(&done, level.words - block * LANES, &mut codes[turn][at..], words[turn]);
            }
        }
    }
}

/// What each slot of a level's moves leads to, in blocks of [`LANES`] words: taken from
/// such blocks of a level that begins with some word.
#[inline(always)]
fn gather<B: Bits, const P: usize>(
    bits: B,
    level: &Level,
    turn: usize,
    from: &[[Lanes; P]],
    from_word: usize,
    out: &mut [[Lanes; P]],
) {
    out.fill([[0; LANES]; P]);
    let blocks = level.words.div_ceil(LANES);
    for step in &level.moves[turn] {
        let (here, there) = (step.here as usize - level.word, step.there as usize - from_word);
        let out = &mut out[step.slot as usize * blocks + here / LANES];
        let from = &from[there / LANES];
        for p in 0..P {
            let moved = bits.pext(from[p][there % LANES], step.take);
            out[p][here % LANES] |= bits.pdep(moved, step.put);
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

    /// Leaves zeros where there was nothing to take.
    #[inline(always)]
    fn finish(self) {
        if !self.any {
            for p in 0..P {
                self.out[p * self.pitch..][..self.words].fill(0);
            }
        }
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

/// For so many words in use: ones in the lanes behind them.
static BEHIND: [Lanes; LANES + 1] = {
    let mut masks = [[u64::MAX; LANES]; LANES + 1];
    let mut n = 0;
    while n <= LANES {
        let mut i = 0;
        while i < n {
            masks[n][i] = 0;
            i += 1;
        }
        n += 1;
    }
    masks
};

/// Writes up to so many words of each plane.
#[inline(always)]
fn write<const P: usize>(planes: &[Lanes; P], many: usize, out: &mut [u64], pitch: usize) {
    // Words behind are written as they were: whole vectors are faster than parts.
    let keep = &BEHIND[many.min(LANES)];
    for (p, plane) in planes.iter().enumerate() {
        let out = &mut out[p * pitch..][..LANES];
        for i in 0..LANES {
            out[i] = (plane[i] & !keep[i]) | (out[i] & keep[i]);
        }
    }
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

/// The codes that need no move, after some number of stones, for every lane.
struct Fixed<const P: usize> {
    floor: [Lanes; P],
    win: [Lanes; P],
}

impl<const P: usize> Fixed<P> {
    fn new(ends: &Ends, ply: u32) -> Fixed<P> {
        let words = |code: u32| std::array::from_fn(|p| [0u64.wrapping_sub(u64::from(code >> p & 1)); LANES]);
        Fixed { floor: words(ends.floor(ply)), win: words(ends.win_in_one(ply)) }
    }

    /// The finished codes, as the player before sees them.
    #[inline(always)]
    fn settle(&self, best: [Lanes; P], wins: Lanes) -> [Lanes; P] {
        let mut out = best;
        // Lanes outside, planes inside: the compiler makes vectors of the outer loop.
        for i in 0..LANES {
            let found = (0..P).fold(0, |found, p| found | best[p][i]);
            for p in 0..P {
                // A code of zero is the floor's place: nothing better was found.
                let code = best[p][i] | (!found & self.floor[p][i]);
                out[p][i] = !((wins[i] & self.win[p][i]) | (!wins[i] & code));
            }
        }
        out
    }
}
