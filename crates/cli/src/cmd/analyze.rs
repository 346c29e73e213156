//! `zermelo analyze`: the value-remoteness table, and a plot of it.

use std::io::Write;
use std::process::ExitCode;
use std::thread;

use anyhow::Context;
use zermelo::{Analysis, CACHE, Catalogue, Progress, analyze, row_name};
use zermelo_core::Unit;

use super::colour::{STRONG, styled};
use super::{grouped, plot};
use crate::args::Analyze;

/// Counts the positions of a solved game.
pub(crate) fn run(catalogue: Catalogue, args: &Analyze) -> anyhow::Result<ExitCode> {
    let from = args.from.as_deref();
    let mut games = catalogue.open_all(&args.which.game, None, args.which.objective.as_deref(), from)?;
    if args.all {
        // Another engine may have solved the game, too.
        games.sort_by_key(|game| !game.can_count_all());
    }
    let (game, database) = super::find_solved(games, &args.place, CACHE)?;
    let game = if args.all { super::counting_all(game)? } else { game };
    let settings = super::settings(&args.resources, None);
    let progress = Progress::new("analyze");
    let analysis = thread::scope(|scope| {
        let _shown = progress.show(scope);
        analyze(&game, &database, &settings, &progress)
    })?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let mut object = analysis.json(game.unit);
        object["objective"] = game.objective.into();
        writeln!(out, "{object:#}")?
    } else {
        tell(&mut out, &analysis, game.unit)?
    }
    if let Some(file) = &args.plot {
        let bytes = plot::draw(file, &super::solve::title(&game), &analysis.table(), game.unit);
        std::fs::write(file, bytes)
            .with_context(|| format!("cannot write the plot to {}", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the table for people.
pub(crate) fn tell(out: &mut impl Write, analysis: &Analysis, unit: Unit) -> std::io::Result<()> {
    let counts = &analysis.table();
    let number = match unit {
        Unit::Moves => "remoteness",
        Unit::Margin => "margin",
        Unit::Nimber => "nimber",
        Unit::Goal => "moves",
        Unit::Winner => "",
    };
    let puzzle = unit == Unit::Goal;
    let [win, lose, draw] =
        if puzzle { ["solvable", "unsolvable", "endless"] } else { ["win", "lose", "draw"] };
    let head = format!("{number:>10} {win:>18} {lose:>18} {:>18} {:>18}", "tie", "all");
    writeln!(out, "{}", styled(STRONG, head))?;
    for r in 0..=counts.longest() {
        let row = ["win", "lose", "tie"].map(|word| counts.at(word, r));
        let sum = row.iter().sum();
        if sum > 0 {
            let [won, lost, tied] = row.map(grouped);
            let row = row_name(r, unit);
            writeln!(out, "{row:>10} {won:>18} {lost:>18} {tied:>18} {:>18}", grouped(sum))?;
        }
    }
    let [won, lost, tied] = ["win", "lose", "tie"].map(|word| grouped(counts.sum(word)));
    writeln!(
        out,
        "{:>10} {won:>18} {lost:>18} {tied:>18} {:>18}",
        "sum",
        grouped(counts.total() - counts.draw)
    )?;
    writeln!(out, "{draw:>10} {:>75}", grouped(counts.draw))?;
    let canonical = grouped(analysis.canonical().total());
    match analysis.counts() {
        Some(all) => {
            let which = if analysis.counted() == "all" { "reached or not" } else { "reached from the start" };
            writeln!(out, "\n{} positions {which}, {canonical} up to symmetry", grouped(all.total()))?
        }
        None => writeln!(
            out,
            "\n{canonical} positions reached, up to symmetry (`zermelo count --no-symmetries` tells them apart)"
        )?,
    }
    if !analysis.plies.is_empty() {
        writeln!(out, "\n{:>10} {win:>18} {lose:>18} {:>18} {:>18}", "ply", "tie", "all")?;
    }
    for (ply, counts) in &analysis.plies {
        let [win, lose, tie] = ["win", "lose", "tie"].map(|word| grouped(counts.sum(word)));
        writeln!(out, "{ply:>10} {win:>18} {lose:>18} {tie:>18} {:>18}", grouped(counts.total()))?;
    }
    for (word, (n, position)) in &analysis.longest {
        match unit {
            Unit::Moves => writeln!(out, "longest {word}: {n} moves, for example {position}")?,
            Unit::Goal if *word == "win" => {
                writeln!(out, "longest solution: {n} moves, for example {position}")?
            }
            Unit::Goal => writeln!(out, "unsolvable, stuck after {n} moves at most, for example {position}")?,
            Unit::Nimber => writeln!(out, "greatest nimber of a {word}: {n}, for example {position}")?,
            Unit::Winner => {
                let noun = if *word == "lose" { "loss" } else { word };
                writeln!(out, "a {noun}, for example: {position}")?
            }
            Unit::Margin => writeln!(out, "widest {word}: by {n}, for example {position}")?,
        }
    }
    Ok(())
}
