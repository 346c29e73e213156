//! Five in a row, for all turns of the boards of one block.
//!
//! All but four of the 32 lines lie in two quadrants, and those in three. So what a line says
//! depends on two quadrants (and the middle cell of a third), and is worked out once for each two
//! patterns of a block, not for each of its boards.

use zermelo_core::sections::SIDE;
use zermelo_core::sections::quadrants::{LINES, turn};

use super::turns::Table;

/// The quadrants of the lines in two of them.
const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
/// The ends of the lines in three quadrants, and the quadrant of the middle cell.
const LONG: [(usize, usize, usize); 4] = [(0, 3, 1), (0, 3, 2), (1, 2, 0), (1, 2, 3)];

/// For each turn of a quadrant, a bit for each line: whether a side has all cells of the line's
/// part in that quadrant.
type Lines = [u32; 4];

/// What one pattern of a quadrant holds of the lines, for the player to move and the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Holds {
    /// The player to move has all cells.
    own: Lines,
    /// The player to move has all cells but one, which is empty.
    near: Lines,
    /// The other has all cells.
    other: Lines,
}

impl Holds {
    /// Of nine cells of a quadrant, by side.
    pub(super) fn new(quadrant: usize, own: u64, other: u64) -> Holds {
        let at = 16 * quadrant;
        let mut holds = Holds::default();
        for quarters in 0..4 {
            let turned = |cells: u64| turn(cells << at, quadrant, quarters);
            let (own, other) = (turned(own), turned(other));
            for (n, line) in LINES.iter().enumerate() {
                let part = line & (0x1ff << at);
                let lacks = part & !own;
                holds.own[quarters] |= u32::from(lacks == 0) << n;
                holds.near[quarters] |= u32::from(lacks.count_ones() == 1 && lacks & other == 0) << n;
                holds.other[quarters] |= u32::from(part & !other == 0) << n;
            }
        }
        holds
    }
}

/// Which lines lie where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pairs: [u32; 6],
    long: [u32; 4],
}

impl Layout {
    pub(super) fn new() -> Layout {
        let among = |quadrants: &[usize]| {
            let touches = |line: u64, q: usize| line & (0x1ff << (16 * q)) != 0;
            let fits = |line: u64| (0..4).all(|q| touches(line, q) == quadrants.contains(&q));
            let lines = LINES.iter().enumerate();
            lines.filter(|(_, line)| fits(**line)).fold(0, |set, (n, _)| set | 1 << n)
        };
        let long = |(a, b, middle): (usize, usize, usize)| {
            // Of the lines in these three, the one with a single cell in the middle.
            let one = |n: &u32| (LINES[*n as usize] >> (16 * middle) & 0x1ff).count_ones() == 1;
            let all = among(&[a, b, middle]);
            (0..32).filter(|n| all >> n & 1 != 0).filter(one).fold(0, |set, n| set | 1 << n)
        };
        Layout { pairs: PAIRS.map(|(a, b)| among(&[a, b])), long: LONG.map(long) }
    }
}

/// Turns in which the player to move has five, in which a stone makes five, and in which the
/// other has five.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fives {
    pub(super) own: Table,
    pub(super) near: Table,
    pub(super) other: Table,
}

impl Fives {
    /// Turns in which somebody has five.
    pub(super) fn over(&self) -> Table {
        [0, 1, 2, 3].map(|w| self.own[w] | self.other[w])
    }
}

/// What the patterns of one block hold together.
pub(super) struct BlockFives {
    /// By pair of quadrants and the two patterns.
    pairs: Vec<Fives>,
    /// For the ends of the long lines, by long line and the patterns of the two quadrants at its ends.
    ends: Vec<Fives>,
    /// By long line and the pattern in the middle.
    middles: Vec<Fives>,
}

impl BlockFives {
    /// Of a block's patterns, by quadrant.
    pub(super) fn new(layout: &Layout, holds: [&[Holds]; 4]) -> BlockFives {
        let mut fives = BlockFives {
            pairs: vec![Fives::default(); 6 * SIDE * SIDE],
            ends: vec![Fives::default(); 4 * SIDE * SIDE],
            middles: vec![Fives::default(); 4 * SIDE],
        };
        for (n, (a, b)) in PAIRS.into_iter().enumerate() {
            let table = &mut fives.pairs[n * SIDE * SIDE..];
            fill((a, b), layout.pairs[n], holds, table);
        }
        for (n, (a, b, middle)) in LONG.into_iter().enumerate() {
            fill((a, b), layout.long[n], holds, &mut fives.ends[n * SIDE * SIDE..]);
            for (i, hold) in holds[middle].iter().enumerate() {
                let on = |lines: Lines| {
                    let turns = |r: usize| u64::from(lines[r] & layout.long[n] != 0) << r;
                    one_axis(middle, turns(0) | turns(1) | turns(2) | turns(3))
                };
                fives.middles[n * SIDE + i] =
                    Fives { own: on(hold.own), near: on(hold.near), other: on(hold.other) };
            }
        }
        fives
    }

    /// Of one board of the block.
    #[inline(always)]
    pub(super) fn of(&self, i: [usize; 4]) -> Fives {
        let mut all = Fives::default();
        for (n, (a, b)) in PAIRS.into_iter().enumerate() {
            let pair = &self.pairs[n * SIDE * SIDE + (i[a] & 7) * SIDE + (i[b] & 7)];
            for w in 0..4 {
                all.own[w] |= pair.own[w];
                all.near[w] |= pair.near[w];
                all.other[w] |= pair.other[w];
            }
        }
        for (n, (a, b, middle)) in LONG.into_iter().enumerate() {
            let ends = &self.ends[n * SIDE * SIDE + (i[a] & 7) * SIDE + (i[b] & 7)];
            let middle = &self.middles[n * SIDE + (i[middle] & 7)];
            for w in 0..4 {
                all.own[w] |= ends.own[w] & middle.own[w];
                all.near[w] |= ends.near[w] & middle.own[w] | ends.own[w] & middle.near[w];
                all.other[w] |= ends.other[w] & middle.other[w];
            }
        }
        all
    }
}

/// What lines in two quadrants say, for each two patterns.
fn fill((a, b): (usize, usize), lines: u32, holds: [&[Holds]; 4], out: &mut [Fives]) {
    for (i, first) in holds[a].iter().enumerate() {
        for (j, second) in holds[b].iter().enumerate() {
            let (mut own, mut near, mut other) = (0, 0, 0);
            for n in 0..16 {
                let (r, s) = (n & 3, n >> 2);
                let nearly = first.near[r] & second.own[s] | first.own[r] & second.near[s];
                own |= u64::from(first.own[r] & second.own[s] & lines != 0) << n;
                near |= u64::from(nearly & lines != 0) << n;
                other |= u64::from(first.other[r] & second.other[s] & lines != 0) << n;
            }
            let spread = |turns: u64| two_axes((a, b), turns);
            out[i * SIDE + j] = Fives { own: spread(own), near: spread(near), other: spread(other) };
        }
    }
}

/// Each bit of a nibble as a nibble of its own.
const fn nibbles(bits: u64) -> u64 {
    (bits & 1 | (bits & 2) << 3 | (bits & 4) << 6 | (bits & 8) << 9) * 0xf
}

/// Each bit of a nibble as 16 bits.
const fn lanes(bits: u64) -> u64 {
    (bits & 1 | (bits & 2) << 15 | (bits & 4) << 30 | (bits & 8) << 45) * 0xffff
}

const IN_LANES: u64 = 0x0001_0001_0001_0001;
const IN_NIBBLES: u64 = 0x1111_1111_1111_1111;

/// The table of something that depends on the turn of one quadrant.
fn one_axis(axis: usize, turns: u64) -> Table {
    match axis {
        0 => [turns * IN_NIBBLES; 4],
        1 => [nibbles(turns) * IN_LANES; 4],
        2 => [lanes(turns); 4],
        _ => [0, 1, 2, 3].map(|w| if turns >> w & 1 != 0 { u64::MAX } else { 0 }),
    }
}

/// The table of something that depends on the turns of two quadrants: bit `r + 4 s` of `turns` is for the first turned
/// by `r` and the second by `s`.
fn two_axes((first, second): (usize, usize), turns: u64) -> Table {
    let part = |s: usize| turns >> (4 * s) & 0xf;
    match second {
        1 => [turns * IN_LANES; 4],
        2 if first == 0 => {
            let lane = |s: usize| (part(s) * 0x1111) << (16 * s);
            [lane(0) | lane(1) | lane(2) | lane(3); 4]
        }
        2 => {
            let lane = |s: usize| nibbles(part(s)) << (16 * s);
            [lane(0) | lane(1) | lane(2) | lane(3); 4]
        }
        _ => [0, 1, 2, 3].map(|s| one_axis(first, part(s))[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::sections::quadrants::ALL;

    fn has_five(side: u64) -> bool {
        LINES.iter().any(|line| side & line == *line)
    }

    /// One board after the other.
    fn plainly(own: u64, other: u64) -> Fives {
        let mut fives = Fives::default();
        for r in 0..256usize {
            let turned = |side: u64| (0..4).fold(side, |side, q| turn(side, q, r >> (2 * q) & 3));
            let (own, other) = (turned(own), turned(other));
            let mut cells = (0..64).map(|n| 1 << n).filter(|bit| ALL & !(own | other) & bit != 0);
            let set = |table: &mut Table, is: bool| table[r / 64] |= u64::from(is) << (r % 64);
            set(&mut fives.own, has_five(own));
            set(&mut fives.near, cells.any(|bit| has_five(own | bit)));
            set(&mut fives.other, has_five(other));
        }
        fives
    }

    #[test]
    fn blocks_agree_with_single_boards() {
        let mut dice = 1u64;
        let mut cells = |often: u64| {
            let mut set = 0;
            for _ in 0..often {
                dice = dice.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                set |= dice >> 40 & 0x1ff;
            }
            set
        };
        for _ in 0..30 {
            let patterns: [Vec<(u64, u64)>; 4] = std::array::from_fn(|_| {
                let pattern = |_| {
                    let own = cells(2);
                    (own, cells(2) & !own)
                };
                (0..8).map(pattern).collect()
            });
            let holds: [Vec<Holds>; 4] = std::array::from_fn(|q| {
                patterns[q].iter().map(|(own, other)| Holds::new(q, *own, *other)).collect()
            });
            let block = BlockFives::new(&Layout::new(), [&holds[0], &holds[1], &holds[2], &holds[3]]);
            for n in (0..4096).step_by(13) {
                let i = [n & 7, n >> 3 & 7, n >> 6 & 7, n >> 9];
                let side = |which: fn(&(u64, u64)) -> u64| {
                    (0..4).map(|q| which(&patterns[q][i[q]]) << (16 * q)).sum()
                };
                let plain = plainly(side(|p| p.0), side(|p| p.1));
                let mut found = block.of(i);
                // A side that has five needs no stone to make it; the plain routine says both.
                for w in 0..4 {
                    found.near[w] |= found.own[w];
                }
                let mut plain_near = plain;
                for w in 0..4 {
                    plain_near.near[w] |= plain.own[w];
                }
                assert_eq!(found, plain_near);
            }
        }
    }
}
