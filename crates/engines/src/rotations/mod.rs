//! Pentago by rotation tables: all turns of a board's quadrants at once.

mod engine;
mod midgame;
mod sections;

pub use engine::{Distances, Rotations};
pub use midgame::{Midgame, Score, Scores};
pub use sections::{PackedSection, SectionCounts};
