//! Loopy tiers backwards from what is settled, one distance after another.
//!
//! After the forward pass (see `forward`) the open positions and the moves between them
//! remain. Distance by distance: a position lost in d makes every open position that
//! moves to it won in d + 1; one won in d takes one move from the count of every open
//! position that moves to it, and the last such move makes that one lost. Values that
//! enter from the tiers below wait in the bucket of their distance, so every position
//! is settled at its true one. Then ties in the same way; what is left is a draw. In a puzzle, where
//! nobody else moves, wins and losses change places: what is won makes won, what is lost counts down.
//!
//! The moves backwards come from one of two places, which are the two engines here: a
//! reversed graph built once (`retrograde`), or no list at all but a fresh look at every
//! open position (`iterate`), which needs less memory and is what `retrograde` falls back
//! on. Games that can play backwards have an engine of their own (`unmoves`).

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use zermelo_core::{
    Code, Engine, EngineError, Job, Need, Remoteness, Solved, Stored, Tier, Tiers, Value, Watch,
};

use crate::below::Below;
use crate::codes::Codes;
use crate::forward::{Edges, Found, Open, Shared, TooNarrow, first_look, fold, second_look, seen};
use crate::{CHUNK, parallel};

/// The engine with a reversed graph.
pub struct Retrograde;

/// The engine that looks forward again at every distance.
pub struct Iterate;

/// How one engine moves backwards.
trait Backward<G: Tiers> {
    fn solve<C: Shared>(job: &Job<'_, G>, below: &Below<'_, G, Remoteness>) -> Result<Open<C>, TooNarrow>;
}

fn run<G: Tiers, B: Backward<G>>(
    job: &Job<'_, G>,
    name: &'static str,
) -> Result<Arc<dyn Solved>, EngineError> {
    let size = job.game.size(job.tier);
    if size > <Retrograde as Engine<G>>::MOST {
        return Err(EngineError::TooLarge(job.tier, size, name));
    }
    let below = Below::new(job.game, job.tier, job.children.iter().map(|(t, i, s)| (*t, i, s)))?;
    let done: Result<Arc<dyn Solved>, TooNarrow> = match B::solve::<u8>(job, &below) {
        Ok(open) => Ok(finish::<G, u8>(open)),
        Err(TooNarrow) => B::solve::<u16>(job, &below).map(|open| finish::<G, u16>(open) as Arc<dyn Solved>),
    };
    below.fault.check()?;
    done.map_err(|TooNarrow| EngineError::OutOfRange(job.tier))
}

fn finish<G: Tiers, C: Shared>(open: Open<C>) -> Arc<Codes<G, Remoteness>> {
    let cells = open.cells.into_iter().map(C::own).collect();
    Codes::new(C::wrap(cells), open.positions)
}

macro_rules! engine {
    ($engine:ty, $name:literal) => {
        impl<G: Tiers> Engine<G> for $engine {
            const NAME: &'static str = $name;
            type Objective = Remoteness;
            const MOST: u64 = u32::MAX as u64 - 1;

            fn need(game: &G, tier: Tier) -> Need {
                // Per number: a code of at most two bytes, the best code and the count. The
                // reversed graph comes on top where there is room: a begin, 24 bytes of lists
                // where a position is open and, generously, eight edges, each held twice while
                // the graph is turned round.
                let size = game.size(tier);
                Need {
                    working: size.saturating_mul(6),
                    useful: size.saturating_mul(6 + 4 + 24 + 64),
                    result: size,
                }
            }

            fn solve(job: &Job<'_, G>) -> Result<Arc<dyn Solved>, EngineError> {
                run::<G, $engine>(job, $name)
            }

            fn load(stored: &Stored<'_, G>) -> Result<Arc<dyn Solved>, EngineError> {
                Ok(Codes::<G, Remoteness>::load(stored)?)
            }

            fn unpark(game: &G, tier: Tier, parked: &mut dyn Read) -> Result<Arc<dyn Solved>, EngineError> {
                Codes::<G, Remoteness>::unpark(game, tier, parked)
            }
        }
    };
}

engine!(Retrograde, "retrograde");
engine!(Iterate, "iterate");

impl<G: Tiers> Backward<G> for Retrograde {
    fn solve<C: Shared>(job: &Job<'_, G>, below: &Below<'_, G, Remoteness>) -> Result<Open<C>, TooNarrow> {
        let mut open = first_look::<G, C>(job)?;
        let undecided = open.cells.iter().filter(|c| C::get(c) == open.draw).count() as u64;
        let room = room_for_edges(job.memory, open.cells.len() as u64, undecided);
        if undecided.saturating_mul(mean_degree(job, below, &open)) > room {
            return iterate(job, below, open);
        }
        let found = second_look(job, below, &mut open, Edges::Keep);
        // The sample may have told too few.
        if found.iter().map(|f| f.targets.len() as u64).sum::<u64>() > room {
            drop(found);
            return iterate(job, below, open);
        }
        let graph = Graph::reverse(&found, open.cells.len());
        let due = found.into_iter().flat_map(|f| f.due);
        propagate::<G, C>(&open, due, job.watch, |i, visit| graph.sources(i).iter().for_each(|q| visit(*q)))?;
        Ok(open)
    }
}

/// How many edges there is room for in a tier of `size` numbers, of which so many are open.
fn room_for_edges(memory: u64, size: u64, open: u64) -> u64 {
    // Six bytes a number as for every engine here, and the begins of the graph.
    let numbers = size.saturating_mul(6 + 4);
    // Sources and ends, what is due, and the buckets that wait for a distance.
    let lists = open.saturating_mul(4 + 4 + 8 + 8);
    // Each edge is held twice while the graph is turned round, and counted in 32 bits.
    let room = memory.saturating_sub(numbers).saturating_sub(lists) / 8;
    room.min(u64::from(u32::MAX) / 2)
}

/// The mean number of edges of an open position, from a sample, rounded up.
fn mean_degree<G: Tiers, C: Shared>(
    job: &Job<'_, G>,
    below: &Below<'_, G, Remoteness>,
    open: &Open<C>,
) -> u64 {
    const SAMPLE: usize = 64;
    let step = (open.cells.len() / SAMPLE).max(1);
    let (mut seen, mut targets) = (0u64, vec![]);
    for i in (0..open.cells.len()).step_by(step) {
        if C::get(&open.cells[i]) == open.draw
            && let Some(p) = job.game.unrank(&job.index, i as u64)
        {
            fold::<G, C>(job, below, &open.cells, open.draw, p, &mut targets);
            seen += 1;
        }
    }
    (targets.len() as u64).div_ceil(seen.max(1)) + 1
}

impl<G: Tiers> Backward<G> for Iterate {
    fn solve<C: Shared>(job: &Job<'_, G>, below: &Below<'_, G, Remoteness>) -> Result<Open<C>, TooNarrow> {
        let open = first_look::<G, C>(job)?;
        iterate(job, below, open)
    }
}

/// The edges between open positions, from where they lead to where they come from.
struct Graph {
    begins: Vec<u32>,
    sources: Vec<u32>,
}

impl Graph {
    fn reverse(found: &[Found], size: usize) -> Graph {
        let mut begins = vec![0u32; size + 1];
        for target in found.iter().flat_map(|f| &f.targets) {
            begins[*target as usize] += 1;
        }
        let mut sum = 0;
        for begin in &mut begins {
            sum += *begin;
            *begin = sum;
        }
        let mut sources = vec![0u32; sum as usize];
        for f in found {
            let mut at = 0;
            for (source, end) in f.sources.iter().zip(&f.ends) {
                for target in &f.targets[at..*end as usize] {
                    let slot = &mut begins[*target as usize];
                    *slot -= 1;
                    sources[*slot as usize] = *source;
                }
                at = *end as usize;
            }
        }
        Graph { begins, sources }
    }

    #[inline]
    fn sources(&self, target: u32) -> &[u32] {
        let at = target as usize;
        &self.sources[self.begins[at] as usize..self.begins[at + 1] as usize]
    }
}

/// Positions that may get their value at a distance, by distance.
type Buckets = BTreeMap<u16, Vec<u32>>;

/// Runs all distances, wins and losses first, then ties. `sources` visits the open
/// positions that move to a given one.
fn propagate<G: Tiers, C: Shared>(
    open: &Open<C>,
    due: impl Iterator<Item = (u32, Option<Code>)>,
    watch: &dyn Watch,
    sources: impl Fn(u32, &mut dyn FnMut(u32)) + Sync,
) -> Result<(), TooNarrow> {
    let (mut wins, mut loses, mut ties) = (Buckets::new(), Buckets::new(), Buckets::new());
    let mut beyond = vec![];
    for (i, code) in due {
        match code.and_then(Code::value) {
            Some(Value::Win(r)) => wins.entry(r).or_default().push(i),
            Some(Value::Lose(r)) => loses.entry(r).or_default().push(i),
            Some(Value::Tie(r)) => ties.entry(r).or_default().push(i),
            _ => beyond.push(i),
        }
    }
    let is_open = |q: u32| C::get(&open.cells[q as usize]) == open.draw;
    let open_sources = |i, out: &mut Vec<u32>| {
        sources(i, &mut |q| {
            if is_open(q) {
                out.push(q)
            }
        })
    };
    while let Some(d) = next_distance(&wins, &loses) {
        let lost = settle::<G, C>(open, loses.remove(&d), Value::Lose(d))?;
        let won = settle::<G, C>(open, wins.remove(&d), Value::Win(d))?;
        // In a puzzle whoever can move to a won position has won, and to lost ones alone, lost.
        let (good, bad) = if G::ALONE { (won, lost) } else { (lost, won) };
        add(&mut wins, d + 1, spread(&good, watch, open_sources));
        for (q, code) in spread(&bad, watch, |i, out| sources(i, &mut |q| out.extend(last_move(open, q, d))))
        {
            let Some(Value::Lose(r)) = code.value() else { return Err(TooNarrow) };
            add(&mut loses, r, vec![q]);
        }
    }
    // Who has a win too long to write down must not settle for a tie.
    if beyond.iter().any(|i| open.best[*i as usize].is_lose() && is_open(*i)) {
        return Err(TooNarrow);
    }
    while let Some(d) = ties.keys().next().copied() {
        let tied = settle::<G, C>(open, ties.remove(&d), Value::Tie(d))?;
        add(&mut ties, d + 1, spread(&tied, watch, open_sources));
    }
    // A way too long to write down does no harm where a shorter one was found.
    if beyond.into_iter().any(is_open) { Err(TooNarrow) } else { Ok(()) }
}

fn next_distance(wins: &Buckets, loses: &Buckets) -> Option<u16> {
    wins.keys().next().into_iter().chain(loses.keys().next()).min().copied()
}

fn add(buckets: &mut Buckets, d: u16, mut new: Vec<u32>) {
    if !new.is_empty() {
        buckets.entry(d).or_default().append(&mut new);
    }
}

/// Gives a value to those of a bucket that are still open, and returns them.
fn settle<G: Tiers, C: Shared>(
    open: &Open<C>,
    bucket: Option<Vec<u32>>,
    value: Value,
) -> Result<Vec<u32>, TooNarrow> {
    let mut bucket = bucket.unwrap_or_default();
    match Code::of(value).and_then(C::pack::<G, Remoteness>) {
        Some(cell) => bucket.retain(|i| C::replace(&open.cells[*i as usize], open.draw, cell)),
        None if bucket.iter().any(|i| C::get(&open.cells[*i as usize]) == open.draw) => {
            return Err(TooNarrow);
        }
        None => bucket.clear(),
    }
    Ok(bucket)
}

/// One move of an open position now leads to a win in `d` for the other side. If it was
/// the last one open and no better way is left, the position is lost; gives its code.
#[inline]
fn last_move<C: Shared>(open: &Open<C>, q: u32, d: u16) -> Option<(u32, Code)> {
    let at = q as usize;
    if C::get(&open.cells[at]) != open.draw || open.left[at].fetch_sub(1, Relaxed) != 1 {
        return None;
    }
    // Distances only rise, so this win is the slowest of those inside the tier.
    let best = open.best[at].min(Code::of(Value::Win(d))?);
    best.is_win().then(|| (q, best.parent().unwrap_or(Code::UNKNOWN)))
}

/// Runs `each` over a list, in parallel where it is long, and gathers what it finds.
fn spread<T: Send>(list: &[u32], watch: &dyn Watch, each: impl Fn(u32, &mut Vec<T>) + Sync) -> Vec<T> {
    let chunk = |part: &[u32]| {
        let mut out = vec![];
        part.iter().for_each(|i| each(*i, &mut out));
        out
    };
    if list.len() <= CHUNK {
        return chunk(list);
    }
    let part = |range: Range<u64>| chunk(&list[range.start as usize..range.end as usize]);
    parallel::merged(list.len() as u64, CHUNK, watch, &part, Vec::new, |mut all, more| {
        if all.is_empty() {
            return more;
        }
        all.extend(more);
        all
    })
}

/// Looks at every open position again for every distance.
fn iterate<G: Tiers, C: Shared>(
    job: &Job<'_, G>,
    below: &Below<'_, G, Remoteness>,
    mut open: Open<C>,
) -> Result<Open<C>, TooNarrow> {
    second_look(job, below, &mut open, Edges::Count);
    rounds::<G, C>(job, &open, |best| !best.is_tie(), decided)?;
    rounds::<G, C>(job, &open, Code::is_tie, tied)?;
    Ok(open)
}

/// Runs all distances of one kind of value, `of` a way out of the tier.
fn rounds<G: Tiers, C: Shared>(
    job: &Job<'_, G>,
    open: &Open<C>,
    of: fn(Code) -> bool,
    stands: fn(Code, bool) -> bool,
) -> Result<(), TooNarrow> {
    let far = |best: &Code| best.value().and_then(Value::remoteness).map(|r| r + 1);
    let farthest = parallel::over(open.best.len() as u64, CHUNK, job.watch, &|range: Range<u64>| {
        let best = open.best[range.start as usize..range.end as usize].iter();
        best.filter(|best| of(**best)).filter_map(far).max()
    });
    let farthest = farthest.into_iter().flatten().max().unwrap_or(0);
    // A value of distance d comes from one of distance d - 1 inside the tier, or from
    // below: past the farthest of those, two idle rounds are the end.
    let (mut d, mut idle) = (1, 0);
    while idle < 2 || d <= farthest {
        idle = if round::<G, C>(job, open, d, stands)? { 0 } else { idle + 1 };
        d += 1;
    }
    Ok(())
}

/// Whether the best move of a position, known so far, makes it won or lost.
fn decided(best: Code, open: bool) -> bool {
    best.is_lose() || (best.is_win() && !open)
}

/// Whether it makes it tied, once all wins and losses are known.
fn tied(best: Code, _: bool) -> bool {
    best.is_tie()
}

/// Settles every open position that gets a value of distance `d`; says whether any did.
fn round<G: Tiers, C: Shared>(
    job: &Job<'_, G>,
    open: &Open<C>,
    d: u16,
    stands: fn(Code, bool) -> bool,
) -> Result<bool, TooNarrow> {
    let game = job.game;
    let chunks = parallel::try_over(open.cells.len() as u64, CHUNK, job.watch, &|range| {
        let (mut any, mut narrow) = (false, false);
        game.scan(&job.index, range, |i, p| {
            if C::get(&open.cells[i as usize]) != open.draw {
                return;
            }
            let (mut best, mut waits) = (open.best[i as usize], false);
            game.moves(p, |m| {
                let child = game.play(p, m);
                if game.tier(child) == job.tier {
                    match C::get(&open.cells[game.rank(&job.index, child) as usize]) {
                        cell if cell == open.draw => waits = true,
                        cell => best = best.min(seen::<G>(cell.unpack::<G, Remoteness>())),
                    }
                }
            });
            if stands(best, waits) && best.value().and_then(Value::remoteness) == Some(d - 1) {
                match best.parent().and_then(C::pack::<G, Remoteness>) {
                    Some(cell) => C::set(&open.cells[i as usize], cell),
                    None => narrow = true,
                }
                any = true;
            }
        });
        if narrow { Err(TooNarrow) } else { Ok(any) }
    })?;
    Ok(chunks.into_iter().any(|any| any))
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::{Face, Options};
    use zermelo_games::Quixo;

    #[test]
    fn lists_are_made_where_edges_are_kept_alone() {
        let options = Options::read(&Quixo::CARD, "rows=3,cols=3,line=3").expect("good options");
        let game = Quixo::new(&options).expect("a board");
        // A full board: no move leaves the tier.
        let tier = Tier(5 << 8 | 4);
        let index = Arc::new(game.index(tier));
        let job = Job { game: &game, tier, children: vec![], index, memory: 0, watch: &() };
        let below = Below::new(&game, tier, []).expect("nothing below");
        let mut open = first_look::<Quixo, u8>(&job).expect("short");
        let mut lists = |edges| {
            let found = second_look(&job, &below, &mut open, edges);
            let sum = |of: fn(&Found) -> usize| found.iter().map(of).sum::<usize>();
            [sum(|f| f.due.capacity()), sum(|f| f.sources.capacity()), sum(|f| f.ends.capacity())]
        };
        assert_eq!(lists(Edges::Count), [0, 0, 0]);
        assert!(lists(Edges::Keep).iter().all(|list| *list > 0));
    }

    #[test]
    fn edges_have_the_room_that_lists_leave() {
        for (size, open, edges) in [(1000, 300, 2000), (5, 5, 0), (0, 0, 7)] {
            assert_eq!(room_for_edges(10 * size + 24 * open + 8 * edges, size, open), edges);
        }
        assert_eq!((room_for_edges(9, 10, 10), room_for_edges(u64::MAX, 1, 1)), (0, u64::from(u32::MAX) / 2));
    }
}
