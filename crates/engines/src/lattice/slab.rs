//! The lists of all shards of a tier, for one player to move.

/// Where a shard's list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// From this word on.
    Words(usize),
    /// Nowhere: the mover wins with a stone outside, whatever stands inside.
    AllWin,
    /// Nowhere: no position, or none that was reached.
    None,
}

/// The lists of a tier's shards, for one player to move.
#[derive(Default)]
pub(crate) struct Half {
    at: Vec<u32>,
    pub(crate) words: Vec<u64>,
}

/// Words behind the last list, so that whole vectors can be read anywhere.
pub(crate) const SPACE: usize = 8;

const ALL_WIN: u32 = u32::MAX;
const NONE: u32 = u32::MAX - 1;

impl Half {
    /// For so many shards and so many words.
    pub(crate) fn new(shards: usize, words: usize) -> Half {
        let mut half = Half { at: vec![NONE; shards], words: Vec::with_capacity(words + SPACE) };
        half.words.resize(SPACE, 0);
        half
    }

    #[inline(always)]
    pub(crate) fn at(&self, shard: usize) -> At {
        match self.at[shard] {
            ALL_WIN => At::AllWin,
            NONE => At::None,
            word => At::Words(word as usize),
        }
    }

    #[inline(always)]
    pub(crate) fn all_win(&mut self, shard: usize) {
        self.at[shard] = ALL_WIN;
    }

    /// The planes of a list and what comes behind it, at least [`SPACE`] words.
    #[inline(always)]
    pub(crate) fn list(&self, word: usize) -> &[u64] {
        &self.words[word..]
    }

    /// Adds a list of one plane.
    #[inline(always)]
    pub(crate) fn push(&mut self, shard: usize, list: &[u64]) {
        let at = self.add(shard, list.len());
        self.words[at..at + list.len()].copy_from_slice(list);
    }

    /// Appends all of it as bytes. Of all shards a tier has few, and their lists follow one another in few sizes:
    /// each that is there is told by how far it and its list are from those before, which packs to almost nothing.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let there = || self.at.iter().zip(0u32..).filter(|(at, _)| **at != NONE);
        out.reserve(24 + 8 * there().count() + 8 * self.words.len());
        for count in [self.at.len(), there().count(), self.words.len()] {
            out.extend((count as u64).to_le_bytes());
        }
        let (mut last_shard, mut last) = (0, 0);
        for (&at, shard) in there() {
            out.extend((shard - last_shard).to_le_bytes());
            last_shard = shard;
            let list =
                if at == ALL_WIN { ALL_WIN } else { at.wrapping_sub(std::mem::replace(&mut last, at)) };
            out.extend(list.to_le_bytes());
        }
        let begin = out.len();
        out.resize(begin + self.words.len() * 8, 0);
        let words = out[begin..].as_chunks_mut().0.iter_mut();
        words.zip(&self.words).for_each(|(out, word)| *out = word.to_le_bytes());
    }

    /// Takes it back from the front of some bytes; there are so many shards.
    pub(crate) fn read(bytes: &mut &[u8], shards: usize) -> Option<Half> {
        let mut count = || {
            let count = bytes.split_off(..8)?.first_chunk()?;
            usize::try_from(u64::from_le_bytes(*count)).ok()
        };
        let [all, there, words] = [count()?, count()?, count()?];
        if all != shards {
            return None;
        }
        let (there, _) = bytes.split_off(..there.checked_mul(8)?)?.as_chunks::<4>();
        let (mut at, mut shard, mut last) = (vec![NONE; shards], 0usize, 0u32);
        for pair in there.as_chunks::<2>().0 {
            let [further, list] = pair.map(u32::from_le_bytes);
            shard = shard.checked_add(further as usize)?;
            *at.get_mut(shard)? = match list {
                ALL_WIN => ALL_WIN,
                step => {
                    last = last.wrapping_add(step);
                    last
                }
            };
        }
        let (words, _) = bytes.split_off(..words.checked_mul(8)?)?.as_chunks::<8>();
        let words = words.iter().map(|b| u64::from_le_bytes(*b)).collect();
        Some(Half { at, words })
    }

    pub(crate) fn shards(&self) -> usize {
        self.at.len()
    }

    /// Adds a list of so many words, all zero; the word it begins with.
    #[inline(always)]
    pub(crate) fn add(&mut self, shard: usize, words: usize) -> usize {
        let at = self.words.len() - SPACE;
        debug_assert!(at < NONE as usize, "a tier's lists outgrow 32-bit offsets");
        self.at[shard] = at as u32;
        self.words.resize(at + words + SPACE, 0);
        at
    }

    /// The same as [`Half::list`], to be written; nothing for no word.
    #[inline(always)]
    pub(crate) fn list_mut(&mut self, word: Option<usize>) -> &mut [u64] {
        word.map_or(&mut [], |word| &mut self.words[word..])
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.at.len() * 4 + self.words.capacity() * 8) as u64
    }
}
