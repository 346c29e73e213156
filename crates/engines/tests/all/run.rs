//! Drives engines as a coordinator would: tier by tier from below, on a pool of one thread or of two.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use rayon::{ThreadPool, ThreadPoolBuilder};
use zermelo_core::{Engine, Job, Keep, Made, Objective, Opened, Solved, Spill, Tier, Tiers, Width, own};
use zermelo_engines::Codes;
use zermelo_engines::parallel::{Others, OthersGuard};

/// Solved tiers by name.
pub(crate) type Done = HashMap<Tier, Arc<dyn Solved>>;

/// More than any test needs.
pub(crate) const PLENTY: u64 = 1 << 40;

/// Has an engine do some parts of a tier one after another and then the rest at once, and in the next loop likewise.
#[derive(Default)]
struct Fickle(AtomicU64);

impl Others for Fickle {
    fn wait(&self) -> bool {
        !self.0.fetch_add(1, Relaxed).is_multiple_of(3)
    }
}

/// Works as in the middle of a task beside others that wait now and then.
pub(crate) fn fickle<T>(work: impl FnOnce() -> T) -> T {
    let _beside = OthersGuard::new(Arc::<Fickle>::default());
    work()
}

/// Solves one tier, those below being done.
fn solve_one(engine: &dyn Engine, tier: Tier, below: &[Tier], done: &Done, memory: u64) -> Made {
    let children: Vec<_> = below.iter().map(|t| done[t].clone()).collect();
    fickle(|| {
        engine.solve(&Job { tier, reached: None, children: &children, memory, watch: &(), checkpoint: None })
    })
}

/// Solves one tier of a game's own tiers, those below being done.
pub(crate) fn tier<G: Tiers>(game: &G, engine: &dyn Engine, tier: Tier, done: &Done, memory: u64) -> Made {
    solve_one(engine, tier, &game.children(tier), done, memory)
}

/// Solves tiers of a game in this order.
pub(crate) fn tiers<G: Tiers>(game: &G, engine: &dyn Engine, order: &[Tier]) -> Done {
    let mut done = Done::new();
    for t in order {
        let solved = tier(game, engine, *t, &done, PLENTY).expect("a good game");
        done.insert(*t, solved);
    }
    done
}

/// The tiers of a variant, children first.
pub(crate) fn order(game: &Opened) -> Vec<Tier> {
    fn visit(game: &Opened, tier: Tier, order: &mut Vec<Tier>) {
        if !order.contains(&tier) {
            game.tiers().children(tier).into_iter().for_each(|child| visit(game, child, order));
            order.push(tier);
        }
    }
    let mut tiers = vec![];
    visit(game, game.tiers().root(), &mut tiers);
    tiers
}

/// Solves all tiers of a variant.
pub(crate) fn solve(game: &Opened, memory: u64) -> Done {
    let mut done = Done::new();
    for tier in order(game) {
        let solved = solve_one(game.engine(), tier, &game.tiers().children(tier), &done, memory);
        done.insert(tier, solved.expect("a good game"));
    }
    done
}

/// The plain form of a solved tier.
pub(crate) fn codes<G: Tiers, O: Objective<G>>(solved: &Arc<dyn Solved>) -> &Codes<G, O> {
    own(&**solved, Tier(0)).expect("the plain form")
}

/// What was spilled, as bytes.
pub(crate) fn bytes(spilled: Option<Spill<'_>>) -> Vec<u8> {
    bytes_kept(spilled, Keep::Packed)
}

/// What was spilled, as bytes that are to be compressed or not.
pub(crate) fn bytes_kept(spilled: Option<Spill<'_>>, keep: Keep) -> Vec<u8> {
    let (spilled, mut bytes) = (spilled.expect("bytes"), vec![]);
    let told = spilled.bytes();
    spilled.write(&mut bytes, keep).expect("memory");
    assert_eq!(bytes.len() as u64, told);
    bytes
}

/// Puts rubbish where nobody will ask.
pub(crate) fn soil(bytes: &mut [u8], width: Width, rubbish: &[u8]) {
    let mut rubbish = rubbish.iter().cycle();
    for cell in bytes.chunks_mut(width.bytes()) {
        if cell.iter().all(|b| *b == u8::MAX) {
            cell.iter_mut().for_each(|b| *b = *rubbish.next().unwrap_or(&0));
        }
    }
}

/// Pools of one thread and of two.
pub(crate) fn pools() -> &'static [ThreadPool; 2] {
    static POOLS: LazyLock<[ThreadPool; 2]> =
        LazyLock::new(|| [1, 2].map(|n| ThreadPoolBuilder::new().num_threads(n).build().expect("threads")));
    &POOLS
}
