//! One task, wherever it runs: brings in what it reads, does it, and keeps what comes of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use zermelo_core::{Effort, Job, Opened, Reached, Solved, Tier, TierCheckpoint, Unpoisoned, Watch};
use zermelo_engines::parallel::Turns;
use zermelo_store::{ScratchPlace, TableExtent};

use super::cache::{Cache, Forms, GoesFirst};
use super::plan::{Kind, Task};
use super::records::{Records, marks_of};
use super::saves::{EVERY, Saves};
use super::sizes::Size;
use super::{Checks, Counting, Graph, SolveError};
use crate::Progress;
use crate::counts::Line;
use crate::progress::Stop;
use crate::trace::Doing;

/// A task, and what it may take.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub(crate) task: Task,
    /// Bytes that the engine may use.
    pub(crate) grant: u64,
    /// The grant, and what is loaded.
    pub(crate) need: u64,
    /// Whether the tier's reached positions are marked, and so counted.
    pub(crate) marks: bool,
}

/// What came of a task.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Done {
    /// Where the table is, and how many positions it has.
    pub(crate) table: Option<(TableExtent, u64)>,
    /// Positions of the solved tier.
    pub(crate) positions: u64,
    /// What was spilled where, by the number of the tier.
    pub(crate) spilled: Vec<(u64, ScratchPlace)>,
    /// Counts for the coordinator to keep.
    pub(crate) counts: Option<Line>,
    /// What tiers take that the engine could not tell before, by place.
    pub(crate) sizes: Vec<(usize, Size)>,
    /// The bytes of solved tiers, where the engine said something else.
    pub(crate) solved: Vec<(usize, u64)>,
}

/// Hears that tiers above can have a tier, which is still to be counted and stored.
pub(crate) type OnFormed<'a> = dyn Fn(Done) + 'a;

/// A tier that was just solved, with what it was solved from.
struct SolvedTier {
    solved: Arc<dyn Solved>,
    children: Forms,
    marks: Option<Arc<dyn Reached>>,
}

/// Does tasks, and keeps in memory what they have made and read.
pub(crate) struct Worker<'a> {
    pub(crate) game: &'a Opened,
    pub(crate) graph: &'a Graph,
    pub(crate) records: Option<&'a Records<'a>>,
    pub(crate) progress: &'a Progress,
    pub(crate) counting: Option<&'a dyn Counting>,
    /// Values to check on the way.
    pub(crate) checks: Option<&'a Checks>,
    pub(crate) cache: Mutex<Cache>,
    /// Whether other processes take up what this one has made: it is spilled for them, and the counts are sent.
    pub(crate) shares: bool,
    /// How often the state of a tier at work is saved.
    pub(crate) save_every: Duration,
}

impl<'a> Worker<'a> {
    /// A worker that keeps all in memory and counts nothing.
    pub(crate) fn new(game: &'a Opened, graph: &'a Graph, progress: &'a Progress) -> Worker<'a> {
        let cache = Mutex::new(Cache::new(GoesFirst::LastPlace));
        let (records, counting, checks, shares) = Default::default();
        Worker { game, graph, records, progress, counting, checks, cache, shares, save_every: EVERY }
    }

    pub(crate) fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unpoisoned()
    }

    /// Does a task; never panics. To pack the table gives other tasks their turns once those above know of the tier.
    pub(crate) fn run(
        &self,
        order: &Grant,
        formed: &OnFormed<'_>,
        turns: &Turns<'_>,
    ) -> Result<Done, SolveError> {
        let at = order.task.at;
        let work = || match order.task.kind {
            Kind::Discover => self.discover(at),
            Kind::Solve => {
                let made = self.solve(order)?;
                self.keep(order, made, formed, turns)
            }
        };
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(self.tier(at), &*panic)))
    }

    fn tier(&self, at: usize) -> Tier {
        self.graph.nodes[at].tier
    }

    fn discover(&self, at: usize) -> Result<Done, SolveError> {
        let (node, filing) = (&self.graph.nodes[at], self.game.tiers().filing());
        let fresh = |at: usize| self.game.reach().empty(self.tier(at), at == self.graph.root);
        let here = self.cache().marks(at);
        let here = here.unwrap_or_else(|| fresh(at));
        let above = node.parents.iter().map(|p| Ok((self.tier(*p), self.marks(*p)?)));
        let above = above.collect::<Result<Vec<_>, SolveError>>()?;
        // Marks are made from those above, or else by those above, which then share the ones here.
        let below = |at: usize| match filing.by_tier {
            true => self.shared_marks(at, || fresh(at)),
            false => fresh(at),
        };
        let below: Vec<_> = node.children.iter().map(|child| below(*child)).collect();
        let discovers = self.progress.span(Doing::Discover, Some(node.tier));
        let part = self.part(at, |effort| effort.discover);
        self.game.discover(node.tier, &*here, &above, &below, &part);
        drop(discovers);
        let spilled = match self.records.filter(|_| self.shares) {
            Some(records) => {
                let _writes = self.progress.span(Doing::Write, Some(node.tier));
                records.spill_marks(node.tier, &*here)?
            }
            None => None,
        };
        self.cache().put_marks(at, here);
        // From these marks the engine also tells what the tiers below will take.
        let news = std::iter::once(&at).chain(&node.children).filter(|_| filing.marked);
        Ok(Done {
            spilled: spilled.map(|spot| (marks_of(node.tier).0, spot)).into_iter().collect(),
            sizes: news.map(|at| (*at, Size::of(self.game, self.tier(*at)))).collect(),
            ..Done::default()
        })
    }

    /// The marks of a tier that others mark as well.
    fn shared_marks(&self, at: usize, fresh: impl FnOnce() -> Arc<dyn Reached>) -> Arc<dyn Reached> {
        let mut cache = self.cache();
        cache.marks(at).unwrap_or_else(|| {
            let marks = fresh();
            cache.put_marks(at, marks.clone());
            marks
        })
    }

    /// Has the engine solve a tier, and checks some values of it.
    fn solve(&self, order: &Grant) -> Result<SolvedTier, SolveError> {
        let (at, tier) = (order.task.at, self.tier(order.task.at));
        let children = self.children(at)?;
        let marks = order.marks.then(|| self.marks(at)).transpose()?;
        let part = self.part(at, |effort| effort.solve);
        let below: Vec<_> = children.iter().map(|(_, form)| form.clone()).collect();
        let reached = marks.as_deref().filter(|_| self.reached_matter());
        let states = self.records.and_then(Records::states);
        let saves = states.map(|states| Saves::new(states, tier, &below, self.save_every, self.progress));
        let checkpoint = saves.as_ref().map(|saves| saves as &dyn TierCheckpoint);
        let job = Job { tier, reached, children: &below, memory: order.grant, watch: &part, checkpoint };
        let solves = self.progress.span(Doing::Solve, Some(tier));
        // After an error the tier may be tried again, with more memory.
        let solved = self.game.engine().solve(&job).inspect_err(|_| part.take_back())?;
        drop(solves);
        if let (Some(checks), Some(marks)) = (self.checks, &marks) {
            checks.compare(self.game, tier, self.graph.nodes.len(), &**marks, &*solved)?;
        }
        Ok(SolvedTier { solved, children, marks })
    }

    /// Keeps a solved tier: in memory and spilled for those above, its counts, and its table.
    fn keep(
        &self,
        order: &Grant,
        made: SolvedTier,
        formed: &OnFormed<'_>,
        turns: &Turns<'_>,
    ) -> Result<Done, SolveError> {
        let SolvedTier { solved, children: mut forms, marks } = made;
        let at = order.task.at;
        let node = &self.graph.nodes[at];
        // The root is kept whole: the start will be looked up in it.
        let is_root = at == self.graph.root;
        let form = solved.trimmed().filter(|_| !is_root).unwrap_or_else(|| solved.clone());
        forms.push((at, form.clone()));
        let wanted = !is_root && !node.parents.is_empty();
        let spot = match self.records.filter(|_| wanted) {
            Some(records) => records.spill_form(self.game, node.tier, &*form, self.progress)?,
            None => None,
        };
        let mut done = self.keep_forms(at, &forms, spot);
        drop((form, forms));
        // Other processes can have it when it is spilled.
        let told = wanted && (spot.is_some() || !self.shares);
        if told {
            formed(std::mem::take(&mut done));
        }
        done.positions = solved.positions();
        // Before the table, so that a tier that is stored is counted.
        if let Some(marks) = marks {
            done.counts = self.count(node.tier, &*marks, &*solved)?;
        }
        self.cache().remove((Kind::Discover, at));
        if let Some(records) = self.records {
            let turns = Some(turns).filter(|_| told);
            done.table = records.store(self.game, node.tier, &*solved, self.progress, turns)?;
        }
        if done.table.is_some() {
            self.progress.advance(node.effort.store);
        }
        Ok(done)
    }

    /// Keeps a solved tier and those it was solved from in memory; what the coordinator must know.
    fn keep_forms(&self, at: usize, forms: &Forms, spot: Option<ScratchPlace>) -> Done {
        let solved = self.solved_bytes(at, forms);
        self.cache().put_forms(forms);
        let spilled = spot.map(|spot| (self.tier(at).0, spot)).into_iter().collect();
        Done { spilled, solved, ..Done::default() }
    }

    /// The bytes of the tier that was just solved where the engine said something else; where it knows nothing
    /// beforehand, also of those that were read, for they may be an earlier run's.
    fn solved_bytes(&self, at: usize, forms: &Forms) -> Vec<(usize, u64)> {
        let filing = self.game.tiers().filing();
        let said = |at: usize| self.game.engine().need(self.tier(at)).result;
        // An engine that keeps forms of its own may know more here than where the coordinator is.
        let is_news = |place: usize, bytes: u64| {
            filing.marked || place == at && (!filing.by_tier || bytes != said(place))
        };
        let bytes = forms.iter().map(|(place, form)| (*place, form.bytes()));
        bytes.filter(|(place, bytes)| is_news(*place, *bytes)).collect()
    }

    /// Counts a tier; gives the counts where they are sent.
    fn count(
        &self,
        tier: Tier,
        marks: &dyn Reached,
        solved: &dyn Solved,
    ) -> Result<Option<Line>, SolveError> {
        if self.counting.is_none() && !self.shares {
            return Ok(None);
        }
        let counts = {
            let _counts = self.progress.span(Doing::Count, Some(tier));
            self.game.tally(tier, marks, solved)?
        };
        match self.counting {
            Some(counting) => counting.take(tier, counts).map(|()| None),
            None => Ok(Some(Line::new(tier, &counts))),
        }
    }

    /// Whether nobody will ask for positions that are not reached: tables may answer those as well.
    fn reached_matter(&self) -> bool {
        self.game.tiers().filing().marked || !self.records.is_some_and(Records::has_tables)
    }

    /// The progress that a tier makes: as much as was said, where its numbers are known.
    fn part(&self, at: usize, of: fn(&Effort) -> u64) -> Part<'_> {
        let most =
            if self.game.tiers().filing().marked { u64::MAX } else { of(&self.graph.nodes[at].effort) };
        let (progress, tier) = (self.progress, self.tier(at));
        Part { progress, tier, most, done: AtomicU64::new(0), told: AtomicBool::new(false) }
    }

    /// The marks of a tier, brought back where they are not in memory.
    fn marks(&self, at: usize) -> Result<Arc<dyn Reached>, SolveError> {
        if let Some(marks) = self.cache().marks(at) {
            return Ok(marks);
        }
        let tier = self.tier(at);
        let records = self.records.ok_or_else(|| SolveError::NoValue("marks were let go".into()))?;
        let _reads = self.progress.span(Doing::Read, Some(tier));
        records.marks_back(self.game, tier)
    }

    /// The tiers below one, loaded where they are not in memory.
    fn children(&self, at: usize) -> Result<Forms, SolveError> {
        let form = |child: &usize| {
            if let Some(form) = self.cache().form(*child) {
                return Ok((*child, form));
            }
            let (tier, gone) = (self.tier(*child), || SolveError::NoValue("a tier below was let go".into()));
            let records = self.records.ok_or_else(gone)?;
            let _reads = self.progress.span(Doing::Read, Some(tier));
            Ok((*child, records.bring_back(self.game, tier)?))
        };
        self.graph.nodes[at].children.iter().map(form).collect()
    }
}

/// One tier's part of the progress. Engines may go over a tier more than once, such as when its values turn out wide:
/// what was told of before is not told of again.
struct Part<'a> {
    progress: &'a Progress,
    tier: Tier,
    most: u64,
    done: AtomicU64,
    /// Whether there was a remark on it.
    told: AtomicBool,
}

impl Watch for Part<'_> {
    fn advance(&self, entries: u64) {
        self.progress.heed();
        let before = self.done.fetch_add(entries, Relaxed).min(self.most);
        self.progress.advance(entries.min(self.most - before));
    }

    fn remark(&self, text: &str) {
        if !self.told.swap(true, Relaxed) {
            self.progress.remark_on(self.tier, text);
        }
    }
}

impl Part<'_> {
    fn take_back(&self) {
        self.progress.take_back(self.done.load(Relaxed).min(self.most));
    }
}

/// The error of a task in which a game panicked: it ends the run with the message of the panic, not with a hang. The same
/// way a task ends that is stopped.
pub(crate) fn panicked(tier: Tier, panic: &(dyn std::any::Any + Send)) -> SolveError {
    if panic.is::<Stop>() {
        return SolveError::Stopped;
    }
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
    SolveError::Panic(tier, text.unwrap_or("panic".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tier_makes_more_progress_than_it_has_numbers() {
        let progress = Progress::new("test");
        progress.expect(1, 100);
        let (progress, tier) = (&progress, Tier(0));
        let part =
            |most| Part { progress, tier, most, done: AtomicU64::new(0), told: AtomicBool::new(false) };
        let tier = part(100);
        (0..5).for_each(|_| tier.advance(45));
        assert_eq!((progress.entries(), progress.share()), (100, 1.0));
        tier.take_back();
        assert_eq!(progress.entries(), 0);
        part(u64::MAX).advance(7);
        assert_eq!(progress.entries(), 7);
    }
}
