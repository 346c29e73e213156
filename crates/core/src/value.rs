//! Values of positions, and the integer codes that engines compute with.
//!
//! A code preserves order: of all children, the one of *least* code is the best to move to, and the parent's code is
//! a function of that minimum alone. So "the best move" is one `min`, whatever mix of wins, ties and losses the
//! children are. The idea is Yokota's (EECS-2022-219, section 6.2); ties with a distance are ours.

use std::fmt;

/// The value of a position for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The player to move loses in this many moves, however they play.
    Lose(u16),
    /// The game ends in a tie after this many moves.
    Tie(u16),
    /// Play never ends.
    Draw,
    /// The player to move wins in this many moves.
    Win(u16),
}

/// A value without its distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The player to move loses against perfect play.
    Lose,
    /// Nobody wins, and play ends.
    Tie,
    /// Nobody wins, and play goes on for ever.
    Draw,
    /// The player to move wins.
    Win,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Lose, Kind::Tie, Kind::Draw, Kind::Win];

    /// `win`, `lose`, `tie` or `draw`.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Lose => "lose",
            Kind::Tie => "tie",
            Kind::Draw => "draw",
            Kind::Win => "win",
        }
    }
}

impl Value {
    /// This value without its distance.
    pub fn kind(self) -> Kind {
        match self {
            Value::Lose(_) => Kind::Lose,
            Value::Tie(_) => Kind::Tie,
            Value::Draw => Kind::Draw,
            Value::Win(_) => Kind::Win,
        }
    }

    /// `win`, `lose`, `tie` or `draw`.
    pub fn word(self) -> &'static str {
        self.kind().word()
    }

    /// Moves to the end of the game; none for a draw.
    pub fn remoteness(self) -> Option<u16> {
        match self {
            Value::Lose(r) | Value::Tie(r) | Value::Win(r) => Some(r),
            Value::Draw => None,
        }
    }

    /// A key by which a player prefers values, the least first: fast wins, fast ties, the draw, slow losses.
    pub fn preference(self) -> (u8, i32) {
        match self {
            Value::Win(r) => (0, i32::from(r)),
            Value::Tie(r) => (1, i32::from(r)),
            Value::Draw => (2, 0),
            Value::Lose(r) => (3, -i32::from(r)),
        }
    }

    /// The value of a position as the other player sees it.
    pub fn other(self) -> Value {
        match self {
            Value::Lose(r) => Value::Win(r),
            Value::Win(r) => Value::Lose(r),
            even => even,
        }
    }

    /// The worth of a move to a position of this value, for the player who makes it.
    pub fn for_mover(self) -> Value {
        match self {
            Value::Lose(r) => Value::Win(r.saturating_add(1)),
            Value::Tie(r) => Value::Tie(r.saturating_add(1)),
            Value::Draw => Value::Draw,
            Value::Win(r) => Value::Lose(r.saturating_add(1)),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.remoteness() {
            Some(r) => write!(f, "{} in {r}", self.word()),
            None => f.write_str(self.word()),
        }
    }
}

/// What the number in a value counts; the [objective](crate::Objective) decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Moves to the end of the game.
    Moves,
    /// The margin that the game is won or lost by.
    Margin,
    /// Nothing: only the winner is known.
    Winner,
    /// The nimber of an impartial game; for a move, the nimber that it leaves.
    Nimber,
    /// Moves to the goal of a puzzle.
    Goal,
}

impl Unit {
    /// `win in 8`, `win by 8`, `win`, `win, nimber 3`, or `solvable in 8`.
    pub fn text(self, value: Value) -> String {
        match (self, value) {
            (Unit::Goal, Value::Win(n)) => format!("solvable in {n}"),
            (Unit::Goal, _) => "unsolvable".into(),
            (Unit::Nimber, value) => {
                let nimber = self.nimber(value).map_or("no nimber".into(), |n| format!("nimber {n}"));
                format!("{}, {nimber}", value.word())
            }
            (Unit::Margin, Value::Win(n) | Value::Lose(n)) => format!("{} by {n}", value.word()),
            (Unit::Margin, even) => even.word().into(),
            (Unit::Winner, value) => value.word().into(),
            (Unit::Moves, value) => value.to_string(),
        }
    }

    /// Whether moves are counted, to the end or to a goal.
    pub fn counts_moves(self) -> bool {
        matches!(self, Unit::Moves | Unit::Goal)
    }

    /// Moves to the end, or to the goal where it can be reached; `None` where the unit counts no moves.
    pub fn remoteness(self, value: Value) -> Option<u16> {
        match (self, value) {
            (Unit::Moves, value) => value.remoteness(),
            (Unit::Goal, Value::Win(n)) => Some(n),
            _ => None,
        }
    }

    /// The nimber, if the unit is nimbers.
    pub fn nimber(self, value: Value) -> Option<u16> {
        value.remoteness().filter(|_| self == Unit::Nimber)
    }

    /// The margin that the player to move wins by, less than 0 where they lose; `None` for other units.
    pub fn margin(self, value: Value) -> Option<i32> {
        match value {
            Value::Win(n) => Some(n.into()),
            Value::Lose(n) => Some(-i32::from(n)),
            Value::Tie(_) => Some(0),
            Value::Draw => None,
        }
        .filter(|_| self == Unit::Margin)
    }

    /// A key by which a player prefers values, the least first: fast wins and slow losses, or large wins and small
    /// losses.
    pub fn preference(self, value: Value) -> (u8, i32) {
        let (kind, number) = value.preference();
        match self {
            Unit::Moves | Unit::Goal => (kind, number),
            Unit::Margin => (kind, -number),
            Unit::Nimber => (kind, number.abs()),
            Unit::Winner => (kind, 0),
        }
    }

    /// The worth of a move to a position of this value, for the player who makes it. With `again` the same player
    /// moves there.
    pub fn worth(self, value: Value, again: bool) -> Value {
        let theirs = if again { value.other() } else { value };
        match self {
            Unit::Moves | Unit::Goal => theirs.for_mover(),
            Unit::Margin | Unit::Winner | Unit::Nimber => theirs.other(),
        }
    }
}

/// The outcome of a finished game, for the player who would move next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The player to move has lost.
    Lose,
    /// Neither player has won.
    Tie,
    /// The player to move has won.
    Win,
}

impl Outcome {
    /// The value of a finished position.
    pub fn value(self) -> Value {
        match self {
            Outcome::Lose => Value::Lose(0),
            Outcome::Tie => Value::Tie(0),
            Outcome::Win => Value::Win(0),
        }
    }

    /// The remoteness code of a finished position.
    #[inline]
    pub fn code(self) -> Code {
        match self {
            Outcome::Lose => Code::LOST,
            Outcome::Tie => Code::TIED,
            Outcome::Win => Code::WON,
        }
    }
}

/// An order-preserving code: the least is the best to move to.
///
/// The [objective](crate::Objective) decides what the numbers mean. For remoteness they are, from below: lost in 0,
/// 1, ...; tied in 0, 1, ...; drawn; ... won in 1, won in 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

/// The number of distances that each of lose, tie and win has in a two-byte code.
const WIDE: u16 = 20_000;
const WIDE_TIE: u16 = WIDE;
const WIDE_DRAW: u16 = 2 * WIDE;
const WIDE_WIN: u16 = 3 * WIDE;

/// The number of losses, and of wins, in a one-byte code: 95 losses, 64 ties, the draw, 95 wins, and 255 for unknown.
const NARROW: u8 = 95;
const NARROW_TIE: u8 = NARROW;
const NARROW_TIES: u8 = 64;
const NARROW_DRAW: u8 = NARROW_TIE + NARROW_TIES;
const NARROW_WIN: u8 = 254;

impl Code {
    /// Not known, or not a position. This code is above every other, so it is the identity of `min`.
    pub const UNKNOWN: Code = Code(u16::MAX);
    /// A draw.
    pub const DRAW: Code = Code(WIDE_DRAW);
    /// The game is over and the player to move has lost.
    pub const LOST: Code = Code(0);
    /// The game is over and neither player has won.
    pub const TIED: Code = Code(WIDE_TIE);
    /// The game is over and the player to move has won.
    pub const WON: Code = Code(WIDE_WIN);
    /// The player to move wins in one move.
    pub const WIN_IN_ONE: Code = Code(WIDE_WIN - 1);

    /// The code of a value; `None` when its distance is out of range.
    pub fn of(value: Value) -> Option<Code> {
        if value.remoteness().unwrap_or(0) >= WIDE {
            return None;
        }
        Some(Code(match value {
            Value::Lose(r) => r,
            Value::Tie(r) => WIDE_TIE + r,
            Value::Draw => WIDE_DRAW,
            Value::Win(r) => WIDE_WIN - r,
        }))
    }

    /// The value of a code; `None` for [`Code::UNKNOWN`] and for numbers that are no code.
    pub fn value(self) -> Option<Value> {
        match self.0 {
            c if c < WIDE_TIE => Some(Value::Lose(c)),
            c if c < WIDE_DRAW => Some(Value::Tie(c - WIDE_TIE)),
            WIDE_DRAW => Some(Value::Draw),
            c if c <= WIDE_WIN => Some(Value::Win(WIDE_WIN - c)),
            _ => None,
        }
    }

    /// The code of a position whose best child has this one; `None` when out of range.
    #[inline]
    pub fn parent(self) -> Option<Code> {
        match self.0 {
            c if c < WIDE_TIE - 1 => Some(Code(WIDE_WIN - (c + 1))),
            c if c < WIDE_TIE => None,
            c if c < WIDE_DRAW - 1 => Some(Code(c + 1)),
            c if c < WIDE_DRAW => None,
            WIDE_DRAW => Some(self),
            c if c <= WIDE_WIN && c > WIDE_DRAW + 1 => Some(Code(WIDE_WIN - c + 1)),
            _ => None,
        }
    }

    /// The code of a position as the other player sees it.
    #[inline]
    pub fn other(self) -> Code {
        match self.0 {
            c if c < WIDE_TIE => Code(WIDE_WIN - c),
            c if c > WIDE_DRAW && c <= WIDE_WIN => Code(WIDE_WIN - c),
            _ => self,
        }
    }

    /// Whether this is one of the lost codes.
    #[inline]
    pub fn is_lose(self) -> bool {
        self.0 < WIDE_TIE
    }

    /// Whether this is one of the tied codes.
    #[inline]
    pub fn is_tie(self) -> bool {
        (WIDE_TIE..WIDE_DRAW).contains(&self.0)
    }

    /// Whether this is one of the won codes.
    #[inline]
    pub fn is_win(self) -> bool {
        (WIDE_DRAW + 1..=WIDE_WIN).contains(&self.0)
    }

    /// The one-byte form of a remoteness code; `None` when the distance needs two bytes.
    #[inline]
    pub fn narrow(self) -> Option<u8> {
        match self.0 {
            c if c < u16::from(NARROW) => Some(c as u8),
            c if (WIDE_TIE..WIDE_TIE + u16::from(NARROW_TIES)).contains(&c) => {
                Some((c - WIDE_TIE) as u8 + NARROW_TIE)
            }
            WIDE_DRAW => Some(NARROW_DRAW),
            c if (WIDE_WIN - u16::from(NARROW) + 1..=WIDE_WIN).contains(&c) => {
                Some(NARROW_WIN - (WIDE_WIN - c) as u8)
            }
            u16::MAX => Some(u8::MAX),
            _ => None,
        }
    }

    /// Inverse of [`Code::narrow`], for every byte.
    #[inline]
    pub fn widen(byte: u8) -> Code {
        Code(WIDENED[byte as usize])
    }

    /// The one-byte form where wins take an odd number of moves and losses an even one.
    #[inline]
    pub fn narrow_by_parity(self) -> Option<u8> {
        match self.0 {
            c if c < 2 * u16::from(EVEN_DRAW) && c % 2 == 0 => Some((c / 2) as u8),
            WIDE_DRAW => Some(EVEN_DRAW),
            c if c < WIDE_WIN && c + 2 * u16::from(EVEN_DRAW) >= WIDE_WIN && (WIDE_WIN - c) % 2 == 1 => {
                Some(NARROW_WIN - ((WIDE_WIN - c) / 2) as u8)
            }
            u16::MAX => Some(u8::MAX),
            _ => None,
        }
    }

    /// Inverse of [`Code::narrow_by_parity`], for every byte.
    #[inline]
    pub fn widen_by_parity(byte: u8) -> Code {
        Code(WIDENED_BY_PARITY[byte as usize])
    }
}

/// The code of a draw in one byte where wins and losses differ by parity: 127 losses below, 127 wins above.
const EVEN_DRAW: u8 = 127;

/// The results of [`Code::widen_by_parity`] as a table.
static WIDENED_BY_PARITY: [u16; 256] = {
    let mut table = [u16::MAX; 256];
    let mut byte = 0;
    while byte < 255 {
        table[byte] = match byte as u8 {
            b if b < EVEN_DRAW => 2 * b as u16,
            EVEN_DRAW => WIDE_DRAW,
            b => WIDE_WIN - 2 * (NARROW_WIN - b) as u16 - 1,
        };
        byte += 1;
    }
    table
};

/// The results of [`Code::widen`] as a table, which is read once for every child looked up.
static WIDENED: [u16; 256] = {
    let mut table = [u16::MAX; 256];
    let mut byte = 0;
    while byte < 255 {
        table[byte] = match byte as u8 {
            b if b < NARROW_TIE => b as u16,
            b if b < NARROW_DRAW => WIDE_TIE + (b - NARROW_TIE) as u16,
            NARROW_DRAW => WIDE_DRAW,
            b => WIDE_WIN - (NARROW_WIN - b) as u16,
        };
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Values in the order in which a player prefers children, best first.
    fn best_first() -> Vec<Value> {
        let rising = || 0..WIDE;
        let mut all: Vec<Value> = rising().map(Value::Lose).collect();
        all.extend(rising().map(Value::Tie));
        all.push(Value::Draw);
        all.extend(rising().rev().map(Value::Win));
        all
    }

    #[test]
    fn narrow_codes_by_parity_keep_the_order_and_come_back() {
        let kept: Vec<Code> = best_first()
            .into_iter()
            .filter_map(Code::of)
            .filter(|c| c.narrow_by_parity().is_some())
            .collect();
        let bytes: Vec<u8> = kept.iter().filter_map(|c| c.narrow_by_parity()).collect();
        assert_eq!(bytes, (0..255).collect::<Vec<u8>>());
        assert!(kept.iter().zip(&bytes).all(|(code, byte)| Code::widen_by_parity(*byte) == *code));
        let ends = [0, 126, 127, 128, 254].map(|b| Code::widen_by_parity(b).value());
        let values = [Value::Lose(0), Value::Lose(252), Value::Draw, Value::Win(253), Value::Win(1)];
        assert_eq!(ends, values.map(Some));
        assert_eq!(Code::widen_by_parity(255), Code::UNKNOWN);
    }

    #[test]
    fn codes_keep_the_order_of_preference_and_come_back() {
        let codes: Vec<Code> = best_first().into_iter().map(|v| Code::of(v).expect("in range")).collect();
        assert!(codes.windows(2).all(|w| w[0] < w[1]));
        let preferred: Vec<_> = best_first().into_iter().map(|v| v.for_mover().preference()).collect();
        assert!(preferred.windows(2).all(|w| w[0] < w[1]));
        for (code, value) in codes.iter().zip(best_first()) {
            assert_eq!(code.value(), Some(value));
            assert!(*code < Code::UNKNOWN);
        }
        assert_eq!(Code::of(Value::Win(WIDE)), None);
    }

    #[test]
    fn margins_are_told_and_preferred_by_their_size() {
        let best_first = [Value::Win(9), Value::Win(2), Value::Tie(0), Value::Lose(1), Value::Lose(8)];
        assert!(best_first.is_sorted_by_key(|v| Unit::Margin.preference(*v)));
        assert_eq!(best_first.map(|v| Unit::Margin.margin(v)), [9, 2, 0, -1, -8].map(Some));
        assert_eq!(best_first.map(|v| Unit::Moves.margin(v)), [None; 5]);
        assert_eq!(Unit::Margin.text(Value::Lose(8)), "lose by 8");
        assert_eq!(Unit::Margin.text(Value::Tie(0)), "tie");
        assert_eq!(Unit::Margin.worth(Value::Lose(8), false), Value::Win(8));
        assert_eq!(Unit::Margin.worth(Value::Lose(8), true), Value::Lose(8));
        assert_eq!(Unit::Moves.worth(Value::Lose(8), true), Value::Lose(9));
    }

    #[test]
    fn nimbers_are_told_with_who_wins() {
        assert_eq!(Unit::Nimber.text(Value::Win(3)), "win, nimber 3");
        assert_eq!(Unit::Nimber.text(Unit::Nimber.worth(Value::Win(3), false)), "lose, nimber 3");
        assert_eq!(Unit::Nimber.text(Unit::Nimber.worth(Value::Lose(0), false)), "win, nimber 0");
        let best_first = [Value::Win(0), Value::Lose(1), Value::Lose(4)];
        assert!(best_first.is_sorted_by_key(|v| Unit::Nimber.preference(*v)));
        assert_eq!((Unit::Nimber.nimber(Value::Win(3)), Unit::Moves.nimber(Value::Win(3))), (Some(3), None));
        assert_eq!(Unit::Nimber.remoteness(Value::Win(3)), None);
    }

    #[test]
    fn puzzles_are_solvable_or_not() {
        let texts = [Value::Win(31), Value::Lose(4), Value::Draw].map(|v| Unit::Goal.text(v));
        assert_eq!(texts, ["solvable in 31", "unsolvable", "unsolvable"]);
        assert_eq!(Unit::Goal.worth(Value::Win(30), true), Value::Win(31));
        let moves = [Value::Win(31), Value::Lose(4), Value::Draw].map(|v| Unit::Goal.remoteness(v));
        assert_eq!(moves, [Some(31), None, None]);
    }

    #[test]
    fn parent_swaps_sides_and_counts_one_more() {
        for value in best_first() {
            let code = Code::of(value).expect("in range");
            let want = Code::of(value.for_mover());
            assert_eq!(code.parent(), want, "{value}");
        }
        assert_eq!(Code::UNKNOWN.parent(), None);
    }

    #[test]
    fn one_byte_codes_are_the_same_values_in_the_same_order() {
        let mut last = None;
        for byte in 0..=255u8 {
            let wide = Code::widen(byte);
            assert_eq!(wide.narrow(), Some(byte));
            assert!(last < Some(wide), "byte {byte}");
            last = Some(wide);
        }
        for value in best_first() {
            let code = Code::of(value).expect("in range");
            if let Some(byte) = code.narrow() {
                assert_eq!(Code::widen(byte), code);
            }
        }
        assert_eq!(Code::of(Value::Lose(94)).and_then(Code::narrow), Some(94));
        assert_eq!(Code::of(Value::Lose(95)).and_then(Code::narrow), None, "needs two bytes");
        assert_eq!(Code::of(Value::Tie(64)).and_then(Code::narrow), None, "needs two bytes");
    }
}
