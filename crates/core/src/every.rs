//! A layout whose every numbered position counts as reached, for counts of whole boards.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use crate::{
    AskError, Audit, Checked, EngineError, Filing, ListJob, Listed, Listing, Looked, Made, Marked, Perft,
    Reachability, Reached, ReadCodes, Solved, StoredTier, Tables, Tallied, Tier, TierGraph, Tiering, Walker,
    Walking, Watch, Width,
};

/// The layout of a variant, with all positions of its numbering counted in place of those that the start reaches.
pub(crate) struct Every(pub(crate) Arc<dyn Tiering>);

impl TierGraph for Every {
    fn filing(&self) -> Filing {
        self.0.filing()
    }

    fn root(&self) -> Tier {
        self.0.root()
    }

    fn roots(&self) -> Vec<Tier> {
        self.0.roots()
    }

    fn children(&self, tier: Tier) -> Vec<Tier> {
        self.0.children(tier)
    }

    fn name(&self, tier: Tier) -> String {
        self.0.name(tier)
    }

    fn size(&self, tier: Tier) -> u64 {
        self.0.size(tier)
    }

    fn index_bytes(&self) -> u64 {
        self.0.index_bytes()
    }
}

impl Reachability for Every {
    /// With a position all its images have its number.
    fn whole(&self) -> bool {
        true
    }

    fn endgames(&self) -> bool {
        self.0.endgames()
    }

    fn counts_all(&self) -> bool {
        true
    }

    fn bytes(&self, _: Tier) -> u64 {
        0
    }

    fn empty(&self, tier: Tier, _: bool) -> Marked {
        // `Opened::counting_all` has made sure that there are such marks.
        self.0.all(tier).unwrap_or_else(|| self.0.empty(tier, false))
    }

    fn all(&self, tier: Tier) -> Option<Marked> {
        self.0.all(tier)
    }

    fn discover(&self, tier: Tier, _: &dyn Reached, _: &[(Tier, Marked)], _: &[Marked], watch: &dyn Watch) {
        watch.advance(self.0.size(tier));
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Result<Marked, EngineError> {
        self.0.restore(tier, spilled)
    }

    fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Tallied {
        self.0.tally(tier, here, solved)
    }

    fn tally_stored(&self, here: &dyn Reached, stored: &StoredTier<'_>, watch: &dyn Watch) -> Tallied {
        self.0.tally_stored(here, stored, watch)
    }
}

impl Audit for Every {
    fn position(&self, tier: Tier, rank: u64) -> Option<[u64; 2]> {
        self.0.position(tier, rank)
    }

    fn checks(&self, tier: Tier, entries: u64, tables: &dyn Tables) -> Result<u64, AskError> {
        self.0.checks(tier, entries, tables)
    }

    fn verify_one(&self, tier: Tier, rank: u64, tables: &dyn Tables) -> Result<Checked, AskError> {
        self.0.verify_one(tier, rank, tables)
    }

    fn load_plain(&self, tier: Tier, width: Width, read: &ReadCodes<'_>) -> Made {
        self.0.load_plain(tier, width, read)
    }

    fn verify(
        &self,
        tier: Tier,
        solved: &dyn Solved,
        children: &[Arc<dyn Solved>],
    ) -> Result<Checked, EngineError> {
        self.0.verify(tier, solved, children)
    }

    fn look(&self, tier: Tier, range: Range<u64>) -> Option<Looked> {
        self.0.look(tier, range)
    }

    fn walker(&self, how: Walking) -> Option<Box<dyn Walker + '_>> {
        self.0.walker(how)
    }

    fn perft(&self, plies: u32) -> Perft {
        self.0.perft(plies)
    }
}

impl Listing for Every {
    fn list(&self, job: &ListJob<'_>, visit: &mut dyn FnMut(Listed)) -> Result<(), AskError> {
        self.0.list(job, visit)
    }

    fn place(&self, packed: [u64; 2]) -> Option<(Tier, u64)> {
        self.0.place(packed)
    }

    fn copies(&self, packed: [u64; 2]) -> u64 {
        self.0.copies(packed)
    }
}
