//! A solved section in memory: its blocks, packed.

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};
use zermelo_core::sections::{Grid, SIDE, Section, fixed_turns};

use super::turns::Pair;

/// How many boards of a section black wins, white wins, and there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Black wins.
    pub black: u64,
    /// White wins.
    pub white: u64,
    /// All boards, symmetric ones counted one by one.
    pub total: u64,
}

impl Tally {
    pub(super) fn plus(self, more: Tally) -> Tally {
        Tally {
            black: self.black + more.black,
            white: self.white + more.white,
            total: self.total + more.total,
        }
    }
}

/// The tables of all boards of a section: for each, the turns in which black wins, and those in
/// which white wins.
pub struct Packed {
    /// The standard section.
    pub section: Section,
    pub(super) grid: Grid,
    pub(super) blocks: Vec<Box<[u8]>>,
    /// What the tables say, in numbers.
    pub tally: Tally,
}

impl Packed {
    /// What it holds in memory.
    pub fn bytes(&self) -> u64 {
        self.blocks.iter().map(|block| block.len() as u64 + 16).sum()
    }

    /// The tables of a block, the last quadrant's patterns running fastest.
    pub(super) fn unpack(&self, block: usize, work: &mut Work, out: &mut Vec<Pair>) {
        let entries = self.grid.block_shape(self.grid.block(block)).iter().product();
        work.unpack(&self.blocks[block], entries, out);
    }

    /// The tables of one board: black's wins and white's, by the patterns of its quadrants.
    pub fn tables(&self, index: [usize; 4]) -> Option<[[u64; 4]; 2]> {
        let at = self.grid.place(index) - self.grid.first(index.map(|i| i / SIDE));
        let block = self.grid.number(index.map(|i| i / SIDE))?;
        let mut out = vec![];
        self.unpack(block, &mut Work::default(), &mut out);
        let pair = out.get(at as usize)?;
        Some([[pair[0], pair[1], pair[2], pair[3]], [pair[4], pair[5], pair[6], pair[7]]])
    }
}

/// Room to pack and unpack in, for one thread.
#[derive(Default)]
pub(super) struct Work {
    bytes: Vec<u8>,
    packed: Vec<u8>,
}

impl Work {
    /// Packs the tables of a block. Words of one place in the tables are alike, so they go side by
    /// side.
    pub(super) fn pack(&mut self, tables: &[Pair]) -> Box<[u8]> {
        let entries = tables.len();
        self.bytes.resize(64 * entries, 0);
        for (plane, bytes) in self.bytes.chunks_exact_mut(8 * entries).enumerate() {
            for (pair, bytes) in tables.iter().zip(bytes.as_chunks_mut::<8>().0) {
                *bytes = pair[plane].to_le_bytes();
            }
        }
        self.packed.resize(get_maximum_output_size(64 * entries), 0);
        match compress_into(&self.bytes, &mut self.packed) {
            Ok(n) => self.packed[..n].into(),
            // The room is as much as it can ever take.
            Err(_) => Box::default(),
        }
    }

    fn unpack(&mut self, packed: &[u8], entries: usize, out: &mut Vec<Pair>) {
        self.bytes.resize(64 * entries, 0);
        // What was packed here comes back.
        let _ = decompress_into(packed, &mut self.bytes);
        out.resize(entries, [0; 8]);
        for (plane, bytes) in self.bytes.chunks_exact(8 * entries).enumerate() {
            for (pair, bytes) in out.iter_mut().zip(bytes.as_chunks::<8>().0) {
                pair[plane] = u64::from_le_bytes(*bytes);
            }
        }
    }
}

/// Counts the boards of a block; turns of a symmetric pattern that look the same are one.
pub(super) fn tally(section: Section, first: [usize; 4], shape: [usize; 4], tables: &[Pair]) -> Tally {
    let patterns = section.patterns();
    let repeats: [Vec<u64>; 4] = std::array::from_fn(|q| {
        let fixed = |pattern: &u16| u64::from(fixed_turns(*pattern).unwrap_or(1));
        patterns[q][first[q]..first[q] + shape[q]].iter().map(fixed).collect()
    });
    let mut tally = Tally::default();
    let mut rows = tables.chunks_exact(shape[3]);
    for a in &repeats[0] {
        for b in &repeats[1] {
            for c in &repeats[2] {
                for (pair, d) in rows.next().unwrap_or_default().iter().zip(&repeats[3]) {
                    let ones = |words: &[u64]| words.iter().map(|w| u64::from(w.count_ones())).sum::<u64>();
                    let times = a * b * c * d;
                    tally.black += ones(&pair[..4]) / times;
                    tally.white += ones(&pair[4..]) / times;
                    tally.total += 256 / times;
                }
            }
        }
    }
    tally
}
