//! Scratch files beside a database that is being solved: the engines' working forms of finished tiers are parked
//! here, so that their memory can be given back and a killed run can go on where it was.
//!
//! Nothing is synced. Parked bytes can be computed again, so a power loss may cost work, and checksums see to it
//! that it costs no more. For the same reason whatever is doubtful in a file that an earlier run left is ignored,
//! where the database itself would report it.
//!
//! Small records share a file, a segment, until it is full; a large one has a segment of its own. It can then be
//! written without holding a lock and without knowing its length beforehand, is undone by removing the file, and
//! gives its room back as soon as it is forgotten.

mod record;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use zermelo_core::Tier;

use crate::backend::{Folder, Sink};
use crate::error::{Error, Result};
use crate::manifest::Identity;
use record::{FILE_HEADER, Fault};

/// A shared segment that is longer than this is followed by a new one.
const SEGMENT_BYTES: u64 = 256 << 20;
/// Records of more bytes than this, before compression, have a segment of their own; the others are compressed
/// in memory as a whole.
const SHARED_BYTES: usize = 32 << 20;

/// Working forms of tiers, parked in scratch files until they are forgotten.
///
/// All methods may be called from many threads. Only one `Park` may be open for a folder at a time; the lock that
/// the [`Writer`](crate::Writer) of the same folder holds sees to that.
///
/// Forgetting is not written down: a later run finds a forgotten or replaced record again if its file is still
/// there because of others, and so may get an earlier record of a tier whose last one was lost. All records of a
/// tier must therefore do equally well.
pub struct Park {
    folder: Box<dyn Folder>,
    header: [u8; FILE_HEADER],
    shared_bytes: usize,
    segment_bytes: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tiers: BTreeMap<Tier, Place>,
    segments: BTreeMap<u64, Segment>,
    /// The shared segment that is being written to.
    current: Option<Current>,
    /// Segments without a record that counts, whose files are to be removed.
    dead: Vec<(u64, Segment)>,
    next_segment: u64,
    next_sequence: u64,
}

/// Where a record is.
#[derive(Clone, Copy)]
struct Place {
    segment: u64,
    offset: u64,
    sequence: u64,
}

struct Segment {
    /// The length of the file.
    bytes: u64,
    /// How many of its records count.
    live: u64,
}

struct Current {
    number: u64,
    sink: Box<dyn Sink>,
    /// Where the last record ends.
    end: u64,
}

impl Park {
    /// Goes on with what an earlier run left in the folder, or removes it when `fresh`.
    pub fn open(folder: impl Folder + 'static, fresh: bool) -> Result<Park> {
        Park::open_for(folder, &Identity::default(), fresh)
    }

    /// The same for the database with an identity: what was parked for another one is removed.
    ///
    /// A run that starts over and is killed before it has removed the old scratch files leaves them beside the new
    /// database; this is how the next run tells.
    pub fn open_for(folder: impl Folder + 'static, identity: &Identity, fresh: bool) -> Result<Park> {
        Park::open_sized(folder, identity, fresh, SHARED_BYTES, SEGMENT_BYTES)
    }

    /// The same with other sizes, for tests.
    #[doc(hidden)]
    pub fn open_sized(
        folder: impl Folder + 'static,
        identity: &Identity,
        fresh: bool,
        shared_bytes: usize,
        segment_bytes: u64,
    ) -> Result<Park> {
        let header = record::file_header(identity.crc());
        let mut state = State::default();
        let numbers = numbers(&folder)?;
        // Above all old numbers, so that nothing old is ever written to, not even when it could not be removed.
        state.next_segment = numbers.last().map_or(0, |n| n + 1);
        if fresh {
            remove_all(&folder, &numbers)?;
        } else {
            numbers.iter().try_for_each(|&n| state.scan(&folder, n, &header))?;
            numbers.iter().for_each(|&n| state.bury(n));
        }
        let state = Mutex::new(state);
        let park = Park { folder: Box::new(folder), header, shared_bytes, segment_bytes, state };
        park.sweep(park.state());
        Ok(park)
    }

    /// Parks the bytes of a tier, in place of any that are parked for it.
    ///
    /// After an error nothing of them counts, what was parked before still does, and the call may be repeated.
    /// Besides the bytes this takes some tens of megabytes of memory at most.
    pub fn put(&self, tier: Tier, bytes: &[u8]) -> Result<()> {
        let sequence = self.state().take_sequence();
        if bytes.len() > self.shared_bytes {
            self.put_alone(tier, sequence, bytes)
        } else {
            self.put_shared(tier, sequence, bytes)
        }
    }

    /// Reads back the bytes of a tier.
    pub fn get(&self, tier: Tier) -> Result<Vec<u8>> {
        let state = self.state();
        let Some(&place) = state.tiers.get(&tier) else {
            return Err(Error::NotParked { files: self.folder.place(&name("*")), tier });
        };
        let file = self.folder.place(&name(place.segment));
        let damaged = |offset, why: &str| {
            let (file, why) = (file.clone(), why.to_string());
            Error::DamagedParked { file, tier, offset, why }
        };
        // Opened before the lock is given back, because a file may be removed as soon as it is. Not kept open:
        // there may be more segments than a process may have files.
        let source = self.folder.source(&name(place.segment)).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => damaged(0, "the file is missing"),
            _ => Error::io("open", &file, e),
        })?;
        drop(state);
        record::decode(&*source, place.offset, tier, place.sequence).map_err(|fault| match fault {
            Fault::Damage(offset, why) => damaged(offset, why),
            Fault::Io(e) => Error::io("read", &file, e),
        })
    }

    /// Whether a tier is parked.
    pub fn contains(&self, tier: Tier) -> bool {
        self.state().tiers.contains_key(&tier)
    }

    /// The parked tiers, in ascending order.
    pub fn tiers(&self) -> Vec<Tier> {
        self.state().tiers.keys().copied().collect()
    }

    /// Declares that a tier is no longer wanted; a file of which nothing is wanted is removed.
    pub fn forget(&self, tier: Tier) {
        let mut state = self.state();
        if let Some(place) = state.tiers.remove(&tier) {
            state.release(place.segment);
            state.bury(place.segment);
        }
        self.sweep(state);
    }

    /// The bytes of all scratch files, but for records that are just being written.
    pub fn bytes(&self) -> u64 {
        self.state().segments.values().map(|s| s.bytes).sum()
    }

    /// Removes all scratch files.
    pub fn clear(self) -> Result<()> {
        // By what is in the folder: a file that could not be removed before is not in the list of segments.
        remove_all(&*self.folder, &numbers(&*self.folder)?)
    }

    /// Appends a record to the shared segment.
    fn put_shared(&self, tier: Tier, sequence: u64, bytes: &[u8]) -> Result<()> {
        let mut record = Vec::new();
        let written = record::encode(tier, sequence, bytes, |at, part| {
            let range = at as usize..at as usize + part.len();
            record.resize(record.len().max(range.end), 0);
            record[range].copy_from_slice(part);
            Ok(())
        });
        let mut state = self.state();
        let current = self.current(&mut state)?;
        let (segment, offset) = (current.number, current.end);
        let written = written.and_then(|_| current.sink.write_all_at(&record, offset));
        if let Err(error) = written {
            // If even this fails nothing more is written to the segment: with the rest of this record behind it,
            // the next torn one could look whole.
            if current.sink.truncate(offset).is_err() {
                state.close();
            }
            self.sweep(state);
            return Err(self.write_error(segment, record.len(), error));
        }
        current.end += record.len() as u64;
        let end = current.end;
        state.add(segment, end);
        state.replace(tier, Place { segment, offset, sequence });
        self.sweep(state);
        Ok(())
    }

    /// Writes a record into a segment of its own.
    fn put_alone(&self, tier: Tier, sequence: u64, bytes: &[u8]) -> Result<()> {
        let segment = self.state().take_segment();
        let mut sink = self.create(segment)?;
        let offset = FILE_HEADER as u64;
        let written = record::encode(tier, sequence, bytes, |at, part| sink.write_all_at(part, offset + at));
        let length = written.map_err(|e| self.undo(segment, bytes.len(), e))?;
        let mut state = self.state();
        state.add(segment, offset + length);
        state.replace(tier, Place { segment, offset, sequence });
        self.sweep(state);
        Ok(())
    }

    /// The shared segment to write to, a new one if need be.
    fn current<'a>(&self, state: &'a mut State) -> Result<&'a mut Current> {
        if state.current.as_ref().is_some_and(|c| c.end > self.segment_bytes) {
            state.close();
        }
        let current = match state.current.take() {
            Some(current) => current,
            None => {
                let number = state.take_segment();
                let sink = self.create(number)?;
                let end = FILE_HEADER as u64;
                state.segments.insert(number, Segment { bytes: end, live: 0 });
                Current { number, sink, end }
            }
        };
        Ok(state.current.insert(current))
    }

    /// Creates the file of a segment, with its header.
    fn create(&self, segment: u64) -> Result<Box<dyn Sink>> {
        let made = self.folder.scratch(&name(segment)).and_then(|mut sink| {
            sink.write_all_at(&self.header, 0)?;
            Ok(sink)
        });
        made.map_err(|e| self.undo(segment, FILE_HEADER, e))
    }

    /// Removes the file of a segment whose writing failed, and returns the error to report.
    fn undo(&self, segment: u64, needed: usize, error: io::Error) -> Error {
        // A file that stays has no head in it, or else a record that is right.
        let _ = self.folder.discard(&name(segment));
        self.write_error(segment, needed, error)
    }

    fn write_error(&self, segment: u64, needed: usize, error: io::Error) -> Error {
        Error::write(&self.folder.place(&name(segment)), needed as u64, error)
    }

    /// Gives the lock back and removes the files of dead segments: the system takes its time to free large ones.
    fn sweep(&self, mut state: MutexGuard<'_, State>) {
        let dead = std::mem::take(&mut state.dead);
        drop(state);
        for (number, segment) in dead {
            if self.folder.discard(&name(number)).is_err() {
                // It still takes room, and is removed in the end.
                self.state().segments.insert(number, segment);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes up the records of a segment that an earlier run left, as far as their heads are good.
    fn scan(&mut self, folder: &dyn Folder, segment: u64, header: &[u8; FILE_HEADER]) -> Result<()> {
        let file = folder.place(&name(segment));
        let failed = |e| Error::io("read", &file, e);
        let source = folder.source(&name(segment)).map_err(|e| Error::io("open", &file, e))?;
        let length = source.length().map_err(failed)?;
        self.segments.insert(segment, Segment { bytes: length, live: 0 });
        let mut offset = FILE_HEADER as u64;
        let mut found = [0; FILE_HEADER];
        match source.read_exact_at(&mut found, 0) {
            Err(e) if e.kind() != io::ErrorKind::UnexpectedEof => return Err(failed(e)),
            _ if found != *header => return Ok(()),
            _ => {}
        }
        while offset < length {
            let head = match record::read_head(&*source, offset, length) {
                Ok((head, _)) => head,
                Err(Fault::Damage(..)) => break,
                Err(Fault::Io(e)) => return Err(failed(e)),
            };
            self.add(segment, length);
            self.settle(head.tier, Place { segment, offset, sequence: head.sequence });
            self.next_sequence = self.next_sequence.max(head.sequence.saturating_add(1));
            offset += head.record_bytes();
        }
        Ok(())
    }

    /// Counts one more record of a segment, whose file is now this long.
    fn add(&mut self, segment: u64, bytes: u64) {
        let entry = self.segments.entry(segment).or_insert(Segment { bytes, live: 0 });
        entry.bytes = bytes;
        entry.live += 1;
    }

    /// Lets a record count, unless there is a later one; returns the segment of the one that no longer does.
    fn settle(&mut self, tier: Tier, place: Place) -> Option<u64> {
        let loser = match self.tiers.get(&tier) {
            Some(old) if old.sequence > place.sequence => Some(place),
            _ => self.tiers.insert(tier, place),
        }?;
        self.release(loser.segment);
        Some(loser.segment)
    }

    /// The same, after which a segment may be dead.
    fn replace(&mut self, tier: Tier, place: Place) {
        if let Some(segment) = self.settle(tier, place) {
            self.bury(segment);
        }
    }

    /// Counts one record of a segment less.
    fn release(&mut self, segment: u64) {
        if let Some(entry) = self.segments.get_mut(&segment) {
            entry.live -= 1;
        }
    }

    /// Lists a segment as dead if nothing in it counts and nothing is written to it.
    fn bury(&mut self, segment: u64) {
        let current = self.current.as_ref().is_some_and(|c| c.number == segment);
        if !current && self.segments.get(&segment).is_some_and(|s| s.live == 0) {
            self.dead.extend(self.segments.remove_entry(&segment));
        }
    }

    /// Ends the shared segment.
    fn close(&mut self) {
        if let Some(current) = self.current.take() {
            self.bury(current.number);
        }
    }

    fn take_segment(&mut self) -> u64 {
        self.next_segment += 1;
        self.next_segment - 1
    }

    fn take_sequence(&mut self) -> u64 {
        let sequence = self.next_sequence;
        // Saturating, because the number it goes on from was read from a file.
        self.next_sequence = sequence.saturating_add(1);
        sequence
    }
}

/// The name of a segment's file.
fn name(number: impl std::fmt::Display) -> String {
    format!("parked-{number}.zmo")
}

/// The numbers of all segments in a folder, in ascending order.
fn numbers(folder: &dyn Folder) -> Result<Vec<u64>> {
    let names = folder.names().map_err(|e| Error::io("list", &folder.place(&name("*")), e))?;
    // Not all of the 64 bits that numbers have here, so that there is always a next one.
    let number = |file: &String| {
        let number = file.strip_prefix("parked-")?.strip_suffix(".zmo")?.parse::<u32>().ok()?;
        (name(number) == *file).then_some(u64::from(number))
    };
    let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Removes the files of segments: as many as possible, and for good.
fn remove_all(folder: &dyn Folder, numbers: &[u64]) -> Result<()> {
    let mut result = Ok(());
    for (n, &number) in numbers.iter().enumerate() {
        // One wait for the disk is enough for all.
        let last = n + 1 == numbers.len();
        let removed = if last { folder.remove(&name(number)) } else { folder.discard(&name(number)) };
        result = result.and(removed.map_err(|e| Error::io("remove", &folder.place(&name(number)), e)));
    }
    result
}
