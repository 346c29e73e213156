//! What a worker has in memory: solved tiers and marks that it has made or read. They stay as long as there is room.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use zermelo_core::{Reached, Solved};

use super::plan::Kind;

/// What a thing is: the marks of a tier, which discovery makes, or its working form; and the tier's place.
pub(crate) type Key = (Kind, usize);

/// Solved tiers by their places.
pub(crate) type Forms = Vec<(usize, Arc<dyn Solved>)>;

/// Marks or a working form.
#[derive(Clone)]
pub(crate) enum Thing {
    Marks(Arc<dyn Reached>),
    Form(Arc<dyn Solved>),
}

impl Thing {
    fn bytes(&self) -> u64 {
        match self {
            Thing::Marks(marks) => marks.bytes(),
            Thing::Form(form) => form.bytes(),
        }
    }
}

/// What goes first when there is no room.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GoesFirst {
    /// Marks, then tiers, each from the one that was not used for the longest time.
    Oldest,
    /// The last in the order of the graph, which is wanted last.
    LastPlace,
}

/// Things in memory, and what they take.
pub(crate) struct Cache {
    first: GoesFirst,
    things: HashMap<Key, Cached>,
    /// By when they go.
    order: BTreeMap<Turn, Key>,
    /// What all take together.
    bytes: u64,
    clock: u64,
    /// What the tasks at work may use besides.
    pub(crate) running: u64,
}

/// When a thing goes; the least first.
type Turn = (u64, u64);

struct Cached {
    thing: Thing,
    turn: Turn,
    bytes: u64,
}

impl Cache {
    pub(crate) fn new(first: GoesFirst) -> Cache {
        Cache { first, things: HashMap::new(), order: BTreeMap::new(), bytes: 0, clock: 0, running: 0 }
    }

    fn turn(&mut self, (kind, at): Key) -> Turn {
        self.clock += 1;
        match self.first {
            GoesFirst::Oldest => (kind as u64, self.clock),
            GoesFirst::LastPlace => (u64::MAX - at as u64, u64::from(kind == Kind::Discover)),
        }
    }

    fn get(&mut self, key: Key) -> Option<&Thing> {
        let turn = self.turn(key);
        let found = self.things.get_mut(&key)?;
        self.order.remove(&found.turn);
        self.order.insert(turn, key);
        found.turn = turn;
        Some(&found.thing)
    }

    /// The working form of the tier at a place.
    pub(crate) fn form(&mut self, at: usize) -> Option<Arc<dyn Solved>> {
        match self.get((Kind::Solve, at))? {
            Thing::Form(form) => Some(form.clone()),
            Thing::Marks(_) => None,
        }
    }

    /// The marks of the tier at a place.
    pub(crate) fn marks(&mut self, at: usize) -> Option<Arc<dyn Reached>> {
        match self.get((Kind::Discover, at))? {
            Thing::Marks(marks) => Some(marks.clone()),
            Thing::Form(_) => None,
        }
    }

    /// Whether a thing is here.
    pub(crate) fn has(&self, key: Key) -> bool {
        self.things.contains_key(&key)
    }

    /// Keeps tiers.
    pub(crate) fn put_forms(&mut self, forms: &Forms) {
        forms.iter().for_each(|(at, form)| self.put((Kind::Solve, *at), Thing::Form(form.clone())));
    }

    /// Keeps marks.
    pub(crate) fn put_marks(&mut self, at: usize, marks: Arc<dyn Reached>) {
        self.put((Kind::Discover, at), Thing::Marks(marks));
    }

    fn put(&mut self, key: Key, thing: Thing) {
        self.remove(key);
        let (turn, bytes) = (self.turn(key), thing.bytes());
        self.bytes += bytes;
        self.order.insert(turn, key);
        self.things.insert(key, Cached { thing, turn, bytes });
    }

    /// Lets go of a thing.
    pub(crate) fn remove(&mut self, key: Key) {
        if let Some(Cached { turn, bytes, .. }) = self.things.remove(&key) {
            self.order.remove(&turn);
            self.bytes -= bytes;
        }
    }

    /// All that is here, and what the tasks at work may use.
    pub(crate) fn used(&self) -> u64 {
        self.running.saturating_add(self.bytes)
    }

    /// Lets go of things until so much is free.
    pub(crate) fn make_room(&mut self, need: u64, memory: u64) {
        while self.used().saturating_add(need) > memory {
            let Some(key) = self.order.first_key_value().map(|(_, key)| *key) else { return };
            self.remove(key);
        }
    }

    /// What goes first of that which takes anything and need not stay.
    pub(crate) fn first_to_go(&self, stays: impl Fn(&Key) -> bool) -> Option<(Key, Thing)> {
        let goes = |key: &&Key| !stays(key) && self.things[*key].bytes > 0;
        self.order.values().find(goes).map(|key| (*key, self.things[key].thing.clone()))
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    struct Bytes(u64);

    impl Reached for Bytes {
        fn bytes(&self) -> u64 {
            self.0
        }
    }

    fn cache(first: GoesFirst) -> Cache {
        let mut cache = Cache::new(first);
        for (at, bytes) in [(1, 100), (2, 20), (3, 3), (2, 40)] {
            cache.put_marks(at, Arc::new(Bytes(bytes)));
        }
        cache
    }

    fn found(cache: &mut Cache, at: usize) -> Option<u64> {
        cache.marks(at).map(|marks| marks.bytes())
    }

    #[test]
    fn a_cache_knows_what_it_holds() {
        let mut cache = cache(GoesFirst::Oldest);
        assert_eq!((cache.used(), found(&mut cache, 1), found(&mut cache, 4)), (143, Some(100), None));
        // The third is the one that was not used for the longest time.
        cache.make_room(7, 149);
        assert_eq!((cache.used(), found(&mut cache, 3), cache.order.len()), (140, None, 2));
        cache.remove((Kind::Discover, 2));
        cache.remove((Kind::Discover, 2));
        cache.running = 5;
        assert_eq!(cache.used(), 105);
        cache.make_room(1, 105);
        assert_eq!((cache.used(), cache.order.len()), (5, 0));
        cache.make_room(1, 5);
    }

    #[test]
    fn what_tasks_read_stays() {
        let mut cache = cache(GoesFirst::LastPlace);
        let first =
            |cache: &Cache, stays: usize| cache.first_to_go(|key| key.1 == stays).map(|(key, _)| key.1);
        assert_eq!((first(&cache, 1), first(&cache, 3)), (Some(3), Some(2)));
        cache.put_marks(2, Arc::new(Bytes(0)));
        assert_eq!(first(&cache, 3), Some(1), "nothing is gained by the second");
    }
}
