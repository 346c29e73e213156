//! Games in which every move fills one empty cell and no cell is ever emptied, as the blobs
//! engine sees them. Cells may change hands.

use crate::grid::Symmetries;
use crate::rank::all_cells;
use crate::{Face, Folded, Packed, Tiers};

/// Cells of the player to move, and of the other.
pub type Colours = [u64; 2];

/// What a move has led to, seen by the player to move then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The other player is to move, and can.
    Open(Colours),
    /// The other player cannot move, so the same player moves again.
    Passed(Colours),
    /// The game is over.
    Over(Colours),
}

/// A game whose occupied cells only grow. Its [packed](Packed) positions are [`Colours`].
pub trait Growing: Face + Tiers {
    /// The symmetries of the board.
    fn symmetries(&self) -> &Symmetries;

    /// How many cells a board has when it is full.
    fn cells(&self) -> u32 {
        self.symmetries().cells() as u32
    }

    /// The empty cells that a move may fill when these are occupied, whatever their colours;
    /// more do no harm.
    fn fillable(&self, occupied: u64) -> u64 {
        all_cells(self.symmetries().cells()) & !occupied
    }

    /// Everything about a cell that the moves there have in common.
    type Spot: Copy + Send + Sync;

    /// Prepares the moves that fill a cell.
    fn spot(&self, cell: u32) -> Self::Spot;

    /// The board after the player to move fills an empty cell, seen by the other player; `None`
    /// when that is no move. The game must not be over.
    fn fill(&self, colours: Colours, spot: Self::Spot) -> Option<Colours>;

    /// Who is to move on a board that a move has led to, given as the other player sees it:
    /// the other player, unless the rules know passes.
    #[inline]
    fn settle(&self, colours: Colours) -> Settled {
        match self.outcome(Packed::unpack(colours)) {
            None => Settled::Open(colours),
            Some(_) => Settled::Over(colours),
        }
    }
}

/// A game in which every move puts a stone of one's own on an empty cell, whichever that is.
pub trait Filling: Folded + Face {}

impl<G: Filling> Growing for G {
    type Spot = u64;

    fn symmetries(&self) -> &Symmetries {
        Folded::symmetries(self)
    }

    fn spot(&self, cell: u32) -> u64 {
        1 << cell
    }

    #[inline]
    fn fill(&self, [own, other]: Colours, stone: u64) -> Option<Colours> {
        Some([other, own | stone])
    }
}
