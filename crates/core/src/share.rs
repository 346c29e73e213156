//! One tier solved by several processes together, for tiers that fit no single machine.
//!
//! The processes share no memory. Each ends with a range of the tier's numbers ([`Shares`]), and what
//! they want to know of each other or to tell travels in bulk ([`Peers`]). How the work is shared is
//! the engine's choice: as a rule each has a range of the numbers of every tier below, too, and what
//! it wants to know of others it asks their owners. Tables below can be read by all.

use std::ops::Range;

use crate::{ReadCodes, Reason, Tier, Watch, Width};

/// The processes that solve one tier together.
pub trait Peers: Sync {
    /// Which of them this is, from 0.
    fn here(&self) -> usize;

    /// How many there are.
    fn count(&self) -> usize;

    /// Sends each its bytes, and returns what each has sent here: one message a process both ways,
    /// one's own moved and not copied. All call it equally often, from one thread at a time, though
    /// not always the same; it waits for all. When it fails for one it must fail for all, then or
    /// at the next call.
    fn exchange(&self, out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Reason>;
}

/// Which numbers of a tier belong to which process.
///
/// Ranges lie one after another and their borders are borders of blocks, so that every block of a
/// table is packed by one process. All have as many blocks, or one less; where there are fewer
/// blocks than processes, the last ones have nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    entries: u64,
    count: u64,
    /// A block has so many bits of numbers.
    shift: u32,
    /// Blocks that the later ones have.
    each: u64,
    /// How many of the first have one more.
    longer: u64,
}

impl Shares {
    /// Cuts a tier of so many numbers for so many processes, at least one. Blocks of tables have a
    /// power of two of entries; another number is rounded up to one.
    pub fn new(entries: u64, count: usize, block: u64) -> Shares {
        let shift = block.clamp(1, 1 << 62).next_power_of_two().trailing_zeros();
        let count = count.max(1) as u64;
        let blocks = (entries >> shift) + u64::from(entries & ((1 << shift) - 1) != 0);
        Shares { entries, count, shift, each: blocks / count, longer: blocks % count }
    }

    /// How many numbers there are in all.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The first number of a process, or of the next ones where it has none.
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

    /// Whose a number is; some process's for a number that there is not.
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

    /// The most numbers that one has.
    pub fn largest(&self) -> u64 {
        self.start(1)
    }
}

/// One tier to solve together with others. All must be given the same tier, children and block.
pub struct SharedJob<'a> {
    /// Which tier.
    pub tier: Tier,
    /// The tables of the tiers below, in the order of [`TierGraph::children`](crate::TierGraph::children): how wide
    /// their codes are, and how to read them. Every process may read any of them.
    pub children: &'a [(Width, &'a ReadCodes<'a>)],
    /// Entries in a block of its table and of theirs.
    pub block: u64,
    /// With whom.
    pub peers: &'a dyn Peers,
    /// Bytes that this process may use, what it keeps of the children included.
    pub memory: u64,
    /// Whom to tell; of the own numbers alone.
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
