//! `zermelo verify`.

use std::io::Write;
use std::process::ExitCode;

use crate::{Progress, verify, verify_sample};
use serde_json::json;

use super::grouped;
use crate::args::Verify;

/// Checks a database; fails unless it is clean.
pub(crate) fn run(args: &Verify) -> anyhow::Result<ExitCode> {
    let settings = super::settings(&args.resources, None);
    let bytes = usize::try_from(settings.memory).unwrap_or(usize::MAX);
    let (game, database) = super::open_solved_within(&args.which, args.from.as_deref(), &args.place, bytes)?;
    let progress = Progress::new("verify");
    let verified = progress.shown(|| match args.sample {
        Some(sample) => verify_sample(&*game, &database, sample, &settings, &progress),
        None => verify(&*game, &database, &settings, &progress),
    })?;
    let mut out = std::io::stdout().lock();
    let (checked, wrong) = (verified.values.checked, verified.values.wrong);
    for text in verified.damage.iter().chain(&verified.values.examples) {
        eprintln!("zermelo: {text}");
    }
    if args.json {
        let object = json!({ "checked": checked, "wrong": wrong, "damaged_blocks": verified.damaged_blocks });
        writeln!(out, "{object:#}")?;
    } else {
        let damaged = verified.damaged_blocks;
        writeln!(out, "{} positions checked, {wrong} wrong, {damaged} damaged blocks", grouped(checked))?;
    }
    Ok(ExitCode::from(u8::from(!verified.clean())))
}
