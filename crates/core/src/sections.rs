//! Numbers boards of four quadrants that turn (Pentago) by sections and patterns, for the game and for the published
//! files alike.
//!
//! A board is a `u64` with 16 bits for each quadrant: 0 lower left, 1 upper left, 2 lower right, 3 upper right. A
//! quadrant is a number of nine digits to base 3. The digit of column `x` and row `y` (up) has the weight 3^(3x + y);
//! 0 is an empty spot, 1 a black stone, 2 a white one.
//!
//! A section is all boards with given numbers of black and white stones in each quadrant. Turning or reflecting the
//! whole board moves sections into each other, and only the standard one of up to eight is in the files. Inside a
//! section each quadrant runs over its patterns, the quadrants that no quarter turn makes smaller. All 256 ways to
//! turn the four quadrants of such a board share one entry.

mod grid;
pub mod quadrants;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::OnceLock;

use crate::rank::{CHOOSE, set_of};

pub use grid::BlockGrid;

/// The number of different quadrants, 3^9.
pub const QUADRANTS: usize = 19_683;
/// The number of transforms of the whole board: four turns, each with or without a reflection.
pub const TRANSFORMS: u8 = 8;
/// The number of spots on the board, the most stones there can be.
pub const SPOTS: u32 = 36;

/// The number of patterns along each side of a block, but for the last one.
pub const SIDE: usize = 8;
/// The number of ways to turn the four quadrants.
pub const TURNS: u64 = 256;

/// `SOURCES[turns][q]` is the quadrant that comes to place `q` when the board is turned to the left.
const SOURCES: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 3, 0, 2], [3, 2, 1, 0], [2, 0, 3, 1]];

/// The numbers of black and white stones in each quadrant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Section {
    counts: [[u8; 2]; 4],
}

impl Section {
    /// The section with these numbers of (black, white) stones; `None` if a quadrant has more than nine stones or
    /// the players did not take turns.
    pub fn new(counts: [[u8; 2]; 4]) -> Option<Section> {
        let fits = counts.iter().all(|&[b, w]| b <= 9 && w <= 9 && b + w <= 9);
        let sum = |side: usize| counts.iter().map(|c| u32::from(c[side])).sum::<u32>();
        (fits && (sum(0) == sum(1) || sum(0) == sum(1) + 1)).then_some(Section { counts })
    }

    /// The section with a signature, if there is one.
    pub fn from_sig(sig: u64) -> Option<Section> {
        let byte = sig.to_le_bytes();
        Section::new(std::array::from_fn(|q| [byte[2 * q], byte[2 * q + 1]]))
    }

    /// The section of a board; `None` if the number is no board, or the players did not take turns on it.
    pub fn of(board: u64) -> Option<Section> {
        let tables = tables();
        let mut counts = [[0; 2]; 4];
        for (count, quadrant) in counts.iter_mut().zip(split(board)) {
            *count = *tables.counts.get(quadrant as usize)?;
        }
        Section::new(counts)
    }

    /// The numbers of (black, white) stones.
    pub fn counts(self) -> [[u8; 2]; 4] {
        self.counts
    }

    /// The signature: the counts as the bytes of a number, black of quadrant 0 lowest. Sections are ordered by their
    /// signatures.
    pub fn sig(self) -> u64 {
        let flat: [u8; 8] = std::array::from_fn(|i| self.counts[i / 2][i % 2]);
        u64::from_le_bytes(flat)
    }

    /// The number of stones.
    pub fn stones(self) -> u32 {
        self.counts.iter().flatten().map(|&n| u32::from(n)).sum()
    }

    /// The sections that placing a stone leads to, each with the quadrant that the stone is put in.
    pub fn children(self) -> impl Iterator<Item = (usize, Section)> {
        let colour = (self.stones() % 2) as usize;
        (0..4).filter_map(move |q| {
            let mut counts = self.counts;
            counts[q][colour] += 1;
            Some((q, Section::new(counts)?))
        })
    }

    /// The section that the boards of this one are in after a transform, with transforms numbered as in
    /// [`transform`].
    pub fn transform(self, transform: u8) -> Section {
        Section { counts: moved(self.counts, transform) }
    }

    /// The standard section, the one with the least signature, and the first transform that leads there.
    pub fn standard(self) -> (Section, u8) {
        let images = (0..TRANSFORMS).map(|g| (self.transform(g), g));
        images.min().unwrap_or((self, 0))
    }

    /// Whether this is the section that stands for its images.
    pub fn is_standard(self) -> bool {
        self.standard().0 == self
    }

    /// The number of different sections that the transforms lead to.
    pub fn images(self) -> usize {
        let mut images: Vec<Section> = (0..TRANSFORMS).map(|g| self.transform(g)).collect();
        images.sort_unstable();
        images.dedup();
        images.len()
    }

    /// The patterns of each quadrant.
    pub fn patterns(self) -> [&'static [u16]; 4] {
        self.counts.map(|[black, white]| patterns(black, white))
    }

    /// The number of patterns of each quadrant.
    pub fn shape(self) -> [usize; 4] {
        self.patterns().map(<[u16]>::len)
    }

    /// The blocks that the section is cut into.
    pub fn grid(self) -> BlockGrid {
        let shape = self.shape();
        BlockGrid { shape, blocks: shape.map(|n| n.div_ceil(SIDE)) }
    }

    /// The number of entries, each of which stands for 256 ways to turn the quadrants of a board.
    pub fn entries(self) -> u64 {
        self.shape().iter().map(|&n| n as u64).product()
    }

    /// The number of boards up to the transforms that lead from the section into itself.
    pub fn distinct_boards(self) -> u64 {
        let same: Vec<u8> = (0..TRANSFORMS).filter(|g| self.transform(*g) == self).collect();
        // Each set of images is counted as often as there are transforms (Burnside's lemma).
        same.iter().map(|g| self.fixed_boards(*g)).sum::<u64>() / same.len() as u64
    }

    /// The number of boards that a transform from the section into itself leaves as they are.
    fn fixed_boards(self, g: u8) -> u64 {
        let mut seen = [false; 4];
        let mut boards = 1;
        for q in 0..4 {
            if std::mem::replace(&mut seen[q], true) {
                continue;
            }
            // One quadrant decides on those that it is moved to, until the cycle comes back to it.
            let (mut steps, mut at) = (1, moved([0, 1, 2, 3], g)[q]);
            while at != q {
                seen[at] = true;
                (steps, at) = (steps + 1, moved([0, 1, 2, 3], g)[at]);
            }
            boards *= quadrants_fixed(self.counts[q], g, steps);
        }
        boards
    }

    /// The number of boards, symmetric ones counted one by one.
    pub fn boards(self) -> u64 {
        self.counts
            .map(|counts| counts.map(usize::from))
            .map(|[b, w]| CHOOSE[9][b] * CHOOSE[9 - b][w])
            .iter()
            .product()
    }
}

impl PartialOrd for Section {
    fn partial_cmp(&self, other: &Section) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Section {
    fn cmp(&self, other: &Section) -> std::cmp::Ordering {
        self.sig().cmp(&other.sig())
    }
}

/// Writes the number of stones, a hyphen and the eight counts, such as `4-11110000`.
impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-", self.stones())?;
        self.counts.iter().flatten().try_for_each(|n| write!(f, "{n}"))
    }
}

/// The place of a board's value in the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardPlace {
    /// The standard section.
    pub section: Section,
    /// The number of the pattern of each quadrant.
    pub index: [usize; 4],
    /// The bit of the tables: two bits for each quadrant, its quarter turns to the left from the pattern.
    pub turns: u8,
}

impl BoardPlace {
    /// Finds a board; `None` if the number is no board, or the players did not take turns on it.
    pub fn of(board: u64) -> Option<BoardPlace> {
        let (section, g) = Section::of(board)?.standard();
        BoardPlace::of_standard(section, transform(board, g)?)
    }

    /// Finds a board of a standard section; `None` if the number is no board.
    pub fn of_standard(section: Section, board: u64) -> Option<BoardPlace> {
        let tables = tables();
        let mut spot = BoardPlace { section, index: [0; 4], turns: 0 };
        for (q, quadrant) in split(board).into_iter().enumerate() {
            let (index, turns) = *tables.places.get(quadrant as usize)?;
            spot.index[q] = index.into();
            spot.turns |= turns << (2 * q);
        }
        Some(spot)
    }
}

/// The patterns with these numbers of stones, in the order of the files. First come the patterns that a reflection
/// changes, each beside its mirror image, then the patterns that it does not change. Empty for more than nine stones.
pub fn patterns(black: u8, white: u8) -> &'static [u16] {
    if black > 9 || white > 9 {
        return &[];
    }
    &tables().patterns[usize::from(black) * 10 + usize::from(white)]
}

/// A quadrant after quarter turns to the left; `None` if the number is no quadrant.
pub fn turn_quadrant(quadrant: u16, turns: u8) -> Option<u16> {
    let left = &tables().left;
    let start = ((quadrant as usize) < QUADRANTS).then_some(quadrant)?;
    Some((0..turns & 3).fold(start, |q, _| left[q as usize]))
}

/// A quadrant reflected as by [`transform`]; `None` if the number is no quadrant.
pub fn reflected(quadrant: u16) -> Option<u16> {
    tables().mirror.get(quadrant as usize).copied()
}

/// The number of a quadrant's pattern, and the quarter turns to the left that lead from the pattern to it.
pub fn pattern_of(quadrant: u16) -> Option<(usize, u8)> {
    tables().places.get(quadrant as usize).map(|(pattern, turns)| ((*pattern).into(), *turns))
}

/// The number of quarter turns, of the four, that leave a quadrant as it is: 1, 2 or 4. `None` if the number is no
/// quadrant.
pub fn fixed_turns(quadrant: u16) -> Option<u32> {
    let same = |turns: &u8| turn_quadrant(quadrant, *turns) == Some(quadrant);
    turn_quadrant(quadrant, 0)?;
    Some((0..4).filter(same).count() as u32)
}

/// A board after one of the eight transforms of the whole board: `transform & 3` quarter turns to the left, then, for
/// 4 and up, the reflection that exchanges quadrants 0 and 3. `None` if the number is no board.
pub fn transform(board: u64, transform: u8) -> Option<u64> {
    let tables = tables();
    let mut quadrants = moved(split(board), transform);
    for quadrant in &mut quadrants {
        *quadrant = turn_quadrant(*quadrant, transform)?;
        if transform & 4 != 0 {
            *quadrant = tables.mirror[*quadrant as usize];
        }
    }
    Some(join(quadrants))
}

/// The quadrants of a board.
pub fn split(board: u64) -> [u16; 4] {
    std::array::from_fn(|q| (board >> (16 * q)) as u16)
}

/// The board with these quadrants.
pub fn join(quadrants: [u16; 4]) -> u64 {
    quadrants.iter().rev().fold(0, |board, &q| board << 16 | u64::from(q))
}

/// The quadrants that come to each place in a transform.
pub fn quadrants_moved(transform: u8) -> [usize; 4] {
    moved([0, 1, 2, 3], transform)
}

/// Moves items that belong to the four quadrants as a transform moves the quadrants.
fn moved<T: Copy>(of: [T; 4], transform: u8) -> [T; 4] {
    let mut to = SOURCES[usize::from(transform & 3)].map(|source| of[source]);
    if transform & 4 != 0 {
        to.swap(0, 3);
    }
    to
}

/// The number of quadrants with these stones that are as before after a transform of the board is done `times` times.
fn quadrants_fixed(counts: [u8; 2], g: u8, times: u32) -> u64 {
    let tables = tables();
    let once = |q: u16| {
        let turned = (0..g & 3).fold(q, |q, _| tables.left[q as usize]);
        if g & 4 != 0 { tables.mirror[turned as usize] } else { turned }
    };
    let all = (0..QUADRANTS as u16).filter(|q| tables.counts[*q as usize] == counts);
    all.filter(|q| (0..times).fold(*q, |q, _| once(q)) == *q).count() as u64
}

/// Tables over all quadrants.
struct Tables {
    /// By quadrant: the quadrant after a quarter turn to the left.
    left: Vec<u16>,
    /// By quadrant: the quadrant after a reflection about the diagonal from the upper left to the lower right.
    mirror: Vec<u16>,
    /// By quadrant: the numbers of black and white stones.
    counts: Vec<[u8; 2]>,
    /// The patterns with given numbers of stones, at 10 black + white.
    patterns: Vec<Vec<u16>>,
    /// By quadrant: the number of its pattern, and the number of turns from the pattern to the quadrant.
    places: Vec<(u16, u8)>,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(Tables::new)
}

impl Tables {
    fn new() -> Tables {
        let all = || 0..QUADRANTS as u16;
        let left: Vec<u16> = all().map(|q| rearranged(q, |x, y| (2 - y, x))).collect();
        let mirror: Vec<u16> = all().map(|q| rearranged(q, |x, y| (2 - y, 2 - x))).collect();
        let stones = |q| sides(q).map_or([0; 2], |sides| sides.map(|side| side.count_ones() as u8));
        let counts: Vec<[u8; 2]> = all().map(stones).collect();
        let mut tables = Tables { left, mirror, counts, patterns: Vec::new(), places: Vec::new() };
        tables.patterns = tables.sorted_patterns();
        tables.places = tables.find_places();
        tables
    }

    fn turned(&self, quadrant: u16) -> [u16; 4] {
        let mut turned = [quadrant; 4];
        for i in 1..4 {
            turned[i] = self.left[turned[i - 1] as usize];
        }
        turned
    }

    fn least(&self, quadrant: u16) -> u16 {
        self.turned(quadrant).into_iter().fold(quadrant, u16::min)
    }

    fn sorted_patterns(&self) -> Vec<Vec<u16>> {
        let mut all: Vec<u16> = (0..QUADRANTS as u16).filter(|&q| self.least(q) == q).collect();
        // Mirror images differ in the last part only, so they become neighbours; a block has an even number of
        // patterns on each side, so they also share a block.
        all.sort_by_key(|&q| {
            let image = self.least(self.mirror[q as usize]);
            (image == q, image.min(q), q)
        });
        let mut sorted = vec![Vec::new(); 100];
        for q in all {
            let [black, white] = self.counts[q as usize];
            sorted[usize::from(black) * 10 + usize::from(white)].push(q);
        }
        sorted
    }

    fn find_places(&self) -> Vec<(u16, u8)> {
        let mut places = vec![(0, 0); QUADRANTS];
        for patterns in &self.patterns {
            for (&pattern, index) in patterns.iter().zip(0..) {
                // Backwards, so that a symmetric quadrant gets its fewest turns.
                for (turns, turned) in self.turned(pattern).into_iter().enumerate().rev() {
                    places[turned as usize] = (index, turns as u8);
                }
            }
        }
        places
    }
}

/// The quadrant with the stone of each spot moved.
fn rearranged(quadrant: u16, to: impl Fn(usize, usize) -> (usize, usize)) -> u16 {
    let mut digits = [0; 9];
    for (i, digit) in digits_of(quadrant).into_iter().enumerate() {
        let (x, y) = to(i / 3, i % 3);
        digits[3 * x + y] = digit;
    }
    digits.iter().rev().fold(0, |number, digit| 3 * number + digit)
}

fn digits_of(quadrant: u16) -> [u16; 9] {
    let mut rest = quadrant;
    std::array::from_fn(|_| {
        let digit = rest % 3;
        rest /= 3;
        digit
    })
}

/// The cells of black and of white in a quadrant, as sets of nine; `None` if the number is no quadrant.
pub fn sides(quadrant: u16) -> Option<[u64; 2]> {
    let digits = ((quadrant as usize) < QUADRANTS).then(|| digits_of(quadrant))?;
    Some([1, 2].map(|colour| set_of((0..9).filter(|cell| digits[*cell] == colour))))
}
