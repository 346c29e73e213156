//! Tables as processes read them, and what they write against what one process writes.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use zermelo_core::{Engine, EngineError, Peers, Reason, SharedJob, Shares, Solved, Tier, Watch, Width};

use crate::run::{Done, soil};

/// A table as it is stored: its width, and its codes with rubbish where nobody will ask.
pub(crate) struct Table {
    pub(crate) width: Width,
    bytes: Vec<u8>,
}

impl Table {
    fn of(solved: &Arc<dyn Solved>) -> Table {
        let mut bytes = vec![];
        solved.write(0..solved.entries(), &mut bytes);
        soil(&mut bytes, solved.width(), &[0, 253, 17, 254, 95, 200, 1]);
        Table { width: solved.width(), bytes }
    }

    pub(crate) fn read(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), Reason> {
        let at = |i: u64| i as usize * self.width.bytes();
        out.extend(self.bytes.get(at(range.start)..at(range.end)).ok_or("past the end")?);
        Ok(())
    }
}

/// The tables of a game.
pub(crate) type Tables = HashMap<Tier, Table>;

pub(crate) fn tables(done: &Done) -> Tables {
    done.iter().map(|(tier, solved)| (*tier, Table::of(solved))).collect()
}

/// What a process answers.
pub(crate) type Answer = Result<Arc<dyn Solved>, EngineError>;

/// How a process takes part: with whom, in blocks of how many entries, and with how much memory.
pub(crate) type Part<'a> = (&'a dyn Peers, u64, u64);

/// Solves a tier with the others; `below` are the tiers that it leads to, whose tables `read` reads.
pub(crate) fn share(
    engine: &dyn Engine,
    tier: Tier,
    (tables, below): (&Tables, &[Tier]),
    (peers, block, memory): Part<'_>,
    read: impl Fn(&Table, Range<u64>, &mut Vec<u8>) -> Result<(), Reason> + Sync,
    watch: &dyn Watch,
) -> Answer {
    let (sharing, read) = (engine.sharing().expect("an engine that can"), &read);
    let tables: Vec<_> = below.iter().map(|t| &tables[t]).collect();
    let reads: Vec<_> = tables
        .iter()
        .map(|table| move |range: Range<u64>, out: &mut Vec<u8>| read(table, range, out))
        .collect();
    let children: Vec<_> = tables.iter().zip(&reads).map(|(table, read)| (table.width, read as &_)).collect();
    sharing.solve(&SharedJob { tier, children: &children, block, peers, memory, watch })
}

/// What processes made of a tier, against what one made of it: says what differs.
pub(crate) fn differs(shares: &[Arc<dyn Solved>], block: u64, whole: &Arc<dyn Solved>) -> Option<String> {
    let cut = Shares::new(whole.entries(), shares.len(), block);
    let (mut bytes, mut want) = (vec![], vec![]);
    for (peer, share) in shares.iter().enumerate() {
        let range = cut.range(peer);
        if share.entries() != range.end - range.start || share.width() != whole.width() {
            return Some(format!("share {peer} has {} codes of {:?}", share.entries(), share.width()));
        }
        // In two pieces, numbered from the share's start.
        let half = share.entries() / 2;
        share.write(0..half, &mut bytes);
        share.write(half..share.entries(), &mut bytes);
    }
    whole.write(0..whole.entries(), &mut want);
    let positions: u64 = shares.iter().map(|share| share.positions()).sum();
    if positions != whole.positions() {
        return Some(format!("{positions} positions, not {}", whole.positions()));
    }
    (bytes != want).then(|| format!("byte {:?}", bytes.iter().zip(&want).position(|(a, b)| a != b)))
}
