//! What a solve will take, told before it: tiers and numbers from the game, memory from the engine, time and the
//! size of the database from a trial of a fraction of a second.

mod trial;

use std::time::Duration;

use serde_json::json;
use zermelo_core::{Opened, Tier};

use crate::coordinator::{GraphExtent, check_memory};
use crate::{Graph, Result, Settings, least_memory};
use trial::Trial;

/// How many tiers an estimate may walk, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub struct EstimateLimits {
    /// Tiers to walk; of a game with more tiers nothing else is estimated.
    pub tiers: usize,
    /// How long to try the engine. Twice that may pass in all, and longer where a single tier takes longer or reached
    /// positions have to be found.
    pub time: Duration,
}

/// How much memory a solve needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Bytes without which the game cannot be solved.
    pub least: u64,
    /// Bytes of which more are of no use to any single tier.
    pub useful: u64,
}

/// An estimate of what a solve will take.
#[derive(Clone, Debug, Default)]
pub struct Estimate {
    /// The name of the engine.
    pub engine: &'static str,
    /// The name of the objective.
    pub objective: &'static str,
    /// How many tiers.
    pub tiers: u64,
    /// Numbers of all tiers, holes included.
    pub numbers: u64,
    /// Whether there are more tiers and numbers than these.
    pub more: bool,
    /// Whether the numbers are a guess, because only reached positions are solved.
    pub guessed: bool,
    /// The numbers of the tier with the most.
    pub largest: Option<u64>,
    /// Memory that a solve needs. Not known before positions are found, where only positions reached from the start are
    /// solved.
    pub memory: Option<Memory>,
    /// CPU seconds of all threads together, the packing of tables included.
    pub cpu_seconds: Option<f64>,
    /// Seconds on the wall.
    pub seconds: Option<f64>,
    /// Bytes that the database will take.
    pub database_bytes: Option<u64>,
    /// How time and database were estimated, or why they were not.
    pub how: String,
    /// Why the game cannot be solved on this machine.
    pub obstacle: Option<String>,
}

/// Estimates what a solve with these settings will take.
///
/// ```
/// let game = zermelo::open("quixo", None, None)?;
/// let limits = zermelo::EstimateLimits { tiers: 1_000, time: std::time::Duration::from_millis(50) };
/// let told = zermelo::estimate(&game, &zermelo::Settings::default(), &limits)?;
/// assert!(told.numbers > 1 << 36 && told.tiers == 182);
/// # Ok::<(), zermelo::Error>(())
/// ```
pub fn estimate(game: &Opened, settings: &Settings, limits: &EstimateLimits) -> Result<Estimate> {
    let mut told = Estimate {
        engine: game.takes.name,
        objective: game.objective,
        guessed: game.tiers().filing().marked,
        ..Estimate::default()
    };
    let graph = match Graph::within(game, limits.tiers, u64::MAX)? {
        GraphExtent::Whole(graph) => graph,
        GraphExtent::MoreThan { tiers, entries } => {
            (told.tiers, told.numbers, told.more) = (tiers, entries, true);
            told.how = format!("not estimated: there are more than {tiers} tiers");
            return Ok(told);
        }
    };
    (told.tiers, told.numbers) = (graph.nodes.len() as u64, graph.entries());
    told.largest = graph.nodes.iter().map(|node| node.size).max();
    let counts = !game.tiers().filing().by_tier;
    let obstacle =
        || check_memory(game, &graph, settings.memory, counts).err().map(|error| error.to_string());
    if game.tiers().index_bytes() > trial::ROOM.min(settings.memory) {
        (told.memory, told.obstacle) = (Some(memory(game, &graph, counts)), obstacle());
        told.more = told.numbers == u64::MAX;
        told.how = "not estimated: the tables that number positions take more memory than a trial may".into();
        return Ok(told);
    }
    let trial = Trial::of(game, &graph, limits.time)?;
    if let Some((numbers, largest)) = trial.found() {
        (told.numbers, told.largest, told.guessed) = (numbers, Some(largest), !trial.is_whole());
    }
    // After the trial, which may have found the positions that tell what is needed.
    told.memory = trial.knows_positions().then(|| memory(game, &graph, counts));
    told.obstacle = obstacle();
    // More numbers than can be counted.
    told.more = told.numbers == u64::MAX;
    told.how = trial.how(&told);
    told.cpu_seconds = trial.cpu_seconds(told.numbers);
    // Where positions wait for each other a tier keeps one thread busy.
    let threads = if trial.one_by_one() { 1 } else { settings.threads.max(1) };
    told.seconds = told.cpu_seconds.map(|cpu| cpu / threads as f64);
    told.database_bytes = trial.bytes(told.numbers).map(|bytes| bytes + trial::MANIFEST);
    Ok(told)
}

fn memory(game: &Opened, graph: &Graph, counts: bool) -> Memory {
    let least = least_memory(game, graph, counts).1;
    let useful = graph.nodes.iter().map(|node| useful(game, graph, node.tier, &node.children)).max();
    Memory { least, useful: useful.map_or(least, |useful| useful.max(least)) }
}

/// What one tier is fastest with, those below it included.
fn useful(game: &Opened, graph: &Graph, tier: Tier, children: &[usize]) -> u64 {
    let below = children.iter().map(|at| game.engine().need(graph.nodes[*at].tier).result);
    below
        .fold(game.engine().need(tier).useful, u64::saturating_add)
        .saturating_add(game.tiers().index_bytes())
}

impl Estimate {
    /// The estimate as `check --json` and `games --json` print it.
    pub fn json(&self) -> serde_json::Value {
        json!({
            "engine": self.engine,
            "objective": self.objective,
            "tiers": self.tiers,
            "positions": self.numbers,
            "more": self.more,
            "guessed": self.guessed,
            "largest_tier": self.largest,
            "memory_least_bytes": self.memory.map(|memory| memory.least),
            "memory_useful_bytes": self.memory.map(|memory| memory.useful),
            "cpu_seconds": self.cpu_seconds,
            "seconds": self.seconds,
            "database_bytes": self.database_bytes,
            "how": self.how,
            "obstacle": self.obstacle,
        })
    }

    /// The numbers in short: `5.9M`, `>5.9M` where there are more, `~5.9M` where they are a guess, `>10^19` where
    /// they are more than can be counted.
    pub fn numbers_in_short(&self) -> String {
        let sign = if self.more {
            ">"
        } else if self.guessed {
            "~"
        } else {
            ""
        };
        match self.numbers {
            u64::MAX => ">10^19".into(),
            numbers => format!("{sign}{}", crate::progress::short(numbers as f64)),
        }
    }
}

/// A time as people say it; an estimate has no more than two digits.
pub fn lasts(seconds: f64) -> String {
    let two = |n: f64, unit: &str| if n < 9.95 { format!("{n:.1} {unit}") } else { format!("{n:.0} {unit}") };
    match seconds {
        s if !s.is_finite() => "?".into(),
        s if s < 0.1 => "0.1 s".into(),
        s if s < 100.0 => two(s, "s"),
        s if s < 6_000.0 => two(s / 60.0, "min"),
        s if s < 172_800.0 => two(s / 3_600.0, "h"),
        s if s < 3.2e7 => two(s / 86_400.0, "days"),
        s if s < 3.2e10 => two(s / 3.156e7, "years"),
        _ => "over 1000 years".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, engine: Option<&str>, milliseconds: u64) -> Estimate {
        let game = crate::open(name, engine, None).expect("a game");
        let limits = EstimateLimits { tiers: 1000, time: Duration::from_millis(milliseconds) };
        estimate(&game, &Settings::default(), &limits).expect("a good game")
    }

    #[test]
    fn every_engine_is_estimated() {
        for (name, engine) in [
            ("mnk", "sweep"),
            ("mnk", "lattice"),
            ("mnk", "blobs"),
            ("mnk", "retrograde"),
            ("quixo:rows=3,cols=3,line=3", "unmoves"),
            ("quixo:rows=3,cols=3,line=3", "iterate"),
        ] {
            let told = of(name, Some(engine), 5_000);
            // All was solved, so nothing is a guess.
            assert_eq!((told.engine, told.more, told.guessed), (engine, false, false));
            let (seconds, database) = (told.cpu_seconds.expect(engine), told.database_bytes.expect(engine));
            assert!(seconds > 0.0 && seconds < 60.0, "{name}, {engine}: {seconds}");
            assert!((1_000..100_000).contains(&database), "{name}, {engine}: {database}");
            let memory = told.memory.expect(engine);
            assert!(memory.least > 0 && memory.useful >= memory.least, "{memory:?}");
        }
    }

    #[test]
    fn numbers_are_those_of_the_solve() {
        let game = crate::open("quixo:rows=3,cols=3,line=3", None, None).expect("a game");
        let solution =
            crate::solve(&game, &Settings::default(), &crate::Progress::new("solve")).expect("solved");
        let told = of("quixo:rows=3,cols=3,line=3", None, 1);
        assert_eq!((told.tiers, told.numbers), (solution.tiers, solution.entries));
    }

    #[test]
    fn large_games_are_told_of_at_once() {
        let told = of("meaningless:depth=1000,width=10", None, 50);
        assert!(told.more && told.tiers == 1000 && told.cpu_seconds.is_none() && told.numbers > 1000);
        let begun = std::time::Instant::now();
        let told = of("quixo", None, 50);
        assert!(told.obstacle.is_some_and(|why| why.contains("more than engine retrograde can number")));
        assert!(told.seconds.is_some_and(|seconds| seconds > 1_000.0));
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }

    /// Where the tables behind numbers take more than any machine has, nothing is tried.
    #[test]
    fn boards_that_cannot_be_numbered_are_not_tried() {
        for name in ["mnk:rows=8,cols=8", "hex:rows=8,cols=8", "quixo:rows=6,cols=6", "mnk:rows=6,cols=6"] {
            let told = of(name, None, 50);
            assert!(told.how.starts_with("not estimated: the tables that number"), "{name}: {}", told.how);
            assert!(told.obstacle.is_some() && told.seconds.is_none() && told.tiers > 36, "{name}: {told:?}");
        }
        let little = Settings { memory: 1 << 20, ..Settings::default() };
        let game = crate::open("kayles:pins=20", None, None).expect("a game");
        let limits = EstimateLimits { tiers: 1000, time: Duration::from_millis(50) };
        let told = estimate(&game, &little, &limits).expect("a good game");
        assert!(told.how.starts_with("not estimated: the tables that number"), "{}", told.how);
    }

    #[test]
    fn times_are_rounded() {
        for (seconds, want) in [(0.01, "0.1 s"), (1.26, "1.3 s"), (75.0, "75 s"), (150.0, "2.5 min")] {
            assert_eq!(lasts(seconds), want);
        }
        assert_eq!(
            (lasts(7200.0), lasts(1e6), lasts(1e9)),
            ("2.0 h".into(), "12 days".into(), "32 years".into())
        );
    }
}
