//! Tiers whose moves can go round, solved backwards, where the game can say which positions lead to one.
//!
//! Every number has one word: its code, and how many moves inside the tier may still save it.
//!
//! The forward pass fills in what the moves that leave the tier give. A win stands unless a faster one is found
//! later; a loss is not certain before the moves that stay in the tier are known to lose.
//!
//! The backward pass goes distance by distance. A position lost in d makes the positions with a move to it won
//! in d + 1. A position won in d takes a move from the positions with a move to it; one that has no move left is lost.
//! In a puzzle, where nobody else moves, a won position makes those before it won, and a lost one takes a move from
//! them.
//!
//! A code is written before its distance is reached, whether the forward or the backward pass found it. So one scan of
//! the table finds all positions of a distance, and no lists of them are kept. Each run of numbers has a note of the
//! distances that it holds, and is scanned for those alone.

pub(crate) mod table;

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use zermelo_core::{
    Code, Engine, EngineError, Face, Job, Made, Need, Outcome, Remoteness, SharedJob, Sharing, Sight, Solved,
    StoredTier, Takes, Tier, Unmove, laws,
};

use crate::below::Below;
use crate::forward::{TooNarrow, seen};
use crate::layout::{Opens, TierLaws};
use crate::ranked::{Ranked, TierJob};
use crate::{parallel, share};
use table::{Notes, RUN, Step, Word};

/// The engine for tiers whose moves can go round, of games that can play backwards ([`Unmove`]): the game says which
/// positions lead to one.
pub struct Unmoves<G: Unmove>(Arc<Ranked<G, Remoteness>>);

/// Numbers that one task looks at in the forward pass.
const PIECE: usize = 1 << 14;

impl<G: Unmove> Unmoves<G> {
    /// The engine for the tiers of a variant.
    pub fn over(tiers: &Arc<Ranked<G, Remoteness>>) -> Self {
        Unmoves(tiers.clone())
    }
}

impl<G: Unmove + Face> Opens for Unmoves<G> {
    type Layout = Ranked<G, Remoteness>;
    const TAKES: Takes = Takes { loops: true, passes: false, otherwise: "sweep", ..Takes::new("unmoves") };
    const LAWS: Option<TierLaws<Self::Layout>> = Some(|game, tier| {
        laws::check_unmoves(game, tier)?;
        laws::check_outlook(game, tier)
    });

    fn open(tiers: &Arc<Ranked<G, Remoteness>>) -> Option<Self> {
        Some(Unmoves::over(tiers))
    }
}

impl<G: Unmove> Engine for Unmoves<G> {
    fn need(&self, tier: Tier) -> Need {
        // A word a number, and the codes at the end; twice that where distances run long.
        let size = self.0.game().size(tier);
        let bytes = |each: u64| size.saturating_mul(each).saturating_add(size / RUN as u64 * 32);
        Need { working: bytes(3), useful: bytes(6), result: size }
    }

    fn solve(&self, job: &Job<'_>) -> Made {
        let job = &self.0.job(job);
        let below = job.below()?;
        let done = solve::<G, u8>(job, &below);
        below.fault.check()?;
        let wide = Engine::need(self, job.tier).useful;
        let done = match done {
            Err(TooNarrow) if job.memory < wide => return Err(EngineError::LongLines(job.tier, wide)),
            Err(TooNarrow) => solve::<G, u16>(job, &below),
            done => done,
        };
        below.fault.check()?;
        done.map_err(|TooNarrow| EngineError::OutOfRange(job.tier))
    }

    fn load(&self, stored: &StoredTier<'_>) -> Made {
        self.0.load(stored)
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Made {
        self.0.restore(tier, spilled)
    }

    #[cfg(feature = "cluster")]
    fn sharing(&self) -> Option<&dyn Sharing> {
        Some(self)
    }
}

impl<G: Unmove> Sharing for Unmoves<G> {
    fn need(&self, tier: Tier, peers: usize, block: u64) -> Option<Need> {
        Some(share::unmoves::need(self.0.game(), tier, peers, block))
    }

    fn solve(&self, job: &SharedJob<'_>) -> Made {
        share::unmoves::solve(&self.0.share_job(job))
    }
}

/// What the forward pass sees of one position after the other.
struct Look<'a, 'b, G: Unmove, C: Word> {
    below: &'a Below<'b, G, Remoteness>,
    table: &'a Notes<C>,
    /// The best code of the moves that leave the tier.
    best: Code,
    positions: u64,
}

impl<G: Unmove, C: Word> Sight<G> for Look<'_, '_, G, C> {
    #[inline]
    fn leaves(&mut self, child: G::Position) {
        let code = self.below.code(self.below.game.tier(child), child);
        self.best = self.best.min(seen::<G>(code));
    }

    #[inline]
    fn seen(&mut self, i: u64, over: Option<Outcome>, inside: usize) {
        self.positions += 1;
        let best = std::mem::replace(&mut self.best, Code::UNKNOWN);
        self.table.take_in::<G>(i, over, inside, best, &self.below.fault);
    }
}

fn solve<G: Unmove, C: Word>(
    job: &TierJob<'_, G>,
    below: &Below<'_, G, Remoteness>,
) -> Result<Arc<dyn Solved>, TooNarrow> {
    let table = Notes::<C>::new(0..job.game.size(job.tier));
    let positions = forward(job, below, &table);
    rounds(job, &table, Step::decided::<G>);
    table.turn_to_ties::<G>();
    if table.ties.load(Relaxed) {
        rounds(job, &table, Step::tied::<G>);
    }
    table.end::<G>();
    if table.narrow.load(Relaxed) {
        return Err(TooNarrow);
    }
    job.watch.advance(job.game.size(job.tier).div_ceil(2));
    Ok(table.codes::<G>(positions, table.fits_bytes::<G>()))
}

/// What the rules and the tiers below tell; says how many positions there are.
fn forward<G: Unmove, C: Word>(
    job: &TierJob<'_, G>,
    below: &Below<'_, G, Remoteness>,
    table: &Notes<C>,
) -> u64 {
    let pieces = parallel::over(job.game.size(job.tier), PIECE, &|range| {
        let many = range.end - range.start;
        let mut look = Look { below, table, best: Code::UNKNOWN, positions: 0 };
        job.game.outlook(job.tier, &job.index, range, &mut look);
        job.watch.advance(many / 2);
        look.positions
    });
    pieces.into_iter().sum()
}

/// Distance by distance, as long as there are any.
fn rounds<G: Unmove, C: Word>(job: &TierJob<'_, G>, table: &Notes<C>, step: fn(u16) -> Step<C>) {
    let mut d = 0;
    while d <= table.furthest.load(Relaxed) && !table.narrow.load(Relaxed) {
        round(job, table, &step(d as u16));
        d += 1;
    }
}

/// Follows the values of one distance back, run by run in parallel.
fn round<G: Unmove, C: Word>(job: &TierJob<'_, G>, table: &Notes<C>, step: &Step<C>) {
    parallel::with_buffer(&table.runs(step.d), &|buffer: &mut Vec<u64>, run| {
        for (i, is_won) in table.tellers(*run, step) {
            buffer.clear();
            job.game.sources(&job.index, i, |q| buffer.push(q));
            table.fetch(buffer.iter().copied());
            buffer.iter().for_each(|q| table.tell::<G>(*q, is_won != G::ALONE, step));
        }
    });
}
