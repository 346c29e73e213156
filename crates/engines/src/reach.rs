//! Which positions the start reaches: one bit a number and turn, spread tier by tier
//! from the top down, and the counts of values over them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use zermelo_core::rank::members;
use zermelo_core::{
    Code, Count, EngineError, Flow, Objective, Reached, Reason, Solved, StoredTier, Tallied, Tier, Tiers,
    Turn, Watch, Width, own,
};

use crate::codes::kept_code;
use crate::{CHUNK, Codes, parallel};

const WORDS: usize = CHUNK / 64;

/// The reached positions of one tier, a bit a number and turn.
pub struct Reach {
    /// For the first player to move, and for the second.
    planes: [Vec<AtomicU64>; 2],
    entries: u64,
    /// Whether all are reached, and by whom; the planes are empty then.
    all: Option<Turns>,
}

/// A set of turns: bit 0 for the first player, bit 1 for the second.
type Turns = u8;

impl Reach {
    pub(crate) fn new(entries: u64) -> Reach {
        let plane =
            || std::iter::repeat_with(AtomicU64::default).take(entries.div_ceil(64) as usize).collect();
        Reach { planes: [plane(), plane()], entries, all: None }
    }

    /// Every number, with these turns.
    pub(crate) fn all(entries: u64, turns: Turns) -> Reach {
        Reach { planes: [vec![], vec![]], entries, all: Some(turns) }
    }

    #[inline]
    pub(crate) fn mark(&self, turns: Turns, i: u64) {
        for (t, plane) in self.planes.iter().enumerate() {
            let (word, bit) = (&plane[(i / 64) as usize], 1 << (i % 64));
            if turns >> t & 1 != 0 && word.load(Relaxed) & bit == 0 {
                word.fetch_or(bit, Relaxed);
            }
        }
    }

    /// The players to move with whom a number is reached.
    #[inline]
    pub(crate) fn turns(&self, i: u64) -> Turns {
        if let Some(turns) = self.all {
            return turns;
        }
        let bit = |plane: &Vec<AtomicU64>| (plane[(i / 64) as usize].load(Relaxed) >> (i % 64) & 1) as u8;
        bit(&self.planes[0]) | bit(&self.planes[1]) << 1
    }

    /// The marks with the first player to move, and those with the second: bit `i % 64` of word `i / 64` for number `i`.
    /// `None` where all numbers are marked.
    pub fn planes(&self) -> Option<&[Vec<AtomicU64>; 2]> {
        if self.all.is_none() { Some(&self.planes) } else { None }
    }

    fn chunks(&self) -> usize {
        (self.entries as usize).div_ceil(CHUNK)
    }

    /// Whether nothing is reached of a range of numbers that begins with a word.
    fn none_within(&self, range: &Range<u64>) -> bool {
        let words = (range.start / 64) as usize..range.end.div_ceil(64) as usize;
        let none = |plane: &Vec<AtomicU64>| plane[words.clone()].iter().all(|w| w.load(Relaxed) == 0);
        self.all.is_none() && self.planes.iter().all(none)
    }

    /// The words of one chunk, both turns.
    fn words(&self, chunk: usize) -> [Vec<u64>; 2] {
        let end = ((chunk + 1) * WORDS).min(self.planes[0].len());
        let of = |plane: &Vec<AtomicU64>| plane[chunk * WORDS..end].iter().map(|w| w.load(Relaxed)).collect();
        [of(&self.planes[0]), of(&self.planes[1])]
    }
}

impl Reached for Reach {
    fn everywhere(&self) -> Option<u64> {
        self.all.map(|turns| turns.count_ones().into())
    }

    fn bytes(&self) -> u64 {
        self.planes[0].len() as u64 * 16
    }
}

fn swapped(turns: Turns) -> Turns {
    turns >> 1 | (turns & 1) << 1
}

/// Marks all that the reached positions of a tier reach, inside it and in its children.
pub(crate) fn discover<G: Tiers>(
    game: &G,
    tier: Tier,
    index: &G::Index,
    here: &Reach,
    children: &[(Tier, &G::Index, &Reach)],
    watch: &dyn Watch,
) {
    // What was marked and is followed; inside a tier whose moves can go round there may be several rounds.
    let followed = (game.flow(tier) != Flow::Leaves).then(|| Reach::new(here.entries));
    let follow = |p: G::Position, turns: Turns| {
        if game.outcome(p).is_some() {
            return;
        }
        game.moves(p, |m| {
            let child = game.play(p, m);
            let to = game.tier(child);
            let turns = if !G::SIDES || G::AGAIN && game.again(m, child) { turns } else { swapped(turns) };
            if to == tier {
                here.mark(turns, game.rank(index, child));
            } else if let Some((_, index, reach)) = children.iter().find(|c| c.0 == to) {
                reach.mark(turns, game.rank(index, child));
            }
        });
    };
    let mut first = true;
    loop {
        let work = |chunks: Range<u64>| {
            let chunk = chunks.start as usize;
            let new = new_in_chunk(here, followed.as_ref(), chunk);
            follow_chunk(game, index, chunk, here.entries, &new, &follow);
            if first {
                watch.advance((CHUNK as u64).min(here.entries - (chunk * CHUNK) as u64));
            }
            followed.is_some() && new.iter().flatten().any(|w| *w != 0)
        };
        if !parallel::merged(here.chunks() as u64, 1, &work, || false, |a, b| a || b) {
            return;
        }
        first = false;
    }
}

/// The bits of a chunk that are to be followed now; they count as followed from here on. Where every move leaves the
/// tier there is one round, and nobody keeps what is followed.
fn new_in_chunk(here: &Reach, followed: Option<&Reach>, chunk: usize) -> [Vec<u64>; 2] {
    let mut words = here.words(chunk);
    let Some(followed) = followed else { return words };
    for (t, plane) in words.iter_mut().enumerate() {
        for (w, word) in plane.iter_mut().enumerate() {
            *word &= !followed.planes[t][chunk * WORDS + w].fetch_or(*word, Relaxed);
        }
    }
    words
}

fn follow_chunk<G: Tiers>(
    game: &G,
    index: &G::Index,
    chunk: usize,
    entries: u64,
    new: &[Vec<u64>; 2],
    follow: &impl Fn(G::Position, Turns),
) {
    let first = (chunk * CHUNK) as u64;
    let turns = |i: u64| {
        let (w, b) = (((i - first) / 64) as usize, i % 64);
        ((new[0][w] >> b & 1) | (new[1][w] >> b & 1) << 1) as u8
    };
    let either: Vec<u64> = new[0].iter().zip(&new[1]).map(|(a, b)| a | b).collect();
    let many = either.iter().map(|w| w.count_ones()).sum::<u32>();
    // Stepping through all is cheaper than finding a few by number, unless they are few.
    if many > CHUNK as u32 / 16 {
        game.scan(index, first..(first + CHUNK as u64).min(entries), |i, p| match turns(i) {
            0 => {}
            turns => follow(p, turns),
        });
    } else if many > 0 {
        for (w, word) in either.iter().enumerate() {
            for i in members(*word).map(|bit| first + (64 * w + bit) as u64) {
                if let Some(p) = game.unrank(index, i) {
                    follow(p, turns(i));
                }
            }
        }
    }
}

/// By code: reached positions, those up to symmetry, and the first of them with who is to move.
type Counts = HashMap<Code, (u64, u64, (u64, u8))>;

fn merge(mut all: Counts, more: Counts) -> Counts {
    for (code, (positions, canonical, example)) in more {
        let count = all.entry(code).or_insert((0, 0, example));
        *count = (count.0 + positions, count.1 + canonical, count.2.min(example));
    }
    all
}

/// Numbers whose codes are written at a time where a tier has no plain form.
const PIECE: u64 = 1 << 20;

/// Counts the reached positions by value; `None` when one has none.
pub(crate) fn tally<G: Tiers, O: Objective<G>>(
    game: &G,
    index: &G::Index,
    here: &Reach,
    solved: &dyn Solved,
    show: &dyn Fn(Turn, G::Position) -> String,
) -> Option<Vec<Count>> {
    let counts = match own::<Codes<G, O>>(solved, Tier(0)) {
        Ok(codes) => tally_range(game, index, here, 0..here.entries, |i, _| codes.get(i)),
        Err(_) => {
            let (mut counts, mut bytes, width) = (Counts::new(), vec![], solved.width());
            for first in (0..here.entries).step_by(PIECE as usize) {
                let range = first..here.entries.min(first + PIECE);
                bytes.clear();
                solved.write(range.clone(), &mut bytes);
                let code = |i: u64, p| {
                    let stored = width.code_at(&bytes, (i - first) as usize);
                    O::look(game, p).unwrap_or_else(|| match width {
                        Width::One => O::widen(stored as u8),
                        Width::Two => Code(stored),
                    })
                };
                counts = merge(counts, tally_range(game, index, here, range, code));
            }
            counts
        }
    };
    listed::<G, O>(game, index, counts, show)
}

/// The counts of a tier as a list, each with an example; `None` where a position has no value.
fn listed<G: Tiers, O: Objective<G>>(
    game: &G,
    index: &G::Index,
    counts: Counts,
    show: &dyn Fn(Turn, G::Position) -> String,
) -> Option<Vec<Count>> {
    let to_count = |(code, (positions, canonical, (i, turn)))| {
        let turn = if turn == 0 { Turn::First } else { Turn::Second };
        let example = game.unrank(index, i).map(|p| show(turn, p));
        let twice_canonical = 2 * canonical;
        Some(Count { value: O::value(code)?, positions, twice_canonical, ply: None, example })
    };
    counts.into_iter().map(to_count).collect()
}

/// The error of a position that is to be counted and has no value.
pub(crate) fn no_value(tier: Tier) -> EngineError {
    let reason = "a position that is counted has no value; `zermelo verify` tells more".into();
    EngineError::Load { tier, reason }
}

/// Codes that a thread reads of a stored tier at a time: whole blocks, whatever the game's choice of these.
const READ: u64 = 1 << 16;

/// Counts the reached positions of a stored tier by value; threads read the codes of different parts, a few at a time.
pub(crate) fn tally_stored<G: Tiers, O: Objective<G>>(
    game: &G,
    index: &G::Index,
    here: &Reach,
    stored: &StoredTier<'_>,
    watch: &dyn Watch,
    show: &dyn Fn(Turn, G::Position) -> String,
) -> Tallied {
    let &StoredTier { tier, width, read } = stored;
    let count = |part: Range<u64>| -> Result<Counts, Reason> {
        let (mut counts, mut bytes) = (Counts::new(), vec![]);
        for first in part.clone().step_by(READ as usize) {
            let range = first..part.end.min(first + READ);
            watch.advance(range.end - range.start);
            if here.none_within(&range) {
                continue;
            }
            bytes.clear();
            read(range.clone(), &mut bytes)?;
            if bytes.len() as u64 != (range.end - range.start) * width.bytes() as u64 {
                return Err("the table has another length than the tier".into());
            }
            let code = |i: u64, p| {
                O::look(game, p)
                    .unwrap_or_else(|| kept_code::<G, O>(width, width.code_at(&bytes, (i - first) as usize)))
            };
            count_chunks(game, index, here, range, &code, &mut counts);
        }
        Ok(counts)
    };
    // What came of all parts is kept until the end: so many, and no more for a larger tier.
    let part = here.entries.div_ceil(16 * rayon::current_num_threads() as u64).next_multiple_of(READ);
    let counts = parallel::try_over(here.entries, part as usize, &count)
        .map_err(|reason| EngineError::Load { tier, reason })?;
    let counts = counts.into_iter().fold(Counts::new(), merge);
    listed::<G, O>(game, index, counts, show).ok_or_else(|| no_value(tier))
}

/// Adds the reached positions in a range of numbers, which begins with a chunk, to counts by code.
fn count_chunks<G: Tiers>(
    game: &G,
    index: &G::Index,
    here: &Reach,
    range: Range<u64>,
    code: &impl Fn(u64, G::Position) -> Code,
    counts: &mut Counts,
) {
    for first in range.clone().step_by(CHUNK) {
        let chunk = first..range.end.min(first + CHUNK as u64);
        if here.none_within(&chunk) {
            continue;
        }
        game.scan(index, chunk, |i, p| {
            let turns = here.turns(i);
            if turns != 0 {
                let (seen, first) = (u64::from(turns.count_ones()), turns.trailing_zeros() as u8);
                let count = counts.entry(code(i, p)).or_insert((0, 0, (i, first)));
                count.0 += seen * game.copies(index, p);
                count.1 += seen;
            }
        });
    }
}

fn tally_range<G: Tiers>(
    game: &G,
    index: &G::Index,
    here: &Reach,
    range: Range<u64>,
    code: impl Fn(u64, G::Position) -> Code + Sync,
) -> Counts {
    let (first, end) = (range.start as usize / CHUNK, (range.end as usize).div_ceil(CHUNK));
    let work = |chunks: Range<u64>| {
        let mut counts = Counts::new();
        let [from, to] = [chunks.start, chunks.end].map(|chunk| (first as u64 + chunk) * CHUNK as u64);
        count_chunks(game, index, here, from..to.min(range.end), &code, &mut counts);
        counts
    };
    // What came of all parts is kept until the end: so many, and no more for a larger tier.
    let part = (end - first).div_ceil(16 * rayon::current_num_threads());
    parallel::merged((end - first) as u64, part, &work, Counts::new, merge)
}
