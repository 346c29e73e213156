//! What the tiers of a run take in memory: at first what their engine says, then what workers find out. Some
//! engines know it only once a tier's positions are found, and none knows beforehand whether values need two bytes.

use serde::{Deserialize, Serialize};
use zermelo_core::{Opened, Tier};

use super::Graph;
use super::cache::Key;
use super::plan::Kind;

/// Bytes that a tier takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Size {
    /// Bytes to solve the tier, at least and at most usefully.
    pub(crate) working: u64,
    pub(crate) useful: u64,
    /// Bytes of the tier once it is solved.
    pub(crate) solved: u64,
    /// Bytes of the marks of reached positions.
    pub(crate) marks: u64,
}

impl Size {
    /// What the engine says by now.
    pub(crate) fn of(game: &Opened, tier: Tier) -> Size {
        let need = game.engine().need(tier);
        Size {
            working: need.working,
            useful: need.useful,
            solved: need.result,
            marks: game.reach().bytes(tier),
        }
    }
}

/// The sizes of all tiers, by place.
pub(crate) struct Sizes<'a> {
    graph: &'a Graph,
    /// What numberings take in every process.
    pub(crate) index: u64,
    alone: Vec<Size>,
    /// The marks of the tiers above each, and the solved tiers below, with the numberings: asked for over and over,
    /// so they are added up once.
    above: Vec<u64>,
    below: Vec<u64>,
}

impl<'a> Sizes<'a> {
    pub(crate) fn new(game: &Opened, graph: &'a Graph) -> Sizes<'a> {
        let alone: Vec<Size> = graph.nodes.iter().map(|node| Size::of(game, node.tier)).collect();
        let none = vec![0; alone.len()];
        let mut sizes =
            Sizes { graph, index: game.tiers().index_bytes(), alone, above: none.clone(), below: none };
        for at in 0..graph.nodes.len() {
            sizes.add_above(at);
            sizes.add_below(at);
        }
        sizes
    }

    /// A tier by itself.
    pub(crate) fn alone(&self, at: usize) -> Size {
        self.alone[at]
    }

    /// All solved tiers, and their marks where there are any.
    pub(crate) fn all(&self, marks: bool) -> u64 {
        let bytes = |size: &Size| size.solved.saturating_add(if marks { size.marks } else { 0 });
        self.alone.iter().map(bytes).fold(0, u64::saturating_add)
    }

    /// What a task reads or makes takes in memory.
    pub(crate) fn of(&self, (kind, at): Key) -> u64 {
        match kind {
            Kind::Discover => self.alone[at].marks,
            Kind::Solve => self.alone[at].solved,
        }
    }

    /// The marks of all tiers above one.
    pub(crate) fn above(&self, at: usize) -> u64 {
        self.above[at]
    }

    /// All solved tiers below one.
    pub(crate) fn below(&self, at: usize) -> u64 {
        self.below[at]
    }

    /// Takes note of what a tier takes.
    pub(crate) fn learn(&mut self, at: usize, size: Size) {
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
    pub(crate) fn learn_solved(&mut self, at: usize, solved: u64) {
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
