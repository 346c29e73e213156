//! One game on many machines: the tasks of a run on one, handed out by rank 0 to all.
//!
//! Every process is a rank, with a worker. Rank 0 also runs the coordinator, which tells the workers what to solve and
//! where the tables for it lie, and alone writes the manifest. A worker solves with its threads and appends tables to a
//! file of its own in the shared folder (`tables-1.zmo` for rank 0, and so on). So no process writes to a file of
//! another, and only small messages are sent. A tier that fits no single rank is solved by all together (`team`). No
//! thread polls for work: each sleeps until a message comes.
//!
//! When a rank dies, `mpirun` ends the run. When a rank falls silent, the others notice within 30 seconds and end the
//! run.
//! What was finished is on the disk, and the next run, with any number of ranks, goes on from there.

mod clock;
mod mailbox;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod net;
mod process;
mod ranks;
mod roster;
mod team;
#[cfg(test)]
mod tests;
mod worker;

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use zermelo_core::{Need, Opened, Tier};

use super::run::{Coordinator, Run};
use super::session::{Session, already_solved};
use super::{Result, Settings, Solution, SolveError, start_value};
use crate::database::block_entries;
use crate::{Database, Progress, data_folder};

use mailbox::Mailbox;
use message::{Hello, ToCoordinator, in_bytes};
use process::Process;
use ranks::Ranks;
use roster::{Rank, Roster};

pub use message::Stats;
#[cfg(feature = "mpi")]
pub use mpi::Mpi;
pub use net::{Channel, Net, Received};

/// How often a rank gives a heartbeat; in tests so often that everything else meets one.
const HEARTBEAT: Duration = Duration::from_millis(if cfg!(test) { 5 } else { 2_000 });
/// A rank that is silent for so long is gone.
const SILENCE_LIMIT: Duration = Duration::from_secs(30);

/// What helps where ranks do not see each other's files.
const SHARED: &str = "give a directory that all machines share with --data";

/// A function that tells why the run cannot go on, and ends all processes of the run with [`Net::abort`], as the others
/// may be in the middle of something that takes hours. The function never returns.
pub type End<'a> = dyn Fn(&SolveError) -> Infallible + Sync + 'a;

/// The result of a run on a cluster, which rank 0 gets.
pub struct ClusterSolution {
    /// The solution, as a solve on one machine gives it.
    pub solution: Solution,
    /// What every rank did, by its number.
    pub ranks: Vec<RankReport>,
}

/// What one rank of a cluster did.
#[derive(Clone, Debug)]
pub struct RankReport {
    /// The name of the machine that the rank ran on.
    pub host: String,
    /// How busy the rank was.
    pub stats: Stats,
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
/// everywhere, as text. Any rank calls `end` when it cannot go on.
pub fn solve(
    net: &dyn Net,
    ways: &[Opened],
    options: &str,
    settings: &Settings,
    progress: &Progress,
    own: &Progress,
    end: &End<'_>,
) -> Result<Option<ClusterSolution>> {
    let Some(game) = ways.first() else { return Ok(None) };
    let Some(data) = &settings.data else {
        return Err(lost("a cluster keeps a database; leave --no-database out".into()));
    };
    let folder = data_folder(data, game);
    progress.names_tiers_of(game);
    own.names_tiers_of(game);
    let (mailbox, for_coordinator, for_worker) = Mailbox::new(net, end);
    // The graph comes later: to find all tiers may take longer than anybody waits for a heartbeat.
    let (mailbox, graph) = (&mailbox, OnceLock::new());
    let making = Mutex::default();
    let process = Process { game, ways, graph, making, settings, folder: &folder, progress: own, mailbox };
    let (process, (over, ended)) = (&process, mpsc::channel());
    thread::scope(|scope| {
        mailbox.start(scope, move || process.heartbeat(&ended));
        if net.rank() == 0 {
            // While the ranks come together. What is wrong with it is told when the coordinator asks for it.
            mailbox.start(scope, || process.graph().map(drop));
        }
        mailbox.to_coordinator(ToCoordinator::Hello(Hello {
            host: net.host(),
            program: program(),
            options: options.to_string(),
            threads: settings.threads,
            memory: settings.memory,
        }));
        let work = move || mailbox.or_end(process.run(for_worker).map_err(|error| error.named(game)));
        // The message of a panic is out by then; the others must not wait.
        let panicked = move || lost(format!("rank {} met a fault in zermelo; please report it", net.rank()));
        let work = move || catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| mailbox.end(&panicked()));
        let local = mailbox.start(scope, work);
        let solved = match net.rank() {
            0 => {
                let solved = coordinate(process, data, progress, &for_coordinator);
                Some(mailbox.or_end(solved.map_err(|error| error.named(game))))
            }
            _ => None,
        };
        let _ = local.join();
        drop(over);
        Ok(solved)
    })
}

/// The first engine that can split a tier among so many and keeps the same tables, and what each rank needs.
fn splitter(ways: &[Opened], tier: Tier, count: usize) -> Option<(&Opened, Need)> {
    let name = ways.first()?.tiers().filing().name;
    let mut same =
        ways.iter().filter(|way| way.tiers().filing().by_tier && way.tiers().filing().name == name);
    same.find_map(|way| Some((way, way.engine().sharing()?.need(tier, count, block_entries(way))?)))
}

/// Tells the others that this rank cannot take part, which ends the run. Returns on rank 0 alone, which then says why
/// and ends all processes; the others wait for that.
pub fn withdraw(net: &dyn Net, why: &str) {
    if net.rank() != 0 {
        net.send(0, Channel::Coordinator, &in_bytes(&ToCoordinator::Unable(why.into())));
        loop {
            net.receive();
        }
    }
}

/// A run that cannot go on.
fn lost(told: String) -> SolveError {
    SolveError::Cluster(told)
}

/// What rank 0 does besides working.
fn coordinate(
    process: &Process<'_>,
    data: &Path,
    progress: &Progress,
    inbox: &Receiver<(usize, ToCoordinator)>,
) -> Result<ClusterSolution> {
    let &Process { game, ways, settings, mailbox, .. } = process;
    let mut roster = Roster::open(mailbox, inbox, progress)?;
    let solved = roster.meanwhile(|| already_solved(game, process.graph()?, settings))??;
    let graph = process.graph()?;
    let solution = match solved {
        Some(solution) => {
            roster.close()?;
            solution
        }
        None => {
            let begin = || Session::begin(game, data, settings.fresh, progress)?.for_ranks(game);
            let session = roster.meanwhile(begin)??;
            let memory: Vec<u64> = roster.ranks.iter().map(|rank| rank.hello.memory).collect();
            let (records, counting) = (session.records(), session.counting());
            let run = roster.meanwhile(|| Run::new(game, graph, Some(&records), counting, &memory))?;
            drop(records);
            progress.expect_all(&run.plan.left(true));
            roster.probe(&session)?;
            let ranks = Ranks::new(ways, graph, &session, progress, &mut roster);
            let (resumed, _) = Coordinator::go(run, ranks, progress)?;
            let value = start_value(game, &Database::over(session.writer.reader(0), game))?;
            // Before the ranks take away what they have spilled.
            roster.meanwhile(|| session.complete(game, graph, value))??;
            roster.close()?;
            session.finish(game, graph, resumed, value)?
        }
    };
    let others = roster.ranks.iter().skip(1).filter_map(|rank| rank.stats.as_ref());
    // Rank 0's worker has counted its own there.
    settings.check.iter().for_each(|checks| others.clone().for_each(|stats| checks.add(stats.checked)));
    let report = |rank: Rank| RankReport { host: rank.hello.host, stats: rank.stats.unwrap_or_default() };
    Ok(ClusterSolution { solution, ranks: roster.ranks.into_iter().map(report).collect() })
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

/// The name of a probe file of a run: the coordinator's, or the answer of a rank.
fn probe_name(run: &str, rank: Option<usize>) -> String {
    rank.map_or(format!("{PROBE}-{run}"), |rank| format!("{PROBE}-{run}-{rank}"))
}
