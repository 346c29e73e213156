//! One way from a position to what is known of it, for every front end.
//!
//! An answer goes through stages: what is in memory, the database on a disk, databases of parts, a book, published files, a
//! search of all moves at once, a search of one position after another, and the numbers that are told beside values.
//! Each stage may end it. [`Answers::find`] goes through all of them on the calling thread; a server goes through them
//! one by one with [`Answers::begin`] and [`Answers::step`], and chooses the thread for each.

mod line;
mod margins;
mod memo;
mod parts;
mod random;
mod settle;
mod slices;
mod stages;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use zermelo_core::{AskError, Limits, Opened, Position, Report, Tables, Value};

pub use line::Line;
pub use margins::{Beside, Extra, Margins};
pub use parts::Parts;
pub use random::Wanted;
pub use settle::Bound;
pub use slices::Slices;
pub use stages::{Query, Stage};

use crate::{Book, CACHE, Catalogue, Database, Error};
use memo::Memo;
pub(crate) use settle::settle;
use slices::Layered;

/// One variant, with all that its positions can be answered from.
///
/// ```
/// use std::time::Duration;
/// use zermelo::{Answers, Budget, Source, Wanted};
///
/// // No database: positions are searched, for a second each.
/// let answers = Answers::of(zermelo::open("mnk", None, None)?);
/// let start = answers.game.oracle().start();
/// let budget = Budget { time: Duration::from_secs(1), memory: 64 << 20, whole: 0 };
/// let found = answers.find(start, budget)?;
/// assert_eq!((found.report.moves.len(), found.source), (9, Source::Search));
/// assert!(answers.random(Wanted::default(), Duration::from_secs(1))?.is_some());
/// # Ok::<(), zermelo::Error>(())
/// ```
pub struct Answers {
    /// The game with the engine that made the database, if there is one.
    pub game: Opened,
    /// The database of the game, if there is one.
    pub database: Option<Arc<dyn Tables + Send>>,
    /// The solved parts of the variant: databases of single positions and all they lead to.
    pub parts: Parts,
    /// The book of the variant, where it has one and no finished database.
    pub book: Option<Book>,
    /// The published files, where the game has such.
    pub slices: Option<Arc<Slices>>,
    /// The margins or nimbers of the variant, where a database has them.
    pub margins: Option<Margins>,
    memo: Memo,
}

/// Where the values of an answer come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Source {
    /// The rules alone: the game is over, or about to be.
    Rules,
    /// A database of the variant, or of a part of it.
    Database,
    /// A book, which comes with the program or lies in the data directory.
    Book,
    /// The published files.
    Slices,
    /// A search.
    Search,
    /// Nobody knows the value.
    None,
}

/// The time and memory that an answer may take for searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Wall time for the search of a position with its moves; none for no search at all.
    pub time: Duration,
    /// Bytes for the search of one position.
    pub memory: u64,
    /// Bytes for a search of all moves at once, which takes as long as it takes; 0 for no such search.
    pub whole: u64,
}

impl Budget {
    /// No search at all.
    pub const NONE: Budget = Budget { time: Duration::ZERO, memory: 0, whole: 0 };

    fn limits(self) -> Limits {
        Limits { time: self.time, memory: self.memory }
    }
}

/// An answer: a position with its values and moves, the margins or nimbers beside them, and where the values come from.
#[derive(Clone, Debug)]
pub struct Found {
    /// The position and its moves.
    pub report: Report,
    /// Margins or nimbers beside the values.
    pub margins: Beside,
    /// Where the values come from.
    pub source: Source,
}

impl Answers {
    /// Answers from the rules of a game alone; set the other fields to what there is besides.
    pub fn of(game: Opened) -> Answers {
        let (parts, memo) = (Parts::default(), Memo::default());
        Answers { game, database: None, parts, book: None, slices: None, margins: None, memo }
    }

    /// A variant such as `othello:rows=4,cols=4` with all that a data directory has of it, and the published files
    /// beside it.
    pub fn open(catalogue: Catalogue, data: &Path, name: &str) -> Result<Answers, Error> {
        let games = catalogue.open_all(name, None, None, None)?;
        let (mut answers, _) = Answers::stored(catalogue, data, games, CACHE)?;
        answers.margins = Margins::find(data, Margins::ways(catalogue, name), CACHE)?;
        if Slices::fit(&answers.game) {
            answers.slices = Some(Arc::new(Slices::of(data, None, CACHE)?));
        }
        Ok(answers)
    }

    /// Of several ways to solve a game, the first with a finished database, or else one that was begun, or the first of
    /// all; with that database, and with those of parts where it is not finished. So many bytes are for decoded blocks.
    pub fn stored(
        catalogue: Catalogue,
        data: &Path,
        games: Vec<Opened>,
        cache: usize,
    ) -> zermelo_store::Result<(Answers, Option<Arc<Database>>)> {
        let (game, database) = Database::find(data, games, cache)?;
        let (mut answers, database) = (Answers::of(game), database.map(Arc::new));
        if !database.as_ref().is_some_and(|database| database.is_complete()) {
            answers.parts = Parts::of(catalogue, data, &answers.game, cache);
            answers.book = Book::find(catalogue, data, &answers.game);
        }
        answers.database = database.clone().map(|database| database as _);
        Ok((answers, database))
    }

    /// What is known of a position, and what can be found within a budget.
    pub fn find(&self, at: Position, budget: Budget) -> Result<Found, AskError> {
        let mut query = self.begin(at, budget)?;
        while query.stage() != Stage::Done {
            self.step(&mut query)?;
        }
        query.found()
    }

    /// What the tables, and searches before, tell of a position and its moves, without files and further searches.
    pub fn look_up(&self, at: Position) -> Result<Report, AskError> {
        let report = self.game.oracle().report(at, self.tables())?;
        let parts = if report.is_known() { None } else { self.parts.report(at)? };
        let mut report = parts.unwrap_or(report);
        self.consult(&mut report);
        self.recall(&mut report);
        Ok(report)
    }

    /// A position with its moves by the rules alone, and by what searches before have found.
    pub fn by_rules(&self, at: Position) -> Result<Report, AskError> {
        let mut report = self.game.oracle().report(at, &())?;
        self.recall(&mut report);
        Ok(report)
    }

    /// The value of a position as [`Answers::find`] tells it without a search.
    pub fn value(&self, at: Position) -> Result<Option<Value>, AskError> {
        // As a rule a single look-up tells. The sources are in the order of the stages of a query.
        let oracle = self.game.oracle();
        if let Some(value) = oracle.value(at, self.tables())? {
            return Ok(Some(value));
        }
        if let Some(report) = self.parts.report(at)? {
            return Ok(report.value);
        }
        let in_book = self.book.as_ref().and_then(|book| book.value(at).ok()?);
        if in_book.is_some() {
            return Ok(in_book);
        }
        let in_files = self.slices.as_ref().and_then(|slices| oracle.value(at, &**slices).ok()?);
        if in_files.is_some() { Ok(in_files) } else { Ok(self.known(at, Budget::NONE)?.value) }
    }

    /// Fills in what the book tells of a position and its moves. A damaged book is no help and no harm.
    fn consult(&self, report: &mut Report) {
        let Some(book) = self.book.as_ref().filter(|_| !report.is_known()) else { return };
        let Ok(told) = book.report(report.at) else { return };
        report.value = report.value.or(told.value);
        for m in report.moves.iter_mut().filter(|m| m.value.is_none()) {
            let same = told.moves.iter().find(|other| other.to == m.to && other.name == m.name);
            m.found(same.and_then(|other| other.value), self.game.unit);
        }
    }

    /// Bounds the memory for what searches of all moves at once have found.
    pub fn remember(&self, bytes: usize) {
        self.memo.bound(bytes);
    }

    /// The margin or nimber of a position, from a table alone.
    pub fn extra(&self, at: Position) -> Result<Extra, AskError> {
        self.margins.as_ref().map_or(Ok(Extra::default()), |margins| margins.of(at))
    }

    /// The game's own note on a position. The outer `None` says that it was not found within the limits, the inner
    /// `None` that the game has nothing to say of the position.
    pub fn note(&self, at: Position, limits: Limits) -> Option<Option<String>> {
        if !self.game.oracle().has_notes() {
            return Some(None);
        }
        if let Some(note) = self.memo.notes.get(at) {
            return Some(note);
        }
        let begun = std::time::Instant::now();
        let note = self.game.oracle().note(at, limits);
        if note.is_none() && begun.elapsed() >= limits.time {
            return None;
        }
        self.memo.notes.keep(at, note.clone());
        Some(note)
    }

    /// The game's own note on a position, where it is known without a search: as [`Answers::note`], with an outer
    /// `None` where it is not.
    pub fn noted(&self, at: Position) -> Option<Option<String>> {
        if self.game.oracle().has_notes() { self.memo.notes.get(at) } else { Some(None) }
    }

    /// The tables of the own database, or none.
    fn tables(&self) -> &dyn Tables {
        self.database.as_ref().map_or(&() as &dyn Tables, |database| &**database)
    }
}
