//! What an engine must do: solve one tier, given the solved tiers below it.
//!
//! A solved tier has two forms. Its working form is the engine's own (bytes, bit planes, ...) and passes from task to
//! task in memory as [`Solved`]. Its stored form is a list of codes, one a number. [`Solved::write`] writes any range
//! of this list, and [`Engine::load`] makes a working form from the list.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use crate::roles::not_by_tier;
use crate::{Code, Count, Limits, Marked, Opaque, Position, Reached, SharedJob, Spill, Tier, Value};

/// The number of bytes that one stored code takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// One byte a code.
    One,
    /// Two bytes a code, where distances run long.
    Two,
}

impl Width {
    /// The number of bytes: 1 or 2.
    pub const fn bytes(self) -> usize {
        match self {
            Width::One => 1,
            Width::Two => 2,
        }
    }

    /// The width of codes of this many bytes.
    pub const fn of_bytes(bytes: u8) -> Option<Width> {
        match bytes {
            1 => Some(Width::One),
            2 => Some(Width::Two),
            _ => None,
        }
    }

    /// The stored code of a don't-care, a number whose value no reader will ask for: all ones.
    pub const fn dont_care(self) -> u16 {
        match self {
            Width::One => 0xff,
            Width::Two => 0xffff,
        }
    }

    /// The code of number `index` in a list of stored codes; a don't-care past the end.
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
    /// The number of codes.
    fn entries(&self) -> u64;

    /// The number of codes that belong to positions and not to holes.
    fn positions(&self) -> u64;

    /// The width of the stored codes.
    fn width(&self) -> Width {
        Width::One
    }

    /// The bytes that this form takes in memory.
    fn bytes(&self) -> u64;

    /// Appends the stored codes of a range, little-endian. A code is all ones where no reader will ask for it: at a
    /// hole, and where a look at the rules gives the value.
    fn write(&self, range: Range<u64>, out: &mut Vec<u8>);

    /// Whether [`write`](Solved::write) could read all codes so far. The codes may lie on a device that fails, while
    /// `write` itself cannot fail, so whoever stores codes asks afterwards.
    fn written(&self) -> Result<(), Reason> {
        Ok(())
    }

    /// This form without what only its own table and counts need, for the tiers above to use; `None` when nothing can
    /// be dropped.
    fn trimmed(&self) -> Option<Arc<dyn Solved>> {
        None
    }

    /// The working form as bytes, from which [`Engine::restore`] makes it again. Spilling serves engines whose tables
    /// cannot be loaded tier by tier, and is quicker than loading a table.
    fn spill(&self) -> Option<Spill<'_>> {
        None
    }
}

/// The bytes that one tier needs, the tiers below not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// The least memory that an engine can work with, the result included.
    pub working: u64,
    /// The memory with which the engine is fastest; an engine is never given more.
    pub useful: u64,
    /// The memory that the result keeps.
    pub result: u64,
}

/// The work of one tier, in a unit that is the same for all tiers of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The work of finding which positions of the tier are reached.
    pub discover: u64,
    /// The work of solving and counting the tier.
    pub solve: u64,
    /// The work of packing the table of the tier.
    pub store: u64,
}

/// One tier to solve.
pub struct Job<'a> {
    /// The tier.
    pub tier: Tier,
    /// The reached positions of the tier: given where the [filing](crate::Filing::marked) wants marks, or where no other
    /// positions will be asked for.
    pub reached: Option<&'a dyn Reached>,
    /// The solved tiers below, in the order of [`TierGraph::children`](crate::TierGraph::children).
    pub children: &'a [Arc<dyn Solved>],
    /// The bytes that the engine may use while it works.
    pub memory: u64,
    /// Receives progress.
    pub watch: &'a dyn Watch,
    /// Where the engine may keep its state while it works; `None` where nobody goes on from a state.
    pub checkpoint: Option<&'a dyn TierCheckpoint>,
}

/// Keeps the state of a tier that takes long to solve, so that a run that was killed goes on in the middle of the tier.
/// What the state means is for the engine alone to know.
pub trait TierCheckpoint: Sync {
    /// Whether it is time to save the state. An engine asks every half a minute or more often.
    fn due(&self) -> bool;

    /// Saves a state in place of the one before. A state that cannot be saved is no error: the one before still counts.
    fn save(&self, state: Spill<'_>);

    /// The state that an earlier run saved of this tier, solved from the same tiers below; `None` without one. A damaged
    /// state is an error of the reader at the latest when its damaged part is read.
    fn load(&self) -> Option<Box<dyn Read + '_>>;
}

/// A tier in its stored form.
pub struct StoredTier<'a> {
    /// The tier.
    pub tier: Tier,
    /// The width of its codes.
    pub width: Width,
    /// Reads its codes.
    pub read: &'a ReadCodes<'a>,
}

/// A tier that was solved, loaded or restored, in its engine's working form.
pub type Made = Result<Arc<dyn Solved>, EngineError>;

/// The number of positions of a tier that have each value.
pub type Tallied = Result<Vec<Count>, EngineError>;

/// Receives the progress of a solve.
pub trait Watch: Sync {
    /// Reports that `entries` more numbers of the tier are done.
    fn advance(&self, entries: u64);

    /// Reports something that a person who waits for the work should know, such as that a slower way was taken and
    /// what to do about it: a line of plain text.
    fn remark(&self, _: &str) {}
}

impl Watch for () {
    fn advance(&self, _: u64) {}
}

/// Reads stored codes: appends those of a range of numbers to a buffer.
pub type ReadCodes<'a> = dyn Fn(Range<u64>, &mut Vec<u8>) -> Result<(), Reason> + Sync + 'a;

/// An error from a part of the program that this crate knows nothing of.
pub type Reason = Box<dyn std::error::Error + Send + Sync>;

/// Why a tier could not be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
        /// The tier.
        tier: Tier,
        /// What is wrong with the tier.
        fault: String,
    },
    /// More numbers than the engine can hold.
    #[error("tier {0} has {1} positions, more than engine {2} can number; solve a smaller variant")]
    TooLarge(Tier, u64, &'static str),
    /// A tier with loops, which the engine cannot follow.
    #[error("tier {0} has loops, which engine {1} cannot solve; leave --engine out")]
    Loops(Tier, &'static str),
    /// A device of the engine, such as a GPU, could not do its work.
    #[error(
        "tier {tier}: {reason}; tiers that were stored stay: run again, or choose another engine with --engine"
    )]
    Device {
        /// The tier.
        tier: Tier,
        /// The reason.
        reason: Reason,
    },
    /// The stored form could not be read.
    #[error("tier {tier}: {reason}")]
    Load {
        /// The tier.
        tier: Tier,
        /// The reason.
        reason: Reason,
    },
    /// An engine that cannot share a tier.
    #[error("tier {0}: engine {1} cannot solve it on several processes; solve it on one with more memory")]
    Alone(Tier, &'static str),
    /// Another process could not go on: its number, and its message.
    #[error("process {0} failed: {1}")]
    Peer(usize, String),
    /// Messages did not get through.
    #[error("tier {tier}: processes cannot reach each other: {reason}")]
    Exchange {
        /// The tier.
        tier: Tier,
        /// The reason.
        reason: Reason,
    },
}

impl EngineError {
    /// The tier that the error is about, where it is about one.
    pub fn tier(&self) -> Option<Tier> {
        match self {
            EngineError::OutOfRange(tier)
            | EngineError::LongLines(tier, _)
            | EngineError::TooLarge(tier, ..)
            | EngineError::Loops(tier, _)
            | EngineError::Alone(tier, _)
            | EngineError::BadGame { tier, .. }
            | EngineError::Device { tier, .. }
            | EngineError::Load { tier, .. }
            | EngineError::Exchange { tier, .. } => Some(*tier),
            EngineError::Peer(..) => None,
        }
    }
}

/// What an engine takes: the catalogue pairs engines with games by this description.
#[derive(Clone, Copy, Debug)]
pub struct Takes {
    /// What people type after `--engine`.
    pub name: &'static str,
    /// Whether play may return to a position.
    pub loops: bool,
    /// Whether a player may move again.
    pub passes: bool,
    /// Whether the engine takes puzzles for one player.
    pub puzzles: bool,
    /// The most numbers a tier may have.
    pub most: u64,
    /// Whether the engine makes the positions of a tier one by one, so that the time this takes predicts the time to
    /// solve the tier.
    pub by_position: bool,
    /// Engines for the games that this engine does not take.
    pub otherwise: &'static str,
}

impl Takes {
    /// An engine that takes any game without loops and solves one position after another.
    pub const fn new(name: &'static str) -> Takes {
        Takes {
            name,
            loops: false,
            passes: true,
            puzzles: true,
            most: u64::MAX,
            by_position: true,
            otherwise: "retrograde",
        }
    }
}

/// A way to solve the tiers of one variant. An engine holds what it needs of the rules and of the layout of tiers.
pub trait Engine: Send + Sync {
    /// The bytes that the engine needs for a tier.
    fn need(&self, tier: Tier) -> Need;

    /// The work of a tier of `numbers` numbers, in proportion to other tiers.
    fn effort(&self, _: Tier, numbers: u64) -> Effort {
        Effort { discover: numbers, solve: numbers, store: 0 }
    }

    /// The most tiers to solve at once, this one among them: an engine with a device of its own solves large ones one
    /// after another, so that threads are left to store tiers meanwhile.
    fn at_once(&self, _: Tier) -> usize {
        usize::MAX
    }

    /// Has the engine use so many bytes of its device's memory at most, where it has a device.
    fn limit_device(&self, _bytes: u64) {}

    /// Solves a tier.
    fn solve(&self, job: &Job<'_>) -> Made;

    /// Makes the working form of a stored tier.
    fn load(&self, stored: &StoredTier<'_>) -> Made {
        Err(not_by_tier(stored.tier))
    }

    /// The bytes in memory of a stored tier once it is loaded, whose codes have so many bytes in its table.
    fn loaded_bytes(&self, _: Tier, table: u64) -> u64 {
        table
    }

    /// Makes the working form of a spilled tier from the bytes that [`Solved::spill`] gave.
    fn restore(&self, tier: Tier, _spilled: &mut dyn Read) -> Made {
        Err(not_by_tier(tier))
    }

    /// The engine's way to solve one tier on several processes, where it has one.
    fn sharing(&self) -> Option<&dyn Sharing> {
        None
    }

    /// Marks what the reached positions of a tier reach, as [`Reachability::discover`](crate::Reachability::discover)
    /// does, and says whether it did: an engine with a device may be quicker. What it marked before it failed is reached
    /// all the same.
    fn discover(&self, _: Tier, _here: &dyn Reached, _below: &[Marked]) -> bool {
        false
    }

    /// Counts the reached positions of a tier by value from the working form; `None` where the working form does not
    /// give this, and positions are to be counted one by one.
    fn tally(&self, _: Tier, _here: &dyn Reached, _: &dyn Solved) -> Option<Tallied> {
        None
    }

    /// A reached position of a tier that was just solved, with its value, chosen by a random number; `None` where
    /// there is no such position, or the engine cannot find one.
    fn sample(&self, _: Tier, _here: &dyn Reached, _: &dyn Solved, _draw: u64) -> Option<(Position, Value)> {
        None
    }

    /// The code of a position by a search of the engine's own: `None` inside when the limits come first, and `None`
    /// where the engine has no such search.
    fn search(&self, _: [u64; 2], _: Limits) -> Option<Option<Code>> {
        None
    }

    /// The memory that [`examine`](Engine::examine) takes for a position; `None` where the engine has no answer.
    fn examine_bytes(&self, _: [u64; 2]) -> Option<u64> {
        None
    }

    /// The codes of a position that is not over and of the positions its moves lead to, in the order of the rules, by
    /// a search of the engine's own. `None` where the engine has no such search or the limits are too tight.
    ///
    /// [`examine_bytes`](Engine::examine_bytes) returns the memory that the search takes.
    fn examine(&self, _: [u64; 2], _: Limits) -> Option<(Code, Vec<Code>)> {
        None
    }
}

/// A way for several processes to solve one tier together.
pub trait Sharing {
    /// The bytes that each of `peers` processes needs for a tier with `block` entries in a block, including buffers
    /// and the process's shares of the tiers below. `None` for a tier that one process must solve.
    fn need(&self, tier: Tier, peers: usize, block: u64) -> Option<Need>;

    /// Solves a tier together with other processes. The result is this process's share ([`Shares`](crate::Shares)),
    /// numbered from the share's start. All shares are of the same width. When one process fails, all return an
    /// error.
    fn solve(&self, job: &SharedJob<'_>) -> Made;
}
