//! Whole rotation tables: one bit for each of the 256 ways to turn the four quadrants of a board.
//!
//! Bit `r0 + 4 r1 + 16 r2 + 64 r3` is for quadrant q turned left by `rq` quarters, as in the
//! published files. The quadrants are the axes of the table: moving a stone's quadrant to its
//! normal form turns one axis, turning or reflecting the whole board exchanges and flips them.

/// One bit a turn.
pub(super) type Table = [u64; 4];

/// Both tables of a board, one after the other: what they say depends on where they are.
pub(super) type Pair = [u64; 8];

/// For every turn: whether one of the eight quarter turns from there leads to a set bit.
#[inline(always)]
pub(super) fn reach(t: Table) -> Table {
    let (even, odd) = (t[0] | t[2], t[1] | t[3]);
    [near(t[0]) | odd, near(t[1]) | even, near(t[2]) | odd, near(t[3]) | even]
}

/// For every turn, within one word of a table: whether a quarter turn of one of the first three quadrants leads from
/// there to a set bit. Both neighbours of a turn have the other parity, so the two turns of one parity have the same
/// neighbours.
#[inline(always)]
fn near(x: u64) -> u64 {
    let bits = (x | x >> 2) & 0x3333_3333_3333_3333;
    let bits = bits >> 1 & 0x1111_1111_1111_1111 | bits << 1 & 0x2222_2222_2222_2222;
    let nibbles = (x | x >> 8) & 0x00ff_00ff_00ff_00ff;
    let nibbles = nibbles >> 4 & 0x000f_000f_000f_000f | nibbles << 4 & 0x00f0_00f0_00f0_00f0;
    let words = (x | x.rotate_left(32)).rotate_left(16);
    bits | bits << 2 | nibbles | nibbles << 8 | words
}

/// Turned along an axis: bit `r` of the result is the bit of the turn with `by` quarters more.
#[inline(always)]
pub(super) fn turned<const WORDS: usize>(t: [u64; WORDS], axis: usize, by: usize) -> [u64; WORDS] {
    const NIBBLES: [u64; 4] = [u64::MAX, 0x7777_7777_7777_7777, 0x3333_3333_3333_3333, 0x1111_1111_1111_1111];
    const LANES: [u64; 4] = [u64::MAX, 0x0fff_0fff_0fff_0fff, 0x00ff_00ff_00ff_00ff, 0x000f_000f_000f_000f];
    let mut out = [0; WORDS];
    let by = by & 3;
    match axis {
        0 => {
            for w in 0..WORDS {
                out[w] = t[w] >> by & NIBBLES[by] | t[w] << (4 - by) & !NIBBLES[by];
            }
        }
        1 => {
            for w in 0..WORDS {
                out[w] = t[w] >> (4 * by) & LANES[by] | t[w] << (16 - 4 * by) & !LANES[by];
            }
        }
        2 => {
            for w in 0..WORDS {
                out[w] = t[w].rotate_right(16 * by as u32);
            }
        }
        _ => {
            for w in 0..WORDS {
                out[w] = t[w & !3 | (w + by) & 3];
            }
        }
    }
    out
}

/// Turned along every axis.
#[inline(always)]
pub(super) fn turned_by(t: Pair, by: [u8; 4]) -> Pair {
    let mut t = t;
    for (axis, by) in by.iter().enumerate() {
        if *by & 3 != 0 {
            t = turned(t, axis, usize::from(*by));
        }
    }
    t
}

/// With two axes exchanged.
#[inline(always)]
fn exchanged(t: Pair, a: usize, b: usize) -> Pair {
    let mut t = t;
    match (a.min(b), a.max(b)) {
        (0, 1) => swap_inside(&mut t, (3, 0x0a0a_0a0a_0a0a_0a0a), (6, 0x00cc_00cc_00cc_00cc)),
        (0, 2) => swap_inside(&mut t, (15, 0x0000_aaaa_0000_aaaa), (30, 0x0000_0000_cccc_cccc)),
        (1, 2) => swap_inside(&mut t, (12, 0x0000_f0f0_0000_f0f0), (24, 0x0000_0000_ff00_ff00)),
        (0, 3) => swap_words(&mut t, (1, 0x5555_5555_5555_5555), (2, 0x3333_3333_3333_3333)),
        (1, 3) => swap_words(&mut t, (4, 0x0f0f_0f0f_0f0f_0f0f), (8, 0x00ff_00ff_00ff_00ff)),
        (2, 3) => swap_words(&mut t, (16, 0x0000_ffff_0000_ffff), (32, 0x0000_0000_ffff_ffff)),
        _ => {}
    }
    t
}

/// Exchanges bits of each word in two steps: those of the mask with those so far above.
#[inline(always)]
fn swap_inside(t: &mut Pair, first: (u32, u64), second: (u32, u64)) {
    for (far, mask) in [first, second] {
        for word in t.iter_mut() {
            let differ = (*word >> far ^ *word) & mask;
            *word ^= differ ^ differ << far;
        }
    }
}

/// Exchanges bits between words in two steps: those of the mask in one with those so far above in
/// the other.
#[inline(always)]
fn swap_words(t: &mut Pair, first: (u32, u64), second: (u32, u64)) {
    for (low, high, (far, mask)) in [
        (0, 1, first),
        (2, 3, first),
        (4, 5, first),
        (6, 7, first),
        (0, 2, second),
        (1, 3, second),
        (4, 6, second),
        (5, 7, second),
    ] {
        let differ = (t[low] >> far ^ t[high]) & mask;
        t[high] ^= differ;
        t[low] ^= differ << far;
    }
}

/// With every axis flipped: turns to the left become turns to the right.
#[inline(always)]
fn flipped(t: Pair) -> Pair {
    let mut t = t;
    for (far, mask) in [(2, 0x2222_2222_2222_2222), (8, 0x00f0_00f0_00f0_00f0), (32, 0x0000_0000_ffff_0000)] {
        for word in &mut t {
            let differ = (*word >> far ^ *word) & mask;
            *word ^= differ ^ differ << far;
        }
    }
    t.swap(1, 3);
    t.swap(5, 7);
    t
}

/// How the tables of a board follow from those of its image under one of the eight transforms of
/// the whole board (see `zermelo_core::sections`), turns of single quadrants apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Axes to be exchanged, one pair after another.
    exchanges: [(u8, u8); 3],
    flip: bool,
}

impl View {
    /// By the quadrants that come to each place, and whether the board is reflected.
    pub(super) fn new(sources: [usize; 4], reflected: bool) -> View {
        // The image's axis q is the board's axis `sources[q]`: bring each there.
        let mut at = [0, 1, 2, 3];
        let mut exchanges = [(0, 0); 3];
        for (q, exchange) in exchanges.iter_mut().enumerate() {
            let from = at.iter().position(|a| sources[*a] == q).unwrap_or(q);
            at.swap(q, from);
            *exchange = (q as u8, from as u8);
        }
        View { exchanges, flip: reflected }
    }

    /// The tables as seen from the board.
    #[inline(always)]
    pub(super) fn of(&self, t: Pair) -> Pair {
        let mut t = t;
        for (a, b) in self.exchanges {
            if a != b {
                t = exchanged(t, usize::from(a), usize::from(b));
            }
        }
        if self.flip { flipped(t) } else { t }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::sections::{TRANSFORMS, join, quadrants_moved, split, transform, turn_quadrant};

    fn random(dice: &mut u64) -> u64 {
        *dice = dice.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        dice.rotate_left(31).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn bit(t: &[u64], r: usize) -> bool {
        t[r / 64] >> (r % 64) & 1 != 0
    }

    fn turn(r: usize) -> [usize; 4] {
        [r & 3, r >> 2 & 3, r >> 4 & 3, r >> 6]
    }

    fn number(turn: [usize; 4]) -> usize {
        (0..4).map(|q| (turn[q] & 3) << (2 * q)).sum()
    }

    #[test]
    fn reach_is_the_eight_quarter_turns() {
        let mut dice = 1;
        for _ in 0..200 {
            let t: Table = std::array::from_fn(|_| random(&mut dice) & random(&mut dice) & random(&mut dice));
            let found = reach(t);
            for r in 0..256 {
                let any = (0..8).any(|n| {
                    let mut there = turn(r);
                    there[n / 2] += 1 + n % 2 * 2;
                    bit(&t, number(there))
                });
                assert_eq!(bit(&found, r), any);
            }
        }
    }

    #[test]
    fn an_axis_turns() {
        let mut dice = 2;
        for _ in 0..20 {
            let t: Pair = std::array::from_fn(|_| random(&mut dice));
            for (axis, by) in (0..16).map(|n| (n / 4, n % 4)) {
                let found = turned(t, axis, by);
                for r in 0..256 {
                    let mut there = turn(r);
                    there[axis] += by;
                    assert_eq!(bit(&found[..4], r), bit(&t[..4], number(there)));
                    assert_eq!(bit(&found[4..], r), bit(&t[4..], number(there)));
                }
            }
        }
    }

    /// Something about a board that is the same for its images: a sum over the images of a hash.
    fn mark(board: u64) -> bool {
        let images = (0..TRANSFORMS).filter_map(|g| transform(board, g));
        images.fold(0u64, |sum, image| {
            sum.wrapping_add((image ^ image >> 17).wrapping_mul(0x2545_f491_4f6c_dd1d))
        }) >> 40
            & 1
            != 0
    }

    fn turned_board(board: u64, turns: [usize; 4]) -> u64 {
        let mut quadrants = split(board);
        for q in 0..4 {
            quadrants[q] = turn_quadrant(quadrants[q], turns[q] as u8).expect("a quadrant");
        }
        join(quadrants)
    }

    fn marks(board: u64) -> Table {
        let mut t = [0; 4];
        for r in 0..256 {
            t[r / 64] |= u64::from(mark(turned_board(board, turn(r)))) << (r % 64);
        }
        t
    }

    /// One board after the other, for all of the 2,048 symmetries: four quadrants turned, then the
    /// whole board.
    #[test]
    fn tables_of_an_image_tell_those_of_the_board() {
        let mut dice = 3;
        for _ in 0..3 {
            let board = join(std::array::from_fn(|_| (random(&mut dice) % 19_683) as u16));
            let here = marks(board);
            for (g, l) in (0..TRANSFORMS).flat_map(|g| (0..256).map(move |l| (g, turn(l)))) {
                let image = transform(turned_board(board, l), g).expect("a board");
                let (there, view) = (marks(image), View::new(quadrants_moved(g), g & 4 != 0));
                let seen = view
                    .of([there[0], there[1], there[2], there[3], !there[0], !there[1], !there[2], !there[3]]);
                // The board is the image's with the quadrants turned back.
                let back = l.map(|by| (4 - by as u8) & 3);
                let found = turned_by(seen, back);
                assert_eq!(found[..4], here, "{g} {l:?}");
                assert_eq!(found[4..], here.map(|word| !word));
            }
        }
    }
}
