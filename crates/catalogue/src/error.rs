//! Why a variant cannot be opened.

use zermelo_core::Complaint;

/// Why a name could not be opened as a variant of a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// A variant that the engine cannot take.
    #[error("{game}: this variant is beyond engine {engine}; leave --engine out")]
    Beyond {
        /// The game.
        game: &'static str,
        /// The engine.
        engine: &'static str,
    },
    /// A variant that none of the game's engines can take.
    #[error(
        "{game}: this variant is beyond {engines}, all there is for this game; choose another variant{}",
        with_loops(*.loops)
    )]
    BeyondAll {
        /// The game.
        game: &'static str,
        /// The engines of the game.
        engines: String,
        /// What to take instead where play may return to a position, if the first of them does not take that.
        loops: Option<&'static str>,
    },
    /// A variant that has no values of that kind.
    #[error("{game}: this variant cannot be solved for {objective}; leave --objective out")]
    Objective {
        /// The game.
        game: &'static str,
        /// What was asked for.
        objective: String,
    },
    /// A position that the engine cannot begin at.
    #[error(
        "{game}: engine {engine} cannot solve this variant from a position; leave --engine or --from out"
    )]
    From {
        /// The game.
        game: &'static str,
        /// The engine.
        engine: &'static str,
    },
    /// A position that no engine can begin at.
    #[error("{game}: this variant cannot be solved from a position; leave --from out")]
    FromAll {
        /// The game.
        game: &'static str,
    },
    /// The game has the engine and the objective, but not together.
    #[error("{game}: engine {engine} does not solve for {objective}; {have} does: leave --engine out")]
    Pair {
        /// The game.
        game: &'static str,
        /// The engine.
        engine: &'static str,
        /// What was asked for.
        objective: String,
        /// Engines that solve for it.
        have: String,
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

/// What the author of a game needs to hear whose engines do not take loops.
fn with_loops(engine: Option<&str>) -> String {
    let hint = |engine| {
        format!(" (a game that can return to a position needs an engine for loops: enter {engine} for it)")
    };
    engine.map(hint).unwrap_or_default()
}
