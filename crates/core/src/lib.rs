//! The vocabulary that every other crate speaks: values, games, tiers, engines.
//!
//! Read [`Value`], then [`Game`], then [`Tiers`]; the rest follows.

mod any;
pub mod diagram;
mod engine;
mod folded;
mod game;
pub mod grid;
mod growing;
mod halves;
pub mod laws;
mod moves;
mod nimber;
mod objective;
mod options;
mod packed;
mod parked;
mod picture;
mod placing;
pub mod points;
pub mod prelude;
pub mod rank;
mod raster;
pub mod sections;
mod share;
mod step;
mod tier;
mod value;
pub mod varint;
mod walk;

pub use any::{
    AnyGame, AskError, Checked, Count, Filing, Limits, Looked, MoveReport, Perft, Reached, Report, Tables,
};
pub use engine::{
    Child, Effort, Engine, EngineError, Job, Need, ReadCodes, Reason, Solved, Stored, Watch, Width,
};
pub use folded::Folded;
pub use game::{Face, Flow, Game, Sight, Tiers, Turn, Unmove};
pub use growing::{Colours, Filling, Growing, Settled};
pub use halves::Halves;
pub use moves::play_moves;
pub use nimber::{Impartial, Nimber, Nimbers};
pub use objective::{Margin, Objective, Remoteness, Scored, Winner, wins_at_once};
pub use options::{Card, Choice, Complaint, NormalForm, Options, quoted, whole_number};
pub use packed::{Packed, Pair};
pub use parked::{Keep, Parked};
pub use picture::{Axes, Board, Drawing, Man, Side, Twist};
pub use placing::{File, Layout, Placing, soon};
pub use raster::Stroke;
pub use share::{Peers, ShareJob, Shares, StoredChild};
pub use step::Step;
pub use tier::Tier;
pub use value::{Code, Outcome, Unit, Value};
pub use walk::{Place, Record, Tally, Walker, Walking};
