//! A process's range of a section: the finished blocks in it, packed.

use std::ops::Range;
use std::sync::OnceLock;

use zermelo_core::sections::{Section, TURNS};
use zermelo_core::{Reason, Solved};

use super::super::Finish;
use super::super::stored::write;

/// The blocks of a range while they come in.
pub(super) struct Slots {
    /// Numbers of the table.
    range: Range<u64>,
    /// The number of the first block.
    first: usize,
    blocks: Vec<OnceLock<Box<[u8]>>>,
}

impl Slots {
    pub(super) fn new(section: Section, range: Range<u64>) -> Slots {
        let at = |number: u64| section.grid().number_at(number / TURNS).unwrap_or(0);
        let (first, end) = match range.is_empty() {
            true => (0, 0),
            false => (at(range.start), at(range.end - 1) + 1),
        };
        Slots { range, first, blocks: (first..end).map(|_| OnceLock::new()).collect() }
    }

    /// Keeps a finished block; an error if it is not wanted here, or here already.
    pub(super) fn put(&self, number: usize, packed: Box<[u8]>) -> Result<(), Reason> {
        let slot = number.checked_sub(self.first).and_then(|n| self.blocks.get(n));
        let slot = slot.ok_or_else(|| format!("block {number} came to a process that does not write it"))?;
        slot.set(packed).map_err(|_| format!("block {number} came twice").into())
    }

    /// The range as a solved tier, with so many positions; an error if a block is missing.
    pub(super) fn whole(self, finish: Finish, positions: u64) -> Result<Strip, Reason> {
        let Slots { range, first, blocks } = self;
        let blocks = blocks.into_iter().map(OnceLock::into_inner).collect::<Option<Vec<_>>>();
        let blocks = blocks.ok_or("a block never came")?;
        Ok(Strip { finish, range, first, blocks, positions })
    }
}

/// A range of a solved section, numbered from its start.
pub(super) struct Strip {
    finish: Finish,
    range: Range<u64>,
    first: usize,
    blocks: Vec<Box<[u8]>>,
    positions: u64,
}

impl Solved for Strip {
    fn entries(&self) -> u64 {
        self.range.end - self.range.start
    }

    fn positions(&self) -> u64 {
        self.positions
    }

    fn bytes(&self) -> u64 {
        self.blocks.iter().map(|block| block.len() as u64 + 16).sum()
    }

    fn write(&self, range: Range<u64>, out: &mut Vec<u8>) {
        let grid = self.finish.grid;
        let end = self.range.end.min(self.range.start + range.end);
        write(&self.finish, self.range.start + range.start..end, out, |number, work, tables| {
            let packed = number.checked_sub(self.first).and_then(|n| self.blocks.get(n));
            work.unpack(packed.ok_or("it is not here")?, grid.entries_of(number), tables)
        });
    }
}
