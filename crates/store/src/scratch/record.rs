//! The bytes of a scratch file, as drawn in `docs/reference/format-scratch.md`: a file header, then records of a
//! head, an index of chunks, and the chunks. The number of chunks follows from the number of bytes, so the room for head and index
//! is known before the first chunk is compressed, and they can be written when the last one is.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};

use zermelo_core::{Keep, Spill, Tier};
use zstd::bulk::Compressor;
use zstd::zstd_safe;

use crate::backend::FileSource;
use crate::codec::{compressor, decompress_frame};
use crate::format::{self, FILE_HEADER, differs, u32_at, u64_at};

/// Bytes in a chunk, but for the last of a record.
const CHUNK: usize = 4 << 20;
/// The level of zstd: what is spilled is written and read once, so speed is all. Of the quick ones this one takes no
/// longer than -4 for the lattice and makes a sixth less of it, which is read back 1.7 times as fast.
const LEVEL: i32 = -1;
/// No zstd frame decodes to more bytes than this for each of its own: a block of up to 128 KiB takes at least 4.
const MAX_RATIO: u64 = 1 << 15;

// The file header.
const FILE_MAGIC: [u8; 8] = *b"ZSPILLS\n";
const VERSION: u32 = 3;

// The head of a record.
const RECORD_MAGIC: [u8; 4] = *b"ZSPL";
const TIER: usize = RECORD_MAGIC.len();
const SEQUENCE: usize = TIER + size_of::<u64>();
const RAW: usize = SEQUENCE + size_of::<u64>();
const STORED: usize = RAW + size_of::<u64>();
const HEAD_CRC: usize = STORED + size_of::<u64>();
const INDEX_CRC: usize = HEAD_CRC + size_of::<u32>();
pub(super) const HEAD: usize = INDEX_CRC + size_of::<u32>();

// A line of the index.
const LINE_CRC: usize = size_of::<u32>();
const LINE: usize = LINE_CRC + size_of::<u32>();

/// The header of a scratch file of the database with this identity.
pub(super) fn file_header(identity_crc: u32) -> [u8; FILE_HEADER] {
    format::header(FILE_MAGIC, VERSION, identity_crc)
}

/// The fixed part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) tier: Tier,
    /// Of two records of a tier the one with the higher number counts.
    pub(super) sequence: u64,
    /// Bytes that were spilled.
    raw: u64,
    /// Bytes of all chunks in the file.
    stored: u64,
    /// Checksum of head and index.
    crc: u32,
}

impl Head {
    /// Reads a head and checks it against its own checksum.
    pub(super) fn parse(bytes: &[u8; HEAD]) -> Result<Head, &'static str> {
        if bytes[..TIER] != RECORD_MAGIC {
            return Err("no record begins here");
        }
        if differs(crc32fast::hash(&bytes[..HEAD_CRC]), u32_at(bytes, HEAD_CRC)) {
            return Err("the checksum of its head is wrong");
        }
        let head = Head {
            tier: Tier(u64_at(bytes, TIER)),
            sequence: u64_at(bytes, SEQUENCE),
            raw: u64_at(bytes, RAW),
            stored: u64_at(bytes, STORED),
            crc: u32_at(bytes, INDEX_CRC),
        };
        // From here on no length computed from the head can overflow, and none is out of proportion to the file.
        if head.raw > u64::MAX / 2 || head.stored > head.raw || head.raw / MAX_RATIO > head.stored {
            return Err("its lengths are impossible");
        }
        Ok(head)
    }

    /// The bytes of a head for this index, whose checksum they hold.
    fn encode(tier: Tier, sequence: u64, raw: u64, stored: u64, index: &[u8]) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..TIER].copy_from_slice(&RECORD_MAGIC);
        for (at, number) in [(TIER, tier.0), (SEQUENCE, sequence), (RAW, raw), (STORED, stored)] {
            bytes[at..at + size_of::<u64>()].copy_from_slice(&number.to_le_bytes());
        }
        let crc = crc32fast::hash(&bytes[..HEAD_CRC]);
        bytes[HEAD_CRC..INDEX_CRC].copy_from_slice(&crc.to_le_bytes());
        let crc = index_crc(&bytes, index);
        bytes[INDEX_CRC..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    fn index_bytes(&self) -> u64 {
        self.raw.div_ceil(CHUNK as u64) * LINE as u64
    }

    /// Bytes of the whole record.
    pub(super) fn record_bytes(&self) -> u64 {
        HEAD as u64 + self.index_bytes() + self.stored
    }
}

/// The checksum over a head (but for the checksum's own bytes) and its index.
fn index_crc(head: &[u8; HEAD], index: &[u8]) -> u32 {
    format::crc_of_both(&head[..INDEX_CRC], index)
}

thread_local! {
    /// Room for the next record that is written: fresh memory takes longer to get than to fill.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Leaves the room of a record that is written to the next one, if it is no more than a chunk.
pub(super) fn leave(record: Vec<u8>) {
    if record.capacity() <= CHUNK {
        ROOM.set(record);
    }
}

/// A record whose bytes stay as they are, made in one go: each more copy of them takes as long as to write them.
pub(super) fn as_they_are(tier: Tier, sequence: u64, spilled: Spill<'_>) -> io::Result<Vec<u8>> {
    let raw = spilled.bytes();
    let begin = HEAD + raw.div_ceil(CHUNK as u64) as usize * LINE;
    let mut record = ROOM.take();
    record.clear();
    record.reserve_exact(begin + raw as usize);
    record.resize(begin, 0);
    spilled.write(&mut record, Keep::AsTheyAre)?;
    let (front, bytes) = record.split_at_mut(begin);
    told(raw, bytes.len() as u64)?;
    let (head, index) = front.split_at_mut(HEAD);
    for (line, chunk) in index.chunks_exact_mut(LINE).zip(bytes.chunks(CHUNK)) {
        line.copy_from_slice(&index_line(chunk));
    }
    head.copy_from_slice(&Head::encode(tier, sequence, raw, raw, index));
    Ok(record)
}

/// The line of the index for a chunk as it is in the file.
fn index_line(stored: &[u8]) -> [u8; LINE] {
    let mut line = [0; LINE];
    line[..LINE_CRC].copy_from_slice(&(stored.len() as u32).to_le_bytes());
    line[LINE_CRC..].copy_from_slice(&crc32fast::hash(stored).to_le_bytes());
    line
}

/// The room before the first chunk was made for the number of bytes that was told.
fn told(raw: u64, written: u64) -> io::Result<()> {
    match written == raw {
        true => Ok(()),
        false => Err(io::Error::other("other than the number of bytes that was told")),
    }
}

/// Makes a record of bytes and returns its length. `emit` gets the parts, each with its offset in the
/// record: the chunks as they are made, then the index, and the head last, so that no part of a record counts
/// before all of it is there.
pub(super) fn encode(
    tier: Tier,
    sequence: u64,
    spilled: Spill<'_>,
    keep: Keep,
    emit: impl FnMut(u64, &[u8]) -> io::Result<()>,
) -> io::Result<u64> {
    let raw = spilled.bytes();
    let chunks = usize::try_from(raw.div_ceil(CHUNK as u64)).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let begin = (HEAD + chunks * LINE) as u64;
    let room = raw.min(CHUNK as u64) as usize;
    let mut making = Making {
        emit,
        keep,
        chunk: Vec::with_capacity(room),
        frame: Vec::with_capacity(if keep == Keep::Packed { zstd_safe::compress_bound(room) } else { 0 }),
        index: Vec::with_capacity(chunks * LINE),
        at: begin,
        raw: 0,
    };
    spilled.write(&mut making, keep)?;
    making.end_chunk()?;
    told(raw, making.raw)?;
    let Making { mut emit, index, at, .. } = making;
    emit(HEAD as u64, &index)?;
    emit(0, &Head::encode(tier, sequence, raw, at - begin, &index))?;
    Ok(at)
}

/// A record whose chunks are being made.
struct Making<E> {
    emit: E,
    keep: Keep,
    /// Bytes of the chunk that is not full yet.
    chunk: Vec<u8>,
    frame: Vec<u8>,
    index: Vec<u8>,
    /// Where the next chunk goes.
    at: u64,
    /// Bytes of all chunks so far, before compression.
    raw: u64,
}

impl<E: FnMut(u64, &[u8]) -> io::Result<()>> Making<E> {
    fn end_chunk(&mut self) -> io::Result<()> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        // A chunk as long in the file as in memory is stored as it is.
        let compressed = self.keep == Keep::Packed
            && compress(&self.chunk, &mut self.frame)
            && self.frame.len() < self.chunk.len();
        let stored = if compressed { &self.frame } else { &self.chunk };
        (self.emit)(self.at, stored)?;
        self.index.extend(index_line(stored));
        self.at += stored.len() as u64;
        self.raw += self.chunk.len() as u64;
        self.chunk.clear();
        Ok(())
    }
}

impl<E: FnMut(u64, &[u8]) -> io::Result<()>> Write for Making<E> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let many = bytes.len().min(CHUNK - self.chunk.len());
        self.chunk.extend_from_slice(&bytes[..many]);
        if self.chunk.len() == CHUNK {
            self.end_chunk()?;
        }
        Ok(many)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

thread_local! {
    // Not the one of `codec.rs`: a context that changes its level is made anew.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// Whether a chunk could be compressed into a buffer that has room for its frame.
fn compress(chunk: &[u8], frame: &mut Vec<u8>) -> bool {
    COMPRESSOR.with_borrow_mut(|slot| {
        if slot.is_none() {
            *slot = compressor(LEVEL);
        }
        slot.as_mut().is_some_and(|c| c.compress_to_buffer(chunk, frame).is_ok())
    })
}

/// Why a record could not be read.
pub(super) enum Fault {
    /// What does not fit, and where.
    Damage(u64, &'static str),
    Io(io::Error),
}

impl Fault {
    /// The fault of a failed read at an offset.
    fn read(at: u64) -> impl Fn(io::Error) -> Fault {
        move |e| match e.kind() {
            io::ErrorKind::UnexpectedEof => Fault::Damage(at, "the file ends too early"),
            _ => Fault::Io(e),
        }
    }
}

/// Reads the head of the record at an offset; all of the record must end by `limit`.
pub(super) fn read_head(
    source: &dyn FileSource,
    offset: u64,
    limit: u64,
) -> Result<(Head, [u8; HEAD]), Fault> {
    let mut bytes = [0; HEAD];
    source.read_exact_at(&mut bytes, offset).map_err(Fault::read(offset))?;
    let head = Head::parse(&bytes).map_err(|why| Fault::Damage(offset, why))?;
    if head.record_bytes() > limit.saturating_sub(offset) {
        return Err(Fault::Damage(offset, "it ends past the end of the file"));
    }
    Ok((head, bytes))
}

/// A record that is being read back, chunk by chunk.
pub(super) struct Record {
    source: Box<dyn FileSource>,
    index: Vec<u8>,
    /// Chunks that were read.
    chunks: usize,
    /// Where the next chunk is.
    at: u64,
    /// Where the record ends.
    end: u64,
    /// Bytes that are still to come, before compression.
    left: u64,
    stored: Buffer,
    /// The chunk that was read last.
    chunk: Buffer,
}

/// Bytes that were read, in room that may be larger: to clear it first takes as long as to read.
#[derive(Default)]
struct Buffer {
    room: Vec<u8>,
    used: usize,
}

impl Buffer {
    /// Room for so many bytes, which hold anything.
    fn take(&mut self, bytes: usize) -> &mut [u8] {
        if self.room.len() < bytes {
            self.room.reserve_exact(bytes - self.room.len());
            self.room.resize(bytes, 0);
        }
        self.used = bytes;
        &mut self.room[..bytes]
    }

    fn bytes(&self) -> &[u8] {
        &self.room[..self.used]
    }
}

thread_local! {
    /// What the last record that was read has left, no more than a chunk.
    static SPARE: Cell<Buffer> = const { Cell::new(Buffer { room: Vec::new(), used: 0 }) };
}

impl Drop for Record {
    fn drop(&mut self) {
        let (chunk, stored) = (std::mem::take(&mut self.chunk), std::mem::take(&mut self.stored));
        let larger = if chunk.room.len() < stored.room.len() { stored } else { chunk };
        // Whoever ends with its thread has nobody to leave it to.
        let _ = SPARE.try_with(|spare| spare.set(larger));
    }
}

impl Record {
    /// The record at an offset, which has to be the one of this tier with this number.
    pub(super) fn open(
        source: Box<dyn FileSource>,
        offset: u64,
        tier: Tier,
        sequence: u64,
    ) -> Result<Record, Fault> {
        let length = source.length().map_err(Fault::Io)?;
        let (head, head_bytes) = read_head(&*source, offset, length)?;
        if (head.tier, head.sequence) != (tier, sequence) {
            return Err(Fault::Damage(offset, "another record is in its place"));
        }
        let at = offset + HEAD as u64;
        // The whole record lies within the file, so this allocates no more than its size.
        let mut index = vec![0; head.index_bytes() as usize];
        source.read_exact_at(&mut index, at).map_err(Fault::read(at))?;
        if differs(index_crc(&head_bytes, &index), head.crc) {
            return Err(Fault::Damage(at, "the checksum of its index is wrong"));
        }
        let (at, end) = (at + head.index_bytes(), offset + head.record_bytes());
        let stored = Buffer { used: 0, ..SPARE.take() };
        let chunk = Buffer::default();
        Ok(Record { source, index, chunks: 0, at, end, left: head.raw, stored, chunk })
    }

    /// Bytes that are still to come.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Reads the next chunk, if there is one.
    pub(super) fn next_chunk(&mut self) -> Result<bool, Fault> {
        let (at, size) = (self.at, self.left.min(CHUNK as u64) as usize);
        if !self.skip_chunk()? {
            return Ok(false);
        }
        if self.stored.used == size {
            std::mem::swap(&mut self.chunk, &mut self.stored);
        } else {
            decompress_frame(self.stored.bytes(), self.chunk.take(size), size)
                .map_err(|why| Fault::Damage(at, why))?;
        }
        Ok(true)
    }

    /// The chunk that was read last.
    pub(super) fn chunk(&self) -> &[u8] {
        self.chunk.bytes()
    }

    /// Reads the next chunk, if there is one, and checks that it is what was written, without decompressing it.
    pub(super) fn skip_chunk(&mut self) -> Result<bool, Fault> {
        let Some(line) = self.index.as_chunks::<LINE>().0.get(self.chunks) else { return Ok(false) };
        let (at, length, size) = (self.at, u32_at(line, 0), self.left.min(CHUNK as u64));
        if u64::from(length) > size {
            return Err(Fault::Damage(at, "a chunk is too long"));
        }
        let stored = self.stored.take(length as usize);
        self.source.read_exact_at(stored, at).map_err(Fault::read(at))?;
        if differs(crc32fast::hash(stored), u32_at(line, LINE_CRC)) {
            return Err(Fault::Damage(at, "the checksum of a chunk is wrong"));
        }
        self.at += u64::from(length);
        self.chunks += 1;
        self.left -= size;
        if self.left == 0 && self.at != self.end {
            return Err(Fault::Damage(self.at, "the lengths of its chunks do not add up"));
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_on_disk_stay_what_the_format_page_says() {
        assert_eq!((FILE_HEADER, HEAD, LINE, CHUNK), (16, 44, 8, 1 << 22));
    }
}
