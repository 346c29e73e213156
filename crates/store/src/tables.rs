//! The tables of a database as they lie in the files: where each is, its head and index, its blocks. Everything
//! is read and checked anew here; the reader puts its caches in front, the writer adds to the list.

use std::collections::BTreeMap;
use std::io;
use std::sync::RwLock;

use zermelo_core::{Tier, Unpoisoned, Width};

use crate::backend::FileSource;
use crate::codec::{Codec, unpack};
use crate::error::{Result, StoreError};
use crate::files::Files;
use crate::format::{self, DIRECTORY_HEAD, DIRECTORY_LINE, HEAD, Head, Line, TableExtent};

/// What is known of a table without reading its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableInfo {
    /// The tier whose table it is.
    pub tier: Tier,
    /// Numbered entries, those without a position included.
    pub entries: u64,
    /// Entries with a position, as the writer counted them.
    pub positions: u64,
    /// Bytes per entry.
    pub width: Width,
    /// Entries in a block, but for the last.
    pub block_entries: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// Bytes in the file, head and index included.
    pub bytes: u64,
}

/// A table's head and block index, and the number of the file that it lies in.
#[derive(Debug)]
pub(crate) struct Table {
    /// The number of the file: 0 for `tables.zmo`, n for the annex `tables-n.zmo`.
    pub file: u16,
    /// The head of the record.
    pub head: Head,
    /// The block index: a line for each block.
    pub lines: Box<[Line]>,
}

impl Table {
    pub(crate) fn info(&self) -> TableInfo {
        TableInfo {
            tier: self.head.tier,
            entries: self.head.entries,
            positions: self.head.positions,
            width: self.head.width,
            block_entries: 1 << self.head.shift,
            blocks: self.head.blocks(),
            bytes: self.head.record_bytes(),
        }
    }
}

/// Why no table could be read at an offset.
pub(crate) enum Fault {
    /// The file ends inside the record.
    Cut,
    /// The head is damaged, so nobody knows where the record ends.
    Head(&'static str),
    /// The head is right and says where the record ends, but the rest is damaged.
    Body { end: u64, why: &'static str },
    /// The file could not be read.
    Io(StoreError),
}

/// Reads and checks the head and the index of the record at an offset, which must end by `limit`.
pub(crate) fn read_table(
    source: &dyn FileSource,
    file: &str,
    offset: u64,
    limit: u64,
) -> Result<Table, Fault> {
    /// One read takes in the index of small tables.
    const FIRST_READ: u64 = 512;
    let io = |e: io::Error| match e.kind() {
        io::ErrorKind::UnexpectedEof => Fault::Cut,
        _ => Fault::Io(StoreError::io("read", file, e)),
    };
    let room = limit.saturating_sub(offset);
    let mut bytes = vec![0; room.min(FIRST_READ) as usize];
    source.read_exact_at(&mut bytes, offset).map_err(io)?;
    let head_bytes = bytes.first_chunk::<HEAD>().ok_or(Fault::Cut)?;
    let head = Head::parse(head_bytes).map_err(Fault::Head)?;
    if head.record_bytes() > room {
        return Err(Fault::Cut);
    }
    let have = bytes.len();
    let want = HEAD + head.index_bytes() as usize;
    bytes.resize(want, 0);
    if want > have {
        source.read_exact_at(&mut bytes[have..], offset + have as u64).map_err(io)?;
    }
    let (head_bytes, index) = bytes.split_at(HEAD);
    let body = |why| Fault::Body { end: offset + head.record_bytes(), why };
    if format::differs(format::index_crc(head_bytes, index), head.crc) {
        return Err(body("the checksum of the table's index is wrong"));
    }
    let lines = format::parse_index(&head, index, offset + want as u64);
    let lines = lines.ok_or(body("the table's block lengths do not add up"))?;
    Ok(Table { file: 0, head, lines })
}

/// The list of tables, by tier.
pub(crate) enum Directory {
    /// The lines of a complete database as they are on disk, searched in place.
    Sorted(Vec<u8>),
    /// The tables found or added so far.
    Live(RwLock<BTreeMap<Tier, TableExtent>>),
}

impl Directory {
    fn lines(bytes: &[u8]) -> &[[u8; DIRECTORY_LINE]] {
        bytes.get(DIRECTORY_HEAD..).unwrap_or(&[]).as_chunks().0
    }

    pub(crate) fn find(&self, tier: Tier) -> Option<TableExtent> {
        match self {
            Directory::Sorted(bytes) => {
                let lines = Directory::lines(bytes);
                let at = lines.binary_search_by_key(&tier, |line| format::directory_line(line).0).ok()?;
                lines.get(at).map(|line| format::directory_line(line).1)
            }
            Directory::Live(map) => map.read().unpoisoned().get(&tier).copied(),
        }
    }

    /// All tables in the order of their tiers.
    pub(crate) fn all(&self) -> Vec<(Tier, TableExtent)> {
        match self {
            Directory::Sorted(bytes) => Directory::lines(bytes).iter().map(format::directory_line).collect(),
            Directory::Live(map) => map.read().unpoisoned().iter().map(|(&t, &e)| (t, e)).collect(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Directory::Sorted(bytes) => Directory::lines(bytes).len(),
            Directory::Live(map) => map.read().unpoisoned().len(),
        }
    }

    /// Adds a table; a complete list stays as it is.
    pub(crate) fn add(&self, tier: Tier, extent: TableExtent) {
        if let Directory::Live(map) = self {
            map.write().unpoisoned().insert(tier, extent);
        }
    }
}

/// The files of tables with their list.
pub(crate) struct Tables {
    /// The files, opened when they are first read.
    pub files: Files,
    /// Which table is where.
    pub directory: Directory,
}

impl Tables {
    /// The full name of the first file, for messages that concern them all.
    pub(crate) fn place(&self) -> String {
        self.files.place(0)
    }

    /// Adds a table to those of a database that grows.
    pub(crate) fn add(&self, tier: Tier, extent: TableExtent) {
        // First the file: who finds the table must see that it is opened anew.
        self.files.extend(extent.file, extent.end());
        self.directory.add(tier, extent);
    }

    /// Reads a table's head and index.
    pub(crate) fn table(&self, tier: Tier) -> Result<Table> {
        let found = self.directory.find(tier);
        self.table_at(tier, found.ok_or_else(|| StoreError::NoTable { file: self.place(), tier })?)
    }

    pub(crate) fn table_at(&self, tier: Tier, extent: TableExtent) -> Result<Table> {
        self.table_in(&*self.files.source(extent.file, extent.end())?, tier, extent)
    }

    /// Reads a table's head and index from an open file.
    pub(crate) fn table_in(&self, source: &dyn FileSource, tier: Tier, extent: TableExtent) -> Result<Table> {
        let file = self.files.place(extent.file);
        let why = match read_table(source, &file, extent.offset, extent.end()) {
            Ok(table) => match table.head {
                Head { tier: found, crc, .. } if found == tier && !format::differs(crc, extent.crc) => {
                    return Ok(Table { file: extent.file, ..table });
                }
                _ => "another table is here than the directory says",
            },
            Err(Fault::Io(e)) => return Err(e),
            Err(Fault::Cut) => "the file ends inside the table",
            Err(Fault::Head(why) | Fault::Body { why, .. }) => why,
        };
        Err(StoreError::damaged(&file, extent.offset, format!("tier {tier}: {why}")))
    }

    /// Reads, checks and decodes one block.
    pub(crate) fn block(&self, file: u16, head: &Head, line: &Line, block: u64) -> Result<Vec<u8>> {
        let bad = |why: &str| StoreError::DamagedBlock {
            file: self.files.place(file),
            tier: head.tier,
            block,
            why: why.to_string(),
        };
        let codec = Codec::from_byte(line.codec()).ok_or_else(|| bad("its codec is not known"))?;
        let value = match codec {
            Codec::Constant => u16::try_from(line.length())
                .ok()
                .filter(|&v| v <= head.width.dont_care())
                .ok_or_else(|| bad("its value is too large"))?,
            _ => 0,
        };
        let mut bytes = vec![0; line.stored() as usize];
        let source = self.files.source(file, line.offset + u64::from(line.stored()))?;
        match source.read_exact_at(&mut bytes, line.offset) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Err(bad("the file ends inside it")),
            read => read.map_err(|e| StoreError::io("read", &self.files.place(file), e))?,
        }
        if format::differs(crc32fast::hash(&bytes), line.crc) {
            return Err(bad("its checksum is wrong"));
        }
        unpack(codec, value, &bytes, head.width, head.block_entries(block)).map_err(bad)
    }
}
