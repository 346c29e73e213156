//! The worker of a run in one process: the threads of one pool, and one memory that the coordinator sees into.
//!
//! A task is let in when what it reads, its own needs and everything else in memory fit. Things that no task needs give
//! way first, for they can be brought back.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use rayon::Scope;
use zermelo_core::{EngineError, Tables, Tier};
use zermelo_engines::parallel::{Others, Queue, Tasks, Turns, work};

use super::cache::Key;
use super::plan::{Kind, Task};
use super::records::Records;
use super::run::{Coordinator, Failed, News, Run, Running, Workers};
use super::task::{Done, Grant, Worker};
use super::{Settings, SolveError};
use crate::database::{Database, InMemory};
use crate::trace::Doing;

/// What is known once a run is over.
pub(crate) struct Outcome {
    /// Tiers that an earlier run had done.
    pub(crate) resumed: u64,
    /// Positions of the tiers solved.
    pub(crate) positions: u64,
    /// Where to look the start up.
    pub(crate) root: Box<dyn Tables>,
}

/// Solves all that an earlier run has left to do.
pub(crate) fn run<'a>(mut worker: Worker<'a>, settings: &'a Settings) -> Result<Outcome, SolveError> {
    let Worker { game, graph, records, counting, progress, .. } = worker;
    let run = Run::new(game, graph, records, counting, &[settings.memory]);
    let tables = records.is_some_and(Records::has_tables);
    progress.expect_all(&run.plan.left(tables));
    let packing = if tables { settings.share_packers() } else { 0 };
    worker.checks = settings.check.as_deref();
    worker.save_every = settings.save_every;
    let (send, news) = mpsc::channel();
    let threads = Threads { worker, queue: Queue::default(), news: send };
    let (memory, tasks) = (settings.memory - packing, 3 * settings.threads);
    let ran = settings.pool()?.in_place_scope(|scope| {
        let local = Local { threads: &threads, scope, news, memory, packing, tasks };
        let ran = Coordinator::go(run, local, progress);
        // After a failure nobody begins what is left.
        threads.queue.clear();
        ran
    });
    let (resumed, positions) = ran?;
    let form = threads.worker.cache().form(graph.root);
    let root: Box<dyn Tables> = match form {
        Some(solved) => Box::new(InMemory(graph.nodes[graph.root].tier, solved)),
        // The tier of the start was solved in an earlier run, or was dropped from memory.
        None => match records.and_then(Records::another_reader) {
            Some(reader) => Box::new(Database::over(reader, game)),
            None => return Err(SolveError::NoValue("its tier is not solved".into())),
        },
    };
    Ok(Outcome { resumed, positions, root })
}

/// What the threads share.
struct Threads<'a> {
    worker: Worker<'a>,
    queue: Queue<Task, Grant>,
    news: Sender<News<SolveError>>,
}

impl Tasks for Threads<'_> {
    fn others(&self) -> Arc<dyn Others> {
        self.queue.others()
    }

    fn next(&self) -> bool {
        let Some((task, order)) = self.queue.take() else { return false };
        // The coordinator waits for every task that it has sent out, unless the run has failed.
        let formed = |done| _ = self.news.send(News::Formed(task, done));
        let result = self.worker.run(&order, &formed, &Turns::of(self, 0));
        let _ = self.news.send(News::Done(task, result));
        true
    }
}

/// The threads as the coordinator sees them.
struct Local<'r, 's, 'a> {
    threads: &'s Threads<'a>,
    scope: &'r Scope<'s>,
    news: Receiver<News<SolveError>>,
    /// Bytes for tiers.
    memory: u64,
    /// What is left of the memory to pack tables with; a tier that fits no other way gets it.
    packing: u64,
    /// Tasks that are at work at once, whatever they take: more than the threads, so that there is always a next one to
    /// take up, and none waits for the end of a tier that keeps few of them busy.
    tasks: usize,
}

impl Local<'_, '_, '_> {
    /// What is in memory and what tasks at work may use, with the numberings.
    fn used(&self, run: &Run<'_>) -> u64 {
        run.sizes.index.saturating_add(self.threads.worker.cache().used())
    }

    /// What a task reads and is not in memory.
    fn loading(&self, run: &Run<'_>, reads: &[Key]) -> u64 {
        let cache = self.threads.worker.cache();
        let missing = reads.iter().filter(|key| !cache.has(**key));
        missing.map(|key| run.sizes.of(*key)).fold(0, u64::saturating_add)
    }

    /// Lets a task in where it fits into so much; else gives what it would take.
    fn admit(&self, run: &Run<'_>, task: Task, limit: u64) -> Result<Result<Grant, u64>, SolveError> {
        let ((least, _), reads) = (run.needs(task), run.reads(task));
        let loading = self.loading(run, &reads);
        self.make_room(run, task, least.saturating_add(loading))?;
        let used = self.used(run);
        let need = used.saturating_add(loading).saturating_add(least);
        Ok(run.order(task, loading, limit.saturating_sub(used)).ok_or(need))
    }

    /// Lets go of values and marks that can be brought back and no task reads or makes, until `cost` fits or none is
    /// left.
    fn make_room(&self, run: &Run<'_>, next: Task, cost: u64) -> Result<(), SolveError> {
        let worker = &self.threads.worker;
        let full = || self.used(run).saturating_add(cost) > self.memory;
        let Some(records) = worker.records.filter(|_| full()) else { return Ok(()) };
        let tasks = run.running.keys().chain([&next]);
        let stays = tasks.flat_map(|task| run.reads(*task).into_iter().chain([(task.kind, task.at)]));
        let stays: HashSet<Key> = stays.collect();
        while full() {
            let first = worker.cache().first_to_go(|key| stays.contains(key));
            let Some((key, thing)) = first else { break };
            if !records.keep(run.graph.nodes[key.1].tier, &thing)? {
                break;
            }
            worker.cache().remove(key);
        }
        Ok(())
    }
}

impl Workers for Local<'_, '_, '_> {
    type Error = SolveError;

    fn choose(&mut self, run: &Run<'_>) -> Result<Option<(Grant, usize)>, SolveError> {
        let Some(task) = run.plan.ready.first().copied().filter(|_| run.running.len() < self.tasks) else {
            return Ok(None);
        };
        let solving = |(task, running): (&Task, &Running)| task.kind == Kind::Solve && !running.storing;
        if task.kind == Kind::Solve {
            let at_once = self.threads.worker.game.engine().at_once(run.graph.nodes[task.at].tier);
            if run.running.iter().filter(|pair| solving(*pair)).count() >= at_once {
                return Ok(None);
            }
        }
        // What is not due soon would fill the memory that solving needs; while there is plenty, it keeps all
        // threads at work.
        let plenty = || self.used(run) < self.memory / 2;
        if run.plan.is_far(task, self.tasks) && !run.running.is_empty() && !plenty() {
            return Ok(None);
        }
        Ok(self.admit(run, task, self.memory)?.ok().map(|order| (order, 0)))
    }

    fn last_resort(&mut self, run: &Run<'_>, task: Task) -> Result<(Grant, Option<usize>), SolveError> {
        let limit = self.memory + self.packing;
        let fix = match self.threads.worker.records {
            Some(_) => "give more with --memory",
            None => "give more with --memory, or a directory for tiers that wait with --resume",
        };
        let tier = run.graph.nodes[task.at].tier;
        let order = self.admit(run, task, limit)?;
        Ok((order.map_err(|need| SolveError::Memory { tier, need, limit, fix })?, Some(0)))
    }

    fn begin(&mut self, _: &Run<'_>, order: Grant, _: Option<usize>) -> usize {
        self.threads.worker.cache().running += order.need;
        self.threads.queue.add(order.task, order);
        let threads = self.threads;
        self.scope.spawn(move |scope| work(threads, scope));
        1
    }

    fn next(&mut self) -> Result<(usize, News<SolveError>), SolveError> {
        let _waits = self.threads.worker.progress.span(Doing::Wait, None);
        // The threads have a sender as long as they live.
        Ok((0, self.news.recv().map_err(|_| SolveError::Threads("all threads are gone".into()))?))
    }

    fn ended(&mut self, _: usize, running: &Running) {
        self.threads.worker.cache().running -= running.need;
    }

    /// Whoever has solved the tier has spilled, counted and stored it.
    fn note(&mut self, _: usize, _: Tier, _: Done) -> Result<(), SolveError> {
        Ok(())
    }

    fn let_go(&mut self, key: Key) {
        self.threads.worker.cache().remove(key);
    }

    fn forget(&mut self, tier: Tier) {
        self.threads.worker.records.inspect(|records| records.forget(tier));
    }

    fn failed(&mut self, _: usize, error: SolveError, failed: Failed) -> Result<Option<u64>, SolveError> {
        match error {
            SolveError::Engine(EngineError::LongLines(_, bytes)) if failed.may_grow => Ok(Some(bytes)),
            error => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use zermelo_core::{Count, Tier};
    use zermelo_store::{Disk, ScratchFiles, Writer};

    use super::*;
    use crate::Progress;
    use crate::coordinator::{Counting, Graph};
    use crate::database::identity;

    /// Counts nothing, and takes its time for one tier: until one above it is stored.
    struct Slow<'a> {
        slow: Tier,
        above: Tier,
        /// Another tier that only `above` is solved from.
        beside: Tier,
        writer: &'a Writer,
        scratch: &'a ScratchFiles,
        /// Whether the other one was still spilled then.
        found: Mutex<Option<bool>>,
    }

    impl Counting for Slow<'_> {
        fn has(&self, _: Tier) -> bool {
            false
        }

        fn take(&self, tier: Tier, _: Vec<Count>) -> Result<(), SolveError> {
            if tier == self.slow {
                let begun = Instant::now();
                while !self.writer.contains(self.above) && begun.elapsed() < Duration::from_secs(60) {
                    sleep(Duration::from_millis(1));
                }
                // For the run to hear of it.
                sleep(Duration::from_millis(200));
                let there = self.writer.contains(self.above).then(|| self.scratch.contains(self.beside));
                *self.found.lock().expect("nobody panics") = there;
            }
            Ok(())
        }
    }

    #[test]
    fn what_a_tier_was_solved_from_stays_spilled_until_all_below_it_are_done() {
        let folder = std::env::temp_dir().join(format!("zermelo-early-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let game = crate::open("connect4:rows=4,cols=4", Some("lattice"), None).expect("a game");
        let graph = Graph::of(&game).expect("tiers");
        let (disk, progress) = (Disk::new(&folder), Progress::new("test"));
        let writer = Writer::open(disk.clone(), identity(&game)).expect("a database");
        let scratch = ScratchFiles::open_for(disk, &identity(&game), true).expect("scratch files");
        let tier = |at: usize| graph.nodes[at].tier;
        let three = (0..graph.root).find_map(|above| {
            let children = &graph.nodes[above].children;
            let beside = *children.iter().find(|c| graph.nodes[**c].parents == [above])?;
            Some([*children.iter().rfind(|c| **c != beside)?, above, beside].map(tier))
        });
        let [slow, above, beside] = three.expect("such tiers");
        let slow = Slow { slow, above, beside, writer: &writer, scratch: &scratch, found: Mutex::default() };
        let settings = Settings { threads: 2, memory: 1 << 30, ..Settings::default() };
        let records = Records::of_writer(&writer, Some(&scratch));
        let worker = Worker::new(&game, &graph, &progress);
        run(Worker { records: Some(&records), counting: Some(&slow), ..worker }, &settings).expect("solved");
        assert_eq!(slow.found.into_inner().expect("nobody panics"), Some(true));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
