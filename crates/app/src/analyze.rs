//! How many positions have which value: the value-remoteness table of a solved game,
//! over the positions that the start reaches.
//!
//! Tiers go by from the top down: what a tier's reached positions reach is marked in it
//! and in its children, then its values are counted and its marks let go.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use zermelo_core::{AnyGame, Count, Reached, Solved, Tier, Value};

use crate::database::{Form, load};
use crate::schedule::{self, Each, solve_and};
use crate::{Database, Graph, Progress, Settings, Solution, SolveError};

/// Positions by value and remoteness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// By the word of the value, then by remoteness.
    pub decided: BTreeMap<&'static str, BTreeMap<u16, u64>>,
    /// Play never ends.
    pub draw: u64,
}

impl Table {
    fn add(&mut self, value: Value, positions: u64) {
        match value.remoteness() {
            Some(r) => *self.decided.entry(value.word()).or_default().entry(r).or_default() += positions,
            None => self.draw += positions,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.decided.values().flat_map(|m| m.values()).sum::<u64>() + self.draw
    }

    /// How many have a value of this word at this distance.
    pub fn at(&self, word: &str, remoteness: u16) -> u64 {
        self.decided.get(word).and_then(|m| m.get(&remoteness)).copied().unwrap_or(0)
    }

    /// How many have a value of this word.
    pub fn sum(&self, word: &str) -> u64 {
        self.decided.get(word).map_or(0, |m| m.values().sum())
    }

    /// The greatest distance.
    pub fn longest(&self) -> u16 {
        self.decided.values().filter_map(|m| m.keys().next_back().copied()).max().unwrap_or(0)
    }

    /// `{"win": {"1": n, ...}, "lose": {...}, "tie": {...}, "draw": n}`.
    pub fn json(&self) -> serde_json::Value {
        let of = |word| {
            let row = self.decided.get(word).into_iter().flatten();
            row.map(|(r, n)| (r.to_string(), (*n).into())).collect::<serde_json::Map<_, _>>()
        };
        serde_json::json!({ "win": of("win"), "lose": of("lose"), "tie": of("tie"), "draw": self.draw })
    }
}

/// What the positions of a game are worth.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Positions with the turn.
    pub counts: Table,
    /// The same up to symmetry.
    pub canonical: Table,
    /// A position with the longest win, loss and tie.
    pub longest: BTreeMap<&'static str, (u16, String)>,
}

impl Analysis {
    fn add(&mut self, game: &dyn AnyGame, tier: Tier, counts: Vec<Count>) {
        for count in counts {
            self.counts.add(count.value, count.positions);
            self.canonical.add(count.value, count.canonical);
            let (Some(r), Some((turn, rank))) = (count.value.remoteness(), count.example) else { continue };
            let word = count.value.word();
            if self.longest.get(word).is_none_or(|(longest, _)| r > *longest)
                && let Some(text) = game.position(tier, rank, turn)
            {
                self.longest.insert(word, (r, text));
            }
        }
    }

    /// The object that `analyze --json` prints.
    pub fn json(&self) -> serde_json::Value {
        let example = |(word, (r, text)): (&&str, &(u16, String))| {
            ((*word).to_string(), serde_json::json!({ "position": text, "remoteness": r }))
        };
        serde_json::json!({
            "positions": self.counts.total(),
            "canonical_positions": self.canonical.total(),
            "counts": self.counts.json(),
            "canonical_counts": self.canonical.json(),
            "longest": self.longest.iter().map(example).collect::<serde_json::Map<_, _>>(),
        })
    }
}

/// Marks, tier by tier from the top; each tier's are whole when `each` is called with them.
fn walk(
    game: &dyn AnyGame,
    graph: &Graph,
    progress: &Progress,
    mut each: impl FnMut(Tier, Arc<dyn Reached>) -> Result<(), SolveError>,
) -> Result<(), SolveError> {
    let root = game.root();
    let mut marks: HashMap<usize, Arc<dyn Reached>> = HashMap::new();
    for (at, node) in graph.nodes.iter().enumerate().rev() {
        let fresh = |at: usize| {
            let tier = graph.nodes[at].tier;
            game.unreached(tier, tier == root)
        };
        let here = marks.remove(&at).unwrap_or_else(|| fresh(at));
        let below: Vec<_> =
            node.children.iter().map(|c| marks.entry(*c).or_insert_with(|| fresh(*c)).clone()).collect();
        game.discover(node.tier, &*here, &below, progress);
        progress.tier_done();
        each(node.tier, here)?;
    }
    Ok(())
}

/// Counts the values of a solved database.
pub fn analyze(
    game: &dyn AnyGame,
    database: &Database,
    settings: &Settings,
    progress: &Progress,
) -> Result<Analysis, SolveError> {
    if !database.is_complete() {
        return Err(SolveError::NotFinished);
    }
    let graph = Graph::of(game)?;
    check_memory(&graph, settings)?;
    progress.expect(graph.nodes.len() as u64, graph.entries());
    settings.pool()?.install(|| {
        let mut analysis = Analysis::default();
        walk(game, &graph, progress, |tier, reached| {
            let solved = load(game, database.reader(), tier, Form::Plain)?;
            analysis.add(game, tier, game.tally(tier, &*reached, &*solved)?);
            Ok(())
        })?;
        Ok(analysis)
    })
}

/// Solves without keeping a database; only the counts remain.
pub fn solve_and_count(
    game: &dyn AnyGame,
    settings: &Settings,
    progress: &Progress,
) -> Result<(Solution, Analysis), SolveError> {
    let graph = Graph::of(game)?;
    schedule::check_memory(game, &graph, settings.memory, marks_bytes(&graph))?;
    progress.expect(graph.nodes.len() as u64, graph.entries());
    let mut marks = HashMap::new();
    settings.pool()?.install(|| {
        walk(game, &graph, progress, |tier, reached| {
            marks.insert(tier, reached);
            Ok(())
        })
    })?;
    let (marks, analysis) = (Mutex::new(marks), Mutex::new(Analysis::default()));
    let each = |tier: Tier, solved: &Arc<dyn Solved>| {
        let reached = marks.lock().unwrap_or_else(PoisonError::into_inner).remove(&tier);
        if let Some(reached) = reached {
            let counts = game.tally(tier, &*reached, &**solved)?;
            analysis.lock().unwrap_or_else(PoisonError::into_inner).add(game, tier, counts);
        }
        Ok(())
    };
    let settings = Settings { data: None, ..settings.clone() };
    let solution = solve_and(game, &settings, progress, marks_bytes(&graph), Some(&each as &Each<'_>))?;
    Ok((solution, analysis.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Two bits for every number.
fn marks_bytes(graph: &Graph) -> u64 {
    graph.entries().div_ceil(4)
}

/// The marks of neighbouring tiers are alive together: at worst two bits for every number.
fn check_memory(graph: &Graph, settings: &Settings) -> Result<(), SolveError> {
    let largest = graph.nodes.iter().max_by_key(|n| n.size);
    let need = marks_bytes(graph).saturating_add(largest.map_or(0, |n| n.size));
    match largest {
        Some(node) if need > settings.memory => {
            let fix = "give more with --memory";
            Err(SolveError::Memory { tier: node.tier, need, limit: settings.memory, fix })
        }
        _ => Ok(()),
    }
}
