//! A run over the tier graph: what is ready, at work and done, whoever does it. [`Workers`] says who has time and room;
//! everything else is decided here, once for the threads of one process and for a cluster.

use std::cell::RefCell;
use std::collections::HashMap;

use zermelo_core::{Opened, Tier};
use zermelo_store::ScratchFiles;

use super::cache::Key;
use super::plan::{Earlier, Kind, Plan, Task, TaskOrder};
use super::records::{Records, marks_of};
use super::sizes::Sizes;
use super::task::{Done, Grant};
use super::{Counting, Graph, SolveError};
use crate::Progress;

/// What is known of a run.
pub(crate) struct Run<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) plan: Plan<'a>,
    pub(crate) sizes: Sizes<'a>,
    /// Tasks at work.
    pub(crate) running: HashMap<Task, Running>,
    /// Tiers that turned out to need more memory than their engine says at first.
    wider: HashMap<usize, u64>,
}

/// A task at work.
pub(crate) struct Running {
    /// The worker, or none for all of them together.
    pub(crate) worker: Option<usize>,
    pub(crate) need: u64,
    /// How many answers are awaited.
    awaited: usize,
    /// Whether those above can have the tier, so that it is only to be counted and stored.
    pub(crate) storing: bool,
}

/// What workers tell.
pub(crate) enum News<E> {
    /// A tier is solved, so that tiers above can read it; it is still to be counted and stored.
    Formed(Task, Done),
    /// A task is over.
    Done(Task, Result<Done, E>),
}

/// What does the tasks: the threads of this process, or the ranks of a cluster.
pub(crate) trait Workers {
    /// Why a task was not done.
    type Error;

    /// The next task that somebody has time and room for, and who.
    fn choose(&mut self, run: &Run<'_>) -> Result<Option<(Grant, usize)>, SolveError>;
    /// A task that nobody has room for, though nobody is at work, and who does it after all: none stands for all of them
    /// together. Or why nobody can.
    fn last_resort(&mut self, run: &Run<'_>, task: Task) -> Result<(Grant, Option<usize>), SolveError>;
    /// Has a worker, or all of them, do a task; how many answer.
    fn begin(&mut self, run: &Run<'_>, order: Grant, worker: Option<usize>) -> usize;
    /// Waits for news, and says from whom they are.
    fn next(&mut self) -> Result<(usize, News<Self::Error>), SolveError>;
    /// A worker's task is over, whatever came of it.
    fn ended(&mut self, worker: usize, running: &Running);
    /// Takes note of what was spilled, counted and stored.
    fn note(&mut self, worker: usize, tier: Tier, done: Done) -> Result<(), SolveError>;
    /// Nobody wants a thing in memory any more.
    fn let_go(&mut self, key: Key);
    /// Nobody wants what is spilled under this name any more.
    fn forget(&mut self, tier: Tier);
    /// A worker could not do a task: an error, unless it is to be tried again, perhaps with so much more memory for it.
    /// A task that was given more memory before is not tried again with more.
    fn failed(
        &mut self,
        worker: usize,
        error: Self::Error,
        failed: Failed,
    ) -> Result<Option<u64>, SolveError>;
}

/// A task that was not done.
pub(crate) struct Failed {
    pub(crate) task: Task,
    pub(crate) tier: Tier,
    /// Whether it may yet be given more memory.
    pub(crate) may_grow: bool,
    /// Whether all workers had it together.
    pub(crate) shared: bool,
}

impl<'a> Run<'a> {
    /// What an earlier run has left to do. Workers have so many bytes each.
    pub(crate) fn new(
        game: &Opened,
        graph: &'a Graph,
        records: Option<&Records<'_>>,
        counting: Option<&dyn Counting>,
        memory: &[u64],
    ) -> Run<'a> {
        let found = RefCell::new(HashMap::new());
        let spilled = |tier: Tier| {
            let bytes = records.and_then(|records| records.spilled_bytes(tier));
            bytes.inspect(|bytes| _ = found.borrow_mut().insert(tier, *bytes)).is_some()
        };
        let earlier = Earlier {
            stored: &|tier| records.is_some_and(|records| records.has(tier)),
            counted: &|tier| counting.is_none_or(|counting| counting.has(tier)),
            spilled: &spilled,
            counts: counting.is_some(),
        };
        let mut sizes = Sizes::new(game, graph);
        let marks = counting.is_some() || game.tiers().filing().marked;
        let plan = Plan::new(game, graph, &earlier, order(game, marks, sizes.all(marks), memory));
        records.inspect(|records| records.forget_unwanted(graph, &plan));
        // In memory a tier takes no less than when it is spilled, and what its table has.
        for at in plan.still_read() {
            let tier = graph.nodes[at].tier;
            let bytes = match game.tiers().filing().by_tier {
                false => found.borrow().get(&tier).copied(),
                true => records
                    .and_then(|records| records.table_bytes(tier))
                    .map(|table| game.engine().loaded_bytes(tier, table)),
            };
            sizes.learn_solved(at, sizes.alone(at).solved.max(bytes.unwrap_or(0)));
        }
        Run { graph, plan, sizes, running: HashMap::new(), wider: HashMap::new() }
    }

    /// Bytes that an engine takes for a task: at least, and at most usefully.
    pub(crate) fn needs(&self, Task { kind, at, .. }: Task) -> (u64, u64) {
        let size = self.sizes.alone(at);
        if kind == Kind::Discover {
            return (size.marks, size.marks);
        }
        let least = size.working.max(self.wider.get(&at).copied().unwrap_or(0));
        (least, size.useful.max(least))
    }

    /// What a task reads.
    pub(crate) fn reads(&self, Task { kind, at, .. }: Task) -> Vec<Key> {
        let node = &self.graph.nodes[at];
        let marks = (kind == Kind::Solve && self.plan.marks(at)).then_some((Kind::Discover, at));
        let from = if kind == Kind::Discover { &node.parents } else { &node.children };
        from.iter().map(|at| (kind, *at)).chain(marks).collect()
    }

    /// An order to do a task with so much free for it, where what it reads takes so much of it; `None` where that is too
    /// little.
    pub(crate) fn order(&self, task: Task, loading: u64, free: u64) -> Option<Grant> {
        let ((least, useful), free) = (self.needs(task), free.saturating_sub(loading));
        let grant = (least <= free).then(|| useful.clamp(least, free))?;
        let marks = task.kind == Kind::Solve && self.plan.marks(task.at);
        Some(Grant { task, grant, need: grant + loading, marks })
    }

    /// What a task reads takes in memory, with the numberings.
    pub(crate) fn loading(&self, Task { kind, at, .. }: Task) -> u64 {
        match kind {
            Kind::Discover => self.sizes.above(at),
            Kind::Solve => {
                let own = if self.plan.marks(at) { self.sizes.alone(at).marks } else { 0 };
                self.sizes.below(at).saturating_add(own)
            }
        }
    }
}

/// In the end every worker waits for the longest chain. But tiers that wait take memory, and where they are spilled they
/// have to be written, and compressed when there are many: a process alone has little to gain by that.
fn order(game: &Opened, marks: bool, all: u64, memory: &[u64]) -> TaskOrder {
    let by_tier = game.tiers().filing().by_tier;
    let most = if by_tier { u64::MAX } else { ScratchFiles::LOOSE };
    let room = memory.iter().map(|bytes| (bytes / 4).min(most)).fold(0, u64::saturating_add);
    let roomy = match memory.len() {
        0 | 1 => by_tier && !marks && all <= room,
        _ => by_tier || all <= room,
    };
    if roomy { TaskOrder::LongestChain } else { TaskOrder::FewAlive }
}

/// Gives tasks to workers until all are done.
pub(crate) struct Coordinator<'a, W> {
    run: Run<'a>,
    workers: W,
    progress: &'a Progress,
    /// Tiers that are solved before all below them are: who did them, and what came of them.
    early: Vec<(usize, Task, Done)>,
    positions: u64,
}

impl<'a, W: Workers> Coordinator<'a, W> {
    /// Runs to the end, or to the first failure; gives the number of tiers that an earlier run had done, and the positions
    /// of those solved now.
    pub(crate) fn go(run: Run<'a>, workers: W, progress: &'a Progress) -> Result<(u64, u64), SolveError> {
        let mut coordinator = Coordinator { run, workers, progress, early: vec![], positions: 0 };
        let resumed = coordinator.run.plan.resumed();
        loop {
            if progress.is_stopped() {
                return Err(SolveError::Stopped);
            }
            while let Some((order, worker)) = coordinator.next_order()? {
                let awaited = coordinator.workers.begin(&coordinator.run, order, worker);
                coordinator.run.plan.ready.remove(&order.task);
                let running = Running { worker, need: order.need, awaited, storing: false };
                coordinator.run.running.insert(order.task, running);
            }
            if coordinator.run.running.is_empty() {
                return Ok((resumed, coordinator.positions));
            }
            match coordinator.workers.next()? {
                (worker, News::Formed(task, done)) => coordinator.formed(worker, task, done)?,
                (worker, News::Done(task, result)) => coordinator.ended(worker, task, result)?,
            }
        }
    }

    /// A task that somebody has time and room for, and who does it; none stands for all workers together, which have no
    /// other task beside it.
    fn next_order(&mut self) -> Result<Option<(Grant, Option<usize>)>, SolveError> {
        if self.run.running.values().any(|running| running.worker.is_none()) {
            return Ok(None);
        }
        if let Some((order, worker)) = self.workers.choose(&self.run)? {
            return Ok(Some((order, Some(worker))));
        }
        let stuck = self.run.plan.ready.first().filter(|_| self.run.running.is_empty()).copied();
        stuck.map(|task| self.workers.last_resort(&self.run, task)).transpose()
    }

    /// Tiers above can have a tier, and need not wait until it is stored.
    fn formed(&mut self, worker: usize, task: Task, done: Done) -> Result<(), SolveError> {
        match self.run.running.get_mut(&task) {
            Some(running) if running.worker == Some(worker) && !running.storing => running.storing = true,
            _ => return Err(unasked(worker)),
        }
        self.note(worker, task, done)?;
        self.run.plan.formed(task.at);
        Ok(())
    }

    fn ended(&mut self, worker: usize, task: Task, result: Result<Done, W::Error>) -> Result<(), SolveError> {
        let mut running = self.run.running.remove(&task).ok_or_else(|| unasked(worker))?;
        self.workers.ended(worker, &running);
        running.awaited -= 1;
        let (last, shared) = (running.awaited == 0, running.worker.is_none());
        if !last {
            self.run.running.insert(task, running);
        }
        match result {
            Ok(done) => self.in_order(worker, task, done, last),
            Err(error) => {
                let (tier, may_grow) = (self.tier(task), !self.run.wider.contains_key(&task.at));
                let failed = Failed { task, tier, may_grow, shared };
                // Once more, when there is room for it.
                if let Some(need) = self.workers.failed(worker, error, failed)? {
                    self.run.wider.insert(task.at, need);
                }
                self.run.plan.ready.insert(task);
                Ok(())
            }
        }
    }

    fn tier(&self, task: Task) -> Tier {
        self.run.graph.nodes[task.at].tier
    }

    /// Takes in what was done; where tables cannot be loaded tier by tier, a tier after those below it, so that a kill
    /// costs no more than what is at work.
    fn in_order(&mut self, worker: usize, task: Task, done: Done, last: bool) -> Result<(), SolveError> {
        self.positions += done.positions;
        if task.kind == Kind::Discover || !last {
            return self.take_in(worker, task, done, last);
        }
        self.early.push((worker, task, done));
        while let Some(next) = self.early.iter().position(|(_, task, _)| self.run.plan.is_due(task.at)) {
            let (worker, task, done) = self.early.swap_remove(next);
            self.take_in(worker, task, done, true)?;
        }
        Ok(())
    }

    /// Takes note of all that came of a task.
    fn note(&mut self, worker: usize, task: Task, mut done: Done) -> Result<(), SolveError> {
        // Of a tier that is done its own bytes are known.
        for (at, size) in done.sizes.drain(..).filter(|(at, _)| !self.run.plan.done[*at]) {
            self.run.sizes.learn(at, size);
        }
        done.solved.drain(..).for_each(|(at, bytes)| self.run.sizes.learn_solved(at, bytes));
        self.workers.note(worker, self.tier(task), done)
    }

    fn take_in(&mut self, worker: usize, task: Task, done: Done, last: bool) -> Result<(), SolveError> {
        self.note(worker, task, done)?;
        match task.kind {
            _ if !last => {}
            Kind::Discover => self.run.plan.discovered(task.at),
            Kind::Solve => self.solved(task.at, self.tier(task)),
        }
        Ok(())
    }

    /// Takes note of a tier that is done, and lets go of what it alone was kept for.
    fn solved(&mut self, at: usize, tier: Tier) {
        self.progress.tier_done();
        let root = self.run.graph.root;
        for unwanted in self.run.plan.solved(at) {
            // The start will be looked up in the root, and all that it was solved from stays until the run has told
            // what came of it.
            if unwanted != root {
                self.workers.let_go((Kind::Solve, unwanted));
            }
            if at != root {
                self.workers.forget(self.run.graph.nodes[unwanted].tier);
            }
        }
        self.workers.forget(marks_of(tier));
        self.workers.let_go((Kind::Discover, at));
    }
}

fn unasked(worker: usize) -> SolveError {
    SolveError::Cluster(format!("rank {worker} has done what it was not asked for"))
}
