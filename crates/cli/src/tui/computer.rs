//! Chooses the moves of the computer: the best move, or a random one, as often as its strength says.

use zermelo_core::{GOLDEN, MoveReport, Unit, mix};

use super::words::preference;

/// A small generator of random numbers. A seed repeats a game.
#[derive(Clone, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// Returns a random number below `n`, which is not 0.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.roll()) * n as u128) >> 64) as usize
    }

    /// Returns true with probability `p`: never for 0, always for 1.
    fn chance(&mut self, p: f32) -> bool {
        ((self.roll() >> 11) as f64 / (1u64 << 53) as f64) < f64::from(p)
    }
}

/// Returns the number of the move that the computer makes; `None` when there are no moves.
pub(crate) fn choose(moves: &[MoveReport], unit: Unit, strength: f32, dice: &mut Dice) -> Option<usize> {
    let worth = |m: &MoveReport| preference(m.worth, unit);
    let best = moves.iter().map(worth).min()?;
    let perfect = dice.chance(strength);
    let fair = (0..moves.len()).filter(|i| !perfect || worth(&moves[*i]) == best);
    let fair: Vec<usize> = fair.collect();
    Some(fair[dice.below(fair.len())])
}
