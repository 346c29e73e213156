//! Exports: the positions of a solved game with their values, in a form that other programs read.
//!
//! ```text
//! source    pieces of rows, made on all threads     (`source`, `sample`)
//!   |
//! order     pieces in their order, a bounded queue  (`in_order`)
//!   |
//! form      rows as bytes                           (`text`, `npy`, `parquet`)
//! ```
//!
//! Rows are never all in memory: a piece has some thousand rows, and there are about two pieces for each thread.

mod counts;
mod file;
mod in_order;
mod npy;
mod parquet;
mod row;
mod sample;
mod source;
mod text;
mod write;

use std::io::Write;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use zermelo_core::{AskError, Complaint, EngineError, Kind, Opened, Tier};

use crate::{Catalogue, CountError, Database, Progress, Settings, SolveError};
use row::{Column, Row};

pub use counts::export_counts;
pub use file::NewFile;

/// The form of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportFormat {
    /// Comma-separated values with a line of names.
    #[default]
    Csv,
    /// One JSON object a line.
    JsonLines,
    /// A structured array that `numpy.load` reads, also mapped into memory.
    Npy,
    /// Apache Parquet, compressed with zstd.
    Parquet,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [ExportFormat; 4] =
        [ExportFormat::Csv, ExportFormat::JsonLines, ExportFormat::Npy, ExportFormat::Parquet];

    /// The name that people type, which is also how the names of such files end.
    pub fn name(self) -> &'static str {
        match self {
            ExportFormat::Csv => "csv",
            ExportFormat::JsonLines => "jsonl",
            ExportFormat::Npy => "npy",
            ExportFormat::Parquet => "parquet",
        }
    }

    /// The format of a name; `None` for other words.
    pub fn of(name: &str) -> Option<ExportFormat> {
        ExportFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether a person can read the bytes.
    pub fn is_text(self) -> bool {
        matches!(self, ExportFormat::Csv | ExportFormat::JsonLines)
    }
}

/// Which positions are rows of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportPositions {
    /// The positions that the start reaches, as [`analyze`](crate::analyze) counts them.
    #[default]
    Reached,
    /// The positions that the tables have a number for, reached or not.
    Stored,
}

/// What to export, and how.
#[derive(Clone, Debug)]
pub struct ExportSettings {
    /// The form.
    pub format: ExportFormat,
    /// The positions.
    pub positions: ExportPositions,
    /// Whether symmetric positions are one row, with their number in the column `copies`.
    pub symmetries: bool,
    /// The only tier to export; `None` for all.
    pub tier: Option<Tier>,
    /// The only value to export; `None` for all.
    pub value: Option<Kind>,
    /// The numbers of values to export: remoteness, the size of the margin, or the nimber; `None` for all.
    pub numbers: Option<RangeInclusive<u16>>,
    /// How many rows to draw at random; `None` for all rows.
    pub sample: Option<u64>,
    /// The seed of the draw: the same seed gives the same rows.
    pub seed: u64,
    /// The most rows, the first ones; `None` for all rows.
    pub limit: Option<u64>,
    /// A flag that stops the export when another thread sets it.
    pub stop: Option<Arc<AtomicBool>>,
}

impl ExportSettings {
    /// Reads what people type for [`numbers`](ExportSettings::numbers): `7`, or `7..12` with both ends.
    ///
    /// ```
    /// assert_eq!(zermelo::ExportSettings::numbers_of("7..12")?, 7..=12);
    /// assert!(zermelo::ExportSettings::numbers_of("12..7").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn numbers_of(text: &str) -> Result<RangeInclusive<u16>, Complaint> {
        let wrong = || Complaint::new("want a number such as 7, or two with the smaller one first: 7..12");
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let number = |text: &str| text.trim().parse::<u16>().map_err(|_| wrong());
        let (first, last) = (number(first)?, number(last)?);
        if first <= last { Ok(first..=last) } else { Err(wrong()) }
    }
}

impl Default for ExportSettings {
    /// All reached positions up to symmetry, as CSV.
    fn default() -> Self {
        ExportSettings {
            format: ExportFormat::Csv,
            positions: ExportPositions::Reached,
            symmetries: true,
            tier: None,
            value: None,
            numbers: None,
            sample: None,
            seed: 0,
            limit: None,
            stop: None,
        }
    }
}

/// Why an export stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// What was asked for cannot be done.
    #[error("{0}")]
    Input(#[from] Complaint),
    /// The database cannot be used, or there is too little memory.
    #[error("{0}")]
    Solve(#[from] SolveError),
    /// The walk over the positions stopped.
    #[error("{0}")]
    Walk(#[from] CountError),
    /// A table could not be read.
    #[error("{0}")]
    Ask(#[from] AskError),
    /// The rows could not be written.
    #[error("{0}")]
    Write(#[from] std::io::Error),
    /// The flag of [`ExportSettings::stop`] was set.
    #[error("the export was stopped")]
    Stopped,
    /// A game panicked.
    #[error("{0}; this is a fault in the game or in zermelo, please report it")]
    Fault(String),
}

impl From<EngineError> for ExportError {
    fn from(error: EngineError) -> ExportError {
        SolveError::from(error).into()
    }
}

impl From<zermelo_store::StoreError> for ExportError {
    fn from(error: zermelo_store::StoreError) -> ExportError {
        SolveError::from(error).into()
    }
}

/// A result with the error of an export.
type Result<T, E = ExportError> = std::result::Result<T, E>;

/// An export of a solved variant.
pub struct Export<'a> {
    /// The games. Another engine of the game walks over the positions where the variant's own engine cannot.
    pub catalogue: Catalogue,
    /// The variant.
    pub game: &'a Opened,
    /// The finished database of the variant.
    pub database: &'a Database,
    /// What to export.
    pub wanted: &'a ExportSettings,
    /// Threads and memory.
    pub settings: &'a Settings,
    /// Is told of the progress.
    pub progress: &'a Progress,
}

/// Writes the positions of a solved variant with their values, and returns the number of rows.
///
/// ```
/// use zermelo::{Catalogue, Database, Export, ExportSettings, Progress, Settings, export};
///
/// # let data = std::env::temp_dir().join(format!("zermelo-doc-export-{}", std::process::id()));
/// zermelo::Solve::new("mnk").data(&data).run()?;
/// let game = zermelo::open("mnk", None, None)?;
/// let job = Export {
///     catalogue: Catalogue::standard(),
///     game: &game,
///     database: &Database::open(&data, &game)?,
///     wanted: &ExportSettings::default(),
///     settings: &Settings::default(),
///     progress: &Progress::new("export"),
/// };
/// let mut csv = vec![];
/// assert_eq!(export(&job, &mut csv)?, 765);
/// assert!(csv.starts_with(b"position,tier,number,value,remoteness,copies\n1_---------,0,0,tie,9,1\n"));
/// # std::fs::remove_dir_all(&data).ok();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(job: &Export<'_>, out: &mut (dyn Write + Send)) -> Result<u64> {
    job.check()?;
    write::rows(job, out)
}

impl Export<'_> {
    /// Refuses what cannot be done, before any work.
    fn check(&self) -> Result<()> {
        if !self.database.is_complete() {
            return Err(SolveError::NotFinished.into());
        }
        if let Some(tier) = self.wanted.tier
            && !self.database.reader().contains(tier)
        {
            let tiers = self.database.reader().tiers();
            let told = match (tiers.first(), tiers.last()) {
                (Some(first), Some(last)) => format!("{} tiers from {} to {}", tiers.len(), first.0, last.0),
                _ => "no tiers".into(),
            };
            let why = format!("tier {}: the database has no such table; it has {told}", tier.0);
            return Err(Complaint::new(why).into());
        }
        if self.wanted.numbers.is_some() && Column::of(self.game.unit).is_none() {
            let why = "remoteness: values of this game tell who wins, not how soon; leave it out";
            return Err(Complaint::new(why).into());
        }
        if self.wanted.positions == ExportPositions::Stored && !self.wanted.symmetries {
            let why = "tables have one of each set of symmetric positions: list symmetric positions apart with \
                       the reached positions";
            return Err(Complaint::new(why).into());
        }
        Ok(())
    }

    /// Whether a row is wanted, by its value.
    fn keeps(&self, row: &Row) -> bool {
        let (kind, numbers) = (self.wanted.value, &self.wanted.numbers);
        let number = || Column::of(self.game.unit)?.of_value(self.game.unit, row.value);
        kind.is_none_or(|kind| row.value.kind() == kind)
            && numbers.as_ref().is_none_or(|numbers| {
                number().is_some_and(|n| numbers.contains(&(n.unsigned_abs().min(u16::MAX.into()) as u16)))
            })
    }

    /// An error once the export is to stop.
    fn go_on(&self) -> Result<()> {
        let stopped = self.wanted.stop.as_ref().is_some_and(|stop| stop.load(Relaxed));
        if stopped { Err(ExportError::Stopped) } else { Ok(()) }
    }
}
