//! How a tier lies in the database: pages of positions with their codes, sorted, so that one
//! is found by halving.
//!
//! ```text
//! page    8 digits    codes      first digits of keys    second digits ...
//!         (page 0:    (a byte    (a byte for each        ...
//!         positions)  for each   position)
//!                     position)
//! ```
//!
//! A key is the blob and the number within it. All bytes of keys are digits of seven bits, for
//! a byte of all ones would mean that nobody asks. A page is a block of the database, so a
//! step of the search opens one block at most. Digits of the same weight lie together, where
//! they are alike and pack well.

use std::ops::Range;

use zermelo_core::{AskError, Reason, Tables, Tier};

use super::level::Level;

/// Entries in a page.
pub(super) const PAGE: u64 = 1 << 14;
/// Digits at the beginning of a page.
const HEAD: u64 = 8;
/// Bits of a digit.
const DIGIT: u32 = 7;
/// The byte of an entry that nobody will ask for.
const DONT_CARE: u8 = 0xff;

/// The layout of one tier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pages {
    tier: Tier,
    /// Bits of a number.
    bits: u32,
    /// Digits of a key; none where nothing is kept.
    digits: u32,
}

/// A position as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) blob: u64,
    pub(super) number: u64,
    pub(super) code: u8,
}

fn damaged(tier: Tier) -> AskError {
    let reason: Reason = format!("tier {tier}: its table is not one of blobs").into();
    AskError::Tables(reason)
}

impl Pages {
    /// For positions with so many cells occupied, on a board of so many bits.
    pub(super) fn new(cells: u32, board: u32, kept: bool) -> Pages {
        let digits = if kept { (board + cells).div_ceil(DIGIT) } else { 0 };
        Pages { tier: Tier(cells.into()), bits: cells, digits }
    }

    /// Whether positions are kept.
    pub(super) fn keeps(&self) -> bool {
        self.digits > 0
    }

    /// Positions on a page.
    fn per_page(&self) -> u64 {
        (PAGE - HEAD) / u64::from(1 + self.digits)
    }

    /// The length of the table of so many positions.
    pub(super) fn entries(&self, positions: u64) -> u64 {
        if self.keeps() { positions.div_ceil(self.per_page()).max(1) * PAGE } else { 1 }
    }

    fn digit(&self, key: u128, d: u32) -> u8 {
        (key >> (DIGIT * (self.digits - 1 - d)) & 0x7f) as u8
    }

    fn key(&self, blob: u64, number: u64) -> u128 {
        u128::from(blob) << self.bits | u128::from(number)
    }

    /// Appends a range of the table.
    pub(super) fn write(&self, level: &Level, codes: &[u8], range: Range<u64>, out: &mut Vec<u8>) {
        if !self.keeps() {
            out.extend(range.map(|_| DONT_CARE));
            return;
        }
        let mut at = range.start;
        while at < range.end {
            let (page, end) = (at / PAGE, range.end.min((at / PAGE + 1) * PAGE));
            let bytes = self.page(level, codes, page);
            out.extend_from_slice(&bytes[(at - page * PAGE) as usize..(end - page * PAGE) as usize]);
            at = end;
        }
    }

    fn page(&self, level: &Level, codes: &[u8], page: u64) -> Vec<u8> {
        let mut bytes = vec![DONT_CARE; PAGE as usize];
        let per_page = self.per_page() as usize;
        let count = if page == 0 { level.positions() as u64 } else { 0 };
        for (d, digit) in bytes[..HEAD as usize].iter_mut().enumerate() {
            *digit = (count >> (DIGIT as usize * d) & 0x7f) as u8;
        }
        let first = page as usize * per_page;
        let mut blob = level.begins.partition_point(|begin| *begin <= first).saturating_sub(1);
        for (at, code) in codes.iter().enumerate().skip(first).take(per_page) {
            while level.begins[blob + 1] <= at {
                blob += 1;
            }
            let key = self.key(level.blobs[blob], level.numbers.get(at));
            let slot = HEAD as usize + at - first;
            bytes[slot] = *code;
            for d in 0..self.digits {
                bytes[slot + (d as usize + 1) * per_page] = self.digit(key, d);
            }
        }
        bytes
    }

    /// A byte of the table; `None` without one.
    fn byte(&self, tables: &dyn Tables, at: u64) -> Result<Option<u8>, AskError> {
        Ok(tables.look(self.tier, at)?.map(|(raw, _)| raw as u8))
    }

    /// How many positions a table holds; `None` without one.
    pub(super) fn count(&self, tables: &dyn Tables) -> Result<Option<u64>, AskError> {
        if !self.keeps() {
            return Ok(None);
        }
        let mut count = 0;
        for d in 0..HEAD {
            let Some(digit) = self.byte(tables, d)? else { return Ok(None) };
            if digit > 0x7f {
                return Err(damaged(self.tier));
            }
            count |= u64::from(digit) << (u64::from(DIGIT) * d);
        }
        Ok(Some(count))
    }

    /// Where the byte of a position is: its code, or a digit of its key.
    fn place(&self, position: u64, column: u32) -> u64 {
        let per_page = self.per_page();
        position / per_page * PAGE + HEAD + u64::from(column) * per_page + position % per_page
    }

    /// A position by its place in the order.
    pub(super) fn get(&self, tables: &dyn Tables, position: u64) -> Result<Kept, AskError> {
        let mut key = 0u128;
        for d in 0..self.digits {
            let digit = self.byte(tables, self.place(position, d + 1))?.filter(|digit| *digit <= 0x7f);
            key = key << DIGIT | u128::from(digit.ok_or_else(|| damaged(self.tier))?);
        }
        let code = self.byte(tables, self.place(position, 0))?.ok_or_else(|| damaged(self.tier))?;
        let number = key as u64 & u64::MAX.checked_shr(64 - self.bits).unwrap_or(0);
        Ok(Kept { blob: (key >> self.bits) as u64, number, code })
    }

    /// The code of a position; `None` when it is not there.
    pub(super) fn find(&self, tables: &dyn Tables, blob: u64, number: u64) -> Result<Option<u8>, AskError> {
        let Some(count) = self.count(tables)? else { return Ok(None) };
        let key = self.key(blob, number);
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.compare(tables, middle, key)? {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.byte(tables, self.place(middle, 0)),
            }
        }
        Ok(None)
    }

    /// How the key of a position compares with another.
    fn compare(&self, tables: &dyn Tables, position: u64, key: u128) -> Result<std::cmp::Ordering, AskError> {
        for d in 0..self.digits {
            let digit = self.byte(tables, self.place(position, d + 1))?.ok_or_else(|| damaged(self.tier))?;
            match digit.cmp(&self.digit(key, d)) {
                std::cmp::Ordering::Equal => {}
                order => return Ok(order),
            }
        }
        Ok(std::cmp::Ordering::Equal)
    }
}

#[cfg(test)]
mod tests {
    use super::super::level::Numbers;
    use super::*;
    use zermelo_core::Width;

    struct Bytes(Vec<u8>);

    impl Tables for Bytes {
        fn has(&self, _: Tier) -> bool {
            true
        }
        fn code(&self, _: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
            self.0.get(rank as usize).map(|b| Some((u16::from(*b), Width::One))).ok_or("past the end".into())
        }
    }

    fn level(cells: u32, many: u64) -> Level {
        let mut level = Level::empty(cells);
        let mask = u64::MAX >> (64 - cells);
        for blob in 0..4u64 {
            let mut numbers: Vec<u64> =
                (0..many).map(|n| n.wrapping_mul(0x9e37_79b9 + blob) & mask).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let mut list = Numbers::of(cells);
            numbers.into_iter().for_each(|n| list.push(n));
            level.add(mask << blob, &list);
        }
        level
    }

    #[test]
    fn every_position_is_found_and_no_other() {
        for (cells, board, many) in [(12, 16, 40), (17, 24, 3_000), (33, 40, 2_000), (50, 60, 1_000)] {
            let (level, pages) = (level(cells, many), Pages::new(cells, board, true));
            let codes: Vec<u8> = (0..level.positions()).map(|i| (i % 251) as u8).collect();
            let entries = pages.entries(level.positions() as u64);
            let (mut whole, mut parts) = (vec![], vec![]);
            pages.write(&level, &codes, 0..entries, &mut whole);
            (0..entries).step_by(1000).for_each(|at| {
                pages.write(&level, &codes, at..entries.min(at + 1000), &mut parts);
            });
            assert_eq!(whole, parts);
            let tables = Bytes(whole);
            assert_eq!(pages.count(&tables).expect("reads"), Some(level.positions() as u64));
            for (at, code) in codes.iter().copied().enumerate() {
                let place = level.begins.partition_point(|begin| *begin <= at) - 1;
                let (blob, number) = (level.blobs[place], level.numbers.get(at));
                assert_eq!(pages.find(&tables, blob, number).expect("reads"), Some(code));
                assert_eq!(pages.get(&tables, at as u64).expect("reads"), Kept { blob, number, code });
                let missing = number ^ 0x55;
                let there = level.numbers.find(level.part(place), missing).is_some();
                assert!(there || pages.find(&tables, blob, missing).expect("reads").is_none());
            }
        }
        let none = Pages::new(15, 16, false);
        assert!(!none.keeps() && none.entries(7) == 1);
    }

    #[test]
    fn a_level_comes_back_from_its_bytes() {
        for level in [level(12, 40), level(40, 100), Level::empty(20)] {
            let mut bytes = vec![];
            level.write(&mut bytes);
            let back = Level::read(&mut &bytes[..]).expect("good bytes");
            assert_eq!((back.cells, &back.blobs, &back.begins), (level.cells, &level.blobs, &level.begins));
            assert!((0..level.positions()).all(|i| back.numbers.get(i) == level.numbers.get(i)));
            for cut in 0..bytes.len().min(200) {
                assert!(Level::read(&mut &bytes[..cut]).is_none() || cut == bytes.len());
            }
        }
    }
}
