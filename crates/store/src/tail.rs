//! The end of a file of tables, where records are appended: by the [`Writer`](crate::Writer) to `tables.zmo`, by an
//! [`Annex`](crate::Annex) to a file of its own. A failed write is undone by cutting the file back to the end of the
//! last good record.

use std::io;
use std::time::{Duration, Instant};

use zermelo_core::{Tier, Width};

use crate::backend::Sink;
use crate::codec::{BlockLine, PackedBlock};
use crate::error::{Result, StoreError};
use crate::format::{self, Head, MAX_FILE_BYTES, TableExtent};
use crate::manifest::Identity;

/// Tables wait for a sync no longer than this, counted when the next one is appended.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// No more bytes than this wait for a sync.
pub(crate) const SYNC_BYTES: u64 = 8 << 20;
/// Parts of a record are gathered into writes of about this size.
const WRITE_BYTES: usize = 1 << 20;

/// The end of a file.
pub(crate) struct Tail {
    sink: Box<dyn Sink>,
    /// Where the last good record ends.
    end: u64,
    /// Whether there may be bytes behind `end` that have to go before the next write.
    dirty: bool,
    unsynced: u64,
    synced_at: Instant,
}

/// When a record has to be on the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Before the write returns.
    Now,
    /// With others, soon.
    Soon,
}

/// What a record's bytes are handed to, part by part.
pub(crate) struct Gather<'a> {
    sink: &'a mut dyn Sink,
    at: u64,
    buffer: Vec<u8>,
}

impl Gather<'_> {
    /// Takes the next part.
    pub(crate) fn push(&mut self, part: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(part);
        if self.buffer.len() >= WRITE_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all_at(&self.buffer, self.at)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

impl Tail {
    /// The end of a file whose good records, all synced, end at `end`.
    pub(crate) fn new(sink: Box<dyn Sink>, end: u64) -> Tail {
        Tail { sink, end, dirty: false, unsynced: 0, synced_at: Instant::now() }
    }

    /// Where the last good record ends.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Appends a record of a length, whose parts `fill` hands over, and returns its offset; after an error the file
    /// is as before.
    pub(crate) fn write(
        &mut self,
        length: u64,
        when: When,
        fill: impl FnOnce(&mut Gather<'_>) -> io::Result<()>,
    ) -> io::Result<u64> {
        if length > MAX_FILE_BYTES - self.end.min(MAX_FILE_BYTES) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.check_place(self.sink.length()?.min(self.end))?;
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
        let written = self.write_parts(fill).and_then(|()| {
            self.unsynced += length;
            let due = self.unsynced >= SYNC_BYTES || self.synced_at.elapsed() >= SYNC_EVERY;
            if due || when == When::Now { self.sync() } else { Ok(()) }
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

    /// Fails where the file is no more what was written, because another program has removed, replaced or changed it.
    pub(crate) fn check(&self) -> io::Result<()> {
        self.check_place(self.sink.length()?)
    }

    /// Fails as [`check`](Tail::check) does, for a file that has so many bytes now.
    fn check_place(&self, length: u64) -> io::Result<()> {
        if !self.sink.is_in_place()? {
            return Err(io::Error::other(
                "another program has removed or replaced it while it was being written; run the same command again, \
                 and leave the files of a database alone until it has ended",
            ));
        }
        if length == self.end {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "another program has changed it while it was being written: it has {length} bytes, and {} were written; \
             run the same command again, and leave the files of a database alone until it has ended",
            self.end
        )))
    }

    fn write_parts(&mut self, fill: impl FnOnce(&mut Gather<'_>) -> io::Result<()>) -> io::Result<()> {
        let mut gather = Gather { sink: &mut *self.sink, at: self.end, buffer: Vec::new() };
        fill(&mut gather)?;
        gather.flush()
    }

    /// Waits until all records are on the disk.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if self.unsynced > 0 {
            self.sink.sync()?;
        }
        self.unsynced = 0;
        self.synced_at = Instant::now();
        Ok(())
    }
}

/// A table that is to be appended: the head and the index of its record.
pub(crate) struct Record {
    front: Vec<u8>,
    head: Head,
}

impl Record {
    /// The record of a table with these blocks.
    pub(crate) fn new(
        tier: Tier,
        width: Width,
        entries: u64,
        positions: u64,
        lines: &[BlockLine],
    ) -> Result<Record> {
        let (front, head) = format::encode_head(tier, width, entries, positions, lines)
            .map_err(|why| StoreError::Unstorable { tier, why })?;
        Ok(Record { front, head })
    }

    /// Appends it to the file with a number, `fill` handing over the bytes of all blocks.
    pub(crate) fn append(
        &self,
        tail: &mut Tail,
        file: u16,
        when: When,
        fill: impl FnOnce(&mut Gather<'_>) -> io::Result<()>,
    ) -> io::Result<TableExtent> {
        let length = self.head.record_bytes();
        let offset = tail.write(length, when, |gather| {
            gather.push(&self.front)?;
            fill(gather)
        })?;
        Ok(TableExtent { file, offset, length, crc: self.head.crc })
    }

    /// The error of a failed append.
    pub(crate) fn error(&self, file: &str, error: io::Error) -> StoreError {
        StoreError::write(file, self.head.record_bytes(), error)
    }
}

/// Hands over the bytes of blocks.
pub(crate) fn push_all(gather: &mut Gather<'_>, blocks: &[PackedBlock]) -> io::Result<()> {
    blocks.iter().try_for_each(|block| gather.push(&block.bytes))
}

/// Makes a file of tables hold nothing but its header.
pub(crate) fn begin_file(sink: &mut dyn Sink, file: &str, identity: &Identity) -> Result<()> {
    let header = format::file_header(identity.crc());
    sink.truncate(0)
        .and_then(|()| sink.write_all_at(&header, 0))
        .and_then(|()| sink.sync())
        .map_err(|e| StoreError::write(file, header.len() as u64, e))
}
