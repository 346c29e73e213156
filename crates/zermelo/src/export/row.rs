//! One row of an export, and the column whose name depends on what was solved for.

use zermelo_core::{Listed, Position, Tier, Unit, Value};

/// A position, where it is stored, and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The tier and the number; `None` where no table has the position.
    pub(super) place: Option<(Tier, u64)>,
    pub(super) position: Position,
    pub(super) value: Value,
    /// The number of positions that the row stands for.
    pub(super) copies: u64,
}

impl Row {
    /// The row of a position in a tier.
    pub(super) fn of(tier: Tier, listed: Listed) -> Row {
        let Listed { number, position, copies, value } = listed;
        Row { place: Some((tier, number)), position, value, copies }
    }
}

/// The column for the number of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column(&'static str);

impl Column {
    /// The column for a unit; `None` where values tell no more than who wins.
    pub(super) fn of(unit: Unit) -> Option<Column> {
        match unit {
            Unit::Moves | Unit::Goal => Some(Column("remoteness")),
            Unit::Margin => Some(Column("margin")),
            Unit::Nimber => Some(Column("nimber")),
            Unit::Winner => None,
        }
    }

    /// The name of the column.
    pub(super) fn name(self) -> &'static str {
        self.0
    }

    /// The number of a value: less than 0 for a margin that the player to move loses by. `None` where a value has no
    /// number, such as a draw.
    pub(super) fn of_value(self, unit: Unit, value: Value) -> Option<i32> {
        match unit {
            Unit::Margin => unit.margin(value),
            Unit::Nimber => unit.nimber(value).map(i32::from),
            _ => unit.remoteness(value).map(i32::from),
        }
    }
}
