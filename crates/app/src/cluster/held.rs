//! What a worker keeps in memory as long as there is room: tiers and marks that it has made or read.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use zermelo_core::{Reached, Solved};

/// What is in memory.
#[derive(Default)]
pub(super) struct Held {
    pub(super) forms: Shelf<usize, Arc<dyn Solved>>,
    pub(super) marks: Shelf<usize, Arc<dyn Reached>>,
    /// What the tasks at work may use.
    pub(super) running: u64,
}

/// Things that were used lately.
pub(super) struct Shelf<K, T> {
    things: HashMap<K, (T, u64)>,
    clock: u64,
}

impl<K, T> Default for Shelf<K, T> {
    fn default() -> Shelf<K, T> {
        Shelf { things: HashMap::new(), clock: 0 }
    }
}

impl<K: Copy + Eq + Hash, T: Clone> Shelf<K, T> {
    pub(super) fn get(&mut self, key: K) -> Option<T> {
        self.clock += 1;
        let (thing, used) = self.things.get_mut(&key)?;
        *used = self.clock;
        Some(thing.clone())
    }

    pub(super) fn put(&mut self, key: K, thing: T) {
        self.clock += 1;
        self.things.insert(key, (thing, self.clock));
    }

    pub(super) fn remove(&mut self, key: K) {
        self.things.remove(&key);
    }

    /// Lets go of what was not used for the longest time; whether there was something.
    fn drop_oldest(&mut self) -> bool {
        let oldest = self.things.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| *key);
        oldest.and_then(|key| self.things.remove(&key)).is_some()
    }
}

impl Held {
    fn bytes(&self) -> u64 {
        let forms = self.forms.things.values().map(|(form, _)| form.bytes());
        forms.chain(self.marks.things.values().map(|(marks, _)| marks.bytes())).sum()
    }

    /// Lets go of things until so much is free.
    pub(super) fn make_room(&mut self, need: u64, memory: u64) {
        while self.running.saturating_add(need).saturating_add(self.bytes()) > memory {
            if !self.marks.drop_oldest() && !self.forms.drop_oldest() {
                return;
            }
        }
    }
}
