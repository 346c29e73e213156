//! Exchanges in which every process hears how all others are: whether they have more to send, and
//! whether one has failed.
//!
//! ```text
//! message   0      flags: more, narrow, ties, failed
//!           1..3   the furthest distance
//!           3..    what is sent; of one that has failed, why
//! ```
//!
//! Whoever fails says so in the next exchange, which everybody else takes part in, and nobody
//! makes another one after it. So errors need no care elsewhere: they are returned, and
//! [`together`] tells them. The last exchange of all has nothing to send; nothing can fail after it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, Scope, ScopedJoinHandle};

use zermelo_core::{EngineError, Peers, Tier};

/// Bytes that a message begins with, left free for [`Group::exchange`] to fill in.
pub(crate) const HEAD: usize = 3;

const MORE: u8 = 1;
const NARROW: u8 = 2;
const TIES: u8 = 4;
const FAILED: u8 = 8;

/// Processes that two bytes can name.
const MOST: usize = 1 << 16;

/// How a process says it is, or all together.
#[derive(Clone, Copy, Default)]
pub(crate) struct Status {
    /// There is more to send.
    pub(crate) more: bool,
    /// A distance did not fit.
    pub(crate) narrow: bool,
    /// There are ties.
    pub(crate) ties: bool,
    /// The furthest distance so far.
    pub(crate) furthest: u16,
}

impl Status {
    fn write(self, head: &mut [u8]) {
        let flag = |is, flag| if is { flag } else { 0 };
        head[0] = flag(self.more, MORE) | flag(self.narrow, NARROW) | flag(self.ties, TIES);
        head[1..HEAD].copy_from_slice(&self.furthest.to_le_bytes());
    }

    /// What two say together.
    fn and(self, message: &[u8]) -> Status {
        let is = |flag| message[0] & flag != 0;
        Status {
            more: self.more || is(MORE),
            narrow: self.narrow || is(NARROW),
            ties: self.ties || is(TIES),
            furthest: self.furthest.max(u16::from_le_bytes([message[1], message[2]])),
        }
    }
}

/// What all say, and the messages that have come, by process.
pub(crate) type Came = (Status, Vec<Vec<u8>>);

/// An exchange under way, where the system had a thread for it.
type Exchange<'s> = std::io::Result<ScopedJoinHandle<'s, Result<Came, EngineError>>>;

/// The processes at work on one tier.
pub(crate) struct Group<'a> {
    peers: &'a dyn Peers,
    tier: Tier,
    /// There will be no further exchange.
    over: AtomicBool,
}

/// Works on a tier together with others; an error of one becomes an error of all.
pub(crate) fn together<T>(
    peers: &dyn Peers,
    tier: Tier,
    work: impl FnOnce(&Group<'_>) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let group = Group { peers, tier, over: AtomicBool::new(false) };
    if peers.here() >= peers.count() || peers.count() > MOST {
        return Err(group.broken(format!("there can be 1 to {MOST} of them").into()));
    }
    let done = work(&group).and_then(|done| group.agree(Status::default()).map(|_| done));
    if let Err(error) = &done {
        group.fail(error);
    }
    group.over.store(true, Relaxed);
    done
}

impl Group<'_> {
    pub(crate) fn here(&self) -> usize {
        self.peers.here()
    }

    pub(crate) fn count(&self) -> usize {
        self.peers.count()
    }

    /// Empty messages, one a process.
    pub(crate) fn blank(&self) -> Vec<Vec<u8>> {
        vec![vec![0; HEAD]; self.count()]
    }

    /// Sends messages, and gives those that come.
    pub(crate) fn exchange(&self, status: Status, mut out: Vec<Vec<u8>>) -> Result<Came, EngineError> {
        out.iter_mut().for_each(|message| status.write(message));
        // If it fails or panics there is nobody to talk to any more.
        self.over.store(true, Relaxed);
        let came = self.peers.exchange(out).map_err(|reason| self.broken(reason))?;
        if came.len() != self.count() || came.iter().any(|message| message.len() < HEAD) {
            return Err(self.broken("messages are missing or cut short".into()));
        }
        if let Some((peer, message)) = came.iter().enumerate().find(|(_, m)| m[0] & FAILED != 0) {
            return Err(self.failure(peer, &message[HEAD..]));
        }
        self.over.store(false, Relaxed);
        Ok((came.iter().fold(status, |all, message| all.and(message)), came))
    }

    /// Sends messages and gives those that come, as [`Group::exchange`] does, while this process does other work with
    /// all threads of its pool.
    pub(crate) fn meanwhile<T>(
        &self,
        status: Status,
        out: Vec<Vec<u8>>,
        work: impl FnOnce() -> T,
    ) -> (Result<Came, EngineError>, T) {
        thread::scope(|scope| {
            let exchange = self.begin(scope, status, out);
            let done = work();
            (self.end(exchange), done)
        })
    }

    /// Begins an exchange on a thread of its own. Apart from [`Group::meanwhile`], so that it is compiled once for all
    /// kinds of work.
    fn begin<'s>(&'s self, scope: &'s Scope<'s, '_>, status: Status, out: Vec<Vec<u8>>) -> Exchange<'s> {
        thread::Builder::new().spawn_scoped(scope, move || self.exchange(status, out))
    }

    /// Waits for an exchange.
    fn end(&self, exchange: Exchange<'_>) -> Result<Came, EngineError> {
        let exchange = exchange.map_err(|error| {
            let why = format!("the system gives this process no more threads ({error}); raise `ulimit -u`");
            self.broken(why.into())
        })?;
        exchange.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// What all say together.
    pub(crate) fn agree(&self, status: Status) -> Result<Status, EngineError> {
        Ok(self.exchange(status, self.blank())?.0)
    }

    pub(crate) fn broken(&self, reason: zermelo_core::Reason) -> EngineError {
        EngineError::Exchange { tier: self.tier, reason }
    }

    /// Tells all that this process gives up.
    fn fail(&self, error: &EngineError) {
        let body = match error {
            EngineError::LongLines(_, bytes) => [&[LONG][..], &bytes.to_le_bytes()].concat(),
            EngineError::OutOfRange(_) => vec![OUT_OF_RANGE],
            error => [&[OTHER][..], error.to_string().as_bytes()].concat(),
        };
        self.say_failed(&body);
    }

    fn say_failed(&self, body: &[u8]) {
        if !self.over.swap(true, Relaxed) {
            let message = [&[FAILED, 0, 0][..], body].concat();
            // There is an error already, and it is the one to be told.
            let _ = self.peers.exchange(vec![message; self.count()]);
        }
    }

    /// The error of a process that has given up.
    fn failure(&self, peer: usize, body: &[u8]) -> EngineError {
        match body.split_first() {
            Some((&LONG, bytes)) if bytes.len() == 8 => {
                let number = bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
                EngineError::LongLines(self.tier, number)
            }
            Some((&OUT_OF_RANGE, _)) => EngineError::OutOfRange(self.tier),
            body => {
                let text = body.map_or(&[][..], |(_, text)| text);
                EngineError::Peer(peer, String::from_utf8_lossy(text).into())
            }
        }
    }
}

/// Kinds of failures: those that the coordinator can do something about are the same for all.
const OTHER: u8 = 0;
const LONG: u8 = 1;
const OUT_OF_RANGE: u8 = 2;

impl Drop for Group<'_> {
    fn drop(&mut self) {
        // Others must not wait for a process that panics.
        if thread::panicking() {
            self.say_failed(&[&[OTHER][..], format!("tier {}: panic", self.tier).as_bytes()].concat());
        }
    }
}
