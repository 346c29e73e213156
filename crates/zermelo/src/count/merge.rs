//! Many sorted lists of records made into one, doubles merged: in parallel, each thread a
//! range of positions at a time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;
use zermelo_core::{Record, WalkedPosition};

use super::Result;
use super::files::{Pause, RunFiles};
use super::run::{Cursor, Run, RunWriter, Sorted};

/// What to merge.
pub(super) struct Merge<'a> {
    /// The lists.
    pub(super) lists: &'a [Sorted],
    /// Lists of positions to leave out.
    pub(super) without: &'a [Sorted],
    /// About how many bytes each run of the result should have.
    pub(super) segment: u64,
    pub(super) files: &'a Arc<RunFiles>,
}

impl Merge<'_> {
    /// Merges from a position on, until all is done or it is time to pause. Gives the runs and
    /// where to go on, `None` when all is done.
    pub(super) fn go(
        &self,
        from: Option<WalkedPosition>,
        pause: &Pause,
    ) -> Result<(Sorted, Option<WalkedPosition>)> {
        let cuts = self.cuts(from);
        let ends: Vec<Option<WalkedPosition>> = cuts.iter().copied().map(Some).chain([None]).collect();
        let taken = AtomicUsize::new(0);
        let work = |_: usize| -> Result<Vec<(usize, Run)>> {
            let mut done = vec![];
            // Ranges are taken in order, so those that are done are the first ones.
            loop {
                let at = taken.fetch_add(1, Relaxed);
                let Some(to) = ends.get(at) else { break };
                let from = if at == 0 { from } else { ends[at - 1] };
                let run = pause.checked(self.range(from, *to))?;
                done.extend(run.map(|run| (at, run)));
                if pause.is_due() {
                    break;
                }
            }
            Ok(done)
        };
        let threads = rayon::current_num_threads();
        let parts: Vec<_> = (0..threads).into_par_iter().map(work).collect::<Result<_, _>>()?;
        let mut runs: Vec<(usize, Run)> = parts.into_iter().flatten().collect();
        runs.sort_by_key(|(at, _)| *at);
        let next = taken.into_inner().checked_sub(1).and_then(|last| ends.get(last).copied().flatten());
        Ok((runs.into_iter().map(|(_, run)| Arc::new(run)).collect(), next))
    }

    /// Positions that cut the rest into ranges of about the wanted size.
    fn cuts(&self, from: Option<WalkedPosition>) -> Vec<WalkedPosition> {
        let runs = || self.lists.iter().chain(self.without).flatten();
        let bytes: u64 = self.lists.iter().flatten().map(|run| run.bytes()).sum();
        let firsts = runs().flat_map(|run| (0..run.blocks()).map(|b| run.first(b)));
        let mut firsts: Vec<WalkedPosition> =
            firsts.filter(|place| from.is_none_or(|from| *place > from)).collect();
        firsts.sort_unstable();
        let threads = rayon::current_num_threads() as u64;
        // A few ranges a thread, so that none waits long for another at the end.
        let parts = (bytes / self.segment.max(1)).max(4 * threads) as usize + 1;
        // A range of a few blocks is not worth a thread.
        let step = (firsts.len() / parts).max(16);
        let mut cuts: Vec<WalkedPosition> = firsts.into_iter().step_by(step).skip(1).collect();
        cuts.dedup();
        cuts
    }

    /// Merges one range; `None` when nothing is in it.
    fn range(&self, from: Option<WalkedPosition>, to: Option<WalkedPosition>) -> Result<Option<Run>> {
        let (mut lists, mut heap) = (vec![], BinaryHeap::new());
        for (n, list) in self.lists.iter().chain(self.without).enumerate() {
            if let (cursor, Some(first)) = Cursor::new(list, from, to)? {
                heap.push(Reverse((first.id(), lists.len())));
                lists.push((cursor, first, n >= self.lists.len()));
            }
        }
        let mut writer = RunWriter::new(self.files);
        let mut best: Option<(Record, bool)> = None;
        while let Some(mut top) = heap.peek_mut() {
            let Reverse((_, at)) = *top;
            let (cursor, next, seen) = &mut lists[at];
            let (record, seen) = (*next, *seen);
            match cursor.next()? {
                Some(found) => (*next, *top) = (found, Reverse((found.id(), at))),
                None => _ = PeekMut::pop(top),
            }
            match &mut best {
                Some((same, left_out)) if same.id() == record.id() => {
                    same.merge(&record);
                    *left_out |= seen;
                }
                _ => {
                    if let Some((record, false)) = best.replace((record, seen)) {
                        writer.push(&record)?;
                    }
                }
            }
        }
        if let Some((record, false)) = best {
            writer.push(&record)?;
        }
        writer.finish()
    }
}

/// Sorts records and merges those with the same id.
pub(super) fn sort(records: &mut Vec<Record>) {
    records.sort_unstable_by_key(Record::id);
    records.dedup_by(|later, first| {
        let same = first.id() == later.id();
        if same {
            first.merge(later);
        }
        same
    });
}
