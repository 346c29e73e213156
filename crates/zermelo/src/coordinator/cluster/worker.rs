//! The worker of a rank: does the tasks it is told to with its threads, writes tables into a file of its own, and reads
//! those of others. What it has solved or read it keeps in memory as long as there is room.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use zermelo_core::{EngineError, Peers, Tier, Unpoisoned};
use zermelo_engines::parallel::{self, Others, Queue, Tasks, Turns};
use zermelo_store::{Annex, ScratchFiles};

use super::clock::Clock;
use super::message::{Assignment, Fault, Number, Stats, ToCoordinator, ToWorker};
use super::process::Process;
use super::splitter;
use super::team::Team;
use crate::available_memory;
use crate::coordinator::cache::{Cache, GoesFirst};
use crate::coordinator::plan::Task;
use crate::coordinator::records::Records;
use crate::coordinator::task::{Done, Grant, Worker, panicked};
use crate::coordinator::{Graph, Result, SolveError};
use crate::trace::Doing;

/// At most so many tasks are begun before a table that waits is packed. A task makes other tasks possible, for which
/// other ranks may be idle; a table does not.
const TASKS_BEFORE_TABLE: usize = 4;
/// Beyond [`TASKS_BEFORE_TABLE`], at most so many urgent tasks are begun before a table. Not all of them: a run that is
/// killed goes on from tables.
const URGENT_BEFORE_TABLE: usize = 8;

/// Milliseconds from one look for messages to the next while a table is packed: where there are more ranks than cores,
/// who finds none lets another rank run.
const LOOK: u64 = 2;

/// Bytes that a machine is taken to have left.
const LITTLE: u64 = 32 << 20;

/// The worker of a rank that has joined.
pub(super) struct RankWorker<'a> {
    process: &'a Process<'a>,
    worker: Worker<'a>,
    threads: usize,
    records: &'a Records<'a>,
    annex: &'a Annex,
    scratch: &'a ScratchFiles,
    clock: Mutex<Clock>,
    queue: Queue<Task, Assignment>,
    /// What this rank has spilled and nobody wants any more.
    forgotten: Mutex<Vec<Number>>,
    /// Whoever has this receives, and takes up what comes in its order.
    inbox: Mutex<Receiver<ToWorker>>,
    begun: Instant,
    /// When a thread last looked for messages between the blocks of a table, in milliseconds from then on.
    looked: AtomicU64,
}

impl Tasks for RankWorker<'_> {
    fn others(&self) -> Arc<dyn Others> {
        self.queue.others()
    }

    fn next(&self) -> bool {
        self.queue.take().map(|(_, assignment)| self.one(&assignment, 0)).is_some()
    }

    fn first(&self, most: usize) -> usize {
        if most > 0 && self.is_time_to_look() {
            self.collect();
        }
        let next = |left: usize| self.queue.take_if(|task| task.urgent || left > URGENT_BEFORE_TABLE);
        (0..most).take_while(|done| next(most - done).map(|(_, task)| self.one(&task, 1)).is_some()).count()
    }
}

impl<'a> RankWorker<'a> {
    pub(super) fn new(
        process: &'a Process<'a>,
        graph: &'a Graph,
        threads: usize,
        records: &'a Records<'a>,
        annex: &'a Annex,
        scratch: &'a ScratchFiles,
        inbox: Receiver<ToWorker>,
    ) -> RankWorker<'a> {
        let worker = Worker {
            records: Some(records),
            checks: process.settings.check.as_deref(),
            cache: Mutex::new(Cache::new(GoesFirst::Oldest)),
            shares: true,
            ..Worker::new(process.game, graph, process.progress)
        };
        RankWorker {
            process,
            worker,
            threads,
            records,
            annex,
            scratch,
            clock: Mutex::new(Clock::new()),
            queue: Queue::default(),
            forgotten: Mutex::default(),
            inbox: Mutex::new(inbox),
            begun: Instant::now(),
            looked: AtomicU64::new(0),
        }
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unpoisoned()
    }

    /// What this worker has done.
    pub(super) fn stats(&self) -> Stats {
        let checked = self.worker.checks.map_or((0, 0), |checks| (checks.agreed(), checks.too_long()));
        Stats { checked, ..self.clock().stats() }
    }

    /// Whether nobody has looked for messages lately; if so, one does now.
    fn is_time_to_look(&self) -> bool {
        let (now, last) = (self.begun.elapsed().as_millis() as u64, self.looked.load(Relaxed));
        now >= last + LOOK && self.looked.compare_exchange(last, now, Relaxed, Relaxed).is_ok()
    }

    /// Does a task, while so many others of this thread wait for it.
    fn one(&self, assignment: &Assignment, paused: usize) {
        let order = &assignment.order;
        self.clock().paused += paused;
        self.expect_task();
        let result = self.task(order);
        // First, so that there is a next task and nobody else is woken to wait for one.
        self.collect();
        self.clock().paused -= paused;
        self.put_down(order);
        self.process.mailbox.to_coordinator(ToCoordinator::Done(order.task, result));
        self.forget();
    }

    /// Takes orders until the last.
    pub(super) fn work(&self, pool: &rayon::ThreadPool) {
        let &Process { mailbox, progress, .. } = self.process;
        pool.in_place_scope(|scope| {
            loop {
                let waits = progress.span(Doing::Wait, None);
                mailbox.wait();
                drop(waits);
                let inbox = self.inbox.lock().unpoisoned();
                if mailbox.nudged() {
                    scope.spawn(|scope| parallel::work(self, scope));
                }
                let waits = progress.span(Doing::Wait, None);
                let message = mailbox.for_worker(&inbox);
                drop(waits);
                match message {
                    Some(ToWorker::Task(task)) => {
                        self.queue(task);
                        scope.spawn(|scope| parallel::work(self, scope));
                    }
                    Some(ToWorker::Together(task)) => {
                        self.take_up(&task);
                        let result = mailbox.listening(|| pool.install(|| self.together(&task.order)));
                        self.put_down(&task.order);
                        mailbox.to_coordinator(ToCoordinator::Done(task.order.task, result));
                        mailbox.listening(|| self.forget());
                    }
                    Some(ToWorker::Stop) => return,
                    Some(ToWorker::Heartbeat | ToWorker::Welcome(_)) | None => {}
                }
            }
        });
    }

    /// Takes up what has come while a thread was at work. Nothing where somebody waits for messages: then that one
    /// does, as on rank 0.
    fn collect(&self) {
        let mailbox = self.process.mailbox;
        let Some(inbox) = self.inbox.try_lock().ok().filter(|_| mailbox.net.rank() != 0) else { return };
        mailbox.collect();
        let mut some = false;
        while let Ok(message) = inbox.try_recv() {
            match message {
                ToWorker::Task(order) => {
                    self.queue(order);
                    some = true;
                }
                ToWorker::Heartbeat | ToWorker::Welcome(_) => {}
                last @ (ToWorker::Together(_) | ToWorker::Stop) => {
                    mailbox.leave(last);
                    break;
                }
            }
        }
        // This thread takes one; another may have become idle meanwhile.
        if some && self.threads > 1 {
            mailbox.nudge();
        }
    }

    /// Whether there is time for another task.
    fn expect_task(&self) {
        // Under one lock, so that what is said last is also true.
        let clock = self.clock();
        self.process.mailbox.expect_task(clock.running - clock.paused < self.threads);
    }

    /// Takes up an order, for the next thread that has time.
    fn queue(&self, assignment: Assignment) {
        self.take_up(&assignment);
        self.queue.add(assignment.order.task, assignment);
    }

    fn take_up(&self, assignment: &Assignment) {
        self.clock().begin();
        self.expect_task();
        let need = assignment.order.need;
        assignment.tables.iter().for_each(|(tier, extent)| self.annex.know(Tier(*tier), *extent));
        assignment.spilled.iter().for_each(|(tier, spot)| self.scratch.know(Tier(*tier), *spot));
        self.forgotten.lock().unpoisoned().extend(&assignment.forget);
        let mut cache = self.worker.cache();
        assignment.unwanted.iter().for_each(|key| cache.remove(*key));
        cache.make_room(need, self.process.settings.memory);
        cache.running += need;
    }

    fn put_down(&self, order: &Grant) {
        let mut cache = self.worker.cache();
        cache.running -= order.need;
        cache.make_room(0, self.process.settings.memory);
        drop(cache);
        self.clock().end();
        self.expect_task();
    }

    /// Lets go of what was spilled and nobody wants any more. Not before the task: to remove a large file takes longer
    /// than to solve many a tier, which others wait for.
    fn forget(&self) {
        let tiers = std::mem::take(&mut *self.forgotten.lock().unpoisoned());
        tiers.into_iter().for_each(|tier| self.scratch.forget(Tier(tier)));
    }

    /// Does a task; never panics, so that the coordinator always hears of it.
    fn task(&self, order: &Grant) -> Result<Done, Fault> {
        let (task, mailbox) = (order.task, self.process.mailbox);
        // A short message: nobody here receives, and large ones take part of both sides until they are over.
        let formed = |done| mailbox.to_coordinator(ToCoordinator::Formed(task, done));
        let turns = Turns::of(self, TASKS_BEFORE_TABLE + URGENT_BEFORE_TABLE);
        let room = self.room_for(self.worker.graph.nodes[task.at].tier, order);
        room.and_then(|()| self.worker.run(order, &formed, &turns)).map_err(|error| self.fault(error))
    }

    /// Whether the machine has the memory that it promised.
    fn room_for(&self, tier: Tier, order: &Grant) -> Result<()> {
        // To ask takes as long as part of a small tier.
        let free = (order.need > LITTLE).then(available_memory).flatten().unwrap_or(u64::MAX);
        let fix = "other programs take the memory of this machine; give the run less with --memory";
        SolveError::if_more(order.need, free, tier, fix)
    }

    /// Solves this rank's share of a tier.
    fn together(&self, order: &Grant) -> Result<Done, Fault> {
        let tier = self.worker.graph.nodes[order.task.at].tier;
        if self.annex.contains(tier) {
            // All know that, so nobody waits for the others.
            return Ok(Done::default());
        }
        let solve = || {
            let &Process { mailbox, progress, .. } = self.process;
            let node = &self.worker.graph.nodes[order.task.at];
            let team = Team::new(mailbox, progress);
            let split = splitter(self.process.ways, tier, team.count());
            let (game, _) = split.ok_or(EngineError::Alone(tier, self.process.game.takes.name))?;
            let share = self.records.solve_share(game, tier, &team, order.grant, progress)?;
            let failed = |reason| SolveError::Engine(EngineError::Load { tier, reason });
            let table =
                team.store(self.annex, tier, node.size, &*share, game.tiers().filing()).map_err(failed)?;
            let bytes = node.size * share.width().bytes() as u64;
            Ok(Done { table, solved: vec![(order.task.at, bytes)], ..Done::default() })
        };
        let solved = catch_unwind(AssertUnwindSafe(solve));
        solved.unwrap_or_else(|panic| Err(panicked(tier, &*panic))).map_err(|error| self.fault(error))
    }

    /// What the coordinator is told of an error, with the name of the tier.
    fn fault(&self, error: SolveError) -> Fault {
        let anywhere = matches!(
            error,
            SolveError::Engine(
                EngineError::BadGame { .. }
                    | EngineError::OutOfRange(_)
                    | EngineError::TooLarge(..)
                    | EngineError::Loops(..)
                    | EngineError::Alone(..),
            ) | SolveError::Differs { .. }
        );
        match error {
            SolveError::Engine(EngineError::LongLines(_, bytes)) => Fault::Wider(bytes),
            error if anywhere => Fault::Anywhere(error.named(self.process.game).to_string()),
            error => Fault::Here(error.named(self.process.game).to_string()),
        }
    }
}
