//! Sets of the cells that are empty at a root, and how a slice of tables is laid out by them.

use zermelo_core::rank::next_set;

/// How many sets of `k` out of `n` there are.
pub(super) fn choose(n: usize, k: usize) -> usize {
    (0..k).fold(1, |ways, j| ways * (n - j.min(n)) / (j + 1))
}

/// All sets of `k` of `n` things, in colexicographic order.
pub(super) fn sets(n: usize, k: usize) -> impl Iterator<Item = u64> {
    let first = (1u64 << k) - 1;
    std::iter::successors(Some(first), |set| Some(next_set(*set))).take(choose(n, k))
}

/// The rows and columns of a slice, in numbers.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Empty cells at the root.
    pub(super) empty: usize,
    /// Stones of who has just moved, and of the other, since the root.
    pub(super) moved: usize,
    pub(super) waits: usize,
}

impl Shape {
    pub(super) fn new(empty: usize, stones: usize) -> Shape {
        Shape { empty, moved: stones.div_ceil(2), waits: stones / 2 }
    }

    pub(super) fn rows(self) -> usize {
        choose(self.empty, self.moved)
    }

    pub(super) fn columns(self) -> usize {
        choose(self.empty - self.moved, self.waits)
    }

    pub(super) fn nodes(self) -> usize {
        self.rows() * self.columns()
    }

    /// The nodes of the largest slice with at least two stones, and an even or odd number of them.
    pub(super) fn most_nodes(empty: usize, parity: usize) -> usize {
        let slices = (2..=empty).filter(|stones| stones % 2 == parity);
        slices.map(|stones| Shape::new(empty, stones).nodes()).max().unwrap_or(0)
    }
}

/// The place of a set among those of its size, from its nine lowest cells and the others: one
/// table for all cells would not fit into the nearest cache.
pub(super) struct Places {
    low: [u16; 512],
    /// By size.
    high: Vec<[u16; 512]>,
}

/// The tables of [`Places`] for the sets of one size.
#[derive(Clone, Copy)]
pub(super) struct PlacesOf<'a> {
    low: &'a [u16; 512],
    high: &'a [u16; 512],
}

impl Places {
    /// For sets of at most so many cells.
    pub(super) fn new(most: usize) -> Places {
        // What a part's cells add, the first of them being `first`, with so many cells below them.
        let add = |part: usize, first: usize, below: usize| {
            let cells = (0..9).filter(|cell| part >> cell & 1 != 0).enumerate();
            cells.map(|(n, cell)| choose(first + cell, below + n + 1) as u16).fold(0, u16::wrapping_add)
        };
        let high = |size: usize, part: usize| {
            size.checked_sub(part.count_ones() as usize).map_or(0, |below| add(part, 9, below))
        };
        Places {
            low: std::array::from_fn(|part| add(part, 0, 0)),
            high: (0..=most).map(|size| std::array::from_fn(|part| high(size, part))).collect(),
        }
    }

    pub(super) fn of(&self, size: usize) -> PlacesOf<'_> {
        PlacesOf { low: &self.low, high: &self.high[size] }
    }
}

impl PlacesOf<'_> {
    #[inline(always)]
    pub(super) fn place(self, set: u64) -> usize {
        self.low[set as usize % 512] as usize + self.high[set as usize / 512 % 512] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_in_their_places() {
        let places = Places::new(18);
        for (n, k) in (0..=18).flat_map(|n| (0..=n).map(move |k| (n, k))) {
            for (place, set) in sets(n, k).enumerate() {
                assert_eq!(places.of(k).place(set), place, "{set:b}");
            }
        }
    }
}
