//! What every thread did when: a file for Perfetto or `chrome://tracing`.
//!
//! Spans of one thread lie inside each other: a task, and in it reading, computing, packing and
//! writing. Threads that help with a tier are seen by the chunks they finish.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

/// What a thread is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Discover,
    Solve,
    Count,
    Pack,
    Read,
    Write,
    Wait,
    /// Helps with a tier that another thread solves.
    Help,
}

impl Doing {
    fn word(self) -> &'static str {
        match self {
            Doing::Discover => "discover",
            Doing::Solve => "compute",
            Doing::Count => "count",
            Doing::Pack => "compress",
            Doing::Read => "read",
            Doing::Write => "write",
            Doing::Wait => "wait",
            Doing::Help => "help",
        }
    }
}

/// Chunks that follow each other so closely are one span.
const CLOSE: Duration = Duration::from_millis(20);
/// No span of chunks is longer, so that a killed run loses little.
const LONG: Duration = Duration::from_secs(1);

/// A trace that is being written.
pub struct Trace {
    begun: Instant,
    process: u32,
    out: Mutex<BufWriter<File>>,
    /// By thread: when it began to finish chunks, and when it last did.
    helping: Vec<Mutex<Option<(Instant, Instant)>>>,
}

impl Trace {
    /// Begins a file; `process` tells apart the processes of one run.
    pub fn create(path: &Path, process: u32, threads: usize) -> io::Result<Trace> {
        let mut out = BufWriter::new(File::create(path)?);
        // The closing bracket may be missing: readers of this format take a file that was cut short.
        out.write_all(b"[\n")?;
        let helping = (0..=threads).map(|_| Mutex::default()).collect();
        let trace = Trace { begun: Instant::now(), process, out: Mutex::new(out), helping };
        for n in 0..=threads {
            let name = if n == 0 { "scheduler".into() } else { format!("worker {n}") };
            trace.line(
                &json!({"ph": "M", "name": "thread_name", "pid": process, "tid": n, "args": {"name": name}}),
            );
        }
        Ok(trace)
    }

    /// Notes what this thread has been at since then.
    pub(crate) fn span(&self, doing: Doing, name: &str, since: Instant) {
        self.note(thread(), doing, name, since, Instant::now());
    }

    /// This thread has finished a chunk of a tier.
    pub(crate) fn chunk(&self) {
        let now = Instant::now();
        let n = thread();
        let Some(helping) = self.helping.get(n) else { return };
        let mut helping = helping.lock().unwrap_or_else(PoisonError::into_inner);
        *helping = match *helping {
            Some((from, last)) if now - last < CLOSE && now - from < LONG => Some((from, now)),
            Some((from, last)) => {
                self.note(n, Doing::Help, "", from, last);
                Some((if now - last < CLOSE { last } else { now }, now))
            }
            None => Some((now, now)),
        };
    }

    fn note(&self, thread: usize, doing: Doing, name: &str, from: Instant, to: Instant) {
        let micros = |t: Instant| t.saturating_duration_since(self.begun).as_micros() as u64;
        let name =
            if name.is_empty() { doing.word().to_string() } else { format!("{} {name}", doing.word()) };
        self.line(&json!({
            "ph": "X", "cat": doing.word(), "name": name, "pid": self.process, "tid": thread,
            "ts": micros(from), "dur": micros(to).saturating_sub(micros(from)),
        }));
    }

    fn line(&self, event: &serde_json::Value) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // A trace that cannot be written is no reason to stop the work.
        let _ = writeln!(out, "{event},");
    }
}

/// This thread's number: 0 for whoever is none of the workers.
fn thread() -> usize {
    rayon::current_thread_index().map_or(0, |n| n + 1)
}

/// Ends the file.
impl Drop for Trace {
    fn drop(&mut self) {
        for n in 0..self.helping.len() {
            let last = self.helping[n].lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((from, to)) = last {
                self.note(n, Doing::Help, "", from, to);
            }
        }
        let end = self.begun.elapsed().as_micros() as u64;
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let last = json!({"ph": "i", "name": "end", "pid": self.process, "tid": 0, "ts": end, "s": "p"});
        let _ = writeln!(out, "{last}\n]");
        let _ = out.flush();
    }
}
