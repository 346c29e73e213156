//! Sets of cells: moving them about eight cells at a time, and telling symmetric ones.

use zermelo_core::grid::Symmetries;
use zermelo_core::rank::members;

/// A fixed way to move the bits of a set, as tables of eight bits each.
pub(super) struct Map {
    tables: Box<[[u64; 256]; 8]>,
    /// Whether only the first four tables have anything in them.
    short: bool,
}

impl Map {
    pub(super) fn new() -> Map {
        Map { tables: Box::new([[0; 256]; 8]), short: true }
    }

    /// Says where each bit goes: the images of bit 0, 1, ... as sets; the rest go nowhere.
    pub(super) fn set(&mut self, images: impl Iterator<Item = u64>) {
        let mut all = [0u64; 64];
        let mut bits = 0;
        for image in images.take(64) {
            all[bits] = image;
            bits += 1;
        }
        let short = bits <= 32;
        let tables = if short && self.short { 4 } else { 8 };
        self.short = short;
        for (table, images) in self.tables.iter_mut().zip(all.chunks_exact(8)).take(tables) {
            for (bit, image) in images.iter().enumerate() {
                let (done, next) = table.split_at_mut(1 << bit);
                next.iter_mut().zip(done).for_each(|(to, from)| *to = *from | image);
            }
        }
    }

    /// The map that puts the bits of a number on the cells of a set, in order.
    pub(super) fn expand(&mut self, cells: u64) {
        self.set(members(cells).map(|cell| 1 << cell));
    }

    /// The map that takes cells through a symmetry onto the cells of a set, and those to the
    /// bits of a number, in order.
    pub(super) fn compress(&mut self, symmetries: &Symmetries, s: usize, cells: u64) {
        let place = |cell: usize| {
            let image = symmetries.image(1 << cell, s);
            if image & cells == 0 { 0 } else { 1 << (cells & (image - 1)).count_ones() }
        };
        self.set((0..symmetries.cells()).map(place));
    }

    #[inline(always)]
    pub(super) fn apply(&self, set: u64) -> u64 {
        let byte = |b: usize| self.tables[b][(set >> (8 * b)) as u8 as usize];
        let low = byte(0) | byte(1) | byte(2) | byte(3);
        if self.short { low } else { low | byte(4) | byte(5) | byte(6) | byte(7) }
    }
}

/// The least of the sets symmetric to this one, and the symmetry that leads there.
pub(super) fn canonical(symmetries: &Symmetries, cells: u64) -> (u64, usize) {
    let images = (0..symmetries.count()).map(|s| (symmetries.image(cells, s), s));
    images.min().unwrap_or((cells, 0))
}

/// How the numbers of a blob's positions change under the symmetries that leave the blob as
/// it is; none for most blobs.
pub(super) struct Even {
    maps: Vec<Map>,
}

impl Even {
    pub(super) fn new(symmetries: &Symmetries, cells: u64) -> Even {
        let even = (1..symmetries.count()).filter(|s| symmetries.image(cells, *s) == cells);
        let map = |s: usize| {
            let mut map = Map::new();
            let place = |cell: usize| {
                let image = symmetries.image(1 << cell, s);
                1 << (cells & (image - 1)).count_ones()
            };
            map.set(members(cells).map(place));
            map
        };
        Even { maps: even.map(map).collect() }
    }

    /// The least number of the positions symmetric to this one.
    #[inline]
    pub(super) fn least(&self, number: u64) -> u64 {
        self.maps.iter().fold(number, |least, map| least.min(map.apply(number)))
    }

    /// By how many symmetries, the identity included, a position is its own image.
    pub(super) fn fixing(&self, number: u64) -> u64 {
        1 + self.maps.iter().filter(|map| map.apply(number) == number).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::grid::Grid;
    use zermelo_core::rank::{compress, expand};

    #[test]
    fn maps_move_bits_as_single_steps_do() {
        let mut x = 9u64;
        let mut random = || {
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1234_5679);
            x ^ x >> 29
        };
        let mut map = Map::new();
        for (rows, cols) in [(4, 6), (6, 6), (8, 8), (4, 4), (5, 8), (4, 8)] {
            let grid = Grid::new(rows, cols);
            let symmetries = grid.symmetries();
            for s in 0..symmetries.count() {
                let (cells, set) = (random() & grid.full(), random() & grid.full());
                let image = symmetries.image(cells, s);
                map.compress(&symmetries, s, image);
                let subset = set & cells;
                assert_eq!(map.apply(subset), compress(symmetries.image(subset, s), image));
                map.expand(cells);
                let number = compress(subset, cells);
                assert_eq!(map.apply(number), expand(number, cells));
                let even = Even::new(&symmetries, cells & image);
                let number = compress(set & cells & image, cells & image);
                assert!(even.least(number) <= number && even.fixing(number) >= 1);
            }
            let even = Even::new(&symmetries, grid.full());
            assert_eq!(even.fixing(0), symmetries.count() as u64);
            assert_eq!(even.least(1 << (grid.cells() - 1)), 1, "corners are alike");
        }
    }
}
