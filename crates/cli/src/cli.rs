//! Runs the command line. `zermelo` is [`run`] with the standard games; another program can add games of its own.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Error;
use clap::Parser;
use zermelo::{Catalogue, with_file};

use crate::args::{Cli, Command};
use crate::cmd;

/// Does what the arguments of the process say, with the games of a catalogue. All commands know these games: a game
/// that was added is solved, stored, played and served like any other.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     zermelo_cli::cli::run(zermelo::Catalogue::standard())
/// }
/// ```
///
/// The program in `examples/outside` has a game of its own.
pub fn run(catalogue: Catalogue) -> ExitCode {
    run_with(catalogue, std::env::args_os())
}

/// Does what a list of arguments says, the name of the program first, as [`run`] does.
pub fn run_with(catalogue: Catalogue, args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let Cli { color, mut command } = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, &args),
    };
    cmd::colour::decide(color);
    if let Err(error) = name_file(catalogue, &mut command) {
        return fail(&error);
    }
    let done = match command {
        None => cmd::welcome(catalogue),
        Some(Command::Games(args)) => cmd::games::run(catalogue, &args),
        Some(Command::Check(args)) => cmd::check::run(catalogue, &args),
        Some(Command::Tiers(args)) => cmd::tiers::run(catalogue, &args),
        Some(Command::Solve(args)) => cmd::solve::run(catalogue, &args),
        Some(Command::Query(args)) => cmd::query::run(catalogue, &args),
        Some(Command::Count(args)) => cmd::count::run(catalogue, &args),
        Some(Command::Export(args)) => cmd::export::run(catalogue, &args),
        Some(Command::Analyze(args)) => cmd::analyze::run(catalogue, &args),
        Some(Command::Verify(args)) => cmd::verify::run(catalogue, &args),
        Some(Command::Book(args)) => cmd::book::run(catalogue, &args),
        Some(Command::Play(args)) => cmd::play::run(catalogue, &args),
        Some(Command::Serve(args)) => cmd::serve::run(catalogue, &args),
        Some(Command::Bench(args)) => cmd::bench::run(&args),
        Some(Command::Devices(args)) => cmd::devices::run(&args),
        Some(Command::Completions(args)) => cmd::completions::run(catalogue, &args),
    };
    done.unwrap_or_else(|error| fail(&error))
}

/// Prints why a command line cannot be read, or the help that it asks for, and returns the exit status.
fn refuse(error: &clap::Error, args: &[OsString]) -> ExitCode {
    // Where standard error is closed nobody hears of it.
    let _ = error.print();
    let args: Vec<String> = args.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(tip) = cmd::hints::tip(error, &args) {
        eprintln!("\ntip: {tip}");
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Replaces the name of a file in the name of a variant by the contents of the file.
fn name_file(catalogue: Catalogue, command: &mut Option<Command>) -> anyhow::Result<()> {
    if let Some(name) = command.as_mut().and_then(Command::game) {
        *name = with_file(catalogue, name)?;
    }
    Ok(())
}

/// Prints what went wrong, and returns the exit status for it.
fn fail(error: &Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    eprintln!("zermelo: {}", told(error));
    ExitCode::from(if is_bad_input(error) { 2 } else { 1 })
}

/// Returns the error and its causes, without the causes that the message already contains.
fn told(error: &Error) -> String {
    error.chain().map(|cause| cause.to_string()).fold(String::new(), |told, cause| match told.as_str() {
        "" => cause,
        _ if told.contains(&cause) => told,
        _ => format!("{told}: {cause}"),
    })
}

/// Whether the fault is in the command or its input, and not in its execution.
pub(crate) fn is_bad_input(error: &Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<zermelo_core::Complaint>()
            || cause.is::<zermelo::OpenError>()
            || matches!(cause.downcast_ref(), Some(zermelo_core::AskError::Input(_)))
            || matches!(cause.downcast_ref(), Some(zermelo::CountError::Input(_)))
            || cause.downcast_ref().is_some_and(zermelo::BookMakeError::is_input)
    })
}

/// Whether the program that read our output has ended, as `head` does.
fn is_broken_pipe(error: &Error) -> bool {
    let broken = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken))
}
