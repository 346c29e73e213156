//! The cells of a Quarto board: its lines, its symmetries, and sets of cells up to these.

use zermelo_core::grid::Grid;
use zermelo_core::rank::members;

/// A square board.
pub(super) struct Cells {
    /// The rows, columns and two diagonals, each as its cells.
    pub(super) lines: Vec<Vec<usize>>,
    /// For each symmetry, which cell comes to lie on a cell.
    pub(super) sources: Vec<Vec<usize>>,
    /// For each symmetry, where it takes each set.
    images: Vec<Vec<u16>>,
    /// By size: the set that stands for each kind of set.
    pub(super) sets: Vec<Vec<u16>>,
    /// By set: the place of its kind in `sets`.
    kinds: Vec<u32>,
    /// By set: the symmetries that take it to the set that stands for its kind, as bits.
    to_standard: Vec<u32>,
}

/// Every order of rows that leaves opposite rows opposite.
fn orders(rows: usize) -> Vec<Vec<usize>> {
    let digits = |n: usize| (0..rows).rev().map(|d| n / rows.pow(d as u32) % rows).collect::<Vec<_>>();
    let keeps = |o: &Vec<usize>| (0..rows).all(|r| o.contains(&r) && o[r] + o[rows - 1 - r] == rows - 1);
    (0..rows.pow(rows as u32)).map(digits).filter(keeps).collect()
}

/// The maps of cells that take lines to lines. Rows and columns go the same way or opposite ways, and may be swapped.
/// The identity comes first.
fn maps(rows: usize) -> Vec<Vec<usize>> {
    let mut maps = vec![];
    for order in orders(rows) {
        for (across, swap) in [(false, false), (true, false), (false, true), (true, true)] {
            let moved = |cell: usize| {
                let (r, c) = (order[cell / rows], order[cell % rows]);
                let c = if across { rows - 1 - c } else { c };
                if swap { c * rows + r } else { r * rows + c }
            };
            maps.push((0..rows * rows).map(moved).collect());
        }
    }
    maps
}

impl Cells {
    /// Makes the board. Sets have all cells of `fixed`, and if `fixed` is not empty, symmetries are left out.
    pub(super) fn new(rows: usize, fixed: u16) -> Cells {
        let cells = rows * rows;
        let mut maps = maps(rows);
        maps.truncate(if fixed == 0 { maps.len() } else { 1 });
        let image = |map: &Vec<usize>| {
            let mut images = vec![0u16; 1 << cells];
            (1..1usize << cells).for_each(|set| {
                images[set] = images[set & (set - 1)] | 1 << map[set.trailing_zeros() as usize]
            });
            images
        };
        let images: Vec<Vec<u16>> = maps.iter().map(image).collect();
        let (mut sets, mut kinds, mut to_standard) =
            (vec![vec![]; cells + 1], vec![0; 1 << cells], vec![0; 1 << cells]);
        for set in (0..1usize << cells).filter(|set| *set as u16 & fixed == fixed) {
            let list: &mut Vec<u16> = &mut sets[set.count_ones() as usize];
            let least = images.iter().map(|image| image[set]).min().unwrap_or(0);
            let standard = |(s, image): (usize, &Vec<u16>)| u32::from(image[set] == least) << s;
            to_standard[set] = images.iter().enumerate().map(standard).sum();
            // The least set of its kind was seen before, unless this set is the least.
            if usize::from(least) == set {
                kinds[set] = list.len() as u32;
                list.push(least);
            } else {
                kinds[set] = kinds[usize::from(least)];
            }
        }
        let source = |map: &Vec<usize>| {
            let mut source = vec![0; cells];
            map.iter().enumerate().for_each(|(from, to)| source[*to] = from);
            source
        };
        let lines = Grid::new(rows, rows).lines(rows).sets();
        let lines = lines.into_iter().map(|line| members(line).collect()).collect();
        Cells { lines, sources: maps.iter().map(source).collect(), images, sets, kinds, to_standard }
    }

    /// The number of symmetries.
    pub(super) fn symmetries(&self) -> usize {
        self.images.len()
    }

    /// The number of kinds of sets of a size.
    pub(super) fn kinds(&self, size: usize) -> u64 {
        self.sets[size].len() as u64
    }

    /// The kind of a set among those of its size, and the set that stands for it.
    pub(super) fn kind(&self, set: u16) -> (u64, u16) {
        let kind = self.kinds[usize::from(set)];
        (kind.into(), self.sets[set.count_ones() as usize][kind as usize])
    }

    /// The symmetries that take a set to the one that stands for its kind.
    pub(super) fn to_standard(&self, set: u16) -> impl Iterator<Item = usize> {
        members(self.to_standard[usize::from(set)].into())
    }

    /// The symmetries that take a set to itself.
    pub(super) fn fixing(&self, set: u16) -> impl Iterator<Item = usize> + '_ {
        (0..self.symmetries()).filter(move |s| self.images[*s][usize::from(set)] == set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_take_lines_to_lines() {
        for (rows, count) in [(2, 8), (3, 8), (4, 32)] {
            let cells = Cells::new(rows, 0);
            assert_eq!(cells.symmetries(), count);
            let line = |line: &Vec<usize>| line.iter().map(|c| 1u16 << c).sum::<u16>();
            let lines: Vec<u16> = cells.lines.iter().map(line).collect();
            assert_eq!(lines.len(), 2 * rows + 2);
            for images in &cells.images {
                assert!(lines.iter().all(|line| lines.contains(&images[usize::from(*line)])));
            }
            let all: std::collections::HashSet<_> = cells.images.iter().collect();
            assert_eq!(all.len(), count, "all different");
        }
    }
}
