//! The counts of positions by value as rows, for programs that read tables.

use std::io::Write;

use serde_json::json;
use zermelo_core::{Complaint, Unit};

use super::row::Column;
use super::{ExportFormat, Result};
use crate::analyze::WORDS;
use crate::{Analysis, row_name};

/// Writes a row for each value and number that positions have, with the number of such positions and of those up to
/// symmetry, and returns the number of rows.
///
/// ```
/// use zermelo::{ExportFormat, Progress, Settings, export_counts};
///
/// let game = zermelo::open("mnk", None, None)?;
/// let (_, analysis) = zermelo::solve_and_count(&game, &Settings::default(), &Progress::new("solve"))?;
/// let mut csv = vec![];
/// export_counts(&analysis, game.unit, ExportFormat::Csv, &mut csv)?;
/// assert!(csv.starts_with(b"value,remoteness,positions,canonical_positions\nwin,1,2358,"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export_counts(
    analysis: &Analysis,
    unit: Unit,
    format: ExportFormat,
    out: &mut dyn Write,
) -> Result<u64> {
    if !format.is_text() {
        let why = format!("counts are few rows: give --format csv or jsonl, not {}", format.name());
        return Err(Complaint::new(why).into());
    }
    let name = Column::of(unit).map_or("state", Column::name);
    if format == ExportFormat::Csv {
        writeln!(out, "value,{name},positions,canonical_positions")?;
    }
    let (all, canonical) = (analysis.counts(), analysis.canonical());
    let mut rows = 0;
    let mut row = |value: &str, number: Option<u16>, many: Option<u64>, canonical: u64| {
        rows += 1;
        let number = number.map(|number| row_name(number, unit));
        if format == ExportFormat::Csv {
            let many = many.map_or(String::new(), |many| many.to_string());
            return writeln!(out, "{value},{},{many},{canonical}", number.unwrap_or_default());
        }
        // Names that are no numbers stay texts.
        let number = number.map(|name| name.parse::<u64>().map_or(json!(name), |number| json!(number)));
        let object =
            json!({ "value": value, name: number, "positions": many, "canonical_positions": canonical });
        writeln!(out, "{object}")
    };
    for word in WORDS {
        for number in canonical.decided.get(word).into_iter().flat_map(|numbers| numbers.keys()) {
            let many = all.map(|all| all.at(word, *number));
            row(word, Some(*number), many, canonical.at(word, *number))?;
        }
    }
    if canonical.draw > 0 {
        row("draw", None, all.map(|all| all.draw), canonical.draw)?;
    }
    out.flush()?;
    Ok(rows)
}
