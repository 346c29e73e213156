//! Zermelo as a library: open a game, solve it, keep its database, ask for values.
//!
//! ```
//! use zermelo::{Database, Progress, Settings, solve};
//!
//! let data = std::env::temp_dir().join(format!("zermelo-doc-{}", std::process::id()));
//! std::fs::create_dir_all(&data)?;
//! let game = zermelo::open("mnk:rows=3,cols=3,line=3", None, None)?;
//! let settings = Settings { data: Some(data.clone()), ..Settings::default() };
//! let solution = solve(&*game, &settings, &Progress::new("solve"))?;
//! assert_eq!(solution.value.to_string(), "tie in 9");
//!
//! let database = Database::open(&data, &*game)?;
//! let value = game.value("2_----x----", &database)?;
//! assert_eq!(value.map(|v| v.to_string()), Some("tie in 8".into()));
//! # std::fs::remove_dir_all(&data)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A game of one's own needs no change here: [`kit`] has all it takes, and [`cli::run`] makes a program with every
//! command of it.

mod analyze;
mod args;
mod cgroup;
pub mod cli;
pub mod cluster;
mod cmd;
mod count;
mod counts;
mod database;
mod estimate;
mod examine;
pub mod kit;
mod line;
mod machine;
mod margins;
mod names;
mod parts;
mod progress;
mod recount;
mod schedule;
pub mod serve;
mod settle;
mod slices;
mod trace;
pub mod tui;
mod verify;

pub use analyze::{Analysis, Table, analyze, row_name, solve_and_count};
pub use count::{CountError, CountSettings, Counted, Games, Row, Sums, count};
pub use database::{Database, data_folder};
pub use estimate::{Estimate, Memory, Patience, estimate};
pub use line::perfect_line;
pub use machine::{available_memory, cpu_seconds, peak_memory, search_memory, serve_memory};
pub use margins::{Beside, Extra, Margins};
pub use names::{full_name, objective_flag, with_file};
pub use parts::Parts;
pub use progress::Progress;
pub use recount::{KeptCounts, check_counts};
pub use schedule::{Checks, Extent, Graph, Settings, Solution, SolveError, least_memory, solve};
pub use settle::settle;
pub use slices::{Layered, Slices};
pub use trace::{Trace, merge as merge_traces, part as trace_part};
pub use verify::{Verified, verify, verify_sample};
pub use zermelo_engines::{
    Entry, GAMES, OpenError, add_games, find, games, open, open_all, open_all_from, open_from,
};
