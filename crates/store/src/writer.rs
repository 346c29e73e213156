//! Writing a database: tables are appended one at a time, in whatever order they are solved, and finished
//! tables are the checkpoint of a run. One writer holds the lock of the database; its threads share it. It also
//! takes note of the tables that other processes append to their annexes.
//!
//! What is lost when things go wrong. A killed process loses the table that was being written and no other: a
//! table is in the kernel's hands before [`Writer::append`] returns. A power loss can also lose the small tables
//! since the last sync, which comes with the first append after a second, and after 8 MiB at the latest. A
//! failed write is undone by cutting the file back to the end of the last good table.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::Value;

use zermelo_core::{Tier, Unpoisoned, Width};

use crate::backend::{Folder, Lock, Sink};
use crate::codec::PackedBlock;
use crate::error::{Result, StoreError};
use crate::files::{annexes, check_header, open_file, require_free};
use crate::format::{self, FILE_HEADER, MANIFEST, MAX_FILE_BYTES, TABLES, TableExtent, tables_name};
use crate::manifest::{DirectoryPlace, Identity, Manifest, State};
use crate::reader::{Reader, missing_manifest};
use crate::scan::{open_tables, scan};
use crate::tables::Tables;
use crate::tail::{Record, Tail, When, begin_file, push_all};

/// A database that is being written; there is at most one writer of a database at a time.
pub struct Writer {
    folder: Arc<dyn Folder>,
    identity: Identity,
    tables: Arc<Tables>,
    log: Mutex<Log>,
    dropped: u64,
    // Last, so that the lock is given back when everything else is closed.
    _lock: Box<dyn Lock>,
}

/// What has been written so far.
struct Log {
    tail: Tail,
    manifest: Manifest,
    /// Set once the directory is on the disk; from then on nothing may be added.
    directory: Option<DirectoryPlace>,
}

impl Writer {
    /// Creates a database, or goes on with the one that is there if its identity is the same.
    ///
    /// While a process of an earlier run still appends to an annex, this is refused with [`StoreError::AnnexBusy`].
    pub fn open(folder: impl Folder + 'static, identity: Identity) -> Result<Writer> {
        Writer::start(Arc::new(folder), identity, false)
    }

    /// Creates a database in place of whatever is there.
    pub fn fresh(folder: impl Folder + 'static, identity: Identity) -> Result<Writer> {
        Writer::start(Arc::new(folder), identity, true)
    }

    fn start(folder: Arc<dyn Folder>, identity: Identity, fresh: bool) -> Result<Writer> {
        let file = folder.place(TABLES);
        let lock = folder.lock(TABLES).map_err(|e| StoreError::write(&file, FILE_HEADER as u64, e))?;
        let lock = lock.ok_or_else(|| StoreError::Busy { file: file.clone() })?;
        // Before anything is read or changed: such a process may also write scratch files.
        require_free(&*folder)?;
        let mut sink = folder.sink(TABLES).map_err(|e| StoreError::io("open", &file, e))?;
        if fresh {
            // The manifest goes first: the old tables must never be taken for those of the new run.
            folder.remove(MANIFEST).map_err(|e| StoreError::io("remove", &folder.place(MANIFEST), e))?;
            remove_annexes(&*folder, &BTreeSet::new())?;
            sink.truncate(0).and_then(|()| sink.sync()).map_err(|e| StoreError::io("empty", &file, e))?;
        }
        let mut manifest = match Manifest::read(&*folder)? {
            Some((manifest, ..)) => manifest,
            None => begin(&*folder, &mut *sink, &identity)?,
        };
        manifest.check_identity(&folder.place(MANIFEST), &identity)?;
        let (tables, end, dropped) = match manifest.state {
            State::Complete => (open_tables(Arc::clone(&folder), &manifest)?, manifest.bytes, 0),
            State::Solving => resume(&folder, &mut *sink, &mut manifest)?,
        };
        let directory = manifest.directory.clone();
        let log = Mutex::new(Log { tail: Tail::new(sink, end), manifest, directory });
        Ok(Writer { folder, identity, tables: Arc::new(tables), log, dropped, _lock: lock })
    }

    /// Stores the table of a tier, and returns where it is.
    ///
    /// All blocks but the last must have the same number of entries, a power of two such as
    /// [`BLOCK_ENTRIES`](crate::BLOCK_ENTRIES). After an error nothing of the table is left, and the call may
    /// be repeated. Other machines can read the table after [`Writer::sync`].
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
        let mut log = self.log_for(tier)?;
        let written = record.append(&mut log.tail, 0, When::Soon, |gather| push_all(gather, blocks));
        let extent = written.map_err(|e| record.error(&self.tables.place(), e))?;
        log.add(positions);
        self.tables.add(tier, extent);
        Ok(extent)
    }

    /// Adds a table that another process appended to its annex to the database, as if it were appended here. The head
    /// and index of the table are read and checked. A table of a tier that has one already is refused.
    pub fn adopt(&self, tier: Tier, extent: TableExtent, positions: u64) -> Result<()> {
        let unstorable = |why: &str| StoreError::Unstorable { tier, why: why.to_string() };
        if extent.file == 0 || extent.offset < FILE_HEADER as u64 || extent.end() > MAX_FILE_BYTES {
            return Err(unstorable("it is said to be where no annex has a table"));
        }
        drop(self.log_for(tier)?);
        // Not through the files that are kept open: those may not show it yet.
        let source = self.tables.files.open_anew(extent.file)?;
        let head = self.tables.table_in(&*source, tier, extent)?.head;
        if (head.record_bytes(), head.positions) != (extent.length, positions) {
            return Err(unstorable("its annex has another length or number of positions for it"));
        }
        let mut log = self.log_for(tier)?;
        log.add(positions);
        self.tables.add(tier, extent);
        Ok(())
    }

    /// The log, if the table of a tier may be added.
    fn log_for(&self, tier: Tier) -> Result<MutexGuard<'_, Log>> {
        let log = self.log();
        if log.directory.is_some() {
            return Err(StoreError::Finished { file: self.tables.place() });
        }
        if self.contains(tier) {
            return Err(StoreError::Unstorable { tier, why: "it is already stored".to_string() });
        }
        Ok(log)
    }

    /// Waits until all tables are on the disk.
    pub fn sync(&self) -> Result<()> {
        self.log().tail.sync().map_err(|e| StoreError::write(&self.tables.place(), 0, e))
    }

    /// Declares the database complete and records a summary; after an error the call may be repeated.
    ///
    /// This fails where another program has removed, replaced or changed the file of tables since it was opened.
    ///
    /// No process may write to an annex any more: each annex is cut behind the last table that was adopted from it, and
    /// removed if there is none.
    pub fn finish(&self, summary: Value) -> Result<()> {
        let mut log = self.log();
        if log.manifest.state == State::Complete {
            return Err(StoreError::Finished { file: self.tables.place() });
        }
        let annexes = self.settle_annexes()?;
        let place = match log.directory.clone() {
            Some(place) => place,
            None => {
                let bytes = format::encode_directory(self.tables.directory.all().into_iter());
                let (length, crc32) = (bytes.len() as u64, format::directory_crc(&bytes));
                let written = log.tail.write(length, When::Now, |gather| gather.push(&bytes));
                let offset = written.map_err(|e| StoreError::write(&self.tables.place(), length, e))?;
                // A failed publish may yet have replaced the manifest, so the directory has to stay from here on.
                log.directory.insert(DirectoryPlace { offset, length, crc32 }).clone()
            }
        };
        log.tail.check().map_err(|e| StoreError::io("finish", &self.tables.place(), e))?;
        let complete = Manifest {
            state: State::Complete,
            bytes: place.offset + place.length,
            annexes,
            directory: Some(place),
            summary,
            ..log.manifest.clone()
        };
        complete.write(&*self.folder)?;
        log.manifest = complete;
        Ok(())
    }

    /// Brings the annexes into their last form, on the disk, and returns their lengths.
    fn settle_annexes(&self) -> Result<Vec<u64>> {
        let tables = self.tables.directory.all();
        let used: BTreeSet<u16> =
            tables.iter().map(|(_, extent)| extent.file).filter(|file| *file > 0).collect();
        remove_annexes(&*self.folder, &used)?;
        for &file in &used {
            let (place, end) = (self.tables.files.place(file), self.tables.files.end(file));
            let source = open_file(&*self.folder, file)?;
            check_header(&*source, &place, self.identity.crc())?;
            let length = source.length().map_err(|e| StoreError::io("read", &place, e))?;
            if length < end {
                return Err(StoreError::damaged(&place, length, format!("its tables reach to byte {end}")));
            }
            let settled = self.folder.sink(&tables_name(file)).and_then(|mut sink| {
                if length > end {
                    sink.truncate(end)?;
                }
                sink.sync()
            });
            settled.map_err(|e| StoreError::write(&place, 0, e))?;
        }
        let length = |file| if used.contains(&file) { self.tables.files.end(file) } else { 0 };
        Ok((1..=used.last().copied().unwrap_or(0)).map(length).collect())
    }

    /// Where the table of a tier is, if the database has one.
    pub fn extent(&self, tier: Tier) -> Option<TableExtent> {
        self.tables.directory.find(tier)
    }

    /// Where the good records of an annex end, as far as they are known; 0 if there is none.
    pub fn annex_end(&self, file: u16) -> u64 {
        self.tables.files.end(file)
    }

    /// Whether the database is complete.
    pub fn state(&self) -> State {
        self.log().manifest.state
    }

    /// The summary of a complete database; null before.
    pub fn summary(&self) -> Value {
        self.log().manifest.summary.clone()
    }

    /// Whether the table of a tier is finished.
    pub fn contains(&self, tier: Tier) -> bool {
        self.tables.directory.find(tier).is_some()
    }

    /// The positions of all finished tables together.
    pub fn positions(&self) -> u64 {
        self.log().manifest.positions
    }

    /// The bytes of all files of tables.
    pub fn bytes(&self) -> u64 {
        self.log().tail.end() + self.tables.files.annex_bytes()
    }

    /// How many bytes of records that were cut short were dropped when the database was opened.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// A reader that sees the tables so far and every one that is appended later.
    pub fn reader(&self, cache_bytes: usize) -> Reader {
        let manifest = self.log().manifest.clone();
        let measure = manifest.measure();
        Reader::over(Arc::clone(&self.tables), manifest, measure, cache_bytes)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unpoisoned()
    }
}

impl Log {
    /// Counts one more table.
    fn add(&mut self, positions: u64) {
        self.manifest.tables += 1;
        self.manifest.positions = self.manifest.positions.saturating_add(positions);
    }
}

/// Begins a database where there is none.
fn begin(folder: &dyn Folder, sink: &mut dyn Sink, identity: &Identity) -> Result<Manifest> {
    match missing_manifest(folder)? {
        StoreError::NotFound { .. } => {}
        damaged => return Err(damaged),
    }
    // Annexes that are left hold nothing but a header at most, but that may be of another database.
    remove_annexes(folder, &BTreeSet::new())?;
    begin_file(sink, &folder.place(TABLES), identity)?;
    let manifest = Manifest::begin(identity.clone());
    manifest.write(folder)?;
    Ok(manifest)
}

/// Removes all annexes but some.
fn remove_annexes(folder: &dyn Folder, keep: &BTreeSet<u16>) -> Result<()> {
    for file in annexes(folder)?.into_iter().filter(|file| !keep.contains(file)) {
        let name = tables_name(file);
        folder.remove(&name).map_err(|e| StoreError::io("remove", &folder.place(&name), e))?;
    }
    Ok(())
}

/// Finds the tables of an incomplete database and cuts off what a killed run left behind them.
fn resume(
    folder: &Arc<dyn Folder>,
    sink: &mut dyn Sink,
    manifest: &mut Manifest,
) -> Result<(Tables, u64, u64)> {
    let mut found = scan(&**folder, manifest, true)?;
    let cut_short = |file: &u16| found.dropped.get(file).is_some_and(|bytes| *bytes > 0);
    for (&file, &end) in found.ends.iter().filter(|(file, _)| cut_short(file)) {
        let failed = |doing| move |e| StoreError::io(doing, &folder.place(&tables_name(file)), e);
        let cut = match file {
            0 => sink.truncate(end),
            _ => folder.sink(&tables_name(file)).map_err(failed("open"))?.truncate(end),
        };
        cut.map_err(failed("cut"))?;
    }
    let dropped = found.dropped.values().sum();
    let end = found.ends.entry(0).or_default();
    if *end == 0 {
        begin_file(sink, &folder.place(TABLES), &manifest.identity)?;
        *end = FILE_HEADER as u64;
    }
    let end = *end;
    manifest.tables = found.tables.len() as u64;
    manifest.positions = found.positions;
    Ok((found.into_tables(Arc::clone(folder), manifest, Some(0)), end, dropped))
}
