//! Loop-free tiers in one pass: each position from its children, which come first.
//!
//! When every move leaves the tier any order will do, and chunks run in parallel. When
//! moves inside the tier raise the number, one thread goes down from the top.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use zermelo_core::{
    Code, Engine, EngineError, Flow, Job, Need, Objective, Remoteness, Solved, Stored, Tier, Tiers,
};

use crate::CHUNK;
use crate::below::Below;
use crate::codes::{Cell, Codes};

/// The loop-free engine, for any objective.
pub struct Sweep<O = Remoteness>(PhantomData<fn() -> O>);

/// Why a pass must be given up.
enum Failed {
    TooNarrow,
    Error(EngineError),
}

impl<G: Tiers, O: Objective<G>> Engine<G> for Sweep<O> {
    const NAME: &'static str = "sweep";
    type Objective = O;

    fn need(game: &G, tier: Tier) -> Need {
        let size = game.size(tier);
        Need { working: size, result: size }
    }

    fn solve(job: &Job<'_, G>) -> Result<Arc<dyn Solved>, EngineError> {
        let flow = job.game.flow(job.tier);
        if flow == Flow::Loops {
            return Err(EngineError::Loops(job.tier, "sweep"));
        }
        let below = Below::<G, O>::new(job.game, job.tier, job.children.iter().map(|(t, i, s)| (*t, i, s)))?;
        let result = match pass::<G, O, u8>(job, &below, flow) {
            Err(Failed::TooNarrow) => pass::<G, O, u16>(job, &below, flow),
            done => done,
        };
        match result {
            Ok(solved) => Ok(solved),
            Err(Failed::TooNarrow) => Err(EngineError::OutOfRange(job.tier)),
            Err(Failed::Error(error)) => Err(error),
        }
    }

    fn load(stored: &Stored<'_, G>) -> Result<Arc<dyn Solved>, EngineError> {
        Ok(Codes::<G, O>::load(stored)?)
    }
}

fn pass<G: Tiers, O: Objective<G>, C: Cell>(
    job: &Job<'_, G>,
    below: &Below<'_, G, O>,
    flow: Flow,
) -> Result<Arc<dyn Solved>, Failed> {
    let mut cells = vec![C::UNKNOWN; job.game.size(job.tier) as usize];
    let narrow = AtomicBool::new(false);
    let positions = match flow {
        Flow::Rises => rising::<G, O, C>(job, below, &mut cells, &narrow),
        _ => leaving::<G, O, C>(job, below, &mut cells, &narrow),
    };
    below.faultless().map_err(Failed::Error)?;
    match narrow.into_inner() {
        true => Err(Failed::TooNarrow),
        false => Ok(Codes::<G, O>::new(C::wrap(cells), positions)),
    }
}

/// The code of a position, its children looked up by `code`.
#[inline]
fn value<G: Tiers, O: Objective<G>>(
    game: &G,
    p: G::Position,
    mut code: impl FnMut(G::Position) -> Code,
) -> Option<Code> {
    if let Some(outcome) = game.outcome(p) {
        return Some(O::finished(game, p, outcome));
    }
    let mut fold = O::EMPTY;
    game.moves(p, |m| fold = O::fold(fold, code(game.play(p, m))));
    O::parent(fold)
}

fn leaving<G: Tiers, O: Objective<G>, C: Cell>(
    job: &Job<'_, G>,
    below: &Below<'_, G, O>,
    cells: &mut [C],
    narrow: &AtomicBool,
) -> u64 {
    let chunks = cells.par_chunks_mut(CHUNK).enumerate().map(|(n, chunk)| {
        let first = (n * CHUNK) as u64;
        let mut positions = 0;
        job.game.scan(&job.index, first..first + chunk.len() as u64, |i, p| {
            let code = value::<G, O>(job.game, p, |child| below.code(job.game.tier(child), child));
            match code.and_then(C::pack::<G, O>) {
                Some(cell) => chunk[(i - first) as usize] = cell,
                None => narrow.store(true, Ordering::Relaxed),
            }
            positions += 1;
        });
        job.watch.advance(chunk.len() as u64);
        positions
    });
    chunks.sum()
}

fn rising<G: Tiers, O: Objective<G>, C: Cell>(
    job: &Job<'_, G>,
    below: &Below<'_, G, O>,
    cells: &mut [C],
    narrow: &AtomicBool,
) -> u64 {
    let mut positions = 0;
    for i in (0..cells.len()).rev() {
        let Some(p) = job.game.unrank(&job.index, i as u64) else { continue };
        let code = value::<G, O>(job.game, p, |child| match job.game.tier(child) {
            tier if tier == job.tier => cells[job.game.rank(&job.index, child) as usize].unpack::<G, O>(),
            tier => below.code(tier, child),
        });
        match code.and_then(C::pack::<G, O>) {
            Some(cell) => cells[i] = cell,
            None => narrow.store(true, Ordering::Relaxed),
        }
        positions += 1;
        if i % CHUNK == 0 {
            job.watch.advance(CHUNK as u64);
        }
    }
    positions
}
