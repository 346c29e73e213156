//! What travels between the processes of a section: blocks and parts of them, each as an item.
//!
//! ```text
//! message   0..3    see [`crate::share::group`]
//!           3..     items, one after another:
//!                   8    the block's number << 3 | the quadrant of a part, or 4 for a finished block
//!                   4    how many bytes follow
//!                   ..   packed tables
//! ```

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use zermelo_core::Unpoisoned;

use crate::share::group::HEAD;

/// Bytes before the tables.
const NAME: usize = 12;
/// In place of a quadrant.
const FINISHED: u64 = 4;

/// What an item is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// What the stones in one quadrant add to a block.
    Part {
        /// Which quadrant.
        quadrant: usize,
        /// Which block.
        number: usize,
    },
    /// A finished block.
    Finished(usize),
}

impl About {
    fn name(self) -> u64 {
        match self {
            About::Part { quadrant, number } => (number as u64) << 3 | quadrant as u64,
            About::Finished(number) => (number as u64) << 3 | FINISHED,
        }
    }

    fn of_name(name: u64) -> Option<About> {
        let number = (name >> 3) as usize;
        match name & 7 {
            FINISHED => Some(About::Finished(number)),
            quadrant if quadrant < FINISHED => Some(About::Part { quadrant: quadrant as usize, number }),
            _ => None,
        }
    }
}

/// An item that was received.
pub(super) type Item<'a> = (About, &'a [u8]);

/// The items of a message; `None` where there is half an item.
pub(super) fn items(message: &[u8]) -> Option<Vec<Item<'_>>> {
    let mut rest = message.get(HEAD..)?;
    let mut items = vec![];
    while !rest.is_empty() {
        let (name, more) = rest.split_first_chunk::<8>()?;
        let (length, more) = more.split_first_chunk::<4>()?;
        let (body, more) = more.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        items.push((About::of_name(u64::from_le_bytes(*name))?, body));
        rest = more;
    }
    Some(items)
}

/// Items that wait to be sent to one process.
#[derive(Default)]
struct Waiting {
    parts: VecDeque<(About, Box<[u8]>)>,
    finished: VecDeque<(About, Box<[u8]>)>,
}

/// Items that wait to be sent, for every process.
pub(super) struct SendQueue {
    to: Vec<Mutex<Waiting>>,
    /// Bytes of parts among them. Finished blocks take less than what they were made of and are
    /// not counted, so that many for one process do not stop the work for others.
    load: AtomicU64,
}

impl SendQueue {
    pub(super) fn new(peers: usize) -> SendQueue {
        SendQueue { to: (0..peers).map(|_| Mutex::default()).collect(), load: AtomicU64::new(0) }
    }

    /// Adds an item.
    pub(super) fn put(&self, peer: usize, about: About, tables: Box<[u8]>) {
        match about {
            About::Part { .. } => {
                self.load.fetch_add((NAME + tables.len()) as u64, Relaxed);
                self.to[peer].lock().unpoisoned().parts.push_back((about, tables));
            }
            About::Finished(_) => self.to[peer].lock().unpoisoned().finished.push_back((about, tables)),
        }
    }

    /// Bytes of parts that wait.
    pub(super) fn load(&self) -> u64 {
        self.load.load(Relaxed)
    }

    /// The next messages: for each process about so many bytes, and at least one item if there is one.
    pub(super) fn take(&self, each: u64) -> Vec<Vec<u8>> {
        self.to.iter().map(|to| self.message(&mut to.lock().unpoisoned(), each)).collect()
    }

    fn message(&self, to: &mut Waiting, each: u64) -> Vec<u8> {
        let mut message = vec![0; HEAD];
        // Parts first: others wait for them.
        let waiting = to.parts.iter().chain(&to.finished);
        let (mut count, mut bytes) = (0, 0);
        for (_, tables) in waiting {
            let more = NAME + tables.len();
            if count > 0 && (bytes + more) as u64 > each {
                break;
            }
            (count, bytes) = (count + 1, bytes + more);
        }
        message.reserve_exact(bytes);
        for _ in 0..count {
            let part = to.parts.pop_front();
            let Some((about, tables)) = part.or_else(|| to.finished.pop_front()) else { break };
            if matches!(about, About::Part { .. }) {
                self.load.fetch_sub((NAME + tables.len()) as u64, Relaxed);
            }
            message.extend_from_slice(&about.name().to_le_bytes());
            message.extend_from_slice(&(tables.len() as u32).to_le_bytes());
            message.extend_from_slice(&tables);
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: About = About::Part { quadrant: 3, number: 70_000 };

    #[test]
    fn items_come_back_parts_first_and_no_more_than_there_is_room_for() {
        let queue = SendQueue::new(2);
        queue.put(1, About::Finished(9), [9; 30].into());
        for n in 0..3 {
            queue.put(1, PART, [n; 20].into());
        }
        assert_eq!(queue.load(), 3 * 32);
        let mut heard = vec![];
        for sizes in [[0, 64], [0, 32], [0, 42], [0, 0]] {
            let messages = queue.take(70);
            assert_eq!([0, 1].map(|peer| messages[peer].len() - HEAD), sizes);
            heard.extend(items(&messages[1]).expect("whole").into_iter().map(|(a, b)| (a, b.to_vec())));
        }
        let parts = (0..3).map(|n| (PART, vec![n; 20]));
        assert_eq!(heard, parts.chain([(About::Finished(9), vec![9; 30])]).collect::<Vec<_>>());
        assert_eq!(queue.load(), 0);
        // One that is longer than a message goes alone.
        queue.put(0, PART, [1; 500].into());
        queue.put(0, PART, [2; 5].into());
        assert_eq!(queue.take(100)[0].len(), HEAD + 512);
    }

    #[test]
    fn half_items_are_refused() {
        let queue = SendQueue::new(1);
        queue.put(0, PART, [5; 6].into());
        let message = queue.take(100).remove(0);
        for length in HEAD + 1..message.len() {
            assert_eq!(items(&message[..length]), None, "{length}");
        }
        let mut strange = message;
        strange[HEAD] |= 7;
        assert_eq!(items(&strange), None);
        assert_eq!(items(&[0; HEAD]), Some(vec![]));
        assert_eq!(items(&[]), None);
    }
}
