//! XiangqiMen, and the numbers of each kind that a side has.

use super::squares::{NOWHERE, Set, squares};

/// The kinds of men, the king first, pawns last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    King,
    Advisor,
    Bishop,
    Knight,
    Cannon,
    Rook,
    Pawn,
}

/// The number of kinds.
const KINDS: usize = 7;

impl Kind {
    pub(super) const ALL: [Kind; KINDS] =
        [Kind::King, Kind::Advisor, Kind::Bishop, Kind::Knight, Kind::Cannon, Kind::Rook, Kind::Pawn];

    /// The letter of a red man.
    pub(super) fn letter(self) -> char {
        char::from(b"KABNCRP"[self as usize])
    }

    pub(super) fn of_letter(letter: char) -> Option<Kind> {
        // Elephant and horse are common names, too.
        let letter = match letter.to_ascii_uppercase() {
            'E' => 'B',
            'H' => 'N',
            letter => letter,
        };
        Kind::ALL.into_iter().find(|kind| kind.letter() == letter)
    }

    pub(super) fn name(self) -> &'static str {
        ["king", "advisor", "bishop", "knight", "cannon", "rook", "pawn"][self as usize]
    }

    /// The number of men of a kind that a side begins with.
    pub(super) fn most(self) -> usize {
        [1, 2, 2, 2, 2, 2, 5][self as usize]
    }
}

/// The number of men of each kind: four bits a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Counts(u32);

impl Counts {
    #[inline]
    pub(super) fn get(self, kind: Kind) -> usize {
        (self.0 >> (4 * kind as u32) & 15) as usize
    }

    #[inline]
    pub(super) fn with(self, kind: Kind) -> Counts {
        Counts(self.0 + (1 << (4 * kind as u32)))
    }

    #[inline]
    pub(super) fn without(self, kind: Kind) -> Counts {
        Counts(self.0 - (1 << (4 * kind as u32)))
    }

    /// The number of men of all kinds together.
    #[inline]
    pub(super) fn men(self) -> usize {
        let pairs = (self.0 & 0x0f0f_0f0f) + (self.0 >> 4 & 0x0f0f_0f0f);
        (pairs.wrapping_mul(0x0101_0101) >> 24) as usize
    }

    /// The kinds in order, each as often as there are men of it.
    pub(super) fn kinds(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().flat_map(move |kind| std::iter::repeat_n(kind, self.get(kind)))
    }

    /// Whether a side with `more` may lose some men and be left with these.
    pub(super) fn within(self, more: Counts) -> bool {
        Kind::ALL.into_iter().all(|kind| self.get(kind) <= more.get(kind))
    }
}

/// The most men a side can have.
pub(super) const MEN: usize = 16;

/// The men of one side, as that side numbers the board: by kind, and by square within a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Army {
    pub(super) counts: Counts,
    /// The squares of the men; [`NOWHERE`] past the last man.
    pub(super) at: [u8; MEN],
}

impl Army {
    pub(super) const NONE: Army = Army { counts: Counts(0), at: [NOWHERE; MEN] };

    /// Makes an army from squares that are in order of kinds, and sorts the squares within each kind.
    #[inline]
    pub(super) fn sorted(counts: Counts, mut at: [u8; MEN]) -> Army {
        let mut first = 0;
        for kind in Kind::ALL {
            let many = counts.get(kind);
            if many > 1 {
                at[first..first + many].sort_unstable();
            }
            first += many;
        }
        Army { counts, at }
    }

    /// The army with one more man.
    pub(super) fn add(self, kind: Kind, square: u8) -> Army {
        let first: usize = Kind::ALL[..kind as usize].iter().map(|k| self.counts.get(*k)).sum();
        let mut at = self.at;
        at[first..].rotate_right(1);
        at[first] = square;
        Army::sorted(self.counts.with(kind), at)
    }

    /// The squares of the men, in order.
    #[inline]
    pub(super) fn men(&self) -> &[u8] {
        &self.at[..self.counts.men()]
    }

    /// The squares of the pawns.
    #[inline]
    pub(super) fn pawns(&self) -> &[u8] {
        let men = self.counts.men();
        &self.at[men - self.counts.get(Kind::Pawn)..men]
    }

    /// The men kind by kind, each with its square.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Kind, u8)> {
        self.counts.kinds().zip(self.at)
    }

    /// The mirror image.
    pub(super) fn mirrored(&self) -> Army {
        let mut at = self.at;
        at[..self.counts.men()].iter_mut().for_each(|s| *s = super::squares::mirrored(*s));
        Army::sorted(self.counts, at)
    }
}

/// The squares where men of a kind may stand, as their side numbers the board.
pub(super) fn homes(kind: Kind) -> Set {
    use super::squares::{ADVISORS, BISHOPS, PALACE, SQUARES};
    match kind {
        Kind::King => PALACE,
        Kind::Advisor => ADVISORS,
        Kind::Bishop => BISHOPS,
        // Before the river pawns stay on the files they begin on.
        Kind::Pawn => (0b1_0101_0101 << 27) | (0b1_0101_0101 << 36) | (((1 << 45) - 1) << 45),
        _ => (1 << SQUARES) - 1,
    }
}

/// The squares where men of a kind may stand, as a list.
pub(super) fn home_squares(kind: Kind) -> Vec<u8> {
    squares(homes(kind)).collect()
}
