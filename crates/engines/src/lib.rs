//! Engines: ways to solve one tier, each generic over the games that it can solve.
//!
//! An engine is an [`Engine`](zermelo_core::Engine) on a [`Layout`]: how one variant's positions are cut into tiers,
//! numbered and found again. This crate knows no games and does no input or output. The crate `zermelo-catalogue` pairs
//! engines with games.

mod below;
mod blobs;
mod codes;
mod compact;
mod forward;
mod isa;
mod lattice;
mod layout;
mod listing;
pub mod parallel;
mod perft;
mod ranked;
mod reach;
mod retrograde;
mod rotations;
mod search;
mod share;
mod spill;
mod sweep;
mod unmoves;
mod verify;
mod walk;

pub use blobs::{BlobTiers, Blobs};
pub use codes::Codes;
pub use compact::Compact;
pub use isa::Isa;
pub use lattice::{Lattice, LatticeTiers};
pub use layout::{Layout, Opens, PositionOf, TierLaws, TurnPosition, open, opened};
pub use ranked::{Child, Ranked, ShareJob, TierJob};
pub use reach::Reach;
pub use retrograde::{Iterate, LoopEngine, Retrograde};
pub use rotations::{Distances, Midgame, PackedSection, Rotations, Score, Scores, SectionCounts};
pub use search::search;
pub use sweep::Sweep;
pub use unmoves::Unmoves;

/// Numbers of a tier that one task takes at a time: some tenths of a millisecond.
pub(crate) const CHUNK: usize = 1 << 12;
