//! Who works on which line, and who keeps which block, when several processes share one section
//! (see [`super::share`]).
//!
//! Everybody must be able to tell without asking and without a table, and neighbours must be
//! spread, for neighbouring lines cost alike. So the owner of a line is drawn from a hash of its
//! name. A block belongs to the owner of one of the lines through it, so that one of its (up to
//! four) parts need not travel.

use zermelo_core::sections::{BlockGrid, Section};
use zermelo_core::{GOLDEN, mix};

/// How the lines and blocks of one section are shared.
#[derive(Clone, Copy)]
pub(super) struct Partition {
    ranks: u32,
    grid: BlockGrid,
    /// Of lines and of blocks.
    seeds: [u64; 2],
    /// The quadrants with empty cells, so many.
    open: [usize; 4],
    many: usize,
}

impl Partition {
    /// Among so many, at least one.
    pub(super) fn new(ranks: u32, section: Section) -> Partition {
        let (mut open, mut many) = ([0; 4], 0);
        for (quadrant, _) in section.children() {
            open[many] = quadrant;
            many += 1;
        }
        let seeds = [hash(section.sig()), hash(section.sig() ^ 1)];
        Partition { ranks: ranks.max(1), grid: section.grid(), seeds, open, many }
    }

    /// Who works on the line of blocks along a quadrant that goes through a block.
    pub(super) fn line(&self, quadrant: usize, mut block: [usize; 4]) -> u32 {
        block[quadrant] = 0;
        self.drawn(hash(self.seeds[0] ^ self.number(block) << 2 ^ quadrant as u64))
    }

    /// Who keeps a block: the owner of one of its lines along quadrants with empty cells, where
    /// there is one.
    pub(super) fn block(&self, block: [usize; 4]) -> u32 {
        let dice = hash(self.seeds[1] ^ self.number(block));
        match self.many {
            0 => self.drawn(dice),
            many => self.line(self.open[dice as usize % many], block),
        }
    }

    fn number(&self, block: [usize; 4]) -> u64 {
        self.grid.number(block).unwrap_or(0) as u64
    }

    /// A fair share of all hashes.
    fn drawn(&self, hash: u64) -> u32 {
        ((u128::from(hash) * u128::from(self.ranks)) >> 64) as u32
    }
}

fn hash(x: u64) -> u64 {
    mix(x.wrapping_add(GOLDEN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_testing::pentago::standard_sections;

    #[test]
    fn every_block_of_a_line_names_the_same_owner_and_shares_are_even() {
        const RANKS: u32 = 64;
        let (mut lines, mut blocks) = (vec![0u64; RANKS as usize], vec![0u64; RANKS as usize]);
        for section in standard_sections(34) {
            let (grid, partition) = (section.grid(), Partition::new(RANKS, section));
            for number in 0..grid.len() {
                let at = grid.block(number);
                let owners = [0, 1, 2, 3].map(|q| partition.line(q, at));
                let block_owner = partition.block(at);
                assert!(section.children().any(|(q, _)| owners[q] == block_owner));
                blocks[block_owner as usize] += 1;
                for (q, owner) in owners.into_iter().enumerate() {
                    let mut first = at;
                    first[q] = 0;
                    assert_eq!(partition.line(q, first), owner);
                    lines[owner as usize] += u64::from(at[q] == 0);
                }
            }
        }
        // Blocks follow lines, which have several of them.
        for (shares, off) in [(lines, 0.1), (blocks, 0.2)] {
            let fair = shares.iter().sum::<u64>() as f64 / f64::from(RANKS);
            assert!(shares.iter().all(|share| (*share as f64 / fair - 1.0).abs() < off), "{shares:?}");
        }
        assert_eq!(Partition::new(0, standard_sections(20)[5]).line(2, [1, 2, 3, 4]), 0);
    }
}
