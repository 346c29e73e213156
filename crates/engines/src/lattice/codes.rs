//! The codes of a solved tier as the database has them: a byte a number, in the order of numbers.

use std::ops::Range;

use super::board::Shard;
use super::inner::{Level, List};
use super::slab::{At, Half};
use super::solved::Slab;
use crate::isa::{Bits, Kernel};

/// The byte of an entry that nobody will ask for.
pub(super) const DONT_CARE: u8 = 0xff;

/// Appends the codes of a range of numbers, as far as there are any.
pub(super) struct Codes<'a, const P: usize> {
    pub(super) slab: &'a Slab,
    pub(super) range: Range<u64>,
    pub(super) out: &'a mut Vec<u8>,
}

impl<const P: usize> Kernel for Codes<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let Codes { slab, range, out } = self;
        let (board, numbering) = (&*slab.board, &*slab.numbering);
        let end = out.len() + (range.end - range.start) as usize;
        let Some(first) = numbering.files(slab.tier, range.start) else { return };
        let (Some(half), Some(begin)) = (&slab.halves[0], board.beginning(slab.tier)) else { return };
        let mut spread = Spread::<B, P> { slab, half, bits, bytes: vec![], over: vec![] };
        let mut walk = board.walk_from(begin, &first);
        // The range may begin in the middle of a shard.
        let shard = numbering.number(&first, board.outer).unwrap_or(range.start);
        let mut skip = (range.start - shard) as usize;
        while let Some(shard) = walk.next() {
            let many = numbering.count(&shard.contents, board.outer) as usize;
            let from = out.len();
            match board.list(&shard, 0) {
                Some(list) if many > 0 => spread.shard(&shard, list, many, out),
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
}

/// Makes bytes of lists.
struct Spread<'a, B, const P: usize> {
    slab: &'a Slab,
    half: &'a Half,
    bits: B,
    /// A byte for each entry of a list.
    bytes: Vec<u8>,
    /// Entries of a list in which somebody has a line.
    over: Vec<u64>,
}

impl<B: Bits, const P: usize> Spread<'_, B, P> {
    /// Appends the bytes of a shard in the order of their numbers.
    #[inline(always)]
    fn shard(&mut self, shard: &Shard, list: &List, many: usize, out: &mut Vec<u8>) {
        let At::Words(at) = self.half.at(shard.index) else {
            out.resize(out.len() + many, DONT_CARE);
            return;
        };
        // Levels with too many stones are not kept.
        let room = self.slab.numbering.most.map_or(u32::MAX, |most| most - shard.stones.min(most));
        let kept = &list.levels[..list.levels.partition_point(|level| level.height <= room)];
        self.over.clone_from(&list.dead);
        self.slab.board.add_over(shard, list, 0, &mut self.over);
        self.slab.board.add_over(shard, list, 1, &mut self.over);
        self.bytes.resize(list.words * 64, 0);
        let codes = self.half.list(at);
        for level in kept {
            self.level(shard, list, level, codes);
        }
        let places = list.order.iter().map(|place| *place as usize);
        if kept.len() == list.levels.len() {
            out.extend(places.map(|place| self.bytes[place]));
        } else {
            let end = kept.last().map_or(0, |level| (level.word + level.words) * 64);
            out.extend(places.filter(|place| *place < end).map(|place| self.bytes[place]));
        }
    }

    /// The bytes of one level, entry by entry.
    #[inline(always)]
    fn level(&mut self, shard: &Shard, list: &List, level: &Level, codes: &[u64]) {
        let (board, bits) = (&self.slab.board, self.bits);
        let ply = shard.stones + level.height;
        let soon = board.ends.soon(ply);
        // On a full board the game is over, line or not.
        let full = 0u64.wrapping_sub(u64::from(ply == board.layout.cells()));
        let (eights, _) = self.bytes.as_chunks_mut::<8>();
        for word in level.word..level.word + level.words {
            // Lists are as the second player sees them: all bits are the other way round.
            let planes: [u64; P] = std::array::from_fn(|p| !codes[p * list.words + word]);
            let equal = |code: u32| {
                let differ = |p: usize| planes[p] ^ 0u64.wrapping_sub(u64::from(code >> p & 1));
                (0..P).fold(u64::MAX, |equal, p| equal & !differ(p))
            };
            let skip = soon.iter().flatten().fold(self.over[word] | full, |skip, code| skip | equal(*code));
            for (part, eight) in eights[word * 8..word * 8 + 8].iter_mut().enumerate() {
                let of = |word: u64| bits.spread((word >> (8 * part)) as u8);
                let codes = (0..P).fold(0, |sum, p| sum | of(planes[p]) << p);
                *eight = (codes | (of(skip) * u64::from(DONT_CARE))).to_le_bytes();
            }
        }
    }
}
