//! What the rest of the program sees of a variant: one narrow trait for each consumer, its types erased.
//!
//! ```text
//! TierGraph      the coordinator: which tiers there are, and how large
//! Reachability   the coordinator and the counts: which positions the start reaches
//! Engine         the coordinator: solves one tier (see `engine`)
//! Oracle         front ends: positions, moves, values, the board
//! Audit          verification, counting, estimates
//! ```
//!
//! There is one virtual call a tier or a query, and none a position.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use crate::{
    Board, Complaint, Drawing, EngineError, Made, ReadCodes, Reason, Solved, Spill, Tallied, Tier, Turn,
    Unit, Value, Walker, Walking, Watch, Width,
};

/// A position of some variant: who is to move, and what [`Packed`](crate::Packed) makes of the rest. It belongs to
/// the variant whose [`Oracle`] gave it; what another variant makes of it is anybody's guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// Who is to move.
    pub turn: Turn,
    /// The position as the player to move sees it.
    pub packed: [u64; 2],
}

/// Reads single codes from stored tables.
pub trait Tables: Sync {
    /// Whether a tier has a table.
    fn has(&self, tier: Tier) -> bool;

    /// The raw code of a number and its width; `None` when the tier has no table.
    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason>;

    /// The tiers that have a table.
    fn tiers(&self) -> Vec<Tier> {
        vec![]
    }

    /// The code of a number as layouts ask for it. Tables that tell only what is in memory say [`AskError::Cold`] of
    /// anything else.
    fn look(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, AskError> {
        self.code(tier, rank).map_err(AskError::Tables)
    }

    /// Whether they tell only what is in memory. A layout then answers [`AskError::Cold`] where it would have to
    /// do more than look-ups: searches, or numberings that are not made yet.
    fn warm(&self) -> bool {
        false
    }

    /// The raw code of a number as far as it is in memory.
    fn cached(&self, tier: Tier, rank: u64) -> Result<Lookup, Reason> {
        Ok(self.code(tier, rank)?.map_or(Lookup::Absent, |(code, width)| Lookup::Known(code, width)))
    }
}

/// What a look into memory tells of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Its code, and how wide it is.
    Known(u16, Width),
    /// It has to be read from a disk, or from further away.
    Cold,
    /// There is no table.
    Absent,
}

/// Nothing is solved.
impl Tables for () {
    fn has(&self, _: Tier) -> bool {
        false
    }

    fn code(&self, _: Tier, _: u64) -> Result<Option<(u16, Width)>, Reason> {
        Ok(None)
    }
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The question is wrong.
    #[error(transparent)]
    Input(#[from] Complaint),
    /// The tables could not be read.
    #[error("{0}")]
    Tables(Reason),
    /// The answer takes more than a look into memory, and no more was allowed.
    #[error("the answer is not in memory")]
    Cold,
}

/// A position, its value, and its moves.
#[derive(Clone, Debug)]
pub struct Report {
    /// The position.
    pub at: Position,
    /// The position as text, in normal form.
    pub position: String,
    /// What stands on each cell of the board.
    pub pieces: String,
    /// Whether the game is over.
    pub over: bool,
    /// Its value, if known.
    pub value: Option<Value>,
    /// Its moves, best first where their values are known.
    pub moves: Vec<MoveReport>,
}

impl Report {
    /// Whether its value is known and the values of all its moves.
    pub fn is_known(&self) -> bool {
        self.value.is_some() && self.moves.iter().all(|m| m.value.is_some())
    }
}

/// A move and where it leads.
#[derive(Clone, Debug)]
pub struct MoveReport {
    /// The move as text.
    pub name: String,
    /// How it is drawn.
    pub drawing: Drawing,
    /// The position it leads to.
    pub to: Position,
    /// That position as text.
    pub position: String,
    /// Whether the player who makes it moves again.
    pub again: bool,
    /// That position's value for the player to move there, if known.
    pub value: Option<Value>,
    /// What the move is worth to the player who makes it, if known.
    pub worth: Option<Value>,
}

impl MoveReport {
    /// Takes in what a search found: the value of the position it leads to.
    pub fn found(&mut self, value: Option<Value>, unit: Unit) {
        self.value = value;
        self.worth = value.map(|value| unit.worth(value, self.again));
    }
}

/// Which positions of a tier have been reached, by number and turn.
pub trait Reached: Opaque {
    /// What it holds in memory.
    fn bytes(&self) -> u64;
    /// All of it as bytes, where it can be brought back by [`Reachability::restore`].
    fn spill(&self) -> Option<Spill<'_>> {
        None
    }
}

/// Marks of a tier as they are handed around.
pub type Marked = Arc<dyn Reached>;

/// What an engine or a layout has made and is given back later: a solved tier, or marks.
pub trait Opaque: std::any::Any + Send + Sync {}

impl<T: std::any::Any + Send + Sync> Opaque for T {}

/// What was made, in the form of its maker; an error where somebody else has made it.
pub fn own<T: 'static>(held: &dyn Opaque, tier: Tier) -> Result<&T, EngineError> {
    let held: &dyn std::any::Any = held;
    let fault = || "what an engine has made was given to another one".into();
    held.downcast_ref().ok_or_else(|| EngineError::BadGame { tier, fault: fault() })
}

/// How many positions have a value: all of them, and up to symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The value.
    pub value: Value,
    /// Positions, the turn included.
    pub positions: u64,
    /// Twice as many as there are up to symmetry: a position whose mirror image lies in another
    /// tier counts half there and half here.
    pub twice_canonical: u64,
    /// Moves made so far, where positions tell.
    pub ply: Option<u16>,
    /// One of them.
    pub example: Option<String>,
}

/// What a check of one tier found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Positions looked at.
    pub checked: u64,
    /// How many had another value than their children give.
    pub wrong: u64,
    /// The first few of those: the position, and what is wrong.
    pub examples: Vec<String>,
}

impl Checked {
    /// Notes a wrong value; only the first few are kept.
    pub fn blame(&mut self, what: String) {
        self.wrong += 1;
        if self.examples.len() < 5 {
            self.examples.push(what);
        }
    }

    /// Both together.
    pub fn merge(mut self, more: Checked) -> Checked {
        self.checked += more.checked;
        self.wrong += more.wrong;
        self.examples.extend(more.examples);
        self.examples.truncate(5);
        self
    }
}

/// How many ways a game can go on for a number of plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    /// Sequences of exactly so many plies.
    pub games: u64,
    /// How many of them end with a pass.
    pub passes: u64,
    /// Games that were over one ply before.
    pub finished: u64,
}

/// What a look at some numbers found: of how much work they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Positions among them.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
    /// Whether one position of the tier waits for another, so that they are solved one after another.
    pub one_by_one: bool,
}

/// How long and how much an on-the-fly search may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time.
    pub time: std::time::Duration,
    /// Bytes for its table.
    pub memory: u64,
}

/// How the tables of a game are numbered and packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filing {
    /// The name of the numbering; databases with another one cannot be read.
    pub name: &'static str,
    /// Entries in a block; `None` for what the store thinks best.
    pub block_entries: Option<usize>,
    /// The level of compression; `None` for what the store thinks best.
    pub level: Option<i32>,
    /// Whether a table can be brought back by itself: loaded, checked and counted tier by
    /// tier. Otherwise values are looked up one by one, and counted while they are solved.
    pub by_tier: bool,
    /// Whether only reached positions are solved, so that they must be found first.
    pub marked: bool,
}

impl Filing {
    /// As the game's tiers are numbered.
    pub const TIERS: Filing =
        Filing { name: "tiers", block_entries: None, level: None, by_tier: true, marked: false };
}

/// Which tiers a variant has, and how its tables are numbered.
pub trait TierGraph: Send + Sync {
    /// How its tables are numbered and packed.
    fn filing(&self) -> Filing {
        Filing::TIERS
    }
    /// The tier of the position that is solved from.
    fn root(&self) -> Tier;
    /// The tiers to solve, with all that they lead to; the start's is among those.
    fn roots(&self) -> Vec<Tier> {
        vec![self.root()]
    }
    /// The tiers that moves from a tier lead into.
    fn children(&self, tier: Tier) -> Vec<Tier>;
    /// How many numbers a tier has.
    fn size(&self, tier: Tier) -> u64;
    /// Bytes that the numberings of all tiers may hold together.
    fn index_bytes(&self) -> u64 {
        0
    }
}

/// Which positions of a variant the start reaches.
pub trait Reachability: Send + Sync {
    /// Whether the start is symmetric to itself alone, so that with a position all its images are
    /// reached, and positions can be counted with images apart.
    fn whole(&self) -> bool;
    /// Whether every position counts, whether the start reaches it or not; the start is then an
    /// example.
    fn endgames(&self) -> bool {
        false
    }
    /// Bytes that the marks of a tier may take.
    fn bytes(&self, tier: Tier) -> u64;
    /// An empty set of positions of a tier; with the start in it when asked.
    fn empty(&self, tier: Tier, with_start: bool) -> Marked;
    /// Marks what a tier's positions reach. A layout may look at the tiers above, which are
    /// done, and mark this one alone; or at this one, which others have marked, and go on
    /// marking it and those below.
    fn discover(
        &self,
        tier: Tier,
        here: &dyn Reached,
        above: &[(Tier, Marked)],
        below: &[Marked],
        watch: &dyn Watch,
    );
    /// Brings spilled marks of a tier back.
    fn restore(&self, tier: Tier, _spilled: &mut dyn Read) -> Result<Marked, EngineError> {
        Err(not_by_tier(tier))
    }
    /// Counts the reached positions of a tier by value, from codes that any engine has solved.
    fn tally(&self, tier: Tier, _here: &dyn Reached, _: &dyn Solved) -> Tallied {
        Err(not_by_tier(tier))
    }
}

/// What front ends ask of a variant. Positions are parsed once, where they come in; [`Report`]s have them as text.
pub trait Oracle: Send + Sync {
    /// Reads a position.
    fn parse(&self, text: &str) -> Result<Position, Complaint>;
    /// A position as text, in normal form.
    fn text(&self, position: Position) -> String;
    /// Where the game begins, or the position it is solved from.
    fn start(&self) -> Position;
    /// The position after a list of moves, apart by blanks or commas.
    fn follow(&self, position: Position, moves: &str) -> Result<Position, Complaint>;
    /// The value of a position: by its rules or from a table; `None` without a table.
    fn value(&self, position: Position, tables: &dyn Tables) -> Result<Option<Value>, AskError>;
    /// A position with its value and its moves.
    fn report(&self, position: Position, tables: &dyn Tables) -> Result<Report, AskError>;
    /// The value of a position by search alone; `None` when the limits come first.
    fn search(&self, position: Position, limits: Limits) -> Option<Value>;
    /// A position with its value and the values of all its moves by one search of the engine's own;
    /// `None` where it has none or the limits are too tight.
    fn examine(&self, position: Position, limits: Limits) -> Result<Option<Report>, AskError>;
    /// Memory that [`examine`](Oracle::examine) takes for a position; `None` where it has no answer.
    fn examine_bytes(&self, position: Position) -> Option<u64>;
    /// Whether the game ever has a [`note`](Oracle::note).
    fn has_notes(&self) -> bool;
    /// What else the game has to say of a position; `None` where that is nothing, or not found within the limits.
    fn note(&self, position: Position, limits: Limits) -> Option<String>;
    /// The empty board.
    fn board(&self) -> Board;
}

/// What checks, counts and estimates ask of a variant.
pub trait Audit: Send + Sync {
    /// The canonical position of a number; `None` for a hole, and where numbers are not of positions.
    fn position(&self, tier: Tier, rank: u64) -> Option<[u64; 2]>;
    /// How many values of a table of so many entries can be checked one by one.
    fn checks(&self, _: Tier, entries: u64, _: &dyn Tables) -> Result<u64, AskError> {
        Ok(entries)
    }
    /// Recomputes the value of one number from its children's, one look-up at a time.
    fn verify_one(&self, tier: Tier, rank: u64, tables: &dyn Tables) -> Result<Checked, AskError>;
    /// Brings a stored tier into the plain form that [`Audit::verify`] and [`Reachability::tally`] take, whatever
    /// the engine.
    fn load_plain(&self, tier: Tier, _: Width, _: &ReadCodes<'_>) -> Made {
        Err(not_by_tier(tier))
    }
    /// Recomputes the values of a tier from their children's.
    fn verify(&self, tier: Tier, _: &dyn Solved, _: &[Arc<dyn Solved>]) -> Result<Checked, EngineError> {
        Err(not_by_tier(tier))
    }
    /// Makes the positions of some numbers of a tier, and the numbers that their moves lead to, as engines do:
    /// how long that takes tells how long a solve will. `None` where positions are not made one by one.
    fn look(&self, _: Tier, _: Range<u64>) -> Option<Looked> {
        None
    }
    /// The game for a walk from the start, where the layout knows single positions.
    fn walker(&self, _how: Walking) -> Option<Box<dyn Walker + '_>> {
        None
    }
    /// Plays all sequences of so many plies from the game's own start.
    fn perft(&self, plies: u32) -> Perft;
}

/// What an engine or a layout says that files its tables in another way (see [`Filing::by_tier`]).
pub(crate) fn not_by_tier(tier: Tier) -> EngineError {
    EngineError::Load { tier, reason: "this engine does not take single tiers back".into() }
}
