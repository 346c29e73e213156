//! Walks the tier graph from the end of the game backwards: which tier when, within the
//! memory given. Knows tiers and tables, no games.
//!
//! Ready tiers run as tasks on one thread pool: many small ones at once, and the threads
//! that a big one leaves idle help it from inside. A task is let in when the tiers it
//! reads, its own needs and everything else alive fit the memory; finished tiers that
//! nobody is reading give way first, for they can be loaded again. Tables already in
//! the database count as done, so a killed run goes on where it stopped.

mod checks;
#[cfg(test)]
mod damage;
mod graph;
mod keeping;
mod plan;
mod queue;
mod records;
mod run;
mod work;

use std::path::PathBuf;
use std::sync::Arc;

use zermelo_core::{AnyGame, EngineError, Tables, Tier, Value};
use zermelo_store::{COMPRESSOR_BYTES, Park, limit_compressors};

use crate::{Progress, available_memory};

pub use checks::Checks;
pub(crate) use graph::Node;
pub use graph::{Extent, Graph};
pub(crate) use keeping::{Keeping, OUTLIVED, Waiting, already_solved, once_free};
pub(crate) use plan::{Earlier, Kind, Left, Order, Plan, Task};
pub(crate) use queue::{Queued, ToDo, call};
pub(crate) use records::{Records, forget_unwanted, marks_of};
pub(crate) use work::{Counting, Forms, Job, OnFormed, Work, caught};

/// One part in so many of the memory is for threads that pack tables.
const PACKING: u64 = 8;

/// How to solve.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where databases are kept; none to keep nothing.
    pub data: Option<PathBuf>,
    /// Where a run without a database keeps tiers that wait and counts, to go on from after a kill; none to have
    /// all in memory.
    pub resume: Option<PathBuf>,
    /// Threads to use.
    pub threads: usize,
    /// Bytes to stay within.
    pub memory: u64,
    /// Start over where there is a database.
    pub fresh: bool,
    /// Values to check on the way.
    pub check: Option<Arc<Checks>>,
}

impl Default for Settings {
    /// All cores, three quarters of the memory that is free, no database.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let memory = available_memory().unwrap_or(4 << 30) / 4 * 3;
        Settings { data: None, resume: None, threads, memory, fresh: false, check: None }
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
    pub(crate) fn pool(&self) -> Result<rayon::ThreadPool, SolveError> {
        crate::machine::pool(self.threads).map_err(SolveError::Threads)
    }
}

/// What a solve gives.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The value of the start.
    pub value: Value,
    /// How many tiers.
    pub tiers: u64,
    /// Entries numbered, holes included; where only reached positions are solved, those.
    pub entries: u64,
    /// Tiers that were already solved.
    pub resumed_tiers: u64,
    /// What all files of the database take.
    pub database_bytes: u64,
}

impl Solution {
    fn new(graph: &Graph, entries: u64, resumed_tiers: u64, value: Value, database_bytes: u64) -> Solution {
        let tiers = graph.nodes.len() as u64;
        Solution { value, tiers, entries, resumed_tiers, database_bytes }
    }
}

/// Why a solve stopped.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The game's tiers are not in order.
    #[error("the tier graph has a cycle through tier {0}; the game's `children` must lead one way only")]
    Cycle(Tier),
    /// A declared tier without positions.
    #[error(
        "tier {0} is among the tiers to solve but has no positions; check the game's `children` and `size`"
    )]
    MissingTier(Tier),
    /// The memory is too small for a tier.
    #[error(
        "tier {tier} needs {} of memory with the tiers below it, and the limit is {}: {fix}",
        bytes(*need), bytes(*limit)
    )]
    Memory {
        /// The tier that cannot fit.
        tier: Tier,
        /// What it needs.
        need: u64,
        /// What there is.
        limit: u64,
        /// What to do.
        fix: &'static str,
    },
    /// The data directory cannot be used.
    #[error("data directory {path}: {reason}; {fix}")]
    Data {
        /// The directory.
        path: String,
        /// Why.
        reason: String,
        /// What to do.
        fix: &'static str,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] zermelo_store::Error),
    /// The file of counts could not be read or written.
    #[error("{file}: {reason}; the counts of positions are kept there while a game is being solved")]
    Counts {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// The database has no counts.
    #[error("this database has no counts in its manifest; solve it again with --fresh")]
    NoCounts,
    /// No threads could be had.
    #[error("{0}")]
    Threads(String),
    /// The database is still being solved, or a solve of it was stopped.
    #[error("this database is not finished: run `zermelo solve` for this game to finish it")]
    NotFinished,
    /// A fault in a game or an engine.
    #[error("tier {0}: {1}; this is a fault in the game or in zermelo, please report it")]
    Panic(Tier, String),
    /// A cluster cannot go on.
    #[error("{0}")]
    Cluster(String),
    /// A search does not find what the engine did.
    #[error(
        "{position}: solved as {found}, but a search says {searched}; this is a fault in zermelo, please report it"
    )]
    Differs {
        /// The position.
        position: String,
        /// Its value by the engine.
        found: Value,
        /// What the search says.
        searched: String,
    },
    /// The solved start has no value.
    #[error("the start has no value: {0}")]
    NoValue(String),
}

/// Bytes as people read them.
pub(crate) fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} B"),
        // A sum that has run over.
        u64::MAX => "over 18,000 PB".into(),
        _ => {
            let text = crate::progress::short(n as f64);
            let (number, unit) = text.split_at(text.len() - 1);
            format!("{number} {unit}B")
        }
    }
}

/// Solves every tier that the database lacks. Where values are counted while they are solved,
/// the counts go into the database too.
pub fn solve(game: &dyn AnyGame, settings: &Settings, progress: &Progress) -> Result<Solution, SolveError> {
    let graph = Graph::of(game)?;
    let Some(data) = &settings.data else {
        check_memory(game, &graph, settings.memory, false)?;
        let ran = run::Run::new(game, &graph, settings, None, progress, None).go(&settings.pool()?)?;
        let entries = entries(game, &graph, ran.positions);
        return Ok(Solution::new(&graph, entries, ran.resumed, start_value(game, &*ran.root)?, 0));
    };
    if let Some(solution) = already_solved(game, &graph, settings)? {
        return Ok(solution);
    }
    check_memory(game, &graph, settings.memory, !game.filing().by_tier)?;
    let keeping = Keeping::begin(game, data, settings.fresh)?;
    let counting = keeping.log.as_ref().map(|log| log as &dyn Counting);
    let ran = {
        let records = Records::of_writer(&keeping.writer, keeping.park.as_ref());
        let run = run::Run::new(game, &graph, settings, Some(&records), progress, counting);
        let ran = run.go(&settings.pool()?)?;
        (ran.resumed, start_value(game, &*ran.root)?)
    };
    keeping.finish(game, &graph, ran.0, ran.1)
}

/// Solves without keeping a database, and gives the counts to the caller; tiers that wait may be parked.
pub(crate) fn solve_and_count(
    game: &dyn AnyGame,
    settings: &Settings,
    progress: &Progress,
    counting: &dyn Counting,
    park: Option<&Park>,
) -> Result<Solution, SolveError> {
    let graph = Graph::of(game)?;
    check_memory(game, &graph, settings.memory, true)?;
    let records = park.map(|park| Records::without_tables(graph.nodes[graph.root].tier, park));
    let run = run::Run::new(game, &graph, settings, records.as_ref(), progress, Some(counting));
    let ran = run.go(&settings.pool()?)?;
    let entries = entries(game, &graph, ran.positions);
    Ok(Solution::new(&graph, entries, ran.resumed, start_value(game, &*ran.root)?, 0))
}

/// Entries numbered: what the game says, or what was found where nobody knows before.
fn entries(game: &dyn AnyGame, graph: &Graph, positions: u64) -> u64 {
    if game.filing().marked { positions } else { graph.entries() }
}

pub(crate) fn start_value(game: &dyn AnyGame, tables: &dyn Tables) -> Result<Value, SolveError> {
    match game.value(&game.start(), tables) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(SolveError::NoValue("its tier is not solved".into())),
        Err(error) => Err(SolveError::NoValue(error.to_string())),
    }
}

/// The least memory that a run can do with: what the neediest task must have, with all that it
/// reads. `counts` is whether positions are counted on the way.
pub fn least_memory(game: &dyn AnyGame, graph: &Graph, counts: bool) -> (Tier, u64) {
    let need = |node: &Node| {
        let tiers = |list: &[usize]| list.iter().map(|at| graph.nodes[*at].tier).collect::<Vec<_>>();
        let below = tiers(&node.children).into_iter().map(|t| game.need(t).result);
        let solve = below.fold(game.need(node.tier).working, u64::saturating_add);
        let marks = if counts { game.reach_bytes(node.tier) } else { 0 };
        let above = tiers(&node.parents).into_iter().map(|t| if counts { game.reach_bytes(t) } else { 0 });
        let discover = above.fold(marks, u64::saturating_add);
        solve.saturating_add(marks).max(discover).saturating_add(game.index_bytes())
    };
    let needs = graph.nodes.iter().map(|node| (node.tier, need(node)));
    needs.max_by_key(|(_, need)| *need).unwrap_or((game.root(), 0))
}

/// Refuses early, before anything is written, when some tier can never be solved here.
pub(crate) fn check_memory(
    game: &dyn AnyGame,
    graph: &Graph,
    limit: u64,
    counts: bool,
) -> Result<(), SolveError> {
    if let Some(node) = graph.nodes.iter().max_by_key(|node| node.size)
        && node.size > game.most()
    {
        return Err(EngineError::TooLarge(node.tier, node.size, game.engine()).into());
    }
    let (tier, mut need) = least_memory(game, graph, counts && !game.filing().by_tier);
    if counts && game.filing().by_tier {
        // All marks are made before the first tier is solved.
        need = need.saturating_add(crate::analyze::marks_bytes(game, graph));
    }
    if need <= limit {
        return Ok(());
    }
    let fix = "give more with --memory, solve a smaller variant, or use a machine with more";
    Err(SolveError::Memory { tier, need, limit, fix })
}
