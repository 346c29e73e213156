//! Which positions the start reaches: the next tier from a tier.

use std::collections::BTreeMap;

use rayon::prelude::*;
use zermelo_core::rank::members;
use zermelo_core::{Code, Growing, Objective, Packed, Settled, Watch};

use super::cells::{Even, Map, canonical};
use super::level::{Ends, Level, Numbers};

/// A blob of the next tier is reached from a blob of this one by filling a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    to: u64,
    from: u32,
    cell: u8,
    symmetry: u8,
}

/// What is reached in one blob.
struct BlobReached {
    blob: u64,
    numbers: Numbers,
    ends: BTreeMap<Code, Ends>,
}

/// A set of numbers that are put in in any order and taken out sorted: bits where many of few
/// are expected, a list otherwise.
#[derive(Default)]
struct Sieve {
    bits: Vec<u64>,
    list: Vec<u64>,
    dense: bool,
}

/// Numbers of more bits than this are kept as a list: two megabytes of bits lie in the cache.
const MOST_BITS: u32 = 24;

impl Sieve {
    /// Prepares for numbers of so many bits; the set is empty.
    fn begin(&mut self, bits: u32, expected: usize) {
        self.dense = bits <= MOST_BITS && (1usize << bits) / 512 <= expected;
        if self.dense && self.bits.len() < (1 << bits) / 64 + 1 {
            self.bits.resize((1 << bits) / 64 + 1, 0);
        }
    }

    #[inline(always)]
    fn insert(&mut self, number: u64) {
        if self.dense {
            self.bits[(number / 64) as usize] |= 1 << (number % 64);
        } else {
            self.list.push(number);
        }
    }

    /// Empties the set in order.
    fn drain(&mut self, bits: u32, mut each: impl FnMut(u64)) {
        if self.dense {
            for (at, word) in self.bits[..(1usize << bits).div_ceil(64)].iter_mut().enumerate() {
                members(std::mem::take(word)).for_each(|bit| each((at * 64 + bit) as u64));
            }
        } else {
            self.list.sort_unstable();
            self.list.dedup();
            self.list.drain(..).for_each(each);
        }
    }
}

/// What a thread needs, made once.
struct Scratch {
    colours: Vec<u64>,
    expand: Map,
    gather: Map,
    reached: Sieve,
    open: Sieve,
    over: Vec<[u64; 2]>,
}

impl Scratch {
    fn new() -> Scratch {
        let (colours, over) = (vec![], vec![]);
        let (expand, gather) = (Map::new(), Map::new());
        Scratch { colours, expand, gather, reached: Sieve::default(), open: Sieve::default(), over }
    }
}

/// The reached positions of the tier after this one.
pub(super) fn forward<G: Growing, O: Objective<G>>(game: &G, level: &Level, watch: &dyn Watch) -> Level {
    let steps = steps(game, level);
    let groups: Vec<&[Step]> = steps.chunk_by(|a, b| a.to == b.to).collect();
    let find = |scratch: &mut Scratch, group: &&[Step]| reach::<G, O>(game, level, group, scratch);
    let mut next = Level::empty(level.cells + 1);
    let mut rest = &groups[..];
    while !rest.is_empty() {
        let (batch, more) = rest.split_at(batch(level, rest));
        let found: Vec<BlobReached> = batch.par_iter().map_init(Scratch::new, find).collect();
        for found in found {
            next.add(found.blob, &found.numbers);
            next.add_ends(found.ends);
        }
        watch.advance((level.positions() * batch.len() / groups.len()) as u64);
        rest = more;
    }
    next.numbers.shrink();
    next
}

/// Positions to try moves of before what they reach is put together: enough for all threads,
/// few enough not to matter beside the whole.
const BATCH: usize = 1 << 21;

/// How many groups make a batch; at least one.
fn batch(level: &Level, groups: &[&[Step]]) -> usize {
    let tried =
        |group: &&[Step]| group.iter().map(|step| level.part(step.from as usize).len()).sum::<usize>();
    let mut sum = 0;
    let full = |group: &&[Step]| {
        sum += tried(group);
        sum > BATCH
    };
    groups.iter().position(full).map_or(groups.len(), |at| at + 1)
}

/// Bytes of all pairs of a blob and a cell to fill.
pub(super) fn step_bytes<G: Growing>(game: &G, level: &Level) -> u64 {
    let pairs = level.blobs.iter().map(|cells| u64::from(game.fillable(*cells).count_ones()));
    pairs.sum::<u64>() * size_of::<Step>() as u64
}

/// All pairs of a blob and a cell to fill, by where they lead.
fn steps<G: Growing>(game: &G, level: &Level) -> Vec<Step> {
    let of = |(from, cells): (usize, &u64)| {
        let cells = *cells;
        members(game.fillable(cells)).map(move |cell| {
            let (to, symmetry) = canonical(game.symmetries(), cells | 1 << cell);
            Step { to, from: from as u32, cell: cell as u8, symmetry: symmetry as u8 }
        })
    };
    let mut steps: Vec<Step> = level.blobs.iter().enumerate().flat_map(of).collect();
    steps.par_sort_unstable();
    steps
}

/// The positions of one blob, from all its parents.
fn reach<G: Growing, O: Objective<G>>(
    game: &G,
    level: &Level,
    steps: &[Step],
    scratch: &mut Scratch,
) -> BlobReached {
    let (blob, bits) = (steps[0].to, level.cells + 1);
    let expected = steps.iter().map(|step| level.part(step.from as usize).len()).sum();
    scratch.reached.begin(bits, expected);
    scratch.open.begin(bits, expected);
    for step in steps {
        follow(game, level, step, scratch);
    }
    settle(game, blob, bits, scratch);
    let mut numbers = Numbers::of(bits);
    scratch.open.drain(bits, |number| numbers.push(number));
    BlobReached { blob, numbers, ends: ends::<G, O>(game, &mut scratch.over) }
}

/// Marks where the positions of one parent lead by filling one cell.
fn follow<G: Growing>(game: &G, level: &Level, step: &Step, scratch: &mut Scratch) {
    let cells = level.blobs[step.from as usize];
    scratch.expand.expand(cells);
    scratch.gather.compress(game.symmetries(), step.symmetry.into(), step.to);
    let (expand, gather) = (&scratch.expand, &scratch.gather);
    level.numbers.each(level.part(step.from as usize), &mut scratch.colours, |n| expand.apply(n));
    let spot = game.spot(step.cell.into());
    for own in &scratch.colours {
        if let Some([own, _]) = game.fill([*own, cells & !own], spot) {
            scratch.reached.insert(gather.apply(own));
        }
    }
}

/// Sorts out who is to move in the positions reached.
fn settle<G: Growing>(game: &G, blob: u64, bits: u32, scratch: &mut Scratch) {
    let Scratch { expand, reached, open, over, .. } = scratch;
    let even = Even::new(game.symmetries(), blob);
    expand.expand(blob);
    let all = u64::MAX >> (64 - bits);
    reached.drain(bits, |number| {
        let own = expand.apply(number);
        match game.settle([own, blob & !own]) {
            Settled::Open(_) => open.insert(even.least(number)),
            Settled::Passed(_) => open.insert(even.least(all ^ number)),
            Settled::Over(colours) => over.push(game.canonical(G::Position::unpack(colours)).pack()),
        }
    });
}

/// Counts finished positions.
fn ends<G: Growing, O: Objective<G>>(game: &G, over: &mut Vec<[u64; 2]>) -> BTreeMap<Code, Ends> {
    let mut ends = BTreeMap::new();
    over.sort_unstable();
    over.dedup();
    for example in over.drain(..) {
        let p = G::Position::unpack(example);
        let Some(outcome) = game.outcome(p) else { continue };
        let fresh = Ends { canonical: 0, all: 0, example };
        let count = ends.entry(O::finished(game, p, outcome)).or_insert(fresh);
        count.canonical += 1;
        count.all += game.copies(&game.index(game.tier(p)), p);
    }
    ends
}
