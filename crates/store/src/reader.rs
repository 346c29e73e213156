//! Reading a database: one lookup touches one block, and what was touched lately is kept decoded, within a
//! number of bytes. Any number of threads share one reader. Opening checks the manifest and the directory and
//! no more; [`Reader::check`] reads everything.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use zermelo_core::{Tier, Width};

use crate::backend::{Folder, open_if_any};
use crate::cache::Cache;
use crate::codec::Codec;
use crate::error::{Result, StoreError};
use crate::files::annexes;
use crate::format::{FILE_HEADER, Head, Line, MANIFEST, tables_name};
use crate::manifest::{Identity, Manifest, State};
use crate::scan::open_tables;
use crate::tables::{Table, TableInfo, Tables};

/// The part of the cache that table heads get: one in so many bytes.
const HEADS_SHARE: usize = 8;

/// An open database.
pub struct Reader {
    pub(crate) tables: Arc<Tables>,
    pub(crate) manifest: Manifest,
    /// The length and the checksum of its manifest.
    measure: (u64, u32),
    heads: Cache<Arc<Table>>,
    blocks: Cache<Box<[u8]>>,
}

/// How often a database is looked at again that changes while it is opened, and how long after.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

/// The length and checksum of a folder's manifest; `None` where there is none.
fn measure_of(folder: &dyn Folder) -> Result<Option<(u64, u32)>> {
    Ok(Manifest::read(folder)?.map(|(_, bytes, crc)| (bytes, crc)))
}

/// A block, and how to read it.
struct Place {
    file: u16,
    head: Head,
    line: Line,
    block: u64,
}

impl Reader {
    /// Opens a database, to use about `cache_bytes` of memory for what it has read.
    ///
    /// The folder is cloned, to open annexes when they are first read.
    pub fn open(folder: &(impl Folder + Clone + 'static), cache_bytes: usize) -> Result<Reader> {
        let mut seen = None;
        for _ in 0..TRIES {
            let error = match Reader::open_once(folder, cache_bytes) {
                Err(error) if error.is_damage() => error,
                opened => return opened,
            };
            // A solve that starts over removes the manifest, empties the tables and writes a new manifest. What is read
            // in the middle of that looks like damage; a manifest that stays as it is tells that it is damage.
            match measure_of(folder) {
                Ok(Some(found)) if seen != Some(found) => seen = Some(found),
                Ok(None) => {}
                _ => return Err(error),
            }
            folder.pause(PAUSE);
        }
        match seen {
            Some(_) => Err(StoreError::SolvedAgain { file: folder.place(MANIFEST) }),
            None => Reader::open_once(folder, cache_bytes),
        }
    }

    fn open_once(folder: &(impl Folder + Clone + 'static), cache_bytes: usize) -> Result<Reader> {
        let Some((manifest, bytes, crc)) = Manifest::read(folder)? else {
            return Err(missing_manifest(folder)?);
        };
        let tables = open_tables(Arc::new(folder.clone()), &manifest)?;
        Ok(Reader::over(Arc::new(tables), manifest, (bytes, crc), cache_bytes))
    }

    pub(crate) fn over(
        tables: Arc<Tables>,
        manifest: Manifest,
        measure: (u64, u32),
        cache_bytes: usize,
    ) -> Reader {
        let heads = cache_bytes / HEADS_SHARE;
        let (heads, blocks) = (Cache::new(heads), Cache::new(cache_bytes - heads));
        Reader { tables, manifest, measure, heads, blocks }
    }

    /// What an error while reading means: where another manifest is there than when the database was opened, the tables
    /// are those of another solve, and not damaged.
    fn told(&self, error: StoreError) -> StoreError {
        let folder = self.tables.files.folder();
        let changed = || measure_of(folder).is_ok_and(|found| found != Some(self.measure));
        if error.is_damage() && changed() {
            StoreError::SolvedAgain { file: folder.place(MANIFEST) }
        } else {
            error
        }
    }

    /// Reads a block, past the cache.
    fn read(&self, file: u16, head: &Head, line: &Line, block: u64) -> Result<Vec<u8>> {
        self.tables.block(file, head, line, block).map_err(|error| self.told(error))
    }

    /// The code of one entry of a table. An entry without a position has an arbitrary code.
    pub fn get(&self, tier: Tier, index: u64) -> Result<u16> {
        let (place, within) = self.with_table(tier, |table| self.place_of(table, index))??;
        self.entry(&place, within)
    }

    /// The code of one entry and its width, if the block is in the cache; `None` if it had to be read. For callers that
    /// must not wait for a disk.
    pub fn get_cached(&self, tier: Tier, index: u64) -> Result<Option<(u16, Width)>> {
        let Some(found) = self.heads.with((tier.0, 0), |table| self.place_of(table, index)) else {
            return Ok(None);
        };
        let (place, within) = found?;
        Ok(self.entry_cached(&place, within).map(|code| (code, place.head.width)))
    }

    /// Opens one table, for callers that look up much in it.
    pub fn table(&self, tier: Tier) -> Result<OpenTable<'_>> {
        Ok(OpenTable { reader: self, table: self.with_table(tier, Arc::clone)? })
    }

    fn entry(&self, place: &Place, within: usize) -> Result<u16> {
        if let Some(code) = self.entry_cached(place, within) {
            return Ok(code);
        }
        let bytes = self.read(place.file, &place.head, &place.line, place.block)?.into_boxed_slice();
        let (code, size) = (place.head.width.code_at(&bytes, within), bytes.len());
        self.blocks.insert((place.head.tier.0, place.block), bytes, size);
        Ok(code)
    }

    /// The code of an entry whose block is all one value, or decoded already.
    fn entry_cached(&self, place: &Place, within: usize) -> Option<u16> {
        if place.line.codec() == Codec::Constant as u8
            && let Ok(value) = u16::try_from(place.line.length())
            && value <= place.head.width.dont_care()
        {
            return Some(value);
        }
        let key = (place.head.tier.0, place.block);
        self.blocks.with(key, |bytes| place.head.width.code_at(bytes, within))
    }

    /// What is known of a table without reading its blocks.
    pub fn info(&self, tier: Tier) -> Result<TableInfo> {
        self.with_table(tier, |table| table.info())
    }

    /// Whether the database has a table for a tier.
    pub fn contains(&self, tier: Tier) -> bool {
        self.tables.directory.find(tier).is_some()
    }

    /// All tiers that have a table, in ascending order.
    pub fn tiers(&self) -> Vec<Tier> {
        self.tables.directory.all().into_iter().map(|(tier, _)| tier).collect()
    }

    /// The number of tables.
    pub fn table_count(&self) -> usize {
        self.tables.directory.len()
    }

    /// Reads and decodes a whole table, without use of the cache.
    pub fn load(&self, tier: Tier) -> Result<Vec<u8>> {
        let table = self.tables.table(tier).map_err(|error| self.told(error))?;
        let mut entries = Vec::new();
        let size =
            usize::try_from(table.head.entries).ok().and_then(|n| n.checked_mul(table.head.width.bytes()));
        let room = entries.try_reserve_exact(size.unwrap_or(usize::MAX)).map_err(std::io::Error::other);
        let place = || self.tables.files.place(table.file);
        room.map_err(|e| StoreError::io("hold in memory a whole table of", &place(), e))?;
        for (block, line) in (0..).zip(&table.lines) {
            entries.extend_from_slice(&self.read(table.file, &table.head, line, block)?);
        }
        Ok(entries)
    }

    /// Reads and decodes one block of a table, without use of the cache.
    pub fn load_block(&self, tier: Tier, block: u64) -> Result<Vec<u8>> {
        let place = self.with_table(tier, |table| self.block_of(table, block))??;
        self.read(place.file, &place.head, &place.line, block)
    }

    /// Refuses a database of another identity, naming what differs.
    pub fn require(&self, wanted: &Identity) -> Result<()> {
        self.manifest.check_identity(&self.tables.place(), wanted)
    }

    /// What the database holds.
    pub fn identity(&self) -> &Identity {
        &self.manifest.identity
    }

    /// The summary that the solve left in the manifest; null until the database is complete.
    pub fn summary(&self) -> &Value {
        &self.manifest.summary
    }

    /// Whether all tables were there when the database was opened.
    pub fn state(&self) -> State {
        self.manifest.state
    }

    /// The positions of all tables together, once the database is complete.
    pub fn positions(&self) -> Option<u64> {
        (self.state() == State::Complete).then_some(self.manifest.positions)
    }

    /// The bytes of all files of the database.
    pub fn bytes(&self) -> Result<u64> {
        let files = &self.tables.files;
        let tables = files.source(0, 0)?.length().map_err(|e| StoreError::io("read", &files.place(0), e))?;
        Ok(self.measure.0 + tables + files.annex_bytes())
    }

    /// A checksum of a complete database: any change of an entry changes it, so it serves as an ETag.
    ///
    /// The checksum of an incomplete database changes with the number of tables.
    pub fn checksum(&self) -> u64 {
        let low = match &self.manifest.directory {
            Some(place) => place.crc32,
            None => self.table_count() as u32,
        };
        u64::from(self.measure.1) << 32 | u64::from(low)
    }

    /// Calls `look` with a table's head and index, from the cache or from the file.
    fn with_table<R>(&self, tier: Tier, mut look: impl FnMut(&Arc<Table>) -> R) -> Result<R> {
        if let Some(seen) = self.heads.with((tier.0, 0), &mut look) {
            return Ok(seen);
        }
        let table = Arc::new(self.tables.table(tier).map_err(|error| self.told(error))?);
        let seen = look(&table);
        let size = size_of::<Table>() + size_of_val(&*table.lines);
        self.heads.insert((tier.0, 0), table, size);
        Ok(seen)
    }

    /// The block of an entry, and the entry's number in it.
    fn place_of(&self, table: &Table, index: u64) -> Result<(Place, usize)> {
        let head = &table.head;
        if index >= head.entries {
            return Err(self.out_of_range(table, "entries", index, head.entries));
        }
        let within = index & ((1 << head.shift) - 1);
        Ok((self.block_of(table, index >> head.shift)?, within as usize))
    }

    fn block_of(&self, table: &Table, block: u64) -> Result<Place> {
        let line = usize::try_from(block).ok().and_then(|b| table.lines.get(b));
        match line {
            Some(&line) => Ok(Place { file: table.file, head: table.head, line, block }),
            None => Err(self.out_of_range(table, "blocks", block, table.head.blocks())),
        }
    }

    fn out_of_range(&self, table: &Table, of: &'static str, index: u64, len: u64) -> StoreError {
        StoreError::OutOfRange {
            file: self.tables.files.place(table.file),
            tier: table.head.tier,
            of,
            index,
            len,
        }
    }
}

/// One table of a [`Reader`], found once for many lookups. A lookup takes only the lock of the block's part of the
/// cache, so threads that share a table hardly wait for each other.
pub struct OpenTable<'a> {
    reader: &'a Reader,
    table: Arc<Table>,
}

impl OpenTable<'_> {
    /// The width of the entries of the table.
    pub fn width(&self) -> Width {
        self.table.head.width
    }

    /// The code of one entry of the table. An entry without a position has an arbitrary code.
    pub fn get(&self, index: u64) -> Result<u16> {
        let (place, within) = self.reader.place_of(&self.table, index)?;
        self.reader.entry(&place, within)
    }
}

/// What a missing manifest means: nothing was ever here, or the tables lost it.
pub(crate) fn missing_manifest(folder: &dyn Folder) -> Result<StoreError> {
    let manifest = folder.place(MANIFEST);
    for file in std::iter::once(0).chain(annexes(folder)?) {
        let name = tables_name(file);
        if open_if_any(folder, &name)?.is_some_and(|(_, length)| length > FILE_HEADER as u64) {
            let why = format!("it is missing, though {} is there", folder.place(&name));
            return Ok(StoreError::damaged(&manifest, 0, why));
        }
    }
    Ok(StoreError::NotFound { folder: manifest.trim_end_matches(MANIFEST).to_string() })
}
