//! What is sent: lists of whole numbers, all of as many bytes as the largest needs; and how much of
//! it may be on the way at a time.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::parallel;

/// How numbers are written in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberWidth {
    /// Bytes each.
    pub(crate) bytes: usize,
}

impl NumberWidth {
    /// For numbers below `end`.
    pub(crate) fn below(end: u64) -> NumberWidth {
        let bits = u64::BITS - end.saturating_sub(1).leading_zeros();
        NumberWidth { bytes: bits.div_ceil(8).max(1) as usize }
    }

    #[inline]
    fn write(self, value: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&value.to_le_bytes()[..self.bytes]);
    }

    #[inline]
    pub(crate) fn read(self, item: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        bytes[..self.bytes].copy_from_slice(item);
        u64::from_le_bytes(bytes)
    }
}

/// What one thread has for each process.
pub(crate) struct Outbox {
    item_width: NumberWidth,
    to: Vec<Vec<u8>>,
    /// How many items for each, up to the last [`Budget::spend`].
    pub(crate) counts: Vec<u32>,
}

impl Outbox {
    pub(crate) fn new(item_width: NumberWidth, peers: usize) -> Outbox {
        Outbox { item_width, to: vec![vec![]; peers], counts: vec![0; peers] }
    }

    #[inline]
    pub(crate) fn push(&mut self, peer: usize, value: u64) {
        self.item_width.write(value, &mut self.to[peer]);
    }
}

/// Puts the items of all threads behind what the messages have already.
pub(crate) fn collect<'a>(messages: &mut [Vec<u8>], boxes: impl IntoIterator<Item = &'a mut Outbox>) {
    let mut boxes: Vec<_> = boxes.into_iter().collect();
    for (peer, message) in messages.iter_mut().enumerate() {
        message.reserve_exact(boxes.iter().map(|outbox| outbox.to[peer].len()).sum());
        // Each is let go of when it is copied.
        boxes.iter_mut().for_each(|outbox| message.extend(std::mem::take(&mut outbox.to[peer])));
    }
}

/// How much one process may have under way at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Items and positions in all.
    pub(crate) load: u64,
    /// Items for one process, so that what comes together there is no more than twice that.
    pub(crate) each: u64,
}

/// Bytes that an item or a position takes on its way: written, collected, sent; received,
/// answered; its answer sent, received, used.
const EACH: u64 = 96;
/// The least that a thread should have for that, and the most that is of use.
const LEAST: u64 = 1 << 20;
const MOST: u64 = 1 << 25;

impl Limits {
    /// With so many bytes for everything under way, of a process among so many.
    pub(crate) fn new(bytes: u64, peers: usize) -> Limits {
        let load = (bytes.min(Self::most()) / EACH).max(1);
        Limits { load, each: (2 * load).div_ceil(peers as u64) }
    }

    /// Bytes to work with.
    pub(crate) fn least() -> u64 {
        LEAST * rayon::current_num_threads() as u64
    }

    /// Bytes of which more are of no use.
    pub(crate) fn most() -> u64 {
        MOST * rayon::current_num_threads() as u64
    }

    /// How many numbers one thread looks at before it sees whether there is enough to send.
    pub(crate) fn piece(self) -> u64 {
        (self.load / (8 * rayon::current_num_threads() as u64)).clamp(64, crate::CHUNK as u64)
    }
}

/// Work in pieces, which threads take one after another until there is enough to send.
pub(crate) struct Budget {
    next: AtomicU64,
    end: u64,
    piece: u64,
    limits: Limits,
    load: AtomicU64,
    to: Vec<AtomicU64>,
    full: AtomicBool,
}

impl Budget {
    /// For the numbers of a range, so many to a piece.
    pub(crate) fn new(range: Range<u64>, piece: u64, limits: Limits, peers: usize) -> Budget {
        Budget {
            next: AtomicU64::new(range.start),
            end: range.end,
            piece,
            limits,
            load: AtomicU64::new(0),
            to: (0..peers).map(|_| AtomicU64::new(0)).collect(),
            full: AtomicBool::new(range.is_empty()),
        }
    }

    /// Lets every thread work until there is enough.
    pub(crate) fn spread<T: Send>(&self, work: impl Fn() -> T + Sync) -> Vec<T> {
        let threads = if self.full.load(Relaxed) { 0 } else { rayon::current_num_threads() };
        parallel::threads(threads, &work)
    }

    /// The next piece, unless there is enough to send; who takes one does all of it.
    pub(crate) fn take(&self) -> Option<Range<u64>> {
        if self.full.load(Relaxed) {
            return None;
        }
        let first = self.next.fetch_add(self.piece, Relaxed);
        (first < self.end).then(|| first..self.end.min(first + self.piece))
    }

    /// Counts what a piece has brought: so many positions, and the items since the last time.
    pub(crate) fn spend(&self, positions: u64, outbox: &mut Outbox) {
        let mut load = positions;
        for (peer, count) in outbox.counts.iter_mut().enumerate() {
            let now = (outbox.to[peer].len() / outbox.item_width.bytes) as u32;
            let more = u64::from(now - *count);
            *count = now;
            load += more;
            if more > 0 && self.to[peer].fetch_add(more, Relaxed) + more >= self.limits.each {
                self.full.store(true, Relaxed);
            }
        }
        if self.load.fetch_add(load, Relaxed) + load >= self.limits.load {
            self.full.store(true, Relaxed);
        }
    }

    /// Where the next one begins.
    pub(crate) fn reached(&self) -> u64 {
        self.next.load(Relaxed).min(self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_as_short_as_their_numbers_allow() {
        for (end, bytes) in [(0, 1), (1, 1), (256, 1), (257, 2), (1 << 32, 4), (u64::MAX, 8)] {
            let item_width = NumberWidth::below(end);
            assert_eq!(item_width.bytes, bytes, "{end}");
            let mut outbox = Outbox::new(item_width, 2);
            [0, end.saturating_sub(1)].into_iter().for_each(|value| outbox.push(1, value));
            let back: Vec<_> = outbox.to[1].chunks(bytes).map(|b| item_width.read(b)).collect();
            assert_eq!(back, [0, end.saturating_sub(1)]);
        }
    }

    /// Takes pieces of one number that each bring items for a process; says how many.
    fn taken(limits: Limits, items: usize, to: impl Fn(u64) -> usize) -> u64 {
        let budget = Budget::new(0..1000, 1, limits, 3);
        let mut outbox = Outbox::new(NumberWidth::below(10), 3);
        while let Some(piece) = budget.take() {
            (0..items).for_each(|_| outbox.push(to(piece.start), 7));
            budget.spend(1, &mut outbox);
        }
        budget.reached()
    }

    #[test]
    fn work_stops_when_there_is_enough_for_all_or_for_one() {
        let limits = Limits { load: 300, each: 60 };
        assert_eq!(taken(limits, 0, |_| 0), 300, "positions count too");
        assert_eq!(taken(limits, 2, |_| 1), 30, "enough for one");
        assert_eq!(taken(Limits { each: 1000, ..limits }, 2, |i| i as usize % 3), 100, "enough in all");
        assert_eq!(taken(Limits { load: 5000, each: 5000 }, 1, |_| 2), 1000, "no more work");
    }
}
