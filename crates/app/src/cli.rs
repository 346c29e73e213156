//! The command line: `zermelo` is [`run`] with no games added, and so can any program be with its own.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Error;
use clap::{CommandFactory, Parser};
use zermelo_engines::Entry;

use crate::args::{Cli, Command};
use crate::cmd;

/// Does what the arguments of the process say, with more games than there are already. All commands know them: they
/// are solved, stored, played and served like any other. To be called once, from `main`.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     zermelo::cli::run(&[])
/// }
/// ```
///
/// `examples/outside` has a game of its own.
pub fn run(more: &'static [Entry]) -> ExitCode {
    if let Err(complaint) = zermelo_engines::add_games(more) {
        eprintln!("zermelo: {complaint}");
        return ExitCode::FAILURE;
    }
    obey(Cli::parse().command).unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        eprintln!("zermelo: {}", told(&error));
        ExitCode::from(if is_bad_input(&error) { 2 } else { 1 })
    })
}

fn obey(command: Option<Command>) -> anyhow::Result<ExitCode> {
    match command {
        None => cmd::welcome(),
        Some(Command::Games(args)) => cmd::games::run(&args),
        Some(Command::Check(args)) => cmd::check::run(&args),
        Some(Command::Solve(args)) => cmd::solve::run(&args),
        Some(Command::Query(args)) => cmd::query::run(&args),
        Some(Command::Count(args)) => cmd::count::run(&args),
        Some(Command::Analyze(args)) => cmd::analyze::run(&args),
        Some(Command::Verify(args)) => cmd::verify::run(&args),
        Some(Command::Play(args)) => cmd::play::run(&args),
        Some(Command::Serve(args)) => cmd::serve::run(&args),
        Some(Command::Bench(args)) => cmd::bench::run(&args),
        Some(Command::Completions { shell }) => {
            let mut script = vec![];
            clap_complete::generate(shell, &mut Cli::command(), "zermelo", &mut script);
            std::io::stdout().write_all(&script).map(|()| ExitCode::SUCCESS).map_err(Error::from)
        }
    }
}

/// The error and its causes, those left out that the message already tells.
fn told(error: &Error) -> String {
    error.chain().map(|cause| cause.to_string()).fold(String::new(), |told, cause| match told.as_str() {
        "" => cause,
        _ if told.contains(&cause) => told,
        _ => format!("{told}: {cause}"),
    })
}

/// Whether the command or its input was wrong, and not its execution.
pub(crate) fn is_bad_input(error: &Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<zermelo_core::Complaint>()
            || cause.is::<crate::OpenError>()
            || matches!(cause.downcast_ref(), Some(zermelo_core::AskError::Input(_)))
            || matches!(cause.downcast_ref(), Some(crate::CountError::Input(_)))
    })
}

/// Whether whoever read our output has gone, as `head` does.
fn is_broken_pipe(error: &Error) -> bool {
    let broken = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken))
}
