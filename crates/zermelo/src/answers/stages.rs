//! The stages of an answer, one after another.

use std::time::{Duration, Instant};

use zermelo_core::{AskError, Limits, Position, Report, Unit, Value};

use super::{Answers, Beside, Budget, Found, Layered, Source, settle};
use crate::database::Warm;
use crate::machine::search_threads;

/// The resource that the next step of a [`Query`] needs, so that a server can do the step on a suitable thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// The disk with the databases.
    Disk,
    /// Published files, which may be on another machine.
    Files,
    /// A search of all moves at once, with much memory.
    Whole,
    /// A search of one position after another.
    Search,
    /// The disk with margins or nimbers.
    Beside,
    /// Nothing: it is there.
    Done,
}

/// An answer under way: begun by [`Answers::begin`], and taken further stage by stage with [`Answers::step`].
#[derive(Clone, Debug)]
pub struct Query {
    at: Position,
    /// The time and memory that the stages still to come may take.
    pub budget: Budget,
    stage: Stage,
    report: Option<Report>,
    margins: Beside,
    source: Source,
    /// Files that could not be read matter where nothing else helps.
    unread: Option<String>,
}

impl Query {
    /// The resource that the next step needs.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The answer, as far as it is known.
    pub fn found(self) -> Result<Found, AskError> {
        let missing = || AskError::Tables("the position was not looked up".into());
        Ok(Found { report: self.report.ok_or_else(missing)?, margins: self.margins, source: self.source })
    }

    /// Takes what a stage has found; whether that is all.
    fn take(&mut self, report: Report, source: Source) -> bool {
        let known = report.is_known();
        self.report = Some(report);
        if known {
            (self.source, self.stage) = (source, Stage::Beside);
        }
        known
    }
}

impl Answers {
    /// Begins an answer with what is in memory; this takes some microseconds.
    pub fn begin(&self, at: Position, budget: Budget) -> Result<Query, AskError> {
        let (margins, unread) = (Beside::default(), None);
        let mut query =
            Query { at, budget, stage: Stage::Disk, report: None, margins, source: Source::None, unread };
        // Without a database there are the rules alone, and moves may take long on a large board.
        if let Some(database) = &self.database {
            match self.game.oracle().report(at, &Warm(&**database)) {
                Err(AskError::Cold) => {}
                report => {
                    if query.take(report?, Source::Database) {
                        self.beside_warm(&mut query)?;
                    }
                }
            }
        }
        Ok(query)
    }

    /// Does the next stage of an answer.
    pub fn step(&self, query: &mut Query) -> Result<(), AskError> {
        match query.stage {
            Stage::Disk => self.read(query),
            Stage::Files => self.read_files(query),
            Stage::Whole => self.look(query),
            Stage::Search => self.search(query, query.budget.limits()),
            Stage::Beside => self.beside(query),
            Stage::Done => Ok(()),
        }
    }

    /// Leaves the next stage of an answer out, where there is no room for it: what else is known is better than
    /// nothing.
    pub fn skip(&self, query: &mut Query) -> Result<(), AskError> {
        match query.stage {
            Stage::Files => self.after_files(query),
            Stage::Whole => self.after_look(query),
            Stage::Search => self.search(query, Limits { time: Duration::ZERO, memory: 0 }),
            Stage::Disk | Stage::Beside | Stage::Done => {
                query.stage = Stage::Done;
                Ok(())
            }
        }
    }

    /// From the databases of the variant and of its parts, from what the rules tell of all moves, and from the book.
    fn read(&self, query: &mut Query) -> Result<(), AskError> {
        let mut report = self.game.oracle().report(query.at, self.tables())?;
        let source = if self.database.is_some() { Source::Database } else { Source::Rules };
        if query.take(report.clone(), source) {
            return Ok(());
        }
        if let Some(report) = self.parts.report(query.at)?
            && query.take(report, Source::Database)
        {
            return Ok(());
        }
        settle(&mut report, self.game.unit);
        if query.take(report.clone(), Source::Rules) {
            return Ok(());
        }
        let before = report.value;
        self.consult(&mut report);
        settle(&mut report, self.game.unit);
        if report.value != before {
            query.source = Source::Book;
        }
        if query.take(report, Source::Book) {
            return Ok(());
        }
        query.stage = Stage::Files;
        if self.slices.is_none() { self.after_files(query) } else { Ok(()) }
    }

    /// From the published files.
    fn read_files(&self, query: &mut Query) -> Result<(), AskError> {
        let Some(slices) = &self.slices else { return self.after_files(query) };
        let before = query.report.as_ref().and_then(|report| report.value);
        let tables = Layered { first: self.tables(), then: &**slices };
        match self.game.oracle().report(query.at, &tables) {
            Ok(mut report) => {
                settle(&mut report, self.game.unit);
                if report.value != before {
                    query.source = Source::Slices;
                }
                if query.take(report, Source::Slices) {
                    return Ok(());
                }
            }
            Err(error) => query.unread = Some(error.to_string()),
        }
        self.after_files(query)
    }

    /// On to a search of all moves at once, where the engine has one and it was not made before.
    fn after_files(&self, query: &mut Query) -> Result<(), AskError> {
        let Budget { time, whole, .. } = query.budget;
        if time.is_zero() || whole == 0 || self.game.oracle().examine_bytes(query.at).is_none() {
            return self.after_look(query);
        }
        match self.memo.whole(query.at) {
            Some(report) => _ = query.take(report, Source::Search),
            None => query.stage = Stage::Whole,
        }
        Ok(())
    }

    /// By a search of all moves at once.
    fn look(&self, query: &mut Query) -> Result<(), AskError> {
        let limits = Limits { time: query.budget.time, memory: query.budget.whole };
        // Somebody may have asked the same while this waited.
        let found = match self.memo.whole(query.at) {
            Some(report) => Some(report),
            None => self.examine(query.at, limits)?.inspect(|report| self.memo.keep_whole(report)),
        };
        let all = found.is_some_and(|report| query.take(report, Source::Search));
        if all { Ok(()) } else { self.after_look(query) }
    }

    /// One search of the engine's own for a position and all its moves; `None` where it cannot do that, or not within
    /// the limits. An error where the system has no threads for it.
    fn examine(&self, at: Position, limits: Limits) -> Result<Option<Report>, AskError> {
        if self.game.oracle().examine_bytes(at).is_none() {
            return Ok(None);
        }
        search_threads().map_err(|why| AskError::Tables(why.into()))?;
        self.game.oracle().examine(at, limits)
    }

    /// On to searches of one position after another, for what was not found by one before.
    fn after_look(&self, query: &mut Query) -> Result<(), AskError> {
        if let Some(unread) = query.unread.take() {
            return Err(AskError::Tables(unread.into()));
        }
        query.stage = Stage::Search;
        let Some(report) = &mut query.report else { return Ok(()) };
        self.recall(report);
        if query.budget.time.is_zero() || report.is_known() {
            return self.search(query, Limits { time: Duration::ZERO, memory: 0 });
        }
        Ok(())
    }

    /// Fills in what searches before have found of a position and its moves.
    pub(super) fn recall(&self, report: &mut Report) {
        report.value = report.value.or_else(|| self.memo.values.get(report.at));
        for m in report.moves.iter_mut().filter(|m| m.value.is_none()) {
            m.found(self.memo.values.get(m.to), self.game.unit);
        }
        settle(report, self.game.unit);
    }

    /// The value of a single position by a search, or as an earlier search has found it; `None` when the limits are
    /// reached first.
    pub fn searched(&self, at: Position, limits: Limits) -> Option<Value> {
        let search = || {
            let found = self.game.oracle().search(at, limits);
            found.inspect(|value| self.memo.values.keep(at, *value))
        };
        self.memo.values.get(at).or_else(search)
    }

    /// By searches of the position and of where its moves lead, as far as the time goes.
    fn search(&self, query: &mut Query, limits: Limits) -> Result<(), AskError> {
        query.stage = Stage::Beside;
        let Some(report) = &mut query.report else { return Ok(()) };
        let unit = self.game.unit;
        if !limits.time.is_zero() {
            self.search_moves(report, limits);
        }
        settle(report, unit);
        // What the files tell of a position stands, whether its moves are found or not.
        if query.source == Source::None && report.value.is_some() {
            query.source = Source::Search;
        }
        Ok(())
    }

    /// Searches a position and what its moves lead to, and the position once more where time is left.
    fn search_moves(&self, report: &mut Report, limits: Limits) {
        let (until, unit) = (Instant::now() + limits.time, self.game.unit);
        let own = report.value.is_none().then_some(report.at);
        let after = report.moves.iter().filter(|m| m.value.is_none()).map(|m| m.to);
        let unknown: Vec<Position> = own.into_iter().chain(after).collect();
        let mut found = self.game.oracle().search_each(&unknown, limits);
        for (at, value) in unknown.iter().zip(&found) {
            value.iter().for_each(|value| self.memo.values.keep(*at, *value));
        }
        let mut after = found.split_off(own.map_or(0, |_| 1)).into_iter();
        report.value = report.value.or(found.pop().flatten());
        for m in report.moves.iter_mut().filter(|m| m.value.is_none()) {
            m.found(after.next().flatten(), unit);
        }
        settle(report, unit);
        let time = until.saturating_duration_since(Instant::now());
        if report.value.is_none() && !time.is_zero() {
            report.value = self.searched(report.at, Limits { time, ..limits });
        }
    }

    /// Margins or nimbers in memory.
    fn beside_warm(&self, query: &mut Query) -> Result<(), AskError> {
        let Some(report) = &query.report else { return Ok(()) };
        let found = match (&self.margins, self.game.unit) {
            (Some(margins), Unit::Moves) => match margins.beside(report, &Warm(margins.database())) {
                Err(AskError::Cold) => return Ok(()),
                beside => beside?,
            },
            (None, Unit::Moves) | (_, Unit::Winner | Unit::Goal) => Beside::default(),
            (_, unit @ (Unit::Margin | Unit::Nimber)) => Beside::new(report, report, unit),
        };
        query.margins = found;
        query.stage = Stage::Done;
        Ok(())
    }

    /// Margins or nimbers from their own database.
    fn beside(&self, query: &mut Query) -> Result<(), AskError> {
        self.beside_warm(query)?;
        if let (Stage::Beside, Some(margins), Some(report)) = (query.stage, &self.margins, &query.report) {
            query.margins = margins.beside(report, margins.database())?;
        }
        query.stage = Stage::Done;
        Ok(())
    }
}
