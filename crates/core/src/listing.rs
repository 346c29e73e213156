//! Positions with their values, tier by tier: what an export writes.
//!
//! A table leaves out what a look at the rules tells, and numbers may have no position. A [`Listing`] gives every
//! position of a range of numbers its true value all the same.

use std::ops::Range;

use crate::{AskError, Position, Reached, StoredTier, Tables, Tier, Value};

/// A position in a table, with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The number of the position within its tier.
    pub number: u64,
    /// The position.
    pub position: Position,
    /// The number of positions that this one stands for, itself included: those symmetric to it.
    pub copies: u64,
    /// The value of the position.
    pub value: Value,
}

/// The numbers to list, and the tables that have their values.
pub struct ListJob<'a> {
    /// The numbers.
    pub range: Range<u64>,
    /// The stored codes of the tier.
    pub stored: StoredTier<'a>,
    /// The tables of all tiers, for values that follow from those of other positions, and for single numbers.
    pub tables: &'a dyn Tables,
    /// The reached positions of the tier; `None` to list all that have a number.
    pub reached: Option<&'a dyn Reached>,
}

/// Lists the positions of a layout with their values.
pub trait Listing: Send + Sync {
    /// Visits the positions of a range of a tier's numbers, in the order of numbers. With marks, a number that both
    /// players reach is visited twice. Without marks, a position is visited once, with a turn that its number of moves
    /// allows.
    fn list(&self, job: &ListJob<'_>, visit: &mut dyn FnMut(Listed)) -> Result<(), AskError>;

    /// The tier and the number of a packed position; `None` for a position that no table has.
    fn place(&self, packed: [u64; 2]) -> Option<(Tier, u64)>;

    /// The number of positions symmetric to a packed position, itself included.
    fn copies(&self, packed: [u64; 2]) -> u64;
}
