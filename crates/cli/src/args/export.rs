//! The arguments of the command `export`.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum, ValueHint};
use zermelo::{ExportFormat, ExportSettings};
use zermelo_core::Kind;

use super::{Resources, Where, Which};

/// `zermelo export`.
#[derive(Args)]
pub(crate) struct Export {
    /// Which game.
    #[command(flatten)]
    pub(crate) which: Which,
    /// Where the database is.
    #[command(flatten)]
    pub(crate) place: Where,
    /// How much of the machine.
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// Write this file, which is there under its name only when all of it is [default: standard output]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// The form of the rows [default: as the name of the file ends, else csv]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Which positions: reached, those that analyze counts; stored, those that the tables have a number for
    #[arg(long, value_enum, default_value_t = Positions::Reached)]
    pub(crate) positions: Positions,
    /// A row for every position, instead of one for each set of symmetric ones
    #[arg(long)]
    pub(crate) no_symmetries: bool,
    /// Counts of positions by value and remoteness, as analyze has them, instead of positions
    #[arg(long, conflicts_with_all = ["tier", "value", "remoteness", "sample", "positions", "no_symmetries"])]
    pub(crate) counts: bool,
    /// Only positions of this tier, by its number
    #[arg(long, value_name = "NUMBER")]
    pub(crate) tier: Option<u64>,
    /// Only positions with this value
    #[arg(long, value_enum)]
    pub(crate) value: Option<Worth>,
    /// Only positions with this remoteness, or with one from A to B; with other objectives the size of the
    /// margin, or the nimber
    #[arg(long, value_name = "N|A..B", value_parser = numbers)]
    pub(crate) remoteness: Option<RangeInclusive<u16>>,
    /// Only so many rows, drawn at random, each equally likely
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sample: Option<u64>,
    /// Which random rows --sample draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Export what was solved from this position
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
}

/// The form of the rows.
#[derive(Clone, Copy)]
pub(crate) struct Format(pub(crate) ExportFormat);

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Format] {
        static ALL: [Format; 4] = {
            let [a, b, c, d] = ExportFormat::ALL;
            [Format(a), Format(b), Format(c), Format(d)]
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

/// A value without its number.
#[derive(Clone, Copy)]
pub(crate) struct Worth(pub(crate) Kind);

impl ValueEnum for Worth {
    fn value_variants<'a>() -> &'a [Worth] {
        &[Worth(Kind::Win), Worth(Kind::Lose), Worth(Kind::Tie), Worth(Kind::Draw)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.word()))
    }
}

/// Which positions.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Positions {
    /// Those that the start reaches
    Reached,
    /// Those that the tables have a number for, reached or not
    Stored,
}

/// Reads a number, or two with dots between.
fn numbers(text: &str) -> Result<RangeInclusive<u16>, String> {
    ExportSettings::numbers_of(text).map_err(|why| why.to_string())
}
