//! How the processes of a cluster reach each other: a few verbs that MPI fills in, and the post office of each
//! process, which sorts what arrives.
//!
//! One thread of each process receives messages and does nothing else, and whoever wants one sleeps until it is
//! there. MPI libraries wait by looking again and again, which takes a core from the threads that solve. So a
//! worker's receiver sleeps, too, while nobody expects a message: it listens when there is nothing to do, and from
//! each task's end until the manager has answered. The manager's is always open.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::message::{Done, Fault, ToManager, ToWorker};
use crate::schedule::Task;

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// From a worker to the manager.
    Manager,
    /// From the manager to a worker.
    Worker,
    /// Between workers that solve a tier together.
    Team,
    /// To oneself: nothing more will come.
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

/// The processes of a run, called ranks and numbered from 0.
pub trait Net: Send + Sync {
    /// Which of them this is.
    fn rank(&self) -> usize;
    /// How many there are.
    fn size(&self) -> usize;
    /// The name of the machine.
    fn host(&self) -> String;
    /// Sends a message; it may wait until the other has taken it in. Messages to one rank on one channel arrive in
    /// the order in which one thread sends them.
    fn send(&self, to: usize, channel: Channel, bytes: &[u8]);
    /// Waits for the next message, and says from whom it is. One thread alone calls this.
    fn receive(&self) -> (usize, Option<Channel>, Vec<u8>);
    /// Ends all processes of the run, this one included.
    fn abort(&self) -> !;
}

/// What messages are expected here.
#[derive(Default)]
struct Expected {
    /// Nobody has anything to do.
    task: bool,
    /// Answers to what was done.
    answers: usize,
    /// A tier is solved together with others.
    team: bool,
    /// Nothing more comes.
    end: bool,
    /// Since when the manager owes a sign of life.
    pulse: Option<Instant>,
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

    /// Sorts what arrives until [`end`](Post::end).
    pub(super) fn sort(&self) {
        loop {
            self.wait_until_expected();
            let (from, channel, bytes) = self.net.receive();
            if from == 0 {
                self.expected().pulse = None;
            }
            match channel {
                Some(Channel::Manager) => self.sorted(from, &bytes, |m| _ = self.manager.send((from, m))),
                Some(Channel::Worker) => self.sorted(from, &bytes, |m| _ = self.worker.send(m)),
                Some(Channel::Team) => _ = self.team[from].send(bytes),
                Some(Channel::End) => return,
                None => self.stranger(from),
            }
        }
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
        self.net.abort();
    }

    /// Lets [`sort`](Post::sort) return.
    pub(super) fn end(&self) {
        self.expected().end = true;
        self.opened.notify_all();
        self.net.send(self.net.rank(), Channel::End, &[]);
    }

    pub(super) fn to_manager(&self, message: ToManager) {
        match self.net.rank() {
            0 => _ = self.manager.send((0, message)),
            _ => self.net.send(0, Channel::Manager, &message.bytes()),
        }
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
    pub(super) fn from_peer(&self, rank: usize) -> Vec<u8> {
        let inbox = self.from_team[rank].lock().unwrap_or_else(PoisonError::into_inner);
        // The sender lives here, too.
        inbox.recv().unwrap_or_default()
    }

    fn expected(&self) -> MutexGuard<'_, Expected> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_until_expected(&self) {
        let nothing = |e: &mut Expected| !(e.task || e.answers > 0 || e.team || e.end || e.pulse.is_some());
        if self.net.rank() != 0 {
            drop(self.opened.wait_while(self.expected(), nothing));
        }
    }

    /// Whether a task is expected from now on.
    pub(super) fn expect_task(&self, yes: bool) {
        self.expected().task = yes;
        self.opened.notify_all();
    }

    /// Whether messages of peers are expected from now on.
    pub(super) fn expect_team(&self, yes: bool) {
        self.expected().team = yes;
        self.opened.notify_all();
    }

    /// Tells the manager of a task that is done. By the time it answers, it has sent the next one if there is one.
    pub(super) fn done(&self, task: Task, result: Result<Done, Fault>) {
        self.expected().answers += 1;
        self.opened.notify_all();
        self.to_manager(ToManager::Done(task, result));
    }

    /// The manager has answered.
    pub(super) fn answered(&self) {
        let mut expected = self.expected();
        expected.answers = expected.answers.saturating_sub(1);
    }

    /// Tells the manager that this rank is alive, and how far it is; says for how long it has not answered.
    pub(super) fn pulse(&self, entries: u64) -> Duration {
        let waiting = {
            let mut expected = self.expected();
            match expected.pulse {
                Some(since) => since.elapsed(),
                None => {
                    expected.pulse = Some(Instant::now());
                    Duration::ZERO
                }
            }
        };
        self.opened.notify_all();
        self.to_manager(ToManager::Pulse(entries));
        waiting
    }
}
