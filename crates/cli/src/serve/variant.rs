//! An open variant: its game, its tables, and what was found out about its positions.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use zermelo_core::{Board, Card, Choice, Complaint, Opened, Options, Position};

use super::count::Counted;
use super::solve::small;
use zermelo::{Answers, Database};

/// An open variant.
pub(crate) struct Variant {
    /// The game, and everything that answers questions about its positions.
    pub(crate) answers: Answers,
    /// The database of the variant.
    pub(crate) database: Option<Arc<Database>>,
    /// The name of the variant in paths: the options in normal form, or `default`.
    pub(crate) id: String,
    /// The board, with the places of its cells.
    pub(crate) board: Board,
    /// The counts of the positions, once a client asked.
    pub(crate) counted: Mutex<Counted>,
    pub(super) small: OnceLock<Option<u64>>,
    pub(super) stamps: Vec<(PathBuf, Stamp)>,
    pub(super) bytes: u64,
    pub(super) used: AtomicU64,
    /// When the files were last checked, in milliseconds since the library was made.
    pub(super) checked: AtomicU64,
}

/// When a file was changed and how long it is; `None` if there is no file.
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
        self.answers.game.card
    }

    pub(crate) fn game(&self) -> &Opened {
        &self.answers.game
    }

    /// Reads a position that a client wrote; without a text, returns the start.
    pub(crate) fn parse(&self, text: Option<&str>) -> Result<Position, Complaint> {
        let oracle = self.game().oracle();
        text.map_or_else(|| Ok(oracle.start()), |text| oracle.parse(text))
    }

    pub(crate) fn state(&self) -> State {
        match &self.database {
            Some(database) if database.is_complete() => State::Solved,
            Some(_) => State::Begun,
            None => State::Unsolved,
        }
    }

    /// Returns a number that changes with the database or with the database of margins; `None` while the first is not
    /// finished.
    pub(crate) fn checksum(&self) -> Option<u64> {
        let values = self.database.as_ref().filter(|d| d.is_complete())?.reader().checksum();
        let margins =
            self.answers.margins.as_ref().map_or(0, |margins| margins.database().reader().checksum());
        Some(values ^ margins.rotate_left(1))
    }

    /// Returns the name for people: `3x3, line 3`.
    pub(crate) fn name(&self) -> String {
        match Options::read(self.card(), &self.game().variant) {
            Ok(options) => readable(self.card(), &options),
            Err(_) => self.id.clone(),
        }
    }

    /// Returns how many numbers the variant has, if it may be solved from the page within `memory` bytes.
    pub(crate) fn small(&self, memory: u64) -> Option<u64> {
        *self.small.get_or_init(|| small(self.game(), memory))
    }

    pub(super) fn has_changed(&self) -> bool {
        self.stamps.iter().any(|(file, before)| stamp(file) != *before)
    }
}

/// Returns the stamp of a file now.
pub(super) fn stamp(file: &Path) -> Stamp {
    let meta = std::fs::metadata(file).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// Returns options in words: `3x3, line 3`.
fn readable(card: &Card, options: &Options) -> String {
    let has = |name: &str| card.options.iter().any(|o| o.name == name);
    let grid = has("rows") && has("cols");
    let mut parts: Vec<String> = vec![];
    if grid {
        parts.push(format!("{}x{}", options.get("rows"), options.get("cols")));
    }
    let rest = card.options.iter().filter(|o| !grid || !matches!(o.name, "rows" | "cols"));
    // A text describes the variant by itself: numbers that were not given beside the text are left out.
    let text = card.options.iter().any(|o| !options.text(o.name).is_empty());
    let value = |o: &Choice| {
        if o.text.is_some() {
            return Some(options.text(o.name).to_string()).filter(|text| !text.is_empty());
        }
        let number = options.get(o.name) as u32;
        // An option whose value is `no` is left out, too.
        (!text || number != o.default).then(|| o.show(number)).filter(|word| word != "no")
    };
    parts.extend(rest.filter_map(|o| Some(format!("{} {}", o.name, value(o)?))));
    if parts.is_empty() { "standard".into() } else { parts.join(", ") }
}
