//! How a board is cut: prefix, middle and inner files.
//!
//! The contents of the prefix files name a tier, those of the middle files a shard of the
//! tier, and the inner files are a shard's lists. Prefix and middle are the outer files.

use std::collections::BTreeMap;

use zermelo_core::{BoardFiles, File, Tier};

use super::contents::Contents;
use super::ends::Ends;
use super::numbering::Numbering;
use super::wins::MOST_LINES;

/// The most files a board may be cut into.
pub(crate) const MOST_FILES: usize = 16;

/// What stands on each file, by the places of contents.
pub(crate) type Files = [u16; MOST_FILES];

/// A board and its cuts.
pub(crate) struct Cut {
    /// The board, with its files in the order of the cuts.
    pub(crate) layout: BoardFiles,
    /// Whether mirror images are folded: the first two files are then twins, so are the next within prefix, middle and
    /// inner files, or stand in the middle of the board, and a tier and its mirror image are one.
    pub(crate) folded: bool,
    pub(crate) files: Vec<Contents>,
    /// For each file the one that is in its place in the mirror image.
    pub(crate) twins: Vec<usize>,
    /// Files that name a tier.
    pub(crate) prefix: usize,
    /// Prefix and middle files.
    pub(crate) outer: usize,
    pub(crate) ends: Ends,
    /// The most stones of positions that a database keeps, where not all are kept.
    pub(crate) kept: Option<u32>,
}

/// A tier that one move leads to, or from.
pub(crate) struct Near {
    /// Whose stone it is.
    pub(crate) colour: usize,
    pub(crate) tier: Tier,
    /// Whether the tier has the mirror images of the positions meant.
    pub(crate) mirrored: bool,
}

/// Inner lists should have about this many combinations together: enough to fill words, few
/// enough that a shard's lists stay in the first cache.
const INNER: usize = 2500;
/// Inner lists that are so many times larger than [`INNER`] are worse than smaller ones, where there are none between.
const TOO_MANY: usize = 256;
/// Combinations that inner lists may have.
const MOST_INNER: usize = 1 << 24;
/// Bytes that a tier should stay below, where that does not make too many tiers.
const TIER_BYTES: f64 = 64e6;
const MOST_TIERS: f64 = 131_072.0;
/// Tiers there may be, where twins must name them.
const MOST_FOLDED: f64 = 524_288.0;
/// Bytes that no tier may exceed: places of lists are 32 bits.
const MOST_TIER_BYTES: f64 = 16e9;
/// Bytes that the numbering of the database may take.
const MOST_NUMBERING_BYTES: u64 = 256 << 20;
/// Numbers that a database keeps all of; with more, it leaves out what a search can tell.
const MOST_NUMBERS: f64 = 1e11;
/// Cells of a file, for which all contents are kept in memory: any order, and stacked.
const MOST_CELLS: [u32; 2] = [8, 15];

impl Cut {
    /// Cuts a board; `None` when it is beyond this engine. Positions with more than `late` stones need not be kept.
    pub(crate) fn new(mut layout: BoardFiles, late: Option<u32>) -> Option<Cut> {
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
        let mut all: Vec<_> = layout.files.iter().map(|f| Some(Contents::new(&layout, *f))).collect();
        let lens: Vec<usize> = all.iter().flatten().map(Contents::len).collect();
        let FileOrder { files: order, folded, twins, prefix, outer } =
            FileOrder::of(&lens, layout.mirror, ends.planes)?;
        let files: Vec<Contents> = order.iter().filter_map(|f| all[*f].take()).collect();
        layout.files = order.iter().map(|f| layout.files[*f]).collect();
        let small = files.iter().all(|f| f.len() <= usize::from(u16::MAX));
        let folds = if folded { 2.0 } else { 1.0 };
        let kept = late.filter(|_| numbers(&files) / folds > MOST_NUMBERS);
        let small = small && Numbering::bytes(&files, prefix, kept) <= MOST_NUMBERING_BYTES;
        small.then_some(Cut { layout, folded, files, twins, prefix, outer, ends, kept })
    }

    /// Bytes that the tables of all kernels and numberings take, about.
    pub(crate) fn table_bytes(&self) -> u64 {
        let inner: u64 = self.files[self.outer..].iter().map(|f| f.len() as u64).product();
        let patterns = 2 * self.layout.lines.iter().map(|l| l.len() as u64).sum::<u64>();
        // An entry's place, its place in the level and in the order of the database; a bit in each
        // pattern; and its part in the steps of moves.
        inner * (24 + patterns / 8) + Numbering::bytes(&self.files, self.prefix, self.kept)
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
        (rest == 0 && self.is_kept(&contents)).then_some(contents)
    }

    /// What stands on the prefix files in words, such as `file 1 xo----, file 7 x-----`, with files counted along the
    /// board and their cells in order; `None` for a number that is no tier.
    pub(crate) fn name(&self, tier: Tier) -> Option<String> {
        let contents = self.prefix_of(tier)?;
        let place =
            |file: &File| 1 + self.layout.files.iter().filter(|other| other.shift < file.shift).count();
        let mut files: Vec<(usize, String)> = (0..self.prefix)
            .map(|f| {
                let (file, stones) =
                    (&self.layout.files[f], self.files[f].all[usize::from(contents[f])].stones);
                let cells =
                    (file.shift..file.shift + file.cells).map(|cell| match stones.map(|s| s >> cell & 1) {
                        [1, _] => 'x',
                        [_, 1] => 'o',
                        _ => '-',
                    });
                (place(file), cells.collect())
            })
            .collect();
        files.sort_unstable();
        Some(files.into_iter().map(|(n, cells)| format!("file {n} {cells}")).collect::<Vec<_>>().join(", "))
    }

    /// Whether files are in the tiers as they are; otherwise their mirror image is.
    pub(crate) fn is_kept(&self, contents: &Files) -> bool {
        // Ranks make nearly all moves lead from what is kept to what is kept.
        let rank = |f: usize| self.files[f].all[usize::from(contents[f])].rank;
        !self.folded || rank(0) >= rank(1)
    }

    /// The mirror image of files.
    pub(crate) fn image(&self, contents: &Files) -> Files {
        let mut image = [0; MOST_FILES];
        self.twins.iter().zip(contents).for_each(|(twin, content)| image[*twin] = *content);
        image
    }

    /// How many positions each of a tier stands for: itself, and its mirror image in a tier that is left out.
    pub(crate) fn stands_for(&self, tier: Tier) -> u64 {
        let lone = |contents: Files| !self.folded || contents[0] == contents[1];
        if self.prefix_of(tier).is_none_or(lone) { 1 } else { 2 }
    }

    /// The tiers that moves on the prefix files lead to.
    pub(crate) fn below(&self, tier: Tier) -> Vec<Near> {
        self.neighbours(tier, |f, content, c| {
            let nexts = &self.files[f].all[content].next[c];
            nexts.iter().map(|(_, to)| *to).collect()
        })
    }

    /// The tiers that moves lead here from.
    pub(crate) fn above(&self, tier: Tier) -> Vec<Near> {
        self.neighbours(tier, |f, content, c| self.files[f].all[content].from[c].clone())
    }

    /// For each player to move, whether tiers above look at this one's positions: a stone of the
    /// first player led here from positions with that player to move, which look at those with
    /// the second to move; and the other way round.
    pub(crate) fn looked_at(&self, tier: Tier) -> [bool; 2] {
        let above = self.above(tier);
        [0, 1].map(|turn| above.iter().any(|near| 1 - near.colour == turn))
    }

    fn neighbours(&self, tier: Tier, of: impl Fn(usize, usize, usize) -> Vec<u32>) -> Vec<Near> {
        let Some(here) = self.prefix_of(tier) else { return vec![] };
        let mut found = vec![];
        // The last file first: of two twins, the one that is the end of fewer tiers. Fewer are alive at a time.
        for f in (0..self.prefix).rev() {
            for colour in 0..2 {
                for to in of(f, here[f].into(), colour) {
                    let mut contents = here;
                    contents[f] = to as u16;
                    let mirrored = !self.is_kept(&contents);
                    let tier = self.tier(&if mirrored { self.image(&contents) } else { contents });
                    found.push(Near { colour, tier, mirrored });
                }
            }
        }
        found
    }
}

/// How many boards there are with as many stones of one player as of the other, about.
fn numbers(files: &[Contents]) -> f64 {
    let mut by_balance = BTreeMap::from([(0, 1.0)]);
    for file in files {
        for (balance, many) in std::mem::take(&mut by_balance) {
            for content in &file.all {
                *by_balance.entry(balance + content.balance).or_default() += many;
            }
        }
    }
    by_balance.get(&0).copied().unwrap_or(0.0)
}

/// The files of a layout in the order of the cuts.
struct FileOrder {
    /// Which files of the layout these are.
    files: Vec<usize>,
    /// Whether mirror images are folded.
    folded: bool,
    /// For each of them its twin, by its place here.
    twins: Vec<usize>,
    prefix: usize,
    outer: usize,
}

impl FileOrder {
    /// The order of files with so many contents; `None` for too many.
    fn of(lens: &[usize], mirror: bool, planes: usize) -> Option<FileOrder> {
        let many = |files: &[usize]| files.iter().map(|f| lens[*f] as f64).product::<f64>();
        let singles = || (0..lens.len()).map(|f| vec![f]).collect();
        let pairs = twins(lens.len());
        // Two files that both name the tier would leave nothing to be inside.
        let folded = mirror && pairs.len() > 1 && many(&pairs[0]) <= MOST_FOLDED;
        let groups: Vec<Vec<usize>> = if folded { pairs } else { singles() };
        let inner = inner(&groups, many);
        if many(&inner.concat()) > MOST_INNER as f64 {
            return None;
        }
        // Both lists of a shard have about as many bits as the inner files have combinations for
        // each of some 12 balances.
        let list_bytes = (many(&inner.concat()) / 6.0 + 128.0) * planes as f64 / 8.0;
        let outer: Vec<_> = groups.iter().filter(|group| !inner.contains(group)).cloned().collect();
        let tier_bytes = |prefix: usize| many(&outer[prefix..].concat()) * list_bytes;
        let mut prefix = 1;
        while prefix < outer.len()
            && tier_bytes(prefix) > TIER_BYTES
            && many(&outer[..prefix + 1].concat()) <= MOST_TIERS
        {
            prefix += 1;
        }
        if tier_bytes(prefix) > MOST_TIER_BYTES {
            return None;
        }
        let (mut files, mut twins) = (vec![], vec![]);
        for group in outer.iter().chain(&inner) {
            twins.extend((files.len()..files.len() + group.len()).rev());
            files.extend(group);
        }
        if !folded {
            // Files in their order are twins from the ends on.
            twins.reverse();
        }
        let len = |groups: &[Vec<usize>]| groups.iter().map(Vec::len).sum();
        Some(FileOrder { files, folded, twins, prefix: len(&outer[..prefix]), outer: len(&outer) })
    }
}

/// Files that stay together where mirror images are folded: twins, and the one in the middle, which comes second. The
/// outermost are last: what is outside is then one piece of the board, and many lines end the game there.
fn twins(files: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<_> = (0..files / 2).rev().map(|f| vec![f, files - 1 - f]).collect();
    if files % 2 == 1 {
        groups.insert(1, vec![files / 2]);
    }
    groups
}

/// Which groups of files are inside: of all that stand at the end, with the one in the middle or without it, those with
/// the fewest combinations that are enough.
fn inner(groups: &[Vec<usize>], many: impl Fn(&[usize]) -> f64) -> Vec<Vec<usize>> {
    let rest = &groups[1..];
    let mut all: Vec<_> = (0..rest.len()).map(|begin| rest[begin..].to_vec()).collect();
    if let Some(middle) = rest.first().filter(|middle| middle.len() < groups[0].len()) {
        let ends = (2..=rest.len()).map(|begin| rest[begin..].to_vec());
        all.extend(ends.map(|end| [end, vec![middle.clone()]].concat()));
    }
    let many = |groups: &Vec<Vec<usize>>| many(&groups.concat());
    all.sort_by(|a, b| many(a).total_cmp(&many(b)));
    let at = all.iter().position(|groups| many(groups) >= INNER as f64).unwrap_or(all.len() - 1);
    let far = many(&all[at]) > (TOO_MANY * INNER) as f64;
    all.swap_remove(if far { at.saturating_sub(1) } else { at })
}
