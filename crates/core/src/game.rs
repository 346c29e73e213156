//! What a game must say about itself: its rules, how its positions are numbered, and
//! how it looks to people.
//!
//! A position is always seen by the player to move: "own" and "other" instead of first
//! and second. Colour-swapped positions are therefore one position, and no engine ever
//! asks whose turn it is. Front ends keep the [`Turn`] beside the position; it flips
//! with every move.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;

use crate::{Board, Card, Complaint, Drawing, Limits, Options, Outcome, Tier, Value};

/// Who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turn {
    /// The player who began.
    First,
    /// The other.
    Second,
}

impl Turn {
    /// The other player.
    pub fn other(self) -> Turn {
        match self {
            Turn::First => Turn::Second,
            Turn::Second => Turn::First,
        }
    }

    /// `1` or `2`, as position strings begin.
    pub fn digit(self) -> char {
        match self {
            Turn::First => '1',
            Turn::Second => '2',
        }
    }
}

/// The rules of a two-player, alternating game of perfect information.
///
/// A turn that captures, removes or passes is one move, so the player to move always
/// changes.
pub trait Game: Send + Sync + 'static {
    /// A position, seen by the player to move; small enough to copy.
    type Position: Copy + Eq + Hash + Debug + Send + Sync;
    /// A move.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// The position the game begins with; the first player is to move.
    fn start(&self) -> Self::Position;

    /// How the game came out, if it is over: for the player who would move next.
    fn outcome(&self, p: Self::Position) -> Option<Outcome>;

    /// Visits every legal move of a position that is not over; there is at least one.
    fn moves(&self, p: Self::Position, visit: impl FnMut(Self::Move));

    /// The position after a legal move, seen by the other player.
    fn play(&self, p: Self::Position, m: Self::Move) -> Self::Position;

    /// The value of one position by the game's own search, where it has one that is better
    /// than the general one; inside, `None` when the limits come first.
    fn own_search(&self, _p: Self::Position, _limits: Limits) -> Option<Option<Value>> {
        None
    }
}

/// Where moves lead that stay inside a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Every move leaves the tier.
    Leaves,
    /// A move inside the tier leads to a higher number, so there are no loops.
    Rises,
    /// Play can return to a position.
    Loops,
}

/// How a game's positions are cut into tiers and numbered.
///
/// Symmetric positions share a tier and a number; [`unrank`](Tiers::unrank) gives one
/// of them, the canonical one. Moves lead into the same tier or into one of its
/// [`children`](Tiers::children), and the graph of tiers has no cycle.
pub trait Tiers: Game {
    /// The tables that number one tier.
    type Index: Send + Sync;

    /// The tier of a position.
    fn tier(&self, p: Self::Position) -> Tier;

    /// The other tiers that moves from this one lead into.
    fn children(&self, t: Tier) -> Vec<Tier>;

    /// Where moves inside a tier lead.
    fn flow(&self, _t: Tier) -> Flow {
        Flow::Leaves
    }

    /// How many numbers a tier has, holes included. Must not need the tables.
    fn size(&self, t: Tier) -> u64;

    /// Prepares the numbering of one tier.
    fn index(&self, t: Tier) -> Self::Index;

    /// The number of a position of the tier.
    fn rank(&self, index: &Self::Index, p: Self::Position) -> u64;

    /// The canonical position of a number; `None` for a hole.
    fn unrank(&self, index: &Self::Index, i: u64) -> Option<Self::Position>;

    /// Bytes that the tables behind all indexes may hold together, where that is much.
    fn index_bytes(&self) -> u64 {
        0
    }

    /// How many positions share a position's number, itself included. The start must have
    /// a number of its own if positions are to be counted right.
    fn copies(&self, _index: &Self::Index, _p: Self::Position) -> u64 {
        1
    }

    /// Visits the positions of a range of numbers; override it to step instead of unrank.
    #[inline]
    fn scan(&self, index: &Self::Index, range: Range<u64>, mut visit: impl FnMut(u64, Self::Position)) {
        for i in range {
            if let Some(p) = self.unrank(index, i) {
                visit(i, p);
            }
        }
    }
}

/// A game that can also play backwards inside a tier.
pub trait Unmove: Tiers {
    /// Visits positions of `p`'s own tier from which one move leads to `p` or to a
    /// position symmetric to it: at least one of each set of symmetric ones. Positions
    /// that are over, and repeats, do no harm.
    fn unmoves(&self, p: Self::Position, visit: impl FnMut(Self::Position));
}

/// How a game looks to people: its card, its text and its board.
pub trait Face: Game + Sized {
    /// Name, rules and options.
    const CARD: Card;

    /// The variant with these options, which are within the ranges of the card.
    fn new(options: &Options) -> Result<Self, Complaint>;

    /// Writes a position.
    fn show(&self, turn: Turn, p: Self::Position) -> String;

    /// Reads a position that a person typed, and refuses impossible ones.
    fn read(&self, text: &str) -> Result<(Turn, Self::Position), Complaint>;

    /// Writes a move.
    fn show_move(&self, turn: Turn, p: Self::Position, m: Self::Move) -> String;

    /// The empty board.
    fn board(&self) -> Board;

    /// What stands on each cell of the board, one character a cell.
    fn pieces(&self, turn: Turn, p: Self::Position) -> String;

    /// How a move is drawn on the board.
    fn draw(&self, p: Self::Position, m: Self::Move) -> Drawing;
}
