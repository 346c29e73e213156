//! Which rank has room for a tier, where that is known only while the game is being solved.

use std::collections::BTreeSet;
use std::sync::Arc;

use zermelo_core::{Opened, Reached, Tier, Width};
use zermelo_store::{Disk, Reader, Writer, pack};

use super::super::message::{Assignment, ToWorker};
use super::{ROOM, Scratch, Threads, alone, on_nets, on_ranks, tables};
use crate::coordinator::Graph;
use crate::coordinator::plan::Kind;
use crate::coordinator::run::Run;
use crate::coordinator::session::Session;
use crate::coordinator::sizes::{Size, Sizes};
use crate::{Progress, data_folder, database, least_memory};

/// Long lines of play: most tiers need two bytes a number.
const LONG: &str = "meaningless:depth=150,width=4,moves=1,size=3000";

fn opened(game: &str) -> (Opened, Graph) {
    let game = crate::open(game, None, None).unwrap();
    let graph = Graph::of(&game).unwrap();
    (game, graph)
}

/// What the tiers below one take, as they are stored.
fn below(graph: &Graph, at: usize, reader: &Reader) -> u64 {
    let bytes = |child: &usize| {
        let table = reader.info(graph.nodes[*child].tier).unwrap();
        table.entries * table.width.bytes() as u64
    };
    graph.nodes[at].children.iter().map(bytes).sum()
}

/// The engine of Othello knows the sizes of tiers once their positions are found: at first it takes those of a tier and
/// of the one above for 24 MiB each.
#[test]
fn tiers_are_given_the_room_that_they_turn_out_to_need() {
    let game = "othello:rows=4,cols=4";
    let scratch = Scratch::new("found");
    on_ranks(game, 2, &scratch.0, |_| 40 << 20);
    assert_eq!(tables(game, &scratch.0), alone(game));
}

#[test]
fn what_a_worker_finds_out_the_coordinator_knows() {
    let (coordinator, graph) = opened("othello:rows=4,cols=4");
    let (worker, _) = opened("othello:rows=4,cols=4");
    let mut sizes = Sizes::new(&coordinator, &graph);
    let mut above: Vec<(Tier, Arc<dyn Reached>)> = vec![];
    // One tier below the other.
    for (at, node) in graph.nodes.iter().enumerate().rev() {
        let here = worker.reach().empty(node.tier, at == graph.root);
        worker.reach().discover(node.tier, &*here, &above, &[], &());
        for place in node.children.iter().chain([&at]) {
            sizes.learn(*place, Size::of(&worker, graph.nodes[*place].tier));
        }
        above = vec![(node.tier, here)];
    }
    let want = Sizes::new(&worker, &graph);
    for at in 0..graph.nodes.len() {
        let all = |sizes: &Sizes<'_>| (sizes.alone(at), sizes.above(at), sizes.below(at));
        assert_eq!(all(&sizes), all(&want));
    }
    let before = sizes.below(graph.root);
    sizes.learn_solved(graph.nodes[graph.root].children[0], 12 << 20);
    assert!(before < 1 << 20 && sizes.below(graph.root) == (12 << 20) + sizes.index);
    assert_eq!(sizes.alone(graph.root), want.alone(graph.root), "the others are as they were");
}

/// Rank 1 has room for every tier if those below had one byte a number, and gets none above wider ones that it has no
/// room for.
#[test]
fn tiers_above_wide_ones_go_where_there_is_room() {
    let (game, graph) = opened(LONG);
    let (_, least) = least_memory(&game, &graph, false);
    let scratch = Scratch::new("wide");
    let solved = on_ranks(LONG, 2, &scratch.0, |rank| if rank == 0 { ROOM } else { least });
    assert!(solved.ranks.iter().all(|rank| rank.stats.tasks > 50), "{:?}", solved.ranks);
    let folder = Disk::new(data_folder(&scratch.0, &game));
    let writer = Writer::open(folder, database::identity(&game)).unwrap();
    let reader = writer.reader(0);
    let mut large = 0;
    for (at, node) in graph.nodes.iter().enumerate() {
        let need =
            game.engine().need(node.tier).working + below(&graph, at, &reader) + game.tiers().index_bytes();
        if need > least {
            large += 1;
            assert_eq!(writer.extent(node.tier).unwrap().file, 1, "tier {} is rank 0's", node.tier);
        }
    }
    assert!(large > 20, "{large} tiers have room in rank 0 alone");
}

/// A tier whose own values turn out to take two bytes is given back, and goes where there is room for that.
#[test]
fn tiers_with_long_lines_are_given_out_again() {
    let name = "meaningless:depth=60,width=4,moves=1,size=3000,loops=1";
    let ways = || crate::Catalogue::standard().open_all(name, Some("unmoves"), None, None).unwrap();
    let game = &ways()[0];
    let graph = Graph::of(game).unwrap();
    let (_, least) = least_memory(game, &graph, false);
    let scratch = Scratch::new("long");
    on_nets(Threads::all(2), ways, &scratch.0, |rank| if rank == 0 { ROOM } else { least });
    assert_eq!(tables(name, &scratch.0), alone(name));
    let folder = Disk::new(data_folder(&scratch.0, game));
    let writer = Writer::open(folder, database::identity(game)).unwrap();
    let reader = writer.reader(0);
    let mut large = 0;
    for (at, node) in graph.nodes.iter().enumerate() {
        let need =
            game.engine().need(node.tier).useful + below(&graph, at, &reader) + game.tiers().index_bytes();
        if reader.info(node.tier).unwrap().width == Width::Two && need > least {
            large += 1;
            assert_eq!(writer.extent(node.tier).unwrap().file, 1, "tier {} is rank 0's", node.tier);
        }
    }
    assert!(large > 5, "{large} tiers have room in rank 0 alone");
}

/// A run that is resumed counts the tables that are there as what they take.
#[test]
fn a_later_run_knows_what_stored_tiers_take() {
    let (game, graph) = opened(LONG);
    let [whole, part] = ["wide-whole", "wide-part"].map(Scratch::new);
    on_ranks(LONG, 1, &whole.0, |_| ROOM);
    let reader = Reader::open(&Disk::new(data_folder(&whole.0, &game)), 0).unwrap();
    let session = Session::begin(&game, &part.0, false, &Progress::new("test")).unwrap();
    // Lines of play get long far up.
    let most = graph.nodes.len() / 10 * 9;
    for node in &graph.nodes[..most] {
        let (table, mut codes) = (reader.info(node.tier).unwrap(), reader.load(node.tier).unwrap());
        let per = table.block_entries as usize * table.width.bytes();
        let blocks: Vec<_> =
            codes.chunks_mut(per).map(|codes| pack(&mut codes.to_vec(), table.width, 1)).collect();
        session.writer.append(node.tier, table.width, table.entries, table.positions, &blocks).unwrap();
    }
    let Run { plan, sizes, .. } =
        Run::new(&game, &graph, Some(&session.records()), session.counting(), &[ROOM]);
    assert_eq!(plan.resumed(), most as u64);
    let mut wide = 0;
    for (at, node) in graph.nodes.iter().enumerate() {
        if !plan.done[at] && node.children.iter().all(|child| plan.done[*child]) {
            assert_eq!(sizes.below(at), below(&graph, at, &reader) + game.tiers().index_bytes());
            wide += node
                .children
                .iter()
                .filter(|c| reader.info(graph.nodes[**c].tier).unwrap().width == Width::Two)
                .count();
        }
    }
    assert!(wide > 0, "some tiers below have two bytes a number");
}

/// The tasks that the coordinator has sent to other ranks.
fn assignments(coordinator: &Threads) -> Vec<Assignment> {
    let said = coordinator.orders.lock().unwrap();
    let said = said.iter().filter_map(|bytes| serde_json::from_slice::<ToWorker>(bytes).ok());
    said.filter_map(|told| if let ToWorker::Task(task) = told { Some(task) } else { None }).collect()
}

/// Where tiers cannot be read from their tables and all together take more than there is room for, a run goes down to
/// the end of the game and solves on the way back; else the longest chain comes first, which marks all tiers early.
#[test]
fn few_tiers_wait_where_there_is_no_room_for_all() {
    let name = "connect4:rows=5,cols=5";
    let (game, graph) = opened(name);
    let (all, want) = (Sizes::new(&game, &graph).all(true), alone(name));
    // The most numbers of tiers that are marked and not solved. Rank 0 has no room, so that every task is sent.
    let waiting = |memory: u64| {
        let scratch = Scratch::new("few");
        let ways = || crate::Catalogue::standard().open_all(name, None, None, None).unwrap();
        let (_, nets) = on_nets(Threads::all(2), ways, &scratch.0, |rank| if rank == 0 { 0 } else { memory });
        assert!(tables(name, &scratch.0) == want, "with {memory} bytes");
        let mut marked = 0;
        let after = assignments(&nets[0]).into_iter().map(|Assignment { order, .. }| {
            let task = order.task;
            let size = graph.nodes[task.at].size as i64;
            marked += if task.kind == Kind::Discover { size } else { -size };
            marked
        });
        after.max().unwrap()
    };
    // A quarter of the memory counts.
    let (little, plenty) = (waiting(4 * all - 4), waiting(4 * all));
    assert!(little * 2 < plenty, "{little} and {plenty} numbers wait");
}

#[test]
fn ranks_let_go_of_what_nobody_wants() {
    let games: [(&str, &[Kind]); 2] =
        [("connect4:rows=3,cols=4", &[Kind::Discover, Kind::Solve]), (LONG, &[Kind::Solve])];
    for (name, kinds) in games {
        let (_, graph) = opened(name);
        let scratch = Scratch::new("unwanted");
        let ways = || crate::Catalogue::standard().open_all(name, None, None, None).unwrap();
        let (_, nets) = on_nets(Threads::all(2), ways, &scratch.0, |_| ROOM);
        let unwanted: Vec<_> = assignments(&nets[0]).into_iter().flat_map(|task| task.unwanted).collect();
        for kind in kinds {
            let tiers: BTreeSet<usize> =
                unwanted.iter().filter(|(k, _)| k == kind).map(|(_, at)| *at).collect();
            // Not all: what the last orders leave is not told any more, and it is a small game.
            assert!(tiers.len() * 4 > graph.nodes.len(), "{name}: {kind:?} {tiers:?}");
        }
    }
}
