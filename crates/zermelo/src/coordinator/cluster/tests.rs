//! Ranks as threads of one process: what coordinator and workers do, without MPI.

#![allow(clippy::unwrap_used)]

mod begin;
mod memory;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};

use zermelo_core::{Opened, Tier};

use super::net::{Channel, Net, Received};
use super::{ClusterSolution, solve};
use crate::{Checks, Database, Progress, Settings, SolveError};

/// From whom, about what, and who waits until it is taken in.
type Message = (usize, Channel, Vec<u8>, Option<Sender<()>>);

/// One of several threads that play ranks.
struct Threads {
    rank: usize,
    to: Vec<Sender<Message>>,
    inbox: Mutex<Receiver<Message>>,
    /// What it has told workers.
    orders: Mutex<Vec<Vec<u8>>>,
}

impl Threads {
    fn all(count: usize) -> Vec<Threads> {
        let (to, inboxes): (Vec<_>, Vec<_>) = (0..count).map(|_| mpsc::channel()).unzip();
        let rank = |(rank, inbox)| Threads {
            rank,
            to: to.clone(),
            inbox: Mutex::new(inbox),
            orders: Mutex::default(),
        };
        inboxes.into_iter().enumerate().map(rank).collect()
    }
}

impl Net for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn host(&self) -> String {
        format!("thread-{}", self.rank)
    }

    /// Between peers whoever sends waits until the other has taken it in, as MPI does with large messages: two that
    /// only wait for each other hang here as well.
    fn send(&self, to: usize, channel: Channel, bytes: &[u8]) {
        if channel == Channel::Worker {
            self.orders.lock().unwrap().push(bytes.to_vec());
        }
        let (taken, wait) = mpsc::channel();
        let waits = channel == Channel::Team;
        self.to[to].send((self.rank, channel, bytes.to_vec(), waits.then_some(taken))).unwrap();
        // Others' channels end at once.
        let _ = wait.recv();
    }

    fn receive(&self) -> Received {
        received(self.inbox.lock().unwrap().recv().unwrap())
    }

    fn try_receive(&self) -> Option<Received> {
        let inbox = self.inbox.try_lock().expect("one thread at a time receives");
        inbox.try_recv().ok().map(received)
    }

    fn abort(&self, _: i32) -> ! {
        // What a test sees of it is a failure.
        std::process::abort()
    }
}

/// Ends the run of a rank.
fn failed(net: &dyn Net, error: &SolveError) -> Infallible {
    eprintln!("{error}");
    net.abort(1)
}

fn received((from, channel, bytes, taken): Message) -> Received {
    taken.inspect(|taken| _ = taken.send(()));
    (from, Some(channel), bytes)
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("zermelo-cluster-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Solves with so many ranks; `memory` is each rank's.
fn on_ranks(game: &str, count: usize, data: &Path, memory: impl Fn(usize) -> u64 + Sync) -> ClusterSolution {
    let ways = || crate::Catalogue::standard().open_all(game, None, None, None).unwrap();
    let (solved, nets) = on_nets(Threads::all(count), ways, data, memory);
    for net in nets {
        assert!(net.inbox.lock().unwrap().try_recv().is_err(), "rank {} has a message left", net.rank);
    }
    solved
}

/// Solves with ranks and a game of one's own; gives the ranks back.
fn on_nets<N: Net + 'static>(
    nets: Vec<N>,
    ways: impl Fn() -> Vec<Opened> + Sync,
    data: &Path,
    memory: impl Fn(usize) -> u64 + Sync,
) -> (ClusterSolution, Vec<N>) {
    let settings = |rank| Settings { memory: memory(rank), ..settings(data) };
    on_nets_with(nets, ways, settings)
}

fn settings(data: &Path) -> Settings {
    Settings { data: Some(data.into()), threads: 2, memory: ROOM, ..Settings::default() }
}

fn on_nets_with<N: Net + 'static>(
    nets: Vec<N>,
    ways: impl Fn() -> Vec<Opened> + Sync,
    settings: impl Fn(usize) -> Settings + Sync,
) -> (ClusterSolution, Vec<N>) {
    let (results, nets): (Vec<Option<ClusterSolution>>, Vec<N>) = std::thread::scope(|scope| {
        let (ways, settings) = (&ways, &settings);
        let ranks = nets.into_iter().map(|net| {
            scope.spawn(move || {
                let settings = settings(net.rank());
                let (shown, own) = (Progress::new("solve"), Progress::new("work"));
                let end = |error: &SolveError| failed(&net, error);
                (solve(&net, &ways(), "all the same", &settings, &shown, &own, &end).unwrap(), net)
            })
        });
        let ranks: Vec<_> = ranks.collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).unzip()
    });
    (results.into_iter().flatten().next().unwrap(), nets)
}

/// The tables of a database: how long each is on disk, and what it says.
fn tables(game: &str, data: &Path) -> Vec<(Tier, u64, Vec<u8>)> {
    let game = crate::open(game, None, None).unwrap();
    let database = Database::open(data, &game).unwrap();
    assert!(database.is_complete());
    let reader = database.reader();
    assert!(reader.check().is_empty());
    reader.tiers().into_iter().map(|t| (t, reader.info(t).unwrap().bytes, reader.load(t).unwrap())).collect()
}

/// The tables of a database by one process.
fn alone(game: &str) -> Vec<(Tier, u64, Vec<u8>)> {
    let scratch = Scratch::new(&format!("alone-{game}"));
    let opened = crate::open(game, None, None).unwrap();
    let settings = Settings { data: Some(scratch.0.clone()), threads: 2, ..Settings::default() };
    crate::solve(&opened, &settings, &Progress::new("solve")).unwrap();
    tables(game, &scratch.0)
}

const ROOM: u64 = 1 << 30;

/// Every kind of engine: tables by tier, with loops and without, spilled lattices, and blobs that need marks.
#[test]
fn ranks_find_what_one_process_finds() {
    for game in [
        "mnk:rows=3,cols=3,line=3",
        "quixo:rows=3,cols=3,line=3",
        "connect4:rows=4,cols=4",
        "othello:rows=4,cols=4",
        "xiangqi:pieces=3",
    ] {
        let want = alone(game);
        for count in [1, 2, 3] {
            let scratch = Scratch::new(&format!("{count}-{game}"));
            let solved = on_ranks(game, count, &scratch.0, |_| ROOM);
            assert_eq!(tables(game, &scratch.0), want, "{game} with {count} ranks");
            assert_eq!(solved.ranks.len(), count);
            let tasks: u64 = solved.ranks.iter().map(|rank| rank.stats.tasks).sum();
            assert!(tasks >= want.len() as u64, "{tasks} tasks");
            // A second run has nothing to do.
            let again = on_ranks(game, count, &scratch.0, |_| ROOM).solution;
            assert_eq!(again.resumed_tiers, again.tiers);
            assert_eq!(again.value, solved.solution.value);
        }
    }
}

/// Every rank checks values of the tiers that it solves, the same ones as one process would, and rank 0 tells of all.
#[test]
fn values_are_checked_on_ranks() {
    let (game, checks) = ("connect4:rows=4,cols=4", || Some(Arc::new(Checks::of(300))));
    let [one, two] = ["checked-1", "checked-2"].map(Scratch::new);
    let alone = Settings { check: checks(), ..settings(&one.0) };
    crate::solve(&crate::open(game, None, None).unwrap(), &alone, &Progress::new("solve")).unwrap();
    let own = [checks(), checks()];
    let ways = || crate::Catalogue::standard().open_all(game, None, None, None).unwrap();
    let ranks = |rank: usize| Settings { check: own[rank].clone(), ..settings(&two.0) };
    on_nets_with(Threads::all(2), ways, ranks);
    let told = |check: &Option<Arc<Checks>>| check.as_ref().map_or(0, |c| c.agreed() + c.too_long());
    assert!(told(&alone.check) >= 300, "{}", told(&alone.check));
    assert_eq!(told(&own[0]), told(&alone.check));
    assert!((1..told(&own[0])).contains(&told(&own[1])), "{} by rank 1", told(&own[1]));
}

/// Tiers go to the ranks that have room for them.
#[test]
fn a_small_rank_gets_small_tiers() {
    let game = "quixo:rows=3,cols=4,line=3";
    let (want, scratch) = (alone(game), Scratch::new("small"));
    let opened = crate::open(game, None, None).unwrap();
    let graph = crate::Graph::of(&opened).unwrap();
    let (_, least) = crate::least_memory(&opened, &graph, false);
    let solved = on_ranks(game, 2, &scratch.0, |rank| if rank == 0 { least } else { least / 2 });
    assert_eq!(tables(game, &scratch.0), want);
    assert!(solved.ranks.iter().all(|rank| rank.stats.tasks > 0));
}

/// A tier that fits no rank is solved by all of them, with loops and without, and by lines of blocks.
#[test]
fn a_tier_that_fits_nowhere_is_split() {
    for game in [
        "meaningless:depth=1,width=5,size=6000000",
        "meaningless:depth=1,width=5,size=2000000,loops=1",
        "pentago:section=34094390",
    ] {
        let (want, scratch) = (alone(game), Scratch::new("split"));
        let opened = crate::open(game, None, None).unwrap();
        let graph = crate::Graph::of(&opened).unwrap();
        let (_, least) = crate::least_memory(&opened, &graph, false);
        let solved = on_ranks(game, 4, &scratch.0, |_| least / 4 * 3);
        assert!(tables(game, &scratch.0) == want, "{game}");
        let tasks: u64 = solved.ranks.iter().map(|rank| rank.stats.tasks).sum();
        assert!(tasks > want.len() as u64, "{game}: some tiers were solved by all: {tasks} tasks");
    }
}

#[test]
fn all_ranks_are_told_apart() {
    let nets: Vec<Arc<Threads>> = Threads::all(3).into_iter().map(Arc::new).collect();
    std::thread::scope(|scope| {
        scope.spawn(|| nets[2].send(0, Channel::Team, b"x"));
        assert_eq!(nets[0].receive(), (2, Some(Channel::Team), b"x".to_vec()));
    });
    for channel in [Channel::Coordinator, Channel::Worker, Channel::Team, Channel::End] {
        assert_eq!(Channel::of_tag(channel.tag()), Some(channel));
    }
    assert_eq!(Channel::of_tag(4), None);
}
