//! How many ways a game can go on for so many plies, by playing them all: a measure of how fast
//! a game's moves are, and a check of its rules against other people's numbers.

use zermelo_core::{Face, Game, Perft};

/// The sequences of so many plies from the start; a pass is a ply.
pub(crate) fn perft<G: Face>(game: &G, plies: u32) -> Perft {
    let mut found = Perft::default();
    match plies {
        0 => found.games = 1,
        _ => follow(game, game.start(), plies, &mut found),
    }
    found
}

/// Of a position that is not over.
fn follow<G: Game>(game: &G, p: G::Position, plies: u32, found: &mut Perft) {
    if plies == 1 {
        found.games += game.mobility(p);
        return;
    }
    game.moves(p, |m| {
        let child = game.play(p, m);
        if game.outcome(child).is_some() {
            found.finished += u64::from(plies == 2);
        } else if G::ALONE || !(G::AGAIN && game.again(m, child)) {
            follow(game, child, plies - 1, found);
        } else if plies == 2 {
            found.games += 1;
            found.passes += 1;
        } else {
            follow(game, child, plies - 2, found);
        }
    });
}
