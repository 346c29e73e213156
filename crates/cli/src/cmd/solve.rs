//! `zermelo solve`: solves a game and reports the value of its start.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;
use zermelo::cluster::{self, RankReport, Stats};
use zermelo::{
    Analysis, Answers, Budget, Catalogue, Checks, Database, Progress, Settings, Solution, SolveError, Trace,
    bytes, cpu_seconds, fitting, full_name, objective_flag, peak_memory, solve, solve_and_count,
};
use zermelo_core::{Complaint, Opened, Unit, Value};

use super::colour::valued;
use super::interrupt::{self, Interrupt};
use super::sides::Sides;
use super::{MOST, analyze, grouped};
use crate::args::Solve;
use crate::tui::words::number;

/// Solves a game and reports the result.
pub(crate) fn run(catalogue: Catalogue, args: &Solve) -> anyhow::Result<ExitCode> {
    if cluster::is_one_of_many() {
        return super::cluster::run(catalogue, args);
    }
    // The process may have run another program before, such as `cargo run`, whose CPU seconds do not count.
    let (begun, cpu_begun) = (Instant::now(), cpu_seconds());
    let (engine, objective) = (args.engine.as_deref(), args.which.objective.as_deref());
    let mut games = catalogue.open_all(&args.which.game, engine, objective, args.from.as_deref())?;
    if args.all {
        games = super::all_counting_all(games)?;
    }
    let settings = super::settings(&args.resources, (!args.no_database).then_some(&args.place));
    let check = (args.check > 0).then(|| Arc::new(Checks::of(args.check)));
    let settings = Settings {
        fresh: args.fresh,
        resume: args.resume.clone(),
        check,
        save_every: Duration::from_secs_f64(args.checkpoint),
        keep_going: args.keep_going,
        ..settings
    };
    let game = fitting(games, &settings)?;
    if let Some(bytes) = args.device_memory {
        limit_device(&game, bytes)?;
    }
    super::outlook::ask(catalogue, args, &game, &settings)?;
    let trace = args.trace.as_deref().map(|path| {
        Trace::create(path, 0, settings.threads).with_context(|| format!("cannot write {}", path.display()))
    });
    let progress = Progress::new("solve").traced(trace.transpose()?).remarked(super::remark);
    let interrupt = Interrupt::hear();
    let kept = if args.no_database { "nothing is kept" } else { "what is solved is kept" };
    let solved = thread::scope(|scope| {
        let _shown = progress.show(scope);
        let _watching = interrupt.stops(scope, &progress, kept);
        match args.no_database {
            true => solve_and_count(&game, &settings, &progress).map(|(s, a)| (s, Some(a))),
            false => solve(&game, &settings, &progress).map(|s| (s, None)),
        }
    });
    if matches!(solved, Err(SolveError::Stopped)) && interrupt.was_heard() {
        eprintln!("zermelo: {}", how_to_go_on(args, &game, &progress));
        return Ok(ExitCode::from(interrupt::STATUS));
    }
    let (solution, analysis) = solved?;
    let (seconds, cpu_seconds) = (begun.elapsed().as_secs_f64(), cpu_seconds() - cpu_begun);
    let outcome = Outcome { solution, analysis, seconds, cpu_seconds, ranks: vec![] };
    tell_all(args, game, &settings, &outcome)?;
    end_trace(args, &progress)?;
    Ok(ExitCode::SUCCESS)
}

/// Says what a run that was stopped has left, and which command goes on with it.
fn how_to_go_on(args: &Solve, game: &Opened, progress: &Progress) -> String {
    let (done, all) = progress.tiers();
    if args.no_database && args.resume.is_none() {
        return "stopped; nothing is kept, as there is no database (--resume DIR would keep it)".into();
    }
    let engine = args.engine.as_ref().map_or(String::new(), |engine| format!(" --engine {engine}"));
    let from = game.from.as_deref().map_or(String::new(), |from| format!(" --from {}", typed(from)));
    let rest = match &args.resume {
        Some(folder) => format!(" --no-database --resume {}", typed(&folder.to_string_lossy())),
        None => data_flag(args.place.data.as_deref()),
    };
    let objective = objective_flag(game);
    format!(
        "stopped after {} of {}; `zermelo solve {}{engine}{objective}{from}{rest}` goes on from there",
        grouped(done),
        counted(all, "tier"),
        full_name(game)
    )
}

/// Has the engine use so much memory of its GPU, where it has one.
fn limit_device(game: &Opened, bytes: u64) -> Result<(), Complaint> {
    let engine = game.takes.name;
    if engine != "gpu" {
        let why = "uses no GPU; leave it out, or add --engine gpu";
        return Err(Complaint::new(format!("--device-memory: engine {engine} {why}")));
    }
    game.engine().limit_device(bytes);
    Ok(())
}

/// Ends the trace. The result of the solve stands, and has been printed by then.
pub(crate) fn end_trace(args: &Solve, progress: &Progress) -> anyhow::Result<()> {
    let Some(path) = &args.trace else { return Ok(()) };
    progress.end_trace().map_err(|why| {
        anyhow::anyhow!(
            "the trace {} could not be written to its end: {why}; the solve itself is done, run it again with --fresh \
             and another --trace for a whole trace",
            path.display()
        )
    })
}

/// The results of a solve that are printed.
pub(crate) struct Outcome {
    pub(crate) solution: Solution,
    pub(crate) analysis: Option<Analysis>,
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
    /// The report of every process, where there were several.
    pub(crate) ranks: Vec<RankReport>,
}

/// Prints the results of a solve.
pub(crate) fn tell_all(
    args: &Solve,
    game: Opened,
    settings: &Settings,
    outcome: &Outcome,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if args.json {
        let mut object = to_json(&game, outcome);
        if let Some(check) = &settings.check {
            object["checked"] = json!({ "agreed": check.agreed(), "too_long": check.too_long() });
        }
        writeln!(out, "{object:#}")?;
        return Ok(());
    }
    tell(&mut out, &game, outcome)?;
    if let Some(check) = &settings.check {
        let (agreed, too_long) = (grouped(check.agreed()), grouped(check.too_long()));
        writeln!(out, "Checked by search: {agreed} values agree, {too_long} took too long to search.")?;
    }
    let unit = game.unit;
    if let Some(data) = &settings.data {
        let database = Database::open(data, &game)?;
        let mut answers = Answers::of(game);
        answers.database = Some(Arc::new(database));
        tell_line(&mut out, &answers)?;
        tell_next(&mut out, &answers.game, args.place.data.as_deref())?;
    }
    if !outcome.ranks.is_empty() {
        tell_ranks(&mut out, &outcome.ranks)?;
    }
    if let Some(analysis) = &outcome.analysis {
        writeln!(out)?;
        analyze::tell(&mut out, analysis, unit)?;
    }
    Ok(())
}

/// Prints how long each process was busy.
fn tell_ranks(out: &mut impl Write, ranks: &[RankReport]) -> std::io::Result<()> {
    writeln!(out, "\nrank     tasks    busy s    idle s     CPU s   memory  machine")?;
    for (n, rank) in ranks.iter().enumerate() {
        let RankReport { host, stats: Stats { tasks, busy, idle, cpu, peak_memory, .. } } = rank;
        let memory = peak_memory.map_or("?".into(), |bytes| format!("{} MB", bytes / 1_000_000));
        writeln!(out, "{n:>4} {tasks:>9} {busy:>9.2} {idle:>9.2} {cpu:>9.2} {memory:>8}  {host}")?;
    }
    Ok(())
}

fn rank_json(rank: &RankReport) -> serde_json::Value {
    json!({
        "host": rank.host,
        "tasks": rank.stats.tasks,
        "busy_seconds": rank.stats.busy,
        "idle_seconds": rank.stats.idle,
        "cpu_seconds": rank.stats.cpu,
        "peak_memory_bytes": rank.stats.peak_memory,
    })
}

fn to_json(game: &Opened, outcome: &Outcome) -> serde_json::Value {
    let Outcome { solution, analysis, seconds, cpu_seconds, ranks } = outcome;
    let unit = game.unit;
    let mut object = json!({
        "game": game.card.name,
        "variant": game.variant,
        "from": game.from,
        "engine": game.takes.name,
        "objective": game.objective,
        "value": solution.value.word(),
        "remoteness": unit.remoteness(solution.value),
        "margin": unit.margin(solution.value),
        "nimber": unit.nimber(solution.value),
        "tiers": solution.tiers,
        "positions": solution.entries,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_memory_bytes": peak_memory(),
        "database_bytes": solution.database_bytes,
        "resumed_tiers": solution.resumed_tiers,
    });
    if !ranks.is_empty() {
        object["ranks"] = ranks.iter().map(rank_json).collect();
    }
    if let (Some(analysis), Some(map)) = (analysis, object.as_object_mut()) {
        map.insert("counted".into(), analysis.counted().into());
        map.insert("counts".into(), analysis.counts().map(|counts| counts.json(unit)).into());
        map.insert("canonical_counts".into(), analysis.canonical().json(unit));
        map.insert("plies".into(), analysis.plies_json(unit));
    }
    object
}

fn tell(out: &mut impl Write, game: &Opened, outcome: &Outcome) -> std::io::Result<()> {
    let (name, solution) = (title(game), &outcome.solution);
    let (tiers, resumed) = (solution.tiers, solution.resumed_tiers);
    if resumed == tiers {
        writeln!(
            out,
            "{name} is already solved ({}, {}).",
            counted(tiers, "tier"),
            bytes(solution.database_bytes)
        )?;
    } else if resumed > 0 {
        writeln!(out, "Resumed: {resumed} of {} were already solved.", counted(tiers, "tier"))?;
    }
    // The colour is that of the first player's luck, or of the player's who is to move.
    let value = valued(Some(solution.value), sentence(game, solution.value));
    match game.reach().endgames() {
        true => writeln!(
            out,
            "{name}: every position is solved; for example at {}: {value}",
            game.oracle().text(game.oracle().start())
        )?,
        false => writeln!(out, "{name}: {value}")?,
    }
    if resumed < tiers {
        write!(
            out,
            "{} numbered in {}, {:.2} s",
            counted(solution.entries, "position"),
            counted(tiers, "tier"),
            outcome.seconds
        )?;
        write!(out, " ({:.2} CPU s)", outcome.cpu_seconds)?;
        match solution.database_bytes {
            0 => writeln!(out)?,
            size => writeln!(out, ", database {}", bytes(size))?,
        }
    }
    Ok(())
}

/// Prints a game of perfect play and how it ends, if play ends.
fn tell_line(out: &mut impl Write, answers: &Answers) -> anyhow::Result<()> {
    let game = &answers.game;
    let line = answers.line(game.oracle().start(), MOST, Budget::NONE, None)?;
    if let Some(last) = line.moves.last().filter(|_| line.complete) {
        let moves: Vec<_> = line.moves.iter().map(|m| m.name.as_str()).collect();
        let what = match (game.unit, &game.from) {
            (Unit::Goal, _) => "A shortest solution",
            (_, Some(_)) => "Perfect play from there",
            (_, None) => "A perfect game",
        };
        writeln!(out, "\n{what}: {}", moves.join(" "))?;
        super::draw(out, game, &game.oracle().moves(last.to)?.pieces)?;
    }
    Ok(())
}

/// Prints the commands to run next.
fn tell_next(out: &mut impl Write, game: &Opened, data: Option<&Path>) -> std::io::Result<()> {
    let (name, objective) = (full_name(game), objective_flag(game));
    let more = objective + &data_flag(data);
    let (from, at) = match game.from.as_deref().map(typed) {
        Some(from) => (format!(" --from {from}"), format!(" {from}")),
        None => Default::default(),
    };
    writeln!(out, "\nNext:\n  zermelo play {name}{from}{more}")?;
    writeln!(out, "  zermelo query {name}{at}{more}\n  zermelo analyze {name}{from}{more}")?;
    Ok(())
}

/// Quotes a position or a path for a shell.
pub(super) fn typed(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-/.".contains(&b);
    match !text.is_empty() && text.bytes().all(plain) {
        true => text.into(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Returns the option that names the directory of the databases, if the command line named one.
pub(super) fn data_flag(data: Option<&Path>) -> String {
    data.map_or(String::new(), |data| format!(" --data {}", typed(&data.to_string_lossy())))
}

/// Formats a number and a noun: `1 tier`, `1,200 tiers`.
fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// Returns the name of the game, and the position that was solved from, if there was one.
pub(crate) fn title(game: &Opened) -> String {
    match &game.from {
        Some(from) => format!("{} from {from}", full_name(game)),
        None => full_name(game),
    }
}

/// Returns the value of the start in words. For a position that was solved from, the words name the player to move.
fn sentence(game: &Opened, value: Value) -> String {
    // The player to move is not always the first player, even in a variant that is an example.
    let (unit, mover) = (game.unit, game.oracle().start().turn);
    let sides = Sides::of(game);
    match (value, game.from.is_some()) {
        (Value::Win(n), _) if unit == Unit::Goal => format!("solvable{}", number(n, unit)),
        (_, _) if unit == Unit::Goal => unit.text(value),
        (Value::Win(n), true) => {
            format!("the player to move ({}) wins{}", sides.short(mover), number(n, unit))
        }
        (Value::Lose(n), true) => {
            format!("the player to move ({}) loses{}", sides.short(mover), number(n, unit))
        }
        (Value::Win(n), false) => format!("{}{}", sides.wins(mover), number(n, unit)),
        (Value::Lose(n), false) => format!("{}{}", sides.wins(mover.other()), number(n, unit)),
        (Value::Tie(n), _) => format!("a tie{}", number(n, unit)),
        (Value::Draw, _) => "a draw: with perfect play it never ends".into(),
    }
}
