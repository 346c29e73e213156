//! From a position as text to a report: out of memory on the spot, else from a disk or from published files, else
//! by a search.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use zermelo_core::{AskError, Limits, Report, Tables};

use super::App;
use super::refusal::Refusal;
use super::variant::Variant;
use crate::database::{Cold, Warm};
use crate::examine::examine;
use crate::{Beside, Layered, Margins, settle};

/// Where the values of a report come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Database,
    Rules,
    /// The published files.
    Slices,
    Search,
    None,
}

impl Source {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Source::Database => "database",
            Source::Rules => "rules",
            Source::Slices => "slices",
            Source::Search => "search",
            Source::None => "none",
        }
    }
}

/// How long a question may be searched for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// When the answer is wanted, the wait for a place included.
    until: Instant,
    /// Whether an engine may look at all moves of a position at once, which takes as long as it takes.
    all_moves: bool,
}

impl Search {
    /// This search, ended by a moment that is too soon for all moves at once.
    pub(crate) fn shortened(self, until: Instant) -> Search {
        Search { until: self.until.min(until), all_moves: false }
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

    /// A search as long as this server allows.
    pub(crate) fn search(&self) -> Search {
        Search {
            until: Instant::now() + self.settings.search_time,
            all_moves: !self.settings.search_time.is_zero(),
        }
    }

    /// A position with its values and moves, and their margins or nimbers where these are solved.
    pub(crate) async fn ask(
        &self,
        variant: &Arc<Variant>,
        position: &str,
        search: Search,
    ) -> Result<Found, Refusal> {
        let (report, source) = self.values(variant, position, search).await?;
        let margins = self.margins(variant, &report).await?;
        Ok(Found { report, margins, source })
    }

    async fn margins(&self, variant: &Arc<Variant>, report: &Report) -> Result<Beside, Refusal> {
        let Some(margins) = &variant.margins else { return Ok(Beside::default()) };
        if let Some(warm) = margins_warm(margins, &report.position) {
            return Ok(margins.told(report, &warm?));
        }
        let (variant, position) = (variant.clone(), report.position.clone());
        let read = move || variant.margins.as_ref().map(|m| m.report(&position, m.database())).transpose();
        let cold = self.reading.run(read).await??;
        Ok(cold.map(|cold| margins.told(report, &cold)).unwrap_or_default())
    }

    /// What else the game has to say of a position; `None` where that was not found in time.
    pub(crate) async fn note(
        &self,
        variant: &Arc<Variant>,
        position: &str,
        search: Search,
    ) -> Result<Option<Option<String>>, Refusal> {
        if !variant.game.has_notes() || self.settings.search_time.is_zero() {
            return Ok(Some(None));
        }
        if let Some(note) = variant.noted(position) {
            return Ok(Some(note));
        }
        let (variant, position, memory) = (variant.clone(), position.to_string(), self.search_memory());
        let look = move |time| -> Result<_, Refusal> {
            let begun = Instant::now();
            let note = variant.game.note(&position, Limits { time, memory })?;
            if note.is_none() && begun.elapsed() >= time {
                return Ok(None);
            }
            variant.keep_note(&position, note.clone());
            Ok(Some(note))
        };
        // Without a place for it there is no note.
        self.searching.run_until(search.until, look).await.unwrap_or(Ok(None))
    }

    /// A position with its values and moves, and where they come from.
    async fn values(
        &self,
        variant: &Arc<Variant>,
        position: &str,
        search: Search,
    ) -> Result<(Report, Source), Refusal> {
        let report = match variant.report_warm(position) {
            Some(report) => {
                self.metrics.warm.fetch_add(1, Relaxed);
                report?
            }
            None => {
                let read = if variant.database.is_some() { &self.metrics.cold } else { &self.metrics.warm };
                read.fetch_add(1, Relaxed);
                let (variant, position) = (variant.clone(), position.to_string());
                self.reading.run(move || variant.game.report(&position, variant.stored())).await??
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
        self.published_or_searched(variant, report, search).await
    }

    /// What no table of ours knows: from the published files, or by a search of all moves at once or one by one.
    async fn published_or_searched(
        &self,
        variant: &Arc<Variant>,
        mut report: Report,
        search: Search,
    ) -> Result<(Report, Source), Refusal> {
        let Some(slices) = variant.slices.clone() else {
            return self.searched(variant, report, search).await;
        };
        settle(&mut report, variant.game.unit());
        if report.is_known() {
            return Ok((report, Source::Rules));
        }
        let before = report.value;
        let (owner, position) = (variant.clone(), report.position.clone());
        let read = move || owner.game.report(&position, &Layered { first: owner.stored(), then: &*slices });
        let published = match self.publishing.run(read).await {
            Ok(published) => published,
            // All places wait for files: what else is known is better than nothing.
            Err(_) => Ok(report.clone()),
        };
        if let Ok(published) = &published {
            report = published.clone();
            settle(&mut report, variant.game.unit());
        }
        if report.is_known() {
            return Ok((report, Source::Slices));
        }
        if search.all_moves
            && let Some(whole) = self.examine(variant, &report.position).await?
        {
            return Ok((whole, Source::Search));
        }
        // Files that cannot be read matter where nothing else helps.
        published?;
        let told = report.value != before;
        let (report, source) = self.searched(variant, report, search).await?;
        Ok((report, if told { Source::Slices } else { source }))
    }

    /// A position with all its moves at once, if the engine can do that within half of the memory.
    async fn examine(&self, variant: &Arc<Variant>, position: &str) -> Result<Option<Report>, Refusal> {
        if let Some(report) = variant.examined(position) {
            return Ok(Some(report));
        }
        // A solve has taken that half.
        if self.is_solving() {
            return Ok(None);
        }
        let (variant, position) = (variant.clone(), position.to_string());
        let limits = Limits { time: self.settings.search_time, memory: self.settings.memory / 2 };
        let look = move || -> Result<Option<Report>, AskError> {
            // Somebody may have asked the same while this waited.
            if let Some(report) = variant.examined(&position) {
                return Ok(Some(report));
            }
            let found = examine(&*variant.game, &position, limits)?;
            if let Some(report) = &found {
                variant.keep(report);
            }
            Ok(found)
        };
        match self.examining.run(look).await {
            Ok(found) => {
                let found = found?;
                self.metrics.searched.fetch_add(u64::from(found.is_some()), Relaxed);
                Ok(found)
            }
            // All places are taken: what else is known is better than nothing.
            Err(_) => Ok(None),
        }
    }

    /// Memory for the search of one position.
    fn search_memory(&self) -> u64 {
        (self.settings.memory / 16).min(256 << 20)
    }

    async fn searched(
        &self,
        variant: &Arc<Variant>,
        mut report: Report,
        how: Search,
    ) -> Result<(Report, Source), Refusal> {
        if !fill_in(variant, &mut report) && !self.settings.search_time.is_zero() {
            self.metrics.searched.fetch_add(1, Relaxed);
            let (variant, memory, known) = (variant.clone(), self.search_memory(), report.clone());
            let work = move |time| search(&variant, report, time, memory);
            report = match self.searching.run_until(how.until, work).await {
                Ok(found) => found?,
                // All places are taken: what the rules tell is better than nothing.
                Err(_) => known,
            };
        }
        settle(&mut report, variant.game.unit());
        let source = if report.value.is_some() { Source::Search } else { Source::None };
        Ok((report, source))
    }
}

impl Variant {
    /// Its own tables, if it has any.
    fn stored(&self) -> &dyn Tables {
        self.database.as_ref().map_or(&() as &dyn Tables, |d| d)
    }

    /// Its own tables and the published ones, which may be on another machine.
    pub(crate) fn tables(&self) -> Layered<'_> {
        let published = self.slices.as_deref().map_or(&() as &dyn Tables, |slices| slices);
        Layered { first: self.stored(), then: published }
    }

    /// A position by all its tables.
    pub(crate) fn report(&self, position: &str) -> Result<Report, AskError> {
        self.game.report(position, &self.tables())
    }

    /// A position by its own tables without reading a disk; `None` where that would be needed, or where there are
    /// no tables: the rules alone may take long on a large board.
    fn report_warm(&self, position: &str) -> Option<Result<Report, AskError>> {
        let database = self.database.as_ref()?;
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
        m.found(variant.searched(&m.position), variant.game.unit());
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
        m.found(find(&m.position, left)?, variant.game.unit());
        left -= 1;
    }
    Ok(report)
}
