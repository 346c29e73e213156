//! Parallel loops whose body is called through a pointer, once a chunk. The machinery of such a loop is much
//! code; so it is compiled once for each kind of cell and of result, and not again for every game and engine.

use std::ops::Range;

use rayon::prelude::*;

/// Works on `0..size` chunk by chunk; what came of each, in their order.
pub(crate) fn over<T: Send>(size: u64, chunk: usize, work: &(dyn Fn(Range<u64>) -> T + Sync)) -> Vec<T> {
    ranges(size, chunk).map(work).collect()
}

/// The same for work that may fail; what is not begun then is left.
pub(crate) fn try_over<T: Send, E: Send>(
    size: u64,
    chunk: usize,
    work: &(dyn Fn(Range<u64>) -> Result<T, E> + Sync),
) -> Result<Vec<T>, E> {
    ranges(size, chunk).map(work).collect()
}

/// The same as [`over`], brought together as it comes.
pub(crate) fn merged<T: Send>(
    size: u64,
    chunk: usize,
    work: &(dyn Fn(Range<u64>) -> T + Sync),
    nothing: fn() -> T,
    merge: fn(T, T) -> T,
) -> T {
    ranges(size, chunk).map(work).reduce(nothing, merge)
}

fn ranges(size: u64, chunk: usize) -> impl IndexedParallelIterator<Item = Range<u64>> {
    let chunk = chunk.max(1) as u64;
    let chunks = 0..size.div_ceil(chunk) as usize;
    chunks.into_par_iter().map(move |n| n as u64 * chunk..size.min((n as u64 + 1) * chunk))
}

/// Work on some cells, of which the first has this place.
type OnCells<'a, C, T> = dyn Fn(u64, &mut [C]) -> T + Sync + 'a;

/// Works on cells chunk by chunk, each with the place of its first one.
pub(crate) fn within<C: Send, T: Send>(cells: &mut [C], chunk: usize, work: &OnCells<'_, C, T>) -> Vec<T> {
    let chunks = cells.par_chunks_mut(chunk).enumerate();
    chunks.map(|(n, cells)| work((n * chunk) as u64, cells)).collect()
}

/// The same for work that may fail; what is not begun then is left.
pub(crate) fn try_within<C: Send, T: Send, E: Send>(
    cells: &mut [C],
    chunk: usize,
    work: &OnCells<'_, C, Result<T, E>>,
) -> Result<Vec<T>, E> {
    let chunks = cells.par_chunks_mut(chunk).enumerate();
    chunks.map(|(n, cells)| work((n * chunk) as u64, cells)).collect()
}

/// Works on the parts of a list, each by itself.
pub(crate) fn each<P: Sync, T: Send>(parts: &[P], work: &(dyn Fn(&P) -> T + Sync)) -> Vec<T> {
    parts.par_iter().with_max_len(1).map(work).collect()
}

/// Works on a list with a buffer that is used again.
pub(crate) fn with_buffer<P: Sync, B: Send + Default>(parts: &[P], work: &(dyn Fn(&mut B, &P) + Sync)) {
    parts.par_iter().for_each_init(B::default, |buffer, part| work(buffer, part));
}

/// Lets every thread work once.
pub(crate) fn threads<T: Send>(count: usize, work: &(dyn Fn() -> T + Sync)) -> Vec<T> {
    (0..count).into_par_iter().with_max_len(1).map(|_| work()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

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
