//! Which positions of a tier the start reaches: one bit an entry, from the tiers above.

use std::io::{self, Read};

use zermelo_core::{Spill, Tier};

use super::board::{Board, Shard};
use super::slab::{At, Half};
use crate::isa::{Bits, Kernel};
use crate::spill::ended;

/// Reached positions of a tier in which the game goes on, and how many there are in which
/// it is over by a line, for each number of stones.
pub(crate) struct Marks {
    /// For the first player to move, and for the second.
    pub(crate) halves: [Half; 2],
    /// Positions with a line.
    pub(crate) over: Vec<u64>,
    /// Positions with a line that are their own mirror images.
    pub(crate) over_even: Vec<u64>,
}

/// What one walk through a tier finds.
pub(crate) struct Discovered {
    pub(crate) marks: Marks,
    /// For each player to move: the words that one plane of the lists takes that are to be solved.
    pub(crate) words: [usize; 2],
}

impl Marks {
    /// All of it as bytes.
    pub(crate) fn spill(&self, board: &Board, tier: Tier) -> Spill<'_> {
        let sizes = [board.sizes(tier, 0), board.sizes(tier, 1)];
        let halves: u64 = (0..2).map(|turn| self.halves[turn].spilled_bytes(1, &sizes[turn])).sum();
        let counts = self.over.len() + self.over_even.len();
        Spill::either(halves + 8 * counts as u64, move |out, keep| {
            for (half, sizes) in self.halves.iter().zip(&sizes) {
                half.write(1, sizes, out, keep)?;
            }
            self.over.iter().chain(&self.over_even).try_for_each(|n| out.write_all(&n.to_le_bytes()))
        })
    }

    /// The inverse of [`Marks::spill`].
    pub(crate) fn restore(board: &Board, tier: Tier, from: &mut dyn Read) -> io::Result<Marks> {
        let mut half = |turn| Half::read(&board.pool, 1, &board.sizes(tier, turn), from);
        let halves = [half(0)?, half(1)?];
        let mut counts = || -> io::Result<Vec<u64>> {
            let mut bytes = vec![[0; 8]; board.layout.cells() as usize + 1];
            from.read_exact(bytes.as_flattened_mut())?;
            Ok(bytes.into_iter().map(u64::from_le_bytes).collect())
        };
        let marks = Marks { halves, over: counts()?, over_even: counts()? };
        ended(from)?;
        Ok(marks)
    }
}

/// Marks a tier.
pub(crate) struct Forward<'a> {
    pub(crate) board: &'a Board,
    pub(crate) begin: Shard,
    /// Whether the start is in it.
    pub(crate) start: bool,
    /// Marks of the tiers above, for the player to move whose stone leads here.
    pub(crate) above: &'a [(usize, &'a Half)],
}

impl Kernel for Forward<'_> {
    type Output = Discovered;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> Discovered {
        let board = self.board;
        let plies = board.layout.cells() as usize + 1;
        let mut marks =
            Marks { halves: [board.half(), board.half()], over: vec![0; plies], over_even: vec![0; plies] };
        let blank = || vec![0u64; board.inner.most_words];
        let mut work = Work { lists: [blank(), blank()], over: [blank(), blank()] };
        let (mut walk, mut words) = (board.walk(self.begin, false), [0; 2]);
        while let Some(shard) = walk.next() {
            let more = board.words_of(&shard);
            words = [words[0] + more[0], words[1] + more[1]];
            self.shard(bits, &shard, &mut marks, &mut work);
        }
        Discovered { marks, words }
    }
}

struct Work {
    lists: [Vec<u64>; 2],
    over: [Vec<u64>; 2],
}

/// Whether there is anything.
#[derive(Clone, Copy, Default)]
struct Any {
    reached: bool,
    over: bool,
}

/// Parts what is reached by whether the game is over there.
#[inline(always)]
fn part(reached: &mut [u64], over: &mut [u64]) -> Any {
    let (mut some, mut some_over) = (0, 0);
    for (reached, over) in reached.iter_mut().zip(over) {
        let word = *reached;
        *reached = word & !*over;
        *over &= word;
        some |= *reached;
        some_over |= *over;
    }
    Any { reached: some != 0, over: some_over != 0 }
}

impl Forward<'_> {
    #[inline(always)]
    fn shard<B: Bits>(&self, bits: B, shard: &Shard, marks: &mut Marks, work: &mut Work) {
        let board = self.board;
        let mut any = false;
        for turn in 0..2 {
            any |= self.pull(shard, turn, marks, &mut work.lists[turn]);
        }
        if self.start && shard.index == 0 {
            work.lists[0][0] |= 1;
            any = true;
        }
        if !any {
            return;
        }
        if board.is_dead(shard) {
            for turn in 0..2 {
                self.count_over(shard, turn, &work.lists[turn], marks);
            }
            return;
        }
        for turn in 0..2 {
            if let Some(list) = board.list(shard, turn) {
                let over = &mut work.over[turn][..list.words];
                over.copy_from_slice(&list.dead);
                board.add_over(shard, list, 1 - turn, over);
            }
        }
        let some = self.spread(bits, shard, work);
        for turn in 0..2 {
            let Some(list) = board.list(shard, turn) else { continue };
            if some[turn].over {
                self.count_over(shard, turn, &work.over[turn], marks);
            }
            if some[turn].reached {
                let reached = &work.lists[turn][..list.words];
                marks.halves[turn].push(shard.index, reached);
                self.count_finished(shard, turn, reached, marks);
            }
        }
    }

    /// Takes over what moves outside reach; whether there is anything.
    #[inline(always)]
    fn pull(&self, shard: &Shard, turn: usize, marks: &Marks, out: &mut [u64]) -> bool {
        let board = self.board;
        let Some(list) = board.list(shard, turn) else { return false };
        let (out, before) = (&mut out[..list.words], 1 - turn);
        out.fill(0);
        let mut any = false;
        let mut take = |half: &Half, index: usize| {
            if let At::Words(at) = half.at(index) {
                any = true;
                for (out, word) in out.iter_mut().zip(half.list(at)) {
                    *out |= word;
                }
            }
        };
        for (_, above) in self.above.iter().filter(|(c, _)| *c == before) {
            take(above, shard.index);
        }
        for f in board.prefix..board.outer {
            let content = shard.contents[f] as usize;
            for from in &board.files[f].all[content].from[before] {
                take(&marks.halves[before], shard.index - (content - *from as usize) * board.strides[f]);
            }
        }
        any
    }

    /// Follows moves inside, level by level; from where the game is over none is made. Parts
    /// what is reached from where it is over.
    #[inline(always)]
    fn spread<B: Bits>(&self, bits: B, shard: &Shard, work: &mut Work) -> [Any; 2] {
        let board = self.board;
        let lists = [board.list(shard, 0), board.list(shard, 1)];
        let (mut next, mut some) = ([0; 2], [Any::default(); 2]);
        // The levels of both lists in turn, fewest stones first.
        loop {
            let height = |turn: usize| lists[turn].and_then(|l| l.levels.get(next[turn])).map(|l| l.height);
            let turn = match (height(0), height(1)) {
                (None, None) => return some,
                (Some(a), Some(b)) => usize::from(b < a),
                (a, _) => usize::from(a.is_none()),
            };
            let Some(level) = lists[turn].and_then(|l| l.levels.get(next[turn])) else { return some };
            next[turn] += 1;
            let [first, second] = &mut work.lists;
            let (here, there) = if turn == 0 { (first, second) } else { (second, first) };
            let here = &mut here[level.word..][..level.words];
            let any = part(here, &mut work.over[turn][level.word..][..level.words]);
            some[turn].reached |= any.reached;
            some[turn].over |= any.over;
            if !any.reached || lists[1 - turn].is_none() {
                continue;
            }
            for step in &level.moves[turn] {
                let moved = bits.pext(here[step.here as usize - level.word], step.put);
                there[step.there as usize] |= bits.pdep(moved, step.take);
            }
        }
    }

    /// Counts positions with a line.
    #[inline(always)]
    fn count_over(&self, shard: &Shard, turn: usize, over: &[u64], marks: &mut Marks) {
        let Some(list) = self.board.list(shard, turn) else { return };
        for level in &list.levels {
            let words = &over[level.word..level.word + level.words];
            marks.over[(shard.stones + level.height) as usize] += ones(words);
        }
        self.board.evens(shard, |even| {
            if even.turn == turn {
                marks.over_even[even.ply as usize] += over[even.bit / 64] >> (even.bit % 64) & 1;
            }
        });
    }

    /// Counts positions whose last stone finished a file.
    #[inline(always)]
    fn count_finished(&self, shard: &Shard, turn: usize, reached: &[u64], marks: &mut Marks) {
        let board = self.board;
        let Some(list) = board.list(shard, turn) else { return };
        let outside = (0..board.outer).map(|f| board.files[f].all[shard.contents[f] as usize].finish[turn]);
        let outside: u64 = outside.map(u64::from).sum();
        for level in &list.levels {
            let range = level.word..level.word + level.words;
            let words = &reached[range.clone()];
            let mut finished = if outside > 0 { outside * ones(words) } else { 0 };
            for pattern in &list.finish[turn] {
                let both = words.iter().zip(&pattern[range.clone()]);
                finished += both.map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>();
            }
            if finished > 0 {
                marks.over[(shard.stones + level.height) as usize + 1] += finished;
            }
        }
        // A finished file has no twin, so it must be the middle one.
        board.evens(shard, |even| {
            if even.turn == turn && even.finish[turn] {
                let bit = reached[even.bit / 64] >> (even.bit % 64) & 1;
                marks.over_even[even.ply as usize + 1] += bit;
            }
        });
    }
}

#[inline(always)]
pub(crate) fn ones(words: &[u64]) -> u64 {
    words.iter().map(|w| u64::from(w.count_ones())).sum()
}
