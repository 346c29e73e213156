//! Numbers a tier that holds positions either way round: the player to move has `own` pieces and the other player
//! `other`, or the reverse.
//!
//! A move that changes neither player's number of pieces swaps these two numbers, so both cases are one tier.

use std::ops::Range;
use std::sync::Arc;

use crate::grid::Symmetries;
use crate::rank::FoldedPair;

/// A numbering of positions in two halves: first those in which the player to move has a given number of pieces, then
/// the others.
#[derive(Debug)]
pub struct Halves {
    first: FoldedPair,
    second: Option<FoldedPair>,
    own: u32,
}

impl Halves {
    /// Makes the numbering of positions in which the player to move has `own` pieces and the other player `other`;
    /// with `either_way` also of the positions with the two numbers swapped.
    pub fn new(symmetries: &Arc<Symmetries>, own: usize, other: usize, either_way: bool) -> Halves {
        let half = |own, other| FoldedPair::new(symmetries, own, other);
        let second = (either_way && own != other).then(|| half(other, own));
        Halves { first: half(own, other), second, own: own as u32 }
    }

    /// The number of numbers that [`new`](Halves::new) with these arguments would give, holes included, without
    /// building any table.
    pub fn size_of(symmetries: &Symmetries, own: usize, other: usize, either_way: bool) -> u64 {
        let half = |own, other| FoldedPair::size_of(symmetries, own, other);
        let second = if either_way && own != other { half(other, own) } else { 0 };
        half(own, other).saturating_add(second)
    }

    /// The numbering of each half; the second only where there are two.
    pub(crate) fn pairs(&self) -> (&FoldedPair, Option<&FoldedPair>) {
        (&self.first, self.second.as_ref())
    }

    /// The number that the pieces of the player to move and of the other share with their images.
    #[inline]
    pub fn rank(&self, own: u64, other: u64) -> u64 {
        match &self.second {
            Some(second) if own.count_ones() != self.own => self.first.size() + second.rank(own, other),
            _ => self.first.rank(own, other),
        }
    }

    /// The [`rank`](Halves::rank) of these pieces, and the number of positions that share it.
    #[inline]
    pub fn rank_and_copies(&self, own: u64, other: u64) -> (u64, u64) {
        match &self.second {
            Some(second) if own.count_ones() != self.own => {
                let (number, copies) = second.rank_and_copies(own, other);
                (self.first.size() + number, copies)
            }
            _ => self.first.rank_and_copies(own, other),
        }
    }

    /// The canonical pieces of a number; `None` for a hole.
    #[inline]
    pub fn unrank(&self, i: u64) -> Option<(u64, u64)> {
        match i.checked_sub(self.first.size()) {
            None => self.first.unrank(i),
            Some(i) => self.second.as_ref()?.unrank(i),
        }
    }

    /// Visits the canonical pieces of a range of numbers, stepping from one to the next.
    #[inline]
    pub fn scan(&self, range: Range<u64>, mut visit: impl FnMut(u64, u64, u64)) {
        let half = self.first.size();
        if range.start < half {
            self.first.scan(range.start..range.end.min(half), &mut visit);
        }
        if let Some(second) = &self.second
            && range.end > half
        {
            let rest = range.start.saturating_sub(half)..range.end - half;
            second.scan(rest, |i, own, other| visit(half + i, own, other));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::rank::CHOOSE;

    #[test]
    fn either_way_round_every_position_has_a_number() {
        let symmetries = Arc::new(Grid::new(3, 3).symmetries());
        for (a, b) in [(2, 2), (3, 1), (0, 2), (2, 4)] {
            let halves = Halves::new(&symmetries, a, b, true);
            let size = Halves::size_of(&symmetries, a, b, true);
            assert_eq!(halves.first.size() + halves.second.as_ref().map_or(0, FoldedPair::size), size);
            let (mut covered, mut scanned) = (0, vec![]);
            halves.scan(0..size, |i, own, other| scanned.push((i, own, other)));
            for (i, own, other) in &scanned {
                assert_eq!(halves.rank_and_copies(*own, *other), (*i, symmetries.images(*own, *other)));
                assert_eq!((halves.rank(*own, *other), halves.unrank(*i)), (*i, Some((*own, *other))));
                covered += symmetries.images(*own, *other);
            }
            let ways = CHOOSE[9][a] * CHOOSE[9 - a][b];
            assert_eq!(covered, if a == b { ways } else { 2 * ways });
            let (middle, mut part) = (size / 3..size * 2 / 3, vec![]);
            halves.scan(middle.clone(), |i, own, other| part.push((i, own, other)));
            assert!(scanned.iter().filter(|(i, ..)| middle.contains(i)).eq(&part));
            let one = Halves::new(&symmetries, a, b, false);
            assert_eq!(one.first.size(), FoldedPair::size_of(&symmetries, a, b));
        }
    }
}
