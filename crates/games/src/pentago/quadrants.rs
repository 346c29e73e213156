//! Converts between positions and the names of boards in the published data, and finds who is to move.

use zermelo_core::sections::quadrants::QUADRANT;
use zermelo_core::sections::{sides, split};
use zermelo_core::{Pair, Turn};

/// By set of nine cells: the number with the digit 1 in base three for each cell of the set.
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
    for (q, quadrant) in split(board).into_iter().enumerate() {
        let sides = sides(quadrant)?;
        black |= sides[0] << (16 * q);
        white |= sides[1] << (16 * q);
    }
    Some((black, white))
}

/// The player to move. Black is to move when the numbers of stones are equal, White when black has one more.
pub(super) fn turn_of(p: Pair) -> Turn {
    if p.count().is_multiple_of(2) { Turn::First } else { Turn::Second }
}

/// The name of a position's board.
pub(super) fn board_of(p: Pair) -> u64 {
    let [black, white] = p.by_player(turn_of(p));
    pack(black, white)
}

/// The position of the board with a name.
pub(super) fn stones_of(board: u64) -> Option<Pair> {
    let (black, white) = unpack(board)?;
    Some(by_turn(black, white))
}

/// The position as the player to move sees it.
pub(super) fn by_turn(black: u64, white: u64) -> Pair {
    let p = Pair { own: black, other: white };
    if turn_of(p) == Turn::First { p } else { p.swapped() }
}
