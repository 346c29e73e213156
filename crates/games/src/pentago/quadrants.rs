//! The board as four quadrants of nine cells: packing, lines, and quarter turns.
//!
//! Quadrants are numbered 0 lower left, 1 upper left, 2 lower right, 3 upper right, and a cell of
//! one is `3 * x + y` with `y` upwards: the layout of Irving's database. A set of cells has 16
//! bits a quadrant, of which nine are used.

use zermelo_core::{Pair, Turn};

/// The cells of one quadrant.
pub(super) const QUADRANT: u64 = 0x1ff;
/// Every cell.
pub(super) const ALL: u64 = QUADRANT | QUADRANT << 16 | QUADRANT << 32 | QUADRANT << 48;
/// Cells on the board.
pub(super) const CELLS: usize = 36;

/// The bit of the cell at `x` to the right and `y` up.
pub(super) const fn bit(x: usize, y: usize) -> u64 {
    1 << (16 * (2 * (x / 3) + y / 3) + 3 * (x % 3) + y % 3)
}

/// The 32 ways to have five in a row.
pub(super) static LINES: [u64; 32] = {
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
pub(super) fn has_five(side: u64) -> bool {
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

/// A set with one quadrant turned left by so many quarters.
#[inline]
pub(super) fn turn(set: u64, quadrant: usize, quarters: usize) -> u64 {
    let at = 16 * quadrant;
    let mut cells = set >> at & QUADRANT;
    for _ in 0..quarters % 4 {
        cells = u64::from(LEFT[cells as usize]);
    }
    set & !(QUADRANT << at) | cells << at
}

/// By nine cells: the number with the digit 1 in base three for each of them.
static ONES: [u16; 512] = {
    let mut table = [0; 512];
    let mut cells = 0;
    while cells < 512 {
        let mut cell = 9;
        while cell > 0 {
            cell -= 1;
            table[cells] = 3 * table[cells] + (cells >> cell & 1) as u16;
        }
        cells += 1;
    }
    table
};

/// The name of a board in the published data: nine digits in base three a quadrant, 1 for black
/// and 2 for white.
#[inline]
pub(super) fn pack(black: u64, white: u64) -> u64 {
    let ones = |side: u64, q: usize| u64::from(ONES[(side >> (16 * q) & QUADRANT) as usize]);
    (0..4).map(|q| (ones(black, q) + 2 * ones(white, q)) << (16 * q)).sum()
}

/// The inverse of [`pack`]: black's cells and white's; `None` for a number that is no board.
pub(super) fn unpack(board: u64) -> Option<(u64, u64)> {
    let (mut black, mut white) = (0, 0);
    for q in 0..4 {
        let mut digits = board >> (16 * q) & 0xffff;
        for c in 0..9 {
            match digits % 3 {
                1 => black |= 1 << (16 * q + c),
                2 => white |= 1 << (16 * q + c),
                _ => {}
            }
            digits /= 3;
        }
        if digits > 0 {
            return None;
        }
    }
    Some((black, white))
}

/// Who is to move: black has as many stones as white then, or one more.
pub(super) fn turn_of(p: Pair) -> Turn {
    if (p.own | p.other).count_ones().is_multiple_of(2) { Turn::First } else { Turn::Second }
}

/// The board's name.
pub(super) fn board_of(p: Pair) -> u64 {
    let [black, white] = p.by_player(turn_of(p));
    pack(black, white)
}

/// The position of a board, by its name.
pub(super) fn stones_of(board: u64) -> Option<Pair> {
    let (black, white) = unpack(board)?;
    Some(by_turn(black, white))
}

/// As the player to move sees it.
pub(super) fn by_turn(black: u64, white: u64) -> Pair {
    let blacks = (black | white).count_ones().is_multiple_of(2);
    if blacks { Pair { own: black, other: white } } else { Pair { own: white, other: black } }
}
