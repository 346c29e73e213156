//! Where types end: one game and one engine behind [`AnyGame`].

use std::collections::HashMap;
use std::io::Read;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use zermelo_core::{
    AnyGame, AskError, Board, Card, Checked, Code, Complaint, Count, Engine, EngineError, Face, Filing, Job,
    Limits, Looked, Need, Objective, Options, Peers, Perft, Reached, ReadCodes, Report, ShareJob, Solved,
    Stored, StoredChild, Tables, Tier, Tiers, Turn, Unit, Value, Walker, Walking, Watch, Width, Winner,
    laws::list_moves,
};

use crate::below::Below;
use crate::front::{self, Examine};
use crate::perft::perft;
use crate::reach::{self, Reach};
use crate::walk::Walk;
use crate::{Codes, verify};

/// Numberings kept ready. Large tables behind them are the game's to share and to
/// declare in `index_bytes`.
const INDEXES: usize = 64;

/// A game, what it is solved for, and the engine that does it.
///
/// The engine is known by its functions alone: most of what follows is the same for all engines of a
/// game, and so it is compiled once for them.
pub struct Erased<G: Tiers, O> {
    game: G,
    engine: Functions<G>,
    variant: String,
    /// Where it begins, if not at the game's start.
    from: Option<(Turn, G::Position)>,
    indexes: Mutex<HashMap<Tier, Arc<G::Index>>>,
    /// What they may take; asked for every tier, and a game may have to go through its tiers to tell.
    index_bytes: OnceLock<u64>,
    objective: PhantomData<fn() -> O>,
}

/// What comes of solving or loading a tier.
type Made = Result<Arc<dyn Solved>, EngineError>;

/// What an [`Engine`] says and does.
struct Functions<G: Tiers> {
    name: &'static str,
    most: u64,
    by_position: bool,
    need: fn(&G, Tier) -> Need,
    solve: fn(&Job<'_, G>) -> Made,
    load: fn(&Stored<'_, G>) -> Made,
    unpark: fn(&G, Tier, &mut dyn Read) -> Made,
    share_need: fn(&G, Tier, usize, u64) -> Option<Need>,
    solve_share: fn(&ShareJob<'_, G>) -> Made,
    tally: fn(&G, Tier, &dyn Solved) -> Option<Vec<Count>>,
    examine: Examine<G>,
    examine_bytes: fn(&G, G::Position) -> Option<u64>,
}

impl<G: Tiers> Functions<G> {
    fn of<E: Engine<G>>() -> Functions<G> {
        Functions {
            name: E::NAME,
            most: E::MOST,
            by_position: E::BY_POSITION,
            need: E::need,
            solve: E::solve,
            load: E::load,
            unpark: E::unpark,
            share_need: E::share_need,
            solve_share: E::solve_share,
            tally: E::tally,
            examine: E::examine,
            examine_bytes: E::examine_bytes,
        }
    }
}

impl<G: Tiers + Face, O: Objective<G>> Erased<G, O> {
    /// Opens a variant, to be solved from its start or from a position; `None` for one that has
    /// too many tiers or is beyond the engine.
    pub fn open<E>(options: &str, from: Option<&str>) -> Result<Option<Self>, Complaint>
    where
        E: Engine<G, Objective = O>,
    {
        let options = Options::read(&G::CARD, options)?;
        let variant = options.normal(&G::CARD);
        let game = G::new(&options)?;
        let (from, fits) = (front::begin(&game, from)?, game.countable() && E::takes(&game));
        let (engine, indexes, objective) = (Functions::of::<E>(), Mutex::default(), PhantomData);
        let index_bytes = OnceLock::new();
        let erased = Erased { game, engine, variant, from, indexes, index_bytes, objective };
        Ok(Some(erased).filter(|_| fits))
    }

    /// Where it begins, and who is to move there.
    fn begin(&self) -> (Turn, G::Position) {
        self.from.unwrap_or((self.game.start_turn(), self.game.start()))
    }

    fn index(&self, tier: Tier) -> Arc<G::Index> {
        let lock = || self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = lock().get(&tier) {
            return index.clone();
        }
        // Built outside the lock: two threads may do so at once, which does no harm.
        let index = Arc::new(self.game.index(tier));
        let mut indexes = lock();
        if indexes.len() >= INDEXES {
            indexes.clear();
        }
        indexes.entry(tier).or_insert(index).clone()
    }

    fn stored<'a>(
        &'a self,
        tier: Tier,
        index: &'a G::Index,
        width: Width,
        read: &'a ReadCodes<'a>,
    ) -> Stored<'a, G> {
        Stored { game: &self.game, tier, index, width, read }
    }

    /// The code of a position: from the rules, or from a table. Without a table no
    /// numbering is built either: those of unsolved games may be huge.
    fn code(&self, p: G::Position, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        match self.known(p, tables)? {
            Some(code) if code == Code::UNKNOWN => {
                let tier = self.game.tier(p);
                let reason = format!(
                    "the table of tier {tier} has a value that cannot be; `zermelo verify` tells more"
                );
                Err(AskError::Tables(reason.into()))
            }
            code => Ok(code),
        }
    }

    /// The same, unknown where the table has what cannot be.
    fn known(&self, p: G::Position, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        if let Some(code) = O::look(&self.game, p) {
            return Ok(Some(code));
        }
        match self.game.tier(p) {
            tier if tables.has(tier) => self.stored_code(tier, self.game.rank(&self.index(tier), p), tables),
            _ => Ok(None),
        }
    }

    fn stored_code(&self, tier: Tier, rank: u64, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        let raw = tables.code(tier, rank).map_err(AskError::Tables)?;
        let code = raw.map(|(raw, width)| match width {
            Width::One => O::widen(raw as u8),
            Width::Two => Code(raw),
        });
        // What a look tells is never stored; a table that says so is false.
        Ok(code.map(|code| if O::derivable(code) { Code::UNKNOWN } else { code }))
    }
}

fn plain<G: Tiers, O: Objective<G>>(tier: Tier, solved: &dyn Solved) -> Result<&Codes<G, O>, EngineError> {
    let fault = || EngineError::BadGame { tier, fault: "the tier was not loaded in plain form".into() };
    solved.as_any().downcast_ref().ok_or_else(fault)
}

impl<G: Tiers + Face, O: Objective<G>> AnyGame for Erased<G, O> {
    fn card(&self) -> &'static Card {
        &const { G::CARD }
    }

    fn variant(&self) -> String {
        self.variant.clone()
    }

    fn engine(&self) -> &'static str {
        self.engine.name
    }

    fn objective(&self) -> &'static str {
        O::NAME
    }

    fn unit(&self) -> Unit {
        O::UNIT
    }

    fn from(&self) -> Option<String> {
        self.from.map(|(turn, p)| self.game.show(turn, p))
    }

    fn filing(&self) -> Filing {
        Filing { block_entries: G::BLOCK_ENTRIES, level: G::LEVEL, ..Filing::TIERS }
    }

    fn roots(&self) -> Vec<Tier> {
        if self.from.is_some() { vec![self.root()] } else { self.game.roots() }
    }

    fn root(&self) -> Tier {
        self.game.tier(self.begin().1)
    }

    fn children(&self, tier: Tier) -> Vec<Tier> {
        self.game.children(tier)
    }

    fn size(&self, tier: Tier) -> u64 {
        self.game.size(tier)
    }

    fn need(&self, tier: Tier) -> Need {
        (self.engine.need)(&self.game, tier)
    }

    fn most(&self) -> u64 {
        self.engine.most
    }

    fn index_bytes(&self) -> u64 {
        *self.index_bytes.get_or_init(|| self.game.index_bytes())
    }

    fn solve(
        &self,
        tier: Tier,
        _reached: Option<&dyn Reached>,
        children: &[Arc<dyn Solved>],
        memory: u64,
        watch: &dyn Watch,
    ) -> Result<Arc<dyn Solved>, EngineError> {
        let children = self.game.children(tier).into_iter().zip(children);
        let children = children.map(|(child, solved)| (child, self.index(child), solved.clone())).collect();
        (self.engine.solve)(&Job { game: &self.game, tier, children, index: self.index(tier), memory, watch })
    }

    fn share_need(&self, tier: Tier, peers: usize, block: u64) -> Option<Need> {
        (self.engine.share_need)(&self.game, tier, peers, block)
    }

    fn solve_share(
        &self,
        tier: Tier,
        children: &[(Width, &ReadCodes<'_>)],
        block: u64,
        peers: &dyn Peers,
        memory: u64,
        watch: &dyn Watch,
    ) -> Result<Arc<dyn Solved>, EngineError> {
        let children = self.game.children(tier).into_iter().zip(children);
        let children = children.map(|(tier, &(width, read))| {
            let index = self.index(tier);
            StoredChild { tier, index, width, read }
        });
        let (game, index, children) = (&self.game, self.index(tier), children.collect());
        (self.engine.solve_share)(&ShareJob { game, tier, index, children, block, peers, memory, watch })
    }

    fn look(&self, tier: Tier, range: Range<u64>) -> Option<Looked> {
        if !self.engine.by_position {
            return None;
        }
        Some(verify::look(&self.game, tier, range, &|tier| self.index(tier)))
    }

    fn load(&self, tier: Tier, width: Width, read: &ReadCodes<'_>) -> Result<Arc<dyn Solved>, EngineError> {
        (self.engine.load)(&self.stored(tier, &self.index(tier), width, read))
    }

    fn unpark(&self, tier: Tier, parked: &mut dyn Read) -> Result<Arc<dyn Solved>, EngineError> {
        (self.engine.unpark)(&self.game, tier, parked)
    }

    fn load_plain(
        &self,
        tier: Tier,
        width: Width,
        read: &ReadCodes<'_>,
    ) -> Result<Arc<dyn Solved>, EngineError> {
        Ok(Codes::<G, O>::load(&self.stored(tier, &self.index(tier), width, read))?)
    }

    fn verify(
        &self,
        tier: Tier,
        this: &dyn Solved,
        children: &[Arc<dyn Solved>],
    ) -> Result<Checked, EngineError> {
        let codes = plain::<G, O>(tier, this)?;
        let tiers = self.game.children(tier);
        let indexes: Vec<_> = tiers.iter().map(|t| self.index(*t)).collect();
        let parts = tiers.iter().zip(&indexes).zip(children).map(|((t, i), s)| (*t, i, s));
        let below = Below::<G, O>::new(&self.game, tier, parts)?;
        Ok(verify::tier(&self.game, tier, &self.index(tier), codes, &below))
    }

    fn verify_one(&self, tier: Tier, rank: u64, tables: &dyn Tables) -> Result<Checked, AskError> {
        let mut checked = Checked::default();
        let Some(p) = self.game.unrank(&self.index(tier), rank) else { return Ok(checked) };
        checked.checked = 1;
        if O::look(&self.game, p).is_some() {
            return Ok(checked);
        }
        let mut fold = O::EMPTY;
        for (m, child) in list_moves(&self.game, p) {
            if let Some(code) = self.known(child, tables)?.filter(|code| *code != Code::UNKNOWN) {
                fold = O::fold(fold, O::opposed(&self.game, m, child, code));
            }
        }
        let found = self.stored_code(tier, rank, tables)?.unwrap_or(Code::UNKNOWN);
        let want = verify::finished::<G, O>(&self.game, p).or_else(|| O::parent(fold));
        if want != Some(found) {
            checked.blame(verify::wrong::<G, O>(&self.game, p, found, want));
        }
        Ok(checked)
    }

    fn endgames(&self) -> bool {
        self.game.endgames() && self.from.is_none()
    }

    fn whole(&self) -> bool {
        self.endgames() || self.game.alike(self.begin().1) == 1
    }

    fn reach_bytes(&self, tier: Tier) -> u64 {
        if self.endgames() { 0 } else { self.game.size(tier).div_ceil(4) }
    }

    fn unreached(&self, tier: Tier, with_start: bool) -> Arc<dyn Reached> {
        if self.endgames() {
            // Where sides do not count, a position is one and not two.
            return Arc::new(Reach::all(self.game.size(tier), if G::SIDES { 3 } else { 1 }));
        }
        let reach = Reach::new(self.game.size(tier));
        if with_start {
            let (turn, p) = self.begin();
            // Where sides do not count, all marks stand on the first player's plane.
            let turns = if G::SIDES && turn == Turn::Second { 2 } else { 1 };
            reach.mark(turns, self.game.rank(&self.index(tier), p));
        }
        Arc::new(reach)
    }

    fn discover(
        &self,
        tier: Tier,
        here: &dyn Reached,
        _above: &[(Tier, Arc<dyn Reached>)],
        children: &[Arc<dyn Reached>],
        watch: &dyn Watch,
    ) {
        if self.endgames() {
            return watch.advance(self.game.size(tier));
        }
        let tiers = self.game.children(tier);
        let indexes: Vec<_> = tiers.iter().map(|t| self.index(*t)).collect();
        let below = tiers.iter().zip(&indexes).zip(children);
        let below: Vec<_> =
            below.filter_map(|((t, i), r)| Some((*t, &**i, r.as_any().downcast_ref()?))).collect();
        if let Some(here) = here.as_any().downcast_ref() {
            reach::discover(&self.game, tier, &self.index(tier), here, &below, watch);
        }
    }

    fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Result<Vec<Count>, EngineError> {
        let whole = if self.endgames() { (self.engine.tally)(&self.game, tier, solved) } else { None };
        if let Some(counts) = whole {
            return Ok(counts);
        }
        let here = here.as_any().downcast_ref();
        let show = |turn, p| self.game.show(turn, p);
        let index = self.index(tier);
        let counts = here.map(|here| reach::tally::<G, O>(&self.game, &index, here, solved, &show));
        let reason = || "a reached position has no value; `zermelo verify` tells more".into();
        counts.unwrap_or_default().ok_or_else(|| EngineError::Load { tier, reason: reason() })
    }

    fn walker(&self, how: Walking) -> Option<Box<dyn Walker + '_>> {
        Some(Box::new(Walk::new(&self.game, how)))
    }

    fn start(&self) -> String {
        let (turn, p) = self.begin();
        self.game.show(turn, p)
    }

    fn position(&self, tier: Tier, rank: u64, turn: Turn) -> Option<String> {
        Some(self.game.show(turn, self.game.unrank(&self.index(tier), rank)?))
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
        match O::UNIT {
            Unit::Moves | Unit::Goal => front::search(&self.game, position, limits),
            // That search knows of distances alone; a position must still be a good one.
            Unit::Margin | Unit::Nimber => {
                let (_, p) = self.game.read(position)?;
                Ok(O::formula(&self.game, p).and_then(O::value))
            }
            Unit::Winner => Ok(front::search(&self.game, position, limits)?.map(Winner::only)),
        }
    }

    fn examine(&self, position: &str, limits: Limits) -> Result<Option<Report>, Complaint> {
        front::examine::<_, O>(&self.game, position, limits, self.engine.examine)
    }

    fn examine_bytes(&self, position: &str) -> Result<Option<u64>, Complaint> {
        Ok((self.engine.examine_bytes)(&self.game, self.game.read(position)?.1))
    }

    fn perft(&self, plies: u32) -> Perft {
        perft(&self.game, plies)
    }

    fn board(&self) -> Board {
        self.game.board()
    }
}
