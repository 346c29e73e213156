//! Checks a database: every stored value again from its children's, or a sample of them,
//! and every block on the way.
//!
//! A database whose values all follow from their children's is right: wins and losses
//! by induction over their distance, ties likewise, and a draw because neither side has
//! a way out of the draws.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use zermelo_core::{
    AskError, Checked, EngineError, GOLDEN, Opened, Solved, Tier, Unpoisoned, Watch, Width, mix,
};

use crate::coordinator::Node;
use crate::database::load_plain;
use crate::names::with_name;
use crate::{Database, Graph, Progress, Result, Settings, SolveError};

/// The result of a verification.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Positions looked at, and which were wrong.
    pub values: Checked,
    /// Messages that say what could not be read and why.
    pub damage: BTreeSet<String>,
    /// Blocks that could not be read, and tables whose heads could not.
    pub damaged_blocks: u64,
}

impl Verified {
    /// Whether nothing wrong was found.
    pub fn clean(&self) -> bool {
        self.values.wrong == 0 && self.damaged_blocks == 0
    }

    /// Looks through the tables that could not be read.
    fn blame_tables(&mut self, game: &Opened, database: &Database, damaged: BTreeMap<Tier, String>) {
        for (tier, reason) in damaged {
            let found = database.reader().check_table(tier);
            let named = |message: String| with_name(&message, tier, &game.tiers().name(tier));
            self.damaged_blocks += (found.len() as u64).max(1);
            self.damage.extend(found.iter().take(5).map(|d| named(d.to_string())));
            if found.is_empty() {
                self.damage.insert(named(reason));
            }
        }
    }
}

/// The tier graph of a database that is to be checked.
fn graph_of(game: &Opened, database: &Database) -> Result<Graph> {
    if !database.is_complete() {
        return Err(SolveError::NotFinished);
    }
    Graph::of(game)
}

/// Verifies a database: derives every value of every table again from the rules and the other tables, and compares.
///
/// ```
/// # let data = std::env::temp_dir().join(format!("zermelo-doc-verify-{}", std::process::id()));
/// zermelo::Solve::new("mnk").data(&data).run()?;
/// let game = zermelo::open("mnk", None, None)?;
/// let database = zermelo::Database::open(&data, &game)?;
/// let settings = zermelo::Settings::default();
/// let verified = zermelo::verify(&game, &database, &settings, &zermelo::Progress::new("verify"))?;
/// assert!(verified.clean());
/// # std::fs::remove_dir_all(&data).ok();
/// # Ok::<(), zermelo::Error>(())
/// ```
pub fn verify(
    game: &Opened,
    database: &Database,
    settings: &Settings,
    progress: &Progress,
) -> Result<Verified> {
    verify_all(game, database, settings, progress).map_err(|error| error.named(game))
}

fn verify_all(
    game: &Opened,
    database: &Database,
    settings: &Settings,
    progress: &Progress,
) -> Result<Verified> {
    let graph = graph_of(game, database)?;
    if !game.tiers().filing().by_tier {
        check_numberings(game, settings)?;
        let numbers = Numbers::of(game, database, &graph);
        let mut verified = look_up(game, database, settings, progress, &numbers, numbers.all(), |i| i)?;
        if verified.damaged_blocks == 0 {
            // Blocks of values that a short look tells have not been opened yet.
            let tiers =
                numbers.tiers.par_iter().filter(|tier| !database.reader().check_table(**tier).is_empty());
            let damaged = settings.pool()?.install(|| tiers.map(|tier| (*tier, String::new())).collect());
            verified.blame_tables(game, database, damaged);
        }
        return Ok(verified);
    }
    let sizes: Vec<u64> = graph.nodes.iter().map(|node| plain_bytes(database, node)).collect();
    let need = |at: usize| {
        let below = graph.nodes[at].children.iter().map(|c| sizes[*c]);
        below.fold(sizes[at], u64::saturating_add).saturating_add(game.tiers().index_bytes())
    };
    if let Some(at) = (0..graph.nodes.len()).max_by_key(|at| need(*at)) {
        let fix = "give more with --memory, or check a part with --sample";
        SolveError::if_more(need(at), settings.memory, graph.nodes[at].tier, fix)?;
    }
    progress.expect(graph.nodes.len() as u64, graph.entries());
    settings.pool()?.install(|| {
        let (mut verified, mut damaged) = (Verified::default(), BTreeMap::new());
        let mut alive: HashMap<usize, Arc<dyn Solved>> = HashMap::new();
        let mut wanted: Vec<usize> = graph.nodes.iter().map(|n| n.parents.len()).collect();
        for (at, node) in graph.nodes.iter().enumerate() {
            let held: u64 = alive.values().map(|s| s.bytes()).sum();
            if held.saturating_add(need(at)) > settings.memory {
                alive.retain(|k, _| node.children.contains(k));
            }
            match check_tier(game, database, &graph, at, &mut alive) {
                Ok(checked) => verified.values = std::mem::take(&mut verified.values).merge(checked),
                Err(EngineError::Load { tier, reason }) => _ = damaged.insert(tier, reason.to_string()),
                Err(error) => return Err(error.into()),
            }
            for child in &node.children {
                wanted[*child] -= 1;
                if wanted[*child] == 0 {
                    alive.remove(child);
                }
            }
            progress.advance(node.size);
            progress.tier_done();
        }
        verified.blame_tables(game, database, damaged);
        Ok(verified)
    })
}

/// What a table takes in plain form, with the width it is stored with.
fn plain_bytes(database: &Database, node: &Node) -> u64 {
    // One that cannot be read is blamed when it is loaded.
    let width = database.reader().info(node.tier).map_or(Width::One, |info| info.width);
    node.size.saturating_mul(width.bytes() as u64)
}

/// A look-up needs the numberings and little else.
fn check_numberings(game: &Opened, settings: &Settings) -> Result<()> {
    let (tier, need) = (game.tiers().root(), game.tiers().index_bytes());
    SolveError::if_more(need, settings.memory, tier, "give more with --memory")
}

fn check_tier(
    game: &Opened,
    database: &Database,
    graph: &Graph,
    at: usize,
    alive: &mut HashMap<usize, Arc<dyn Solved>>,
) -> Result<Checked, EngineError> {
    let mut get = |at: usize| match alive.get(&at) {
        Some(solved) => Ok(solved.clone()),
        None => {
            let solved = load_plain(game, database.reader(), graph.nodes[at].tier)?;
            alive.insert(at, solved.clone());
            Ok(solved)
        }
    };
    let this = get(at)?;
    let below = graph.nodes[at].children.iter().map(|c| get(*c)).collect::<Result<Vec<_>, EngineError>>()?;
    game.audit().verify(graph.nodes[at].tier, &*this, &below)
}

/// Numbers that are looked at in a row, at most: neighbours share the blocks they need.
const RUN: u64 = 1024;
/// A sample should come from at least so many places.
const PLACES: u64 = 10_000;

/// Verifies the values of `sample` numbers taken at random, by deriving each again, one look-up at a time.
pub fn verify_sample(
    game: &Opened,
    database: &Database,
    sample: u64,
    settings: &Settings,
    progress: &Progress,
) -> Result<Verified> {
    check_numberings(game, settings).map_err(|error| error.named(game))?;
    let numbers = Numbers::of(game, database, &graph_of(game, database)?);
    let total = numbers.all();
    if sample >= total {
        return look_up(game, database, settings, progress, &numbers, total, |i| i);
    }
    let run = (sample / PLACES).clamp(1, RUN);
    look_up(game, database, settings, progress, &numbers, sample, |i| {
        // A fixed sequence: a second run looks at the same positions.
        let at = (u128::from(scramble(i / run)) * u128::from(total)) >> 64;
        (at as u64 + i % run) % total
    })
}

/// All numbers that can be checked, counted through the tiers.
struct Numbers {
    tiers: Vec<Tier>,
    /// Where the numbers of each tier end.
    ends: Vec<u64>,
}

impl Numbers {
    fn of(game: &Opened, database: &Database, graph: &Graph) -> Numbers {
        let (mut tiers, mut ends, mut sum) = (vec![], vec![], 0u64);
        for node in &graph.nodes {
            let tier = node.tier;
            // Of a table that cannot be read one number is looked at, to say so.
            sum = sum.saturating_add(game.audit().checks(tier, node.size, database).unwrap_or(1));
            tiers.push(tier);
            ends.push(sum);
        }
        Numbers { tiers, ends }
    }

    fn all(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    fn at(&self, number: u64) -> (Tier, u64) {
        let at = self.ends.partition_point(|end| *end <= number);
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        (self.tiers[at], number - begin)
    }
}

/// Looks at `many` numbers, counted through all tiers, each with the look-ups that it takes.
/// Numbers come in batches of [`RUN`]; `pick` says which, for the place in the whole.
fn look_up(
    game: &Opened,
    database: &Database,
    settings: &Settings,
    progress: &Progress,
    numbers: &Numbers,
    many: u64,
    pick: impl Fn(u64) -> u64 + Sync,
) -> Result<Verified> {
    progress.expect(0, many);
    let damaged = Mutex::new(BTreeMap::new());
    let batch = |n: u64| {
        let mut values = Checked::default();
        let batch = n * RUN..many.min((n + 1) * RUN);
        progress.advance(batch.end - batch.start);
        for at in batch.map(&pick) {
            let (tier, rank) = numbers.at(at);
            match game.audit().verify_one(tier, rank, database) {
                Ok(checked) => values = std::mem::take(&mut values).merge(checked),
                Err(AskError::Tables(reason)) => {
                    damaged.lock().unpoisoned().insert(tier, reason.to_string());
                }
                Err(error) => values.blame(error.to_string()),
            }
        }
        values
    };
    let batches = (0..many.div_ceil(RUN)).into_par_iter();
    let values = settings.pool()?.install(|| batches.map(batch).reduce(Checked::default, Checked::merge));
    let mut verified = Verified { values, ..Verified::default() };
    let mut damaged = damaged.into_inner().unpoisoned();
    if let (false, Some(reason)) = (game.tiers().filing().by_tier, damaged.values().next().cloned()) {
        // The table that could not be read may be another than that of the number looked at.
        let tiers = numbers.tiers.iter().copied();
        let bad: BTreeMap<_, _> = tiers
            .filter(|tier| !database.reader().check_table(*tier).is_empty())
            .map(|tier| (tier, reason.clone()))
            .collect();
        damaged = if bad.is_empty() { damaged } else { bad };
    }
    verified.blame_tables(game, database, damaged);
    Ok(verified)
}

/// A good mix of the bits of a number.
pub(crate) fn scramble(i: u64) -> u64 {
    mix(i.wrapping_add(1).wrapping_mul(GOLDEN))
}
