//! `zermelo query`: positions with their values and moves.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use crate::{Extra, Margins, full_name, objective_flag, search_memory};
use serde_json::json;
use zermelo_core::{AskError, Complaint, Unit, Value};

use super::ask::{Ask, Found};
use crate::args::Query;

/// No position is longer than this; what is gets refused unread.
const LONGEST_LINE: usize = 4096;

/// Answers one position, or one a line.
pub(crate) fn run(args: &Query) -> anyhow::Result<ExitCode> {
    let (game, database) = super::open_with_tables(&args.which, &args.place)?;
    let margins = match game.unit() {
        // What is beside the answer must not stand in its way.
        Unit::Moves => Margins::open(&args.place.path(), &args.which.game).unwrap_or_else(|error| {
            eprintln!("zermelo: margins and nimbers are left out: {error}");
            None
        }),
        Unit::Margin | Unit::Winner | Unit::Nimber | Unit::Goal => None,
    };
    let ask = Ask {
        game: &*game,
        margins,
        database: database.as_ref(),
        parts: super::open_parts(&*game, database.as_ref(), &args.place),
        slices: super::open_slices(&*game, &args.published, &args.place)?,
        time: Duration::from_secs_f64(args.time),
        memory: super::memory(args.memory, crate::machine::cores().1).unwrap_or_else(search_memory),
        line: args.line,
    };
    let teller = Teller { ask, json: args.json };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if args.position.as_deref() == Some("-") {
        let clean = teller.stream(&mut BufReader::new(std::io::stdin().lock()), &mut out)?;
        out.flush()?;
        return Ok(ExitCode::from(if clean { 0 } else { 2 }));
    }
    let (asked, position) = match (&args.position, &args.moves) {
        (Some(position), _) => (position.clone(), Ok(position.clone())),
        (None, Some(moves)) => (moves.clone(), game.follow(&game.start(), moves)),
        (None, None) => (game.start(), Ok(game.start())),
    };
    match position.map_err(AskError::from).and_then(|position| teller.ask.find(&position)) {
        Err(AskError::Input(complaint)) if args.json => {
            writeln!(out, "{}", refusal(&asked, &complaint.to_string()))?;
            out.flush()?;
            Ok(ExitCode::from(2))
        }
        Err(error) => Err(error.into()),
        Ok(found) => {
            teller.write(&mut out, &found)?;
            out.flush()?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn refusal(position: &str, complaint: &str) -> serde_json::Value {
    json!({ "position": position, "error": complaint })
}

/// Answers, as text or as JSON.
struct Teller<'a> {
    ask: Ask<'a>,
    json: bool,
}

impl Teller<'_> {
    /// Answers every line as soon as nothing more is waiting; says whether all were good.
    fn stream<R: Read>(&self, input: &mut BufReader<R>, out: &mut impl Write) -> anyhow::Result<bool> {
        let mut clean = true;
        while let Some(line) = read_line(input)? {
            let text = String::from_utf8_lossy(&line);
            let position = text.trim();
            let found = match line.len() {
                0..=LONGEST_LINE if position.is_empty() => continue,
                0..=LONGEST_LINE => self.ask.find(position),
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
        let Found { report, margins, note, .. } = found;
        writeln!(out, "{}  {}", report.position, self.worth(report.value, margins.position))?;
        super::draw(out, self.ask.game, &report.pieces)?;
        if let Some(note) = note {
            writeln!(out, "  {note}")?;
        }
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
                None if self.ask.game.unit() == Unit::Goal && report.value.is_some() => {
                    "there is no way".into()
                }
                None if report.value == Some(Value::Draw) => "it never ends".into(),
                None => "not known".into(),
            };
            writeln!(out, "  perfect play: {text}")?;
        }
        match self.remark(found) {
            Some(remark) => writeln!(out, "  ({remark})"),
            None => Ok(()),
        }
    }

    /// Why values are searched for or not known, and what helps.
    fn remark(&self, found: &Found) -> Option<String> {
        let Ask { game, slices, .. } = &self.ask;
        let known = found.report.is_known();
        match found.source {
            "slices" if known => Some("from the published files".into()),
            "slices" => Some("from the published files; those with one stone more are not there".into()),
            "search" if slices.is_some() && known => Some("searched".into()),
            "search" if !known && self.ask.time.is_zero() => Some("not searched, for --time is 0".into()),
            "search" if !known && self.lacks(&found.report).is_some() => self.lacks(&found.report),
            "search" if slices.is_some() && game.variant().is_empty() => Some(
                "not known: boards with fewer than 18 stones are in the published files alone, see --slices"
                    .into(),
            ),
            "search" if self.ask.database.is_none() && !self.can_be_solved() => Some("searched".into()),
            "search" => {
                let name = full_name(*game) + &objective_flag(*game);
                let why = match self.ask.database {
                    None => format!("there is no database; `zermelo solve {name}` helps"),
                    Some(database) if database.is_complete() => "no game from the start comes here".into(),
                    Some(_) => format!("the database is not finished; `zermelo solve {name}` helps"),
                };
                Some(format!("searched: {why}"))
            }
            _ => None,
        }
    }

    /// The memory that a search of all moves at once would take, where that is why there was none.
    fn lacks(&self, report: &zermelo_core::Report) -> Option<String> {
        let bytes = self.ask.game.examine_bytes(&report.position).ok().flatten()?;
        let megabytes = bytes.div_ceil(1 << 20);
        (bytes > self.ask.memory)
            .then(|| format!("not known: the search takes more memory; --memory {megabytes}M helps"))
    }

    /// Whether `solve` may be told of: not where it takes more than this machine has.
    fn can_be_solved(&self) -> bool {
        let need =
            crate::Graph::of(self.ask.game).map(|graph| crate::least_memory(self.ask.game, &graph, false).1);
        need.is_ok_and(|need| crate::available_memory().is_none_or(|free| need < free))
    }

    /// `win in 11, by 8`, or `win by 8` where that is all that is asked for.
    fn worth(&self, value: Option<Value>, beside: Extra) -> String {
        let Some(value) = value else { return "not known".into() };
        let unit = self.ask.game.unit();
        let more = if unit == Unit::Moves { beside.text() } else { String::new() };
        unit.text(value) + &more
    }

    fn to_json(&self, found: &Found) -> serde_json::Value {
        let Found { report, margins, source, note, line } = found;
        let word = |value: Option<Value>| value.map(Value::word);
        let remoteness =
            |value: Option<Value>| value.and_then(|value| self.ask.game.unit().remoteness(value));
        let moves = report.moves.iter().enumerate().map(|(n, m)| {
            json!({
                "move": m.name, "position": m.position, "value": word(m.value),
                "remoteness": remoteness(m.value), "margin": margins.after(n).margin,
                "nimber": margins.after(n).nimber,
            })
        });
        let mut answer = json!({
            "position": report.position,
            "value": word(report.value),
            "remoteness": remoteness(report.value),
            "margin": margins.position.margin,
            "nimber": margins.position.nimber,
            "moves": moves.collect::<Vec<_>>(),
            "source": source,
        });
        if let Some(note) = note {
            answer["note"] = json!(note);
        }
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
