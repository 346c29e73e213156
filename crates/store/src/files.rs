//! The files of tables of a database, open for reading: `tables.zmo`, and annexes that other processes wrote. There
//! may be more annexes than a process may have files open, so they are opened when first read and only some are
//! kept open.
//!
//! Another machine may be appending to a file that is read here. A network file system shows a file at least as it
//! was when it was opened, and may show it no further for a long time. So each open file goes with the end of the
//! tables that were known when it was opened, and for a table behind that it is opened anew.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, RwLock};

use zermelo_core::Unpoisoned;

use crate::backend::{FileSource, Folder, Lock};
use crate::error::{Result, StoreError};
use crate::format::{self, BadFile, FILE_HEADER, FORMAT_VERSION, TABLES, tables_name};

/// How many files are kept open besides `tables.zmo`.
const MAX_OPEN: usize = 64;

/// The files of tables of one database.
pub(crate) struct Files {
    folder: Arc<dyn Folder>,
    identity_crc: u32,
    ends: Ends,
    open: RwLock<BTreeMap<u16, Open>>,
    /// How often a file was opened: the clock by which the one to close is chosen.
    clock: AtomicU64,
}

/// Where the files end.
pub(crate) struct Ends {
    /// Whether the database is complete, so that these are the lengths of its files.
    pub fixed: bool,
    /// The file that this process writes itself, and so always sees as it is.
    pub own: Option<u16>,
    /// By the number of the file, where the tables end that are known so far.
    pub known: RwLock<BTreeMap<u16, u64>>,
}

struct Open {
    source: Arc<dyn FileSource>,
    /// Tables that end by here can be read from it.
    upto: u64,
    /// When it was last read from.
    used: AtomicU64,
}

impl Files {
    /// The files of a database with an identity; nothing is opened yet.
    pub(crate) fn new(folder: Arc<dyn Folder>, identity_crc: u32, ends: Ends) -> Files {
        Files { folder, identity_crc, ends, open: RwLock::default(), clock: AtomicU64::new(0) }
    }

    /// Where the files are.
    pub(crate) fn folder(&self) -> &dyn Folder {
        &*self.folder
    }

    /// The full name of a file, for messages.
    pub(crate) fn place(&self, file: u16) -> String {
        self.folder.place(&tables_name(file))
    }

    /// Where the known tables of a file end; 0 when none of it is known.
    pub(crate) fn end(&self, file: u16) -> u64 {
        self.ends.known.read().unpoisoned().get(&file).copied().unwrap_or(0)
    }

    /// The bytes of all annexes, as far as their tables are known: no more than the manifest allows, so that they add
    /// up.
    pub(crate) fn annex_bytes(&self) -> u64 {
        self.ends.known.read().unpoisoned().range(1..).map(|(_, end)| end).sum()
    }

    /// Takes note that the known tables of a file reach to `end`.
    pub(crate) fn extend(&self, file: u16, end: u64) {
        if !self.ends.fixed {
            let mut known = self.ends.known.write().unpoisoned();
            let entry = known.entry(file).or_default();
            *entry = end.max(*entry);
        }
    }

    /// A file to read a table from that ends at `end`.
    pub(crate) fn source(&self, file: u16, end: u64) -> Result<Arc<dyn FileSource>> {
        let open = self.open.read().unpoisoned();
        if let Some(found) = open.get(&file).filter(|found| end <= found.upto) {
            // Only when it changes something: the line is shared by all threads.
            let now = self.clock.load(Relaxed);
            if found.used.load(Relaxed) != now {
                found.used.store(now, Relaxed);
            }
            return Ok(Arc::clone(&found.source));
        }
        drop(open);
        // Asked before the file is opened: what is known now was written before.
        let upto = self.upto(file);
        let source: Arc<dyn FileSource> = self.open_anew(file)?.into();
        let mut open = self.open.write().unpoisoned();
        if !open.contains_key(&file) {
            make_room(&mut open);
        }
        // Another thread may have opened it as well, and later.
        if open.get(&file).is_none_or(|found| found.upto <= upto) {
            let used = AtomicU64::new(self.clock.fetch_add(1, Relaxed) + 1);
            open.insert(file, Open { source: Arc::clone(&source), upto, used });
        }
        Ok(source)
    }

    /// Opens a file and checks its header and, where it is fixed, its length.
    pub(crate) fn open_anew(&self, file: u16) -> Result<Box<dyn FileSource>> {
        let place = self.place(file);
        let source = open_file(&*self.folder, file)?;
        check_header(&*source, &place, self.identity_crc)?;
        if self.ends.fixed {
            let (length, said) =
                (source.length().map_err(|e| StoreError::io("read", &place, e))?, self.end(file));
            if length != said {
                let why = format!("it has {length} bytes, the manifest says {said}");
                return Err(StoreError::damaged(&place, length.min(said), why));
            }
        }
        Ok(source)
    }

    fn upto(&self, file: u16) -> u64 {
        if self.ends.fixed || self.ends.own == Some(file) { u64::MAX } else { self.end(file) }
    }
}

/// Closes the annex that was not read from for the longest time, if too many are open.
fn make_room(open: &mut BTreeMap<u16, Open>) {
    let annexes = || open.iter().filter(|(file, _)| **file > 0);
    if annexes().count() >= MAX_OPEN
        && let Some((&file, _)) = annexes().min_by_key(|(_, file)| file.used.load(Relaxed))
    {
        open.remove(&file);
    }
}

/// Opens a file of tables that must be there.
pub(crate) fn open_file(folder: &dyn Folder, file: u16) -> Result<Box<dyn FileSource>> {
    let place = || folder.place(&tables_name(file));
    folder.source(&tables_name(file)).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => StoreError::damaged(&place(), 0, "the file is missing"),
        _ => StoreError::io("open", &place(), e),
    })
}

/// Checks the header of a file of tables.
pub(crate) fn check_header(source: &dyn FileSource, file: &str, identity_crc: u32) -> Result<()> {
    let mut header = [0; FILE_HEADER];
    source.read_exact_at(&mut header, 0).map_err(|e| StoreError::read(file, 0, e))?;
    let why = match format::check_file_header(&header, identity_crc) {
        Ok(()) => return Ok(()),
        Err(BadFile::Version(found)) => {
            return Err(StoreError::Version { file: file.to_string(), found, known: FORMAT_VERSION });
        }
        Err(BadFile::Magic) => "this is no file of tables",
        Err(BadFile::Identity) => "these tables belong to another manifest",
    };
    Err(StoreError::damaged(file, 0, why))
}

/// Takes the lock of an annex, creating the annex when missing: whoever appends to it holds it.
pub(crate) fn lock_annex(folder: &dyn Folder, file: u16) -> Result<Box<dyn Lock>> {
    let place = folder.place(&tables_name(file));
    let lock =
        folder.lock(&tables_name(file)).map_err(|e| StoreError::write(&place, FILE_HEADER as u64, e))?;
    lock.ok_or(StoreError::AnnexBusy { file: place })
}

/// Makes sure that nobody appends to an annex. Only for who has the lock of `tables.zmo`: all that append were
/// started by a process that had it, so once they are gone nobody comes anew, and no lock need be held. There may be
/// more annexes than a process may have files open.
pub(crate) fn require_free(folder: &dyn Folder) -> Result<()> {
    annexes(folder)?.into_iter().try_for_each(|file| lock_annex(folder, file).map(drop))
}

/// The numbers of all annexes in a folder, in ascending order.
pub(crate) fn annexes(folder: &dyn Folder) -> Result<Vec<u16>> {
    let names =
        folder.names().map_err(|e| StoreError::io("list the files beside", &folder.place(TABLES), e))?;
    let mut numbers: Vec<u16> = names.iter().filter_map(|name| format::annex_number(name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
