//! A variant that is open for questions.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyByteArray;
use zermelo::{
    Answers, Budget, CACHE, Catalogue, Database, Extra, Margins, Progress, Settings, Slices, Source, Wanted,
    analyze, full_name, search_memory, svg, with_file,
};
use zermelo_core::{Complaint, Kind, Position, Tier, Turn, Unit, Value, refuse};

use crate::bulk::{self, Arrays};
use crate::fault::Told;

/// The words of values, each at the place of its number in arrays.
pub(crate) const KINDS: [&str; 5] = ["unknown", "win", "lose", "tie", "draw"];

/// The most moves of a line of perfect play.
const LONGEST_LINE: usize = 20_000;
/// The most memory for the search of one position.
const SEARCH_MEMORY: u64 = 256 << 20;

/// A position as Python has it: the player to move, and two words.
pub(crate) type Packed = (u8, u64, u64);
/// A value as Python has it: its place in [`KINDS`], and its number or -1.
pub(crate) type Number = (u8, i32);
/// A margin and a nimber, where they are known.
type Beside = (Option<i32>, Option<u16>);
/// A move: its name, the position it leads to, the text of that position, whether the same player moves again, the value
/// there, the worth of the move, and the margin or nimber of the position.
type Move = (String, Packed, String, bool, Number, Number, Beside);
/// A position: its text, what stands on the cells, whether the game is over, its value, its margin or nimber, where the
/// values come from, and its moves.
type Report = (String, String, bool, Number, Beside, &'static str, Vec<Move>);

/// A tier that has a table: number, name, entries, positions, and bytes of a code.
type TableOf = (u64, String, u64, u64, u8);

/// A variant of a game with its database, if there is one.
#[pyclass(frozen, name = "Answers", module = "zermelo._zermelo")]
pub(crate) struct OpenVariant {
    pub(crate) answers: Answers,
    pub(crate) database: Option<Arc<Database>>,
    pub(crate) data: PathBuf,
}

pub(crate) fn packed(at: Position) -> Packed {
    let turn = if at.turn == Turn::First { 1 } else { 2 };
    (turn, at.packed[0], at.packed[1])
}

pub(crate) fn number(value: Option<Value>) -> Number {
    let kind = match value.map(Value::kind) {
        None => 0,
        Some(Kind::Win) => 1,
        Some(Kind::Lose) => 2,
        Some(Kind::Tie) => 3,
        Some(Kind::Draw) => 4,
    };
    (kind, value.and_then(Value::remoteness).map_or(-1, i32::from))
}

fn beside(extra: Extra) -> Beside {
    (extra.margin, extra.nimber)
}

/// A position that Python gives back.
pub(crate) fn position((turn, low, high): Packed) -> Result<Position, Complaint> {
    let turn = match turn {
        1 => Turn::First,
        2 => Turn::Second,
        _ => refuse!("the player to move is {turn}: want 1 or 2"),
    };
    Ok(Position { turn, packed: [low, high] })
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Rules => "rules",
        Source::Database => "database",
        Source::Book => "book",
        Source::Slices => "slices",
        Source::Search => "search",
        _ => "none",
    }
}

impl OpenVariant {
    fn of(name: &str, data: PathBuf, objective: Option<&str>) -> Told<OpenVariant> {
        let catalogue = Catalogue::standard();
        let name = with_file(catalogue, name)?;
        let games = catalogue.open_all(&name, None, objective, None)?;
        let (mut answers, database) = Answers::stored(catalogue, &data, games, CACHE)?;
        if answers.game.unit == Unit::Moves {
            answers.margins = Margins::find(&data, Margins::ways(catalogue, &name), CACHE)?;
        }
        if Slices::fit(&answers.game) {
            answers.slices = Some(Arc::new(Slices::of(&data, None, CACHE)?));
        }
        Ok(OpenVariant { answers, database, data })
    }

    fn budget(time: f64) -> Budget {
        let (time, memory) = (Duration::try_from_secs_f64(time).unwrap_or_default(), search_memory());
        Budget { time, memory: memory.min(SEARCH_MEMORY), whole: if time.is_zero() { 0 } else { memory } }
    }

    fn found(&self, at: Packed, time: f64) -> Told<zermelo::Found> {
        Ok(self.answers.find(position(at)?, OpenVariant::budget(time))?)
    }
}

#[pymethods]
impl OpenVariant {
    /// Opens a variant with what a data directory has of it.
    #[staticmethod]
    fn open(py: Python<'_>, name: String, data: PathBuf, objective: Option<String>) -> Told<OpenVariant> {
        py.detach(|| OpenVariant::of(&name, data, objective.as_deref()))
    }

    /// The full name, such as `mnk:rows=4`.
    #[getter]
    fn name(&self) -> String {
        full_name(&self.answers.game)
    }

    /// The engine that solves the variant.
    #[getter]
    fn engine(&self) -> &'static str {
        self.answers.game.takes.name
    }

    /// What the variant is solved for.
    #[getter]
    fn objective(&self) -> &'static str {
        self.answers.game.objective
    }

    /// Whether all positions are solved.
    #[getter]
    fn solved(&self) -> bool {
        self.database.as_ref().is_some_and(|database| database.is_complete())
    }

    /// The data directory.
    #[getter]
    fn data(&self) -> PathBuf {
        self.data.clone()
    }

    /// The position that the game begins with.
    fn start(&self) -> Packed {
        packed(self.answers.game.oracle().start())
    }

    /// The position of a text.
    fn parse(&self, text: &str) -> Told<Packed> {
        Ok(packed(self.answers.game.oracle().parse(text)?))
    }

    /// The text of a position.
    fn text(&self, at: Packed) -> Told<String> {
        Ok(self.answers.game.oracle().text(position(at)?))
    }

    /// The position after some moves.
    fn follow(&self, at: Packed, moves: &str) -> Told<Packed> {
        Ok(packed(self.answers.game.oracle().follow(position(at)?, moves)?))
    }

    /// The value of a position, with a search of at most so many seconds where no table has it.
    fn value(&self, py: Python<'_>, at: Packed, time: f64) -> Told<(Number, Beside)> {
        py.detach(|| {
            let at = position(at)?;
            let value = match self.answers.value(at)? {
                None if time > 0.0 => self.answers.find(at, OpenVariant::budget(time))?.report.value,
                known => known,
            };
            let extra = match self.answers.game.unit {
                Unit::Moves => self.answers.extra(at)?,
                unit => Extra::of(value, unit),
            };
            Ok((number(value), beside(extra)))
        })
    }

    /// A position with its moves, best first.
    fn report(&self, py: Python<'_>, at: Packed, time: f64) -> Told<Report> {
        py.detach(|| {
            let found = self.found(at, time)?;
            let unit = self.answers.game.unit;
            let moves = found.report.moves.iter().enumerate().map(|(n, m)| {
                let extra =
                    if unit == Unit::Moves { found.margins.after(n) } else { Extra::of(m.value, unit) };
                let (value, worth) = (number(m.value), number(m.worth));
                (m.name.clone(), packed(m.to), m.position.clone(), m.again, value, worth, beside(extra))
            });
            let moves = moves.collect();
            let extra = if unit == Unit::Moves {
                found.margins.position
            } else {
                Extra::of(found.report.value, unit)
            };
            let report = found.report;
            let value = number(report.value);
            Ok((
                report.position,
                report.pieces,
                report.over,
                value,
                beside(extra),
                source(found.source),
                moves,
            ))
        })
    }

    /// A value in words, such as `win in 7`.
    fn words(&self, value: Number) -> String {
        let (kind, n) = value;
        let n = u16::try_from(n).unwrap_or(0);
        let value = match kind {
            1 => Value::Win(n),
            2 => Value::Lose(n),
            3 => Value::Tie(n),
            4 => Value::Draw,
            _ => return "not known".into(),
        };
        self.answers.game.unit.text(value)
    }

    /// Perfect play: names of moves and positions, and whether it goes to the end of the game.
    fn line(&self, py: Python<'_>, at: Packed) -> Told<(Vec<(String, Packed)>, bool)> {
        py.detach(|| {
            let line = self.answers.line(position(at)?, LONGEST_LINE, Budget::NONE, None)?;
            let moves = line.moves.into_iter().map(|m| (m.name, packed(m.to)));
            Ok((moves.collect(), line.complete))
        })
    }

    /// A random position, with a value if one is wanted; none where none is found in time.
    fn random(
        &self,
        py: Python<'_>,
        value: Option<&str>,
        remoteness: Option<u16>,
        time: f64,
    ) -> Told<Option<Packed>> {
        let kind = value.map(|word| {
            let kind = Kind::ALL.into_iter().find(|kind| kind.word() == word);
            kind.ok_or_else(|| Complaint::new(format!("value {word:?}: want win, lose, tie or draw")))
        });
        let wanted = Wanted { value: kind.transpose()?, remoteness };
        let time = Duration::try_from_secs_f64(time).unwrap_or_default();
        Ok(py.detach(|| self.answers.random(wanted, time))?.map(packed))
    }

    /// The board as a picture with the values of the moves.
    fn svg(&self, py: Python<'_>, at: Packed, time: f64) -> Told<String> {
        py.detach(|| {
            let report = self.found(at, time)?.report;
            Ok(svg(&self.answers.game.oracle().board(), &report, self.answers.game.unit))
        })
    }

    /// The board as lines of text.
    fn lines(&self, pieces: &str) -> Vec<String> {
        self.answers.game.oracle().board().plain(pieces)
    }

    /// How many positions have which value, as the JSON of `zermelo analyze --json`.
    fn analyze(&self, py: Python<'_>, threads: Option<usize>, memory: Option<u64>) -> Told<String> {
        let Some(database) = &self.database else {
            return Err(self.missing().into());
        };
        let standard = Settings::default();
        let threads = threads.unwrap_or(standard.threads);
        let settings = Settings { threads, memory: memory.unwrap_or(standard.memory), ..standard };
        let progress = Progress::new("analyze");
        let game = &self.answers.game;
        Ok(py.detach(|| analyze(game, database, &settings, &progress))?.json(game.unit).to_string())
    }

    /// The tiers that have a table: number, name, entries, positions, and bytes of a code.
    fn tiers(&self) -> Told<Vec<TableOf>> {
        let Some(database) = &self.database else { return Ok(vec![]) };
        let (reader, names) = (database.reader(), self.answers.game.tiers());
        let tier = |tier: Tier| {
            let info = reader.info(tier)?;
            Ok((tier.0, names.name(tier), info.entries, info.positions, info.width.bytes() as u8))
        };
        reader.tiers().into_iter().map(tier).collect()
    }

    /// The values of a list of texts: kinds, a byte each, and numbers, four bytes each.
    fn values_of_texts<'py>(&self, py: Python<'py>, texts: Vec<PyBackedStr>) -> Told<Arrays<'py>> {
        bulk::values_of_texts(py, &self.answers, &texts)
    }

    /// The values of an array of packed positions.
    fn values_of_words<'py>(&self, py: Python<'py>, array: &[u8]) -> Told<Arrays<'py>> {
        bulk::values_of_words(py, &self.answers, array)
    }

    /// The packed forms of a list of texts.
    fn pack<'py>(&self, py: Python<'py>, texts: Vec<PyBackedStr>) -> Told<Bound<'py, PyByteArray>> {
        bulk::pack(py, &self.answers, &texts)
    }

    /// The texts of an array of packed positions.
    fn unpack(&self, py: Python<'_>, array: &[u8]) -> Told<Vec<String>> {
        bulk::texts(py, &self.answers, array)
    }

    /// Packed positions of numbers that are drawn evenly from all tables.
    fn sample<'py>(&self, py: Python<'py>, many: usize, seed: u64) -> Told<Bound<'py, PyByteArray>> {
        let positions = py.detach(|| self.answers.sample(many, seed));
        if positions.is_empty() && many > 0 {
            return Err(self.missing().into());
        }
        bulk::words(py, &positions)
    }

    /// The stored codes of a tier.
    fn codes<'py>(&self, py: Python<'py>, tier: u64) -> Told<Bound<'py, PyByteArray>> {
        let Some(database) = &self.database else { return Err(self.missing().into()) };
        let codes = py.detach(|| database.reader().load(Tier(tier)))?;
        Ok(PyByteArray::new(py, &codes))
    }

    /// The position of a number of a tier, with the first player to move; none for a hole.
    fn number(&self, tier: u64, rank: u64) -> Told<Option<Packed>> {
        let sizes = self.database.as_ref().map(|database| database.reader().info(Tier(tier))).transpose()?;
        if sizes.is_none_or(|info| rank >= info.entries) {
            return Ok(None);
        }
        let at = self.answers.game.audit().position(Tier(tier), rank);
        Ok(at.map(|words| packed(Position { turn: Turn::First, packed: words })))
    }
}

impl OpenVariant {
    /// What to say where a database is needed and none is there.
    fn missing(&self) -> Complaint {
        let (name, data) = (full_name(&self.answers.game), self.data.display());
        Complaint::new(format!(
            "there is no database of {name} in {data}; `zermelo.solve({name:?})` makes one"
        ))
    }
}
