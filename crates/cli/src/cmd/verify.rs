//! `zermelo verify`: checks a database against the rules.

use std::io::Write;
use std::process::ExitCode;
use std::thread;

use serde_json::{Value as Json, json};
use zermelo::{
    Catalogue, KeptCounts, Progress, Verified, check_counts, full_name, objective_flag, verify, verify_sample,
};
use zermelo_core::Opened;

use super::grouped;
use super::solve::{data_flag, typed};
use crate::args::Verify;

/// Checks a database; fails unless all of its values are right.
pub(crate) fn run(catalogue: Catalogue, args: &Verify) -> anyhow::Result<ExitCode> {
    let settings = super::settings(&args.resources, None);
    let bytes = usize::try_from(settings.memory).unwrap_or(usize::MAX);
    let (game, database) =
        super::open_solved(catalogue, &args.which, args.from.as_deref(), &args.place, bytes)?;
    let progress = Progress::new("verify");
    let verified = thread::scope(|scope| {
        let _shown = progress.show(scope);
        match args.sample {
            Some(sample) => verify_sample(&game, &database, sample, &settings, &progress),
            None => verify(&game, &database, &settings, &progress),
        }
    })?;
    for text in verified.damage.iter().chain(&verified.values.examples) {
        eprintln!("zermelo: {text}");
    }
    let counts = match args.sample {
        Some(_) if !database.keeps_counts() => KeptCounts::None,
        Some(_) => KeptCounts::Unchecked("only a sample was asked for; leave --sample out".into()),
        None => {
            let progress = Progress::new("count");
            thread::scope(|scope| {
                let _shown = progress.show(scope);
                check_counts(&game, &database, &settings, &progress)
            })?
        }
    };
    if let KeptCounts::Wrong(differences) = &counts {
        differences
            .iter()
            .for_each(|text| eprintln!("zermelo: the counts in the manifest are wrong: {text}"));
        eprintln!("zermelo: `{}` makes them again", again(args, &game));
    }
    tell(args, &verified, &counts)?;
    let clean = verified.clean() && !matches!(counts, KeptCounts::Wrong(_));
    Ok(ExitCode::from(u8::from(!clean)))
}

/// Prints what was found.
fn tell(args: &Verify, verified: &Verified, counts: &KeptCounts) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let (checked, wrong, damaged) = (verified.values.checked, verified.values.wrong, verified.damaged_blocks);
    if args.json {
        let (state, reason) = in_json(counts);
        let object = json!({
            "checked": checked, "wrong": wrong, "damaged_blocks": damaged,
            "counts": state, "counts_reason": reason,
        });
        return writeln!(out, "{object:#}");
    }
    writeln!(out, "{} stored positions checked, {wrong} wrong, {damaged} damaged blocks", grouped(checked))?;
    match counts {
        KeptCounts::None => Ok(()),
        KeptCounts::Right => writeln!(out, "The counts in the manifest are right."),
        KeptCounts::Wrong(_) => writeln!(out, "The counts in the manifest are wrong."),
        KeptCounts::Unchecked(why) => writeln!(out, "The counts in the manifest were not checked: {why}."),
    }
}

/// Returns the outcome of the check of the counts in one word, and the reason.
fn in_json(counts: &KeptCounts) -> (Json, Json) {
    match counts {
        KeptCounts::None => (Json::Null, Json::Null),
        KeptCounts::Right => ("checked".into(), Json::Null),
        KeptCounts::Wrong(differences) => ("wrong".into(), differences.join("; ").into()),
        KeptCounts::Unchecked(why) => ("not checked".into(), why.as_str().into()),
    }
}

/// Returns the command that solves the game again.
fn again(args: &Verify, game: &Opened) -> String {
    let (name, objective) = (full_name(game), objective_flag(game));
    let from = game.from.as_ref().map_or(String::new(), |from| format!(" --from {}", typed(from)));
    let data = data_flag(args.place.data.as_deref());
    format!("zermelo solve {name}{from}{objective}{data} --fresh")
}
