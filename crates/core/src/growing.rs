//! Games as the blobs engine sees them: every move fills one empty cell, and no cell is ever emptied. Cells may
//! change hands.

use crate::grid::Symmetries;
use crate::rank::all_cells;
use crate::{Face, Folded, Packed, Tiers};

/// The cells of the player to move, and those of the other player.
pub type Colours = [u64; 2];

/// The result of a move in a game whose occupied cells only grow: the board, seen by the player to move after it, and
/// whether that player can move.
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
#[diagnostic::on_unimplemented(
    message = "the engine `blobs` does not know `{Self}` as a game whose occupied cells only grow",
    note = "implement `zermelo_core::Growing`, or pair the game with the engine `sweep`"
)]
pub trait Growing: Face + Tiers {
    /// The symmetries of the board.
    fn symmetries(&self) -> &Symmetries;

    /// The number of cells of a full board.
    fn cells(&self) -> u32 {
        self.symmetries().cells() as u32
    }

    /// The empty cells that a move may fill when the cells of `occupied` are taken, whatever their colours. More
    /// cells than these do no harm.
    fn fillable(&self, occupied: u64) -> u64 {
        all_cells(self.symmetries().cells()) & !occupied
    }

    /// All that the moves which fill one cell have in common.
    type Spot: Copy + Send + Sync;

    /// Prepares the moves that fill a cell.
    fn spot(&self, cell: u32) -> Self::Spot;

    /// The board after the player to move fills an empty cell, seen by the other player; `None` when this is no legal
    /// move. The game must not be over.
    fn fill(&self, colours: Colours, spot: Self::Spot) -> Option<Colours>;

    /// Finds the player to move on a board that a move has led to, given as the other player sees it. This is the
    /// other player, unless the rules know passes.
    #[inline]
    fn settle(&self, colours: Colours) -> Settled {
        match self.outcome(Packed::unpack(colours)) {
            None => Settled::Open(colours),
            Some(_) => Settled::Over(colours),
        }
    }
}

/// A game in which every move puts an own stone on any empty cell.
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
