//! Shares one tier among several processes, for tiers that fit no single machine.
//!
//! The processes share no memory. At the end each process has a range of the tier's numbers ([`Shares`]). Questions
//! and answers between processes travel in bulk ([`Peers`]). The engine chooses how the work is shared. As a rule
//! each process also has a range of the numbers of every tier below, and asks the owners of other ranges for what it
//! needs. Every process can read the tables of the tiers below.

use std::ops::Range;

use crate::{ReadCodes, Reason, Tier, Watch, Width};

/// The processes that solve one tier together.
pub trait Peers: Sync {
    /// The number of this process, from 0.
    fn here(&self) -> usize;

    /// The number of processes.
    fn count(&self) -> usize;

    /// Sends `out[i]` to process `i`, and returns the messages that the processes sent to this one, by process. The
    /// message of a process to itself is moved and not copied. All processes call this equally often. Calls come from
    /// one thread at a time, though not always the same one. A call waits for the calls of all processes. When a call
    /// fails for one process, it must fail for all: at this call or at the next one.
    fn exchange(&self, out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Reason>;
}

/// The numbers of a tier that belong to each process.
///
/// The ranges of the processes lie one after another. Their borders are borders of blocks, so that every block of a
/// table is packed by one process. All processes have the same number of blocks, or one less. Where there are fewer
/// blocks than processes, the last ones have nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    entries: u64,
    count: u64,
    /// The number of bits of a number within a block.
    shift: u32,
    /// The number of blocks of each of the later processes.
    each: u64,
    /// The number of first processes, which have one block more.
    longer: u64,
}

impl Shares {
    /// Cuts a tier of `entries` numbers for `count` processes, at least one. Blocks of tables have a power of two of
    /// entries; a `block` that is no power of two is rounded up to one.
    pub fn new(entries: u64, count: usize, block: u64) -> Shares {
        let shift = block.clamp(1, 1 << 62).next_power_of_two().trailing_zeros();
        let count = count.max(1) as u64;
        let blocks = (entries >> shift) + u64::from(entries & ((1 << shift) - 1) != 0);
        Shares { entries, count, shift, each: blocks / count, longer: blocks % count }
    }

    /// The number of numbers in all.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The first number of a process, or of the next ones where the process has none.
    #[inline]
    pub fn start(&self, peer: usize) -> u64 {
        let peer = peer as u64;
        ((peer * self.each + peer.min(self.longer)) << self.shift).min(self.entries)
    }

    /// The numbers of a process.
    #[inline]
    pub fn range(&self, peer: usize) -> Range<u64> {
        self.start(peer)..self.start(peer + 1)
    }

    /// The process that owns a number; any process for a number beyond the tier.
    #[inline]
    pub fn owner(&self, number: u64) -> usize {
        let block = number >> self.shift;
        let edge = self.longer * (self.each + 1);
        let peer = match block.checked_sub(edge) {
            None => block / (self.each + 1),
            Some(later) => self.longer + later.checked_div(self.each).unwrap_or(0),
        };
        peer.min(self.count - 1) as usize
    }

    /// The most numbers that one process has.
    pub fn largest(&self) -> u64 {
        self.start(1)
    }
}

/// One tier to solve together with other processes. All processes must be given the same tier, children and block.
pub struct SharedJob<'a> {
    /// The tier.
    pub tier: Tier,
    /// The tables of the tiers below, in the order of [`TierGraph::children`](crate::TierGraph::children): the width
    /// of the codes, and a way to read them. Every process may read any of them.
    pub children: &'a [(Width, &'a ReadCodes<'a>)],
    /// The number of entries in a block of the tier's table and of the tables below.
    pub block: u64,
    /// The processes that solve the tier.
    pub peers: &'a dyn Peers,
    /// The bytes that this process may use, including what it keeps of the children.
    pub memory: u64,
    /// Receives progress, of this process's own numbers alone.
    pub watch: &'a dyn Watch,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_one_owner_and_blocks_are_whole() {
        for (entries, count, block) in [
            (0, 3, 4),
            (1, 1, 1),
            (10, 3, 1),
            (10, 3, 4),
            (64, 4, 4),
            (65, 4, 4),
            (100, 7, 8),
            (100, 50, 8),
            (1000, 6, 16),
            (5, 2, 0),
        ] {
            let shares = Shares::new(entries, count, block);
            let block = block.max(1);
            let mut next = 0;
            for peer in 0..count {
                let range = shares.range(peer);
                assert_eq!(range.start, next, "{shares:?}");
                assert!(range.is_empty() || range.start.is_multiple_of(block), "{shares:?}");
                assert!(range.end - range.start <= shares.largest(), "{shares:?}");
                let blocks = |n: usize| shares.range(n).end.div_ceil(block) - shares.range(n).start / block;
                assert!(range.is_empty() || blocks(0) - blocks(peer) <= 1, "{shares:?}");
                assert!(range.clone().all(|i| shares.owner(i) == peer), "{shares:?}");
                next = range.end;
            }
            assert_eq!(next, entries, "{shares:?}");
            assert!([entries, entries + 1, u64::MAX].iter().all(|i| shares.owner(*i) < count));
        }
    }

    #[test]
    fn huge_tiers_are_cut_as_evenly() {
        let shares = Shares::new((1 << 40) + 5, 1000, 1 << 14);
        let last = shares.range(999);
        assert_eq!(last.end, (1 << 40) + 5);
        assert!(shares.largest() - (last.end - last.start) < 2 << 14);
        for peer in 0..1000 {
            let range = shares.range(peer);
            assert_eq!((shares.owner(range.start), shares.owner(range.end - 1)), (peer, peer));
        }
    }
}
