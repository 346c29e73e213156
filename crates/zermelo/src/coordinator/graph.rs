//! The tier graph of a game, checked before any work: no cycle, no empty tier.

use std::collections::HashMap;

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
        // A tier is open from when it is first met until all below it are done; to meet an
        // open one again is a cycle.
        enum Mark {
            Open,
            Done(usize),
        }
        let mut marks: HashMap<Tier, Mark> = HashMap::new();
        let mut nodes: Vec<Node> = vec![];
        let mut entries = 0u64;
        let mut roots = game.tiers().roots().into_iter();
        let mut stack: Vec<(Tier, Option<std::vec::IntoIter<Tier>>)> = vec![];
        loop {
            if stack.is_empty() {
                match roots.find(|root| !marks.contains_key(root)) {
                    Some(root) => stack.push((root, None)),
                    None => break,
                }
            }
            let Some((tier, below)) = stack.pop() else { break };
            let mut below = match below {
                Some(below) => below,
                None => {
                    let size = game.tiers().size(tier);
                    if size == 0 {
                        return Err(SolveError::MissingTier(tier));
                    }
                    let more = entries.saturating_add(size);
                    if marks.len() >= most || more > most_entries {
                        return Ok(GraphExtent::MoreThan { tiers: marks.len() as u64, entries });
                    }
                    entries = more;
                    marks.insert(tier, Mark::Open);
                    game.tiers().children(tier).into_iter()
                }
            };
            match below.next() {
                Some(child) => {
                    stack.push((tier, Some(below)));
                    match marks.get(&child) {
                        None => stack.push((child, None)),
                        Some(Mark::Open) => return Err(SolveError::Cycle(child)),
                        Some(Mark::Done(_)) => {}
                    }
                }
                None => {
                    let place = |child: &Tier| match marks.get(child) {
                        Some(Mark::Done(at)) => Some(*at),
                        _ => None,
                    };
                    let children = game.tiers().children(tier).iter().filter_map(place).collect();
                    marks.insert(tier, Mark::Done(nodes.len()));
                    let size = game.tiers().size(tier);
                    let effort = game.engine().effort(tier, size);
                    nodes.push(Node { tier, size, effort, children, parents: vec![] });
                }
            }
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
