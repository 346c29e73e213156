//! What people ask of a game as text, whatever the engine.

use zermelo_core::{AskError, Code, Complaint, Face, Limits, MoveReport, Report, Value, laws::list_moves};

/// A position with its value and its moves; `code` finds the code of a position.
pub(crate) fn report<G: Face>(
    game: &G,
    position: &str,
    value: fn(Code) -> Option<Value>,
    code: impl Fn(G::Position) -> Result<Option<Code>, AskError>,
) -> Result<Report, AskError> {
    let (turn, p) = game.read(position)?;
    let mut moves = vec![];
    for (m, child) in list_moves(game, p) {
        let code = code(child)?;
        let report = MoveReport {
            name: game.show_move(turn, p, m),
            drawing: game.draw(p, m),
            position: game.show(turn.other(), child),
            value: code.and_then(value),
        };
        moves.push((code.unwrap_or(Code::UNKNOWN), report));
    }
    moves.sort_by_key(|(code, _)| *code);
    Ok(Report {
        position: game.show(turn, p),
        turn,
        pieces: game.pieces(turn, p),
        over: game.outcome(p).is_some(),
        value: code(p)?.and_then(value),
        moves: moves.into_iter().map(|(_, report)| report).collect(),
    })
}

/// The position after a list of moves.
pub(crate) fn follow<G: Face>(game: &G, position: &str, moves: &str) -> Result<String, Complaint> {
    let (mut turn, mut p) = game.read(position)?;
    for word in moves.split([' ', ',', '\t', '\n']).filter(|w| !w.is_empty()) {
        let list = list_moves(game, p);
        let named: Vec<_> = list.iter().map(|(m, child)| (game.show_move(turn, p, *m), *child)).collect();
        let Some((_, child)) = named.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)) else {
            let at = game.show(turn, p);
            let names: Vec<_> = named.iter().take(12).map(|(name, _)| name.as_str()).collect();
            let dots = if named.len() > names.len() { ", ..." } else { "" };
            return Err(Complaint::new(match names.is_empty() {
                true => format!("move {word:?}: the game is over at {at}"),
                false => format!("move {word:?} is not possible at {at}; try {}{dots}", names.join(", ")),
            }));
        };
        (turn, p) = (turn.other(), *child);
    }
    Ok(game.show(turn, p))
}

/// The value of a position by search alone; `None` when the limits come first.
pub(crate) fn search<G: Face>(game: &G, position: &str, limits: Limits) -> Result<Option<Value>, Complaint> {
    let (_, p) = game.read(position)?;
    let own = game.own_search(p, limits);
    Ok(own.unwrap_or_else(|| crate::search(game, p, limits)))
}
