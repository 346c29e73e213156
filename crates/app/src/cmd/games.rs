//! `zermelo games`: what there is to solve.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;
use zermelo::{GAMES, OpenError};
use zermelo_core::Card;

use crate::args::Games;

/// Lists the games, or tells of one.
pub(crate) fn run(args: &Games) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    let entries: Vec<_> = match &args.game {
        None => GAMES.iter().collect(),
        Some(name) => {
            if name.contains(':') {
                zermelo::open(name, None, None)?;
            }
            let name = name.split(':').next().unwrap_or(name);
            let found: Vec<_> = GAMES.iter().filter(|e| e.card.name.eq_ignore_ascii_case(name)).collect();
            if found.is_empty() {
                let names: Vec<_> = GAMES.iter().map(|e| e.card.name).collect();
                return Err(OpenError::Game(zermelo_core::quoted(name), names.join(", ")).into());
            }
            found
        }
    };
    if args.json {
        let list: Vec<_> = entries.iter().map(|e| to_json(e)).collect();
        let told =
            if args.game.is_some() { list.into_iter().next().unwrap_or_default() } else { list.into() };
        writeln!(out, "{told:#}")?;
    } else if args.game.is_some() {
        for entry in entries {
            tell(&mut out, entry)?;
        }
    } else {
        for entry in entries {
            writeln!(out, "{:12} {}", entry.card.name, entry.card.summary)?;
        }
        writeln!(out, "\nzermelo games NAME tells the rules, options and notation of one.")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(entry: &zermelo_engines::Entry) -> serde_json::Value {
    let card = entry.card;
    let options = card
        .options
        .iter()
        .map(|o| json!({ "name": o.name, "help": o.help, "words": o.words, "min": o.min, "max": o.max, "default": o.default, "text": o.text.is_some() }));
    let ways: Vec<_> =
        entry.ways.iter().map(|w| json!({ "engine": w.engine, "objective": w.objective })).collect();
    let examples: Vec<_> =
        card.examples.iter().map(|(o, note)| json!({ "variant": variant(card, o), "note": note })).collect();
    json!({
        "name": card.name, "title": card.title, "summary": card.summary, "rules": card.rules,
        "notation": card.notation, "options": options.collect::<Vec<_>>(), "engines": ways, "examples": examples,
    })
}

fn variant(card: &Card, options: &str) -> String {
    if options.is_empty() { card.name.into() } else { format!("{}:{options}", card.name) }
}

fn tell(out: &mut impl Write, entry: &zermelo_engines::Entry) -> std::io::Result<()> {
    let card = entry.card;
    writeln!(
        out,
        "{}: {}\n\n{}\n\n{}\n",
        card.title,
        card.summary,
        filled(card.rules),
        filled(card.notation)
    )?;
    writeln!(out, "Options")?;
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
    writeln!(out, "\nVariants to try")?;
    for (options, note) in card.examples {
        writeln!(out, "  {:30} {note}", variant(card, options))?;
    }
    let mut engines: Vec<_> = entry.ways.iter().map(|w| w.engine).collect();
    let mut objectives: Vec<_> = entry.ways.iter().map(|w| w.objective).collect();
    for list in [&mut engines, &mut objectives] {
        let mut seen = std::collections::HashSet::new();
        list.retain(|word| seen.insert(*word));
    }
    writeln!(out, "\nEngines: {}\nObjectives: {}", engines.join(", "), objectives.join(", "))
}

/// Text in lines of at most 90 characters.
fn filled(text: &str) -> String {
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
