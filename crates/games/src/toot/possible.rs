//! Finds which positions can arise: discs fall in turn and on others, and each player who drops a disc uses a letter.

use std::ops::RangeInclusive;

use zermelo_core::Turn;
use zermelo_core::grid::Grid;
use zermelo_core::rank::members;

use super::{Letters, Toot};

/// The most skylines below a position that are walked to see which player can have dropped which disc. A server reads
/// positions on the threads that answer, so that this must take no more than a millisecond.
const MOST_BELOW: usize = 1 << 17;

impl Toot {
    /// The reason why a position cannot arise, if there is one. On a board that can be filled in very many ways,
    /// which player can have dropped which disc is not checked.
    pub(super) fn fault(&self, turn: Turn, p: Letters, first: u32) -> Option<&'static str> {
        let (discs, t) = (p.all.count_ones(), p.t.count_ones());
        let second = t.checked_sub(first);
        let used = |played: u32, t: u32| t <= self.each && played >= t && played - t <= self.each;
        if discs.is_multiple_of(2) != (turn == Turn::First) {
            return Some("players drop discs in turn, so the number of discs tells who is to move");
        }
        if p.all & !(p.all >> self.grid.cols | self.landings(0)) != 0 {
            return Some("a disc has nothing below it");
        }
        if !used(discs.div_ceil(2), first) || !second.is_some_and(|second| used(discs / 2, second)) {
            return Some("a player would have used more discs of a letter than there are");
        }
        // The last disc lies on top of its column, and there was no word before it.
        let before = |cell: usize| Letters { t: p.t & !(1 << cell), all: p.all & !(1 << cell), own: 0 };
        let no_word = |cell: &usize| self.words(before(*cell).t, before(*cell).all) == [false; 2];
        let last: Vec<usize> = members(p.all & !(p.all << self.grid.cols)).filter(no_word).collect();
        if p.all != 0 && last.is_empty() {
            return Some("no disc can have been the last one, so the game was over before");
        }
        let dropped = |cell: usize| u32::from(turn == Turn::Second && p.t >> cell & 1 != 0);
        let used = self.first_used(p);
        let can = |cell: &usize| {
            let earlier = first.checked_sub(dropped(*cell));
            earlier.is_some_and(|t| used(before(*cell)).contains(&t))
        };
        if p.all != 0 && !last.iter().any(can) {
            return Some("the first player cannot have used so many T, in whatever order discs fell");
        }
        None
    }

    /// For each board that is a position without the last disc of a column: the numbers of T that the first player can
    /// have dropped, of those on that board. The range is wider where there are too many ways to fill the board.
    ///
    /// **Claim.** There are no gaps between the least number and the most. **Proof.** Two discs that fell one after
    /// the other into different columns may also have fallen the other way round. This changes the number by one at
    /// most.
    fn first_used(&self, p: Letters) -> impl Fn(Letters) -> RangeInclusive<u32> {
        let Grid { rows, cols } = self.grid;
        let has = move |set: u64, r: usize, c: usize| set >> (r * cols + c) & 1 != 0;
        // By column: whether each disc from below is a T.
        let column = |c: usize| -> Vec<bool> {
            (0..rows).rev().filter(|r| has(p.all, *r, c)).map(|r| has(p.t, r, c)).collect()
        };
        let columns: Vec<Vec<bool>> = (0..cols).map(column).collect();
        // A skyline's number has the height of each column for a digit. The disc on top of one of the columns came
        // last.
        let mut below = 1;
        let base = |column: &Vec<bool>| {
            below *= column.len() + 1;
            below / (column.len() + 1)
        };
        let bases: Vec<usize> = columns.iter().map(base).collect();
        let below = if below > MOST_BELOW { 0 } else { below };
        let mut used = vec![(0, 0); below.min(1)];
        let (mut heights, mut discs) = (vec![0; cols], 0);
        for skyline in 1..below {
            let higher = columns.iter().zip(&heights).position(|(column, height)| *height < column.len());
            for height in &mut heights[..higher.unwrap_or(0)] {
                discs -= std::mem::take(height);
            }
            heights[higher.unwrap_or(0)] += 1;
            discs += 1;
            let mut range = (u8::MAX, 0);
            for (c, height) in heights.iter().enumerate().filter(|(_, height)| **height > 0) {
                let (least, most) = used[skyline - bases[c]];
                let more = u8::from(columns[c][height - 1] && discs % 2 == 1);
                range = (range.0.min(least + more), range.1.max(most + more));
            }
            used.push(range);
        }
        move |q| {
            let height = |c: usize| (0..rows).filter(|r| has(q.all, *r, c)).count();
            let skyline = bases.iter().enumerate().map(|(c, base)| base * height(c)).sum::<usize>();
            let (discs, t) = (q.all.count_ones(), q.t.count_ones());
            let wide = || t.saturating_sub(discs / 2)..=t.min(discs.div_ceil(2));
            used.get(skyline).map_or_else(wide, |(least, most)| u32::from(*least)..=u32::from(*most))
        }
    }
}
