//! How the processes of a cluster reach each other: a few verbs that MPI fills in, and the post office of each
//! process, which sorts what arrives.
//!
//! One thread of each process waits for messages and does nothing else, so a message of any size is taken in at
//! once, nobody's sending waits for long, and whoever wants a message sleeps until it is there.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::message::{ToManager, ToWorker};

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

/// Sends messages, and hands over those that have come.
pub(super) struct Post<'n> {
    pub(super) net: &'n dyn Net,
    begun: Instant,
    /// When the manager was last heard of, in milliseconds from the beginning.
    heard: AtomicU64,
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
        let (begun, heard) = (Instant::now(), AtomicU64::new(0));
        (Post { net, begun, heard, manager, worker, team, from_team }, for_manager, for_worker)
    }

    /// Sorts what arrives until [`end`](Post::end).
    pub(super) fn sort(&self) {
        loop {
            let (from, channel, bytes) = self.net.receive();
            if from == 0 {
                self.heard.store(self.begun.elapsed().as_millis() as u64, Relaxed);
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

    /// How long ago the manager was heard of.
    pub(super) fn silence(&self) -> Duration {
        self.begun.elapsed().saturating_sub(Duration::from_millis(self.heard.load(Relaxed)))
    }
}
