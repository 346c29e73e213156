//! Nimbers: the Grundy values of impartial games.
//!
//! In an impartial game both players have the same moves, and a player who cannot move loses. Such a position is
//! worth a heap of Nim of some size: the least number that is not the nimber of a position that a move leads to. A
//! position is lost where its nimber is 0. Of several games played side by side the nimbers add without carrying. The
//! nimber leaves out only how soon the game ends.

use crate::{Code, Game, Objective, Outcome, Unit, Value};

/// Games in which both players have the same moves in every position.
pub trait Impartial: Game {
    /// Whether a player who cannot move loses in this variant. Nimbers mean nothing where that player wins.
    fn normal(&self) -> bool {
        true
    }

    /// The nimber of a position by a formula, where there is one.
    fn grundy(&self, _p: Self::Position) -> Option<u32> {
        None
    }
}

/// The objective that finds the nimber of a position. A value is a win with the nimber as its number, or a loss with
/// 0. The worth of a move is given with the nimber that the move leaves.
#[derive(Debug)]
pub struct Nimber;

/// The nimbers of the positions that moves lead to, one bit for each nimber up to 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nimbers {
    seen: [u64; 4],
    any: bool,
}

impl Nimbers {
    /// The empty set, before any move.
    pub const NONE: Nimbers = Nimbers { seen: [0; 4], any: false };

    /// The set with one more nimber.
    #[inline]
    #[must_use]
    pub fn with(mut self, nimber: u16) -> Nimbers {
        if let Some(word) = self.seen.get_mut(usize::from(nimber >> 6)) {
            *word |= 1 << (nimber & 63);
            self.any = true;
        }
        self
    }

    /// The least nimber that is not in the set; `None` where the set has all nimbers up to 255.
    #[inline]
    pub fn mex(self) -> Option<u16> {
        let word = self.seen.iter().position(|word| *word != u64::MAX)?;
        Some((word as u32 * 64 + self.seen[word].trailing_ones()) as u16)
    }
}

impl<G: Impartial> Objective<G> for Nimber {
    const NAME: &'static str = "nimber";
    const UNIT: Unit = Unit::Nimber;
    type Fold = Nimbers;
    const EMPTY: Nimbers = Nimbers::NONE;

    fn takes(game: &G) -> bool {
        const { assert!(!G::AGAIN, "nimbers are for games in which the turn changes with every move") };
        game.normal()
    }

    /// An impartial game ends in a loss only; any other outcome has no code.
    #[inline]
    fn finished(_: &G, _: G::Position, outcome: Outcome) -> Code {
        if outcome == Outcome::Lose { Code(0) } else { Code::UNKNOWN }
    }

    #[inline]
    fn other(code: Code) -> Code {
        code
    }

    #[inline]
    fn fold(so_far: Nimbers, child: Code) -> Nimbers {
        so_far.with(child.0)
    }

    #[inline]
    fn parent(all: Nimbers) -> Option<Code> {
        all.mex().filter(|_| all.any).map(Code)
    }

    #[inline]
    fn narrow(code: Code) -> Option<u8> {
        match code {
            Code::UNKNOWN => Some(u8::MAX),
            code => u8::try_from(code.0).ok().filter(|byte| *byte < u8::MAX),
        }
    }

    #[inline]
    fn widen(byte: u8) -> Code {
        if byte == u8::MAX { Code::UNKNOWN } else { Code(byte.into()) }
    }

    fn value(code: Code) -> Option<Value> {
        match code.0 {
            0 => Some(Value::Lose(0)),
            n @ 1..=255 => Some(Value::Win(n)),
            _ => None,
        }
    }

    fn worth(code: Code) -> Option<Value> {
        <Nimber as Objective<G>>::value(code).map(|value| Unit::Nimber.worth(value, false))
    }

    fn formula(game: &G, p: G::Position) -> Option<Code> {
        u16::try_from(game.grundy(p)?).ok().filter(|n| *n <= 255).map(Code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mex(nimbers: impl IntoIterator<Item = u16>) -> Option<u16> {
        nimbers.into_iter().fold(Nimbers::NONE, Nimbers::with).mex()
    }

    #[test]
    fn the_least_that_is_missing() {
        assert_eq!(mex([]), Some(0));
        assert_eq!(mex([1, 2, 3]), Some(0));
        assert_eq!(mex([0, 1, 3, 1, 0, 200]), Some(2));
        assert_eq!((mex(0..64), mex(0..255), mex(0..256)), (Some(64), Some(255), None));
        assert_eq!(mex([999, u16::MAX]), Some(0), "what is no nimber is none");
    }
}
