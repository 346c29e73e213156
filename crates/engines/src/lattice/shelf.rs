//! Where the database keeps what: numbers of positions within their tiers.
//!
//! Kept are positions with the first player to move (the value of any other follows from
//! the positions its moves lead to) whose last file's content does not come after the
//! first file's, where the board may be mirrored. They are numbered in lexicographic order
//! of their files, which puts like values side by side. Boards with a line are numbered
//! too: they cost next to nothing, and numbering stays a sum of table entries.

use std::sync::{Arc, OnceLock};

use zermelo_core::Tier;

use super::cut::{Cut, Files, MOST_FILES};

/// The numbering of a board.
pub(crate) struct Shelf {
    cut: Arc<Cut>,
    /// For each content of the first file.
    numberings: Vec<OnceLock<Numbering>>,
}

/// The sums for one content of the first file: for each file and each balance before it, how
/// many positions come before each of its contents.
struct Numbering {
    files: Vec<Sums>,
}

struct Sums {
    /// The least balance before the file.
    least: i32,
    contents: usize,
    /// `contents + 1` sums for each balance; the last is the sum of all.
    sums: Vec<u64>,
}

impl Sums {
    /// The sums for a balance; empty where there are none.
    fn row(&self, balance: i32) -> &[u64] {
        let row = usize::try_from(balance - self.least).unwrap_or(usize::MAX);
        let width = self.contents + 1;
        row.checked_mul(width).and_then(|at| self.sums.get(at..at + width)).unwrap_or(&[])
    }
}

impl Shelf {
    pub(crate) fn new(cut: Arc<Cut>) -> Shelf {
        let numberings = (0..cut.files[0].len()).map(|_| OnceLock::new()).collect();
        Shelf { cut, numberings }
    }

    fn numbering(&self, first: u16) -> &Numbering {
        self.numberings[usize::from(first)].get_or_init(|| Numbering::new(&self.cut, first.into()))
    }

    /// How many numbers a tier has.
    pub(crate) fn size(&self, tier: Tier) -> u64 {
        let Some(contents) = self.cut.prefix_of(tier) else { return 0 };
        self.count(&contents, self.cut.prefix)
    }

    /// How many numbers there are for positions that begin with these files.
    pub(crate) fn count(&self, contents: &Files, files: usize) -> u64 {
        let row = self.numbering(contents[0]).files[files].row(self.balance(contents, files));
        row.last().copied().unwrap_or(0)
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
        let numbering = self.numbering(contents[0]);
        let (mut balance, mut number) = (0, 0);
        for (f, file) in self.cut.files[..files].iter().enumerate() {
            let content = usize::from(contents[f]);
            if f >= self.cut.prefix {
                number += numbering.files[f].row(balance).get(content)?;
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
        let (numbering, mut left) = (self.numbering(contents[0]), number);
        let mut balance = self.balance(&contents, self.cut.prefix);
        for f in self.cut.prefix..self.cut.files.len() {
            let row = numbering.files[f].row(balance);
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

impl Numbering {
    fn new(cut: &Cut, first: usize) -> Numbering {
        let reach = |f: usize| cut.files[f].all.iter().map(|c| c.balance.abs()).max().unwrap_or(0);
        let mut widest = vec![0; cut.files.len() + 1];
        for f in 0..cut.files.len() {
            widest[f + 1] = widest[f] + reach(f);
        }
        let mut files: Vec<Sums> = vec![];
        for f in (0..cut.files.len()).rev() {
            let mut kept = cut.files[f].len();
            if f + 1 == cut.files.len() && cut.layout.mirror {
                kept = first + 1;
            }
            let below = files.last();
            let count = |balance: i32| match below {
                Some(sums) => sums.row(balance).last().copied().unwrap_or(0),
                None => u64::from(balance == 0),
            };
            let mut sums = vec![];
            for before in -widest[f]..=widest[f] {
                let mut sum = 0u64;
                sums.push(0);
                for (n, content) in cut.files[f].all.iter().enumerate() {
                    if n < kept {
                        sum = sum.saturating_add(count(before + content.balance));
                    }
                    sums.push(sum);
                }
            }
            files.push(Sums { least: -widest[f], contents: cut.files[f].len(), sums });
        }
        files.reverse();
        Numbering { files }
    }
}
