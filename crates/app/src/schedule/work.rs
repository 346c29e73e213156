//! One task, wherever it runs: brings in what it needs, does it, and keeps what comes of it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use zermelo_core::{AnyGame, Count, Effort, Reached, Solved, Tier, Watch};
use zermelo_store::{Extent, Spot};

use super::records::Records;
use super::{Checks, Graph, SolveError};
use crate::Progress;
use crate::trace::Doing;

/// Takes the counts of tiers.
pub(crate) trait Counting: Sync {
    /// Whether a tier was counted in an earlier run.
    fn has(&self, tier: Tier) -> bool;
    /// Takes the counts of a tier that was just solved, before it is stored.
    fn take(&self, tier: Tier, counts: Vec<Count>) -> Result<(), SolveError>;
}

/// Solved tiers by their places.
pub(crate) type Forms = Vec<(usize, Arc<dyn Solved>)>;

/// Hears of a tier, with those it was solved from, and where it is parked.
pub(crate) type OnFormed<'a> = dyn Fn(&Forms, Spot) + 'a;

/// What a task takes along.
pub(crate) enum Job {
    Discover {
        here: Arc<dyn Reached>,
        /// The tiers above; none where they are parked.
        above: Vec<(usize, Option<Arc<dyn Reached>>)>,
        below: Vec<Arc<dyn Reached>>,
    },
    Solve {
        /// The tiers below; none where they are to be loaded.
        children: Vec<(usize, Option<Arc<dyn Solved>>)>,
        /// Where the tier is to be counted: its marks, none where they are parked.
        marks: Option<Option<Arc<dyn Reached>>>,
        memory: u64,
    },
}

/// What a task needs of the run.
pub(crate) struct Work<'a> {
    pub(crate) game: &'a dyn AnyGame,
    pub(crate) graph: &'a Graph,
    pub(crate) records: Option<&'a Records<'a>>,
    pub(crate) progress: &'a Progress,
    pub(crate) counting: Option<&'a dyn Counting>,
    /// Values to check on the way.
    pub(crate) checks: Option<&'a Checks>,
    /// Who wants to know of a solved tier that is parked, and need not wait until it is stored.
    pub(crate) formed: Option<&'a OnFormed<'a>>,
    pub(crate) queued: &'a Queued,
}

/// So many tasks go before one table: until it is there, what it was made from is kept.
const OVERTAKING: usize = 4;

/// Tasks that no thread has begun.
#[derive(Default)]
pub(crate) struct Queued {
    many: AtomicUsize,
    /// Whether they go before the rest of a task that nobody waits for.
    first: bool,
}

impl Queued {
    /// None, but they go before the rest of a task that nobody waits for.
    pub(crate) fn going_first() -> Queued {
        Queued { first: true, ..Queued::default() }
    }

    /// One more.
    pub(crate) fn add(&self) {
        self.many.fetch_add(1, Relaxed);
    }

    /// A thread begins one.
    pub(crate) fn begin(&self) {
        self.many.fetch_sub(1, Relaxed);
    }

    fn any(&self) -> bool {
        self.many.load(Relaxed) > 0
    }

    /// Has this thread do so many of them at most before it goes on, if they go first; how many it did.
    fn let_by(&self, most: usize) -> usize {
        let mut done = 0;
        while self.first && done < most && self.any() && rayon::yield_now() == Some(rayon::Yield::Executed) {
            done += 1;
        }
        done
    }
}

/// Where the table of a tier is that was stored, and how many positions it has.
pub(crate) type Table = Option<(Extent, u64)>;

impl Work<'_> {
    pub(crate) fn run(&self, at: usize, job: Job) -> Result<(Forms, Table), SolveError> {
        match job {
            Job::Discover { here, above, below } => {
                let tier = |at: usize| self.graph.nodes[at].tier;
                let back = |(at, marks)| Ok((tier(at), self.marks(tier(at), marks)?));
                let above = above.into_iter().map(back).collect::<Result<Vec<_>, SolveError>>()?;
                self.progress.span(Doing::Discover, Some(tier(at)), || {
                    self.game.discover(
                        tier(at),
                        &*here,
                        &above,
                        &below,
                        &self.part(at, |effort| effort.discover),
                    );
                });
                Ok((vec![], None))
            }
            Job::Solve { children, marks, memory } => {
                let mut forms = self.children(children)?;
                let tier = self.graph.nodes[at].tier;
                let below: Vec<_> = forms.iter().map(|(_, form)| form.clone()).collect();
                let marks = marks.map(|marks| self.marks(tier, marks)).transpose()?;
                let part = self.part(at, |effort| effort.solve);
                let matter = marks.as_deref().filter(|_| self.reached_matter());
                let solved = self
                    .progress
                    .span(Doing::Solve, Some(tier), || self.game.solve(tier, matter, &below, memory, &part));
                // It may be tried again, with more memory.
                let solved = solved.inspect_err(|_| part.take_back())?;
                if let (Some(checks), Some(marks)) = (self.checks, &marks) {
                    checks.compare(self.game, tier, self.graph.nodes.len(), &**marks, &*solved)?;
                }
                if let (Some(counting), Some(marks)) = (self.counting, marks) {
                    let count = || self.game.tally(tier, &*marks, &*solved);
                    counting.take(tier, self.progress.span(Doing::Count, Some(tier), count)?)?;
                }
                // The root is kept whole: the start will be looked up in it.
                let is_root = at == self.graph.root;
                let form = solved.trimmed().filter(|_| !is_root).unwrap_or_else(|| solved.clone());
                forms.push((at, form.clone()));
                let Some(records) = self.records else { return Ok((forms, None)) };
                let spot = if is_root { None } else { records.park_form(tier, &*form, self.progress)? };
                let told = if let (Some(formed), Some(spot)) = (self.formed, spot) {
                    formed(&forms, spot);
                    true
                } else {
                    false
                };
                // As long as tasks wait for a thread there is nobody to help, only somebody to wait for; and once
                // those above know of this tier, other tasks matter more than its table.
                let left = Cell::new(if told { OVERTAKING } else { 0 });
                let alone = || {
                    left.set(left.get() - self.queued.let_by(left.get()));
                    self.queued.any()
                };
                let table = records.store(self.game, tier, &*solved, self.progress, alone)?;
                if table.is_some() {
                    self.progress.advance(self.graph.nodes[at].effort.store);
                }
                Ok((forms, table))
            }
        }
    }

    /// Whether nobody will ask for positions that are not reached: tables may answer those as well.
    fn reached_matter(&self) -> bool {
        self.game.filing().marked || !self.records.is_some_and(Records::has_tables)
    }

    /// The progress that a tier makes: as much as was said, where its numbers are known.
    fn part(&self, at: usize, of: fn(&Effort) -> u64) -> Part<'_> {
        let most = if self.game.filing().marked { u64::MAX } else { of(&self.graph.nodes[at].effort) };
        Part { progress: self.progress, most, done: AtomicU64::new(0) }
    }

    /// The marks of a tier, brought back where they are not at hand.
    fn marks(&self, tier: Tier, marks: Option<Arc<dyn Reached>>) -> Result<Arc<dyn Reached>, SolveError> {
        match (marks, self.records) {
            (Some(marks), _) => Ok(marks),
            (None, Some(records)) => {
                self.progress.span(Doing::Read, Some(tier), || records.marks_back(self.game, tier))
            }
            (None, None) => Err(SolveError::NoValue("marks were let go".into())),
        }
    }

    /// The tiers below, loaded where they are not at hand.
    fn children(&self, children: Vec<(usize, Option<Arc<dyn Solved>>)>) -> Result<Forms, SolveError> {
        let mut forms = vec![];
        for (child, form) in children {
            let form = match (form, self.records) {
                (Some(form), _) => form,
                (None, Some(records)) => {
                    let tier = self.graph.nodes[child].tier;
                    self.progress.span(Doing::Read, Some(tier), || records.bring_back(self.game, tier))?
                }
                (None, None) => return Err(SolveError::NoValue("a tier below was let go".into())),
            };
            forms.push((child, form));
        }
        Ok(forms)
    }
}

/// One tier's part of the progress. Engines may go over a tier more than once, such as when its values turn out wide:
/// what was told of before is not told of again.
struct Part<'a> {
    progress: &'a Progress,
    most: u64,
    done: AtomicU64,
}

impl Watch for Part<'_> {
    fn advance(&self, entries: u64) {
        let before = self.done.fetch_add(entries, Relaxed).min(self.most);
        self.progress.advance(entries.min(self.most - before));
    }
}

impl Part<'_> {
    fn take_back(&self) {
        self.progress.take_back(self.done.load(Relaxed).min(self.most));
    }
}

/// Runs a task; a game that panics ends the run with its message, not with a hang.
pub(crate) fn caught<T>(tier: Tier, work: impl FnOnce() -> Result<T, SolveError>) -> Result<T, SolveError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(SolveError::Panic(tier, words(&*panic))))
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or("panic".into())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Of two tasks of one thread, the second spawned by the first before it makes its table: in which order they
    /// are through.
    fn order(queued: &Queued) -> Vec<&'static str> {
        let (through, pool) = (Mutex::new(vec![]), rayon::ThreadPoolBuilder::new().num_threads(1).build());
        let done = |name| through.lock().expect("nobody panics").push(name);
        pool.expect("a thread").scope(|scope| {
            queued.add();
            scope.spawn(|_| {
                queued.begin();
                done("second");
            });
            assert_eq!(queued.let_by(0), 0);
            let first = usize::from(queued.first);
            assert_eq!(queued.let_by(2), first);
            done("first");
        });
        assert!(!queued.any());
        through.into_inner().expect("nobody panics")
    }

    #[test]
    fn tasks_go_before_a_table_where_that_is_asked_for() {
        assert_eq!(order(&Queued::going_first()), ["second", "first"]);
        assert_eq!(order(&Queued::default()), ["first", "second"]);
    }

    #[test]
    fn no_tier_makes_more_progress_than_it_has_numbers() {
        let progress = Progress::new("test");
        progress.expect(1, 100);
        let part = |most| Part { progress: &progress, most, done: AtomicU64::new(0) };
        let tier = part(100);
        (0..5).for_each(|_| tier.advance(45));
        assert_eq!((progress.entries(), progress.share()), (100, 1.0));
        tier.take_back();
        assert_eq!(progress.entries(), 0);
        part(u64::MAX).advance(7);
        assert_eq!(progress.entries(), 7);
    }
}
