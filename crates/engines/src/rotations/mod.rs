//! Pentago by rotation tables: all turns of a board's quadrants at once.

mod engine;
mod fives;
mod lines;
mod mid;
mod packed;
mod partition;
mod section;
mod tables;
mod turns;

use zermelo_core::{Face, Game};
use zermelo_games::Pentago;

use crate::isa::Isa;
pub use engine::Rotations;
pub use packed::{Packed, Tally};
pub use partition::Partition;
use tables::Parts;

/// Finds who wins from every position with few empty cells left, and after each of its moves.
pub struct Midgame {
    parts: Parts,
    isa: Isa,
}

/// How a board comes out for the player to move there: 1 for a win, 0 for a tie, -1 for a loss.
pub type Score = i8;

/// A position's value and those after its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scores {
    /// For the player to move.
    pub root: Score,
    /// Every move, in the order of the rules, and the value of the board it leads to, for the
    /// player to move there.
    pub moves: Vec<(String, Score)>,
}

impl Midgame {
    /// The most empty cells: 18 take two seconds and a gigabyte.
    pub const MOST_EMPTY: u32 = 18;

    /// Prepares the tables.
    pub fn new(isa: Isa) -> Midgame {
        Midgame { parts: Parts::new(Pentago::lines(), Pentago::turned), isa }
    }

    /// The value of a position, by its name, and of its moves; `None` for one that has too many
    /// empty cells, is over, or is none at all.
    pub fn solve(&self, position: &str) -> Option<Scores> {
        let (turn, p) = Pentago::default().read(position).ok()?;
        let [own, other] = p.sides();
        let empty = (Pentago::CELLS & !(own | other)).count_ones();
        if empty > Midgame::MOST_EMPTY || Pentago::default().outcome(p).is_some() {
            return None;
        }
        let answers = mid::solve(&self.parts, [own, other], Pentago::CELLS, self.isa);
        let mut moves = vec![];
        Pentago::default().moves(p, |m| {
            let (cell, quarter) = m.parts();
            if let Some((_, _, turns)) = answers.cells.iter().find(|(bit, _, _)| *bit == cell) {
                // A stone that makes five loses for the other at once.
                let score = quarter.map_or(-1, |quarter| turns[quarter]);
                moves.push((Pentago::default().show_move(turn, p, m), score));
            }
        });
        Some(Scores { root: answers.root, moves })
    }
}
