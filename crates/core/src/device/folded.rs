//! The numbering of two sets of cells on a device: the tables of [`FoldedPair`] and [`Halves`] as they are, and what
//! takes sets apart and numbers them.

use std::sync::Arc;

use super::{DeviceTable, Slot};
use crate::Halves;
use crate::rank::{CHOOSE, FoldedPair, Orbits, all_cells, next_set};

/// Cells that one table of colex numbers covers.
const PART: usize = 13;

/// The headers for games on a grid whose positions are two sets of cells: sets, lines and symmetries of the grid, and
/// the numbering of pairs of sets. They take the constants `ROWS` and `COLS`.
pub fn folded_header() -> String {
    [include_str!("grid.cuh"), include_str!("folded.cuh")].concat()
}

impl Halves {
    /// The numbering as the header of [`folded_header`] has it.
    pub fn slots(&self) -> Vec<Slot> {
        let (first, second) = self.pairs();
        let second_or_first = second.unwrap_or(first);
        let cells = first.cells();
        let mut slots = half(first, 0);
        slots.extend(half(second_or_first, first.size()));
        slots.extend([Slot::Number(1 + u64::from(second.is_some())), colex(cells)]);
        slots
    }
}

/// The fields of one half, whose numbers begin at `base`.
fn half(pair: &FoldedPair, base: u64) -> Vec<Slot> {
    let (cells, sizes, ways) = (pair.cells(), pair.set_sizes(), pair.ways());
    let key = |what| (what, cells as u64, sizes.0 as u64);
    let (orbits, chosen) = (pair.orbits().clone(), pair.orbits().clone());
    let (of, many) = (orbits.of().len() as u64, orbits.chosen().len() as u64);
    vec![
        DeviceTable::words(key("orbits of sets"), of, move || orbits.of().to_vec()),
        chosen_sets(key("chosen sets"), cells, chosen, many),
        sets(cells, cells - sizes.0, sizes.1, ways),
        Slot::Number(ways),
        Slot::Number(base),
        Slot::Number(sizes.0 as u64 | (sizes.1 as u64) << 32),
        Slot::Number(pair.orbits().name_bits().into()),
    ]
}

/// The canonical sets, eight words each: the set, the symmetries that leave it as it is, and the moves of [`moves`].
fn chosen_sets(name: (&'static str, u64, u64), cells: usize, orbits: Arc<Orbits>, many: u64) -> Slot {
    let all = all_cells(cells);
    let list = move || {
        let words = |(set, fixed): (u64, u64)| [[set, fixed].as_slice(), &moves(all & !set)].concat();
        orbits.chosen().flat_map(words).collect::<Vec<u64>>()
    };
    if cells > 32 {
        DeviceTable::words(name, 8 * many, list)
    } else {
        DeviceTable::words(name, 8 * many, move || list().into_iter().map(|word| word as u32))
    }
}

/// How the cells of a mask are moved together in six steps: in step `n` the cells in the `n`th word move by `2^n`.
///
/// A cell has to move by as many places as there are cells missing below it. The bits of this number are found one
/// after another: `missing` has the cells below which an odd number is missing, counted in steps of `2^n`.
fn moves(mask: u64) -> [u64; 6] {
    let (mut mask, mut gaps) = (mask, !mask << 1);
    std::array::from_fn(|n| {
        let missing = (0..6).fold(gaps, |parity, shift| parity ^ parity << (1 << shift));
        let moved = missing & mask;
        mask = mask ^ moved | moved >> (1 << n);
        gaps &= !missing;
        moved
    })
}

/// All sets of `k` out of `free` cells, in the order of their numbers.
fn sets(cells: usize, free: usize, k: usize, ways: u64) -> Slot {
    let name = ("sets", free as u64, k as u64);
    let list = move || {
        let first = all_cells(k);
        std::iter::successors(Some(first), |set| Some(next_set(*set))).take(ways as usize)
    };
    if cells > 32 {
        DeviceTable::words(name, ways, list)
    } else {
        DeviceTable::words(name, ways, move || list().map(|set| set as u32))
    }
}

/// What each part of a set adds to its number, by the number of elements in the parts below: for part `p` there are
/// `PART * p + 1` rows of `2^PART` numbers.
fn colex(cells: usize) -> Slot {
    let rows = |part: usize| 0..=PART * part;
    let parts = cells.div_ceil(PART).max(1);
    let many = (0..parts).map(|part| rows(part).count() as u64).sum::<u64>() << PART;
    let number = |part: usize, below: usize, set: u64| -> u64 {
        let members = crate::rank::members(set).enumerate();
        members
            .map(|(n, bit)| CHOOSE[(PART * part + bit).min(64)][(below + n + 1).min(64)])
            .fold(0, u64::wrapping_add)
    };
    let list = move || {
        let row = move |(part, below)| (0..1u64 << PART).map(move |set| number(part, below, set));
        (0..parts).flat_map(move |part| rows(part).map(move |below| (part, below))).flat_map(row)
    };
    let name = ("colex numbers", cells as u64, 0);
    if cells > 32 {
        DeviceTable::words(name, many, list)
    } else {
        DeviceTable::words(name, many, move || list().map(|n| n as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::compress;

    #[test]
    fn six_steps_move_cells_together() {
        let mut x = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..2_000 {
            let (mask, set) = (x ^ x >> 7, x.rotate_left(29).wrapping_mul(5) & (x ^ x >> 7));
            let steps = moves(mask).into_iter().enumerate();
            let moved = steps.fold(set, |set, (n, moves)| set & !moves | (set & moves) >> (1 << n));
            assert_eq!(moved, compress(set, mask));
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(99);
        }
    }
}
