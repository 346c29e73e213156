//! Work on numbered pieces by several threads, with the results taken in the order of the pieces.
//!
//! A thread takes the next piece only when fewer than `window` results wait or are being made, so that threads that are
//! faster than whoever takes the results do not fill the memory.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex};
use std::thread;

use zermelo_core::Unpoisoned;

use super::{ExportError, Result};

/// How many threads work, and how many pieces may be under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crew {
    pub(super) threads: usize,
    pub(super) window: u64,
}

/// Bytes that a piece takes at most, about: its rows, and the text made of them.
const PIECE_BYTES: u64 = 8 << 20;

impl Crew {
    /// A crew of so many threads, or fewer where there is memory for fewer pieces.
    pub(super) fn new(threads: usize, memory: u64) -> Crew {
        let window = (memory / 2 / PIECE_BYTES).clamp(1, 2 * threads as u64 + 1);
        Crew { threads: threads.min(window as usize).max(1), window }
    }
}

/// The pieces of one call of [`in_order`].
struct Queue<P> {
    state: Mutex<State<P>>,
    changed: Condvar,
}

struct State<P> {
    /// The next piece to make.
    next: u64,
    /// The next piece to take.
    taken: u64,
    made: BTreeMap<u64, Result<P>>,
    stop: bool,
}

/// Makes the pieces `0..pieces` on several threads, and has them taken in order on this one, until `take` returns false
/// or either returns an error. Returns whether all were taken.
pub(super) fn in_order<P: Send>(
    crew: Crew,
    pieces: u64,
    make: &(dyn Fn(u64) -> Result<P> + Sync),
    take: &mut dyn FnMut(P) -> Result<bool>,
) -> Result<bool> {
    let make =
        |piece| catch_unwind(AssertUnwindSafe(|| make(piece))).unwrap_or_else(|panic| Err(fault(&*panic)));
    if crew.threads <= 1 || pieces <= 1 {
        return alone(pieces, &make, take);
    }
    let state = State { next: 0, taken: 0, made: BTreeMap::new(), stop: false };
    let queue = Queue { state: Mutex::new(state), changed: Condvar::new() };
    thread::scope(|scope| {
        let work = || queue.work(pieces, crew.window, &make);
        let threads = (crew.threads as u64).min(pieces);
        let begun = (0..threads).filter(|_| thread::Builder::new().spawn_scoped(scope, work).is_ok());
        // Where the system has no more threads, this one does all.
        if begun.count() == 0 {
            return alone(pieces, &make, take);
        }
        let taken = queue.take_all(pieces, take);
        queue.state.lock().unpoisoned().stop = true;
        queue.changed.notify_all();
        taken
    })
}

/// Makes and takes one piece after the other.
fn alone<P>(
    pieces: u64,
    make: &dyn Fn(u64) -> Result<P>,
    take: &mut dyn FnMut(P) -> Result<bool>,
) -> Result<bool> {
    for piece in 0..pieces {
        if !take(make(piece)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

impl<P> Queue<P> {
    /// One thread's share.
    fn work(&self, pieces: u64, window: u64, make: &(dyn Fn(u64) -> Result<P> + Sync)) {
        loop {
            let mut state = self.state.lock().unpoisoned();
            while !state.stop && state.next < pieces && state.next >= state.taken + window {
                state = self.changed.wait(state).unpoisoned();
            }
            if state.stop || state.next >= pieces {
                return;
            }
            let piece = state.next;
            state.next += 1;
            drop(state);
            let made = make(piece);
            self.state.lock().unpoisoned().made.insert(piece, made);
            self.changed.notify_all();
        }
    }

    fn take_all(&self, pieces: u64, take: &mut dyn FnMut(P) -> Result<bool>) -> Result<bool> {
        for piece in 0..pieces {
            let mut state = self.state.lock().unpoisoned();
            let made = loop {
                match state.made.remove(&piece) {
                    Some(made) => break made,
                    None => state = self.changed.wait(state).unpoisoned(),
                }
            };
            state.taken = piece + 1;
            drop(state);
            self.changed.notify_all();
            if !take(made?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The error of a piece in which a game panicked.
fn fault(panic: &(dyn std::any::Any + Send)) -> ExportError {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
    ExportError::Fault(text.unwrap_or("panic".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_in_order_and_few_wait() {
        let (waiting, most) = (Mutex::new(0i64), Mutex::new(0));
        let make = |piece: u64| {
            let mut waiting = waiting.lock().unpoisoned();
            *waiting += 1;
            let mut most = most.lock().unpoisoned();
            *most = waiting.max(*most);
            Ok(piece)
        };
        let mut seen = vec![];
        let crew = Crew { threads: 4, window: 5 };
        let all = in_order(crew, 1000, &make, &mut |piece| {
            *waiting.lock().unpoisoned() -= 1;
            seen.push(piece);
            Ok(true)
        });
        assert!(all.expect("pieces"));
        assert!(seen.into_iter().eq(0..1000));
        // One more than the window: a piece has left the queue before it is counted here as taken.
        assert!(*most.lock().unpoisoned() <= 6);
    }

    #[test]
    fn it_ends_early_where_no_more_is_wanted_and_at_errors_and_panics() {
        for threads in [1, 3] {
            let crew = Crew { threads, window: 4 };
            let mut taken = 0;
            let whole = in_order(crew, 100, &|piece| Ok(piece), &mut |piece| {
                taken += 1;
                Ok(piece < 9)
            });
            assert_eq!((whole.expect("pieces"), taken), (false, 10));
            let failing = |piece| if piece == 7 { Err(ExportError::Stopped) } else { Ok(()) };
            let error = in_order(crew, 100, &failing, &mut |()| Ok(true));
            assert!(matches!(error, Err(ExportError::Stopped)));
            let panicking = |piece| if piece == 7 { panic!("on purpose") } else { Ok(()) };
            let error = in_order(crew, 100, &panicking, &mut |()| Ok(true));
            assert!(matches!(error, Err(ExportError::Fault(text)) if text == "on purpose"));
        }
    }

    #[test]
    fn little_memory_makes_few_pieces() {
        assert_eq!(Crew::new(8, 1 << 30).window, 17);
        let small = Crew::new(8, 20 << 20);
        assert_eq!((small.threads, small.window), (1, 1));
    }
}
