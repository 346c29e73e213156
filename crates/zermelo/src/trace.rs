//! What every thread did when: a file for Perfetto or `chrome://tracing`.
//!
//! Spans of one thread lie inside each other: a task, and in it reading, computing, packing and
//! writing. Threads that help with a tier are seen by the chunks they finish.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;
use zermelo_core::Unpoisoned;

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
    /// Sends to other processes and waits for what they send.
    Exchange,
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
            Doing::Exchange => "exchange",
            Doing::Help => "help",
        }
    }
}

/// Chunks that follow each other so closely are one span.
const CLOSE: Duration = Duration::from_millis(20);
/// No span of chunks is longer, so that a killed run loses little.
const LONG: Duration = Duration::from_secs(1);

/// A file that is being written with what each thread did when, to be shown by Perfetto or `chrome://tracing`.
pub struct Trace {
    begun: Instant,
    /// Microseconds that are added to all times, so that those of several processes agree.
    offset: AtomicI64,
    process: u32,
    out: Mutex<Out>,
    /// By thread: when it began to finish chunks, and when it last did.
    helping: Vec<Mutex<Option<(Instant, Instant)>>>,
}

/// The file of a trace.
struct Out {
    /// None once the file is ended.
    file: Option<BufWriter<File>>,
    /// The first write that failed.
    failed: Option<String>,
}

impl Out {
    /// Writes, unless a write has failed: a trace with a gap would mislead whoever reads it.
    fn write(&mut self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) {
        let Some(file) = self.file.as_mut().filter(|_| self.failed.is_none()) else { return };
        self.failed = write(file).err().map(|error| error.to_string());
    }
}

impl Trace {
    /// Creates a trace file; `process` tells apart the processes of one run.
    pub fn create(path: &Path, process: u32, threads: usize) -> io::Result<Trace> {
        let mut out = BufWriter::new(File::create(path)?);
        // The closing bracket may be missing: readers of this format take a file that was cut short.
        out.write_all(b"[\n")?;
        let helping = (0..=threads).map(|_| Mutex::default()).collect();
        let trace = Trace {
            begun: Instant::now(),
            offset: AtomicI64::new(0),
            process,
            out: Mutex::new(Out { file: Some(out), failed: None }),
            helping,
        };
        let name = format!("rank {process}");
        trace.line(&json!({"ph": "M", "name": "process_name", "pid": process, "args": {"name": name}}));
        for n in 0..=threads {
            let name = if n == 0 { "coordinator".into() } else { format!("worker {n}") };
            trace.line(
                &json!({"ph": "M", "name": "thread_name", "pid": process, "tid": n, "args": {"name": name}}),
            );
        }
        Ok(trace)
    }

    /// Has all times count from a moment, given in microseconds of the clock on the wall.
    pub(crate) fn count_from(&self, moment: u64) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as i64;
        let begun = now - self.begun.elapsed().as_micros() as i64;
        self.offset.store(begun - moment as i64, Relaxed);
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
        let mut helping = helping.lock().unpoisoned();
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
        let offset = self.offset.load(Relaxed);
        let micros = |t: Instant| {
            (t.saturating_duration_since(self.begun).as_micros() as i64).saturating_add(offset).max(0)
        };
        let name =
            if name.is_empty() { doing.word().to_string() } else { format!("{} {name}", doing.word()) };
        self.line(&json!({
            "ph": "X", "cat": doing.word(), "name": name, "pid": self.process, "tid": thread,
            "ts": micros(from), "dur": micros(to) - micros(from),
        }));
    }

    fn line(&self, event: &serde_json::Value) {
        // A trace that cannot be written is no reason to stop the work; the end of the trace tells of it.
        let mut out = self.out.lock().unpoisoned();
        out.write(|file| writeln!(file, "{event},"));
    }

    /// Ends the file, and says why where a part of it could not be written.
    pub(crate) fn finish(&self) -> Result<(), String> {
        for (n, helping) in self.helping.iter().enumerate() {
            if let Some((from, to)) = helping.lock().unpoisoned().take() {
                self.note(n, Doing::Help, "", from, to);
            }
        }
        let end = self.begun.elapsed().as_micros() as u64;
        let mut out = self.out.lock().unpoisoned();
        let last = json!({"ph": "i", "name": "end", "pid": self.process, "tid": 0, "ts": end, "s": "p"});
        out.write(|file| writeln!(file, "{last}\n]").and_then(|()| file.flush()));
        out.file = None;
        out.failed.clone().map_or(Ok(()), Err)
    }
}

/// This thread's number: 0 for whoever is none of the workers.
fn thread() -> usize {
    rayon::current_thread_index().map_or(0, |n| n + 1)
}

impl Drop for Trace {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

/// The name of the trace file of one of several processes, which [`merge`] puts together.
pub fn part(path: &Path, process: usize) -> PathBuf {
    if process == 0 {
        return path.into();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{process}"));
    name.into()
}

/// Puts the traces of several processes into the first one's file and removes the others.
pub fn merge(path: &Path, processes: usize) -> io::Result<()> {
    let mut text = std::fs::read_to_string(path)?;
    for process in 1..processes {
        let part = part(path, process);
        let more = std::fs::read_to_string(&part)?;
        text.truncate(text.trim_end().trim_end_matches(']').trim_end().len());
        text.push_str(",\n");
        text.push_str(more.trim_start_matches("[\n"));
        std::fs::remove_file(part)?;
    }
    std::fs::write(path, text)
}
