//! Writing a database: tables are appended one at a time, in whatever order they are solved, and finished
//! tables are the checkpoint of a run. One writer holds the lock of the database; its threads share it.
//!
//! What is lost when things go wrong. A killed process loses the table that was being written and no other: a
//! table is in the kernel's hands before [`Writer::append`] returns. A power loss can also lose the small tables
//! since the last sync, which comes with the first append after a second, and after 8 MiB at the latest. A
//! failed write is undone by cutting the file back to the end of the last good table.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use serde_json::Value;

use zermelo_core::{Tier, Width};

use crate::backend::{Folder, Lock, Sink};
use crate::codec::Packed;
use crate::error::{Error, Result};
use crate::format::{self, Extent, FILE_HEADER, MANIFEST, TABLES};
use crate::manifest::{DirectoryPlace, Identity, Manifest, State};
use crate::reader::{Reader, missing_manifest};
use crate::scan::{open_tables, scan};
use crate::tables::{Directory, TableInfo, Tables};

/// Tables wait for a sync no longer than this, counted when the next one is appended.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// No more bytes than this wait for a sync.
const SYNC_BYTES: u64 = 8 << 20;
/// Blocks are gathered into writes of about this size.
const WRITE_BYTES: usize = 1 << 20;

/// A database that is being written; there is at most one writer of a database at a time.
pub struct Writer {
    folder: Box<dyn Folder>,
    identity: Identity,
    tables: Arc<Tables>,
    tail: Mutex<Tail>,
    dropped: u64,
    // Last, so that the lock is given back when everything else is closed.
    _lock: Box<dyn Lock>,
}

/// The end of the file of tables, where writing happens.
struct Tail {
    sink: Box<dyn Sink>,
    /// Where the last good record ends.
    end: u64,
    /// Whether there may be bytes behind `end` that have to go before the next write.
    dirty: bool,
    unsynced: u64,
    synced_at: Instant,
    manifest: Manifest,
    /// Set once the directory is on the disk; from then on nothing may be appended.
    directory: Option<DirectoryPlace>,
}

impl Writer {
    /// Creates a database, or goes on with the one that is there if its identity is the same.
    pub fn open(folder: impl Folder + 'static, identity: Identity) -> Result<Writer> {
        Writer::start(Box::new(folder), identity, false)
    }

    /// Creates a database in place of whatever is there.
    pub fn fresh(folder: impl Folder + 'static, identity: Identity) -> Result<Writer> {
        Writer::start(Box::new(folder), identity, true)
    }

    fn start(folder: Box<dyn Folder>, identity: Identity, fresh: bool) -> Result<Writer> {
        let file = folder.place(TABLES);
        let lock = folder.lock(TABLES).map_err(|e| Error::write(&file, FILE_HEADER as u64, e))?;
        let lock = lock.ok_or_else(|| Error::Busy { file: file.clone() })?;
        let mut sink = folder.sink(TABLES).map_err(|e| Error::io("open", &file, e))?;
        if fresh {
            // The manifest goes first: the old tables must never be taken for those of the new run.
            folder.remove(MANIFEST).map_err(|e| Error::io("remove", &folder.place(MANIFEST), e))?;
            sink.truncate(0).and_then(|()| sink.sync()).map_err(|e| Error::io("empty", &file, e))?;
        }
        let found = Manifest::read(&*folder)?.map(|(manifest, ..)| manifest);
        let mut manifest = match found {
            Some(manifest) => manifest,
            None => match missing_manifest(&*folder)? {
                Error::NotFound { .. } => {
                    let manifest = Manifest::begin(identity.clone());
                    begin_file(&mut *sink, &file, &identity)?;
                    manifest.write(&*folder)?;
                    manifest
                }
                damaged => return Err(damaged),
            },
        };
        manifest.check_identity(&folder.place(MANIFEST), &identity)?;
        let (tables, end, dropped) = match manifest.state {
            State::Complete => (open_tables(&*folder, &manifest)?, manifest.bytes, 0),
            State::Solving => resume(&*folder, &mut *sink, &file, &mut manifest)?,
        };
        let directory = manifest.directory.clone();
        let synced_at = Instant::now();
        let tail = Tail { sink, end, dirty: false, unsynced: 0, synced_at, manifest, directory };
        Ok(Writer {
            folder,
            identity,
            tables: Arc::new(tables),
            tail: Mutex::new(tail),
            dropped,
            _lock: lock,
        })
    }

    /// Stores the table of a tier.
    ///
    /// All blocks but the last must have the same number of entries, a power of two such as
    /// [`BLOCK_ENTRIES`](crate::BLOCK_ENTRIES). After an error nothing of the table is left, and the call may
    /// be repeated.
    pub fn append(
        &self,
        tier: Tier,
        width: Width,
        entries: u64,
        positions: u64,
        blocks: &[Packed],
    ) -> Result<()> {
        let unstorable = |why| Error::Unstorable { tier, why };
        let (head_bytes, head) =
            format::encode_head(tier, width, entries, positions, blocks).map_err(unstorable)?;
        let length = head.record_bytes();
        let mut tail = self.tail();
        if tail.directory.is_some() {
            return Err(Error::Finished { file: self.tables.file.clone() });
        }
        if self.contains(tier) {
            return Err(unstorable("it is already stored".to_string()));
        }
        let parts = std::iter::once(&head_bytes[..]).chain(blocks.iter().map(|b| &b.bytes[..]));
        let offset =
            tail.write(parts, length, false).map_err(|e| Error::write(&self.tables.file, length, e))?;
        tail.manifest.tables += 1;
        tail.manifest.positions = tail.manifest.positions.saturating_add(positions);
        self.tables.directory.add(tier, Extent { offset, length, crc: head.crc });
        Ok(())
    }

    /// Waits until all tables are on the disk.
    pub fn sync(&self) -> Result<()> {
        self.tail().sync().map_err(|e| Error::write(&self.tables.file, 0, e))
    }

    /// Declares the database complete and records a summary; after an error the call may be repeated.
    pub fn finish(&self, summary: Value) -> Result<()> {
        let mut tail = self.tail();
        if tail.manifest.state == State::Complete {
            return Err(Error::Finished { file: self.tables.file.clone() });
        }
        let place = match tail.directory.clone() {
            Some(place) => place,
            None => {
                let bytes = format::encode_directory(self.tables.directory.all().into_iter());
                let (length, crc32) = (bytes.len() as u64, format::directory_crc(&bytes));
                let offset = tail
                    .write(std::iter::once(&bytes[..]), length, true)
                    .map_err(|e| Error::write(&self.tables.file, length, e))?;
                // A failed publish may yet have replaced the manifest, so the directory has to stay from here on.
                tail.directory.insert(DirectoryPlace { offset, length, crc32 }).clone()
            }
        };
        let complete = Manifest {
            state: State::Complete,
            bytes: place.offset + place.length,
            directory: Some(place),
            summary,
            ..tail.manifest.clone()
        };
        complete.write(&*self.folder)?;
        tail.manifest = complete;
        Ok(())
    }

    /// Whether the database is complete.
    pub fn state(&self) -> State {
        self.tail().manifest.state
    }

    /// The identity of the database.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The summary of a complete database; null before.
    pub fn summary(&self) -> Value {
        self.tail().manifest.summary.clone()
    }

    /// Whether the table of a tier is finished.
    pub fn contains(&self, tier: Tier) -> bool {
        self.tables.directory.find(tier).is_some()
    }

    /// The finished tables in the order of their tiers, each read from its head in the file.
    pub fn tables(&self) -> Result<Vec<TableInfo>> {
        let all = self.tables.directory.all();
        all.into_iter().map(|(tier, extent)| Ok(self.tables.table_at(tier, extent)?.info())).collect()
    }

    /// The number of finished tables.
    pub fn table_count(&self) -> usize {
        self.tables.directory.len()
    }

    /// The positions of all finished tables together.
    pub fn positions(&self) -> u64 {
        self.tail().manifest.positions
    }

    /// The length of the file of tables.
    pub fn bytes(&self) -> u64 {
        self.tail().end
    }

    /// How many bytes of a record that was cut short were dropped when the database was opened.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// A reader that sees the tables so far and every one that is appended later.
    pub fn reader(&self, cache_bytes: usize) -> Reader {
        let manifest = self.tail().manifest.clone();
        let measure = manifest.measure();
        Reader::over(Arc::clone(&self.tables), manifest, measure, cache_bytes)
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tail {
    /// Appends a record made of parts and returns its offset; after an error the file is as before.
    fn write<'a>(
        &mut self,
        parts: impl Iterator<Item = &'a [u8]>,
        length: u64,
        sync_now: bool,
    ) -> std::io::Result<u64> {
        if self.dirty {
            self.sink.truncate(self.end)?;
            self.dirty = false;
        }
        // A large record begins with everything before it synced, so that a crash in its middle leaves
        // doubt about that record only (see CHECKED_TAIL in the scan).
        if length >= SYNC_BYTES {
            self.sync()?;
        }
        self.dirty = true;
        let written = self.write_parts(parts).and_then(|()| {
            self.unsynced += length;
            let due = self.unsynced >= SYNC_BYTES || self.synced_at.elapsed() >= SYNC_EVERY;
            if sync_now || due { self.sync() } else { Ok(()) }
        });
        if let Err(error) = written {
            // If this fails too, the next write tries again.
            self.dirty = self.sink.truncate(self.end).is_err();
            return Err(error);
        }
        self.dirty = false;
        let offset = self.end;
        self.end += length;
        Ok(offset)
    }

    fn write_parts<'a>(&mut self, parts: impl Iterator<Item = &'a [u8]>) -> std::io::Result<()> {
        let mut at = self.end;
        let mut buffer = Vec::new();
        for part in parts {
            buffer.extend_from_slice(part);
            if buffer.len() >= WRITE_BYTES {
                self.sink.write_all_at(&buffer, at)?;
                at += buffer.len() as u64;
                buffer.clear();
            }
        }
        self.sink.write_all_at(&buffer, at)
    }

    fn sync(&mut self) -> std::io::Result<()> {
        if self.unsynced > 0 {
            self.sink.sync()?;
        }
        self.unsynced = 0;
        self.synced_at = Instant::now();
        Ok(())
    }
}

/// Makes the file hold nothing but its header.
fn begin_file(sink: &mut dyn Sink, file: &str, identity: &Identity) -> Result<()> {
    let header = format::file_header(identity.crc());
    sink.truncate(0)
        .and_then(|()| sink.write_all_at(&header, 0))
        .and_then(|()| sink.sync())
        .map_err(|e| Error::write(file, header.len() as u64, e))
}

/// Finds the tables of an incomplete database and cuts off what a killed run left behind them.
fn resume(
    folder: &dyn Folder,
    sink: &mut dyn Sink,
    file: &str,
    manifest: &mut Manifest,
) -> Result<(Tables, u64, u64)> {
    let source = folder.source(TABLES).map_err(|e| Error::io("open", file, e))?;
    let mut found = scan(&*source, file, manifest, true)?;
    let dropped = found.length - found.end;
    if found.end == 0 {
        begin_file(sink, file, &manifest.identity)?;
        found.end = FILE_HEADER as u64;
    } else if dropped > 0 {
        sink.truncate(found.end).map_err(|e| Error::io("cut", file, e))?;
    }
    manifest.tables = found.tables.len() as u64;
    manifest.positions = found.positions;
    let directory = Directory::Live(RwLock::new(found.tables));
    Ok((Tables { file: file.to_string(), source, directory }, found.end, dropped))
}
