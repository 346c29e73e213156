//! Everything below one position with few empty cells, without a database.

mod mid;
mod nodes;
mod room;
mod subsets;
mod tables;

use zermelo_core::sections::quadrants::{ALL, LINES, Rotating, turn};
use zermelo_core::{Pair, Turn, Value};

use crate::isa::Isa;
use nodes::{Bits, Bytes, Node};
use tables::Parts;

/// Finds who wins from every position with few empty cells left, and after each of its moves.
pub struct Midgame {
    parts: Parts,
    isa: Isa,
}

/// How a board comes out for the player to move there: 1 for a win, 0 for a tie, -1 for a loss.
pub type Score = i8;

/// A position's value and those after its moves: who wins, or also in how many moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scores<V = Score> {
    /// The value of the position for the player to move.
    pub root: V,
    /// Every move, in the order of the rules, and the value of the board it leads to, for the
    /// player to move there.
    pub moves: Vec<(String, V)>,
}

impl Midgame {
    /// The most empty cells that a search takes: 18 take less than two seconds and a gigabyte.
    pub const MOST_EMPTY: u32 = 18;

    /// Prepares the tables of the search, for an instruction set.
    pub fn new(isa: Isa) -> Midgame {
        Midgame { parts: Parts::new(&LINES, turn), isa }
    }

    /// Bytes of memory that [`Midgame::solve`] takes for a position with `empty` empty cells.
    pub fn bytes_needed(empty: u32) -> u64 {
        mid::bytes::<Bits>(empty as usize)
    }

    /// Bytes of memory that [`Midgame::solve_distances`] takes for a position with `empty` empty cells: four times as
    /// much as [`Midgame::solve`], four gigabytes for 18 cells.
    pub fn bytes_needed_for_distances(empty: u32) -> u64 {
        mid::bytes::<Bytes>(empty as usize)
    }

    /// The value of a position and of its moves; `None` for one that has too many
    /// empty cells or is over.
    pub fn solve<G: Rotating>(&self, game: &G, p: Pair) -> Option<Scores> {
        self.solve_with::<G, Bits, Score>(game, p, -1)
    }

    /// The value of a position and of its moves with the number of moves to the end, when both play for the fastest
    /// win or tie and the slowest loss; `None` as for [`Midgame::solve`].
    pub fn solve_distances<G: Rotating>(&self, game: &G, p: Pair) -> Option<Scores<Value>> {
        self.solve_with::<G, Bytes, Value>(game, p, Value::Lose(0))
    }

    /// `lost` is for the player to move on a board where the other has five.
    fn solve_with<G: Rotating, N: Node, V: From<N::Answer> + Copy>(
        &self,
        game: &G,
        p: Pair,
        lost: V,
    ) -> Option<Scores<V>> {
        let turn = Turn::First;
        let Pair { own, other } = p;
        let empty = (ALL & !(own | other)).count_ones();
        if empty > Midgame::MOST_EMPTY || game.outcome(p).is_some() {
            return None;
        }
        let answers = mid::solve::<N>(&self.parts, [own, other], ALL, self.isa);
        let mut scores = Scores { root: answers.root.into(), moves: vec![] };
        game.moves(p, |m| {
            let (bit, quarter) = G::parts(m);
            let Some(cell) = answers.cells.iter().find(|cell| cell.bit == bit) else { return };
            let name = game.show_move(turn, p, m);
            // A stone that makes five loses for the other at once.
            scores.moves.push((name, quarter.map_or(lost, |quarter| cell.turns[quarter].into())));
        });
        Some(scores)
    }
}
