//! Solving from a program: what to solve, with what, and where to keep it.

use std::path::PathBuf;

use crate::{Catalogue, OpenError, Progress, Settings, Solution, SolveError, solve};

/// A builder for a solve: set what is wanted, then call [`Solve::run`].
///
/// ```
/// let solution = zermelo::Solve::new("quixo:rows=3,cols=3,line=3").memory(1 << 30).threads(2).run()?;
/// assert_eq!(solution.value.to_string(), "win in 7");
/// # Ok::<(), zermelo::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a solve does nothing before `run`"]
pub struct Solve {
    catalogue: Catalogue,
    name: String,
    engine: Option<String>,
    objective: Option<String>,
    from: Option<String>,
    settings: Settings,
}

/// Any error that this crate returns to a program: when a variant is opened, solved, or asked for values.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such variant, or no such way to solve it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The solve stopped.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] zermelo_store::StoreError),
    /// A question has no answer.
    #[error(transparent)]
    Ask(#[from] zermelo_core::AskError),
    /// The input was refused.
    #[error(transparent)]
    Input(#[from] zermelo_core::Complaint),
}

impl Solve {
    /// A solve of a variant such as `quixo:rows=4,cols=4,line=4`, on all cores, in three quarters of the memory that is
    /// free, without a database.
    pub fn new(name: &str) -> Solve {
        let (catalogue, settings) = (Catalogue::standard(), Settings::default());
        Solve { catalogue, name: name.into(), engine: None, objective: None, from: None, settings }
    }

    /// Looks the game up in this catalogue instead of the project's own.
    pub fn catalogue(self, catalogue: Catalogue) -> Solve {
        Solve { catalogue, ..self }
    }

    /// Solves with this engine, not with the best one that takes the variant.
    pub fn engine(self, engine: &str) -> Solve {
        Solve { engine: Some(engine.into()), ..self }
    }

    /// Solves for this objective, such as `margin`, not for what the game is solved for as a rule.
    pub fn objective(self, objective: &str) -> Solve {
        Solve { objective: Some(objective.into()), ..self }
    }

    /// Solves a position and all it leads to, not the whole variant.
    pub fn from(self, position: &str) -> Solve {
        Solve { from: Some(position.into()), ..self }
    }

    /// Keeps a database in this data directory; a solve that was stopped goes on from there.
    pub fn data(mut self, data: impl Into<PathBuf>) -> Solve {
        self.settings.data = Some(data.into());
        self
    }

    /// Stays within so many bytes.
    pub fn memory(mut self, bytes: u64) -> Solve {
        self.settings.memory = bytes;
        self
    }

    /// Uses so many threads.
    pub fn threads(mut self, threads: usize) -> Solve {
        self.settings.threads = threads;
        self
    }

    /// Starts over where there is a database.
    pub fn fresh(mut self) -> Solve {
        self.settings.fresh = true;
        self
    }

    /// Solves the game.
    pub fn run(self) -> Result<Solution, Error> {
        self.run_with(&Progress::new("solve"))
    }

    /// Solves the game, and reports to `progress` how far it is.
    pub fn run_with(self, progress: &Progress) -> Result<Solution, Error> {
        let (engine, objective) = (self.engine.as_deref(), self.objective.as_deref());
        let mut games = self.catalogue.open_all(&self.name, engine, objective, self.from.as_deref())?;
        Ok(solve(&games.swap_remove(0), &self.settings, progress)?)
    }
}
