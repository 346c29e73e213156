//! A file of tables of one's own, for a process that solves tiers of a database whose [`Writer`](crate::Writer) another
//! process has, perhaps on another machine. Nobody else appends to it: it is locked as long as it is open, so that the
//! next run notices a process that has outlived the others of its own. The record formats and the recovery are those
//! of `tables.zmo`. What is appended counts once the writer has adopted it.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, RwLock};

use zermelo_core::{Tier, Unpoisoned, Width};

use crate::backend::{Folder, Lock, open_if_any};
use crate::codec::{BlockLine, PackedBlock};
use crate::error::{Result, StoreError};
use crate::files::{Ends, Files, check_header, lock_annex};
use crate::format::{FILE_HEADER, TableExtent, tables_name};
use crate::manifest::{Identity, Manifest};
use crate::reader::Reader;
use crate::tables::{Directory, Tables};
use crate::tail::{Gather, Record, Tail, When, begin_file, push_all};

/// A file of tables that this process appends to, while another process has the [`Writer`](crate::Writer) of the
/// database; and what this process knows of the tables in the files of other processes.
pub struct Annex {
    file: u16,
    identity: Identity,
    tables: Arc<Tables>,
    tail: Mutex<Tail>,
    when: When,
    // Last, so that the lock is given back when everything else is closed.
    _lock: Box<dyn Lock>,
}

impl Annex {
    /// Opens an annex at the end of its good records, which [`Writer::annex_end`](crate::Writer::annex_end) gives, and
    /// cuts off what lies behind. With an end of 0 the annex is begun.
    ///
    /// An annex that is open elsewhere is refused with [`StoreError::AnnexBusy`]. The number of the file is 1 or more.
    pub fn open(folder: impl Folder + 'static, identity: &Identity, file: u16, end: u64) -> Result<Annex> {
        let folder: Arc<dyn Folder> = Arc::new(folder);
        let (name, place) = (tables_name(file), folder.place(&tables_name(file)));
        if file == 0 {
            return Err(StoreError::BadAnnex {
                file: place,
                why: "number 0 is that of the writer's file".to_string(),
            });
        }
        let lock = lock_annex(&*folder, file)?;
        let length = found_length(&*folder, &name, identity)?;
        let mut sink = folder.sink(&name).map_err(|e| StoreError::io("open", &place, e))?;
        let end = end.max(FILE_HEADER as u64);
        if end == FILE_HEADER as u64 {
            begin_file(&mut *sink, &place, identity)?;
        } else if length < end {
            return Err(StoreError::damaged(&place, length, format!("its tables reach to byte {end}")));
        } else {
            sink.truncate(end).map_err(|e| StoreError::io("cut", &place, e))?;
        }
        let known = RwLock::new(BTreeMap::from([(file, end)]));
        let files = Files::new(folder, identity.crc(), Ends { fixed: false, own: Some(file), known });
        let tables = Arc::new(Tables { files, directory: Directory::Live(RwLock::default()) });
        let tail = Mutex::new(Tail::new(sink, end));
        Ok(Annex { file, identity: identity.clone(), tables, tail, when: When::Now, _lock: lock })
    }

    /// Declares that all processes that read the annex are on this machine. Tables are then not synced one by one, but
    /// as [`Writer::append`](crate::Writer::append) syncs them.
    pub fn on_one_machine(self) -> Annex {
        Annex { when: When::Soon, ..self }
    }

    /// Stores the table of a tier and returns where it is. On return the table is on the disk, for other machines to
    /// read, unless all processes are [on one machine](Annex::on_one_machine).
    ///
    /// Otherwise as [`Writer::append`](crate::Writer::append).
    pub fn append(
        &self,
        tier: Tier,
        width: Width,
        entries: u64,
        positions: u64,
        blocks: &[PackedBlock],
    ) -> Result<TableExtent> {
        let lines: Vec<_> = blocks.iter().map(PackedBlock::line).collect();
        let record = Record::new(tier, width, entries, positions, &lines)?;
        let written = self.write(tier, &record, |gather| push_all(gather, blocks))?;
        written.map_err(|e| record.error(&self.place(), e))
    }

    /// Stores the table of a tier that is not in memory as a whole, and returns where it is; otherwise as
    /// [`Annex::append`].
    ///
    /// `next` gives the bytes of the blocks, in order and in pieces of any size, and `None` at the end. Other appends
    /// wait meanwhile. When the bytes are not those that `lines` describe, or `next` fails, nothing of the table is
    /// left.
    pub fn append_streamed(
        &self,
        tier: Tier,
        width: Width,
        entries: u64,
        positions: u64,
        lines: &[BlockLine],
        next: &mut dyn FnMut() -> io::Result<Option<Vec<u8>>>,
    ) -> Result<TableExtent> {
        let record = Record::new(tier, width, entries, positions, lines)?;
        let mut unfit = None;
        let written = self.write(tier, &record, |gather| {
            let mut rest = Expected::of(lines);
            while let Some(piece) = next()? {
                rest.take(&piece).map_err(|why| refuse(&mut unfit, why))?;
                gather.push(&piece)?;
            }
            rest.finish().map_err(|why| refuse(&mut unfit, why))
        })?;
        written.map_err(|e| match unfit {
            Some(why) => StoreError::Unstorable { tier, why: why.to_string() },
            None => record.error(&self.place(), e),
        })
    }

    /// Appends a record, unless its tier is known.
    fn write(
        &self,
        tier: Tier,
        record: &Record,
        fill: impl FnOnce(&mut Gather<'_>) -> io::Result<()>,
    ) -> Result<io::Result<TableExtent>> {
        let mut tail = self.tail.lock().unpoisoned();
        if self.contains(tier) {
            return Err(StoreError::Unstorable { tier, why: "it is already stored".to_string() });
        }
        let written = record.append(&mut tail, self.file, self.when, fill);
        if let Ok(extent) = &written {
            self.tables.add(tier, *extent);
        }
        Ok(written)
    }

    /// Takes note of where a table is that another process or an earlier run stored. Where a table of the tier is known
    /// already, the first note stays.
    ///
    /// The table is read when it is first asked for. It must have been synced: [`Annex::append`] sees to that, and
    /// [`Writer::sync`](crate::Writer::sync).
    pub fn know(&self, tier: Tier, extent: TableExtent) {
        let _tail = self.tail.lock().unpoisoned();
        if !self.contains(tier) {
            self.tables.add(tier, extent);
        }
    }

    /// Whether the table of a tier is known.
    pub fn contains(&self, tier: Tier) -> bool {
        self.tables.directory.find(tier).is_some()
    }

    /// A reader of all tables that are known here, now or later.
    pub fn reader(&self, cache_bytes: usize) -> Reader {
        let manifest = Manifest::begin(self.identity.clone());
        let measure = manifest.measure();
        Reader::over(Arc::clone(&self.tables), manifest, measure, cache_bytes)
    }

    fn place(&self) -> String {
        self.tables.files.place(self.file)
    }
}

/// The length of an annex, 0 when it is not there; one of another database is refused.
fn found_length(folder: &dyn Folder, name: &str, identity: &Identity) -> Result<u64> {
    let Some((source, length)) = open_if_any(folder, name)? else { return Ok(0) };
    if length >= FILE_HEADER as u64 {
        check_header(&*source, &folder.place(name), identity.crc())?;
    }
    Ok(length)
}

/// Remembers why bytes were refused, and makes an error of it that ends the writing.
fn refuse(unfit: &mut Option<&'static str>, why: &'static str) -> io::Error {
    *unfit = Some(why);
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// The bytes that are to come: how many, and the checksum of them all.
struct Expected {
    left: u64,
    crc: u32,
    seen: crc32fast::Hasher,
}

impl Expected {
    fn of(lines: &[BlockLine]) -> Expected {
        let mut all = crc32fast::Hasher::new();
        for line in lines {
            all.combine(&crc32fast::Hasher::new_with_initial_len(line.crc, line.stored()));
        }
        let left = lines.iter().map(BlockLine::stored).sum();
        Expected { left, crc: all.finalize(), seen: crc32fast::Hasher::new() }
    }

    fn take(&mut self, piece: &[u8]) -> Result<(), &'static str> {
        let left = self.left.checked_sub(piece.len() as u64);
        self.left = left.ok_or("more bytes came than its index says")?;
        self.seen.update(piece);
        Ok(())
    }

    fn finish(self) -> Result<(), &'static str> {
        match self.left {
            0 if self.seen.finalize() == self.crc => Ok(()),
            0 => Err("other bytes came than its index says"),
            _ => Err("fewer bytes came than its index says"),
        }
    }
}
