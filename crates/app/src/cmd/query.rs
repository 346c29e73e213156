//! `zermelo query`: positions with their values and moves.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;
use zermelo::{Beside, Database, Margins, Parts};
use zermelo_core::{AnyGame, AskError, Complaint, Limits, Report, Tables, Unit, Value};

use crate::args::Query;

/// Memory for the search of one position.
const SEARCH_MEMORY: u64 = 256 << 20;
/// No position is longer than this; what is gets refused unread.
const LONGEST_LINE: usize = 4096;

/// Answers one position, or one a line.
pub(crate) fn run(args: &Query) -> anyhow::Result<ExitCode> {
    let (game, database) = super::open_with_tables(&args.which, &args.place)?;
    let margins = match game.unit() {
        // What is beside the answer must not stand in its way.
        Unit::Moves => Margins::open(&args.place.path(), &args.which.game).unwrap_or_else(|error| {
            eprintln!("zermelo: margins are left out: {error}");
            None
        }),
        Unit::Margin | Unit::Winner => None,
    };
    let ask = Ask {
        game: &*game,
        margins,
        database: database.as_ref(),
        parts: super::open_parts(&*game, database.as_ref(), &args.place),
        time: Duration::from_secs_f64(args.time),
        line: args.line,
        json: args.json,
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if args.position.as_deref() == Some("-") {
        let clean = ask.stream(&mut BufReader::new(std::io::stdin().lock()), &mut out)?;
        out.flush()?;
        return Ok(ExitCode::from(if clean { 0 } else { 2 }));
    }
    let (asked, position) = match (&args.position, &args.moves) {
        (Some(position), _) => (position.clone(), Ok(position.clone())),
        (None, Some(moves)) => (moves.clone(), game.follow(&game.start(), moves)),
        (None, None) => (game.start(), Ok(game.start())),
    };
    match position.map_err(AskError::from).and_then(|position| ask.find(&position)) {
        Err(AskError::Input(complaint)) if args.json => {
            writeln!(out, "{}", refusal(&asked, &complaint.to_string()))?;
            out.flush()?;
            Ok(ExitCode::from(2))
        }
        Err(error) => Err(error.into()),
        Ok(found) => {
            ask.write(&mut out, &found)?;
            out.flush()?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn refusal(position: &str, complaint: &str) -> serde_json::Value {
    json!({ "position": position, "error": complaint })
}

struct Ask<'a> {
    game: &'a dyn AnyGame,
    /// The margins of the same variant, where the game counts moves.
    margins: Option<Margins>,
    database: Option<&'a Database>,
    parts: Parts,
    time: Duration,
    /// Whether to add a line of perfect play.
    line: bool,
    json: bool,
}

/// A report, the margins beside it, and where its values come from.
struct Found {
    report: Report,
    margins: Beside,
    source: &'static str,
    /// Perfect play from there, where it is asked for.
    line: Option<Option<Vec<String>>>,
}

impl Ask<'_> {
    fn find(&self, position: &str) -> Result<Found, AskError> {
        let (report, source) = self.report(position)?;
        let margins = match (&self.margins, self.game.unit()) {
            (Some(margins), Unit::Moves) => margins.beside(&report)?,
            (None, Unit::Moves) | (_, Unit::Winner) => Beside::default(),
            (_, Unit::Margin) => Beside::new(&report, &report),
        };
        let line = if self.line { Some(self.perfect_line(&report)?) } else { None };
        Ok(Found { report, margins, source, line })
    }

    /// The moves of perfect play to the end: none where it is over, and nothing where play never
    /// ends or there are no tables to tell.
    fn perfect_line(&self, report: &Report) -> Result<Option<Vec<String>>, AskError> {
        if report.over {
            return Ok(Some(vec![]));
        }
        let own = match self.database {
            Some(database) => zermelo::perfect_line(self.game, database, &report.position)?,
            None => vec![],
        };
        let line = if own.is_empty() { self.parts.perfect_line(&report.position)? } else { Some(own) };
        Ok(line.map(|line| line.into_iter().map(|m| m.name).collect()))
    }

    fn report(&self, position: &str) -> Result<(Report, &'static str), AskError> {
        let tables: &dyn Tables = self.database.map_or(&() as &dyn Tables, |d| d);
        let mut report = self.game.report(position, tables)?;
        if report.is_known() {
            let source = if self.database.is_some() { "database" } else { "rules" };
            return Ok((report, source));
        }
        if let Some(report) = self.parts.report(position)? {
            return Ok((report, "database"));
        }
        self.search(&mut report)?;
        Ok((report, "search"))
    }

    /// Fills in what can be found within the time: the position, then its moves.
    fn search(&self, report: &mut Report) -> Result<(), AskError> {
        let until = Instant::now() + self.time;
        let limits = |share: u32| {
            let left = until.saturating_duration_since(Instant::now());
            Limits { time: left / share, memory: SEARCH_MEMORY }
        };
        if report.value.is_none() {
            report.value = self.game.search(&report.position, limits(2))?;
        }
        let mut left = report.moves.iter().filter(|m| m.value.is_none()).count() as u32;
        for m in report.moves.iter_mut().filter(|m| m.value.is_none()) {
            m.found(self.game.search(&m.position, limits(left))?, self.game.unit());
            left -= 1;
        }
        let preference = |worth| self.game.unit().preference(worth);
        report.moves.sort_by_key(|m| m.worth.map_or((u8::MAX, 0), preference));
        Ok(())
    }

    /// Answers every line as soon as nothing more is waiting; says whether all were good.
    fn stream<R: Read>(&self, input: &mut BufReader<R>, out: &mut impl Write) -> anyhow::Result<bool> {
        let mut clean = true;
        while let Some(line) = read_line(input)? {
            let text = String::from_utf8_lossy(&line);
            let position = text.trim();
            let found = match line.len() {
                0..=LONGEST_LINE if position.is_empty() => continue,
                0..=LONGEST_LINE => self.find(position),
                _ => {
                    Err(Complaint::new(format!("a line of more than {LONGEST_LINE} bytes is no position"))
                        .into())
                }
            };
            match found {
                Ok(found) => self.write(out, &found)?,
                Err(AskError::Input(complaint)) => {
                    clean = false;
                    let complaint = complaint.to_string();
                    match self.json {
                        true => {
                            writeln!(out, "{}", refusal(position.get(..80).unwrap_or(position), &complaint))?
                        }
                        false => writeln!(out, "error: {complaint}")?,
                    }
                }
                Err(error) => return Err(error.into()),
            }
            if input.buffer().is_empty() {
                out.flush()?;
            }
        }
        Ok(clean)
    }

    fn write(&self, out: &mut impl Write, found: &Found) -> std::io::Result<()> {
        if self.json { writeln!(out, "{}", self.to_json(found)) } else { self.tell(out, found) }
    }

    fn tell(&self, out: &mut impl Write, found: &Found) -> std::io::Result<()> {
        let Found { report, margins, .. } = found;
        writeln!(out, "{}  {}", report.position, self.worth(report.value, margins.position))?;
        super::draw(out, self.game, &report.pieces)?;
        let worths: Vec<_> =
            report.moves.iter().enumerate().map(|(n, m)| self.worth(m.worth, margins.after(n))).collect();
        let wide = worths.iter().map(String::len).max().unwrap_or(0).max(12);
        for (m, worth) in report.moves.iter().zip(worths) {
            writeln!(out, "  {:8} {worth:wide$} {}", m.name, m.position)?;
        }
        if let Some(line) = &found.line {
            let text = match line {
                Some(moves) if moves.is_empty() => "the game is over".into(),
                Some(moves) => moves.join(" "),
                None if report.value == Some(Value::Draw) => "it never ends".into(),
                None => "not known".into(),
            };
            writeln!(out, "  perfect play: {text}")?;
        }
        if found.source == "search" {
            let name = super::solve::full_name(self.game) + &super::solve::objective_flag(self.game);
            let why = match self.database {
                None => format!("there is no database; `zermelo solve {name}` helps"),
                Some(database) if database.is_complete() => "no game from the start comes here".into(),
                Some(_) => format!("the database is not finished; `zermelo solve {name}` helps"),
            };
            writeln!(out, "  (searched: {why})")?;
        }
        Ok(())
    }

    /// `win in 11, by 8`, or `win by 8` where that is all that is asked for.
    fn worth(&self, value: Option<Value>, margin: Option<i32>) -> String {
        let Some(value) = value else { return "not known".into() };
        let text = self.game.unit().text(value);
        match margin {
            Some(n) if n != 0 && self.game.unit() == Unit::Moves => format!("{text}, by {}", n.abs()),
            _ => text,
        }
    }

    fn to_json(&self, found: &Found) -> serde_json::Value {
        let Found { report, margins, source, line } = found;
        let word = |value: Option<Value>| value.map(Value::word);
        let remoteness = |value: Option<Value>| value.and_then(|value| self.game.unit().remoteness(value));
        let moves = report.moves.iter().enumerate().map(|(n, m)| {
            json!({
                "move": m.name, "position": m.position, "value": word(m.value),
                "remoteness": remoteness(m.value), "margin": margins.after(n),
            })
        });
        let mut answer = json!({
            "position": report.position,
            "value": word(report.value),
            "remoteness": remoteness(report.value),
            "margin": margins.position,
            "moves": moves.collect::<Vec<_>>(),
            "source": source,
        });
        if let Some(line) = line {
            answer["line"] = json!(line);
        }
        answer
    }
}

/// Reads a line; of one that is too long only a little more than the longest good one.
fn read_line(input: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = vec![];
    let mut any = false;
    loop {
        let part = input.fill_buf()?;
        if part.is_empty() {
            return Ok(any.then_some(line));
        }
        any = true;
        let end = part.iter().position(|b| *b == b'\n');
        let take = end.unwrap_or(part.len());
        let room = (LONGEST_LINE + 1).saturating_sub(line.len());
        line.extend_from_slice(&part[..take.min(room)]);
        input.consume(take + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}
