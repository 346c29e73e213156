//! Games whose occupied cells only grow (Othello): positions by *blobs*, the sets of occupied
//! cells up to symmetry, and within a blob by colours.
//!
//! Only reached positions are kept, in Othello one or two in a hundred of all colourings, and all those
//! with as many occupied cells form a tier. Both passes go pair by pair: a blob, and an empty
//! cell that a move may fill. All positions of the blob try the same move, one after another
//! in memory, and all that can make it land in one blob of the next tier.
//!
//! - Forward ([`forward`]): for each blob of the next tier, its parents' positions mark where
//!   they lead in one small bit set, which gives the reached positions sorted and once each.
//!   No position is hashed, and none is turned round by itself.
//! - Backward ([`backward`]): each position takes the best of its children's codes, which are
//!   found in the sorted lists of the tier below through a directory by their leading bits.
//!
//! The database ([`pages`]) leaves out positions with few empty cells: a look at all lines of
//! play to the end takes no longer there than opening a block does.

mod backward;
mod cells;
mod engine;
mod forward;
mod level;
mod listing;
mod pages;
mod search;

pub use engine::{BlobTiers, Blobs};
