//! What was found by searches, kept for the next question: values, notes, and positions with all their moves.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use zermelo_core::{MoveReport, Position, Report, Unpoisoned, Value};

/// Values that are remembered, and as many notes.
const VALUES: usize = 4096;
/// Positions with all their moves that are remembered.
const WHOLE: usize = 32;
/// Bytes for those; each takes some 50 kB.
const BYTES: usize = 4 << 20;

/// Findings by position.
pub(super) struct Findings<T>(Mutex<HashMap<Position, T>>);

impl<T> Default for Findings<T> {
    fn default() -> Self {
        Findings(Mutex::default())
    }
}

impl<T: Clone> Findings<T> {
    pub(super) fn get(&self, at: Position) -> Option<T> {
        self.0.lock().unpoisoned().get(&at).cloned()
    }

    /// Keeps a finding; a full map is emptied.
    pub(super) fn keep(&self, at: Position, found: T) {
        let mut map = self.0.lock().unpoisoned();
        if map.len() >= VALUES {
            map.clear();
        }
        map.insert(at, found);
    }
}

/// Findings of one variant.
#[derive(Default)]
pub(super) struct Memo {
    pub(super) values: Findings<Value>,
    pub(super) notes: Findings<Option<String>>,
    whole: Mutex<Whole>,
}

/// Positions with all their moves.
struct Whole {
    /// The last used at the end.
    reports: VecDeque<Report>,
    /// Bytes that they may take together.
    most: usize,
}

impl Default for Whole {
    fn default() -> Self {
        Whole { reports: VecDeque::new(), most: BYTES }
    }
}

impl Whole {
    /// Lets go of what was not used lately until the rest fits.
    fn make_room(&mut self) {
        while self.reports.len() > WHOLE || self.reports.iter().map(bytes).sum::<usize>() > self.most {
            self.reports.pop_front();
        }
    }
}

/// Bytes of a position with its moves.
fn bytes(report: &Report) -> usize {
    let moves = report.moves.iter().map(|m| size_of::<MoveReport>() + m.name.len() + m.position.len());
    size_of::<Report>() + report.position.len() + report.pieces.len() + moves.sum::<usize>()
}

impl Memo {
    /// A position that was searched with all its moves.
    pub(super) fn whole(&self, at: Position) -> Option<Report> {
        let reports = &mut self.whole.lock().unpoisoned().reports;
        let place = reports.iter().position(|report| report.at == at)?;
        let report = reports.remove(place)?;
        reports.push_back(report.clone());
        Some(report)
    }

    /// Keeps a position with all its moves, and their values one by one, so that playing on finds them.
    pub(super) fn keep_whole(&self, report: &Report) {
        let moves = report.moves.iter().map(|m| (m.to, m.value));
        for (at, value) in moves.chain([(report.at, report.value)]) {
            value.into_iter().for_each(|value| self.values.keep(at, value));
        }
        let mut whole = self.whole.lock().unpoisoned();
        whole.reports.push_back(report.clone());
        whole.make_room();
    }

    /// Bounds the bytes of positions with all their moves.
    pub(super) fn bound(&self, bytes: usize) {
        let mut whole = self.whole.lock().unpoisoned();
        whole.most = bytes;
        whole.make_room();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_positions_are_bounded_by_bytes() {
        let game = crate::open("mnk", None, None).expect("a game");
        let start = game.oracle().report(game.oracle().start(), &()).expect("a position");
        let after = start.moves.iter().map(|m| game.oracle().report(m.to, &()).expect("a position"));
        let reports: Vec<_> = after.collect();
        let (memo, kept) = (Memo::default(), |memo: &Memo| {
            reports.iter().filter(|report| memo.whole(report.at).is_some()).count()
        });
        reports.iter().for_each(|report| memo.keep_whole(report));
        assert_eq!(kept(&memo), 9);
        memo.bound(3 * bytes(&reports[8]));
        assert_eq!(kept(&memo), 3);
        memo.keep_whole(&start);
        assert!(memo.whole(start.at).is_some() && kept(&memo) < 3, "the last is kept");
        memo.bound(0);
        assert_eq!(kept(&memo), 0);
    }
}
