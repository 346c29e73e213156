//! Pentago's sections as tiers, and its search.

use std::io::Read;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use zermelo_core::sections::{SPOTS, Section};
use zermelo_core::{
    Code, Count, Engine, EngineError, Face, Game, Job, Limits, Need, Pair, Reason, Remoteness, ShareJob,
    Solved, Stored, Tier, Turn, Winner,
};
use zermelo_games::Pentago;

use super::sections::{self, Packed, section_of};
use super::{Midgame, Scores};
use crate::Sweep;
use crate::isa::Isa;
use crate::parked::unreadable;

/// Rotation tables, for who wins or for distances besides.
pub struct Rotations<O = Winner>(PhantomData<fn() -> O>);

impl Engine<Pentago> for Rotations<Winner> {
    const NAME: &'static str = "rotations";
    type Objective = Winner;
    const BY_POSITION: bool = false;

    fn need(_: &Pentago, tier: Tier) -> Need {
        let Some(section) = Section::from_sig(tier.0) else {
            return Need { working: 0, useful: 0, result: 0 };
        };
        let working = sections::bytes(section, rayon::current_num_threads());
        Need { working, useful: working, result: section.entries().saturating_mul(sections::PACKED) }
    }

    fn solve(job: &Job<'_, Pentago>) -> Result<Arc<dyn Solved>, EngineError> {
        let failed = |reason: Reason| EngineError::Load { tier: job.tier, reason };
        let section = section_of(job.tier).map_err(failed)?;
        let mut children = vec![];
        for (quadrant, next) in section.children() {
            let standard = next.standard().0.sig();
            let found = job.children.iter().find(|(tier, _, _)| tier.0 == standard);
            let packed = found.and_then(|(_, _, solved)| solved.as_any().downcast_ref::<Packed>());
            let packed = packed.ok_or_else(|| failed(format!("section {next} is not there").into()))?;
            children.push((quadrant, next, packed));
        }
        Ok(Arc::new(sections::solve(section, &children, Isa::best(), job.watch).map_err(failed)?))
    }

    fn load(stored: &Stored<'_, Pentago>) -> Result<Arc<dyn Solved>, EngineError> {
        let failed = |reason: Reason| EngineError::Load { tier: stored.tier, reason };
        Ok(Arc::new(sections::load(stored).map_err(failed)?))
    }

    fn unpark(_: &Pentago, tier: Tier, parked: &mut dyn Read) -> Result<Arc<dyn Solved>, EngineError> {
        let section = section_of(tier).map_err(|reason| EngineError::Load { tier, reason })?;
        Ok(Arc::new(Packed::unpark(section, parked).map_err(unreadable(tier))?))
    }

    fn share_need(_: &Pentago, tier: Tier, peers: usize, block: u64) -> Option<Need> {
        Section::from_sig(tier.0).map(|section| sections::share::need(section, peers, block))
    }

    fn solve_share(job: &ShareJob<'_, Pentago>) -> Result<Arc<dyn Solved>, EngineError> {
        sections::share::solve(job, Isa::best())
    }

    fn tally(game: &Pentago, tier: Tier, solved: &dyn Solved) -> Option<Vec<Count>> {
        sections::count(game, tier, solved.as_any().downcast_ref()?)
    }

    fn examine_bytes(_: &Pentago, p: Position) -> Option<u64> {
        few(p).map(Midgame::bytes_needed)
    }

    fn examine(game: &Pentago, p: Position, limits: Limits) -> Option<(Code, Vec<Code>)> {
        let code = |score: i8| [Winner::LOSE, Winner::TIE, Winner::WIN][(score + 1) as usize];
        let scores = search(game, p, Self::examine_bytes(game, p)?, limits, Midgame::solve)?;
        Some((code(scores.root), scores.moves.into_iter().map(|(_, score)| code(score)).collect()))
    }
}

/// With distances: sections are solved one board at a time, for small ones; the search has tables.
impl Engine<Pentago> for Rotations<Remoteness> {
    const NAME: &'static str = "rotations";
    type Objective = Remoteness;

    fn need(game: &Pentago, tier: Tier) -> Need {
        Sweep::<Remoteness>::need(game, tier)
    }

    fn solve(job: &Job<'_, Pentago>) -> Result<Arc<dyn Solved>, EngineError> {
        Sweep::<Remoteness>::solve(job)
    }

    fn load(stored: &Stored<'_, Pentago>) -> Result<Arc<dyn Solved>, EngineError> {
        Sweep::<Remoteness>::load(stored)
    }

    fn unpark(game: &Pentago, tier: Tier, parked: &mut dyn Read) -> Result<Arc<dyn Solved>, EngineError> {
        Sweep::<Remoteness>::unpark(game, tier, parked)
    }

    fn share_need(game: &Pentago, tier: Tier, peers: usize, block: u64) -> Option<Need> {
        Sweep::<Remoteness>::share_need(game, tier, peers, block)
    }

    fn solve_share(job: &ShareJob<'_, Pentago>) -> Result<Arc<dyn Solved>, EngineError> {
        Sweep::<Remoteness>::solve_share(job)
    }

    fn examine_bytes(_: &Pentago, p: Position) -> Option<u64> {
        few(p).map(Midgame::bytes_needed_for_distances)
    }

    fn examine(game: &Pentago, p: Position, limits: Limits) -> Option<(Code, Vec<Code>)> {
        let scores = search(game, p, Self::examine_bytes(game, p)?, limits, Midgame::solve_distances)?;
        let moves = scores.moves.into_iter().map(|(_, value)| Code::of(value));
        Some((Code::of(scores.root)?, moves.collect::<Option<_>>()?))
    }
}

type Position = <Pentago as Game>::Position;

/// The empty cells of a board, where they are few enough to search.
fn few(p: Position) -> Option<u32> {
    let Pair { own, other } = p;
    let empty = SPOTS - (own | other).count_ones();
    Some(empty).filter(|empty| *empty <= Midgame::MOST_EMPTY)
}

/// Searches below a position, if memory allows.
fn search<V>(
    game: &Pentago,
    p: Position,
    bytes: u64,
    limits: Limits,
    solve: fn(&Midgame, &str) -> Option<Scores<V>>,
) -> Option<Scores<V>> {
    // One at a time: it takes much memory, and all threads.
    static MIDGAME: OnceLock<Mutex<Midgame>> = OnceLock::new();
    if bytes > limits.memory {
        return None;
    }
    let midgame = MIDGAME.get_or_init(|| Mutex::new(Midgame::new(Isa::best())));
    let midgame = midgame.lock().unwrap_or_else(PoisonError::into_inner);
    solve(&midgame, &game.show(Turn::First, p))
}
