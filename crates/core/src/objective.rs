//! What is being solved for: an objective says what a finished position is worth and
//! how a position's code follows from its children's.
//!
//! Engines for loop-free tiers take any objective. A new one (the margin of a win, the
//! nimber of an impartial game) is one `impl` here or beside a game.

use crate::{Code, Game, Outcome, Value};

/// A way to value the positions of a game.
pub trait Objective<G: Game>: Send + Sync + 'static {
    /// What people type after `--objective`.
    const NAME: &'static str;
    /// What is kept while a position's children go by.
    type Fold: Copy;
    /// Before any child.
    const EMPTY: Self::Fold;

    /// The code of a finished position.
    fn finished(game: &G, p: G::Position, outcome: Outcome) -> Code;

    /// Takes one more child in.
    fn fold(so_far: Self::Fold, child: Code) -> Self::Fold;

    /// The code of a position from all its children; `None` when out of range or without a child.
    fn parent(all: Self::Fold) -> Option<Code>;

    /// The one-byte form of a code, keeping the order; `None` when it needs two.
    /// [`Code::UNKNOWN`] must be 255.
    fn narrow(code: Code) -> Option<u8>;

    /// Inverse of [`narrow`](Objective::narrow), for every byte.
    fn widen(byte: u8) -> Code;

    /// Whether [`look`](Objective::look) finds this code, so that a table may leave it out.
    fn derivable(_code: Code) -> bool {
        false
    }

    /// The code of a position, if its rules alone tell it within a move or two. Must
    /// answer for exactly the positions whose code is [`derivable`](Objective::derivable).
    fn look(_game: &G, _p: G::Position) -> Option<Code> {
        None
    }

    /// The code as people read it.
    fn value(code: Code) -> Option<Value>;
}

/// Win, lose, tie or draw, and how soon: the default objective.
#[derive(Debug)]
pub struct Remoteness;

impl<G: Game> Objective<G> for Remoteness {
    const NAME: &'static str = "remoteness";
    type Fold = Code;
    const EMPTY: Code = Code::UNKNOWN;

    #[inline]
    fn finished(_: &G, _: G::Position, outcome: Outcome) -> Code {
        outcome.code()
    }

    #[inline]
    fn fold(so_far: Code, child: Code) -> Code {
        so_far.min(child)
    }

    #[inline]
    fn parent(all: Code) -> Option<Code> {
        all.parent()
    }

    #[inline]
    fn narrow(code: Code) -> Option<u8> {
        code.narrow()
    }

    #[inline]
    fn widen(byte: u8) -> Code {
        Code::widen(byte)
    }

    /// Games that are over, and wins in one.
    #[inline]
    fn derivable(code: Code) -> bool {
        matches!(code, Code::LOST | Code::TIED | Code::WON | Code::WIN_IN_ONE)
    }

    fn look(game: &G, p: G::Position) -> Option<Code> {
        if let Some(outcome) = game.outcome(p) {
            return Some(outcome.code());
        }
        wins_at_once(game, p).then_some(Code::WIN_IN_ONE)
    }

    fn value(code: Code) -> Option<Value> {
        code.value()
    }
}

/// Whether some move ends the game with the other player lost.
#[inline]
pub fn wins_at_once<G: Game>(game: &G, p: G::Position) -> bool {
    let mut wins = false;
    game.moves(p, |m| wins = wins || game.outcome(game.play(p, m)) == Some(Outcome::Lose));
    wins
}
