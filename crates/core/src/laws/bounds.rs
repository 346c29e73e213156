//! How far a check of the laws goes, and in which order it walks.

use crate::{GOLDEN, mix};

/// How much of a game is looked at. Small games are looked at as a whole, large ones in part.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// The most positions to walk. Tiers with at most this many numbers are looked at number by number.
    pub positions: usize,
    /// The most numbers to look at, of all tiers together.
    pub numbers: u64,
    /// The bytes that indexes may take. Where they take more, nothing is numbered, and the laws of numbers are left
    /// out.
    pub memory: u64,
    /// The seed of the random choices. With 0 there are none: the walk goes depth first, and no tier with too many
    /// numbers is looked at.
    pub seed: u64,
    /// Called again and again with the share of the whole check at which the current part ends. When it returns true,
    /// the check goes on with the next part.
    pub stop: &'a dyn Fn(f64) -> bool,
}

impl Bounds<'_> {
    /// Bounds for a walk of `positions` positions, depth first, and all numbers of the tiers that have no more.
    pub fn depth_first(positions: usize) -> Bounds<'static> {
        Bounds { positions, numbers: u64::MAX, memory: u64::MAX, seed: 0, stop: &|_| false }
    }
}

/// The share of a check at which the walk ends. [`COPIES`], [`NUMBERS`] and [`FACES`] are the shares at which the
/// later parts end; the rest is for the laws of engines.
pub(super) const WALK: f64 = 0.4;
pub(super) const COPIES: f64 = 0.5;
pub(super) const NUMBERS: f64 = 0.7;
pub(super) const FACES: f64 = 0.9;

/// A generator of numbers that look random, the same for the same seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number below `n`, which must not be 0.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        ((u128::from(mix(self.0)) * u128::from(n)) >> 64) as u64
    }
}

/// The positions that wait to be walked from. With a seed the walk goes on from a random one of the positions that
/// the last position led to, so that it plays to the end as games do. Now and then it goes on from any waiting
/// position.
pub(super) struct Waiting<T> {
    list: Vec<T>,
    /// The number of positions that came after the last one was taken.
    fresh: usize,
    random: Option<Random>,
}

/// The walk goes on from any waiting position once in this many times.
const ANYWHERE: u64 = 16;

impl<T> Waiting<T> {
    pub(super) fn new(seed: u64, first: T) -> Waiting<T> {
        Waiting { list: vec![first], fresh: 1, random: (seed != 0).then_some(Random(seed)) }
    }

    pub(super) fn push(&mut self, item: T) {
        self.list.push(item);
        self.fresh += 1;
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        let fresh = std::mem::take(&mut self.fresh);
        let Some(random) = self.random.as_mut().filter(|_| !self.list.is_empty()) else {
            return self.list.pop();
        };
        let anywhere = fresh == 0 || random.below(ANYWHERE) == 0;
        let among = if anywhere { self.list.len() } else { fresh };
        let back = random.below(among as u64) as usize;
        Some(self.list.swap_remove(self.list.len() - 1 - back))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_waits_is_taken_once() {
        let mut first = vec![];
        for seed in 0..20 {
            let (mut waiting, mut taken) = (Waiting::new(seed, 1u32), vec![]);
            while let Some(n) = waiting.pop() {
                taken.push(n);
                (2 * n..=2 * n + 1).filter(|n| *n < 200).for_each(|n| waiting.push(n));
            }
            if seed == 0 {
                first = taken.clone();
                assert_eq!(first[..4], [1, 3, 7, 15], "depth first");
            }
            assert_eq!(taken == first, seed == 0, "{seed}: {taken:?}");
            taken.sort_unstable();
            assert_eq!(taken, (1..200).collect::<Vec<_>>());
        }
    }
}
