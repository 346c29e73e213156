//! `zermelo query`: the values of positions and of their moves.

use std::cell::OnceCell;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::json;
use zermelo::{
    Answers, Budget, CACHE, Catalogue, Database, Extra, Found, Margins, Settings, Source, Wanted, full_name,
    objective_flag, search_memory,
};
use zermelo_core::{AskError, Complaint, Limits, Oracle, Position, Unit, Value};

use super::colour::valued;
use super::groups;
use super::outlook::Outlook;
use super::sides::Sides;
use super::solve::typed;

use crate::args::Query;
use crate::serve::Worth;

/// The most memory for the search of one position. A search of a position with all its moves may take more.
pub(super) const SEARCH_MEMORY: u64 = 256 << 20;
/// How long a random position is looked for.
const DRAW: Duration = Duration::from_secs(5);
/// How many times the time for one position the search of a line may take.
const LINE_TIMES: u32 = 10;
/// How long a person waits before a message appears.
const SILENCE: Duration = Duration::from_secs(2);
/// The most bytes of a line. No position is longer; a longer line is refused unread.
const LONGEST_LINE: usize = 4096;

/// Answers one position, or one position for each line of standard input.
pub(crate) fn run(catalogue: Catalogue, args: &Query) -> anyhow::Result<ExitCode> {
    let (mut answers, database) = super::answers(catalogue, &args.which, &args.published, &args.place)?;
    if answers.game.unit == Unit::Moves {
        // Margins and nimbers that cannot be read must not prevent the answer.
        let ways = Margins::ways(catalogue, &args.which.game);
        let margins = Margins::find(&args.place.path(), ways, CACHE);
        answers.margins = margins.unwrap_or_else(|error| {
            eprintln!("zermelo: margins and nimbers are left out: {error}");
            None
        });
    }
    let memory = super::memory(args.memory, zermelo::cores().1).unwrap_or_else(search_memory);
    let time = Duration::from_secs_f64(args.time);
    let budget = Budget { time, memory: memory.min(SEARCH_MEMORY), whole: memory };
    let (line, json) = (args.line, args.json);
    let teller = Teller { answers, database, budget, line, json, catalogue, help: OnceCell::new() };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if args.position.as_deref() == Some("-") {
        let clean = teller.stream(&mut BufReader::new(std::io::stdin().lock()), &mut out)?;
        out.flush()?;
        return Ok(ExitCode::from(if clean { 0 } else { 2 }));
    }
    let oracle = teller.answers.game.oracle();
    let start = oracle.start();
    let (asked, position) = match (&args.position, &args.moves) {
        (Some(position), _) => {
            (position.clone(), oracle.parse(position).map_err(|why| or_moves(oracle, position, why)))
        }
        (None, Some(moves)) => (moves.clone(), oracle.follow(start, moves)),
        (None, None) if args.random => {
            let at = drawn(&teller.answers, args)?;
            (oracle.text(at), Ok(at))
        }
        (None, None) => (oracle.text(start), Ok(start)),
    };
    match position.map_err(AskError::from).and_then(|at| teller.find(at)) {
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

/// Draws a random position.
fn drawn(answers: &Answers, args: &Query) -> anyhow::Result<Position> {
    if args.remoteness.is_some() && !answers.game.unit.counts_moves() {
        let why = "values of this game tell who wins, not how soon; leave it out";
        return Err(Complaint::new(format!("--remoteness: {why}")).into());
    }
    let wanted = Wanted { value: args.value.map(|value| value.0), remoteness: args.remoteness };
    answers.random(wanted, DRAW)?.ok_or_else(|| {
        let why = match answers.has_values() {
            true => "there may be none, or very few; ask for another value",
            false => "there is no database",
        };
        Complaint::new(format!("no position {wanted} was found: {why}")).into()
    })
}

/// The refusal of a position; where the text is a move from the start, the refusal says how moves are given.
fn or_moves(oracle: &dyn Oracle, text: &str, why: Complaint) -> Complaint {
    match oracle.follow(oracle.start(), text) {
        Ok(_) if !text.trim().is_empty() => {
            Complaint::new(format!("{text} is no position but a move: did you mean --moves {}?", typed(text)))
        }
        _ => why,
    }
}

fn refusal(position: &str, complaint: &str) -> serde_json::Value {
    json!({ "position": position, "error": complaint })
}

/// Finds answers and writes them as text or as JSON.
struct Teller {
    answers: Answers,
    database: Option<Arc<Database>>,
    budget: Budget,
    /// Whether to add a line of perfect play.
    line: bool,
    json: bool,
    catalogue: Catalogue,
    /// What helps where there is no database, once it was asked.
    help: OnceCell<String>,
}

/// An answer, and the other things asked for.
struct Told {
    found: Found,
    /// What else the game has to say of the position.
    note: Option<String>,
    /// The line of perfect play, if one was asked for; `Some(None)` where play never ends or the line is not known.
    line: Option<Option<Vec<String>>>,
}

impl Teller {
    /// Finds what is known of a position.
    fn find(&self, at: Position) -> Result<Told, AskError> {
        patiently(|| {
            let found = self.answers.find(at, self.budget)?;
            let line = if self.line { Some(self.perfect_line(at)?) } else { None };
            let Budget { time, memory, .. } = self.budget;
            let note = self.answers.note(at, Limits { time, memory }).flatten();
            Ok(Told { found, note, line })
        })
    }

    /// Returns the moves of perfect play to the end, if they are known.
    fn perfect_line(&self, at: Position) -> Result<Option<Vec<String>>, AskError> {
        let mut line = self.answers.line(at, super::MOST, self.budget, None)?;
        if !line.complete && !self.budget.time.is_zero() {
            // Values that are found by a search, one position after another.
            let until = Instant::now() + self.budget.time * LINE_TIMES;
            line = self.answers.searched_line(at, super::MOST, self.budget, Some(until))?;
        }
        Ok(line.complete.then(|| line.moves.into_iter().map(|m| m.name).collect()))
    }

    /// Answers every line as soon as no more input is waiting. Returns whether all lines were good.
    fn stream<R: Read>(&self, input: &mut BufReader<R>, out: &mut impl Write) -> anyhow::Result<bool> {
        let (oracle, mut clean) = (self.answers.game.oracle(), true);
        while let Some(line) = read_line(input)? {
            let text = String::from_utf8_lossy(&line);
            let position = text.trim();
            let found = match line.len() {
                0..=LONGEST_LINE if position.is_empty() => continue,
                0..=LONGEST_LINE => {
                    oracle.parse(position).map_err(AskError::from).and_then(|at| self.find(at))
                }
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

    fn write(&self, out: &mut impl Write, told: &Told) -> std::io::Result<()> {
        if self.json { writeln!(out, "{}", self.to_json(told)) } else { self.tell(out, told) }
    }

    fn tell(&self, out: &mut impl Write, told: &Told) -> std::io::Result<()> {
        let Told { found, note, line } = told;
        let Found { report, margins, .. } = found;
        let worth = self.worth(report.value, margins.position);
        let whose = match (report.value, self.answers.game.unit) {
            (None, _) | (_, Unit::Goal) => String::new(),
            _ => format!(" for {}, who is to move", Sides::of(&self.answers.game).player(report.at.turn)),
        };
        writeln!(out, "{}  {}{whose}", report.position, valued(report.value, worth))?;
        super::draw(out, &self.answers.game, &report.pieces)?;
        if let Some(note) = note {
            writeln!(out, "  {note}")?;
        }
        groups::tell(out, &self.answers.game, report, |n, m| self.worth(m.worth, margins.after(n)))?;
        if let Some(line) = line {
            let text = match line {
                Some(moves) if moves.is_empty() => "the game is over".into(),
                Some(moves) => moves.join(" "),
                None if self.answers.game.unit == Unit::Goal && report.value.is_some() => {
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

    /// Explains why values are searched for or not known, and what helps.
    fn remark(&self, found: &Found) -> Option<String> {
        let (game, published) = (&self.answers.game, self.answers.slices.is_some());
        let known = found.report.is_known();
        match found.source {
            Source::Slices if known => Some("from the published files".into()),
            Source::Slices => {
                Some("from the published files; those with one stone more are not there".into())
            }
            Source::Book => Some("from the book".into()),
            Source::Rules | Source::Database => None,
            _ if published && known => Some("searched".into()),
            _ if !known && self.budget.time.is_zero() => Some("not searched, for --time is 0".into()),
            _ if !known && self.lacks(&found.report).is_some() => self.lacks(&found.report),
            _ if published && game.variant.is_empty() => Some(
                "not known: boards with fewer than 18 stones are in the published files alone, see --slices"
                    .into(),
            ),
            _ => {
                let name = full_name(game) + &objective_flag(game);
                let why = match &self.database {
                    None => format!("there is no database; {}", self.what_helps(&name)),
                    Some(database) if database.is_complete() => "no game from the start comes here".into(),
                    Some(_) => format!("the database is not finished; `zermelo solve {name}` helps"),
                };
                Some(format!("searched: {why}"))
            }
        }
    }

    /// Names the memory that a search of all moves at once would take, if the lack of memory is why there was no
    /// search.
    fn lacks(&self, report: &zermelo_core::Report) -> Option<String> {
        let bytes = self.answers.game.oracle().examine_bytes(report.at)?;
        let megabytes = bytes.div_ceil(1 << 20);
        (bytes > self.budget.whole)
            .then(|| format!("not known: the search takes more memory; --memory {megabytes}M helps"))
    }

    /// Says whether the command `solve` helps, and what it takes. The answer is found once.
    fn what_helps(&self, name: &str) -> &str {
        self.help.get_or_init(|| {
            let (game, settings) = (&self.answers.game, Settings::default());
            match Outlook::of(self.catalogue, game, &settings) {
                Err(_) | Ok(None) => format!("`zermelo solve {name}` helps"),
                Ok(Some(outlook)) => outlook.aside(name),
            }
        })
    }

    /// Formats a value: `win in 11, by 8`, or `win by 8` where only the margin is asked for.
    fn worth(&self, value: Option<Value>, beside: Extra) -> String {
        let Some(value) = value else { return "not known".into() };
        let unit = self.answers.game.unit;
        let more = if unit == Unit::Moves { beside.text() } else { String::new() };
        unit.text(value) + &more
    }

    fn to_json(&self, told: &Told) -> serde_json::Value {
        let Told { found, note, line } = told;
        let Found { report, margins, source } = found;
        let unit = self.answers.game.unit;
        let moves = report.moves.iter().enumerate().map(|(n, m)| {
            let mut row = json!(Worth::of(m.value, unit, margins.after(n)));
            row["move"] = json!(m.name);
            row["position"] = json!(m.position);
            row["mover"] = json!(Worth::of_mover(m, unit, margins.after(n)));
            row
        });
        let mut answer = json!(Worth::of(report.value, unit, margins.position));
        answer["position"] = json!(report.position);
        answer["moves"] = moves.collect();
        answer["source"] = json!(source);
        if let Some(note) = note {
            answer["note"] = json!(note);
        }
        if let Some(line) = line {
            answer["line"] = json!(line);
        }
        answer
    }
}

/// Reads a line. Of a line that is too long, only a little more than the longest good line is returned.
fn read_line(input: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = vec![];
    if input.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.pop_if(|end| *end == b'\n').is_none() {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

/// Runs some work. If the work takes longer than people like to wait, a message on the terminal says that it goes on.
fn patiently<T>(work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    std::thread::scope(|scope| {
        let (done, waiting) = channel::<()>();
        // Where the system has no thread for it, no message appears.
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
