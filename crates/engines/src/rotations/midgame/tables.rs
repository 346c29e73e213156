//! Rotation tables: what holds of a board in each of the 256 ways its quadrants can be turned.
//!
//! A turn of the board is four numbers mod 4, quarters to the left for each quadrant. A move
//! turns one quadrant by one quarter, so it changes the parity of their sum, and half of a table
//! is enough at each ply: those with an even sum, or those with an odd one. A half has 128 bits:
//! bit `j + 2 a + 8 b + 32 c` is for the turn (r, a, b, c) of quadrants 0 to 3, where r is 2 j
//! or 2 j + 1, whichever gives the parity.

/// Bits for the turns of one parity.
pub(super) type Half = [u64; 2];

/// The bit in its half, and the parity, of a turn.
pub(super) const fn place(turn: [u8; 4]) -> (usize, usize) {
    let [r, a, b, c] =
        [turn[0] as usize % 4, turn[1] as usize % 4, turn[2] as usize % 4, turn[3] as usize % 4];
    (r / 2 + 2 * a + 8 * b + 32 * c, (r + a + b + c) % 2)
}

/// Whether a half has the bit of a turn of its parity.
pub(super) fn has(half: Half, turn: [u8; 4]) -> bool {
    let (bit, _) = place(turn);
    half[bit / 64] >> (bit % 64) & 1 != 0
}

/// For every turn of the other parity: whether one of the eight quarter turns from there leads to
/// a set bit.
#[inline(always)]
pub(super) fn reach([low, high]: Half) -> Half {
    // The third quadrant's neighbours are the other words' halves, the same for both words.
    let third = (low | high).rotate_left(32);
    [near(low) | third, near(high) | third]
}

/// For every turn within one word: whether a quarter turn of one of the first three quadrants leads from there to a set
/// bit.
#[inline(always)]
fn near(x: u64) -> u64 {
    let pair = (x | x >> 1) & 0x5555_5555_5555_5555;
    let first = x << 2 & 0xfcfc_fcfc_fcfc_fcfc
        | x >> 6 & 0x0303_0303_0303_0303
        | x >> 2 & 0x3f3f_3f3f_3f3f_3f3f
        | x << 6 & 0xc0c0_c0c0_c0c0_c0c0;
    let second = x << 8 & 0xffff_ff00_ffff_ff00
        | x >> 24 & 0x0000_00ff_0000_00ff
        | x >> 8 & 0x00ff_ffff_00ff_ffff
        | x << 24 & 0xff00_0000_ff00_0000;
    pair | pair << 1 | first | second
}

/// By quadrant, quarters to the left and cells: the lines of five whose part in that quadrant is
/// full once it is turned.
pub(super) struct Parts(Vec<u32>);

impl Parts {
    /// From the lines, as sets of cells with 16 bits a quadrant, and how a quadrant is turned.
    pub(super) fn new(lines: &[u64; 32], turn: impl Fn(u64, usize, usize) -> u64) -> Parts {
        let full = |cells: u64, q: usize, line: u64| {
            let part = line >> (16 * q) & 0x1ff;
            cells & part == part
        };
        let mut parts = vec![0; 4 * 4 * 512];
        for (q, quarters, cells) in (0..4 * 4 * 512).map(|n| (n / 2048, n / 512 % 4, n % 512)) {
            let turned = turn((cells as u64) << (16 * q), q, quarters) >> (16 * q);
            let mask = (0..32).filter(|l| full(turned, q, lines[*l])).fold(0, |mask, l| mask | 1 << l);
            parts[q * 2048 + quarters * 512 + cells] = mask;
        }
        Parts(parts)
    }

    /// The turns in which a side has five in a row: those of even parity, and those of odd.
    pub(super) fn wins(&self, side: u64) -> [Half; 2] {
        let part = |q: usize, quarters: usize| {
            self.0[q * 2048 + quarters * 512 + (side >> (16 * q) & 0x1ff) as usize]
        };
        let parts: [[u32; 4]; 4] = [0, 1, 2, 3].map(|q| [0, 1, 2, 3].map(|quarters| part(q, quarters)));
        let mut halves = [[0u64; 2]; 2];
        for c in 0..4 {
            for b in 0..4 {
                let last = parts[2][b] & parts[3][c];
                for a in 0..4 {
                    let most = last & parts[1][a];
                    for (r, part) in parts[0].iter().enumerate() {
                        let (bit, parity) = place([r as u8, a as u8, b as u8, c as u8]);
                        halves[parity][bit / 64] |= u64::from(most & part != 0) << (bit % 64);
                    }
                }
            }
        }
        halves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_turns() -> impl Iterator<Item = [u8; 4]> {
        (0..256u32).map(|n| [n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6].map(|r| r as u8))
    }

    #[test]
    fn every_turn_has_a_place_of_its_own() {
        let mut seen = [[false; 128]; 2];
        for turn in all_turns() {
            let (bit, parity) = place(turn);
            assert!(!std::mem::replace(&mut seen[parity][bit], true));
        }
    }

    #[test]
    fn reach_is_the_eight_quarter_turns() {
        let mut dice = 1u64;
        for _ in 0..200 {
            let mut word = || {
                dice = dice.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                (dice ^ dice >> 29) & (dice >> 7 | 0x8000_0000_0000_0001)
            };
            let half = [word() & word() & word(), word() & word() & word()];
            let found = reach(half);
            for from in 0..2 {
                for turn in all_turns().filter(|turn| place(*turn).1 != from) {
                    let mut any = false;
                    for (q, by) in (0..8).map(|n| (n / 2, 1 + n as u8 % 2 * 2)) {
                        let mut there = turn;
                        there[q] += by;
                        any |= has(half, there);
                    }
                    assert_eq!(has(found, turn), any, "{turn:?}");
                }
            }
        }
    }
}
