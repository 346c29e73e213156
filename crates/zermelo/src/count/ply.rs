//! The positions of one ply, shown to whoever wants more of them than their number.

use zermelo_core::{Opened, Record};

use super::expand::{begins, blocks};
use super::run::Sorted;
use super::{CountSettings, Result, walk};
use crate::Progress;

/// Is shown the positions of each ply before the walk goes on from them; returns whether it is to go on.
pub(crate) type EachPly<'a> = dyn FnMut(&Ply<'_>) -> bool + Send + 'a;

/// The positions of one ply in sorted pieces, which any thread can load.
pub(crate) struct Ply<'a> {
    frontier: &'a Sorted,
    /// Where the pieces of each run begin.
    begins: Vec<u64>,
}

impl<'a> Ply<'a> {
    pub(super) fn of(frontier: &'a Sorted) -> Ply<'a> {
        Ply { frontier, begins: begins(frontier) }
    }

    /// The number of pieces.
    pub(crate) fn pieces(&self) -> u64 {
        blocks(self.frontier)
    }

    /// The records of a piece. All records of a position are in one piece and follow each other.
    pub(crate) fn load(&self, piece: u64) -> Result<Vec<Record>> {
        let (mut bytes, mut records) = (vec![], vec![]);
        let at = self.begins.partition_point(|begin| *begin <= piece).saturating_sub(1);
        if let Some(run) = self.frontier.get(at) {
            run.load((piece - self.begins[at]) as usize, &mut bytes, &mut records)?;
        }
        Ok(records)
    }
}

/// Walks through all positions of a variant, ply by ply, until `each` returns false.
pub(crate) fn each_ply<'e>(
    game: &Opened,
    settings: &CountSettings,
    progress: &Progress,
    each: &'e mut EachPly<'e>,
) -> Result<()> {
    walk(game, settings, progress, Some(each)).map(drop)
}
