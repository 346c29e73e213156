//! Moves on a board of up to 64 cells, numbered row by row, as sets of bits.

use zermelo_core::grid::Grid;

/// The lines of a board.
pub(super) struct Lines {
    cols: u32,
    full: u64,
    /// Cells that are in neither the first nor the last column: discs that a line across or
    /// aslant can go through.
    inner: u64,
    rays: Vec<Rays>,
}

/// The cells in each direction from one cell: four with rising numbers, four with falling ones.
#[derive(Clone, Copy)]
pub struct Rays {
    cell: u64,
    up: [u64; 4],
    down: [u64; 4],
}

impl Lines {
    pub(super) fn new(grid: Grid) -> Lines {
        let inner = (0..grid.cells()).filter(|c| !matches!(c % grid.cols, c if c == 0 || c + 1 == grid.cols));
        Lines {
            cols: grid.cols as u32,
            full: grid.full(),
            inner: inner.fold(0, |set, cell| set | 1 << cell),
            rays: (0..grid.cells()).map(|cell| Rays::new(grid, cell)).collect(),
        }
    }

    pub(super) fn rays(&self, cell: u32) -> Rays {
        self.rays[cell as usize]
    }

    /// The cells where a player can move: those beyond a row of the other's discs that begins
    /// at one of the player's own (a flood in eight directions).
    #[inline]
    pub(super) fn moves(&self, own: u64, other: u64) -> u64 {
        let (across, down) = (other & self.inner, other);
        let ends = along(own, across, 1)
            | along(own, down, self.cols)
            | along(own, across, self.cols - 1)
            | along(own, across, self.cols + 1);
        ends & self.full & !(own | other)
    }

    /// The cells next to a set, in it or not.
    pub(super) fn around(&self, set: u64) -> u64 {
        let (left, right) = self.edges();
        let row = set | (set & !left) >> 1 | (set & !right) << 1;
        (row | row << self.cols | row >> self.cols) & self.full
    }

    /// The first and the last column.
    fn edges(&self) -> (u64, u64) {
        let left = (0..64 / self.cols).fold(0, |set, r| set | 1u64 << (r * self.cols));
        (left, left << (self.cols - 1))
    }
}

/// The cells just beyond rows of `through` that begin next to `own`, both ways along a step.
#[inline]
fn along(own: u64, through: u64, step: u32) -> u64 {
    let (mut up, mut down) = (through & own << step, through & own >> step);
    up |= through & up << step;
    down |= through & down >> step;
    // From here two steps at a time: at most six discs lie between two cells of a line.
    let (twice_up, twice_down) = (through & through << step, through & through >> step);
    up |= twice_up & up << (2 * step);
    down |= twice_down & down >> (2 * step);
    up |= twice_up & up << (2 * step);
    down |= twice_down & down >> (2 * step);
    up << step | down >> step
}

impl Rays {
    fn new(grid: Grid, cell: usize) -> Rays {
        let ray = |dr: i32, dc: i32| {
            let (mut r, mut c) = ((cell / grid.cols) as i32 + dr, (cell % grid.cols) as i32 + dc);
            let mut set = 0;
            while (0..grid.rows as i32).contains(&r) && (0..grid.cols as i32).contains(&c) {
                set |= 1u64 << (r as usize * grid.cols + c as usize);
                (r, c) = (r + dr, c + dc);
            }
            set
        };
        Rays {
            cell: 1 << cell,
            up: [ray(0, 1), ray(1, -1), ray(1, 0), ray(1, 1)],
            down: [ray(0, -1), ray(-1, 1), ray(-1, 0), ray(-1, -1)],
        }
    }

    /// The cell itself.
    #[inline]
    pub(super) fn cell(&self) -> u64 {
        self.cell
    }

    /// The discs that a move here turns over; none when it is no move.
    #[inline]
    pub(super) fn flips(&self, own: u64, other: u64) -> u64 {
        let mut flips = 0;
        for ray in self.up {
            // The first cell that is not the other's: the row ends there, with a disc of one's own or not.
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
