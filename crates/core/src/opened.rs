//! One variant of a game, opened with an engine: what the rest of the program works with.

use std::ops::Range;
use std::sync::Arc;

use crate::every::Every;
use crate::{
    Audit, Card, Engine, Listing, Looked, Marked, Oracle, Reachability, Reached, Solved, Takes, Tallied,
    Tier, TierGraph, Unit, Watch,
};

/// The roles of a layout of tiers, as every part of the program but the engine sees them.
pub trait Tiering: TierGraph + Reachability + Audit + Listing {}

impl<T: TierGraph + Reachability + Audit + Listing> Tiering for T {}

/// One variant of a game, opened with an engine. Each consumer asks for the one role that it needs.
pub struct Opened {
    /// The description of the game.
    pub card: &'static Card,
    /// The options in normal form; empty for the default variant.
    pub variant: String,
    /// The name of the engine, and what it takes.
    pub takes: &'static Takes,
    /// What the variant is solved for.
    pub objective: &'static str,
    /// Whether this objective is the game's default.
    pub usual: bool,
    /// What the numbers of the values count.
    pub unit: Unit,
    /// The position that the variant is solved from, where this is not the game's own start.
    pub from: Option<String>,
    /// The layout: how positions are cut into tiers and numbered.
    pub tiering: Arc<dyn Tiering>,
    /// The engine, which solves the tiers.
    pub engine: Arc<dyn Engine>,
    /// Answers the questions of front ends.
    pub oracle: Box<dyn Oracle>,
}

impl Opened {
    /// Returns the variant with every position of its numbering counted, whether the start reaches it or not. A position
    /// counts once, as the player to move sees it: two boards that differ in whose men are whose are one. A variant of
    /// endgames counts all positions anyway and stays as it is. `None` where tables are not numbered by position, as
    /// those of the engines lattice and blobs.
    pub fn counting_all(self) -> Option<Opened> {
        let able = self.can_count_all();
        if self.reach().counts_all() {
            return Some(self);
        }
        able.then(|| Opened { tiering: Arc::new(Every(self.tiering)), ..self })
    }

    /// Whether all positions of the numbering can be counted.
    pub fn can_count_all(&self) -> bool {
        self.reach().counts_all() || self.reach().all(self.tiers().root()).is_some()
    }

    /// Returns the role that knows the tiers.
    pub fn tiers(&self) -> &dyn TierGraph {
        &*self.tiering
    }

    /// Returns the role that finds the positions which the start reaches.
    pub fn reach(&self) -> &dyn Reachability {
        &*self.tiering
    }

    /// Returns the role that answers checks, counts and estimates.
    pub fn audit(&self) -> &dyn Audit {
        &*self.tiering
    }

    /// Returns the role that lists positions with their values.
    pub fn listing(&self) -> &dyn Listing {
        &*self.tiering
    }

    /// Returns the engine.
    pub fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// Returns the role that answers front ends.
    pub fn oracle(&self) -> &dyn Oracle {
        &*self.oracle
    }

    /// Looks at some numbers of a tier, in a time proportional to that of a solve; `None` where the engine does not
    /// make positions one by one.
    pub fn look(&self, tier: Tier, range: Range<u64>) -> Option<Looked> {
        if self.takes.by_position { self.audit().look(tier, range) } else { None }
    }

    /// Marks what the reached positions of a tier reach, as fast as the engine can.
    pub fn discover(
        &self,
        tier: Tier,
        here: &dyn Reached,
        above: &[(Tier, Marked)],
        below: &[Marked],
        watch: &dyn Watch,
    ) {
        if self.engine.discover(tier, here, below) {
            watch.advance(self.tiers().size(tier));
        } else {
            self.reach().discover(tier, here, above, below, watch);
        }
    }

    /// Counts the reached positions of a tier by value, as fast as the engine can.
    pub fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Tallied {
        let told = self.engine.tally(tier, here, solved);
        told.unwrap_or_else(|| self.reach().tally(tier, here, solved))
    }
}
