//! The vocabulary that every other crate speaks: values, games, tiers, engines.
//!
//! Read [`Value`], then [`Game`], then [`Tiers`]; the rest follows.

pub mod device;
pub mod diagram;
mod engine;
mod every;
mod folded;
mod game;
pub mod grid;
mod growing;
mod halves;
pub mod laws;
mod listing;
mod locks;
mod mix;
mod moves;
mod nearest;
mod nimber;
mod objective;
mod opened;
mod options;
mod packed;
mod picture;
mod placing;
pub mod points;
pub mod prelude;
pub mod rank;
mod raster;
mod roles;
pub mod sections;
mod share;
mod spill;
mod step;
mod tier;
mod value;
pub mod varint;
mod walk;

pub use device::DeviceRules;
pub use engine::{
    Effort, Engine, EngineError, Job, Made, Need, ReadCodes, Reason, Sharing, Solved, StoredTier, Takes,
    Tallied, TierCheckpoint, Watch, Width,
};
pub use folded::Folded;
pub use game::{Face, Flow, Game, Sight, Tiers, Turn, Unmove};
pub use growing::{Colours, Filling, Growing, Settled};
pub use halves::Halves;
pub use listing::{ListJob, Listed, Listing};
pub use locks::Unpoisoned;
pub use mix::{FNV, GOLDEN, fnv, mix};
pub use moves::play_moves;
pub use nearest::nearest;
pub use nimber::{Impartial, Nimber, Nimbers};
pub use objective::{Margin, Objective, Remoteness, Scored, Winner, wins_at_once};
pub use opened::{Opened, Tiering};
pub use options::{Card, Choice, Complaint, NormalForm, Options, quoted, whole_number};
pub use packed::{Packed, Pair};
pub use picture::{Axes, Board, Drawing, Man, Side, Twist};
pub use placing::{BoardFiles, File, Placing, soon};
pub use raster::Stroke;
pub use roles::{
    AskError, Audit, Checked, Count, Filing, Limits, Looked, Lookup, Marked, MoveReport, Opaque, Oracle,
    Perft, Position, Reachability, Reached, Report, Tables, TierGraph, own,
};
pub use share::{Peers, SharedJob, Shares};
pub use spill::{Keep, Spill};
pub use step::Step;
pub use tier::Tier;
pub use value::{Code, Kind, Outcome, Unit, Value};
pub use walk::{Record, Tally, WalkedPosition, Walker, Walking};
