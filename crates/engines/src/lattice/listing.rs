//! Positions with their values, by their numbers in the database.

use zermelo_core::{
    AskError, ListJob, Listed, Listing, Packed, Placing, Position, Reason, Tier, Turn, Value,
};

use super::engine::LatticeTiers;
use crate::layout::Layout;

impl<G: Placing> Listing for LatticeTiers<G> {
    /// Visits the positions with the first player to move that have these numbers. A board with a line of the first
    /// player is left out: the game was over before. Marks are not looked at.
    fn list(&self, job: &ListJob<'_>, visit: &mut dyn FnMut(Listed)) -> Result<(), AskError> {
        let (tier, copies) = (job.stored.tier, self.cut.stands_for(job.stored.tier));
        for number in job.range.clone() {
            let Some(contents) = self.numbering.files(tier, number) else { continue };
            let stones = self.numbering.stones(&contents);
            if self.cut.layout.lines[0].iter().any(|line| stones[0] & line == *line) {
                continue;
            }
            let code = self.code(G::Position::unpack(stones), job.tables)?;
            let value: Value = code.and_then(|code| code.value()).ok_or_else(|| {
                let reason: Reason =
                    format!("the table of tier {tier} has no value for number {number}").into();
                AskError::Tables(reason)
            })?;
            let position = Position { turn: Turn::First, packed: stones };
            visit(Listed { number, position, copies, value });
        }
        Ok(())
    }

    fn place(&self, packed: [u64; 2]) -> Option<(Tier, u64)> {
        let [own, other] = packed;
        // Kept are boards with the first player to move.
        if own.count_ones() == other.count_ones() { self.numbering.locate(packed) } else { None }
    }

    fn copies(&self, packed: [u64; 2]) -> u64 {
        self.place(packed).map_or(1, |(tier, _)| self.cut.stands_for(tier))
    }
}
