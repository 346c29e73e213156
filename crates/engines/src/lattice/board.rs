//! A board cut for the engine: prefix, middle and inner files.
//!
//! The contents of the prefix files name a tier, those of the middle files a shard of the
//! tier, and the inner files are a shard's lists. Prefix and middle are the outer files.

use zermelo_core::{File, Layout, Tier};

use super::contents::Contents;
use super::ends::Ends;
use super::inner::{Inner, List};
use super::wins::{self, LineSet, Lines, MOST_LINES};

/// The most files a board may be cut into.
pub(crate) const MOST_FILES: usize = 16;

/// A board with all its tables.
pub(crate) struct Board {
    pub(crate) layout: Layout,
    pub(crate) files: Vec<Contents>,
    lines: Vec<Vec<[Lines; 2]>>,
    /// Files that name a tier.
    pub(crate) prefix: usize,
    /// Prefix and middle files.
    pub(crate) outer: usize,
    pub(crate) inner: Inner,
    pub(crate) ends: Ends,
    /// Lines of each player that lie outside.
    outside: [LineSet; 2],
    /// Lines of each player that lie partly outside and partly inside.
    crossing: [LineSet; 2],
    /// For each middle file, how far apart neighbouring contents are in a shard's number.
    strides: [usize; MOST_FILES],
    /// Shards of a tier.
    pub(crate) shards: usize,
}

/// The outer part of a position.
#[derive(Clone, Copy)]
pub(crate) struct Shard {
    /// Its number in the tier.
    pub(crate) index: usize,
    /// What stands on the outer files.
    pub(crate) contents: [u16; MOST_FILES],
    pub(crate) stones: u32,
    pub(crate) balance: i32,
    pub(crate) lines: [Lines; 2],
}

impl Shard {
    const EMPTY: Shard =
        Shard { index: 0, contents: [0; MOST_FILES], stones: 0, balance: 0, lines: [Lines::NONE; 2] };
}

/// Inner lists should have about this many combinations together: enough to fill words, few
/// enough that a shard's lists stay in the first cache.
const INNER: usize = 2500;
/// Bytes that a tier should stay below, where that does not make too many tiers.
const TIER_BYTES: f64 = 64e6;
const MOST_TIERS: f64 = 131_072.0;
/// Combinations that inner lists may have.
const MOST_INNER: usize = 1 << 24;

impl Board {
    /// Cuts a board; `None` when it is beyond this engine.
    pub(crate) fn new(mut layout: Layout) -> Option<Board> {
        if layout.files.len() < 2 {
            // A file without cells, so that there is an outer one.
            layout.files.insert(0, File { shift: 0, cells: 0 });
            layout.mirror = false;
        }
        let most = if layout.stacked { 16 } else { 8 };
        if layout.files.len() > MOST_FILES
            || layout.files.iter().any(|f| f.cells > most)
            || layout.lines.iter().any(|l| l.len() > MOST_LINES)
        {
            return None;
        }
        let files: Vec<_> = layout.files.iter().map(|f| Contents::new(&layout, *f)).collect();
        let (prefix, outer) = cut(&files, Ends::new(&layout).planes)?;
        Some(Board::with(layout, files, prefix, outer))
    }

    /// The same with the cuts given.
    fn with(layout: Layout, files: Vec<Contents>, prefix: usize, outer: usize) -> Board {
        let lines: Vec<_> =
            layout.files.iter().zip(&files).map(|(f, c)| wins::of_file(&layout, c, f.mask())).collect();
        let inside = layout.files[outer..].iter().fold(0, |mask, f| mask | f.mask());
        let inner = Inner::new(&layout, &files[outer..], &lines[outer..], inside);
        let lines_with = |c: usize, want: fn(u64, u64) -> bool| {
            let wanted = layout.lines[c].iter().enumerate().filter(|(_, l)| want(**l, inside));
            wanted.fold(0, |set: LineSet, (n, _)| set | 1 << n)
        };
        let outside = [0, 1].map(|c| lines_with(c, |line, inside| line & inside == 0));
        let crossing = [0, 1].map(|c| lines_with(c, |line, inside| line & inside != 0 && line & !inside != 0));
        let (mut strides, mut shards) = ([0; MOST_FILES], 1);
        for f in (prefix..outer).rev() {
            strides[f] = shards;
            shards *= files[f].len();
        }
        let ends = Ends::new(&layout);
        Board { layout, files, lines, prefix, outer, inner, ends, outside, crossing, strides, shards }
    }

    /// The tier of what stands on the prefix files.
    pub(crate) fn tier(&self, contents: &[u16]) -> Tier {
        let files = self.files[..self.prefix].iter().zip(contents);
        Tier(files.fold(0, |n, (file, content)| n * file.len() as u64 + u64::from(*content)))
    }

    /// The beginning of every shard of a tier: what stands on the prefix files. `None` for a
    /// number that is no tier.
    pub(crate) fn beginning(&self, tier: Tier) -> Option<Shard> {
        let (mut rest, mut contents) = (tier.0, [0; MOST_FILES]);
        for f in (0..self.prefix).rev() {
            contents[f] = (rest % self.files[f].len() as u64) as u16;
            rest /= self.files[f].len() as u64;
        }
        let place = |shard: Shard, f: usize| self.put(shard, f, contents[f] as usize);
        (rest == 0).then(|| (0..self.prefix).fold(Shard::EMPTY, place))
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

    /// The tiers that moves of either colour on the prefix files lead to.
    pub(crate) fn below(&self, tier: Tier) -> Vec<(usize, Tier)> {
        let Some(begin) = self.beginning(tier) else { return vec![] };
        let mut below = vec![];
        for f in 0..self.prefix {
            let content = &self.files[f].all[begin.contents[f] as usize];
            for (c, nexts) in content.next.iter().enumerate() {
                for (_, to) in nexts {
                    let mut contents = begin.contents;
                    contents[f] = *to as u16;
                    below.push((c, self.tier(&contents)));
                }
            }
        }
        below
    }

    /// The same for moves that lead to a tier.
    pub(crate) fn above(&self, tier: Tier) -> Vec<(usize, Tier)> {
        let Some(begin) = self.beginning(tier) else { return vec![] };
        let mut above = vec![];
        for f in 0..self.prefix {
            let content = &self.files[f].all[begin.contents[f] as usize];
            for (c, froms) in content.from.iter().enumerate() {
                for from in froms {
                    let mut contents = begin.contents;
                    contents[f] = *from as u16;
                    above.push((c, self.tier(&contents)));
                }
            }
        }
        above
    }

    /// The shards of a tier in the order of their numbers, or backwards. Stones raise the
    /// number, so upwards every shard comes after all it is reached from.
    #[inline(always)]
    pub(crate) fn walk(&self, begin: Shard, down: bool) -> Walk<'_> {
        let mut stack = [Shard::EMPTY; MOST_FILES + 1];
        stack[self.prefix] = begin;
        Walk { board: self, down, counters: [0; MOST_FILES], stack, from: Some(self.prefix) }
    }

    /// How far a shard's number moves when a middle file's content changes.
    #[inline(always)]
    pub(crate) fn stride(&self, file: usize) -> usize {
        self.strides[file]
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
    /// Its bit in the shard's list.
    pub(crate) bit: usize,
    /// Whether a stone of either player finishes the middle file.
    pub(crate) finish: [bool; 2],
}

impl Board {
    /// Visits a shard's positions that are their own mirror images.
    #[inline(always)]
    pub(crate) fn evens(&self, shard: &Shard, visit: impl FnMut(Even)) {
        let files = self.files.len();
        let twins = files - self.outer..self.outer;
        if self.layout.mirror && twins.into_iter().all(|f| shard.contents[f] == shard.contents[files - 1 - f]) {
            self.evens_of(shard, visit);
        }
    }

    #[inline(never)]
    fn evens_of(&self, shard: &Shard, mut visit: impl FnMut(Even)) {
        let files = self.files.len();
        // Inner files whose twins are inner too are free, but for being twins.
        let free: Vec<usize> = (self.outer..files.div_ceil(2)).collect();
        let many: usize = free.iter().map(|f| self.files[*f].len()).product();
        for n in 0..many {
            let mut contents = shard.contents;
            let mut rest = n;
            for f in &free {
                contents[*f] = (rest % self.files[*f].len()) as u16;
                rest /= self.files[*f].len();
            }
            for f in files / 2..files {
                contents[f] = contents[files - 1 - f];
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
            let middle = &self.files[files / 2].all[contents[files / 2] as usize];
            let finish = middle.finish.map(|n| n > 0 && files % 2 == 1);
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

/// How many prefix files, and how many outer files.
fn cut(files: &[Contents], planes: usize) -> Option<(usize, usize)> {
    let mut outer = files.len() - 1;
    let mut inner = files[outer].len();
    while inner < INNER && outer > 1 {
        outer -= 1;
        inner = inner.checked_mul(files[outer].len())?;
    }
    if inner > MOST_INNER {
        return None;
    }
    // Both lists of a shard have about as many bits as the inner files have combinations for
    // each of some 12 balances.
    let list_bytes = (inner as f64 / 6.0 + 128.0) * planes as f64 / 8.0;
    let shards = |files: &[Contents]| files.iter().map(|f| f.len() as f64).product::<f64>();
    let mut prefix = 1;
    while prefix < outer
        && shards(&files[prefix..outer]) * list_bytes > TIER_BYTES
        && shards(&files[..prefix + 1]) <= MOST_TIERS
    {
        prefix += 1;
    }
    Some((prefix, outer))
}
