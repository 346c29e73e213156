//! Where types end: one game whose blobs only grow and this engine behind [`AnyGame`].

use std::any::Any;
use std::io::Read;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use zermelo_core::{
    AnyGame, AskError, Board, Card, Checked, Code, Colours, Complaint, Count, EngineError, Filing, Growing,
    Limits, Need, Objective, Options, Packed, Parked, Perft, Reached, Report, Settled, Solved, Tables, Tier,
    Turn, Unit, Value, Walker, Walking, Watch,
    laws::list_moves,
    rank::{compress, expand},
};

use super::backward::{Values, backward};
use super::cells::{Even, canonical};
use super::forward::{forward, step_bytes};
use super::level::{Level, Numbers};
use super::search::{exhaust, search};
use super::shelf::{PAGE, Shelf};
use crate::front;
use crate::perft::perft;
use crate::walk::Walk;

/// Positions with fewer empty cells are not kept: to look at all lines of play from six empty
/// cells of Othello takes 10 to 20 microseconds, as long as opening a block.
const LEAST_EMPTY: u32 = 7;

/// What finding the reached positions of a tier takes besides them.
const SCRATCH: u64 = 24 << 20;

/// A game solved by this engine.
pub struct Blobs<G: Growing, O> {
    game: G,
    variant: String,
    /// Where it is solved from, if not from the start.
    from: Option<(Turn, G::Position)>,
    /// Cells of the board.
    cells: u32,
    /// For each tier, once it is known: bytes of its reached positions, and what it takes to go on
    /// from them.
    known: Vec<[AtomicU64; 2]>,
    objective: PhantomData<fn() -> O>,
}

impl<G: Growing, O: Objective<G>> Blobs<G, O> {
    /// Opens a variant, to be solved from its start or from a position.
    pub fn open(options: &str, from: Option<&str>) -> Result<Self, Complaint> {
        let options = Options::read(&G::CARD, options)?;
        let variant = options.normal(&G::CARD);
        let game = G::new(&options)?;
        let (cells, from) = (game.cells(), front::begin(&game, from)?);
        let known = (0..=cells).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect();
        Ok(Blobs { game, variant, from, cells, known, objective: PhantomData })
    }

    /// Where it begins, and who is to move there.
    fn begin(&self) -> (Turn, G::Position) {
        self.from.unwrap_or((self.game.start_turn(), self.game.start()))
    }

    fn shelf(&self, tier: Tier) -> Shelf {
        let cells = tier.0.min(64) as u32;
        Shelf::new(cells, self.game.symmetries().cells() as u32, cells + LEAST_EMPTY <= self.cells)
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

    fn colours(blob: u64, number: u64) -> Colours {
        let own = expand(number, blob);
        [own, blob & !own]
    }

    /// The code of a position: by the rules, by looking at all lines of play where they are
    /// short, or from a table; `None` where it is not known.
    fn code(&self, p: G::Position, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        if let Some(outcome) = self.game.outcome(p) {
            return Ok(Some(O::finished(&self.game, p, outcome)));
        }
        let shelf = self.shelf(Tier(self.occupied(p).count_ones().into()));
        if !shelf.keeps() {
            return Ok(exhaust::<G, O>(&self.game, p.pack()));
        }
        let (blob, number) = self.number(p);
        Ok(shelf.find(tables, blob, number)?.map(O::widen).filter(|code| *code != Code::UNKNOWN))
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

    fn park(&self) -> Option<Parked<'_>> {
        let mut out = vec![];
        self.level.get()?.write(&mut out);
        Some(out.into())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn read_all(tier: Tier, parked: &mut dyn Read) -> Result<Vec<u8>, EngineError> {
    let mut bytes = vec![];
    match parked.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(EngineError::Load { tier, reason: error.into() }),
    }
}

fn alien(tier: Tier) -> EngineError {
    EngineError::BadGame {
        tier,
        fault: "the reached positions or the tier below are another engine's".into(),
    }
}

fn level_of(reached: &dyn Reached) -> Option<&Arc<Level>> {
    reached.as_any().downcast_ref::<Reach>()?.level.get()
}

impl<G: Growing, O: Objective<G>> AnyGame for Blobs<G, O>
where
    O::Fold: Send,
{
    fn card(&self) -> &'static Card {
        &const { G::CARD }
    }

    fn variant(&self) -> String {
        self.variant.clone()
    }

    fn engine(&self) -> &'static str {
        "blobs"
    }

    fn objective(&self) -> &'static str {
        O::NAME
    }

    fn unit(&self) -> Unit {
        O::UNIT
    }

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

    fn need(&self, tier: Tier) -> Need {
        // Beside the reached positions: a code each, and the directory.
        let level = self.bytes_of(tier);
        let result = level + level / 4 + level / 4 + 4096;
        Need { working: result + level / 4, useful: result + level / 4, result }
    }

    fn most(&self) -> u64 {
        u64::MAX
    }

    fn index_bytes(&self) -> u64 {
        0
    }

    fn solve(
        &self,
        tier: Tier,
        reached: Option<&dyn Reached>,
        children: &[Arc<dyn Solved>],
        _memory: u64,
        watch: &dyn Watch,
    ) -> Result<Arc<dyn Solved>, EngineError> {
        let level = reached.and_then(level_of).ok_or_else(|| alien(tier))?;
        let codes = match children.first() {
            Some(child) => {
                let below = child.as_any().downcast_ref::<Values>().ok_or_else(|| alien(tier))?;
                backward::<G, O>(&self.game, level, below, watch)?
            }
            None => vec![],
        };
        Ok(Arc::new(Values::new(level.clone(), codes, self.shelf(tier))))
    }

    fn unpark(&self, tier: Tier, parked: &mut dyn Read) -> Result<Arc<dyn Solved>, EngineError> {
        let bytes = read_all(tier, parked)?;
        let mut parked = &bytes[..];
        let level = Level::read(&mut parked);
        match level.filter(|level| level.positions() == parked.len() && Tier(level.cells.into()) == tier) {
            Some(level) => Ok(Arc::new(Values::new(Arc::new(level), parked.to_vec(), self.shelf(tier)))),
            None => Err(EngineError::Load { tier, reason: "the parked tier does not fit this game".into() }),
        }
    }

    fn checks(&self, tier: Tier, _: u64, tables: &dyn Tables) -> Result<u64, AskError> {
        Ok(self.shelf(tier).count(tables)?.unwrap_or(0))
    }

    fn verify_one(&self, tier: Tier, rank: u64, tables: &dyn Tables) -> Result<Checked, AskError> {
        let mut checked = Checked { checked: 1, ..Checked::default() };
        let kept = self.shelf(tier).get(tables, rank)?;
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
            let want = want.map_or("no value".into(), O::text);
            let position = self.game.show(Turn::First, p);
            checked.blame(format!("{position}: stored {}, its moves give {want}", O::text(found)));
        }
        Ok(checked)
    }

    fn whole(&self) -> bool {
        self.game.alike(self.begin().1) == 1
    }

    fn reach_bytes(&self, tier: Tier) -> u64 {
        let before = |tiers: u64| self.bytes_of(Tier(tier.0.saturating_sub(tiers)));
        let steps = self.known.get(tier.0.saturating_sub(1) as usize).map_or(0, |k| k[1].load(Relaxed));
        match (self.bytes_of(tier), before(1), before(2)) {
            // Tiers grow ever more slowly.
            (0, last, first) => last + last / 4 * (4 * last / first.max(1)).clamp(1, 20) + steps + SCRATCH,
            (known, _, _) => known,
        }
    }

    fn unreached(&self, _: Tier, start: bool) -> Arc<dyn Reached> {
        Arc::new(Reach { start, level: OnceLock::new() })
    }

    fn discover(
        &self,
        tier: Tier,
        here: &dyn Reached,
        above: &[(Tier, Arc<dyn Reached>)],
        _below: &[Arc<dyn Reached>],
        watch: &dyn Watch,
    ) {
        let Some(here) = here.as_any().downcast_ref::<Reach>() else { return };
        let above = above.first().and_then(|(_, reached)| level_of(&**reached));
        let level = match above {
            Some(above) => forward::<G, O>(&self.game, above, watch),
            None if here.start => self.first(),
            None => Level::empty(tier.0 as u32),
        };
        self.measure(tier, &level);
        // The first marks stay, should anyone mark the tier twice.
        let _ = here.level.set(Arc::new(level));
    }

    fn unpark_reached(&self, tier: Tier, parked: &mut dyn Read) -> Result<Arc<dyn Reached>, EngineError> {
        let bytes = read_all(tier, parked)?;
        let level = Level::read(&mut &bytes[..]).filter(|level| Tier(level.cells.into()) == tier);
        let reason = || "the parked positions do not fit this game".into();
        let level = level.ok_or_else(|| EngineError::Load { tier, reason: reason() })?;
        self.measure(tier, &level);
        Ok(Arc::new(Reach { start: false, level: OnceLock::from(Arc::new(level)) }))
    }

    fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Result<Vec<Count>, EngineError> {
        let values = solved.as_any().downcast_ref::<Values>().ok_or_else(|| alien(tier))?;
        let level = level_of(here).ok_or_else(|| alien(tier))?;
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

    fn walker(&self, how: Walking) -> Option<Box<dyn Walker + '_>> {
        Some(Box::new(Walk::new(&self.game, how)))
    }

    fn start(&self) -> String {
        let (turn, p) = self.begin();
        self.game.show(turn, p)
    }

    fn from(&self) -> Option<String> {
        self.from.map(|(turn, p)| self.game.show(turn, p))
    }

    fn position(&self, _: Tier, _: u64, _: Turn) -> Option<String> {
        None
    }

    fn value(&self, position: &str, tables: &dyn Tables) -> Result<Option<Value>, AskError> {
        let (_, p) = self.game.read(position)?;
        Ok(self.code(p, tables)?.and_then(O::value))
    }

    fn has_notes(&self) -> bool {
        G::NOTES
    }

    fn note(&self, position: &str, limits: Limits) -> Result<Option<String>, Complaint> {
        front::note(&self.game, position, limits)
    }

    fn report(&self, position: &str, tables: &dyn Tables) -> Result<Report, AskError> {
        front::report::<_, O>(&self.game, position, &|p| self.code(p, tables))
    }

    fn follow(&self, position: &str, moves: &str) -> Result<String, Complaint> {
        front::follow(&self.game, position, moves)
    }

    fn search(&self, position: &str, limits: Limits) -> Result<Option<Value>, Complaint> {
        let (_, p) = self.game.read(position)?;
        let code = match self.game.outcome(p) {
            Some(outcome) => Some(O::finished(&self.game, p, outcome)),
            None => search::<G, O>(&self.game, p.pack(), limits),
        };
        Ok(code.and_then(O::value))
    }

    fn perft(&self, plies: u32) -> Perft {
        perft(&self.game, plies)
    }

    fn board(&self) -> Board {
        self.game.board()
    }
}
