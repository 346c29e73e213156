//! Writes one line a request to standard error, on a thread of its own so that no request waits for it.

use std::io::{BufWriter, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::time::{SystemTime, UNIX_EPOCH};

/// The most lines that wait to be written; more are left out, because the requests matter more.
const WAITING: usize = 8192;

/// The queue of lines to write.
pub(crate) struct Log(SyncSender<Note>);

enum Note {
    Line(String),
    /// A thread waits until all lines before this are written; the sender is dropped then.
    Flush {
        _written: std::sync::mpsc::Sender<()>,
    },
}

impl Log {
    /// Starts the thread, which ends with the log.
    pub(crate) fn start() -> std::io::Result<Log> {
        let (lines, waiting) = sync_channel(WAITING);
        std::thread::Builder::new().name("log".into()).spawn(move || write_all(&waiting))?;
        Ok(Log(lines))
    }

    /// Adds a line to the queue, with the time before it.
    pub(crate) fn note(&self, line: std::fmt::Arguments<'_>) {
        // A full queue or a closed standard error is no reason to fail the request.
        let _ = self.0.try_send(Note::Line(format!("{} {line}\n", now())));
    }

    /// Waits until every line is written.
    pub(crate) fn flush(&self) {
        let (written, is_written) = channel();
        if self.0.send(Note::Flush { _written: written }).is_ok() {
            // The receiver returns an error when the sender is dropped, which means that all lines are written.
            let _ = is_written.recv();
        }
    }
}

fn write_all(waiting: &Receiver<Note>) {
    let mut out = BufWriter::new(std::io::stderr());
    while let Ok(first) = waiting.recv() {
        let mut flushed = vec![];
        for note in std::iter::once(first).chain(waiting.try_iter()) {
            match note {
                Note::Line(line) => drop(out.write_all(line.as_bytes())),
                flush => flushed.push(flush),
            }
        }
        let _ = out.flush();
        drop(flushed);
    }
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    stamp(since.as_secs(), since.subsec_millis())
}

/// Formats a time as `2026-01-31T12:00:00.000Z`.
fn stamp(seconds: u64, millis: u32) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // In years that begin in March the leap day is the last day (after Hinnant's `civil_from_days`).
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    #[test]
    fn stamps_are_dates() {
        for (seconds, want) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_798_761_599, "2026-12-31T23:59:59.000Z"),
        ] {
            assert_eq!(super::stamp(seconds, 0), want);
        }
    }
}
