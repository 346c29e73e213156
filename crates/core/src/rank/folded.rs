//! Numbers two kinds of pieces up to the symmetries of a board.

use std::ops::Range;
use std::sync::Arc;

use super::{CHOOSE, all_cells, compress_bytes, expand, members, next_set, rank_bytes, rank_set, unrank_set};
use crate::grid::Symmetries;

/// The sets of one size up to the symmetries of a board.
#[derive(Debug)]
pub(crate) struct Orbits {
    /// By the number of a set: its orbit, and in the low `bits` the symmetry that takes the set to the canonical set
    /// of the orbit.
    of: Vec<u32>,
    bits: u32,
    chosen: Vec<Chosen>,
}

#[derive(Clone, Copy, Debug)]
struct Chosen {
    set: u64,
    /// The symmetries that leave the set as it is, one bit each; bit 0 is the identity.
    fixed: u64,
}

impl Orbits {
    /// By the number of a set: its orbit, and in the low [`name_bits`](Orbits::name_bits) a symmetry.
    pub(crate) fn of(&self) -> &[u32] {
        &self.of
    }

    /// The number of bits that name a symmetry in [`of`](Orbits::of).
    pub(crate) fn name_bits(&self) -> u32 {
        self.bits
    }

    /// The canonical set of each orbit, and the symmetries that leave the set as it is, one bit each.
    pub(crate) fn chosen(&self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        self.chosen.iter().map(|chosen| (chosen.set, chosen.fixed))
    }

    /// The number of bits that name a symmetry.
    fn bits(symmetries: &Symmetries) -> u32 {
        symmetries.count().next_power_of_two().trailing_zeros().max(1)
    }

    /// The bytes of the tables, worked out without making them.
    pub(crate) fn bytes(symmetries: &Symmetries, k: usize) -> u64 {
        let (sets, orbits) = (CHOOSE[symmetries.cells()][k], symmetries.orbits_of_sets(k));
        if orbits >= 1 << (32 - Orbits::bits(symmetries)) {
            return u64::MAX;
        }
        let of = sets.saturating_mul(size_of::<u32>() as u64);
        of.saturating_add(orbits.saturating_mul(size_of::<Chosen>() as u64))
    }

    pub(crate) fn new(symmetries: &Symmetries, k: usize) -> Orbits {
        const UNSEEN: u32 = u32::MAX;
        let cells = symmetries.cells();
        let bits = Orbits::bits(symmetries);
        let mut of = vec![UNSEEN; CHOOSE[cells][k] as usize];
        // Room for exactly as many as there are: a list that grows by itself may take twice that.
        let mut chosen = Vec::with_capacity(symmetries.orbits_of_sets(k) as usize);
        let mut set = all_cells(k);
        for i in 0..of.len() {
            if of[i] == UNSEEN {
                let mut fixed = 0;
                for s in 0..symmetries.count() {
                    let image = symmetries.image(set, s);
                    of[rank_set(image) as usize] = (chosen.len() << bits | symmetries.inverse(s)) as u32;
                    fixed |= u64::from(image == set) << s;
                }
                chosen.push(Chosen { set, fixed });
                assert!(chosen.len() < 1 << (32 - bits), "orbits and symmetries share 32 bits");
            }
            set = next_set(set);
        }
        Orbits { of, bits, chosen }
    }
}

/// A numbering of pairs of disjoint sets of fixed sizes up to the symmetries of a board.
///
/// The first set is brought to the canonical set of its orbit. The second set is carried along and numbered within
/// the cells left free. Where the canonical first set is itself symmetric, the least image of the second set counts
/// and the other images are holes. These holes are few (under 4% in the middle tiers of a 4x4 board).
#[derive(Debug)]
pub struct FoldedPair {
    cells: usize,
    second: usize,
    /// The number of pairs for each first set.
    ways: u64,
    orbits: Arc<Orbits>,
    symmetries: Arc<Symmetries>,
}

impl FoldedPair {
    /// Makes the numbering of pairs of sets of `first` and of `second` out of the cells of a board.
    pub fn new(symmetries: &Arc<Symmetries>, first: usize, second: usize) -> FoldedPair {
        let cells = symmetries.cells();
        let orbits = symmetries.orbits(first);
        FoldedPair {
            cells,
            second,
            ways: CHOOSE[cells - first][second],
            orbits,
            symmetries: symmetries.clone(),
        }
    }

    /// The number of cells of the board.
    pub(crate) fn cells(&self) -> usize {
        self.cells
    }

    /// The sizes of the first and of the second set.
    pub(crate) fn set_sizes(&self) -> (usize, usize) {
        let first = self.orbits.chosen.first().map_or(0, |chosen| chosen.set.count_ones() as usize);
        (first, self.second)
    }

    /// The number of pairs for each canonical first set.
    pub(crate) fn ways(&self) -> u64 {
        self.ways
    }

    /// The first sets up to symmetry.
    pub(crate) fn orbits(&self) -> &Arc<Orbits> {
        &self.orbits
    }

    /// The value of [`size`](FoldedPair::size), worked out without building any table.
    pub fn size_of(symmetries: &Symmetries, first: usize, second: usize) -> u64 {
        let cells = symmetries.cells();
        symmetries.orbits_of_sets(first).saturating_mul(CHOOSE[cells - first][second])
    }

    /// The number of numbers, holes included.
    pub fn size(&self) -> u64 {
        self.orbits.chosen.len() as u64 * self.ways
    }

    /// The number that a pair shares with its images.
    #[inline]
    pub fn rank(&self, first: u64, second: u64) -> u64 {
        match self.cells {
            0..=8 => self.rank_within::<1>(first, second),
            9..=16 => self.rank_within::<2>(first, second),
            17..=24 => self.rank_within::<3>(first, second),
            25..=32 => self.rank_within::<4>(first, second),
            _ => self.rank_within::<8>(first, second),
        }
    }

    #[inline]
    fn rank_within<const BYTES: usize>(&self, first: u64, second: u64) -> u64 {
        let entry = self.orbits.of[rank_bytes::<BYTES>(first) as usize];
        let bits = self.orbits.bits;
        let orbit = (entry >> bits) as usize;
        let chosen = self.orbits.chosen[orbit];
        let symmetry = entry & ((1 << bits) - 1);
        let mut image = self.symmetries.image_within::<BYTES>(second, symmetry as usize);
        if chosen.fixed != 1 {
            image = self.least(chosen.fixed, image);
        }
        orbit as u64 * self.ways + rank_bytes::<BYTES>(compress_bytes::<BYTES>(image, !chosen.set))
    }

    /// The [`rank`](FoldedPair::rank) of a pair, and the number of pairs that share it. This is quick, as few first
    /// sets are symmetric.
    #[inline]
    pub fn rank_and_copies(&self, first: u64, second: u64) -> (u64, u64) {
        let number = self.rank(first, second);
        let plain =
            self.orbits.chosen.get((number / self.ways) as usize).is_some_and(|chosen| chosen.fixed == 1);
        (number, if plain { self.symmetries.count() as u64 } else { self.symmetries.images(first, second) })
    }

    /// The canonical pair of a number; `None` for a hole.
    pub fn unrank(&self, i: u64) -> Option<(u64, u64)> {
        let chosen = *self.orbits.chosen.get((i / self.ways) as usize)?;
        let free = !chosen.set & all_cells(self.cells);
        let second = expand(unrank_set(i % self.ways, self.second), free);
        (self.least(chosen.fixed, second) == second).then_some((chosen.set, second))
    }

    /// Visits the canonical pairs of a range of numbers, stepping from one to the next.
    #[inline]
    pub fn scan(&self, range: Range<u64>, mut visit: impl FnMut(u64, u64, u64)) {
        let mut i = range.start;
        while i < range.end {
            let chosen = self.orbits.chosen[(i / self.ways) as usize];
            let free = !chosen.set & all_cells(self.cells);
            let mut packed = unrank_set(i % self.ways, self.second);
            let end = range.end.min((i / self.ways + 1) * self.ways);
            while i < end {
                let second = expand(packed, free);
                if chosen.fixed == 1 || self.least(chosen.fixed, second) == second {
                    visit(i, chosen.set, second);
                }
                packed = next_set(packed);
                i += 1;
            }
        }
    }

    fn least(&self, fixed: u64, set: u64) -> u64 {
        members(fixed & !1).fold(set, |least, s| least.min(self.symmetries.image(set, s)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn folded_pairs_number_each_orbit_once() {
        for (rows, cols) in [(2, 2), (3, 3), (2, 4), (3, 4), (4, 4)] {
            let symmetries = Arc::new(Grid::new(rows, cols).symmetries());
            for (a, b) in [(0, 0), (1, 0), (0, 2), (2, 2), (3, 1), (1, 3)] {
                let n = rows * cols;
                if a + b > n {
                    continue;
                }
                let pair = FoldedPair::new(&symmetries, a, b);
                assert_eq!(pair.size(), FoldedPair::size_of(&symmetries, a, b));
                let mut covered = 0;
                let mut scanned = vec![];
                pair.scan(0..pair.size(), |i, x, y| scanned.push((i, x, y)));
                for (i, x, y) in &scanned {
                    assert_eq!(pair.unrank(*i), Some((*x, *y)));
                    covered += symmetries.images(*x, *y);
                    assert_eq!(pair.rank_and_copies(*x, *y), (*i, symmetries.images(*x, *y)));
                    for s in 0..symmetries.count() {
                        assert_eq!(pair.rank(symmetries.image(*x, s), symmetries.image(*y, s)), *i);
                    }
                }
                assert_eq!(covered, CHOOSE[n][a] * CHOOSE[n - a][b], "every pair is in one orbit");
                let tables = 4 * pair.orbits.of.capacity() + 16 * pair.orbits.chosen.capacity();
                assert_eq!(symmetries.bytes_of(a), tables as u64, "{rows}x{cols}, {a}");
                let holes = (0..pair.size()).filter(|i| pair.unrank(*i).is_none()).count();
                assert_eq!(holes + scanned.len(), pair.size() as usize);
                let mut middle = vec![];
                let (from, to) = (pair.size() / 3, pair.size() * 2 / 3);
                pair.scan(from..to, |i, x, y| middle.push((i, x, y)));
                assert!(scanned.iter().filter(|(i, ..)| (from..to).contains(i)).eq(&middle));
            }
        }
    }

    #[test]
    fn tables_that_cannot_be_are_told_from_large_ones() {
        let bytes = |rows, cols, k| Grid::new(rows, cols).symmetries().bytes_of(k);
        assert_eq!((bytes(8, 8, 0), bytes(8, 8, 1)), (20, 4 * 64 + 16 * 10));
        assert!((600 << 20..2 << 30).contains(&bytes(5, 6, 15)), "{}", bytes(5, 6, 15));
        // More orbits than can be named in 32 bits beside the symmetry.
        assert_eq!((bytes(6, 6, 18), bytes(8, 8, 32)), (u64::MAX, u64::MAX));
        // Without symmetries every set is chosen.
        assert_eq!(Symmetries::new(24, &[(0..24).collect()]).bytes_of(12), 20 * CHOOSE[24][12]);
    }
}
