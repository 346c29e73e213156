//! The options of `zermelo query`.

use clap::Args;

use super::export::Worth;
use super::values::{seconds, size};
use super::{Published, Where, Which};

/// `zermelo query`.
#[derive(Args)]
pub(crate) struct Query {
    /// Which game.
    #[command(flatten)]
    pub(crate) which: Which,
    /// A position, or - to read one a line from standard input [default: the start]
    #[arg(conflicts_with = "moves", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,
    /// The moves that lead from the start to the position, as one text with spaces between them: --moves 'b2 a1'
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) moves: Option<String>,
    /// Ask for a random position: of those that are solved, if any are, and else after random moves
    #[arg(long, conflicts_with_all = ["position", "moves"])]
    pub(crate) random: bool,
    /// With --random: only one of this value
    #[arg(long, value_enum, value_name = "VALUE", requires = "random")]
    pub(crate) value: Option<Worth>,
    /// With --random: only one of this remoteness
    #[arg(long, value_name = "N", requires = "random")]
    pub(crate) remoteness: Option<u16>,
    /// Where the database is.
    #[command(flatten)]
    pub(crate) place: Where,
    /// Where published values are.
    #[command(flatten)]
    pub(crate) published: Published,
    /// Seconds to search a position for that has no table; 0 for no search. In pentago a position
    /// is searched to the end, from 18 stones on: some seconds
    #[arg(long, value_name = "S", default_value_t = 2.0, value_parser = seconds)]
    pub(crate) time: f64,
    /// Memory for a search, such as 500M or 8G; a board of pentago with 18 stones takes 1.1G (4.1G
    /// for distances), each further stone leaves a third [default: 2G, or three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// Add a line of perfect play to the end
    #[arg(long)]
    pub(crate) line: bool,
    /// Print JSON, one object a position; the value of a move is that of where it leads, as the opponent
    /// sees it, and mover is what the move is worth to who makes it
    #[arg(long)]
    pub(crate) json: bool,
}
