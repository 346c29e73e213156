//! `zermelo count`: the numbers of positions and games, ply by ply.

use std::io::Write;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use zermelo::{Catalogue, CountError, CountSettings, Counted, Progress, Row, count};
use zermelo_core::{Opened, Walking};

use super::grouped;
use super::interrupt::Interrupt;
use crate::args::{Count, Which};

/// Counts the positions of a game, ply by ply.
pub(crate) fn run(catalogue: Catalogue, args: &Count) -> anyhow::Result<ExitCode> {
    let standard = CountSettings::default();
    let threads = super::threads(args.threads).unwrap_or(standard.threads);
    let settings = CountSettings {
        plies: args.plies,
        walking: Walking { fold: !args.no_symmetries, sides: args.sides },
        threads,
        memory: super::memory(args.memory, threads).unwrap_or(standard.memory),
        resume: args.resume.clone(),
        scratch: args.scratch.clone(),
        every: Duration::from_secs_f64(args.checkpoint_every),
    };
    let game = open(catalogue, &args.which, settings.walking)?;
    let progress = Progress::new("count").of("plies");
    let interrupt = Interrupt::hear();
    let how = match &args.resume {
        Some(_) => "the same command goes on from the last checkpoint",
        None => "nothing is kept: --resume DIR keeps checkpoints to go on from",
    };
    let counted = thread::scope(|scope| {
        let _shown = progress.show(scope);
        let _watching = interrupt.ends(scope, how.into());
        count(&game, &settings, &progress)
    })?;
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{:#}", counted.json(game.card.name, &game.variant))?,
        false => {
            let name = zermelo::full_name(&game);
            // Endgames have no start; the positions that `analyze` counts are all positions.
            let name = if game.reach().endgames() {
                format!("{name} from the example {}", game.oracle().text(game.oracle().start()))
            } else {
                name
            };
            tell(&mut out, &name, &counted)?
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the game with an engine that knows single positions.
fn open(catalogue: Catalogue, which: &Which, walking: Walking) -> anyhow::Result<Opened> {
    let games = catalogue.open_all(&which.game, None, which.objective.as_deref(), None)?;
    let engine = games.first().map_or("", |game| game.takes.name);
    let game = games.into_iter().find(|game| game.audit().walker(walking).is_some());
    Ok(game.ok_or(CountError::Engine(engine))?)
}

/// A column of the table.
struct Column {
    name: &'static str,
    cells: Vec<String>,
}

/// Formats a number; a dash stands for a number that is not known.
fn cell(n: Option<u64>) -> String {
    n.map_or("-".into(), grouped)
}

/// Returns the columns that have numbers.
fn columns(counted: &Counted) -> Vec<Column> {
    let rows: Vec<_> = counted.plies().collect();
    let mut columns = vec![Column {
        name: "ply",
        cells: (0..rows.len()).map(|n| n.to_string()).chain(["sum".into()]).collect(),
    }];
    let total = counted.total();
    let mut add = |name: &'static str, shown: bool, of: &dyn Fn(&Row) -> Option<u64>| {
        if shown {
            let cells = rows.iter().map(|(row, _)| cell(of(row))).chain([cell(of(&total))]);
            columns.push(Column { name, cells: cells.collect() });
        }
    };
    add("positions", counted.whole, &|row| Some(row.unfolded));
    add("canonical", counted.folded, &|row| Some(row.positions));
    add("finals", counted.whole, &|row| Some(row.unfolded_finals));
    add("canonical finals", counted.folded, &|row| Some(row.finals));
    add("after a pass", total.passes > 0, &|row| Some(row.passes));
    add("moves", true, &|row| Some(row.moves));
    if counted.level {
        let cells = rows.iter().map(|(_, games)| cell(*games)).chain([String::new()]);
        columns.push(Column { name: "games", cells: cells.collect() });
    }
    columns
}

/// Prints the table for people.
fn tell(out: &mut impl Write, name: &str, counted: &Counted) -> std::io::Result<()> {
    let columns = columns(counted);
    let width = |c: &Column| c.cells.iter().map(String::len).chain([c.name.len()]).max().unwrap_or(0);
    let widths: Vec<usize> = columns.iter().map(width).collect();
    let mut line = |cells: Vec<&str>| {
        let cells: Vec<_> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())
    };
    line(columns.iter().map(|c| c.name).collect())?;
    for n in 0..columns[0].cells.len() {
        line(columns.iter().map(|c| &*c.cells[n]).collect())?;
    }
    writeln!(out)?;
    if let Some(games) = counted.complete_games() {
        write!(out, "{} complete games", games.total.map_or("more than 18 * 10^18".into(), grouped))?;
        if let (Some(first), Some(second), Some(ties)) = (games.first, games.second, games.ties) {
            let [first, second, ties] = [first, second, ties].map(grouped);
            write!(out, ": the first player wins {first}, the second {second}, {ties} are ties")?;
        }
        writeln!(out)?;
    }
    let what = if counted.ended { "all of it" } else { "cut short by --plies" };
    writeln!(
        out,
        "Positions are those that the start reaches; canonical ones, one for all that are symmetric."
    )?;
    write!(out, "{name}, {what}: {:.2} s ({:.2} CPU s)", counted.seconds, counted.cpu_seconds)?;
    match counted.disk_bytes {
        0 => writeln!(out),
        size => writeln!(out, ", {} on disk", zermelo::bytes(size)),
    }
}
