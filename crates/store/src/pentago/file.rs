//! Reading a `.pentago` file: headers when it is opened, the index of a section and its blocks when they are
//! first wanted. Indexes and blocks are kept in bounded caches.
//!
//! The headers have no checksum, but all that they say follows from the section, so it is compared; indexes and
//! blocks are .xz streams with a CRC-64. Nothing is allocated before it is compared with the file's length.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::blocks::{Block, ENTRY_BYTES, decompress};
use super::remote::Remote;
use crate::backend::FileSource;
use crate::cache::Cache;
use crate::error::{Result, StoreError};
use crate::plain::open_plain;
use zermelo_core::sections::{SIDE, SPOTS, Section};

const FILE_MAGIC: &[u8; 20] = b"pentago sections   \n";
const SECTION_MAGIC: &[u8; 20] = b"pentago supertensor\n";
const VERSION: u32 = 3;
/// Magic, version, number of sections, bytes of a section's header.
const FILE_HEADER: usize = 32;
const SECTION_HEADER: usize = 85;
/// Two bits of an entry beside each other belong to black and white.
const FILTER: u32 = 1;
const BLOB_BYTES: usize = 24;
/// No slice has more sections.
const MAX_SECTIONS: u32 = 8239;
/// No .xz stream with content is shorter.
const MIN_STREAM: u64 = 32;

/// A stretch of the file with compressed data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Blob {
    /// Bytes once decompressed.
    size: u64,
    /// Bytes in the file.
    packed: u64,
    offset: u64,
}

impl Blob {
    fn decode(bytes: &[u8; BLOB_BYTES]) -> Blob {
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| bytes[8 * i + k]));
        Blob { size: word(0), packed: word(1), offset: word(2) }
    }

    /// Compares with the size that it must have and with the stretch of the file where data may be.
    fn check(&self, size: u64, data: &std::ops::Range<u64>) -> Result<(), String> {
        let Blob { size: said, packed, offset } = *self;
        if said != size {
            return Err(format!("it says that it holds {said} bytes instead of {size}"));
        }
        if packed < MIN_STREAM || packed > 2 * size + 1024 {
            return Err(format!("{packed} compressed bytes cannot be {size} bytes"));
        }
        if offset < data.start || offset.checked_add(packed).is_none_or(|end| end > data.end) {
            return Err(format!(
                "{packed} bytes at {offset} are not inside of the file's {} bytes",
                data.end
            ));
        }
        Ok(())
    }
}

/// The fields of a section's header, all but the place of its index.
fn fields(section: Section) -> [(&'static str, Vec<u8>); 9] {
    let grid = section.grid();
    let shorts = |of: [usize; 4]| of.map(|n| (n as u16).to_le_bytes()).concat();
    [
        ("magic", SECTION_MAGIC.to_vec()),
        ("version", VERSION.to_le_bytes().to_vec()),
        ("mark of a finished file", vec![1]),
        ("number of stones", section.stones().to_le_bytes().to_vec()),
        ("section", section.sig().to_le_bytes().to_vec()),
        ("shape", shorts(grid.shape)),
        ("size of blocks", (SIDE as u32).to_le_bytes().to_vec()),
        ("number of blocks", shorts(grid.blocks)),
        ("filter", FILTER.to_le_bytes().to_vec()),
    ]
}

/// A `.pentago` file: the values of all boards with a number of stones, or of some sections of them.
pub struct Slice {
    name: String,
    source: Box<dyn FileSource>,
    /// Where compressed data can be: behind the headers, before the end.
    data: std::ops::Range<u64>,
    sections: Vec<(Section, Blob)>,
    numbers: HashMap<Section, usize>,
    indexes: Cache<Arc<Vec<Blob>>>,
    blocks: Cache<Arc<Block>>,
}

impl Slice {
    /// Opens a file on disk, with up to `cache_bytes` for decoded blocks and as many again for indexes.
    pub fn open_file(path: impl AsRef<Path>, cache_bytes: usize) -> Result<Slice> {
        let name = path.as_ref().display().to_string();
        let file = open_plain(path).map_err(|e| StoreError::io("open", &name, e))?;
        Slice::open(name, file, cache_bytes)
    }

    /// Opens a file at an `http://` or `https://` address, with up to `cache_bytes` for decoded blocks and as many again
    /// for indexes.
    pub fn open_url(url: &str, cache_bytes: usize) -> Result<Slice> {
        Slice::open(url, Remote::open(url)?, cache_bytes)
    }

    /// Opens a file from any source of bytes, with a name for messages, up to `cache_bytes` for decoded blocks and as
    /// many again for indexes.
    pub fn open(
        name: impl Into<String>,
        source: impl FileSource + 'static,
        cache_bytes: usize,
    ) -> Result<Slice> {
        let name = name.into();
        let length = source.length().map_err(|e| StoreError::io("measure", &name, e))?;
        let mut slice = Slice {
            name,
            source: Box::new(source),
            data: 0..length,
            sections: Vec::new(),
            numbers: HashMap::new(),
            indexes: Cache::new(cache_bytes),
            blocks: Cache::new(cache_bytes),
        };
        let count = slice.read_file_header()?;
        slice.data.start = (FILE_HEADER + SECTION_HEADER * count) as u64;
        slice.read_section_headers(count)?;
        slice.check_sections()?;
        Ok(slice)
    }

    /// The number of stones on every board.
    pub fn stones(&self) -> u32 {
        self.sections.first().map_or(0, |(section, _)| section.stones())
    }

    /// The sections in the order of the file.
    pub fn sections(&self) -> impl Iterator<Item = Section> + '_ {
        self.sections.iter().map(|(section, _)| *section)
    }

    /// Reads and decodes a block of a section, or takes it from the cache.
    pub fn block(&self, section: Section, block: [usize; 4]) -> Result<Arc<Block>> {
        let grid = section.grid();
        let missing = |why: &str| StoreError::NotInPentago {
            file: self.name.clone(),
            place: format!("section {section}, block {block:?}"),
            why: why.to_string(),
        };
        let &number = self.numbers.get(&section).ok_or_else(|| missing("the file has no such section"))?;
        let at = grid.number(block).ok_or_else(|| missing("the section has no such block"))?;
        let key = (number as u64, at as u64);
        if let Some(found) = self.blocks.with(key, Arc::clone) {
            return Ok(found);
        }
        let blob = self.index(number)?[at];
        let damaged = |why| self.damaged(format!("section {section}, block {block:?}"), why);
        let bytes = self.unpack(blob, &damaged)?;
        let decoded = Arc::new(Block::decode(grid.block_shape(block), &bytes).map_err(damaged)?);
        self.blocks.insert(key, Arc::clone(&decoded), decoded.bytes());
        Ok(decoded)
    }

    fn read_file_header(&self) -> Result<usize> {
        let damaged = |why| self.damaged("header".to_string(), why);
        let mut bytes = [0; FILE_HEADER];
        self.read(0, &mut bytes, &damaged)?;
        let word = |i: usize| u32::from_le_bytes(std::array::from_fn(|k| bytes[20 + 4 * i + k]));
        if bytes[..20] != FILE_MAGIC[..] {
            return Err(damaged("it does not begin like a file of several sections".to_string()));
        }
        if word(0) != VERSION {
            return Err(damaged(format!("version {} instead of {VERSION}", word(0))));
        }
        if word(2) as usize != SECTION_HEADER {
            return Err(damaged(format!("{} bytes for a section instead of {SECTION_HEADER}", word(2))));
        }
        if !(1..=MAX_SECTIONS).contains(&word(1)) {
            return Err(damaged(format!("{} sections, where 1 to {MAX_SECTIONS} can be", word(1))));
        }
        Ok(word(1) as usize)
    }

    fn read_section_headers(&mut self, count: usize) -> Result<()> {
        let damaged = |why| self.damaged("headers".to_string(), why);
        // Behind the headers there must be none left over: then the number of sections would be wrong.
        let mut bytes = vec![0; SECTION_HEADER * count + SECTION_MAGIC.len()];
        self.read(FILE_HEADER as u64, &mut bytes, &damaged)?;
        let (headers, behind) = bytes.split_at(SECTION_HEADER * count);
        if behind == SECTION_MAGIC {
            return Err(damaged(format!("there are more than the {count} sections that it says")));
        }
        let mut sections = Vec::with_capacity(count);
        for (number, header) in headers.as_chunks::<SECTION_HEADER>().0.iter().enumerate() {
            let read = read_section(header, &self.data);
            sections
                .push(read.map_err(|why| self.damaged(format!("header of section number {number}"), why))?);
        }
        self.sections = sections;
        Ok(())
    }

    /// Checks what the sections have to do with each other.
    fn check_sections(&mut self) -> Result<()> {
        let damaged =
            |section: Section, why: &str| self.damaged(format!("section {section}"), why.to_string());
        let mut numbers = HashMap::new();
        let mut needed = self.data.start;
        for (number, &(section, blob)) in self.sections.iter().enumerate() {
            if section.stones() != self.stones() {
                return Err(damaged(section, "it has another number of stones than the first one"));
            }
            if numbers.insert(section, number).is_some() {
                return Err(damaged(section, "it is there twice"));
            }
            needed += blob.packed + section.grid().len() as u64 * MIN_STREAM;
        }
        if needed > self.data.end {
            let why = format!("{} bytes are too few for its sections: it was cut short", self.data.end);
            return Err(self.damaged("headers".to_string(), why));
        }
        if let Some(number) = overlap(self.sections.iter().map(|(_, blob)| *blob)) {
            return Err(damaged(self.sections[number].0, "its index lies over another one"));
        }
        self.numbers = numbers;
        Ok(())
    }

    fn index(&self, number: usize) -> Result<Arc<Vec<Blob>>> {
        let key = (number as u64, 0);
        if let Some(found) = self.indexes.with(key, Arc::clone) {
            return Ok(found);
        }
        let (section, blob) = self.sections[number];
        let damaged = |why| self.damaged(format!("index of section {section}"), why);
        let bytes = self.unpack(blob, &damaged)?;
        let blobs: Vec<Blob> = bytes.as_chunks().0.iter().map(Blob::decode).collect();
        let grid = section.grid();
        for (at, blob) in blobs.iter().enumerate() {
            let block = grid.block(at);
            let size = grid.block_shape(block).iter().product::<usize>() * ENTRY_BYTES;
            blob.check(size as u64, &self.data).map_err(|why| damaged(format!("block {block:?}: {why}")))?;
        }
        if let Some(at) = overlap(blobs.iter().copied()) {
            return Err(damaged(format!("block {:?} lies over another one", grid.block(at))));
        }
        let bytes = blobs.len() * BLOB_BYTES;
        let blobs = Arc::new(blobs);
        self.indexes.insert(key, Arc::clone(&blobs), bytes);
        Ok(blobs)
    }

    /// Reads and decompresses a blob that was checked.
    fn unpack(&self, blob: Blob, damaged: &dyn Fn(String) -> StoreError) -> Result<Vec<u8>> {
        let mut packed = vec![0; blob.packed as usize];
        self.read(blob.offset, &mut packed, damaged)?;
        decompress(&packed, blob.size as usize).map_err(damaged)
    }

    fn read(&self, offset: u64, buffer: &mut [u8], damaged: &dyn Fn(String) -> StoreError) -> Result<()> {
        let end = offset.checked_add(buffer.len() as u64);
        if end.is_none_or(|end| end > self.data.end) {
            return Err(damaged(format!("the file ends too early, after {} bytes", self.data.end)));
        }
        self.source.read_exact_at(buffer, offset).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => damaged("the file ends too early".to_string()),
            _ => StoreError::io("read", &self.name, error),
        })
    }

    fn damaged(&self, place: String, why: String) -> StoreError {
        StoreError::DamagedPentago { file: self.name.clone(), place, why }
    }
}

/// Reads the header of a section and compares it with the one that the section must have.
fn read_section(
    header: &[u8; SECTION_HEADER],
    data: &std::ops::Range<u64>,
) -> Result<(Section, Blob), String> {
    let sig = u64::from_le_bytes(std::array::from_fn(|i| header[29 + i]));
    let section = Section::from_sig(sig).ok_or_else(|| format!("there is no section {sig:#018x}"))?;
    if !section.is_standard() || section.stones() > SPOTS {
        return Err(format!("section {section} is not a standard one"));
    }
    let mut rest = &header[..];
    for (name, right) in fields(section) {
        rest = rest.strip_prefix(&right[..]).ok_or_else(|| format!("section {section}: wrong {name}"))?;
    }
    let blob = Blob::decode(&std::array::from_fn(|i| rest[i]));
    let size = section.grid().len() as u64 * BLOB_BYTES as u64;
    blob.check(size, data).map_err(|why| format!("index of section {section}: {why}"))?;
    Ok((section, blob))
}

/// The number of a blob that lies over another one.
fn overlap(blobs: impl Iterator<Item = Blob>) -> Option<usize> {
    let mut sorted: Vec<_> = blobs.enumerate().map(|(i, b)| (b.offset, b.packed, i)).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0].0 + pair[0].1 > pair[1].0).map(|pair| pair[1].2)
}
