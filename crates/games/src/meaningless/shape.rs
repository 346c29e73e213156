//! Derives the shape of the game from the hash: the sizes of tiers, which tiers lie below which, holes, and where
//! moves lead.

use zermelo_core::{GOLDEN, mix};

/// A variant: its options, with the seed mixed.
pub(super) struct Shape {
    pub(super) depth: u32,
    pub(super) width: u32,
    pub(super) size: u64,
    pub(super) moves: u8,
    pub(super) loops: bool,
    pub(super) seed: u64,
}

/// A position: its tier and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HashedPosition {
    pub(super) tier: u32,
    pub(super) number: u32,
}

/// Hashed with a tier in place of a number, where no position is meant. No tier has this many numbers.
const WHOLE: u32 = u32::MAX;
/// Hashed with a position or a tier, so that each question has an answer of its own. The questions about slots count
/// on from the last constant.
const FATE: u64 = 0;
const SIZE: u64 = 1;
const BELOW: u64 = 2;
const SLOT: u64 = 3;

/// A number below `n`, from the upper half of a hash; the lower half is left for other choices.
#[inline]
fn pick(hash: u64, n: u64) -> u64 {
    ((hash >> 32) * n) >> 32
}

impl Shape {
    #[inline]
    fn hash(&self, tier: u32, number: u32, what: u64) -> u64 {
        let place = u64::from(tier) << 32 | u64::from(number);
        mix(mix(place ^ self.seed).wrapping_add(what.wrapping_mul(GOLDEN)))
    }

    /// The hash that decides whether a position is a hole or over, and how many slots it has.
    #[inline]
    pub(super) fn fate(&self, p: HashedPosition) -> u64 {
        self.hash(p.tier, p.number, FATE)
    }

    /// The layer of a tier: 0 for the start, then 1 to `depth`.
    fn layer(&self, tier: u32) -> u32 {
        tier.div_ceil(self.width)
    }

    /// The layer of a tier, and its place in that layer, from 1 on.
    pub(super) fn place(&self, tier: u32) -> (u32, u32) {
        let layer = self.layer(tier);
        (layer, tier - layer.saturating_sub(1) * self.width)
    }

    /// Whether a tier is in the last layer, and so has no tier below.
    pub(super) fn last(&self, tier: u32) -> bool {
        self.layer(tier) == self.depth
    }

    /// The number of numbers of a tier: from an eighth of `size` to `size`.
    pub(super) fn numbers(&self, tier: u32) -> u64 {
        let least = (self.size / 8).max(1);
        if tier == 0 { 1 } else { least + pick(self.hash(tier, WHOLE, SIZE), self.size - least + 1) }
    }

    /// Whether no position has this number. One number in eight is a hole, but never number 0, so that every tier has
    /// a position. There are no holes in tiers with loops whose moves cannot lead to another tier instead.
    #[inline]
    pub(super) fn hole(&self, p: HashedPosition) -> bool {
        p.number != 0 && self.fate(p) & 7 == 0 && !(self.loops && self.last(p.tier))
    }

    /// The number of moves of a position that is not over.
    #[inline]
    pub(super) fn slots(&self, p: HashedPosition) -> u8 {
        1 + pick(self.fate(p), self.moves.into()) as u8
    }

    /// Child tier 0, 1 or 2 of a tier that is not in the last layer. Children are neighbouring tiers, so that they
    /// differ where the width allows. In a tier with two children the last is the first again.
    #[inline]
    pub(super) fn child(&self, tier: u32, which: u64) -> u32 {
        let hash = self.hash(tier, WHOLE, BELOW);
        let which = if which == 2 && hash >> 24 & 1 == 0 { 0 } else { which };
        // Three in four children lie in the next layer, three in four of the others one layer further, and so on.
        let further =
            ((hash >> (8 * which) | 1 << 7).trailing_zeros() / 2).min(self.depth - self.layer(tier) - 1);
        let column = (pick(hash, self.width.into()) + which) as u32 % self.width;
        1 + (self.layer(tier) + further) * self.width + column
    }

    /// The place that slot `m` leads to if it stays in the tier: round by a fixed number of places, or mirrored.
    #[inline]
    pub(super) fn shifted(&self, p: HashedPosition, m: u8, back: bool) -> HashedPosition {
        let (n, size) = (u64::from(p.number), self.numbers(p.tier));
        let by = pick(self.hash(p.tier, WHOLE, SLOT + u64::from(m)), size);
        let to = match (m % 2, back) {
            (0, false) => n + by,
            (0, true) => n + size - by,
            _ => by + size - n,
        };
        HashedPosition { tier: p.tier, number: (to % size) as u32 }
    }

    /// The place that slot `m` leads to if it stays in the tier. A slot that would lead to a hole leaves the tier.
    #[inline]
    pub(super) fn inside(&self, p: HashedPosition, m: u8) -> Option<HashedPosition> {
        let stays = || self.last(p.tier) || self.hash(p.tier, p.number, SLOT + u64::from(m)) & 1 == 1;
        let to = (self.loops && p.tier != 0 && stays()).then(|| self.shifted(p, m, false));
        to.filter(|to| !self.hole(*to))
    }

    /// The place that slot `m` leads to if it leaves the tier: the next number that is no hole.
    #[inline]
    pub(super) fn outside(&self, p: HashedPosition, m: u8) -> HashedPosition {
        let hash = self.hash(p.tier, p.number, SLOT + u64::from(m));
        let tier = self.child(p.tier, (hash >> 1 & 0xffff) % 3);
        let size = self.numbers(tier);
        let mut to = HashedPosition { tier, number: pick(hash, size) as u32 };
        while self.hole(to) {
            to.number = ((u64::from(to.number) + 1) % size) as u32;
        }
        to
    }
}
