//! One task, wherever it runs: brings in what it needs, does it, and keeps what comes of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use zermelo_core::{AnyGame, Count, Effort, Reached, Solved, Tier, Watch};
use zermelo_store::{Extent, Spot};

use super::queue::ToDo;
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

/// Hears of a tier, with those it was solved from, and where it is parked, if it is; whether those above can have it
/// before it is stored.
pub(crate) type OnFormed<'a> = dyn Fn(&Forms, Option<Spot>) -> bool + 'a;

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
    /// Who wants to know of a solved tier, and may not have to wait until it is stored.
    pub(crate) formed: Option<&'a OnFormed<'a>>,
    /// Other tasks.
    pub(crate) todo: &'a dyn ToDo,
    /// So many of them, if they wait, go before the table of a tier that those above know of: until it is there, what
    /// it was made from is kept.
    pub(crate) before_tables: usize,
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
                // The root is kept whole: the start will be looked up in it.
                let is_root = at == self.graph.root;
                let form = solved.trimmed().filter(|_| !is_root).unwrap_or_else(|| solved.clone());
                forms.push((at, form.clone()));
                let wanted = !is_root && !self.graph.nodes[at].parents.is_empty();
                let spot = match self.records.filter(|_| wanted) {
                    Some(records) => records.park_form(self.game, tier, &*form, self.progress)?,
                    None => None,
                };
                let told = wanted && self.formed.is_some_and(|formed| formed(&forms, spot));
                // Before the table, so that a tier that is stored is counted.
                if let (Some(counting), Some(marks)) = (self.counting, marks) {
                    let count = || self.game.tally(tier, &*marks, &*solved);
                    counting.take(tier, self.progress.span(Doing::Count, Some(tier), count)?)?;
                }
                let Some(records) = self.records else { return Ok((forms, None)) };
                // Once those above know of this tier, other tasks matter more than its table.
                let left = AtomicUsize::new(if told { self.before_tables } else { 0 });
                let packing = Packing { todo: self.todo, left };
                let table = records.store(self.game, tier, &*solved, self.progress, &packing)?;
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
        Part { progress: self.progress, todo: self.todo, most, done: AtomicU64::new(0) }
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
    todo: &'a dyn ToDo,
    most: u64,
    done: AtomicU64,
}

impl Watch for Part<'_> {
    fn advance(&self, entries: u64) {
        let before = self.done.fetch_add(entries, Relaxed).min(self.most);
        self.progress.advance(entries.min(self.most - before));
    }

    fn alone(&self) -> bool {
        self.todo.waits()
    }
}

impl Part<'_> {
    fn take_back(&self) {
        self.progress.take_back(self.done.load(Relaxed).min(self.most));
    }
}

/// The packing of a table.
struct Packing<'a> {
    todo: &'a dyn ToDo,
    /// So many tasks may still go first.
    left: AtomicUsize,
}

impl Watch for Packing<'_> {
    fn advance(&self, _: u64) {}

    fn alone(&self) -> bool {
        self.todo.waits()
    }

    fn pause(&self) {
        let left = self.left.load(Relaxed);
        self.left.store(left - self.todo.several(left), Relaxed);
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
    use super::*;

    /// Nothing waits.
    struct Quiet;

    impl ToDo for Quiet {
        fn waits(&self) -> bool {
            false
        }

        fn next(&self) -> bool {
            false
        }
    }

    #[test]
    fn no_tier_makes_more_progress_than_it_has_numbers() {
        let progress = Progress::new("test");
        progress.expect(1, 100);
        let part = |most| Part { progress: &progress, todo: &Quiet, most, done: AtomicU64::new(0) };
        let tier = part(100);
        (0..5).for_each(|_| tier.advance(45));
        assert_eq!((progress.entries(), progress.share()), (100, 1.0));
        tier.take_back();
        assert_eq!(progress.entries(), 0);
        part(u64::MAX).advance(7);
        assert_eq!(progress.entries(), 7);
    }
}
