//! Men on a board of four bits a cell, and the cells they can step to.
//!
//! ```text
//! cell    0  1  2     bits of a cell   0     empty
//!         3  4  5                      1..5  chick, elephant, giraffe, hen, lion of the player to move
//!         6  7  8                      +8    the same of the other player
//!         9 10 11     the player to move goes up, to the first row
//! ```
//!
//! A set of cells has the lowest bit of each of its cells, so that sets and boards combine without moving bits. A
//! hand is one number: a chick counts 1, an elephant 3, a giraffe 9, at most two of each.

use zermelo_core::grid::Grid;
use zermelo_core::rank::members;

/// A chick of the player to move.
pub(super) const CHICK: u64 = 1;
pub(super) const ELEPHANT: u64 = 2;
pub(super) const GIRAFFE: u64 = 3;
pub(super) const HEN: u64 = 4;
pub(super) const LION: u64 = 5;
/// Added to a man of the other player.
pub(super) const OTHER: u64 = 8;

/// The worth of a man in a hand, by the four bits of its cell.
pub(super) const WORTH: [u8; 16] = [0, 1, 3, 9, 1, 0, 0, 0, 0, 1, 3, 9, 1, 0, 0, 0];

/// The steps of a man, as rows and columns, the first row being the furthest.
fn steps(man: u64) -> &'static [(i32, i32)] {
    match man {
        CHICK => &[(-1, 0)],
        ELEPHANT => &[(-1, -1), (-1, 1), (1, -1), (1, 1)],
        GIRAFFE => &[(-1, 0), (0, -1), (0, 1), (1, 0)],
        HEN => &[(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, 0)],
        LION => &[(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)],
        _ => &[],
    }
}

/// A position: the board, and the hands of the player to move and of the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DobutsuMen {
    pub(super) board: u64,
    pub(super) hands: [u8; 2],
}

/// Every cell of a board.
const ONES: u64 = 0x1111_1111_1111_1111;

/// The set of one cell.
pub(super) fn one(cell: u32) -> u64 {
    1 << (4 * cell)
}

/// The cells of a set.
#[inline]
pub(super) fn each(set: u64) -> impl Iterator<Item = u32> + Clone {
    members(set).map(|bit| bit as u32 / 4)
}

/// The man on a cell.
#[inline]
pub(super) fn at(board: u64, cell: u32) -> u64 {
    board >> (4 * cell) & 15
}

/// The cells that are not empty.
#[inline]
pub(super) fn occupied(board: u64) -> u64 {
    (board | board >> 1 | board >> 2) & ONES
}

/// The cells of the player to move.
#[inline]
pub(super) fn own(board: u64) -> u64 {
    occupied(board) & !(board >> 3)
}

/// The lions of the player to move and of the other player. Only lions have the bits 1 and 4 both.
#[inline]
pub(super) fn lions(board: u64) -> [u64; 2] {
    let lions = board & board >> 2 & ONES;
    [lions & !(board >> 3), lions & board >> 3]
}

/// The number of men of a kind in a hand.
#[inline]
pub(super) fn held(hand: u8, man: u64) -> u8 {
    hand / WORTH[man as usize] % 3
}

/// A board of three columns and some rows.
pub(super) struct Field {
    pub(super) cells: u32,
    /// By man and cell: the cells that the man can step to.
    reach: [[u64; 16]; 8],
    /// By man and cell: the cells from which the man can step there.
    back: [[u64; 16]; 8],
    /// The row where lions try and chicks become hens.
    pub(super) far: u64,
    /// The last row, which is the far row of the other player.
    pub(super) home: u64,
    /// The first column, the second and the third.
    pub(super) columns: [u64; 3],
    pub(super) all: u64,
}

impl Field {
    pub(super) fn new(rows: u32) -> Field {
        let (grid, cells) = (Grid::new(rows as usize, 3), 3 * rows);
        let set = |has: &dyn Fn(u32) -> bool| (0..cells).filter(|c| has(*c)).fold(0, |set, c| set | one(c));
        let mut field = Field {
            cells,
            reach: [[0; 16]; 8],
            back: [[0; 16]; 8],
            far: set(&|c| c < 3),
            home: set(&|c| c >= cells - 3),
            columns: [0, 1, 2].map(|column| set(&|c| c % 3 == column)),
            all: set(&|_| true),
        };
        for man in CHICK..=LION {
            for from in 0..cells {
                let reach = |step: &(i32, i32)| members(grid.ray(from as usize, *step, 1));
                for to in steps(man).iter().flat_map(reach) {
                    field.reach[man as usize][from as usize] |= one(to as u32);
                    field.back[man as usize][to] |= one(from);
                }
            }
        }
        field
    }

    /// The cells that an own man can step to from a cell.
    #[inline]
    pub(super) fn reach(&self, man: u64, from: u32) -> u64 {
        self.reach[(man & 7) as usize][(from & 15) as usize]
    }

    /// The cells from which an own man can step to a cell.
    #[inline]
    pub(super) fn back(&self, man: u64, to: u32) -> u64 {
        self.back[(man & 7) as usize][(to & 15) as usize]
    }

    /// The own men that can step to a cell of a set.
    #[inline]
    pub(super) fn attackers(&self, board: u64, set: u64) -> u64 {
        let attacks = |cell: u32| u64::from(self.reach(at(board, cell), cell) & set != 0) << (4 * cell);
        each(own(board)).fold(0, |found, cell| found | attacks(cell))
    }

    /// The board as the other player sees it.
    #[inline]
    pub(super) fn turned(&self, board: u64) -> u64 {
        let swapped = board ^ occupied(board) << 3;
        let bytes = swapped.swap_bytes();
        let turned = (bytes & 0x0f0f_0f0f_0f0f_0f0f) << 4 | bytes >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
        turned >> (64 - 4 * self.cells)
    }

    /// The board with left and right exchanged.
    #[inline]
    pub(super) fn mirrored(&self, board: u64) -> u64 {
        let [left, middle, right] = self.columns.map(|column| board & (column * 15));
        left << 8 | middle | right >> 8
    }
}
