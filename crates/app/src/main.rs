//! The `zermelo` command.

mod args;
mod cmd;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Error;
use clap::{CommandFactory, Parser};

use args::{Cli, Command};

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        None => cmd::welcome(),
        Some(Command::Games(args)) => cmd::games::run(&args),
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
    };
    result.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        eprintln!("zermelo: {}", told(&error));
        ExitCode::from(if is_bad_input(&error) { 2 } else { 1 })
    })
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
fn is_bad_input(error: &Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<zermelo_core::Complaint>()
            || cause.is::<zermelo::OpenError>()
            || matches!(cause.downcast_ref(), Some(zermelo_core::AskError::Input(_)))
            || matches!(cause.downcast_ref(), Some(zermelo::CountError::Input(_)))
    })
}

/// Whether whoever read our output has gone, as `head` does.
fn is_broken_pipe(error: &Error) -> bool {
    let broken = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken))
}
