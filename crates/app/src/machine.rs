//! What this process has used and what the machine has left.

/// CPU time of all threads of this process so far, in seconds.
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory this process has held at once, where the system tells.
pub fn peak_memory() -> Option<u64> {
    kilobytes("/proc/self/status", "VmHWM:")
}

/// Memory that could be used now, where the system tells: of the machine, or of what a container or a batch system
/// leaves of it.
pub fn available_memory() -> Option<u64> {
    let machine = kilobytes("/proc/meminfo", "MemAvailable:");
    machine.into_iter().chain(crate::cgroup::free()).min()
}

/// Cores of this machine, and how many of them this process may run on.
pub(crate) fn cores() -> (usize, usize) {
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
