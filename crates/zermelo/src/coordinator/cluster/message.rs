//! What coordinator and workers tell each other: small texts. Tables travel through files, and what the ranks of one
//! tier exchange goes its own way (see `team`).

use serde::{Deserialize, Serialize};
use zermelo_store::{ScratchPlace, TableExtent};

use crate::coordinator::cache::Key;
use crate::coordinator::plan::Task;
use crate::coordinator::task::{Done, Grant};

/// A tier's number.
pub(super) type Number = u64;

/// Who a worker is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) host: String,
    /// Version and checksum of the program.
    pub(super) program: String,
    /// What it was asked to do.
    pub(super) options: String,
    pub(super) threads: usize,
    pub(super) memory: u64,
}

/// What a worker says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToCoordinator {
    Hello(Hello),
    /// The worker has read and written the shared folder.
    Ready,
    /// The worker cannot take part.
    Unable(String),
    /// The worker is alive, and so many more numbers are through.
    Heartbeat(u64),
    /// A tier is solved and spilled, and will be stored.
    Formed(Task, Done),
    Done(Task, Result<Done, Fault>),
    /// The last message.
    Bye(Stats),
}

/// What the coordinator says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToWorker {
    Welcome(Welcome),
    Heartbeat,
    Task(Assignment),
    /// All ranks solve one tier.
    Together(Assignment),
    Stop,
}

/// Where a worker writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Welcome {
    /// The name of the run, which no other run has: that of the probe files, and what they hold.
    pub(super) run: String,
    /// The number of the worker's file of tables, and where that ends.
    pub(super) annex: (u16, u64),
    /// Threads to work with.
    pub(super) threads: usize,
    /// The number of the worker's first scratch file, and the step to the next.
    pub(super) segments: (u64, u64),
    /// The sequence number of the worker's first record in scratch files; records with lower ones count as earlier.
    pub(super) sequence: u64,
    /// Whether all ranks are on one machine.
    pub(super) one_machine: bool,
    /// When the run began, in microseconds of the clock on the wall.
    pub(super) begun: u64,
}

/// A task with all that a rank must know for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Assignment {
    pub(super) order: Grant,
    /// Whether there are few others: it goes before a table that has waited for some already.
    pub(super) urgent: bool,
    /// Where the tables of tiers below are.
    pub(super) tables: Vec<(Number, TableExtent)>,
    /// Where spilled tiers and marks are.
    pub(super) spilled: Vec<(Number, ScratchPlace)>,
    /// What this worker has spilled and nobody wants any more.
    pub(super) forget: Vec<Number>,
    /// What it may have in memory and nobody wants any more.
    pub(super) unwanted: Vec<Key>,
}

/// Why a task was not done.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Fault {
    /// The task takes so many bytes.
    Wider(u64),
    /// Another rank may do better.
    Here(String),
    /// Nobody can do better.
    Anywhere(String),
}

/// What one rank has done in a run: its tasks, its times and its memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stats {
    /// Tasks done.
    pub tasks: u64,
    /// Seconds with something to do.
    pub busy: f64,
    /// Seconds with nothing to do.
    pub idle: f64,
    /// CPU seconds of all threads of the rank.
    pub cpu: f64,
    /// The most bytes of memory that the rank held, where the system tells.
    pub peak_memory: Option<u64>,
    /// Values that a search has confirmed, and those whose search took too long.
    pub(crate) checked: (u64, u64),
}

/// A message as it travels.
pub(super) fn in_bytes(message: &impl Serialize) -> Vec<u8> {
    // Plain structures always have a text.
    serde_json::to_vec(message).unwrap_or_default()
}
