//! How the memory of a count is shared out.

use zermelo_core::Complaint;

use super::Result;

/// What a cursor of a merge holds, a block: seldom as much.
const CURSOR: u64 = 32 << 10;
/// The least memory for each thread.
const LEAST: u64 = 2 << 20;
/// The most memory for one buffer; larger ones are slow to sort.
const MOST_BUFFER: u64 = 256 << 20;

/// How the memory is shared out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    /// Records that the buffer of a thread holds.
    pub(super) buffer: usize,
    /// Lists that are merged at once.
    pub(super) lists: usize,
    /// Bytes of a run that merging makes.
    pub(super) segment: u64,
    /// Bytes for runs in memory.
    pub(super) runs: u64,
}

impl Shares {
    /// At most a quarter for buffers, an eighth for the cursors of a merge, an eighth for what is
    /// between and for what the system's allocator loses; the rest for runs.
    pub(super) fn of(memory: u64, threads: u64) -> Result<Shares> {
        if memory < LEAST * threads {
            let least = crate::coordinator::bytes(LEAST * threads);
            let told = crate::coordinator::bytes(memory);
            return Err(Complaint::new(format!(
                "--memory {told} is too little to count with {threads} threads: give at least {least} \
                 ({}), or fewer --threads",
                LEAST * threads
            ))
            .into());
        }
        let buffer = (memory / 4 / threads).min(MOST_BUFFER);
        Ok(Shares {
            buffer: (buffer / size_of::<zermelo_core::Record>() as u64) as usize,
            lists: (memory / 8 / threads / CURSOR).clamp(8, 4096) as usize,
            segment: (memory / 16 / threads).clamp(64 << 10, 64 << 20),
            runs: memory - buffer * threads - memory / 4,
        })
    }
}
