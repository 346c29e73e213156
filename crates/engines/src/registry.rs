//! Every game by name. To add one, write its module in `games` and its line here.

use zermelo_core::{AnyGame, Card, Complaint, Engine, Face, Objective, Tiers, quoted};
use zermelo_games::{Connect4, Mnk, Quixo};

use crate::{Erased, Iterate, Retrograde, Sweep, Unmoves};

/// Every game there is.
pub static GAMES: &[Entry] = &[
    Entry::new::<Connect4, Sweep>(&[way::<Connect4, Retrograde>()]),
    Entry::new::<Mnk, Sweep>(&[way::<Mnk, Retrograde>(), way::<Mnk, Iterate>()]),
    Entry::new::<Quixo, Retrograde>(&[way::<Quixo, Unmoves>(), way::<Quixo, Iterate>()]),
];

/// One game, and the ways to solve it.
pub struct Entry {
    /// What the game tells of itself.
    pub card: &'static Card,
    first: Way,
    others: &'static [Way],
}

/// An engine for a game, and what it solves for.
#[derive(Clone, Copy)]
pub struct Way {
    /// What people type after `--engine`.
    pub engine: &'static str,
    /// What people type after `--objective`.
    pub objective: &'static str,
    open: fn(&str) -> Result<Box<dyn AnyGame>, Complaint>,
}

const fn way<G: Tiers + Face, E: Engine<G>>() -> Way {
    Way {
        engine: E::NAME,
        objective: <E::Objective as Objective<G>>::NAME,
        open: |options| Ok(Box::new(Erased::<G, E>::open(options)?)),
    }
}

impl Entry {
    /// A game with the engine it is solved with unless told otherwise, and other engines.
    const fn new<G: Tiers + Face, E: Engine<G>>(others: &'static [Way]) -> Entry {
        Entry { card: &const { G::CARD }, first: way::<G, E>(), others }
    }

    /// Every way to solve it, the default first.
    pub fn ways(&self) -> impl Iterator<Item = &Way> {
        [&self.first].into_iter().chain(self.others)
    }
}

/// Why there is no such game.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No game of that name.
    #[error("there is no game {0}; the games are {1} (see `zermelo games`)")]
    Game(String, String),
    /// A variant the game does not have.
    #[error("{game}: {complaint} (see `zermelo games {game}`)")]
    Variant {
        /// The game.
        game: &'static str,
        /// What is wrong with its options.
        complaint: Complaint,
    },
    /// No such engine or objective for this game.
    #[error("{game} cannot be solved with {what} {got}; it can with {have}")]
    Way {
        /// The game.
        game: &'static str,
        /// `engine` or `objective`.
        what: &'static str,
        /// What was asked for.
        got: String,
        /// What there is.
        have: String,
    },
}

/// Opens a variant such as `quixo:rows=4,cols=4,line=4`.
pub fn open(
    name: &str,
    engine: Option<&str>,
    objective: Option<&str>,
) -> Result<Box<dyn AnyGame>, OpenError> {
    let (game, options) = name.split_once(':').unwrap_or((name, ""));
    let entry = GAMES.iter().find(|e| e.card.name.eq_ignore_ascii_case(game.trim())).ok_or_else(|| {
        let names: Vec<_> = GAMES.iter().map(|e| e.card.name).collect();
        OpenError::Game(quoted(game), names.join(", "))
    })?;
    let game = entry.card.name;
    let have = |what: &'static str, got: &str, of: fn(&Way) -> &'static str| {
        let mut have: Vec<_> = entry.ways().map(of).collect();
        have.dedup();
        OpenError::Way { game, what, got: quoted(got), have: have.join(", ") }
    };
    let mut ways = entry.ways().filter(|w| engine.is_none_or(|e| w.engine == e)).peekable();
    if ways.peek().is_none() {
        return Err(have("engine", engine.unwrap_or(""), |w| w.engine));
    }
    let way = ways.find(|w| objective.is_none_or(|o| w.objective == o));
    let way = way.ok_or_else(|| have("objective", objective.unwrap_or(""), |w| w.objective))?;
    (way.open)(options).map_err(|complaint| OpenError::Variant { game, complaint })
}
