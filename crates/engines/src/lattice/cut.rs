//! How a board is cut: prefix, middle and inner files.
//!
//! The contents of the prefix files name a tier, those of the middle files a shard of the
//! tier, and the inner files are a shard's lists. Prefix and middle are the outer files.

use zermelo_core::{File, Layout, Tier};

use super::contents::Contents;
use super::ends::Ends;
use super::shelf::Shelf;
use super::wins::MOST_LINES;

/// The most files a board may be cut into.
pub(crate) const MOST_FILES: usize = 16;

/// What stands on each file, by the places of contents.
pub(crate) type Files = [u16; MOST_FILES];

/// A board and its cuts.
pub(crate) struct Cut {
    pub(crate) layout: Layout,
    pub(crate) files: Vec<Contents>,
    /// Files that name a tier.
    pub(crate) prefix: usize,
    /// Prefix and middle files.
    pub(crate) outer: usize,
    pub(crate) ends: Ends,
}

/// Inner lists should have about this many combinations together: enough to fill words, few
/// enough that a shard's lists stay in the first cache.
const INNER: usize = 2500;
/// Combinations that inner lists may have.
const MOST_INNER: usize = 1 << 24;
/// Bytes that a tier should stay below, where that does not make too many tiers.
const TIER_BYTES: f64 = 64e6;
const MOST_TIERS: f64 = 131_072.0;
/// Bytes that no tier may exceed: places of lists are 32 bits.
const MOST_TIER_BYTES: f64 = 16e9;
/// Bytes that the numbering of the database may take.
const MOST_SHELF_BYTES: u64 = 256 << 20;
/// Cells of a file, for which all contents are kept in memory: any order, and stacked.
const MOST_CELLS: [u32; 2] = [8, 15];

impl Cut {
    /// Cuts a board; `None` when it is beyond this engine.
    pub(crate) fn new(mut layout: Layout) -> Option<Cut> {
        if layout.files.len() < 2 {
            // A file without cells, so that there is an outer one.
            layout.files.insert(0, File { shift: 0, cells: 0 });
            layout.mirror = false;
        }
        let most_cells = MOST_CELLS[usize::from(layout.stacked)];
        if layout.files.len() > MOST_FILES
            || layout.files.iter().any(|f| f.cells > most_cells)
            || layout.lines.iter().any(|l| l.len() > MOST_LINES)
        {
            return None;
        }
        let ends = Ends::new(&layout);
        let files: Vec<_> = layout.files.iter().map(|f| Contents::new(&layout, *f)).collect();
        let (prefix, outer) = cuts(&files, ends.planes)?;
        let small = files.iter().all(|f| f.len() <= usize::from(u16::MAX));
        let small = small && Shelf::bytes(&files, prefix) <= MOST_SHELF_BYTES;
        small.then_some(Cut { layout, files, prefix, outer, ends })
    }

    /// Bytes that the tables of all kernels and numberings take, about.
    pub(crate) fn table_bytes(&self) -> u64 {
        let inner: u64 = self.files[self.outer..].iter().map(|f| f.len() as u64).product();
        let patterns = 2 * self.layout.lines.iter().map(|l| l.len() as u64).sum::<u64>();
        // An entry's place, its place in the level and in the order of the database; a bit in each
        // pattern; and its part in the steps of moves.
        inner * (24 + patterns / 8) + Shelf::bytes(&self.files, self.prefix)
    }

    /// The tier of what stands on the prefix files.
    pub(crate) fn tier(&self, contents: &[u16]) -> Tier {
        let files = self.files[..self.prefix].iter().zip(contents);
        Tier(files.fold(0, |n, (file, content)| n * file.len() as u64 + u64::from(*content)))
    }

    /// What stands on the prefix files; `None` for a number that is no tier.
    pub(crate) fn prefix_of(&self, tier: Tier) -> Option<Files> {
        let (mut rest, mut contents) = (tier.0, [0; MOST_FILES]);
        for f in (0..self.prefix).rev() {
            contents[f] = (rest % self.files[f].len() as u64) as u16;
            rest /= self.files[f].len() as u64;
        }
        (rest == 0).then_some(contents)
    }

    /// The tiers that moves on the prefix files lead to, with the colour of the stone.
    pub(crate) fn below(&self, tier: Tier) -> Vec<(usize, Tier)> {
        self.neighbours(tier, |f, content, c| {
            let nexts = &self.files[f].all[content].next[c];
            nexts.iter().map(|(_, to)| *to).collect()
        })
    }

    /// The tiers that moves lead here from, with the colour of the stone.
    pub(crate) fn above(&self, tier: Tier) -> Vec<(usize, Tier)> {
        self.neighbours(tier, |f, content, c| self.files[f].all[content].from[c].clone())
    }

    /// For each player to move, whether tiers above look at this one's positions: a stone of the
    /// first player led here from positions with that player to move, which look at those with
    /// the second to move; and the other way round.
    pub(crate) fn looked_at(&self, tier: Tier) -> [bool; 2] {
        let above = self.above(tier);
        [0, 1].map(|turn| above.iter().any(|(c, _)| 1 - c == turn))
    }

    fn neighbours(&self, tier: Tier, of: impl Fn(usize, usize, usize) -> Vec<u32>) -> Vec<(usize, Tier)> {
        let Some(here) = self.prefix_of(tier) else { return vec![] };
        let mut found = vec![];
        for f in 0..self.prefix {
            for c in 0..2 {
                for to in of(f, here[f].into(), c) {
                    let mut contents = here;
                    contents[f] = to as u16;
                    found.push((c, self.tier(&contents)));
                }
            }
        }
        found
    }
}

/// How many prefix files, and how many outer files.
fn cuts(files: &[Contents], planes: usize) -> Option<(usize, usize)> {
    let mut outer = files.len() - 1;
    let mut inner = files[outer].len();
    while inner < INNER && outer > 1 {
        outer -= 1;
        inner = inner.checked_mul(files[outer].len())?;
    }
    if inner > MOST_INNER {
        return None;
    }
    // Both lists of a shard have about as many bits as the inner files have combinations for
    // each of some 12 balances.
    let list_bytes = (inner as f64 / 6.0 + 128.0) * planes as f64 / 8.0;
    let many = |files: &[Contents]| files.iter().map(|f| f.len() as f64).product::<f64>();
    let mut prefix = 1;
    while prefix < outer
        && many(&files[prefix..outer]) * list_bytes > TIER_BYTES
        && many(&files[..prefix + 1]) <= MOST_TIERS
    {
        prefix += 1;
    }
    let fits = many(&files[prefix..outer]) * list_bytes <= MOST_TIER_BYTES;
    fits.then_some((prefix, outer))
}
