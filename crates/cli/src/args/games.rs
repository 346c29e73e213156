//! The arguments of the commands `games` and `check`.

use clap::Args;

use super::{Resources, Where, Which, seconds};

/// `zermelo games`.
#[derive(Args)]
pub(crate) struct Games {
    /// One game, or one variant
    #[arg(value_name = "GAME[:OPTIONS]")]
    pub(crate) game: Option<String>,
    /// Where the databases are.
    #[command(flatten)]
    pub(crate) place: Where,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `zermelo check`.
#[derive(Args)]
pub(crate) struct Check {
    /// Which game.
    #[command(flatten)]
    pub(crate) which: Which,
    /// How much of the machine a solve would use.
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// Estimate for this engine instead of the game's own
    #[arg(long)]
    pub(crate) engine: Option<String>,
    /// Check so many positions at most
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) positions: u64,
    /// Check for so many seconds at most; give more together with more positions
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Which random games are played where there are more positions; 0 walks depth first
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
