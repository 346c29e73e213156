//! What the rest of the program sees of a variant: one narrow trait for each consumer, with the types of the game
//! erased.
//!
//! ```text
//! TierGraph      the coordinator: which tiers there are, and how large
//! Reachability   the coordinator and the counts: which positions the start reaches
//! Engine         the coordinator: solves one tier (see `engine`)
//! Oracle         front ends: positions, moves, values, the board
//! Audit          verification, counting, estimates
//! Listing        exports (see `listing`)
//! ```
//!
//! There is one virtual call a tier or a query, and none a position.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use crate::{
    Board, Complaint, Drawing, EngineError, Made, ReadCodes, Reason, Solved, Spill, StoredTier, Tallied,
    Tier, Turn, Unit, Value, Walker, Walking, Watch, Width,
};

/// A position of some variant: the player to move, and the packed form ([`Packed`](crate::Packed)) of the rest. A
/// position belongs to the variant whose [`Oracle`] gave it; for another variant it means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The player to move.
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

    /// The code of a number as layouts ask for it. Tables that answer from memory alone return [`AskError::Cold`] for
    /// any entry that is not in memory.
    fn look(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, AskError> {
        self.code(tier, rank).map_err(AskError::Tables)
    }

    /// Whether the tables answer from memory alone. A layout then returns [`AskError::Cold`] where it would have to
    /// do more than look-ups, such as searches, or numberings that are not made yet.
    fn warm(&self) -> bool {
        false
    }

    /// The raw code of a number, if it is in memory.
    fn cached(&self, tier: Tier, rank: u64) -> Result<Lookup, Reason> {
        Ok(self.code(tier, rank)?.map_or(Lookup::Absent, |(code, width)| Lookup::Known(code, width)))
    }
}

/// The result of a look into memory for an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The code of the entry, and the width of the code.
    Known(u16, Width),
    /// The entry has to be read from a disk, or from further away.
    Cold,
    /// There is no table.
    Absent,
}

/// Tables without any solved tier.
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
#[non_exhaustive]
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
    /// The value of the position, if known.
    pub value: Option<Value>,
    /// The moves, best first where their values are known.
    pub moves: Vec<MoveReport>,
}

impl Report {
    /// Whether the values of the position and of all its moves are known.
    pub fn is_known(&self) -> bool {
        self.value.is_some() && self.moves.iter().all(|m| m.value.is_some())
    }
}

/// A move and where it leads.
#[derive(Clone, Debug)]
pub struct MoveReport {
    /// The move as text.
    pub name: String,
    /// The drawing of the move.
    pub drawing: Drawing,
    /// The position that the move leads to.
    pub to: Position,
    /// The position that the move leads to, as text.
    pub position: String,
    /// Whether the player who makes the move moves again.
    pub again: bool,
    /// The value of the position that the move leads to, for the player to move there, if known.
    pub value: Option<Value>,
    /// The worth of the move to the player who makes it, if known.
    pub worth: Option<Value>,
}

impl MoveReport {
    /// Takes in the value that a search found of the position the move leads to.
    pub fn found(&mut self, value: Option<Value>, unit: Unit) {
        self.value = value;
        self.worth = value.map(|value| unit.worth(value, self.again));
    }
}

/// The positions of a tier that have been reached, by number and turn.
pub trait Reached: Opaque {
    /// The bytes that the marks take in memory.
    fn bytes(&self) -> u64;
    /// How often each position of the tier is marked, where all are marked alike: once, or once for each player to move.
    fn everywhere(&self) -> Option<u64> {
        None
    }
    /// All marks as bytes, where [`Reachability::restore`] can make them again.
    fn spill(&self) -> Option<Spill<'_>> {
        None
    }
}

/// The marks of a tier, shared between tasks.
pub type Marked = Arc<dyn Reached>;

/// An object that an engine or a layout made and is given back later: a solved tier, or marks.
pub trait Opaque: std::any::Any + Send + Sync {}

impl<T: std::any::Any + Send + Sync> Opaque for T {}

/// The object in the form of its maker; an error where another maker made it.
pub fn own<T: 'static>(object: &dyn Opaque, tier: Tier) -> Result<&T, EngineError> {
    let object: &dyn std::any::Any = object;
    let fault = || "what an engine has made was given to another one".into();
    object.downcast_ref().ok_or_else(|| EngineError::BadGame { tier, fault: fault() })
}

/// The number of positions that have a value: all positions, and positions up to symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The value.
    pub value: Value,
    /// Positions, those that differ in the turn counted apart.
    pub positions: u64,
    /// Twice the number of positions up to symmetry. A position whose mirror image lies in another tier counts half
    /// in each of the two tiers.
    pub twice_canonical: u64,
    /// The number of moves made so far, where positions determine it.
    pub ply: Option<u16>,
    /// One of these positions.
    pub example: Option<String>,
}

/// The result of a check of one tier.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The number of positions looked at.
    pub checked: u64,
    /// The number of positions with another value than their children give.
    pub wrong: u64,
    /// The first few wrong positions, each with what is wrong.
    pub examples: Vec<String>,
}

impl Checked {
    /// Counts a wrong value. Only the first few are listed as examples.
    pub fn blame(&mut self, what: String) {
        self.wrong += 1;
        if self.examples.len() < 5 {
            self.examples.push(what);
        }
    }

    /// The sum of two results.
    pub fn merge(mut self, more: Checked) -> Checked {
        self.checked += more.checked;
        self.wrong += more.wrong;
        self.examples.extend(more.examples);
        self.examples.truncate(5);
        self
    }
}

/// The number of ways in which a game can go on for a number of plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    /// Sequences of exactly this many plies.
    pub games: u64,
    /// Sequences of these that end with a pass.
    pub passes: u64,
    /// Games that were over one ply before.
    pub finished: u64,
}

/// The result of a look at some numbers of a tier, which shows how much work they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// The number of positions among these numbers.
    pub positions: u64,
    /// The number of moves of these positions.
    pub moves: u64,
    /// Whether a position of the tier may wait for another one, so that the positions are solved one after another.
    pub one_by_one: bool,
}

/// How long and how much an on-the-fly search may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time.
    pub time: std::time::Duration,
    /// The bytes for the table of the search.
    pub memory: u64,
}

/// How the tables of a game are numbered and packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filing {
    /// The name of the numbering; databases with another one cannot be read.
    pub name: &'static str,
    /// Entries in a block; `None` for the store's own choice.
    pub block_entries: Option<usize>,
    /// The level of compression; `None` for the store's own choice.
    pub level: Option<i32>,
    /// Whether single tables can be loaded, so that tiers are checked and counted one by one. Otherwise values are
    /// looked up one by one, and counted while they are solved.
    pub by_tier: bool,
    /// Whether only reached positions are solved, so that the reached positions must be found first.
    pub marked: bool,
}

impl Filing {
    /// The filing of tables that are numbered as the game numbers its tiers.
    pub const TIERS: Filing =
        Filing { name: "tiers", block_entries: None, level: None, by_tier: true, marked: false };
}

/// The tiers of a variant, and the numbering of its tables.
pub trait TierGraph: Send + Sync {
    /// The way in which the tables are numbered and packed.
    fn filing(&self) -> Filing {
        Filing::TIERS
    }
    /// The tier of the position that the variant is solved from.
    fn root(&self) -> Tier;
    /// The tiers to solve, together with all tiers below them. The tier of the start is among them.
    fn roots(&self) -> Vec<Tier> {
        vec![self.root()]
    }
    /// The tiers that moves from a tier lead into.
    fn children(&self, tier: Tier) -> Vec<Tier>;
    /// The name of a tier, in words that a player understands, on one line; the number of the tier where the game names
    /// no tiers.
    fn name(&self, tier: Tier) -> String {
        tier.to_string()
    }
    /// A tier as messages show it: its number, and the name behind it.
    fn shown(&self, tier: Tier) -> String {
        tier.shown(&self.name(tier))
    }
    /// The number of numbers of a tier.
    fn size(&self, tier: Tier) -> u64;
    /// The bytes that the numberings of all tiers may take together.
    fn index_bytes(&self) -> u64 {
        0
    }
}

/// The positions of a variant that the start reaches.
pub trait Reachability: Send + Sync {
    /// Whether the start is symmetric to itself alone. Then with a position all its images are reached, and positions
    /// can be counted with images apart.
    fn whole(&self) -> bool;
    /// Whether every position counts, whether the start reaches it or not. The start is then an example.
    fn endgames(&self) -> bool {
        false
    }
    /// Whether every numbered position is counted: in endgames, and where [all](crate::Opened::counting_all) were asked
    /// for.
    fn counts_all(&self) -> bool {
        self.endgames()
    }
    /// The bytes that the marks of a tier may take.
    fn bytes(&self, tier: Tier) -> u64;
    /// An empty set of positions of a tier, or with `with_start` the set of the start alone.
    fn empty(&self, tier: Tier, with_start: bool) -> Marked;
    /// The marks of all positions of a tier, each for one player to move; `None` where tables are not numbered by
    /// position.
    fn all(&self, _: Tier) -> Option<Marked> {
        None
    }
    /// Marks the positions that a tier's positions reach. A layout works in one of two ways. It may read the tiers
    /// above, whose marks are complete, and mark this tier alone. Or it may read this tier, which was marked from
    /// above, and mark this tier and those below.
    fn discover(
        &self,
        tier: Tier,
        here: &dyn Reached,
        above: &[(Tier, Marked)],
        below: &[Marked],
        watch: &dyn Watch,
    );
    /// Makes the marks of a tier again from the bytes that [`Reached::spill`] gave.
    fn restore(&self, tier: Tier, _spilled: &mut dyn Read) -> Result<Marked, EngineError> {
        Err(not_by_tier(tier))
    }
    /// Counts the reached positions of a tier by value, from the codes of any engine.
    fn tally(&self, tier: Tier, _here: &dyn Reached, _: &dyn Solved) -> Tallied {
        Err(not_by_tier(tier))
    }
    /// Counts the reached positions of a stored tier by value, a few codes at a time, so that a tier of any size takes
    /// little memory. `watch` is told of every number.
    fn tally_stored(&self, _here: &dyn Reached, stored: &StoredTier<'_>, _: &dyn Watch) -> Tallied {
        Err(not_by_tier(stored.tier))
    }
}

/// Answers what front ends ask of a variant. Positions are parsed once, where they come in; [`Report`]s have them as
/// text.
pub trait Oracle: Send + Sync {
    /// Reads a position.
    fn parse(&self, text: &str) -> Result<Position, Complaint>;
    /// A position as text, in normal form.
    fn text(&self, position: Position) -> String;
    /// The position that the game begins with, or that the variant is solved from.
    fn start(&self) -> Position;
    /// The position after a list of moves, separated by blanks or commas.
    fn follow(&self, position: Position, moves: &str) -> Result<Position, Complaint>;
    /// The value of a position: by the rules or from a table; `None` without a table.
    fn value(&self, position: Position, tables: &dyn Tables) -> Result<Option<Value>, AskError>;
    /// A position with its value and its moves.
    fn report(&self, position: Position, tables: &dyn Tables) -> Result<Report, AskError>;
    /// A position with its moves, without any value.
    fn moves(&self, position: Position) -> Result<Report, AskError>;
    /// The value of a position by search alone; `None` when the limits come first.
    fn search(&self, position: Position, limits: Limits) -> Option<Value>;
    /// The values of some positions that belong together, such as those after all moves of one, by search alone. They
    /// share the time: none takes more than its part of what is left.
    fn search_each(&self, positions: &[Position], limits: Limits) -> Vec<Option<Value>>;
    /// A position with its value and the values of all its moves, by one search of the engine's own; `None` where the
    /// engine has no such search or the limits are too tight.
    fn examine(&self, position: Position, limits: Limits) -> Result<Option<Report>, AskError>;
    /// The memory that [`examine`](Oracle::examine) takes for a position; `None` where the engine has no answer.
    fn examine_bytes(&self, position: Position) -> Option<u64>;
    /// Whether the game ever has a [`note`](Oracle::note).
    fn has_notes(&self) -> bool;
    /// The game's remark on a position; `None` where there is none, or where it is not found within the limits.
    fn note(&self, position: Position, limits: Limits) -> Option<String>;
    /// The empty board.
    fn board(&self) -> Board;
}

/// Answers what checks, counts and estimates ask of a variant.
pub trait Audit: Send + Sync {
    /// The canonical position of a number; `None` for a hole, and where numbers are not numbers of positions.
    fn position(&self, tier: Tier, rank: u64) -> Option<[u64; 2]>;
    /// The number of values that can be checked one by one, of a table of `entries` entries.
    fn checks(&self, _: Tier, entries: u64, _: &dyn Tables) -> Result<u64, AskError> {
        Ok(entries)
    }
    /// Recomputes the value of one number from the values of its children, one look-up at a time.
    fn verify_one(&self, tier: Tier, rank: u64, tables: &dyn Tables) -> Result<Checked, AskError>;
    /// Loads a stored tier in the plain form that [`Audit::verify`] takes, whatever the engine.
    fn load_plain(&self, tier: Tier, _: Width, _: &ReadCodes<'_>) -> Made {
        Err(not_by_tier(tier))
    }
    /// Recomputes the values of a tier from the values of its children.
    fn verify(&self, tier: Tier, _: &dyn Solved, _: &[Arc<dyn Solved>]) -> Result<Checked, EngineError> {
        Err(not_by_tier(tier))
    }
    /// Makes the positions of some numbers of a tier, and the numbers that their moves lead to, as engines do: the
    /// time this takes predicts the time of a solve. `None` where positions are not made one by one.
    fn look(&self, _: Tier, _: Range<u64>) -> Option<Looked> {
        None
    }
    /// The game for a walk from the start, where the layout knows single positions; `None` elsewhere.
    fn walker(&self, _how: Walking) -> Option<Box<dyn Walker + '_>> {
        None
    }
    /// Plays all sequences of `plies` plies from the game's own start.
    fn perft(&self, plies: u32) -> Perft;
}

/// The error of an engine or a layout whose tables cannot be loaded one by one (see [`Filing::by_tier`]).
pub(crate) fn not_by_tier(tier: Tier) -> EngineError {
    EngineError::Load { tier, reason: "this engine does not take single tiers back".into() }
}
