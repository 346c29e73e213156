//! Loop-free tiers in one pass: each position from its children, which come first.
//!
//! When every move leaves the tier any order will do, and chunks run in parallel. When
//! moves inside the tier raise the number, one thread goes down from the top.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use zermelo_core::{
    Code, Engine, EngineError, Face, Flow, Job, Made, Need, Objective, Remoteness, SharedJob, Sharing,
    Solved, StoredTier, Takes, Tier, Tiers,
};

use crate::below::{Below, Fault};
use crate::codes::{Cell, Codes};
use crate::forward::TooNarrow;
use crate::layout::Opens;
use crate::ranked::{Ranked, TierJob};
use crate::{CHUNK, parallel, share};

/// The engine for games without loops, for any objective: one pass over a tier looks each move up in the tiers below.
pub struct Sweep<G: Tiers, O = Remoteness>(Arc<Ranked<G, O>>);

impl<G: Tiers, O: Objective<G>> Sweep<G, O> {
    /// The engine for the tiers of a variant without loops. The tiers below are found on the way.
    pub fn over(tiers: &Arc<Ranked<G, O>>) -> Self {
        Sweep(tiers.clone())
    }
}

impl<G: Tiers + Face, O: Objective<G>> Opens for Sweep<G, O> {
    type Layout = Ranked<G, O>;
    const TAKES: Takes = Takes::new("sweep");

    // The tiers at the top tell of the variant.
    fn open(tiers: &Arc<Ranked<G, O>>) -> Option<Self> {
        let game = tiers.game();
        let loops = || game.roots().into_iter().any(|tier| game.flow(tier) == Flow::Loops);
        (O::takes(game) && !loops()).then(|| Sweep::over(tiers))
    }
}

impl<G: Tiers, O: Objective<G>> Engine for Sweep<G, O> {
    fn need(&self, tier: Tier) -> Need {
        // Two bytes a number where one will not do.
        let size = self.0.game().size(tier);
        Need { working: size.saturating_mul(2), useful: size.saturating_mul(2), result: size }
    }

    fn solve(&self, job: &Job<'_>) -> Made {
        let flow = self.0.game().flow(job.tier);
        if flow == Flow::Loops {
            return Err(EngineError::Loops(job.tier, "sweep"));
        }
        let job = &self.0.job(job);
        let below = job.below()?;
        let done = match pass::<G, O, u8>(job, &below, flow) {
            Err(TooNarrow) => pass::<G, O, u16>(job, &below, flow),
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

impl<G: Tiers, O: Objective<G>> Sharing for Sweep<G, O> {
    fn need(&self, tier: Tier, peers: usize, block: u64) -> Option<Need> {
        let game = self.0.game();
        (game.flow(tier) == Flow::Leaves).then(|| share::sweep::need(game, tier, peers, block))
    }

    fn solve(&self, job: &SharedJob<'_>) -> Made {
        match self.0.game().flow(job.tier) {
            Flow::Leaves => share::sweep::solve::<G, O>(&self.0.share_job(job)),
            Flow::Rises => Err(EngineError::Alone(job.tier, "sweep")),
            Flow::Loops => Err(EngineError::Loops(job.tier, "sweep")),
        }
    }
}

/// Solves a tier with cells of one width.
fn pass<G: Tiers, O: Objective<G>, C: Cell>(
    job: &TierJob<'_, G>,
    below: &Below<'_, G, O>,
    flow: Flow,
) -> Result<Arc<dyn Solved>, TooNarrow> {
    let mut cells = vec![C::UNKNOWN; job.game.size(job.tier) as usize];
    let narrow = AtomicBool::new(false);
    let positions = if flow == Flow::Rises {
        rising::<G, O, C>(job, below, &mut cells, &narrow)
    } else {
        let chunks = parallel::within(&mut cells, CHUNK, &|first, chunk: &mut [C]| {
            let mut positions = 0;
            job.game.scan(&job.index, first..first + chunk.len() as u64, |i, p| {
                let look = |child| below.code(job.game.tier(child), child);
                match value::<G, O>(job.game, &below.fault, p, look).and_then(C::pack::<G, O>) {
                    Some(cell) => chunk[(i - first) as usize] = cell,
                    None => narrow.store(true, Ordering::Relaxed),
                }
                positions += 1;
            });
            job.watch.advance(chunk.len() as u64);
            positions
        });
        chunks.into_iter().sum()
    };
    if narrow.into_inner() {
        return Err(TooNarrow);
    }
    Ok(Codes::<G, O>::new(C::wrap(cells), positions))
}

/// The code of a position, its children looked up by `code`; `None` when out of range.
#[inline]
pub(crate) fn value<G: Tiers, O: Objective<G>>(
    game: &G,
    fault: &Fault,
    p: G::Position,
    mut code: impl FnMut(G::Position) -> Code,
) -> Option<Code> {
    if let Some(outcome) = game.outcome(p) {
        return Some(O::finished(game, p, outcome));
    }
    let (mut fold, mut moves, mut unknown) = (O::EMPTY, 0, 0);
    game.moves(p, |m| {
        moves += 1;
        let child = game.play(p, m);
        match code(child) {
            Code::UNKNOWN => unknown += 1,
            code => fold = O::fold(fold, O::opposed(game, m, child, code)),
        }
    });
    if moves == 0 {
        fault.blame(|| format!("{p:?} is not over and has no move"));
    }
    if moves == 0 || unknown > 0 { Some(Code::UNKNOWN) } else { O::parent(fold) }
}

/// A tier in which moves raise the number, from the highest down; how many positions it has.
fn rising<G: Tiers, O: Objective<G>, C: Cell>(
    job: &TierJob<'_, G>,
    below: &Below<'_, G, O>,
    cells: &mut [C],
    narrow: &AtomicBool,
) -> u64 {
    let mut positions = 0;
    for i in (0..cells.len()).rev() {
        if i % CHUNK == 0 {
            job.watch.advance((cells.len() - i).min(CHUNK) as u64);
        }
        let Some(p) = job.game.unrank(&job.index, i as u64) else { continue };
        let code = value::<G, O>(job.game, &below.fault, p, |child| match job.game.tier(child) {
            tier if tier == job.tier => {
                let code = cells[job.game.rank(&job.index, child) as usize].unpack::<G, O>();
                // A code that did not fit leaves a cell empty; that is not the game's fault.
                if narrow.load(Ordering::Relaxed) { code } else { below.fault.known(code, child) }
            }
            tier => below.code(tier, child),
        });
        match code.and_then(C::pack::<G, O>) {
            Some(cell) => cells[i] = cell,
            None => narrow.store(true, Ordering::Relaxed),
        }
        positions += 1;
    }
    positions
}
