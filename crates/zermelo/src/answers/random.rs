//! A random position, with a value if one is wanted.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use zermelo_core::{AskError, Kind, Opened, Position, Tables, Tier, Turn, Value, mix};

use super::{Answers, Budget};

/// The longest walk when there are no tables to draw from.
const PLIES: u64 = 30;

/// Positions that are drawn one after another, for a sample of many.
const SAMPLED: usize = 4096;
/// How often a number is drawn for a position, at most: tables may have many holes.
const HOLES: usize = 1000;

/// What is wanted of a random position; a field that is `None` asks for nothing.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The value, whatever its distance.
    pub value: Option<Kind>,
    /// The remoteness, or other number, of the value.
    pub remoteness: Option<u16>,
}

impl Wanted {
    fn fits(self, value: Value) -> bool {
        self.value.is_none_or(|kind| value.kind() == kind)
            && self.remoteness.is_none_or(|r| value.remoteness() == Some(r))
    }

    /// Whether perfect play from a value might come by a position that fits.
    fn may_follow(self, value: Value) -> bool {
        let tie = self.value == Some(Kind::Tie);
        let near = value.remoteness().is_some_and(|r| self.remoteness.is_none_or(|wanted| r >= wanted));
        near && self.value != Some(Kind::Draw) && (value.kind() == Kind::Tie) == tie
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value.map(Kind::word), self.remoteness) {
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

/// What positions are drawn from: tables of the variant or of a part of it, or published files.
struct Urn<'a> {
    game: &'a Opened,
    tables: &'a dyn Tables,
    /// The tiers that have a table, each with the sum of the sizes up to and with it; none where positions are found by
    /// random moves.
    tiers: Vec<(u64, Tier)>,
    /// Whether what is wrong with it is an error; else it is no help and no harm.
    must_read: bool,
}

impl<'a> Urn<'a> {
    /// The tables of a game; nothing where there are none.
    fn of(game: &'a Opened, tables: &'a dyn Tables, must_read: bool) -> Option<Urn<'a>> {
        let sum = |sum: &mut u64, tier| {
            *sum = sum.saturating_add(game.tiers().size(tier));
            Some((*sum, tier))
        };
        let mut tiers: Vec<_> = tables.tiers().into_iter().scan(0, sum).collect();
        if tiers.is_empty() {
            return None;
        }
        if game.tiers().filing().marked {
            tiers.clear();
        }
        Some(Urn { game, tables, tiers, must_read })
    }

    /// A position with its value; `None` where it has none.
    fn draw(&self, dice: &mut Dice) -> Result<Option<(Position, Value)>, AskError> {
        let at = if self.tiers.is_empty() { Some(walk(self.game, dice)?) } else { self.number(dice) };
        let Some(at) = at else { return Ok(None) };
        Ok(self.game.oracle().value(at, self.tables)?.map(|value| (at, value)))
    }

    /// The position of any number; `None` for a hole.
    fn number(&self, dice: &mut Dice) -> Option<Position> {
        let at = dice.below(self.tiers.last()?.0);
        let (sum, tier) = self.tiers.get(self.tiers.partition_point(|(sum, _)| *sum <= at))?;
        let size = self.game.tiers().size(*tier);
        let turn = if dice.below(2) == 0 { Turn::First } else { Turn::Second };
        let packed = self.game.audit().position(*tier, at + size - sum)?;
        // A number may stand for a position that no game comes by with this turn, which its text tells.
        let oracle = self.game.oracle();
        oracle.parse(&oracle.text(Position { turn, packed })).ok()
    }
}

/// Random moves from the start, not to the end of the game.
fn walk(game: &Opened, dice: &mut Dice) -> Result<Position, AskError> {
    let mut at = game.oracle().start();
    for _ in 0..dice.below(PLIES) {
        let moves = game.oracle().moves(at)?.moves;
        match moves.len() as u64 {
            0 => break,
            n => at = moves[dice.below(n) as usize].to,
        }
    }
    Ok(at)
}

impl Answers {
    /// A random position with a value that is wanted; `None` when none was found in time.
    pub fn random(&self, wanted: Wanted, time: Duration) -> Result<Option<Position>, AskError> {
        let (mut dice, until) = (Dice::new(), Instant::now() + time);
        let urns = self.urns(wanted);
        if urns.is_empty() {
            return if wanted == Wanted::default() {
                walk(&self.game, &mut dice).map(Some)
            } else {
                Ok(None)
            };
        }
        while Instant::now() < until {
            let urn = &urns[dice.below(urns.len() as u64) as usize];
            match self.draw(urn, wanted, until, &mut dice) {
                Ok(None) => {}
                Err(AskError::Tables(_)) if !urn.must_read => {}
                drawn => return drawn,
            }
        }
        Ok(None)
    }

    /// Positions of numbers that are drawn evenly from all tables, with repeats; the same seed gives the same positions.
    /// Games from the start need not reach them. An empty list where there is no table, or none with a number a
    /// position.
    pub fn sample(&self, many: usize, seed: u64) -> Vec<Position> {
        let Some(urn) = Urn::of(&self.game, self.tables(), true).filter(|urn| !urn.tiers.is_empty()) else {
            return vec![];
        };
        let draw = |chunk: usize| {
            let mut dice = Dice(mix(seed ^ mix(chunk as u64)) | 1);
            let wanted = SAMPLED.min(many - chunk * SAMPLED);
            let tries = wanted.saturating_mul(HOLES);
            (0..tries).filter_map(|_| urn.number(&mut dice)).take(wanted).collect::<Vec<_>>()
        };
        (0..many.div_ceil(SAMPLED)).into_par_iter().flat_map_iter(draw).collect()
    }

    /// Whether there is a table from which positions with values can be drawn.
    pub fn has_values(&self) -> bool {
        self.database.is_some() || !self.parts.is_empty() || self.slices.is_some()
    }

    /// What there is to draw from. Files, which may be on another machine, only where they are needed.
    fn urns(&self, wanted: Wanted) -> Vec<Urn<'_>> {
        let own = self.database.iter().filter_map(|database| Urn::of(&self.game, &**database, true));
        let parts = self.parts.opened().filter_map(|(game, database)| Urn::of(game, database, false));
        let mut urns: Vec<_> = own.chain(parts).collect();
        if let Some(slices) = self.slices.as_ref().filter(|_| urns.is_empty() && wanted != Wanted::default())
        {
            urns.push(Urn { game: &self.game, tables: &**slices, tiers: vec![], must_read: false });
        }
        urns
    }

    /// One draw: a position that fits, or one that perfect play comes by from what was drawn.
    fn draw(
        &self,
        urn: &Urn<'_>,
        wanted: Wanted,
        until: Instant,
        dice: &mut Dice,
    ) -> Result<Option<Position>, AskError> {
        match urn.draw(dice)? {
            Some((at, value)) if wanted.fits(value) => Ok(Some(at)),
            Some((at, value)) if wanted.may_follow(value) => self.follow(at, wanted, until),
            _ => Ok(None),
        }
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
}
