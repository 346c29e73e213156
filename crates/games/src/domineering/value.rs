//! Works out values of positions: a board that falls apart is the sum of its regions, and a region's value follows
//! from the values of what is left after each move.

use std::collections::HashMap;
use std::time::Instant;

use zermelo_core::Turn;
use zermelo_core::rank::members;

use super::Domineering;
use super::shape::{corner, grown, lying, standing};
use super::surreal::{Forms, Value};

/// The number of steps of work for one position: some tenths of a second at most.
const STEPS: u32 = 1_000_000;
/// The largest region, in cells, that is begun. Half of the larger ones would take too many steps.
const LARGEST: u32 = 24;
/// The length of the longest name, for few people would read a longer one.
const LONGEST: usize = 200;

/// The values of one board's positions, worked out as they are asked for.
pub struct DomineeringValues<'a> {
    game: &'a Domineering,
    forms: Forms,
    /// The values found, by region. A region has eight cells to a row and is moved to the top left.
    regions: HashMap<u64, Value>,
}

impl<'a> DomineeringValues<'a> {
    /// The table without any value.
    pub fn new(game: &'a Domineering) -> DomineeringValues<'a> {
        DomineeringValues { game, forms: Forms::new(STEPS), regions: HashMap::new() }
    }

    /// The table, made to work nothing out after a moment.
    pub fn until(self, until: Instant) -> DomineeringValues<'a> {
        DomineeringValues { forms: self.forms.until(until), ..self }
    }

    /// The value as people write it; `None` where it takes too long or too many words.
    pub fn name(&mut self, covered: u64) -> Option<String> {
        let value = self.of(self.game.board_of_eight(covered))?;
        self.forms.name(value).filter(|name| name.len() <= LONGEST)
    }

    /// Whether the player who begins wins: Left unless the value is at most zero, Right unless the value is at least
    /// zero.
    pub fn wins(&mut self, covered: u64, turn: Turn) -> Option<bool> {
        let value = self.of(self.game.board_of_eight(covered))?;
        let lost = match turn {
            Turn::First => self.forms.at_most(value, Forms::ZERO),
            Turn::Second => self.forms.at_most(Forms::ZERO, value),
        };
        lost.map(|lost| !lost)
    }

    /// The sum of all regions of some empty cells, eight to a row.
    fn of(&mut self, mut free: u64) -> Option<Value> {
        let mut sum = Forms::ZERO;
        while free != 0 {
            let region = grown(free & free.wrapping_neg(), free);
            free &= !region;
            let value = self.region(corner(region))?;
            sum = self.forms.sum(sum, value)?;
        }
        Some(sum)
    }

    fn region(&mut self, region: u64) -> Option<Value> {
        if let Some(known) = self.regions.get(&region) {
            return Some(*known);
        }
        if region.count_ones() > LARGEST {
            return None;
        }
        let [left, right] = [(standing(region), 0x101), (lying(region), 0b11)].map(|(rooms, domino)| {
            let option = |room: usize| self.of(region & !(domino << room));
            members(rooms).map(option).collect::<Option<Vec<_>>>()
        });
        let value = self.forms.of(left?, right?)?;
        self.regions.insert(region, value);
        Some(value)
    }
}
