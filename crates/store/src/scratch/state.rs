//! Which records of scratch files count, and which segments may be removed. No lock and no writing here.

use std::collections::BTreeMap;
use std::io;

use zermelo_core::Tier;

use super::record::{self, Fault};
use super::{ScratchPlace, name};
use crate::backend::{Folder, Sink};
use crate::error::{Result, StoreError};
use crate::format::FILE_HEADER;

/// What is known of the records and segments of scratch files.
pub(super) struct State {
    pub(super) tiers: BTreeMap<Tier, ScratchPlace>,
    /// The segments that this process may remove; others are those of other processes.
    pub(super) segments: BTreeMap<u64, Segment>,
    /// The shared segment that is being written to.
    pub(super) current: Option<Current>,
    /// Segments without a record that counts, whose files are to be removed.
    pub(super) dead: Vec<(u64, Segment)>,
    pub(super) next_segment: u64,
    /// From one segment's number to that of the next.
    pub(super) step: u64,
    pub(super) next_sequence: u64,
}

/// A segment that this process wrote.
pub(super) struct Segment {
    /// The length of the file.
    pub(super) bytes: u64,
    /// How many of its records count.
    pub(super) live: u64,
}

/// A shared segment that is being written to.
pub(super) struct Current {
    pub(super) number: u64,
    pub(super) sink: Box<dyn Sink>,
    /// Where the last record ends.
    pub(super) end: u64,
}

impl State {
    pub(super) fn new(next_segment: u64, step: u64) -> State {
        let (tiers, segments) = (BTreeMap::new(), BTreeMap::new());
        State {
            tiers,
            segments,
            current: None,
            dead: Vec::new(),
            next_segment,
            step: step.max(1),
            next_sequence: 0,
        }
    }

    /// Takes up the records of a segment that an earlier run left, as far as their heads are good.
    pub(super) fn scan(
        &mut self,
        folder: &dyn Folder,
        segment: u64,
        header: &[u8; FILE_HEADER],
    ) -> Result<()> {
        let file = folder.place(&name(segment));
        let failed = |e| StoreError::io("read", &file, e);
        let source = folder.source(&name(segment)).map_err(|e| StoreError::io("open", &file, e))?;
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
            self.settle(head.tier, ScratchPlace { segment, offset, sequence: head.sequence });
            self.next_sequence = self.next_sequence.max(head.sequence.saturating_add(1));
            offset += head.record_bytes();
        }
        Ok(())
    }

    /// Counts one more record of a segment, whose file is now this long.
    pub(super) fn add(&mut self, segment: u64, bytes: u64) {
        let entry = self.segments.entry(segment).or_insert(Segment { bytes, live: 0 });
        entry.bytes = bytes;
        entry.live += 1;
    }

    /// Lets a record count, unless there is a later one; returns the segment of the one that no longer does.
    pub(super) fn settle(&mut self, tier: Tier, place: ScratchPlace) -> Option<u64> {
        let outdated = match self.tiers.get(&tier) {
            Some(old) if old.sequence > place.sequence => Some(place),
            _ => self.tiers.insert(tier, place),
        }?;
        self.release(outdated.segment);
        Some(outdated.segment)
    }

    /// Lets a record count, unless there is a later one, after which a segment may be dead; returns the record that
    /// counts.
    pub(super) fn replace(&mut self, tier: Tier, place: ScratchPlace) -> ScratchPlace {
        if let Some(segment) = self.settle(tier, place) {
            self.list_if_dead(segment);
        }
        self.tiers.get(&tier).copied().unwrap_or(place)
    }

    /// Lets a record of another process count.
    pub(super) fn know(&mut self, tier: Tier, spot: ScratchPlace) {
        if self.tiers.get(&tier) == Some(&spot) {
            return;
        }
        // In a segment of this process it is a record that counts again; first, so that the segment stays.
        if let Some(entry) = self.segments.get_mut(&spot.segment) {
            entry.live += 1;
        }
        self.drop_record(tier);
        self.tiers.insert(tier, spot);
        // What is put here from now on is later.
        self.next_sequence = self.next_sequence.max(spot.sequence.saturating_add(1));
    }

    /// Lets no record of a tier count, after which a segment may be dead.
    pub(super) fn drop_record(&mut self, tier: Tier) {
        if let Some(place) = self.tiers.remove(&tier) {
            self.release(place.segment);
            self.list_if_dead(place.segment);
        }
    }

    /// Counts one record of a segment less.
    pub(super) fn release(&mut self, segment: u64) {
        if let Some(entry) = self.segments.get_mut(&segment) {
            entry.live -= 1;
        }
    }

    /// Lists a segment as dead, so that its file is removed, if no record in it counts and nothing is written to it.
    pub(super) fn list_if_dead(&mut self, segment: u64) {
        let current = self.current.as_ref().is_some_and(|c| c.number == segment);
        if !current && self.segments.get(&segment).is_some_and(|s| s.live == 0) {
            self.dead.extend(self.segments.remove_entry(&segment));
        }
    }

    /// Ends the shared segment.
    pub(super) fn close(&mut self) {
        if let Some(current) = self.current.take() {
            self.list_if_dead(current.number);
        }
    }

    pub(super) fn take_segment(&mut self) -> u64 {
        let segment = self.next_segment;
        self.next_segment = segment.saturating_add(self.step);
        segment
    }

    pub(super) fn take_sequence(&mut self) -> u64 {
        let sequence = self.next_sequence;
        // Saturating, because the number it goes on from was read from a file.
        self.next_sequence = sequence.saturating_add(1);
        sequence
    }
}
