//! `zermelo bench`: how fast this machine solves, looks up, verifies and searches.
//!
//! Figures are CPU seconds of the whole process, so that a busy machine matters less. Each measurement is repeated,
//! and the best one is reported.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use serde_json::json;
use zermelo::{Database, Progress, Settings, cpu_seconds, solve};
use zermelo_core::{Complaint, Limits, Opened, Position, Tier, Turn};

use super::grouped;
use crate::args::Bench;

const REPEATS: usize = 3;

/// One figure: the name of the measurement, the number of things done, and the CPU seconds that they took.
struct Figure {
    name: String,
    what: &'static str,
    count: u64,
    cpu_seconds: f64,
}

type Measure = fn() -> anyhow::Result<Vec<Figure>>;

const BENCHES: [(&str, Measure); 12] = [
    ("sweep", || engine("mnk:rows=4,cols=4,line=4")),
    ("retrograde", || engine("quixo:rows=4,cols=4,line=4")),
    ("unmoves", || engine("xiangqi")),
    ("lattice", || engine("connect4:rows=5,cols=5")),
    ("blobs", || engine("othello:rows=4,cols=5")),
    ("midgame", midgame),
    ("sections", sections),
    ("perft", perft),
    ("lookup", || lookup("quixo:rows=4,cols=4,line=4")),
    ("connect4-lookup", || lookup("connect4:rows=5,cols=5")),
    ("verify", verify),
    ("connect4-search", connect4_search),
];

/// Returns the help text with the names of the benchmarks.
pub(crate) fn help() -> String {
    format!("One of the benchmarks: {} [default: all]", names())
}

fn names() -> String {
    BENCHES.map(|(name, _)| name).join(", ")
}

/// Runs one benchmark, or all of them.
pub(crate) fn run(args: &Bench) -> anyhow::Result<ExitCode> {
    let chosen: Vec<_> =
        BENCHES.iter().filter(|(name, _)| args.name.as_deref().is_none_or(|n| n == *name)).collect();
    if chosen.is_empty() {
        let got = args.name.as_deref().unwrap_or_default();
        return Err(Complaint::new(format!("there is no benchmark {got:?}; there are {}", names())).into());
    }
    let mut figures = vec![];
    for (_, measure) in chosen {
        figures.extend(measure()?);
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        let list: Vec<_> = figures.iter().map(Figure::json).collect();
        writeln!(out, "{:#}", json!(list))?;
    } else {
        for f in &figures {
            let rate = f.count as f64 / f.cpu_seconds;
            writeln!(
                out,
                "{:46} {:>14} {:10} {:8.3} CPU s {:>14} a CPU second",
                f.name,
                grouped(f.count),
                f.what,
                f.cpu_seconds,
                grouped(rate as u64)
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Figure {
    fn json(&self) -> serde_json::Value {
        json!({
            "name": self.name, "of": self.what, "count": self.count,
            "cpu_seconds": self.cpu_seconds, "per_cpu_second": self.count as f64 / self.cpu_seconds,
        })
    }
}

/// Returns the least CPU time of a few runs.
fn best(mut work: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..REPEATS {
        let before = cpu_seconds();
        work()?;
        least = least.min(cpu_seconds() - before);
    }
    Ok(least)
}

/// Measures rotation tables of a section of Pentago with six empty cells in all four quadrants, and of the sections
/// that it leads to: 256 boards a table. Nothing is stored.
fn sections() -> anyhow::Result<Vec<Figure>> {
    let mut figures = engine("pentago:section=71176116")?;
    for figure in &mut figures {
        (figure.what, figure.count) = ("tables", figure.count / 256);
    }
    Ok(figures)
}

fn engine(variant: &str) -> anyhow::Result<Vec<Figure>> {
    let game = zermelo::open(variant, None, None)?;
    let mut entries = 0;
    let cpu_seconds = best(|| {
        entries = solve(&game, &Settings::default(), &Progress::new("bench"))?.entries;
        Ok(())
    })?;
    let name = format!("{} {variant}", game.takes.name);
    Ok(vec![Figure { name, what: "positions", count: entries, cpu_seconds }])
}

/// Measures the walk of all lines of play of ten plies in Othello, on one core.
fn perft() -> anyhow::Result<Vec<Figure>> {
    let game = zermelo::open("othello", None, None)?;
    let mut games = 0;
    let cpu_seconds = best(|| {
        games = game.audit().perft(10).games;
        Ok(())
    })?;
    Ok(vec![Figure { name: "perft othello, 10 plies".into(), what: "games", count: games, cpu_seconds }])
}

/// Measures the search of all positions below boards of Pentago with 18 and 20 stones; below the boards with 20
/// stones with distances, too.
fn midgame() -> anyhow::Result<Vec<Figure>> {
    let roots = [
        ("274440791932540184", 18, 86_574_831, "winner"),
        ("274440791932540191", 20, 10_165_779, "winner"),
        ("274440791932540191", 20, 10_165_779, "remoteness"),
    ];
    let limits = Limits { time: Duration::from_secs(3600), memory: 8 << 30 };
    let mut figures = vec![];
    for (root, stones, count, objective) in roots {
        let game = zermelo::open("pentago", None, Some(objective))?;
        let at = game.oracle().parse(root)?;
        let cpu_seconds = best(|| {
            let solved = game.oracle().examine(at, limits)?;
            solved.map(drop).ok_or_else(|| Complaint::new(format!("{root} was not solved")).into())
        })?;
        let with = if objective == "winner" { "" } else { ", distances" };
        let name = format!("midgame pentago, {stones} stones{with}");
        figures.push(Figure { name, what: "rotation tables", count, cpu_seconds });
    }
    Ok(figures)
}

/// A solved game in a directory that is removed with this value.
struct Scratch {
    game: Opened,
    database: Database,
    directory: Directory,
}

impl Scratch {
    fn solve(variant: &str) -> anyhow::Result<Scratch> {
        let game = zermelo::open(variant, None, None)?;
        let directory = Directory::new()?;
        let settings = Settings { data: Some(directory.0.clone()), ..Settings::default() };
        solve(&game, &settings, &Progress::new("bench"))?;
        let database = Database::open(&directory.0, &game)?;
        Ok(Scratch { game, database, directory })
    }
}

/// A directory that is removed when this value is dropped, also after a solve that failed.
struct Directory(std::path::PathBuf);

impl Directory {
    fn new() -> anyhow::Result<Directory> {
        let path = std::env::temp_dir().join(format!("zermelo-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Directory(path))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Nothing more can be done about a directory that cannot be removed.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns a generator of numbers below a given one. The numbers look random and are equal in every run.
fn randoms() -> impl FnMut(u64) -> u64 {
    let mut seed = 1u64;
    move |n| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((u128::from(seed) * u128::from(n)) >> 64) as u64
    }
}

/// Draws random positions of a solved game: half of them have numbers in its tables, half are one move further.
fn random_positions(scratch: &Scratch, count: usize) -> anyhow::Result<Vec<Position>> {
    let game = &scratch.game;
    let tiers: Vec<Tier> = scratch.database.reader().tiers();
    let mut random = randoms();
    let sizes: Vec<u64> = tiers.iter().map(|t| game.tiers().size(*t)).collect();
    let total: u64 = sizes.iter().sum();
    let mut positions = vec![];
    while positions.len() < count {
        let mut at = random(total);
        let node =
            sizes.iter().position(|size| at.checked_sub(*size).map(|rest| at = rest).is_none()).unwrap_or(0);
        let Some(packed) = game.audit().position(tiers[node], at) else { continue };
        // A number may stand for a position that no game reaches with this turn; its text has the right turn.
        let text = game.oracle().text(Position { turn: Turn::First, packed });
        let Ok(at) = game.oracle().parse(&text) else { continue };
        let moves = game.oracle().report(at, &())?.moves;
        let further = moves.get(random(2 * moves.len() as u64) as usize);
        positions.push(further.map_or(at, |m| m.to));
    }
    Ok(positions)
}

/// Measures the look-up of random positions by text, as a library user does it: once with their blocks in the cache,
/// and once with every block to be read and unpacked.
fn lookup(variant: &'static str) -> anyhow::Result<Vec<Figure>> {
    let scratch = Scratch::solve(variant)?;
    let cold = Database::open_with_cache(&scratch.directory.0, &scratch.game, 0)?;
    let warm = Database::open_with_cache(&scratch.directory.0, &scratch.game, 1 << 30)?;
    let mut figures = vec![];
    for (name, database, count) in [("warm", warm, 100_000), ("cold", cold, 2_000)] {
        let positions = random_positions(&scratch, count)?;
        let texts: Vec<String> = positions.iter().map(|at| scratch.game.oracle().text(*at)).collect();
        let cpu_seconds = best(|| {
            for text in &texts {
                scratch.game.oracle().value(scratch.game.oracle().parse(text)?, &database)?;
            }
            Ok(())
        })?;
        let name = format!("look-ups, {variant}, {name}");
        figures.push(Figure { name, what: "positions", count: count as u64, cpu_seconds });
    }
    Ok(figures)
}

fn verify() -> anyhow::Result<Vec<Figure>> {
    let scratch = Scratch::solve("quixo:rows=4,cols=4,line=4")?;
    let mut count = 0;
    let cpu_seconds = best(|| {
        let verified =
            zermelo::verify(&scratch.game, &scratch.database, &Settings::default(), &Progress::new("bench"))?;
        count = verified.values.checked;
        Ok(())
    })?;
    Ok(vec![Figure { name: "verify, quixo 4x4".into(), what: "positions", count, cpu_seconds }])
}

/// Measures the search of Connect 4 positions with 16 stones without a table: the sum, the median and the slowest.
fn connect4_search() -> anyhow::Result<Vec<Figure>> {
    const COUNT: usize = 1_000;
    const LIMITS: Limits = Limits { time: Duration::from_secs(60), memory: 256 << 20 };
    let game = zermelo::open("connect4", None, None)?;
    let mut random = randoms();
    let mut positions = vec![];
    while positions.len() < COUNT {
        let moves: Vec<String> = (0..16).map(|_| (random(7) + 1).to_string()).collect();
        // Most of these fail: a column is full, or the game is over before.
        let Ok(position) = game.oracle().follow(game.oracle().start(), &moves.join(" ")) else { continue };
        if !game.oracle().report(position, &())?.over {
            positions.push(position);
        }
    }
    let mut times = vec![];
    for position in &positions {
        times.push(best(|| {
            game.oracle().search(*position, LIMITS);
            Ok(())
        })?);
    }
    times.sort_by(f64::total_cmp);
    let figure = |name: &str, count, cpu_seconds| Figure {
        name: format!("search, connect4, {name}"),
        what: "positions",
        count,
        cpu_seconds,
    };
    Ok(vec![
        figure("16 stones", COUNT as u64, times.iter().sum()),
        figure("median", 1, times[COUNT / 2]),
        figure("slowest", 1, times[COUNT - 1]),
    ])
}
