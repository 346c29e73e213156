//! Limits on requests and on work, so that one client or one burst does not take everything.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use zermelo_core::{GOLDEN, Unpoisoned};

use super::refusal::{Refusal, Result};

/// The seconds of its rate that a client may use at once.
const BURST: f64 = 2.0;
/// The most clients remembered; a client that was quiet for as long as a burst needs no memory.
const CLIENTS: usize = 65_536;
const SHARDS: usize = 16;

/// A bucket of tokens for each client: a request takes one, time fills it again.
pub(crate) struct Clients {
    rate: f64,
    shards: [Mutex<HashMap<IpAddr, Bucket>>; SHARDS],
}

struct Bucket {
    tokens: f64,
    at: Instant,
}

impl Clients {
    /// Allows each client `rate` requests a second; 0 for no limit.
    pub(crate) fn new(rate: u32) -> Clients {
        Clients { rate: rate.into(), shards: Default::default() }
    }

    /// Takes a token; returns whether the client may make another request now.
    pub(crate) fn admit(&self, client: IpAddr, now: Instant) -> bool {
        if self.rate == 0.0 {
            return true;
        }
        let (client, full) = (network(client), (self.rate * BURST).max(1.0));
        let mut shard = self.shards[shard_of(client)].lock().unpoisoned();
        if shard.len() >= CLIENTS / SHARDS && !shard.contains_key(&client) {
            let idle = |bucket: &Bucket| now.duration_since(bucket.at).as_secs_f64() >= BURST;
            shard.retain(|_, bucket| !idle(bucket));
            // If all remembered clients are busy at once, the flood comes from everywhere, and this limit cannot stop
            // it.
            if shard.len() >= CLIENTS / SHARDS {
                shard.clear();
            }
        }
        let bucket = shard.entry(client).or_insert(Bucket { tokens: full, at: now });
        let spent = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.tokens = (bucket.tokens + spent * self.rate).min(full);
        bucket.at = now;
        let enough = bucket.tokens >= 1.0;
        if enough {
            bucket.tokens -= 1.0;
        }
        enough
    }
}

/// Returns the network of a client: in IPv6 one household has a whole network of addresses.
fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

fn shard_of(client: IpAddr) -> usize {
    let bits = match client {
        IpAddr::V4(address) => u64::from(address.to_bits()),
        IpAddr::V6(address) => (address.to_bits() >> 64) as u64,
    };
    (bits.wrapping_mul(GOLDEN) >> 60) as usize % SHARDS
}

/// A limit on how many things happen at once; the rest are refused.
pub(crate) struct Gate {
    places: Semaphore,
    most: usize,
}

impl Gate {
    pub(crate) fn new(most: usize) -> Gate {
        Gate { places: Semaphore::new(most), most }
    }

    /// Returns a place, if there is one. The place becomes free when the permit is dropped.
    pub(crate) fn enter(&self) -> Option<SemaphorePermit<'_>> {
        self.places.try_acquire().ok()
    }

    pub(crate) fn inside(&self) -> usize {
        self.most - self.places.available_permits()
    }
}

/// Work for other threads: a limit on how much of it runs at once, and on how much of it waits.
pub(crate) struct Pool {
    places: Arc<Semaphore>,
    waiting: Gate,
}

impl Pool {
    pub(crate) fn new(at_once: usize, waiting: usize) -> Pool {
        Pool { places: Arc::new(Semaphore::new(at_once)), waiting: Gate::new(waiting + at_once) }
    }

    /// Returns how many pieces of work run or wait.
    pub(crate) fn inside(&self) -> usize {
        self.waiting.inside()
    }

    /// Does some work on a thread where the work may block and compute.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotDone> {
        let _waiting = self.waiting.enter().ok_or(NotDone::NoPlace)?;
        let place = self.places.clone().acquire_owned().await.map_err(|_| NotDone::NoPlace)?;
        on_thread(place, work).await
    }

    /// Does some work once there is a place, and passes to the work the time that is left until `until`. The work is
    /// not done if there is no place by then.
    pub(crate) async fn run_until<T: Send + 'static>(
        &self,
        until: Instant,
        work: impl FnOnce(Duration) -> T + Send + 'static,
    ) -> Result<T, NotDone> {
        let _waiting = self.waiting.enter().ok_or(NotDone::NoPlace)?;
        let place = tokio::time::timeout_at(until.into(), self.places.clone().acquire_owned()).await;
        let place = place.ok().and_then(Result::ok).ok_or(NotDone::NoPlace)?;
        on_thread(place, move || work(until.saturating_duration_since(Instant::now()))).await
    }

    /// Begins some work once there is a place, and does not wait for its end. The work is not begun if there is no
    /// place by `until`.
    pub(crate) async fn begin(
        &self,
        until: Instant,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), NotDone> {
        let _waiting = self.waiting.enter().ok_or(NotDone::NoPlace)?;
        let place = tokio::time::timeout_at(until.into(), self.places.clone().acquire_owned()).await;
        let place = place.ok().and_then(Result::ok).ok_or(NotDone::NoPlace)?;
        // The work tells by itself how it ended.
        drop(tokio::task::spawn_blocking(move || {
            let _place = place;
            give_way();
            work();
        }));
        Ok(())
    }
}

/// Does some work on another thread. The place belongs to the work: a client that leaves does not stop the work.
async fn on_thread<T: Send + 'static>(
    place: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NotDone> {
    let work = move || {
        let _place = place;
        give_way();
        work()
    };
    tokio::task::spawn_blocking(work).await.map_err(|_| NotDone::Broken)
}

/// Lowers the priority of this thread, once, so that long work leaves the cores to the threads that answer.
fn give_way() {
    use std::cell::Cell;
    thread_local!(static GAVE_WAY: Cell<bool> = const { Cell::new(false) });
    if !GAVE_WAY.replace(true) {
        super::lower_priority();
    }
}

/// Why work was not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotDone {
    /// All places are taken.
    NoPlace,
    /// The work panicked.
    Broken,
}

impl From<NotDone> for Refusal {
    fn from(why: NotDone) -> Refusal {
        match why {
            NotDone::NoPlace => {
                Refusal::busy("the server is busy with other requests; try again in a moment")
            }
            NotDone::Broken => Refusal::broken("this request met a fault in zermelo; please report it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_empties_and_fills() {
        let clients = Clients::new(10);
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let now = Instant::now();
        assert_eq!((0..30).filter(|_| clients.admit(one, now)).count(), 20);
        assert!(clients.admit(other, now), "each has its own");
        let later = now + Duration::from_millis(550);
        assert_eq!((0..30).filter(|_| clients.admit(one, later)).count(), 5);
    }

    #[test]
    fn forged_addresses_take_no_memory() {
        let clients = Clients::new(10);
        for n in 0..300_000u32 {
            clients.admit(IpAddr::V4(n.into()), Instant::now());
        }
        let kept: usize = clients.shards.iter().map(|s| s.lock().map_or(0, |s| s.len())).sum();
        assert!(kept <= CLIENTS, "{kept}");
    }

    #[test]
    fn a_gate_counts() {
        let gate = Gate::new(1);
        let first = gate.enter();
        assert!(first.is_some() && gate.enter().is_none());
        drop(first);
        assert!(gate.enter().is_some());
        assert_eq!(gate.inside(), 0);
    }
}
