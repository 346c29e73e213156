//! One ply of a walk: every position of the frontier looked at, block by block on all threads,
//! and what its moves lead to as sorted runs.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use zermelo_core::{Record, Tally, Unpoisoned, Walker, Watch};

use super::Result;
use super::files::{Pause, RunFiles};
use super::merge::sort;
use super::run::{RunWriter, Sorted};
use crate::Progress;

/// What to look at.
pub(super) struct Expand<'a> {
    pub(super) walker: &'a dyn Walker,
    pub(super) ply: u32,
    /// Whether the walk ends here.
    pub(super) last: bool,
    pub(super) frontier: &'a Sorted,
    /// Room for records, one for each thread.
    pub(super) buffers: &'a Buffers,
    pub(super) files: &'a Arc<RunFiles>,
    pub(super) progress: &'a Progress,
}

/// Room for records, one for each thread. It is kept from ply to ply: memory that is given back
/// and asked for again in such pieces stays with the process in bits that nobody can use.
pub(super) struct Buffers {
    all: Vec<Mutex<Vec<Record>>>,
    records: usize,
}

impl Buffers {
    /// As many buffers as threads, for so many records each.
    pub(super) fn new(threads: usize, records: usize) -> Buffers {
        Buffers { all: (0..threads).map(|_| Mutex::default()).collect(), records }
    }
}

/// What was found.
#[derive(Default)]
pub(super) struct Frontier {
    pub(super) runs: Vec<Sorted>,
    pub(super) tally: Tally,
    /// Blocks of the frontier that are done, counted from the first one.
    pub(super) done: u64,
}

/// How many blocks a list has.
pub(super) fn blocks(list: &Sorted) -> u64 {
    list.iter().map(|run| run.blocks() as u64).sum()
}

/// Where the blocks of each run of a list begin, and where the last run ends.
pub(super) fn begins(list: &Sorted) -> Vec<u64> {
    let mut begins = vec![0];
    for run in list {
        begins.push(begins[begins.len() - 1] + run.blocks() as u64);
    }
    begins
}

impl Expand<'_> {
    /// Looks at the blocks from this one on, until all are done or it is time to pause.
    pub(super) fn go(&self, from: u64, pause: &Pause) -> Result<Frontier> {
        let begins = begins(self.frontier);
        let taken = AtomicU64::new(from);
        let work = |buffer: &Mutex<Vec<Record>>| {
            let mut out = buffer.lock().unpoisoned();
            pause.checked(self.work(&begins, &taken, &mut out, pause))
        };
        let parts: Vec<Frontier> = self.buffers.all.par_iter().map(work).collect::<Result<_, _>>()?;
        let mut all = Frontier { done: taken.into_inner().min(blocks(self.frontier)), ..Frontier::default() };
        for part in parts {
            all.runs.extend(part.runs);
            all.tally.merge(&part.tally);
        }
        Ok(all)
    }

    /// One thread's share.
    fn work(
        &self,
        begins: &[u64],
        taken: &AtomicU64,
        out: &mut Vec<Record>,
        pause: &Pause,
    ) -> Result<Frontier> {
        let mut found = Frontier::default();
        let (mut bytes, mut batch) = (vec![], vec![]);
        out.clear();
        loop {
            // Blocks are taken in order, so those that are done are the first ones.
            let block = taken.fetch_add(1, Relaxed);
            let run = begins.partition_point(|begin| *begin <= block) - 1;
            let Some(list) = self.frontier.get(run) else { break };
            list.load((block - begins[run]) as usize, &mut bytes, &mut batch)?;
            out.reserve_exact(self.buffers.records - out.len().min(self.buffers.records));
            let mut at = 0;
            while at < batch.len() {
                // The moves of one position may come on top of a full buffer; few games have more.
                let room = self.buffers.records.saturating_sub(256).max(1);
                at += self.walker.expand(self.ply, self.last, &batch[at..], out, room, &mut found.tally);
                if out.len() >= room {
                    self.full(out, &mut found.runs)?;
                }
            }
            self.progress.advance(batch.len() as u64);
            if pause.is_due() {
                break;
            }
        }
        sort(out);
        self.flush(out, &mut found.runs)?;
        Ok(found)
    }

    /// Makes room in a full buffer: where half of it was doubles, that is enough.
    fn full(&self, out: &mut Vec<Record>, runs: &mut Vec<Sorted>) -> Result<()> {
        sort(out);
        if out.len() > self.buffers.records / 2 { self.flush(out, runs) } else { Ok(()) }
    }

    /// Makes a run of sorted records.
    fn flush(&self, out: &mut Vec<Record>, runs: &mut Vec<Sorted>) -> Result<()> {
        let mut writer = RunWriter::new(self.files);
        out.iter().try_for_each(|record| writer.push(record))?;
        out.clear();
        runs.extend(writer.finish()?.map(|run| vec![Arc::new(run)]));
        Ok(())
    }
}
