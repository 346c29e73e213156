//! Why a solve stops, in words for people.

use std::path::Path;

use zermelo_core::{EngineError, Opened, Tier, Value};

use crate::names::with_name;

/// Why a solve stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The tier graph has a cycle, so that no tier of the cycle can be solved first.
    #[error("the tier graph has a cycle through tier {0}; the game's `children` must lead one way only")]
    Cycle(Tier),
    /// A declared tier without positions.
    #[error(
        "tier {0} is among the tiers to solve but has no positions; check the game's `children` and `size`"
    )]
    MissingTier(Tier),
    /// The start is in no declared tier.
    #[error("the start is in tier {0}, which is neither a root nor below one; check the game's `roots`")]
    MissingStart(Tier),
    /// More tiers than can be listed.
    #[error("there are more than {0} tiers, too many to list; cut the game into fewer")]
    TooManyTiers(u64),
    /// The memory is too small for a tier.
    #[error(
        "tier {tier} needs {} of memory with the tiers below it, and the limit is {}: {fix}",
        bytes(*need), bytes(*limit)
    )]
    Memory {
        /// The tier that cannot fit.
        tier: Tier,
        /// Bytes that the tier needs.
        need: u64,
        /// Bytes that the solve may use.
        limit: u64,
        /// What to do.
        fix: &'static str,
    },
    /// Some tiers were left out, and all others are solved.
    #[error(
        "solved {solved} tiers; left out for the limit of {} of memory: {left}; solve again with more --memory to go on \
         with these",
        bytes(*limit)
    )]
    LeftOut {
        /// How many tiers are solved.
        solved: usize,
        /// Which tiers are not, in words.
        left: String,
        /// Bytes that the solve may use.
        limit: u64,
    },
    /// The data directory cannot be used.
    #[error("data directory {path}: {reason}; {fix}")]
    Data {
        /// The name of the directory.
        path: String,
        /// Why the directory cannot be used.
        reason: String,
        /// What to do.
        fix: &'static str,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] zermelo_store::StoreError),
    /// The file of counts could not be read or written.
    #[error("{file}: {reason}; the counts of positions are kept there while a game is being solved")]
    Counts {
        /// The name of the file.
        file: String,
        /// Why the file could not be read or written.
        reason: String,
    },
    /// The database has no counts.
    #[error("this database has no counts in its manifest; solve it again with --fresh")]
    NoCounts,
    /// No threads could be had.
    #[error("{0}")]
    Threads(String),
    /// The database is still being solved, or a solve of it was stopped.
    #[error("this database is not finished: run `zermelo solve` for this game to finish it")]
    NotFinished,
    /// A game or an engine panicked while this tier was solved.
    #[error("tier {0}: {1}; this is a fault in the game or in zermelo, please report it")]
    Panic(Tier, String),
    /// Somebody stopped the solve.
    #[error("the solve was stopped; solve the game again to go on where it was")]
    Stopped,
    /// A run on a cluster cannot go on.
    #[error("{0}")]
    Cluster(String),
    /// A search found another value for a position than the engine.
    #[error(
        "{position}: solved as {found}, but a search says {searched}; this is a fault in zermelo, please report it"
    )]
    Differs {
        /// The position, as text.
        position: String,
        /// The value that the engine found for the position.
        found: Value,
        /// The value that the search found for the position.
        searched: String,
    },
    /// An error about a tier, with the name of the tier in its message.
    #[error("{}", with_name(&error.to_string(), *tier, name))]
    Named {
        /// The tier that the error is about.
        tier: Tier,
        /// The name of the tier.
        name: String,
        /// The error, whose own message has the number of the tier alone.
        error: Box<SolveError>,
    },
    /// The solved start has no value.
    #[error("the start has no value: {0}")]
    NoValue(String),
}

/// A result with the error of a solve.
pub type Result<T, E = SolveError> = std::result::Result<T, E>;

impl SolveError {
    /// The tier that the error is about, where it is about one.
    pub fn tier(&self) -> Option<Tier> {
        match self {
            SolveError::Cycle(tier)
            | SolveError::MissingTier(tier)
            | SolveError::MissingStart(tier)
            | SolveError::Memory { tier, .. }
            | SolveError::Panic(tier, _)
            | SolveError::Named { tier, .. } => Some(*tier),
            SolveError::Engine(error) => error.tier(),
            SolveError::Store(error) => error.tier(),
            _ => None,
        }
    }

    /// The error with the name that its tier has in a game. Whoever returns an error to a caller outside this crate
    /// calls this, so that no place where an error is made has to think of names.
    pub(crate) fn named(self, game: &Opened) -> SolveError {
        match self.tier() {
            Some(tier) if !matches!(self, SolveError::Named { .. }) => {
                SolveError::Named { tier, name: game.tiers().name(tier), error: Box::new(self) }
            }
            _ => self,
        }
    }

    /// The error without the name of its tier, to be told apart from other errors.
    pub fn unnamed(&self) -> &SolveError {
        if let SolveError::Named { error, .. } = self { error } else { self }
    }

    /// A directory that cannot be used, why, and what to do.
    pub(crate) fn data(path: &Path, reason: impl ToString, fix: &'static str) -> SolveError {
        SolveError::Data { path: path.display().to_string(), reason: reason.to_string(), fix }
    }

    /// An error where a tier needs more than there is.
    pub(crate) fn if_more(need: u64, limit: u64, tier: Tier, fix: &'static str) -> Result<()> {
        if need <= limit { Ok(()) } else { Err(SolveError::Memory { tier, need, limit, fix }) }
    }
}

/// Bytes as people read them.
pub fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} B"),
        // A sum that has run over.
        u64::MAX => "over 18,000 PB".into(),
        _ => {
            let text = crate::progress::short(n as f64);
            let (number, unit) = text.split_at(text.len() - 1);
            format!("{number} {unit}B")
        }
    }
}
