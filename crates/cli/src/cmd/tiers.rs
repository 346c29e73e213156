//! `zermelo tiers`: the tiers of a game in the order in which they are solved.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;
use zermelo::{CACHE, Catalogue, Database, TierList, TierRow, TierState, TierTotals, bytes, full_name};
use zermelo_core::Opened;

use super::grouped;
use crate::args::Tiers;

/// Tiers that are counted where not all are listed: to count so many takes some seconds.
const COUNTED: u64 = 1_000_000;
/// Children of a tier that a line names.
const CHILDREN: usize = 6;

/// Lists the tiers of a game.
pub(crate) fn run(catalogue: Catalogue, args: &Tiers) -> anyhow::Result<ExitCode> {
    let (engine, objective) = (args.engine.as_deref(), args.which.objective.as_deref());
    let data = args.place.existing()?;
    let games = catalogue.open_all(&args.which.game, engine, objective, args.from.as_deref())?;
    let (game, database) = Database::find(&data, games, CACHE)?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if !args.json {
        let head = ["tier", "numbers", "least", "useful", "stored"];
        writeln!(
            out,
            "{:>16} {:>18} {:>10} {:>10} {:>10}  name, and where moves lead",
            head[0], head[1], head[2], head[3], head[4]
        )?;
    }
    let (limit, most) = if args.all { (u64::MAX, u64::MAX) } else { (args.limit, COUNTED.max(args.limit)) };
    let (mut list, mut listed) = (TierList::of(&game, database.as_ref()), 0);
    while listed < limit {
        let Some(row) = list.next().transpose()? else { break };
        match args.json {
            true => writeln!(out, "{}", row.json())?,
            false => writeln!(out, "{}", line(&row))?,
        }
        listed += 1;
    }
    let totals = list.totals(most)?;
    match args.json {
        true => writeln!(out, "{}", totals_json(&game, &totals, listed))?,
        false => writeln!(out, "\n{}", summary(&game, &totals, listed))?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the line of a tier.
fn line(row: &TierRow) -> String {
    let memory = row.memory.map(|memory| [memory.least, memory.useful].map(bytes));
    let [least, useful] = memory.unwrap_or_else(|| ["-".into(), "-".into()]);
    let state = match row.state {
        TierState::Stored { bytes: size, .. } => bytes(size),
        TierState::Open => "no".into(),
        TierState::TooLarge => "too large".into(),
    };
    let shown = row.children.iter().take(CHILDREN).map(|tier| format!(" {tier}")).collect::<String>();
    let more = match row.children.len().saturating_sub(CHILDREN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let to = if row.children.is_empty() { String::new() } else { format!("; to{shown}{more}") };
    let (tier, numbers) = (row.tier.to_string(), grouped(row.numbers));
    format!("{tier:>16} {numbers:>18} {least:>10} {useful:>10} {state:>10}  {}{to}", row.name)
}

/// Returns the last line: how many tiers there are, and how much of them is stored.
fn summary(game: &Opened, totals: &TierTotals, listed: u64) -> String {
    let more = if totals.more { "more than " } else { "" };
    let numbers = if totals.numbers == u64::MAX { "over 18 * 10^18".into() } else { grouped(totals.numbers) };
    let stored = match totals.stored {
        0 => "none stored".into(),
        stored => format!("{} stored in {}", grouped(stored), bytes(totals.bytes)),
    };
    let rest = if listed < totals.tiers {
        format!("; {} listed, --all lists all", grouped(listed))
    } else {
        String::new()
    };
    let (name, tiers, engine) = (full_name(game), grouped(totals.tiers), game.takes.name);
    let noun = if totals.tiers == 1 { "tier" } else { "tiers" };
    format!("{name}, engine {engine}: {more}{tiers} {noun} of {numbers} numbers, {stored}{rest}")
}

fn totals_json(game: &Opened, totals: &TierTotals, listed: u64) -> serde_json::Value {
    json!({
        "game": game.card.name,
        "variant": game.variant,
        "from": game.from,
        "engine": game.takes.name,
        "objective": game.objective,
        "tiers": totals.tiers,
        "numbers": totals.numbers,
        "listed": listed,
        "more": totals.more,
        "stored": totals.stored,
        "bytes": totals.bytes,
    })
}
