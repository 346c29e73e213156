//! A position as the client reads it: values and distances, best moves first.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Serialize;
use zermelo_core::{Board, Drawing, MoveReport, Report, Turn, Unit, Value};

use super::super::refusal::{Refusal, Result};
use super::super::variant::Variant;
use super::gui::Look;
use super::halves;
use zermelo::{Extra, Found};

/// Boards that are asked for and drawn without another thread.
const DRAWN_AT_ONCE: usize = 16;
/// Play never ends.
const NEVER: i32 = -200;
/// There is an end, but nobody knows when: also where values tell no more than who wins.
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

/// What is told of a position.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    position: Cow<'a, str>,
    autogui_position: String,
    position_value: &'static str,
    remoteness: i32,
    /// The size of the margin; who has it, the value says.
    #[serde(skip_serializing_if = "Option::is_none")]
    winby: Option<u32>,
    /// The nimber, which the client takes as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    mex: Option<String>,
}

impl<'a> Told<'a> {
    /// A position of the game.
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
        // A game that is over is over, whatever is counted.
        (Some(_), Some(0)) => 0,
        // A puzzle that cannot be solved has no end, wherever its moves run out.
        (Some(value), Some(_)) if unit == Unit::Goal => unit.remoteness(value).map_or(NEVER, i32::from),
        (Some(_), Some(n)) if unit == Unit::Moves => n.into(),
        (Some(_), Some(_)) => UNKNOWN,
    }
}

/// The same for a game that goes on in any case, whatever its value is made from.
fn ahead(value: Option<Value>, unit: Unit) -> i32 {
    match remoteness(value, unit) {
        0 => UNKNOWN,
        n => n,
    }
}

impl<'a> PositionAnswer<'a> {
    /// A position; or, with the cell of a stone, what is between it and the turn that comes next.
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
    /// All moves; for those that are a stone and a turn, the stones.
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
                // Best first: the first of a cell stands for its turns.
                Some(cell) if begun.insert(cell) => moves.push(self.stone(cell, m, &best)),
                Some(_) => {}
            }
        }
        moves
    }

    /// The moves that turn the board after a stone on a cell.
    fn turns(&self, cell: usize) -> Vec<Numbered<'a>> {
        let begins = |(_, m): &Numbered<'a>| halves::stone(&self.variant.board, m.drawing) == Some(cell);
        self.found.report.moves.iter().enumerate().filter(begins).collect()
    }

    /// A stone that waits for its turn, worth what the best turn after it is.
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

    /// A stone on a cell; the same player goes on.
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

    /// Whole moves, or what ends them.
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

/// Whether a position is written as the turn and what stands on each cell, as in most games. In the others, where each
/// move leads has to be asked for.
fn is_plain(report: &Report) -> bool {
    pieces(&report.position) == report.pieces
}

/// Whether drawing the boards that the moves lead to may take longer than a millisecond.
pub(crate) fn takes_long(report: &Report) -> bool {
    !is_plain(report) && report.moves.len() > DRAWN_AT_ONCE
}

/// A position by its rules alone; a board that cannot be drawn is written out by the client.
fn drawn(variant: &Variant, look: Look, m: &MoveReport) -> String {
    let report = variant.game().oracle().report(m.to, &());
    report.map_or_else(|_| m.position.clone(), |report| look.board(report.at.turn, &report.pieces))
}

/// Who is to move after a move.
fn turn_of(m: &MoveReport, turn: Turn) -> Turn {
    if m.again { turn } else { turn.other() }
}

/// What stands behind the turn.
fn pieces(position: &str) -> &str {
    position.split_once('_').map_or(position, |(_, pieces)| pieces)
}

/// The client keeps moves by their buttons, so no two may have the same; then they are listed by name.
fn buttons(look: Look, board: &Board, moves: &[Numbered<'_>]) -> Vec<String> {
    let all: Vec<_> = moves.iter().map(|(_, m)| look.button(m.drawing, board)).collect();
    let different = all.iter().collect::<HashSet<_>>().len() == all.len();
    if different { all } else { moves.iter().map(|(_, m)| m.name.clone()).collect() }
}

/// For each worth of a move, the distance after the best move of it: the least, or the greatest where the
/// mover loses.
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

/// How much sooner or later than after the best move of the same worth the game ends; nothing where that is not
/// counted.
fn delta(m: &MoveReport, best: &HashMap<&'static str, i32>, unit: Unit) -> i32 {
    let Some(worth) = m.worth.filter(|_| unit.counts_moves()) else { return 0 };
    let best = best.get(worth.word()).copied().unwrap_or(0);
    (remoteness(m.value, unit) - best).abs()
}
