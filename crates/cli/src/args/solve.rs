//! The options of `zermelo solve`, and of `zermelo devices`, which lists what its engine for GPUs can use.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::values::{seconds, size};
use super::{Resources, Where, Which};

/// `zermelo solve`.
#[derive(Args)]
pub(crate) struct Solve {
    /// Which game.
    #[command(flatten)]
    pub(crate) which: Which,
    /// How much of the machine.
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// Where to keep the database.
    #[command(flatten)]
    pub(crate) place: Where,
    /// Solve with this engine instead of the game's own
    #[arg(long)]
    pub(crate) engine: Option<String>,
    /// Memory of the GPU to use at most, such as 40G, for the engine gpu [default: all that is free]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) device_memory: Option<u64>,
    /// Solve this position and all that it leads to, instead of the whole game
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Throw an existing database away and start over
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Begin without a question, also where it takes over ten minutes or more memory than is free
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Keep nothing; print the counts of positions by value
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) no_database: bool,
    /// With --no-database: count every board that is numbered, whether the start reaches it or not, once as the player to
    /// move sees it; reached positions are not looked for
    #[arg(long, requires = "no_database")]
    pub(crate) all: bool,
    /// With --no-database: directory for what does not fit the memory and for counts, to go on from after a kill;
    /// empty in the end
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "no_database")]
    pub(crate) resume: Option<PathBuf>,
    /// Solve what fits the memory where some tiers do not; these are listed, and the exit status is 1
    #[arg(long, conflicts_with = "no_database")]
    pub(crate) keep_going: bool,
    /// Seconds between two saved states of a tier that takes long, from which a killed run goes on
    #[arg(long, value_name = "S", default_value_t = 180.0, value_parser = seconds)]
    pub(crate) checkpoint: f64,
    /// Search about N positions, drawn at random while tiers are solved, and stop if a value differs (lattice engine;
    /// 0 for none)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) check: u64,
    /// Write what every thread did when, for ui.perfetto.dev or chrome://tracing; a trace that cannot be written to
    /// its end is an error once the result is told
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `zermelo devices`.
#[derive(Args)]
pub(crate) struct Devices {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
