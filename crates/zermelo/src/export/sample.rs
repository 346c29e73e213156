//! A uniform sample of the rows, by a seed.
//!
//! Where any number may be looked at, numbers are drawn without return until enough of them have a position: each
//! position is equally likely, and only the blocks of the numbers drawn are read. Elsewhere every row gets a number that
//! looks random, from the seed and the position, and the rows with the least are kept: one pass, and the sample alone in
//! memory.

use std::collections::{BTreeSet, BinaryHeap};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use zermelo_core::{Complaint, GOLDEN, Tier, mix};

use super::in_order::in_order;
use super::{Export, ExportPositions, Result, Row};
use crate::coordinator::bytes;

/// Bytes that a drawn row takes.
const ROW_BYTES: u64 = 256;
/// Numbers drawn for each row that is wanted, at most, before all numbers are gone through instead.
const DRAWS: u64 = 64;
/// Numbers looked at by a thread at a time.
const BATCH: usize = 256;

impl Export<'_> {
    /// A uniform sample of `many` rows, or all rows where there are no more, in the order of the export.
    pub(super) fn sample(&self, many: u64) -> Result<Vec<Row>> {
        let by_number = self.wanted.positions == ExportPositions::Stored
            && self.wanted.value.is_none()
            && self.wanted.numbers.is_none();
        match by_number.then(|| self.draw(many)).transpose()?.flatten() {
            Some(rows) => Ok(rows),
            None => self.least(many),
        }
    }

    /// Refuses a sample whose rows do not fit the memory.
    fn fits(&self, rows: u64) -> Result<()> {
        let (need, limit) = (rows.saturating_mul(ROW_BYTES), self.settings.memory);
        if need <= limit {
            return Ok(());
        }
        let why = format!(
            "{rows} rows of a sample take {} of memory, and the limit is {}: ask for fewer rows, or give more with \
             --memory",
            bytes(need),
            bytes(limit)
        );
        Err(Complaint::new(why).into())
    }

    /// Draws numbers until enough of them have a position; `None` where that takes too many draws.
    fn draw(&self, many: u64) -> Result<Option<Vec<Row>>> {
        let tiers = self.tiers()?;
        let mut ends = vec![];
        for (_, numbers) in &tiers {
            ends.push(ends.last().copied().unwrap_or(0u64).saturating_add(*numbers));
        }
        let total = ends.last().copied().unwrap_or(0);
        if many > total / 4 {
            return Ok(None);
        }
        self.fits(many)?;
        let (mut drawn, mut draws) = (BTreeSet::new(), 0);
        let mut rows: Vec<(u64, Row)> = vec![];
        self.progress.expect(0, many);
        while (rows.len() as u64) < many {
            let mut fresh = BTreeSet::new();
            while fresh.len() as u64 + (rows.len() as u64) < many {
                if draws > many.saturating_mul(DRAWS).saturating_add(1 << 16) {
                    return Ok(None);
                }
                let number = scaled(random(self.wanted.seed, draws), total);
                draws += 1;
                if !drawn.contains(&number) {
                    fresh.insert(number);
                }
            }
            rows.extend(self.rows_at(&tiers, &ends, &fresh)?);
            drawn.extend(fresh);
        }
        rows.sort_unstable_by_key(|(number, _)| *number);
        Ok(Some(rows.into_iter().map(|(_, row)| row).collect()))
    }

    /// The rows of the numbers that have a position, numbers counted through all tiers.
    fn rows_at(
        &self,
        tiers: &[(Tier, u64)],
        ends: &[u64],
        numbers: &BTreeSet<u64>,
    ) -> Result<Vec<(u64, Row)>> {
        let numbers: Vec<u64> = numbers.iter().copied().collect();
        let batches: Vec<&[u64]> = numbers.chunks(BATCH).collect();
        let find = |batch: u64| -> Result<Vec<(u64, Row)>> {
            let mut rows = vec![];
            for number in batches[batch as usize] {
                let at = ends.partition_point(|end| end <= number);
                let begin = if at == 0 { 0 } else { ends[at - 1] };
                let number_in = number - begin;
                let found = self.rows_of(tiers[at].0, number_in..number_in + 1, None)?;
                rows.extend(found.into_iter().map(|row| (*number, row)));
            }
            Ok(rows)
        };
        let mut all = vec![];
        in_order(self.crew(), batches.len() as u64, &find, &mut |rows| {
            all.extend(rows);
            Ok(true)
        })?;
        Ok(all)
    }

    /// The rows with the least random numbers.
    fn least(&self, many: u64) -> Result<Vec<Row>> {
        // Rows that come after so many smaller ones need not be looked at again.
        let most = AtomicU64::new(u64::MAX);
        let make = |rows: Vec<Row>| {
            let key = |row: &Row| {
                let [high, low] = row.position.packed;
                random(self.wanted.seed, mix(mix(high) ^ low).wrapping_add(row.position.turn as u64))
            };
            let most = most.load(Relaxed);
            let keyed = rows.into_iter().enumerate().map(|(at, row)| (key(&row), at, row));
            Ok(keyed.filter(|(key, ..)| *key <= most).collect::<Vec<_>>())
        };
        let (mut heap, mut piece) = (BinaryHeap::new(), 0u64);
        self.pieces(&make, &mut |rows| {
            for (key, at, row) in rows {
                heap.push(Drawn { key, place: (piece, at), row });
                if heap.len() as u64 > many {
                    heap.pop();
                }
            }
            if heap.len() as u64 == many {
                most.store(heap.peek().map_or(0, |drawn| drawn.key), Relaxed);
            }
            piece += 1;
            self.fits(heap.len() as u64).map(|()| true)
        })?;
        let mut rows = heap.into_vec();
        rows.sort_unstable_by_key(|drawn| drawn.place);
        Ok(rows.into_iter().map(|drawn| drawn.row).collect())
    }
}

/// A row that is drawn so far, in the order of random numbers.
struct Drawn {
    key: u64,
    /// The piece that the row came in, and its place in the piece.
    place: (u64, usize),
    row: Row,
}

impl Drawn {
    fn order(&self) -> (u64, (u64, usize)) {
        (self.key, self.place)
    }
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Drawn) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Drawn {}

impl PartialOrd for Drawn {
    fn partial_cmp(&self, other: &Drawn) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Drawn {
    fn cmp(&self, other: &Drawn) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

/// A number that looks random, from a seed and a place.
fn random(seed: u64, place: u64) -> u64 {
    mix(mix(seed.wrapping_add(GOLDEN)).wrapping_add(place.wrapping_mul(GOLDEN)))
}

/// A random number below `n`.
fn scaled(random: u64, n: u64) -> u64 {
    ((u128::from(random) * u128::from(n)) >> 64) as u64
}
