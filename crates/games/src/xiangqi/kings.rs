//! The pairs of kings that positions are numbered by: one of each two mirror images.

use super::men::{Kind, home_squares};
use super::squares::mirrored;

/// The number of pairs of kings that have a number.
pub(super) const KING_PAIRS: u64 = 45;

/// What stands for a pair of kings, each on its own board: the pair or its mirror image.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// The pair itself has a number.
    Kept,
    /// The mirror image of the pair has a number.
    Mirrored,
    /// The pair is its own mirror image: the other men decide.
    Both,
}

/// The pairs of kings that have numbers.
pub(super) struct Kings {
    pub(super) pairs: Vec<[u8; 2]>,
    /// By both squares: what stands for the pair, and the number of the pair that does.
    folds: Vec<(Fold, u8)>,
}

impl Kings {
    pub(super) fn new() -> Kings {
        let palace = home_squares(Kind::King);
        let fold = |one: u8, two: u8| match (one % 9, two % 9) {
            (4, 4) => Fold::Both,
            (3, _) | (4, 3) => Fold::Kept,
            _ => Fold::Mirrored,
        };
        let pairs = palace.iter().flat_map(|one| palace.iter().map(|two| [*one, *two]));
        let pairs: Vec<_> = pairs.filter(|[one, two]| fold(*one, *two) != Fold::Mirrored).collect();
        let mut folds = vec![(Fold::Kept, u8::MAX); 27 * 27];
        for (one, two) in palace.iter().flat_map(|one| palace.iter().map(move |two| (*one, *two))) {
            let fold = fold(one, two);
            let kept = if fold == Fold::Mirrored { [mirrored(one), mirrored(two)] } else { [one, two] };
            let number = pairs.iter().position(|pair| *pair == kept).unwrap_or(0) as u8;
            folds[Kings::at(one, two)] = (fold, number);
        }
        Kings { pairs, folds }
    }

    /// The place of a pair in the table. Kings stay on the first three rows, which have 27 squares.
    #[inline]
    fn at(one: u8, two: u8) -> usize {
        usize::from(one) * 27 + usize::from(two)
    }

    #[inline]
    pub(super) fn fold(&self, one: u8, two: u8) -> (Fold, u8) {
        self.folds[Kings::at(one, two)]
    }
}
