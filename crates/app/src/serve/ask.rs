//! From a position as text to a report: out of memory on the spot, else from a disk, else by a search.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use zermelo_core::{AskError, Limits, Report, Tables, Unit};

use super::App;
use super::games::Variant;
use super::refusal::Refusal;
use crate::database::{Cold, Warm};
use crate::{Beside, Margins};

/// Where the values of a report come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Database,
    Rules,
    Search,
    None,
}

impl Source {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Source::Database => "database",
            Source::Rules => "rules",
            Source::Search => "search",
            Source::None => "none",
        }
    }
}

/// A report, the margins beside it, and where its values come from.
pub(crate) struct Found {
    pub(crate) report: Report,
    pub(crate) margins: Beside,
    pub(crate) source: Source,
}

impl App {
    /// A variant by name; opened on another thread when it is not open.
    pub(crate) async fn variant(self: &Arc<Self>, game: &str, id: &str) -> Result<Arc<Variant>, Refusal> {
        if let Some(variant) = self.library.ready(game, id) {
            return Ok(variant);
        }
        let (app, game, id) = (self.clone(), game.to_string(), id.to_string());
        self.opening.run(move || app.library.get(&game, &id)).await?
    }

    /// A position with its values and moves, and their margins where these are solved.
    pub(crate) async fn ask(&self, variant: &Arc<Variant>, position: &str) -> Result<Found, Refusal> {
        let (report, source) = self.values(variant, position).await?;
        let margins = self.margins(variant, &report).await?;
        Ok(Found { report, margins, source })
    }

    async fn margins(&self, variant: &Arc<Variant>, report: &Report) -> Result<Beside, Refusal> {
        let Some(margins) = &variant.margins else { return Ok(Beside::default()) };
        if let Some(warm) = margins_warm(margins, &report.position) {
            return Ok(Beside::new(report, &warm?));
        }
        let (variant, position) = (variant.clone(), report.position.clone());
        let read = move || variant.margins.as_ref().map(|m| m.report(&position, m.database())).transpose();
        let cold = self.reading.run(read).await??;
        Ok(cold.map(|cold| Beside::new(report, &cold)).unwrap_or_default())
    }

    /// A position with its values and moves, and where they come from.
    async fn values(&self, variant: &Arc<Variant>, position: &str) -> Result<(Report, Source), Refusal> {
        let report = match variant.report_warm(position) {
            Some(report) => {
                self.metrics.warm.fetch_add(1, Relaxed);
                report?
            }
            None => {
                self.metrics.cold.fetch_add(1, Relaxed);
                let (variant, position) = (variant.clone(), position.to_string());
                self.reading.run(move || variant.report(&position)).await??
            }
        };
        if report.is_known() {
            let source = if variant.database.is_some() { Source::Database } else { Source::Rules };
            return Ok((report, source));
        }
        if !variant.parts.is_empty() {
            let (variant, position) = (variant.clone(), position.to_string());
            if let Some(report) = self.reading.run(move || variant.parts.report(&position)).await?? {
                return Ok((report, Source::Database));
            }
        }
        self.search(variant, report).await
    }

    async fn search(&self, variant: &Arc<Variant>, mut report: Report) -> Result<(Report, Source), Refusal> {
        if !fill_in(variant, &mut report) {
            self.metrics.searched.fetch_add(1, Relaxed);
            let (variant, time) = (variant.clone(), self.settings.search_time);
            let memory = (self.settings.memory / 16).min(256 << 20);
            let known = report.clone();
            report = match self.searching.run(move || search(&variant, report, time, memory)).await {
                Ok(found) => found?,
                // All places are taken: what the rules tell is better than nothing.
                Err(_) => known,
            };
        }
        let source = if report.value.is_some() { Source::Search } else { Source::None };
        report.moves.sort_by_key(|m| m.worth.map_or((u8::MAX, 0), |worth| worth.preference()));
        Ok((report, source))
    }
}

impl Variant {
    /// Its tables, if it has any.
    pub(crate) fn tables(&self) -> &dyn Tables {
        self.database.as_ref().map_or(&() as &dyn Tables, |d| d)
    }

    pub(crate) fn report(&self, position: &str) -> Result<Report, AskError> {
        self.game.report(position, self.tables())
    }

    /// The same without reading a disk; `None` where that would be needed.
    fn report_warm(&self, position: &str) -> Option<Result<Report, AskError>> {
        let Some(database) = &self.database else { return Some(self.report(position)) };
        unless_cold(self.game.report(position, &Warm(database)))
    }
}

/// Margins without reading a disk; `None` where that would be needed.
fn margins_warm(margins: &Margins, position: &str) -> Option<Result<Report, AskError>> {
    unless_cold(margins.report(position, &Warm(margins.database())))
}

fn unless_cold(report: Result<Report, AskError>) -> Option<Result<Report, AskError>> {
    match report {
        Err(AskError::Tables(reason)) if reason.is::<Cold>() => None,
        report => Some(report),
    }
}

/// Takes what was searched before; says whether nothing is left to search.
fn fill_in(variant: &Variant, report: &mut Report) -> bool {
    report.value = report.value.or_else(|| variant.searched(&report.position));
    for m in report.moves.iter_mut().filter(|m| m.value.is_none()) {
        m.found(variant.searched(&m.position), Unit::Moves);
    }
    report.value.is_some() && report.moves.iter().all(|m| m.value.is_some())
}

/// Searches within the time: the position, then its moves.
fn search(variant: &Variant, mut report: Report, time: Duration, memory: u64) -> Result<Report, AskError> {
    let until = Instant::now() + time;
    let limits =
        |share: u32| Limits { time: until.saturating_duration_since(Instant::now()) / share.max(1), memory };
    let find = |position: &str, share: u32| -> Result<_, AskError> {
        let value = variant.game.search(position, limits(share))?;
        if let Some(value) = value {
            variant.remember(position, value);
        }
        Ok(value)
    };
    if report.value.is_none() {
        report.value = find(&report.position, 2)?;
    }
    let mut left = report.moves.iter().filter(|m| m.value.is_none()).count() as u32;
    for m in report.moves.iter_mut().filter(|m| m.value.is_none()) {
        m.found(find(&m.position, left)?, Unit::Moves);
        left -= 1;
    }
    Ok(report)
}
