//! Stores what a search has learnt of positions, in a fixed amount of memory.
//!
//! A slot is one word: a tag and two bounds of a score.
//!
//! **Claim.** No two positions are ever confused. **Proof.** The key of a position is mixed by a function that can be
//! undone. The low bits of the mixed key are the number of the slot and the rest is the tag, so slot and tag together
//! are the whole key:
//!
//! ```text
//!   mixed key   [ tag ......................... | slot ]
//!   slot        [ tag ......................... | low 8 bits | high 8 bits ]
//! ```
//!
//! The table begins small and grows with use: most searches are short, and fresh memory costs more than they do.

use zermelo_core::GOLDEN;

/// The number of slots to begin with, and ([`MOST`]) the most there can be, as powers of two.
const FIRST: u32 = 15;
const MOST: u32 = 28;
/// The number of bits of a slot that are not the tag.
const BOUNDS: u32 = 16;
/// Added to a bound so that it is above 0: a slot of 0 is empty.
const ABOVE: i32 = 64;

/// Bounds of a score, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: i32,
    pub(super) high: i32,
}

impl Bounds {
    /// The bounds of a position with `left` empty cells, when neither the player to move nor then the other can win
    /// at once. The game ends with the third stone or later for the player to move, and with the fourth or later for
    /// the other.
    #[inline]
    pub(super) fn of(left: i32) -> Bounds {
        Bounds { low: -((left - 2) / 2), high: (left - 1) / 2 }
    }

    /// The bound that answers whether the score is at least `bar`, if there is one.
    #[inline]
    pub(super) fn answer(self, bar: i32) -> Option<i32> {
        match self {
            Bounds { low, .. } if low >= bar => Some(low),
            Bounds { high, .. } if high < bar => Some(high),
            _ => None,
        }
    }

    /// Takes in an answer to the question whether the score is at least `bar`.
    #[inline]
    pub(super) fn learn(&mut self, bar: i32, answer: i32) {
        match answer >= bar {
            true => self.low = self.low.max(answer),
            false => self.high = self.high.min(answer),
        }
    }
}

/// A table of bounds by the keys of positions.
pub(super) struct SearchTable {
    /// The slots; none where the memory is too little for slots that hold the tag.
    slots: Vec<u64>,
    used: usize,
    /// The number of bits of a key, and of the number of slots: now and at most.
    key: u32,
    now: u32,
    most: u32,
}

impl SearchTable {
    pub(super) fn new(key: usize, memory: u64) -> SearchTable {
        let key = key as u32;
        // While the table grows there are two, the old and the new.
        let room = (memory / size_of::<u64>() as u64 * 2 / 3).checked_ilog2().unwrap_or(0);
        let least = (key + BOUNDS).saturating_sub(u64::BITS);
        let most = room.min(MOST).min(key);
        let now = least.max(FIRST).min(most);
        let slots = if now < least { vec![] } else { vec![0; 1 << now] };
        SearchTable { slots, used: 0, key, now, most }
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Bounds> {
        let (at, tag) = self.place(self.mixed(key));
        let slot = *self.slots.get(at)?;
        let bound = |byte: u64| (byte & 0xff) as i32 - ABOVE;
        let found = slot >> BOUNDS == tag && slot != 0;
        found.then(|| Bounds { low: bound(slot >> 8), high: bound(slot) })
    }

    /// Stores bounds in place of what the slot had.
    #[inline]
    pub(super) fn put(&mut self, key: u64, bounds: Bounds) {
        let (at, tag) = self.place(self.mixed(key));
        let Some(slot) = self.slots.get_mut(at) else { return };
        self.used += usize::from(*slot == 0);
        let byte = |bound: i32| (bound + ABOVE) as u64;
        *slot = tag << BOUNDS | byte(bounds.low) << 8 | byte(bounds.high);
        if self.used > self.slots.len() / 4 * 3 && self.now < self.most {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let (old, was) = (std::mem::take(&mut self.slots), self.now);
        self.now = (was + 2).min(self.most);
        self.slots = vec![0; 1 << self.now];
        for (i, slot) in (0..).zip(old).filter(|(_, slot)| *slot != 0) {
            let (at, tag) = self.place(slot >> BOUNDS << was | i);
            self.slots[at] = tag << BOUNDS | slot & ((1 << BOUNDS) - 1);
        }
    }

    /// Maps each key to another number of as many bits, one to one: to multiply by an odd number and to add the upper
    /// half to the lower bit by bit can both be undone.
    #[inline]
    fn mixed(&self, key: u64) -> u64 {
        let fold = |k: u64| k ^ k >> (self.key / 2);
        let product = fold(key).wrapping_mul(GOLDEN);
        fold(product & (u64::MAX >> (u64::BITS - self.key)))
    }

    /// The slot and the tag of a mixed key.
    #[inline]
    fn place(&self, mixed: u64) -> (usize, u64) {
        ((mixed & ((1 << self.now) - 1)) as usize, mixed >> self.now)
    }
}
