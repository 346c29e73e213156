//! `zermelo export`: the positions of a solved game with their values, for other programs.

use std::io::{BufWriter, IsTerminal, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use zermelo::{
    CACHE, Catalogue, ExportFormat, ExportPositions, ExportSettings, NewFile, Progress, Settings, analyze,
    export, export_counts,
};
use zermelo_core::{Complaint, Opened, Tier};

use super::grouped;
use crate::args::{Export, Positions};

/// Bytes that are written at a time.
const BUFFER: usize = 1 << 20;
/// The exit status of a process that a signal has ended is this and the number of the signal.
const SIGNALLED: i32 = 128;

/// Writes the rows to standard output, or to a file that is there only when all of it is.
pub(crate) fn run(catalogue: Catalogue, args: &Export) -> anyhow::Result<ExitCode> {
    let format = format(args);
    let to_terminal = args.output.is_none() && std::io::stdout().is_terminal();
    if to_terminal && !format.is_text() {
        let name = format.name();
        let why = format!("--format {name} is not for a terminal: give --output FILE.{name}, or a pipe");
        return Err(Complaint::new(why).into());
    }
    let settings = super::settings(&args.resources, None);
    let cache = usize::try_from(settings.memory / 4).unwrap_or(usize::MAX);
    let (game, database) =
        super::open_solved(catalogue, &args.which, args.from.as_deref(), &args.place, cache.min(CACHE))?;
    let progress = Progress::new("export");
    let go = |out: &mut (dyn Write + Send)| -> anyhow::Result<u64> {
        thread::scope(|scope| {
            let _shown = progress.show(scope);
            if args.counts {
                let analysis = analyze(&game, &database, &settings, &progress)?;
                return Ok(export_counts(&analysis, game.unit, format, out)?);
            }
            let wanted = wanted(args, format);
            let (game, database, wanted) = (&game, &database, &wanted);
            let (settings, progress): (&Settings, _) = (&settings, &progress);
            let job = zermelo::Export { catalogue, game, database, wanted, settings, progress };
            Ok(export(&job, out)?)
        })
    };
    match &args.output {
        None => _ = go(&mut BufWriter::with_capacity(BUFFER, std::io::stdout()))?,
        Some(path) => {
            let rows = into_file(path, go)?;
            eprintln!("zermelo: {} rows of {} in {}", grouped(rows), title(&game), path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The format that was asked for, or that the name of the file tells.
fn format(args: &Export) -> ExportFormat {
    let ending = args.output.as_ref().and_then(|path| path.extension()?.to_str());
    let named = || ending.and_then(ExportFormat::of);
    args.format.map(|format| format.0).or_else(named).unwrap_or_default()
}

/// What to export.
fn wanted(args: &Export, format: ExportFormat) -> ExportSettings {
    ExportSettings {
        format,
        positions: match args.positions {
            Positions::Reached => ExportPositions::Reached,
            Positions::Stored => ExportPositions::Stored,
        },
        symmetries: !args.no_symmetries,
        tier: args.tier.map(Tier),
        value: args.value.map(|value| value.0),
        numbers: args.remoteness.clone(),
        sample: args.sample,
        seed: args.seed,
        ..ExportSettings::default()
    }
}

fn title(game: &Opened) -> String {
    zermelo::full_name(game)
}

/// Writes a file that is there under its name only when all of it is. Signals that end the process remove what was
/// written.
fn into_file(
    path: &Path,
    go: impl FnOnce(&mut (dyn Write + Send)) -> anyhow::Result<u64>,
) -> anyhow::Result<u64> {
    let failed = || format!("cannot write {}; give another --output", path.display());
    let file = NewFile::create(path).with_context(failed)?;
    if let Some(temporary) = file.temporary() {
        remove_when_signalled(temporary.into()).with_context(failed)?;
    }
    let mut out = BufWriter::with_capacity(BUFFER, file);
    let rows = go(&mut out).map_err(|error| match error.downcast_ref() {
        Some(zermelo::ExportError::Write(_)) => error.context(failed()),
        _ => error,
    })?;
    let file = out.into_inner().map_err(|error| error.into_error()).with_context(failed)?;
    file.finish().with_context(failed)?;
    Ok(rows)
}

/// Has a thread wait for signals that end the process; it removes the file first.
fn remove_when_signalled(file: PathBuf) -> std::io::Result<()> {
    let mut waiting = vec![];
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let (mut read, write) = UnixStream::pair()?;
        signal_hook::low_level::pipe::register(signal, write)?;
        waiting.push(move || read.read(&mut [0]).map(|_| signal));
    }
    for mut wait in waiting {
        let file = file.clone();
        thread::Builder::new().spawn(move || {
            if let Ok(signal) = wait() {
                let _ = std::fs::remove_file(file);
                std::process::exit(SIGNALLED + signal);
            }
        })?;
    }
    Ok(())
}
