//! Numbers positions densely: the shared parts that games build their ranking from.
//!
//! Everything here is table-driven and works on sets of up to 64 cells, given as bits. Sets of one size are numbered
//! in colex order (by the combinatorial number system). Several kinds of pieces are numbered by one set after another
//! within the cells still free, which is the "combinatorially optimal hash" of GamesmanOne for any number of kinds.
//! Two kinds up to the symmetries of a board are numbered by [`FoldedPair`].

mod folded;

pub use folded::FoldedPair;
pub(crate) use folded::Orbits;

/// `CHOOSE[n][k]`: the number of sets of `k` out of `n`.
pub static CHOOSE: [[u64; 65]; 65] = {
    let mut c = [[0u64; 65]; 65];
    let mut n = 0;
    while n <= 64 {
        c[n][0] = 1;
        let mut k = 1;
        while k <= n {
            c[n][k] = c[n - 1][k - 1] + c[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    c
};

/// `COLEX[b][c][v]`: what the byte `v` at place `b` adds to a set's number when the
/// bytes below it hold `c` elements.
static COLEX: [[[u64; 256]; 57]; 8] = {
    let mut table = [[[0u64; 256]; 57]; 8];
    let mut b = 0;
    while b < 8 {
        let mut c = 0;
        while c <= 8 * b {
            let mut v = 1;
            while v < 256 {
                // The highest element comes last, after all the others of this byte.
                let top = 7 - (v as u8).leading_zeros() as usize;
                let others = v ^ (1 << top);
                let before = c + (others as u8).count_ones() as usize;
                table[b][c][v] = table[b][c][others] + CHOOSE[8 * b + top][before + 1];
                v += 1;
            }
            c += 1;
        }
        b += 1;
    }
    table
};

/// Two tables by mask and byte: the bits of the byte under the mask, moved together; and the low bits of the byte,
/// moved to the places of the mask.
static MASKED: [[[u8; 256]; 256]; 2] = {
    let [mut packed, mut spread] = [[[0u8; 256]; 256]; 2];
    let mut mask = 1;
    while mask < 256 {
        let low = mask & (!mask + 1);
        let mut v = 0;
        while v < 256 {
            packed[mask][v] = packed[mask ^ low][v] << 1 | (v & low != 0) as u8;
            spread[mask][v] = spread[mask ^ low][v >> 1] | if v & 1 != 0 { low as u8 } else { 0 };
            v += 1;
        }
        mask += 1;
    }
    [packed, spread]
};

/// The number of a set among the sets of its size, in colex order.
#[inline]
pub fn rank_set(set: u64) -> u64 {
    rank_bytes::<8>(set)
}

/// The [`rank_set`] of sets within the first `8 * BYTES` cells. The number of bytes is a constant because a loop that
/// ends early costs more in mispredicted branches than it saves.
#[inline]
fn rank_bytes<const BYTES: usize>(set: u64) -> u64 {
    let (mut rank, mut count) = (0, 0);
    for (b, table) in COLEX[..BYTES].iter().enumerate() {
        let byte = (set >> (8 * b)) as u8;
        rank += table[count][byte as usize];
        count += byte.count_ones() as usize;
    }
    rank
}

/// The set of `k` elements with a number, which must be less than `CHOOSE[64][k]`.
pub fn unrank_set(mut rank: u64, k: usize) -> u64 {
    let (mut set, mut bit) = (0, 64);
    for k in (1..=k).rev() {
        loop {
            bit -= 1;
            if CHOOSE[bit][k] <= rank {
                break;
            }
        }
        rank -= CHOOSE[bit][k];
        set |= 1 << bit;
    }
    set
}

/// The set after another one in colex order, among sets of its size; after the last set, any set.
#[inline]
pub fn next_set(set: u64) -> u64 {
    let low = set & set.wrapping_neg();
    let carried = set.wrapping_add(low);
    carried | ((set ^ carried) >> 2).checked_shr(low.trailing_zeros()).unwrap_or(0)
}

/// The bits of `set` under `mask`, moved together.
#[inline]
pub fn compress(set: u64, mask: u64) -> u64 {
    compress_bytes::<8>(set, mask)
}

/// The [`compress`] of sets within the first `8 * BYTES` cells.
#[inline]
fn compress_bytes<const BYTES: usize>(set: u64, mask: u64) -> u64 {
    let (mut out, mut at) = (0, 0);
    for b in 0..BYTES {
        let (set, mask) = ((set >> (8 * b)) as u8, (mask >> (8 * b)) as u8);
        // Before the last byte at most 56 bits are in place.
        out |= u64::from(MASKED[0][mask as usize][set as usize]) << (at & 63);
        at += mask.count_ones();
    }
    out
}

/// Inverse of [`compress`]: the low bits of `packed` moved to the places of `mask`.
#[inline]
pub fn expand(packed: u64, mask: u64) -> u64 {
    let (mut out, mut at, mut packed, mut mask) = (0, 0, packed, mask);
    while mask != 0 && packed != 0 {
        out |= u64::from(MASKED[1][mask as u8 as usize][packed as u8 as usize]) << at;
        packed >>= (mask as u8).count_ones();
        mask >>= 8;
        at += 8;
    }
    out
}

/// Every cell of a board of `n`.
pub fn all_cells(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// The members of a set, in order.
#[inline]
pub fn members(set: u64) -> impl Iterator<Item = usize> + Clone {
    let mut rest = set;
    std::iter::from_fn(move || {
        let next = (rest != 0).then(|| rest.trailing_zeros() as usize);
        rest &= rest.wrapping_sub(1);
        next
    })
}

/// The set with these members.
pub fn set_of(members: impl IntoIterator<Item = usize>) -> u64 {
    members.into_iter().fold(0, |set, member| set | 1 << member)
}

/// A numbering of tuples of digits, each digit with its own base. The last digit runs fastest.
#[derive(Clone, Debug)]
pub struct Radix(Vec<u64>);

impl Radix {
    /// Makes digits with these bases; `None` when the numbers do not fit 64 bits.
    pub fn new(bases: &[u64]) -> Option<Radix> {
        bases.iter().try_fold(1u64, |product, base| product.checked_mul(*base))?;
        Some(Radix(bases.to_vec()))
    }

    /// The number of tuples.
    pub fn size(&self) -> u64 {
        self.0.iter().product()
    }

    /// The number of these digits.
    #[inline]
    pub fn rank(&self, digits: &[u64]) -> u64 {
        self.0.iter().zip(digits).fold(0, |number, (base, digit)| number * base + digit)
    }

    /// The digits of a number.
    #[inline]
    pub fn unrank(&self, mut number: u64, digits: &mut [u64]) {
        for (base, digit) in self.0.iter().zip(digits).rev() {
            (*digit, number) = (number % base, number / base);
        }
    }
}

/// A numbering of arrangements of pieces on `cells` cells, with a given number of pieces of each kind.
#[derive(Clone, Debug)]
pub struct Pieces {
    cells: usize,
    counts: Vec<usize>,
    radix: Radix,
}

impl Pieces {
    /// Arrangements of `counts` pieces of each kind; `None` when the pieces do not fit the board or the numbers do
    /// not fit 64 bits.
    pub fn new(cells: usize, counts: &[usize]) -> Option<Pieces> {
        let mut free = cells;
        let mut bases = vec![];
        for count in counts {
            bases.push(*CHOOSE.get(free)?.get(*count)?);
            free = free.checked_sub(*count)?;
        }
        Some(Pieces { cells, counts: counts.to_vec(), radix: Radix::new(&bases)? })
    }

    /// The number of arrangements.
    pub fn size(&self) -> u64 {
        self.radix.size()
    }

    /// The number of an arrangement: one set a kind, disjoint, of the right sizes.
    #[inline]
    pub fn rank(&self, sets: &[u64]) -> u64 {
        let mut free = all_cells(self.cells);
        let mut number = 0;
        for (set, base) in sets.iter().zip(&self.radix.0) {
            number = number * base + rank_set(compress(*set, free));
            free &= !set;
        }
        number
    }

    /// The arrangement of a number.
    pub fn unrank(&self, number: u64, sets: &mut [u64]) {
        self.radix.unrank(number, sets);
        let mut free = all_cells(self.cells);
        for (set, count) in sets.iter_mut().zip(&self.counts) {
            *set = expand(unrank_set(*set, *count), free);
            free &= !*set;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn sets_are_numbered_in_order() {
        for (n, row) in CHOOSE.iter().enumerate().take(13) {
            for (k, count) in row.iter().enumerate().take(n + 1) {
                let mut set = all_cells(k);
                for i in 0..*count {
                    assert_eq!((rank_set(set), unrank_set(i, k)), (i, set), "{k} of {n}");
                    set = next_set(set);
                }
            }
        }
        for set in [u64::MAX, 1 << 63, 0xf0f0_1234_8000_0001, u64::MAX << 32] {
            assert_eq!(unrank_set(rank_set(set), set.count_ones() as usize), set);
        }
    }

    #[test]
    fn compress_and_expand_are_inverse() {
        let mut x = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..2000 {
            let (set, mask) = (x, x.rotate_left(23).wrapping_mul(x));
            let slow = (0..64).filter(|b| mask >> b & 1 != 0).enumerate();
            let slow: u64 = slow.map(|(at, b)| (set >> b & 1) << at).sum();
            assert_eq!(compress(set, mask), slow);
            assert_eq!(expand(slow, mask), set & mask);
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(99);
        }
    }

    #[test]
    fn pieces_of_any_number_of_kinds_are_dense() {
        for counts in [&[][..], &[3], &[2, 2], &[1, 2, 1], &[0, 3, 0, 2], &[7]] {
            let pieces = Pieces::new(7, counts).expect("fits");
            let mut seen = HashSet::new();
            for i in 0..pieces.size() {
                let mut sets = vec![0; counts.len()];
                pieces.unrank(i, &mut sets);
                assert_eq!(pieces.rank(&sets), i);
                assert!(sets.iter().zip(counts).all(|(s, k)| s.count_ones() as usize == *k));
                let union = sets.iter().fold(0, |a, s| a | s);
                assert_eq!(union.count_ones() as usize, counts.iter().sum::<usize>(), "disjoint");
                seen.insert(sets);
            }
            assert_eq!(seen.len() as u64, pieces.size());
        }
        assert!(Pieces::new(7, &[4, 4]).is_none());
        assert!(Pieces::new(65, &[1]).is_none());
        assert!(Pieces::new(64, &[16, 16, 16]).is_none(), "numbers beyond 64 bits");
    }

    #[test]
    fn mixed_radix_round_trips() {
        let radix = Radix::new(&[3, 1, 5]).expect("small");
        for i in 0..radix.size() {
            let mut digits = [0; 3];
            radix.unrank(i, &mut digits);
            assert_eq!(radix.rank(&digits), i);
        }
        assert!(Radix::new(&[u64::MAX, 2]).is_none());
    }
}
