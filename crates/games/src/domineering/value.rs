//! Values of positions: a board that falls apart is the sum of its regions, and a region's value
//! follows from those of what is left after each move.

use std::collections::HashMap;
use std::time::Instant;

use zermelo_core::Turn;
use zermelo_core::rank::members;

use super::Domineering;
use super::surreal::{Forms, Value};

/// Steps of work for one position: some tenths of a second at most.
const STEPS: u32 = 1_000_000;
/// Larger regions are not begun: half of them would take too many steps.
const LARGEST: u32 = 24;
/// No name is longer; few people would read it.
const LONGEST: usize = 200;

/// The values of one board's positions, worked out as they are asked for.
pub struct Values<'a> {
    game: &'a Domineering,
    forms: Forms,
    /// By the region, moved to the top left.
    regions: HashMap<u64, Value>,
}

impl<'a> Values<'a> {
    /// Nothing known yet.
    pub fn new(game: &'a Domineering) -> Values<'a> {
        Values { game, forms: Forms::new(STEPS), regions: HashMap::new() }
    }

    /// Works nothing out after a moment.
    pub fn until(self, until: Instant) -> Values<'a> {
        Values { forms: self.forms.until(until), ..self }
    }

    /// The value as people write it; `None` where it takes too long or too many words.
    pub fn name(&mut self, covered: u64) -> Option<String> {
        let value = self.of(self.game.free(covered))?;
        self.forms.name(value).filter(|name| name.len() <= LONGEST)
    }

    /// Whether a player who begins wins: Left unless the value is at most zero, Right unless it
    /// is at least that.
    pub fn wins(&mut self, covered: u64, turn: Turn) -> Option<bool> {
        let value = self.of(self.game.free(covered))?;
        let lost = match turn {
            Turn::First => self.forms.at_most(value, Forms::ZERO),
            Turn::Second => self.forms.at_most(Forms::ZERO, value),
        };
        lost.map(|lost| !lost)
    }

    /// The sum of all regions of some empty cells.
    fn of(&mut self, mut free: u64) -> Option<Value> {
        let mut sum = Forms::ZERO;
        while free != 0 {
            let region = self.grown(free & free.wrapping_neg(), free);
            free &= !region;
            let value = self.region(self.moved(region))?;
            sum = self.forms.sum(sum, value)?;
        }
        Some(sum)
    }

    /// The region around some cells.
    fn grown(&self, mut region: u64, free: u64) -> u64 {
        let (cols, right) = (self.game.grid.cols, self.game.right);
        loop {
            let aside = (region & !right) << 1 | region >> 1 & !right;
            let more = region | (aside | region << cols | region >> cols) & free;
            if more == region {
                return region;
            }
            region = more;
        }
    }

    /// A region as far up and to the left as it goes.
    fn moved(&self, mut region: u64) -> u64 {
        let (cols, left) = (self.game.grid.cols, self.game.grid.column(0));
        region >>= region.trailing_zeros() as usize / cols * cols;
        while region & left == 0 {
            region >>= 1;
        }
        region
    }

    fn region(&mut self, region: u64) -> Option<Value> {
        if let Some(known) = self.regions.get(&region) {
            return Some(*known);
        }
        if region.count_ones() > LARGEST {
            return None;
        }
        let [left, right] = [true, false].map(|stands| {
            let rooms = members(self.game.rooms(region, stands));
            let option = |room: usize| self.of(region & !self.game.domino(room as u8, stands));
            rooms.map(option).collect::<Option<Vec<_>>>()
        });
        let value = self.forms.of(left?, right?)?;
        self.regions.insert(region, value);
        Some(value)
    }
}
