//! Which positions the start reaches, found on a device: marks go there, the moves of marked positions are followed until
//! none is new, and the marks come back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use zermelo_core::{DeviceRules, Flow, Tier};
use zermelo_engines::Reach;

use crate::args::{CHILDREN, Counters, TierArgs};
use crate::device::{Buffer, Device, DeviceError};
use crate::driver::Driver;

/// Words that are copied at a time.
const PIECE: usize = 1 << 20;

/// The marks of a tier on a device, by who is to move.
pub(crate) struct Marks([Buffer; 2]);

impl Marks {
    /// The marks of a tier of so many numbers, none of which is set.
    fn none(device: &Arc<dyn Device>, size: u64) -> Result<Marks, DeviceError> {
        let plane = || Buffer::zeros(device, 8 * size.div_ceil(64));
        Ok(Marks([plane()?, plane()?]))
    }

    /// Copies marks to a device; `None` where all numbers are marked.
    pub(crate) fn of(
        device: &Arc<dyn Device>,
        reach: &Reach,
        size: u64,
    ) -> Result<Option<Marks>, DeviceError> {
        let Some(planes) = reach.planes() else { return Ok(None) };
        let marks = Marks::none(device, size)?;
        let mut words = Vec::with_capacity(PIECE);
        for (plane, buffer) in planes.iter().zip(&marks.0) {
            for (n, piece) in plane.chunks(PIECE).enumerate() {
                words.clear();
                words.extend(piece.iter().map(|word| word.load(Relaxed)));
                device.upload(buffer.at() + (8 * n * PIECE) as u64, bytemuck::cast_slice(&words))?;
            }
        }
        Ok(Some(marks))
    }

    /// Adds these marks to those in the memory of the host.
    fn add_to(&self, reach: &Reach) -> Result<(), DeviceError> {
        let mut words = vec![0u64; PIECE];
        for (plane, buffer) in reach.planes().into_iter().flatten().zip(&self.0) {
            for (n, piece) in plane.chunks(PIECE).enumerate() {
                let words = &mut words[..piece.len()];
                buffer.read((8 * n * PIECE) as u64, bytemuck::cast_slice_mut(words))?;
                piece.iter().zip(words).for_each(|(mark, word)| add(mark, *word));
            }
        }
        Ok(())
    }

    /// The addresses of the planes.
    pub(crate) fn at(&self) -> [u64; 2] {
        self.0.each_ref().map(Buffer::at)
    }
}

fn add(mark: &AtomicU64, word: u64) {
    if word & !mark.load(Relaxed) != 0 {
        mark.fetch_or(word, Relaxed);
    }
}

/// A tier whose marked positions are to be followed.
pub(crate) struct Following<'a, G: DeviceRules> {
    pub(crate) game: &'a G,
    pub(crate) tier: Tier,
    pub(crate) index: &'a G::Index,
    pub(crate) here: &'a Reach,
    /// The tiers below: their numberings, their sizes and their marks.
    pub(crate) below: Vec<(&'a G::Index, u64, &'a Reach)>,
}

impl Driver {
    /// Bytes of the device that [`follow`](Driver::follow) takes for a tier, with tiers of these sizes below.
    pub(crate) fn following_bytes(&self, size: u64, below: impl Iterator<Item = u64>) -> u64 {
        let marks: u64 = below.map(|size| size.div_ceil(4)).sum();
        marks + size.div_ceil(2) + 4 * size.min(self.part())
    }

    /// Marks all that the marked positions of a tier reach, in the tier and below. `false` where this cannot be done on a
    /// device.
    pub(crate) fn follow<G: DeviceRules>(&self, job: &Following<'_, G>) -> Result<bool, DeviceError> {
        let (device, size) = (&self.device, job.game.size(job.tier));
        if job.below.len() > CHILDREN {
            return Ok(false);
        }
        let Some(here) = Marks::of(device, job.here, size)? else { return Ok(false) };
        let below = job.below.iter().map(|(_, size, _)| Marks::none(device, *size));
        let below = below.collect::<Result<Vec<_>, _>>()?;
        let followed = Marks::none(device, size)?;
        let list = Buffer::new(device, 4 * size.min(self.part()))?;
        let counters = Buffer::zeros(device, size_of::<Counters>() as u64)?;
        let mut args = self.bare(job.game, job.index, size)?;
        (args.marks, args.followed, args.sides) = (here.at(), followed.at(), u64::from(G::SIDES));
        (args.lists, args.counters) = ([list.at(); 2], counters.at());
        for (n, ((index, size, _), marks)) in job.below.iter().zip(&below).enumerate() {
            let slots = self.numbering(job.game, index)?;
            args.below[n] = TierArgs { slots, size: *size, ..TierArgs::default() };
            args.marks_below[n] = marks.at();
        }
        args.tiers_below = below.len() as u64;
        let (length, round) =
            (std::mem::offset_of!(Counters, first_list), std::mem::offset_of!(Counters, marked));
        loop {
            device.clear(counters.at() + round as u64, 8)?;
            for first in (0..size).step_by(self.part() as usize) {
                (args.first, args.end) = (first, size.min(first + self.part()));
                device.clear(counters.at() + length as u64, 8)?;
                self.start("list_marked", &args, (args.end - first).div_ceil(32))?;
                self.start("follow_marked", &args, args.end - first)?;
            }
            if self.counters(&counters)?.marked == 0 || job.game.flow(job.tier) == Flow::Leaves {
                break;
            }
        }
        here.add_to(job.here)?;
        below.iter().zip(&job.below).try_for_each(|(marks, (_, _, reach))| marks.add_to(reach))?;
        Ok(true)
    }
}
