//! The bytes of `tables.zmo`, as drawn in `docs/reference/format.md`: a file header, then one record per table, then,
//! once the database is complete, the directory. Annexes are the same without a directory. This file only turns
//! structures into bytes and back; nothing in it reads a file. All numbers are little-endian, and each offset
//! follows from the one before.

use serde::{Deserialize, Serialize};
use zermelo_core::{Tier, Width};

use crate::codec::{BlockLine, Codec, MAX_BLOCK_ENTRIES};

/// The version of the format that this program reads and writes.
pub const FORMAT_VERSION: u32 = 1;

/// The name of the file that says what a database is.
pub const MANIFEST: &str = "manifest.json";
/// The name of the file that holds all tables, or those that the annexes do not.
pub const TABLES: &str = "tables.zmo";

/// Offsets in a file of tables have so many bits; the number of the file takes the others of a directory line.
const OFFSET_BITS: u32 = 48;
/// No file of tables may be longer.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << OFFSET_BITS;

/// The name of a file of tables: [`TABLES`] for number 0, an annex for the others.
pub(crate) fn tables_name(file: u16) -> String {
    if file == 0 { TABLES.to_string() } else { format!("tables-{file}.zmo") }
}

/// The number of the annex with a name.
pub(crate) fn annex_number(name: &str) -> Option<u16> {
    let number = name.strip_prefix("tables-")?.strip_suffix(".zmo")?.parse().ok()?;
    (number > 0 && tables_name(number) == name).then_some(number)
}

// The file header.
const FILE_MAGIC: [u8; 8] = *b"ZERMELO\n";
const FILE_VERSION: usize = FILE_MAGIC.len();
const FILE_IDENTITY: usize = FILE_VERSION + size_of::<u32>();
pub(crate) const FILE_HEADER: usize = FILE_IDENTITY + size_of::<u32>();

// The head of a record.
const RECORD_MAGIC: [u8; 4] = *b"ZTBL";
const WIDTH: usize = RECORD_MAGIC.len();
const SHIFT: usize = WIDTH + size_of::<u8>();
const RESERVED: usize = SHIFT + size_of::<u8>();
const TIER: usize = RESERVED + size_of::<u16>();
const ENTRIES: usize = TIER + size_of::<u64>();
const POSITIONS: usize = ENTRIES + size_of::<u64>();
const DATA: usize = POSITIONS + size_of::<u64>();
const HEAD_CRC: usize = DATA + size_of::<u64>();
const INDEX_CRC: usize = HEAD_CRC + size_of::<u32>();
pub(crate) const HEAD: usize = INDEX_CRC + size_of::<u32>();

// A line of the block index: 24 bits of length (or value), 8 bits of codec, then the checksum.
const LINE_CRC: usize = size_of::<u32>();
pub(crate) const INDEX_LINE: usize = LINE_CRC + size_of::<u32>();
pub(crate) const LENGTH_BITS: u32 = 24;

// The directory.
const DIRECTORY_MAGIC: [u8; 4] = *b"ZDIR";
const DIRECTORY_CRC: usize = DIRECTORY_MAGIC.len();
const DIRECTORY_COUNT: usize = DIRECTORY_CRC + size_of::<u32>();
pub(crate) const DIRECTORY_HEAD: usize = DIRECTORY_COUNT + size_of::<u64>();
const LINE_TIER: usize = 0;
const LINE_OFFSET: usize = LINE_TIER + size_of::<u64>();
const LINE_LENGTH: usize = LINE_OFFSET + size_of::<u64>();
const LINE_TABLE_CRC: usize = LINE_LENGTH + size_of::<u64>();
pub(crate) const DIRECTORY_LINE: usize = LINE_TABLE_CRC + size_of::<u32>();

/// The bytes of `N` at an offset, zeros past the end.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(|b| b.first_chunk()).copied().unwrap_or([0; N])
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

/// Why a file header was refused.
pub(crate) enum BadFile {
    Magic,
    Version(u32),
    Identity,
}

pub(crate) fn file_header(identity_crc: u32) -> [u8; FILE_HEADER] {
    header(FILE_MAGIC, FORMAT_VERSION, identity_crc)
}

/// The header of a file of a kind, in a version of its form, of the database with an identity.
pub(crate) fn header(magic: [u8; 8], version: u32, identity_crc: u32) -> [u8; FILE_HEADER] {
    let mut bytes = [0; FILE_HEADER];
    bytes[..FILE_VERSION].copy_from_slice(&magic);
    bytes[FILE_VERSION..FILE_IDENTITY].copy_from_slice(&version.to_le_bytes());
    bytes[FILE_IDENTITY..].copy_from_slice(&identity_crc.to_le_bytes());
    bytes
}

pub(crate) fn check_file_header(bytes: &[u8; FILE_HEADER], identity_crc: u32) -> Result<(), BadFile> {
    match (u32_at(bytes, FILE_VERSION), u32_at(bytes, FILE_IDENTITY)) {
        _ if bytes[..FILE_VERSION] != FILE_MAGIC => Err(BadFile::Magic),
        (version, _) if version != FORMAT_VERSION => Err(BadFile::Version(version)),
        (_, crc) if differs(crc, identity_crc) => Err(BadFile::Identity),
        _ => Ok(()),
    }
}

/// The fixed part of a record: what the table is and how long everything in it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The tier whose table it is.
    pub tier: Tier,
    /// Bytes of an entry.
    pub width: Width,
    /// Blocks have two to the power of this many entries.
    pub shift: u8,
    /// Numbered entries, those without a position included.
    pub entries: u64,
    /// Entries with a position, as the writer counted them.
    pub positions: u64,
    /// Bytes of all blocks together.
    pub data: u64,
    /// Checksum of head and index, which hold the checksums of the blocks: that of the whole table.
    pub crc: u32,
}

impl Head {
    /// Reads a head and checks it against its own checksum.
    pub(crate) fn parse(bytes: &[u8; HEAD]) -> Result<Head, &'static str> {
        if bytes[..WIDTH] != RECORD_MAGIC {
            return Err("no table begins here");
        }
        if differs(crc32fast::hash(&bytes[..HEAD_CRC]), u32_at(bytes, HEAD_CRC)) {
            return Err("the checksum of the table's head is wrong");
        }
        let width = Width::of_bytes(bytes[WIDTH]).ok_or("the table's width is neither 1 nor 2")?;
        if 1usize.checked_shl(bytes[SHIFT].into()).is_none_or(|n| n > MAX_BLOCK_ENTRIES) {
            return Err("the table's blocks are too large");
        }
        if bytes[RESERVED..TIER] != [0, 0] {
            return Err("the table uses something this program does not know");
        }
        let head = Head {
            tier: Tier(u64_at(bytes, TIER)),
            width,
            shift: bytes[SHIFT],
            entries: u64_at(bytes, ENTRIES),
            positions: u64_at(bytes, POSITIONS),
            data: u64_at(bytes, DATA),
            crc: u32_at(bytes, INDEX_CRC),
        };
        // From here on no length computed from the head can overflow.
        if head.blocks() > u64::from(u32::MAX) || head.data > u64::MAX / 2 {
            return Err("the table's lengths are impossible");
        }
        Ok(head)
    }

    pub(crate) fn blocks(&self) -> u64 {
        self.entries.div_ceil(1 << self.shift)
    }

    /// Entries in a block.
    pub(crate) fn block_entries(&self, block: u64) -> usize {
        (self.entries - (block << self.shift)).min(1 << self.shift) as usize
    }

    pub(crate) fn index_bytes(&self) -> u64 {
        self.blocks() * INDEX_LINE as u64
    }

    /// Bytes of the whole record.
    pub(crate) fn record_bytes(&self) -> u64 {
        HEAD as u64 + self.index_bytes() + self.data
    }
}

/// A line of the block index, with the block's place in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Where in the file the block begins.
    pub offset: u64,
    word: u32,
    /// The checksum of the block.
    pub crc: u32,
}

impl Line {
    pub(crate) fn codec(&self) -> u8 {
        (self.word >> LENGTH_BITS) as u8
    }

    /// Bytes in the file, or the value of a constant block.
    pub(crate) fn length(&self) -> u32 {
        self.word & ((1 << LENGTH_BITS) - 1)
    }

    /// Bytes in the file.
    pub(crate) fn stored(&self) -> u32 {
        if self.codec() == Codec::Constant as u8 { 0 } else { self.length() }
    }
}

/// The head and the index of a record; `Err` names what the blocks do not fit.
pub(crate) fn encode_head(
    tier: Tier,
    width: Width,
    entries: u64,
    positions: u64,
    lines: &[BlockLine],
) -> Result<(Vec<u8>, Head), String> {
    let shift = check_lines(width, entries, lines)?;
    let data = lines.iter().map(BlockLine::stored).sum();
    let mut bytes = Vec::with_capacity(HEAD + lines.len() * INDEX_LINE);
    bytes.extend(RECORD_MAGIC);
    bytes.extend([width.bytes() as u8, shift, 0, 0]);
    for number in [tier.0, entries, positions, data] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes.extend([0; HEAD - INDEX_CRC]);
    for line in lines {
        bytes.extend((line.length | u32::from(line.codec) << LENGTH_BITS).to_le_bytes());
        bytes.extend(line.crc.to_le_bytes());
    }
    let crc = index_crc(&bytes[..HEAD], &bytes[HEAD..]);
    bytes[INDEX_CRC..HEAD].copy_from_slice(&crc.to_le_bytes());
    Ok((bytes, Head { tier, width, shift, entries, positions, data, crc }))
}

/// Checks that blocks make up a table, and returns the power of two that their size is.
fn check_lines(width: Width, entries: u64, lines: &[BlockLine]) -> Result<u8, String> {
    let size = lines.first().map_or(1, |b| u64::from(b.entries).next_power_of_two());
    let total: u64 = lines.iter().map(|b| u64::from(b.entries)).sum();
    if total != entries || lines.len() > u32::MAX as usize || size > MAX_BLOCK_ENTRIES as u64 {
        return Err(format!("{} blocks hold {total} entries, not {entries}", lines.len()));
    }
    for (n, line) in lines.iter().enumerate() {
        let (found, last) = (u64::from(line.entries), n + 1 == lines.len());
        if usize::from(line.width) != width.bytes() || found == 0 || found > size || (!last && found != size)
        {
            return Err(format!("block {n} has {found} entries of {} bytes", line.width));
        }
        if !line.is_sound(width) {
            return Err(format!("block {n} has an index line that makes no sense"));
        }
    }
    Ok(size.trailing_zeros() as u8)
}

/// The checksum over a head (but for the checksum's own bytes) and its index.
pub(crate) fn index_crc(head: &[u8], index: &[u8]) -> u32 {
    crc_of_both(&head[..INDEX_CRC], index)
}

/// The checksum over bytes and those that follow them.
pub(crate) fn crc_of_both(first: &[u8], second: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(first);
    hasher.update(second);
    hasher.finalize()
}

/// The lines of an index whose blocks begin at `offset`; `None` when they do not add up to `head.data`.
pub(crate) fn parse_index(head: &Head, index: &[u8], offset: u64) -> Option<Box<[Line]>> {
    let mut at = offset;
    let lines: Box<[Line]> = index
        .chunks_exact(INDEX_LINE)
        .map(|bytes| {
            let line = Line { offset: at, word: u32_at(bytes, 0), crc: u32_at(bytes, LINE_CRC) };
            at = at.saturating_add(u64::from(line.stored()));
            line
        })
        .collect();
    (at - offset == head.data && lines.len() as u64 == head.blocks()).then_some(lines)
}

/// Whether a record may begin with these bytes.
pub(crate) fn record_begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&RECORD_MAGIC)
}

/// Where the record of a table is, and the checksum of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableExtent {
    /// The file: 0 for `tables.zmo`, n for the annex `tables-n.zmo`.
    pub file: u16,
    /// Where in the file the record begins.
    pub offset: u64,
    /// Bytes of the record.
    pub length: u64,
    /// The checksum over the table's head and index, which hold those of its blocks.
    pub crc: u32,
}

impl TableExtent {
    /// Where the record ends.
    pub(crate) fn end(&self) -> u64 {
        self.offset.saturating_add(self.length)
    }
}

/// Whether two checksums differ. Never so in fuzzing builds: a fuzzer cannot guess
/// checksums, and is to reach what lies behind them.
pub(crate) fn differs(found: u32, recorded: u32) -> bool {
    !cfg!(fuzzing) && found != recorded
}

/// The directory of tables that come in the order of their tiers.
pub(crate) fn encode_directory(tables: impl ExactSizeIterator<Item = (Tier, TableExtent)>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(DIRECTORY_HEAD + tables.len() * DIRECTORY_LINE);
    bytes.extend(DIRECTORY_MAGIC);
    bytes.extend([0; DIRECTORY_COUNT - DIRECTORY_CRC]);
    bytes.extend((tables.len() as u64).to_le_bytes());
    for (tier, extent) in tables {
        let place = u64::from(extent.file) << OFFSET_BITS | extent.offset;
        for number in [tier.0, place, extent.length] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(extent.crc.to_le_bytes());
    }
    let crc = directory_crc(&bytes);
    bytes[DIRECTORY_CRC..DIRECTORY_COUNT].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// The checksum of a directory, over its count and its lines.
pub(crate) fn directory_crc(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes.get(DIRECTORY_COUNT..).unwrap_or(&[]))
}

/// Checks a directory, and that its lines are in order and in range: `limits` says where the tables of each file
/// end.
pub(crate) fn check_directory(
    bytes: &[u8],
    limits: &[u64],
    crc: u32,
    tables: u64,
) -> Result<(), &'static str> {
    if bytes.len() < DIRECTORY_HEAD || bytes[..DIRECTORY_CRC] != DIRECTORY_MAGIC {
        return Err("no directory begins here");
    }
    if differs(directory_crc(bytes), crc) || differs(u32_at(bytes, DIRECTORY_CRC), crc) {
        return Err("the checksum of the directory is wrong");
    }
    let lines = bytes[DIRECTORY_HEAD..].as_chunks::<DIRECTORY_LINE>();
    if !lines.1.is_empty() || lines.0.len() as u64 != tables || u64_at(bytes, DIRECTORY_COUNT) != tables {
        return Err("the directory has another number of tables than the manifest says");
    }
    let mut before = None;
    for line in lines.0 {
        let (tier, extent) = directory_line(line);
        if before.is_some_and(|b| b >= tier) {
            return Err("the directory is out of order");
        }
        let limit = limits.get(usize::from(extent.file)).copied().unwrap_or(0);
        if extent.offset < FILE_HEADER as u64
            || extent.offset.checked_add(extent.length).is_none_or(|e| e > limit)
        {
            return Err("the directory points outside the files of tables");
        }
        before = Some(tier);
    }
    Ok(())
}

/// One line of a directory.
pub(crate) fn directory_line(line: &[u8; DIRECTORY_LINE]) -> (Tier, TableExtent) {
    let place = u64_at(line, LINE_OFFSET);
    let extent = TableExtent {
        file: (place >> OFFSET_BITS) as u16,
        offset: place & (MAX_FILE_BYTES - 1),
        length: u64_at(line, LINE_LENGTH),
        crc: u32_at(line, LINE_TABLE_CRC),
    };
    (Tier(u64_at(line, LINE_TIER)), extent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_on_disk_stay_what_the_format_page_says() {
        assert_eq!((FILE_HEADER, HEAD, INDEX_LINE, DIRECTORY_HEAD, DIRECTORY_LINE), (16, 48, 8, 16, 28));
    }

    #[test]
    fn only_the_names_of_annexes_are_taken_for_such() {
        for file in [1, 2, 10, 999, u16::MAX] {
            assert_eq!(annex_number(&tables_name(file)), Some(file));
        }
        for name in ["tables.zmo", "tables-0.zmo", "tables-01.zmo", "tables-65536.zmo", "tables-1.zmo.tmp"] {
            assert_eq!(annex_number(name), None, "{name}");
        }
    }
}
