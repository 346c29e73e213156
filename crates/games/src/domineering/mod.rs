//! Domineering: the first player lays dominoes that stand, the second dominoes that lie, and a player who has no room
//! left loses.
//!
//! A position is the set of covered cells. The number of covered cells determines who is to move. A tier is the
//! number of dominoes. Every domino covers a light and a dark cell of a chessboard, so the light cells and the dark
//! ones of a position are numbered apart.

mod bands;
mod outcome;
mod shape;
mod surreal;
mod value;

pub use outcome::{Class, Outcomes};
pub use value::DomineeringValues;

use std::sync::OnceLock;
use std::time::Instant;

use zermelo_core::prelude::*;

/// Domineering, the game of laying dominoes.
pub struct Domineering {
    grid: Grid,
    /// The cells of the last column.
    right: u64,
    /// The light cells, the top left among them.
    light: u64,
    symmetries: Symmetries,
    /// The worths of bands of the board's rows or columns, made when first asked for.
    bands: OnceLock<bands::Bands>,
}

/// The winner from a position, in words; `None` where the search takes too long.
fn winner(game: &Domineering, turn: Turn, covered: u64, until: Instant) -> Option<String> {
    // Some tenths of a second and a megabyte at most, which is enough for every board up to 7x7.
    let mut outcomes = Outcomes::new(game, 16, 600_000).until(until);
    let wins = outcomes.wins(covered, turn)?;
    Some(match (turn, outcomes.wins(covered, turn.other())) {
        (Turn::First, Some(other)) => Class::of(wins, other).to_string(),
        (Turn::Second, Some(other)) => Class::of(other, wins).to_string(),
        (_, None) => format!("the player to move {}", if wins { "wins" } else { "loses" }),
    })
}

impl Domineering {
    /// The upper cells of the rooms for standing dominoes, or the left cells of the rooms for lying ones.
    #[inline]
    fn rooms(&self, free: u64, stands: bool) -> u64 {
        if stands { free & free >> self.grid.cols } else { free & free >> 1 & !self.right }
    }

    /// The cells of the domino whose first cell is `at`.
    #[inline]
    fn domino(&self, at: u8, stands: bool) -> u64 {
        1 << at | 1 << (at as usize + if stands { self.grid.cols } else { 1 })
    }

    #[inline]
    fn free(&self, covered: u64) -> u64 {
        self.grid.full() & !covered
    }

    /// The free cells on a board with eight cells to a row.
    fn board_of_eight(&self, covered: u64) -> u64 {
        let (free, Grid { rows, cols }) = (self.free(covered), self.grid);
        (0..rows).fold(0, |set, r| set | (free >> (r * cols) & all_cells(cols)) << (8 * r))
    }

    /// The numbers of standing dominoes that a tiling of the covered cells may have, one bit each. The search goes
    /// cell by cell, for every way in which dominoes reach into the next `cols` cells.
    fn tilings(&self, covered: u64) -> u64 {
        let Grid { cols, .. } = self.grid;
        let taken = |cell: usize| cell < self.grid.cells() && covered >> cell & 1 != 0;
        let mut ways = vec![0u64; 1 << cols];
        ways[0] = 1;
        for cell in 0..self.grid.cells() {
            let mut next = vec![0u64; 1 << cols];
            for (ahead, counts) in ways.into_iter().enumerate().filter(|(_, counts)| *counts != 0) {
                let rest = ahead >> 1;
                match (taken(cell), ahead & 1 != 0) {
                    (covered, reached) if covered == reached => next[rest] |= counts,
                    (false, _) => {}
                    (true, _) => {
                        if taken(cell + 1) && (cell + 1) % cols != 0 && rest & 1 == 0 {
                            next[rest | 1] |= counts;
                        }
                        if taken(cell + cols) {
                            next[rest | 1 << (cols - 1)] |= counts << 1;
                        }
                    }
                }
            }
            ways = next;
        }
        ways[0]
    }
}

/// Whether the player to move is the first, whose dominoes stand.
#[inline]
fn is_first(covered: u64) -> bool {
    (covered.count_ones() / 2).is_multiple_of(2)
}

impl Game for Domineering {
    type Position = u64;
    type Move = u8;
    const LAST_WINS: bool = true;

    fn start(&self) -> u64 {
        0
    }

    #[inline]
    fn outcome(&self, p: u64) -> Option<Outcome> {
        (self.rooms(self.free(p), is_first(p)) == 0).then_some(Outcome::Lose)
    }

    #[inline]
    fn moves(&self, p: u64, mut visit: impl FnMut(u8)) {
        members(self.rooms(self.free(p), is_first(p))).for_each(|room| visit(room as u8));
    }

    #[inline]
    fn play(&self, p: u64, m: u8) -> u64 {
        p | self.domino(m, is_first(p))
    }

    fn ply(&self, p: u64) -> Option<u32> {
        Some(p.count_ones() / 2)
    }
}

impl Tiers for Domineering {
    /// The number of dominoes, and the number of sets of dark cells.
    type Index = (usize, u64);

    #[inline]
    fn tier(&self, p: u64) -> Tier {
        Tier(u64::from(p.count_ones() / 2))
    }

    fn name(&self, t: Tier) -> String {
        format!("{} of {} dominoes", t.0, self.grid.cells() / 2)
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        if t.0 < self.grid.cells() as u64 / 2 { vec![Tier(t.0 + 1)] } else { vec![] }
    }

    fn size(&self, t: Tier) -> u64 {
        let (light, n) = (self.light.count_ones() as usize, t.0 as usize);
        CHOOSE[light][n].saturating_mul(CHOOSE[self.grid.cells() - light][n])
    }

    fn index(&self, t: Tier) -> (usize, u64) {
        let dark = self.free(self.light).count_ones() as usize;
        (t.0 as usize, CHOOSE[dark][t.0 as usize])
    }

    #[inline]
    fn rank(&self, (_, ways): &(usize, u64), p: u64) -> u64 {
        let p = self.canonical(p);
        let dark = self.free(self.light);
        rank_set(compress(p, self.light)) * ways + rank_set(compress(p, dark))
    }

    #[inline]
    fn unrank(&self, (count, ways): &(usize, u64), i: u64) -> Option<u64> {
        let part = |i: u64, cells: u64| expand(unrank_set(i, *count), cells);
        let p = part(i / ways, self.light) | part(i % ways, self.free(self.light));
        (self.canonical(p) == p).then_some(p)
    }

    #[inline]
    fn canonical(&self, p: u64) -> u64 {
        self.symmetries.least(p, 0).0
    }

    fn copies(&self, _: &(usize, u64), p: u64) -> u64 {
        self.symmetries.images(p, 0)
    }
}

impl Face for Domineering {
    const NOTES: bool = true;
    const CARD: Card = Card {
        name: "domineering",
        revision: 1,
        title: "Domineering",
        summary: "lay dominoes, one player upright and the other flat, until there is no room",
        rules: "Players take turns to lay a domino on two neighbouring empty cells. The first player's dominoes stand \
                (one cell above the other), the second player's lie (side by side). Whoever cannot move loses. \
                Positions have values in combinatorial game theory, the first player being Left: 1 is a spare move of \
                the first player, -1 one of the second, and {a|b} what either makes of the position by moving.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells row by row from the top left: x for \
                   covered and - for empty, as in 2_x--x-----. A move names the two cells, by column and row from \
                   below, as in a3-a2.",
        options: &[
            Choice::number("rows", "rows of the board", (1, 8), 5),
            Choice::number("cols", "columns of the board", (1, 8), 5),
        ],
        examples: &[
            ("rows=4,cols=4", "solved in a blink: whoever begins wins"),
            ("", "5x5: 5 million numbers, some seconds; whoever begins loses"),
            ("rows=5,cols=6", "150 million numbers, some minutes; lying dominoes win"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let grid = Grid::of(options);
        let is_light = |cell: &usize| (cell / grid.cols + cell % grid.cols).is_multiple_of(2);
        Ok(Domineering {
            grid,
            right: grid.column(grid.cols - 1),
            light: set_of((0..grid.cells()).filter(is_light)),
            symmetries: grid.flips(),
            bands: OnceLock::new(),
        })
    }

    fn read(&self, text: &str) -> Result<(Turn, u64), Complaint> {
        let (turn, p) = read_set(self, text, self.grid.cells())?;
        let dominoes = p.count_ones() / 2;
        // The first player has laid the odd domino.
        if p.count_ones() % 2 != 0 || self.tilings(p) >> dominoes.div_ceil(2) & 1 == 0 {
            let why = "no dominoes laid in turn cover these cells, as many standing as lying or one more";
            return Err(Complaint::position(text, why));
        }
        if is_first(p) != (turn == Turn::First) {
            let why = format!("after {dominoes} dominoes it is the other player's turn");
            return Err(Complaint::position(text, why));
        }
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, p: u64, m: u8) -> String {
        let to = 63 - self.domino(m, is_first(p)).leading_zeros() as usize;
        format!("{}-{}", self.grid.name(m.into()), self.grid.name(to))
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, _: Turn, p: u64) -> String {
        show_set(p, self.grid.cells())
    }

    fn draw(&self, _: Turn, p: u64, m: u8) -> Drawing {
        Drawing::Arrow(m.into(), 63 - self.domino(m, is_first(p)).leading_zeros() as usize)
    }

    fn note(&self, turn: Turn, p: u64, limits: Limits) -> Option<String> {
        let begun = Instant::now();
        // Half of the time for each question.
        let value = DomineeringValues::new(self)
            .until(begun + limits.time / 2)
            .name(p)
            .map(|value| format!("value {value}"));
        let parts: Vec<String> =
            value.into_iter().chain(winner(self, turn, p, begun + limits.time)).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

#[cfg(test)]
mod tests;
