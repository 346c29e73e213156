//! Defines what is being solved for: an objective says what a finished position is worth and how a position's code
//! follows from its children's codes.
//!
//! Engines for loop-free tiers take any objective. A new objective is one `impl`: in this file (the margin of a win),
//! in a file of its own (`nimber`) or beside a game. What an `impl` leaves out is as for remoteness.

use crate::{Code, Game, Outcome, Unit, Value};

/// A way to value the positions of a game.
pub trait Objective<G: Game>: Send + Sync + 'static {
    /// The word that people type after `--objective`.
    const NAME: &'static str;
    /// What the number in a value counts.
    const UNIT: Unit = Unit::Moves;
    /// What is remembered while the children of a position are taken in one by one.
    type Fold: Copy;
    /// The fold before any child.
    const EMPTY: Self::Fold;

    /// Whether the variant can be solved for this objective.
    fn takes(_game: &G) -> bool {
        true
    }

    /// The code of a finished position.
    #[inline]
    fn finished(_game: &G, _p: G::Position, outcome: Outcome) -> Code {
        outcome.code()
    }

    /// The code of a position as the other player sees it.
    #[inline]
    fn other(code: Code) -> Code {
        code.other()
    }

    /// The code of a child as the opponent of the player who made the move sees it, which is what
    /// [`fold`](Objective::fold) takes. After most moves the opponent moves in the child, so this is the child's code.
    /// After a move by which the same player moves again, the code changes sides.
    #[inline]
    fn opposed(game: &G, m: G::Move, child: G::Position, code: Code) -> Code {
        if G::AGAIN && game.again(m, child) { Self::other(code) } else { code }
    }

    /// Adds one more child to the fold, by its code as [`opposed`](Objective::opposed) gives it.
    fn fold(so_far: Self::Fold, child: Code) -> Self::Fold;

    /// The code of a position from the fold of all its children; `None` when the code is out of range or there is no
    /// child.
    fn parent(all: Self::Fold) -> Option<Code>;

    /// The one-byte form of a code, keeping the order; `None` when the code needs two bytes. The form of
    /// [`Code::UNKNOWN`] must be 255.
    #[inline]
    fn narrow(code: Code) -> Option<u8> {
        code.narrow()
    }

    /// Inverse of [`narrow`](Objective::narrow), for every byte.
    #[inline]
    fn widen(byte: u8) -> Code {
        Code::widen(byte)
    }

    /// Whether [`look`](Objective::look) finds this code, so that a table may leave it out.
    fn derivable(_code: Code) -> bool {
        false
    }

    /// The code of a position, if the rules alone give it within a move or two. This must return a code for exactly
    /// the positions whose code is [`derivable`](Objective::derivable).
    fn look(_game: &G, _p: G::Position) -> Option<Code> {
        None
    }

    /// The code of a position by a formula, where there is one.
    fn formula(_game: &G, _p: G::Position) -> Option<Code> {
        None
    }

    /// The value of a code.
    fn value(code: Code) -> Option<Value> {
        code.value()
    }

    /// The worth of a move to the player who makes it, from the [`opposed`](Objective::opposed) code of the position
    /// it leads to.
    fn worth(code: Code) -> Option<Value> {
        Self::parent(Self::fold(Self::EMPTY, code)).and_then(Self::value)
    }

    /// The value of a code in words.
    fn text(code: Code) -> String {
        Self::value(code).map_or("no value".into(), |value| Self::UNIT.text(value))
    }
}

/// The default objective: win, lose, tie or draw, and how soon.
#[derive(Debug)]
pub struct Remoteness;

impl Remoteness {
    /// The name that people type.
    pub const NAME: &'static str = "remoteness";
}

impl<G: Game> Objective<G> for Remoteness {
    const NAME: &'static str = Remoteness::NAME;
    const UNIT: Unit = if G::ALONE { Unit::Goal } else { Unit::Moves };
    type Fold = Code;
    const EMPTY: Code = Code::UNKNOWN;

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
        if G::LAST_WINS { code.narrow_by_parity() } else { code.narrow() }
    }

    #[inline]
    fn widen(byte: u8) -> Code {
        if G::LAST_WINS { Code::widen_by_parity(byte) } else { Code::widen(byte) }
    }

    /// Derivable are the codes of games that are over, and wins in one where those are [foreseen](Game::FORESEES).
    #[inline]
    fn derivable(code: Code) -> bool {
        matches!(code, Code::LOST | Code::TIED | Code::WON) || G::FORESEES && code == Code::WIN_IN_ONE
    }

    fn look(game: &G, p: G::Position) -> Option<Code> {
        if let Some(outcome) = game.outcome(p) {
            return Some(outcome.code());
        }
        (G::FORESEES && wins_at_once(game, p)).then_some(Code::WIN_IN_ONE)
    }
}

/// Games that end with a score.
pub trait Scored: Game {
    /// The score that the player to move has won by when the game is over; at most 30,000 either way.
    fn score(&self, p: Self::Position) -> i32;

    /// Whether this variant has scores.
    fn has_scores(&self) -> bool {
        true
    }
}

/// The margin of the win under best play: a win by as much as possible, a loss by as little. The number in a value is
/// the margin, and 0 for a tie.
#[derive(Debug)]
pub struct Margin;

/// The code of a tie.
const EVEN: u16 = 30_000;
/// The code of a tie in one byte.
const NARROW_EVEN: u16 = 127;

impl Margin {
    /// The code of a score that the player to move wins by.
    #[inline]
    pub fn code(score: i32) -> Code {
        let most = i32::from(EVEN);
        Code((score.clamp(-most, most) + most) as u16)
    }
}

impl<G: Scored> Objective<G> for Margin {
    const NAME: &'static str = "margin";
    const UNIT: Unit = Unit::Margin;
    type Fold = Code;
    const EMPTY: Code = Code::UNKNOWN;

    fn takes(game: &G) -> bool {
        game.has_scores()
    }

    #[inline]
    fn finished(game: &G, p: G::Position, _: Outcome) -> Code {
        Margin::code(game.score(p))
    }

    #[inline]
    fn other(code: Code) -> Code {
        (2 * EVEN).checked_sub(code.0).map_or(code, Code)
    }

    #[inline]
    fn fold(so_far: Code, child: Code) -> Code {
        so_far.min(child)
    }

    #[inline]
    fn parent(all: Code) -> Option<Code> {
        (2 * EVEN).checked_sub(all.0).map(Code)
    }

    #[inline]
    fn narrow(code: Code) -> Option<u8> {
        if code == Code::UNKNOWN {
            return Some(u8::MAX);
        }
        let byte = code.0.checked_add(NARROW_EVEN)?.checked_sub(EVEN)?;
        u8::try_from(byte).ok().filter(|byte| *byte < u8::MAX)
    }

    #[inline]
    fn widen(byte: u8) -> Code {
        if byte == u8::MAX { Code::UNKNOWN } else { Code(EVEN - NARROW_EVEN + u16::from(byte)) }
    }

    fn value(code: Code) -> Option<Value> {
        match code.0 {
            EVEN => Some(Value::Tie(0)),
            c if c < EVEN => Some(Value::Lose(EVEN - c)),
            c if c <= 2 * EVEN => Some(Value::Win(c - EVEN)),
            _ => None,
        }
    }
}

/// Finds the winner and not how soon they win: for engines that find no more.
///
/// Values have the number 0 where the game is over and 1 where it goes on, so that tables can leave out positions
/// that are over.
#[derive(Debug)]
pub struct Winner;

impl<G: Game> Objective<G> for Winner {
    const NAME: &'static str = Winner::NAME;
    const UNIT: Unit = Unit::Winner;
    type Fold = Code;
    const EMPTY: Code = Code::UNKNOWN;

    #[inline]
    fn fold(so_far: Code, child: Code) -> Code {
        so_far.min(child)
    }

    #[inline]
    fn parent(all: Code) -> Option<Code> {
        match all {
            code if code.is_lose() => Some(Winner::WIN),
            code if code.is_tie() => Some(Winner::TIE),
            code if code.is_win() => Some(Winner::LOSE),
            Code::DRAW => Some(Code::DRAW),
            _ => None,
        }
    }

    fn derivable(code: Code) -> bool {
        matches!(code, Code::LOST | Code::TIED | Code::WON)
    }

    fn look(game: &G, p: G::Position) -> Option<Code> {
        game.outcome(p).map(Outcome::code)
    }
}

impl Winner {
    /// The name that people type.
    pub const NAME: &'static str = "winner";
    /// The player to move wins a game that is not over.
    pub const WIN: Code = Code::WIN_IN_ONE;
    /// Neither player wins a game that is not over.
    pub const TIE: Code = Code(Code::TIED.0 + 1);
    /// The player to move loses a game that is not over.
    pub const LOSE: Code = Code(Code::LOST.0 + 1);

    /// A value that counts moves, with its count left out.
    pub fn only(value: Value) -> Value {
        match value {
            Value::Win(n) => Value::Win(n.min(1)),
            Value::Tie(n) => Value::Tie(n.min(1)),
            Value::Lose(n) => Value::Lose(n.min(1)),
            Value::Draw => Value::Draw,
        }
    }
}

/// Whether some move ends the game as a win for the player who makes it.
#[inline]
pub fn wins_at_once<G: Game>(game: &G, p: G::Position) -> bool {
    let mut wins = false;
    game.moves(p, |m| {
        wins = wins || {
            let child = game.play(p, m);
            let again = || G::AGAIN && game.again(m, child);
            match game.outcome(child) {
                Some(Outcome::Lose) => !again(),
                Some(Outcome::Win) => again(),
                _ => false,
            }
        }
    });
    wins
}
