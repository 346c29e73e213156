//! A worker: does the tasks it is told to with its threads, writes tables into a file of its own, and reads those
//! of others. What it has solved or read it keeps in memory as long as there is room.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use zermelo_core::{AnyGame, Count, EngineError, Filing, Peers, Tier};
use zermelo_store::{Annex, Disk, Park, Spot};

use super::clock::Clock;
use super::held::Held;
use super::message::{Done, Fault, Number, Order, Stats, ToManager, ToWorker, Welcome};
use super::net::Post;
use super::sizes::Size;
use super::team::Team;
use super::{PATIENCE, PULSE, probe_name, splitter};
use crate::counts::Line;
use crate::schedule::{
    Counting, Forms, Graph, Job, Kind, OUTLIVED, OnFormed, Queued, Records, Settings, SolveError, Task, ToDo,
    Work, call, caught, marks_of, once_free,
};
use crate::trace::Doing;
use crate::{Progress, available_memory, database};

/// So many tasks go before a table: they are of use to other ranks, who may have nothing else to do; a table is not.
const OVERTAKING: usize = 4;
/// And so many more that are urgent. Not all: a run that is killed goes on from tables.
const HURRYING: usize = 8;

/// Milliseconds from one look for messages to the next while a table is packed: where there are more ranks than cores,
/// who finds none lets another rank run.
const LOOK: u64 = 2;

/// Bytes that a machine is taken to have left.
const LITTLE: u64 = 32 << 20;

/// All that a worker's tasks share.
pub(super) struct Worker<'a> {
    pub(super) game: &'a dyn AnyGame,
    /// The same with every engine.
    pub(super) ways: &'a [Box<dyn AnyGame>],
    /// Its tiers, once they are found.
    pub(super) graph: OnceLock<Graph>,
    /// Whoever finds them has this.
    pub(super) making: Mutex<()>,
    pub(super) settings: &'a Settings,
    /// The folder of the database.
    pub(super) folder: &'a Path,
    pub(super) progress: &'a Progress,
    pub(super) post: &'a Post<'a>,
}

impl Worker<'_> {
    /// Works until it is told to stop.
    pub(super) fn run(&self, inbox: Receiver<ToWorker>) -> Result<(), SolveError> {
        let stats = self.work(inbox)?;
        // Whoever began the trace asks again and tells what went wrong.
        let _ = self.progress.end_trace();
        // On rank 0 the manager receives, and needs signs of life until all others are done.
        if self.post.net.rank() != 0 {
            self.post.fall_silent();
        }
        self.post.to_manager(ToManager::Bye(stats));
        Ok(())
    }

    /// The tier graph, which is made when first asked for; who asks meanwhile waits for it.
    pub(super) fn graph(&self) -> Result<&Graph, SolveError> {
        let _making = self.making.lock();
        if let Some(graph) = self.graph.get() {
            return Ok(graph);
        }
        let graph = Graph::of(self.game)?;
        Ok(self.graph.get_or_init(|| graph))
    }

    fn work(&self, inbox: Receiver<ToWorker>) -> Result<Stats, SolveError> {
        if self.post.net.rank() != 0 {
            // While the manager makes it for rank 0. What is wrong with it is told when this rank is to join.
            let _ = self.post.listening(|| self.graph().map(drop));
        }
        let welcome = loop {
            match self.post.for_worker(&inbox) {
                Some(ToWorker::Welcome(welcome)) => break welcome,
                Some(ToWorker::Pulse) | None => {}
                // There is nothing to do, or some rank cannot take part.
                _ => return Ok(Stats::default()),
            }
        };
        self.progress.trace_from(welcome.begun);
        let (graph, annex, park) = match self.post.listening(|| self.join(&welcome)) {
            Ok(files) => files,
            Err(error) => {
                self.post.to_manager(ToManager::Unable(error.to_string()));
                while !matches!(self.post.for_worker(&inbox), Some(ToWorker::Stop)) {}
                return Ok(Stats::default());
            }
        };
        self.post.to_manager(ToManager::Ready);
        let threads = welcome.threads.max(1);
        let pool = Settings { threads, ..self.settings.clone() }.pool()?;
        let records = Records::of_annex(&annex, &park);
        let desk = Desk {
            worker: self,
            graph,
            threads,
            records,
            annex: &annex,
            park: &park,
            held: Mutex::default(),
            clock: Mutex::new(Clock::new()),
            queued: Queued::default(),
            forgotten: Mutex::default(),
            inbox: Mutex::new(inbox),
            begun: Instant::now(),
            looked: AtomicU64::new(0),
        };
        desk.work(&pool);
        let stats = desk.clock().stats();
        // Everything is stored. All ranks do this at once, and it may take a while: signs of life are still answered.
        self.post.listening(|| drop(desk));
        self.post.listening(|| park.leave());
        Ok(stats)
    }

    /// Reads what the manager has written, writes for it to read, and opens the files to work with.
    fn join(&self, welcome: &Welcome) -> Result<(&Graph, Annex, Park), SolveError> {
        let (rank, graph) = (self.post.net.rank(), self.graph()?);
        let unusable = |reason: String| SolveError::Data {
            path: self.folder.display().to_string(),
            reason: format!("rank {rank} on {}: {reason}", self.post.net.host()),
            fix: "give a directory that all machines share with --data",
        };
        let read = std::fs::read_to_string(self.folder.join(probe_name(&welcome.run, None)));
        match read {
            Ok(text) if text == welcome.run => {}
            Ok(_) => return Err(unusable("its files are not those of rank 0".into())),
            Err(error) => return Err(unusable(format!("it cannot read what rank 0 wrote: {error}"))),
        }
        let own = self.folder.join(probe_name(&welcome.run, Some(rank)));
        std::fs::write(&own, &welcome.run).map_err(|e| unusable(format!("it cannot write: {e}")))?;
        let (disk, identity) = (Disk::new(self.folder), database::identity(self.game));
        let (file, end) = welcome.annex;
        let annex = once_free(OUTLIVED, || Annex::open(disk.clone(), &identity, file, end))?;
        let (first, step) = welcome.segments;
        let park = Park::beside(disk, &identity, first, step).counting_from(welcome.sequence);
        // Machines see each other's files once they are on the disk; the threads of one machine see them at once.
        Ok(match welcome.one_machine {
            true => (graph, annex.on_one_machine(), park.on_one_machine()),
            false => (graph, annex, park),
        })
    }

    /// Says now and then that it is alive and how far it is; ends everything when the manager is silent.
    pub(super) fn pulse(&self, over: &Receiver<()>) {
        let mut told = 0;
        while over.recv_timeout(PULSE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            let entries = self.progress.entries();
            // What has to be done again was told of already.
            let silence = self.post.pulse(entries.saturating_sub(told));
            told = entries.max(told);
            if self.post.net.rank() != 0 && silence > PATIENCE {
                eprintln!(
                    "zermelo: rank {} on {} has not heard of rank 0 for {} s: its machine or the network is gone; \
                     start the same command again to go on",
                    self.post.net.rank(),
                    self.post.net.host(),
                    PATIENCE.as_secs()
                );
                self.post.net.abort(1);
            }
        }
    }
}

/// A worker that has joined.
struct Desk<'a> {
    worker: &'a Worker<'a>,
    graph: &'a Graph,
    threads: usize,
    records: Records<'a>,
    annex: &'a Annex,
    park: &'a Park,
    held: Mutex<Held>,
    clock: Mutex<Clock>,
    queued: Queued<Order>,
    /// What this rank has parked and nobody wants any more.
    forgotten: Mutex<Vec<Number>>,
    /// Whoever has this receives, and takes up what comes in its order.
    inbox: Mutex<Receiver<ToWorker>>,
    begun: Instant,
    /// When a thread last looked for messages between the blocks of a table, in milliseconds from then on.
    looked: AtomicU64,
}

/// Keeps the counts of one task for the manager.
#[derive(Default)]
struct Tell(Mutex<Option<Line>>);

impl Counting for Tell {
    fn has(&self, _: Tier) -> bool {
        false
    }

    fn take(&self, tier: Tier, counts: Vec<Count>) -> Result<(), SolveError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Line::new(tier, &counts));
        Ok(())
    }
}

impl ToDo for Desk<'_> {
    fn waits(&self) -> bool {
        self.queued.any()
    }

    fn next(&self) -> bool {
        self.queued.take().map(|order| self.one(order, 0)).is_some()
    }

    fn several(&self, most: usize) -> usize {
        if most > 0 && self.is_time_to_look() {
            self.collect();
        }
        let next = |left: usize| self.queued.take_if(|order| order.urgent || left > HURRYING);
        (0..most).take_while(|done| next(most - done).map(|order| self.one(order, 1)).is_some()).count()
    }
}

impl Desk<'_> {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nobody has looked for messages lately; if so, one does now.
    fn is_time_to_look(&self) -> bool {
        let (now, last) = (self.begun.elapsed().as_millis() as u64, self.looked.load(Relaxed));
        now >= last + LOOK && self.looked.compare_exchange(last, now, Relaxed, Relaxed).is_ok()
    }

    /// Does a task, while so many others of this thread wait for it.
    fn one(&self, (task, order): (Task, Order), paused: usize) {
        self.clock().paused += paused;
        self.expect_task();
        let result = self.task(&order);
        // First, so that there is a next task and nobody else is woken to wait for one.
        self.collect();
        self.clock().paused -= paused;
        self.put_down(&order);
        self.worker.post.to_manager(ToManager::Done(task, result));
        self.forget();
    }

    fn inbox(&self) -> MutexGuard<'_, Receiver<ToWorker>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes orders until the last.
    fn work(&self, pool: &rayon::ThreadPool) {
        let &Worker { post, progress, .. } = self.worker;
        pool.in_place_scope(|scope| {
            loop {
                progress.span(Doing::Wait, None, || post.wait());
                let inbox = self.inbox();
                if post.nudged() {
                    call(self, scope);
                }
                match progress.span(Doing::Wait, None, || post.for_worker(&inbox)) {
                    Some(ToWorker::Task(order)) => {
                        self.queue(order);
                        call(self, scope);
                    }
                    Some(ToWorker::Together(order)) => {
                        self.take_up(&order);
                        let result = post.listening(|| pool.install(|| self.together(&order)));
                        self.put_down(&order);
                        post.to_manager(ToManager::Done(order.task, result));
                        post.listening(|| self.forget());
                    }
                    Some(ToWorker::Stop) => return,
                    Some(ToWorker::Pulse | ToWorker::Welcome(_)) | None => {}
                }
            }
        });
    }

    /// Takes up what has come while a thread was at work. Nothing where somebody waits for messages: then that one
    /// does, as on rank 0.
    fn collect(&self) {
        let post = self.worker.post;
        let Some(inbox) = self.inbox.try_lock().ok().filter(|_| post.net.rank() != 0) else { return };
        post.collect();
        let mut some = false;
        while let Ok(message) = inbox.try_recv() {
            match message {
                ToWorker::Task(order) => {
                    self.queue(order);
                    some = true;
                }
                ToWorker::Pulse | ToWorker::Welcome(_) => {}
                last @ (ToWorker::Together(_) | ToWorker::Stop) => {
                    post.leave(last);
                    break;
                }
            }
        }
        // This thread takes one; another may have become idle meanwhile.
        if some && self.threads > 1 {
            post.nudge();
        }
    }

    /// Whether there is time for another task.
    fn expect_task(&self) {
        // Under one lock, so that what is said last is also true.
        let clock = self.clock();
        self.worker.post.expect_task(clock.running - clock.paused < self.threads);
    }

    /// Takes up an order, for the next thread that has time.
    fn queue(&self, order: Order) {
        self.take_up(&order);
        self.queued.add(order.task, order);
    }

    fn take_up(&self, order: &Order) {
        self.clock().begin();
        self.expect_task();
        order.tables.iter().for_each(|(tier, extent)| self.annex.know(Tier(*tier), *extent));
        order.parked.iter().for_each(|(tier, spot)| self.park.know(Tier(*tier), *spot));
        self.forgotten.lock().unwrap_or_else(PoisonError::into_inner).extend(&order.forget);
        let mut held = self.held();
        for &(kind, at) in &order.unwanted {
            match kind {
                Kind::Discover => held.marks.remove(at),
                Kind::Solve => held.forms.remove(at),
            }
        }
        held.make_room(order.need, self.worker.settings.memory);
        held.running += order.need;
    }

    fn put_down(&self, order: &Order) {
        let mut held = self.held();
        held.running -= order.need;
        held.make_room(0, self.worker.settings.memory);
        drop(held);
        self.clock().end();
        self.expect_task();
    }

    /// Lets go of what was parked and nobody wants any more. Not before the task: to remove a large file takes longer
    /// than to solve many a tier, which others wait for.
    fn forget(&self) {
        let tiers = std::mem::take(&mut *self.forgotten.lock().unwrap_or_else(PoisonError::into_inner));
        tiers.into_iter().for_each(|tier| self.park.forget(Tier(tier)));
    }

    /// Does a task; never panics, so that the manager always hears of it.
    fn task(&self, order: &Order) -> Result<Done, Fault> {
        let tier = self.graph.nodes[order.task.at].tier;
        let tell = Tell::default();
        let done = self.room_for(tier, order).and_then(|()| caught(tier, || self.work_on(order, &tell)));
        let mut done = done.map_err(fault)?;
        done.counts = tell.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(done)
    }

    /// Whether the machine has the memory that it promised.
    fn room_for(&self, tier: Tier, order: &Order) -> Result<(), SolveError> {
        // To ask takes as long as part of a small tier.
        match (order.need > LITTLE).then(available_memory).flatten() {
            Some(free) if free < order.need => Err(SolveError::Memory {
                tier,
                need: order.need,
                limit: free,
                fix: "other programs take the memory of this machine; give the run less with --memory",
            }),
            _ => Ok(()),
        }
    }

    fn work_on(&self, order: &Order, tell: &Tell) -> Result<Done, SolveError> {
        let (&Worker { game, progress, .. }, graph, at) = (self.worker, self.graph, order.task.at);
        let (records, counting) = (Some(&self.records), Some(tell as &dyn Counting));
        let (told, post) = (Cell::new(false), self.worker.post);
        // Tiers above need not wait until this one is stored. A short message: nobody here receives, and large ones
        // take part of both sides until they are over.
        let formed = |forms: &Forms, spot: Option<Spot>| {
            if spot.is_some() {
                post.to_manager(ToManager::Formed(order.task, self.hold(at, forms, spot)));
                told.set(true);
            }
            told.get()
        };
        let (formed, todo, before_tables) =
            (Some(&formed as &OnFormed<'_>), self as &dyn ToDo, OVERTAKING + HURRYING);
        let work =
            Work { game, graph, records, progress, counting, checks: None, formed, todo, before_tables };
        let fresh = |at: usize| game.unreached(graph.nodes[at].tier, at == graph.root);
        let node = &graph.nodes[at];
        match order.task.kind {
            Kind::Discover => {
                let here = fresh(at);
                let above = node.parents.iter().map(|p| (*p, self.held().marks.get(*p))).collect();
                let below = node.children.iter().map(|c| fresh(*c)).collect();
                work.run(at, Job::Discover { here: here.clone(), above, below })?;
                let park = || self.records.park_marks(node.tier, &*here);
                let parked = progress.span(Doing::Write, Some(node.tier), park)?;
                let bytes = here.bytes();
                self.held().marks.put(at, here, bytes);
                // From these marks the engine also tells what the tiers below will take.
                let news = std::iter::once(&at).chain(&node.children).filter(|_| game.filing().marked);
                Ok(Done {
                    parked: parked.map(|spot| (marks_of(node.tier).0, spot)).into_iter().collect(),
                    sizes: news.map(|at| (*at, Size::of(game, graph.nodes[*at].tier))).collect(),
                    ..Done::default()
                })
            }
            Kind::Solve => {
                let children = node.children.iter().map(|c| (*c, self.held().forms.get(*c))).collect();
                let marks = order.marks.then(|| self.held().marks.get(at));
                let (forms, table) = work.run(at, Job::Solve { children, marks, memory: order.grant })?;
                let done = if told.get() { Done::default() } else { self.hold(at, &forms, None) };
                Ok(Done { table, ..done })
            }
        }
    }

    /// Keeps a solved tier and those it was solved from at hand; what those above it must know.
    fn hold(&self, at: usize, forms: &Forms, spot: Option<Spot>) -> Done {
        let solved = self.solved_bytes(at, forms);
        let mut held = self.held();
        for (at, form) in forms {
            held.forms.put(*at, form.clone(), form.bytes());
        }
        held.marks.remove(at);
        let parked = spot.map(|spot| (self.graph.nodes[at].tier.0, spot)).into_iter().collect();
        Done { parked, solved, ..Done::default() }
    }

    /// The bytes of the tier that was just solved where the engine said something else; where it knows nothing
    /// beforehand, also of those that were read, for they may be an earlier run's.
    fn solved_bytes(&self, at: usize, forms: &Forms) -> Vec<(usize, u64)> {
        let game = self.worker.game;
        let said = |at: usize| game.need(self.graph.nodes[at].tier).result;
        let bytes = forms.iter().map(|(place, form)| (*place, form.bytes()));
        let Filing { by_tier, marked, .. } = game.filing();
        // An engine that keeps forms of its own may know more here than where the manager is.
        let news =
            |(place, bytes): &(usize, u64)| marked || *place == at && (!by_tier || *bytes != said(*place));
        bytes.filter(news).collect()
    }

    /// Solves this rank's share of a tier.
    fn together(&self, order: &Order) -> Result<Done, Fault> {
        let tier = self.graph.nodes[order.task.at].tier;
        if self.annex.contains(tier) {
            // All know that, so nobody waits for the others.
            return Ok(Done::default());
        }
        let solve = || {
            let &Worker { post, progress, .. } = self.worker;
            let node = &self.graph.nodes[order.task.at];
            let team = Team::new(post, progress);
            let split = splitter(self.worker.ways, tier, team.count());
            let (game, _) = split.ok_or(EngineError::Alone(tier, self.worker.game.engine()))?;
            let share = self.records.solve_share(game, tier, &team, order.grant, progress)?;
            let failed = |reason| SolveError::Engine(EngineError::Load { tier, reason });
            let table = team.store(self.annex, tier, node.size, &*share, game.filing()).map_err(failed)?;
            let bytes = node.size * share.width().bytes() as u64;
            Ok(Done { table, solved: vec![(order.task.at, bytes)], ..Done::default() })
        };
        caught(tier, solve).map_err(fault)
    }
}

fn fault(error: SolveError) -> Fault {
    match error {
        SolveError::Engine(EngineError::LongLines(_, bytes)) => Fault::Wider(bytes),
        SolveError::Engine(
            EngineError::BadGame { .. }
            | EngineError::OutOfRange(_)
            | EngineError::TooLarge(..)
            | EngineError::Loops(..)
            | EngineError::Alone(..),
        ) => Fault::Anywhere(error.to_string()),
        error => Fault::Here(error.to_string()),
    }
}
