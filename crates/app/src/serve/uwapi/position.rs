//! A position as the client reads it: values and distances, best moves first.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use zermelo_core::{Board, MoveReport, Turn, Value};

use super::super::ask::Found;
use super::super::games::Variant;
use super::gui::Look;

/// Play never ends.
const NEVER: i32 = -200;
/// There is an end, but nobody knows when.
const UNKNOWN: i32 = -100;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PositionAnswer<'a> {
    position: &'a str,
    autogui_position: String,
    position_value: &'static str,
    remoteness: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    winby: Option<u32>,
    moves: Vec<MoveAnswer<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveAnswer<'a> {
    r#move: &'a str,
    autogui_move: String,
    move_value: &'static str,
    delta_remoteness: i32,
    position: &'a str,
    autogui_position: String,
    position_value: &'static str,
    remoteness: i32,
    /// The size of the margin; who has it, the value says.
    #[serde(skip_serializing_if = "Option::is_none")]
    winby: Option<u32>,
}

fn word(value: Option<Value>) -> &'static str {
    value.map_or("unsolved", Value::word)
}

fn remoteness(value: Option<Value>) -> i32 {
    value.map_or(UNKNOWN, |value| value.remoteness().map_or(NEVER, i32::from))
}

impl<'a> PositionAnswer<'a> {
    pub(crate) fn new(variant: &Variant, found: &'a Found) -> PositionAnswer<'a> {
        let Found { report, margins, .. } = found;
        let look = Look::of(variant.card().name);
        let buttons = buttons(look, &variant.board, &report.moves);
        let best = best(&report.moves);
        // Most games write a position as the turn and what stands on each cell; the others are asked.
        let plain = pieces(&report.position) == report.pieces;
        let board = |m: &MoveReport| match plain {
            true => look.board(turn_of(m, report.turn), pieces(&m.position)),
            false => drawn(variant, look, &m.position),
        };
        let answer = |(n, (m, autogui_move)): (usize, (&'a MoveReport, String))| MoveAnswer {
            r#move: &m.name,
            autogui_move,
            move_value: word(m.worth),
            delta_remoteness: delta(m, &best),
            position: &m.position,
            autogui_position: board(m),
            position_value: word(m.value),
            remoteness: remoteness(m.value),
            winby: margins.after(n).map(i32::unsigned_abs),
        };
        PositionAnswer {
            position: &report.position,
            autogui_position: look.board(report.turn, &report.pieces),
            position_value: word(report.value),
            remoteness: remoteness(report.value),
            winby: margins.position.map(i32::unsigned_abs),
            moves: report.moves.iter().zip(buttons).enumerate().map(answer).collect(),
        }
    }
}

/// A position by its rules alone; a board that cannot be drawn is written out by the client.
fn drawn(variant: &Variant, look: Look, position: &str) -> String {
    let report = variant.game.report(position, &());
    report.map_or_else(|_| position.to_string(), |report| look.board(report.turn, &report.pieces))
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
fn buttons(look: Look, board: &Board, moves: &[MoveReport]) -> Vec<String> {
    let all: Vec<_> = moves.iter().map(|m| look.button(m.drawing, board)).collect();
    let different = all.iter().collect::<HashSet<_>>().len() == all.len();
    if different { all } else { moves.iter().map(|m| m.name.clone()).collect() }
}

/// For each worth of a move, the distance after the best move of it: the least, or the greatest where the
/// mover loses.
fn best(moves: &[MoveReport]) -> HashMap<&'static str, i32> {
    let mut best = HashMap::new();
    for m in moves {
        let Some(worth) = m.worth else { continue };
        let r = remoteness(m.value);
        let known = best.entry(worth.word()).or_insert(r);
        *known = if matches!(worth, Value::Lose(_)) { r.max(*known) } else { r.min(*known) };
    }
    best
}

/// How much sooner or later than after the best move of the same worth the game ends.
fn delta(m: &MoveReport, best: &HashMap<&'static str, i32>) -> i32 {
    let Some(worth) = m.worth else { return 0 };
    let best = best.get(worth.word()).copied().unwrap_or(0);
    (remoteness(m.value) - best).abs()
}
