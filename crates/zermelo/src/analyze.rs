//! How many positions have which value: the value-remoteness table of a solved game, over the positions that the start
//! reaches, or over all that are numbered.
//!
//! Tiers go by from the top down: what a tier's reached positions reach is marked in it and in its children, then its
//! values are counted and its marks let go. Where all positions are counted there are no marks.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use zermelo_core::{Count, Opened, Reached, StoredTier, Tier, Unit, Unpoisoned, Value, Watch};

use crate::coordinator::{self, Checkpoint, Counting};
use crate::database::codes;
use crate::{Database, Graph, Progress, Result, Settings, Solution, SolveError};

/// The words of values that have a remoteness.
pub(crate) const WORDS: [&str; 3] = ["win", "lose", "tie"];

/// Positions by value and remoteness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueCounts {
    /// Counts by the word of the value, such as `win`, then by remoteness.
    pub decided: BTreeMap<&'static str, BTreeMap<u16, u64>>,
    /// How many positions are draws: play never ends.
    pub draw: u64,
}

impl ValueCounts {
    fn add(&mut self, value: Value, positions: u64) {
        match value.remoteness() {
            Some(r) => *self.decided.entry(value.word()).or_default().entry(r).or_default() += positions,
            None => self.draw += positions,
        }
    }

    /// The count of all positions.
    pub fn total(&self) -> u64 {
        self.decided.values().flat_map(|m| m.values()).fold(self.draw, |sum, n| sum.saturating_add(*n))
    }

    /// How many positions have a value of this word at this distance.
    pub fn at(&self, word: &str, remoteness: u16) -> u64 {
        self.decided.get(word).and_then(|m| m.get(&remoteness)).copied().unwrap_or(0)
    }

    /// How many positions have a value of this word.
    pub fn sum(&self, word: &str) -> u64 {
        self.decided.get(word).map_or(0, |m| m.values().sum())
    }

    /// The greatest remoteness of any position.
    pub fn longest(&self) -> u16 {
        self.decided.values().filter_map(|m| m.keys().next_back().copied()).max().unwrap_or(0)
    }

    /// `{"win": {"1": n, ...}, "lose": {...}, "tie": {...}, "draw": n}`, with the [names](row_name) of rows.
    pub fn json(&self, unit: Unit) -> serde_json::Value {
        let of = |word| {
            let row = self.decided.get(word).into_iter().flatten();
            row.map(|(r, n)| (row_name(*r, unit), (*n).into())).collect::<serde_json::Map<_, _>>()
        };
        serde_json::json!({ "win": of("win"), "lose": of("lose"), "tie": of("tie"), "draw": self.draw })
    }

    fn doubled(mut self) -> ValueCounts {
        self.draw = self.draw.saturating_mul(2);
        self.decided.values_mut().flat_map(|row| row.values_mut()).for_each(|n| *n = n.saturating_mul(2));
        self
    }

    /// The inverse of [`ValueCounts::json`].
    fn of_json(json: &serde_json::Value) -> Option<ValueCounts> {
        let mut table = ValueCounts { draw: json["draw"].as_u64()?, ..ValueCounts::default() };
        for word in WORDS {
            for (r, n) in json[word].as_object()? {
                table.decided.entry(word).or_default().insert(row_number(r)?, n.as_u64()?);
            }
        }
        Some(table)
    }
}

/// Whether the game is over, for values that say no more than that: the names of the numbers 0 and 1.
const OVER_OR_NOT: [&str; 2] = ["over", "goes on"];

/// The name of a row of a table of counts: the number of its values; or `over` or `goes on`, for values that tell no
/// more than who wins.
pub fn row_name(number: u16, unit: Unit) -> String {
    match (unit, OVER_OR_NOT.get(usize::from(number))) {
        (Unit::Winner, Some(name)) => (*name).into(),
        _ => number.to_string(),
    }
}

/// The inverse of [`row_name`].
fn row_number(name: &str) -> Option<u16> {
    let named = OVER_OR_NOT.iter().position(|own| *own == name);
    named.map_or_else(|| name.parse().ok(), |number| u16::try_from(number).ok())
}

/// The counts of the positions of a solved game by value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Whether every numbered position is counted, and not only those that the start reaches.
    all: bool,
    /// Whether positions are counted with symmetric ones apart: where the start has images, not
    /// all images of what it reaches are reached too.
    whole: bool,
    /// Positions with the turn, where they are counted.
    counts: ValueCounts,
    /// Twice as many as there are up to symmetry.
    twice_canonical: ValueCounts,
    /// Counts by the number of moves made, where a position tells that number. Counted are all positions, or those up
    /// to symmetry where all are not counted.
    pub plies: BTreeMap<u16, ValueCounts>,
    /// By the word of the value, such as `win`: the greatest remoteness, and a position that has it.
    pub longest: BTreeMap<&'static str, (u16, String)>,
}

impl Analysis {
    /// Of a game of which nothing is counted yet.
    pub(crate) fn of(game: &Opened) -> Analysis {
        let (all, whole) = (game.reach().counts_all(), game.reach().whole());
        Analysis { all, whole, ..Analysis::default() }
    }

    /// Which positions are counted: `all` that are numbered, or those `reached` from the start.
    pub fn counted(&self) -> &'static str {
        if self.all { "all" } else { "reached" }
    }

    /// The counts of all positions, if all are counted.
    pub fn counts(&self) -> Option<&ValueCounts> {
        self.whole.then_some(&self.counts)
    }

    /// The counts of all positions if all are counted, and otherwise of those up to symmetry.
    pub fn table(&self) -> ValueCounts {
        self.counts().cloned().unwrap_or_else(|| self.canonical())
    }

    pub(crate) fn add(&mut self, counts: Vec<Count>) {
        for count in counts {
            self.counts.add(count.value, count.positions);
            self.twice_canonical.add(count.value, count.twice_canonical);
            if let Some(ply) = count.ply {
                let many = if self.whole { count.positions } else { count.twice_canonical / 2 };
                self.plies.entry(ply).or_default().add(count.value, many);
            }
            let (Some(r), Some(text)) = (count.value.remoteness(), count.example) else { continue };
            let word = count.value.word();
            // The first in the alphabet, so that the order of tiers does not matter.
            if self.longest.get(word).is_none_or(|(longest, best)| (r, best) > (*longest, &text)) {
                self.longest.insert(word, (r, text));
            }
        }
    }

    /// The counts of positions up to symmetry, where a position includes the player to move.
    pub fn canonical(&self) -> ValueCounts {
        let mut table = self.twice_canonical.clone();
        table.draw /= 2;
        table.decided.values_mut().flat_map(|row| row.values_mut()).for_each(|n| *n /= 2);
        table
    }

    /// The object that `analyze --json` prints.
    pub fn json(&self, unit: Unit) -> serde_json::Value {
        let example = |(word, (r, text)): (&&str, &(u16, String))| {
            let number = Some(r).filter(|_| unit != Unit::Winner);
            ((*word).to_string(), serde_json::json!({ "position": text, "remoteness": number }))
        };
        serde_json::json!({
            "counted": self.counted(),
            "positions": self.counts().map(ValueCounts::total),
            "canonical_positions": self.canonical().total(),
            "counts": self.counts().map(|counts| counts.json(unit)),
            "canonical_counts": self.canonical().json(unit),
            "longest": self.longest.iter().map(example).collect::<serde_json::Map<_, _>>(),
            "plies": self.plies_json(unit),
        })
    }

    /// The counts by the number of moves made; an empty list where positions do not tell that number.
    pub fn plies_json(&self, unit: Unit) -> serde_json::Value {
        let ply = |(ply, table): (&u16, &ValueCounts)| serde_json::json!({ "ply": ply, "positions": table.total(), "counts": table.json(unit) });
        self.plies.iter().map(ply).collect()
    }

    /// The inverse of [`Analysis::json`].
    pub(crate) fn of_summary(json: &serde_json::Value) -> Option<Analysis> {
        let example = |word: &'static str| {
            let found = &json["longest"][word];
            // Without a number it is an example of a game that goes on.
            let r = u16::try_from(found["remoteness"].as_u64().unwrap_or(1)).ok()?;
            Some((word, (r, found["position"].as_str()?.to_string())))
        };
        let ply = |row: &serde_json::Value| {
            Some((u16::try_from(row["ply"].as_u64()?).ok()?, ValueCounts::of_json(&row["counts"])?))
        };
        let whole = !json["counts"].is_null();
        Some(Analysis {
            all: json["counted"] == "all",
            whole,
            counts: if whole { ValueCounts::of_json(&json["counts"])? } else { ValueCounts::default() },
            twice_canonical: ValueCounts::of_json(&json["canonical_counts"])?.doubled(),
            plies: json["plies"].as_array()?.iter().map(ply).collect::<Option<_>>()?,
            longest: WORDS.into_iter().filter_map(example).collect(),
        })
    }
}

/// Marks, tier by tier from the top; each tier's are whole when `each` is called with them.
fn walk(
    game: &Opened,
    graph: &Graph,
    progress: &Progress,
    mut each: impl FnMut(Tier, Arc<dyn Reached>) -> Result<()>,
) -> Result<()> {
    let root = game.tiers().root();
    let mut marks: HashMap<usize, Arc<dyn Reached>> = HashMap::new();
    for (at, node) in graph.nodes.iter().enumerate().rev() {
        let fresh = |at: usize| {
            let tier = graph.nodes[at].tier;
            game.reach().empty(tier, tier == root)
        };
        let here = marks.remove(&at).unwrap_or_else(|| fresh(at));
        let below: Vec<_> =
            node.children.iter().map(|c| marks.entry(*c).or_insert_with(|| fresh(*c)).clone()).collect();
        // Where all are counted there is nothing to find, and the counts are the progress.
        let watch: &dyn Watch = if game.reach().counts_all() { &() } else { progress };
        game.discover(node.tier, &*here, &[], &below, watch);
        progress.tier_done();
        each(node.tier, here)?;
    }
    Ok(())
}

/// Counts the values of a solved database: of the positions that the start reaches, or of every numbered position of a
/// game that is [counting all](Opened::counting_all).
///
/// ```
/// # let data = std::env::temp_dir().join(format!("zermelo-doc-analyze-{}", std::process::id()));
/// zermelo::Solve::new("mnk").data(&data).run()?;
/// let game = zermelo::open("mnk", None, None)?;
/// let database = zermelo::Database::open(&data, &game)?;
/// let settings = zermelo::Settings::default();
/// let analysis = zermelo::analyze(&game, &database, &settings, &zermelo::Progress::new("analyze"))?;
/// assert_eq!(analysis.canonical().total(), 765);
/// # std::fs::remove_dir_all(&data).ok();
/// # Ok::<(), zermelo::Error>(())
/// ```
pub fn analyze(
    game: &Opened,
    database: &Database,
    settings: &Settings,
    progress: &Progress,
) -> Result<Analysis> {
    count_stored(game, database, settings, progress).map_err(|error| error.named(game))
}

fn count_stored(
    game: &Opened,
    database: &Database,
    settings: &Settings,
    progress: &Progress,
) -> Result<Analysis> {
    if !database.is_complete() {
        return Err(SolveError::NotFinished);
    }
    if !game.tiers().filing().by_tier {
        return Analysis::of_summary(&database.reader().summary()["analysis"]).ok_or(SolveError::NoCounts);
    }
    let graph = Graph::of(game)?;
    check_memory(game, &graph, settings)?;
    progress.expect(graph.nodes.len() as u64, graph.entries());
    settings.pool()?.install(|| {
        let mut analysis = Analysis::of(game);
        let watch: &dyn Watch = if game.reach().counts_all() { progress } else { &() };
        walk(game, &graph, progress, |tier, reached| {
            let (width, read) = codes(game, database.reader(), tier)?;
            let stored = StoredTier { tier, width, read: &*read };
            analysis.add(game.reach().tally_stored(&*reached, &stored, watch)?);
            Ok(())
        })?;
        Ok(analysis)
    })
}

/// Solves a game without a database, and returns the solution with the counts of positions by value.
pub fn solve_and_count(
    game: &Opened,
    settings: &Settings,
    progress: &Progress,
) -> Result<(Solution, Analysis)> {
    count_while_solving(game, settings, progress).map_err(|error| error.named(game))
}

fn count_while_solving(
    game: &Opened,
    settings: &Settings,
    progress: &Progress,
) -> Result<(Solution, Analysis)> {
    if let Some(folder) = &settings.resume {
        let kept = Checkpoint::begin(game, folder)?;
        let solution =
            coordinator::solve_and_count(game, settings, progress, &kept.log, Some(&kept.scratch))?;
        return Ok((solution, kept.finish()?));
    }
    let analysis = Summed(Mutex::new(Analysis::of(game)));
    let solution = coordinator::solve_and_count(game, settings, progress, &analysis, None)?;
    Ok((solution, analysis.0.into_inner().unpoisoned()))
}

/// Adds counts up.
struct Summed(Mutex<Analysis>);

impl Counting for Summed {
    fn has(&self, _: Tier) -> bool {
        false
    }

    fn take(&self, _: Tier, counts: Vec<Count>) -> Result<()> {
        self.0.lock().unpoisoned().add(counts);
        Ok(())
    }
}

/// What the marks of all tiers take.
pub(crate) fn marks_bytes(game: &Opened, graph: &Graph) -> u64 {
    graph.nodes.iter().fold(0, |sum, node| sum.saturating_add(game.reach().bytes(node.tier)))
}

/// Checks that the marks fit, with the numberings. Codes are read a few at a time, which takes little.
fn check_memory(game: &Opened, graph: &Graph, settings: &Settings) -> Result<()> {
    let (tier, marks) = most_marks(game, graph);
    let need = marks.saturating_add(game.tiers().index_bytes());
    SolveError::if_more(need, settings.memory, tier, "give more with --memory")
}

/// The most bytes that the marks of [`walk`] take at a time, and the tier that is looked at then: those of tiers that are
/// marked and not yet counted, and once more those of the tier, where it is noted which of them were followed.
fn most_marks(game: &Opened, graph: &Graph) -> (Tier, u64) {
    let (mut most, mut sum) = ((game.tiers().root(), 0), 0u64);
    let mut alive = vec![false; graph.nodes.len()];
    for (at, node) in graph.nodes.iter().enumerate().rev() {
        for at in node.children.iter().copied().chain([at]) {
            if !std::mem::replace(&mut alive[at], true) {
                sum = sum.saturating_add(game.reach().bytes(graph.nodes[at].tier));
            }
        }
        let own = game.reach().bytes(node.tier);
        if sum.saturating_add(own) > most.1 {
            most = (node.tier, sum.saturating_add(own));
        }
        sum = sum.saturating_sub(own);
    }
    most
}
