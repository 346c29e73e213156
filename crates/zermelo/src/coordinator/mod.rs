//! The coordinator: walks the tier graph from the end of the game backwards, and decides which tier is solved when,
//! where, and with how much memory. It knows tiers and tables, no games.
//!
//! A run ([`run`]) has a plan and gives tasks to workers that have time and room. A run in one process ([`local`]) has
//! one worker, whose threads take up many small tiers at once, and help with a big one from inside. On a cluster
//! ([`cluster`]) every process is a worker. Tables that are in the database count as done, so a killed run goes on where
//! it stopped.
//!
//! Nothing here prints or ends the process: errors are returned, and remarks go to whoever shows the [`Progress`].

mod cache;
mod checks;
pub mod cluster;
#[cfg(test)]
mod damage;
mod error;
mod graph;
mod local;
mod memory;
mod plan;
mod records;
mod run;
mod saves;
mod session;
mod sizes;
mod task;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use zermelo_core::{Count, Opened, Tables, Tier, Value};
use zermelo_store::{COMPRESSOR_BYTES, ScratchFiles, limit_compressors};

use crate::{Progress, available_memory};

pub use checks::Checks;
pub use error::{Result, SolveError, bytes};
pub use graph::{Graph, GraphExtent};
pub(crate) use graph::{Node, Step, TierWalk};
use memory::LeftOut;
pub(crate) use memory::memory_for;
pub use memory::{check_memory, fitting, least_memory};
pub(crate) use plan::Left;
use records::Records;
pub(crate) use session::Checkpoint;
use session::{Session, already_solved};
use task::Worker;
pub(crate) use task::panicked;

/// One part in so many of the memory is for threads that pack tables.
const PACKING: u64 = 8;

/// The settings of a solve: where files are kept, and how much of the machine is used.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The directory where databases are kept; `None` to keep no database.
    pub data: Option<PathBuf>,
    /// The directory where a solve without a database keeps spilled tiers and counts, so that it can be resumed after a
    /// kill; `None` to keep all in memory.
    pub resume: Option<PathBuf>,
    /// Threads to use.
    pub threads: usize,
    /// The most bytes of memory to use.
    pub memory: u64,
    /// Whether to start over where there is a database.
    pub fresh: bool,
    /// Checks of values by searches while tiers are solved; `None` for no checks.
    pub check: Option<Arc<Checks>>,
    /// How often the state of a tier that takes long is saved beside its database, for a killed run to go on from.
    pub save_every: Duration,
    /// Whether to solve what fits the memory where some tiers do not.
    pub keep_going: bool,
}

impl Default for Settings {
    /// All cores, three quarters of the memory that is free, no database.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let memory = available_memory().unwrap_or(4 << 30) / 4 * 3;
        Settings {
            data: None,
            resume: None,
            threads,
            memory,
            fresh: false,
            check: None,
            save_every: saves::EVERY,
            keep_going: false,
        }
    }
}

impl Settings {
    /// Has no more threads pack tables at once than there is memory for, and gives the bytes that these take.
    pub(crate) fn share_packers(&self) -> u64 {
        let share = self.memory / PACKING;
        let packers = ((share / COMPRESSOR_BYTES) as usize).clamp(1, self.threads.max(1));
        limit_compressors(Some(packers).filter(|packers| *packers < self.threads));
        share.min(packers as u64 * COMPRESSOR_BYTES)
    }

    /// The threads to work with.
    pub(crate) fn pool(&self) -> Result<rayon::ThreadPool> {
        crate::machine::pool(self.threads).map_err(SolveError::Threads)
    }
}

/// The result of a solve.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The value of the start.
    pub value: Value,
    /// How many tiers the game has.
    pub tiers: u64,
    /// How many numbers all tiers have, those without a position included; or, where only reached positions are solved,
    /// how many positions were reached.
    pub entries: u64,
    /// Tiers that were already solved.
    pub resumed_tiers: u64,
    /// Bytes of all files of the database; 0 without one.
    pub database_bytes: u64,
}

impl Solution {
    fn new(graph: &Graph, entries: u64, resumed_tiers: u64, value: Value, database_bytes: u64) -> Solution {
        let tiers = graph.nodes.len() as u64;
        Solution { value, tiers, entries, resumed_tiers, database_bytes }
    }
}

/// Takes the counts of tiers.
pub(crate) trait Counting: Sync {
    /// Whether a tier was counted in an earlier run.
    fn has(&self, tier: Tier) -> bool;
    /// Takes the counts of a tier that was just solved, before it is stored.
    fn take(&self, tier: Tier, counts: Vec<Count>) -> Result<()>;
}

/// Solves a game: every tier that its database lacks, or every tier where there is no database. Where positions are
/// counted while they are solved, the counts go into the database too.
pub fn solve(game: &Opened, settings: &Settings, progress: &Progress) -> Result<Solution> {
    progress.names_tiers_of(game);
    solve_all(game, settings, progress).map_err(|error| error.named(game))
}

fn solve_all(game: &Opened, settings: &Settings, progress: &Progress) -> Result<Solution> {
    let graph = &Graph::of(game)?;
    let Some(data) = &settings.data else {
        check_memory(game, graph, settings.memory, false)?;
        return without_tables(Worker::new(game, graph, progress), settings);
    };
    if let Some(solution) = already_solved(game, graph, settings)? {
        return Ok(solution);
    }
    let counts = !game.tiers().filing().by_tier;
    if settings.keep_going
        && let Some(left) = memory::left_out(game, graph, settings.memory, counts)
    {
        return Err(solve_the_rest(game, graph, settings, progress, left)?);
    }
    check_memory(game, graph, settings.memory, counts)?;
    let session = Session::begin(game, data, settings.fresh, progress)?;
    let (resumed, value) = {
        let ran = run_in(&session, game, graph, settings, progress)?;
        (ran.resumed, start_value(game, &*ran.root)?)
    };
    session.finish(game, graph, resumed, value)
}

/// Solves what a database lacks of a graph.
fn run_in(
    session: &Session,
    game: &Opened,
    graph: &Graph,
    settings: &Settings,
    progress: &Progress,
) -> Result<local::Outcome> {
    let (records, counting) = (Some(&session.records()), session.counting());
    let worker = Worker { records, counting, ..Worker::new(game, graph, progress) };
    local::run(worker, settings)
}

/// Solves all tiers but those that are left out, and gives the error that says which these are. The database is not
/// complete, and a run with more memory goes on with it.
fn solve_the_rest(
    game: &Opened,
    graph: &Graph,
    settings: &Settings,
    progress: &Progress,
    left: LeftOut,
) -> Result<SolveError> {
    if let (Some(data), Some(rest)) = (&settings.data, graph.without(&left.places)) {
        let session = Session::begin(game, data, settings.fresh, progress)?;
        run_in(&session, game, &rest, settings, progress)?;
    }
    Ok(SolveError::LeftOut {
        solved: graph.nodes.len() - left.places.len(),
        left: left.told(game, graph),
        limit: settings.memory,
    })
}

/// Solves without keeping a database, and gives the counts to the caller; tiers that wait may be spilled.
pub(crate) fn solve_and_count(
    game: &Opened,
    settings: &Settings,
    progress: &Progress,
    counting: &dyn Counting,
    scratch: Option<&ScratchFiles>,
) -> Result<Solution> {
    progress.names_tiers_of(game);
    let graph = &Graph::of(game)?;
    check_memory(game, graph, settings.memory, true)?;
    let records = scratch.map(|scratch| Records::without_tables(graph.nodes[graph.root].tier, scratch));
    let (records, counting) = (records.as_ref(), Some(counting));
    without_tables(Worker { records, counting, ..Worker::new(game, graph, progress) }, settings)
}

fn without_tables<'a>(worker: Worker<'a>, settings: &'a Settings) -> Result<Solution> {
    let (game, graph) = (worker.game, worker.graph);
    let ran = local::run(worker, settings)?;
    let entries = entries(game, graph, ran.positions);
    Ok(Solution::new(graph, entries, ran.resumed, start_value(game, &*ran.root)?, 0))
}

/// Entries numbered: what the game says, or what was found where nobody knows before.
fn entries(game: &Opened, graph: &Graph, positions: u64) -> u64 {
    if game.tiers().filing().marked { positions } else { graph.entries() }
}

pub(crate) fn start_value(game: &Opened, tables: &dyn Tables) -> Result<Value> {
    match game.oracle().value(game.oracle().start(), tables) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(SolveError::NoValue("its tier is not solved".into())),
        Err(error) => Err(SolveError::NoValue(error.to_string())),
    }
}
