//! From a position to what is known of it: rules, database, parts, published files, a look at all moves at once,
//! and a search of one position after another, in this order.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::examine::examine;
use crate::{Beside, Database, Layered, Margins, Parts, Slices, settle};
use zermelo_core::{AnyGame, AskError, Limits, Report, Tables, Unit};

/// Most memory for the search of one position; that of a position with all its moves may take more.
const SEARCH_MEMORY: u64 = 256 << 20;
/// How long people wait without a word.
const SILENCE: Duration = Duration::from_secs(2);

/// Whom to ask.
pub(crate) struct Ask<'a> {
    pub(crate) game: &'a dyn AnyGame,
    /// The margins of the same variant, where the game counts moves.
    pub(crate) margins: Option<Margins>,
    pub(crate) database: Option<&'a Database>,
    pub(crate) parts: Parts,
    /// The published files, where the game has such.
    pub(crate) slices: Option<Slices>,
    /// How long to search a position with its moves.
    pub(crate) time: Duration,
    pub(crate) memory: u64,
    /// Whether to add a line of perfect play.
    pub(crate) line: bool,
}

/// A report, the margins beside it, and where its values come from.
pub(crate) struct Found {
    pub(crate) report: Report,
    pub(crate) margins: Beside,
    pub(crate) source: &'static str,
    /// What else the game has to say of it.
    pub(crate) note: Option<String>,
    /// Perfect play from there, where it is asked for.
    pub(crate) line: Option<Option<Vec<String>>>,
}

impl Ask<'_> {
    /// What is known of a position.
    pub(crate) fn find(&self, position: &str) -> Result<Found, AskError> {
        patiently(|| {
            let (report, source) = self.report(position)?;
            let margins = match (&self.margins, self.game.unit()) {
                (Some(margins), Unit::Moves) => margins.beside(&report)?,
                (None, Unit::Moves) | (_, Unit::Winner | Unit::Goal) => Beside::default(),
                (_, unit @ (Unit::Margin | Unit::Nimber)) => Beside::new(&report, &report, unit),
            };
            let line = if self.line { Some(self.perfect_line(&report)?) } else { None };
            let limits = Limits { time: self.time, memory: self.memory.min(SEARCH_MEMORY) };
            let note = if self.game.has_notes() { self.game.note(&report.position, limits)? } else { None };
            Ok(Found { report, margins, source, note, line })
        })
    }

    /// The moves of perfect play to the end: none where it is over, and nothing where play never
    /// ends or nobody can tell.
    fn perfect_line(&self, report: &Report) -> Result<Option<Vec<String>>, AskError> {
        if report.over {
            return Ok(Some(vec![]));
        }
        let own = match self.database {
            Some(database) => crate::perfect_line(self.game, database, &report.position)?,
            None => vec![],
        };
        let line = if own.is_empty() { self.parts.perfect_line(&report.position)? } else { Some(own) };
        match line {
            Some(line) => Ok(Some(line.into_iter().map(|m| m.name).collect())),
            None if self.game.unit() == Unit::Winner => self.line_of_winners(report.clone()),
            None => Ok(None),
        }
    }

    /// A line of best moves where nothing is counted: all such games end.
    fn line_of_winners(&self, mut report: Report) -> Result<Option<Vec<String>>, AskError> {
        let mut line = vec![];
        while !report.over {
            let best = report.moves.into_iter().next().filter(|best| best.value.is_some());
            let Some(best) = best else { return Ok(None) };
            report = self.known(&best.position)?.0;
            line.push(best.name);
        }
        Ok(Some(line))
    }

    fn report(&self, position: &str) -> Result<(Report, &'static str), AskError> {
        let (mut report, source) = self.known(position)?;
        if report.is_known() {
            return Ok((report, source));
        }
        if !self.time.is_zero() {
            self.search(&mut report)?;
        }
        // What the files tell of a position stands, whether its moves are found or not.
        Ok((report, if source == "slices" { source } else { "search" }))
    }

    /// A position as far as it is known without a search of one position after another.
    fn known(&self, position: &str) -> Result<(Report, &'static str), AskError> {
        let tables: &dyn Tables = self.database.map_or(&() as &dyn Tables, |d| d);
        let mut report = self.game.report(position, tables)?;
        if report.is_known() {
            return Ok((report, if self.database.is_some() { "database" } else { "rules" }));
        }
        if let Some(report) = self.parts.report(position)? {
            return Ok((report, "database"));
        }
        settle(&mut report, self.game.unit());
        if report.is_known() {
            return Ok((report, "rules"));
        }
        let (mut source, mut unread) = ("none", None);
        let published =
            self.slices.as_ref().map(|then| self.game.report(position, &Layered { first: tables, then }));
        match published {
            Some(Ok(mut published)) => {
                settle(&mut published, self.game.unit());
                let told = published.is_known() || published.value != report.value;
                (report, source) = (published, if told { "slices" } else { source });
            }
            Some(Err(error)) => unread = Some(error),
            None => {}
        }
        if !report.is_known()
            && let Some(whole) = self.examine(position)?
        {
            return Ok((whole, "search"));
        }
        // Files that cannot be read matter where nothing else helps.
        unread.map_or(Ok((report, source)), Err)
    }

    /// All moves at once, where the engine can do that and there is any time at all.
    fn examine(&self, position: &str) -> Result<Option<Report>, AskError> {
        if self.time.is_zero() {
            return Ok(None);
        }
        examine(self.game, position, Limits { time: self.time, memory: self.memory })
    }

    /// Fills in what can be found within the time: the position, then its moves.
    fn search(&self, report: &mut Report) -> Result<(), AskError> {
        let until = Instant::now() + self.time;
        let limits = |share: u32| {
            let left = until.saturating_duration_since(Instant::now());
            Limits { time: left / share, memory: self.memory.min(SEARCH_MEMORY) }
        };
        if report.value.is_none() {
            report.value = self.game.search(&report.position, limits(2))?;
        }
        let mut left = report.moves.iter().filter(|m| m.value.is_none()).count() as u32;
        for m in report.moves.iter_mut().filter(|m| m.value.is_none()) {
            m.found(self.game.search(&m.position, limits(left))?, self.game.unit());
            left -= 1;
        }
        settle(report, self.game.unit());
        Ok(())
    }
}

/// Does something, and says on a terminal that it goes on once it takes longer than people like to wait.
fn patiently<T>(work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    std::thread::scope(|scope| {
        let (done, waiting) = channel::<()>();
        // Where the system has no thread for it, people wait without a word.
        let _ = std::thread::Builder::new().spawn_scoped(scope, move || {
            if waiting.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
                eprintln!("zermelo: thinking...");
            }
        });
        let result = work();
        drop(done);
        result
    })
}
