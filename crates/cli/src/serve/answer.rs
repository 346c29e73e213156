//! Positions and moves as JSON. They are written directly from the report: a position is asked for thousands of times
//! a second, and a tree of JSON values would cost more than the look-ups.

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use zermelo_core::{Board, Drawing, MoveReport, Report, Turn, Unit, Value};

use zermelo::{Beside, Extra, Found, Source};

/// A value, a distance, a margin and a nimber. Each may be unknown or without meaning; a margin or nimber is then
/// left out.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Worth {
    pub(crate) value: Option<&'static str>,
    pub(crate) remoteness: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) margin: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nimber: Option<u16>,
}

impl Worth {
    pub(crate) fn of(value: Option<Value>, unit: Unit, beside: Extra) -> Worth {
        let remoteness = value.and_then(|value| unit.remoteness(value));
        let Extra { margin, nimber } = beside;
        Worth { value: value.map(Value::word), remoteness, margin, nimber }
    }

    /// Returns what a move is worth to the player who makes it, if known; `beside` is for the player to move after
    /// it.
    pub(crate) fn of_mover(m: &MoveReport, unit: Unit, beside: Extra) -> Option<Worth> {
        let own = if m.again { beside } else { beside.other() };
        m.worth.map(|worth| Worth::of(Some(worth), unit, own))
    }
}

/// A position with its moves.
#[derive(Serialize)]
pub(crate) struct Position<'a> {
    position: &'a str,
    turn: u8,
    pieces: &'a str,
    over: bool,
    #[serde(flatten)]
    worth: Worth,
    source: Source,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    moves: Moves<'a>,
}

impl<'a> Position<'a> {
    pub(crate) fn new(found: &'a Found, note: Option<&'a str>, board: &'a Board, unit: Unit) -> Position<'a> {
        let Report { at, position, pieces, over, value, moves } = &found.report;
        Position {
            position,
            turn: if at.turn == Turn::First { 1 } else { 2 },
            pieces,
            over: *over,
            worth: Worth::of(*value, unit, found.margins.position),
            source: found.source,
            note,
            moves: Moves { moves, margins: &found.margins, board, unit },
        }
    }
}

/// The moves, written one by one.
struct Moves<'a> {
    moves: &'a [MoveReport],
    margins: &'a Beside,
    board: &'a Board,
    unit: Unit,
}

impl Serialize for Moves<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.moves.len()))?;
        for (n, m) in self.moves.iter().enumerate() {
            list.serialize_element(&Move::new(m, self.margins.after(n), self.board, self.unit))?;
        }
        list.end()
    }
}

#[derive(Serialize)]
struct Move<'a> {
    r#move: &'a str,
    position: &'a str,
    #[serde(flatten)]
    worth: Worth,
    mover: Option<Worth>,
    drawing: Mark,
}

impl<'a> Move<'a> {
    /// Describes a move; `beside` is for the player to move after it.
    fn new(m: &'a MoveReport, beside: Extra, board: &Board, unit: Unit) -> Move<'a> {
        Move {
            r#move: &m.name,
            position: &m.position,
            worth: Worth::of(m.value, unit, beside),
            mover: Worth::of_mover(m, unit, beside),
            drawing: Mark::new(m.drawing, board),
        }
    }
}

/// How a move is drawn: on a cell, or from one point to another. With it comes the cell of a man that the move takes
/// elsewhere.
#[derive(Serialize)]
struct Mark {
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arrow: Option<[(f32, f32); 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    taken: Option<usize>,
}

impl Mark {
    fn new(drawing: Drawing, board: &Board) -> Mark {
        let at = |cell: usize| board.cells.get(cell).copied().unwrap_or_default();
        let taken = drawing.taken();
        match drawing {
            Drawing::Cell(cell) => Mark { cell: Some(cell), arrow: None, taken },
            Drawing::Take { from, to, .. } if from == to => Mark { cell: Some(to), arrow: None, taken },
            Drawing::Arrow(from, to) | Drawing::Take { from, to, .. } => {
                Mark { cell: None, arrow: Some([at(from), at(to)]), taken }
            }
        }
    }
}

/// A position in a list: its value, or the reason why it has none.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum InList<'a> {
    /// A position that was read.
    Known {
        position: &'a str,
        #[serde(flatten)]
        worth: Worth,
    },
    /// A text that is no position.
    Refused { position: &'a str, error: String },
}

/// A move of a line of perfect play.
#[derive(Serialize)]
pub(crate) struct Step<'a> {
    r#move: &'a str,
    position: &'a str,
    #[serde(flatten)]
    worth: Worth,
}

impl<'a> Step<'a> {
    pub(crate) fn new(m: &'a MoveReport, unit: Unit) -> Step<'a> {
        Step { r#move: &m.name, position: &m.position, worth: Worth::of(m.value, unit, Extra::default()) }
    }
}
