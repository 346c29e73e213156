//! A short trial of an engine: the first tiers, from the end of the game, are solved and packed for a moment, on one
//! thread. Tiers further up have more moves a position; how much longer they take is told by a look at random
//! numbers of all tiers, in proportion to their size.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zermelo_core::{AnyGame, EngineError, Looked, Reached, Solved};

use super::Estimate;
use crate::database::pack_all;
use crate::progress::short;
use crate::schedule::{Node, caught};
use crate::{Graph, Progress, SolveError, cpu_seconds};

/// What the files of a database take besides its tables.
pub(super) const MANIFEST: u64 = 1_500;
/// Memory that a trial may take.
const ROOM: u64 = 256 << 20;
/// Numbers of a tier that is solved before anything is known of the engine's speed; engines that do not make positions
/// one by one are many times as fast.
const FIRST: u64 = 50_000;
const FIRST_OF_MANY: u64 = 2_000_000;
/// Tiers whose numbers are looked at, and how many of each.
const LOOKS: usize = 8;
const NUMBERS: u64 = 1_000;
/// The size of a database is told where one number in so many was packed.
const PACKED: u64 = 10;
/// An engine that marks reached positions takes about so many times as long in all as for its marks alone.
const AFTER_MARKS: f64 = 3.0;
/// An engine that could not be tried takes about so many times as long as a look at all positions.
const AFTER_LOOK: f64 = 2.0;

/// What a trial found.
#[derive(Default)]
pub(super) struct Trial {
    /// Tiers solved, their numbers, and what they took.
    tiers: u64,
    numbers: u64,
    seconds: f64,
    bytes: u64,
    /// The same of tiers whose reached positions were marked, where that is as far as it went.
    marked: Option<(u64, f64)>,
    /// Seconds that a look at a number takes: in the tiers solved, and in all.
    look: Option<(Option<f64>, f64)>,
    looked: Looked,
    whole: bool,
}

/// Marks of tiers by their places.
type Marks = HashMap<usize, Arc<dyn Reached>>;

impl Trial {
    pub(super) fn of(game: &dyn AnyGame, graph: &Graph, time: Duration) -> Result<Trial, SolveError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|e| SolveError::Threads(e.to_string()))?;
        caught(game.root(), || pool.install(|| Trial::go(game, graph, time)))
    }

    fn go(game: &dyn AnyGame, graph: &Graph, time: Duration) -> Result<Trial, SolveError> {
        let mut trial = Trial::default();
        let mut marks = Marks::new();
        if game.filing().marked {
            let begun = cpu_seconds();
            let (found, numbers, whole) = mark(game, graph, time);
            if !whole {
                trial.marked = Some((numbers, cpu_seconds() - begun));
                return Ok(trial);
            }
            (marks, trial.seconds) = (found, cpu_seconds() - begun);
        }
        let solved = trial.solve(game, graph, &marks, time)?;
        trial.whole = trial.tiers == graph.nodes.len() as u64;
        if !trial.whole {
            trial.look(game, graph, &solved, time);
        }
        Ok(trial)
    }

    /// Solves tiers as long as there is time; gives their places.
    fn solve(
        &mut self,
        game: &dyn AnyGame,
        graph: &Graph,
        marks: &Marks,
        time: Duration,
    ) -> Result<Vec<usize>, SolveError> {
        let (begun, progress) = (Instant::now(), Progress::new("trial"));
        let mut done: HashMap<usize, Arc<dyn Solved>> = HashMap::new();
        let mut held = 0;
        for (at, node) in graph.nodes.iter().enumerate() {
            let left = time.saturating_sub(begun.elapsed()).as_secs_f64();
            if left == 0.0 || held > ROOM {
                break;
            }
            let need = game.need(node.tier);
            if need.working > ROOM || node.size > game.most() || !self.is_short(game, node, left) {
                continue;
            }
            let below = node.children.iter().map(|c| done.get(c).cloned());
            let Some(below) = below.collect::<Option<Vec<_>>>() else { continue };
            let cpu = cpu_seconds();
            let reached = marks.get(&at).map(|marks| &**marks);
            let memory = need.useful.min(ROOM).max(need.working);
            let solved = match game.solve(node.tier, reached, &below, memory, &()) {
                // It would be tried again with more memory.
                Err(EngineError::LongLines(..)) => continue,
                solved => solved?,
            };
            let packed = pack_all(node.tier, &*solved, game.filing(), &progress);
            self.seconds += cpu_seconds() - cpu;
            self.bytes += packed.iter().map(|block| block.stored_bytes() as u64).sum::<u64>();
            self.numbers += node.size;
            self.tiers += 1;
            held += solved.bytes();
            done.insert(at, solved);
        }
        Ok(done.into_keys().collect())
    }

    /// Whether a tier takes no longer than there is time, at the speed so far.
    fn is_short(&self, game: &dyn AnyGame, node: &Node, left: f64) -> bool {
        match self.seconds_here() {
            Some(each) => node.size as f64 * each < left,
            None if node.size <= FIRST => true,
            None => node.size <= FIRST_OF_MANY && game.look(node.tier, 0..0).is_none(),
        }
    }

    fn seconds_here(&self) -> Option<f64> {
        (self.numbers > 0).then(|| self.seconds / self.numbers as f64)
    }

    /// Looks at numbers of the tiers solved and of all.
    fn look(&mut self, game: &dyn AnyGame, graph: &Graph, solved: &[usize], time: Duration) {
        let all: Vec<&Node> = graph.nodes.iter().collect();
        let here: Vec<&Node> = solved.iter().map(|at| &graph.nodes[*at]).collect();
        let Some((all, looked)) = look_at(game, &all, time / 2) else { return };
        self.look = Some((look_at(game, &here, time / 2).map(|(here, _)| here), all));
        self.looked = looked;
    }

    /// How much longer a number of all tiers takes than one of those solved.
    fn longer(&self) -> f64 {
        match self.look {
            Some((Some(here), all)) if here > 0.0 => (all / here).clamp(0.2, 20.0),
            _ => 1.0,
        }
    }

    /// Whether positions wait for each other.
    pub(super) fn one_by_one(&self) -> bool {
        self.looked.one_by_one
    }

    pub(super) fn seconds_a_number(&self) -> Option<f64> {
        match (self.marked, self.seconds_here(), self.look) {
            (Some((0, _)), _, _) => None,
            (Some((numbers, seconds)), _, _) => Some(AFTER_MARKS * seconds / numbers as f64),
            (None, Some(each), _) => Some(each * self.longer()),
            (None, None, Some((_, look))) => Some(AFTER_LOOK * look),
            (None, None, None) => None,
        }
    }

    /// Bytes a number, where a good part of all so many was packed: how well the others pack nobody can tell.
    pub(super) fn bytes_a_number(&self, of: u64) -> Option<f64> {
        let enough = self.numbers > 0 && self.numbers >= of / PACKED;
        enough.then(|| self.bytes as f64 / self.numbers as f64)
    }

    /// How it was estimated, as a sentence.
    pub(super) fn how(&self, of: &Estimate) -> String {
        let tried = format!(
            "{} of {} tiers ({} numbers) were solved and packed in {:.2} CPU s",
            self.tiers,
            of.tiers,
            short(self.numbers as f64),
            self.seconds
        );
        match (self.marked, self.numbers, self.look) {
            (Some((numbers, seconds)), _, _) => format!(
                "about {} reached positions were marked in {seconds:.2} CPU s; solving takes about {AFTER_MARKS} times \
                 as long as marking",
                short(numbers as f64)
            ),
            _ if self.whole => format!("measured: all {tried}"),
            (None, 0, None) => "not estimated: no tier is small enough to try the engine on".into(),
            (None, 0, Some(_)) => format!(
                "no tier is small enough to try the engine on; positions of {LOOKS} tiers were looked at, and a solve \
                 takes about {AFTER_LOOK} times as long"
            ),
            (None, _, None) => format!("measured: {tried}; the others as if they took as long a number"),
            (None, _, Some(_)) => {
                format!(
                    "measured: {tried}; the others take {:.1} times as long a number, by a look at some",
                    self.longer()
                )
            }
        }
    }
}

/// Marks reached positions from the start on as long as there is time: the marks, numbers of the tiers that are done,
/// and whether all are.
fn mark(game: &dyn AnyGame, graph: &Graph, time: Duration) -> (Marks, u64, bool) {
    let (begun, mut marks, mut numbers) = (Instant::now(), Marks::new(), 0);
    for (at, node) in graph.nodes.iter().enumerate().rev() {
        if begun.elapsed() > time {
            return (marks, numbers, false);
        }
        let mut of = |at: usize| {
            let fresh = || game.unreached(graph.nodes[at].tier, at == graph.root);
            marks.entry(at).or_insert_with(fresh).clone()
        };
        let here = of(at);
        let below: Vec<_> = node.children.iter().map(|c| of(*c)).collect();
        let above: Vec<_> = node.parents.iter().map(|p| (graph.nodes[*p].tier, of(*p))).collect();
        game.discover(node.tier, &*here, &above, &below, &());
        numbers += node.size;
    }
    (marks, numbers, true)
}

/// Seconds that a look at a number takes, on the average of some tiers in proportion to their numbers.
fn look_at(game: &dyn AnyGame, nodes: &[&Node], time: Duration) -> Option<(f64, Looked)> {
    let begun = Instant::now();
    let all = nodes.iter().fold(0u128, |sum, node| sum + u128::from(node.size));
    let (mut sum, mut looks, mut found) = (0.0, 0, Looked::default());
    let mut nodes = nodes.iter();
    let (mut node, mut before) = (nodes.next()?, 0u128);
    for n in 0..LOOKS {
        // The tier in which the middle one of an equal share of all numbers lies, and where.
        let place = all * (2 * n as u128 + 1) / (2 * LOOKS as u128);
        while place >= before + u128::from(node.size) {
            before += u128::from(node.size);
            node = nodes.next()?;
        }
        if n > 0 && begun.elapsed() > time {
            break;
        }
        let from = ((place - before) as u64).min(node.size.saturating_sub(NUMBERS));
        let range = from..node.size.min(from + NUMBERS);
        // Once before, so that numberings are ready.
        game.look(node.tier, range.start..range.start + 1)?;
        let cpu = cpu_seconds();
        let looked = game.look(node.tier, range.clone())?;
        sum += (cpu_seconds() - cpu) / (range.end - range.start) as f64;
        found.one_by_one |= looked.one_by_one;
        looks += 1;
    }
    Some((sum / f64::from(looks), found))
}
