//! Ways to solve one tier, and the registry that pairs them with games.
//!
//! The only crate that compiles rules into kernels: everything generic over a game
//! becomes machine code here. It does no input or output.

mod below;
mod blobs;
mod check;
mod codes;
mod erased;
mod forward;
mod front;
mod isa;
mod lattice;
mod more;
pub mod parallel;
mod parked;
mod perft;
mod reach;
mod registry;
mod retrograde;
mod rotations;
mod search;
mod share;
mod sweep;
mod unmoves;
mod verify;
mod walk;

pub use blobs::Blobs;
pub use check::Verdict;
pub use codes::Codes;
pub use erased::Erased;
pub use isa::Isa;
pub use lattice::Lattice;
pub use more::{add_games, games};
pub use registry::{
    Entry, GAMES, OpenError, Way, blobs, find, lattice, open, open_all, open_all_from, open_from, way,
};
pub use retrograde::{Iterate, Retrograde};
pub use rotations::{Midgame, Packed, Partition, Rotations, Score, Scores, Tally};
pub use search::search;
pub use sweep::Sweep;
pub use unmoves::Unmoves;

/// Numbers of a tier that one task takes at a time: some tenths of a millisecond.
pub(crate) const CHUNK: usize = 1 << 12;
