//! One run over the tier graph: tasks, what is alive, and what fits.

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

use zermelo_core::{AnyGame, Solved, Tier};
use zermelo_store::{Reader, Writer};

use super::{Graph, Settings, SolveError};
use crate::Progress;
use crate::database::{Form, InMemory, load, store};

/// Is shown every tier as it is solved.
pub(crate) type Each<'a> = dyn Fn(Tier, &Arc<dyn Solved>) -> Result<(), SolveError> + Sync + 'a;

/// What a run leaves.
pub(crate) struct Ran {
    pub(crate) resumed: u64,
    /// The start's tier, to look the start up in.
    pub(crate) root: InMemory,
}

/// The state of a run; places in the graph name the tiers.
pub(crate) struct Run<'a> {
    game: &'a dyn AnyGame,
    graph: &'a Graph,
    memory: u64,
    /// What is held besides tiers: numberings, and what the caller keeps.
    reserved: u64,
    tasks: usize,
    writer: Option<&'a Writer>,
    progress: &'a Progress,
    done: Vec<bool>,
    /// Children still to be solved, for each tier.
    waits: Vec<usize>,
    /// Parents still to be solved, for each tier.
    wanted: Vec<usize>,
    ready: BTreeSet<usize>,
    /// Solved tiers in working form.
    alive: HashMap<usize, Arc<dyn Solved>>,
    /// What the tasks at work may use, and which tiers they read.
    running: HashMap<usize, Task>,
}

struct Task {
    need: u64,
    reads: Vec<usize>,
}

/// Solved tiers by their places.
type Forms = Vec<(usize, Arc<dyn Solved>)>;

type Done = (usize, Result<Forms, SolveError>);

impl<'a> Run<'a> {
    pub(crate) fn new(
        game: &'a dyn AnyGame,
        graph: &'a Graph,
        settings: &Settings,
        reserved: u64,
        writer: Option<&'a Writer>,
        progress: &'a Progress,
    ) -> Run<'a> {
        let nodes = &graph.nodes;
        let done: Vec<bool> = nodes.iter().map(|n| writer.is_some_and(|w| w.contains(n.tier))).collect();
        let open = |list: &Vec<usize>| list.iter().filter(|at| !done[**at]).count();
        let waits: Vec<usize> = nodes.iter().map(|n| open(&n.children)).collect();
        let wanted = nodes.iter().map(|n| open(&n.parents)).collect();
        let ready = (0..nodes.len()).filter(|at| !done[*at] && waits[*at] == 0).collect();
        let left = || nodes.iter().zip(&done).filter(|(_, done)| !**done);
        progress.expect(left().count() as u64, left().map(|(n, _)| n.size).sum());
        Run {
            game,
            graph,
            memory: settings.memory,
            reserved: reserved.saturating_add(game.index_bytes()),
            // One more than the threads, so that there is always a next one to take up.
            tasks: settings.threads + 1,
            writer,
            progress,
            done,
            waits,
            wanted,
            ready,
            alive: HashMap::new(),
            running: HashMap::new(),
        }
    }

    /// Runs to the end, or to the first failure.
    pub(crate) fn go(mut self, pool: &rayon::ThreadPool, each: Option<&Each<'_>>) -> Result<Ran, SolveError> {
        let resumed = self.done.iter().filter(|done| **done).count() as u64;
        let (game, graph, writer, progress) = (self.game, self.graph, self.writer, self.progress);
        let reader = writer.map(|w| w.reader(0));
        let (send, receive) = mpsc::channel::<Done>();
        let mut failed = None;
        pool.in_place_scope(|scope| {
            loop {
                while failed.is_none() && self.running.len() < self.tasks {
                    let Some((at, memory)) = self.next(&mut failed) else { break };
                    let children: Vec<_> =
                        graph.nodes[at].children.iter().map(|c| (*c, self.alive.get(c).cloned())).collect();
                    let (send, reader) = (send.clone(), reader.as_ref());
                    scope.spawn(move |_| {
                        let work = Work { game, graph, writer, reader, progress, each };
                        let tier = graph.nodes[at].tier;
                        // A game that panics ends the run with its message, not with a hang.
                        let caught = catch_unwind(AssertUnwindSafe(|| work.solve(at, children, memory)));
                        let result =
                            caught.unwrap_or_else(|panic| Err(SolveError::Panic(tier, words(&*panic))));
                        // The receiver waits for every task that was sent out.
                        let _ = send.send((at, result));
                    });
                }
                if self.running.is_empty() {
                    break;
                }
                match receive.recv() {
                    Ok((at, Ok(forms))) => self.finished(at, forms),
                    Ok((at, Err(error))) => {
                        self.running.remove(&at);
                        failed.get_or_insert(error);
                    }
                    Err(_) => break,
                }
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let root = graph.nodes.len() - 1;
        let solved = match (self.alive.remove(&root), &reader) {
            (Some(solved), _) => solved,
            (None, Some(reader)) => load(game, reader, graph.nodes[root].tier, Form::Working)?,
            (None, None) => return Err(SolveError::NoValue("its tier is not solved".into())),
        };
        Ok(Ran { resumed, root: InMemory(graph.nodes[root].tier, solved) })
    }

    /// The next tier to start, and the memory it may use; `None` to wait.
    fn next(&mut self, failed: &mut Option<SolveError>) -> Option<(usize, u64)> {
        let at = *self.ready.first()?;
        let node = &self.graph.nodes[at];
        let need = self.game.need(node.tier);
        let to_load = node.children.iter().filter(|c| !self.alive.contains_key(c));
        let loading: u64 = to_load.map(|c| self.game.need(self.graph.nodes[*c].tier).result).sum();
        self.make_room(need.working.saturating_add(loading), &node.children);
        let used = self.used().saturating_add(loading);
        let free = self.memory.saturating_sub(used);
        if need.working > free {
            if self.running.is_empty() {
                let fix = "give more with --memory, or let the run keep a database to park tiers in";
                let need = used.saturating_add(need.working);
                *failed = Some(SolveError::Memory { tier: node.tier, need, limit: self.memory, fix });
            }
            return None;
        }
        let grant = need.useful.clamp(need.working, free);
        self.ready.remove(&at);
        self.running.insert(at, Task { need: grant + loading, reads: node.children.clone() });
        Some((at, grant))
    }

    fn used(&self) -> u64 {
        let alive = self.alive.values().map(|s| s.bytes());
        let running = self.running.values().map(|t| t.need);
        alive.chain(running).fold(self.reserved, u64::saturating_add)
    }

    /// Lets go of tiers that can be loaded again, until `cost` fits or none is left.
    fn make_room(&mut self, cost: u64, keep: &[usize]) {
        if self.writer.is_none() {
            return;
        }
        while self.used().saturating_add(cost) > self.memory {
            let read = |at: &usize| keep.contains(at) || self.running.values().any(|t| t.reads.contains(at));
            // The last in the order is wanted last.
            let Some(at) = self.alive.keys().filter(|at| !read(at)).max().copied() else { return };
            self.alive.remove(&at);
        }
    }

    /// Takes in a finished tier and the children that were loaded for it.
    fn finished(&mut self, at: usize, forms: Forms) {
        self.running.remove(&at);
        self.done[at] = true;
        self.progress.tier_done();
        self.alive.extend(forms);
        for child in self.graph.nodes[at].children.clone() {
            self.wanted[child] -= 1;
            if self.wanted[child] == 0 {
                self.alive.remove(&child);
            }
        }
        for parent in &self.graph.nodes[at].parents {
            self.waits[*parent] -= 1;
            if self.waits[*parent] == 0 && !self.done[*parent] {
                self.ready.insert(*parent);
            }
        }
        let is_root = at == self.graph.nodes.len() - 1;
        if self.wanted[at] == 0 && !is_root {
            self.alive.remove(&at);
        }
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or("panic".into())
}

/// What a task needs of the run.
struct Work<'a> {
    game: &'a dyn AnyGame,
    graph: &'a Graph,
    writer: Option<&'a Writer>,
    reader: Option<&'a Reader>,
    progress: &'a Progress,
    each: Option<&'a Each<'a>>,
}

impl Work<'_> {
    /// Solves a tier and stores it; gives its form and those of its children.
    fn solve(
        &self,
        at: usize,
        children: Vec<(usize, Option<Arc<dyn Solved>>)>,
        memory: u64,
    ) -> Result<Forms, SolveError> {
        let tier = self.graph.nodes[at].tier;
        let mut forms = vec![];
        for (child, form) in children {
            let form = match (form, self.reader) {
                (Some(form), _) => form,
                (None, Some(reader)) => load(self.game, reader, self.graph.nodes[child].tier, Form::Working)?,
                (None, None) => return Err(SolveError::NoValue("a tier below was let go".into())),
            };
            forms.push((child, form));
        }
        let below: Vec<_> = forms.iter().map(|(_, form)| form.clone()).collect();
        let solved = self.game.solve(tier, &below, memory, self.progress)?;
        if let Some(each) = self.each {
            each(tier, &solved)?;
        }
        if let Some(writer) = self.writer {
            store(writer, tier, &*solved)?;
        }
        forms.push((at, solved));
        Ok(forms)
    }
}
