//! How the processes of a cluster reach each other: a few verbs that MPI fills in, and the post office of each
//! process, which sorts what arrives.
//!
//! MPI libraries wait by looking again and again, which takes a core from the threads that solve, and a thread that
//! was woken may have to wait for its turn. So whoever wants a message receives it himself: the manager all the
//! time; a worker waits for one while it has nothing to do, and otherwise takes what has come when a task is over and
//! between the blocks of a table. What comes for somebody else is handed over.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::message::{ToManager, ToWorker};
use super::start;

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// From a worker to the manager.
    Manager,
    /// From the manager to a worker.
    Worker,
    /// Between workers that solve a tier together.
    Team,
    /// To oneself: that was all.
    End,
}

impl Channel {
    const ALL: [Channel; 4] = [Channel::Manager, Channel::Worker, Channel::Team, Channel::End];

    /// Its number.
    pub fn tag(self) -> i32 {
        self as i32
    }

    /// The channel with a number.
    pub fn of_tag(tag: i32) -> Option<Channel> {
        usize::try_from(tag).ok().and_then(|tag| Channel::ALL.get(tag)).copied()
    }
}

/// From whom a message is, what it is about, and what it says.
pub type Received = (usize, Option<Channel>, Vec<u8>);

/// The processes of a run, called ranks and numbered from 0.
pub trait Net: Send + Sync {
    /// Which of them this is.
    fn rank(&self) -> usize;
    /// How many there are.
    fn size(&self) -> usize;
    /// The name of the machine.
    fn host(&self) -> String;
    /// Sends a message; only between peers may that wait until the other has taken it in, and only theirs take part of
    /// this side before they arrive. Messages to one rank on one channel arrive in the order in which one thread sends
    /// them.
    fn send(&self, to: usize, channel: Channel, bytes: &[u8]);
    /// Waits for the next message, and says from whom it is. One thread at a time receives.
    fn receive(&self) -> Received;
    /// The next message, if it has come.
    fn try_receive(&self) -> Option<Received>;
    /// Ends all processes of the run with an exit status, this one included.
    fn abort(&self, status: i32) -> !;
}

/// What messages are expected here.
#[derive(Default)]
struct Expected {
    /// Nobody has anything to do.
    task: bool,
    /// There is something to do for idle threads, or a message that waits here.
    nudge: bool,
    /// Nobody gives signs of life any more.
    silent: bool,
    /// Since when the manager owes a sign of life.
    pulse: Option<Instant>,
    /// Signs of life that were given and are still under way, or the answers to them.
    pulses: usize,
}

impl Expected {
    /// Whether any message is.
    fn waits(&self) -> bool {
        self.task || self.pulse.is_some()
    }
}

/// Sends messages, and hands over those that have come.
pub(super) struct Post<'n> {
    pub(super) net: &'n dyn Net,
    expected: Mutex<Expected>,
    opened: Condvar,
    manager: Sender<(usize, ToManager)>,
    worker: Sender<ToWorker>,
    team: Vec<Sender<Vec<u8>>>,
    /// What peers have sent, by peer.
    from_team: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl<'n> Post<'n> {
    /// A post office, and where messages for the manager and for the worker arrive.
    pub(super) fn new(net: &'n dyn Net) -> (Post<'n>, Receiver<(usize, ToManager)>, Receiver<ToWorker>) {
        let (manager, for_manager) = mpsc::channel();
        let (worker, for_worker) = mpsc::channel();
        let (team, from_team): (Vec<_>, Vec<_>) = (0..net.size()).map(|_| mpsc::channel()).unzip();
        let from_team = from_team.into_iter().map(Mutex::new).collect();
        // The first message is the manager's welcome.
        let expected = Mutex::new(Expected { task: true, ..Expected::default() });
        let opened = Condvar::new();
        (Post { net, expected, opened, manager, worker, team, from_team }, for_manager, for_worker)
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
            self.expected().pulse = None;
        }
        match channel {
            Some(Channel::Manager) => self.sorted(from, &bytes, |m| {
                // The manager's answer to its own rank goes no way over the net.
                self.pulse_over(from == self.net.rank() && matches!(m, ToManager::Pulse(_)));
                _ = self.manager.send((from, m));
            }),
            Some(Channel::Worker) => self.sorted(from, &bytes, |m| {
                self.pulse_over(matches!(m, ToWorker::Pulse));
                _ = self.worker.send(m);
            }),
            Some(Channel::Team) => _ = self.team[from].send(bytes),
            Some(Channel::End) => return false,
            None => self.stranger(from),
        }
        true
    }

    /// The next message for the manager.
    pub(super) fn for_manager(&self, inbox: &Receiver<(usize, ToManager)>) -> (usize, ToManager) {
        loop {
            match inbox.try_recv() {
                Ok(message) => return message,
                Err(_) => _ = self.take_one(),
            }
        }
    }

    /// The next message for the worker; none where nothing is expected any more. Where there is a manager, that one
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
            start(scope, self.net, || while self.take_one() {});
            let result = work();
            self.net.send(self.net.rank(), Channel::End, &[]);
            result
        })
    }

    /// The end: no more signs of life, and all have been answered, so that no message is left over. For who receives
    /// here.
    pub(super) fn fall_silent(&self) {
        self.expected().silent = true;
        while self.awaits_answer() {
            self.take_one();
        }
    }

    /// Whether signs of life are still to be answered. Other messages may have come first, so the time counts from now
    /// on again: when the manager is gone, that is noticed.
    fn awaits_answer(&self) -> bool {
        let mut expected = self.expected();
        let awaits = expected.pulses > 0;
        if awaits {
            expected.pulse.get_or_insert_with(Instant::now);
        }
        awaits
    }

    fn pulse_over(&self, yes: bool) {
        let mut expected = self.expected();
        expected.pulses = expected.pulses.saturating_sub(usize::from(yes));
    }

    fn sorted<M: serde::de::DeserializeOwned>(&self, from: usize, bytes: &[u8], take: impl FnOnce(M)) {
        match serde_json::from_slice(bytes) {
            Ok(message) => take(message),
            Err(_) => self.stranger(from),
        }
    }

    /// A message that this program does not know comes from another program.
    fn stranger(&self, from: usize) {
        eprintln!("zermelo: rank {from} speaks another language: all ranks must run the same program");
        self.net.abort(1);
    }

    pub(super) fn to_manager(&self, message: ToManager) {
        // Also to oneself: the manager waits for what the net brings.
        self.net.send(0, Channel::Manager, &message.bytes());
    }

    pub(super) fn to_worker(&self, rank: usize, message: ToWorker) {
        match rank == self.net.rank() {
            true => _ = self.worker.send(message),
            false => self.net.send(rank, Channel::Worker, &message.bytes()),
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
        let inbox = self.from_team[rank].lock().unwrap_or_else(PoisonError::into_inner);
        // The sender lives here, too.
        inbox.recv().unwrap_or_default()
    }

    fn expected(&self) -> MutexGuard<'_, Expected> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a task is expected from now on.
    pub(super) fn expect_task(&self, yes: bool) {
        self.expected().task = yes;
        self.opened.notify_all();
    }

    /// Tells the manager that this rank is alive, and how far it is; says for how long it has not answered.
    pub(super) fn pulse(&self, entries: u64) -> Duration {
        let mut expected = self.expected();
        if expected.silent {
            return expected.pulse.map_or(Duration::ZERO, |since| since.elapsed());
        }
        expected.pulses += 1;
        let since = *expected.pulse.get_or_insert_with(Instant::now);
        self.to_manager(ToManager::Pulse(entries));
        self.opened.notify_all();
        since.elapsed()
    }
}
