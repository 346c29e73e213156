//! Parallel loops whose body is called through a pointer, once a chunk. The machinery of such a loop is much
//! code; so it is compiled once for each kind of cell and of result, and not again for every game and engine.
//!
//! As long as other tiers wait for a thread ([`Watch::alone`]) chunks are done one after another by the thread that has
//! the tier: others would have to wait for it and it for them, and who waits takes up a tier that may take long.

use std::convert::Infallible;
use std::ops::Range;

use rayon::prelude::*;
use zermelo_core::Watch;

/// Works on `0..size` chunk by chunk; what came of each, in their order.
pub(crate) fn over<T: Send>(
    size: u64,
    chunk: usize,
    watch: &dyn Watch,
    work: &(dyn Fn(Range<u64>) -> T + Sync),
) -> Vec<T> {
    let Ok(done) = try_over(size, chunk, watch, &|range| Ok::<T, Infallible>(work(range)));
    done
}

/// The same for work that may fail; what is not begun then is left.
pub(crate) fn try_over<T: Send, E: Send>(
    size: u64,
    chunk: usize,
    watch: &dyn Watch,
    work: &(dyn Fn(Range<u64>) -> Result<T, E> + Sync),
) -> Result<Vec<T>, E> {
    let (many, range) = ranges(size, chunk);
    try_with_room(many, watch, &|(): &mut (), n| work(range(n)))
}

/// The same as [`over`], brought together as it comes.
pub(crate) fn merged<T: Send>(
    size: u64,
    chunk: usize,
    watch: &dyn Watch,
    work: &(dyn Fn(Range<u64>) -> T + Sync),
    nothing: fn() -> T,
    merge: fn(T, T) -> T,
) -> T {
    let (many, range) = ranges(size, chunk);
    let (mut first, mut sum) = (0, nothing());
    while first < many && watch.alone() {
        sum = merge(sum, work(range(first)));
        first += 1;
    }
    merge(sum, (first..many).into_par_iter().map(|n| work(range(n))).reduce(nothing, merge))
}

/// How many chunks there are, and which numbers each has.
fn ranges(size: u64, chunk: usize) -> (usize, impl Fn(usize) -> Range<u64> + Sync) {
    let chunk = chunk.max(1) as u64;
    (size.div_ceil(chunk) as usize, move |n| n as u64 * chunk..size.min((n as u64 + 1) * chunk))
}

/// Works on `0..many` one by one, with room that is used again; what came of each, in their order.
pub(crate) fn try_with_room<R: Default + Send, T: Send, E: Send>(
    many: usize,
    watch: &dyn Watch,
    work: &(dyn Fn(&mut R, usize) -> Result<T, E> + Sync),
) -> Result<Vec<T>, E> {
    let (mut done, mut room) = (Vec::with_capacity(many), R::default());
    while done.len() < many && watch.alone() {
        done.push(work(&mut room, done.len())?);
    }
    let rest = (done.len()..many).into_par_iter().map_init(R::default, work);
    done.extend(rest.collect::<Result<Vec<T>, E>>()?);
    Ok(done)
}

/// Work on some cells, of which the first has this place.
type OnCells<'a, C, T> = dyn Fn(u64, &mut [C]) -> T + Sync + 'a;

/// Works on cells chunk by chunk, each with the place of its first one.
pub(crate) fn within<C: Send, T: Send>(
    cells: &mut [C],
    chunk: usize,
    watch: &dyn Watch,
    work: &OnCells<'_, C, T>,
) -> Vec<T> {
    let Ok(done) =
        try_within(cells, chunk, watch, &|first, cells: &mut [C]| Ok::<T, Infallible>(work(first, cells)));
    done
}

/// The same for work that may fail; what is not begun then is left.
pub(crate) fn try_within<C: Send, T: Send, E: Send>(
    mut cells: &mut [C],
    chunk: usize,
    watch: &dyn Watch,
    work: &OnCells<'_, C, Result<T, E>>,
) -> Result<Vec<T>, E> {
    let mut done = Vec::with_capacity(cells.len().div_ceil(chunk));
    while !cells.is_empty() && watch.alone() {
        let many = chunk.min(cells.len());
        let (now, rest) = cells.split_at_mut(many);
        done.push(work((done.len() * chunk) as u64, now)?);
        cells = rest;
    }
    let first = done.len();
    let rest = cells.par_chunks_mut(chunk).enumerate();
    let rest = rest.map(|(n, cells)| work(((first + n) * chunk) as u64, cells));
    done.extend(rest.collect::<Result<Vec<T>, E>>()?);
    Ok(done)
}

/// Works on the parts of a list, each by itself.
pub(crate) fn each<P: Sync, T: Send>(parts: &[P], work: &(dyn Fn(&P) -> T + Sync)) -> Vec<T> {
    parts.par_iter().with_max_len(1).map(work).collect()
}

/// Works on a list with a buffer that is used again.
pub(crate) fn with_buffer<P: Sync, B: Send + Default>(
    parts: &[P],
    watch: &dyn Watch,
    work: &(dyn Fn(&mut B, &P) + Sync),
) {
    let (mut rest, mut buffer) = (parts, B::default());
    while let Some((part, more)) = rest.split_first()
        && watch.alone()
    {
        work(&mut buffer, part);
        rest = more;
    }
    rest.par_iter().for_each_init(B::default, |buffer, part| work(buffer, part));
}

/// How many items of a quick loop make a piece that is worth another thread, at least `some`.
pub(crate) fn piece(some: usize, watch: &dyn Watch) -> usize {
    if watch.alone() { usize::MAX } else { some }
}

/// Lets every thread work once.
pub(crate) fn threads<T: Send>(count: usize, work: &(dyn Fn() -> T + Sync)) -> Vec<T> {
    (0..count).into_par_iter().with_max_len(1).map(|_| work()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    /// Nobody can help for so many parts.
    struct Alone(AtomicU64);

    impl Watch for Alone {
        fn advance(&self, _: u64) {}

        fn alone(&self) -> bool {
            self.0.try_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok()
        }
    }

    /// The same comes of a loop whenever somebody begins to help, and before that nobody does.
    #[test]
    fn help_may_come_at_any_time() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        for parts in 0..8 {
            let alone = || Alone(AtomicU64::new(parts));
            let here = std::thread::current().id();
            let by_self = |n: u64| assert!(n >= parts || std::thread::current().id() == here);
            let ranges = over(10, 2, &alone(), &|range| {
                by_self(range.start / 2);
                range
            });
            assert_eq!(ranges, [0..2, 2..4, 4..6, 6..8, 8..10]);
            let sum = merged(10, 3, &alone(), &|range| range.sum::<u64>(), || 0, |a, b| a + b);
            assert_eq!(sum, 45);
            let mut cells = [0; 10];
            let firsts = within(&mut cells, 4, &alone(), &|first, cells: &mut [u64]| {
                by_self(first / 4);
                cells.fill(first);
                first
            });
            assert_eq!((firsts, cells), (vec![0, 4, 8], [0, 0, 0, 0, 4, 4, 4, 4, 8, 8]));
            let seen = AtomicU64::new(0);
            pool.install(|| {
                with_buffer(&[1, 2, 4, 8], &alone(), &|buffer: &mut Vec<u64>, part| {
                    buffer.push(*part);
                    seen.fetch_or(*part, Relaxed);
                });
            });
            assert_eq!(seen.into_inner(), 15);
            let numbers = try_with_room(5, &alone(), &|room: &mut usize, n| {
                *room += 1;
                if n < 5 { Ok(n) } else { Err(*room) }
            });
            assert_eq!(numbers, Ok(vec![0, 1, 2, 3, 4]));
        }
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
            assert_eq!(try_over(1000, 1, &(), &|_| fails()), Err("it fails"));
            assert_eq!(begun.swap(0, Relaxed), 1);
            assert_eq!(try_within(&mut [0u8; 1000], 1, &(), &|_, _| fails()), Err("it fails"));
            assert_eq!(begun.swap(0, Relaxed), 1);
        });
        let good: Result<Vec<u64>, ()> = try_over(10, 4, &(), &|range| Ok(range.end - range.start));
        assert_eq!(good, Ok(vec![4, 4, 2]));
        let mut cells = [0u8; 10];
        let good: Result<Vec<u64>, ()> = try_within(&mut cells, 4, &(), &|first, cells| {
            cells.fill(first as u8);
            Ok(first)
        });
        assert_eq!((good, cells), (Ok(vec![0, 4, 8]), [0, 0, 0, 0, 4, 4, 4, 4, 8, 8]));
    }
}
