//! Writes a position as the client reads it: values and distances, best moves first.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Serialize;
use zermelo_core::{Board, Drawing, MoveReport, Report, Turn, Unit, Value};

use super::super::refusal::{Refusal, Result};
use super::super::variant::Variant;
use super::gui::Look;
use super::halves;
use zermelo::{Extra, Found};

/// The most boards that are asked for and drawn without another thread.
const DRAWN_AT_ONCE: usize = 16;
/// The client's remoteness of a game that never ends.
const NEVER: i32 = -200;
/// The client's remoteness of a game whose end is not known, also where values only say who wins.
const UNKNOWN: i32 = -100;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PositionAnswer<'a> {
    #[serde(flatten)]
    told: Told<'a>,
    moves: Vec<MoveAnswer<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveAnswer<'a> {
    r#move: Cow<'a, str>,
    autogui_move: String,
    move_value: &'static str,
    delta_remoteness: i32,
    #[serde(flatten)]
    told: Told<'a>,
}

/// The fields that describe a position.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    position: Cow<'a, str>,
    autogui_position: String,
    position_value: &'static str,
    remoteness: i32,
    /// The size of the margin; the value says which player has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    winby: Option<u32>,
    /// The nimber, which the client takes as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    mex: Option<String>,
}

impl<'a> Told<'a> {
    /// Describes a position of the game.
    fn of(position: &'a str, board: String, value: Option<Value>, unit: Unit, beside: Extra) -> Told<'a> {
        Told {
            position: Cow::Borrowed(position),
            autogui_position: board,
            position_value: word(value),
            remoteness: remoteness(value, unit),
            winby: beside.margin.map(i32::unsigned_abs),
            mex: beside.nimber.map(|n| n.to_string()),
        }
    }
}

fn word(value: Option<Value>) -> &'static str {
    value.map_or("unsolved", Value::word)
}

fn remoteness(value: Option<Value>, unit: Unit) -> i32 {
    match (value, value.and_then(Value::remoteness)) {
        (None, _) => UNKNOWN,
        (Some(_), None) => NEVER,
        // A game that is over has remoteness 0, whatever values count.
        (Some(_), Some(0)) => 0,
        // A puzzle that cannot be solved has no end, wherever its moves run out.
        (Some(value), Some(_)) if unit == Unit::Goal => unit.remoteness(value).map_or(NEVER, i32::from),
        (Some(_), Some(n)) if unit == Unit::Moves => n.into(),
        (Some(_), Some(_)) => UNKNOWN,
    }
}

/// Returns the [`remoteness`] of a position that has moves, and so is never 0, whatever its value is made from.
fn ahead(value: Option<Value>, unit: Unit) -> i32 {
    match remoteness(value, unit) {
        0 => UNKNOWN,
        n => n,
    }
}

impl<'a> PositionAnswer<'a> {
    /// Describes a position; or, with the cell of a stone, the position between the stone and the turn that comes
    /// next.
    pub(crate) fn new(variant: &Variant, found: &'a Found, put: Option<usize>) -> Result<PositionAnswer<'a>> {
        let Found { report, margins, .. } = found;
        let unit = variant.game().unit;
        let pen = Pen { variant, look: Look::of(variant.card().name), found, unit };
        let Some(cell) = put else {
            let board = pen.look.board(report.at.turn, &report.pieces);
            let told = Told::of(&report.position, board, report.value, unit, margins.position);
            return Ok(PositionAnswer { told, moves: pen.moves() });
        };
        let turns = pen.turns(cell);
        let best = turns.first().map(|(_, m)| m.worth).ok_or_else(|| {
            Refusal::bad(format!(
                "no stone that is followed by a turn can be put there in {}",
                report.position
            ))
        })?;
        Ok(PositionAnswer { told: pen.between(cell, best), moves: pen.listed(turns) })
    }
}

/// Writes the moves of a position for the client.
struct Pen<'v, 'a> {
    variant: &'v Variant,
    look: Look,
    found: &'a Found,
    unit: Unit,
}

/// A move and its number in the report.
type Numbered<'a> = (usize, &'a MoveReport);

impl<'a> Pen<'_, 'a> {
    /// Returns all moves. Moves that are a stone and a turn are listed by their stones.
    fn moves(&self) -> Vec<MoveAnswer<'a>> {
        let all: Vec<Numbered<'a>> = self.found.report.moves.iter().enumerate().collect();
        if self.variant.board.twists.is_empty() {
            return self.listed(all);
        }
        let best = best(&self.found.report.moves, self.unit);
        let mut begun = HashSet::new();
        let mut moves = vec![];
        for (n, m) in all {
            match halves::stone(&self.variant.board, m.drawing) {
                None => moves.extend(self.listed(vec![(n, m)])),
                // Moves are sorted best first: the first move of a cell stands for all turns after that stone.
                Some(cell) if begun.insert(cell) => moves.push(self.stone(cell, m, &best)),
                Some(_) => {}
            }
        }
        moves
    }

    /// Returns the moves that turn the board after a stone on a cell.
    fn turns(&self, cell: usize) -> Vec<Numbered<'a>> {
        let begins = |(_, m): &Numbered<'a>| halves::stone(&self.variant.board, m.drawing) == Some(cell);
        self.found.report.moves.iter().enumerate().filter(begins).collect()
    }

    /// Describes the position between a stone and its turn, which is worth as much as the best turn.
    fn between(&self, cell: usize, worth: Option<Value>) -> Told<'a> {
        let (board, report) = (&self.variant.board, &self.found.report);
        Told {
            position: Cow::Owned(halves::name(board, &report.position, cell)),
            autogui_position: self.look.board(report.at.turn, &halves::with_stone(board, report, cell)),
            position_value: word(worth),
            remoteness: ahead(worth, self.unit),
            winby: None,
            mex: None,
        }
    }

    /// Describes a stone on a cell, after which the same player goes on.
    fn stone(&self, cell: usize, m: &MoveReport, best: &HashMap<&'static str, i32>) -> MoveAnswer<'a> {
        let board = &self.variant.board;
        MoveAnswer {
            r#move: Cow::Owned(board.names.get(cell).cloned().unwrap_or_default()),
            autogui_move: self.look.button(Drawing::Cell(cell), board),
            move_value: word(m.worth),
            delta_remoteness: delta(m, best, self.unit),
            told: self.between(cell, m.worth),
        }
    }

    /// Lists whole moves, or the turns that end them.
    fn listed(&self, moves: Vec<Numbered<'a>>) -> Vec<MoveAnswer<'a>> {
        let (variant, look, Found { report, margins, .. }) = (self.variant, self.look, self.found);
        let buttons = buttons(look, &variant.board, &moves);
        let (unit, best) = (self.unit, best(moves.iter().map(|(_, m)| *m), self.unit));
        let plain = is_plain(report);
        let board = |m: &MoveReport| match plain {
            true => look.board(turn_of(m, report.at.turn), pieces(&m.position)),
            false => drawn(variant, look, m),
        };
        let answer = |((n, m), autogui_move): (Numbered<'a>, String)| MoveAnswer {
            r#move: Cow::Borrowed(&m.name),
            autogui_move,
            move_value: word(m.worth),
            delta_remoteness: delta(m, &best, unit),
            told: Told::of(&m.position, board(m), m.value, unit, margins.after(n)),
        };
        moves.into_iter().zip(buttons).map(answer).collect()
    }
}

/// Whether a position is written as the turn and the content of each cell, as in most games. In other games the
/// engine has to be asked for the board after each move.
fn is_plain(report: &Report) -> bool {
    pieces(&report.position) == report.pieces
}

/// Whether drawing the boards after all moves may take longer than a millisecond.
pub(crate) fn takes_long(report: &Report) -> bool {
    !is_plain(report) && report.moves.len() > DRAWN_AT_ONCE
}

/// Draws the position after a move by the rules alone; a board that cannot be drawn is written as text.
fn drawn(variant: &Variant, look: Look, m: &MoveReport) -> String {
    let report = variant.game().oracle().moves(m.to);
    report.map_or_else(|_| m.position.clone(), |report| look.board(report.at.turn, &report.pieces))
}

/// Returns the player to move after a move.
fn turn_of(m: &MoveReport, turn: Turn) -> Turn {
    if m.again { turn } else { turn.other() }
}

/// Returns the part of a position's text after the turn.
fn pieces(position: &str) -> &str {
    position.split_once('_').map_or(position, |(_, pieces)| pieces)
}

/// Returns the buttons of moves. The client finds moves by their buttons, so no two may be equal; if two are, all
/// moves get their names.
fn buttons(look: Look, board: &Board, moves: &[Numbered<'_>]) -> Vec<String> {
    let all: Vec<_> = moves.iter().map(|(_, m)| look.button(m.drawing, board)).collect();
    let different = all.iter().collect::<HashSet<_>>().len() == all.len();
    if different { all } else { moves.iter().map(|(_, m)| m.name.clone()).collect() }
}

/// Returns, for each outcome of a move, the distance after the best move with that outcome: the least distance, or
/// the greatest if the mover loses.
fn best<'m>(moves: impl IntoIterator<Item = &'m MoveReport>, unit: Unit) -> HashMap<&'static str, i32> {
    let mut best = HashMap::new();
    for m in moves {
        let Some(worth) = m.worth else { continue };
        let r = remoteness(m.value, unit);
        let known = best.entry(worth.word()).or_insert(r);
        *known = if matches!(worth, Value::Lose(_)) { r.max(*known) } else { r.min(*known) };
    }
    best
}

/// Returns how much sooner or later the game ends than after the best move with the same outcome; 0 where moves are
/// not counted.
fn delta(m: &MoveReport, best: &HashMap<&'static str, i32>, unit: Unit) -> i32 {
    let Some(worth) = m.worth.filter(|_| unit.counts_moves()) else { return 0 };
    let best = best.get(worth.word()).copied().unwrap_or(0);
    (remoteness(m.value, unit) - best).abs()
}
