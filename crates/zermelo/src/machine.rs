//! What this process has used and what the machine has left.

use std::error::Error;
use std::sync::OnceLock;

use rustix::process::{Resource, getrlimit};

/// CPU time of all threads of this process so far, in seconds.
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory this process has held at once, where the system tells.
pub fn peak_memory() -> Option<u64> {
    kilobytes("/proc/self/status", "VmHWM:")
}

/// Memory that could be used now, where the system tells: of the machine, or of what a container, a batch system or
/// `ulimit` leaves of it.
pub fn available_memory() -> Option<u64> {
    let machine = kilobytes("/proc/meminfo", "MemAvailable:");
    let limited = limited_memory(cores().1).map(|(bytes, _)| bytes);
    machine.into_iter().chain(limited).min()
}

/// Address space that a thread takes for its stack and for an arena of the C library.
const THREAD_SPACE: u64 = 66 << 20;
/// Stack of a thread.
const THREAD_STACK: u64 = 2 << 20;

/// Bytes that the limits of this process leave it beside so many threads, and the name of the limit that leaves the
/// least; `None` where there is no limit.
pub fn limited_memory(threads: usize) -> Option<(u64, &'static str)> {
    let groups = crate::cgroup::free().map(|bytes| (bytes, "the control group (cgroup) leaves"));
    let left = |resource, mapped: &str, thread: u64| {
        let limit = getrlimit(resource).current?;
        let room = limit.saturating_sub(kilobytes("/proc/self/status", mapped).unwrap_or(0));
        // Arenas that find no room are not made, so threads never take all of it.
        Some(room - (threads as u64).saturating_mul(thread).min(room / 4 * 3))
    };
    let space = left(Resource::As, "VmSize:", THREAD_SPACE).map(|bytes| (bytes, "ulimit -v leaves"));
    let data = left(Resource::Data, "VmData:", THREAD_STACK).map(|bytes| (bytes, "ulimit -d leaves"));
    groups.into_iter().chain(space).chain(data).min()
}

/// Why there are no threads, and what helps.
pub fn no_threads(many: usize, reason: &dyn std::fmt::Display) -> String {
    let fewer = if many > 1 { "use fewer with --threads, or raise" } else { "raise" };
    let threads = if many == 1 { "a thread".into() } else { format!("{many} threads") };
    format!(
        "the system gives this process no more threads ({reason}), and {threads} are wanted: {fewer} the limit of \
         processes (ulimit -u, or pids.max of the control group) or of memory (ulimit -v)"
    )
}

/// Threads to work with.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| no_threads(threads, &error))
}

/// Makes the threads that searches of all moves at once share, which are as many as there are cores.
pub(crate) fn search_threads() -> Result<(), String> {
    static MADE: OnceLock<Result<(), String>> = OnceLock::new();
    let make = || match rayon::ThreadPoolBuilder::new().build_global() {
        // Without a cause they are there already.
        Err(error) if error.source().is_some() => Err(no_threads(cores().1, &error)),
        _ => Ok(()),
    };
    MADE.get_or_init(make).clone()
}

/// Cores of this machine, and how many of them this process may run on.
pub fn cores() -> (usize, usize) {
    let allowed = std::thread::available_parallelism().map_or(1, |n| n.get());
    let listed = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let all = listed.lines().filter(|line| line.starts_with("processor")).count();
    (all.max(allowed), allowed)
}

/// Memory for one search of a position and all its moves: two gigabytes, or three quarters of what the machine
/// has left where that is less.
pub fn search_memory() -> u64 {
    at_most(2 << 30)
}

/// Memory for a server: three gigabytes, or three quarters of what the machine has left where that is less.
pub fn serve_memory() -> u64 {
    at_most(3 << 30)
}

fn at_most(usual: u64) -> u64 {
    available_memory().map_or(usual, |free| usual.min(free / 4 * 3))
}

fn kilobytes(file: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
