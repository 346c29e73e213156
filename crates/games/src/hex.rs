//! Hex: the first player joins the top of a rhombus of hexagons with its bottom, the second its left side with its
//! right. One of them always does, so there are no ties.
//!
//! A tier is the number of stones, which also determines who is to move. The half turn is the only symmetry. On a
//! square board swapping colours and transposing gives the same game, but with the other player to move, and no two
//! positions with the same number of stones differ by that.

use std::sync::Arc;

use zermelo_core::prelude::*;

/// Hex, the game of joining two sides of a rhombus.
pub struct Hex {
    grid: Grid,
    /// The sides that each player joins: top and bottom, left and right.
    sides: [[u64; 2]; 2],
    symmetries: Arc<Symmetries>,
}

/// The most minimal winning sets that are listed for the lattice engine: one more than the engine can take.
const MOST_PATHS: usize = 129;

impl Hex {
    /// The cells next to those of a set. Some may lie off the board.
    #[inline]
    fn around(&self, set: u64) -> u64 {
        let (cols, [left, right]) = (self.grid.cols, self.sides[1]);
        let (to_left, to_right) = (set & !left, set & !right);
        set << cols
            | set >> cols
            | to_left >> 1
            | to_right << 1
            | to_right >> (cols - 1)
            | to_left << (cols - 1)
    }

    /// Whether stones join the sides of a player.
    #[inline]
    fn joins(&self, stones: u64, first: bool) -> bool {
        let [from, to] = self.sides[usize::from(!first)];
        let mut area = stones & from;
        while area & to == 0 {
            let more = area | self.around(area) & stones;
            if more == area {
                return false;
            }
            area = more;
        }
        true
    }

    /// The minimal sets that join a player's sides: paths without short cuts, and no more paths than can be used.
    fn paths(&self, first: bool) -> Vec<u64> {
        let [from, to] = self.sides[usize::from(!first)];
        let mut found = vec![];
        // A path so far, its last cell, and the cells that it may no longer touch.
        let mut todo: Vec<(u64, u64, u64)> = members(from).map(|cell| (1 << cell, 1 << cell, from)).collect();
        while let Some((path, last, closed)) = todo.pop() {
            if last & to != 0 {
                found.push(path);
            } else {
                let next = self.around(last) & self.grid.full() & !closed;
                let further = |cell: usize| (path | 1 << cell, 1 << cell, closed | next | last);
                todo.extend(members(next).map(further));
            }
            if found.len() == MOST_PATHS {
                break;
            }
        }
        found
    }
}

impl Game for Hex {
    type Position = Pair;
    type Move = u8;

    fn start(&self) -> Pair {
        Pair::EMPTY
    }

    #[inline]
    fn outcome(&self, p: Pair) -> Option<Outcome> {
        let first = p.count().is_multiple_of(2);
        if self.joins(p.other, !first) {
            return Some(Outcome::Lose);
        }
        // Only an impossible position has the sides of the player to move joined.
        self.joins(p.own, first).then_some(Outcome::Win)
    }

    #[inline]
    fn moves(&self, p: Pair, mut visit: impl FnMut(u8)) {
        members(self.grid.empty(p)).for_each(|cell| visit(cell as u8));
    }

    #[inline]
    fn play(&self, p: Pair, m: u8) -> Pair {
        p.put(m)
    }

    fn ply(&self, p: Pair) -> Option<u32> {
        Some(p.count())
    }
}

impl Folded for Hex {
    fn symmetries(&self) -> &Arc<Symmetries> {
        &self.symmetries
    }
}

impl Placing for Hex {
    fn layout(&self) -> Option<BoardFiles> {
        // Turning the board also reverses the cells of each row, not only the order of the rows.
        Some(BoardFiles::of_rows(self.grid, [true, false].map(|first| self.paths(first)), false))
    }
}

impl Filling for Hex {}

impl Face for Hex {
    const CARD: Card = Card {
        name: "hex",
        revision: 1,
        title: "Hex",
        summary: "join your two sides of a rhombus of hexagons",
        rules: "Players take turns to put a stone on an empty hexagon. The first player has x and joins the top of \
                the board with its bottom; the second has o and joins the left side with the right. Whoever first has \
                a chain of neighbouring stones from side to side wins. Each row of the board stands half a hexagon \
                further to the right than the one above. There is no swap.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells row by row from the top left: \
                   x, o, and - for empty, as in 2_----x----. A move names a cell by column and row from above, as \
                   Hex players do: a1 is the sharp corner at the top left.",
        options: &[
            Choice::number("rows", "rows of the board", (2, 8), 4),
            Choice::number("cols", "columns of the board", (2, 8), 4),
        ],
        examples: &[
            ("rows=3,cols=3", "solved in a blink: the first player wins in 5"),
            ("", "4x4: 5 million numbers, some seconds; the first player wins in 9"),
            ("rows=3,cols=6", "a longer board: some seconds"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let grid = Grid::of(options);
        let rows = [0, grid.rows - 1].map(|row| grid.row(row));
        let columns = [0, grid.cols - 1].map(|column| grid.column(column));
        let symmetries = Arc::new(Symmetries::reversal(grid.cells()));
        Ok(Hex { grid, sides: [rows, columns], symmetries })
    }

    fn read(&self, text: &str) -> Result<(Turn, Pair), Complaint> {
        let (turn, p) = self.grid.read(self, text)?;
        let joins = |set: u64| self.joins(set, (set & p.other == 0) == (turn == Turn::First));
        placed_in_turn(text, (turn, p), p.other, joins)?;
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, _: Pair, m: u8) -> String {
        self.grid.name_from_above(m.into())
    }

    fn board(&self) -> Board {
        let board = self.grid.board();
        // Each row half a hexagon further to the right than the one above.
        let cells = board.cells.iter().map(|(x, y)| (x + (y - 0.5) / 2.0, *y)).collect();
        let names = (0..self.grid.cells()).map(|cell| self.grid.name_from_above(cell)).collect();
        Board { width: board.width + (board.height - 1.0) / 2.0, cells, names, ..board }
    }

    fn pieces(&self, turn: Turn, p: Pair) -> String {
        self.grid.pieces(turn, p)
    }

    fn draw(&self, _: Turn, _: Pair, m: u8) -> Drawing {
        Drawing::Cell(m.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game(options: &str) -> Hex {
        Hex::new(&Options::read(&Hex::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        for options in ["rows=2,cols=2", "rows=3,cols=3", "rows=2,cols=5", "rows=4,cols=3", "rows=8,cols=2"] {
            laws::check(&game(options), 5_000).expect("no law is broken");
            laws::check_face(&game(options), 2_000).expect("no law is broken");
        }
    }

    #[test]
    fn exactly_one_player_joins_a_full_board() {
        for (rows, cols) in [(2, 2), (3, 3), (4, 4), (2, 6), (5, 3)] {
            let game = game(&format!("rows={rows},cols={cols}"));
            for x in 0..=game.grid.full() {
                assert_ne!(
                    game.joins(x, true),
                    game.joins(game.grid.full() & !x, false),
                    "{x:b} on {rows}x{cols}"
                );
            }
        }
    }

    #[test]
    fn paths_are_the_least_sets_that_join() {
        for (rows, cols) in [(2, 2), (3, 3), (4, 3), (3, 4), (4, 4), (2, 7)] {
            let game = game(&format!("rows={rows},cols={cols}"));
            for first in [true, false] {
                let least = |set: &u64| {
                    game.joins(*set, first)
                        && members(*set).all(|cell| !game.joins(set & !(1 << cell), first))
                };
                let want: Vec<u64> = (0..=game.grid.full()).filter(least).collect();
                let mut found = game.paths(first);
                found.sort_unstable();
                assert_eq!(found, want, "{rows}x{cols}");
            }
        }
        assert_eq!(game("rows=8,cols=8").paths(true).len(), MOST_PATHS);
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game("rows=3,cols=3");
        let bad = [
            ("1_x--------", "as many x as o"),
            ("2_---------", "one x more"),
            ("1_x--x--xoo", "as many x as o"),
            ("1_xoox--x-o", "already has a line"),
            ("2_---", "cells"),
            ("1_z--------", "not one of"),
        ];
        for (text, why) in bad {
            let complaint = game.read(text).expect_err(text).to_string();
            assert!(complaint.contains(why), "{text}: {complaint}");
        }
        assert!(game.read("2_x--x--xoo").is_ok() && game.read("1_oooxx---x").is_ok());
        let two_chains = self::game("rows=2,cols=5").read("2_xoxo-x-xo-").expect_err("too many chains");
        assert!(two_chains.to_string().contains("one move"), "{two_chains}");
    }

    #[test]
    fn neighbours_are_those_of_hexagons() {
        // b2 touches b1, c1, a2, c2, a3 and b3, but neither a1 nor c3.
        let game = game("rows=3,cols=3");
        assert_eq!(game.around(1 << 4) & game.grid.full(), 0b011_101_110);
    }
}
