//! The board as four quadrants of nine cells, with lines and quarter turns.
//!
//! Quadrants are numbered 0 lower left, 1 upper left, 2 lower right, 3 upper right. A cell of a quadrant is `3 * x +
//! y` with `y` upwards: the layout of Irving's database. A set of cells has 16 bits a quadrant, of which nine are
//! used.

use crate::{Face, Pair, Tiers};

/// A game of stones on a board of four quadrants that turn.
#[diagnostic::on_unimplemented(
    message = "the engine `rotations` does not know `{Self}` as a game on quadrants that turn",
    note = "implement `zermelo_core::sections::quadrants::Rotating`, or pair the game with the engine `sweep`"
)]
pub trait Rotating: Tiers<Position = Pair> + Face {
    /// The bit of the cell of a move, and the turn, if there is one: by quadrant, right then left.
    fn parts(m: Self::Move) -> (u64, Option<usize>);
}

/// The cells of one quadrant.
pub const QUADRANT: u64 = 0x1ff;
/// Every cell.
pub const ALL: u64 = QUADRANT | QUADRANT << 16 | QUADRANT << 32 | QUADRANT << 48;
/// The number of cells on the board.
pub const CELLS: usize = 36;

/// The bit of the cell at `x` to the right and `y` up.
pub const fn bit(x: usize, y: usize) -> u64 {
    1 << (16 * (2 * (x / 3) + y / 3) + 3 * (x % 3) + y % 3)
}

/// The 32 ways to have five in a row.
pub static LINES: [u64; 32] = {
    let mut lines = [0; 32];
    let (mut n, mut cell) = (0, 0);
    while cell < CELLS {
        let mut way = 0;
        while way < 4 {
            let (dx, dy) = [(1, 0), (0, 1), (1, 1), (1, -1)][way];
            let (mut line, mut far) = (0, 0);
            while far < 5 {
                let (x, y) = ((cell / 6) as i32 + dx * far, (cell % 6) as i32 + dy * far);
                if x < 0 || x > 5 || y < 0 || y > 5 {
                    break;
                }
                line |= bit(x as usize, y as usize);
                far += 1;
            }
            if far == 5 {
                lines[n] = line;
                n += 1;
            }
            way += 1;
        }
        cell += 1;
    }
    lines
};

/// Whether a side has five in a row.
#[inline]
pub fn has_five(side: u64) -> bool {
    LINES.iter().any(|line| side & line == *line)
}

/// Nine cells turned by a quarter to the left: the cell at (x, y) from the centre goes to (-y, x).
const fn turned_left(cells: u64) -> u64 {
    let (mut out, mut cell) = (0, 0);
    while cell < 9 {
        let (x, y) = (cell / 3, cell % 3);
        out |= (cells >> cell & 1) << (3 * (2 - y) + x);
        cell += 1;
    }
    out
}

/// All sets of nine cells turned left.
static LEFT: [u16; 512] = {
    let mut table = [0; 512];
    let mut cells = 0;
    while cells < 512 {
        table[cells] = turned_left(cells as u64) as u16;
        cells += 1;
    }
    table
};

/// A set with one quadrant turned left by `quarters` quarters.
#[inline]
pub fn turn(set: u64, quadrant: usize, quarters: usize) -> u64 {
    let at = 16 * quadrant;
    let mut cells = set >> at & QUADRANT;
    for _ in 0..quarters % 4 {
        cells = u64::from(LEFT[cells as usize]);
    }
    set & !(QUADRANT << at) | cells << at
}
