//! Cuts games of men on a board into tiers by the number of men that each player has.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::grid::Symmetries;
use crate::{Flow, Game, Halves, Packed, Tier, Tiers};

/// A game whose [packed](Packed) positions are two sets of cells: those of the player to move and those of the other
/// player. Where there is one kind of men, there is one set. A tier has all positions with two given numbers of men,
/// and boards that are symmetric share a number. Every such game has [`Tiers`].
///
/// The default methods are for games in which players put men on a board in turn until it is full.
pub trait Folded: Game<Position: Packed> {
    /// Whether a tier holds its positions either way round: the player to move has the first number of men, or the
    /// second.
    const EITHER_WAY: bool = false;

    /// The symmetries of the board.
    fn symmetries(&self) -> &Arc<Symmetries>;

    /// The tier in which the player to move has `own` men and the other player `other`.
    #[inline]
    fn tier_of(&self, own: usize, other: usize) -> Tier {
        Tier((own + other) as u64)
    }

    /// The numbers of men that the two players have in a tier.
    fn men_of(&self, t: Tier) -> (usize, usize) {
        (t.0 as usize / 2, t.0.div_ceil(2) as usize)
    }

    /// The name of a tier: how many men each player has, and how many cells have none.
    fn name_of(&self, t: Tier) -> String {
        let (own, other) = self.men_of(t);
        let blank = self.symmetries().cells().saturating_sub(own + other);
        if Self::EITHER_WAY {
            format!("{own} and {other} men, {blank} blank")
        } else {
            format!("{own} own, {other} other, {blank} blank")
        }
    }

    /// The other tiers that moves lead into.
    fn leads_to(&self, t: Tier) -> Vec<Tier> {
        if t.0 < self.symmetries().cells() as u64 { vec![Tier(t.0 + 1)] } else { vec![] }
    }

    /// The kind of moves that stay inside a tier.
    fn flow_of(&self, _t: Tier) -> Flow {
        Flow::Leaves
    }

    /// Whether a board with the right numbers of men is a position at all.
    #[inline]
    fn possible(&self, _p: Self::Position) -> bool {
        true
    }
}

impl<G: Folded> Tiers for G {
    type Index = Halves;

    #[inline]
    fn tier(&self, p: G::Position) -> Tier {
        let [own, other] = p.pack().map(|set| set.count_ones() as usize);
        self.tier_of(own, other)
    }

    fn name(&self, t: Tier) -> String {
        self.name_of(t)
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        self.leads_to(t)
    }

    fn flow(&self, t: Tier) -> Flow {
        self.flow_of(t)
    }

    fn size(&self, t: Tier) -> u64 {
        let (own, other) = self.men_of(t);
        Halves::size_of(self.symmetries(), own, other, G::EITHER_WAY)
    }

    fn index(&self, t: Tier) -> Halves {
        let (own, other) = self.men_of(t);
        Halves::new(self.symmetries(), own, other, G::EITHER_WAY)
    }

    fn index_bytes(&self) -> u64 {
        // Only the sizes that sets of men have in some tier count: where men are few, these sizes are few.
        let (mut sizes, mut seen, mut todo) = (BTreeSet::new(), BTreeSet::new(), self.roots());
        while let Some(t) = todo.pop() {
            if seen.insert(t) {
                let (own, other) = self.men_of(t);
                sizes.extend([own].into_iter().chain(G::EITHER_WAY.then_some(other)));
                todo.extend(self.leads_to(t));
            }
        }
        sizes.into_iter().fold(0, |sum, k| sum.saturating_add(self.symmetries().bytes_of(k)))
    }

    #[inline]
    fn rank(&self, index: &Halves, p: G::Position) -> u64 {
        let [own, other] = p.pack();
        index.rank(own, other)
    }

    #[inline]
    fn unrank(&self, index: &Halves, i: u64) -> Option<G::Position> {
        let (own, other) = index.unrank(i)?;
        Some(G::Position::unpack([own, other])).filter(|p| self.possible(*p))
    }

    fn canonical(&self, p: G::Position) -> G::Position {
        let [own, other] = p.pack();
        G::Position::unpack(self.symmetries().least(own, other).into())
    }

    fn alike(&self, p: G::Position) -> u64 {
        let [own, other] = p.pack();
        self.symmetries().images(own, other)
    }

    fn copies(&self, _: &Halves, p: G::Position) -> u64 {
        self.alike(p)
    }

    #[inline]
    fn scan(&self, index: &Halves, range: Range<u64>, mut visit: impl FnMut(u64, G::Position)) {
        index.scan(range, |i, own, other| {
            let p = G::Position::unpack([own, other]);
            if self.possible(p) {
                visit(i, p);
            }
        });
    }
}
