//! Scratch files beside a database that is being solved: the engines' working forms of finished tiers are spilled
//! here, so that their memory can be given back and a killed run can go on where it was.
//!
//! One process syncs nothing of it. Spilled bytes can be computed again, so a power loss may cost work, and checksums see to it
//! that it costs no more. For the same reason whatever is doubtful in a file that an earlier run left is ignored,
//! where the database itself would report it.
//!
//! Small records share a file, a segment, until it is full; a large one has a segment of its own. It can then be
//! written without holding a lock and without knowing its length beforehand, is undone by removing the file, and
//! gives its room back as soon as it is forgotten.
//!
//! Where several processes solve tiers of one database, each has a `ScratchFiles` for the same folder and writes segments of
//! its own. They tell each other where a record is, its [`ScratchPlace`], and only who wrote a segment removes it.

mod record;
mod state;

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

use serde::{Deserialize, Serialize};
use zermelo_core::{Keep, Spill, Tier, Unpoisoned};

use crate::backend::{Folder, Sink};
use crate::error::{Result, StoreError};
use crate::format::FILE_HEADER;
use crate::manifest::Identity;
use record::{Fault, Record};
use state::{Current, Segment, State};

/// The sizes at which scratch files are written in another way.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct ScratchSizes {
    /// Records of more bytes than this, before compression, have a segment of their own; the others are compressed
    /// in memory as a whole.
    pub shared: u64,
    /// A shared segment that is longer than this is followed by a new one.
    pub segment: u64,
    /// As long as the scratch files take no more bytes than this and no process reads them over a network, nothing is
    /// compressed. The reason is that bytes written now and read soon often stay in memory and never reach the disk.
    pub loose: u64,
}

/// Small segments, so that their room is soon free again.
const SIZES: ScratchSizes = ScratchSizes { shared: 32 << 20, segment: 16 << 20, loose: ScratchFiles::LOOSE };

/// Working forms of tiers, spilled to scratch files until they are forgotten.
///
/// All methods may be called from many threads. Only one `ScratchFiles` may be opened for a folder at a time; the lock that
/// the [`Writer`](crate::Writer) of the same folder holds sees to that. Other processes open a `ScratchFiles` [beside](ScratchFiles::beside)
/// it.
///
/// Forgetting is not written to the disk. A later run finds a forgotten or replaced record again if its file is still
/// there for the sake of other records. So it may get an earlier record of a tier whose last one was lost, and all
/// records of a tier must be equally good.
pub struct ScratchFiles {
    folder: Box<dyn Folder>,
    header: [u8; FILE_HEADER],
    sizes: ScratchSizes,
    /// Whether other machines may read a record as soon as it is put.
    shared: AtomicBool,
    state: Mutex<State>,
}

/// Where the spilled bytes of a tier are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScratchPlace {
    /// The number of the scratch file.
    pub segment: u64,
    /// Where in the file the record begins.
    pub offset: u64,
    /// Tells the record from others of its tier.
    pub sequence: u64,
}

impl ScratchFiles {
    /// The usual value of [`ScratchSizes::loose`]: scratch files of no more bytes are not compressed.
    pub const LOOSE: u64 = 1 << 30;

    /// Opens the scratch files in the folder of a database. Records that an earlier run left for a database of this
    /// identity are kept, or removed when `fresh`. Records for a database of another identity are removed.
    ///
    /// The identity tells such records apart: a run that starts over, and is killed before it has removed the old
    /// scratch files, leaves them beside the new database.
    pub fn open_for(folder: impl Folder + 'static, identity: &Identity, fresh: bool) -> Result<ScratchFiles> {
        let header = record::file_header(identity.crc());
        let numbers = numbers(&folder)?;
        // Above all old numbers, so that nothing old is ever written to, not even when it could not be removed.
        let mut state = State::new(numbers.last().map_or(0, |n| n + 1), 1);
        if fresh {
            remove_all(&folder, &numbers)?;
        } else {
            numbers.iter().try_for_each(|&n| state.scan(&folder, n, &header))?;
            numbers.iter().for_each(|&n| state.list_if_dead(n));
        }
        let scratch = ScratchFiles::over(folder, header, state, false);
        scratch.sweep(scratch.state());
        Ok(scratch)
    }

    /// The scratch files of one more process, in a folder that another process has opened with
    /// [`ScratchFiles::open_for`]. They begin empty, and are written with the numbers `first`, `first + step` and so
    /// on, which no other process may use.
    ///
    /// Each record is synced before [`ScratchFiles::put`] returns, for other machines to read.
    pub fn beside(folder: impl Folder + 'static, identity: &Identity, first: u64, step: u64) -> ScratchFiles {
        ScratchFiles::over(folder, record::file_header(identity.crc()), State::new(first, step), true)
    }

    fn over(
        folder: impl Folder + 'static,
        header: [u8; FILE_HEADER],
        state: State,
        shared: bool,
    ) -> ScratchFiles {
        let (shared, state) = (AtomicBool::new(shared), Mutex::new(state));
        ScratchFiles { folder: Box::new(folder), header, sizes: SIZES, shared, state }
    }

    /// Scratch files with other limits than the usual ones, for tests.
    #[doc(hidden)]
    pub fn sized(self, sizes: ScratchSizes) -> ScratchFiles {
        ScratchFiles { sizes, ..self }
    }

    /// Scratch files whose new records get sequence numbers from `sequence` on. Of two records of a tier the one with
    /// the higher number counts. So records of this run replace those of an earlier one, if `sequence` is what
    /// [`ScratchFiles::next_sequence`] said of that.
    pub fn counting_from(self, sequence: u64) -> ScratchFiles {
        self.state().next_sequence = sequence;
        self
    }

    /// Declares that all processes that read the scratch files are on this machine: nothing is synced.
    pub fn on_one_machine(self) -> ScratchFiles {
        self.shared.store(false, Relaxed);
        self
    }

    /// The number of the next scratch file. All scratch files that were in the folder when it was opened have lower
    /// numbers.
    pub fn next_segment(&self) -> u64 {
        self.state().next_segment
    }

    /// The sequence number of the next record. All records of an earlier run have lower numbers.
    pub fn next_sequence(&self) -> u64 {
        self.state().next_sequence
    }

    /// Shares the folder with other processes from now on. New scratch files get only every `step`-th number from
    /// [`ScratchFiles::next_segment`] on, which leaves the other numbers to those processes, and each record is synced
    /// so that they can read it.
    pub fn share(&self, step: u64) {
        self.shared.store(true, Relaxed);
        let mut state = self.state();
        state.step = step.max(1);
        // What was put so far can be read by others once its file is closed.
        state.close();
        self.sweep(state);
    }

    /// Takes note of a record that another process spilled, in place of any that is known for the tier.
    ///
    /// The file of the record belongs to the other process: forgetting the tier here does not remove that file.
    pub fn know(&self, tier: Tier, spot: ScratchPlace) {
        let mut state = self.state();
        state.know(tier, spot);
        self.sweep(state);
    }

    /// Where the bytes of a tier are spilled.
    pub fn spot(&self, tier: Tier) -> Option<ScratchPlace> {
        self.state().tiers.get(&tier).copied()
    }

    /// Writes the bytes of a tier to a scratch file, in place of any that are there for the tier, and returns where
    /// they are.
    ///
    /// After an error the bytes that were there before still count, and the call may be repeated. Besides the bytes
    /// this takes some tens of megabytes of memory at most.
    pub fn put<'a>(&self, tier: Tier, spilled: impl Into<Spill<'a>>) -> Result<ScratchPlace> {
        let (spilled, sequence) = (spilled.into(), self.state().take_sequence());
        let keep = self.keep(spilled.bytes());
        if spilled.bytes() > self.sizes.shared {
            self.put_alone(tier, sequence, spilled, keep)
        } else {
            self.put_shared(tier, sequence, spilled, keep)
        }
    }

    /// How to write so many bytes more.
    fn keep(&self, bytes: u64) -> Keep {
        let far = self.shared.load(Relaxed) || self.bytes().saturating_add(bytes) > self.sizes.loose;
        if far { Keep::Packed } else { Keep::AsTheyAre }
    }

    /// Reads back the bytes of a tier.
    pub fn get(&self, tier: Tier) -> Result<Vec<u8>> {
        let (mut bytes, mut spilled) = (vec![], self.read(tier)?);
        let room = usize::try_from(spilled.left()).ok().and_then(|left| bytes.try_reserve_exact(left).ok());
        room.ok_or_else(|| StoreError::io("read", &spilled.file, io::ErrorKind::OutOfMemory.into()))?;
        while spilled.next_chunk()? {
            bytes.extend_from_slice(spilled.record.chunk());
        }
        Ok(bytes)
    }

    /// Checks the checksums of the spilled bytes of a tier; returns how many bytes there are.
    pub fn check(&self, tier: Tier) -> Result<u64> {
        let mut spilled = self.read(tier)?;
        let bytes = spilled.left();
        while spilled.record.skip_chunk().map_err(|e| fault(&spilled.file, tier, e))? {}
        Ok(bytes)
    }

    /// Reads back the bytes of a tier, a chunk at a time.
    pub fn read(&self, tier: Tier) -> Result<SpillReader> {
        let state = self.state();
        let Some(&place) = state.tiers.get(&tier) else {
            return Err(StoreError::NotSpilled { files: self.folder.place(&name("*")), tier });
        };
        let file = self.folder.place(&name(place.segment));
        // Opened before the lock is given back, because a file may be removed as soon as it is. Not kept open:
        // there may be more segments than a process may have files.
        let source = self.folder.source(&name(place.segment)).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => fault(&file, tier, Fault::Damage(0, "the file is missing")),
            _ => StoreError::io("open", &file, e),
        })?;
        drop(state);
        let record = Record::open(source, place.offset, tier, place.sequence);
        let record = record.map_err(|e| fault(&file, tier, e))?;
        Ok(SpillReader { record, file, tier, taken: 0 })
    }

    /// Whether a tier is spilled.
    pub fn contains(&self, tier: Tier) -> bool {
        self.state().tiers.contains_key(&tier)
    }

    /// The spilled tiers, in ascending order.
    pub fn tiers(&self) -> Vec<Tier> {
        self.state().tiers.keys().copied().collect()
    }

    /// Declares that the bytes of a tier are no longer needed. A scratch file in which nothing is needed is removed.
    pub fn forget(&self, tier: Tier) {
        let mut state = self.state();
        state.drop_record(tier);
        self.sweep(state);
    }

    /// The bytes of all scratch files of this process, but for records that are just being written.
    pub fn bytes(&self) -> u64 {
        self.state().segments.values().map(|s| s.bytes).sum()
    }

    /// Removes all scratch files, also those of processes beside this one, which must not be used any more.
    pub fn clear(self) -> Result<()> {
        // By what is in the folder: a file that could not be removed before is not in the list of segments.
        remove_all(&*self.folder, &numbers(&*self.folder)?)
    }

    /// Removes the scratch files of this process alone, as far as that is possible. Each process of a cluster does this
    /// at its end, at the same time; then [`ScratchFiles::clear`] in the first process removes what is left.
    pub fn leave(self) {
        for number in self.state().segments.keys() {
            let _ = self.folder.discard(&name(number));
        }
    }

    /// Appends a record to the shared segment.
    fn put_shared(&self, tier: Tier, sequence: u64, spilled: Spill<'_>, keep: Keep) -> Result<ScratchPlace> {
        let made = match keep {
            Keep::AsTheyAre => record::as_they_are(tier, sequence, spilled),
            Keep::Packed => packed(tier, sequence, spilled),
        };
        let record = made.map_err(|e| self.write_error(self.next_segment(), 0, e))?;
        let mut state = self.state();
        let current = self.current(&mut state)?;
        let (segment, offset) = (current.number, current.end);
        let written = current.sink.write_all_at(&record, offset);
        let written = written.and_then(|()| self.settle(&mut *current.sink));
        if let Err(error) = written {
            // If even this fails nothing more is written to the segment: with the rest of this record behind it,
            // the next torn one could look whole.
            if current.sink.truncate(offset).is_err() {
                state.close();
            }
            self.sweep(state);
            return Err(self.write_error(segment, record.len() as u64, error));
        }
        current.end += record.len() as u64;
        let end = current.end;
        if keep == Keep::AsTheyAre {
            record::leave(record);
        }
        state.add(segment, end);
        let spot = state.replace(tier, ScratchPlace { segment, offset, sequence });
        self.sweep(state);
        Ok(spot)
    }

    /// Writes a record into a segment of its own.
    fn put_alone(&self, tier: Tier, sequence: u64, spilled: Spill<'_>, keep: Keep) -> Result<ScratchPlace> {
        let segment = self.state().take_segment();
        let mut sink = self.create(segment)?;
        let offset = FILE_HEADER as u64;
        let bytes = spilled.bytes();
        let emit = |at, part: &[u8]| sink.write_all_at(part, offset + at);
        let written = record::encode(tier, sequence, spilled, keep, emit);
        let written = written.and_then(|length| self.settle(&mut *sink).map(|()| length));
        let length = written.map_err(|e| self.undo(segment, bytes, e))?;
        let mut state = self.state();
        state.add(segment, offset + length);
        let spot = state.replace(tier, ScratchPlace { segment, offset, sequence });
        self.sweep(state);
        Ok(spot)
    }

    /// Lets others see what was written, if they may ask for it.
    fn settle(&self, sink: &mut dyn Sink) -> io::Result<()> {
        if self.shared.load(Relaxed) { sink.sync() } else { Ok(()) }
    }

    /// The shared segment to write to, a new one if need be.
    fn current<'a>(&self, state: &'a mut State) -> Result<&'a mut Current> {
        if state.current.as_ref().is_some_and(|c| c.end > self.sizes.segment) {
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
        made.map_err(|e| self.undo(segment, FILE_HEADER as u64, e))
    }

    /// Removes the file of a segment whose writing failed, and returns the error to report.
    fn undo(&self, segment: u64, needed: u64, error: io::Error) -> StoreError {
        // A file that stays has no head in it, or else a record that is right.
        let _ = self.folder.discard(&name(segment));
        self.write_error(segment, needed, error)
    }

    fn write_error(&self, segment: u64, needed: u64, error: io::Error) -> StoreError {
        StoreError::write(&self.folder.place(&name(segment)), needed, error)
    }

    /// Gives the lock back and removes the files of dead segments: the system takes its time to free large ones.
    fn sweep(&self, mut state: MutexGuard<'_, State>) {
        let dead = std::mem::take(&mut state.dead);
        drop(state);
        for (number, segment) in dead {
            if self.folder.discard(&name(number)).is_err() {
                // The file still takes room, and is removed at the end.
                self.state().segments.insert(number, segment);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unpoisoned()
    }
}

/// Spilled bytes of a tier that are being read back.
pub struct SpillReader {
    record: Record,
    file: String,
    tier: Tier,
    /// Bytes of the chunk that have been taken.
    taken: usize,
}

impl SpillReader {
    /// Bytes that are still to come.
    fn left(&self) -> u64 {
        self.record.left()
    }

    fn next_chunk(&mut self) -> Result<bool> {
        let more = self.record.next_chunk().map_err(|e| fault(&self.file, self.tier, e))?;
        // After the last chunk nothing comes, however often it is asked for.
        self.taken = if more { 0 } else { self.record.chunk().len() };
        Ok(more)
    }
}

impl Read for SpillReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.record.chunk().len() && !self.next_chunk().map_err(io::Error::other)? {
            return Ok(0);
        }
        let many = (&self.record.chunk()[self.taken..]).read(out)?;
        self.taken += many;
        Ok(many)
    }
}

/// A record whose chunks are compressed.
fn packed(tier: Tier, sequence: u64, spilled: Spill<'_>) -> io::Result<Vec<u8>> {
    let mut record = vec![];
    record::encode(tier, sequence, spilled, Keep::Packed, |at, part| {
        record.resize(record.len().max(at as usize), 0);
        match record.get_mut(at as usize..at as usize + part.len()) {
            Some(place) => place.copy_from_slice(part),
            // The parts come one after the other, but for index and head.
            None => record.extend_from_slice(part),
        }
        Ok(())
    })?;
    Ok(record)
}

/// What the names of scratch files begin with.
pub const SCRATCH: &str = "scratch-";

/// Why a record of a tier could not be read.
fn fault(file: &str, tier: Tier, fault: Fault) -> StoreError {
    let file = file.to_string();
    match fault {
        Fault::Damage(offset, why) => StoreError::DamagedSpill { file, tier, offset, why: why.into() },
        Fault::Io(e) => StoreError::io("read", &file, e),
    }
}

/// The name of a segment's file.
fn name(number: impl std::fmt::Display) -> String {
    format!("{SCRATCH}{number}.zmo")
}

/// The numbers of all segments in a folder, in ascending order.
fn numbers(folder: &dyn Folder) -> Result<Vec<u64>> {
    let names = folder.names().map_err(|e| StoreError::io("list", &folder.place(&name("*")), e))?;
    // Not all of the 64 bits that numbers have here, so that there is always a next one.
    let number = |file: &String| {
        let number = file.strip_prefix(SCRATCH)?.strip_suffix(".zmo")?.parse::<u32>().ok()?;
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
        result = result.and(removed.map_err(|e| StoreError::io("remove", &folder.place(&name(number)), e)));
    }
    result
}
