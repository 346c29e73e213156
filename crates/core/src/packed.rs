//! Packs positions into 128 bits.

use crate::Turn;

/// A position that fits in 128 bits, the form in which it is stored where its game is not known.
pub trait Packed: Copy {
    /// The position as bits.
    fn pack(self) -> [u64; 2];

    /// Inverse of [`pack`](Packed::pack).
    fn unpack(packed: [u64; 2]) -> Self;
}

/// The cells of the player to move, and those of the other player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    /// The cells of the player to move.
    pub own: u64,
    /// The cells of the other player.
    pub other: u64,
}

impl Pair {
    /// No cells.
    pub const EMPTY: Pair = Pair { own: 0, other: 0 };

    /// The cells of both.
    #[inline]
    pub fn both(self) -> u64 {
        self.own | self.other
    }

    /// The number of cells that both have together.
    #[inline]
    pub fn count(self) -> u32 {
        self.both().count_ones()
    }

    /// The pair as the other player sees it.
    #[inline]
    pub fn swapped(self) -> Pair {
        Pair { own: self.other, other: self.own }
    }

    /// The number of cells by which the player to move leads.
    #[inline]
    pub fn lead(self) -> i32 {
        self.own.count_ones() as i32 - self.other.count_ones() as i32
    }

    /// The pair after the player to move took one more cell, seen by the other player.
    #[inline]
    pub fn put(self, cell: u8) -> Pair {
        Pair { own: self.other, other: self.own | 1 << cell }
    }

    /// The cells of the first player and of the second.
    #[inline]
    pub fn by_player(self, turn: Turn) -> [u64; 2] {
        if turn == Turn::First { [self.own, self.other] } else { [self.other, self.own] }
    }
}

impl Packed for Pair {
    #[inline]
    fn pack(self) -> [u64; 2] {
        [self.own, self.other]
    }

    #[inline]
    fn unpack([own, other]: [u64; 2]) -> Pair {
        Pair { own, other }
    }
}

impl Packed for [u64; 2] {
    #[inline]
    fn pack(self) -> [u64; 2] {
        self
    }

    #[inline]
    fn unpack(packed: [u64; 2]) -> [u64; 2] {
        packed
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Packed for $number {
            #[inline]
            fn pack(self) -> [u64; 2] {
                [self.into(), 0]
            }

            #[inline]
            fn unpack([number, _]: [u64; 2]) -> $number {
                number as $number
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64);

impl<const BYTES: usize> Packed for [u8; BYTES] {
    fn pack(self) -> [u64; 2] {
        const { assert!(BYTES <= 16, "128 bits are 16 bytes") };
        let bits = self.iter().rev().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
        [bits as u64, (bits >> 64) as u64]
    }

    fn unpack([low, high]: [u64; 2]) -> [u8; BYTES] {
        let bits = (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
        std::array::from_fn(|byte| bits[byte])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back<P: Packed + PartialEq>(p: P) -> bool {
        P::unpack(p.pack()) == p
    }

    #[test]
    fn unpacking_undoes_packing() {
        assert!(back(200u8) && back(60_000u16) && back(4_000_000_000u32) && back(u64::MAX));
        assert!(back([1u64, u64::MAX]) && back(Pair { own: 5, other: 2 }));
        assert!(
            back([7u8; 8]) && back(std::array::from_fn::<u8, 16, _>(|i| 255 - i as u8)) && back([1u8, 2, 3])
        );
        assert_eq!([1u8, 2, 3].pack(), [0x030201, 0]);
    }

    #[test]
    fn pairs_are_seen_by_the_player_to_move() {
        let p = Pair::EMPTY.put(3).put(0);
        assert_eq!(p, Pair { own: 0b1000, other: 0b1 });
        assert_eq!((p.both(), p.count(), p.lead(), p.put(5).lead()), (0b1001, 2, 0, -1));
        assert_eq!(p.swapped().swapped(), p);
        assert_eq!((p.by_player(Turn::First), p.by_player(Turn::Second)), ([0b1000, 0b1], [0b1, 0b1000]));
    }
}
