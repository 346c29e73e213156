//! The layout by blobs, and the engine that solves its tiers.

use std::io::Read;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use zermelo_core::{
    AskError, Audit, Checked, Code, Colours, Count, Engine, EngineError, Filing, Growing, Job, Limits, Made,
    Marked, Need, Objective, Packed, Perft, Reachability, Reached, Settled, Solved, Spill, Tables, Takes,
    Tallied, Tier, TierGraph, Turn, Walker, Walking, Watch,
    laws::list_moves,
    own,
    rank::{compress, expand},
};

use super::backward::{Values, backward};
use super::cells::{Even, canonical};
use super::forward::{forward, step_bytes};
use super::level::{Level, Numbers};
use super::pages::{PAGE, Pages};
use super::search::{exhaust, search};
use crate::layout::{Layout, Opens, TurnPosition};
use crate::perft::perft;
use crate::spill::unreadable;
use crate::verify;
use crate::walk::Walk;

/// Positions with fewer empty cells are not kept: to look at all lines of play from six empty
/// cells of Othello takes 10 to 20 microseconds, as long as opening a block.
const LEAST_EMPTY: u32 = 7;

/// What finding the reached positions of a tier takes besides them.
const SCRATCH: u64 = 24 << 20;

/// The engine for games whose occupied cells only grow ([`Growing`]). A blob is a set of occupied cells, whatever the
/// colours on it.
pub struct Blobs<G: Growing, O>(Arc<BlobTiers<G, O>>);

/// The layout of a game whose occupied cells only grow: tiers are numbers of occupied cells, and positions are numbered
/// by the set of these cells and the colours on it.
pub struct BlobTiers<G: Growing, O> {
    pub(super) game: G,
    /// Where it is solved from, if not from the start.
    from: Option<TurnPosition<G>>,
    /// Cells of the board.
    cells: u32,
    /// For each tier, once it is known: bytes of its reached positions, and what it takes to go on
    /// from them.
    known: Vec<[AtomicU64; 2]>,
    objective: PhantomData<fn() -> O>,
}

impl<G: Growing, O: Objective<G, Fold: Send>> BlobTiers<G, O> {
    pub(super) fn pages(&self, tier: Tier) -> Pages {
        let cells = tier.0.min(64) as u32;
        Pages::new(cells, self.game.symmetries().cells() as u32, cells + LEAST_EMPTY <= self.cells)
    }

    fn occupied(&self, p: G::Position) -> u64 {
        let [own, other] = p.pack();
        own | other
    }

    /// The blob of a position, and its number there.
    fn number(&self, p: G::Position) -> (u64, u64) {
        let symmetries = self.game.symmetries();
        let (blob, s) = canonical(symmetries, self.occupied(p));
        let own = symmetries.image(p.pack()[0], s);
        (blob, Even::new(symmetries, blob).least(compress(own, blob)))
    }

    pub(super) fn colours(blob: u64, number: u64) -> Colours {
        let own = expand(number, blob);
        [own, blob & !own]
    }

    /// The tier before the first move: the start alone.
    fn first(&self) -> Level {
        let (blob, number) = self.number(self.begin().1);
        let mut level = Level::empty(blob.count_ones());
        let mut numbers = Numbers::of(blob.count_ones());
        numbers.push(number);
        level.add(blob, &numbers);
        level
    }

    fn bytes_of(&self, tier: Tier) -> u64 {
        self.known.get(tier.0 as usize).map_or(0, |known| known[0].load(Relaxed))
    }

    /// Counts the reached positions of a solved tier by value.
    fn counts(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Tallied {
        let (values, level): (&Values, _) = (own(solved, tier)?, level_of(here, tier)?);
        let symmetries = self.game.symmetries();
        // Positions, how many up to symmetry, and where the first of them is.
        type Tally = Vec<(u64, u64, Option<usize>)>;
        let count = |mut tally: Tally, blob: usize| {
            let cells = level.blobs[blob];
            let even = Even::new(symmetries, cells);
            for at in level.part(blob) {
                let number = level.numbers.get(at);
                let count = &mut tally[usize::from(values.codes[at])];
                count.0 += symmetries.count() as u64 / even.fixing(number);
                count.1 += 1;
                count.2 = count.2.or(Some(at));
            }
            tally
        };
        let none = || vec![(0, 0, None); 256];
        let sum = |mut all: Tally, more: Tally| {
            for (sum, more) in all.iter_mut().zip(more) {
                *sum = (sum.0 + more.0, sum.1 + more.1, sum.2.into_iter().chain(more.2).min());
            }
            all
        };
        let tally = (0..level.blobs.len()).into_par_iter().fold(none, count).reduce(none, sum);
        let ply = (tier.0 - self.root().0) as u16;
        // Where nobody passes the turn follows from the number of moves.
        let first = self.begin().0;
        let turn = if G::AGAIN || ply.is_multiple_of(2) { first } else { first.other() };
        let count = |code: Code, all: u64, canonical: u64, example: Colours| {
            let example = Some(self.game.show(turn, G::Position::unpack(example)));
            Some(Count {
                value: O::value(code)?,
                positions: all,
                twice_canonical: 2 * canonical,
                ply: Some(ply),
                example,
            })
        };
        let open = tally.iter().enumerate().filter_map(|(byte, (all, canonical, example))| {
            let at = (*example)?;
            let blob = level.begins.partition_point(|begin| *begin <= at) - 1;
            let example = Self::colours(level.blobs[blob], level.numbers.get(at));
            Some(count(O::widen(byte as u8), *all, *canonical, example))
        });
        let over = level.ends.iter().map(|(code, ends)| count(*code, ends.all, ends.canonical, ends.example));
        let fault = || EngineError::BadGame { tier, fault: "a reached position has no value".into() };
        open.chain(over).collect::<Option<_>>().ok_or_else(fault)
    }

    /// Takes note of what a tier takes.
    fn measure(&self, tier: Tier, level: &Level) {
        if let Some(known) = self.known.get(tier.0 as usize) {
            known[0].store(level.bytes(), Relaxed);
            known[1].store(step_bytes(&self.game, level), Relaxed);
        }
    }
}

/// The reached positions of a tier, once they are known.
struct Reach {
    start: bool,
    level: OnceLock<Arc<Level>>,
}

impl Reached for Reach {
    fn bytes(&self) -> u64 {
        self.level.get().map_or(0, |level| level.bytes())
    }

    fn spill(&self) -> Option<Spill<'_>> {
        let mut out = vec![];
        self.level.get()?.write(&mut out);
        Some(out.into())
    }
}

fn read_all(tier: Tier, spilled: &mut dyn Read) -> Result<Vec<u8>, EngineError> {
    let mut bytes = vec![];
    spilled.read_to_end(&mut bytes).map_err(unreadable(tier))?;
    Ok(bytes)
}

fn level_of(reached: &dyn Reached, tier: Tier) -> Result<&Arc<Level>, EngineError> {
    let fault = || EngineError::BadGame { tier, fault: "its reached positions are not known yet".into() };
    own::<Reach>(reached, tier)?.level.get().ok_or_else(fault)
}

impl<G: Growing, O: Objective<G, Fold: Send>> Layout for BlobTiers<G, O> {
    type Game = G;
    type Objective = O;

    fn new(game: G, from: Option<TurnPosition<G>>) -> Option<Self> {
        let cells = game.cells();
        let known = (0..=cells).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect();
        Some(BlobTiers { game, from, cells, known, objective: PhantomData })
    }

    fn game(&self) -> &G {
        &self.game
    }

    fn from(&self) -> Option<TurnPosition<G>> {
        self.from
    }

    /// The code of a position: by the rules, by looking at all lines of play where they are
    /// short, or from a table; `None` where it is not known.
    fn code(&self, p: G::Position, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        if let Some(outcome) = self.game.outcome(p) {
            return Ok(Some(O::finished(&self.game, p, outcome)));
        }
        let pages = self.pages(Tier(self.occupied(p).count_ones().into()));
        if !pages.keeps() {
            if tables.warm() {
                return Err(AskError::Cold);
            }
            return Ok(exhaust::<G, O>(&self.game, p.pack()));
        }
        let (blob, number) = self.number(p);
        Ok(pages.find(tables, blob, number)?.map(O::widen).filter(|code| *code != Code::UNKNOWN))
    }
}

impl<G: Growing, O: Objective<G, Fold: Send>> TierGraph for BlobTiers<G, O> {
    fn filing(&self) -> Filing {
        let block_entries = Some(PAGE as usize);
        Filing { name: "blobs", block_entries, level: Some(12), by_tier: false, marked: true }
    }

    fn root(&self) -> Tier {
        Tier(self.occupied(self.begin().1).count_ones().into())
    }

    fn children(&self, tier: Tier) -> Vec<Tier> {
        if tier.0 < self.cells.into() { vec![Tier(tier.0 + 1)] } else { vec![] }
    }

    fn name(&self, tier: Tier) -> String {
        format!("{} of {} cells occupied", tier.0, self.cells)
    }

    /// A guess, for nobody knows before: as if every empty cell were filled with a disc of 1.71
    /// colours or not at all. In sum that is right to a few hundredths for Othello on 20 and
    /// 24 cells.
    fn size(&self, tier: Tier) -> u64 {
        let (empty, filled) = (u64::from(self.cells) - tier.0, tier.0 - self.root().0);
        let ways = |all: f64, i: u64| all * (filled + empty - i) as f64 / (i + 1) as f64;
        let blobs = (0..filled.min(empty)).fold(1.0, ways);
        // A position in the middle of a game is rarely its own image, and neither is what follows.
        let (colours, images) = match self.from {
            Some(_) => (2.3f64, 1),
            None => (1.71, self.game.symmetries().count()),
        };
        (blobs * colours.powi(filled as i32) / images as f64).max(1.0) as u64
    }
}

impl<G: Growing, O: Objective<G, Fold: Send>> Reachability for BlobTiers<G, O> {
    fn whole(&self) -> bool {
        self.game.alike(self.begin().1) == 1
    }

    fn bytes(&self, tier: Tier) -> u64 {
        let before = |tiers: u64| self.bytes_of(Tier(tier.0.saturating_sub(tiers)));
        let steps = self.known.get(tier.0.saturating_sub(1) as usize).map_or(0, |k| k[1].load(Relaxed));
        match (self.bytes_of(tier), before(1), before(2)) {
            // Tiers grow ever more slowly.
            (0, last, first) => last + last / 4 * (4 * last / first.max(1)).clamp(1, 20) + steps + SCRATCH,
            (known, _, _) => known,
        }
    }

    fn empty(&self, _: Tier, start: bool) -> Marked {
        Arc::new(Reach { start, level: OnceLock::new() })
    }

    fn discover(
        &self,
        tier: Tier,
        here: &dyn Reached,
        above: &[(Tier, Marked)],
        _: &[Marked],
        watch: &dyn Watch,
    ) {
        let Ok(here) = own::<Reach>(here, tier) else { return };
        let above = above.first().and_then(|(_, reached)| level_of(&**reached, tier).ok());
        let level = match above {
            Some(above) => forward::<G, O>(&self.game, above, watch),
            None if here.start => self.first(),
            None => Level::empty(tier.0 as u32),
        };
        self.measure(tier, &level);
        // The first marks stay, should anyone mark the tier twice.
        let _ = here.level.set(Arc::new(level));
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Result<Marked, EngineError> {
        let bytes = read_all(tier, spilled)?;
        let level = Level::read(&mut &bytes[..]).filter(|level| Tier(level.cells.into()) == tier);
        let reason = || "the spilled positions do not fit this game".into();
        let level = level.ok_or_else(|| EngineError::Load { tier, reason: reason() })?;
        self.measure(tier, &level);
        Ok(Arc::new(Reach { start: false, level: OnceLock::from(Arc::new(level)) }))
    }
}

impl<G: Growing, O: Objective<G, Fold: Send>> Audit for BlobTiers<G, O> {
    // A number is a place in the table, whose entries are digits of several positions.
    fn position(&self, _: Tier, _: u64) -> Option<[u64; 2]> {
        None
    }

    fn checks(&self, tier: Tier, _: u64, tables: &dyn Tables) -> Result<u64, AskError> {
        Ok(self.pages(tier).count(tables)?.unwrap_or(0))
    }

    fn verify_one(&self, tier: Tier, rank: u64, tables: &dyn Tables) -> Result<Checked, AskError> {
        let mut checked = Checked { checked: 1, ..Checked::default() };
        let kept = self.pages(tier).get(tables, rank)?;
        let colours = Self::colours(kept.blob, kept.number);
        let p = G::Position::unpack(colours);
        let good = u64::from(kept.blob.count_ones()) == tier.0
            && self.game.settle(colours) == Settled::Open(colours)
            && self.number(p) == (kept.blob, kept.number);
        if !good {
            checked.blame(format!(
                "tier {tier}, entry {rank}: {:x}, {:x} is no position",
                kept.blob, kept.number
            ));
            return Ok(checked);
        }
        let mut fold = O::EMPTY;
        for (m, child) in list_moves(&self.game, p) {
            match self.code(child, tables)? {
                Some(code) => fold = O::fold(fold, O::opposed(&self.game, m, child, code)),
                None => {
                    let (at, to) = (self.game.show(Turn::First, p), self.game.show(Turn::First, child));
                    checked.blame(format!("{at}: a move leads to {to}, which has no value"));
                    return Ok(checked);
                }
            }
        }
        let (found, want) = (O::widen(kept.code), O::parent(fold));
        if want != Some(found) {
            checked.blame(verify::wrong::<G, O>(&self.game, p, found, want));
        }
        Ok(checked)
    }

    fn walker(&self, how: Walking) -> Option<Box<dyn Walker + '_>> {
        Some(Box::new(Walk::new(&self.game, how)))
    }

    fn perft(&self, plies: u32) -> Perft {
        perft(&self.game, plies)
    }
}

impl<G: Growing, O: Objective<G, Fold: Send>> Opens for Blobs<G, O> {
    type Layout = BlobTiers<G, O>;
    const TAKES: Takes = Takes { by_position: false, ..Takes::new("blobs") };

    fn open(tiers: &Arc<Self::Layout>) -> Option<Self> {
        Some(Blobs(tiers.clone()))
    }
}

impl<G: Growing, O: Objective<G, Fold: Send>> Engine for Blobs<G, O> {
    fn need(&self, tier: Tier) -> Need {
        // Beside the reached positions: a code each, and the directory.
        let level = self.0.bytes_of(tier);
        let result = level + level / 4 + level / 4 + 4096;
        Need { working: result + level / 4, useful: result + level / 4, result }
    }

    fn solve(&self, job: &Job<'_>) -> Made {
        let reached = job.reached.map(|reached| level_of(reached, job.tier)).transpose()?;
        let fault =
            || EngineError::BadGame { tier: job.tier, fault: "its reached positions are not known".into() };
        let level = reached.ok_or_else(fault)?;
        let codes = match job.children.first() {
            Some(child) => backward::<G, O>(&self.0.game, level, own(&**child, job.tier)?, job.watch)?,
            None => vec![],
        };
        Ok(Arc::new(Values::new(level.clone(), codes, self.0.pages(job.tier))))
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Made {
        let bytes = read_all(tier, spilled)?;
        let mut spilled = &bytes[..];
        let level = Level::read(&mut spilled);
        match level.filter(|level| level.positions() == spilled.len() && Tier(level.cells.into()) == tier) {
            Some(level) => Ok(Arc::new(Values::new(Arc::new(level), spilled.to_vec(), self.0.pages(tier)))),
            None => Err(EngineError::Load { tier, reason: "the spilled tier does not fit this game".into() }),
        }
    }

    fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Option<Tallied> {
        Some(self.0.counts(tier, here, solved))
    }

    fn search(&self, p: [u64; 2], limits: Limits) -> Option<Option<Code>> {
        let (game, p) = (&self.0.game, G::Position::unpack(p));
        Some(match game.outcome(p) {
            Some(outcome) => Some(O::finished(game, p, outcome)),
            None => search::<G, O>(game, p.pack(), limits),
        })
    }
}
