//! Rows as bytes, into whatever takes bytes.

use std::io::Write;

use zermelo_core::Unit;

use super::in_order::in_order;
use super::npy::{Npy, Widths};
use super::parquet::{Columns, Parquet};
use super::row::Column;
use super::text::{csv_head, csv_rows, json_rows};
use super::{Export, ExportFormat, Result, Row};

/// Rows of a sample that are written at a time.
const BATCH: usize = 1 << 13;

/// How rows become bytes, on any thread.
#[derive(Clone, Copy)]
enum Form {
    Csv,
    JsonLines,
    Npy(Npy),
    Parquet,
    /// Rows are measured and not written.
    Widths,
}

/// The rows of a piece in a form.
enum Piece {
    Bytes(Vec<u8>),
    Columns(Box<Columns>),
    Widths(Widths),
}

/// Where pieces go.
struct Sink<'a> {
    out: &'a mut (dyn Write + Send),
    parquet: Option<Parquet>,
    widths: Widths,
    rows: u64,
}

/// Writes all rows of an export, and returns their number.
pub(super) fn rows(job: &Export<'_>, out: &mut (dyn Write + Send)) -> Result<u64> {
    let most = job.wanted.limit.unwrap_or(u64::MAX);
    let sample = job.wanted.sample.map(|many| job.sample(many.min(most))).transpose()?;
    let form = match job.wanted.format {
        ExportFormat::Csv => Form::Csv,
        ExportFormat::JsonLines => Form::JsonLines,
        ExportFormat::Parquet => Form::Parquet,
        // The head of an array has the number of rows and the length of texts, so rows are gone through twice.
        ExportFormat::Npy => Form::Npy(Npy::new(measured(job, sample.as_deref())?, job.game.unit)),
    };
    let parquet = matches!(form, Form::Parquet).then(|| Parquet::new(Column::of(job.game.unit)));
    let mut sink = Sink { out, parquet, widths: Widths::default(), rows: 0 };
    match form {
        Form::Csv => sink.out.write_all(&csv_head(job.game.unit))?,
        Form::Npy(npy) => sink.out.write_all(&npy.head())?,
        Form::Parquet => sink.out.write_all(Parquet::HEAD)?,
        Form::JsonLines | Form::Widths => {}
    }
    go(job, form, sample.as_deref(), &mut sink)?;
    if let Some(parquet) = sink.parquet.take() {
        parquet.finish(sink.out)?;
    }
    sink.out.flush()?;
    Ok(sink.rows)
}

/// The number of rows, and the length of the longest text.
fn measured(job: &Export<'_>, sample: Option<&[Row]>) -> Result<Widths> {
    let mut nowhere = std::io::sink();
    let mut sink = Sink { out: &mut nowhere, parquet: None, widths: Widths::default(), rows: 0 };
    go(job, Form::Widths, sample, &mut sink)?;
    Ok(sink.widths)
}

/// Goes through all rows once.
fn go(job: &Export<'_>, form: Form, sample: Option<&[Row]>, sink: &mut Sink<'_>) -> Result<()> {
    let made = |rows: &[Row]| form.piece(job, rows);
    if let Some(rows) = sample {
        let batches: Vec<&[Row]> = rows.chunks(BATCH).collect();
        let make = |batch: u64| Ok((made(batches[batch as usize]), batches[batch as usize].len()));
        let take = &mut |(piece, rows)| sink.take(piece, rows).map(|()| true);
        return in_order(job.crew(), batches.len() as u64, &make, take).map(drop);
    }
    let Some(limit) = job.wanted.limit else {
        let make = |rows: Vec<Row>| Ok((made(&rows), rows.len()));
        return job.pieces(&make, &mut |(piece, rows)| sink.take(piece, rows).map(|()| true));
    };
    // Of the last piece only some rows are wanted, which is known when it is taken.
    let mut left = limit;
    job.pieces(&Ok, &mut |mut rows: Vec<Row>| {
        rows.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        left -= rows.len() as u64;
        sink.take(made(&rows), rows.len())?;
        Ok(left > 0)
    })
}

impl Form {
    fn piece(self, job: &Export<'_>, rows: &[Row]) -> Piece {
        let (oracle, unit): (_, Unit) = (job.game.oracle(), job.game.unit);
        match self {
            Form::Csv => Piece::Bytes(csv_rows(oracle, unit, rows)),
            Form::JsonLines => Piece::Bytes(json_rows(oracle, unit, rows)),
            Form::Npy(npy) => Piece::Bytes(npy.rows(oracle, rows)),
            Form::Parquet => Piece::Columns(Box::new(Columns::of(oracle, unit, rows))),
            Form::Widths => Piece::Widths(Widths::of(oracle, rows)),
        }
    }
}

impl Sink<'_> {
    fn take(&mut self, piece: Piece, rows: usize) -> Result<()> {
        self.rows += rows as u64;
        match (piece, &mut self.parquet) {
            (Piece::Bytes(bytes), _) => self.out.write_all(&bytes)?,
            (Piece::Columns(columns), Some(parquet)) => parquet.add(*columns, self.out)?,
            (Piece::Columns(_), None) => {}
            (Piece::Widths(widths), _) => self.widths = self.widths.and(widths),
        }
        Ok(())
    }
}
