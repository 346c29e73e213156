//! Moves that put a man on a cell or take one from a cell to another.

use crate::Drawing;

/// The move of a man from a cell to another. A man is put on a cell if both cells are the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The cell that the man leaves.
    pub from: u8,
    /// The cell where the man stands in the end.
    pub to: u8,
}

impl Step {
    /// The move of a man from a cell to another.
    #[inline]
    pub fn new(from: usize, to: usize) -> Step {
        Step { from: from as u8, to: to as u8 }
    }

    /// Puts a man on a cell.
    #[inline]
    pub fn put(to: usize) -> Step {
        Step::new(to, to)
    }

    /// Whether the step puts a man.
    #[inline]
    pub fn is_put(self) -> bool {
        self.from == self.to
    }

    /// The men of a player after one of them was moved or put.
    #[inline]
    pub fn moved(self, men: u64) -> u64 {
        men & !(1 << self.from) | 1 << self.to
    }

    /// The step as text: `b2` puts a man, `b2-c3` moves one.
    pub fn show(self, name: impl Fn(usize) -> String) -> String {
        let [from, to] = [self.from, self.to].map(|cell| name(cell.into()));
        if self.is_put() { to } else { format!("{from}-{to}") }
    }

    /// The drawing of the step.
    pub fn draw(self) -> Drawing {
        match self.is_put() {
            true => Drawing::Cell(self.to.into()),
            false => Drawing::Arrow(self.from.into(), self.to.into()),
        }
    }
}
