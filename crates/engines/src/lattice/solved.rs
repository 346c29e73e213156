//! A solved tier: bit-sliced lists in memory, one byte a number in the database.

use std::any::Any;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use zermelo_core::{Parked, Solved, Tier, Width};

use super::board::{Board, Shard};
use super::inner::{Level, List};
use super::parked::ended;
use super::shelf::Shelf;
use super::slab::{At, Half};

/// A solved tier.
pub(crate) struct Slab {
    pub(crate) board: Arc<Board>,
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) tier: Tier,
    /// For the first player to move, and for the second; those that are still wanted.
    pub(crate) halves: [Option<Arc<Half>>; 2],
}

/// The byte of an entry that nobody will ask for.
const DONT_CARE: u8 = 0xff;
/// A byte for each of eight entries, one bit in each.
const SPREAD: u64 = 0x0101_0101_0101_0101;

impl Solved for Slab {
    fn entries(&self) -> u64 {
        self.shelf.size(self.tier).max(1)
    }

    fn positions(&self) -> u64 {
        self.shelf.size(self.tier)
    }

    fn width(&self) -> Width {
        Width::One
    }

    fn bytes(&self) -> u64 {
        self.halves.iter().flatten().map(|half| half.bytes()).sum()
    }

    fn write(&self, range: Range<u64>, out: &mut Vec<u8>) {
        let wanted = (range.end - range.start) as usize;
        let end = out.len() + wanted;
        if let (Some(first), Some(half)) = (self.shelf.files(self.tier, range.start), &self.halves[0])
            && let Some(begin) = self.board.beginning(self.tier)
        {
            let mut bytes = vec![];
            let mut walk = self.board.walk_from(begin, &first);
            // The range may begin in the middle of a shard.
            let shard = self.shelf.number(&first, self.board.outer).unwrap_or(range.start);
            let mut skip = (range.start - shard) as usize;
            while let Some(shard) = walk.next() {
                let many = self.shelf.count(&shard.contents, self.board.outer) as usize;
                let from = out.len();
                match self.board.list(&shard, 0) {
                    Some(list) if many > 0 => self.write_shard(&shard, list, half, &mut bytes, out, many),
                    _ => {}
                }
                debug_assert_eq!(out.len() - from, many);
                out.drain(from..from + skip);
                skip = 0;
                if out.len() >= end {
                    break;
                }
            }
        }
        out.resize(end, DONT_CARE);
    }

    fn trimmed(&self) -> Option<Arc<dyn Solved>> {
        let wanted = self.board.looked_at(self.tier);
        let keep = |turn: usize| self.halves[turn].clone().filter(|_| wanted[turn]);
        let (board, shelf) = (self.board.clone(), self.shelf.clone());
        Some(Arc::new(Slab { board, shelf, tier: self.tier, halves: [keep(0), keep(1)] }))
    }

    fn park(&self) -> Option<Parked<'_>> {
        let planes = self.board.ends.planes;
        let halves: Vec<_> = (0..2)
            .map(|turn| Some((self.halves[turn].as_ref()?, self.board.sizes(self.tier, turn))))
            .collect();
        let bytes: u64 = halves.iter().flatten().map(|(half, sizes)| half.parked_bytes(planes, sizes)).sum();
        Some(Parked::new(2 + bytes, move |out| {
            for half in &halves {
                out.write_all(&[u8::from(half.is_some())])?;
                if let Some((half, sizes)) = half {
                    half.write(planes, sizes, out)?;
                }
            }
            Ok(())
        }))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Slab {
    /// The inverse of [`Slab::park`].
    pub(crate) fn unpark(
        board: Arc<Board>,
        shelf: Arc<Shelf>,
        tier: Tier,
        from: &mut dyn Read,
    ) -> io::Result<Slab> {
        let mut halves = [None, None];
        for (turn, half) in halves.iter_mut().enumerate() {
            let mut there = [0];
            from.read_exact(&mut there)?;
            if there != [0] {
                let read = Half::read(&board.pool, board.ends.planes, &board.sizes(tier, turn), from);
                *half = Some(Arc::new(read?));
            }
        }
        ended(from)?;
        Ok(Slab { board, shelf, tier, halves })
    }

    /// Appends the bytes of a shard in the order of their numbers.
    fn write_shard(
        &self,
        shard: &Shard,
        list: &List,
        half: &Half,
        bytes: &mut Vec<u8>,
        out: &mut Vec<u8>,
        many: usize,
    ) {
        let At::Words(at) = half.at(shard.index) else {
            out.resize(out.len() + many, DONT_CARE);
            return;
        };
        // Levels with too many stones are not kept.
        let room = self.shelf.most().map_or(u32::MAX, |most| most - shard.stones.min(most));
        let levels = list.levels.partition_point(|level| level.height <= room);
        let words = list.levels[..levels].last().map_or(0, |level| level.word + level.words);
        let mut over = list.dead.clone();
        self.board.add_over(shard, list, 0, &mut over);
        self.board.add_over(shard, list, 1, &mut over);
        bytes.resize(list.words * 64, 0);
        for level in &list.levels[..levels] {
            self.spread(shard, list, level, half.list(at), &over, bytes);
        }
        let kept = list.order.iter().map(|place| *place as usize).filter(|place| *place < words * 64);
        out.extend(kept.map(|place| bytes[place]));
    }

    /// The bytes of one level, entry by entry.
    fn spread(
        &self,
        shard: &Shard,
        list: &List,
        level: &Level,
        codes: &[u64],
        over: &[u64],
        bytes: &mut [u8],
    ) {
        let (planes, ends) = (self.board.ends.planes, &self.board.ends);
        let ply = shard.stones + level.height;
        let soon = ends.soon(ply);
        // On a full board the game is over, line or not.
        let full = 0u64.wrapping_sub(u64::from(ply == self.board.layout.cells()));
        for word in level.word..level.word + level.words {
            let plane = |p: usize| codes[p * list.words + word];
            let equal = |code: u32| {
                (0..planes)
                    .fold(u64::MAX, |all, p| all & (plane(p) ^ 0u64.wrapping_sub(u64::from(code >> p & 1))))
            };
            // Lists are as the second player sees them: all bits are the other way round.
            let skip = soon.iter().flatten().fold(over[word] | full, |skip, code| skip | equal(*code));
            for part in 0..8 {
                let of = |word: u64| spread_byte((word >> (8 * part)) as u8);
                let codes = (0..planes).fold(0, |sum, p| sum | of(!plane(p)) << p);
                let at = word * 64 + part * 8;
                bytes[at..at + 8].copy_from_slice(&(codes | (of(skip) * 0xff)).to_le_bytes());
            }
        }
    }
}

/// The bits of a byte as eight bytes of 0 or 1.
#[inline(always)]
fn spread_byte(bits: u8) -> u64 {
    // Seven bits at a time by a product: each lands in the lowest bit of its own byte.
    let low = (u64::from(bits & 0x7f) * 0x0002_0408_1020_4081) & SPREAD;
    low | u64::from(bits >> 7) << 56
}
