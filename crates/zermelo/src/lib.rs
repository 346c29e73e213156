//! Zermelo as a library: open a game, solve it, keep its database, ask for values.
//!
//! ```
//! use zermelo::{Answers, Budget, Catalogue, Solve};
//!
//! let data = std::env::temp_dir().join(format!("zermelo-doc-{}", std::process::id()));
//! let solution = Solve::new("mnk:rows=3,cols=3,line=3").data(&data).run()?;
//! assert_eq!(solution.value.to_string(), "tie in 9");
//!
//! let answers = Answers::open(Catalogue::standard(), &data, "mnk:rows=3,cols=3,line=3")?;
//! let at = answers.game.oracle().parse("2_----x----")?;
//! let found = answers.find(at, Budget::NONE)?;
//! assert_eq!(found.report.value.map(|v| v.to_string()), Some("tie in 8".into()));
//! # std::fs::remove_dir_all(&data).ok();
//! # Ok::<(), zermelo::Error>(())
//! ```
//!
//! A new game needs no change to this crate: the module [`kit`] has what a game is written with, and
//! [`Catalogue::with`] adds it. The crate `zermelo-cli` makes a program with all commands from any catalogue.

mod analyze;
mod answers;
mod book;
mod cgroup;
mod coordinator;
mod count;
mod counts;
mod database;
mod estimate;
mod export;
mod gpus;
pub mod kit;
mod machine;
mod names;
mod progress;
mod recount;
mod solve;
mod svg;
mod tiers;
mod trace;
mod verify;

pub use analyze::{Analysis, ValueCounts, analyze, row_name, solve_and_count};
pub use answers::{
    Answers, Beside, Bound, Budget, Extra, Found, Line, Margins, Parts, Query, Slices, Source, Stage, Wanted,
};
pub use book::{Book, BookMakeError, BookPlan, NewBook, check_book};
pub use coordinator::{
    Checks, Graph, GraphExtent, Result, Settings, Solution, SolveError, bytes, check_memory, cluster,
    fitting, least_memory, solve,
};
pub use count::{CountError, CountSettings, Counted, Games, Row, Sums, count};
pub use database::{CACHE, Database, data_folder};
pub use estimate::{Estimate, EstimateLimits, Memory, estimate, lasts};
pub use export::{
    Export, ExportError, ExportFormat, ExportPositions, ExportSettings, NewFile, export, export_counts,
};
pub use gpus::{GpuInfo, gpus};
pub use machine::{
    available_memory, cores, cpu_seconds, limited_memory, no_threads, peak_memory, search_memory,
    serve_memory,
};
pub use names::{full_name, objective_flag, with_file};
pub use progress::Progress;
pub use recount::{KeptCounts, check_counts};
pub use solve::{Error, Solve};
pub use svg::svg;
pub use tiers::{TierList, TierRow, TierState, TierTotals};
pub use trace::{Trace, merge as merge_traces, part as trace_part};
pub use verify::{Verified, verify, verify_sample};
pub use zermelo_catalogue::{Catalogue, Entry, OpenError};
pub use zermelo_core::Opened;

/// Opens a variant of one of the project's own games such as `quixo:rows=4,cols=4,line=4`, with the best engine that
/// can take it or with a given one: [`Catalogue::open`] of [`Catalogue::standard`].
pub fn open(name: &str, engine: Option<&str>, objective: Option<&str>) -> Result<Opened, OpenError> {
    Catalogue::standard().open(name, engine, objective)
}
