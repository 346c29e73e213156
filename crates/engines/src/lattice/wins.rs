//! Which lines are complete or one stone short, file by file: sets of lines as bits.
//!
//! A line is complete on a set of files if it is on each of them; it is one stone short
//! if it is so on one file and complete on all others. So a board's state is the files'
//! folded from left to right, three operations a file.

use zermelo_core::BoardFiles;

use super::contents::Contents;

/// The most lines a player may have.
pub(crate) const MOST_LINES: usize = 128;

/// A set of lines.
pub(crate) type LineSet = u128;

/// The lines of one player that stones so far have completed, and those one move short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    pub(crate) done: LineSet,
    pub(crate) near: LineSet,
}

impl Lines {
    /// Of no files: every line is complete there.
    pub(crate) const NONE: Lines = Lines { done: LineSet::MAX, near: 0 };

    /// With one more file.
    #[inline(always)]
    pub(crate) fn and(self, file: Lines) -> Lines {
        Lines { done: self.done & file.done, near: self.near & file.done | self.done & file.near }
    }
}

/// For one file: the lines of both players, for each of its contents.
pub(crate) fn of_file(layout: &BoardFiles, contents: &Contents, mask: u64) -> Vec<[Lines; 2]> {
    let state = |at: usize, c: usize| {
        let (own, land) = (contents.all[at].stones[c], contents.landings(at));
        let mut lines = Lines { done: 0, near: 0 };
        for (bit, line) in layout.lines[c].iter().enumerate() {
            let lacks = line & mask & !own;
            match lacks.count_ones() {
                0 => lines.done |= 1 << bit,
                1 if lacks & land != 0 => lines.near |= 1 << bit,
                _ => {}
            }
        }
        lines
    };
    (0..contents.len()).map(|at| [state(at, 0), state(at, 1)]).collect()
}
