//! Which tasks there are, which of them are ready, and what each one's end makes ready. Knows the tier
//! graph and nothing of memory or machines.
//!
//! A tier has up to two tasks. *Discover* marks its reached positions, after all tiers
//! above; it runs when positions are to be counted. *Solve* finds its values, after its own
//! discovery and all tiers below, counts them, and stores them; tiers above need not wait for the last two.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use zermelo_core::{Effort, Opened, Tier};

use super::Graph;

/// The two kinds of tasks; discovery comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Kind {
    Discover,
    Solve,
}

/// A task: what to do at a place in the graph, and when its turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) due: usize,
    pub(crate) kind: Kind,
    pub(crate) at: usize,
}

/// What an earlier run has left.
pub(crate) struct Earlier<'a> {
    /// Whether a tier's table is stored.
    pub(crate) stored: &'a dyn Fn(Tier) -> bool,
    /// Whether it was counted, or need not be.
    pub(crate) counted: &'a dyn Fn(Tier) -> bool,
    /// Whether its working form is spilled.
    pub(crate) spilled: &'a dyn Fn(Tier) -> bool,
    /// Whether positions are counted.
    pub(crate) counts: bool,
}

/// In which order tasks are taken up that are ready.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskOrder {
    /// Tiers in the order of the graph, and marks no sooner than the first tier below them is to be solved: a
    /// run goes down to the end of the game and solves on the way back, with few tiers alive.
    FewAlive,
    /// The tasks first that the longest chain of others waits for, by the numbers of its tiers: the most
    /// awaited and, of those, the biggest. For when what is not at work lies on a disk, or there is room for all.
    LongestChain,
}

/// The state of a run; places in the graph name the tiers.
pub(crate) struct Plan<'a> {
    graph: &'a Graph,
    /// Whether marks are made: to count positions, or because the engine needs them.
    pub(crate) discovers: bool,
    /// Whether a table is of use without those below it: it can be loaded, and nothing is counted.
    pub(crate) by_itself: bool,
    /// Tiers that an earlier run has done.
    pub(crate) finished: Vec<bool>,
    /// Tiers that need not be solved in this run, or have been.
    pub(crate) done: Vec<bool>,
    pub(crate) ready: BTreeSet<Task>,
    /// Before this place all tiers are solved.
    front: usize,
    /// Children still to be solved, for each tier, and one for its own discovery.
    waits: Vec<usize>,
    /// Parents still to be discovered, for each tier.
    undiscovered: Vec<usize>,
    /// Parents still to be solved, for each tier.
    wanted: Vec<usize>,
    /// Tiers that those above can read, though they may not be stored yet.
    formed: Vec<bool>,
    pub(crate) order: TaskOrder,
    /// Whose turn it is when, by place: of discoveries, and of solves.
    due: [Vec<usize>; 2],
}

impl<'a> Plan<'a> {
    pub(crate) fn new(game: &Opened, graph: &'a Graph, earlier: &Earlier<'_>, order: TaskOrder) -> Plan<'a> {
        let nodes = &graph.nodes;
        let mut finished = vec![];
        let by_itself = game.tiers().filing().by_tier && !earlier.counts;
        for node in nodes {
            // A tier above one that must be counted again is counted again: its marks are needed.
            let below = by_itself || node.children.iter().all(|c| finished[*c]);
            finished.push(below && (earlier.stored)(node.tier) && (earlier.counted)(node.tier));
        }
        let mut done = finished.clone();
        if !game.tiers().filing().by_tier {
            // A stored tier that is not spilled is solved again where one above wants it.
            for at in (0..nodes.len()).rev().filter(|at| *at != graph.root) {
                let unwanted = nodes[at].parents.iter().all(|p| done[*p]);
                done[at] = finished[at] && (unwanted || (earlier.spilled)(nodes[at].tier));
            }
        }
        if game.tiers().filing().marked && finished != done {
            // To solve a tier again takes its marks, and they take those of all above it.
            finished.fill(false);
            done.fill(false);
        }
        let discovers = earlier.counts || game.tiers().filing().marked;
        let open = |list: &Vec<usize>, done: &[bool]| list.iter().filter(|at| !done[**at]).count();
        let waits = nodes.iter().zip(&finished);
        let waits = waits.map(|(n, finished)| open(&n.children, &done) + usize::from(discovers && !finished));
        let due = match order {
            TaskOrder::FewAlive => few_alive(graph, &finished),
            TaskOrder::LongestChain => longest_chain(graph),
        };
        let mut plan = Plan {
            graph,
            discovers,
            by_itself,
            waits: waits.collect(),
            undiscovered: nodes.iter().map(|n| open(&n.parents, &finished)).collect(),
            wanted: nodes.iter().map(|n| open(&n.parents, &done)).collect(),
            ready: BTreeSet::new(),
            front: 0,
            formed: done.clone(),
            finished,
            done,
            order,
            due,
        };
        plan.begin();
        plan
    }

    /// Finds the tasks that wait for nothing.
    fn begin(&mut self) {
        for at in 0..self.graph.nodes.len() {
            if !self.done[at] && self.waits[at] == 0 {
                self.is_ready(Kind::Solve, at);
            }
            if self.marks(at) && self.undiscovered[at] == 0 {
                self.is_ready(Kind::Discover, at);
            }
        }
        self.move_front();
    }

    fn is_ready(&mut self, kind: Kind, at: usize) {
        self.ready.insert(Task { due: self.due[kind as usize][at], kind, at });
    }

    /// What is left to do, with tables to be stored or without.
    pub(crate) fn left(&self, stores: bool) -> Left {
        let mut left = Left::default();
        for (at, node) in self.graph.nodes.iter().enumerate().filter(|(at, _)| !self.done[*at]) {
            let Effort { discover, solve, store } = node.effort;
            let discover = if self.marks(at) { discover } else { 0 };
            let store = if stores && !self.finished[at] { store } else { 0 };
            left.tiers += 1;
            let numbers = if solve == node.size { node.size } else { 0 };
            left.numbers = left.numbers.saturating_add(numbers);
            left.effort = [discover, solve, store].into_iter().fold(left.effort, u64::saturating_add);
        }
        left
    }

    /// Tiers that an earlier run has done.
    pub(crate) fn resumed(&self) -> u64 {
        self.finished.iter().filter(|finished| **finished).count() as u64
    }

    /// Whether a tier's reached positions are marked in this run.
    pub(crate) fn marks(&self, at: usize) -> bool {
        self.discovers && !self.finished[at]
    }

    /// Tiers that are done and still to be read by others.
    pub(crate) fn still_read(&self) -> impl Iterator<Item = usize> {
        (0..self.done.len()).filter(|at| self.done[*at] && self.wanted[*at] > 0)
    }

    /// Whether the turn of more than so many others is before that of a task: what comes of it would wait for long.
    pub(crate) fn is_far(&self, task: Task, many: usize) -> bool {
        self.order == TaskOrder::FewAlive && task.due > self.front + many
    }

    /// Takes note of a discovery.
    pub(crate) fn discovered(&mut self, at: usize) {
        let graph = self.graph;
        for child in &graph.nodes[at].children {
            self.undiscovered[*child] -= 1;
            if self.undiscovered[*child] == 0 && !self.finished[*child] {
                self.is_ready(Kind::Discover, *child);
            }
        }
        self.one_less(at);
    }

    /// Whether the end of a solved tier may be taken note of: where tables cannot be loaded tier by tier, after those below
    /// it. They may still be counted or stored, and a killed run goes on from all that is done.
    pub(crate) fn is_due(&self, at: usize) -> bool {
        self.by_itself || self.graph.nodes[at].children.iter().all(|c| self.done[*c])
    }

    /// Takes note that those above can read a tier, which may still have to be stored.
    pub(crate) fn formed(&mut self, at: usize) {
        let graph = self.graph;
        if !std::mem::replace(&mut self.formed[at], true) {
            graph.nodes[at].parents.iter().for_each(|parent| self.one_less(*parent));
        }
    }

    /// Takes note of a solved tier, and says which tiers nobody wants any more.
    pub(crate) fn solved(&mut self, at: usize) -> Vec<usize> {
        let graph = self.graph;
        self.formed(at);
        self.done[at] = true;
        self.move_front();
        let mut unwanted = vec![];
        for child in &graph.nodes[at].children {
            self.wanted[*child] -= 1;
            if self.wanted[*child] == 0 {
                unwanted.push(*child);
            }
        }
        if self.wanted[at] == 0 {
            unwanted.push(at);
        }
        unwanted
    }

    fn move_front(&mut self) {
        while self.done.get(self.front) == Some(&true) {
            self.front += 1;
        }
    }

    /// A solve waits for one thing less.
    fn one_less(&mut self, at: usize) {
        self.waits[at] -= 1;
        if self.waits[at] == 0 && !self.done[at] {
            self.is_ready(Kind::Solve, at);
        }
    }
}

/// What is left to do of a plan.
#[derive(Default)]
pub(crate) struct Left {
    pub(crate) tiers: u64,
    /// Numbers of the tiers left, where effort goes by numbers.
    pub(crate) numbers: u64,
    pub(crate) effort: u64,
}

fn few_alive(graph: &Graph, finished: &[bool]) -> [Vec<usize>; 2] {
    let solve: Vec<usize> = (0..graph.nodes.len()).collect();
    // For each tier the first in the order that is it or below it, and not finished: where its marks are due.
    let mut first = solve.clone();
    for at in 0..first.len() {
        let below = graph.nodes[at].children.iter().filter(|c| !finished[**c]);
        first[at] = below.map(|c| first[*c]).min().unwrap_or(at);
    }
    [first, solve]
}

fn longest_chain(graph: &Graph) -> [Vec<usize>; 2] {
    let (nodes, many) = (&graph.nodes, graph.nodes.len());
    // The numbers of the longest chain of tasks that begins with each: up through the solves, after all the
    // way down through the discoveries.
    let (mut discover, mut solve) = (vec![0u64; many], vec![0u64; many]);
    for at in (0..many).rev() {
        let above = nodes[at].parents.iter().map(|p| solve[*p]).max().unwrap_or(0);
        solve[at] = nodes[at].effort.solve.saturating_add(above);
    }
    for at in 0..many {
        let below = nodes[at].children.iter().map(|c| discover[*c]).max().unwrap_or(0);
        discover[at] = nodes[at].effort.discover.saturating_add(below.max(solve[at]));
    }
    let all = discover.iter().map(|c| (0, *c)).chain(solve.iter().map(|c| (1, *c)));
    let mut order: Vec<(u64, usize, usize)> =
        all.enumerate().map(|(n, (kind, chain))| (chain, kind, n % many)).collect();
    order.sort_unstable_by_key(|(chain, kind, at)| (std::cmp::Reverse(*chain), *kind, *at));
    let mut due = [vec![0; many], vec![0; many]];
    for (turn, (_, kind, at)) in order.into_iter().enumerate() {
        due[kind][at] = turn;
    }
    due
}
