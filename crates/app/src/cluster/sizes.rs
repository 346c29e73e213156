//! What the tiers of a run take in memory: at first what their engine says, then what workers have found out. Some
//! engines know it only once a tier's positions are found, and none knows beforehand whether values need two bytes.

use serde::{Deserialize, Serialize};
use zermelo_core::{AnyGame, Tier};

use crate::schedule::Graph;

/// Bytes that a tier takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Size {
    /// To solve it, at least and at most usefully.
    pub(super) working: u64,
    pub(super) useful: u64,
    /// Once it is solved.
    pub(super) solved: u64,
    /// Its marks.
    pub(super) marks: u64,
}

impl Size {
    /// What the engine says by now.
    pub(super) fn of(game: &dyn AnyGame, tier: Tier) -> Size {
        let need = game.need(tier);
        Size {
            working: need.working,
            useful: need.useful,
            solved: need.result,
            marks: game.reach_bytes(tier),
        }
    }
}

/// The sizes of all tiers, by place.
pub(super) struct Sizes<'a> {
    graph: &'a Graph,
    /// What numberings take in every process.
    pub(super) index: u64,
    alone: Vec<Size>,
    /// The marks of the tiers above each, and the solved tiers below, with the numberings: asked for over and over,
    /// so they are added up once.
    above: Vec<u64>,
    below: Vec<u64>,
}

impl<'a> Sizes<'a> {
    pub(super) fn new(game: &dyn AnyGame, graph: &'a Graph) -> Sizes<'a> {
        let alone: Vec<Size> = graph.nodes.iter().map(|node| Size::of(game, node.tier)).collect();
        let none = vec![0; alone.len()];
        let mut sizes = Sizes { graph, index: game.index_bytes(), alone, above: none.clone(), below: none };
        for at in 0..graph.nodes.len() {
            sizes.add_above(at);
            sizes.add_below(at);
        }
        sizes
    }

    /// A tier by itself.
    pub(super) fn alone(&self, at: usize) -> Size {
        self.alone[at]
    }

    /// All tiers and their marks.
    pub(super) fn all(&self) -> u64 {
        self.alone.iter().flat_map(|size| [size.solved, size.marks]).fold(0, u64::saturating_add)
    }

    /// The marks of all tiers above one.
    pub(super) fn above(&self, at: usize) -> u64 {
        self.above[at]
    }

    /// All solved tiers below one.
    pub(super) fn below(&self, at: usize) -> u64 {
        self.below[at]
    }

    /// Takes note of what a tier takes.
    pub(super) fn learn(&mut self, at: usize, size: Size) {
        let Some(known) = self.alone.get_mut(at) else { return };
        let old = std::mem::replace(known, size);
        let node = &self.graph.nodes[at];
        if old.marks != size.marks {
            node.children.iter().for_each(|child| self.add_above(*child));
        }
        if old.solved != size.solved {
            node.parents.iter().for_each(|parent| self.add_below(*parent));
        }
    }

    /// Takes note of what a solved tier takes.
    pub(super) fn learn_solved(&mut self, at: usize, solved: u64) {
        if let Some(size) = self.alone.get(at) {
            self.learn(at, Size { solved, ..*size });
        }
    }

    fn add_above(&mut self, at: usize) {
        let marks = self.graph.nodes[at].parents.iter().map(|parent| self.alone[*parent].marks);
        self.above[at] = marks.fold(self.index, u64::saturating_add);
    }

    fn add_below(&mut self, at: usize) {
        let solved = self.graph.nodes[at].children.iter().map(|child| self.alone[*child].solved);
        self.below[at] = solved.fold(self.index, u64::saturating_add);
    }
}
