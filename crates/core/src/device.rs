//! What a GPU must know of a game: its rules and its numbering in the language of the device.
//!
//! A device engine compiles one program for each variant: its own kernels, the header of the game, and the constants of
//! the variant. The game's ordinary rules stay the reference. The engine's tests compile the header for the processor
//! and compare.
//!
//! A header defines, beside the types of `prelude.cuh`:
//!
//! ```text
//! struct Position                                    a position, seen by the player to move
//! struct Numbering                                   the numbering of a tier: SLOTS numbers of 64 bits
//! bool position(Numbering, number, Position &)       the canonical position of a number; false for a hole
//! arrange(Numbering, number, Position &)             the position of a number that is no hole
//! u64 number(Numbering, Position)                    the number of a position of the tier
//! bool within(Numbering, Position)                   whether a position belongs to the tier
//! u32 copies(Numbering, number, Position)            how many positions share the number
//! u32 outcome(Position)                              GOES_ON, LOST, TIED or WON for the player to move
//! moves(Position, visit)                             calls visit(after, stays) for each move; stops when visit says so
//! unmoves(Position, visit)                           calls visit(before) for positions of the same tier
//! ```
//!
//! A game that does not [foresee](crate::Game::FORESEES) wins in one has other functions in place of `outcome`, `moves`,
//! `unmoves` and `within`. What such a function visits may be a hole: then there is no such move. Who has no move has
//! lost.
//!
//! ```text
//! leaving(Position, visit)                           calls visit(after) for moves that leave the tier; after.child says
//!                                                    which of the tiers below has the position
//! neighbours(Position, back, visit)                  calls visit(number) for moves that stay in the tier, or with `back`
//!                                                    for those that lead here from the tier; stops when visit says so
//! bool can_stay(Position)                            whether there is a move that stays in the tier
//! ```
//!
//! [`folded_header`] has all of these that concern numbers, for games of two sets of cells on a grid.

mod folded;

pub use folded::folded_header;

use crate::Tiers;

/// A game whose tiers with loops a GPU can solve.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no rules for a GPU",
    note = "implement `zermelo_core::DeviceRules`, or pair the game with another engine"
)]
pub trait DeviceRules: Tiers {
    /// The header: rules and numbering in the part of C++ that both a GPU's compiler and the processor's take.
    fn header(&self) -> String;

    /// Whether a device can have positions of this variant.
    fn fits(&self) -> bool {
        true
    }

    /// The constants of the variant, as `#define`d names with their numbers.
    fn constants(&self) -> Vec<(&'static str, u64)>;

    /// The numbering of a tier, in the order of the fields of the header's `Numbering`.
    fn numbering(&self, index: &Self::Index) -> Vec<Slot>;
}

/// One field of a numbering on a device.
#[derive(Clone, Debug)]
pub enum Slot {
    /// A number.
    Number(u64),
    /// The address of a table.
    Table(DeviceTable),
}

/// A table behind numbers. Tiers that have the same table give it the same name, so that a device holds it once.
#[derive(Clone)]
pub struct DeviceTable {
    /// What the table holds, and of what size.
    pub name: (&'static str, u64, u64),
    /// Makes the table.
    pub make: std::sync::Arc<dyn Fn() -> Vec<u8> + Send + Sync>,
}

impl std::fmt::Debug for DeviceTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.name)
    }
}

impl DeviceTable {
    /// A table of words, given by a function that lists `many` of them.
    pub(crate) fn words<T: Word, I: IntoIterator<Item = T>>(
        name: (&'static str, u64, u64),
        many: u64,
        list: impl Fn() -> I + Send + Sync + 'static,
    ) -> Slot {
        let make = move || {
            let mut bytes = Vec::with_capacity(many as usize * size_of::<T>());
            list().into_iter().for_each(|word| word.append(&mut bytes));
            bytes
        };
        Slot::Table(DeviceTable { name, make: std::sync::Arc::new(make) })
    }
}

/// A number that tables are made of.
pub(crate) trait Word {
    /// Appends the bytes of the number, the lowest first.
    fn append(self, out: &mut Vec<u8>);
}

macro_rules! word {
    ($($int:ty)*) => {$(
        impl Word for $int {
            fn append(self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }
        }
    )*};
}

word!(u32 u64);
