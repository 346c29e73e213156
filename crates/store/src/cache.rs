//! A bounded cache for decoded blocks and for table heads, shared by all threads. It is cut into shards, each
//! with its own lock, and evicts by the clock rule: a hand walks over the slots, spares once what was used
//! since it last came by, and drops the rest. A hit costs one hash, one short lock and no copy, which is what
//! random lookups need; an exact least-recently-used order would cost a list update on every hit.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard};

use zermelo_core::Unpoisoned;

/// What is cached: a tier and a number in it.
pub(crate) type Key = (u64, u64);

/// Bytes that a slot costs besides its value.
const SLOT_BYTES: usize = 96;
/// The least that a shard is given, so that small caches are not cut into useless parts.
const SHARD_BYTES: usize = 1 << 20;
const MAX_SHARDS: usize = 64;

/// Values by key, up to a number of bytes; each shard keeps its newest value even if that alone is more.
pub(crate) struct Cache<V> {
    shards: Box<[Padded<V>]>,
    shard_bytes: usize,
}

/// A shard on cache lines of its own.
#[repr(align(128))]
struct Padded<V>(Mutex<Shard<V>>);

struct Shard<V> {
    slots: Vec<Slot<V>>,
    places: HashMap<Key, usize, BuildHasherDefault<Mixer>>,
    bytes: usize,
    hand: usize,
}

struct Slot<V> {
    key: Key,
    value: V,
    bytes: usize,
    used: bool,
}

impl<V> Cache<V> {
    pub(crate) fn new(bytes: usize) -> Cache<V> {
        let count = (bytes / SHARD_BYTES).clamp(1, MAX_SHARDS);
        let shard = || Shard { slots: Vec::new(), places: HashMap::default(), bytes: 0, hand: 0 };
        let shards = (0..count).map(|_| Padded(Mutex::new(shard()))).collect();
        Cache { shards, shard_bytes: bytes / count }
    }

    /// Calls `look` with the value of a key, if it is here.
    pub(crate) fn with<R>(&self, key: Key, look: impl FnOnce(&V) -> R) -> Option<R> {
        let mut shard = self.shard(key);
        let place = *shard.places.get(&key)?;
        let slot = shard.slots.get_mut(place)?;
        slot.used = true;
        Some(look(&slot.value))
    }

    /// Keeps a value of a size in bytes, and drops others to make room.
    pub(crate) fn insert(&self, key: Key, value: V, bytes: usize) {
        let bytes = bytes.saturating_add(SLOT_BYTES);
        let mut shard = self.shard(key);
        if shard.places.contains_key(&key) {
            return; // Another thread was faster; the values are equal.
        }
        while !shard.slots.is_empty() && shard.bytes.saturating_add(bytes) > self.shard_bytes {
            shard.evict();
        }
        let place = shard.slots.len();
        shard.slots.push(Slot { key, value, bytes, used: false });
        shard.places.insert(key, place);
        shard.bytes += bytes;
    }

    fn shard(&self, key: Key) -> MutexGuard<'_, Shard<V>> {
        // The high half picks the shard, the map inside uses the low bits.
        let hash = (mix(mix(0, key.0), key.1) >> 32) as usize;
        self.shards[hash % self.shards.len()].0.lock().unpoisoned()
    }
}

impl<V> Shard<V> {
    /// Drops the first slot from the hand on that was not used since the hand last came by.
    fn evict(&mut self) {
        loop {
            if self.hand >= self.slots.len() {
                self.hand = 0;
            }
            let slot = &mut self.slots[self.hand];
            if !slot.used {
                break;
            }
            slot.used = false;
            self.hand += 1;
        }
        let slot = self.slots.swap_remove(self.hand);
        self.places.remove(&slot.key);
        self.bytes -= slot.bytes;
        if let Some(moved) = self.slots.get(self.hand) {
            self.places.insert(moved.key, self.hand);
        }
    }
}

fn mix(state: u64, word: u64) -> u64 {
    let product = (state ^ word ^ 0x9e37_79b9_7f4a_7c15) as u128 * 0xd6e8_feb8_6659_fd93;
    (product >> 64) as u64 ^ product as u64
}

/// A fast hash of two words; the keys come from tables that passed their checksums, not from strangers.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(b.into()));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0, word);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn total<V>(cache: &Cache<V>) -> (usize, usize) {
        let shards = cache.shards.iter().map(|s| s.0.lock().unwrap());
        shards.fold((0, 0), |(n, bytes), s| {
            assert_eq!(s.slots.len(), s.places.len());
            assert_eq!(s.bytes, s.slots.iter().map(|slot| slot.bytes).sum::<usize>());
            (n + s.slots.len(), bytes + s.bytes)
        })
    }

    #[test]
    fn it_stays_within_its_bytes_and_answers_right() {
        let cache = Cache::new(3 << 20);
        for i in 0..100_000u64 {
            let key = (i % 977, i % 313);
            if cache.with(key, |&v| assert_eq!(v, key.0 * 1000 + key.1)).is_none() {
                cache.insert(key, key.0 * 1000 + key.1, 1000);
            }
        }
        let (count, bytes) = total(&cache);
        assert!(bytes <= 3 << 20 && count > 2500, "{count} values, {bytes} bytes");
    }

    #[test]
    fn what_is_used_is_spared() {
        let cache = Cache::new(10 * (SLOT_BYTES + 100));
        for i in 0..1000 {
            cache.insert((i, 0), i, 100);
            assert!(cache.with((0, 0), |_| ()).is_some(), "dropped after {i}");
        }
        assert_eq!(total(&cache).0, 10);
    }

    #[test]
    fn a_value_larger_than_the_cache_is_kept_alone() {
        let cache = Cache::new(0);
        cache.insert((1, 0), 'a', 5000);
        cache.insert((2, 0), 'b', 5000);
        assert_eq!((total(&cache).0, cache.with((2, 0), |&v| v)), (1, Some('b')));
    }
}
