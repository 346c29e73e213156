//! What a node of the mid-game keeps for every turn: who wins, in bits; or how the game ends and
//! when, in bytes.

use bytemuck::Pod;
use zermelo_core::Value;

use super::Score;
use super::tables::{Half, has, place, reach};

/// A table over the turns of one parity.
// Plain loops, and all to be inlined: only then are they compiled for the instruction set.
pub(super) trait Node: Pod + Send + Sync {
    /// Five in a row, for every turn.
    type Won: Copy + Send + Sync;
    /// What it tells about one turn.
    type Answer: Copy + Ord;

    /// The board is full, and nobody has five.
    const TIE: Self;

    /// Whether kernels are made for even numbers of children only, as their code is long.
    const FEW_WIDTHS: bool;

    fn won(half: Half) -> Self::Won;

    /// The better of two, for the same player.
    fn best(self, other: &Self) -> Self;

    /// This table, with the outcome filled in for every turn in which somebody has five. Given are the fives of the
    /// player who has just moved, and of the other player, whose table it is.
    fn settled(self, moved: Self::Won, waits: Self::Won) -> Self;

    /// What a turn makes of the other's table, for who turns; `won` are their fives before it.
    fn turned(self, won: Self::Won) -> Self;

    fn answer(&self, turn: [u8; 4]) -> Self::Answer;
}

/// Whether the player wins, in the first two words, and whether they do not lose.
pub(super) type Bits = [u64; 4];

impl Node for Bits {
    type Won = Half;
    type Answer = Score;

    const TIE: Bits = [0, 0, !0, !0];
    const FEW_WIDTHS: bool = false;

    fn won(half: Half) -> Half {
        half
    }

    #[inline(always)]
    fn best(self, other: &Bits) -> Bits {
        [self[0] | other[0], self[1] | other[1], self[2] | other[2], self[3] | other[3]]
    }

    #[inline(always)]
    fn settled(self, moved: Half, waits: Half) -> Bits {
        let open = [!(moved[0] | waits[0]), !(moved[1] | waits[1])];
        [
            self[0] & open[0] | waits[0] & !moved[0],
            self[1] & open[1] | waits[1] & !moved[1],
            self[2] & open[0] | waits[0],
            self[3] & open[1] | waits[1],
        ]
    }

    #[inline(always)]
    fn turned(self, won: Half) -> Bits {
        let win = reach([!self[2], !self[3]]);
        let hold = reach([!self[0], !self[1]]);
        [win[0] | won[0], win[1] | won[1], hold[0] | won[0], hold[1] | won[1]]
    }

    fn answer(&self, turn: [u8; 4]) -> Score {
        let win = has([self[0], self[1]], turn);
        let hold = has([self[2], self[3]], turn);
        Score::from(win) + Score::from(hold) - 1
    }
}

/// A code for every turn, the greatest the best: losses by their length, then ties and wins, of
/// which the shortest is the best.
pub(super) type Bytes = [u8; 128];

/// The codes of a tie and of a win of length 0.
const TIE: u8 = 128;
const WIN: u8 = 255;

/// Lengths are below this, so that the codes of wins, ties and losses lie apart.
const LENGTHS: u8 = 64;

/// A code for the one, as a code for the other, who made the move that led to it.
#[inline(always)]
fn before(code: u8) -> u8 {
    if code > WIN - LENGTHS {
        WIN - code + 1
    } else if code > TIE - LENGTHS {
        code - 1
    } else {
        WIN - 1 - code
    }
}

fn value(code: u8) -> Value {
    match code {
        code if code > WIN - LENGTHS => Value::Win((WIN - code).into()),
        code if code > TIE - LENGTHS => Value::Tie((TIE - code).into()),
        code => Value::Lose(code.into()),
    }
}

/// The greatest code of the eight quarter turns from every turn of the other parity: `reach` with
/// bytes for bits.
#[inline(always)]
fn reach_bytes(codes: &Bytes) -> Bytes {
    // A word has all turns of the first two quadrants.
    let words: [u64; 16] = bytemuck::cast(*codes);
    let mut turns = [[0u64; 16]; 7];
    for n in 0..16 {
        let word = words[n];
        turns[0][n] = word << 8 & 0xff00_ff00_ff00_ff00 | word >> 8 & 0x00ff_00ff_00ff_00ff;
        turns[1][n] = word.rotate_left(16);
        turns[2][n] = word.rotate_right(16);
        turns[3][n] = words[n & 12 | (n + 1) & 3];
        turns[4][n] = words[n & 12 | (n + 3) & 3];
        turns[5][n] = words[(n + 4) & 15];
        turns[6][n] = words[(n + 12) & 15];
    }
    let mut best = *codes;
    for turn in &turns {
        let turn: &Bytes = bytemuck::cast_ref(turn);
        for n in 0..128 {
            best[n] = best[n].max(turn[n]);
        }
    }
    best
}

impl Node for Bytes {
    /// 255 for a five, else 0.
    type Won = Bytes;
    /// By its code.
    type Answer = Coded;

    const TIE: Bytes = [TIE; 128];
    const FEW_WIDTHS: bool = true;

    fn won(half: Half) -> Bytes {
        std::array::from_fn(|bit| if half[bit / 64] >> (bit % 64) & 1 != 0 { 255 } else { 0 })
    }

    #[inline(always)]
    fn best(mut self, other: &Bytes) -> Bytes {
        for n in 0..128 {
            self[n] = self[n].max(other[n]);
        }
        self
    }

    #[inline(always)]
    fn settled(mut self, moved: Bytes, waits: Bytes) -> Bytes {
        for n in 0..128 {
            // Both have five: a tie. One does: a win, or a loss, whose code is 0.
            self[n] = self[n] & !(moved[n] | waits[n]) | waits[n] & (!moved[n] | TIE);
        }
        self
    }

    #[inline(always)]
    fn turned(mut self, won: Bytes) -> Bytes {
        for code in &mut self {
            *code = before(*code);
        }
        let mut best = reach_bytes(&self);
        for n in 0..128 {
            // A stone that makes five is a move that leads to the end.
            best[n] = best[n].max(won[n] & (WIN - 1));
        }
        best
    }

    fn answer(&self, turn: [u8; 4]) -> Coded {
        Coded(self[place(turn).0])
    }
}

/// A value as its code, which is greater for better ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Coded(u8);

impl From<Coded> for Value {
    fn from(code: Coded) -> Value {
        value(code.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_back_is_one_longer_and_the_other_way_round() {
        for (code, want) in [
            (WIN, Value::Lose(1)),
            (WIN - 20, Value::Lose(21)),
            (TIE, Value::Tie(1)),
            (TIE - 20, Value::Tie(21)),
            (0, Value::Win(1)),
            (20, Value::Win(21)),
        ] {
            assert_eq!(value(before(code)), want);
        }
    }

    #[test]
    fn bytes_turn_as_bits_do() {
        let mut dice = 1u64;
        for _ in 0..200 {
            let mut word = || {
                dice = dice.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                dice ^ dice >> 29
            };
            let half = [word() & word() & word() & word(), word() & word() & word() & word()];
            assert_eq!(reach_bytes(&Bytes::won(half)), Bytes::won(reach(half)));
        }
    }
}
