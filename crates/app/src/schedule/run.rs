//! One run over the tier graph: tasks, what is alive, and what fits.
//!
//! A tier has up to two tasks. *Discover* marks its reached positions, after all tiers
//! above; it runs when positions are to be counted. *Solve* finds its values, after its own
//! discovery and all tiers below, counts them, and stores them. Tiers are solved in the
//! order of the graph, as far as they are ready, and marks are made no sooner than the
//! first tier below them is to be solved: a run goes down to the end of the game and solves
//! on the way back, with few tiers alive.

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

use zermelo_core::{AnyGame, Count, EngineError, Reached, Solved, Tables, Tier};

use super::records::{Records, marks_of};
use super::{Graph, Settings, SolveError};
use crate::Progress;
use crate::database::{Database, InMemory};
use crate::trace::Doing;

/// Takes the counts of tiers.
pub(crate) trait Counting: Sync {
    /// Whether a tier was counted in an earlier run.
    fn has(&self, tier: Tier) -> bool;
    /// Takes the counts of a tier that was just solved, before it is stored.
    fn take(&self, tier: Tier, counts: Vec<Count>) -> Result<(), SolveError>;
}

/// What a run leaves.
pub(crate) struct Ran {
    pub(crate) resumed: u64,
    /// Positions of the tiers solved.
    pub(crate) positions: u64,
    /// Where to look the start up.
    pub(crate) root: Box<dyn Tables>,
}

/// The two kinds of tasks; discovery comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kind {
    Discover,
    Solve,
}

/// A task: what to do at a place in the graph, and before which place's turn to solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Task {
    due: usize,
    kind: Kind,
    at: usize,
}

/// The state of a run; places in the graph name the tiers.
pub(crate) struct Run<'a> {
    game: &'a dyn AnyGame,
    graph: &'a Graph,
    memory: u64,
    /// What is held besides tiers: numberings.
    reserved: u64,
    tasks: usize,
    records: Option<&'a Records>,
    progress: &'a Progress,
    counting: Option<&'a dyn Counting>,
    /// Whether marks are made: to count positions, or because the engine needs them.
    discovers: bool,
    /// Tiers that an earlier run has done.
    finished: Vec<bool>,
    /// Tiers that need not be solved in this run, or have been.
    done: Vec<bool>,
    /// Children still to be solved, for each tier, and one for its own discovery.
    waits: Vec<usize>,
    /// Parents still to be discovered, for each tier.
    undiscovered: Vec<usize>,
    /// Parents still to be solved, for each tier.
    wanted: Vec<usize>,
    ready: BTreeSet<Task>,
    /// For each tier the first in the order that is it or below it: where its marks are due.
    first: Vec<usize>,
    /// Before this place all tiers are solved.
    front: usize,
    /// Positions of the tiers solved so far.
    positions: u64,
    /// Solved tiers in working form.
    alive: HashMap<usize, Arc<dyn Solved>>,
    /// Reached positions.
    marks: HashMap<usize, Arc<dyn Reached>>,
    /// Tiers that turned out to need more memory than their engine says at first.
    wider: HashMap<usize, u64>,
    /// What the tasks at work may use, and which tiers they read.
    running: HashMap<Task, Running>,
}

struct Running {
    need: u64,
    /// Tiers whose values it reads.
    reads: Vec<usize>,
    /// Tiers whose marks it reads.
    marks: Vec<usize>,
}

/// Solved tiers by their places.
type Forms = Vec<(usize, Arc<dyn Solved>)>;

type Done = (Task, Result<Forms, SolveError>);

impl<'a> Run<'a> {
    pub(crate) fn new(
        game: &'a dyn AnyGame,
        graph: &'a Graph,
        settings: &Settings,
        records: Option<&'a Records>,
        progress: &'a Progress,
        counting: Option<&'a dyn Counting>,
    ) -> Run<'a> {
        let nodes = &graph.nodes;
        let stored = |tier: Tier| records.is_some_and(|r| r.writer.contains(tier));
        let counted = |tier: Tier| counting.is_none_or(|c| c.has(tier));
        let mut finished = vec![];
        for node in nodes {
            // A tier above one that must be counted again is counted again: its marks are needed.
            let below = node.children.iter().all(|c| finished[*c]);
            finished.push(below && stored(node.tier) && counted(node.tier));
        }
        let discovers = counting.is_some() || game.filing().marked;
        let mut done = finished.clone();
        if !game.filing().by_tier {
            // A stored tier that is not parked is solved again where one above wants it.
            let parked = |tier: Tier| records.is_some_and(|r| r.parks(tier));
            for at in (0..nodes.len()).rev().filter(|at| *at != graph.root) {
                let unwanted = nodes[at].parents.iter().all(|p| done[*p]);
                done[at] = finished[at] && (unwanted || parked(nodes[at].tier));
            }
        }
        if game.filing().marked && finished != done {
            // To solve a tier again takes its marks, and they take those of all above it.
            finished.fill(false);
            done.fill(false);
        }
        let open = |list: &Vec<usize>, done: &[bool]| list.iter().filter(|at| !done[**at]).count();
        let counts = |at: usize| discovers && !finished[at];
        let waits = |at: usize| open(&nodes[at].children, &done) + usize::from(counts(at));
        let waits: Vec<usize> = (0..nodes.len()).map(waits).collect();
        let undiscovered: Vec<usize> = nodes.iter().map(|n| open(&n.parents, &finished)).collect();
        let wanted = nodes.iter().map(|n| open(&n.parents, &done)).collect();
        let mut first: Vec<usize> = (0..nodes.len()).collect();
        for at in 0..nodes.len() {
            first[at] = nodes[at].children.iter().map(|c| first[*c]).min().unwrap_or(at);
        }
        let solve = (0..nodes.len()).filter(|at| !done[*at] && waits[*at] == 0);
        let solve = solve.map(|at| Task { due: at, kind: Kind::Solve, at });
        let discover = (0..nodes.len()).filter(|at| counts(*at) && undiscovered[*at] == 0);
        let discover = discover.map(|at| Task { due: first[at], kind: Kind::Discover, at });
        let ready = solve.chain(discover).collect();
        let left = || nodes.iter().zip(&done).filter(|(_, done)| !**done);
        let passes = 1 + u64::from(discovers);
        progress
            .expect(left().count() as u64, left().map(|(n, _)| n.size).sum::<u64>().saturating_mul(passes));
        Run {
            game,
            graph,
            memory: settings.memory,
            reserved: game.index_bytes(),
            // One more than the threads, so that there is always a next one to take up.
            tasks: settings.threads + 1,
            records,
            progress,
            counting,
            discovers,
            finished,
            done,
            waits,
            undiscovered,
            wanted,
            ready,
            first,
            front: 0,
            positions: 0,
            alive: HashMap::new(),
            marks: HashMap::new(),
            wider: HashMap::new(),
            running: HashMap::new(),
        }
    }

    /// Runs to the end, or to the first failure.
    pub(crate) fn go(mut self, pool: &rayon::ThreadPool) -> Result<Ran, SolveError> {
        let resumed = self.finished.iter().filter(|finished| **finished).count() as u64;
        let (game, graph, records, progress) = (self.game, self.graph, self.records, self.progress);
        self.forget_unwanted();
        let (send, receive) = mpsc::channel::<Done>();
        let mut failed = None;
        pool.in_place_scope(|scope| {
            loop {
                while failed.is_none() && self.running.len() < self.tasks {
                    let Some((task, memory)) = self.next(&mut failed) else { break };
                    let job = self.job(task, memory);
                    let (send, counting) = (send.clone(), self.counting);
                    scope.spawn(move |_| {
                        let work = Work { game, graph, records, progress, counting };
                        let tier = graph.nodes[task.at].tier;
                        // A game that panics ends the run with its message, not with a hang.
                        let caught = catch_unwind(AssertUnwindSafe(|| work.run(task.at, job)));
                        let result =
                            caught.unwrap_or_else(|panic| Err(SolveError::Panic(tier, words(&*panic))));
                        // The receiver waits for every task that was sent out.
                        let _ = send.send((task, result));
                    });
                }
                if self.running.is_empty() {
                    break;
                }
                match progress.span(Doing::Wait, None, || receive.recv()) {
                    Ok((task, result)) => {
                        self.running.remove(&task);
                        match (result, task.kind) {
                            (Ok(_), Kind::Discover) => self.discovered(task.at),
                            (Ok(forms), Kind::Solve) => self.solved(task.at, forms),
                            (Err(SolveError::Engine(EngineError::LongLines(_, bytes))), _)
                                if self.wider.insert(task.at, bytes).is_none() =>
                            {
                                // Once more, when there is room for it.
                                self.ready.insert(task);
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
        let root: Box<dyn Tables> = match (self.alive.remove(&root), records) {
            (Some(solved), _) => Box::new(InMemory(graph.nodes[root].tier, solved)),
            // It was solved in an earlier run, or has given way to others.
            (None, Some(records)) => Box::new(Database::over(records.writer.reader(0))),
            (None, None) => return Err(SolveError::NoValue("its tier is not solved".into())),
        };
        Ok(Ran { resumed, positions: self.positions, root })
    }

    /// Lets go of parked tiers that an earlier run has left and nobody wants.
    fn forget_unwanted(&self) {
        if let Some(park) = self.records.and_then(Records::park) {
            let wanted: BTreeSet<Tier> = (0..self.graph.nodes.len())
                .filter(|at| self.done[*at] && self.wanted[*at] > 0)
                .map(|at| self.graph.nodes[at].tier)
                .collect();
            park.tiers().into_iter().filter(|tier| !wanted.contains(tier)).for_each(|tier| park.forget(tier));
        }
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
                let below = children.map(|c| if self.finished[*c] { fresh(*c) } else { marks(*c) }).collect();
                let above =
                    graph.nodes[at].parents.iter().map(|p| (*p, self.marks.get(p).cloned())).collect();
                Job::Discover { here, above, below }
            }
            Kind::Solve => {
                let children = graph.nodes[at].children.iter();
                let children = children.map(|c| (*c, self.alive.get(c).cloned())).collect();
                let marks = (self.discovers && !self.finished[at]).then(|| self.marks.get(&at).cloned());
                Job::Solve { children, marks, memory }
            }
        }
    }

    /// The next task to start, and the memory it may use; `None` to wait.
    fn next(&mut self, failed: &mut Option<SolveError>) -> Option<(Task, u64)> {
        let task = *self.ready.first()?;
        // Marks that are not due soon would fill the memory that solving needs.
        if task.due > self.front + self.tasks && !self.running.is_empty() {
            return None;
        }
        let (at, node) = (task.at, &self.graph.nodes[task.at]);
        let (least, useful, reads, marks) = match task.kind {
            Kind::Discover => (self.game.reach_bytes(node.tier), 0, &[][..], node.parents.clone()),
            Kind::Solve => {
                let need = self.game.need(node.tier);
                let counts = self.discovers && !self.finished[at];
                let least = need.working.max(self.wider.get(&at).copied().unwrap_or(0));
                (least, need.useful.max(least), &node.children[..], if counts { vec![at] } else { vec![] })
            }
        };
        let tier = |at: &usize| self.graph.nodes[*at].tier;
        let to_load = reads.iter().filter(|c| !self.alive.contains_key(c));
        let loading: u64 = to_load.map(|c| self.game.need(tier(c)).result).sum();
        let marks_to_load = marks.iter().filter(|m| !self.marks.contains_key(m));
        let loading = loading + marks_to_load.map(|m| self.game.reach_bytes(tier(m))).sum::<u64>();
        if let Err(error) = self.make_room(least.saturating_add(loading), reads, &marks) {
            *failed = Some(error);
            return None;
        }
        let used = self.used().saturating_add(loading);
        let free = self.memory.saturating_sub(used);
        if least > free {
            if self.running.is_empty() {
                let fix = match self.records {
                    Some(_) => "give more with --memory",
                    None => "give more with --memory, or let the run keep a database to park tiers in",
                };
                let need = used.saturating_add(least);
                *failed = Some(SolveError::Memory { tier: node.tier, need, limit: self.memory, fix });
            }
            return None;
        }
        let grant = useful.clamp(least, free);
        self.ready.remove(&task);
        self.running.insert(task, Running { need: grant + loading, reads: reads.to_vec(), marks });
        Some((task, grant))
    }

    fn used(&self) -> u64 {
        let alive = self.alive.values().map(|s| s.bytes());
        let marks = self.marks.values().map(|m| m.bytes());
        let running = self.running.values().map(|t| t.need);
        alive.chain(marks).chain(running).fold(self.reserved, u64::saturating_add)
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
            let value = self.alive.keys().filter(|at| !read(at)).max().copied();
            let mark =
                self.marks.iter().filter(|(at, m)| m.bytes() > 0 && !marked(at)).map(|(at, _)| *at).max();
            match (value, mark) {
                (None, None) => return Ok(()),
                (Some(at), mark) if mark.is_none_or(|m| m <= at) => _ = self.alive.remove(&at),
                (_, Some(at)) => {
                    let Some(marks) = self.marks.remove(&at) else { return Ok(()) };
                    if !records.park_marks(self.graph.nodes[at].tier, &*marks)? {
                        self.marks.insert(at, marks);
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Takes note of a discovery.
    fn discovered(&mut self, at: usize) {
        for child in &self.graph.nodes[at].children {
            self.undiscovered[*child] -= 1;
            if self.undiscovered[*child] == 0 && !self.finished[*child] {
                let due = self.first[*child];
                self.ready.insert(Task { due, kind: Kind::Discover, at: *child });
            }
        }
        self.one_less(at);
    }

    /// A solve waits for one thing less.
    fn one_less(&mut self, at: usize) {
        self.waits[at] -= 1;
        if self.waits[at] == 0 && !self.done[at] {
            self.ready.insert(Task { due: at, kind: Kind::Solve, at });
        }
    }

    /// Takes in a solved tier and the children that were loaded for it.
    fn solved(&mut self, at: usize, forms: Forms) {
        self.done[at] = true;
        self.positions +=
            forms.iter().filter(|(place, _)| *place == at).map(|(_, f)| f.positions()).sum::<u64>();
        while self.done.get(self.front) == Some(&true) {
            self.front += 1;
        }
        self.marks.remove(&at);
        self.records.inspect(|r| r.forget(marks_of(self.graph.nodes[at].tier)));
        self.progress.tier_done();
        self.alive.extend(forms);
        for child in &self.graph.nodes[at].children {
            self.wanted[*child] -= 1;
            if self.wanted[*child] == 0 {
                if *child != self.graph.root {
                    self.alive.remove(child);
                }
                self.records.inspect(|r| r.forget(self.graph.nodes[*child].tier));
            }
        }
        for parent in &self.graph.nodes[at].parents {
            self.one_less(*parent);
        }
        let is_root = at == self.graph.root;
        if self.wanted[at] == 0 && !is_root {
            self.alive.remove(&at);
        }
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or("panic".into())
}

/// What a task takes along.
enum Job {
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
struct Work<'a> {
    game: &'a dyn AnyGame,
    graph: &'a Graph,
    records: Option<&'a Records>,
    progress: &'a Progress,
    counting: Option<&'a dyn Counting>,
}

impl Work<'_> {
    fn run(&self, at: usize, job: Job) -> Result<Forms, SolveError> {
        match job {
            Job::Discover { here, above, below } => {
                let tier = |at: usize| self.graph.nodes[at].tier;
                let back = |(at, marks)| Ok((tier(at), self.marks(tier(at), marks)?));
                let above = above.into_iter().map(back).collect::<Result<Vec<_>, SolveError>>()?;
                self.progress.span(Doing::Discover, Some(tier(at)), || {
                    self.game.discover(tier(at), &*here, &above, &below, self.progress);
                });
                Ok(vec![])
            }
            Job::Solve { children, marks, memory } => {
                let mut forms = self.children(children)?;
                let tier = self.graph.nodes[at].tier;
                let below: Vec<_> = forms.iter().map(|(_, form)| form.clone()).collect();
                let marks = marks.map(|marks| self.marks(tier, marks)).transpose()?;
                let solved = self.progress.span(Doing::Solve, Some(tier), || {
                    self.game.solve(tier, marks.as_deref(), &below, memory, self.progress)
                })?;
                if let (Some(counting), Some(marks)) = (self.counting, marks) {
                    let count = || self.game.tally(tier, &*marks, &*solved);
                    counting.take(tier, self.progress.span(Doing::Count, Some(tier), count)?)?;
                }
                // The root is kept whole: the start will be looked up in it.
                let is_root = at == self.graph.root;
                let form = solved.trimmed().filter(|_| !is_root).unwrap_or_else(|| solved.clone());
                if let Some(records) = self.records {
                    let wanted = (!is_root).then_some(&*form);
                    records.keep(self.game, tier, &*solved, wanted, self.progress)?;
                }
                forms.push((at, form));
                Ok(forms)
            }
        }
    }

    /// The marks of a tier, brought back where they are not at hand.
    fn marks(&self, tier: Tier, marks: Option<Arc<dyn Reached>>) -> Result<Arc<dyn Reached>, SolveError> {
        match (marks, self.records) {
            (Some(marks), _) => Ok(marks),
            (None, Some(records)) => records.marks_back(self.game, tier),
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
