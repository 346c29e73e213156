//! A short trial of an engine: the first tiers, from the end of the game, are solved and packed for a moment, on one
//! thread. Tiers further up have more moves a position; how much longer they take is told by a look at random
//! numbers of all tiers, in proportion to their size.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use zermelo_core::{EngineError, Job, Looked, Opened, Reached, Solved, Watch};

use super::Estimate;
use crate::coordinator::{Node, panicked};
use crate::database::pack_all;
use crate::progress::short;
use crate::{Graph, Progress, Result, SolveError, cpu_seconds};

/// What the files of a database take besides its tables.
pub(super) const MANIFEST: u64 = 1_500;
/// Memory that a trial may take.
pub(super) const ROOM: u64 = 256 << 20;
/// Numbers of a tier that is solved before anything is known of the engine's speed; engines that do not make positions
/// one by one are many times as fast.
const FIRST: u64 = 50_000;
const FIRST_OF_MANY: u64 = 2_000_000;
/// Tiers of so few numbers tell what a tier costs, not what a number does: they are solved as long as there is time.
const LITTLE: u64 = 2_000;
/// Tiers whose numbers are looked at, and how many of each.
const LOOKS: usize = 8;
const NUMBERS: u64 = 1_000;
/// The size of a database is told where one number in so many was packed.
const PACKED: u64 = 10;
/// Reached positions are looked for at least so long: the first tiers are small, and tell more of what a tier costs than
/// of what a position does.
const MARKING: Duration = Duration::from_millis(400);
/// Where no tier had so many reached positions in the time of [`MARKING`], they tell nothing.
const ENOUGH: u64 = 100_000;
/// On a busy machine to look for reached positions may take so many times as long on the clock.
const BUSY: u32 = 4;
/// A trial with less time than that looks for reached positions for at most so many times its time.
const LONGER_MARKING: u32 = 8;
/// A tier takes no more than so many times as long as the one before.
const MOST_GROWTH: f64 = 10.0;
/// An engine that marks reached positions takes about so many times as long in all as for its marks alone.
const AFTER_MARKS: f64 = 3.0;
/// How many times as long such an engine takes in all as for its marks, where just the first tiers were marked: there
/// a position takes longer to find than in large tiers.
const AFTER_FIRST: f64 = 1.5;
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
    /// Positions of those tiers, finished ones included.
    positions: u64,
    /// What it took to find the reached positions, where only those are solved.
    marking: Option<Marking>,
    /// Seconds that a look at a number takes: in the tiers solved, and in all.
    look: Option<(Option<f64>, f64)>,
    looked: Looked,
    whole: bool,
}

/// Reached positions, of all tiers or of the first.
#[derive(Clone, Copy, Default)]
struct Marking {
    /// Positions whose moves were tried.
    tried: u64,
    seconds: f64,
    /// Positions tried, and seconds taken, in the tier with the most.
    largest: (u64, f64),
    /// Whether all were found.
    whole: bool,
}

/// Marks of tiers by their places.
type Marks = HashMap<usize, Arc<dyn Reached>>;

impl Trial {
    pub(super) fn of(game: &Opened, graph: &Graph, time: Duration) -> Result<Trial> {
        let pool = crate::machine::pool(1).map_err(SolveError::Threads)?;
        let trial = catch_unwind(AssertUnwindSafe(|| pool.install(|| Trial::go(game, graph, time))));
        trial.unwrap_or_else(|panic| Err(panicked(game.tiers().root(), &*panic)))
    }

    fn go(game: &Opened, graph: &Graph, time: Duration) -> Result<Trial> {
        let mut trial = Trial::default();
        let mut marks = Marks::new();
        let mut sizes: Vec<u64> = graph.nodes.iter().map(|node| node.size).collect();
        if game.tiers().filing().marked {
            // Of more positions than can be counted a longer look tells nothing either.
            let longer = if graph.entries() == u64::MAX { time } else { MARKING.min(LONGER_MARKING * time) };
            let found = mark(game, graph, &mut sizes, time.max(longer));
            trial.marking = Some(found.1);
            if !found.1.whole {
                return Ok(trial);
            }
            marks = found.0;
        }
        let solved = trial.solve(game, graph, (&marks, &sizes), time)?;
        trial.whole = trial.tiers == graph.nodes.len() as u64;
        if !trial.whole {
            trial.look(game, graph, &solved, time);
        }
        Ok(trial)
    }

    /// Solves tiers of these sizes as long as there is time; gives their places.
    fn solve(
        &mut self,
        game: &Opened,
        graph: &Graph,
        (marks, sizes): (&Marks, &[u64]),
        time: Duration,
    ) -> Result<Vec<usize>> {
        let (begun, progress) = (Instant::now(), Progress::new("trial"));
        let mut done: HashMap<usize, Arc<dyn Solved>> = HashMap::new();
        let mut held = 0;
        for (at, node) in graph.nodes.iter().enumerate() {
            let left = time.saturating_sub(begun.elapsed()).as_secs_f64();
            if left == 0.0 || held > ROOM {
                break;
            }
            let need = game.engine().need(node.tier);
            if need.working > ROOM
                || sizes[at] > game.takes.most
                || !self.is_short(game, node, sizes[at], left)
            {
                continue;
            }
            let below = node.children.iter().map(|c| done.get(c).cloned());
            let Some(below) = below.collect::<Option<Vec<_>>>() else { continue };
            let cpu = cpu_seconds();
            let reached = marks.get(&at).map(|marks| &**marks);
            let memory = need.useful.min(ROOM).max(need.working);
            let solved = match game.engine().solve(&Job {
                tier: node.tier,
                reached,
                children: &below,
                memory,
                watch: &(),
                checkpoint: None,
            }) {
                // A solve would try the tier again with more memory.
                Err(EngineError::LongLines(..)) => continue,
                solved => solved?,
            };
            let packed = pack_all(node.tier, &*solved, game.tiers().filing(), &progress, None);
            self.seconds += cpu_seconds() - cpu;
            self.bytes += packed.iter().map(|block| block.stored_bytes() as u64).sum::<u64>();
            self.numbers += sizes[at];
            self.positions += solved.positions();
            self.tiers += 1;
            held += solved.bytes();
            done.insert(at, solved);
        }
        Ok(done.into_keys().collect())
    }

    /// Whether a tier takes no longer than there is time, at the speed so far.
    fn is_short(&self, game: &Opened, node: &Node, size: u64, left: f64) -> bool {
        match self.seconds_here() {
            Some(each) => size <= LITTLE || size as f64 * each < left,
            None if size <= FIRST => true,
            None => size <= FIRST_OF_MANY && game.look(node.tier, 0..0).is_none(),
        }
    }

    /// What a number took to be solved. To find the reached positions took all tiers at once, so no tier is charged
    /// with it.
    fn seconds_here(&self) -> Option<f64> {
        (self.numbers > 0).then(|| self.seconds / self.numbers as f64)
    }

    /// Looks at numbers of the tiers solved and of all.
    fn look(&mut self, game: &Opened, graph: &Graph, solved: &[usize], time: Duration) {
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

    /// CPU seconds that a solve of so many numbers takes.
    pub(super) fn cpu_seconds(&self, numbers: u64) -> Option<f64> {
        let marks = self.marking.map_or(0.0, |marking| marking.seconds);
        let all = numbers as f64;
        match (self.marking, self.seconds_here(), self.look) {
            _ if self.whole => Some(marks + self.seconds),
            (Some(Marking { largest: (tried, seconds), whole: false, .. }), _, _) => {
                (tried >= ENOUGH).then(|| AFTER_FIRST * seconds / tried as f64 * all)
            }
            (_, Some(each), _) => Some(marks + each * self.longer() * all),
            (Some(_), None, _) => Some(AFTER_MARKS * marks),
            (None, None, Some((_, look))) => Some(AFTER_LOOK * look * all),
            (None, None, None) => None,
        }
    }

    /// Whether it is known which positions are solved.
    pub(super) fn knows_positions(&self) -> bool {
        self.marking.is_none_or(|marking| marking.whole)
    }

    /// Where all reached positions were found: how many there are, finished ones included where those were met too,
    /// and how many in the largest tier.
    pub(super) fn found(&self) -> Option<(u64, u64)> {
        let marking = self.marking.filter(|marking| marking.whole)?;
        Some((if self.whole { self.positions } else { marking.tried }, marking.largest.0))
    }

    /// Whether every tier was solved, so that nothing is left to guess.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Bytes of the tables of so many numbers, where a good part of them was packed: how well the others pack nobody
    /// can tell.
    pub(super) fn bytes(&self, of: u64) -> Option<u64> {
        // Where only reached positions are solved, those near the end are not packed at all.
        let part = if self.marking.is_some() { 1 } else { PACKED };
        let each = || self.bytes as f64 / self.numbers as f64;
        match self.numbers {
            _ if self.whole => Some(self.bytes),
            0 => None,
            numbers => (numbers >= of / part).then(|| (each() * of as f64) as u64),
        }
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
        let found = self.marking.map_or(String::new(), |Marking { tried, seconds, whole, .. }| {
            let all = if whole { "all" } else { "the first" };
            format!("{all} {} reached positions were found in {seconds:.2} CPU s", short(tried as f64))
        });
        let before = if found.is_empty() { String::new() } else { format!("{found}; ") };
        match (self.marking, self.numbers, self.look) {
            _ if self.whole => format!("measured: {before}all {tried}"),
            (Some(Marking { largest: (0..ENOUGH, _), whole: false, .. }), _, _) => {
                format!("{found}, too few to tell how long a solve takes")
            }
            (Some(Marking { whole: false, .. }), _, _) => {
                format!("{found}; a solve takes about {AFTER_FIRST} times as long a position")
            }
            (Some(_), 0, _) => format!("{found}; a solve takes about {AFTER_MARKS} times as long"),
            (None, 0, None) => "not estimated: no tier is small enough to try the engine on".into(),
            (None, 0, Some(_)) => format!(
                "no tier is small enough to try the engine on; positions of {LOOKS} tiers were looked at, and a solve \
                 takes about {AFTER_LOOK} times as long"
            ),
            (_, _, None) => format!("measured: {before}{tried}; the others as if they took as long a number"),
            (_, _, Some(_)) => {
                format!(
                    "measured: {before}{tried}; the others take {:.1} times as long a number, by a look at some",
                    self.longer()
                )
            }
        }
    }
}

/// Counts the positions whose moves are tried.
#[derive(Default)]
struct Tried(AtomicU64);

impl Watch for Tried {
    fn advance(&self, entries: u64) {
        self.0.fetch_add(entries, Relaxed);
    }
}

/// Marks reached positions from the start on as long as there is time. Tiers get the sizes that they turn out to have,
/// without positions that are over.
fn mark(game: &Opened, graph: &Graph, sizes: &mut [u64], time: Duration) -> (Marks, Marking) {
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    // The next tier takes as many times as long as the last one as that did as the one before; none is begun that would
    // last longer than twice the time.
    let mut last = [0.0f64; 2];
    let is_over = |[before, last]: [f64; 2]| {
        let spent = cpu_seconds() - cpu;
        let next = if before > 0.0 { last * (last / before).min(MOST_GROWTH) } else { last };
        spent > time.as_secs_f64() || spent + next > 2.0 * time.as_secs_f64() || begun.elapsed() > BUSY * time
    };
    let (mut marks, mut found) = (Marks::new(), Marking { whole: true, ..Marking::default() });
    for (at, node) in graph.nodes.iter().enumerate().rev() {
        if is_over(last) {
            found.whole = false;
            break;
        }
        let mut of = |at: usize| {
            let fresh = || game.reach().empty(graph.nodes[at].tier, at == graph.root);
            marks.entry(at).or_insert_with(fresh).clone()
        };
        let here = of(at);
        let below: Vec<_> = node.children.iter().map(|c| of(*c)).collect();
        let above: Vec<_> = node.parents.iter().map(|p| (graph.nodes[*p].tier, of(*p))).collect();
        let (tried, since) = (Tried::default(), cpu_seconds());
        game.reach().discover(node.tier, &*here, &above, &below, &tried);
        // The moves that lead here are those of the tier above.
        let tried = tried.0.into_inner();
        last = [last[1], cpu_seconds() - since];
        node.parents.iter().for_each(|parent| sizes[*parent] = tried);
        sizes[at] = 0;
        found.tried += tried;
        if tried > found.largest.0 {
            found.largest = (tried, last[1]);
        }
    }
    found.seconds = cpu_seconds() - cpu;
    (marks, found)
}

/// Seconds that a look at a number takes, on the average of some tiers in proportion to their numbers.
fn look_at(game: &Opened, nodes: &[&Node], time: Duration) -> Option<(f64, Looked)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A second to find a million positions, of which a thousand were solved in a hundredth of one.
    fn part() -> Trial {
        let marking = Marking { tried: 1_000_000, seconds: 1.0, largest: (300_000, 0.2), whole: true };
        Trial {
            tiers: 1,
            numbers: 1_000,
            seconds: 0.001,
            bytes: 50,
            marking: Some(marking),
            ..Trial::default()
        }
    }

    fn about(seconds: Option<f64>, want: f64) {
        assert!(seconds.is_some_and(|found| (found / want - 1.0).abs() < 1e-9), "{seconds:?}, not {want}");
    }

    #[test]
    fn no_tier_is_charged_with_the_search_for_all_positions() {
        // The search once, and every number at the speed of those solved.
        about(part().cpu_seconds(1_000_000), 2.0);
        assert_eq!((part().found(), part().bytes(1_000_000)), (Some((1_000_000, 300_000)), None));
        let nothing_solved = Trial { tiers: 0, numbers: 0, seconds: 0.0, ..part() };
        about(nothing_solved.cpu_seconds(1_000_000), AFTER_MARKS);
    }

    #[test]
    fn what_was_tried_tells_the_speed_where_not_all_was_found() {
        let marking = Marking { tried: 2 * ENOUGH, seconds: 1.0, largest: (ENOUGH, 0.01), whole: false };
        let trial = Trial { marking: Some(marking), ..Trial::default() };
        // The small tiers took as long as if they were large, and do not count.
        about(trial.cpu_seconds(1_000 * ENOUGH), AFTER_FIRST * 10.0);
        assert!(trial.found().is_none() && !trial.knows_positions());
        let few = Marking { largest: (ENOUGH - 1, 0.01), ..marking };
        let few = Trial { marking: Some(few), ..Trial::default() };
        assert!(few.cpu_seconds(1_000_000).is_none(), "a few positions tell nothing");
    }

    #[test]
    fn what_was_solved_whole_is_told_as_it_was() {
        let trial = Trial { whole: true, positions: 1_050, ..part() };
        about(trial.cpu_seconds(1_050), 1.001);
        assert_eq!((trial.found(), trial.bytes(1_050)), (Some((1_050, 300_000)), Some(50)));
    }
}
