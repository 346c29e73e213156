//! Parallel loops whose body is called through a pointer, once a part. The machinery of such a loop is much code; so it
//! is compiled once for each kind of cell and of result, and not again for every game and engine.
//!
//! As long as other tasks wait for a thread, the thread that has the task does all parts one after another. Otherwise
//! idle threads help, with one part at a time.
//!
//! A helper never waits. The reason is that rayon gives a waiting thread other work, which may be the solving of a whole
//! tier; the loop could not end before that tier is solved. Only the thread that has the task waits, after its last
//! part, for the parts that helpers have begun.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use rayon::Scope;
use rayon::prelude::*;
use zermelo_core::Unpoisoned;

use super::queue::{Others, Turns, others};

/// A loop over `0..many`, with room to work in that is used again.
struct Loop<'a, R> {
    many: usize,
    next: AtomicUsize,
    /// Threads that help, or are asked to.
    helpers: AtomicUsize,
    rooms: Mutex<Vec<R>>,
    /// Tasks that wait for a thread, where this loop is part of one.
    others: Option<Arc<dyn Others>>,
    work: &'a (dyn Fn(&mut R, usize) + Sync),
}

impl<R: Default + Send> Loop<'_, R> {
    /// Whether tasks wait for a thread, so that nobody is there to help.
    fn is_alone(&self) -> bool {
        self.others.as_ref().is_some_and(|others| others.wait())
    }

    fn take(&self) -> Option<usize> {
        Some(self.next.fetch_add(1, Relaxed)).filter(|n| *n < self.many)
    }

    /// Does one part and comes back for the next, unless a whole tier waits for this thread.
    fn help<'s>(&'s self, scope: &Scope<'s>) {
        let part = if self.is_alone() { None } else { self.take() };
        let Some(n) = part else {
            self.helpers.fetch_sub(1, Relaxed);
            return;
        };
        let mut room = self.rooms.lock().unpoisoned().pop().unwrap_or_default();
        (self.work)(&mut room, n);
        self.rooms.lock().unpoisoned().push(room);
        scope.spawn(|scope| self.help(scope));
    }
}

/// Works on `0..many` one by one, with room that is used again, and before each lets other tasks have their turn; what
/// came of each, in their order. After the first failure what is not begun is left.
pub(crate) fn try_with_room<R: Default + Send, T: Send, E: Send>(
    many: usize,
    turns: Option<&Turns<'_>>,
    work: &(dyn Fn(&mut R, usize) -> Result<T, E> + Sync),
) -> Result<Vec<T>, E> {
    let (done, failed) = (Mutex::new(Vec::with_capacity(many)), Mutex::new(None));
    let over = AtomicBool::new(false);
    let work = |room: &mut R, n: usize| {
        if over.load(Relaxed) {
            return;
        }
        match work(room, n) {
            Ok(result) => done.lock().unpoisoned().push((n, result)),
            Err(error) => {
                over.store(true, Relaxed);
                failed.lock().unpoisoned().get_or_insert(error);
            }
        }
    };
    let (next, helpers, rooms) = Default::default();
    let all = Loop { many, next, helpers, rooms, others: others(), work: &work };
    let most = rayon::current_num_threads() - 1;
    rayon::in_place_scope(|scope| {
        let mut room = R::default();
        while let Some(n) = all.take() {
            turns.inspect(|turns| turns.give());
            let useful = most.min(many - n - 1);
            while all.helpers.load(Relaxed) < useful && !all.is_alone() {
                all.helpers.fetch_add(1, Relaxed);
                scope.spawn(|scope| all.help(scope));
            }
            work(&mut room, n);
        }
    });
    if let Some(error) = failed.into_inner().unpoisoned() {
        return Err(error);
    }
    let mut done = done.into_inner().unpoisoned();
    done.sort_unstable_by_key(|(n, _)| *n);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// Works on `0..size` chunk by chunk; what came of each, in their order.
pub(crate) fn over<T: Send>(size: u64, chunk: usize, work: &(dyn Fn(Range<u64>) -> T + Sync)) -> Vec<T> {
    over_giving_turns(size, chunk, None, work)
}

/// Works on `0..size` in chunks of `chunk`, and lets other tasks have their turn before each chunk. Returns the results
/// of the chunks in their order.
pub fn over_giving_turns<T: Send>(
    size: u64,
    chunk: usize,
    turns: Option<&Turns<'_>>,
    work: &(dyn Fn(Range<u64>) -> T + Sync),
) -> Vec<T> {
    let (many, range) = chunks(size, chunk);
    let Ok(done) = try_with_room(many, turns, &|(): &mut (), n| Ok::<T, Infallible>(work(range(n))));
    done
}

/// How many chunks there are, and which range each has.
fn chunks(size: u64, chunk: usize) -> (usize, impl Fn(usize) -> Range<u64> + Sync) {
    let chunk = chunk.max(1) as u64;
    let range = move |n: usize| n as u64 * chunk..size.min((n as u64 + 1) * chunk);
    (size.div_ceil(chunk) as usize, range)
}

/// Works on `0..size` chunk by chunk, where that may fail; what is not begun then is left.
pub(crate) fn try_over<T: Send, E: Send>(
    size: u64,
    chunk: usize,
    work: &(dyn Fn(Range<u64>) -> Result<T, E> + Sync),
) -> Result<Vec<T>, E> {
    let (many, range) = chunks(size, chunk);
    try_with_room(many, None, &|(): &mut (), n| work(range(n)))
}

/// Works on `0..size` chunk by chunk, and brings together in order what came of each.
pub(crate) fn merged<T: Send>(
    size: u64,
    chunk: usize,
    work: &(dyn Fn(Range<u64>) -> T + Sync),
    nothing: fn() -> T,
    merge: fn(T, T) -> T,
) -> T {
    over(size, chunk, work).into_iter().reduce(merge).unwrap_or_else(nothing)
}

/// Work on some cells, of which the first has this place.
type OnCells<'a, C, T> = dyn Fn(u64, &mut [C]) -> T + Sync + 'a;

/// Works on cells chunk by chunk, each with the place of its first one.
pub(crate) fn within<C: Send, T: Send>(cells: &mut [C], chunk: usize, work: &OnCells<'_, C, T>) -> Vec<T> {
    let chunks: Vec<Mutex<&mut [C]>> = cells.chunks_mut(chunk).map(Mutex::new).collect();
    let part = |(): &mut (), n: usize| {
        Ok::<T, Infallible>(work((n * chunk) as u64, &mut chunks[n].lock().unpoisoned()))
    };
    let Ok(done) = try_with_room(chunks.len(), None, &part);
    done
}

/// Works on cells chunk by chunk, where that may fail; what is not begun then is left.
pub(crate) fn try_within<C: Send, T: Send, E: Send>(
    cells: &mut [C],
    chunk: usize,
    work: &OnCells<'_, C, Result<T, E>>,
) -> Result<Vec<T>, E> {
    // Each is locked once, by whoever has it.
    let chunks: Vec<Mutex<&mut [C]>> = cells.chunks_mut(chunk).map(Mutex::new).collect();
    try_with_room(chunks.len(), None, &|(): &mut (), n| {
        work((n * chunk) as u64, &mut chunks[n].lock().unpoisoned())
    })
}

/// Works on the parts of a list, each by itself.
pub(crate) fn each<P: Sync, T: Send>(parts: &[P], work: &(dyn Fn(&P) -> T + Sync)) -> Vec<T> {
    parts.par_iter().with_max_len(1).map(work).collect()
}

/// Works on a list with a buffer that is used again.
pub(crate) fn with_buffer<P: Sync, B: Send + Default>(parts: &[P], work: &(dyn Fn(&mut B, &P) + Sync)) {
    // Parts may be small: where there are many, a thread takes some at a time.
    let some = (parts.len() / (16 * rayon::current_num_threads())).clamp(1, 64);
    let some_of_them = |buffer: &mut B, n: usize| {
        let end = parts.len().min((n + 1) * some);
        parts[n * some..end].iter().for_each(|part| work(buffer, part));
        Ok::<(), Infallible>(())
    };
    let Ok(_) = try_with_room(parts.len().div_ceil(some), None, &some_of_them);
}

/// Lets every thread work once.
pub(crate) fn threads<T: Send>(count: usize, work: &(dyn Fn() -> T + Sync)) -> Vec<T> {
    (0..count).into_par_iter().with_max_len(1).map(|_| work()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::super::queue::OthersGuard;
    use super::*;

    /// Nobody can help for so many parts.
    struct Alone(AtomicU64);

    impl Others for Alone {
        fn wait(&self) -> bool {
            self.0.try_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok()
        }
    }

    /// A loop gives the same whenever somebody begins to help, and before that nobody does.
    #[test]
    fn help_may_come_at_any_time() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        for parts in 0..8 {
            pool.install(|| helped_after(parts));
        }
    }

    fn helped_after(parts: u64) {
        let alone = || OthersGuard::new(Arc::new(Alone(AtomicU64::new(parts))));
        let here = std::thread::current().id();
        let by_self = |n: u64| assert!(n >= parts || std::thread::current().id() == here);
        let beside = alone();
        let ranges = over(10, 2, &|range| {
            by_self(range.start / 2);
            range
        });
        drop(beside);
        assert_eq!(ranges, [0..2, 2..4, 4..6, 6..8, 8..10]);
        let beside = alone();
        let sum = merged(10, 3, &|range| range.sum::<u64>(), || 0, |a, b| a + b);
        drop(beside);
        assert_eq!(sum, 45);
        let mut cells = [0; 10];
        let beside = alone();
        let firsts = within(&mut cells, 4, &|first, cells: &mut [u64]| {
            by_self(first / 4);
            cells.fill(first);
            first
        });
        drop(beside);
        assert_eq!((firsts, cells), (vec![0, 4, 8], [0, 0, 0, 0, 4, 4, 4, 4, 8, 8]));
        let (seen, bits) = (AtomicU64::new(0), (0..50).map(|n| 1 << n).collect::<Vec<u64>>());
        let beside = alone();
        with_buffer(&bits, &|buffer: &mut Vec<u64>, part| {
            buffer.push(*part);
            seen.fetch_add(*part, Relaxed);
        });
        drop(beside);
        assert_eq!(seen.into_inner(), (1 << 50) - 1);
        let _beside = alone();
        let numbers = try_with_room(5, None, &|room: &mut usize, n| {
            *room += 1;
            if n < 5 { Ok(n) } else { Err(*room) }
        });
        assert_eq!(numbers, Ok(vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn a_loop_that_fails_ends_early() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let begun = AtomicU64::new(0);
        let fails = || {
            begun.fetch_add(1, Relaxed);
            Err::<(), _>("it fails")
        };
        pool.install(|| {
            assert_eq!(try_over(1000, 1, &|_| fails()), Err("it fails"));
            assert_eq!(begun.swap(0, Relaxed), 1);
            assert_eq!(try_within(&mut [0u8; 1000], 1, &|_, _| fails()), Err("it fails"));
            assert_eq!(begun.swap(0, Relaxed), 1);
        });
        let good: Result<Vec<u64>, ()> = try_over(10, 4, &|range| Ok(range.end - range.start));
        assert_eq!(good, Ok(vec![4, 4, 2]));
        let mut cells = [0u8; 10];
        let good: Result<Vec<u64>, ()> = try_within(&mut cells, 4, &|first, cells| {
            cells.fill(first as u8);
            Ok(first)
        });
        assert_eq!((good, cells), (Ok(vec![0, 4, 8]), [0, 0, 0, 0, 4, 4, 4, 4, 8, 8]));
    }
}
