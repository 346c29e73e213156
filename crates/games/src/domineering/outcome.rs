//! Finds the winner by search. What either player has for sure decides most positions at once, and a table of bounded
//! size remembers the others by their shape.
//!
//! This follows Breuker, Uiterwijk and van den Herik, "Solving 8x8 Domineering" (Theoretical Computer Science 230,
//! 2000), who solved the boards up to 8x8 by alpha-beta with a table of positions. They compare the moves that a
//! player has for sure with all that the other may have. Here the board is cut into bands of known worth, which gives
//! better bounds (`bands.rs`).
//!
//! Positions are turned so that the player to move lays standing dominoes, eight cells to a row.

use std::fmt;
use std::time::Instant;

use zermelo_core::{GOLDEN, Turn};

use super::Domineering;
use super::bands::{Bands, ONE};
use super::shape::{lying, shape, split, standing, turned, usable};

/// The winner from a position, which may depend on who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The player to move wins.
    First,
    /// The other player wins.
    Second,
    /// The player of standing dominoes, the first player, wins.
    Standing,
    /// The player of lying dominoes wins.
    Lying,
}

impl Class {
    /// The class, given whether each player wins as the one who begins.
    pub fn of(standing: bool, lying: bool) -> Class {
        match (standing, lying) {
            (true, true) => Class::First,
            (false, false) => Class::Second,
            (true, false) => Class::Standing,
            (false, true) => Class::Lying,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::First => "whoever is to move wins",
            Class::Second => "whoever is to move loses",
            Class::Standing => "standing dominoes win, whoever is to move",
            Class::Lying => "lying dominoes win, whoever is to move",
        })
    }
}

/// A search on one board that remembers what it found, within a limited number of steps.
pub struct Outcomes<'a> {
    game: &'a Domineering,
    bands: &'a Bands,
    /// The entries: a shape and whether the player to move wins, at the place that the shape's hash gives.
    table: Vec<(u64, Option<bool>)>,
    pub(super) steps: u64,
    /// The moment when the search ends, whatever steps are left.
    until: Option<Instant>,
}

/// What one look at a position gives.
enum Glance {
    Wins,
    Loses,
    /// Undecided: how good the position seems for the player to move, and its shape.
    Open(i16, u64),
}

impl<'a> Outcomes<'a> {
    /// A search that knows nothing yet, with room for `2^bits` shapes of 16 bytes and `steps` steps to take in all.
    /// Each step is a glance at a position.
    pub fn new(game: &'a Domineering, bits: u32, steps: u64) -> Outcomes<'a> {
        let bands = game.bands.get_or_init(|| Bands::new(game.grid.rows.max(game.grid.cols)));
        Outcomes { game, bands, table: vec![(0, None); 1 << bits], steps, until: None }
    }

    /// The search, made to end at a moment, whatever steps are left.
    pub fn until(self, until: Instant) -> Outcomes<'a> {
        Outcomes { until: Some(until), ..self }
    }

    /// Whether the player `turn` wins as the one who begins; `None` when the steps have run out.
    pub fn wins(&mut self, covered: u64, turn: Turn) -> Option<bool> {
        let board = self.game.board_of_eight(covered);
        match self.glance(if turn == Turn::First { board } else { turned(board) }) {
            Glance::Wins => Some(true),
            Glance::Loses => Some(false),
            Glance::Open(_, shape) => self.search(shape),
        }
    }

    #[inline]
    fn glance(&self, free: u64) -> Glance {
        let (mut regions, mut count) = ([0; 32], 0);
        let free = split(usable(free), &mut regions, &mut count);
        let regions = regions[..count].iter().copied();
        let mine = self.bands.sure(regions.clone()).first;
        if mine > 0 {
            return Glance::Wins;
        }
        let theirs = self.bands.sure(regions.map(turned)).second;
        if theirs >= 0 {
            return Glance::Loses;
        }
        let shape = shape(free);
        match self.table[self.place(shape)] {
            (known, Some(true)) if known == shape => Glance::Wins,
            (known, Some(false)) if known == shape => Glance::Loses,
            _ => {
                // The sure worth of each player, and half a move for each room more.
                let rooms = standing(free).count_ones() as i16 - lying(free).count_ones() as i16;
                Glance::Open(mine - theirs + ONE / 2 * rooms, shape)
            }
        }
    }

    #[inline]
    fn place(&self, shape: u64) -> usize {
        let hash = shape.wrapping_mul(GOLDEN);
        (hash ^ hash >> 32) as usize & (self.table.len() - 1)
    }

    /// Whether the player to move wins. The moves that seem worst for the other player are tried first.
    fn search(&mut self, shape: u64) -> Option<bool> {
        let place = self.place(shape);
        if let (known, Some(wins)) = self.table[place]
            && known == shape
        {
            return Some(wins);
        }
        if self.until.is_some_and(|until| Instant::now() >= until) {
            self.steps = 0;
        }
        let (mut rooms, mut won) = (standing(shape), false);
        self.steps = self.steps.checked_sub(u64::from(rooms.count_ones()))?;
        let (mut open, mut count) = ([(0, 0); 56], 0);
        while rooms != 0 && !won {
            let domino = 0x101 << rooms.trailing_zeros();
            rooms &= rooms - 1;
            match self.glance(turned(shape & !domino)) {
                Glance::Wins => {}
                Glance::Loses => won = true,
                Glance::Open(seems, next) => {
                    open[count] = (seems, next);
                    count += 1;
                }
            }
        }
        if !won {
            open[..count].sort_unstable();
            for (_, next) in &open[..count] {
                won = !self.search(*next)?;
                if won {
                    break;
                }
            }
        }
        self.table[place] = (shape, Some(won));
        Some(won)
    }
}
