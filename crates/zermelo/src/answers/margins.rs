//! Numbers beside values: what the positions of a variant are won by, or their nimbers. They come from
//! a database of their own, made by `solve --objective margin` or `nimber`, which lies beside the one of
//! distances.

use std::path::Path;

use zermelo_core::{AskError, MoveReport, Opened, Position, Report, Tables, Unit, Value};

use crate::Catalogue;
use crate::database::Database;

/// The objectives whose numbers are told beside distances; no game has both.
const BESIDE: [&str; 2] = ["margin", "nimber"];

/// The margins of one variant, or its nimbers, all of them solved.
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

    /// Whether they are margins.
    pub fn are_margins(&self) -> bool {
        self.game.unit == Unit::Margin
    }

    /// Of several ways, the first that has a finished database; with so many bytes for decoded blocks.
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

/// What is told beside a value, where it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// What the player to move wins by, less than 0 where they lose.
    pub margin: Option<i32>,
    /// The nimber, whoever is to move.
    pub nimber: Option<u16>,
}

impl Extra {
    /// From a value of this kind.
    pub fn of(value: Option<Value>, unit: Unit) -> Extra {
        let told = |value| Extra { margin: unit.margin(value), nimber: unit.nimber(value) };
        value.map(told).unwrap_or_default()
    }

    /// Margin and nimber as the other player sees them: the margin changes its sign.
    pub fn other(self) -> Extra {
        Extra { margin: self.margin.map(|n| -n), ..self }
    }

    /// What is told after a distance: `, by 8`, or `, nimber 3`, or nothing.
    pub fn text(self) -> String {
        match (self.margin, self.nimber) {
            (Some(n), _) if n != 0 => format!(", by {}", n.abs()),
            (_, Some(n)) => format!(", nimber {n}"),
            _ => String::new(),
        }
    }
}

/// What goes beside a report: the margins or nimbers of its position and of those that its moves lead
/// to, each for the player to move there.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Of the position.
    pub position: Extra,
    moves: Vec<Extra>,
}

impl Beside {
    /// From another report of the same position, whose values are of this kind.
    pub fn new(report: &Report, other: &Report, unit: Unit) -> Beside {
        // The two have the same moves, but not in the same order.
        let find = |m: &MoveReport| other.moves.iter().find(|other| other.name == m.name)?.value;
        let moves = report.moves.iter().map(|m| Extra::of(find(m), unit)).collect();
        Beside { position: Extra::of(other.value, unit), moves }
    }

    /// Of where a move leads, by its place in the report.
    pub fn after(&self, n: usize) -> Extra {
        self.moves.get(n).copied().unwrap_or_default()
    }
}
