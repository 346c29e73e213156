//! Parallel loops whose body is called through a pointer, once a chunk. The machinery of such a loop is much
//! code; so it is compiled once, and not again for every game and engine.

use std::ops::Range;

use rayon::prelude::*;

/// Works on `0..size` chunk by chunk; what came of each, in their order.
pub(crate) fn over<T: Send>(size: u64, chunk: usize, work: &(dyn Fn(Range<u64>) -> T + Sync)) -> Vec<T> {
    ranges(size, chunk).map(work).collect()
}

/// The same, brought together as it comes.
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

/// Works on cells chunk by chunk, each with the place of its first one.
pub(crate) fn within<C: Send, T: Send>(
    cells: &mut [C],
    chunk: usize,
    work: &(dyn Fn(u64, &mut [C]) -> T + Sync),
) -> Vec<T> {
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
