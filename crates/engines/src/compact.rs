//! Tiers whose moves can go round, of any size, in one byte a number.
//!
//! Every number has one cell and there is nothing else: no graph, no counts, no lists. A cell holds a code, or says that
//! the position is open. A code that is found before its distance waits in its cell.
//!
//! The forward pass looks at each position by itself and at the tiers below. Whoever wins or ties by leaving the tier
//! has a code then; whoever could only lose by leaving is open.
//!
//! Then come the distances, one after another. A position lost in d makes the positions with a move to it won in d + 1.
//! A position won in d flags the open positions with a move to it. A flagged position looks forward at its moves: if
//! all lead to positions that are won by now it is lost, and otherwise it is open again. In a puzzle wins and losses
//! change places. Ties follow in the same way as wins, and what is still open in the end is a draw.
//!
//! The work is cut into pieces of some seconds. Between two pieces the cells and the place reached are all that is to be
//! known, so a checkpoint is a copy of them.

mod forward;
pub(crate) mod lanes;
mod rounds;
mod state;

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use zermelo_core::{
    Code, Engine, EngineError, Face, Job, Made, Need, Remoteness, Solved, StoredTier, Takes, Tier, Unmove,
    Width, laws,
};

use crate::below::Below;
use crate::codes::{Cell, Cells, Codes};
use crate::forward::TooNarrow;
use crate::layout::{Opens, TierLaws};
use crate::parallel;
use crate::ranked::{Ranked, TierJob};
use lanes::{FAR, FAR_TIE, Lanes};
use state::{Phase, Place, Saved};

/// The engine for tiers of any size whose moves can go round, of games that can play backwards ([`Unmove`]), in one byte
/// a number.
pub struct Compact<G: Unmove> {
    tiers: Arc<Ranked<G, Remoteness>>,
    /// Numbers that are worked on between two looks at the clock.
    piece: u64,
}

/// Numbers that take some seconds.
const PIECE: u64 = 1 << 24;

impl<G: Unmove> Compact<G> {
    /// The engine for the tiers of a variant.
    pub fn over(tiers: &Arc<Ranked<G, Remoteness>>) -> Self {
        Compact { tiers: tiers.clone(), piece: PIECE }
    }

    /// The engine with pieces of so many numbers between two looks at the clock, rounded up to a multiple of eight; for
    /// tests.
    #[doc(hidden)]
    pub fn in_pieces(self, numbers: u64) -> Self {
        Compact { piece: numbers.max(1).next_multiple_of(8), ..self }
    }
}

impl<G: Unmove + Face> Opens for Compact<G> {
    type Layout = Ranked<G, Remoteness>;
    const TAKES: Takes = Takes { loops: true, passes: false, otherwise: "sweep", ..Takes::new("compact") };
    const LAWS: Option<TierLaws<Self::Layout>> = Some(laws::check_unmoves);

    fn open(tiers: &Arc<Ranked<G, Remoteness>>) -> Option<Self> {
        Some(Compact::over(tiers))
    }
}

/// Bytes beside the cells: the names of codes, and what threads work with.
const BESIDE: u64 = 1 << 17;

impl<G: Unmove> Engine for Compact<G> {
    fn need(&self, tier: Tier) -> Need {
        let size = self.tiers.game().size(tier);
        let working = size.saturating_add(BESIDE);
        // Where more than 250 codes occur cells have two bytes, and so has the result.
        let useful = size.saturating_mul(4).saturating_add(BESIDE);
        Need { working, useful, result: size }
    }

    fn solve(&self, job: &Job<'_>) -> Made {
        let wide = Engine::need(self, job.tier).useful;
        let job = &self.tiers.job(job);
        let below = job.below()?;
        let saved = job.checkpoint.and_then(|checkpoint| Saved::open(job, checkpoint));
        let done = match saved {
            Some(saved) if saved.is_wide() => Err(TooNarrow),
            saved => solve::<G, 8>(job, &below, saved, self.piece)?,
        };
        below.fault.check()?;
        let done = match done {
            Err(TooNarrow) if job.memory < wide => return Err(EngineError::LongLines(job.tier, wide)),
            Err(TooNarrow) => {
                let saved = job.checkpoint.and_then(|checkpoint| Saved::open(job, checkpoint));
                solve::<G, 16>(job, &below, saved.filter(Saved::is_wide), self.piece)?
            }
            done => done,
        };
        below.fault.check()?;
        done.map_err(|TooNarrow| EngineError::OutOfRange(job.tier))
    }

    fn load(&self, stored: &StoredTier<'_>) -> Made {
        Ok(Codes::<G, Remoteness>::load_in_bytes(self.tiers.game(), &self.tiers.index(stored.tier), stored)?)
    }

    fn loaded_bytes(&self, tier: Tier, _: u64) -> u64 {
        self.tiers.game().size(tier)
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Made {
        self.tiers.restore(tier, spilled)
    }
}

/// A solved tier, unless its cells are too narrow.
type Done = Result<Arc<dyn Solved>, TooNarrow>;

/// A tier at work.
struct Work<'a, G: Unmove, const BITS: u32> {
    job: &'a TierJob<'a, G>,
    below: &'a Below<'a, G, Remoteness>,
    lanes: Lanes<BITS>,
    /// Whether a position may be flagged.
    flagged: AtomicBool,
}

/// Solves a tier with cells of so many bits, from where an earlier run was.
fn solve<G: Unmove, const BITS: u32>(
    job: &TierJob<'_, G>,
    below: &Below<'_, G, Remoteness>,
    saved: Option<Saved<'_>>,
    piece: u64,
) -> Result<Done, EngineError> {
    let size = job.game.size(job.tier);
    let (lanes, mut place) = match saved.and_then(|saved| saved.read::<G, BITS>(job)) {
        Some(found) => {
            job.watch.remark(&format!("tier {}: goes on from its checkpoint", job.tier));
            found
        }
        None => (Lanes::new(size), Place::START),
    };
    let work = Work { job, below, lanes, flagged: AtomicBool::new(true) };
    if place.phase != Phase::Forward || place.at > 0 {
        job.watch.advance(if place.phase == Phase::Forward { place.at / 2 } else { size / 2 });
    }
    while place.phase != Phase::End {
        place = work.piece(place, piece);
        below.fault.check()?;
        if work.lanes.is_full() {
            return Ok(Err(TooNarrow));
        }
        if let Some(checkpoint) = job.checkpoint.filter(|checkpoint| checkpoint.due()) {
            checkpoint.save(state::spill(size, &work.lanes, place));
        }
    }
    job.watch.advance(size.div_ceil(2));
    Ok(work.end())
}

/// Numbers that a task looks at in the last pass.
const PART: usize = 1 << 16;

impl<G: Unmove, const BITS: u32> Work<'_, G, BITS> {
    /// The codes, once all distances are done.
    fn end(self) -> Done {
        let lanes = &self.lanes;
        let parts = parallel::over(lanes.size(), PART, &|range| lanes.occur(range));
        let positions = parts.iter().map(|(positions, _)| positions).sum();
        let occurs = |cell: u16| parts.iter().any(|(_, occur)| occur[usize::from(cell)]);
        if occurs(FAR) || occurs(FAR_TIE) {
            return Err(TooNarrow);
        }
        let narrow = |code: Code| u8::pack::<G, Remoteness>(code).is_some();
        let cells = 0..=u16::MAX >> (16 - BITS);
        let fits = cells.filter(|cell| occurs(*cell)).all(|cell| narrow(lanes.code_of(cell)));
        let cells = match self.lanes.into_bytes() {
            Ok(lanes) => Cells::Named(lanes, if fits { Width::One } else { Width::Two }),
            Err(lanes) if fits => {
                u8::wrap(plain(&lanes, |code| u8::pack::<G, Remoteness>(code).unwrap_or(u8::UNKNOWN)))
            }
            Err(lanes) => u16::wrap(plain(&lanes, |code| code.0)),
        };
        Ok(Codes::<G, Remoteness>::new(cells, positions))
    }
}

/// The codes as plain cells.
fn plain<C: Cell, const BITS: u32>(lanes: &Lanes<BITS>, cell: impl Fn(Code) -> C + Sync) -> Vec<C> {
    let mut cells = bytemuck::zeroed_vec(lanes.size() as usize);
    parallel::within(&mut cells, PART, &|first, cells: &mut [C]| {
        cells.iter_mut().zip(first..).for_each(|(to, i)| *to = cell(lanes.code(i)));
    });
    cells
}
