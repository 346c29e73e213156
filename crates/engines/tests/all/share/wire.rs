//! Processes that are threads: each with a pool of its own, and channels between all of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use zermelo_core::{Peers, Reason};

/// One of the processes, played by a thread.
pub(crate) struct Wire {
    here: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
    /// How often there was an exchange, the longest message, and all bytes sent to others.
    pub(crate) exchanges: AtomicU64,
    pub(crate) longest: AtomicU64,
    pub(crate) sent: AtomicU64,
    /// The exchange that fails.
    breaks: u64,
}

impl Peers for Wire {
    fn here(&self) -> usize {
        self.here
    }

    fn count(&self) -> usize {
        self.to.len()
    }

    fn exchange(&self, out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Reason> {
        assert_eq!(out.len(), self.count(), "a message for each");
        if self.exchanges.fetch_add(1, Relaxed) == self.breaks {
            return Err("the line is cut".into());
        }
        for (peer, (to, message)) in self.to.iter().zip(out).enumerate() {
            self.longest.fetch_max(message.len() as u64, Relaxed);
            self.sent.fetch_add(if peer == self.here { 0 } else { message.len() as u64 }, Relaxed);
            to.send(message)?;
        }
        // Who waits so long waits for nothing.
        let from = self.from.iter().map(|from| {
            let from = from.lock().expect("nobody else reads");
            Ok(from.recv_timeout(Duration::from_secs(60))?)
        });
        from.collect()
    }
}

/// Lets so many processes work together; gives what each one says, or its panic.
pub(crate) fn spread<T: Send>(
    count: usize,
    breaks: u64,
    work: impl Fn(&Wire) -> T + Sync,
) -> Vec<thread::Result<T>> {
    let lines: Vec<Vec<_>> = (0..count).map(|_| (0..count).map(|_| channel()).collect()).collect();
    let senders: Vec<Vec<_>> =
        lines.iter().map(|row| row.iter().map(|line| line.0.clone()).collect()).collect();
    let mut froms: Vec<Vec<_>> = (0..count).map(|_| vec![]).collect();
    for row in lines {
        row.into_iter().zip(&mut froms).for_each(|(line, from)| from.push(Mutex::new(line.1)));
    }
    let wires = senders.into_iter().zip(froms).enumerate().map(|(here, (to, from))| {
        let [exchanges, longest, sent] = [0; 3].map(AtomicU64::new);
        Wire { here, to, from, exchanges, longest, sent, breaks }
    });
    thread::scope(|scope| {
        let work = &work;
        let threads = wires.map(|wire| {
            scope.spawn(move || {
                let pool = ThreadPoolBuilder::new().num_threads(1 + wire.here % 2).build().expect("threads");
                pool.install(|| work(&wire))
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    })
}

/// Lets so many processes work together where nobody panics and no line is cut; gives what each one says.
pub(crate) fn spread_all<T: Send>(count: usize, work: impl Fn(&Wire) -> T + Sync) -> Vec<T> {
    spread(count, u64::MAX, work).into_iter().map(|said| said.expect("no panic")).collect()
}
