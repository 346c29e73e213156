//! A run: sorted records in packed blocks, in memory or in a file.
//!
//! All records of a position are in one block, so blocks can be worked on one by one. A file is
//!
//! ```text
//! "zermrun1"
//! blocks    packed records, one block after the other
//! index     for each block: key (2 * 8), turn (1), records (4), bytes (4), CRC-32 (4)
//! tail      number of blocks (8), number of records (8), CRC-32 of the index and these (4)
//! ```
//!
//! with the lowest byte first.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::{Deserialize, Serialize};
use zermelo_core::{Record, WalkedPosition};

use super::files::{RunFiles, failed};
use super::pack::{Unpacker, pack};
use super::{CountError, Result};

/// Records in a block, a few more where a position has several.
const BLOCK: u32 = 2048;
const MAGIC: &[u8; 8] = b"zermrun1";
const INDEXED: usize = 29;
const TAIL: usize = 20;

/// Sorted records.
pub(super) struct Run {
    blocks: Vec<Block>,
    bytes: Bytes,
    records: u64,
    files: Arc<RunFiles>,
}

struct Block {
    first: WalkedPosition,
    records: u32,
    bytes: u32,
    crc: u32,
    offset: u64,
}

enum Bytes {
    /// One piece of memory a block.
    InMemory(Vec<Box<[u8]>>),
    /// A file: its name, its size, the checksum of its index, whether it is safe on the disk.
    Filed(String, u64, u32, AtomicBool),
}

/// What a checkpoint keeps of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Filed {
    pub(super) file: String,
    records: u64,
    crc: u32,
}

/// What a block takes in memory besides its bytes.
const BLOCK_BYTES: u64 = (size_of::<Block>() + size_of::<Box<[u8]>>()) as u64;

impl Run {
    /// How many records.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// How many blocks; there is at least one.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The first position of a block.
    pub(super) fn first(&self, block: usize) -> WalkedPosition {
        self.blocks[block].first
    }

    /// Bytes of all blocks.
    pub(super) fn bytes(&self) -> u64 {
        self.blocks.iter().map(|b| u64::from(b.bytes)).sum()
    }

    /// The bytes of a block that is in memory.
    fn held(&self, block: usize) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::InMemory(all) => all.get(block).map(|b| &**b),
            Bytes::Filed(..) => None,
        }
    }

    /// Reads a block from the file; nothing is done where it is in memory.
    fn read(&self, block: usize, buffer: &mut Vec<u8>) -> Result<()> {
        let (Bytes::Filed(name, ..), Block { offset, bytes, crc, .. }) = (&self.bytes, &self.blocks[block])
        else {
            return Ok(());
        };
        let path = self.files.path(name)?;
        buffer.resize(*bytes as usize, 0);
        // Opened for every block: a merge may read more runs at once than a process may open files.
        let file = zermelo_store::open_plain(&path).map_err(|e| failed(&path, &e))?;
        file.read_exact_at(buffer, *offset).map_err(|e| failed(&path, &e))?;
        match crc32fast::hash(buffer) == *crc {
            true => Ok(()),
            false => Err(damaged(&path, &format!("block {block} does not match its checksum"))),
        }
    }

    /// Puts the records of a block in place of those in `records`.
    pub(super) fn load(&self, block: usize, buffer: &mut Vec<u8>, records: &mut Vec<Record>) -> Result<()> {
        self.read(block, buffer)?;
        let bytes = self.held(block).unwrap_or(buffer);
        let mut unpacker = Unpacker::default();
        records.clear();
        records.extend(std::iter::from_fn(|| unpacker.next(bytes)));
        let whole = unpacker.is_at_end(bytes) && records.len() == self.blocks[block].records as usize;
        if whole { Ok(()) } else { Err(self.nonsense(block)) }
    }

    fn nonsense(&self, block: usize) -> CountError {
        let why = format!("block {block} holds no records");
        match &self.bytes {
            Bytes::Filed(name, ..) => damaged(Path::new(name), &why),
            Bytes::InMemory(_) => damaged(Path::new("memory"), &why),
        }
    }

    /// This run after a sync to the disk; a run in memory is written to a file first.
    pub(super) fn secured(self: &Arc<Run>) -> Result<Arc<Run>> {
        match &self.bytes {
            Bytes::Filed(name, _, _, safe) => {
                let path = self.files.path(name)?;
                if !safe.load(Relaxed) {
                    File::open(&path).and_then(|f| f.sync_all()).map_err(|e| failed(&path, &e))?;
                    safe.store(true, Relaxed);
                }
                Ok(self.clone())
            }
            Bytes::InMemory(all) => {
                let mut file = Filing::begin(&self.files)?;
                all.iter().try_for_each(|bytes| file.write(bytes))?;
                let blocks = self.blocks.iter().map(|b| Block { ..*b }).collect();
                Arc::new(file.finish(blocks, self.records, &self.files)?).secured()
            }
        }
    }

    /// What to keep of a run that is in a file.
    pub(super) fn filed(&self) -> Option<Filed> {
        match &self.bytes {
            Bytes::Filed(file, _, crc, _) => {
                Some(Filed { file: file.clone(), records: self.records, crc: *crc })
            }
            Bytes::InMemory(_) => None,
        }
    }

    /// Opens a run that was kept.
    pub(super) fn open(filed: &Filed, files: &Arc<RunFiles>) -> Result<Run> {
        let path = files.path(&filed.file)?;
        let (blocks, crc, size) = read_index(&path)?;
        let records = blocks.iter().map(|b| u64::from(b.records)).sum();
        if (records, crc) != (filed.records, filed.crc) {
            return Err(damaged(&path, "it is not the file of this checkpoint"));
        }
        files.grew(size);
        let bytes = Bytes::Filed(filed.file.clone(), size, crc, AtomicBool::new(true));
        Ok(Run { blocks, bytes, records, files: files.clone() })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        match &self.bytes {
            Bytes::InMemory(_) => self.files.give(self.bytes() + self.blocks.len() as u64 * BLOCK_BYTES),
            Bytes::Filed(name, size, ..) => self.files.discard(name, *size),
        }
    }
}

fn damaged(path: &Path, why: &str) -> CountError {
    CountError::Damaged { file: path.display().to_string(), why: why.into() }
}

/// The index of a file, its checksum, and the size of the file.
fn read_index(path: &Path) -> Result<(Vec<Block>, u32, u64)> {
    let io = |e: std::io::Error| failed(path, &e);
    let mut file = zermelo_store::open_plain(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let cut = || damaged(path, "it was cut short");
    let least = (MAGIC.len() + TAIL) as u64;
    if size < least {
        return Err(cut());
    }
    let mut tail = [0; TAIL];
    file.seek(SeekFrom::Start(size - TAIL as u64)).and_then(|_| file.read_exact(&mut tail)).map_err(io)?;
    let count = long(&tail[..8]);
    let index = count.checked_mul(INDEXED as u64).filter(|index| *index <= size - least).ok_or_else(cut)?;
    let mut bytes = vec![0; index as usize];
    let at = size - TAIL as u64 - index;
    file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes)).map_err(io)?;
    bytes.extend(&tail[..16]);
    let crc = short(&tail[16..]);
    if crc32fast::hash(&bytes) != crc {
        return Err(damaged(path, "its index does not match its checksum"));
    }
    let mut offset = MAGIC.len() as u64;
    let block = |b: &[u8]| {
        let first = ([long(&b[..8]), long(&b[8..16])], b[16]);
        let block =
            Block { first, records: short(&b[17..]), bytes: short(&b[21..]), crc: short(&b[25..]), offset };
        offset += u64::from(block.bytes);
        block
    };
    let blocks: Vec<Block> = bytes[..index as usize].chunks_exact(INDEXED).map(block).collect();
    if offset == at { Ok((blocks, crc, size)) } else { Err(cut()) }
}

fn long(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |b| u64::from_le_bytes(*b))
}

fn short(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b))
}

/// A file that is being written, under another name until it is whole.
struct Filing {
    name: String,
    path: std::path::PathBuf,
    file: BufWriter<File>,
    size: u64,
}

impl Filing {
    fn begin(files: &RunFiles) -> Result<Filing> {
        let name = files.name();
        let path = files.path(&format!("{name}.tmp"))?;
        let file = File::create(&path).map_err(|e| failed(&path, &e))?;
        let mut filing = Filing { name, path, file: BufWriter::with_capacity(1 << 16, file), size: 0 };
        filing.write(MAGIC)?;
        Ok(filing)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.size += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|e| failed(&self.path, &e))
    }

    fn finish(mut self, mut blocks: Vec<Block>, records: u64, files: &Arc<RunFiles>) -> Result<Run> {
        let mut crc = crc32fast::Hasher::new();
        let mut offset = MAGIC.len() as u64;
        let mut write = |bytes: &[u8]| {
            crc.update(bytes);
            self.write(bytes)
        };
        for block in &mut blocks {
            block.offset = offset;
            offset += u64::from(block.bytes);
            let ([high, low], turn) = block.first;
            write(&high.to_le_bytes())?;
            write(&low.to_le_bytes())?;
            write(&[turn])?;
            [block.records, block.bytes, block.crc].iter().try_for_each(|n| write(&n.to_le_bytes()))?;
        }
        write(&(blocks.len() as u64).to_le_bytes())?;
        write(&records.to_le_bytes())?;
        let crc = crc.finalize();
        self.write(&crc.to_le_bytes())?;
        self.file.flush().map_err(|e| failed(&self.path, &e))?;
        let path = files.path(&self.name)?;
        std::fs::rename(&self.path, &path).map_err(|e| failed(&path, &e))?;
        files.grew(self.size);
        let bytes = Bytes::Filed(self.name, self.size, crc, AtomicBool::new(false));
        Ok(Run { blocks, bytes, records, files: files.clone() })
    }
}

/// Makes a run of records that come in order.
pub(super) struct RunWriter {
    files: Arc<RunFiles>,
    blocks: Vec<Block>,
    held: Vec<Box<[u8]>>,
    file: Option<Filing>,
    /// The block that is being filled: its bytes, its records, its first position.
    open: (Vec<u8>, u32, WalkedPosition),
    last: Record,
    records: u64,
}

impl RunWriter {
    pub(super) fn new(files: &Arc<RunFiles>) -> RunWriter {
        let last = Record { key: [0; 2], turn: 0, how: 0, passes: 0, games: 0 };
        let open = (vec![], 0, last.place());
        let files = files.clone();
        RunWriter { files, blocks: vec![], held: vec![], file: None, open, last, records: 0 }
    }

    /// Adds a record that comes after all others.
    #[inline]
    pub(super) fn push(&mut self, record: &Record) -> Result<()> {
        if self.open.1 >= BLOCK && record.place() != self.last.place() {
            self.close()?;
        }
        if self.open.1 == 0 {
            (self.open.2, self.last.key) = (record.place(), [0; 2]);
        }
        pack(&mut self.open.0, self.last.key, record);
        self.open.1 += 1;
        self.last = *record;
        Ok(())
    }

    /// The open block is full.
    fn close(&mut self) -> Result<()> {
        let (records, first) = (self.open.1, self.open.2);
        let crc = crc32fast::hash(&self.open.0);
        let size = self.open.0.len() as u64;
        if self.file.is_none() && !self.files.take(size + BLOCK_BYTES) {
            let mut file = Filing::begin(&self.files)?;
            self.held.iter().try_for_each(|bytes| file.write(bytes))?;
            self.file = Some(file);
            self.let_go();
        }
        match &mut self.file {
            Some(file) => file.write(&self.open.0)?,
            None => self.held.push(self.open.0.clone().into_boxed_slice()),
        }
        self.blocks.push(Block { first, records, bytes: size as u32, crc, offset: 0 });
        self.records += u64::from(records);
        self.open.0.clear();
        self.open.1 = 0;
        Ok(())
    }

    /// Gives back what the blocks in memory took.
    fn let_go(&mut self) {
        let bytes = |b: Box<[u8]>| b.len() as u64 + BLOCK_BYTES;
        self.files.give(self.held.drain(..).map(bytes).sum());
    }

    /// All records are there; `None` when there are none.
    pub(super) fn finish(mut self) -> Result<Option<Run>> {
        if self.open.1 > 0 {
            self.close()?;
        }
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.shrink_to_fit();
        match self.file.take() {
            Some(file) => file.finish(blocks, self.records, &self.files).map(Some),
            None if blocks.is_empty() => Ok(None),
            None => {
                let bytes = Bytes::InMemory(std::mem::take(&mut self.held));
                Ok(Some(Run { blocks, bytes, records: self.records, files: self.files.clone() }))
            }
        }
    }
}

impl Drop for RunWriter {
    fn drop(&mut self) {
        // After an error; what was finished has been taken out.
        self.let_go();
    }
}

/// Runs one after the other that are sorted as a whole.
pub(super) type Sorted = Vec<Arc<Run>>;

/// Reads sorted records one by one.
pub(super) struct Cursor<'a> {
    runs: &'a [Arc<Run>],
    /// The run, and the block in it, that is being read.
    at: (usize, usize),
    buffer: Vec<u8>,
    unpacker: Unpacker,
    /// Records left in the block.
    left: u32,
    /// Where to stop.
    to: Option<WalkedPosition>,
}

impl<'a> Cursor<'a> {
    /// From one position to another, the second left out.
    pub(super) fn new(
        runs: &'a [Arc<Run>],
        from: Option<WalkedPosition>,
        to: Option<WalkedPosition>,
    ) -> Result<(Cursor<'a>, Option<Record>)> {
        // The last block that begins at or before the position; it can hold it.
        let run = from.map_or(0, |p| runs.partition_point(|run| run.first(0) <= p).saturating_sub(1));
        let block = match (from, runs.get(run)) {
            (Some(p), Some(run)) => run.blocks.partition_point(|b| b.first <= p).saturating_sub(1),
            _ => 0,
        };
        let mut cursor =
            Cursor { runs, at: (run, block), buffer: vec![], unpacker: Unpacker::default(), left: 0, to };
        cursor.begin()?;
        loop {
            match cursor.next()? {
                Some(record) if from.is_some_and(|p| record.place() < p) => {}
                first => return Ok((cursor, first)),
            }
        }
    }

    /// Makes a block ready to be read.
    fn begin(&mut self) -> Result<()> {
        self.unpacker = Unpacker::default();
        if let Some(run) = self.runs.get(self.at.0) {
            run.read(self.at.1, &mut self.buffer)?;
            self.left = run.blocks[self.at.1].records;
        }
        Ok(())
    }

    /// The next record; `None` at the end.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Record>> {
        while self.left == 0 {
            let Some(run) = self.runs.get(self.at.0) else { return Ok(None) };
            self.at =
                if self.at.1 + 1 < run.blocks() { (self.at.0, self.at.1 + 1) } else { (self.at.0 + 1, 0) };
            self.begin()?;
        }
        let run = &self.runs[self.at.0];
        let bytes = run.held(self.at.1).unwrap_or(&self.buffer);
        let Some(record) = self.unpacker.next(bytes) else { return Err(run.nonsense(self.at.1)) };
        self.left -= 1;
        Ok(Some(record).filter(|record| self.to.is_none_or(|to| record.place() < to)))
    }
}
