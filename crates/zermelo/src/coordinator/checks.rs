//! Values checked while they are solved: positions drawn at random, each by a search that shares nothing with the
//! engines. It needs no database, so that it can look at values that are never stored.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use zermelo_core::{Limits, Opened, Reached, Solved, Tier, Value};

use super::{Result, SolveError};
use crate::verify::scramble;

/// What one search may take; positions near the start of a large game take longer.
const LIMITS: Limits = Limits { time: Duration::from_secs(5), memory: 256 << 20 };

/// Checks of values by searches, while a game is being solved: how many positions to check, and how many were.
#[derive(Debug, Default)]
pub struct Checks {
    wanted: u64,
    agreed: AtomicU64,
    too_long: AtomicU64,
}

impl Checks {
    /// Checks of about `wanted` positions, as many in each tier.
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

    /// Adds what another process has checked: values confirmed, and those whose search took too long.
    pub(super) fn add(&self, (agreed, too_long): (u64, u64)) {
        self.agreed.fetch_add(agreed, Relaxed);
        self.too_long.fetch_add(too_long, Relaxed);
    }

    /// Checks a tier that was just solved, one of so many.
    pub(super) fn compare(
        &self,
        game: &Opened,
        tier: Tier,
        tiers: usize,
        marks: &dyn Reached,
        solved: &dyn Solved,
    ) -> Result<()> {
        for n in 0..self.wanted.div_ceil(tiers.max(1) as u64) {
            let Some((position, found)) =
                game.engine().sample(tier, marks, solved, scramble(tier.0 << 20 ^ n))
            else {
                continue;
            };
            let searched = game.oracle().search(position, LIMITS);
            self.judge(|| game.oracle().text(position), found, searched)?;
        }
        Ok(())
    }

    /// Takes note of what a search says of a position.
    fn judge(&self, position: impl Fn() -> String, found: Value, searched: Option<Value>) -> Result<()> {
        match searched {
            Some(value) if value == found => self.agreed.fetch_add(1, Relaxed),
            None => self.too_long.fetch_add(1, Relaxed),
            Some(searched) => {
                return Err(SolveError::Differs {
                    position: position(),
                    found,
                    searched: searched.to_string(),
                });
            }
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_differs_ends_the_run() {
        let checks = Checks::of(10);
        let judge = |searched| checks.judge(|| "1_--".into(), Value::Win(3), searched);
        assert!(judge(Some(Value::Win(3))).is_ok() && judge(None).is_ok());
        let told = judge(Some(Value::Win(5))).expect_err("another value").to_string();
        assert!(told.contains("1_--: solved as win in 3, but a search says win in 5"), "{told}");
        assert_eq!((checks.agreed(), checks.too_long()), (1, 1));
    }
}
