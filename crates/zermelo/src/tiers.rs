//! The tiers of a variant as a list for people: names, numbers, memory, and what of them is stored.

use serde_json::json;
use zermelo_core::{Opened, Tier};

use crate::coordinator::{Step, TierWalk, memory_for};
use crate::{Database, Memory, Result};

/// One tier of a variant.
#[derive(Clone, Debug)]
pub struct TierRow {
    /// The tier.
    pub tier: Tier,
    /// The name of the tier.
    pub name: String,
    /// How many numbers the tier has, those without a position included.
    pub numbers: u64,
    /// Memory to solve the tier, with the tiers below it and the numberings. `None` where the engine knows it only once
    /// the reached positions are found, and for a tier that has more numbers than the engine can solve.
    pub memory: Option<Memory>,
    /// The tiers that moves lead to from this one.
    pub children: Vec<Tier>,
    /// Whether the tier is stored, and how large it is.
    pub state: TierState,
}

/// Whether a tier is solved and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TierState {
    /// The database has the table of the tier.
    Stored {
        /// Bytes on the disk.
        bytes: u64,
        /// How many of the numbers are numbers of positions.
        positions: u64,
    },
    /// The tier is still to be solved.
    Open,
    /// The tier has more numbers than the engine can solve.
    TooLarge,
}

impl TierRow {
    /// The tier as `tiers --json` prints it.
    pub fn json(&self) -> serde_json::Value {
        let (state, bytes, positions) = match self.state {
            TierState::Stored { bytes, positions } => ("stored", Some(bytes), Some(positions)),
            TierState::Open => ("not solved", None, None),
            TierState::TooLarge => ("too large", None, None),
        };
        json!({
            "tier": self.tier.to_string(),
            "name": self.name,
            "numbers": self.numbers,
            "memory_least_bytes": self.memory.map(|memory| memory.least),
            "memory_useful_bytes": self.memory.map(|memory| memory.useful),
            "children": self.children.iter().map(Tier::to_string).collect::<Vec<_>>(),
            "state": state,
            "bytes": bytes,
            "positions": positions,
        })
    }
}

/// What all tiers of a list have together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TierTotals {
    /// How many tiers.
    pub tiers: u64,
    /// Numbers of all tiers.
    pub numbers: u64,
    /// Tiers that are stored.
    pub stored: u64,
    /// Bytes of the stored tiers.
    pub bytes: u64,
    /// Whether there are more tiers than these.
    pub more: bool,
}

/// The tiers of a variant in the order in which they are solved: each after all tiers below it. Tiers are found on the
/// way, so that the first of a large variant are told at once.
///
/// ```
/// let game = zermelo::open("quixo:rows=3,cols=3,line=3", None, None)?;
/// let rows = zermelo::TierList::of(&game, None).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(rows.last().map(|row| row.name.as_str()), Some("0 and 0 marks, 9 blank"));
/// # Ok::<(), zermelo::Error>(())
/// ```
pub struct TierList<'a> {
    game: &'a Opened,
    database: Option<&'a Database>,
    walk: TierWalk<'a>,
    totals: TierTotals,
    /// What the numberings of all tiers take.
    index: u64,
}

/// A tier that a walk has met: its number of numbers, its children and its state.
type Met = (Tier, u64, Vec<Tier>, TierState);

impl<'a> TierList<'a> {
    /// Begins a list. Without a database no tier is stored.
    pub fn of(game: &'a Opened, database: Option<&'a Database>) -> TierList<'a> {
        let walk = TierWalk::within(game, usize::MAX, u64::MAX);
        let index = game.tiers().index_bytes();
        TierList { game, database, walk, totals: TierTotals::default(), index }
    }

    /// Goes on to the next tier, without its name and memory.
    fn step(&mut self) -> Result<Option<Met>> {
        let step = self.walk.step().map_err(|error| error.named(self.game))?;
        let Some(Step::Done { tier, size, children }) = step else { return Ok(None) };
        let info = self.database.map(|database| database.reader().info(tier)).and_then(|info| match info {
            Ok(info) => Some(Ok(info)),
            Err(zermelo_store::StoreError::NoTable { .. }) => None,
            Err(error) => Some(Err(error)),
        });
        let info = info.transpose().map_err(|error| crate::SolveError::from(error).named(self.game))?;
        let state = match info {
            Some(info) => TierState::Stored { bytes: info.bytes, positions: info.positions },
            None if size > self.game.takes.most => TierState::TooLarge,
            None => TierState::Open,
        };
        let totals = &mut self.totals;
        totals.tiers += 1;
        totals.numbers = totals.numbers.saturating_add(size);
        if let TierState::Stored { bytes, .. } = state {
            totals.stored += 1;
            totals.bytes = totals.bytes.saturating_add(bytes);
        }
        Ok(Some((tier, size, children, state)))
    }

    fn row(&mut self) -> Result<Option<TierRow>> {
        let Some((tier, numbers, children, state)) = self.step()? else { return Ok(None) };
        let known = !self.game.tiers().filing().marked && numbers <= self.game.takes.most;
        let memory = known.then(|| memory_for(self.game, tier, &children, self.index));
        Ok(Some(TierRow { tier, name: self.game.tiers().name(tier), numbers, memory, children, state }))
    }

    /// Walks the tiers that are left without listing them, and returns what all tiers have together. Stops once `most`
    /// tiers were met.
    pub fn totals(mut self, most: u64) -> Result<TierTotals> {
        while self.totals.tiers < most {
            if self.step()?.is_none() {
                return Ok(self.totals);
            }
        }
        let all = self.totals;
        Ok(TierTotals { more: self.step()?.is_some(), ..all })
    }
}

impl Iterator for TierList<'_> {
    type Item = Result<TierRow>;

    fn next(&mut self) -> Option<Result<TierRow>> {
        self.row().transpose()
    }
}
