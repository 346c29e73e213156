//! Where the database keeps what: numbers of positions within their tiers.
//!
//! Kept are positions with the first player to move (the value of any other follows from
//! the positions its moves lead to) whose last file's content does not come after the
//! first file's, where the board may be mirrored. They are numbered in lexicographic order
//! of their files, which puts like values side by side. Boards with a line are numbered
//! too: they cost next to nothing, and numbering stays a sum of table entries.

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use zermelo_core::Tier;

use super::contents::Contents;
use super::cut::{Cut, Files, MOST_FILES};

/// The numbering of a board.
pub(crate) struct Shelf {
    cut: Arc<Cut>,
    /// The sums of the last file. They do not depend on the first file: what is left out there
    /// comes at the end.
    last: Sums,
    /// For each content of the first file, the sums of the files between prefix and last.
    middle: Vec<OnceLock<Vec<Sums>>>,
}

/// For one file and each balance before it: how many positions come before each content.
struct Sums {
    /// The least balance before the file.
    least: i32,
    contents: usize,
    /// `contents + 1` sums for each balance; the last is the sum of all.
    sums: Vec<u64>,
}

impl Sums {
    /// Works the sums out from how many positions there are after a content and a balance.
    fn new(file: &Contents, balances: RangeInclusive<i32>, after: impl Fn(i32) -> u64) -> Sums {
        let (least, mut sums) = (*balances.start(), vec![]);
        for before in balances {
            let mut sum = 0u64;
            sums.push(0);
            for content in &file.all {
                sum = sum.saturating_add(after(before + content.balance));
                sums.push(sum);
            }
        }
        Sums { least, contents: file.len(), sums }
    }

    /// The sums for a balance; empty where there are none.
    fn row(&self, balance: i32) -> &[u64] {
        let row = usize::try_from(balance - self.least).unwrap_or(usize::MAX);
        let width = self.contents + 1;
        row.checked_mul(width).and_then(|at| self.sums.get(at..at + width)).unwrap_or(&[])
    }
}

/// How far contents of files can be out of balance together.
fn reach(files: &[Contents]) -> i32 {
    files.iter().map(|f| f.all.iter().map(|c| c.balance.abs()).max().unwrap_or(0)).sum()
}

impl Shelf {
    /// Bytes that the numbering of a board may take in all.
    pub(crate) fn bytes(files: &[Contents], prefix: usize) -> u64 {
        let rows = |files: &[Contents]| 2 * reach(files) as u64 + 1;
        let table = |rows: u64, file: &Contents| rows.saturating_mul(8 * (file.len() as u64 + 1));
        let last = files.len() - 1;
        let middle = (prefix..last).map(|f| table(rows(&files[1..f]), &files[f]));
        let middle = middle.fold(0, u64::saturating_add).saturating_mul(files[0].len() as u64);
        middle.saturating_add(table(rows(&files[..last]), &files[last]))
    }

    pub(crate) fn new(cut: Arc<Cut>) -> Shelf {
        let (last, before) = (cut.files.len() - 1, reach(&cut.files[..cut.files.len() - 1]));
        let sums = Sums::new(&cut.files[last], -before..=before, |balance| u64::from(balance == 0));
        let middle = (0..cut.files[0].len()).map(|_| OnceLock::new()).collect();
        Shelf { cut, last: sums, middle }
    }

    /// The sums of a file, given what stands on the first.
    fn sums(&self, first: u16, file: usize) -> Option<&Sums> {
        match file + 1 == self.cut.files.len() {
            true => Some(&self.last),
            false => self.middle(first).get(file.checked_sub(self.cut.prefix)?),
        }
    }

    fn middle(&self, first: u16) -> &Vec<Sums> {
        self.middle[usize::from(first)].get_or_init(|| {
            let (files, last) = (&self.cut.files, self.cut.files.len() - 1);
            let begin = files[0].all[usize::from(first)].balance;
            let mut sums: Vec<Sums> = vec![];
            for f in (self.cut.prefix..last).rev() {
                let before = reach(&files[1..f]);
                let after = |balance: i32| match sums.last() {
                    Some(next) => next.row(balance).last().copied().unwrap_or(0),
                    None => self.last_count(first, balance),
                };
                sums.push(Sums::new(&files[f], begin - before..=begin + before, after));
            }
            sums.reverse();
            sums
        })
    }

    /// How many contents of the last file are kept after a balance.
    fn last_count(&self, first: u16, balance: i32) -> u64 {
        let row = self.last.row(balance);
        let kept = if self.cut.layout.mirror { usize::from(first) + 1 } else { self.last.contents };
        row.get(kept).copied().unwrap_or(0)
    }

    /// How many numbers a tier has.
    pub(crate) fn size(&self, tier: Tier) -> u64 {
        let Some(contents) = self.cut.prefix_of(tier) else { return 0 };
        self.count(&contents, self.cut.prefix)
    }

    /// How many numbers there are for positions that begin with these files.
    pub(crate) fn count(&self, contents: &Files, files: usize) -> u64 {
        let balance = self.balance(contents, files);
        if files + 1 == self.cut.files.len() {
            return self.last_count(contents[0], balance);
        }
        let sums = self.sums(contents[0], files).map_or(&[][..], |sums| sums.row(balance));
        sums.last().copied().unwrap_or(0)
    }

    fn balance(&self, contents: &Files, files: usize) -> i32 {
        let all = self.cut.files[..files].iter().zip(contents);
        all.map(|(file, content)| file.all[usize::from(*content)].balance).sum()
    }

    /// The tier and the number of a board with the first player to move; `None` when it has a
    /// finished file.
    pub(crate) fn locate(&self, stones: [u64; 2]) -> Option<(Tier, u64)> {
        let mut contents = [0; MOST_FILES];
        for (content, file) in contents.iter_mut().zip(&self.cut.files) {
            *content = file.find(stones)? as u16;
        }
        let last = self.cut.files.len() - 1;
        if self.cut.layout.mirror && contents[last] > contents[0] {
            contents[..=last].reverse();
        }
        let number = self.number(&contents, self.cut.files.len())?;
        Some((self.cut.tier(&contents), number))
    }

    /// The number of the first position of a tier that begins with these files.
    pub(crate) fn number(&self, contents: &Files, files: usize) -> Option<u64> {
        let (mut balance, mut number) = (0, 0u64);
        for (f, file) in self.cut.files[..files].iter().enumerate() {
            let content = usize::from(contents[f]);
            if f >= self.cut.prefix {
                let before = self.sums(contents[0], f)?.row(balance).get(content)?;
                number = number.saturating_add(*before);
            }
            balance += file.all[content].balance;
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
        let mut balance = self.balance(&contents, self.cut.prefix);
        for f in self.cut.prefix..self.cut.files.len() {
            let row = self.sums(contents[0], f)?.row(balance);
            let content = row.partition_point(|sum| *sum <= left).checked_sub(1)?;
            left -= row[content];
            contents[f] = content as u16;
            balance += self.cut.files[f].all[content].balance;
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
