//! The engines by name, each for any graph.

use std::io::Read;
use std::sync::Arc;

use zermelo_core::{Engine, EngineError, Made, Remoteness, StoredTier, Tier, Tiers};
use zermelo_engines::{Compact, Iterate, Ranked, Retrograde, Sweep, Unmoves};

use crate::graph::{Graph, tier_of};
use crate::run::{Done, PLENTY, tier};

/// A graph and an engine for it, which share its rules.
pub(crate) type Open = fn(&Graph) -> Box<dyn Engine>;

/// One way to solve and to load a tier of a graph.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) open: Open,
    /// Bytes that it may use, and as many more for each number of a tier.
    pub(crate) memory: u64,
    pub(crate) each: u64,
}

impl Way {
    pub(crate) fn engine(&self, game: &Graph) -> Box<dyn Engine> {
        (self.open)(game)
    }

    pub(crate) fn solve(&self, game: &Graph, t: Tier, done: &Done) -> Made {
        tier(game, &*self.engine(game), t, done, self.memory + self.each * game.size(t))
    }

    pub(crate) fn load(&self, game: &Graph, stored: &StoredTier<'_>) -> Made {
        self.engine(game).load(stored)
    }

    pub(crate) fn restore(&self, game: &Graph, tier: Tier, spilled: &mut dyn Read) -> Made {
        self.engine(game).restore(tier, spilled)
    }
}

fn over(game: &Graph) -> Arc<Ranked<Graph, Remoteness>> {
    Arc::new(Ranked::of(game.clone()))
}

const fn way(name: &'static str, open: Open) -> Way {
    Way { name, open, memory: PLENTY, each: 0 }
}

pub(crate) const SWEEP: Way = way("sweep", |game| Box::new(Sweep::over(&over(game))));

/// The engines that take loops.
pub(crate) const LOOPY: [Way; 6] = [
    way("retrograde", |game| Box::new(Retrograde::over(&over(game)))),
    way("unmoves", |game| Box::new(Unmoves::over(&over(game)))),
    way("iterate", |game| Box::new(Iterate::over(&over(game)))),
    Way { memory: 1, ..way("retrograde short of memory", |game| Box::new(Retrograde::over(&over(game)))) },
    Way {
        memory: 0,
        each: 44,
        ..way("retrograde in slices, where the tier has few moves", |game| {
            Box::new(Retrograde::over(&over(game)))
        })
    },
    way("compact", |game| Box::new(Compact::over(&over(game)).in_pieces(520))),
];

/// All engines.
pub(crate) const ALL: [Way; 7] = [SWEEP, LOOPY[0], LOOPY[1], LOOPY[2], LOOPY[3], LOOPY[4], LOOPY[5]];

/// Solves a whole graph; the ways take turns from tier to tier.
pub(crate) fn graph(game: &Graph, ways: &[Way]) -> Result<Done, EngineError> {
    let mut done = Done::new();
    for (layer, way) in (0..game.layers()).zip(ways.iter().cycle()) {
        let solved = way.solve(game, tier_of(layer), &done)?;
        done.insert(tier_of(layer), solved);
    }
    Ok(done)
}
