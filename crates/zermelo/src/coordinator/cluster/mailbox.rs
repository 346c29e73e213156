//! The messages of one process of a cluster: sends them, and hands over those that have come.
//!
//! MPI libraries wait by looking again and again, which takes a core from the threads that solve, and a thread that
//! was woken may have to wait for its turn. So whoever wants a message receives it himself: the coordinator all the
//! time; a worker waits for one while it has nothing to do, and otherwise takes what has come when a task is over and
//! between the blocks of a table. What comes for somebody else is handed over.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use zermelo_core::Unpoisoned;

use super::message::{ToCoordinator, ToWorker, in_bytes};
use super::net::{Channel, Net, Received};
use super::{End, lost};
use crate::{Result, SolveError};

/// What messages are expected here.
#[derive(Default)]
struct Expected {
    /// Nobody has anything to do.
    task: bool,
    /// There is something to do for idle threads, or a message that waits here.
    nudge: bool,
    /// Nobody gives heartbeats any more.
    silent: bool,
    /// Since when the coordinator owes a heartbeat.
    beat: Option<Instant>,
    /// Heartbeats that were given and are still under way, or the answers to them.
    heartbeats: usize,
}

impl Expected {
    /// Whether any message is.
    fn waits(&self) -> bool {
        self.task || self.beat.is_some()
    }
}

/// Sends messages, and hands over those that have come.
pub(super) struct Mailbox<'n> {
    pub(super) net: &'n dyn Net,
    end: &'n End<'n>,
    expected: Mutex<Expected>,
    opened: Condvar,
    coordinator: Sender<(usize, ToCoordinator)>,
    worker: Sender<ToWorker>,
    team: Vec<Sender<Vec<u8>>>,
    /// What peers have sent, by peer.
    from_team: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl<'n> Mailbox<'n> {
    /// A mailbox, and where messages for the coordinator and for the worker arrive. `end` is called when the run cannot go
    /// on.
    pub(super) fn new(
        net: &'n dyn Net,
        end: &'n End<'n>,
    ) -> (Mailbox<'n>, Receiver<(usize, ToCoordinator)>, Receiver<ToWorker>) {
        let (coordinator, for_coordinator) = mpsc::channel();
        let (worker, for_worker) = mpsc::channel();
        let (team, from_team): (Vec<_>, Vec<_>) = (0..net.size()).map(|_| mpsc::channel()).unzip();
        let from_team = from_team.into_iter().map(Mutex::new).collect();
        // The first message is the coordinator's welcome.
        let expected = Mutex::new(Expected { task: true, ..Expected::default() });
        let opened = Condvar::new();
        (
            Mailbox { net, end, expected, opened, coordinator, worker, team, from_team },
            for_coordinator,
            for_worker,
        )
    }

    /// Ends all ranks when one cannot go on: the others may be in the middle of something that takes hours.
    pub(super) fn end(&self, error: &SolveError) -> ! {
        match (self.end)(error) {}
    }

    /// What came of something, without which this rank cannot go on.
    pub(super) fn or_end<T>(&self, result: Result<T>) -> T {
        result.unwrap_or_else(|error| self.end(&error))
    }

    /// Starts a thread of this rank.
    pub(super) fn start<'s, T: Send + 's>(
        &self,
        scope: &'s Scope<'s, '_>,
        work: impl FnOnce() -> T + Send + 's,
    ) -> ScopedJoinHandle<'s, T> {
        let started = thread::Builder::new().spawn_scoped(scope, work);
        self.or_end(started.map_err(|error| SolveError::Threads(crate::machine::no_threads(1, &error))))
    }

    /// Receives a message and hands it over; whether more is to come.
    fn take_one(&self) -> bool {
        self.sort(self.net.receive())
    }

    /// Hands over all that has come.
    pub(super) fn collect(&self) {
        while let Some(received) = self.net.try_receive() {
            self.sort(received);
        }
    }

    fn sort(&self, (from, channel, bytes): Received) -> bool {
        if from == 0 {
            self.expected().beat = None;
        }
        match channel {
            Some(Channel::Coordinator) => self.sorted(from, &bytes, |m| {
                // The coordinator's answer to its own rank goes no way over the net.
                self.heartbeat_over(from == self.net.rank() && matches!(m, ToCoordinator::Heartbeat(_)));
                _ = self.coordinator.send((from, m));
            }),
            Some(Channel::Worker) => self.sorted(from, &bytes, |m| {
                self.heartbeat_over(matches!(m, ToWorker::Heartbeat));
                _ = self.worker.send(m);
            }),
            Some(Channel::Team) => _ = self.team[from].send(bytes),
            Some(Channel::End) => return false,
            None => self.stranger(from),
        }
        true
    }

    /// The next message for the coordinator.
    pub(super) fn for_coordinator(&self, inbox: &Receiver<(usize, ToCoordinator)>) -> (usize, ToCoordinator) {
        loop {
            match inbox.try_recv() {
                Ok(message) => return message,
                Err(_) => _ = self.take_one(),
            }
        }
    }

    /// The next message for the worker; none where nothing is expected any more. Where there is a coordinator, that one
    /// receives.
    pub(super) fn for_worker(&self, inbox: &Receiver<ToWorker>) -> Option<ToWorker> {
        if self.net.rank() == 0 {
            return Some(inbox.recv().unwrap_or(ToWorker::Stop));
        }
        loop {
            match inbox.try_recv() {
                Ok(message) => return Some(message),
                Err(_) if self.expected().waits() => _ = self.take_one(),
                Err(_) => {
                    // Nothing that has come lies there until somebody looks again.
                    self.collect();
                    return inbox.try_recv().ok();
                }
            }
        }
    }

    /// Waits until there is something to receive or to do.
    pub(super) fn wait(&self) {
        if self.net.rank() != 0 {
            let nothing = |e: &mut Expected| !(e.waits() || e.nudge);
            drop(self.opened.wait_while(self.expected(), nothing));
        }
    }

    /// Has whoever waits here look around.
    pub(super) fn nudge(&self) {
        self.expected().nudge = true;
        self.opened.notify_all();
    }

    /// Whether there was a reason to look around.
    pub(super) fn nudged(&self) -> bool {
        std::mem::take(&mut self.expected().nudge)
    }

    /// A message for whoever waits here.
    pub(super) fn leave(&self, message: ToWorker) {
        let _ = self.worker.send(message);
        self.nudge();
    }

    /// Receives all the time while something is done, because peers send without being asked.
    pub(super) fn listening<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.net.rank() == 0 {
            return work();
        }
        std::thread::scope(|scope| {
            self.start(scope, || while self.take_one() {});
            let result = work();
            self.net.send(self.net.rank(), Channel::End, &[]);
            result
        })
    }

    /// The end: no more heartbeats, and all have been answered, so that no message is left over. For who receives
    /// here.
    pub(super) fn fall_silent(&self) {
        self.expected().silent = true;
        while self.awaits_answer() {
            self.take_one();
        }
    }

    /// Whether heartbeats are still to be answered. Other messages may have come first, so the time counts from now
    /// on again: when the coordinator is gone, that is noticed.
    fn awaits_answer(&self) -> bool {
        let mut expected = self.expected();
        let awaits = expected.heartbeats > 0;
        if awaits {
            expected.beat.get_or_insert_with(Instant::now);
        }
        awaits
    }

    fn heartbeat_over(&self, yes: bool) {
        let mut expected = self.expected();
        expected.heartbeats = expected.heartbeats.saturating_sub(usize::from(yes));
    }

    fn sorted<M: serde::de::DeserializeOwned>(&self, from: usize, bytes: &[u8], take: impl FnOnce(M)) {
        match serde_json::from_slice(bytes) {
            Ok(message) => take(message),
            Err(_) => self.stranger(from),
        }
    }

    /// A message that this program does not know comes from another program.
    fn stranger(&self, from: usize) -> ! {
        self.end(&lost(format!("rank {from} speaks another language: all ranks must run the same program")))
    }

    pub(super) fn to_coordinator(&self, message: ToCoordinator) {
        // Rank 0 sends to itself over the net, too: the coordinator waits for messages of the net alone.
        self.net.send(0, Channel::Coordinator, &in_bytes(&message));
    }

    pub(super) fn to_worker(&self, rank: usize, message: ToWorker) {
        match rank == self.net.rank() {
            true => _ = self.worker.send(message),
            false => self.net.send(rank, Channel::Worker, &in_bytes(&message)),
        }
    }

    pub(super) fn to_peer(&self, rank: usize, bytes: Vec<u8>) {
        match rank == self.net.rank() {
            true => _ = self.team[rank].send(bytes),
            false => self.net.send(rank, Channel::Team, &bytes),
        }
    }

    /// The next message of a peer.
    pub(super) fn next_of_peer(&self, rank: usize) -> Vec<u8> {
        let inbox = self.from_team[rank].lock().unpoisoned();
        // The sender lives here, too.
        inbox.recv().unwrap_or_default()
    }

    fn expected(&self) -> MutexGuard<'_, Expected> {
        self.expected.lock().unpoisoned()
    }

    /// Whether a task is expected from now on.
    pub(super) fn expect_task(&self, yes: bool) {
        self.expected().task = yes;
        self.opened.notify_all();
    }

    /// Tells the coordinator that this rank is alive, and how far it is; says for how long it has not answered.
    pub(super) fn heartbeat(&self, entries: u64) -> Duration {
        let mut expected = self.expected();
        if expected.silent {
            return expected.beat.map_or(Duration::ZERO, |since| since.elapsed());
        }
        expected.heartbeats += 1;
        let since = *expected.beat.get_or_insert_with(Instant::now);
        self.to_coordinator(ToCoordinator::Heartbeat(entries));
        self.opened.notify_all();
        since.elapsed()
    }
}
