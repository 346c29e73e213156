//! Sorted records in few bytes: each is told by how it differs from the one before.
//!
//! ```text
//! head    bit 0     the first half of the key differs from the one before
//!         bit 1     the turn
//!         bits 2-3  how it was reached
//!         bit 4     there were passes
//!         bits 5-6  games: 0, 1, or more
//! key     the difference in the first half, then the second half whole;
//!         or the difference in the second half
//! passes  if there were
//! games   if more than 1
//! ```
//!
//! Numbers are as [`varint`] has them.

use zermelo_core::{Record, varint};

/// Adds a record that follows one with this key; the first of a block follows `[0, 0]`.
pub(super) fn pack(bytes: &mut Vec<u8>, before: [u64; 2], record: &Record) {
    let [high, low] = record.key;
    let games = record.games.min(2) as u8;
    let new = high != before[0];
    let passes = record.passes > 0;
    bytes.push(u8::from(new) | record.turn << 1 | record.how << 2 | u8::from(passes) << 4 | games << 5);
    if new {
        varint::put(bytes, high.wrapping_sub(before[0]));
        varint::put(bytes, low);
    } else {
        varint::put(bytes, low.wrapping_sub(before[1]));
    }
    if passes {
        varint::put(bytes, record.passes.into());
    }
    if games == 2 {
        varint::put(bytes, record.games);
    }
}

/// Takes records out again.
#[derive(Clone, Copy, Default)]
pub(super) struct Unpacker {
    at: usize,
    key: [u64; 2],
}

impl Unpacker {
    /// The next record; `None` when the bytes are over or make no sense.
    #[inline]
    pub(super) fn next(&mut self, bytes: &[u8]) -> Option<Record> {
        let head = *bytes.get(self.at)?;
        self.at += 1;
        if head & 1 != 0 {
            self.key[0] = self.key[0].wrapping_add(varint::take(bytes, &mut self.at)?);
            self.key[1] = varint::take(bytes, &mut self.at)?;
        } else {
            self.key[1] = self.key[1].wrapping_add(varint::take(bytes, &mut self.at)?);
        }
        let passes =
            if head & 16 != 0 { u16::try_from(varint::take(bytes, &mut self.at)?).ok()? } else { 0 };
        let games = match head >> 5 {
            few @ 0..=1 => few.into(),
            2 => varint::take(bytes, &mut self.at)?,
            _ => return None,
        };
        Some(Record { key: self.key, turn: head >> 1 & 1, how: head >> 2 & 3, passes, games })
    }

    /// Whether all bytes have been read.
    pub(super) fn is_at_end(&self, bytes: &[u8]) -> bool {
        self.at == bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let mut records = vec![];
        for high in [0, 1, u64::MAX] {
            for low in [0, 127, 128, u64::MAX] {
                for (turn, how, passes, games) in
                    [(0, 1, 0, 0), (0, 3, 1, 1), (1, 2, 0, 2), (1, 1, u16::MAX, u64::MAX)]
                {
                    records.push(Record { key: [high, low], turn, how, passes, games });
                }
            }
        }
        let (mut bytes, mut before) = (vec![], [0; 2]);
        for record in &records {
            pack(&mut bytes, before, record);
            before = record.key;
        }
        let mut unpacker = Unpacker::default();
        for record in &records {
            assert!(!unpacker.is_at_end(&bytes));
            assert_eq!(unpacker.next(&bytes), Some(*record));
        }
        assert!(unpacker.is_at_end(&bytes) && unpacker.next(&bytes).is_none());
        // Bytes that were cut are no record.
        let mut cut = Unpacker::default();
        assert!((0..records.len()).any(|_| cut.next(&bytes[..bytes.len() - 1]).is_none()));
    }
}
