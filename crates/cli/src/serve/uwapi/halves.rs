//! Splits moves of two steps, a stone and then a turn of a part of the board. The client has no buttons for such
//! moves, so it gets two moves of the same player. The position between the two moves is written as the position
//! before, with the cell of the stone: `123-a1`.

use zermelo_core::{Board, Drawing, Report, Turn};

/// Splits what is asked for into a position and, if a turn comes next, the cell of the stone.
pub(crate) fn split<'a>(board: &Board, asked: &'a str) -> (&'a str, Option<usize>) {
    let cell = |name: &str| board.names.iter().take(board.places()).position(|known| known == name);
    let half = || asked.rsplit_once('-').and_then(|(before, name)| Some((before, cell(name)?)));
    match half().filter(|_| !board.twists.is_empty()) {
        Some((before, cell)) => (before, Some(cell)),
        None => (asked, None),
    }
}

/// Returns the position between a stone and its turn, in text.
pub(crate) fn name(board: &Board, position: &str, cell: usize) -> String {
    format!("{position}-{}", board.names.get(cell).map_or("", String::as_str))
}

/// Returns the cell of the stone, if a move is a stone and a turn.
pub(crate) fn stone(board: &Board, drawing: Drawing) -> Option<usize> {
    match drawing {
        Drawing::Arrow(cell, to) if board.twist(to).is_some() => Some(cell),
        _ => None,
    }
}

/// Returns what stands on the board when the stone is placed and nothing has turned.
pub(crate) fn with_stone(board: &Board, report: &Report, cell: usize) -> String {
    let side = usize::from(report.at.turn == Turn::Second);
    let man = board.sides.get(side).and_then(|side| side.men.first());
    let letter = man.map_or(['x', 'o'][side], |man| man.letter);
    report.pieces.chars().enumerate().map(|(at, old)| if at == cell { letter } else { old }).collect()
}
