//! Drives engines as a scheduler would: tier by tier from below, on a pool of one thread or of two.

use std::collections::HashMap;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use rayon::{ThreadPool, ThreadPoolBuilder};
use zermelo_core::{Engine, EngineError, Job, Objective, Remoteness, Solved, Stored, Tier, Tiers, Watch};
use zermelo_engines::{Codes, Iterate, Retrograde, Sweep, Unmoves};

use crate::graph::{Graph, tier_of};

/// Solved tiers by name.
pub(crate) type Done = HashMap<Tier, Arc<dyn Solved>>;

/// More than any test needs.
pub(crate) const PLENTY: u64 = 1 << 40;

/// Has an engine do some parts of a tier one after another and then the rest at once, and in the next loop likewise.
#[derive(Default)]
pub(crate) struct Fickle(AtomicU64);

impl Watch for Fickle {
    fn advance(&self, _: u64) {}

    fn alone(&self) -> bool {
        !self.0.fetch_add(1, Relaxed).is_multiple_of(3)
    }
}

/// Solves one tier, those below being done.
pub(crate) fn tier<G: Tiers, E: Engine<G>>(
    game: &G,
    tier: Tier,
    done: &Done,
    memory: u64,
) -> Result<Arc<dyn Solved>, EngineError> {
    let below = |t: Tier| (t, Arc::new(game.index(t)), done[&t].clone());
    let children = game.children(tier).into_iter().map(below).collect();
    E::solve(&Job {
        game,
        tier,
        children,
        index: Arc::new(game.index(tier)),
        memory,
        watch: &Fickle::default(),
    })
}

/// Solves tiers in this order.
pub(crate) fn tiers<G: Tiers, E: Engine<G>>(game: &G, order: &[Tier]) -> Result<Done, EngineError> {
    let mut done = Done::new();
    for t in order {
        let solved = tier::<G, E>(game, *t, &done, PLENTY)?;
        done.insert(*t, solved);
    }
    Ok(done)
}

/// The plain form of a solved tier.
pub(crate) fn codes<G: Tiers, O: Objective<G>>(solved: &Arc<dyn Solved>) -> &Codes<G, O> {
    solved.as_any().downcast_ref().expect("the plain form")
}

/// What an engine answers.
pub(crate) type Answer = Result<Arc<dyn Solved>, EngineError>;

/// One way to solve and to load a tier of a graph.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) solve: fn(&Graph, Tier, &Done) -> Answer,
    pub(crate) load: fn(&Stored<'_, Graph>) -> Answer,
    pub(crate) unpark: fn(&Graph, Tier, &mut dyn Read) -> Answer,
}

const fn way<E: Engine<Graph>>(name: &'static str) -> Way {
    let solve = |game: &Graph, t, done: &Done| tier::<Graph, E>(game, t, done, PLENTY);
    Way { name, solve, load: E::load, unpark: E::unpark }
}

pub(crate) const SWEEP: Way = way::<Sweep<Remoteness>>("sweep");

/// The engines that take loops.
pub(crate) const LOOPY: [Way; 4] = [
    way::<Retrograde>("retrograde"),
    way::<Unmoves>("unmoves"),
    way::<Iterate>("iterate"),
    Way {
        name: "retrograde short of memory",
        solve: |game, t, done| tier::<Graph, Retrograde>(game, t, done, 1),
        ..way::<Retrograde>("")
    },
];

/// All engines.
pub(crate) const ALL: [Way; 5] = [SWEEP, LOOPY[0], LOOPY[1], LOOPY[2], LOOPY[3]];

/// Solves a whole graph; the ways take turns from tier to tier.
pub(crate) fn graph(game: &Graph, ways: &[Way]) -> Result<Done, EngineError> {
    let mut done = Done::new();
    for (layer, way) in (0..game.layers()).zip(ways.iter().cycle()) {
        let solved = (way.solve)(game, tier_of(layer), &done)?;
        done.insert(tier_of(layer), solved);
    }
    Ok(done)
}

/// Pools of one thread and of two.
pub(crate) fn pools() -> &'static [ThreadPool; 2] {
    static POOLS: LazyLock<[ThreadPool; 2]> =
        LazyLock::new(|| [1, 2].map(|n| ThreadPoolBuilder::new().num_threads(n).build().expect("threads")));
    &POOLS
}
