//! The options of `zermelo tiers`.

use clap::Args;

use super::{Where, Which};

/// `zermelo tiers`.
#[derive(Args)]
pub(crate) struct Tiers {
    /// Which game.
    #[command(flatten)]
    pub(crate) which: Which,
    /// Where the database is.
    #[command(flatten)]
    pub(crate) place: Where,
    /// List the tiers of this engine instead of the game's own
    #[arg(long)]
    pub(crate) engine: Option<String>,
    /// List what is solved from this position
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// List at most so many tiers; the last line counts the others too, up to a million
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(crate) limit: u64,
    /// List all tiers, however many there are
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
    /// Print JSON, one object a tier on a line of its own; the last has the totals
    #[arg(long)]
    pub(crate) json: bool,
}
