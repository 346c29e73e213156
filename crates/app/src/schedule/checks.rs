//! Values checked while they are solved: positions drawn at random, each by a search that shares nothing with the
//! engines. It needs no database, so that it can look at values that are never stored.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use zermelo_core::{AnyGame, Limits, Reached, Solved, Tier};

use super::SolveError;

/// What one search may take; positions near the start of a large game take longer.
const LIMITS: Limits = Limits { time: Duration::from_secs(5), memory: 256 << 20 };

/// How many positions to check, and how many have been.
#[derive(Debug, Default)]
pub struct Checks {
    wanted: u64,
    agreed: AtomicU64,
    too_long: AtomicU64,
}

impl Checks {
    /// About so many positions, as many of each tier.
    pub fn of(wanted: u64) -> Checks {
        Checks { wanted, ..Checks::default() }
    }

    /// Positions whose values a search has confirmed.
    pub fn agreed(&self) -> u64 {
        self.agreed.load(Relaxed)
    }

    /// Positions whose search took too long.
    pub fn too_long(&self) -> u64 {
        self.too_long.load(Relaxed)
    }

    /// Checks a tier that was just solved, one of so many.
    pub(super) fn compare(
        &self,
        game: &dyn AnyGame,
        tier: Tier,
        tiers: usize,
        marks: &dyn Reached,
        solved: &dyn Solved,
    ) -> Result<(), SolveError> {
        for n in 0..self.wanted.div_ceil(tiers.max(1) as u64) {
            let Some((position, found)) = game.sample(tier, marks, solved, mixed(tier.0 << 20 ^ n)) else {
                continue;
            };
            match game.search(&position, LIMITS) {
                Ok(Some(value)) if value == found => _ = self.agreed.fetch_add(1, Relaxed),
                Ok(None) => _ = self.too_long.fetch_add(1, Relaxed),
                Ok(Some(value)) => {
                    return Err(SolveError::Differs { position, found, searched: value.to_string() });
                }
                Err(error) => {
                    return Err(SolveError::Differs { position, found, searched: error.to_string() });
                }
            }
        }
        Ok(())
    }
}

/// A number as good as random (the last step of SplitMix64).
fn mixed(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}
