//! Lists of moves as people type them.

use crate::laws::list_moves;
use crate::{Complaint, Face, Game, Turn, quoted};

/// The ways in which people write that a player passes.
const PASSES: [&str; 4] = ["pass", "pa", "ps", "--"];

/// Plays a list of moves from a position. A pass may be written where one was made, or left out, for it belongs to
/// the move before it.
pub fn play_moves<G: Face>(
    game: &G,
    (mut turn, mut p): (Turn, G::Position),
    moves: &str,
) -> Result<(Turn, G::Position), Complaint> {
    let mut passed = false;
    for word in game.move_words(moves) {
        if G::AGAIN && !G::ALONE && PASSES.iter().any(|pass| word.eq_ignore_ascii_case(pass)) {
            if !std::mem::take(&mut passed) {
                let at = game.show(turn, p);
                return Err(Complaint::new(format!("move {word:?}: nobody has to pass at {at}")));
            }
            continue;
        }
        let next = play_one(game, (turn, p), word)?;
        passed = next.0 == turn && game.outcome(next.1).is_none();
        (turn, p) = next;
    }
    Ok((turn, p))
}

fn play_one<G: Game + Face>(
    game: &G,
    (turn, p): (Turn, G::Position),
    word: &str,
) -> Result<(Turn, G::Position), Complaint> {
    let list = list_moves(game, p);
    let mut names = vec![];
    for (m, child) in list {
        let name = game.show_move(turn, p, m);
        if name.eq_ignore_ascii_case(word) {
            return Ok((turn.after(game, m, child), child));
        }
        names.push(name);
    }
    let (at, word) = (game.show(turn, p), quoted(word));
    let dots = if names.len() > 12 { ", ..." } else { "" };
    names.truncate(12);
    Err(Complaint::new(match names.is_empty() {
        true => format!("move {word}: the game is over at {at}"),
        false => format!("move {word} is not possible at {at}; try {}{dots}", names.join(", ")),
    }))
}
