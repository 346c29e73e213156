//! Why a variant cannot be opened.

use zermelo_core::Complaint;

/// Why a name could not be opened as a variant of a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no game of that name; with the name, and a game that may have been meant or a list of all.
    #[error("there is no game {0}; {1} (see `zermelo games`)")]
    Game(String, String),
    /// The game has no such variant.
    #[error("{game}: {complaint} (see `zermelo games {game}`)")]
    Variant {
        /// The game.
        game: &'static str,
        /// What is wrong with its options.
        complaint: Complaint,
    },
    /// The engine cannot solve the variant.
    #[error("{game}: this variant is beyond engine {engine}; leave --engine out")]
    Beyond {
        /// The game.
        game: &'static str,
        /// The engine.
        engine: &'static str,
    },
    /// None of the game's engines can solve the variant.
    #[error(
        "{game}: this variant is beyond {engines}, all there is for this game; choose another variant{}",
        with_loops(*.loops)
    )]
    BeyondAll {
        /// The game.
        game: &'static str,
        /// The engines of the game.
        engines: String,
        /// Which engines solve games in which play may return to a position, if the first engine of this game cannot.
        loops: Option<&'static str>,
    },
    /// The variant cannot be solved for this objective.
    #[error("{game}: this variant cannot be solved for {objective}; leave --objective out")]
    Objective {
        /// The game.
        game: &'static str,
        /// The objective that was asked for.
        objective: String,
    },
    /// The engine cannot solve the variant from a position.
    #[error(
        "{game}: engine {engine} cannot solve this variant from a position; leave --engine or --from out"
    )]
    From {
        /// The game.
        game: &'static str,
        /// The engine.
        engine: &'static str,
    },
    /// None of the game's engines can solve the variant from a position.
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
        /// The objective that was asked for.
        objective: String,
        /// Engines that solve for the objective.
        have: String,
    },
    /// The engine for GPUs was asked for, and is not part of this build.
    #[error(
        "{game}: this build has no engine gpu; build it with `cargo build --release --features gpu`, or leave --engine out"
    )]
    NoGpus {
        /// The game.
        game: &'static str,
    },
    /// No such engine or objective for this game.
    #[error("{game} cannot be solved with {what} {got}; it can with {have}")]
    Way {
        /// The game.
        game: &'static str,
        /// `engine` or `objective`.
        what: &'static str,
        /// The name of the engine or objective that was asked for.
        got: String,
        /// The names that the game has.
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
