//! What people ask of a game as text, whatever the engine.

use std::collections::HashMap;

use zermelo_core::{
    AskError, Code, Complaint, Face, Game, Limits, MoveReport, Objective, Report, Turn, Value,
    laws::list_moves, play_moves,
};

/// Where a solve begins, from a position as text; `None` for the game's own start.
pub(crate) fn begin<G: Face>(game: &G, from: Option<&str>) -> Result<Option<(Turn, G::Position)>, Complaint> {
    let Some(text) = from else { return Ok(None) };
    let (turn, p) = game.read(text)?;
    if game.outcome(p).is_some() {
        let at = game.show(turn, p);
        return Err(Complaint::new(format!("the game is over at {at}; give --from a position with moves")));
    }
    Ok(Some((turn, p)).filter(|begin| *begin != (game.start_turn(), game.start())))
}

/// A position with its value and its moves; `code` finds the code of a position.
pub(crate) fn report<G: Face, O: Objective<G>>(
    game: &G,
    position: &str,
    code: &dyn Fn(G::Position) -> Result<Option<Code>, AskError>,
) -> Result<Report, AskError> {
    let (turn, p) = game.read(position)?;
    let mut moves = vec![];
    for (m, child) in list_moves(game, p) {
        let code = code(child)?;
        let next = turn.after(game, m, child);
        let opposed = code.map_or(Code::UNKNOWN, |code| O::opposed(game, m, child, code));
        let report = MoveReport {
            name: game.show_move(turn, p, m),
            drawing: game.draw(turn, p, m),
            position: game.show(next, child),
            again: next == turn,
            value: code.and_then(O::value),
            worth: O::worth(opposed),
        };
        moves.push((opposed, report));
    }
    moves.sort_by_key(|(code, _)| *code);
    Ok(Report {
        position: game.show(turn, p),
        turn,
        pieces: game.pieces(turn, p),
        over: game.outcome(p).is_some(),
        value: code(p)?.and_then(O::value),
        moves: moves.into_iter().map(|(_, report)| report).collect(),
    })
}

/// An engine's own search: [`Engine::examine`](zermelo_core::Engine::examine).
pub(crate) type Examine<G> = fn(&G, <G as Game>::Position, Limits) -> Option<(Code, Vec<Code>)>;

/// The same by the engine's own search.
pub(crate) fn examine<G: Face, O: Objective<G>>(
    game: &G,
    position: &str,
    limits: Limits,
    search: Examine<G>,
) -> Result<Option<Report>, Complaint> {
    let (_, p) = game.read(position)?;
    if game.outcome(p).is_some() {
        return Ok(None);
    }
    let Some((here, after)) = search(game, p, limits) else { return Ok(None) };
    let children = list_moves(game, p).into_iter().map(|(_, child)| child);
    let codes = children.zip(after).map(|(p, code)| (p, O::look(game, p).unwrap_or(code)));
    let mut codes: HashMap<_, _> = codes.collect();
    codes.insert(p, here);
    let found = report::<_, O>(game, position, &|p| Ok(codes.get(&p).copied()));
    found.map(Some).map_err(|error| match error {
        AskError::Input(complaint) => complaint,
        AskError::Tables(reason) => Complaint::new(reason.to_string()),
    })
}

/// What else a game has to say of a position.
pub(crate) fn note<G: Face>(game: &G, position: &str, limits: Limits) -> Result<Option<String>, Complaint> {
    let (turn, p) = game.read(position)?;
    // A limit of zero means no work at all.
    Ok(if limits.time.is_zero() { None } else { game.note(turn, p, limits) })
}

/// The position after a list of moves.
pub(crate) fn follow<G: Face>(game: &G, position: &str, moves: &str) -> Result<String, Complaint> {
    let (turn, p) = play_moves(game, game.read(position)?, moves)?;
    Ok(game.show(turn, p))
}

/// The value of a position by search alone; `None` when the limits come first.
pub(crate) fn search<G: Face>(game: &G, position: &str, limits: Limits) -> Result<Option<Value>, Complaint> {
    let (_, p) = game.read(position)?;
    let own = game.own_search(p, limits);
    Ok(own.unwrap_or_else(|| crate::search(game, p, limits)))
}
