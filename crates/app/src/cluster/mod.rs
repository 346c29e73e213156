//! One game on many machines: the same tasks as on one, handed out by a manager to workers.
//!
//! Every process is a rank, with a worker; rank 0 has the manager, too. The manager knows the plan, tells workers
//! what to solve and where its tables lie, and alone writes the manifest. A worker solves with its threads and
//! appends tables to a file of its own in the shared folder (`tables-1.zmo` for rank 0, and so on), so nobody
//! writes to a file of another and only small messages travel. A tier that fits no single rank is solved by all
//! together (`team`). Nobody looks around for work: each thread sleeps until a message comes.
//!
//! When a rank dies, `mpirun` ends the run; when one falls silent, the others notice within [`PATIENCE`] and do.
//! What was finished is on the disk, and the next run, with any number of ranks, goes on from there.

mod clock;
mod held;
mod manager;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod net;
mod office;
mod sizes;
mod team;
#[cfg(test)]
mod tests;
mod worker;

use std::fs::File;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, OnceLock};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;

use zermelo_core::{AnyGame, Need, Tier};

use crate::database::block_entries;
use crate::schedule::{Keeping, already_solved, start_value};
use crate::{Database, Progress, Settings, Solution, SolveError, data_folder};

use manager::{Manager, plan};
use message::{Hello, Stats, ToManager};
use net::Post;
use office::{Office, Rank};
use worker::Worker;

#[cfg(feature = "mpi")]
pub use mpi::Mpi;
pub use net::{Channel, Net, Received};

/// How often a rank gives a sign of life; in tests so often that everything else meets one.
const PULSE: Duration = Duration::from_millis(if cfg!(test) { 5 } else { 2_000 });
/// A rank that is silent for so long is gone.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a run on a cluster gives, on rank 0.
pub struct Solved {
    /// The same as from one machine.
    pub solution: Solution,
    /// What every rank did.
    pub ranks: Vec<RankReport>,
}

/// What a rank did.
#[derive(Clone, Debug)]
pub struct RankReport {
    /// Its machine.
    pub host: String,
    /// Tasks done.
    pub tasks: u64,
    /// Seconds with something to do.
    pub busy: f64,
    /// Seconds without.
    pub idle: f64,
    /// Seconds of all its threads.
    pub cpu: f64,
    /// The most memory it held.
    pub peak_memory: Option<u64>,
}

/// Whether this process was started by `mpirun` or `srun` as one of several.
pub fn is_one_of_many() -> bool {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    // What mpirun says counts before what Slurm says of the whole job.
    let told = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].iter().find_map(|name| number(name));
    let job = number("PMIX_RANK").and_then(|_| number("SLURM_NTASKS"));
    told.or(job).is_some_and(|size| size > 1)
}

/// Solves every tier that the database lacks, with all ranks. The result is rank 0's; the others get `None`.
///
/// `ways` are the game with every engine that can take it; the first one solves, and the first that can split
/// tiers and keeps the same tables solves those that fit no single rank. `options` is all that must be the same
/// everywhere, as text.
pub fn solve(
    net: &dyn Net,
    ways: &[Box<dyn AnyGame>],
    options: &str,
    settings: &Settings,
    progress: &Progress,
    own: &Progress,
) -> Result<Option<Solved>, SolveError> {
    let Some(game) = ways.first().map(|way| &**way) else { return Ok(None) };
    let Some(data) = &settings.data else {
        return Err(SolveError::Cluster("a cluster keeps a database; leave --no-database out".into()));
    };
    let folder = data_folder(data, game);
    let (post, for_manager, for_worker) = Post::new(net);
    // The graph comes later: to find all tiers may take longer than anybody waits for a sign of life.
    let (post, graph) = (&post, OnceLock::new());
    let making = Mutex::default();
    let worker = Worker { game, ways, graph, making, settings, folder: &folder, progress: own, post };
    let (worker, (over, end)) = (&worker, mpsc::channel());
    thread::scope(|scope| {
        start(scope, net, move || worker.pulse(&end));
        if net.rank() == 0 {
            // While the ranks come together. What is wrong with it is told when the manager asks for it.
            start(scope, net, || worker.graph().map(drop));
        }
        post.to_manager(ToManager::Hello(Hello {
            host: net.host(),
            program: program(),
            options: options.to_string(),
            threads: settings.threads,
            memory: settings.memory,
        }));
        let work = move || or_abort(net, worker.run(for_worker));
        // The message of a panic is out by then; the others must not wait.
        let local =
            start(scope, net, move || catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| net.abort(1)));
        let solved = match net.rank() {
            0 => Some(or_abort(net, manage(worker, data, progress, &for_manager))),
            _ => None,
        };
        let _ = local.join();
        drop(over);
        Ok(solved)
    })
}

/// The first engine that can split a tier among so many and keeps the same tables, and what each rank needs.
fn splitter(ways: &[Box<dyn AnyGame>], tier: Tier, count: usize) -> Option<(&dyn AnyGame, Need)> {
    let name = ways.first()?.filing().name;
    let mut same = ways.iter().filter(|way| way.filing().by_tier && way.filing().name == name);
    same.find_map(|way| Some((&**way, way.share_need(tier, count, block_entries(&**way))?)))
}

/// Tells the others that this rank cannot take part, which ends the run; with this exit status where it is rank 0, as
/// it is whenever all were asked for something wrong.
pub fn unable(net: &dyn Net, why: &str, status: i32) -> ! {
    if net.rank() == 0 {
        eprintln!("zermelo: {why}");
        net.abort(status);
    }
    net.send(0, Channel::Manager, &ToManager::Unable(why.into()).bytes());
    // Rank 0 says why and ends this process, too.
    loop {
        net.receive();
    }
}

/// Starts a thread of this rank; without one the rank cannot take part.
fn start<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    net: &dyn Net,
    work: impl FnOnce() -> T + Send + 's,
) -> ScopedJoinHandle<'s, T> {
    let started = thread::Builder::new().spawn_scoped(scope, work);
    or_abort(net, started.map_err(|error| SolveError::Threads(crate::machine::no_threads(1, &error))))
}

/// Ends all ranks when one cannot go on: the others may be in the middle of something that takes hours.
fn or_abort<T>(net: &dyn Net, result: Result<T, SolveError>) -> T {
    result.unwrap_or_else(|error| {
        eprintln!("zermelo: {error}");
        net.abort(1)
    })
}

/// What rank 0 does besides working.
fn manage(
    worker: &Worker<'_>,
    data: &Path,
    progress: &Progress,
    inbox: &Receiver<(usize, ToManager)>,
) -> Result<Solved, SolveError> {
    let &Worker { game, ways, settings, post, .. } = worker;
    let mut office = Office::open(post, inbox, progress)?;
    let solved = office.meanwhile(|| already_solved(game, worker.graph()?, settings))??;
    let graph = worker.graph()?;
    let solution = match solved {
        Some(solution) => {
            office.close()?;
            solution
        }
        None => {
            let keeping =
                office.meanwhile(|| Keeping::begin(game, data, settings.fresh)?.for_ranks(game))??;
            let memory: Vec<u64> = office.ranks.iter().map(|rank| rank.hello.memory).collect();
            let (plan, sizes) = office.meanwhile(|| plan(game, graph, &keeping, &memory))?;
            let manager = Manager::new(ways, graph, &keeping, plan, sizes, progress, &mut office);
            let resumed = manager.run()?;
            let value = start_value(game, &Database::over(keeping.writer.reader(0)))?;
            // Before the ranks take away what they have parked.
            office.meanwhile(|| keeping.complete(game, graph, value))??;
            office.close()?;
            keeping.finish(game, graph, resumed, value)?
        }
    };
    Ok(Solved { solution, ranks: office.ranks.into_iter().map(report).collect() })
}

fn report(rank: Rank) -> RankReport {
    let Stats { tasks, busy, idle, cpu, peak_memory } = rank.stats.unwrap_or_default();
    RankReport { host: rank.hello.host, tasks, busy, idle, cpu, peak_memory }
}

/// The version of this program and a checksum of its file.
fn program() -> String {
    let sum = std::env::current_exe().and_then(File::open).and_then(checksum).unwrap_or(0);
    format!("zermelo {} ({sum:08x})", env!("CARGO_PKG_VERSION"))
}

/// A piece at a time: to make room for all of a program takes longer than to read it.
fn checksum(mut file: File) -> io::Result<u32> {
    let (mut hasher, mut piece) = (crc32fast::Hasher::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hasher.finalize()),
            some => hasher.update(&piece[..some]),
        }
    }
}

/// What the names of the files begin with by which ranks find out whether they share a folder.
const PROBE: &str = "probe";

/// Such a file of a run: the manager's, or a rank's answer.
fn probe_name(run: &str, rank: Option<usize>) -> String {
    rank.map_or(format!("{PROBE}-{run}"), |rank| format!("{PROBE}-{run}-{rank}"))
}
