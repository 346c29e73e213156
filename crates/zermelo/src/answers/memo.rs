//! What was found by searches, kept for the next question: values, notes, and positions with all their moves.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use zermelo_core::{Position, Report, Unpoisoned, Value};

/// Values that are remembered, and as many notes.
const VALUES: usize = 4096;
/// Positions with all their moves that are remembered; each takes some 50 kB.
const WHOLE: usize = 32;

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
    /// The last used at the end.
    whole: Mutex<VecDeque<Report>>,
}

impl Memo {
    /// A position that was searched with all its moves.
    pub(super) fn whole(&self, at: Position) -> Option<Report> {
        let mut whole = self.whole.lock().unpoisoned();
        let place = whole.iter().position(|report| report.at == at)?;
        let report = whole.remove(place)?;
        whole.push_back(report.clone());
        Some(report)
    }

    /// Keeps a position with all its moves, and their values one by one, so that playing on finds them.
    pub(super) fn keep_whole(&self, report: &Report) {
        let moves = report.moves.iter().map(|m| (m.to, m.value));
        for (at, value) in moves.chain([(report.at, report.value)]) {
            value.into_iter().for_each(|value| self.values.keep(at, value));
        }
        let mut whole = self.whole.lock().unpoisoned();
        if whole.len() >= WHOLE {
            whole.pop_front();
        }
        whole.push_back(report.clone());
    }
}
