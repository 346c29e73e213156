//! What the players of a game are called in messages.

use zermelo_core::{Opened, Side, Turn};

/// The names of the players of one game.
pub(crate) struct Sides(Vec<Side>);

impl Sides {
    /// The players of a game.
    pub(crate) fn of(game: &Opened) -> Sides {
        Sides(game.oracle().board().sides)
    }

    fn side(&self, turn: Turn) -> Option<&Side> {
        self.0.get(usize::from(turn == Turn::Second))
    }

    /// Returns the player: `the first player`, or `Red` where the game has names for its players.
    pub(crate) fn player(&self, turn: Turn) -> String {
        match self.side(turn) {
            Some(side) => side.name.clone(),
            None => format!("{} player", order(turn)),
        }
    }

    /// Returns the player in few words: `the first`, or `Red`.
    pub(crate) fn short(&self, turn: Turn) -> String {
        self.side(turn).map_or(order(turn).into(), |side| side.name.clone())
    }

    /// Returns `the first player wins` or `Crows win`.
    pub(crate) fn wins(&self, turn: Turn) -> String {
        let verb = self.side(turn).map_or("wins", |side| side.does("wins"));
        format!("{} {verb}", self.player(turn))
    }
}

fn order(turn: Turn) -> &'static str {
    if turn == Turn::First { "the first" } else { "the second" }
}
