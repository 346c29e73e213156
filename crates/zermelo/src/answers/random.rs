//! A random position, with a value if one is wanted.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant};

use zermelo_core::{AskError, Position, Tier, Turn, Value};

use super::{Answers, Budget};

/// The longest walk when there are no tables to draw from.
const PLIES: u64 = 30;

/// What is wanted of a position.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The word of the value, such as `win`.
    pub value: Option<&'static str>,
    /// The distance.
    pub remoteness: Option<u16>,
}

impl Wanted {
    fn fits(self, value: Value) -> bool {
        self.value.is_none_or(|word| value.word() == word)
            && self.remoteness.is_none_or(|r| value.remoteness() == Some(r))
    }

    /// Whether perfect play from a value might come by a position that fits.
    fn may_follow(self, value: Value) -> bool {
        let tie = self.value == Some("tie");
        let near = value.remoteness().is_some_and(|r| self.remoteness.is_none_or(|wanted| r >= wanted));
        near && self.value != Some("draw") && matches!(value, Value::Tie(_)) == tie
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value, self.remoteness) {
            (Some(value), Some(r)) => write!(f, "with value {value} in {r}"),
            (Some(value), None) => write!(f, "with value {value}"),
            (None, Some(r)) => write!(f, "with remoteness {r}"),
            (None, None) => write!(f, "of this variant"),
        }
    }
}

/// Numbers that nobody needs to foresee or repeat.
struct Dice(u64);

impl Dice {
    fn new() -> Dice {
        Dice(RandomState::new().build_hasher().finish() | 1)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)) * u128::from(n)) >> 64) as u64
    }
}

impl Answers {
    /// A random position with a value that is wanted; `None` when none was found in time.
    pub fn random(&self, wanted: Wanted, time: Duration) -> Result<Option<Position>, AskError> {
        let (mut dice, until) = (Dice::new(), Instant::now() + time);
        let tiers = self.tables();
        let by_number = !self.game.tiers().filing().marked;
        while !tiers.is_empty() && Instant::now() < until {
            let drawn = if by_number { self.draw(&tiers, &mut dice) } else { Some(self.walk(&mut dice)?) };
            let Some(at) = drawn else { continue };
            let Some(value) = self.value(at)? else { continue };
            if wanted.fits(value) {
                return Ok(Some(at));
            }
            if wanted.may_follow(value)
                && let Some(found) = self.follow(at, wanted, until)?
            {
                return Ok(Some(found));
            }
        }
        let any = tiers.is_empty() && wanted == Wanted::default();
        Ok(if any { Some(self.walk(&mut dice)?) } else { None })
    }

    /// The tiers that have a table, each with the sum of the sizes up to and with it.
    fn tables(&self) -> Vec<(u64, Tier)> {
        let Some(database) = &self.database else { return vec![] };
        let (mut tiers, mut sum) = (vec![], 0u64);
        for tier in database.tiers() {
            sum = sum.saturating_add(self.game.tiers().size(tier));
            tiers.push((sum, tier));
        }
        tiers
    }

    /// Any position that has a number; `None` for a hole.
    fn draw(&self, tiers: &[(u64, Tier)], dice: &mut Dice) -> Option<Position> {
        let all = tiers.last().map_or(1, |(sum, _)| *sum);
        let at = dice.below(all);
        let (sum, tier) = tiers.get(tiers.partition_point(|(sum, _)| *sum <= at))?;
        let size = self.game.tiers().size(*tier);
        let turn = if dice.below(2) == 0 { Turn::First } else { Turn::Second };
        let packed = self.game.audit().position(*tier, at + size - sum)?;
        // A number may stand for a position that no game comes by with this turn, which its text tells.
        let oracle = self.game.oracle();
        oracle.parse(&oracle.text(Position { turn, packed })).ok()
    }

    /// The first position of perfect play that fits.
    fn follow(&self, mut at: Position, wanted: Wanted, until: Instant) -> Result<Option<Position>, AskError> {
        while Instant::now() < until {
            let report = self.known(at, Budget::NONE)?;
            match report.value {
                Some(value) if wanted.fits(value) => return Ok(Some(at)),
                Some(value) if wanted.may_follow(value) => {}
                _ => return Ok(None),
            }
            match report.moves.into_iter().next() {
                Some(best) => at = best.to,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Random moves from the start, not to the end of the game.
    fn walk(&self, dice: &mut Dice) -> Result<Position, AskError> {
        let mut at = self.game.oracle().start();
        for _ in 0..dice.below(PLIES) {
            // Without tables: any move will do.
            let moves = self.game.oracle().report(at, &())?.moves;
            match moves.len() as u64 {
                0 => break,
                n => at = moves[dice.below(n) as usize].to,
            }
        }
        Ok(at)
    }
}
