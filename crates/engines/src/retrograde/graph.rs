//! The moves backwards inside a tier as lists, made from the moves forward.
//!
//! An edge is held twice while it is turned round: in the list in which it was found and in the one where it belongs.
//! Where there is no memory for two lists of all edges, these are collected in slices. Each slice takes another look at
//! all open positions, but only one of them is held twice at a time.

use std::sync::atomic::AtomicU64;

use zermelo_core::{Code, Remoteness, Tiers};

use super::room::{Room, sampled_edges};
use crate::below::Below;
use crate::forward::{Edges, Open, OpenMoves, Shared, Slice, second_look};
use crate::parallel;
use crate::ranked::TierJob;

/// Parts of a slice where there are several, so that slices are alike, and in a large tier, so that as many threads can
/// turn edges round.
const PARTS: u64 = 8;
/// The numbers from which on a tier is large.
const LARGE: u64 = 1 << 18;

/// Positions whose value is or may be known at a distance, with the code then; chunk by chunk.
pub(super) type Due = Vec<Vec<(u32, Option<Code>)>>;

/// The edges between open positions, from where they lead to where they come from.
pub(super) struct Graph {
    /// The numbers of a part; the last one may have fewer.
    run: u32,
    parts: Vec<Part>,
}

/// The edges to some numbers that follow each other.
#[derive(Default)]
struct Part {
    begins: Vec<u32>,
    sources: Vec<u32>,
}

impl Graph {
    /// Takes the second look at a tier, in as many slices as the memory asks for. Where the memory does not hold the
    /// edges there is a remark and no graph, and the second look is still to be taken.
    pub(super) fn new<G: Tiers, C: Shared>(
        job: &TierJob<'_, G>,
        below: &Below<'_, G, Remoteness>,
        open: &mut Open<C>,
    ) -> Option<(Graph, Due)> {
        let undecided = open.cells.iter().filter(|c| C::get(c) == open.draw).count() as u64;
        let room = Room::new(job.memory, open.cells.len() as u64, undecided);
        let mut edges = sampled_edges(job, below, open, undecided);
        let mut least = 1;
        while let Some(of) = room.slices(edges) {
            let of = of.max(least);
            match Graph::in_slices(job, below, open, of, room) {
                Ok(graph) => return Some(graph),
                // The sample told of too few edges, or these are not spread evenly.
                Err(counted) => (edges, least) = (counted, 2 * of),
            }
            if least > Room::MOST_SLICES {
                break;
            }
        }
        job.watch.remark(&room.complaint(job.tier, edges));
        None
    }

    /// Takes the second look at a tier in so many slices; fails with the number of edges where they do not fit.
    fn in_slices<G: Tiers, C: Shared>(
        job: &TierJob<'_, G>,
        below: &Below<'_, G, Remoteness>,
        open: &mut Open<C>,
        of: u32,
        room: Room,
    ) -> Result<(Graph, Due), u64> {
        let size = open.cells.len() as u64;
        let parts = u64::from(of) * if size >= LARGE || of > 1 { PARTS } else { 1 };
        let run = size.div_ceil(parts).max(1);
        let many = size.div_ceil(run) as usize;
        let run = run as u32;
        let mut graph = Graph { run, parts: vec![] };
        graph.parts.resize_with(many, Part::default);
        let (mut due, mut edges, mut placed) = (vec![], 0, 0);
        for number in 0..of {
            // Edges of a slice are held twice, beside those that are in place.
            let most = room.edges().saturating_sub(placed) / 2;
            let slice = Slice { run, of, number, most, met: AtomicU64::new(0) };
            let mut found = second_look(job, below, open, Edges::Keep(&slice));
            if number == 0 {
                edges = found.iter().map(|f| f.edges).sum();
                due = found.iter_mut().map(|f| std::mem::take(&mut f.due)).collect();
            }
            let met = slice.met.into_inner();
            if met > most || room.slices(edges).is_none_or(|least| least > of) {
                return Err(edges);
            }
            placed += met;
            let parts: Vec<usize> = (number as usize..many).step_by(of as usize).collect();
            let turned = parallel::over(parts.len() as u64, 1, &|range| {
                let first = parts[range.start as usize] as u64 * u64::from(run);
                Part::new(&found, first as u32, (size - first).min(run.into()) as usize)
            });
            for (at, part) in parts.into_iter().zip(turned) {
                graph.parts[at] = part.ok_or(edges)?;
            }
        }
        Ok((graph, due))
    }

    /// The open positions that move to one.
    #[inline]
    pub(super) fn sources(&self, target: u32) -> &[u32] {
        let part = &self.parts[(target / self.run) as usize];
        let at = (target % self.run) as usize;
        &part.sources[part.begins[at] as usize..part.begins[at + 1] as usize]
    }
}

impl Part {
    /// Turns round the edges to so many numbers from the first one on; `None` where there are too many to be counted.
    fn new(found: &[OpenMoves], first: u32, len: usize) -> Option<Part> {
        let mut begins = vec![0u32; len + 1];
        // Without the last one, which belongs to no number.
        let counts = &mut begins[..len];
        let mut many = 0u64;
        for target in found.iter().flat_map(|f| &f.targets) {
            if let Some(count) = counts.get_mut(target.wrapping_sub(first) as usize) {
                *count = count.wrapping_add(1);
                many += 1;
            }
        }
        u32::try_from(many).ok()?;
        let mut sum = 0;
        for begin in &mut begins {
            sum += *begin;
            *begin = sum;
        }
        let mut sources = vec![0u32; sum as usize];
        let slots = &mut begins[..len];
        for f in found {
            let mut at = 0;
            for (source, end) in f.sources.iter().zip(&f.ends) {
                for target in &f.targets[at..*end as usize] {
                    if let Some(slot) = slots.get_mut(target.wrapping_sub(first) as usize) {
                        *slot -= 1;
                        sources[*slot as usize] = *source;
                    }
                }
                at = *end as usize;
            }
        }
        Some(Part { begins, sources })
    }
}
