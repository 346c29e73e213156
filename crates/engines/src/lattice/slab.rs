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
    pub(super) at: Vec<u32>,
    pub(crate) words: Vec<u64>,
}

/// Words behind the last list, so that whole vectors can be read anywhere.
pub(crate) const SPACE: usize = 8;

pub(super) const ALL_WIN: u32 = u32::MAX;
pub(super) const NONE: u32 = u32::MAX - 1;

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
