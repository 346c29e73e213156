//! The inner files: fixed lists of what can stand on them, the same for every shard.
//!
//! Contents of the inner files with the same balance of colours form a list, sorted by
//! the number of stones (levels, each beginning on a word of its own) and then in
//! lexicographic order, the last file first. A shard holds one bit, or one bit-sliced
//! code, for every entry of a list.

use zermelo_core::BoardFiles;

use super::contents::Contents;
use super::wins::{LineSet, Lines};

/// All lists.
pub(crate) struct Inner {
    lists: Vec<List>,
    /// The balance of the first list.
    least: i32,
    /// How far apart neighbouring contents of a file are in a combination's number.
    strides: Vec<usize>,
    /// From a combination's number to its bit in its list.
    place: Vec<u32>,
    /// The most words of a list.
    pub(crate) most_words: usize,
    /// The most slots for a move.
    pub(crate) slots: usize,
    /// For each player and line, which pattern stands for its inner part.
    pub(crate) pattern_of: [Vec<u16>; 2],
}

/// The inner contents of one balance.
#[derive(Default)]
pub(crate) struct List {
    /// Words of one plane.
    pub(crate) words: usize,
    /// By number of stones, fewest first.
    pub(crate) levels: Vec<Level>,
    /// For each player: entries that hold the inner part of a line.
    pub(crate) full: [Vec<Vec<u64>>; 2],
    /// For each player: entries that lack one stone of it, which a move can put there.
    pub(crate) almost: [Vec<Vec<u64>>; 2],
    /// For each player: entries in which a move completes a line that is all inside.
    pub(crate) wins: [Vec<u64>; 2],
    /// Entries that hold such a line.
    pub(crate) dead: Vec<u64>,
    /// For each player and file: entries in which a stone finishes the file.
    pub(crate) finish: [Vec<Vec<u64>>; 2],
    /// The bits of the entries in the order of the database: lexicographic in their files.
    pub(crate) order: Vec<u32>,
    /// Where entries go in the mirror image.
    pub(crate) image: Vec<Step>,
}

/// The entries of a list with the same number of stones.
pub(crate) struct Level {
    pub(crate) height: u32,
    /// The first word.
    pub(crate) word: usize,
    pub(crate) words: usize,
    /// The combinations, in order.
    pub(crate) entries: Vec<u32>,
    /// For each player: where moves lead, slot by slot.
    pub(crate) moves: [Vec<Step>; 2],
}

/// Part of a move inside, or of a mirror image: bits `take` of a word of the list it leads to belong to
/// bits `put` of a word of this one, in the same order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) here: u32,
    pub(crate) there: u32,
    pub(crate) put: u64,
    pub(crate) take: u64,
    pub(crate) slot: u32,
}

/// Adds where an entry goes, both told by their bits: to one of the steps from `begin` on that it keeps its order with,
/// or as a step of its own.
fn add_entry(steps: &mut Vec<Step>, begin: usize, from: usize, to: usize) {
    let (here, there) = ((from / 64) as u32, (to / 64) as u32);
    let (put, take) = (1u64 << (from % 64), 1u64 << (to % 64));
    let fits = |step: &&mut Step| step.here == here && step.there == there && step.take < take;
    match steps[begin..].iter_mut().filter(fits).max_by_key(|step| step.take) {
        Some(step) => (step.put, step.take) = (step.put | put, step.take | take),
        None => steps.push(Step { here, there, put, take, slot: 0 }),
    }
}

/// Pattern number of a line without inner cells.
pub(crate) const NO_PATTERN: u16 = u16::MAX;

impl Inner {
    pub(crate) fn new(
        layout: &BoardFiles,
        files: &[Contents],
        twins: Option<&[usize]>,
        lines: &[Vec<[Lines; 2]>],
        mask: u64,
    ) -> Inner {
        // The last file is the most significant digit.
        let mut strides = vec![1; files.len()];
        for f in 1..files.len() {
            strides[f] = strides[f - 1] * files[f - 1].len();
        }
        let total = strides.last().zip(files.last()).map_or(1, |(stride, file)| stride * file.len());
        let reach = |file: &Contents| file.all.iter().map(|c| c.balance.abs()).max().unwrap_or(0);
        let widest: i32 = files.iter().map(reach).sum();
        let tallest: u32 = files.iter().map(|f| f.all.iter().map(|c| c.height).max().unwrap_or(0)).sum();
        let mut inner = Inner {
            lists: (0..=2 * widest).map(|_| List::default()).collect(),
            least: -widest,
            strides,
            place: vec![0; total],
            most_words: 0,
            slots: files.iter().map(Contents::slots).sum(),
            pattern_of: [vec![], vec![]],
        };
        let mut buckets: Vec<Vec<Vec<u32>>> = vec![vec![vec![]; tallest as usize + 1]; inner.lists.len()];
        for at in 0..total {
            let (mut height, mut balance) = (0, widest);
            for (f, file) in files.iter().enumerate() {
                let content = &file.all[inner.content(at, f, file.len())];
                height += content.height;
                balance += content.balance;
            }
            buckets[balance as usize][height as usize].push(at as u32);
        }
        for (list, heights) in buckets.into_iter().enumerate() {
            inner.lay_out(list, heights);
        }
        inner.most_words = inner.lists.iter().map(|l| l.words).max().unwrap_or(0);
        for list in 0..inner.lists.len() {
            inner.link(list, files);
            if let Some(twins) = twins {
                inner.lists[list].image = inner.image(list, files, twins);
            }
        }
        inner.order(files);
        inner.draw_patterns(layout, files, lines, mask);
        inner
    }

    /// The content of one inner file in a combination.
    #[inline]
    pub(crate) fn content(&self, combination: usize, file: usize, contents: usize) -> usize {
        combination / self.strides[file] % contents
    }

    /// The number of a combination.
    pub(crate) fn combination(&self, contents: impl Iterator<Item = usize>) -> usize {
        contents.zip(&self.strides).map(|(content, stride)| content * stride).sum()
    }

    /// The list of a balance, if there is one.
    #[inline]
    pub(crate) fn list(&self, balance: i32) -> Option<&List> {
        self.lists.get(usize::try_from(balance - self.least).ok()?).filter(|l| l.words > 0)
    }

    /// The bit of a combination in its list.
    #[inline]
    pub(crate) fn place(&self, combination: usize) -> usize {
        self.place[combination] as usize
    }

    /// Cuts a list into levels.
    fn lay_out(&mut self, list: usize, heights: Vec<Vec<u32>>) {
        let mut word = 0;
        for (height, entries) in heights.into_iter().enumerate() {
            let words = entries.len().div_ceil(64);
            for (i, at) in entries.iter().enumerate() {
                self.place[*at as usize] = (word * 64 + i) as u32;
            }
            if words > 0 {
                let (height, moves) = (height as u32, [vec![], vec![]]);
                self.lists[list].levels.push(Level { height, word, words, entries, moves });
            }
            word += words;
        }
        self.lists[list].words = word;
    }

    /// Works out the order of the database.
    fn order(&mut self, files: &[Contents]) {
        // Combinations have the last file as their highest digit; here it runs fastest.
        let contents = |at: usize| (0..files.len()).map(move |f| (at, f));
        let mut natural: Vec<usize> = (0..self.place.len()).collect();
        natural.sort_by_cached_key(|at| {
            contents(*at).map(|(at, f)| self.content(at, f, files[f].len())).collect::<Vec<_>>()
        });
        for at in natural {
            let balance = |f: usize| files[f].all[self.content(at, f, files[f].len())].balance;
            let list = ((0..files.len()).map(balance).sum::<i32>() - self.least) as usize;
            self.lists[list].order.push(self.place[at]);
        }
    }

    /// Works out where the entries of a list go in the mirror image.
    fn image(&self, list: usize, files: &[Contents], twins: &[usize]) -> Vec<Step> {
        let mut steps: Vec<Step> = vec![];
        for level in &self.lists[list].levels {
            let begin = steps.len();
            for (i, at) in level.entries.iter().enumerate() {
                let contents = twins.iter().map(|f| self.content(*at as usize, *f, files[*f].len()));
                let to = self.place(self.combination(contents));
                add_entry(&mut steps, begin, level.word * 64 + i, to);
            }
        }
        steps
    }

    /// Works out where moves lead.
    fn link(&mut self, list: usize, files: &[Contents]) {
        let mut levels = std::mem::take(&mut self.lists[list].levels);
        for level in &mut levels {
            for c in 0..2 {
                let mut before = 0;
                for (f, file) in files.iter().enumerate() {
                    for slot in 0..file.slots() {
                        let steps = self.steps(level, f, file, c, slot);
                        let numbered = |step| Step { slot: (before + slot) as u32, ..step };
                        level.moves[c].extend(steps.into_iter().map(numbered));
                    }
                    before += file.slots();
                }
            }
        }
        self.lists[list].levels = levels;
    }

    fn steps(&self, level: &Level, f: usize, file: &Contents, c: usize, slot: usize) -> Vec<Step> {
        let mut steps: Vec<Step> = vec![];
        for (i, at) in level.entries.iter().enumerate() {
            let content = self.content(*at as usize, f, file.len());
            let Some((_, to)) = file.all[content].next[c].iter().find(|(s, _)| *s == slot) else { continue };
            let there = self.place(*at as usize + (*to as usize - content) * self.strides[f]);
            let last = steps.len().saturating_sub(1);
            add_entry(&mut steps, last, level.word * 64 + i, there);
        }
        steps
    }

    /// Works out which entries hold which parts of lines.
    fn draw_patterns(
        &mut self,
        layout: &BoardFiles,
        files: &[Contents],
        lines: &[Vec<[Lines; 2]>],
        mask: u64,
    ) {
        // Lines with the same inner part share a pattern; the first of them stands for it.
        let mut heads: [Vec<usize>; 2] = [vec![], vec![]];
        let mut inside: [LineSet; 2] = [0; 2];
        for c in 0..2 {
            for (n, line) in layout.lines[c].iter().enumerate() {
                if line & !mask == 0 {
                    inside[c] |= 1 << n;
                }
                let same = |head: &usize| layout.lines[c][*head] & mask == line & mask;
                let pattern = match heads[c].iter().position(same) {
                    _ if line & mask == 0 || line & !mask == 0 => NO_PATTERN,
                    Some(head) => head as u16,
                    None => {
                        heads[c].push(n);
                        heads[c].len() as u16 - 1
                    }
                };
                self.pattern_of[c].push(pattern);
            }
        }
        let mut lists = std::mem::take(&mut self.lists);
        for list in &mut lists {
            self.draw(list, files, lines, &heads, inside);
        }
        self.lists = lists;
    }

    fn draw(
        &self,
        list: &mut List,
        files: &[Contents],
        lines: &[Vec<[Lines; 2]>],
        heads: &[Vec<usize>; 2],
        inside: [LineSet; 2],
    ) {
        let blank = || vec![0u64; list.words];
        let (mut dead, mut wins) = (blank(), [blank(), blank()]);
        let patterns = |c: usize| vec![blank(); heads[c].len()];
        let (mut full, mut almost) = ([patterns(0), patterns(1)], [patterns(0), patterns(1)]);
        let mut finish = [vec![blank(); files.len()], vec![blank(); files.len()]];
        for level in &list.levels {
            for (i, at) in level.entries.iter().enumerate() {
                let (word, bit) = (level.word + i / 64, 1u64 << (i % 64));
                let content = |f: usize| self.content(*at as usize, f, files[f].len());
                for c in 0..2 {
                    let all = (0..files.len()).fold(Lines::NONE, |l, f| l.and(lines[f][content(f)][c]));
                    for (pattern, line) in heads[c].iter().enumerate() {
                        full[c][pattern][word] |= if all.done >> line & 1 != 0 { bit } else { 0 };
                        almost[c][pattern][word] |= if all.near >> line & 1 != 0 { bit } else { 0 };
                    }
                    wins[c][word] |= if all.near & inside[c] != 0 { bit } else { 0 };
                    dead[word] |= if all.done & inside[c] != 0 { bit } else { 0 };
                    for (f, pattern) in finish[c].iter_mut().enumerate() {
                        pattern[word] |= if files[f].all[content(f)].finish[c] != 0 { bit } else { 0 };
                    }
                }
            }
        }
        (list.full, list.almost, list.wins, list.dead, list.finish) = (full, almost, wins, dead, finish);
    }
}
