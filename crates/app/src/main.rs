//! The `zermelo` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    zermelo::cli::run(&[])
}
