//! Prints the moves of a position in groups: those that win, tie, draw and lose for the player to move.

use std::io::Write;

use zermelo_core::{Kind, MoveReport, Opened, Report, Unit, Value};

use super::colour::{DIM, styled, valued};
use super::games::filled;
use super::sides::Sides;

/// The least columns of a value.
const WORTH: usize = 12;

/// Prints every move with what it is worth to the player who makes it, under a heading for each outcome. Moves of
/// unknown value have nothing to tell and share lines.
pub(super) fn tell(
    out: &mut impl Write,
    game: &Opened,
    report: &Report,
    worth: impl Fn(usize, &MoveReport) -> String,
) -> std::io::Result<()> {
    let kind = |m: &MoveReport| m.worth.map(Value::kind);
    let worths: Vec<_> = report.moves.iter().enumerate().map(|(n, m)| worth(n, m)).collect();
    let wide = worths.iter().map(String::len).max().unwrap_or(0).max(WORTH);
    let known = report.moves.iter().zip(&worths).filter(|(m, _)| m.worth.is_some());
    let mut last = None;
    for (m, worth) in known {
        if kind(m) != last {
            last = kind(m);
            let many = report.moves.iter().filter(|other| kind(other) == last).count();
            writeln!(out, "  {}", valued(m.worth, format!("{} ({many})", heading(game, report, m))))?;
        }
        let worth = valued(m.worth, format!("{worth:wide$}"));
        writeln!(out, "    {:8} {worth} {}", m.name, styled(DIM, &m.position))?;
    }
    let unknown: Vec<_> =
        report.moves.iter().filter(|m| m.worth.is_none()).map(|m| m.name.as_str()).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let what = if last.is_some() { "Other moves, not known" } else { "Moves, all not known" };
    writeln!(out, "  {}", styled(DIM, format!("{what} ({})", unknown.len())))?;
    for line in filled(&unknown.join(" ")).lines() {
        writeln!(out, "    {line}")?;
    }
    Ok(())
}

/// Returns `Winning moves for the first player`, or what fits the game.
fn heading(game: &Opened, report: &Report, m: &MoveReport) -> String {
    let kind = m.worth.map(Value::kind);
    if game.unit == Unit::Goal {
        return if kind == Some(Kind::Win) {
            "Moves that keep it solvable"
        } else {
            "Moves after which it is not"
        }
        .into();
    }
    let word = match kind {
        Some(Kind::Win) => "Winning",
        Some(Kind::Tie) => "Tying",
        Some(Kind::Draw) => "Drawing",
        Some(Kind::Lose) | None => "Losing",
    };
    let moves = if report.moves.iter().filter(|other| other.worth.map(Value::kind) == kind).count() == 1 {
        "move"
    } else {
        "moves"
    };
    format!("{word} {moves} for {}", Sides::of(game).player(report.at.turn))
}
