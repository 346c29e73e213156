//! Values inside the engine: the ply at which the game ends and who wins then, as a
//! number of few bits that keeps the order of preference.
//!
//! From the first player's side, from worst to best: lost at the second player's first
//! possible winning ply, lost two plies later, ...; tied; ... won two plies after the
//! earliest, won at the earliest. The first player wins on odd plies, the second on even
//! ones. The second player's side is the same upside down.

use zermelo_core::{BoardFiles, Value};

/// The numbering of a board's ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    /// Cells of the board.
    cells: u32,
    /// The first plies at which either player may win.
    earliest: [u32; 2],
    /// Bits of a code.
    pub(crate) planes: usize,
    /// All bits set.
    top: u32,
    /// The code of a tie for the first player.
    tie: u32,
}

impl Ends {
    pub(crate) fn new(layout: &BoardFiles) -> Ends {
        let cells = layout.cells();
        let least = |c: usize| layout.lines[c].iter().map(|l| l.count_ones()).min().unwrap_or(cells + 1);
        let earliest = [2 * least(0) - 1, 2 * least(1)];
        let many = |c: usize| if earliest[c] > cells { 0 } else { (cells - earliest[c]) / 2 + 1 };
        let codes = many(0) + many(1) + 1;
        let planes = codes.next_power_of_two().trailing_zeros().max(1) as usize;
        Ends { cells, earliest, planes, top: (1 << planes) - 1, tie: many(1) }
    }

    /// The code, for the player to move, of an end at a ply with that player winning or not.
    /// Plies before the earliest possible count as that.
    #[inline]
    fn code(&self, turn: usize, ply: u32, wins: bool) -> u32 {
        let winner = if wins { turn } else { 1 - turn };
        let steps = ply.saturating_sub(self.earliest[winner]) / 2;
        let first = if winner == 0 { self.top - steps.min(self.top) } else { steps };
        self.seen_by(turn, first.min(self.top))
    }

    /// A code of the first player's as that of a player.
    #[inline]
    fn seen_by(&self, turn: usize, code: u32) -> u32 {
        if turn == 0 { code } else { self.top - code }
    }

    /// After so many plies: the mover wins with the next.
    pub(crate) fn win_in_one(&self, ply: u32) -> u32 {
        self.code(ply as usize % 2, ply + 1, true)
    }

    /// After so many plies: the worst the mover can meet without having lost already. On a
    /// full board it is the tie.
    pub(crate) fn floor(&self, ply: u32) -> u32 {
        let turn = ply as usize % 2;
        if ply == self.cells { self.seen_by(turn, self.tie) } else { self.code(turn, ply + 2, false) }
    }

    /// After so many plies: the mover's codes of values that a short look finds (see
    /// [`zermelo_core::Placing::soon`]): a win in one, a loss in two, a win in three.
    pub(crate) fn soon(&self, ply: u32) -> [Option<u32>; 3] {
        let turn = ply as usize % 2;
        [1, 2, 3].map(|left| {
            let (end, wins) = (ply + left, left != 2);
            let winner = if wins { turn } else { 1 - turn };
            // Beyond these plies the code would be that of another end.
            (self.earliest[winner]..=self.cells).contains(&end).then(|| self.code(turn, end, wins))
        })
    }

    /// The value of a code of the player to move after so many plies; `None` for a number
    /// that is none.
    pub(crate) fn value(&self, ply: u32, code: u32) -> Option<Value> {
        let first = self.seen_by(ply as usize % 2, code);
        let (winner, steps) = match first {
            c if c == self.tie => return Some(Value::Tie((self.cells.checked_sub(ply)?) as u16)),
            c if c < self.tie => (1, c),
            c => (0, self.top.checked_sub(c)?),
        };
        let end = self.earliest[winner] + 2 * steps;
        let left = end.checked_sub(ply).filter(|left| *left > 0 && end <= self.cells)? as u16;
        Some(if winner == ply as usize % 2 { Value::Win(left) } else { Value::Lose(left) })
    }
}
