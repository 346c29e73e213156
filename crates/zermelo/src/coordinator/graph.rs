//! The tier graph of a game, checked before any work: no cycle, no empty tier.

use std::collections::HashMap;
use std::vec::IntoIter;

use zermelo_core::{Effort, Opened, Tier};

use super::{Result, SolveError};

/// One tier and its neighbours, by their places in [`Graph::nodes`].
pub struct Node {
    /// The tier.
    pub tier: Tier,
    /// How many numbers the tier has.
    pub size: u64,
    /// How much work it is to solve the tier, in proportion to other tiers.
    pub effort: Effort,
    /// The places of the tiers that moves from this tier lead to.
    pub children: Vec<usize>,
    /// The places of the tiers from which moves lead to this tier.
    pub parents: Vec<usize>,
}

/// The tier graph of a game: every tier that is to be solved, with its children and parents.
pub struct Graph {
    /// The place in `nodes` of the tier of the start.
    pub root: usize,
    /// The tiers, each after all its children: an order to solve them in that keeps few alive.
    pub nodes: Vec<Node>,
}

/// The result of a walk over the tiers of a game, which may stop at a limit.
pub enum GraphExtent {
    /// All tiers.
    Whole(Graph),
    /// The walk stopped at its limit: there are more tiers than it met.
    MoreThan {
        /// Tiers met.
        tiers: u64,
        /// Numbers of the tiers met, all together.
        entries: u64,
    },
}

impl Graph {
    /// Walks the whole tier graph of a game, depth first.
    pub fn of(game: &Opened) -> Result<Graph> {
        match Graph::within(game, usize::MAX, u64::MAX)? {
            GraphExtent::Whole(graph) => Ok(graph),
            GraphExtent::MoreThan { tiers, .. } => Err(SolveError::TooManyTiers(tiers)),
        }
    }

    /// Walks the tier graph of a game depth first, and stops at `most` tiers or `most_entries` numbers: the tiers of a
    /// large board are too many to list.
    pub fn within(game: &Opened, most: usize, most_entries: u64) -> Result<GraphExtent> {
        Graph::walk(game, most, most_entries).map_err(|error| error.named(game))
    }

    fn walk(game: &Opened, most: usize, most_entries: u64) -> Result<GraphExtent> {
        let (mut walk, mut nodes) = (TierWalk::within(game, most, most_entries), vec![]);
        while let Some(step) = walk.step()? {
            let Step::Done { tier, size, children } = step else {
                return Ok(GraphExtent::MoreThan { tiers: walk.met(), entries: walk.entries });
            };
            let children = children.iter().filter_map(|child| walk.place(*child)).collect();
            let effort = game.engine().effort(tier, size);
            nodes.push(Node { tier, size, effort, children, parents: vec![] });
        }
        Graph::over(nodes, game.tiers().root()).map(GraphExtent::Whole)
    }

    /// The graph over all tiers, of which each knows its children.
    fn over(mut nodes: Vec<Node>, root: Tier) -> Result<Graph> {
        for at in 0..nodes.len() {
            for child in nodes[at].children.clone() {
                nodes[child].parents.push(at);
            }
        }
        let root = nodes.iter().position(|node| node.tier == root).ok_or(SolveError::MissingStart(root))?;
        Ok(Graph { root, nodes })
    }

    /// The graph without the tiers at some places, with which all tiers above them are listed; `None` where nothing is
    /// left. Where the tier of the start is left out, the last tier stands in its place.
    pub(super) fn without(&self, places: &[usize]) -> Option<Graph> {
        let mut news = vec![None; self.nodes.len()];
        let mut nodes: Vec<Node> = vec![];
        for (at, node) in self.nodes.iter().enumerate().filter(|(at, _)| places.binary_search(at).is_err()) {
            news[at] = Some(nodes.len());
            let children = node.children.iter().filter_map(|child| news[*child]).collect();
            nodes.push(Node {
                tier: node.tier,
                size: node.size,
                effort: node.effort,
                children,
                parents: vec![],
            });
        }
        let root = news[self.root].or(nodes.len().checked_sub(1)).map(|at| nodes[at].tier)?;
        Graph::over(nodes, root).ok()
    }

    /// How many numbers all tiers together have.
    pub fn entries(&self) -> u64 {
        self.nodes.iter().fold(0, |sum, node| sum.saturating_add(node.size))
    }
}

/// A walk over the tiers of a game, depth first: a tier is done after all tiers below it.
pub(crate) struct TierWalk<'a> {
    game: &'a Opened,
    /// The tiers that were met.
    marks: HashMap<Tier, Mark>,
    roots: IntoIter<Tier>,
    stack: Vec<OpenTier>,
    /// How many tiers are done.
    done: usize,
    /// Numbers of the tiers met, all together.
    pub(crate) entries: u64,
    most: usize,
    most_entries: u64,
}

/// What is known of a tier that was met. It is open until all below it are done; to meet an open one again is a cycle.
enum Mark {
    Open,
    /// The tier is done, as the one of this place.
    Done(usize),
}

/// A tier with tiers below it that are still to be looked at.
struct OpenTier {
    tier: Tier,
    size: u64,
    children: Vec<Tier>,
    /// How many of its children were looked at.
    looked_at: usize,
}

/// A step of a walk over tiers.
pub(crate) enum Step {
    /// A tier is done.
    Done {
        /// The tier.
        tier: Tier,
        /// How many numbers the tier has.
        size: u64,
        /// The tiers that moves lead to from it.
        children: Vec<Tier>,
    },
    /// There are more tiers or numbers than the limits allow.
    Limit,
}

impl<'a> TierWalk<'a> {
    /// A walk that stops before it meets more than `most` tiers, or more than `most_entries` numbers.
    pub(crate) fn within(game: &'a Opened, most: usize, most_entries: u64) -> TierWalk<'a> {
        let (marks, stack, roots) = (HashMap::new(), vec![], game.tiers().roots().into_iter());
        TierWalk { game, marks, roots, stack, done: 0, entries: 0, most, most_entries }
    }

    /// How many tiers were met.
    pub(crate) fn met(&self) -> u64 {
        self.marks.len() as u64
    }

    /// The place of a tier that is done.
    pub(crate) fn place(&self, tier: Tier) -> Option<usize> {
        match self.marks.get(&tier) {
            Some(Mark::Done(at)) => Some(*at),
            _ => None,
        }
    }

    /// Goes on to the next tier that is done; `None` after the last.
    pub(crate) fn step(&mut self) -> Result<Option<Step>> {
        loop {
            let Some(open) = self.stack.last_mut() else {
                let marks = &self.marks;
                let Some(root) = self.roots.find(|root| !marks.contains_key(root)) else { return Ok(None) };
                if !self.open(root)? {
                    return Ok(Some(Step::Limit));
                }
                continue;
            };
            let Some(child) = open.children.get(open.looked_at).copied() else {
                return Ok(self.close());
            };
            open.looked_at += 1;
            let met = match self.marks.get(&child) {
                Some(Mark::Open) => return Err(SolveError::Cycle(child)),
                met => met.is_some(),
            };
            if !met && !self.open(child)? {
                return Ok(Some(Step::Limit));
            }
        }
    }

    /// Meets a tier; whether the limits allow that.
    fn open(&mut self, tier: Tier) -> Result<bool> {
        let size = self.game.tiers().size(tier);
        if size == 0 {
            return Err(SolveError::MissingTier(tier));
        }
        let more = self.entries.saturating_add(size);
        if self.marks.len() >= self.most || more > self.most_entries {
            return Ok(false);
        }
        self.entries = more;
        self.marks.insert(tier, Mark::Open);
        let children = self.game.tiers().children(tier);
        self.stack.push(OpenTier { tier, size, children, looked_at: 0 });
        Ok(true)
    }

    /// The tier whose children are all done is done, too.
    fn close(&mut self) -> Option<Step> {
        let OpenTier { tier, size, children, .. } = self.stack.pop()?;
        self.marks.insert(tier, Mark::Done(self.done));
        self.done += 1;
        Some(Step::Done { tier, size, children })
    }
}
