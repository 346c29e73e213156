//! Games as the lattice engine sees them, in which a placed stone never moves or changes: a board cut into files of
//! cells, and the sets of cells that win.

use crate::grid::Grid;
use crate::{Face, Game, Value, wins_at_once};

/// A game of placing stones, one a move, first and second player in turn.
///
/// A player wins by holding all cells of a line; a full board without a line is a tie.
/// [Packed](crate::Packed) positions are the cells of the player to move and those of the other.
#[diagnostic::on_unimplemented(
    message = "the engine `lattice` does not know `{Self}` as a game of placing stones",
    note = "implement `zermelo_core::Placing`, or pair the game with the engine `sweep`"
)]
pub trait Placing: Game + Face {
    /// The board and its lines; `None` for a variant with other rules.
    fn layout(&self) -> Option<BoardFiles>;

    /// The value of a position if it is decided within three moves: the game is over, a win
    /// in one, a loss in two, or a win in three. Databases leave these values out.
    fn soon(&self, p: Self::Position) -> Option<Value> {
        soon(self, p)
    }

    /// The number of stones above which the game's [own search](Game::own_search) answers positions at once.
    /// Databases of very large boards leave these positions out. `None` where no search is that quick.
    fn late(&self) -> Option<u32> {
        None
    }
}

/// The value that [`Placing::soon`] returns, worked out by the rules alone: for games that have nothing faster, and
/// to check those that do.
pub fn soon<G: Game>(game: &G, p: G::Position) -> Option<Value> {
    if let Some(outcome) = game.outcome(p) {
        return Some(outcome.value());
    }
    if wins_at_once(game, p) {
        return Some(Value::Win(1));
    }
    if loses_in_two(game, p) {
        return Some(Value::Lose(2));
    }
    let mut wins = false;
    game.moves(p, |m| {
        wins = wins || {
            let child = game.play(p, m);
            game.outcome(child).is_none() && loses_in_two(game, child)
        }
    });
    wins.then_some(Value::Win(3))
}

/// Whether every move of a position that is not over lets the other player win at once. A move that ends the game,
/// with a line or with a full board, does not.
fn loses_in_two<G: Game>(game: &G, p: G::Position) -> bool {
    let mut loses = true;
    game.moves(p, |m| {
        loses = loses && {
            let child = game.play(p, m);
            game.outcome(child).is_none() && wins_at_once(game, child)
        }
    });
    loses
}

/// A board, cut for the lattice engine.
#[derive(Clone, Debug)]
pub struct BoardFiles {
    /// The files in order. Together they are all cells of the board.
    pub files: Vec<File>,
    /// Whether stones fill a file from its first cell on. If not, a stone may be put on any empty cell.
    pub stacked: bool,
    /// The sets of cells that win, for the first player and for the second.
    pub lines: [Vec<u64>; 2],
    /// Whether the board with its files in reverse order is the same game.
    pub mirror: bool,
}

/// A column or row of a board, whose cells are neighbouring bits: `cells` of them, from bit `shift` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// The first cell.
    pub shift: u32,
    /// The number of cells.
    pub cells: u32,
}

impl File {
    /// The cells of the file as a set.
    pub fn mask(self) -> u64 {
        crate::rank::all_cells(self.cells as usize) << self.shift
    }
}

impl BoardFiles {
    /// A board of rows on which any empty cell will do, with the sets of cells that win.
    pub fn of_rows(grid: Grid, lines: [Vec<u64>; 2], mirror: bool) -> BoardFiles {
        let row = |r: usize| File { shift: (r * grid.cols) as u32, cells: grid.cols as u32 };
        BoardFiles { files: (0..grid.rows).map(row).collect(), stacked: false, lines, mirror }
    }

    /// The number of cells of the board.
    pub fn cells(&self) -> u32 {
        self.files.iter().map(|f| f.cells).sum()
    }
}
