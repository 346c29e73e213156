//! The variants of a game that are worth a line, and what there is to say of each.

use std::path::Path;

use anstyle::{AnsiColor, Color, Style};
use serde_json::json;
use zermelo_core::{Card, Options};

use super::colour::styled;
use super::games::named;
use zermelo::{CACHE, Catalogue, Database, Estimate, EstimateLimits, Settings, bytes, estimate, lasts};

/// The colour of what is solved.
const SOLVED: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));

/// The row of one variant in the list.
pub(crate) struct Row {
    name: String,
    /// The note on the variant's card.
    pub(crate) note: Option<&'static str>,
    told: Result<Estimate, String>,
    state: State,
}

enum State {
    /// Solved; with the bytes of the database.
    Solved(u64),
    Begun,
    Unsolved,
    /// The database cannot be read; with the reason.
    Unreadable(String),
}

/// Returns the default variant, the examples of a card, and one more variant if asked for; each once.
pub(crate) fn variants_of<'a>(
    card: &'static Card,
    more: Option<&'a str>,
) -> impl Iterator<Item = (&'a str, Option<&'static str>)> {
    let all = card.examples.iter().map(|(options, note)| (*options, Some(*note)));
    let all = all.chain([("", None)]).chain(more.map(|options| (options, None)));
    let mut seen = std::collections::HashSet::new();
    all.filter(move |(options, _)| {
        let normal = Options::read(card, options).map(|read| read.normal(card));
        seen.insert(normal.unwrap_or_else(|_| (*options).into()))
    })
}

impl Row {
    pub(crate) fn of(
        catalogue: Catalogue,
        card: &Card,
        options: &str,
        note: Option<&'static str>,
        data: &Path,
        limits: &EstimateLimits,
    ) -> Row {
        let name = named(card, options);
        let best = || catalogue.open_all(&name, None, None, None).map_err(|error| error.to_string());
        // Of several engines, take the one that has a database, or else the best.
        let (game, state) = match best().map(|games| Database::find(data, games, CACHE)) {
            Ok(Ok((game, Some(database)))) if database.is_complete() => {
                (Ok(game), State::Solved(database.reader().bytes().unwrap_or(0)))
            }
            Ok(Ok((game, database))) => {
                (Ok(game), if database.is_some() { State::Begun } else { State::Unsolved })
            }
            Ok(Err(error)) => {
                (best().map(|mut all| all.swap_remove(0)), State::Unreadable(error.to_string()))
            }
            Err(error) => (Err(error), State::Unsolved),
        };
        let told = game.and_then(|game| {
            estimate(&game, &Settings::default(), limits).map_err(|error| error.to_string())
        });
        Row { name, note, told, state }
    }

    /// Formats the row as one line.
    pub(crate) fn line(&self) -> String {
        let state = match &self.state {
            State::Solved(size) => styled(SOLVED, format!("solved, {}", bytes(*size))).to_string(),
            State::Begun => "begun".into(),
            State::Unsolved if self.told.as_ref().is_ok_and(|told| told.obstacle.is_some()) => {
                "too large here".into()
            }
            State::Unsolved => String::new(),
            State::Unreadable(_) => "unreadable: see zermelo verify".into(),
        };
        let columns = match &self.told {
            Ok(told) => {
                let time = told.seconds.map_or("?".into(), lasts);
                let memory = told.memory.map_or("?".into(), |memory| bytes(memory.least));
                format!("{:>7} {:10} {time:>10} {memory:>9}", told.numbers_in_short(), told.engine)
            }
            Err(why) => format!("cannot be estimated: {why}"),
        };
        format!("{:36} {columns}  {state}", self.name).trim_end().into()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let (state, size) = match &self.state {
            State::Solved(size) => ("solved", Some(*size)),
            State::Begun => ("begun", None),
            State::Unsolved => ("unsolved", None),
            State::Unreadable(_) => ("unreadable", None),
        };
        let trouble = match (&self.told, &self.state) {
            (Err(why), _) | (_, State::Unreadable(why)) => Some(why),
            _ => None,
        };
        json!({
            "variant": self.name,
            "note": self.note,
            "estimate": self.told.as_ref().ok().map(Estimate::json),
            "state": state,
            "solved_bytes": size,
            "error": trouble,
        })
    }
}
