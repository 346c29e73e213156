//! Moves on a board of up to 64 cells, numbered row by row, as sets of bits.

use zermelo_core::grid::{Grid, KING};

/// The lines of a board.
pub(super) struct Lines {
    cols: u32,
    full: u64,
    /// The first column.
    left: u64,
    /// The last column.
    right: u64,
    /// The cells that are in neither of these columns: discs that a line across or aslant can go through.
    inner: u64,
    /// By cell: the rays from it.
    pub(super) rays: Vec<Rays>,
}

/// The cells in each direction from one cell: four directions with rising numbers, four with falling ones.
#[derive(Clone, Copy)]
pub struct Rays {
    pub(super) cell: u64,
    up: [u64; 4],
    down: [u64; 4],
}

impl Lines {
    pub(super) fn new(grid: Grid) -> Lines {
        let (full, left, right) = (grid.full(), grid.column(0), grid.column(grid.cols - 1));
        let rays = (0..grid.cells()).map(|cell| Rays::new(grid, cell)).collect();
        Lines { cols: grid.cols as u32, full, left, right, inner: full & !(left | right), rays }
    }

    /// The cells where a player can move: those just beyond a row of the other's discs that begins at one of the
    /// player's own (a flood in eight directions).
    #[inline]
    pub(super) fn moves(&self, own: u64, other: u64) -> u64 {
        let (across, down) = (other & self.inner, other);
        let ends = along(own, across, 1)
            | along(own, down, self.cols)
            | along(own, across, self.cols - 1)
            | along(own, across, self.cols + 1);
        ends & self.full & !(own | other)
    }

    /// The cells next to a set, in the set or not.
    pub(super) fn around(&self, set: u64) -> u64 {
        let row = set | (set & !self.left) >> 1 | (set & !self.right) << 1;
        (row | row << self.cols | row >> self.cols) & self.full
    }
}

/// The cells just beyond rows of `through` that begin next to `own`, both ways along a step.
#[inline]
fn along(own: u64, through: u64, step: u32) -> u64 {
    let (mut up, mut down) = (through & own << step, through & own >> step);
    up |= through & up << step;
    down |= through & down >> step;
    // From here on two steps at a time: at most six discs lie between two cells of a line.
    let (twice_up, twice_down) = (through & through << step, through & through >> step);
    up |= twice_up & up << (2 * step);
    down |= twice_down & down >> (2 * step);
    up |= twice_up & up << (2 * step);
    down |= twice_down & down >> (2 * step);
    up << step | down >> step
}

impl Rays {
    fn new(grid: Grid, cell: usize) -> Rays {
        let [a, b, c, d, e, f, g, h] = KING.map(|step| grid.ray(cell, step, 8));
        Rays { cell: 1 << cell, up: [a, b, c, d], down: [e, f, g, h] }
    }

    /// The discs that a move here turns over; none when the move is not legal.
    #[inline]
    pub(super) fn flips(&self, own: u64, other: u64) -> u64 {
        let mut flips = 0;
        for ray in self.up {
            // The first cell that is not the other's. The row ends there, with an own disc or not.
            let rest = ray & !other;
            let end = rest & rest.wrapping_neg();
            let closed = 0u64.wrapping_sub(u64::from(end & own != 0));
            flips |= ray & end.wrapping_sub(1) & closed;
        }
        for ray in self.down {
            let rest = ray & !other;
            let end = (1u64 << 63).checked_shr(rest.leading_zeros()).unwrap_or(0);
            let closed = 0u64.wrapping_sub(u64::from(end & own != 0));
            flips |= ray & !(end | end.wrapping_sub(1)) & closed;
        }
        flips
    }
}
