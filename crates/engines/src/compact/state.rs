//! How far a tier is, and its checkpoint: a head, the place, and the cells with their names.

use std::io::{self, Read};

use zermelo_core::{Spill, Tier, TierCheckpoint, Unmove};

use super::lanes::Lanes;
use crate::ranked::TierJob;
use crate::spill::{array, ended, misfit};

/// What is done with numbers one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Positions are made and looked at by themselves and with the tiers below.
    Forward,
    /// Those of a distance tell the positions that lead to them.
    Tell,
    /// Flagged positions look forward.
    Check,
    /// Ties of a distance tell the positions that lead to them.
    Tie,
    /// All is done.
    End,
}

const PHASES: [Phase; 5] = [Phase::Forward, Phase::Tell, Phase::Check, Phase::Tie, Phase::End];

/// How far a tier is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) phase: Phase,
    /// The distance.
    pub(super) d: u32,
    /// The next number.
    pub(super) at: u64,
}

impl Place {
    pub(super) const START: Place = Place { phase: Phase::Forward, d: 0, at: 0 };
}

/// What checkpoints begin with. To be changed with the meaning of cells.
const MAGIC: [u8; 8] = *b"zcompac1";
/// Bytes before the cells.
const HEAD: u64 = 8 + 8 + 4 + 4 + 4 + 8;

/// The cells and the place as bytes.
pub(super) fn spill<const BITS: u32>(size: u64, lanes: &Lanes<BITS>, place: Place) -> Spill<'_> {
    Spill::new(HEAD + lanes.bytes(), move |out| {
        let phase = PHASES.iter().position(|phase| *phase == place.phase).unwrap_or(0) as u32;
        out.write_all(&MAGIC)?;
        out.write_all(&size.to_le_bytes())?;
        for number in [BITS, phase, place.d] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&place.at.to_le_bytes())?;
        lanes.write_to(out)
    })
}

/// A checkpoint whose head is read.
pub(super) struct Saved<'a> {
    from: Box<dyn Read + 'a>,
    bits: u32,
    place: Place,
}

impl<'a> Saved<'a> {
    /// The checkpoint of a tier, if there is one. One that is no use is remarked on.
    pub(super) fn open<G: Unmove>(
        job: &TierJob<'_, G>,
        checkpoint: &'a dyn TierCheckpoint,
    ) -> Option<Saved<'a>> {
        let mut from = checkpoint.load()?;
        match head(&mut *from, job.game.size(job.tier)) {
            Ok((bits, place)) => Some(Saved { from, bits, place }),
            Err(error) => {
                job.watch.remark(&dropped(job.tier, &error));
                None
            }
        }
    }

    /// Whether cells have two bytes.
    pub(super) fn is_wide(&self) -> bool {
        self.bits == 16
    }

    /// The cells and the place; what is damaged is remarked on, and not used.
    pub(super) fn read<G: Unmove, const BITS: u32>(
        mut self,
        job: &TierJob<'_, G>,
    ) -> Option<(Lanes<BITS>, Place)> {
        let lanes = Lanes::read_from(&mut *self.from, job.game.size(job.tier));
        match lanes.and_then(|lanes| ended(&mut *self.from).map(|()| lanes)) {
            Ok(lanes) => Some((lanes, self.place)),
            Err(error) => {
                job.watch.remark(&dropped(job.tier, &error));
                None
            }
        }
    }
}

/// Reads what stands before the cells of a tier of so many numbers.
fn head(from: &mut dyn Read, size: u64) -> io::Result<(u32, Place)> {
    let (magic, numbers) = (array(from)?, u64::from_le_bytes(array(from)?));
    let bits = u32::from_le_bytes(array(from)?);
    let phase = PHASES.get(u32::from_le_bytes(array(from)?) as usize).copied();
    let (d, at) = (u32::from_le_bytes(array(from)?), u64::from_le_bytes(array(from)?));
    let good =
        magic == MAGIC && numbers == size && matches!(bits, 8 | 16) && at <= size && at.is_multiple_of(8);
    let phase = phase.filter(|_| good).ok_or_else(misfit)?;
    Ok((bits, Place { phase, d, at }))
}

fn dropped(tier: Tier, error: &io::Error) -> String {
    format!("tier {tier}: its checkpoint cannot be read ({error}); the tier is solved from its beginning")
}
