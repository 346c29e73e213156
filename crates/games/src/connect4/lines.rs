//! Finds where a stone completes a line, for all cells at once, and what that decides within three moves.
//!
//! Shifts stay inside the word on every board: a step is at most one more than a column's height, and of the 64 bits
//! the last is the space above a column.

use zermelo_core::Value;

use super::{Connect4, Stones};

/// A board on which `LINE` stones in a row win.
#[derive(Clone, Copy)]
pub(super) struct Lines<const LINE: usize> {
    /// Bits of a column, the space above it included.
    pub(super) height: u32,
    pub(super) bottom: u64,
    pub(super) full: u64,
}

impl<const LINE: usize> Lines<LINE> {
    #[inline]
    pub(super) fn new(game: &Connect4) -> Self {
        Lines { height: game.height() as u32, bottom: game.bottom, full: game.full }
    }

    /// The cells where stones can be placed now.
    #[inline]
    pub(super) fn landings(&self, all: u64) -> u64 {
        (all + self.bottom) & self.full
    }

    /// Whether a set has a line.
    #[inline]
    pub(super) fn has_line(&self, set: u64) -> bool {
        [1, self.height - 1, self.height, self.height + 1].into_iter().any(|step| {
            let line = (1..LINE as u32).fold(set, |run, i| run & set.checked_shr(i * step).unwrap_or(0));
            line != 0
        })
    }

    /// The cells that lie in a line with `LINE - 1` cells of the set.
    #[inline]
    pub(super) fn winning(&self, set: u64) -> u64 {
        // Down a column the winning cell is the one on top.
        let mut found = (2..LINE).fold(set << 1, |below, _| (below & set) << 1);
        for step in [self.height - 1, self.height, self.height + 1] {
            // Cells with `i` cells of the set next to them, on either side.
            let (mut after, mut before) = ([!0; LINE], [!0; LINE]);
            for i in 1..LINE {
                after[i] = (set & after[i - 1]) >> step;
                before[i] = (set & before[i - 1]) << step;
            }
            for i in 0..LINE {
                found |= after[i] & before[LINE - 1 - i];
            }
        }
        found & self.full
    }

    /// The value of a position if it is decided within three moves.
    #[inline]
    pub(super) fn soon(&self, Stones { own, all }: Stones) -> Option<Value> {
        let other = all ^ own;
        let (mine, theirs) = (self.winning(own), self.winning(other));
        let landings = self.landings(all);
        // A stone that lies in a line with `LINE - 1` others has completed that line. The order of the tests is that
        // of outcomes.
        if theirs & other != 0 {
            return Some(Value::Lose(0));
        }
        if mine & own != 0 {
            return Some(Value::Win(0));
        }
        if landings == 0 {
            return Some(Value::Tie(0));
        }
        if mine & landings != 0 {
            return Some(Value::Win(1));
        }
        let safe = safe(landings, theirs);
        if safe == 0 {
            return Some(Value::Lose(2));
        }
        self.wins_in_three(own, landings, safe).then_some(Value::Win(3))
    }

    /// Whether a safe move leaves the other player no safe reply, where there is no win in one.
    #[inline]
    fn wins_in_three(&self, own: u64, landings: u64, moves: u64) -> bool {
        // **Claim.** A move wins in three only if it leaves no safe reply to the threats `hope` of all moves made
        // together. **Proof.** These threats include those of each single move, and more threats leave fewer safe
        // replies. So most moves need no threats of their own.
        let hope = self.winning(own | moves);
        let mut rest = moves;
        while rest != 0 {
            let stone = rest & rest.wrapping_neg();
            rest ^= stone;
            let replies = (landings ^ stone) | (stone << 1 & self.full);
            // Without replies the board is full, which is a tie.
            if replies != 0 && safe(replies, hope) == 0 && safe(replies, self.winning(own | stone)) == 0 {
                return true;
            }
        }
        false
    }
}

/// The landings of a player without an immediate win after which the other player has none either. `threats` are the
/// cells that win for the other player.
#[inline]
pub(super) fn safe(landings: u64, threats: u64) -> u64 {
    let forced = landings & threats;
    let moves = match forced {
        0 => landings,
        one if one & (one - 1) == 0 => one,
        _ => 0,
    };
    // A stone below a threat would make it real.
    moves & !(threats >> 1)
}
