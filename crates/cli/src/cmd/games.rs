//! `zermelo games`: the games, their variants, and what solving them takes here.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use zermelo_core::{Card, Choice, Options};

use super::colour::{STRONG, styled};
use super::variants::{Row, variants_of};
use crate::args::Games;
use zermelo::{Catalogue, Entry, EstimateLimits};

/// The limits of the estimate of one variant: a few hundredths of a second, so that all variants together take a few seconds.
const LIMITS: EstimateLimits = EstimateLimits { tiers: 20_000, time: Duration::from_millis(25) };

/// Lists the games, or describes one of them.
pub(crate) fn run(catalogue: Catalogue, args: &Games) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    let data = args.place.existing()?;
    let Some(name) = &args.game else {
        if args.json {
            let list: Vec<_> =
                catalogue.games().map(|entry| to_json(entry, &rows(catalogue, entry, None, &data))).collect();
            writeln!(out, "{:#}", json!(list))?;
        } else {
            list(catalogue, &mut out, &data)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let (game, options) = name.split_once(':').unwrap_or((name, ""));
    let entry = catalogue.find(game)?;
    if !options.is_empty() {
        catalogue.open(name, None, None)?;
    }
    let rows = rows(catalogue, entry, Some(options), &data);
    match args.json {
        true => writeln!(out, "{:#}", to_json(entry, &rows))?,
        false => tell(&mut out, entry, &rows)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(catalogue: Catalogue, entry: &Entry, options: Option<&str>, data: &Path) -> Vec<Row> {
    variants_of(entry.card, options)
        .map(|(options, note)| Row::of(catalogue, entry.card, options, note, data, &LIMITS))
        .collect()
}

/// Prints a line for each game and one for each of its variants, as soon as it is known.
fn list(catalogue: Catalogue, out: &mut impl Write, data: &Path) -> std::io::Result<()> {
    for entry in catalogue.games() {
        writeln!(out, "{:12} {}", styled(STRONG, entry.card.name), entry.card.summary)?;
        for (options, note) in variants_of(entry.card, None) {
            writeln!(out, "  {}", Row::of(catalogue, entry.card, options, note, data, &LIMITS).line())?;
            out.flush()?;
        }
    }
    writeln!(
        out,
        "\nPositions numbered, engine, estimated time and least memory here, and whether it is solved in {}.\nTimes are \
         rough: each is from a trial of a fortieth of a second.",
        data.display()
    )?;
    writeln!(
        out,
        "zermelo games NAME tells the rules, options and notation of one; zermelo check NAME estimates better."
    )
}

fn to_json(entry: &Entry, rows: &[Row]) -> serde_json::Value {
    let card = entry.card;
    let ways: Vec<_> =
        entry.ways.iter().map(|w| json!({ "engine": w.engine, "objective": w.objective })).collect();
    let examples: Vec<_> =
        card.examples.iter().map(|(o, note)| json!({ "variant": named(card, o), "note": note })).collect();
    json!({
        "name": card.name, "title": card.title, "summary": card.summary, "rules": card.rules,
        "notation": card.notation, "aliases": entry.aliases, "options": card.options.iter().map(option_json).collect::<Vec<_>>(),
        "engines": ways, "examples": examples,
        "variants": rows.iter().map(Row::json).collect::<Vec<_>>(),
    })
}

/// An option of a game as JSON; `text` is whether the option is a text, which is empty when not given.
pub(crate) fn option_json(o: &Choice) -> serde_json::Value {
    json!({
        "name": o.name, "help": o.help, "words": o.words, "min": o.min, "max": o.max, "default": o.default,
        "text": o.text.is_some(),
    })
}

/// Returns the name of a variant as people type it.
pub(crate) fn named(card: &Card, options: &str) -> String {
    let normal = Options::read(card, options).map_or_else(|_| options.to_string(), |read| read.normal(card));
    if normal.is_empty() { card.name.into() } else { format!("{}:{normal}", card.name) }
}

fn tell(out: &mut impl Write, entry: &Entry, rows: &[Row]) -> std::io::Result<()> {
    let card = entry.card;
    let (rules, notation) = (filled(card.rules), filled(card.notation));
    writeln!(out, "{}: {}\n\n{rules}\n\n{notation}\n", styled(STRONG, card.title), card.summary)?;
    if !entry.aliases.is_empty() {
        writeln!(out, "{}: {}\n", styled(STRONG, "Also known as"), entry.aliases.join(", "))?;
    }
    writeln!(out, "{}", styled(STRONG, "Options"))?;
    for option in card.options {
        let range = match option.words {
            _ if option.text.is_some() => "a text".into(),
            [] => format!("{} to {}", option.min, option.max),
            words => words.join(", "),
        };
        let default = match option.text {
            Some(_) => "none".into(),
            None => option.show(option.default),
        };
        writeln!(out, "  {:8} {:52} {range:10} default {default}", option.name, option.help)?;
    }
    writeln!(
        out,
        "\n{}: positions numbered, engine, estimated time and least memory here, solved or not",
        styled(STRONG, "Variants to try")
    )?;
    for row in rows {
        writeln!(out, "  {}\n      {}", row.line(), row.note.unwrap_or("what you asked for"))?;
    }
    let mut engines: Vec<_> = entry.ways.iter().map(|w| w.engine).collect();
    let mut objectives: Vec<_> = entry.ways.iter().map(|w| w.objective).collect();
    for list in [&mut engines, &mut objectives] {
        let mut seen = std::collections::HashSet::new();
        list.retain(|word| seen.insert(*word));
    }
    let [one, other] = ["Engines", "Objectives"].map(|word| styled(STRONG, word));
    writeln!(out, "\n{one}: {}\n{other}: {}", engines.join(", "), objectives.join(", "))
}

/// Breaks a text into lines of at most 90 characters.
pub(super) fn filled(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + word.len() < 90 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines.join("\n")
}
