//! Pentago's sections as tiers, and its search.

use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock};

use zermelo_core::sections::quadrants::Rotating;
use zermelo_core::sections::{SPOTS, Section};
use zermelo_core::{
    Code, Engine, EngineError, Job, Limits, Made, Need, Packed as _, Pair, Reached, Reason, Remoteness,
    SharedJob, Sharing, Solved, StoredTier, Takes, Tallied, Tier, TierGraph, Unpoisoned, Winner, own,
};

use super::sections::{self, PackedSection, section_of};
use super::{Midgame, Scores};
use crate::isa::Isa;
use crate::layout::Opens;
use crate::spill::unreadable;
use crate::{Ranked, Sweep};

/// The engine that solves Pentago for who wins, with rotation tables: one bit for each way to turn the quadrants of a
/// board.
pub struct Rotations<G: Rotating>(Arc<Ranked<G, Winner>>);

impl<G: Rotating> Opens for Rotations<G> {
    type Layout = Ranked<G, Winner>;
    const TAKES: Takes = Takes { by_position: false, ..Takes::new("rotations") };

    fn open(tiers: &Arc<Self::Layout>) -> Option<Self> {
        Some(Rotations(tiers.clone()))
    }
}

impl<G: Rotating> Engine for Rotations<G> {
    fn need(&self, tier: Tier) -> Need {
        let Some(section) = Section::from_sig(tier.0) else {
            return Need::default();
        };
        let working = sections::bytes(section, rayon::current_num_threads());
        Need { working, useful: working, result: section.entries().saturating_mul(sections::PACKED) }
    }

    fn solve(&self, job: &Job<'_>) -> Made {
        let failed = |reason: Reason| EngineError::Load { tier: job.tier, reason };
        let section = section_of(job.tier).map_err(failed)?;
        let (tiers, mut children) = (self.0.children(job.tier), vec![]);
        for (quadrant, next) in section.children() {
            let standard = next.standard().0.sig();
            let found = tiers.iter().zip(job.children).find(|(tier, _)| tier.0 == standard);
            let (_, solved) = found.ok_or_else(|| failed(format!("section {next} is not there").into()))?;
            children.push((quadrant, next, own::<PackedSection>(&**solved, job.tier)?));
        }
        Ok(Arc::new(sections::solve(section, &children, Isa::best(), job.watch).map_err(failed)?))
    }

    fn load(&self, stored: &StoredTier<'_>) -> Made {
        let failed = |reason: Reason| EngineError::Load { tier: stored.tier, reason };
        Ok(Arc::new(sections::load(stored).map_err(failed)?))
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Made {
        let section = section_of(tier).map_err(|reason| EngineError::Load { tier, reason })?;
        Ok(Arc::new(PackedSection::restore(section, spilled).map_err(unreadable(tier))?))
    }

    #[cfg(feature = "cluster")]
    fn sharing(&self) -> Option<&dyn Sharing> {
        Some(self)
    }

    fn tally(&self, tier: Tier, _: &dyn Reached, solved: &dyn Solved) -> Option<Tallied> {
        let endgames = zermelo_core::Reachability::endgames(&*self.0);
        let packed = own(solved, tier).ok().filter(|_| endgames)?;
        sections::count(self.0.game(), tier, packed).map(Ok)
    }

    fn examine_bytes(&self, p: [u64; 2]) -> Option<u64> {
        few(p).map(Midgame::bytes_needed)
    }

    fn examine(&self, p: [u64; 2], limits: Limits) -> Option<(Code, Vec<Code>)> {
        let code = |score: i8| [Winner::LOSE, Winner::TIE, Winner::WIN][(score + 1) as usize];
        let scores = search(self.0.game(), p, self.examine_bytes(p)?, limits, Midgame::solve)?;
        Some((code(scores.root), scores.moves.into_iter().map(|(_, score)| code(score)).collect()))
    }
}

impl<G: Rotating> Sharing for Rotations<G> {
    fn need(&self, tier: Tier, peers: usize, block: u64) -> Option<Need> {
        Section::from_sig(tier.0).map(|section| sections::share::need(section, peers, block))
    }

    fn solve(&self, job: &SharedJob<'_>) -> Made {
        sections::share::solve(job, &self.0.children(job.tier), Isa::best())
    }
}

/// The engine that solves Pentago for who wins and in how many moves. It solves sections one board at a time, so only
/// small ones; its search of late positions uses rotation tables.
pub struct Distances<G: Rotating> {
    tiers: Arc<Ranked<G, Remoteness>>,
    sweep: Sweep<G>,
}

impl<G: Rotating> Opens for Distances<G> {
    type Layout = Ranked<G, Remoteness>;
    const TAKES: Takes = Takes { by_position: false, ..Takes::new("rotations") };

    fn open(tiers: &Arc<Self::Layout>) -> Option<Self> {
        Some(Distances { tiers: tiers.clone(), sweep: Sweep::over(tiers) })
    }
}

impl<G: Rotating> Engine for Distances<G> {
    fn need(&self, tier: Tier) -> Need {
        Engine::need(&self.sweep, tier)
    }

    fn solve(&self, job: &Job<'_>) -> Made {
        Engine::solve(&self.sweep, job)
    }

    fn load(&self, stored: &StoredTier<'_>) -> Made {
        self.sweep.load(stored)
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Made {
        self.sweep.restore(tier, spilled)
    }

    #[cfg(feature = "cluster")]
    fn sharing(&self) -> Option<&dyn Sharing> {
        self.sweep.sharing()
    }

    fn examine_bytes(&self, p: [u64; 2]) -> Option<u64> {
        few(p).map(Midgame::bytes_needed_for_distances)
    }

    fn examine(&self, p: [u64; 2], limits: Limits) -> Option<(Code, Vec<Code>)> {
        let bytes = self.examine_bytes(p)?;
        let scores = search(self.tiers.game(), p, bytes, limits, Midgame::solve_distances)?;
        let moves = scores.moves.into_iter().map(|(_, value)| Code::of(value));
        Some((Code::of(scores.root)?, moves.collect::<Option<_>>()?))
    }
}

/// The empty cells of a board, where they are few enough to search.
fn few([own, other]: [u64; 2]) -> Option<u32> {
    let empty = SPOTS - (own | other).count_ones();
    Some(empty).filter(|empty| *empty <= Midgame::MOST_EMPTY)
}

/// Searches below a position, if memory allows.
fn search<G: Rotating, V>(
    game: &G,
    p: [u64; 2],
    bytes: u64,
    limits: Limits,
    solve: fn(&Midgame, &G, Pair) -> Option<Scores<V>>,
) -> Option<Scores<V>> {
    // One at a time: it takes much memory, and all threads.
    static MIDGAME: OnceLock<Mutex<Midgame>> = OnceLock::new();
    if bytes > limits.memory {
        return None;
    }
    let midgame = MIDGAME.get_or_init(|| Mutex::new(Midgame::new(Isa::best())));
    let midgame = midgame.lock().unpoisoned();
    solve(&midgame, game, Pair::unpack(p))
}
