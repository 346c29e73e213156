//! Margins: what the positions of a variant are won by. They come from a database of their own,
//! made by `solve --objective margin`, which lies beside the one of distances.

use std::path::Path;

use zermelo_core::{AnyGame, AskError, MoveReport, Report, Tables, Unit, Value};

use crate::database::{CACHE, Database};

/// The margins of one variant, all of them solved.
pub struct Margins {
    game: Box<dyn AnyGame>,
    database: Database,
}

impl Margins {
    /// Those of a variant such as `othello:rows=4,cols=4` inside a data directory; `None` where no
    /// such database is there and finished.
    pub fn open(data: &Path, name: &str) -> Result<Option<Margins>, zermelo_store::Error> {
        Margins::find(data, Margins::ways(name), CACHE)
    }

    /// The ways to solve a variant for its margins; none for games without a score.
    pub(crate) fn ways(name: &str) -> Vec<Box<dyn AnyGame>> {
        crate::open_all(name, None, Some("margin")).unwrap_or_default()
    }

    /// Of several ways, the first that has a finished database; with so many bytes for decoded blocks.
    pub(crate) fn find(
        data: &Path,
        ways: Vec<Box<dyn AnyGame>>,
        cache: usize,
    ) -> Result<Option<Margins>, zermelo_store::Error> {
        if ways.is_empty() {
            return Ok(None);
        }
        let (game, database) = Database::find_with_cache(data, ways, cache)?;
        Ok(database.filter(Database::is_complete).map(|database| Margins { game, database }))
    }

    /// Their database.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// What the player to move wins by, less than 0 where they lose; `None` where it is not known.
    pub fn margin(&self, position: &str) -> Result<Option<i32>, AskError> {
        Ok(self.game.value(position, &self.database)?.and_then(|value| Unit::Margin.margin(value)))
    }

    /// Those of a position and of where its moves lead, beside a report of it.
    pub fn beside(&self, report: &Report) -> Result<Beside, AskError> {
        Ok(Beside::new(report, &self.report(&report.position, &self.database)?))
    }

    /// A position with margins for values, as far as the tables tell.
    pub(crate) fn report(&self, position: &str, tables: &dyn Tables) -> Result<Report, AskError> {
        self.game.report(position, tables)
    }
}

/// What goes beside a report: the margins of its position and of those that its moves lead to,
/// each for the player to move there.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Of the position.
    pub position: Option<i32>,
    moves: Vec<Option<i32>>,
}

impl Beside {
    /// From another report of the same position, whose values are margins.
    pub fn new(report: &Report, margins: &Report) -> Beside {
        let margin = |value: Option<Value>| value.and_then(|value| Unit::Margin.margin(value));
        // The two have the same moves, but not in the same order.
        let of = |m: &MoveReport| margin(margins.moves.iter().find(|other| other.name == m.name)?.value);
        Beside { position: margin(margins.value), moves: report.moves.iter().map(of).collect() }
    }

    /// Of where a move leads, by its place in the report.
    pub fn after(&self, n: usize) -> Option<i32> {
        self.moves.get(n).copied().flatten()
    }
}
