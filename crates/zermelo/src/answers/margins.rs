//! Numbers beside values: what the positions of a variant are won by, or their nimbers. They come from
//! a database of their own, made by `solve --objective margin` or `nimber`, which lies beside the one of
//! distances.

use std::path::Path;

use zermelo_core::{AskError, MoveReport, Opened, Position, Report, Tables, Unit, Value};

use crate::Catalogue;
use crate::database::Database;

/// The objectives whose numbers are told beside distances; no game has both.
const BESIDE: [&str; 2] = ["margin", "nimber"];

/// A database of the margins of one variant, or of its nimbers, to show beside the values of another database.
pub struct Margins {
    game: Opened,
    database: Database,
}

impl Margins {
    /// The ways to solve a variant for its margins or nimbers; none for games that have neither.
    pub fn ways(catalogue: Catalogue, name: &str) -> Vec<Opened> {
        let open = |objective: &&str| catalogue.open_all(name, None, Some(objective), None).ok();
        let ways = BESIDE.iter().find_map(open);
        ways.unwrap_or_default()
    }

    /// Whether the database has margins, not nimbers.
    pub fn are_margins(&self) -> bool {
        self.game.unit == Unit::Margin
    }

    /// Opens the margins or nimbers of the first of several ways that has a finished database, with a cache of so many
    /// bytes for decoded blocks; `None` where no way has one.
    pub fn find(data: &Path, ways: Vec<Opened>, cache: usize) -> zermelo_store::Result<Option<Margins>> {
        if ways.is_empty() {
            return Ok(None);
        }
        let (game, database) = Database::find(data, ways, cache)?;
        Ok(database.filter(Database::is_complete).map(|database| Margins { game, database }))
    }

    /// The database that the margins are read from.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The margin or nimber of a position, as far as the tables tell.
    pub fn of(&self, position: Position) -> Result<Extra, AskError> {
        Ok(Extra::of(self.game.oracle().value(position, &self.database)?, self.game.unit))
    }

    /// The margins or nimbers of a position and of where its moves lead, beside a report of it, as far as these tables
    /// tell.
    pub(super) fn beside(&self, report: &Report, tables: &dyn Tables) -> Result<Beside, AskError> {
        let other = self.game.oracle().report(report.at, tables)?;
        Ok(Beside::new(report, &other, self.game.unit))
    }
}

/// The margin and the nimber of a position, to show beside its value; each is `None` where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// What the player to move wins by, less than 0 where they lose.
    pub margin: Option<i32>,
    /// The nimber, whoever is to move.
    pub nimber: Option<u16>,
}

impl Extra {
    /// The margin or nimber that a value has; `unit` says which of them the number of the value is.
    pub fn of(value: Option<Value>, unit: Unit) -> Extra {
        let told = |value| Extra { margin: unit.margin(value), nimber: unit.nimber(value) };
        value.map(told).unwrap_or_default()
    }

    /// Margin and nimber as the other player sees them: the margin changes its sign.
    pub fn other(self) -> Extra {
        Extra { margin: self.margin.map(|n| -n), ..self }
    }

    /// The text to show after a distance: `, by 8`, or `, nimber 3`, or nothing.
    pub fn text(self) -> String {
        match (self.margin, self.nimber) {
            (Some(n), _) if n != 0 => format!(", by {}", n.abs()),
            (_, Some(n)) => format!(", nimber {n}"),
            _ => String::new(),
        }
    }
}

/// The margins or nimbers to show beside a report: of its position, and of the positions that its moves lead to, each
/// for the player to move there.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The margin or nimber of the position.
    pub position: Extra,
    moves: Vec<Extra>,
}

impl Beside {
    /// Takes the margins or nimbers from another report of the same position; `unit` says what the numbers of its
    /// values are.
    pub fn new(report: &Report, other: &Report, unit: Unit) -> Beside {
        // The two have the same moves, but not in the same order.
        let find = |m: &MoveReport| other.moves.iter().find(|other| other.name == m.name)?.value;
        let moves = report.moves.iter().map(|m| Extra::of(find(m), unit)).collect();
        Beside { position: Extra::of(other.value, unit), moves }
    }

    /// The margin or nimber of the position that the `n`-th move of the report leads to.
    pub fn after(&self, n: usize) -> Extra {
        self.moves.get(n).copied().unwrap_or_default()
    }
}
