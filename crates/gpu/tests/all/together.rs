//! Several tiers at once, by as many threads.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};

use zermelo_core::{Engine, Job, Solved, Tier, TierGraph};
use zermelo_games::Xiangqi;
use zermelo_gpu::Gpu;

use crate::host::Host;
use crate::tables::{Tables, layout, solve, stored};

/// What the threads share: tiers that nobody has begun, and tiers that are solved.
struct Work {
    left: Vec<Tier>,
    solved: BTreeMap<Tier, Arc<dyn Solved>>,
    /// The most tiers that were at work at once.
    most: usize,
    working: usize,
}

/// Solves all tiers by some threads, each as soon as the tiers below are solved.
fn solve_together(tiers: &dyn TierGraph, engine: &dyn Engine, threads: usize) -> (Tables, usize) {
    let mut left = tiers.roots();
    let mut at = 0;
    while let Some(tier) = left.get(at).copied() {
        left.extend(
            tiers.children(tier).into_iter().filter(|child| !left.contains(child)).collect::<Vec<_>>(),
        );
        at += 1;
    }
    let work = Mutex::new(Work { left, solved: BTreeMap::new(), most: 0, working: 0 });
    let news = Condvar::new();
    let run = || {
        let mut at_work = work.lock().expect("nobody panics");
        while !at_work.left.is_empty() {
            let ready =
                |tier: &Tier| tiers.children(*tier).iter().all(|child| at_work.solved.contains_key(child));
            let Some(place) = at_work.left.iter().position(ready) else {
                at_work = news.wait(at_work).expect("nobody panics");
                continue;
            };
            let tier = at_work.left.remove(place);
            let children: Vec<_> =
                tiers.children(tier).iter().map(|child| at_work.solved[child].clone()).collect();
            at_work.working += 1;
            at_work.most = at_work.most.max(at_work.working);
            drop(at_work);
            let job = Job {
                tier,
                reached: None,
                children: &children,
                memory: u64::MAX,
                watch: &(),
                checkpoint: None,
            };
            let form = engine.solve(&job).expect("solved");
            at_work = work.lock().expect("nobody panics");
            at_work.working -= 1;
            at_work.solved.insert(tier, form);
            news.notify_all();
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(run)));
    let Work { solved, most, .. } = work.into_inner().expect("nobody panics");
    (stored(solved).expect("the device works"), most)
}

#[test]
fn tiers_are_solved_several_at_once_within_the_memory() {
    let tiers = layout::<Xiangqi>("material=KPkp");
    let device = |bytes| Some(Arc::new(Host::new(bytes, 2)) as Arc<dyn zermelo_gpu::Device>);
    let one_by_one = solve(&*tiers, &Gpu::over(&tiers, device(1 << 30))).expect("solved");
    for (threads, bytes) in [(4, 1 << 30), (4, 1 << 20), (3, 700 << 10)] {
        let (found, most) = solve_together(&*tiers, &Gpu::over(&tiers, device(bytes)), threads);
        assert!(found == one_by_one, "{threads} threads, {bytes} bytes");
        assert!(most > 1, "{most} at once");
    }
}
