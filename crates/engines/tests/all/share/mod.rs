//! One tier solved by several processes: the shares, one after another, are the table that one process
//! writes, byte for byte. And whatever goes wrong at one process, all end with an error.

mod table;
mod trouble;
mod wire;

use std::sync::atomic::Ordering::Relaxed;

use proptest::prelude::*;
use zermelo_core::{EngineError, Flow, Need, Tier, Tiers, Watch, Width};

use crate::graph::{Graph, Layer, graphs, large, tall_graphs, tier_of};
use crate::run::PLENTY;
use crate::ways::{LOOPY, SWEEP, Way, graph};
use table::{Answer, Table, Tables, differs, tables};
use wire::{Wire, spread_all};

const UNMOVES: Way = LOOPY[1];

/// Solves a tier of a graph with the others; `tables` are those below.
fn share(
    way: Way,
    (game, tier): (&Graph, Tier),
    tables: &Tables,
    (wire, block, memory): (&Wire, u64, u64),
    watch: &dyn Watch,
) -> Answer {
    let (engine, below) = (way.engine(game), game.children(tier));
    table::share(&*engine, tier, (tables, &below), (wire, block, memory), Table::read, watch)
}

/// Says in which tier of a graph shares differ from the whole, if any.
fn graph_differs(layers: &[Layer], way: Way, (count, block, memory): (usize, u64, u64)) -> Option<String> {
    let game = Graph::new(layers);
    let done = graph(&game, &[way]).expect("a good game");
    let tables = tables(&done);
    (0..game.layers()).map(tier_of).find_map(|tier| {
        let wide = |t: &Tier| tables[t].width == Width::Two;
        let short = memory < PLENTY && (wide(&tier) || game.children(tier).iter().any(wide));
        let shares = spread_all(count, |wire| share(way, (&game, tier), &tables, (wire, block, memory), &()));
        let long = |share: &Answer| matches!(share, Err(EngineError::LongLines(t, _)) if *t == tier);
        if short && shares.iter().all(long) {
            return None;
        }
        let shares: Vec<_> = shares.into_iter().map(|share| share.expect("a good game")).collect();
        differs(&shares, block, &done[&tier]).map(|what| format!("tier {tier}: {what}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn random_sweeps_are_as_of_one_process(
        layers in graphs(&[Flow::Leaves]), count in 1..6usize, block in 0..5u64,
    ) {
        prop_assert_eq!(graph_differs(&layers, SWEEP, (count, 1 << block, PLENTY)), None);
    }

    #[test]
    fn random_loops_are_as_of_one_process(
        layers in graphs(&[Flow::Leaves, Flow::Rises, Flow::Loops]), count in 1..6usize, block in 0..5u64,
    ) {
        prop_assert_eq!(graph_differs(&layers, UNMOVES, (count, 1 << block, 0)), None);
    }

    #[test]
    fn random_long_games_are_as_of_one_process(
        layers in tall_graphs(&[Flow::Leaves, Flow::Loops]), count in 2..4usize, memory in prop::sample::select(vec![0, PLENTY]),
    ) {
        prop_assert_eq!(graph_differs(&layers, UNMOVES, (count, 4, memory)), None);
    }
}

/// The most exchanges of a process, and its longest message, for the last tier of a large graph.
fn traffic(flow: Flow, way: Way, memory: u64) -> (u64, u64) {
    let game = Graph::new(&large(flow, 7));
    let done = graph(&game, &[way]).expect("a good game");
    let (tables, tier) = (tables(&done), tier_of(2));
    let said = spread_all(3, |wire| {
        let solved = share(way, (&game, tier), &tables, (wire, 16, memory), &()).expect("a good game");
        (solved, wire.exchanges.load(Relaxed), wire.longest.load(Relaxed))
    });
    let shares: Vec<_> = said.iter().map(|(solved, _, _)| solved.clone()).collect();
    assert_eq!(differs(&shares, 16, &done[&tier]), None);
    assert!(said.iter().all(|s| s.1 == said[0].1), "all exchange equally often");
    (said[0].1, said.iter().map(|s| s.2).max().unwrap_or(0))
}

#[test]
fn with_little_memory_there_are_more_and_shorter_messages() {
    for (flow, way) in [(Flow::Leaves, SWEEP), (Flow::Loops, UNMOVES)] {
        let (plenty, little) = (traffic(flow, way, PLENTY), traffic(flow, way, 0));
        assert!(plenty.0 + 20 < little.0, "{plenty:?} {little:?}");
        assert!(plenty.1 > 2 * little.1, "{plenty:?} {little:?}");
    }
}

#[test]
fn the_more_processes_the_less_each_needs() {
    let game = Graph::new(&large(Flow::Leaves, 7));
    let needs = |way: Way| -> [Need; 3] {
        let engine = way.engine(&game);
        let sharing = engine.sharing().expect("it can");
        [1, 2, 10].map(|peers| sharing.need(tier_of(2), peers, 16).expect("it can"))
    };
    for [one, two, ten] in [needs(SWEEP), needs(UNMOVES)] {
        assert!(one.working > two.working && two.working > ten.working);
        assert!(two.result.abs_diff(13_000 / 2) <= 16 && two.working <= two.useful);
    }
    for flow in [Flow::Rises, Flow::Loops] {
        let engine = SWEEP.engine(&Graph::new(&large(flow, 7)));
        assert_eq!(engine.sharing().and_then(|sharing| sharing.need(tier_of(2), 2, 16)), None);
    }
    assert!(LOOPY[0].engine(&game).sharing().is_none());
}
