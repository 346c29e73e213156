//! The options of `zermelo play` and `zermelo serve`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::values::{host_name, search_seconds, size, strength};
use super::{Published, Where, Which};

/// `zermelo play`.
#[derive(Args)]
pub(crate) struct Play {
    /// Which game.
    #[command(flatten)]
    pub(crate) which: Which,
    /// Where the database is.
    #[command(flatten)]
    pub(crate) place: Where,
    /// Where published values are.
    #[command(flatten)]
    pub(crate) published: Published,
    /// Begin at this position
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Who plays first
    #[arg(long, value_enum, default_value_t = Who::Human)]
    pub(crate) first: Who,
    /// Who plays second
    #[arg(long, value_enum, default_value_t = Who::Computer)]
    pub(crate) second: Who,
    /// Strength of the computer, from 0 (random) to 1 (perfect)
    #[arg(long, value_name = "0..1", default_value_t = 1.0, value_parser = strength)]
    pub(crate) strength: f32,
    /// Begin with the values of moves hidden; where moves come from a pipe, print none
    #[arg(long)]
    pub(crate) no_hints: bool,
}

/// Who plays a side.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Who {
    /// A person at the keyboard
    Human,
    /// The computer
    Computer,
}

/// `zermelo serve`.
#[derive(Args)]
pub(crate) struct Serve {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    pub(crate) listen: std::net::SocketAddr,
    /// Where the databases are.
    #[command(flatten)]
    pub(crate) place: Where,
    /// Where published values are.
    #[command(flatten)]
    pub(crate) published: Published,
    /// Memory for tables, searches and solves, such as 500M or 8G; half of it is for searches of
    /// pentago, which take 1.1G for 18 stones [default: 3G, or three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// Seconds to search a position for that has no table; 0 for no search
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = search_seconds)]
    pub(crate) search_time: f64,
    /// Requests a second that one client may make; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) per_client: u32,
    /// Requests to work on at once; more are told to come back later
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) concurrency: u32,
    /// Connections to hold open at once
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) connections: u32,
    /// Clients are told apart by the last X-Forwarded-For, which a reverse proxy sets
    #[arg(long)]
    pub(crate) behind_proxy: bool,
    /// Nobody may start a solve from the page
    #[arg(long)]
    pub(crate) no_solve: bool,
    /// Disk space that variants solved from the page may fill, such as 500M or 8G
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    pub(crate) solve_disk: u64,
    /// Another name by which people reach the server, such as games.example.org; may be given again
    #[arg(long = "host", value_name = "NAME", value_parser = host_name)]
    pub(crate) hosts: Vec<String>,
    /// Serve the page from this directory instead of the built-in one
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) ui: Option<PathBuf>,
    /// Do not log requests
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Open the page in a browser
    #[arg(long)]
    pub(crate) open: bool,
}
