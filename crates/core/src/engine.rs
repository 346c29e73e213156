//! What an engine must do: solve one tier, given the solved tiers below it.
//!
//! A solved tier has two forms. Its working form is the engine's own (bytes, bit planes,
//! ...) and passes from task to task in memory as [`Solved`]. Its stored form is a list
//! of codes, one a number, which [`Solved::write`] gives in any order and
//! [`Engine::load`] takes back.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use crate::roles::not_by_tier;
use crate::{Code, Count, Limits, Opaque, Position, Reached, SharedJob, Spill, Tier, Value};

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
pub trait Solved: Opaque {
    /// How many codes.
    fn entries(&self) -> u64;

    /// How many of them are positions and not holes.
    fn positions(&self) -> u64;

    /// How wide its stored codes are.
    fn width(&self) -> Width {
        Width::One
    }

    /// What it holds in memory.
    fn bytes(&self) -> u64;

    /// Appends the stored codes of a range, little-endian; all ones where nobody will
    /// ask (holes, and what a look at the rules tells).
    fn write(&self, range: Range<u64>, out: &mut Vec<u8>);

    /// This form without what its own table and counts alone need, for the tiers above;
    /// `None` when nothing can go.
    fn trimmed(&self) -> Option<Arc<dyn Solved>> {
        None
    }

    /// The working form as bytes, which [`Engine::restore`] takes back: for tables that
    /// cannot be loaded tier by tier, and because that is quicker than to load a table.
    fn spill(&self) -> Option<Spill<'_>> {
        None
    }
}

/// Bytes for one tier, the tiers below not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// One tier to solve.
pub struct Job<'a> {
    /// Which tier.
    pub tier: Tier,
    /// Its reached positions: where they are [wanted](Takes::marks), or where no others will be asked for.
    pub reached: Option<&'a dyn Reached>,
    /// The solved tiers below, in the order of [`TierGraph::children`](crate::TierGraph::children).
    pub children: &'a [Arc<dyn Solved>],
    /// Bytes it may use while it works.
    pub memory: u64,
    /// Whom to tell.
    pub watch: &'a dyn Watch,
}

/// A tier in its stored form.
pub struct StoredTier<'a> {
    /// Which tier.
    pub tier: Tier,
    /// How wide its codes are.
    pub width: Width,
    /// Where they are.
    pub read: &'a ReadCodes<'a>,
}

/// A tier that was solved or brought back, in its engine's working form.
pub type Made = Result<Arc<dyn Solved>, EngineError>;

/// How many positions of a tier have each value.
pub type Tallied = Result<Vec<Count>, EngineError>;

/// Hears of progress.
pub trait Watch: Sync {
    /// So many more numbers of the tier are through.
    fn advance(&self, entries: u64);

    /// Something that whoever waits for the work should know, such as that a slower way was taken and what to do about
    /// it; a line of plain text.
    fn remark(&self, _: &str) {}
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

/// What an engine takes: the catalogue pairs it with games by this.
#[derive(Clone, Copy, Debug)]
pub struct Takes {
    /// What people type after `--engine`.
    pub name: &'static str,
    /// Whether play may return to a position.
    pub loops: bool,
    /// Whether a player may move again.
    pub passes: bool,
    /// Whether it takes puzzles for one.
    pub puzzles: bool,
    /// The most numbers a tier may have.
    pub most: u64,
    /// Whether several processes can solve one tier together.
    pub shares: bool,
    /// Whether it solves reached positions alone, so that they must be marked first.
    pub marks: bool,
    /// Whether it makes the positions of a tier one by one, so that the time for that tells of the time to solve it.
    pub by_position: bool,
    /// Engines for games that it does not take.
    pub otherwise: &'static str,
}

impl Takes {
    /// An engine that takes any game but those with loops, one position after another.
    pub const fn new(name: &'static str) -> Takes {
        Takes {
            name,
            loops: false,
            passes: true,
            puzzles: true,
            most: u64::MAX,
            shares: false,
            marks: false,
            by_position: true,
            otherwise: "retrograde",
        }
    }
}

/// A way to solve the tiers of one variant. An engine holds what it needs of the rules and of the layout of tiers.
pub trait Engine: Send + Sync {
    /// Bytes it needs for a tier.
    fn need(&self, tier: Tier) -> Need;

    /// How much there is to do for a tier of so many numbers, in proportion to others.
    fn effort(&self, _: Tier, numbers: u64) -> Effort {
        Effort { discover: numbers, solve: numbers, store: 0 }
    }

    /// Solves a tier.
    fn solve(&self, job: &Job<'_>) -> Made;

    /// Brings a stored tier back into working form.
    fn load(&self, stored: &StoredTier<'_>) -> Made {
        Err(not_by_tier(stored.tier))
    }

    /// Brings a spilled tier back into working form; only what [`Solved::spill`] gives is ever brought back.
    fn restore(&self, tier: Tier, _spilled: &mut dyn Read) -> Made {
        Err(not_by_tier(tier))
    }

    /// How several processes solve one tier together, where they can.
    fn sharing(&self) -> Option<&dyn Sharing> {
        None
    }

    /// Counts the reached positions of a tier by value, where the working form tells; `None` to count them
    /// one by one.
    fn tally(&self, _: Tier, _here: &dyn Reached, _: &dyn Solved) -> Option<Tallied> {
        None
    }

    /// A reached position of a tier that was just solved, with its value, by a random number; `None` where there is
    /// none, or the engine cannot tell.
    fn sample(&self, _: Tier, _here: &dyn Reached, _: &dyn Solved, _draw: u64) -> Option<(Position, Value)> {
        None
    }

    /// The code of a position by a search of the engine's own, `None` inside when the limits come first; `None`
    /// where it has no such search.
    fn search(&self, _: [u64; 2], _: Limits) -> Option<Option<Code>> {
        None
    }

    /// Memory that [`examine`](Engine::examine) takes for a position; `None` where it has no answer.
    fn examine_bytes(&self, _: [u64; 2]) -> Option<u64> {
        None
    }

    /// The codes of a position that is not over and of those its moves lead to, in the order of the
    /// rules, by a search of the engine's own; `None` where it has none or the limits are too tight.
    ///
    /// [`examine_bytes`](Engine::examine_bytes) tells what it takes.
    fn examine(&self, _: [u64; 2], _: Limits) -> Option<(Code, Vec<Code>)> {
        None
    }
}

/// How several processes solve one tier together.
pub trait Sharing {
    /// Bytes that each of so many processes needs for a tier, blocks having so many entries: buffers and its shares
    /// of the tiers below included. `None` for a tier that one process must solve.
    fn need(&self, tier: Tier, peers: usize, block: u64) -> Option<Need>;

    /// Solves a tier together with others. The result is this process's share ([`Shares`](crate::Shares)), numbered
    /// from its start; all are of the same width. When one fails, all return an error.
    fn solve(&self, job: &SharedJob<'_>) -> Made;
}
