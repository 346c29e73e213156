//! Opening the files of tables: by the directory when the database is complete, by walking over the records when it
//! is not. A run that was killed leaves at most one record cut short in a file, at its end; that tail is dropped.
//! Damage with intact records behind it is something else, and never dropped silently.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use zermelo_core::Tier;

use crate::backend::{FileSource, Folder};
use crate::error::{Result, StoreError};
use crate::files::{Ends, Files, annexes, check_header, open_file};
use crate::format::{self, FILE_HEADER, HEAD, Head, TableExtent, tables_name};
use crate::manifest::{DirectoryPlace, Manifest};
use crate::tables::{Directory, Fault, Table, Tables, read_table};
use crate::tail::SYNC_BYTES;

/// How far from the end of `tables.zmo` a writer also checks the blocks: more than can be waiting for a sync.
const CHECKED_TAIL: u64 = 64 << 20;
/// How far from the end of an annex a writer also checks the blocks: just what can be waiting for a sync where all ranks
/// are on one machine, as there may be a thousand annexes.
const CHECKED_ANNEX: u64 = 2 * SYNC_BYTES;

/// How many bytes are searched at a time for the head of a record.
const SEARCH_CHUNK: usize = 1 << 16;

/// The records of an incomplete database.
#[derive(Default)]
pub(crate) struct Scan {
    /// Where the table of each tier is.
    pub tables: BTreeMap<Tier, TableExtent>,
    /// Positions of all tables together.
    pub positions: u64,
    /// Where the last good record of each file ends; 0 where there is not even a header.
    pub ends: BTreeMap<u16, u64>,
    /// Bytes behind the last good record of each file, which are dropped.
    pub dropped: BTreeMap<u16, u64>,
}

/// Opens the tables of a database for reading, in either state.
pub(crate) fn open_tables(folder: Arc<dyn Folder>, manifest: &Manifest) -> Result<Tables> {
    match &manifest.directory {
        Some(place) => open_directory(folder, manifest, place),
        None => Ok(scan(&*folder, manifest, false)?.into_tables(folder, manifest, None)),
    }
}

fn open_directory(folder: Arc<dyn Folder>, manifest: &Manifest, place: &DirectoryPlace) -> Result<Tables> {
    let lengths = [&[manifest.bytes][..], &manifest.annexes].concat();
    let mut limits = lengths.clone();
    limits[0] = place.offset;
    let known = RwLock::new((0..=u16::MAX).zip(lengths).collect());
    let files = Files::new(folder, manifest.identity.crc(), Ends { fixed: true, own: None, known });
    let (source, file) = (files.source(0, manifest.bytes)?, files.place(0));
    if place.offset.checked_add(place.length) != Some(manifest.bytes) {
        return Err(StoreError::damaged(&file, place.offset, "the directory is not at the end of the file"));
    }
    // The file really is that long, so this allocates no more than its size.
    let mut bytes = vec![0; place.length as usize];
    source.read_exact_at(&mut bytes, place.offset).map_err(|e| StoreError::read(&file, place.offset, e))?;
    format::check_directory(&bytes, &limits, place.crc32, manifest.tables)
        .map_err(|why| StoreError::damaged(&file, place.offset, why))?;
    Ok(Tables { files, directory: Directory::Sorted(bytes) })
}

/// Walks over all records of an incomplete database, in all its files; `check_tails` also checks the blocks of those
/// that may not have been synced.
pub(crate) fn scan(folder: &dyn Folder, manifest: &Manifest, check_tails: bool) -> Result<Scan> {
    let mut scan = Scan::default();
    let crc = manifest.identity.crc();
    scan.walk(folder, 0, crc, check_tails.then_some(CHECKED_TAIL))?;
    for file in annexes(folder)? {
        scan.walk(folder, file, crc, check_tails.then_some(CHECKED_ANNEX))?;
    }
    Ok(scan)
}

impl Scan {
    /// The tables that were found; this process is to write to the file `own`, if to any.
    pub(crate) fn into_tables(
        self,
        folder: Arc<dyn Folder>,
        manifest: &Manifest,
        own: Option<u16>,
    ) -> Tables {
        let ends = Ends { fixed: false, own, known: RwLock::new(self.ends) };
        let files = Files::new(folder, manifest.identity.crc(), ends);
        Tables { files, directory: Directory::Live(RwLock::new(self.tables)) }
    }

    /// Walks over the records of one file; blocks are checked in the last `tail` bytes.
    fn walk(&mut self, folder: &dyn Folder, file: u16, identity_crc: u32, tail: Option<u64>) -> Result<()> {
        let place = folder.place(&tables_name(file));
        let source = open_file(folder, file)?;
        let length = source.length().map_err(|e| StoreError::io("read", &place, e))?;
        let mut end = 0;
        if length >= FILE_HEADER as u64 {
            check_header(&*source, &place, identity_crc)?;
            end = self.walk_records(&*source, &place, file, length, tail)?;
        }
        self.ends.insert(file, end);
        self.dropped.insert(file, length - end);
        Ok(())
    }

    /// Walks over the records of one file from behind its header; returns where the last good record ends.
    fn walk_records(
        &mut self,
        source: &dyn FileSource,
        place: &str,
        file: u16,
        length: u64,
        tail: Option<u64>,
    ) -> Result<u64> {
        let mut end = FILE_HEADER as u64;
        while end < length {
            let (search_from, why) = match next(source, place, end, length, tail) {
                Ok(Table { head, .. }) => {
                    self.add(place, file, end, &head)?;
                    end += head.record_bytes();
                    continue;
                }
                Err(Fault::Io(e)) => return Err(e),
                Err(Fault::Cut) => break,
                Err(Fault::Head(why)) => (end + 1, why),
                Err(Fault::Body { end, why }) => (end, why),
            };
            if let Some(found) = find_record(source, place, search_from, length)? {
                let why = format!("{why}, and intact tables follow from byte {found}");
                return Err(StoreError::damaged(place, end, why));
            }
            break;
        }
        Ok(end)
    }

    /// Takes up a table. One that another file holds too was solved twice, by two processes, and the first counts.
    fn add(&mut self, place: &str, file: u16, offset: u64, head: &Head) -> Result<()> {
        match self.tables.get(&head.tier) {
            Some(other) if other.file == file => {
                Err(StoreError::damaged(place, offset, format!("tier {} is here twice", head.tier)))
            }
            Some(_) => Ok(()),
            None => {
                let extent = TableExtent { file, offset, length: head.record_bytes(), crc: head.crc };
                self.tables.insert(head.tier, extent);
                self.positions = self.positions.saturating_add(head.positions);
                Ok(())
            }
        }
    }
}

fn next(
    source: &dyn FileSource,
    file: &str,
    offset: u64,
    length: u64,
    tail: Option<u64>,
) -> Result<Table, Fault> {
    let table = read_table(source, file, offset, length)?;
    let end = offset + table.head.record_bytes();
    if tail.is_some_and(|tail| length - end <= tail) {
        let mut bytes = Vec::new();
        for line in &table.lines {
            bytes.resize(line.stored() as usize, 0);
            source
                .read_exact_at(&mut bytes, line.offset)
                .map_err(|e| Fault::Io(StoreError::read(file, line.offset, e)))?;
            if format::differs(crc32fast::hash(&bytes), line.crc) {
                return Err(Fault::Body { end, why: "the checksum of a block is wrong" });
            }
        }
    }
    Ok(table)
}

/// The offset of the first whole record that begins at or after `from`, found by its head.
fn find_record(source: &dyn FileSource, file: &str, from: u64, length: u64) -> Result<Option<u64>> {
    let mut offset = from;
    let mut bytes = vec![0; SEARCH_CHUNK];
    while length.saturating_sub(offset) >= HEAD as u64 {
        bytes.truncate((length - offset).min(SEARCH_CHUNK as u64) as usize);
        source.read_exact_at(&mut bytes, offset).map_err(|e| StoreError::read(file, offset, e))?;
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
