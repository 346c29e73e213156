//! What a worker keeps in memory as long as there is room: tiers and marks that it has made or read.

use std::collections::{BTreeMap, HashMap};
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
    things: HashMap<K, Thing<T>>,
    /// By when they were last used.
    order: BTreeMap<u64, K>,
    /// What all take together.
    bytes: u64,
    clock: u64,
}

struct Thing<T> {
    thing: T,
    used: u64,
    bytes: u64,
}

impl<K, T> Default for Shelf<K, T> {
    fn default() -> Shelf<K, T> {
        Shelf { things: HashMap::new(), order: BTreeMap::new(), bytes: 0, clock: 0 }
    }
}

impl<K: Copy + Eq + Hash, T: Clone> Shelf<K, T> {
    pub(super) fn get(&mut self, key: K) -> Option<T> {
        let found = self.things.get_mut(&key)?;
        self.clock += 1;
        self.order.remove(&found.used);
        self.order.insert(self.clock, key);
        found.used = self.clock;
        Some(found.thing.clone())
    }

    /// Keeps a thing that takes so many bytes from now on.
    pub(super) fn put(&mut self, key: K, thing: T, bytes: u64) {
        self.remove(key);
        self.clock += 1;
        self.bytes += bytes;
        self.order.insert(self.clock, key);
        self.things.insert(key, Thing { thing, used: self.clock, bytes });
    }

    pub(super) fn remove(&mut self, key: K) {
        if let Some(Thing { used, bytes, .. }) = self.things.remove(&key) {
            self.order.remove(&used);
            self.bytes -= bytes;
        }
    }

    /// Lets go of what was not used for the longest time; whether there was something.
    fn drop_oldest(&mut self) -> bool {
        let oldest = self.order.first_key_value().map(|(_, key)| *key);
        oldest.inspect(|key| self.remove(*key)).is_some()
    }
}

impl Held {
    fn bytes(&self) -> u64 {
        self.forms.bytes + self.marks.bytes
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shelf_knows_what_it_holds() {
        let mut shelf: Shelf<u8, &str> = Shelf::default();
        shelf.put(1, "one", 100);
        shelf.put(2, "two", 20);
        shelf.put(3, "three", 3);
        shelf.put(2, "two again", 40);
        assert_eq!((shelf.bytes, shelf.get(1), shelf.get(4)), (143, Some("one"), None));
        // The third is the one that was not used for the longest time.
        assert!(shelf.drop_oldest());
        assert_eq!((shelf.bytes, shelf.get(3), shelf.order.len()), (140, None, 2));
        shelf.remove(2);
        shelf.remove(2);
        assert_eq!(
            (shelf.bytes, shelf.drop_oldest(), shelf.drop_oldest(), shelf.bytes),
            (100, true, false, 0)
        );
    }
}
