//! What the moves backwards inside a tier take in memory: told by a sample before anything is solved, so that a
//! coordinator can grant it, and held against what was granted.

use std::panic::{AssertUnwindSafe, catch_unwind};

use zermelo_core::{Flow, GOLDEN, Remoteness, Tier, Tiers, wins_at_once};

use crate::below::Below;
use crate::forward::{Open, Shared, fold};
use crate::ranked::TierJob;

/// Bytes a number that every engine here takes: a code of at most two, the best code and the count.
pub(super) const NUMBER: u64 = 6;
/// Bytes a number for where its list of moves backwards begins.
const BEGIN: u64 = 4;
/// Bytes of lists an open position: where its edges end, what is due, and what waits for a distance.
const LISTS: u64 = 4 + 4 + 8 + 8;
/// Bytes of an edge in a list.
const EDGE: u64 = 4;

/// Numbers of a tier that are looked at to tell how many moves stay in it.
const SAMPLE: u64 = 256;
/// A tier of so few numbers has no sample: memory for any moves is little.
const FEW: u64 = 4_096;
/// Tables behind numbers that take more bytes than this, and more than one a number of the tier, are not built for the
/// sake of a sample.
const TABLES: u64 = 64 << 20;
/// Edges a number where there was no sample.
const ASSUMED: u64 = 128;

/// Bytes with which the moves backwards of a tier are collected in one go; the same each time it is asked.
pub(super) fn useful<G: Tiers>(game: &G, tier: Tier) -> u64 {
    let size = game.size(tier);
    let edges = if game.flow(tier) == Flow::Leaves { 0 } else { likely_edges(game, tier, size) };
    Room::lists(size, size).saturating_add(edges.saturating_mul(2 * EDGE))
}

/// Edges that a tier is likely to have, or more.
fn likely_edges<G: Tiers>(game: &G, tier: Tier, size: u64) -> u64 {
    let assumed = size.saturating_mul(ASSUMED);
    if size <= FEW || size > u64::from(u32::MAX) || game.index_bytes() > TABLES.max(size) {
        return assumed;
    }
    // A game that panics will do so again when the tier is solved, and be told of then.
    let Ok(moves) = catch_unwind(AssertUnwindSafe(|| moves_inside(game, tier, size))) else { return assumed };
    // A quarter more, for it is only a sample, and one for each number.
    size + (u128::from(size) * u128::from(moves) * 5 / u128::from(4 * SAMPLE)) as u64
}

/// The moves of a sample of a tier's positions that stay in the tier; holes have none, nor has what is over or won at
/// once.
fn moves_inside<G: Tiers>(game: &G, tier: Tier, size: u64) -> u64 {
    let (index, mut moves) = (game.index(tier), 0);
    for p in sample(size).filter_map(|i| game.unrank(&index, i)) {
        if game.outcome(p).is_none() && !(G::FORESEES && wins_at_once(game, p)) {
            game.moves(p, |m| moves += u64::from(game.tier(game.play(p, m)) == tier));
        }
    }
    moves
}

/// Numbers of all parts of a tier. They are at no even distance: that could be a multiple of what the numbering is made
/// of, and then all of them would have, say, one piece in the same place.
fn sample(size: u64) -> impl Iterator<Item = u64> {
    let many = SAMPLE.min(size);
    let begin = move |n: u64| (u128::from(n) * u128::from(size) / u128::from(many)) as u64;
    (0..many).map(move |n| {
        let (from, end) = (begin(n), begin(n + 1));
        from + (n.wrapping_mul(GOLDEN) >> 32) % (end - from)
    })
}

/// About how many edges the open positions of a tier have, from a sample of them.
pub(super) fn sampled_edges<G: Tiers, C: Shared>(
    job: &TierJob<'_, G>,
    below: &Below<'_, G, Remoteness>,
    open: &Open<C>,
    undecided: u64,
) -> u64 {
    // Room for edges was asked for as `useful` says.
    if job.game.flow(job.tier) == Flow::Leaves {
        return 0;
    }
    let (mut seen, mut targets) = (0u64, vec![]);
    for i in sample(open.cells.len() as u64) {
        if C::get(&open.cells[i as usize]) == open.draw
            && let Some(p) = job.game.unrank(&job.index, i)
        {
            fold::<G, C>(job, below, &open.cells, open.draw, p, &mut targets);
            seen += 1;
        }
    }
    undecided.saturating_mul((targets.len() as u64).div_ceil(seen.max(1)) + 1)
}

/// The memory that was granted for a tier, and what of it is left for edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Bytes that were granted.
    granted: u64,
    /// Bytes that anything but edges takes.
    taken: u64,
}

impl Room {
    /// The most slices: each costs a look at all open positions, and further ones save little.
    pub(super) const MOST_SLICES: u32 = 8;

    /// The memory for a tier of `size` numbers, of which so many are open.
    pub(super) fn new(granted: u64, size: u64, open: u64) -> Room {
        Room { granted, taken: Room::lists(size, open) }
    }

    /// Bytes of a tier of `size` numbers, of which so many are open, without its edges.
    fn lists(size: u64, open: u64) -> u64 {
        size.saturating_mul(NUMBER + BEGIN).saturating_add(open.saturating_mul(LISTS))
    }

    /// Edges that can be held.
    pub(super) fn edges(self) -> u64 {
        self.granted.saturating_sub(self.taken) / EDGE
    }

    /// The fewest slices, a power of two, in which so many edges can be collected: one slice is held twice at a time.
    /// `None` where there is no room even so.
    pub(super) fn slices(self, edges: u64) -> Option<u32> {
        let mut all =
            std::iter::successors(Some(1), |of| Some(2 * of)).take_while(|of| *of <= Room::MOST_SLICES);
        all.find(|of| Room::held(edges, *of) <= self.edges())
    }

    /// Edges in memory while the last slice is turned round, which may have somewhat more than its share.
    fn held(edges: u64, slices: u32) -> u64 {
        let uneven = if slices > 1 { edges / 32 } else { 0 };
        edges.saturating_add(edges / u64::from(slices)).saturating_add(uneven)
    }

    /// Says that so many edges cannot be held, and what is done instead.
    pub(super) fn complaint(self, tier: Tier, edges: u64) -> String {
        let need = self.taken.saturating_add(Room::held(edges, Room::MOST_SLICES).saturating_mul(EDGE));
        format!(
            "tier {tier}: a list of its moves backwards takes {} and there is {}; looking forward again at every \
             distance instead, which is slower: give more with --memory",
            bytes(need),
            bytes(self.granted)
        )
    }
}

/// Bytes as people read them.
fn bytes(n: u64) -> String {
    match n {
        0..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.1} GB", n as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_have_the_room_that_lists_leave() {
        for (size, open, edges) in [(1000, 300, 2000), (5, 5, 0), (0, 0, 8)] {
            let room = |twice| Room::new(10 * size + 24 * open + 4 * twice, size, open);
            assert_eq!(room(edges).edges(), edges);
            assert_eq!(room(2 * edges).slices(edges), Some(1));
        }
        let room = Room::new(4 * 1_600, 0, 0);
        let slices = [800, 801, 1_045, 1_046, 1_249, 1_250, 1_384, 1_385].map(|edges| room.slices(edges));
        assert_eq!(slices, [Some(1), Some(2), Some(2), Some(4), Some(4), Some(8), Some(8), None]);
        assert_eq!(Room::new(9, 10, 10).edges(), 0);
        assert_eq!(Room::new(9, u64::MAX, u64::MAX).slices(u64::MAX), None);
    }

    #[test]
    fn a_sample_is_of_all_parts_and_always_the_same() {
        for size in [0, 1, 255, 256, 257, 5_000, u64::from(u32::MAX)] {
            let numbers: Vec<u64> = sample(size).collect();
            assert!(numbers.len() as u64 == SAMPLE.min(size) && numbers.iter().all(|i| *i < size));
            assert!(numbers.is_sorted_by(|a, b| a < b) && sample(size).eq(numbers));
        }
        // Places that come again every 64 numbers are all met.
        let mut places: Vec<u64> = sample(64 * 256).map(|i| i % 64).collect();
        places.sort_unstable();
        places.dedup();
        assert!(places.len() > 55, "{places:?}");
    }
}
