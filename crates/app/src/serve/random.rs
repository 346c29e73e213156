//! A random position, with a value if one is wanted.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant};

use zermelo_core::{AskError, Tier, Turn, Value};

use super::refusal::Refusal;
use super::variant::Variant;

/// How long a draw may take, with the wait for its turn.
pub(crate) const TIME: Duration = Duration::from_millis(300);
/// The longest walk when there are no tables to draw from.
const PLIES: u64 = 30;

/// What is wanted of a position.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Wanted {
    /// The word of the value.
    pub(crate) value: Option<&'static str>,
    /// The distance.
    pub(crate) remoteness: Option<u16>,
}

impl Wanted {
    fn is_anything(self) -> bool {
        self.value.is_none() && self.remoteness.is_none()
    }

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

/// A position; a refusal when none was found in time.
pub(crate) fn random(variant: &Variant, wanted: Wanted, time: Duration) -> Result<String, Refusal> {
    if wanted.remoteness.is_some() && !variant.game.unit().counts_moves() {
        return Err(Refusal::bad(
            "remoteness: values of this game tell who wins, not how soon; leave it out",
        ));
    }
    let (mut dice, until) = (Dice::new(), Instant::now() + time);
    let tiers = tiers(variant)?;
    let by_number = !variant.game.filing().marked;
    while !tiers.is_empty() && Instant::now() < until {
        let drawn = if by_number { draw(variant, &tiers, &mut dice)? } else { stroll(variant, &mut dice)? };
        let Some((position, value)) = drawn else { continue };
        if wanted.fits(value) {
            return Ok(position);
        }
        if wanted.may_follow(value)
            && let Some(found) = follow(variant, position, wanted, until)?
        {
            return Ok(found);
        }
    }
    if tiers.is_empty() && wanted.is_anything() {
        return Ok(walk(variant, &mut dice)?);
    }
    let what = match (wanted.value, wanted.remoteness) {
        (Some(value), Some(r)) => format!("with value {value} in {r}"),
        (Some(value), None) => format!("with value {value}"),
        (None, Some(r)) => format!("with remoteness {r}"),
        (None, None) => "of this variant".into(),
    };
    let why = if tiers.is_empty() { "there is no database" } else { "there may be none, or very few" };
    Err(Refusal::missing(format!("no position {what} was found: {why}; ask for another value")))
}

/// The tiers that have a table, each with the sum of the sizes up to and with it.
fn tiers(variant: &Variant) -> Result<Vec<(u64, Tier)>, Refusal> {
    let Some(database) = &variant.database else { return Ok(vec![]) };
    let (mut tiers, mut sum) = (vec![], 0u64);
    for tier in database.reader().tiers() {
        sum = sum.saturating_add(variant.game.size(tier));
        tiers.push((sum, tier));
    }
    Ok(tiers)
}

/// Any position with a value; `None` for a hole.
fn draw(
    variant: &Variant,
    tiers: &[(u64, Tier)],
    dice: &mut Dice,
) -> Result<Option<(String, Value)>, AskError> {
    let all = tiers.last().map_or(1, |(sum, _)| *sum);
    let at = dice.below(all);
    let Some((sum, tier)) = tiers.get(tiers.partition_point(|(sum, _)| *sum <= at)) else { return Ok(None) };
    let size = variant.game.size(*tier);
    let turn = if dice.below(2) == 0 { Turn::First } else { Turn::Second };
    let Some(text) = variant.game.position(*tier, at + size - sum, turn) else { return Ok(None) };
    match variant.game.value(&text, &variant.tables()) {
        Ok(value) => Ok(value.map(|value| (text, value))),
        // A number may stand for a position that no game comes by with this turn.
        Err(AskError::Input(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A position with a value that random moves lead to.
fn stroll(variant: &Variant, dice: &mut Dice) -> Result<Option<(String, Value)>, AskError> {
    let text = walk(variant, dice)?;
    Ok(variant.game.value(&text, &variant.tables())?.map(|value| (text, value)))
}

/// The first position of perfect play that fits.
fn follow(
    variant: &Variant,
    mut position: String,
    wanted: Wanted,
    until: Instant,
) -> Result<Option<String>, AskError> {
    while Instant::now() < until {
        let report = variant.report(&position)?;
        match report.value {
            Some(value) if wanted.fits(value) => return Ok(Some(position)),
            Some(value) if wanted.may_follow(value) => {}
            _ => return Ok(None),
        }
        match report.moves.into_iter().next() {
            Some(best) => position = best.position,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// Random moves from the start, not to the end of the game.
fn walk(variant: &Variant, dice: &mut Dice) -> Result<String, AskError> {
    let mut position = variant.game.start();
    for _ in 0..dice.below(PLIES) {
        // Without tables: any move will do.
        let mut moves = variant.game.report(&position, &())?.moves;
        match moves.len() as u64 {
            0 => break,
            n => position = moves.swap_remove(dice.below(n) as usize).position,
        }
    }
    Ok(position)
}
