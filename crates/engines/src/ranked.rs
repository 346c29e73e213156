//! The layout by a game's own tiers: each numbered by the game, its table one code a number.
//!
//! Sweep, retrograde, iterate, unmoves and rotations solve tiers of this layout. What they share is here: the
//! numberings, the jobs with those filled in, look-ups, marks and verification.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use zermelo_core::{
    AskError, Audit, Checked, Code, EngineError, Face, Filing, Job, Looked, Made, Marked, Objective, Packed,
    Peers, Perft, Reachability, Reached, ReadCodes, SharedJob, Solved, StoredTier, Tables, Tallied, Tier,
    TierCheckpoint, TierGraph, Tiers, Turn, Unpoisoned, Walker, Walking, Watch, Width, laws::list_moves, own,
};

use crate::below::Below;
use crate::layout::{Layout, TurnPosition};
use crate::perft::perft;
use crate::reach::{self, Reach};
use crate::walk::Walk;
use crate::{Codes, verify};

/// Numberings kept ready. Large tables behind them are the game's to share and to
/// declare in `index_bytes`.
const INDEXES: usize = 64;
/// Tiers that are remembered for having had their numbering made.
const MADE: usize = 1 << 16;

/// The layout of a variant by the tiers and numbers that its game gives ([`Tiers`]), for an objective.
pub struct Ranked<G: Tiers, O> {
    game: G,
    /// Where it begins, if not at the game's start.
    from: Option<TurnPosition<G>>,
    indexes: Mutex<Indexes<G::Index>>,
    /// What they may take; asked for every tier, and a game may have to go through its tiers to tell.
    index_bytes: OnceLock<u64>,
    objective: PhantomData<fn() -> O>,
}

/// The numberings of tiers.
struct Indexes<I> {
    /// Numberings that are kept in memory.
    kept: HashMap<Tier, Arc<I>>,
    /// Tiers whose numbering was made before. The tables behind it are there, so that it is soon made again.
    made: HashSet<Tier>,
}

impl<I> Default for Indexes<I> {
    fn default() -> Self {
        Indexes { kept: HashMap::new(), made: HashSet::new() }
    }
}

/// A solved tier below, with its numbering.
pub type Child<G> = (Tier, Arc<<G as Tiers>::Index>, Arc<dyn Solved>);

/// A job to solve one tier, with the rules and the numberings filled in.
pub struct TierJob<'a, G: Tiers> {
    /// The rules.
    pub game: &'a G,
    /// The tier to solve.
    pub tier: Tier,
    /// The solved tiers below, each with its numbering.
    pub children: Vec<Child<G>>,
    /// The numbering of this tier.
    pub index: Arc<G::Index>,
    /// Bytes that the engine may use for this tier.
    pub memory: u64,
    /// Is told of the progress.
    pub watch: &'a dyn Watch,
    /// Where the engine may keep its state.
    pub checkpoint: Option<&'a dyn TierCheckpoint>,
}

impl<'a, G: Tiers> TierJob<'a, G> {
    /// The tiers below, to look children up in.
    pub(crate) fn below<O: Objective<G>>(&self) -> Result<Below<'_, G, O>, EngineError> {
        Below::new(
            self.game,
            self.tier,
            self.children.iter().map(|(tier, index, solved)| (*tier, index, solved)),
        )
    }
}

/// A job to solve one tier together with other processes, with the rules and the numberings filled in.
pub struct ShareJob<'a, G: Tiers> {
    /// The rules.
    pub game: &'a G,
    /// The tier to solve.
    pub tier: Tier,
    /// The numbering of that tier.
    pub index: Arc<G::Index>,
    /// The tiers below, in the order of [`Tiers::children`], each with its numbering; every process may read any.
    pub children: Vec<(Arc<G::Index>, StoredTier<'a>)>,
    /// Entries in a block of the tables, of this tier and of those below.
    pub block: u64,
    /// The processes that solve the tier together.
    pub peers: &'a dyn Peers,
    /// Bytes that this process may use, what it keeps of the children included.
    pub memory: u64,
    /// Is told of the progress with this process's own numbers.
    pub watch: &'a dyn Watch,
}

impl<G: Tiers, O: Objective<G>> Ranked<G, O> {
    /// The layout of a game that is to be solved from its start.
    pub fn of(game: G) -> Self {
        Ranked::beginning(game, None)
    }

    fn beginning(game: G, from: Option<TurnPosition<G>>) -> Self {
        let (indexes, index_bytes) = (Mutex::default(), OnceLock::new());
        Ranked { game, from, indexes, index_bytes, objective: PhantomData }
    }

    /// The rules.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The numbering of a tier.
    pub fn index(&self, tier: Tier) -> Arc<G::Index> {
        let lock = || self.indexes.lock().unpoisoned();
        if let Some(index) = lock().kept.get(&tier) {
            return index.clone();
        }
        // Built outside the lock: two threads may do so at once, which does no harm.
        let index = Arc::new(self.game.index(tier));
        let mut indexes = lock();
        let Indexes { kept, made } = &mut *indexes;
        if kept.len() >= INDEXES {
            // Any one goes: most runs have fewer tiers at work, and the others find theirs as a rule.
            let some = kept.keys().next().copied();
            some.and_then(|tier| kept.remove(&tier));
        }
        if made.len() >= MADE {
            made.clear();
        }
        made.insert(tier);
        kept.entry(tier).or_insert(index).clone()
    }

    /// The numbering of a tier for look-ups in some tables. It is not made for the first time where only what is in
    /// memory counts.
    fn index_for(&self, tables: &dyn Tables, tier: Tier) -> Result<Arc<G::Index>, AskError> {
        let made = || self.indexes.lock().unpoisoned().made.contains(&tier);
        if tables.warm() && !made() { Err(AskError::Cold) } else { Ok(self.index(tier)) }
    }

    /// A job with the rules and the numberings.
    pub(crate) fn job<'a>(&'a self, job: &Job<'a>) -> TierJob<'a, G> {
        let &Job { tier, memory, watch, checkpoint, .. } = job;
        let children = self.game.children(tier).into_iter().zip(job.children);
        let children = children.map(|(child, solved)| (child, self.index(child), solved.clone())).collect();
        TierJob { game: &self.game, tier, children, index: self.index(tier), memory, watch, checkpoint }
    }

    /// A job for several processes with the rules and the numberings.
    pub(crate) fn share_job<'a>(&'a self, job: &SharedJob<'a>) -> ShareJob<'a, G> {
        let &SharedJob { tier, block, peers, memory, watch, .. } = job;
        let children = self.game.children(tier).into_iter().zip(job.children);
        let children =
            children.map(|(tier, &(width, read))| (self.index(tier), StoredTier { tier, width, read }));
        let (game, index, children) = (&self.game, self.index(tier), children.collect());
        ShareJob { game, tier, index, children, block, peers, memory, watch }
    }

    /// Brings a stored tier into the plain form.
    pub fn load(&self, stored: &StoredTier<'_>) -> Made {
        let (index, all) = (self.index(stored.tier), 0..self.game.size(stored.tier));
        Ok(Codes::<G, O>::load(&self.game, &index, stored, all)?)
    }

    /// Brings a spilled tier back into the plain form.
    pub fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Made {
        Codes::<G, O>::restore(&self.game, tier, spilled)
    }

    /// The code of a position; unknown where the table has what cannot be. Without a table no numbering is built
    /// either: those of unsolved games may be huge.
    fn known(&self, p: G::Position, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        if let Some(code) = O::look(&self.game, p) {
            return Ok(Some(code));
        }
        match self.game.tier(p) {
            tier if tables.has(tier) => {
                let index = self.index_for(tables, tier)?;
                let code = tables.look(tier, self.game.rank(&index, p))?.map(|(raw, width)| match width {
                    Width::One => O::widen(raw as u8),
                    Width::Two => Code(raw),
                });
                // What a look tells is never stored; a table that says so is false.
                Ok(code.map(|code| if O::derivable(code) { Code::UNKNOWN } else { code }))
            }
            _ => Ok(None),
        }
    }
}

impl<G: Tiers + Face, O: Objective<G>> Layout for Ranked<G, O> {
    type Game = G;
    type Objective = O;

    fn new(game: G, from: Option<TurnPosition<G>>) -> Option<Self> {
        (!game.roots().is_empty()).then(|| Ranked::beginning(game, from))
    }

    fn game(&self) -> &G {
        &self.game
    }

    fn from(&self) -> Option<TurnPosition<G>> {
        self.from
    }

    fn code(&self, p: G::Position, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        match self.known(p, tables)? {
            Some(code) if code == Code::UNKNOWN => {
                let tier = self.shown(self.game.tier(p));
                let reason = format!(
                    "the table of tier {tier} has a value that cannot be; `zermelo verify` tells more"
                );
                Err(AskError::Tables(reason.into()))
            }
            code => Ok(code),
        }
    }
}

impl<G: Tiers + Face, O: Objective<G>> TierGraph for Ranked<G, O> {
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

    fn name(&self, tier: Tier) -> String {
        self.game.name(tier)
    }

    fn size(&self, tier: Tier) -> u64 {
        self.game.size(tier)
    }

    fn index_bytes(&self) -> u64 {
        *self.index_bytes.get_or_init(|| self.game.index_bytes())
    }
}

impl<G: Tiers + Face, O: Objective<G>> Reachability for Ranked<G, O> {
    fn whole(&self) -> bool {
        self.endgames() || self.game.alike(self.begin().1) == 1
    }

    fn endgames(&self) -> bool {
        self.game.endgames() && self.from.is_none()
    }

    fn bytes(&self, tier: Tier) -> u64 {
        if self.endgames() { 0 } else { self.game.size(tier).div_ceil(4) }
    }

    fn empty(&self, tier: Tier, with_start: bool) -> Marked {
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

    fn all(&self, tier: Tier) -> Option<Marked> {
        Some(Arc::new(Reach::all(self.game.size(tier), 1)))
    }

    fn discover(
        &self,
        tier: Tier,
        here: &dyn Reached,
        _: &[(Tier, Marked)],
        children: &[Marked],
        watch: &dyn Watch,
    ) {
        if self.endgames() {
            return watch.advance(self.game.size(tier));
        }
        let tiers = self.game.children(tier);
        let indexes: Vec<_> = tiers.iter().map(|t| self.index(*t)).collect();
        let below = tiers.iter().zip(&indexes).zip(children);
        let below: Vec<_> = below.filter_map(|((t, i), r)| Some((*t, &**i, own(&**r, *t).ok()?))).collect();
        if let Ok(here) = own(here, tier) {
            reach::discover(&self.game, tier, &self.index(tier), here, &below, watch);
        }
    }

    fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Tallied {
        let show = |turn, p| self.game.show(turn, p);
        let counts = reach::tally::<G, O>(&self.game, &self.index(tier), own(here, tier)?, solved, &show);
        counts.ok_or_else(|| reach::no_value(tier))
    }

    fn tally_stored(&self, here: &dyn Reached, stored: &StoredTier<'_>, watch: &dyn Watch) -> Tallied {
        let show = |turn, p| self.game.show(turn, p);
        let (index, here) = (self.index(stored.tier), own(here, stored.tier)?);
        reach::tally_stored::<G, O>(&self.game, &index, here, stored, watch, &show)
    }
}

impl<G: Tiers + Face, O: Objective<G>> Audit for Ranked<G, O> {
    fn position(&self, tier: Tier, rank: u64) -> Option<[u64; 2]> {
        Some(self.game.unrank(&self.index(tier), rank)?.pack())
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
        let found = self.known(p, tables)?.unwrap_or(Code::UNKNOWN);
        let want = verify::finished::<G, O>(&self.game, p).or_else(|| O::parent(fold));
        if want != Some(found) {
            checked.blame(verify::wrong::<G, O>(&self.game, p, found, want));
        }
        Ok(checked)
    }

    fn load_plain(&self, tier: Tier, width: Width, read: &ReadCodes<'_>) -> Made {
        self.load(&StoredTier { tier, width, read })
    }

    fn verify(
        &self,
        tier: Tier,
        this: &dyn Solved,
        children: &[Arc<dyn Solved>],
    ) -> Result<Checked, EngineError> {
        let codes: &Codes<G, O> = own(this, tier)?;
        let tiers = self.game.children(tier);
        let indexes: Vec<_> = tiers.iter().map(|t| self.index(*t)).collect();
        let parts = tiers.iter().zip(&indexes).zip(children).map(|((t, i), s)| (*t, i, s));
        let below = Below::<G, O>::new(&self.game, tier, parts)?;
        Ok(verify::tier(&self.game, tier, &self.index(tier), codes, &below))
    }

    fn look(&self, tier: Tier, range: Range<u64>) -> Option<Looked> {
        Some(verify::look(&self.game, tier, range, &|tier| self.index(tier)))
    }

    fn walker(&self, how: Walking) -> Option<Box<dyn Walker + '_>> {
        Some(Box::new(Walk::new(&self.game, how)))
    }

    fn perft(&self, plies: u32) -> Perft {
        perft(&self.game, plies)
    }
}
