//! Where the database keeps what: numbers of positions within their tiers.
//!
//! Kept are positions with the first player to move (the value of any other follows from
//! the positions its moves lead to), of two mirror images the one whose tier is there. They
//! are numbered in lexicographic order of their files, which puts like values side by side.
//! Boards with a line are numbered too: they cost next to nothing, and numbering stays a sum
//! of table entries. Of very large boards only positions with few stones are kept: a search
//! answers the others at once ([`zermelo_core::Placing::late`]).

use std::ops::RangeInclusive;
use std::sync::Arc;

use zermelo_core::Tier;

use super::contents::{Content, Contents};
use super::cut::{Cut, Files, MOST_FILES};

/// The numbering of a board.
pub(crate) struct Numbering {
    cut: Arc<Cut>,
    /// The most stones of positions that are kept, where not all are.
    pub(crate) most: Option<u32>,
    /// The sums of the files that do not name the tier.
    sums: Vec<Sums>,
}

/// What stands on some files, as far as it bears on what may stand on the others.
#[derive(Clone, Copy)]
struct State {
    balance: i32,
    /// Stones that may still come; 0 where their number does not matter.
    room: u32,
}

/// For one file and each state before it: how many positions come before each content.
struct Sums {
    /// The least balance before the file.
    least: i32,
    /// The most room before the file.
    most: u32,
    contents: usize,
    /// `contents + 1` sums for each balance and room; the last is the sum of all.
    sums: Vec<u64>,
}

impl Sums {
    /// Works the sums out from how many positions there are after a content and a state.
    fn new(
        file: &Contents,
        balances: RangeInclusive<i32>,
        most: Option<u32>,
        after: impl Fn(State) -> u64,
    ) -> Sums {
        let (least, mut sums) = (*balances.start(), vec![]);
        for balance in balances {
            for room in 0..=most.unwrap_or(0) {
                let mut sum = 0u64;
                sums.push(0);
                for content in &file.all {
                    let next = State { balance, room }.with(content, most.is_some());
                    sum = sum.saturating_add(next.map_or(0, &after));
                    sums.push(sum);
                }
            }
        }
        Sums { least, most: most.unwrap_or(0), contents: file.len(), sums }
    }

    /// The sums for a state; empty where there are none.
    fn row(&self, State { balance, room }: State) -> &[u64] {
        let row = usize::try_from(balance - self.least).unwrap_or(usize::MAX);
        let row = row.checked_mul(self.most as usize + 1).map(|row| row + room as usize);
        let width = self.contents + 1;
        row.and_then(|row| row.checked_mul(width)).and_then(|at| self.sums.get(at..at + width)).unwrap_or(&[])
    }
}

impl State {
    /// With one more file; `None` where that has too many stones.
    #[inline]
    fn with(self, content: &Content, counted: bool) -> Option<State> {
        let room = if counted { self.room.checked_sub(content.height)? } else { 0 };
        Some(State { balance: self.balance + content.balance, room })
    }
}

/// How far contents of files can be out of balance together.
fn reach(files: &[Contents]) -> i32 {
    files.iter().map(|f| f.all.iter().map(|c| c.balance.abs()).max().unwrap_or(0)).sum()
}

impl Numbering {
    /// Bytes that the numbering of a board may take in all, with so many stones at most where not all are kept.
    pub(crate) fn bytes(files: &[Contents], prefix: usize, most: Option<u32>) -> u64 {
        let rows = |files: &[Contents]| (2 * reach(files) as u64 + 1) * (u64::from(most.unwrap_or(0)) + 1);
        let table = |f: usize| rows(&files[..f]).saturating_mul(8 * (files[f].len() as u64 + 1));
        (prefix..files.len()).map(table).fold(0, u64::saturating_add)
    }

    /// The numbering of all positions, or of those with so many stones at most.
    pub(crate) fn new(cut: Arc<Cut>, most: Option<u32>) -> Numbering {
        let mut sums: Vec<Sums> = vec![];
        for f in (cut.prefix..cut.files.len()).rev() {
            let before = reach(&cut.files[..f]);
            let after = |state: State| match sums.last() {
                Some(next) => next.row(state).last().copied().unwrap_or(0),
                None => u64::from(state.balance == 0),
            };
            sums.push(Sums::new(&cut.files[f], -before..=before, most, after));
        }
        sums.reverse();
        Numbering { cut, most, sums }
    }

    /// The sums of a file after others; empty where there are none.
    fn row(&self, file: usize, state: State) -> &[u64] {
        let sums = file.checked_sub(self.cut.prefix).and_then(|f| self.sums.get(f));
        sums.map_or(&[][..], |sums| sums.row(state))
    }

    /// How many numbers a tier has.
    pub(crate) fn size(&self, tier: Tier) -> u64 {
        let Some(contents) = self.cut.prefix_of(tier) else { return 0 };
        self.count(&contents, self.cut.prefix)
    }

    /// How many numbers there are for positions that begin with these files.
    pub(crate) fn count(&self, contents: &Files, files: usize) -> u64 {
        let row = self.state(contents, files).map(|state| self.row(files, state));
        row.and_then(|row| row.last().copied()).unwrap_or(0)
    }

    /// What the first files leave to the others; `None` for too many stones.
    fn state(&self, contents: &Files, files: usize) -> Option<State> {
        let mut all = self.cut.files[..files].iter().zip(contents);
        let begin = State { balance: 0, room: self.most.unwrap_or(0) };
        all.try_fold(begin, |state, (file, content)| {
            state.with(&file.all[usize::from(*content)], self.most.is_some())
        })
    }

    /// The tier and the number of a board with the first player to move; `None` when it has a
    /// finished file or too many stones.
    pub(crate) fn locate(&self, stones: [u64; 2]) -> Option<(Tier, u64)> {
        let mut contents = [0; MOST_FILES];
        for (content, file) in contents.iter_mut().zip(&self.cut.files) {
            *content = file.find(stones)? as u16;
        }
        if !self.cut.is_kept(&contents) {
            contents = self.cut.image(&contents);
        }
        let number = self.number(&contents, self.cut.files.len())?;
        Some((self.cut.tier(&contents), number))
    }

    /// The number of the first position of a tier that begins with these files.
    pub(crate) fn number(&self, contents: &Files, files: usize) -> Option<u64> {
        let mut state = self.state(contents, self.cut.prefix.min(files))?;
        let mut number = 0u64;
        for f in self.cut.prefix..files {
            let content = usize::from(contents[f]);
            number = number.saturating_add(*self.row(f, state).get(content)?);
            state = state.with(&self.cut.files[f].all[content], self.most.is_some())?;
        }
        Some(number)
    }

    /// The files of a number.
    pub(crate) fn files(&self, tier: Tier, number: u64) -> Option<Files> {
        let mut contents = self.cut.prefix_of(tier)?;
        if number >= self.count(&contents, self.cut.prefix) {
            return None;
        }
        let mut left = number;
        let mut state = self.state(&contents, self.cut.prefix)?;
        for f in self.cut.prefix..self.cut.files.len() {
            let row = self.row(f, state);
            let content = row.partition_point(|sum| *sum <= left).checked_sub(1)?;
            left -= row[content];
            contents[f] = content as u16;
            state = state.with(self.cut.files[f].all.get(content)?, self.most.is_some())?;
        }
        Some(contents)
    }

    /// The stones of either player on these files.
    pub(crate) fn stones(&self, contents: &Files) -> [u64; 2] {
        let all = self.cut.files.iter().zip(contents);
        all.fold([0; 2], |[first, second], (file, content)| {
            let content = file.all[usize::from(*content)].stones;
            [first | content[0], second | content[1]]
        })
    }
}
