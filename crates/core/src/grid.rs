//! Rectangular boards of up to 64 cells, with their lines, symmetries, text and picture.
//!
//! Cells are numbered row by row from the top left, and sets of cells are bits.

mod text;

use std::sync::{Arc, OnceLock};

pub use text::{read_set, show_set};

use crate::rank::{CHOOSE, Orbits, all_cells, members, set_of};
use crate::{Board, Complaint, Options, Pair, Turn};

/// A board of `rows` by `cols`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
}

impl Grid {
    /// A board; it must have at most 64 cells.
    pub fn new(rows: usize, cols: usize) -> Grid {
        assert!(rows * cols <= 64, "a grid holds at most 64 cells");
        Grid { rows, cols }
    }

    /// The board of a variant, with options `rows` and `cols`.
    pub fn of(options: &Options) -> Grid {
        Grid::new(options.get("rows"), options.get("cols"))
    }

    /// The number of cells.
    pub fn cells(self) -> usize {
        self.rows * self.cols
    }

    /// Every cell, as a set.
    pub fn full(self) -> u64 {
        all_cells(self.cells())
    }

    /// The cells of a row, counted from the top.
    pub fn row(self, row: usize) -> u64 {
        all_cells(self.cols) << (row * self.cols)
    }

    /// The cells of a column, counted from the left.
    pub fn column(self, column: usize) -> u64 {
        set_of((0..self.rows).map(|row| row * self.cols + column))
    }

    /// The cells that neither player has.
    #[inline]
    pub fn empty(self, p: Pair) -> u64 {
        self.full() & !p.both()
    }

    /// The cells from `cell` on in a direction, `down` rows and `right` columns a step, for `steps` steps or as far
    /// as the board goes. The cell itself is not among them.
    pub fn ray(self, cell: usize, (down, right): (i32, i32), steps: i32) -> u64 {
        let place = |n: i32| ((cell / self.cols) as i32 + n * down, (cell % self.cols) as i32 + n * right);
        let inside =
            |(r, c): &(i32, i32)| (0..self.rows as i32).contains(r) && (0..self.cols as i32).contains(c);
        let cells = (1..=steps).map(place).take_while(inside);
        set_of(cells.map(|(r, c)| r as usize * self.cols + c as usize))
    }

    /// The cells a king's move away.
    pub fn around(self, cell: usize) -> u64 {
        KING.iter().fold(0, |set, step| set | self.ray(cell, *step, 1))
    }

    /// The straight lines of `k` cells.
    pub fn lines(self, k: usize) -> Lines {
        let mut ways = vec![];
        for (dr, dc) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            let rest = |cell: usize| self.ray(cell, (dr, dc), k as i32 - 1).count_ones() as usize;
            let starts = set_of((0..self.cells()).filter(|cell| rest(*cell) == k - 1));
            if starts != 0 {
                ways.push(Way { step: (dr * self.cols as i32 + dc) as u32, starts });
            }
        }
        let mut lines = Lines { k: k as u32, ways, table: vec![] };
        lines.table = lines.tabled(self.cells());
        lines
    }

    /// The lines of a variant; a length that does not fit the board is refused. The refusal names `least` as the
    /// least length to give.
    pub fn lines_that_fit(self, k: usize, least: usize) -> Result<Lines, Complaint> {
        let (rows, cols, most) = (self.rows, self.cols, self.rows.max(self.cols));
        let misfit = format!("line={k} does not fit a {rows}x{cols} board: give line={least} to {most}");
        if k > most { Err(Complaint::new(misfit)) } else { Ok(self.lines(k)) }
    }

    /// The rotations and reflections that take the board to itself.
    pub fn symmetries(self) -> Symmetries {
        self.first_symmetries(if self.rows == self.cols { 8 } else { 4 })
    }

    /// The symmetries that take rows to rows: for games in which across differs from down.
    pub fn flips(self) -> Symmetries {
        self.first_symmetries(4)
    }

    /// The identity and the exchange of left and right: for games in which men fall.
    pub fn mirror(self) -> Symmetries {
        self.first_symmetries(2)
    }

    fn first_symmetries(self, count: usize) -> Symmetries {
        let (h, w) = (self.rows, self.cols);
        // Bit 0 flips left and right, bit 1 top and bottom, bit 2 swaps rows and columns.
        let moved = |s: usize, cell: usize| {
            let (r, c) = (cell / w, cell % w);
            let (r, c) = (if s & 2 == 0 { r } else { h - 1 - r }, if s & 1 == 0 { c } else { w - 1 - c });
            if s & 4 == 0 { r * w + c } else { c * w + r }
        };
        let map = |s: usize| (0..h * w).map(|cell| moved(s, cell)).collect();
        Symmetries::new(h * w, &(0..count).map(map).collect::<Vec<Vec<usize>>>())
    }

    /// The name of a cell: its column as a letter, its row counted from below, like `b3`.
    pub fn name(self, cell: usize) -> String {
        format!("{}{}", (b'a' + (cell % self.cols) as u8) as char, self.rows - cell / self.cols)
    }

    /// The name of a cell with its row counted from above.
    pub fn name_from_above(self, cell: usize) -> String {
        format!("{}{}", (b'a' + (cell % self.cols) as u8) as char, cell / self.cols + 1)
    }

    /// The board as a picture.
    pub fn board(self) -> Board {
        Board::tiles(self.cols, (0..self.cells()).map(|cell| self.name(cell)).collect())
    }
}

/// The steps of a king, as rows down and columns to the right. Steps to cells with higher numbers come first.
pub const KING: [(i32, i32); 8] = [(0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1)];

/// The steps of a rook.
pub const STRAIGHT: [(i32, i32); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];

/// Refuses a position that cannot arise when players place stones in turn until one has a line. `last` are the stones
/// of the other player that may have been placed last.
pub fn placed_in_turn(
    text: &str,
    (turn, Pair { own, other }): (Turn, Pair),
    last: u64,
    has_line: impl Fn(u64) -> bool,
) -> Result<(), Complaint> {
    let impossible = |why: &str| Err(Complaint::position(text, why));
    let extra = other.count_ones() as i32 - own.count_ones() as i32;
    if extra != i32::from(turn == Turn::Second) {
        return impossible(
            "x begins, so there are as many x as o when 1 is to move and one x more when 2 is",
        );
    }
    if has_line(own) {
        return impossible("the player to move already has a line, so the game was over before");
    }
    if has_line(other) && !members(last & other).any(|cell| !has_line(other & !(1 << cell))) {
        return impossible("its lines cannot have been completed by one move");
    }
    Ok(())
}

/// All straight lines of a length. They are found by shifting a whole set at once, or by a look at a table where the
/// board is small.
#[derive(Clone, Debug)]
pub struct Lines {
    k: u32,
    ways: Vec<Way>,
    /// One bit for every set of cells: whether the set holds a line. Empty for boards of more than 20 cells (128 kB).
    table: Vec<u64>,
}

/// One direction of lines: the step from a cell to the next, and the cells where a line can begin.
#[derive(Clone, Copy, Debug)]
struct Way {
    step: u32,
    starts: u64,
}

impl Lines {
    /// The number of cells of a line.
    pub fn length(&self) -> u32 {
        self.k
    }

    /// Whether a set holds a whole line.
    #[inline]
    pub fn within(&self, set: u64) -> bool {
        match self.table.get((set >> 6) as usize) {
            Some(word) => word >> (set & 63) & 1 != 0,
            None => self.within_by_shifting(set),
        }
    }

    #[inline]
    fn within_by_shifting(&self, set: u64) -> bool {
        if set.count_ones() < self.k {
            return false;
        }
        self.ways.iter().any(|way| {
            // After `have` steps a bit stands for a run of `have` cells; double until k.
            let (mut run, mut have) = (set, 1);
            while have < self.k {
                let more = have.min(self.k - have);
                run &= run >> (more * way.step);
                have += more;
            }
            run & way.starts != 0
        })
    }

    /// The table, 64 sets a word: the sets of a word share all cells but the first six.
    fn tabled(&self, cells: usize) -> Vec<u64> {
        if cells > 20 {
            return vec![];
        }
        let mut table = vec![0; 1 << cells.saturating_sub(6)];
        for line in self.sets() {
            let low = line & 63;
            let pattern = (0..64u64).filter(|set| set & low == low).fold(0, |word, set| word | 1u64 << set);
            let high = line >> 6;
            let words = table.iter_mut().zip(0u64..).filter(|(_, set)| set & high == high);
            words.for_each(|(word, _)| *word |= pattern);
        }
        table
    }

    /// Every line as a set of cells.
    pub fn sets(&self) -> Vec<u64> {
        let line = |way: &Way, start: u32| (0..self.k).fold(0, |set, i| set | 1u64 << (start + i * way.step));
        let of = |way: &Way| members(way.starts).map(|start| line(way, start as u32)).collect::<Vec<_>>();
        self.ways.iter().flat_map(of).collect()
    }
}

/// A group of symmetries, as tables that move eight cells at a time; the first is the identity.
#[derive(Debug)]
pub struct Symmetries {
    cells: usize,
    bytes: usize,
    maps: Vec<Vec<usize>>,
    inverse: Vec<usize>,
    tables: Vec<[u64; 256]>,
    /// The orbits of sets by size, each made when first wanted and shared by all tiers.
    orbits: Vec<OnceLock<Arc<Orbits>>>,
    /// The numbers of orbits by size, each worked out when first wanted.
    counts: Vec<OnceLock<u64>>,
}

impl Symmetries {
    /// The most symmetries that a board may have.
    pub const MOST: usize = 64;

    /// Makes the group from maps: `maps[s][cell]` is where symmetry `s` takes `cell`. The maps must form a group of
    /// at most 64, the identity first.
    pub fn new(cells: usize, maps: &[Vec<usize>]) -> Symmetries {
        assert!(maps.len() <= Symmetries::MOST, "at most 64 symmetries");
        let bytes = cells.div_ceil(8);
        let mut tables = vec![];
        for map in maps {
            for b in 0..bytes {
                let mut table = [0u64; 256];
                for v in 1..256usize {
                    let low = v.trailing_zeros() as usize;
                    let image = map.get(8 * b + low).map_or(0, |to| 1 << to);
                    table[v] = table[v & (v - 1)] | image;
                }
                tables.push(table);
            }
        }
        let undoes = |map: &[usize], other: &[usize]| (0..cells).all(|cell| other[map[cell]] == cell);
        let inverse = maps.iter().map(|m| maps.iter().position(|o| undoes(m, o)).expect("a group")).collect();
        let orbits = (0..=cells).map(|_| OnceLock::new()).collect();
        let counts = (0..=cells).map(|_| OnceLock::new()).collect();
        Symmetries { cells, bytes, maps: maps.to_vec(), inverse, tables, orbits, counts }
    }

    /// The bytes that the tables of the sets of `k` cells up to symmetry take when they are made; `u64::MAX` where no
    /// machine can hold them.
    pub fn bytes_of(&self, k: usize) -> u64 {
        Orbits::bytes(self, k)
    }

    /// The sets of `k` cells up to symmetry.
    pub(crate) fn orbits(&self, k: usize) -> Arc<Orbits> {
        self.orbits[k].get_or_init(|| Arc::new(Orbits::new(self, k))).clone()
    }

    /// The group of the identity and the reversal of all cells: a row read from behind, a board turned by half a
    /// turn.
    pub fn reversal(cells: usize) -> Symmetries {
        Symmetries::new(cells, &[(0..cells).collect(), (0..cells).rev().collect()])
    }

    /// The number of cells of the board.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The number of symmetries, the identity included.
    pub fn count(&self) -> usize {
        self.maps.len()
    }

    /// The inverse of a symmetry.
    pub fn inverse(&self, s: usize) -> usize {
        self.inverse[s]
    }

    /// The image of a set of cells under a symmetry.
    #[inline]
    pub fn image(&self, set: u64, s: usize) -> u64 {
        let tables = &self.tables[s * self.bytes..(s + 1) * self.bytes];
        tables.iter().enumerate().fold(0, |out, (b, table)| out | table[(set >> (8 * b)) as u8 as usize])
    }

    /// The least image of a pair of sets.
    #[inline]
    pub fn least(&self, first: u64, second: u64) -> (u64, u64) {
        let image = |s| (self.image(first, s), self.image(second, s));
        (0..self.count()).map(image).min().unwrap_or((first, second))
    }

    /// The number of different images of a pair of sets, itself included.
    pub fn images(&self, first: u64, second: u64) -> u64 {
        let same = |s: &usize| self.image(first, *s) == first && self.image(second, *s) == second;
        (self.count() / (0..self.count()).filter(same).count().max(1)) as u64
    }

    /// The [`image`](Symmetries::image) of a set on a board of `8 * BYTES` cells or fewer, without a loop.
    #[inline]
    pub(crate) fn image_within<const BYTES: usize>(&self, set: u64, s: usize) -> u64 {
        let tables = &self.tables[s * self.bytes..(s + 1) * self.bytes];
        match tables.first_chunk::<BYTES>() {
            Some(tables) => (0..BYTES).fold(0, |out, b| out | tables[b][(set >> (8 * b)) as u8 as usize]),
            None => self.image(set, s),
        }
    }

    /// The number of sets of `k` cells up to symmetry: the mean number of sets that a symmetry leaves as they are
    /// (Burnside's lemma). For each symmetry these sets are counted from its cycles.
    pub fn orbits_of_sets(&self, k: usize) -> u64 {
        *self.counts[k].get_or_init(|| self.count_orbits(k))
    }

    fn count_orbits(&self, k: usize) -> u64 {
        let fixed = |map: &Vec<usize>| -> u128 {
            // ways[j]: unions of cycles with j cells.
            let mut ways = vec![0u128; self.cells + 1];
            ways[0] = 1;
            for length in cycles(map) {
                for j in (length..=self.cells).rev() {
                    ways[j] += ways[j - length];
                }
            }
            ways[k]
        };
        debug_assert!(k <= self.cells && CHOOSE[self.cells][k] > 0);
        let total: u128 = self.maps.iter().map(fixed).sum();
        u64::try_from(total / self.count() as u128).unwrap_or(u64::MAX)
    }
}

fn cycles(map: &[usize]) -> Vec<usize> {
    let mut seen = vec![false; map.len()];
    let mut lengths = vec![];
    for start in 0..map.len() {
        let (mut at, mut length) = (start, 0);
        while !seen[at] {
            seen[at] = true;
            at = map[at];
            length += 1;
        }
        if length > 0 {
            lengths.push(length);
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_by_shifting_are_the_lines_by_listing() {
        for (rows, cols, k, want) in
            [(3, 3, 3, 8), (4, 4, 4, 10), (3, 6, 4, 9), (2, 2, 2, 6), (8, 8, 5, 96), (3, 3, 1, 36)]
        {
            let lines = Grid::new(rows, cols).lines(k);
            let sets = lines.sets();
            assert_eq!(sets.len(), want, "{rows}x{cols}, {k}");
            let mut x = 1u64;
            for _ in 0..3000 {
                x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1234_5679);
                let set = (x ^ x >> 29) & (x.rotate_left(17) | x << 3) & Grid::new(rows, cols).full();
                let want = sets.iter().any(|l| set & l == *l);
                assert_eq!((lines.within(set), lines.within_by_shifting(set)), (want, want));
            }
        }
    }

    #[test]
    fn symmetries_are_a_group() {
        for (rows, cols, count) in [(3, 3, 8), (4, 4, 8), (2, 5, 4), (8, 8, 8), (1, 4, 4)] {
            let grid = Grid::new(rows, cols);
            let symmetries = grid.symmetries();
            assert_eq!(symmetries.count(), count);
            for s in 0..count {
                for cell in 0..grid.cells() {
                    let image = symmetries.image(1 << cell, s);
                    assert_eq!(symmetries.image(image, symmetries.inverse(s)), 1 << cell);
                }
            }
            let subsets_of_two = symmetries.orbits_of_sets(2);
            let mut chosen = std::collections::HashSet::new();
            for a in 0..grid.cells() {
                for b in 0..a {
                    chosen.insert((0..count).map(|s| symmetries.image(1 << a | 1 << b, s)).min());
                }
            }
            assert_eq!(subsets_of_two, chosen.len() as u64);
        }
    }
}
