//! Opening `tables.zmo`: by its directory when the database is complete, by walking over the records when it
//! is not. A run that was killed leaves at most one record cut short, at the end; that tail is dropped. Damage
//! with intact records behind it is something else, and never dropped silently.

use std::collections::BTreeMap;
use std::sync::RwLock;

use zermelo_core::Tier;

use crate::backend::{Folder, Source};
use crate::error::{Error, Result};
use crate::format::{self, BadFile, Extent, FILE_HEADER, FORMAT_VERSION, HEAD, Head, TABLES};
use crate::manifest::{DirectoryPlace, Manifest};
use crate::tables::{Directory, Fault, Table, Tables, read_table};

/// How far from the end of the file a writer also checks the blocks: more than can be waiting for a sync.
const CHECKED_TAIL: u64 = 64 << 20;

/// How many bytes are searched at a time for the head of a record.
const SEARCH_CHUNK: usize = 1 << 16;

/// The records of an incomplete database.
pub(crate) struct Scan {
    pub tables: BTreeMap<Tier, Extent>,
    pub positions: u64,
    /// Where the last good record ends.
    pub end: u64,
    /// The length of the file.
    pub length: u64,
}

/// Checks the file header; a file too short for one has nothing in it yet.
fn check_header(source: &dyn Source, file: &str, manifest: &Manifest) -> Result<()> {
    let mut header = [0; FILE_HEADER];
    source.read_exact_at(&mut header, 0).map_err(|e| Error::read(file, 0, e))?;
    let why = match format::check_file_header(&header, manifest.identity.crc()) {
        Ok(()) => return Ok(()),
        Err(BadFile::Version(found)) => {
            return Err(Error::Version { file: file.to_string(), found, known: FORMAT_VERSION });
        }
        Err(BadFile::Magic) => "this is no file of tables",
        Err(BadFile::Identity) => "these tables belong to another manifest",
    };
    Err(Error::damaged(file, 0, why))
}

/// Opens the tables of a database for reading, in either state.
pub(crate) fn open_tables(folder: &dyn Folder, manifest: &Manifest) -> Result<Tables> {
    let file = folder.place(TABLES);
    let source = folder.source(TABLES).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Error::damaged(&file, 0, "the file is missing"),
        _ => Error::io("open", &file, e),
    })?;
    let directory = match &manifest.directory {
        Some(place) => open_directory(&*source, &file, manifest, place)?,
        None => Directory::Live(RwLock::new(scan(&*source, &file, manifest, false)?.tables)),
    };
    Ok(Tables { file, source, directory })
}

fn open_directory(
    source: &dyn Source,
    file: &str,
    manifest: &Manifest,
    place: &DirectoryPlace,
) -> Result<Directory> {
    check_header(source, file, manifest)?;
    let length = source.length().map_err(|e| Error::io("read", file, e))?;
    let end = place.offset.checked_add(place.length);
    if length != manifest.bytes || end != Some(length) {
        let why = format!("it has {length} bytes, the manifest says {}", manifest.bytes);
        return Err(Error::damaged(file, length.min(manifest.bytes), why));
    }
    // The file really is that long, so this allocates no more than its size.
    let mut bytes = vec![0; place.length as usize];
    source.read_exact_at(&mut bytes, place.offset).map_err(|e| Error::read(file, place.offset, e))?;
    format::check_directory(&bytes, place.offset, place.crc32, manifest.tables)
        .map_err(|why| Error::damaged(file, place.offset, why))?;
    Ok(Directory::Sorted(bytes))
}

/// Walks over all records of an incomplete database; `check_tail` also checks the blocks of the last ones.
pub(crate) fn scan(source: &dyn Source, file: &str, manifest: &Manifest, check_tail: bool) -> Result<Scan> {
    let length = source.length().map_err(|e| Error::io("read", file, e))?;
    let mut scan = Scan { tables: BTreeMap::new(), positions: 0, end: 0, length };
    if length < FILE_HEADER as u64 {
        return Ok(scan);
    }
    check_header(source, file, manifest)?;
    scan.end = FILE_HEADER as u64;
    while scan.end < length {
        let offset = scan.end;
        let (search_from, why) = match next(source, file, offset, length, check_tail) {
            Ok(Table { head, .. }) => {
                let extent = Extent { offset, length: head.record_bytes(), crc: head.crc };
                if scan.tables.insert(head.tier, extent).is_some() {
                    return Err(Error::damaged(file, offset, format!("tier {} is here twice", head.tier)));
                }
                scan.positions = scan.positions.saturating_add(head.positions);
                scan.end += extent.length;
                continue;
            }
            Err(Fault::Io(e)) => return Err(e),
            Err(Fault::Cut) => break,
            Err(Fault::Head(why)) => (offset + 1, why),
            Err(Fault::Body { end, why }) => (end, why),
        };
        if let Some(found) = find_record(source, file, search_from, length)? {
            let why = format!("{why}, and intact tables follow from byte {found}");
            return Err(Error::damaged(file, offset, why));
        }
        break;
    }
    Ok(scan)
}

fn next(source: &dyn Source, file: &str, offset: u64, length: u64, check_tail: bool) -> Result<Table, Fault> {
    let table = read_table(source, file, offset, length)?;
    let end = offset + table.head.record_bytes();
    if check_tail && length - end <= CHECKED_TAIL {
        let mut bytes = Vec::new();
        for line in &table.lines {
            bytes.resize(line.stored() as usize, 0);
            source
                .read_exact_at(&mut bytes, line.offset)
                .map_err(|e| Fault::Io(Error::read(file, line.offset, e)))?;
            if format::differs(crc32fast::hash(&bytes), line.crc) {
                return Err(Fault::Body { end, why: "the checksum of a block is wrong" });
            }
        }
    }
    Ok(table)
}

/// The offset of the first whole record that begins at or after `from`, found by its head.
fn find_record(source: &dyn Source, file: &str, from: u64, length: u64) -> Result<Option<u64>> {
    let mut offset = from;
    let mut bytes = vec![0; SEARCH_CHUNK];
    while length.saturating_sub(offset) >= HEAD as u64 {
        bytes.truncate((length - offset).min(SEARCH_CHUNK as u64) as usize);
        source.read_exact_at(&mut bytes, offset).map_err(|e| Error::read(file, offset, e))?;
        for (at, window) in bytes.array_windows::<HEAD>().enumerate() {
            let begin = offset + at as u64;
            if format::record_begins(window)
                && Head::parse(window).is_ok_and(|head| head.record_bytes() <= length - begin)
            {
                return Ok(Some(begin));
            }
        }
        // The last bytes may be the beginning of a head.
        offset += (bytes.len() - (HEAD - 1)) as u64;
    }
    Ok(None)
}
