//! A solved tier: bit-sliced lists in memory, one byte a number in the database.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use zermelo_core::{Solved, Spill, Tier};

use super::board::Board;
use super::codes::{Codes, DONT_CARE};
use super::engine::with_planes;
use super::numbering::Numbering;
use super::slab::Half;
use crate::isa::{Isa, dispatch};
use crate::spill::ended;

/// A solved tier.
pub(crate) struct Slab {
    pub(crate) isa: Isa,
    pub(crate) board: Arc<Board>,
    pub(crate) numbering: Arc<Numbering>,
    pub(crate) tier: Tier,
    /// For the first player to move, and for the second; those that are still wanted.
    pub(crate) halves: [Option<Arc<Half>>; 2],
}

impl Solved for Slab {
    fn entries(&self) -> u64 {
        self.numbering.size(self.tier).max(1)
    }

    fn positions(&self) -> u64 {
        self.numbering.size(self.tier)
    }

    fn bytes(&self) -> u64 {
        self.halves.iter().flatten().map(|half| half.bytes()).sum()
    }

    fn write(&self, range: Range<u64>, out: &mut Vec<u8>) {
        let end = out.len() + (range.end - range.start) as usize;
        with_planes!(self.board.ends.planes, P => {
            dispatch(self.isa, Codes::<P> { slab: self, range, out: &mut *out });
        });
        out.resize(end, DONT_CARE);
    }

    fn trimmed(&self) -> Option<Arc<dyn Solved>> {
        let wanted = self.board.looked_at(self.tier);
        let keep = |turn: usize| self.halves[turn].clone().filter(|_| wanted[turn]);
        let (board, numbering) = (self.board.clone(), self.numbering.clone());
        Some(Arc::new(Slab { isa: self.isa, board, numbering, tier: self.tier, halves: [keep(0), keep(1)] }))
    }

    fn spill(&self) -> Option<Spill<'_>> {
        let planes = self.board.ends.planes;
        let halves: Vec<_> = (0..2)
            .map(|turn| Some((self.halves[turn].as_ref()?, self.board.sizes(self.tier, turn))))
            .collect();
        let bytes: u64 = halves.iter().flatten().map(|(half, sizes)| half.spilled_bytes(planes, sizes)).sum();
        Some(Spill::either(2 + bytes, move |out, keep| {
            for half in &halves {
                out.write_all(&[u8::from(half.is_some())])?;
                if let Some((half, sizes)) = half {
                    half.write(planes, sizes, out, keep)?;
                }
            }
            Ok(())
        }))
    }
}

impl Slab {
    /// The inverse of [`Slab::spill`].
    pub(crate) fn restore(
        isa: Isa,
        board: Arc<Board>,
        numbering: Arc<Numbering>,
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
        Ok(Slab { isa, board, numbering, tier, halves })
    }
}
