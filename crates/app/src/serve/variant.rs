//! One variant that is open: its game, its tables, and what was found out about its positions.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use zermelo_core::{AnyGame, Board, Card, Choice, Options, Report, Value};

use super::count::Counted;
use super::solve::small;
use crate::{Database, Margins, Parts, Slices};

/// Searched values that a variant remembers, and as many notes.
const SEARCHED: usize = 4096;
/// Positions with all their moves that a variant remembers; each takes some 50 kB.
const EXAMINED: usize = 32;

/// A variant that is open.
pub(crate) struct Variant {
    /// The game with the engine that made the database, if there is one.
    pub(crate) game: Box<dyn AnyGame>,
    /// Its database.
    pub(crate) database: Option<Database>,
    /// Its solved parts, where the database is not finished.
    pub(crate) parts: Parts,
    /// Its published files, where the game has such.
    pub(crate) slices: Option<Arc<Slices>>,
    /// Its margins, where they are solved too.
    pub(crate) margins: Option<Margins>,
    /// Its name in paths: the options in normal form, or `default`.
    pub(crate) id: String,
    /// Where the cells are.
    pub(crate) board: Board,
    /// The counts of its positions, once somebody asked.
    pub(crate) counted: Mutex<Counted>,
    pub(super) searched: Mutex<HashMap<String, Value>>,
    pub(super) notes: Mutex<HashMap<String, Option<String>>>,
    /// Positions that were searched with all their moves, the last used at the end.
    pub(super) examined: Mutex<VecDeque<Report>>,
    pub(super) small: OnceLock<Option<u64>>,
    pub(super) stamps: Vec<(PathBuf, Stamp)>,
    pub(super) bytes: u64,
    pub(super) used: AtomicU64,
    /// Milliseconds since the library was made.
    pub(super) checked: AtomicU64,
}

/// When a file was changed and how long it is; `None` where there is none.
pub(super) type Stamp = Option<(SystemTime, u64)>;

/// How far a variant is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Solved,
    Begun,
    Unsolved,
}

impl Variant {
    pub(crate) fn card(&self) -> &'static Card {
        self.game.card()
    }

    pub(crate) fn state(&self) -> State {
        match &self.database {
            Some(database) if database.is_complete() => State::Solved,
            Some(_) => State::Begun,
            None => State::Unsolved,
        }
    }

    /// A number that changes with the database or with that of margins; none while the first is
    /// not finished.
    pub(crate) fn checksum(&self) -> Option<u64> {
        let values = self.database.as_ref().filter(|d| d.is_complete())?.reader().checksum();
        let margins = self.margins.as_ref().map_or(0, |margins| margins.database().reader().checksum());
        Some(values ^ margins.rotate_left(1))
    }

    /// What people call it: `3x3, line 3`.
    pub(crate) fn name(&self) -> String {
        match Options::read(self.card(), &self.game.variant()) {
            Ok(options) => readable(self.card(), &options),
            Err(_) => self.id.clone(),
        }
    }

    /// How many numbers it has, if it may be solved from the page, in so much memory.
    pub(crate) fn small(&self, memory: u64) -> Option<u64> {
        *self.small.get_or_init(|| small(&*self.game, memory))
    }

    /// A value that was searched for before.
    pub(crate) fn searched(&self, position: &str) -> Option<Value> {
        self.searched.lock().unwrap_or_else(PoisonError::into_inner).get(position).copied()
    }

    /// The note of a position that was worked out before.
    pub(crate) fn noted(&self, position: &str) -> Option<Option<String>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).get(position).cloned()
    }

    /// Keeps the note of a position.
    pub(crate) fn keep_note(&self, position: &str, note: Option<String>) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() >= SEARCHED {
            notes.clear();
        }
        notes.insert(position.into(), note);
    }

    /// Keeps a value that took long to find.
    pub(crate) fn remember(&self, position: &str, value: Value) {
        let mut searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        if searched.len() >= SEARCHED {
            searched.clear();
        }
        searched.insert(position.into(), value);
    }

    /// A position that was searched with all its moves before.
    pub(crate) fn examined(&self, position: &str) -> Option<Report> {
        let mut examined = self.examined.lock().unwrap_or_else(PoisonError::into_inner);
        let at = examined.iter().position(|report| report.position == position)?;
        let report = examined.remove(at)?;
        examined.push_back(report.clone());
        Some(report)
    }

    /// Keeps a position with all its moves, and their values one by one, so that playing on finds them.
    pub(crate) fn keep(&self, report: &Report) {
        let moves = report.moves.iter().map(|m| (&m.position, m.value));
        for (position, value) in moves.chain([(&report.position, report.value)]) {
            value.into_iter().for_each(|value| self.remember(position, value));
        }
        let mut examined = self.examined.lock().unwrap_or_else(PoisonError::into_inner);
        if examined.len() >= EXAMINED {
            examined.pop_front();
        }
        examined.push_back(report.clone());
    }

    pub(super) fn has_changed(&self) -> bool {
        self.stamps.iter().any(|(file, before)| stamp(file) != *before)
    }
}

/// The stamp of a file now.
pub(super) fn stamp(file: &Path) -> Stamp {
    let meta = std::fs::metadata(file).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// `3x3, line 3`.
fn readable(card: &Card, options: &Options) -> String {
    let has = |name: &str| card.options.iter().any(|o| o.name == name);
    let grid = has("rows") && has("cols");
    let mut parts: Vec<String> = vec![];
    if grid {
        parts.push(format!("{}x{}", options.get("rows"), options.get("cols")));
    }
    let rest = card.options.iter().filter(|o| !grid || !matches!(o.name, "rows" | "cols"));
    // A text says what it is about by itself: numbers that were not given beside it are left out.
    let text = card.options.iter().any(|o| !options.text(o.name).is_empty());
    let value = |o: &Choice| {
        if o.text.is_some() {
            return Some(options.text(o.name).to_string()).filter(|text| !text.is_empty());
        }
        let number = options.get(o.name) as u32;
        // Nor is it told what there is not.
        (!text || number != o.default).then(|| o.show(number)).filter(|word| word != "no")
    };
    parts.extend(rest.filter_map(|o| Some(format!("{} {}", o.name, value(o)?))));
    if parts.is_empty() { "standard".into() } else { parts.join(", ") }
}
