//! All tables of a variant, byte for byte.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use zermelo_core::{
    Count, DeviceRules, Engine, Face, Job, Marked, Options, Reachability, Remoteness, Solved, StoredTier,
    Tier, TierGraph, Width, own,
};
use zermelo_engines::{Ranked, Reach, Retrograde, Unmoves};
use zermelo_games::{AllQueens, Quixo, Teeko, Xiangqi};
use zermelo_gpu::Gpu;

use crate::host::Host;

/// The stored tables of a variant: the width, the number of positions, and the codes of each tier.
pub(crate) type Tables = BTreeMap<Tier, (Width, u64, Vec<u8>)>;

pub(crate) fn layout<G: DeviceRules + Face>(options: &str) -> Arc<Ranked<G, Remoteness>> {
    let options = Options::read(&const { G::CARD }, options).expect("options");
    Arc::new(Ranked::of(G::new(&options).expect("a variant")))
}

/// Solves all tiers of a variant, the root's last.
pub(crate) fn solve(tiers: &dyn TierGraph, engine: &dyn Engine) -> Result<Tables, zermelo_core::EngineError> {
    fn visit(
        tiers: &dyn TierGraph,
        engine: &dyn Engine,
        tier: Tier,
        solved: &mut BTreeMap<Tier, Arc<dyn Solved>>,
    ) -> Result<(), zermelo_core::EngineError> {
        if solved.contains_key(&tier) {
            return Ok(());
        }
        for child in tiers.children(tier) {
            visit(tiers, engine, child, solved)?;
        }
        let children: Vec<_> = tiers.children(tier).iter().map(|child| solved[child].clone()).collect();
        let job =
            Job { tier, reached: None, children: &children, memory: u64::MAX, watch: &(), checkpoint: None };
        solved.insert(tier, engine.solve(&job)?);
        Ok(())
    }
    let mut solved = BTreeMap::new();
    for root in tiers.roots() {
        visit(tiers, engine, root, &mut solved)?;
    }
    stored(solved)
}

/// Solved tiers as they are stored.
pub(crate) fn stored(solved: BTreeMap<Tier, Arc<dyn Solved>>) -> Result<Tables, zermelo_core::EngineError> {
    let table = |(tier, form): (Tier, Arc<dyn Solved>)| {
        let mut codes = vec![];
        form.write(0..form.entries(), &mut codes);
        form.written().map_err(|reason| zermelo_core::EngineError::Device { tier, reason })?;
        Ok((tier, (form.width(), form.positions(), codes)))
    };
    solved.into_iter().map(table).collect()
}

/// Compares an engine on the processor's kernels with one that shares nothing with it but the numbering.
fn compare<G: DeviceRules + Face>(options: &str, threads: u64) {
    let tiers = layout::<G>(options);
    compare_with(&tiers, &Retrograde::over(&tiers), options, threads);
}

fn compare_with<G: DeviceRules + Face>(
    tiers: &Arc<Ranked<G, Remoteness>>,
    other: &dyn Engine,
    options: &str,
    threads: u64,
) {
    let device = Arc::new(Host::new(4 << 30, threads));
    let found = solve(&**tiers, &Gpu::over(tiers, Some(device))).expect("solved");
    let want = solve(&**tiers, other).expect("solved");
    assert_eq!(found.len(), want.len());
    for (tier, want) in want.into_iter().rev() {
        let found = &found[&tier];
        assert_eq!((found.0, found.1), (want.0, want.1), "{options}: tier {tier}");
        let differs = (0..want.2.len()).find(|at| found.2[*at] != want.2[*at]);
        let codes = differs.map(|at| (at, found.2[at], want.2[at]));
        assert_eq!(codes, None, "{options}: tier {tier}");
    }
}

#[test]
fn quixo_is_solved_as_by_retrograde() {
    for (options, threads) in [
        ("rows=2,cols=2,line=2", 1),
        ("rows=3,cols=3,line=3", 1),
        ("rows=3,cols=3,line=2", 5),
        ("rows=2,cols=4,line=3", 2),
        ("rows=4,cols=3,line=4", 3),
        ("rows=3,cols=4,line=3", 7),
        ("rows=2,cols=5,line=5", 4),
    ] {
        compare::<Quixo>(options, threads);
    }
}

#[test]
fn quixo_on_four_by_four_is_solved_as_by_retrograde() {
    compare::<Quixo>("rows=4,cols=4,line=4", 9);
}

#[test]
fn teeko_is_solved_as_by_retrograde() {
    for (options, threads) in [
        ("rows=3,cols=3,men=3,line=3", 1),
        ("rows=3,cols=3,men=3,line=3,squares=no", 3),
        ("rows=4,cols=3,men=4,line=3", 2),
        ("rows=3,cols=4,men=3,line=3,squares=any", 6),
        ("rows=2,cols=5,men=3,line=3", 1),
    ] {
        compare::<Teeko>(options, threads);
    }
}

#[test]
fn all_queens_is_solved_as_by_retrograde() {
    for (options, threads) in [
        ("rows=3,cols=3,queens=3,line=3", 1),
        ("rows=4,cols=4,queens=4", 2),
        ("rows=3,cols=4,queens=3,line=3", 5),
        ("rows=4,cols=3,queens=2,line=3", 3),
    ] {
        compare::<AllQueens>(options, threads);
    }
}

#[test]
fn chinese_chess_is_solved_as_by_unmoves() {
    for (options, threads) in [
        ("pieces=2", 1),
        ("pieces=3", 5),
        ("pieces=4", 1),
        ("material=KPkp", 3),
        ("material=KPPk", 2),
        ("material=KAAkb", 1),
        ("material=KBBka", 7),
        ("material=KNkc", 2),
        ("material=KRka", 3),
        ("material=KAka", 4),
        ("material=KAkpp", 1),
        ("material=KPPPk", 2),
    ] {
        let tiers = layout::<Xiangqi>(options);
        compare_with(&tiers, &Unmoves::over(&tiers), options, threads);
    }
}

/// A run that goes on from its database.
#[test]
fn tiers_are_solved_from_stored_ones() {
    let tiers = layout::<Xiangqi>("material=KPkb");
    let engine = || Gpu::over(&tiers, Some(Arc::new(Host::new(1 << 30, 2))));
    let (tables, again) = (solve(&*tiers, &engine()).expect("solved"), engine());
    let load = |tier: Tier| {
        let (width, _, codes) = &tables[&tier];
        let read = |range: Range<u64>, out: &mut Vec<u8>| {
            let bytes = width.bytes();
            out.extend(&codes[range.start as usize * bytes..range.end as usize * bytes]);
            Ok(())
        };
        again.load(&StoredTier { tier, width: *width, read: &read }).expect("loaded")
    };
    for (tier, (width, positions, codes)) in &tables {
        let children: Vec<_> = tiers.children(*tier).into_iter().map(load).collect();
        let job = Job {
            tier: *tier,
            reached: None,
            children: &children,
            memory: u64::MAX,
            watch: &(),
            checkpoint: None,
        };
        let form = again.solve(&job).expect("solved");
        let mut found = vec![];
        form.write(0..form.entries(), &mut found);
        assert!((form.width(), form.positions(), found) == (*width, *positions, codes.clone()), "{tier}");
    }
}

/// Counts of all positions by the device's kernel, and by going through the codes one by one.
#[test]
fn positions_are_counted_as_by_the_layout() {
    counts_agree::<Quixo>("rows=3,cols=4,line=3");
    counts_agree::<Xiangqi>("material=KPkp");
    counts_agree::<Xiangqi>("pieces=3");
}

fn counts_agree<G: DeviceRules + Face>(options: &str) {
    let tiers = layout::<G>(options);
    let engine = Gpu::over(&tiers, Some(Arc::new(Host::new(1 << 30, 3))));
    let mut solved: BTreeMap<Tier, Arc<dyn Solved>> = BTreeMap::new();
    let mut order = tiers.roots();
    let mut at = 0;
    while let Some(tier) = order.get(at).copied() {
        order.extend(tiers.children(tier));
        at += 1;
    }
    for tier in order.into_iter().rev() {
        if solved.contains_key(&tier) {
            continue;
        }
        let children: Vec<_> = tiers.children(tier).iter().map(|child| solved[child].clone()).collect();
        let job =
            Job { tier, reached: None, children: &children, memory: u64::MAX, watch: &(), checkpoint: None };
        let form = engine.solve(&job).expect("solved");
        let marks = tiers.all(tier).expect("numbers of positions");
        let sorted = |mut counts: Vec<Count>| {
            counts.sort_by_key(|count| count.value.to_string());
            counts
        };
        let counted = engine.tally(tier, &*marks, &*form).expect("by the kernel").expect("counted");
        assert_eq!(sorted(counted), sorted(tiers.tally(tier, &*marks, &*form).expect("counted")), "{tier}");
        solved.insert(tier, form);
    }
}

/// All marks of a variant, from its root down, found with an engine or without.
fn marks<G: DeviceRules + Face>(
    tiers: &Arc<Ranked<G, Remoteness>>,
    engine: Option<&Gpu<G>>,
) -> BTreeMap<Tier, Marked> {
    let mut marks: BTreeMap<Tier, Marked> = BTreeMap::from([(tiers.root(), tiers.empty(tiers.root(), true))]);
    // Tiers by how far they are from the root: each is complete before those below it.
    let mut level = vec![tiers.root()];
    while !level.is_empty() {
        let mut next = vec![];
        for tier in level {
            let here = marks[&tier].clone();
            let children = tiers.children(tier);
            let below = children
                .iter()
                .map(|child| marks.entry(*child).or_insert_with(|| tiers.empty(*child, false)).clone());
            let below: Vec<_> = below.collect();
            let on_device = engine.is_some_and(|engine| engine.discover(tier, &*here, &below));
            assert!(on_device || engine.is_none() || tiers.size(tier) < 200, "{tier} is large");
            if !on_device {
                tiers.discover(tier, &*here, &[], &below, &());
            }
            children.into_iter().for_each(|child| {
                if !next.contains(&child) {
                    next.push(child);
                }
            });
        }
        level = next;
    }
    marks
}

/// Reached positions on the processor's kernels are those that the layout finds, and so are their counts.
fn reach_agrees<G: DeviceRules + Face>(options: &str, threads: u64) {
    let tiers = layout::<G>(options);
    let engine = Gpu::over(&tiers, Some(Arc::new(Host::new(1 << 30, threads))));
    let (found, want) = (marks(&tiers, Some(&engine)), marks(&tiers, None));
    let mut solved: BTreeMap<Tier, Arc<dyn Solved>> = BTreeMap::new();
    for (tier, want) in want {
        solve_below(&tiers, &engine, tier, &mut solved);
        let planes = |marks: &Marked| {
            let reach: &Reach = own(&**marks, tier).expect("marks of this layout");
            let planes = reach.planes().expect("some are marked").each_ref();
            planes.map(|plane| plane.iter().map(|word| word.load(Relaxed)).collect::<Vec<_>>())
        };
        assert!(planes(&found[&tier]) == planes(&want), "{options}: tier {tier}");
        let sorted = |mut counts: Vec<Count>| {
            counts.sort_by_key(|count| count.value.to_string());
            counts
        };
        let counted = engine.tally(tier, &*want, &*solved[&tier]).expect("by the kernel").expect("counted");
        let plain = tiers.tally(tier, &*want, &*solved[&tier]).expect("counted");
        assert_eq!(sorted(counted), sorted(plain), "{options}: tier {tier}");
    }
}

/// Solves a tier and all below it, unless they are solved.
fn solve_below<G: DeviceRules + Face>(
    tiers: &Arc<Ranked<G, Remoteness>>,
    engine: &Gpu<G>,
    tier: Tier,
    solved: &mut BTreeMap<Tier, Arc<dyn Solved>>,
) {
    if solved.contains_key(&tier) {
        return;
    }
    let children = tiers.children(tier);
    children.iter().for_each(|child| solve_below(tiers, engine, *child, solved));
    let children: Vec<_> = children.iter().map(|child| solved[child].clone()).collect();
    let job =
        Job { tier, reached: None, children: &children, memory: u64::MAX, watch: &(), checkpoint: None };
    solved.insert(tier, engine.solve(&job).expect("solved"));
}

#[test]
fn reached_positions_are_found_as_by_the_layout() {
    reach_agrees::<Quixo>("rows=3,cols=3,line=3", 1);
    reach_agrees::<Quixo>("rows=3,cols=4,line=4", 2);
    reach_agrees::<Teeko>("rows=3,cols=3,men=3,line=3", 1);
    reach_agrees::<AllQueens>("rows=4,cols=3,queens=2,line=3", 3);
}
