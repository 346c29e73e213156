//! One variant of a game, opened with an engine: what the rest of the program works with.

use std::ops::Range;
use std::sync::Arc;

use crate::{
    Audit, Card, Engine, Looked, Oracle, Reachability, Reached, Solved, Takes, Tallied, Tier, TierGraph, Unit,
};

/// What a layout of tiers is for everybody but its engine.
pub trait Tiering: TierGraph + Reachability + Audit {}

impl<T: TierGraph + Reachability + Audit> Tiering for T {}

/// One variant of a game, opened with an engine. Each consumer asks for the one role that it needs.
pub struct Opened {
    /// What the game tells of itself.
    pub card: &'static Card,
    /// The options in normal form; empty for the default variant.
    pub variant: String,
    /// What the engine is called, and what it takes.
    pub takes: &'static Takes,
    /// What the variant is solved for.
    pub objective: &'static str,
    /// Whether that is what the game is solved for unless told otherwise.
    pub usual: bool,
    /// What the numbers of its values count.
    pub unit: Unit,
    /// The position it is solved from, where that is not the game's own start.
    pub from: Option<String>,
    /// How its positions are cut into tiers and numbered.
    pub tiering: Arc<dyn Tiering>,
    /// What solves its tiers.
    pub engine: Arc<dyn Engine>,
    /// What front ends ask.
    pub oracle: Box<dyn Oracle>,
}

impl Opened {
    /// Which tiers there are.
    pub fn tiers(&self) -> &dyn TierGraph {
        &*self.tiering
    }

    /// Which positions the start reaches.
    pub fn reach(&self) -> &dyn Reachability {
        &*self.tiering
    }

    /// What checks, counts and estimates ask.
    pub fn audit(&self) -> &dyn Audit {
        &*self.tiering
    }

    /// What solves its tiers.
    pub fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// What front ends ask.
    pub fn oracle(&self) -> &dyn Oracle {
        &*self.oracle
    }

    /// A look at some numbers of a tier as long as a solve takes in proportion; `None` where the engine does not make
    /// positions one by one.
    pub fn look(&self, tier: Tier, range: Range<u64>) -> Option<Looked> {
        if self.takes.by_position { self.audit().look(tier, range) } else { None }
    }

    /// Counts the reached positions of a tier by value, as fast as the engine can.
    pub fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Tallied {
        let told = self.engine.tally(tier, here, solved);
        told.unwrap_or_else(|| self.reach().tally(tier, here, solved))
    }
}
