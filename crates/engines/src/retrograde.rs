//! Tiers whose moves can go round, solved backwards from the positions whose values are known, one distance after
//! another.
//!
//! After the forward pass (see `forward`) the open positions and the moves between them remain. They are solved
//! distance by distance. A position lost in d makes every open position that moves to it won in d + 1. A position won in
//! d takes one move from the count of every open position that moves to it, and the last such move makes that position
//! lost. Values that come from the tiers below wait in the bucket of their distance, so every position gets its true
//! distance. Ties follow in the same way, and what is left is a draw.
//!
//! In a puzzle, where nobody else moves, wins and losses change places: a won position makes those before it won, and a
//! lost one takes a move from them.
//!
//! The moves backwards come from one of two places, which are the two engines here: a
//! reversed graph built once (`retrograde`), or no list at all but a fresh look at every
//! open position (`iterate`), which needs less memory and is what `retrograde` falls back
//! on, with a remark, where the graph fits in no way. Games that can play backwards have an engine
//! of their own (`unmoves`).

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use zermelo_core::{
    Code, Engine, EngineError, Face, Job, Made, Need, Remoteness, Solved, StoredTier, Takes, Tier, Tiers,
    Unpoisoned, Value,
};

use crate::below::Below;
use crate::codes::Codes;
use crate::forward::{Edges, Open, Shared, TooNarrow, first_look, second_look, seen};
use crate::layout::Opens;
use crate::ranked::{Ranked, TierJob};
use crate::{CHUNK, parallel};
use graph::Graph;

mod graph;
mod room;

/// The engine for tiers whose moves can go round that works with a reversed graph of the moves, held in memory.
pub type Retrograde<G> = LoopEngine<G, true>;

/// The engine for tiers whose moves can go round that goes over all moves again for every distance, in little memory.
pub type Iterate<G> = LoopEngine<G, false>;

/// An engine for tiers in which play can return to a position: [`Retrograde`] where `GRAPH` is set, which keeps the moves
/// as a reversed graph, or else [`Iterate`], which looks at them again and again.
pub struct LoopEngine<G: Tiers, const GRAPH: bool> {
    tiers: Arc<Ranked<G, Remoteness>>,
    /// What tiers need: asked for many times, and a sample of positions has to be looked at to tell.
    needs: Mutex<HashMap<Tier, Need>>,
}

/// The most numbers a tier may have: edges are kept as 32 bits each.
const MOST: u64 = u32::MAX as u64 - 1;

impl<G: Tiers, const GRAPH: bool> LoopEngine<G, GRAPH> {
    const NAME: &'static str = if GRAPH { "retrograde" } else { "iterate" };

    /// The engine for the tiers of a variant.
    pub fn over(tiers: &Arc<Ranked<G, Remoteness>>) -> Self {
        LoopEngine { tiers: tiers.clone(), needs: Mutex::default() }
    }
}

impl<G: Tiers + Face, const GRAPH: bool> Opens for LoopEngine<G, GRAPH> {
    type Layout = Ranked<G, Remoteness>;
    const TAKES: Takes =
        Takes { loops: true, passes: false, most: MOST, otherwise: "sweep", ..Takes::new(Self::NAME) };

    fn open(tiers: &Arc<Ranked<G, Remoteness>>) -> Option<Self> {
        Some(LoopEngine::over(tiers))
    }
}

impl<G: Tiers, const GRAPH: bool> Engine for LoopEngine<G, GRAPH> {
    fn need(&self, tier: Tier) -> Need {
        if let Some(need) = self.needs.lock().unpoisoned().get(&tier) {
            return *need;
        }
        // Asked for outside the lock: two threads may do so at once, and are told alike.
        let game = self.tiers.game();
        let size = game.size(tier);
        let working = size.saturating_mul(room::NUMBER);
        let useful = if GRAPH { room::useful(game, tier).max(working) } else { working };
        *self.needs.lock().unpoisoned().entry(tier).or_insert(Need { working, useful, result: size })
    }

    fn solve(&self, job: &Job<'_>) -> Made {
        let job = &self.tiers.job(job);
        let size = job.game.size(job.tier);
        if size > MOST {
            return Err(EngineError::TooLarge(job.tier, size, Self::NAME));
        }
        let below = job.below()?;
        let done = match solve::<G, u8, GRAPH>(job, &below) {
            Err(TooNarrow) => solve::<G, u16, GRAPH>(job, &below),
            done => done,
        };
        below.fault.check()?;
        done.map_err(|TooNarrow| EngineError::OutOfRange(job.tier))
    }

    fn load(&self, stored: &StoredTier<'_>) -> Made {
        self.tiers.load(stored)
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Made {
        self.tiers.restore(tier, spilled)
    }
}

/// Solves a tier with cells of one width.
fn solve<G: Tiers, C: Shared, const GRAPH: bool>(
    job: &TierJob<'_, G>,
    below: &Below<'_, G, Remoteness>,
) -> Result<Arc<dyn Solved>, TooNarrow> {
    let mut open = first_look::<G, C>(job)?;
    let graph = if GRAPH { Graph::new(job, below, &mut open) } else { None };
    match graph {
        Some((graph, due)) => propagate::<G, C>(&open, due.into_iter().flatten(), |i, visit| {
            graph.sources(i).iter().for_each(|q| visit(*q))
        })?,
        None => iterate(job, below, &mut open)?,
    }
    let cells = open.cells.into_iter().map(C::own).collect();
    Ok(Codes::<G, Remoteness>::new(C::wrap(cells), open.positions))
}

/// Positions that may get their value at a distance, by distance.
type Buckets = BTreeMap<u16, Vec<u32>>;

/// Runs all distances, wins and losses first, then ties. `sources` visits the open
/// positions that move to a given one.
fn propagate<G: Tiers, C: Shared>(
    open: &Open<C>,
    due: impl Iterator<Item = (u32, Option<Code>)>,
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
    // Won in `d`, and marked as that before.
    let (mut d, mut marked) = (0, vec![]);
    while !marked.is_empty() || next_distance(&wins, &loses).is_some() {
        d = if marked.is_empty() { next_distance(&wins, &loses).unwrap_or(d) } else { d + 1 };
        let lost = settle::<G, C>(open, loses.remove(&d), Value::Lose(d))?;
        let mut won = settle::<G, C>(open, wins.remove(&d), Value::Win(d))?;
        won.append(&mut marked);
        // In a puzzle whoever can move to a won position has won, and to lost ones alone, lost.
        let (good, bad) = if G::ALONE { (won, lost) } else { (lost, won) };
        marked = mark::<G, C>(open, &good, Value::Win(d + 1), &sources)?;
        for (q, code) in spread(&bad, |i, out| sources(i, &mut |q| out.extend(last_move(open, q, d)))) {
            let Some(Value::Lose(r)) = code.value() else { return Err(TooNarrow) };
            loses.entry(r).or_default().push(q);
        }
    }
    // Who has a win too long to write down must not settle for a tie.
    if beyond.iter().any(|i| open.best[*i as usize].is_lose() && is_open(*i)) {
        return Err(TooNarrow);
    }
    while !marked.is_empty() || !ties.is_empty() {
        d = if marked.is_empty() { ties.keys().next().copied().unwrap_or(d) } else { d + 1 };
        let mut tied = settle::<G, C>(open, ties.remove(&d), Value::Tie(d))?;
        tied.append(&mut marked);
        marked = mark::<G, C>(open, &tied, Value::Tie(d + 1), &sources)?;
    }
    // A way too long to write down does no harm where a shorter one was found.
    if beyond.into_iter().any(is_open) { Err(TooNarrow) } else { Ok(()) }
}

fn next_distance(wins: &Buckets, loses: &Buckets) -> Option<u16> {
    wins.keys().next().into_iter().chain(loses.keys().next()).min().copied()
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

/// Gives a value to all open positions that move to one of a list, and returns them, each once: many moves may
/// lead there.
fn mark<G: Tiers, C: Shared>(
    open: &Open<C>,
    list: &[u32],
    value: Value,
    sources: &(impl Fn(u32, &mut dyn FnMut(u32)) + Sync),
) -> Result<Vec<u32>, TooNarrow> {
    let cell = Code::of(value).and_then(C::pack::<G, Remoteness>);
    let marked = spread(list, |i, out| {
        sources(i, &mut |q| {
            let at = &open.cells[q as usize];
            if C::get(at) == open.draw && cell.is_none_or(|cell| C::replace(at, open.draw, cell)) {
                out.push(q);
            }
        })
    });
    if cell.is_none() && !marked.is_empty() { Err(TooNarrow) } else { Ok(marked) }
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
fn spread<T: Send>(list: &[u32], each: impl Fn(u32, &mut Vec<T>) + Sync) -> Vec<T> {
    let chunk = |part: &[u32]| {
        let mut out = vec![];
        part.iter().for_each(|i| each(*i, &mut out));
        out
    };
    if list.len() <= CHUNK {
        return chunk(list);
    }
    let part = |range: Range<u64>| chunk(&list[range.start as usize..range.end as usize]);
    parallel::merged(list.len() as u64, CHUNK, &part, Vec::new, |mut all, more| {
        if all.is_empty() {
            return more;
        }
        all.extend(more);
        all
    })
}

/// Looks at every open position again for every distance.
fn iterate<G: Tiers, C: Shared>(
    job: &TierJob<'_, G>,
    below: &Below<'_, G, Remoteness>,
    open: &mut Open<C>,
) -> Result<(), TooNarrow> {
    second_look(job, below, open, Edges::Count);
    rounds::<G, C>(job, open, |best| !best.is_tie(), decided)?;
    rounds::<G, C>(job, open, Code::is_tie, tied)
}

/// Runs all distances of one kind of value, `of` a way out of the tier.
fn rounds<G: Tiers, C: Shared>(
    job: &TierJob<'_, G>,
    open: &Open<C>,
    of: fn(Code) -> bool,
    stands: fn(Code, bool) -> bool,
) -> Result<(), TooNarrow> {
    let far = |best: &Code| best.value().and_then(Value::remoteness).map(|r| r + 1);
    let farthest = parallel::over(open.best.len() as u64, CHUNK, &|range: Range<u64>| {
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
    job: &TierJob<'_, G>,
    open: &Open<C>,
    d: u16,
    stands: fn(Code, bool) -> bool,
) -> Result<bool, TooNarrow> {
    let game = job.game;
    let chunks = parallel::try_over(open.cells.len() as u64, CHUNK, &|range| {
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
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::forward::{OpenMoves, Slice};
    use zermelo_core::{Flow, Game, Outcome};

    /// A ring of numbers: one step either way. Number 0 is lost and number 6 is a tie.
    struct Ring;

    impl Game for Ring {
        type Position = u64;
        type Move = u64;

        fn start(&self) -> u64 {
            3
        }
        fn outcome(&self, p: u64) -> Option<Outcome> {
            [(0, Outcome::Lose), (6, Outcome::Tie)].into_iter().find(|(at, _)| *at == p).map(|(_, o)| o)
        }
        fn moves(&self, _: u64, visit: impl FnMut(u64)) {
            [1, 11].into_iter().for_each(visit);
        }
        fn play(&self, p: u64, step: u64) -> u64 {
            (p + step) % 12
        }
    }

    impl Tiers for Ring {
        type Index = ();

        fn flow(&self, _: Tier) -> Flow {
            Flow::Loops
        }
        fn size(&self, _: Tier) -> u64 {
            12
        }
        fn index(&self, _: Tier) {}
        fn rank(&self, _: &(), p: u64) -> u64 {
            p
        }
        fn unrank(&self, _: &(), i: u64) -> Option<u64> {
            Some(i)
        }
    }

    #[test]
    fn lists_are_made_where_edges_are_kept_alone() {
        let (game, tier) = (Ring, Tier(0));
        let job = TierJob {
            game: &game,
            tier,
            children: vec![],
            index: Arc::new(()),
            memory: 0,
            watch: &(),
            checkpoint: None,
        };
        let below = Below::new(&game, tier, []).expect("nothing below");
        let mut open = first_look::<Ring, u8>(&job).expect("short");
        let mut lists = |edges| {
            let found = second_look(&job, &below, &mut open, edges);
            let sum = |of: fn(&OpenMoves) -> usize| found.iter().map(of).sum::<usize>();
            [sum(|f| f.due.capacity()), sum(|f| f.sources.capacity()), sum(|f| f.ends.capacity())]
        };
        assert_eq!(lists(Edges::Count), [0, 0, 0]);
        let all = Slice { run: 1, of: 1, number: 0, most: u64::MAX, met: AtomicU64::new(0) };
        assert!(lists(Edges::Keep(&all)).iter().all(|list| *list > 0));
    }
}
