//! Numbers the lays of seeds in pits without gaps, by how far the seeds have to go.
//!
//! Of the lays of as many seeds those with the furthest to go come first, whichever side the seeds are on.
//!
//! **Claim.** A move that stays in its tier leads to a higher number. **Proof.** Such a move puts no seed into the
//! store. It brings seeds of its own side nearer to the store, and then the players change places, which leaves the
//! sum unchanged. So the seeds have less far to go.

/// The lays of all numbers of seeds.
pub(super) struct Lays {
    /// The number of pits of one player; both have as many.
    pits: usize,
    most: usize,
    /// The number of lays of a number of seeds that have a given way to go, in the pits from a given one on.
    ways: Vec<u64>,
}

/// The lays of one number of seeds.
pub struct Layer {
    pub(super) seeds: usize,
    /// By the way that the seeds have come: the first number of these lays.
    first: Vec<u64>,
}

impl Lays {
    /// The lays of up to `most` seeds.
    pub(super) fn new(pits: usize, most: usize) -> Lays {
        let mut lays = Lays { pits, most, ways: vec![] };
        lays.ways = vec![0; lays.at(2 * pits + 1, 0, 0)];
        let none = lays.at(2 * pits, 0, 0);
        lays.ways[none] = 1;
        for pit in (0..2 * pits).rev() {
            for seeds in 0..=most {
                for far in 0..=pits * most {
                    let more = far.checked_sub(lays.way(pit)).filter(|_| seeds > 0);
                    let with = more.map_or(0, |far| lays.ways[lays.at(pit, seeds - 1, far)]);
                    let here = lays.at(pit, seeds, far);
                    lays.ways[here] = lays.ways[lays.at(pit + 1, seeds, far)] + with;
                }
            }
        }
        lays
    }

    /// The way that a seed in a pit has to go.
    fn way(&self, pit: usize) -> usize {
        self.pits - pit % self.pits
    }

    fn at(&self, pit: usize, seeds: usize, far: usize) -> usize {
        (pit * (self.most + 1) + seeds) * (self.pits * self.most + 1) + far
    }

    pub(super) fn layer(&self, seeds: usize) -> Layer {
        let (furthest, mut first) = (self.pits * seeds, vec![0]);
        (0..furthest)
            .for_each(|came| first.push(first[came] + self.ways[self.at(0, seeds, furthest - came)]));
        Layer { seeds, first }
    }

    /// The number of a lay, given as the seeds in each pit.
    pub(super) fn rank(&self, layer: &Layer, pits: impl Fn(usize) -> usize) -> u64 {
        let far = |pit: usize| pits(pit) * self.way(pit);
        let (mut left, mut far) = (layer.seeds, (0..2 * self.pits).map(far).sum::<usize>());
        let mut rank = layer.first[self.pits * left - far];
        for pit in 0..2 * self.pits {
            for _ in 0..pits(pit) {
                rank += self.ways[self.at(pit + 1, left, far)];
                (left, far) = (left - 1, far - self.way(pit));
            }
        }
        rank
    }

    /// Inverse of [`rank`](Lays::rank): puts the seeds one by one.
    pub(super) fn unrank(&self, layer: &Layer, mut rank: u64, mut put: impl FnMut(usize)) {
        let came = layer.first.partition_point(|first| *first <= rank) - 1;
        let (mut left, mut far) = (layer.seeds, self.pits * layer.seeds - came);
        rank -= layer.first[came];
        for pit in 0..2 * self.pits {
            while rank >= self.ways[self.at(pit + 1, left, far)] {
                rank -= self.ways[self.at(pit + 1, left, far)];
                (left, far) = (left - 1, far - self.way(pit));
                put(pit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::rank::CHOOSE;

    #[test]
    fn lays_are_numbered_without_gaps() {
        for pits in 1..=3 {
            let (lays, bars) = (Lays::new(pits, 7), 2 * pits - 1);
            for seeds in 0..=7 {
                let (layer, mut last) = (lays.layer(seeds), usize::MAX);
                for number in 0..CHOOSE[seeds + bars][bars] {
                    let mut lay = vec![0; 2 * pits];
                    lays.unrank(&layer, number, |pit| lay[pit] += 1);
                    assert_eq!(lays.rank(&layer, |pit| lay[pit]), number, "{lay:?}");
                    let far = (0..2 * pits).map(|pit| lay[pit] * (pits - pit % pits)).sum();
                    assert!(lay.iter().sum::<usize>() == seeds && far <= last, "{lay:?} after {last}");
                    last = far;
                }
            }
        }
    }
}
