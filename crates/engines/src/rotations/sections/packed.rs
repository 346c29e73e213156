//! A solved section in memory: its blocks, packed.

use std::io::{self, Read, Write};

use zermelo_core::Reason;
use zermelo_core::sections::{BlockGrid, SIDE, Section, TURNS, fixed_turns};
use zstd::bulk::{Compressor, Decompressor};

use super::turns::{Pair, Table};
use super::unflat;
use crate::spill::{array, ended, misfit};

/// How many boards of a section of Pentago black wins, how many white wins, and how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionCounts {
    /// Boards that black wins.
    pub black: u64,
    /// Boards that white wins.
    pub white: u64,
    /// All boards, symmetric ones counted one by one.
    pub total: u64,
}

impl SectionCounts {
    pub(super) fn plus(self, more: SectionCounts) -> SectionCounts {
        SectionCounts {
            black: self.black + more.black,
            white: self.white + more.white,
            total: self.total + more.total,
        }
    }
}

/// Where the tables of a section's blocks come from.
pub(super) trait Blocks: Sync {
    /// How it is cut into blocks.
    fn grid(&self) -> BlockGrid;

    /// The tables of a block, the last quadrant's patterns running fastest.
    fn unpack(&self, block: usize, work: &mut Work, out: &mut Vec<Pair>) -> Result<(), Reason>;
}

/// The tables of all boards of a section: for each, the turns in which black wins, and those in
/// which white wins.
pub struct PackedSection {
    /// The standard section.
    pub section: Section,
    pub(super) grid: BlockGrid,
    pub(super) blocks: Vec<Box<[u8]>>,
    /// How many boards the tables say each player wins.
    pub tally: SectionCounts,
}

impl PackedSection {
    /// Bytes that the section takes in memory.
    pub fn bytes(&self) -> u64 {
        self.blocks.iter().map(|block| block.len() as u64 + 16).sum()
    }

    /// A section from tables that the caller has: for each block, in the order of blocks, the turns in which black wins
    /// and those in which white wins.
    pub fn new(
        section: Section,
        mut block: impl FnMut([usize; 4]) -> Result<Vec<[Table; 2]>, Reason>,
    ) -> Result<PackedSection, Reason> {
        let grid = section.grid();
        let (mut work, mut sum, mut blocks) = (Work::default(), SectionCounts::default(), vec![]);
        for number in 0..grid.len() {
            let at = grid.block(number);
            let shape = grid.block_shape(at);
            let tables: Vec<Pair> = block(at)?.iter().map(joined).collect();
            if tables.len() != shape.iter().product::<usize>() {
                return Err(format!("block {at:?} of section {section} has {} boards", tables.len()).into());
            }
            sum = sum.plus(tally(section, at, shape, &tables));
            blocks.push(work.pack(&tables)?);
        }
        Ok(PackedSection { section, grid, blocks, tally: sum })
    }

    /// The tables of a block: where black wins and where white wins.
    pub fn block(&self, at: [usize; 4]) -> Result<Vec<[Table; 2]>, Reason> {
        let number = self.grid.number(at).ok_or_else(|| format!("there is no block {at:?}"))?;
        let mut tables = vec![];
        self.unpack(number, &mut Work::default(), &mut tables)?;
        Ok(tables.iter().map(split).collect())
    }
}

/// Spill: the three figures of the tally, then each block after its length, as they are in memory.
impl PackedSection {
    pub(super) fn spilled_bytes(&self) -> u64 {
        24 + self.blocks.iter().map(|block| 4 + block.len() as u64).sum::<u64>()
    }

    pub(super) fn spill_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let SectionCounts { black, white, total } = self.tally;
        [black, white, total].iter().try_for_each(|figure| out.write_all(&figure.to_le_bytes()))?;
        self.blocks.iter().try_for_each(|block| {
            out.write_all(&(block.len() as u32).to_le_bytes())?;
            out.write_all(block)
        })
    }

    /// The inverse.
    pub(crate) fn restore(section: Section, from: &mut dyn Read) -> io::Result<PackedSection> {
        let mut figure = || Ok::<_, io::Error>(u64::from_le_bytes(array(from)?));
        let tally = SectionCounts { black: figure()?, white: figure()?, total: figure()? };
        let grid = section.grid();
        let mut block = |number: usize| {
            let length = u32::from_le_bytes(array(from)?) as usize;
            // Packed tables may be longer than they were, but not by much.
            if length > zstd::zstd_safe::compress_bound(64 * grid.entries_of(number)) {
                return Err(misfit());
            }
            let mut block = vec![0; length].into_boxed_slice();
            from.read_exact(&mut block)?;
            Ok(block)
        };
        let blocks = (0..grid.len()).map(&mut block).collect::<io::Result<_>>()?;
        ended(from)?;
        Ok(PackedSection { section, grid, blocks, tally })
    }
}

impl Blocks for PackedSection {
    fn grid(&self) -> BlockGrid {
        self.grid
    }

    fn unpack(&self, block: usize, work: &mut Work, out: &mut Vec<Pair>) -> Result<(), Reason> {
        work.unpack(&self.blocks[block], self.grid.entries_of(block), out)
    }
}

fn joined([black, white]: &[Table; 2]) -> Pair {
    std::array::from_fn(|w| if w < 4 { black[w] } else { white[w - 4] })
}

fn split(pair: &Pair) -> [Table; 2] {
    [0, 4].map(|first| std::array::from_fn(|w| pair[first + w]))
}

/// Room to pack and unpack in, for one thread.
#[derive(Default)]
pub(super) struct Work {
    /// Tables before they are packed, or stored codes.
    pub(super) bytes: Vec<u8>,
    packer: Option<Compressor<'static>>,
    unpacker: Option<Decompressor<'static>>,
}

/// The fastest that has a fair ratio: 6 to 17 bytes a board instead of 64.
const LEVEL: i32 = 1;

impl Work {
    /// Packs the tables of a block.
    pub(super) fn pack(&mut self, tables: &[Pair]) -> Result<Box<[u8]>, Reason> {
        self.bytes.clear();
        for pair in tables {
            for word in pair {
                self.bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        if self.packer.is_none() {
            self.packer = Some(Compressor::new(LEVEL)?);
        }
        let packed = self.packer.as_mut().map(|packer| packer.compress(&self.bytes)).transpose()?;
        Ok(packed.unwrap_or_default().into())
    }

    /// Unpacks a block of so many boards.
    pub(super) fn unpack(
        &mut self,
        packed: &[u8],
        entries: usize,
        out: &mut Vec<Pair>,
    ) -> Result<(), Reason> {
        self.bytes.resize(64 * entries, 0);
        if self.unpacker.is_none() {
            self.unpacker = Some(Decompressor::new()?);
        }
        if let Some(unpacker) = &mut self.unpacker
            && unpacker.decompress_to_buffer(packed, &mut self.bytes[..])? != self.bytes.len()
        {
            return Err("a block has too few boards".into());
        }
        out.resize(entries, [0; 8]);
        for (pair, bytes) in out.iter_mut().zip(self.bytes.as_chunks::<64>().0) {
            for (word, bytes) in pair.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*bytes);
            }
        }
        Ok(())
    }
}

/// By quadrant, for each of a block's patterns: how many turns leave it as it is.
pub(super) fn repeats(section: Section, at: [usize; 4], shape: [usize; 4]) -> [Vec<u64>; 4] {
    let fixed = |pattern: &u16| u64::from(fixed_turns(*pattern).unwrap_or(1));
    let of = |q: usize| section.patterns()[q][SIDE * at[q]..][..shape[q]].iter().map(fixed).collect();
    std::array::from_fn(of)
}

/// Counts the boards of a block; turns of a symmetric pattern that look the same are one.
pub(super) fn tally(section: Section, at: [usize; 4], shape: [usize; 4], tables: &[Pair]) -> SectionCounts {
    let repeats = repeats(section, at, shape);
    let ones = |words: &[u64]| words.iter().map(|w| u64::from(w.count_ones())).sum::<u64>();
    let mut tally = SectionCounts::default();
    for (i, pair) in tables.iter().enumerate() {
        let at = unflat(i, shape);
        let times: u64 = (0..4).map(|q| repeats[q][at[q]]).product();
        tally.black += ones(&pair[..4]) / times;
        tally.white += ones(&pair[4..]) / times;
        tally.total += TURNS / times;
    }
    tally
}
