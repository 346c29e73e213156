//! Bounds what a player has for sure, from the board cut into bands of two rows.
//!
//! **Claim.** To the player who lays standing dominoes the board is worth at least the sum of its bands. **Proof.**
//! This player may decide to lay none across the cuts. The other player's dominoes lie in one row each, so the cuts
//! take nothing from them, and what is left is the sum of the bands (Lachmann, Moore and Rapaport, "Who wins
//! Domineering on rectangular boards?", 2000). Bands are few, so their thermographs are all known.
//!
//! A thermograph gives, for each tax on a move, what a band is worth when the player moves first (the left wall) and
//! when they move second (the right wall). The thermograph begins at a tax of -1, where the walls show exactly who
//! wins (Siegel, "Combinatorial Game Theory", 2013, section II.5).
//!
//! Walls add up to bounds. With a tax `t`, the right wall of a sum is at least the sum of the right walls; the left
//! wall is at least this sum with one of the right walls replaced by the left wall. From `t` down to -1 a left wall
//! does not fall, and a right wall falls by `t + 1` at most.

use zermelo_core::rank::members;

/// One, in the units of taxes and worths while thermographs are built. Every level of play may halve, and a band has
/// at most 16 cells.
const FINE: i32 = 1 << 16;
/// One, in the units of the worths that are stored.
pub(super) const ONE: i16 = 512;
/// The taxes, in quarters.
const TAXES: [i32; LANES] = [-4, -2, 0, 1, 2, 3, 4, 5];
const LANES: usize = 8;

/// A worth for each tax.
type Worths = [i16; LANES];

/// The worths of all bands of a width to the player whose dominoes stand, rounded down.
pub(super) struct Bands {
    width: usize,
    /// By the free cells, the lower row above the upper: the worth when moving second, and when moving first.
    worths: Vec<[Worths; 2]>,
}

/// The least worth of a whole board to the player whose dominoes stand.
#[derive(Clone, Copy)]
pub(super) struct Sure {
    /// If they move first: with more than zero they win.
    pub(super) first: i16,
    /// If they move second: with zero or more they win.
    pub(super) second: i16,
}

impl Bands {
    /// All bands of up to `width` columns.
    pub(super) fn new(width: usize) -> Bands {
        let (mut walls, mut worths) = (Walls::default(), Vec::with_capacity(1 << (2 * width)));
        let mut scaffolds = [vec![], vec![]];
        for band in 0..1u64 << (2 * width) {
            let standing = band & band >> width;
            let lying = band & band >> 1 & !(1 << (width - 1));
            // The first player's walls after their moves, and the second player's after theirs.
            for (side, rooms, step) in [(0, standing, width), (1, lying, 1)] {
                let after = members(rooms).map(|at| walls.wall(band & !(1 << at | 1 << (at + step)), side));
                highest(after, &mut scaffolds[side]);
            }
            let [right, left] = walls.push(&scaffolds[0], &scaffolds[1]);
            worths.push([right, left]);
        }
        Bands { width, worths }
    }

    /// The least worth of regions together, eight cells to a row, each cut in its best way.
    #[inline]
    pub(super) fn sure(&self, regions: impl Iterator<Item = u64>) -> Sure {
        let all = regions.fold([[0; LANES]; 2], |all, region| join(&all, &self.region(region)));
        let [second, first] = all;
        let mut sure = Sure { first: i16::MIN, second: i16::MIN };
        for lane in 0..LANES {
            sure.first = sure.first.max(first[lane]);
            sure.second = sure.second.max(second[lane] - (TAXES[lane] as i16 + 4) * (ONE / 4));
        }
        sure
    }

    /// The best worth of all ways to cut a region into bands of one and two rows.
    #[inline]
    fn region(&self, region: u64) -> [Worths; 2] {
        let row = |r: usize| (region >> (8 * r) & 0xff) as usize;
        let top = region.trailing_zeros() as usize / 8;
        let (mut two_ago, mut ago) = ([[0i16; LANES]; 2], [[0i16; LANES]; 2]);
        for r in top..8 - region.leading_zeros() as usize / 8 {
            let mut now = join(&ago, &self.worths[row(r)]);
            if r > top {
                let two = join(&two_ago, &self.worths[row(r - 1) | row(r) << self.width]);
                for (now, two) in now.iter_mut().flatten().zip(two.iter().flatten()) {
                    *now = (*now).max(*two);
                }
            }
            (two_ago, ago) = (ago, now);
        }
        ago
    }
}

/// The worth of some bands and one more together, moving second and first.
#[inline]
fn join(sum: &[Worths; 2], band: &[Worths; 2]) -> [Worths; 2] {
    let ([second, first], [right, left]) = (sum, band);
    let mut both = [[0; LANES]; 2];
    for lane in 0..LANES {
        both[0][lane] = second[lane] + right[lane];
        both[1][lane] = (first[lane] + right[lane]).max(second[lane] + left[lane]);
    }
    both
}

/// A point where a line bends: tax and worth. A line begins at a tax of -1, rises with the tax or stays level, and
/// stays level for ever after the last bend.
type Bend = (i32, i32);

/// The thermographs of bands: for each the right wall, and the left wall seen by the other player, to whom a worth is
/// a cost. So both lines rise.
#[derive(Default)]
struct Walls {
    bends: Vec<Bend>,
    /// The places in `bends` where the two walls of each band begin and end.
    ends: Vec<[u32; 3]>,
}

impl Walls {
    fn wall(&self, band: u64, side: usize) -> &[Bend] {
        let ends = self.ends[band as usize];
        &self.bends[ends[side] as usize..ends[side + 1] as usize]
    }

    /// Adds the walls of the next band, from the best that each player's moves lead to. Returns the worths of the
    /// band.
    fn push(&mut self, mine: &[Bend], theirs: &[Bend]) -> [Worths; 2] {
        let begin = self.bends.len();
        let mut ends = [begin as u32; 3];
        let start = |line: &[Bend]| line.first().map_or(i32::MIN / 2, |bend| bend.1 + FINE);
        if start(mine) + start(theirs) <= 0 {
            // A whole number, the nearest to zero that neither player would move away from.
            let number = 0.clamp(start(mine), -start(theirs));
            self.bends.extend([(-FINE, number), (-FINE, -number)]);
            ends = [begin as u32, begin as u32 + 1, begin as u32 + 2];
        } else {
            let frozen = meeting(mine, theirs);
            for (side, line) in [(0, theirs), (1, mine)] {
                let kept = line.iter().copied().filter(|bend| bend.0 < frozen);
                let bends = kept.chain([(frozen, at(line, frozen).0)]);
                self.bends.extend(bends.map(|(tax, worth)| (tax, tax - worth)));
                ends[side + 1] = self.bends.len() as u32;
            }
        }
        self.ends.push(ends);
        let band = self.ends.len() as u64 - 1;
        let rounded = |worth: i32| worth.div_euclid(FINE / i32::from(ONE)) as i16;
        let worth = |side: usize, tax: i32| at(self.wall(band, side), tax * (FINE / 4)).0;
        [TAXES.map(|tax| rounded(worth(0, tax))), TAXES.map(|tax| rounded(-worth(1, tax)))]
    }
}

/// The worth of a line at a tax, and whether it rises from there.
fn at(line: &[Bend], tax: i32) -> (i32, bool) {
    let next = line.iter().position(|bend| bend.0 > tax).unwrap_or(line.len());
    let (from, worth) = line[next - 1];
    match line.get(next) {
        Some(&(_, then)) if then > worth => (worth + (tax - from), true),
        _ => (worth, false),
    }
}

/// The highest of some lines.
fn highest<'a>(lines: impl Iterator<Item = &'a [Bend]> + Clone, found: &mut Vec<Bend>) {
    found.clear();
    let mut taxes: Vec<i32> = lines.clone().flatten().map(|bend| bend.0).collect();
    taxes.sort_unstable();
    taxes.dedup();
    for (n, &tax) in taxes.iter().enumerate() {
        let mut best = [i32::MIN / 2; 2];
        for (worth, rises) in lines.clone().map(|line| at(line, tax)) {
            let kind = &mut best[usize::from(rises)];
            *kind = worth.max(*kind);
        }
        let [level, rising] = best;
        found.push((tax, level.max(rising)));
        // The rising lines may come up to the level ones before the next bend.
        let cross = tax + (level - rising).max(0);
        if cross > tax && taxes.get(n + 1).is_some_and(|next| cross < *next) {
            found.push((cross, level));
        }
    }
}

/// The first tax at which neither player would move: the sum of the two lines, less twice the tax, is zero.
fn meeting(mine: &[Bend], theirs: &[Bend]) -> i32 {
    let mut tax = -FINE;
    loop {
        let [(a, a_rises), (b, b_rises)] = [mine, theirs].map(|line| at(line, tax));
        let left = a + b - 2 * tax;
        let falls = 2 - i32::from(a_rises) - i32::from(b_rises);
        let next = mine.iter().chain(theirs).map(|bend| bend.0).filter(|next| *next > tax).min();
        match next {
            Some(next) if left > falls * (next - tax) => tax = next,
            _ => {
                debug_assert_eq!(left % falls, 0, "units are fine enough");
                return tax + left / falls;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the thermographs of ±1, {2|-1/2}, {1/2|-2} and whole numbers.
    #[test]
    fn thermographs_are_the_usual_ones() {
        let bands = Bands::new(3);
        let (one, half) = (ONE, ONE / 2);
        for (band, second, first) in [
            (0b000_000, [0; 3], [0; 3]),
            (0b001_001, [one; 3], [one; 3]),
            (0b000_111, [-one; 3], [-one; 3]),
            (0b011_011, [-one, -half, 0], [one, half, 0]),
            (0b111_111, [-half, 0, half], [2 * one, 3 * half, one]),
        ] {
            let [right, left] = bands.worths[band];
            assert_eq!([right[2], right[4], right[6]], second, "{band:b}, taxes 0, 1/2 and 1");
            assert_eq!([left[2], left[4], left[6]], first, "{band:b}, taxes 0, 1/2 and 1");
        }
    }

    /// A bent three is a star: either player's move makes it zero. Only a tax below zero distinguishes a star from
    /// zero.
    #[test]
    fn a_tax_below_zero_tells_a_star_from_nothing() {
        let bands = Bands::new(2);
        let [right, left] = bands.worths[0b01_11];
        assert_eq!((right[0], right[2], left[2], left[0]), (-ONE, 0, 0, ONE));
        let sure = bands.sure([0x01_03].into_iter());
        assert!(sure.first > 0 && sure.second < 0);
    }
}
