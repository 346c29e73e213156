//! Pentago's sections as tiers.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use zermelo_core::{
    Code, Engine, EngineError, Face, Game, Job, Limits, Need, Solved, Stored, Tier, Turn, Winner,
};
use zermelo_games::Pentago;

use super::Midgame;
use crate::Sweep;
use crate::isa::Isa;

/// Rotation tables, for who wins.
pub struct Rotations<O = Winner>(PhantomData<fn() -> O>);

impl Engine<Pentago> for Rotations<Winner> {
    const NAME: &'static str = "rotations";
    type Objective = Winner;

    fn need(game: &Pentago, tier: Tier) -> Need {
        Sweep::<Winner>::need(game, tier)
    }

    fn solve(job: &Job<'_, Pentago>) -> Result<Arc<dyn Solved>, EngineError> {
        Sweep::<Winner>::solve(job)
    }

    fn load(stored: &Stored<'_, Pentago>) -> Result<Arc<dyn Solved>, EngineError> {
        Sweep::<Winner>::load(stored)
    }

    fn examine(game: &Pentago, p: <Pentago as Game>::Position, limits: Limits) -> Option<(Code, Vec<Code>)> {
        // One at a time: it takes much memory, and all threads.
        static MIDGAME: OnceLock<Mutex<Midgame>> = OnceLock::new();
        let midgame = MIDGAME.get_or_init(|| Mutex::new(Midgame::new(Isa::best())));
        let [own, other] = p.sides();
        let stones = (own | other).count_ones();
        if bytes(36 - stones) > limits.memory {
            return None;
        }
        let turn = if stones.is_multiple_of(2) { Turn::First } else { Turn::Second };
        let midgame = midgame.lock().unwrap_or_else(PoisonError::into_inner);
        let scores = midgame.solve(&game.show(turn, p))?;
        let code = |score: &i8| [Winner::LOSE, Winner::TIE, Winner::WIN][(score + 1) as usize];
        Some((code(&scores.root), scores.moves.iter().map(|(_, score)| code(score)).collect()))
    }
}

/// What a search from so many empty cells takes: two neighbouring slices, and some tables.
fn bytes(empty: u32) -> u64 {
    match empty {
        0..=12 => 16 << 20,
        13..=18 => (64 << 20) + (1 << 30) / 3u64.pow(18 - empty),
        _ => u64::MAX,
    }
}
