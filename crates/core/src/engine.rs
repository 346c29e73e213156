//! What an engine must do: solve one tier, given the solved tiers below it.
//!
//! A solved tier has two forms. Its working form is the engine's own (bytes, bit planes,
//! ...) and passes from task to task in memory as [`Solved`]. Its stored form is a list
//! of codes, one a number, which [`Solved::write`] gives in any order and
//! [`Engine::load`] takes back.

use std::any::Any;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use crate::laws::Broken;
use crate::{Code, Count, Limits, Objective, Parked, ShareJob, Tier, Tiers};

/// Bytes that one stored code takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// One byte.
    One,
    /// Two, where distances run long.
    Two,
}

impl Width {
    /// 1 or 2.
    pub const fn bytes(self) -> usize {
        match self {
            Width::One => 1,
            Width::Two => 2,
        }
    }

    /// The width of so many bytes.
    pub const fn of_bytes(bytes: u8) -> Option<Width> {
        match bytes {
            1 => Some(Width::One),
            2 => Some(Width::Two),
            _ => None,
        }
    }

    /// The stored code that means nobody will ask: all ones.
    pub const fn dont_care(self) -> u16 {
        match self {
            Width::One => 0xff,
            Width::Two => 0xffff,
        }
    }

    /// The code with a number in a list of stored codes; a don't-care past the end.
    #[inline]
    pub fn code_at(self, codes: &[u8], index: usize) -> u16 {
        let at = index * self.bytes();
        match (self, codes.get(at), codes.get(at + 1)) {
            (Width::One, Some(&low), _) => u16::from(low),
            (Width::Two, Some(&low), Some(&high)) => u16::from_le_bytes([low, high]),
            _ => self.dont_care(),
        }
    }
}

/// A solved tier in its engine's working form.
pub trait Solved: Send + Sync {
    /// How many codes.
    fn entries(&self) -> u64;

    /// How many of them are positions and not holes.
    fn positions(&self) -> u64;

    /// How wide its stored codes are.
    fn width(&self) -> Width;

    /// What it holds in memory.
    fn bytes(&self) -> u64;

    /// Appends the stored codes of a range, little-endian; all ones where nobody will
    /// ask (holes, and what a look at the rules tells).
    fn write(&self, range: Range<u64>, out: &mut Vec<u8>);

    /// The same without what its own table and counts alone need, for the tiers above;
    /// `None` when nothing can go.
    fn trimmed(&self) -> Option<Arc<dyn Solved>> {
        None
    }

    /// The working form as bytes, which [`AnyGame::unpark`](crate::AnyGame::unpark) takes back: for tables that
    /// cannot be loaded tier by tier, and because that is quicker than to load a table.
    fn park(&self) -> Option<Parked<'_>> {
        None
    }

    /// For the engine that made it.
    fn as_any(&self) -> &dyn Any;
}

/// Bytes for one tier, the tiers below not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The least an engine can work with, the result included.
    pub working: u64,
    /// With how much it is fastest; it is never given more.
    pub useful: u64,
    /// What the result keeps.
    pub result: u64,
}

/// How much there is to do for one tier, in a unit that is the same for all tiers of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// To find which of its positions are reached.
    pub discover: u64,
    /// To solve and count it.
    pub solve: u64,
    /// To pack its table.
    pub store: u64,
}

/// A solved tier below, with its numbering.
pub type Child<G> = (Tier, Arc<<G as Tiers>::Index>, Arc<dyn Solved>);

/// One tier to solve.
pub struct Job<'a, G: Tiers> {
    /// The rules.
    pub game: &'a G,
    /// Which tier.
    pub tier: Tier,
    /// The solved tiers below, each with its numbering.
    pub children: Vec<Child<G>>,
    /// The numbering of this tier.
    pub index: Arc<G::Index>,
    /// Bytes it may use while it works.
    pub memory: u64,
    /// Whom to tell.
    pub watch: &'a dyn Watch,
}

/// Hears of progress.
pub trait Watch: Sync {
    /// So many more numbers of the tier are through.
    fn advance(&self, entries: u64);

    /// Whether other tiers wait for a thread, so that nobody is there to help with this one: its parts are best done
    /// one after another, for threads that share a tier wait for each other. To be asked before each part.
    fn alone(&self) -> bool {
        false
    }

    /// The thread that has the tier is about to do another part of it, and can do something else first.
    fn pause(&self) {}
}

impl Watch for () {
    fn advance(&self, _: u64) {}
}

/// Reads stored codes: appends those of a range of numbers to a buffer.
pub type ReadCodes<'a> = dyn Fn(Range<u64>, &mut Vec<u8>) -> Result<(), Reason> + Sync + 'a;

/// An error from a place that this crate knows nothing of.
pub type Reason = Box<dyn std::error::Error + Send + Sync>;

/// Why a tier could not be solved.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A distance beyond the widest code.
    #[error("tier {0}: a line of play is longer than values can hold (19,999 moves)")]
    OutOfRange(Tier),
    /// Distances that need wider codes than there is memory for.
    #[error(
        "tier {0}: lines of play are long, and two bytes for each value take {1} bytes in all; give more with --memory"
    )]
    LongLines(Tier, u64),
    /// A fault of the game, which a check of its laws would have found.
    #[error("tier {tier}: {fault}; run `zermelo check` on the game to see the position")]
    BadGame {
        /// Which tier.
        tier: Tier,
        /// What is wrong with it.
        fault: String,
    },
    /// More numbers than the engine can hold.
    #[error("tier {0} has {1} positions, more than engine {2} can number; solve a smaller variant")]
    TooLarge(Tier, u64, &'static str),
    /// A tier whose flow the engine cannot follow.
    #[error("tier {0} has loops, which engine {1} cannot solve; leave --engine out")]
    Loops(Tier, &'static str),
    /// The stored form could not be read.
    #[error("tier {tier}: {reason}")]
    Load {
        /// Which tier.
        tier: Tier,
        /// Why.
        reason: Reason,
    },
    /// An engine that cannot share a tier.
    #[error("tier {0}: engine {1} cannot solve it on several processes; solve it on one with more memory")]
    Alone(Tier, &'static str),
    /// Another process could not go on: which, and what it says.
    #[error("process {0} failed: {1}")]
    Peer(usize, String),
    /// Messages did not get through.
    #[error("tier {tier}: processes cannot reach each other: {reason}")]
    Exchange {
        /// Which tier.
        tier: Tier,
        /// Why.
        reason: Reason,
    },
}

/// A way to solve the tiers of a game.
pub trait Engine<G: Tiers>: Send + Sync + 'static {
    /// What people type after `--engine`.
    const NAME: &'static str;
    /// What it solves for.
    type Objective: Objective<G>;

    /// The most numbers a tier may have for it.
    const MOST: u64 = u64::MAX;

    /// Whether it can solve a variant at all; where not, the game's next engine is taken.
    fn takes(_: &G) -> bool {
        true
    }

    /// Whether it makes the positions of a tier one by one, so that the time for that tells of the time to solve it.
    const BY_POSITION: bool = true;

    /// Whether there are laws for this engine alone.
    const LAWS: bool = false;

    /// Laws that a game must obey for this engine alone, on every position of a tier; those for all are in
    /// [`laws`](crate::laws).
    fn check(_: &G, _: Tier) -> Result<(), Broken<G::Position>> {
        Ok(())
    }

    /// Bytes it needs for a tier.
    fn need(game: &G, tier: Tier) -> Need;

    /// Solves a tier.
    fn solve(job: &Job<'_, G>) -> Result<Arc<dyn Solved>, EngineError>;

    /// Brings a stored tier back into working form.
    fn load(stored: &Stored<'_, G>) -> Result<Arc<dyn Solved>, EngineError>;

    /// Brings a parked tier back into working form; only what [`Solved::park`] gives is ever brought back.
    fn unpark(_: &G, tier: Tier, _parked: &mut dyn Read) -> Result<Arc<dyn Solved>, EngineError> {
        Err(EngineError::Load { tier, reason: "this engine parks nothing".into() })
    }

    /// Bytes that each of so many processes needs to solve a tier together, blocks having so many
    /// entries: buffers and its shares of the tiers below included. `None` where the engine cannot.
    fn share_need(_: &G, _: Tier, _peers: usize, _block: u64) -> Option<Need> {
        None
    }

    /// Solves a tier together with others. The result is this process's share, numbered from its
    /// start; all are of the same width. When one fails, all return an error.
    fn solve_share(job: &ShareJob<'_, G>) -> Result<Arc<dyn Solved>, EngineError> {
        Err(EngineError::Alone(job.tier, Self::NAME))
    }

    /// Memory that [`examine`](Engine::examine) takes for a position; `None` where it has no answer.
    fn examine_bytes(_: &G, _: G::Position) -> Option<u64> {
        None
    }

    /// Counts all positions of a tier by value, where the working form tells; `None` to count them
    /// one by one.
    fn tally(_: &G, _: Tier, _: &dyn Solved) -> Option<Vec<Count>> {
        None
    }

    /// The codes of a position that is not over and of those its moves lead to, in the order of the
    /// rules, by a search of the engine's own; `None` where it has none or the limits are too tight.
    ///
    /// [`examine_bytes`](Engine::examine_bytes) tells what it takes.
    fn examine(_: &G, _: G::Position, _: Limits) -> Option<(Code, Vec<Code>)> {
        None
    }
}

/// A tier in its stored form.
pub struct Stored<'a, G: Tiers> {
    /// The rules.
    pub game: &'a G,
    /// Which tier.
    pub tier: Tier,
    /// Its numbering.
    pub index: &'a G::Index,
    /// How wide its codes are.
    pub width: Width,
    /// Where they are.
    pub read: &'a ReadCodes<'a>,
}
