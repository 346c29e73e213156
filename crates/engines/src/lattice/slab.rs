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

    /// Appends all of it as bytes. Lists follow one another, and there are few sizes of them: where
    /// one begins is told by how far that is from the one before, which packs to almost nothing.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let kinds = self.at.iter().map(|at| match *at {
            NONE => 0,
            ALL_WIN => 1,
            _ => 2,
        });
        let placed = || self.at.iter().copied().filter(|at| *at < NONE);
        out.reserve(24 + self.at.len() + 4 * placed().count() + 8 * self.words.len());
        for count in [self.at.len(), placed().count(), self.words.len()] {
            out.extend((count as u64).to_le_bytes());
        }
        out.extend(kinds);
        let before = std::iter::once(0).chain(placed());
        out.extend(placed().zip(before).flat_map(|(at, before)| at.wrapping_sub(before).to_le_bytes()));
        let begin = out.len();
        out.resize(begin + self.words.len() * 8, 0);
        let words = out[begin..].as_chunks_mut().0.iter_mut();
        words.zip(&self.words).for_each(|(out, word)| *out = word.to_le_bytes());
    }

    /// Takes it back from the front of some bytes.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Half> {
        let mut count = || {
            let count = bytes.split_off(..8)?.first_chunk()?;
            usize::try_from(u64::from_le_bytes(*count)).ok()
        };
        let [shards, placed, words] = [count()?, count()?, count()?];
        let kinds = bytes.split_off(..shards)?;
        let (steps, _) = bytes.split_off(..placed.checked_mul(4)?)?.as_chunks::<4>();
        let (mut steps, mut last) = (steps.iter(), 0u32);
        let at = kinds.iter().map(|kind| match kind {
            0 => Some(NONE),
            1 => Some(ALL_WIN),
            _ => {
                last = last.wrapping_add(u32::from_le_bytes(*steps.next()?));
                Some(last)
            }
        });
        let at = at.collect::<Option<Vec<u32>>>()?;
        let (words, _) = bytes.split_off(..words.checked_mul(8)?)?.as_chunks::<8>();
        let words = words.iter().map(|b| u64::from_le_bytes(*b)).collect();
        steps.next().is_none().then_some(Half { at, words })
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
