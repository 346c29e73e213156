//! Moves that put a man on a cell or take one from a cell to another.

use crate::Drawing;

/// A man goes from a cell to another, or is put there if both are the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// Where it leaves.
    pub from: u8,
    /// Where it stands in the end.
    pub to: u8,
}

impl Step {
    /// From a cell to another.
    #[inline]
    pub fn new(from: usize, to: usize) -> Step {
        Step { from: from as u8, to: to as u8 }
    }

    /// Puts a man on a cell.
    #[inline]
    pub fn put(to: usize) -> Step {
        Step::new(to, to)
    }

    /// Whether it puts a man.
    #[inline]
    pub fn is_put(self) -> bool {
        self.from == self.to
    }

    /// The men that one of them is among after it was moved or put.
    #[inline]
    pub fn moved(self, men: u64) -> u64 {
        men & !(1 << self.from) | 1 << self.to
    }

    /// As text: `b2` puts a man, `b2-c3` moves one.
    pub fn show(self, name: impl Fn(usize) -> String) -> String {
        let [from, to] = [self.from, self.to].map(|cell| name(cell.into()));
        if self.is_put() { to } else { format!("{from}-{to}") }
    }

    /// How it is drawn.
    pub fn draw(self) -> Drawing {
        match self.is_put() {
            true => Drawing::Cell(self.to.into()),
            false => Drawing::Arrow(self.from.into(), self.to.into()),
        }
    }
}
