//! One tier solved by several processes: the shares, one after another, are the table that one process
//! writes, byte for byte. And whatever goes wrong at one process, all end with an error.

mod sections;
mod trouble;
mod wire;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use proptest::prelude::*;
use zermelo_core::{
    AnyGame, Engine, EngineError, Flow, Need, Reason, ShareJob, Shares, Solved, StoredChild, Tier, Tiers,
    Watch, Width,
};
use zermelo_engines::{Retrograde, Sweep, Unmoves, open};

use crate::graph::{Graph, Layer, graphs, large, tall_graphs, tier_of};
use crate::run::{Answer, Done, LOOPY, PLENTY, SWEEP, Way, graph};
use crate::stored::soil;
use wire::{Wire, spread_all};

/// A table as it is stored: its width, and its codes with rubbish where nobody will ask.
struct Table {
    width: Width,
    bytes: Vec<u8>,
}

impl Table {
    fn of(solved: &Arc<dyn Solved>) -> Table {
        let mut bytes = vec![];
        solved.write(0..solved.entries(), &mut bytes);
        soil(&mut bytes, solved.width(), &[0, 253, 17, 254, 95, 200, 1]);
        Table { width: solved.width(), bytes }
    }

    fn read(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), Reason> {
        let at = |i: u64| i as usize * self.width.bytes();
        out.extend(self.bytes.get(at(range.start)..at(range.end)).ok_or("past the end")?);
        Ok(())
    }
}

/// The tables of a game.
type Tables = HashMap<Tier, Table>;

fn tables(done: &Done) -> Tables {
    done.iter().map(|(tier, solved)| (*tier, Table::of(solved))).collect()
}

/// What processes made of a tier, against what one made of it: says what differs.
fn differs(shares: &[Arc<dyn Solved>], block: u64, whole: &Arc<dyn Solved>) -> Option<String> {
    let cut = Shares::new(whole.entries(), shares.len(), block);
    let (mut bytes, mut want) = (vec![], vec![]);
    for (peer, share) in shares.iter().enumerate() {
        let range = cut.range(peer);
        if share.entries() != range.end - range.start || share.width() != whole.width() {
            return Some(format!("share {peer} has {} codes of {:?}", share.entries(), share.width()));
        }
        // In two pieces, numbered from the share's start.
        let half = share.entries() / 2;
        share.write(0..half, &mut bytes);
        share.write(half..share.entries(), &mut bytes);
    }
    whole.write(0..whole.entries(), &mut want);
    let positions: u64 = shares.iter().map(|share| share.positions()).sum();
    if positions != whole.positions() {
        return Some(format!("{positions} positions, not {}", whole.positions()));
    }
    (bytes != want).then(|| format!("byte {:?}", bytes.iter().zip(&want).position(|(a, b)| a != b)))
}

/// The tiers of a game, children first, and each solved by one process.
fn solved(game: &dyn AnyGame) -> (Vec<Tier>, Done) {
    fn visit(game: &dyn AnyGame, tier: Tier, seen: &mut BTreeMap<Tier, ()>, order: &mut Vec<Tier>) {
        if seen.insert(tier, ()).is_none() {
            game.children(tier).into_iter().for_each(|child| visit(game, child, seen, order));
            order.push(tier);
        }
    }
    let (mut order, mut done) = (vec![], Done::new());
    game.roots().into_iter().for_each(|root| visit(game, root, &mut BTreeMap::new(), &mut order));
    let mut seen = BTreeMap::new();
    order.retain(|tier| seen.insert(*tier, ()).is_none());
    for tier in &order {
        let children: Vec<_> = game.children(*tier).iter().map(|t| done[t].clone()).collect();
        done.insert(*tier, game.solve(*tier, None, &children, PLENTY, &()).expect("a good game"));
    }
    (order, done)
}

/// Solves every tier of a variant with so many processes, and compares.
fn right(name: &str, engine: &str, objective: Option<&str>, counts: &[usize], block: u64, memory: u64) {
    let game = open(name, Some(engine), objective).expect("opens");
    let (order, done) = solved(&*game);
    let tables = tables(&done);
    for (count, tier) in counts.iter().flat_map(|count| order.iter().map(move |tier| (*count, *tier))) {
        let below = game.children(tier);
        let shares = spread_all(count, |wire| {
            let reads: Vec<_> =
                below.iter().map(|t| |range, out: &mut _| tables[t].read(range, out)).collect();
            let children: Vec<_> =
                below.iter().zip(&reads).map(|(t, read)| (tables[t].width, read as &_)).collect();
            game.solve_share(tier, &children, block, wire, memory, &()).expect("a good game")
        });
        assert_eq!(differs(&shares, block, &done[&tier]), None, "{name} with {count}, tier {tier}");
    }
}

#[test]
fn sweeps_are_as_of_one_process() {
    right("mnk", "sweep", None, &[1, 2, 3, 5], 4, PLENTY);
    right("mnk:rows=3,cols=4,line=3", "sweep", None, &[2, 3], 64, 0);
    right("connect4:rows=3,cols=4", "sweep", None, &[2, 5], 16, PLENTY);
    right("connect4:rows=4,cols=4", "sweep", None, &[3], 1 << 10, 0);
}

#[test]
fn margins_and_moves_of_the_same_player_are_as_of_one_process() {
    right("othello:rows=4,cols=4", "sweep", Some("margin"), &[2], 16, PLENTY);
}

#[test]
fn loops_are_as_of_one_process() {
    right("quixo:rows=2,cols=3,line=2", "unmoves", None, &[1, 2, 5], 4, PLENTY);
    right("quixo:rows=3,cols=3,line=3", "unmoves", None, &[1, 2, 3, 5], 16, PLENTY);
    right("quixo:rows=3,cols=4,line=3", "unmoves", None, &[3], 1 << 9, 0);
    right("slide:rows=2,cols=3", "unmoves", None, &[1, 2, 5], 4, PLENTY);
}

#[test]
fn endgames_are_as_of_one_process() {
    right("xiangqi:material=KPk", "unmoves", None, &[1, 3], 1 << 8, PLENTY);
    right("xiangqi:pieces=3", "unmoves", None, &[2], 1 << 10, 0);
}

/// Solves a tier of a graph with the others; `tables` are those below.
fn share<E: Engine<Graph>>(
    game: &Graph,
    tier: Tier,
    tables: &Tables,
    (wire, block, memory): (&Wire, u64, u64),
    watch: &dyn Watch,
) -> Answer {
    let below = game.children(tier);
    let reads: Vec<_> = below.iter().map(|t| |range, out: &mut _| tables[t].read(range, out)).collect();
    let child = |(tier, read): (&Tier, _)| StoredChild {
        tier: *tier,
        index: Arc::new(*tier),
        width: tables[tier].width,
        read,
    };
    let children = below.iter().zip(reads.iter().map(|read| read as &_)).map(child).collect();
    E::solve_share(&ShareJob {
        game,
        tier,
        index: Arc::new(tier),
        children,
        block,
        peers: wire,
        memory,
        watch,
    })
}

/// Says in which tier of a graph shares differ from the whole, if any.
fn graph_differs<E: Engine<Graph>>(
    layers: &[Layer],
    way: Way,
    (count, block, memory): (usize, u64, u64),
) -> Option<String> {
    let game = Graph::new(layers);
    let done = graph(&game, &[way]).expect("a good game");
    let tables = tables(&done);
    (0..game.layers()).map(tier_of).find_map(|tier| {
        let wide = |t: &Tier| tables[t].width == Width::Two;
        let short = memory < PLENTY && (wide(&tier) || game.children(tier).iter().any(wide));
        let shares = spread_all(count, |wire| share::<E>(&game, tier, &tables, (wire, block, memory), &()));
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
        prop_assert_eq!(graph_differs::<Sweep>(&layers, SWEEP, (count, 1 << block, PLENTY)), None);
    }

    #[test]
    fn random_loops_are_as_of_one_process(
        layers in graphs(&[Flow::Leaves, Flow::Rises, Flow::Loops]), count in 1..6usize, block in 0..5u64,
    ) {
        prop_assert_eq!(graph_differs::<Unmoves>(&layers, LOOPY[1], (count, 1 << block, 0)), None);
    }

    #[test]
    fn random_long_games_are_as_of_one_process(
        layers in tall_graphs(&[Flow::Leaves, Flow::Loops]), count in 2..4usize, memory in prop::sample::select(vec![0, PLENTY]),
    ) {
        prop_assert_eq!(graph_differs::<Unmoves>(&layers, LOOPY[1], (count, 4, memory)), None);
    }
}

/// The most exchanges of a process, and its longest message, for the last tier of a large graph.
fn traffic<E: Engine<Graph>>(flow: Flow, way: Way, memory: u64) -> (u64, u64) {
    let game = Graph::new(&large(flow, 7));
    let done = graph(&game, &[way]).expect("a good game");
    let (tables, tier) = (tables(&done), tier_of(2));
    let said = spread_all(3, |wire| {
        let solved = share::<E>(&game, tier, &tables, (wire, 16, memory), &()).expect("a good game");
        (solved, wire.exchanges.load(Relaxed), wire.longest.load(Relaxed))
    });
    let shares: Vec<_> = said.iter().map(|(solved, _, _)| solved.clone()).collect();
    assert_eq!(differs(&shares, 16, &done[&tier]), None);
    assert!(said.iter().all(|s| s.1 == said[0].1), "all exchange equally often");
    (said[0].1, said.iter().map(|s| s.2).max().unwrap_or(0))
}

#[test]
fn with_little_memory_there_are_more_and_shorter_messages() {
    for (plenty, little) in [
        (traffic::<Sweep>(Flow::Leaves, SWEEP, PLENTY), traffic::<Sweep>(Flow::Leaves, SWEEP, 0)),
        (traffic::<Unmoves>(Flow::Loops, LOOPY[1], PLENTY), traffic::<Unmoves>(Flow::Loops, LOOPY[1], 0)),
    ] {
        assert!(plenty.0 + 20 < little.0, "{plenty:?} {little:?}");
        assert!(plenty.1 > 2 * little.1, "{plenty:?} {little:?}");
    }
}

#[test]
fn the_more_processes_the_less_each_needs() {
    let game = Graph::new(&large(Flow::Leaves, 7));
    let needs = |need: fn(&Graph, Tier, usize, u64) -> Option<Need>| {
        [1, 2, 10].map(|peers| need(&game, tier_of(2), peers, 16).expect("it can"))
    };
    for [one, two, ten] in [needs(<Sweep>::share_need), needs(Unmoves::share_need)] {
        assert!(one.working > two.working && two.working > ten.working);
        assert!(two.result.abs_diff(13_000 / 2) <= 16 && two.working <= two.useful);
    }
    for flow in [Flow::Rises, Flow::Loops] {
        let game = Graph::new(&large(flow, 7));
        assert_eq!(<Sweep>::share_need(&game, tier_of(2), 2, 16), None);
    }
    assert_eq!(Retrograde::share_need(&game, tier_of(2), 2, 16), None);
}
