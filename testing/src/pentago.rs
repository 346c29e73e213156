//! Writes Pentago's published files for tests, and counts boards from them. `docs/reference/format-pentago.md`
//! describes the bytes. This crate shares nothing with the store, which reads the files.

use std::fs;
use std::path::Path;

use liblzma::stream::{Action, Check, Filters, LzmaOptions, Status, Stream};
use zermelo_core::sections::{SIDE, Section, fixed_turns};

/// Two tables of 256 bits: the ways to turn the quadrants in which black wins, and those in which white wins.
pub type BoardTables = [[u64; 4]; 2];

/// Returns all standard sections with a number of stones, in the order of the files: by signature.
pub fn standard_sections(stones: u32) -> Vec<Section> {
    let (black, white) = (stones.div_ceil(2), stones / 2);
    let all = || (0..=9u8).flat_map(|b| (0..=9 - b).map(move |w| [b, w]));
    let mut found = Vec::new();
    for first in all() {
        for second in all() {
            for third in all() {
                // The last quadrant has the stones that are left, if they fit.
                let used = |side: usize| u32::from(first[side] + second[side] + third[side]);
                let left = [black.checked_sub(used(0)), white.checked_sub(used(1))];
                let [Some(b), Some(w)] = left else { continue };
                if b + w <= 9 {
                    found.extend(Section::new([first, second, third, [b as u8, w as u8]]));
                }
            }
        }
    }
    found.retain(|section| section.is_standard());
    found.sort_unstable();
    found
}

/// Returns the blocks of a section, each by its place along every side.
pub fn blocks(section: Section) -> impl DoubleEndedIterator<Item = [usize; 4]> {
    let grid = section.grid();
    (0..grid.len()).map(move |number| grid.block(number))
}

/// Writes a file with standard sections of one number of stones, whose blocks have the `entries`, and returns its
/// bytes.
pub fn write_slice(
    path: impl AsRef<Path>,
    sections: &[Section],
    mut entries: impl FnMut(Section, [usize; 4]) -> Vec<BoardTables>,
) -> Vec<u8> {
    let begin = 32 + 85 * sections.len();
    let mut data: Vec<u8> = vec![];
    let mut put = |bytes: &[u8]| {
        let offset = begin + data.len();
        let packed = compress(bytes);
        data.extend(&packed);
        [bytes.len(), packed.len(), offset].map(|n| (n as u64).to_le_bytes()).concat()
    };
    // The sections are written backwards: blocks may lie in any order.
    let mut indexes: Vec<Vec<u8>> = vec![];
    for section in sections.iter().rev() {
        let bytes = |block| entries(*section, block).into_iter().flat_map(interleaved).collect::<Vec<u8>>();
        let mut places: Vec<Vec<u8>> = blocks(*section).rev().map(bytes).map(|bytes| put(&bytes)).collect();
        places.reverse();
        indexes.push(places.concat());
    }
    indexes.reverse();
    let mut file = b"pentago sections   \n".to_vec();
    file.extend([3, sections.len() as u32, 85].map(u32::to_le_bytes).concat());
    for (section, index) in sections.iter().zip(indexes) {
        file.extend(section_header(*section));
        file.extend(put(&index));
    }
    file.extend(data);
    fs::write(path, &file).expect("a folder that can be written to");
    file
}

/// Returns the header of a section without the place of its index.
fn section_header(section: Section) -> Vec<u8> {
    let grid = section.grid();
    let shorts = |of: [usize; 4]| of.map(|n| (n as u16).to_le_bytes()).concat();
    let mut header = b"pentago supertensor\n".to_vec();
    header.extend([3, 0, 0, 0, 1]);
    header.extend(section.stones().to_le_bytes());
    header.extend(section.sig().to_le_bytes());
    header.extend(shorts(grid.shape));
    header.extend((SIDE as u32).to_le_bytes());
    header.extend(shorts(grid.blocks));
    header.extend(1u32.to_le_bytes());
    header
}

/// Returns the bits of black at the even places and those of white at the odd ones.
pub fn interleaved(entry: BoardTables) -> [u8; 64] {
    let bit = |n: usize| (entry[n % 2][n / 128] >> (n / 2 % 64)) as u8 & 1;
    std::array::from_fn(|byte| (0..8).map(|n| bit(8 * byte + n) << n).sum())
}

/// Returns an .xz stream like those of the published files, but with a dictionary no larger than the bytes: eight
/// megabytes for each small block would cost more time than the block itself.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut options = LzmaOptions::new_preset(6).expect("a preset");
    options.dict_size(bytes.len().next_power_of_two().clamp(4096, 8 << 20) as u32);
    let encoder = Stream::new_stream_encoder(Filters::new().lzma2(&options), Check::Crc64);
    let mut out = Vec::with_capacity(2 * bytes.len() + 1024);
    let status = encoder.and_then(|mut encoder| encoder.process_vec(bytes, &mut out, Action::Finish));
    assert_eq!(status.expect("memory"), Status::StreamEnd);
    out
}

/// The numbers of boards of one section by value, where symmetric boards count one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The section, a standard one.
    pub section: Section,
    /// Boards that black wins.
    pub black: u64,
    /// Boards that white wins.
    pub white: u64,
    /// All boards.
    pub total: u64,
}

/// Reads a published file of counts, which has all standard sections with a number of stones.
pub fn read_counts(path: impl AsRef<Path>) -> Vec<Count> {
    let bytes = fs::read(path).expect("a file of counts");
    let text = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let rows = bytes[10 + text..].as_chunks::<32>().0.iter().map(|row| {
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| row[8 * i + k]));
        let section = Section::from_sig(word(0)).expect("a section");
        Count { section, black: word(1), white: word(2), total: word(3) }
    });
    rows.collect()
}

/// Counts the boards of a section from its blocks' entries. Entries of symmetric patterns, in which several bits stand
/// for one board, must have the same value for all of them.
pub fn count(section: Section, mut entries: impl FnMut([usize; 4]) -> Vec<BoardTables>) -> Count {
    let (grid, patterns) = (section.grid(), section.patterns());
    let mut count = Count { section, black: 0, white: 0, total: 0 };
    for block in blocks(section) {
        let shape = grid.block_shape(block);
        for (i, [black, white]) in entries(block).into_iter().enumerate() {
            let (mut rest, mut repeats) = (i, 1);
            for axis in (0..4).rev() {
                let pattern = patterns[axis][SIDE * block[axis] + rest % shape[axis]];
                repeats *= u64::from(fixed_turns(pattern).expect("a pattern"));
                rest /= shape[axis];
            }
            let ones = |table: [u64; 4]| table.iter().map(|w| u64::from(w.count_ones())).sum::<u64>();
            let (black, white) = (ones(black), ones(white));
            assert_eq!((black % repeats, white % repeats), (0, 0), "several values for one board");
            count.black += black / repeats;
            count.white += white / repeats;
            count.total += 256 / repeats;
        }
    }
    count
}
