//! Makes a book from a database.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rayon::prelude::*;
use zermelo_core::{
    AskError, Code, Complaint, Opened, Position, Record, Tables, Tally, Tier, Walker, Walking, Watch,
};
use zermelo_store::{BookError, BookHeader, LEFT_OUT, NOT_KNOWN};

use super::{numbered, stored};
use crate::database::identity;
use crate::{Catalogue, Database, OpenError, Progress, Settings, SolveError};

/// The most entries of a book.
const MOST: u64 = 1 << 28;
/// The positions that are looked at before what they lead to is sorted.
const BATCH: usize = 1 << 20;

/// Why there is no book.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookMakeError {
    /// What was asked for cannot be done.
    #[error(transparent)]
    Input(#[from] Complaint),
    /// There is no such variant.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The book is damaged, or cannot be written.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The database cannot be read.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The threads cannot be had.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The file cannot be read.
    #[error("{}: {reason}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// The book was made for other rules.
    #[error("the book is not one of {0} by its present rules; `zermelo book` makes one")]
    Other(String),
    /// No engine numbers the positions one by one.
    #[error("{0} has no engine that numbers its positions with moves to the end, so there is no book of it")]
    Numbers(String),
    /// The database lacks a value.
    #[error("the database has no value of {0}, which the start reaches; `zermelo verify` tells more")]
    Missing(String),
    /// A tier has too many positions.
    #[error("a book of so many plies would order {0} numbers; make one of fewer --plies")]
    TooMany(u64),
}

impl BookMakeError {
    /// Whether the fault is in what was asked for.
    pub fn is_input(&self) -> bool {
        use BookMakeError::{Input, Numbers, Open, TooMany};
        matches!(self, Input(_) | Open(_) | Numbers(_) | TooMany(_))
    }
}

type Result<T, E = BookMakeError> = std::result::Result<T, E>;

/// A book that was made.
pub struct NewBook {
    /// The file.
    pub bytes: Vec<u8>,
    /// The number of numbers that the book orders.
    pub numbers: u64,
    /// The number of values that it stores.
    pub values: u64,
}

/// The tiers that a book is to have, before any value is known.
pub struct BookPlan {
    /// The variant with the engine by whose numbers the book is ordered.
    numbers: Opened,
    header: BookHeader,
    /// The tiers by their distance from the start; none at a distance that is left out.
    layers: Vec<Vec<Tier>>,
    /// The tiers with values of a certain remoteness or more only, and that remoteness.
    late: Option<(BTreeSet<Tier>, u16)>,
    /// Whether a move always leads one layer further down.
    apart: bool,
    /// The tiers by number, each with its size.
    sizes: Vec<(Tier, u64)>,
}

impl BookPlan {
    /// Plans a book of the tiers of a variant that are at most so many moves below the start. Where a move always leads
    /// one tier further down, every second layer of tiers is left out: its values follow from the next. With `late` the
    /// book has one layer more, and of that only the values of this remoteness or more, which a search finds last.
    pub fn of(catalogue: Catalogue, game: &Opened, plies: u32, late: Option<u16>) -> Result<BookPlan> {
        let numbers = numbered(catalogue, game)?;
        let level = numbers.audit().walker(WALKING).is_some_and(|walker| walker.level());
        let mut layers = layers(&numbers, plies.saturating_add(late.map_or(0, |_| 1)))?;
        let apart = level && are_apart(&numbers, &layers);
        // The last layer may be less deep than was asked for.
        let more = late.filter(|_| layers.len() > plies as usize + 1);
        if late.is_some() && !apart {
            let why = "--late: moves do not lead from one tier to the next in this game; leave it out";
            return Err(Complaint::new(why).into());
        }
        if apart {
            let further = 1 + more.map_or(0, |_| 1);
            layers.iter_mut().rev().skip(further).step_by(2).for_each(Vec::clear);
        }
        let late = more.map(|least| (layers.last().into_iter().flatten().copied().collect(), least));
        let all: BTreeSet<Tier> = layers.iter().flatten().copied().collect();
        let sizes: Vec<(Tier, u64)> =
            all.into_iter().map(|tier| (tier, numbers.tiers().size(tier))).collect();
        let header =
            BookHeader { identity: identity(&numbers), plies, late: late.as_ref().map(|late| late.1) };
        let plan = BookPlan { numbers, header, layers, late, apart, sizes };
        match plan.total() {
            total if total > MOST => Err(BookMakeError::TooMany(total)),
            _ => Ok(plan),
        }
    }

    /// The number of numbers that the book will order.
    fn total(&self) -> u64 {
        self.sizes.iter().fold(0, |sum, (_, size)| sum.saturating_add(*size))
    }

    /// Makes the book from the finished database of a variant.
    pub fn make(
        &self,
        game: &Opened,
        database: &Database,
        settings: &Settings,
        progress: &Progress,
    ) -> Result<NewBook> {
        let (numbers, sizes) = (&self.numbers, &self.sizes);
        progress.expect(sizes.len() as u64, self.total());
        settings.pool()?.install(|| {
            let reached = self.apart.then(|| reached(numbers, &self.layers, progress));
            let late = self.late.as_ref();
            let maker = Maker { game, database, numbers, reached, late, progress };
            let codes = sizes.par_iter().map(|(tier, size)| maker.codes(*tier, *size));
            let codes: Vec<u16> = codes.collect::<Result<Vec<_>>>()?.concat();
            let bytes = zermelo_store::make_book(&self.header, sizes, &codes)?;
            let values = codes.iter().filter(|code| !matches!(**code, LEFT_OUT | NOT_KNOWN)).count() as u64;
            Ok(NewBook { bytes, numbers: self.total(), values })
        })
    }
}

const WALKING: Walking = Walking { fold: true, sides: false };

/// The tiers by their distance from the start in moves, as far as they go; each once.
fn layers(game: &Opened, plies: u32) -> Result<Vec<Vec<Tier>>> {
    let mut layers: Vec<Vec<Tier>> = vec![];
    let (mut seen, mut next) = (BTreeSet::new(), game.tiers().roots());
    let mut total = 0u64;
    while layers.len() <= plies as usize {
        next.retain(|tier| seen.insert(*tier));
        if next.is_empty() {
            break;
        }
        total = next.iter().fold(total, |sum, tier| sum.saturating_add(game.tiers().size(*tier)));
        if total > 4 * MOST {
            return Err(BookMakeError::TooMany(total));
        }
        let below = next.iter().flat_map(|tier| game.tiers().children(*tier)).collect();
        layers.push(std::mem::replace(&mut next, below));
    }
    Ok(layers)
}

/// Whether the children of each layer are in the next one, so that positions of a layer are reached by as many moves.
fn are_apart(game: &Opened, layers: &[Vec<Tier>]) -> bool {
    layers.windows(2).all(|pair| {
        let next: BTreeSet<Tier> = pair[1].iter().copied().collect();
        pair[0].iter().flat_map(|tier| game.tiers().children(*tier)).all(|tier| next.contains(&tier))
    })
}

/// The positions that the start reaches in as many moves as the layers are deep, of those layers that have tiers, in
/// order.
fn reached(game: &Opened, layers: &[Vec<Tier>], progress: &Progress) -> Vec<[u64; 2]> {
    let Some(walker) = game.audit().walker(WALKING) else { return vec![] };
    let (mut all, mut here) = (vec![], vec![walker.start().key]);
    for (ply, tiers) in layers.iter().enumerate() {
        progress.heed();
        if !tiers.is_empty() {
            all.extend(&here);
        }
        if ply + 1 < layers.len() {
            here = after(&*walker, ply as u32, &here);
        }
    }
    all.par_sort_unstable();
    all
}

/// The positions after those of a ply, in order.
fn after(walker: &dyn Walker, ply: u32, here: &[[u64; 2]]) -> Vec<[u64; 2]> {
    let expand = |batch: &[[u64; 2]]| {
        let record = |key: &[u64; 2]| Record { key: *key, turn: 0, how: Record::DIRECT, passes: 0, games: 0 };
        let records: Vec<Record> = batch.iter().map(record).collect();
        let mut found = vec![];
        walker.expand(ply, false, &records, &mut found, usize::MAX, &mut Tally::default());
        let mut keys: Vec<[u64; 2]> = found.iter().map(|record| record.key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let mut next: Vec<[u64; 2]> = here.par_chunks(BATCH / 16).flat_map_iter(expand).collect();
    next.par_sort_unstable();
    next.dedup();
    next
}

/// Makes the codes of tiers.
struct Maker<'a> {
    /// The variant with the engine that made the database.
    game: &'a Opened,
    database: &'a Database,
    /// The variant with the engine by whose numbers the book is ordered.
    numbers: &'a Opened,
    /// The positions that have values; `None` where all have.
    reached: Option<Vec<[u64; 2]>>,
    /// The tiers with late values only, and the least remoteness of these.
    late: Option<&'a (BTreeSet<Tier>, u16)>,
    progress: &'a Progress,
}

impl Maker<'_> {
    /// The codes of a tier, as a book takes them.
    fn codes(&self, tier: Tier, size: u64) -> Result<Vec<u16>> {
        self.progress.heed();
        let late = self.late.filter(|(tiers, _)| tiers.contains(&tier)).map_or(0, |(_, least)| *least);
        let codes = (0..size).map(|rank| match stored(self.numbers, tier, rank) {
            Some(at) => self.code(at, late),
            None => Ok(LEFT_OUT),
        });
        let codes = codes.collect::<Result<Vec<u16>>>()?;
        self.progress.advance(size);
        self.progress.tier_done();
        Ok(codes)
    }

    /// The code of a position that is stored; not known where the position is not reached, or its value is sooner than
    /// `late`.
    fn code(&self, at: Position, late: u16) -> Result<u16> {
        if self.reached.as_ref().is_some_and(|reached| reached.binary_search(&at.packed).is_err()) {
            return Ok(NOT_KNOWN);
        }
        let value = self.game.oracle().value(at, self.database as &dyn Tables)?;
        let missing = || BookMakeError::Missing(self.game.oracle().text(at));
        let value = value.ok_or_else(missing)?;
        if value.remoteness().is_some_and(|remoteness| remoteness < late) {
            return Ok(NOT_KNOWN);
        }
        Ok(Code::of(value).ok_or_else(missing)?.0)
    }
}
