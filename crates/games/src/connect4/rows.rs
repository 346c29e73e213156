//! Tells from rows of cells who can still win, on boards with an even number of rows.
//!
//! Rows are counted from 1 at the bottom. The first player is to move when the number of stones is even; then the number
//! of columns with an odd number of stones is even.
//!
//! **Claim 1.** The second player has a way to play by which every stone that the first player still places lies in an
//! odd row or on a cell that can be reached now.
//!
//! **Proof.** The second player answers a stone in an odd row with the cell above it, and a stone in an even row with a
//! stone in another column that has an odd number of stones. There is one: before the first player's move the number of
//! such columns was even, and the move was made in one of them. Where the second player is to move now, the number of
//! such columns is odd, and the second player begins in one of them.
//!
//! Whenever the first player is to move, a column that has been played in has an even number of stones, so its next cell
//! is in an odd row. In any other column the next cell can be reached now. ∎
//!
//! So where the first player has no line in the own stones, the empty cells of odd rows and the cells that can be
//! reached now, the first player cannot win. Where the second player in that case has a line in the own stones and the
//! other empty cells of even rows, the second player wins: the board fills up, and these cells become the second
//! player's.
//!
//! **Claim 2.** Let the second player be to move, and let an empty cell `x` in an odd row complete a line of the first
//! player. Let the column of `x` have an odd number of stones. The first player has a way to play by which the second
//! player gets no cells but odd rows of other columns, cells of other columns that can be reached now, and even rows
//! below `x`; and the first player gets `x` unless the game is over before.
//!
//! **Proof.** In the column of `x` the first player answers with the cell above, in an odd row: at last this is `x`. Of
//! the other columns an even number have an odd number of stones, and there the first player answers as the second
//! player does in claim 1. The first player only ever answers, and the second player cannot pass, so the second player
//! plays below `x` when the other columns are full, or before. ∎
//!
//! So where the second player has no line in those cells and the own stones, the first player wins, at the latest when
//! the other columns are full and a stone lies on `x`.

use super::Connect4;
use super::lines::Lines;
use super::search::Node;
use super::table::Bounds;

/// The cells of odd and of even rows of a board with an even number of rows.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    odd: u64,
    even: u64,
    rows: u32,
}

impl Rows {
    /// The rows of a board; `None` where their number is odd.
    pub(super) fn of(game: &Connect4) -> Option<Rows> {
        let rows = game.grid.rows as u32;
        let odd = (0..rows).step_by(2).fold(0, |set, row| set | game.bottom << row);
        rows.is_multiple_of(2).then_some(Rows { odd, even: game.full ^ odd, rows })
    }

    /// The bounds of a score, tightened where the rows answer whether it is at least `bar`.
    #[inline]
    pub(super) fn tighten<const LINE: usize>(
        &self,
        lines: &Lines<LINE>,
        node: &Node,
        bounds: Bounds,
        bar: i32,
    ) -> Bounds {
        let empty = lines.full & !node.all;
        let now = lines.landings(node.all);
        let first_moves = node.all.count_ones().is_multiple_of(2);
        let first = if first_moves { node.own } else { node.all ^ node.own };
        let second = node.all ^ first;
        let first_hopes = || lines.has_line(first | empty & self.odd | now);
        let second_wins = || lines.has_line(second | empty & self.even & !now);
        match (first_moves, bar) {
            (true, 1..) if !first_hopes() => Bounds { high: bounds.high.min(0), ..bounds },
            (true, 0) if !first_hopes() && second_wins() => Bounds { high: bounds.high.min(-1), ..bounds },
            (false, ..=0) if !first_hopes() => Bounds { low: bounds.low.max(0), ..bounds },
            (false, 1) if !first_hopes() && second_wins() => Bounds { low: bounds.low.max(1), ..bounds },
            (false, _) => self.threatened(lines, node, bounds, bar),
            _ => bounds,
        }
    }

    /// The bounds, tightened where a threat of the first player wins for certain and the second player is to move.
    #[inline]
    fn threatened<const LINE: usize>(
        &self,
        lines: &Lines<LINE>,
        node: &Node,
        bounds: Bounds,
        bar: i32,
    ) -> Bounds {
        let (empty, now) = (lines.full & !node.all, lines.landings(node.all));
        let mut threats = node.threats & self.odd;
        while threats != 0 {
            let x = threats & threats.wrapping_neg();
            threats ^= x;
            let (column, row) = (x.trailing_zeros() / lines.height, x.trailing_zeros() % lines.height);
            let column = ((1 << self.rows) - 1) << (column * lines.height);
            // The game ends with the stone on `x` or before; the cells above `x` stay empty.
            let above = (self.rows - 1 - row) as i32;
            let high = -((2 + above) / 2);
            if now & column & self.even == 0 || high >= bar {
                continue;
            }
            let below = empty & column & self.even & (x - 1);
            if !lines.has_line(node.own | empty & !column & (self.odd | now) | below) {
                return Bounds { high: bounds.high.min(high), ..bounds };
            }
        }
        bounds
    }
}
