//! Positions with their values, by their places in the pages of a table.

use zermelo_core::{AskError, Code, Growing, ListJob, Listed, Listing, Objective, Packed, Position, Tier};

use super::engine::BlobTiers;
use crate::listing::{impossible, turn_by_ply};

impl<G: Growing, O: Objective<G, Fold: Send>> Listing for BlobTiers<G, O> {
    /// Visits the positions that have these places in the order of the pages. Only reached positions are there, so marks
    /// are not looked at.
    fn list(&self, job: &ListJob<'_>, visit: &mut dyn FnMut(Listed)) -> Result<(), AskError> {
        let tier = job.stored.tier;
        let pages = self.pages(tier);
        for number in job.range.clone() {
            let kept = pages.get(job.tables, number)?;
            let packed = Self::colours(kept.blob, kept.number);
            let code = Some(O::widen(kept.code)).filter(|code| *code != Code::UNKNOWN);
            let value = code.and_then(O::value).ok_or_else(|| impossible(tier))?;
            let turn = turn_by_ply(&self.game, G::Position::unpack(packed));
            visit(Listed { number, position: Position { turn, packed }, copies: self.copies(packed), value });
        }
        Ok(())
    }

    /// The tier alone says little where a position is not numbered, so there is no place.
    fn place(&self, _: [u64; 2]) -> Option<(Tier, u64)> {
        None
    }

    fn copies(&self, packed: [u64; 2]) -> u64 {
        self.game.alike(G::Position::unpack(packed))
    }
}
