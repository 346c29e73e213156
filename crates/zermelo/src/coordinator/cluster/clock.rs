//! How long a worker is busy, and with how much.

use std::time::{Duration, Instant};

use super::message::Stats;
use crate::{cpu_seconds, peak_memory};

/// Busy and idle time.
pub(super) struct Clock {
    since: Instant,
    tasks: u64,
    /// Tasks at work.
    pub(super) running: usize,
    /// Tasks at work that wait until another one is done, on the same thread.
    pub(super) paused: usize,
    busy_since: Instant,
    busy: Duration,
}

impl Clock {
    pub(super) fn new() -> Clock {
        let now = Instant::now();
        Clock { since: now, tasks: 0, running: 0, paused: 0, busy_since: now, busy: Duration::ZERO }
    }

    pub(super) fn begin(&mut self) {
        if self.running == 0 {
            self.busy_since = Instant::now();
        }
        self.running += 1;
    }

    pub(super) fn end(&mut self) {
        self.tasks += 1;
        self.running -= 1;
        if self.running == 0 {
            self.busy += self.busy_since.elapsed();
        }
    }

    pub(super) fn stats(&self) -> Stats {
        let busy = self.busy.as_secs_f64();
        let idle = self.since.elapsed().as_secs_f64() - busy;
        Stats {
            tasks: self.tasks,
            busy,
            idle,
            cpu: cpu_seconds(),
            peak_memory: peak_memory(),
            checked: (0, 0),
        }
    }
}
