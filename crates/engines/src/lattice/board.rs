//! A board with all the tables that the kernels need.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use zermelo_core::{GOLDEN, Tier};

use super::cut::{Cut, Files, MOST_FILES};
use super::inner::{Inner, List};
use super::slab::{Half, Pool};
use super::wins::{self, LineSet, Lines};

/// A board with its tables.
pub(crate) struct Board {
    cut: Arc<Cut>,
    lines: Vec<Vec<[Lines; 2]>>,
    pub(crate) inner: Inner,
    /// Lines of each player that lie outside.
    outside: [LineSet; 2],
    /// Lines of each player that lie partly outside and partly inside.
    crossing: [LineSet; 2],
    /// For each middle file, how far apart neighbouring contents are in a shard's number.
    pub(crate) strides: [usize; MOST_FILES],
    /// Shards of a tier.
    pub(crate) shards: usize,
    /// The balance of colours on the middle files, for each of them.
    balances: Vec<i32>,
    /// How many of them have each such balance.
    pub(crate) middles: BTreeMap<i32, usize>,
    /// Memory for lists.
    pub(crate) pool: Arc<Pool>,
    /// The middle files of some shards, whatever the tier.
    samples: Vec<Shard>,
}

/// Shards of a tier that are looked at to tell how much there is to do for it.
pub(super) const SAMPLES: usize = 128;

impl Deref for Board {
    type Target = Cut;

    fn deref(&self) -> &Cut {
        &self.cut
    }
}

/// The outer part of a position.
#[derive(Clone, Copy)]
pub(crate) struct Shard {
    /// The number of the shard in the tier.
    pub(crate) index: usize,
    /// What stands on the outer files.
    pub(crate) contents: Files,
    pub(crate) stones: u32,
    pub(crate) balance: i32,
    pub(crate) lines: [Lines; 2],
}

impl Shard {
    const EMPTY: Shard =
        Shard { index: 0, contents: [0; MOST_FILES], stones: 0, balance: 0, lines: [Lines::NONE; 2] };

    /// Together with one that has other files.
    fn and(&self, other: &Shard) -> Shard {
        let [mine, others] = [self, other].map(|shard| shard.contents);
        Shard {
            index: self.index + other.index,
            contents: std::array::from_fn(|f| mine[f] + others[f]),
            stones: self.stones + other.stones,
            balance: self.balance + other.balance,
            lines: [0, 1].map(|c| self.lines[c].and(other.lines[c])),
        }
    }
}

impl Board {
    /// Works out the tables.
    pub(crate) fn new(cut: Arc<Cut>) -> Board {
        let (layout, files, prefix, outer) = (&cut.layout, &cut.files, cut.prefix, cut.outer);
        let lines: Vec<_> =
            layout.files.iter().zip(files).map(|(f, c)| wins::of_file(layout, c, f.mask())).collect();
        let inside = layout.files[outer..].iter().fold(0, |mask, f| mask | f.mask());
        let twins: Vec<usize> =
            cut.twins[outer..].iter().filter_map(|twin| twin.checked_sub(outer)).collect();
        let twins = Some(&twins[..]).filter(|_| cut.folded);
        let inner = Inner::new(layout, &files[outer..], twins, &lines[outer..], inside);
        let lines_with = |c: usize, want: fn(u64, u64) -> bool| {
            let wanted = layout.lines[c].iter().enumerate().filter(|(_, l)| want(**l, inside));
            wanted.fold(0, |set: LineSet, (n, _)| set | 1 << n)
        };
        let outside = [0, 1].map(|c| lines_with(c, |line, inside| line & inside == 0));
        let crossing =
            [0, 1].map(|c| lines_with(c, |line, inside| line & inside != 0 && line & !inside != 0));
        let (mut strides, mut shards) = ([0; MOST_FILES], 1);
        let mut balances = vec![0];
        for f in (prefix..outer).rev() {
            strides[f] = shards;
            shards *= files[f].len();
            let inner = std::mem::take(&mut balances);
            for content in &files[f].all {
                balances.extend(inner.iter().map(|balance| balance + content.balance));
            }
        }
        let mut middles = BTreeMap::new();
        balances.iter().for_each(|balance| *middles.entry(*balance).or_default() += 1);
        let pool = Pool::new(cut.ends.planes * inner.most_words);
        let samples = vec![];
        let mut board =
            Board { cut, lines, inner, outside, crossing, strides, shards, balances, middles, pool, samples };
        board.samples = (0..shards.min(SAMPLES)).map(|number| board.spread(number)).collect();
        board
    }

    /// What all shards of a tier begin with: the prefix files. `None` for a number that is no
    /// tier.
    pub(crate) fn beginning(&self, tier: Tier) -> Option<Shard> {
        let contents = self.prefix_of(tier)?;
        let place = |shard: Shard, f: usize| self.put(shard, f, contents[f] as usize);
        Some((0..self.prefix).fold(Shard::EMPTY, place))
    }

    /// The words that one plane of a shard's lists takes that are to be solved, for each player to move.
    #[inline(always)]
    pub(crate) fn words_of(&self, shard: &Shard) -> [usize; 2] {
        if self.is_dead(shard) {
            return [0; 2];
        }
        [0, 1].map(|turn| match self.wins_outside(shard, turn) {
            true => 0,
            false => self.list(shard, turn).map_or(0, |l| l.words),
        })
    }

    /// A shard with one more file.
    #[inline(always)]
    pub(crate) fn put(&self, mut shard: Shard, file: usize, content: usize) -> Shard {
        let it = &self.files[file].all[content];
        let lines = &self.lines[file][content];
        shard.index += content * self.strides[file];
        shard.contents[file] = content as u16;
        shard.stones += it.height;
        shard.balance += it.balance;
        shard.lines = [shard.lines[0].and(lines[0]), shard.lines[1].and(lines[1])];
        shard
    }

    /// The shards of a tier in the order of their numbers, or backwards. Stones raise the
    /// number, so upwards every shard comes after all it is reached from.
    #[inline(always)]
    pub(crate) fn walk(&self, begin: Shard, down: bool) -> Walk<'_> {
        let mut stack = [Shard::EMPTY; MOST_FILES + 1];
        stack[self.prefix] = begin;
        Walk { board: self, down, counters: [0; MOST_FILES], stack, from: Some(self.prefix) }
    }

    /// Some shards of a tier, from all over it.
    pub(crate) fn samples(&self, begin: Shard) -> impl ExactSizeIterator<Item = Shard> {
        self.samples.iter().map(move |middle| begin.and(middle))
    }

    /// The middle files of a shard. Numbers from 0 on give shards from all over a tier, whichever their contents.
    fn spread(&self, number: usize) -> Shard {
        // Multiples of the golden ratio, modulo 1.
        let place = (number as u64).wrapping_mul(GOLDEN);
        let index = ((u128::from(place) * self.shards as u128) >> 64) as usize;
        let place = |shard, f: usize| self.put(shard, f, index / self.strides[f] % self.files[f].len());
        (self.prefix..self.outer).fold(Shard::EMPTY, place)
    }

    /// The shards of a tier upwards, from one on.
    pub(crate) fn walk_from(&self, begin: Shard, contents: &Files) -> Walk<'_> {
        let mut walk = self.walk(begin, false);
        for f in self.prefix..self.outer {
            walk.counters[f] = contents[f].into();
        }
        walk
    }

    /// A tier's lists for one player to move, none so far.
    pub(crate) fn half(&self) -> Half {
        Half::new(&self.pool, self.shards)
    }

    /// The words of one plane of each shard's list; 0 where it has none.
    pub(crate) fn sizes(&self, tier: Tier, turn: usize) -> Vec<u32> {
        let before = self.beginning(tier).map_or(0, |begin| begin.balance);
        let words = |balance: &i32| self.inner.list(turn as i32 - before - balance).map_or(0, |l| l.words);
        self.balances.iter().map(|balance| words(balance) as u32).collect()
    }

    /// The list of a shard's positions in which a player (0 or 1) is to move.
    #[inline(always)]
    pub(crate) fn list(&self, shard: &Shard, turn: usize) -> Option<&List> {
        self.inner.list(turn as i32 - shard.balance)
    }

    /// Whether somebody has a line outside.
    #[inline(always)]
    pub(crate) fn is_dead(&self, shard: &Shard) -> bool {
        (0..2).any(|c| shard.lines[c].done & self.outside[c] != 0)
    }

    /// Whether a player wins with a stone outside, whatever stands inside.
    #[inline(always)]
    pub(crate) fn wins_outside(&self, shard: &Shard, turn: usize) -> bool {
        shard.lines[turn].near & self.outside[turn] != 0
    }

    /// Adds the entries of a list in which a player wins with the next stone.
    #[inline(always)]
    pub(crate) fn add_wins(&self, shard: &Shard, list: &List, c: usize, out: &mut [u64]) {
        self.add(shard.lines[c].done & self.crossing[c], c, &list.almost[c], out);
        self.add(shard.lines[c].near & self.crossing[c], c, &list.full[c], out);
    }

    /// Adds the entries of a list in which a player has a line that is partly outside.
    #[inline(always)]
    pub(crate) fn add_over(&self, shard: &Shard, list: &List, c: usize, out: &mut [u64]) {
        self.add(shard.lines[c].done & self.crossing[c], c, &list.full[c], out);
    }

    #[inline(always)]
    fn add(&self, mut lines: LineSet, c: usize, patterns: &[Vec<u64>], out: &mut [u64]) {
        while lines != 0 {
            let pattern = &patterns[self.inner.pattern_of[c][lines.trailing_zeros() as usize] as usize];
            for (out, word) in out.iter_mut().zip(pattern) {
                *out |= word;
            }
            lines &= lines - 1;
        }
    }
}

/// A position that is its own mirror image.
pub(crate) struct Even {
    pub(crate) turn: usize,
    pub(crate) ply: u32,
    /// The bit of this position in the shard's list.
    pub(crate) bit: usize,
    /// Whether a stone of either player finishes the middle file.
    pub(crate) finish: [bool; 2],
}

impl Board {
    /// Visits a shard's positions that are their own mirror images.
    #[inline(always)]
    pub(crate) fn evens(&self, shard: &Shard, visit: impl FnMut(Even)) {
        let twin_is_alike =
            |f: usize| self.twins[f] >= self.outer || shard.contents[self.twins[f]] == shard.contents[f];
        if self.layout.mirror && (0..self.outer).all(twin_is_alike) {
            self.evens_of(shard, visit);
        }
    }

    #[inline(never)]
    fn evens_of(&self, shard: &Shard, mut visit: impl FnMut(Even)) {
        let files = self.files.len();
        // Of two twins inside, the first is free; one whose twin is outside is as that is.
        let inside = self.outer..files;
        let free: Vec<usize> = inside.clone().filter(|f| (self.outer..=self.twins[*f]).contains(f)).collect();
        let alike: Vec<usize> = inside.filter(|f| self.twins[*f] < self.outer).collect();
        let many: usize = free.iter().map(|f| self.files[*f].len()).product();
        let middle = (0..files).find(|f| self.twins[*f] == *f);
        for n in 0..many {
            let mut contents = shard.contents;
            alike.iter().for_each(|f| contents[*f] = shard.contents[self.twins[*f]]);
            let mut rest = n;
            for f in &free {
                let content = (rest % self.files[*f].len()) as u16;
                (contents[*f], contents[self.twins[*f]]) = (content, content);
                rest /= self.files[*f].len();
            }
            let (mut stones, mut balance) = (shard.stones, shard.balance);
            for f in self.outer..files {
                let content = &self.files[f].all[contents[f] as usize];
                stones += content.height;
                balance += content.balance;
            }
            if balance != 0 && balance != 1 {
                continue;
            }
            let inner = contents[self.outer..files].iter().map(|c| usize::from(*c));
            let bit = self.inner.place(self.inner.combination(inner));
            let finish = |f: usize| self.files[f].all[contents[f] as usize].finish.map(|n| n > 0);
            let finish = middle.map_or([false; 2], finish);
            visit(Even { turn: balance as usize, ply: stones, bit, finish });
        }
    }
}

/// Goes through the shards of a tier.
pub(crate) struct Walk<'a> {
    board: &'a Board,
    down: bool,
    counters: [usize; MOST_FILES],
    /// For each file, the shard so far before it is put.
    stack: [Shard; MOST_FILES + 1],
    /// The first file that has changed; `None` at the end.
    from: Option<usize>,
}

impl Walk<'_> {
    /// The next shard.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Shard> {
        let (board, from) = (self.board, self.from?);
        for f in from..board.outer {
            let n = self.counters[f];
            let content = if self.down { board.files[f].len() - 1 - n } else { n };
            self.stack[f + 1] = board.put(self.stack[f], f, content);
        }
        self.from = None;
        for f in (board.prefix..board.outer).rev() {
            self.counters[f] += 1;
            if self.counters[f] < board.files[f].len() {
                self.from = Some(f);
                break;
            }
            self.counters[f] = 0;
        }
        Some(self.stack[board.outer])
    }
}
