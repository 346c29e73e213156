//! One run over the tier graph on one machine: what is alive, and what fits.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};

use zermelo_core::{AnyGame, EngineError, Reached, Solved, Tables};

use super::plan::{Earlier, Kind, Order, Plan, Task};
use super::queue::{Queued, ToDo, call};
use super::records::{Records, marks_of};
use super::work::{Counting, Forms, Job, OnFormed, Work, caught};
use super::{Checks, Graph, Settings, SolveError};
use crate::Progress;
use crate::database::{Database, InMemory};
use crate::trace::Doing;

/// What a run leaves.
pub(crate) struct Ran {
    pub(crate) resumed: u64,
    /// Positions of the tiers solved.
    pub(crate) positions: u64,
    /// Where to look the start up.
    pub(crate) root: Box<dyn Tables>,
}

/// The state of a run; places in the graph name the tiers.
pub(crate) struct Run<'a> {
    game: &'a dyn AnyGame,
    graph: &'a Graph,
    /// Bytes for tiers.
    memory: u64,
    /// What is left of the memory to pack tables with; a tier that fits no other way gets it.
    packing: u64,
    /// What is held besides tiers: numberings.
    reserved: u64,
    /// Tasks that are at work at once, whatever they take: more than the threads, so that there is always a next one to
    /// take up, and none waits for the end of a tier that keeps few of them busy.
    tasks: usize,
    records: Option<&'a Records<'a>>,
    progress: &'a Progress,
    counting: Option<&'a dyn Counting>,
    checks: Option<Arc<Checks>>,
    plan: Plan<'a>,
    /// Positions of the tiers solved so far.
    positions: u64,
    /// Solved tiers in working form.
    alive: Alive,
    /// Reached positions.
    marks: HashMap<usize, Arc<dyn Reached>>,
    /// Tiers that turned out to need more memory than their engine says at first.
    wider: HashMap<usize, u64>,
    /// What the tasks at work may use, and which tiers they read.
    running: HashMap<Task, Running>,
    /// Tiers that are solved and stored before all below them are.
    early: Vec<usize>,
}

/// Solved tiers by their places, and what they take: with thousands of them that cannot be added up for each task.
#[derive(Default)]
struct Alive {
    forms: HashMap<usize, (Arc<dyn Solved>, u64)>,
    bytes: u64,
}

impl Alive {
    fn add(&mut self, forms: Forms) {
        for (at, form) in forms {
            self.remove(at);
            let bytes = form.bytes();
            self.bytes += bytes;
            self.forms.insert(at, (form, bytes));
        }
    }

    fn get(&self, at: usize) -> Option<Arc<dyn Solved>> {
        self.forms.get(&at).map(|(form, _)| form.clone())
    }

    fn remove(&mut self, at: usize) -> Option<Arc<dyn Solved>> {
        let (form, bytes) = self.forms.remove(&at)?;
        self.bytes -= bytes;
        Some(form)
    }
}

struct Running {
    need: u64,
    /// Tiers whose values it reads.
    reads: Vec<usize>,
    /// Tiers whose marks it reads.
    marks: Vec<usize>,
}

/// What tasks tell of.
enum News {
    /// A tier is solved, those above can have it, and it will be stored.
    Formed(usize, Forms),
    Done(Task, Result<Forms, SolveError>),
}

/// What the threads of a run share.
struct Floor<'a> {
    game: &'a dyn AnyGame,
    graph: &'a Graph,
    records: Option<&'a Records<'a>>,
    progress: &'a Progress,
    counting: Option<&'a dyn Counting>,
    checks: Option<&'a Checks>,
    queued: Queued<Job>,
    news: Sender<News>,
}

impl ToDo for Floor<'_> {
    fn waits(&self) -> bool {
        self.queued.any()
    }

    fn next(&self) -> bool {
        let Some((task, job)) = self.queued.take() else { return false };
        let &Floor { game, graph, records, progress, counting, checks, ref news, .. } = self;
        // Tiers above need not wait until this one is stored. The receiver waits for every task that was sent out.
        let formed = |forms: &Forms, _| news.send(News::Formed(task.at, forms.clone())).is_ok();
        let formed = Some(&formed as &OnFormed<'_>);
        let (todo, before_tables) = (self as &dyn ToDo, 0);
        let work = Work { game, graph, records, progress, counting, checks, formed, todo, before_tables };
        let tier = graph.nodes[task.at].tier;
        let result = caught(tier, || work.run(task.at, job)).map(|(forms, _)| forms);
        let _ = news.send(News::Done(task, result));
        true
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        game: &'a dyn AnyGame,
        graph: &'a Graph,
        settings: &Settings,
        records: Option<&'a Records<'a>>,
        progress: &'a Progress,
        counting: Option<&'a dyn Counting>,
    ) -> Run<'a> {
        let earlier = Earlier {
            stored: &|tier| records.is_some_and(|r| r.has(tier)),
            counted: &|tier| counting.is_none_or(|c| c.has(tier)),
            parked: &|tier| records.is_some_and(|r| r.parks(tier)),
            counts: counting.is_some(),
        };
        // Nothing is gained by few tiers where there is room for all, and every thread waits for the longest chain.
        let all = graph.nodes.iter().map(|node| game.need(node.tier).result).fold(0, u64::saturating_add);
        let roomy = game.filing().by_tier && counting.is_none() && all <= settings.memory / 4;
        let order = if roomy { Order::LongestChain } else { Order::FewAlive };
        let plan = Plan::new(game, graph, &earlier, order);
        let tables = records.is_some_and(Records::has_tables);
        progress.expect_all(&plan.left(tables));
        let packing = if tables { settings.share_packers() } else { 0 };
        Run {
            game,
            graph,
            memory: settings.memory - packing,
            packing,
            reserved: game.index_bytes(),
            tasks: 3 * settings.threads,
            records,
            progress,
            counting,
            checks: settings.check.clone(),
            plan,
            positions: 0,
            alive: Alive::default(),
            marks: HashMap::new(),
            wider: HashMap::new(),
            running: HashMap::new(),
            early: vec![],
        }
    }

    /// Runs to the end, or to the first failure.
    pub(crate) fn go(mut self, pool: &rayon::ThreadPool) -> Result<Ran, SolveError> {
        let resumed = self.plan.resumed();
        let (game, graph, records, progress) = (self.game, self.graph, self.records, self.progress);
        records.inspect(|records| records.forget_unwanted(graph, &self.plan));
        let (send, receive) = mpsc::channel::<News>();
        let (counting, checks) = (self.counting, self.checks.take());
        let checks = checks.as_deref();
        let floor =
            Floor { game, graph, records, progress, counting, checks, queued: Queued::default(), news: send };
        let mut failed = None;
        pool.in_place_scope(|scope| {
            loop {
                while failed.is_none() && self.has_time() {
                    let Some((task, memory)) = self.next(&mut failed) else { break };
                    floor.queued.add(task, self.job(task, memory));
                    call(&floor, scope);
                }
                if self.running.is_empty() {
                    break;
                }
                match progress.span(Doing::Wait, None, || receive.recv()) {
                    Ok(News::Formed(at, forms)) => {
                        self.alive.add(forms);
                        self.plan.formed(at);
                    }
                    Ok(News::Done(task, result)) => {
                        self.running.remove(&task);
                        match (result, task.kind) {
                            (Ok(_), Kind::Discover) => self.plan.discovered(task.at),
                            (Ok(forms), Kind::Solve) => self.take_in(task.at, forms),
                            (Err(SolveError::Engine(EngineError::LongLines(_, bytes))), _)
                                if self.wider.insert(task.at, bytes).is_none() =>
                            {
                                // Once more, when there is room for it.
                                self.plan.ready.insert(task);
                            }
                            (Err(error), _) => _ = failed.get_or_insert(error),
                        }
                    }
                    Err(_) => break,
                }
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let root = graph.root;
        let root: Box<dyn Tables> = match (self.alive.remove(root), records) {
            (Some(solved), _) => Box::new(InMemory(graph.nodes[root].tier, solved)),
            // It was solved in an earlier run, or has given way to others.
            (None, records) => match records.and_then(Records::another_reader) {
                Some(reader) => Box::new(Database::over(reader)),
                None => return Err(SolveError::NoValue("its tier is not solved".into())),
            },
        };
        Ok(Ran { resumed, positions: self.positions, root })
    }

    /// Whether another task can be taken up.
    fn has_time(&self) -> bool {
        self.running.len() < self.tasks
    }

    /// What a task takes along.
    fn job(&mut self, Task { at, kind, .. }: Task, memory: u64) -> Job {
        let (game, graph) = (self.game, self.graph);
        let fresh = |at: usize| game.unreached(graph.nodes[at].tier, at == graph.root);
        match kind {
            Kind::Discover => {
                let mut marks = |at: usize| self.marks.entry(at).or_insert_with(|| fresh(at)).clone();
                let here = marks(at);
                // Nobody counts in tiers that are finished: what is marked there is let go at once.
                let children = graph.nodes[at].children.iter();
                let below =
                    children.map(|c| if self.plan.finished[*c] { fresh(*c) } else { marks(*c) }).collect();
                let above =
                    graph.nodes[at].parents.iter().map(|p| (*p, self.marks.get(p).cloned())).collect();
                Job::Discover { here, above, below }
            }
            Kind::Solve => {
                let children = graph.nodes[at].children.iter();
                let children = children.map(|c| (*c, self.alive.get(*c))).collect();
                let marks = self.plan.marks(at).then(|| self.marks.get(&at).cloned());
                Job::Solve { children, marks, memory }
            }
        }
    }

    /// The next task to start, and the memory it may use; `None` to wait.
    fn next(&mut self, failed: &mut Option<SolveError>) -> Option<(Task, u64)> {
        let task = *self.plan.ready.first()?;
        // What is not due soon would fill the memory that solving needs; while there is plenty, it keeps all
        // threads at work.
        let plenty = self.used() < self.memory / 2;
        if self.plan.is_far(task, self.tasks) && !plenty && !self.running.is_empty() {
            return None;
        }
        let (at, node) = (task.at, &self.graph.nodes[task.at]);
        let (least, useful, reads, marks) = match task.kind {
            Kind::Discover => (self.game.reach_bytes(node.tier), 0, &[][..], node.parents.clone()),
            Kind::Solve => {
                let need = self.game.need(node.tier);
                let counts = self.plan.marks(at);
                let least = need.working.max(self.wider.get(&at).copied().unwrap_or(0));
                (least, need.useful.max(least), &node.children[..], if counts { vec![at] } else { vec![] })
            }
        };
        let tier = |at: &usize| self.graph.nodes[*at].tier;
        let to_load = reads.iter().filter(|c| !self.alive.forms.contains_key(c));
        let loading: u64 = to_load.map(|c| self.game.need(tier(c)).result).sum();
        let marks_to_load = marks.iter().filter(|m| !self.marks.contains_key(m));
        let loading = loading + marks_to_load.map(|m| self.game.reach_bytes(tier(m))).sum::<u64>();
        if let Err(error) = self.make_room(least.saturating_add(loading), reads, &marks) {
            *failed = Some(error);
            return None;
        }
        let used = self.used().saturating_add(loading);
        let alone = self.running.is_empty();
        let free = match self.memory.saturating_sub(used) {
            free if least > free && alone => (self.memory + self.packing).saturating_sub(used),
            free => free,
        };
        if least > free {
            if alone {
                let fix = match self.records {
                    Some(_) => "give more with --memory",
                    None => "give more with --memory, or a directory for tiers that wait with --resume",
                };
                let (need, limit) = (used.saturating_add(least), self.memory + self.packing);
                *failed = Some(SolveError::Memory { tier: node.tier, need, limit, fix });
            }
            return None;
        }
        let grant = useful.clamp(least, free);
        self.plan.ready.remove(&task);
        self.running.insert(task, Running { need: grant + loading, reads: reads.to_vec(), marks });
        Some((task, grant))
    }

    fn used(&self) -> u64 {
        let marks = self.marks.values().map(|m| m.bytes());
        let running = self.running.values().map(|t| t.need);
        marks.chain(running).fold(self.reserved.saturating_add(self.alive.bytes), u64::saturating_add)
    }

    /// Lets go of values and marks that can be brought back, until `cost` fits or none is left.
    fn make_room(&mut self, cost: u64, reads: &[usize], marks: &[usize]) -> Result<(), SolveError> {
        let Some(records) = self.records else { return Ok(()) };
        while self.used().saturating_add(cost) > self.memory {
            let tasks = || self.running.values();
            let read = |at: &usize| reads.contains(at) || tasks().any(|t| t.reads.contains(at));
            let marked = |at: &usize| {
                marks.contains(at)
                    || tasks().any(|t| t.marks.contains(at))
                    || self.running.keys().any(|t| t.kind == Kind::Discover && t.at == *at)
            };
            // The last in the order is wanted last.
            let kept = |at: &usize| records.parks_forms() || self.plan.done[*at];
            let value = self.alive.forms.keys().filter(|at| !read(at) && kept(at)).max().copied();
            let mark =
                self.marks.iter().filter(|(at, m)| m.bytes() > 0 && !marked(at)).map(|(at, _)| *at).max();
            match (value, mark) {
                (None, None) => return Ok(()),
                (Some(at), mark) if mark.is_none_or(|m| m <= at) => _ = self.alive.remove(at),
                (_, Some(at)) => {
                    let Some(marks) = self.marks.remove(&at) else { return Ok(()) };
                    if records.park_marks(self.graph.nodes[at].tier, &*marks)?.is_none() {
                        self.marks.insert(at, marks);
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Takes in a solved tier and the children that were loaded for it; what it was solved from is not forgotten before it
    /// is due.
    fn take_in(&mut self, at: usize, forms: Forms) {
        self.positions +=
            forms.iter().filter(|(place, _)| *place == at).map(|(_, f)| f.positions()).sum::<u64>();
        self.alive.add(forms);
        self.early.push(at);
        while let Some(next) = self.early.iter().position(|at| self.plan.is_due(*at)) {
            let at = self.early.swap_remove(next);
            self.solved(at);
        }
    }

    /// Takes note of a tier that is done.
    fn solved(&mut self, at: usize) {
        self.marks.remove(&at);
        self.records.inspect(|r| r.forget(marks_of(self.graph.nodes[at].tier)));
        self.progress.tier_done();
        for unwanted in self.plan.solved(at) {
            if unwanted != self.graph.root {
                self.alive.remove(unwanted);
            }
            // All that the root was solved from stays until the run has told what came of it.
            if unwanted != at && at != self.graph.root {
                self.records.inspect(|r| r.forget(self.graph.nodes[unwanted].tier));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use zermelo_core::{Count, Tier};
    use zermelo_store::{Disk, Park, Writer};

    use super::*;
    use crate::database::identity;

    /// Counts nothing, and takes its time for one tier: until one above it is stored.
    struct Slow<'a> {
        slow: Tier,
        above: Tier,
        /// Another tier that only the one above is solved from.
        beside: Tier,
        writer: &'a Writer,
        park: &'a Park,
        /// Whether the other one was still parked then.
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
                let there = self.writer.contains(self.above).then(|| self.park.contains(self.beside));
                *self.found.lock().expect("nobody panics") = there;
            }
            Ok(())
        }
    }

    #[test]
    fn what_a_tier_was_solved_from_stays_parked_until_all_below_it_are_done() {
        let folder = std::env::temp_dir().join(format!("zermelo-early-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let game = crate::open("connect4:rows=4,cols=4", Some("lattice"), None).expect("a game");
        let graph = Graph::of(&*game).expect("tiers");
        let (disk, progress) = (Disk::new(&folder), Progress::new("test"));
        let writer = Writer::open(disk.clone(), identity(&*game)).expect("a database");
        let park = Park::open_for(disk, &identity(&*game), true).expect("a park");
        let tier = |at: usize| graph.nodes[at].tier;
        let three = (0..graph.root).find_map(|above| {
            let children = &graph.nodes[above].children;
            let beside = *children.iter().find(|c| graph.nodes[**c].parents == [above])?;
            Some([*children.iter().rfind(|c| **c != beside)?, above, beside].map(tier))
        });
        let [slow, above, beside] = three.expect("such tiers");
        let slow = Slow { slow, above, beside, writer: &writer, park: &park, found: Mutex::default() };
        let settings = Settings { threads: 2, memory: 1 << 30, ..Settings::default() };
        let records = Records::of_writer(&writer, Some(&park));
        let run = Run::new(&*game, &graph, &settings, Some(&records), &progress, Some(&slow));
        run.go(&settings.pool().expect("threads")).expect("solved");
        assert_eq!(slow.found.into_inner().expect("nobody panics"), Some(true));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
