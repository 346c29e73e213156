//! The options of `zermelo book`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{Resources, Where, Which};

/// `zermelo book`.
#[derive(Args)]
pub(crate) struct Book {
    /// Which game.
    #[command(flatten)]
    pub(crate) which: Which,
    /// Put positions of at most so many moves from the start into the book
    #[arg(long, value_name = "N", required_unless_present = "check", conflicts_with = "check")]
    pub(crate) plies: Option<u32>,
    /// Put positions of one move more into the book where the game goes on for so many moves or more: values that a
    /// search finds last
    #[arg(long, value_name = "MOVES", requires = "plies")]
    pub(crate) late: Option<u16>,
    /// Write the book to this file [default: the variant's place in the data directory, where it is read from]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "check")]
    pub(crate) output: Option<PathBuf>,
    /// Check a book instead: values again from those of their moves, which are searched where the book has none
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) check: Option<PathBuf>,
    /// The number of values to check
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "check")]
    pub(crate) sample: u64,
    /// Where the database is.
    #[command(flatten)]
    pub(crate) place: Where,
    /// How much of the machine.
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
