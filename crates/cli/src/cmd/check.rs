//! `zermelo check`: whether moves, outcomes, numbers, symmetries, tiers, texts and drawings of a game agree with each
//! other, and what solving the game will take.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use zermelo_core::laws::{Bounds, Broken, Walked};
use zermelo_core::{Opened, Watch};

use super::grouped;
use crate::args::Check;
use zermelo::{
    Catalogue, Estimate, EstimateLimits, Progress, Settings, available_memory, bytes, estimate, full_name,
};

/// The numbers to look at for each position that may be walked.
const NUMBERS: u64 = 10;
/// The most tiers that are walked.
const TIERS: usize = 300_000;
/// The most bytes of numberings that are made for a check. Larger numberings take longer to make than the check may
/// last.
const NUMBERINGS: u64 = 1 << 30;
/// How long the engine is tried.
const TRIAL: Duration = Duration::from_millis(500);

/// Checks a game; fails where a law is broken.
pub(crate) fn run(catalogue: Catalogue, args: &Check) -> anyhow::Result<ExitCode> {
    let (name, options) = args.which.game.split_once(':').unwrap_or((&args.which.game, ""));
    let entry = catalogue.find(name)?;
    let game = catalogue.open(&args.which.game, args.engine.as_deref(), args.which.objective.as_deref())?;
    let settings = super::settings(&args.resources, None);
    let progress = Progress::new("check");
    // The steps expected: the walk, its positions counted up to symmetry, and their faces.
    progress.expect(0, 3 * args.positions);
    let (begun, late) = (Instant::now(), AtomicBool::new(false));
    let stop = |share: f64| {
        progress.advance(1);
        let over = begun.elapsed().as_secs_f64() >= args.seconds * share;
        late.fetch_or(over, Relaxed);
        over
    };
    let bounds = Bounds {
        positions: usize::try_from(args.positions).unwrap_or(usize::MAX),
        numbers: args.positions.saturating_mul(NUMBERS),
        memory: settings.memory.min(NUMBERINGS),
        seed: args.seed,
        stop: &stop,
    };
    let (verdict, told) = thread::scope(|scope| -> anyhow::Result<_> {
        let _shown = progress.show(scope);
        let verdict = caught(|| entry.check(options, &bounds))??;
        let told = match verdict {
            Ok(_) => Some(estimate(&game, &settings, &EstimateLimits { tiers: TIERS, time: TRIAL })?),
            Err(_) => None,
        };
        Ok((verdict, told))
    })?;
    let mut out = std::io::stdout().lock();
    let late = late.into_inner();
    if args.json {
        writeln!(out, "{:#}", to_json(&game, &verdict, late, told.as_ref()))?;
    } else {
        tell(&mut out, &game, &verdict, late)?;
        told.map_or(Ok(()), |told| tell_estimate(&mut out, &told, &settings))?;
    }
    Ok(ExitCode::from(u8::from(verdict.is_err())))
}

/// Runs the code of a game, and returns an error where it panics, as a game that is being written may do. The message
/// that names the line is on standard error by then.
fn caught<T>(work: impl FnOnce() -> T) -> anyhow::Result<T> {
    let fault = |_| anyhow::anyhow!("the game's code panicked, see above for the line; no law allows that");
    catch_unwind(AssertUnwindSafe(work)).map_err(fault)
}

fn to_json(
    game: &Opened,
    verdict: &Result<Walked, Broken<String>>,
    late: bool,
    told: Option<&Estimate>,
) -> serde_json::Value {
    let walked = verdict.as_ref().ok();
    json!({
        "game": game.card.name,
        "variant": game.variant,
        "laws_hold": verdict.is_ok(),
        "walked": walked.map(|walked| json!({
            "positions": walked.positions,
            "canonical_positions": walked.canonical,
            "tiers": walked.tiers,
            "numbers": walked.numbers,
            "numbered": walked.numbered,
            "whole": !walked.cut,
            "time_over": late,
        })),
        "broken": verdict.as_ref().err().map(|broken| json!({
            "law": broken.law, "position": broken.position, "found": broken.found,
        })),
        "estimate": told.map(Estimate::json),
    })
}

fn tell(
    out: &mut impl Write,
    game: &Opened,
    verdict: &Result<Walked, Broken<String>>,
    late: bool,
) -> std::io::Result<()> {
    let name = full_name(game);
    match verdict {
        Ok(walked) => {
            let (positions, tiers) = (grouped(walked.positions), grouped(walked.tiers));
            let all = if walked.cut { "there are more" } else { "all there are" };
            writeln!(out, "{name}: no law is broken")?;
            let numbers = grouped(walked.numbers);
            writeln!(out, "checked    {positions} positions that the start reaches, {all}")?;
            match walked.numbered {
                true => writeln!(
                    out,
                    "           {numbers} numbers of the {tiers} tiers that they and their moves lie in"
                )?,
                false => writeln!(
                    out,
                    "           no numbers of the {tiers} tiers that they and their moves lie in: the tables for that \
                     take more memory than a check may"
                )?,
            }
            match late {
                true => {
                    writeln!(out, "           the time was over before the rest; give more with --seconds")
                }
                false => Ok(()),
            }
        }
        Err(broken) => {
            writeln!(out, "{name}: a law is broken: {}", broken.law)?;
            writeln!(out, "  at {}", broken.position)?;
            let found = Some(&broken.found).filter(|found| !found.is_empty());
            found.map_or(Ok(()), |found| writeln!(out, "  {found}"))
        }
    }
}

fn tell_estimate(out: &mut impl Write, told: &Estimate, settings: &Settings) -> std::io::Result<()> {
    writeln!(out, "engine     {}, for {}", told.engine, told.objective)?;
    let countless = told.numbers == u64::MAX;
    let sign = if told.more && !countless { "more than " } else { "" };
    writeln!(out, "tiers      {sign}{}", grouped(told.tiers))?;
    let about = if told.guessed { "about " } else { "" };
    match told.largest {
        _ if countless => writeln!(out, "positions  more than can be counted")?,
        Some(size) => writeln!(
            out,
            "positions  {sign}{about}{} numbered, at most {about}{} in a tier",
            grouped(told.numbers),
            grouped(size)
        )?,
        None => writeln!(out, "positions  {sign}{about}{} numbered", grouped(told.numbers))?,
    }
    if told.guessed && told.memory.is_none() {
        writeln!(out, "memory     not known before positions are found")?;
    }
    if let Some(memory) = told.memory {
        write!(
            out,
            "memory     at least {}, up to {} are useful",
            bytes(memory.least),
            bytes(memory.useful)
        )?;
        let free = available_memory().map_or(String::new(), |free| format!("; {} are free", bytes(free)));
        writeln!(out, "{free}")?;
    }
    if let (Some(seconds), Some(cpu)) = (told.seconds, told.cpu_seconds) {
        let (threads, time) = (settings.threads, zermelo::lasts(seconds));
        // "Over 1000 years" is already no exact number.
        let about = if time.starts_with("over") { "" } else { "about " };
        writeln!(out, "time       {about}{time} with {threads} threads ({cpu:.2} CPU s)")?;
    }
    if let Some(size) = told.database_bytes {
        writeln!(out, "database   about {}", bytes(size))?;
    }
    writeln!(out, "estimate   {}", told.how)?;
    told.obstacle.as_ref().map_or(Ok(()), |why| writeln!(out, "but        {why}"))
}
