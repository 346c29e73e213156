//! The `zermelo` command.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, getrlimit};
use signal_hook::consts::SIGABRT;

fn main() -> ExitCode {
    fail_where_memory_runs_out();
    zermelo_cli::cli::run(zermelo::Catalogue::standard())
}

/// Makes the process end with exit status 1 when memory runs out. The standard library prints how many bytes it could
/// not get, and aborts.
///
/// A process that is to leave core dumps (`ulimit -c`) aborts as before, for a person who looks for a fault. MPI
/// libraries have a handler of their own.
fn fail_where_memory_runs_out() {
    let dumps = getrlimit(Resource::Core).current != Some(0);
    if !dumps && !zermelo::cluster::is_one_of_many() {
        // Without the handler the process still ends, with a signal.
        let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, 1, Arc::new(AtomicBool::new(true)));
    }
}
