//! The lists of all shards of a tier, for one player to move.

use std::hint::black_box;
use std::sync::{Arc, Mutex};

use zermelo_core::Unpoisoned;

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

/// Words behind the last list of a piece, so that whole vectors can be read anywhere.
const SPACE: usize = 8;
/// A piece has room for so many of the longest lists, so that little is lost at its end.
const LISTS: usize = 16;
/// The least words of a piece, as a power of two.
const LEAST: u32 = 10;
/// Words of a page of memory, where pages are small.
const PAGE: usize = 512;

/// Memory for lists, in pieces of one size: what one tier gives back the next one takes as it is. Large tiers would
/// else get fresh memory from the system each time, which clears and maps it (see docs/lab/connect4-6x7.md).
pub(crate) struct Pool {
    /// Words of a piece, as a power of two.
    bits: u32,
    free: Mutex<Vec<Box<[u64]>>>,
}

impl Pool {
    /// For lists of so many words at most.
    pub(crate) fn new(longest: usize) -> Arc<Pool> {
        let bits = (LISTS * longest).next_power_of_two().trailing_zeros().max(LEAST);
        Arc::new(Pool { bits, free: Mutex::default() })
    }

    /// The most bytes that lists of so many words in all take.
    pub(crate) fn bytes(&self, words: usize) -> u64 {
        let filled = (1 << self.bits) / LISTS * (LISTS - 1);
        words.div_ceil(filled) as u64 * self.piece_bytes()
    }

    fn piece_bytes(&self) -> u64 {
        ((1 << self.bits) + SPACE as u64) * 8
    }

    fn take(&self) -> Box<[u64]> {
        let piece = self.free.lock().unpoisoned().pop();
        piece.unwrap_or_else(|| fresh((1 << self.bits) + SPACE))
    }

    fn give(&self, pieces: Vec<Box<[u64]>>) {
        self.free.lock().unpoisoned().extend(pieces);
    }
}

/// Memory that nobody has had. Each page is written to: the system has one page of zeros for all that are only read, and
/// when a kernel reads such a page first and then writes, every core with a thread of this program is interrupted to
/// hear of the new one.
fn fresh(words: usize) -> Box<[u64]> {
    let mut piece = vec![0; words];
    piece.chunks_mut(PAGE).for_each(|page| page[0] = black_box(0));
    piece.into()
}

/// The lists of a tier's shards, for one player to move.
pub(crate) struct Half {
    pool: Arc<Pool>,
    pub(super) at: Vec<u32>,
    pieces: Vec<Box<[u64]>>,
    /// Words in use of the last piece.
    used: usize,
}

pub(super) const ALL_WIN: u32 = u32::MAX;
pub(super) const NONE: u32 = u32::MAX - 1;

impl Half {
    /// For so many shards.
    pub(crate) fn new(pool: &Arc<Pool>, shards: usize) -> Half {
        Half { pool: pool.clone(), at: vec![NONE; shards], pieces: vec![], used: 0 }
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

    /// The piece of a word, and its place there.
    #[inline(always)]
    fn place(&self, word: usize) -> (usize, usize) {
        (word >> self.pool.bits, word & ((1 << self.pool.bits) - 1))
    }

    /// The planes of a list and what comes behind it, at least [`SPACE`] words.
    #[inline(always)]
    pub(crate) fn list(&self, word: usize) -> &[u64] {
        let (piece, at) = self.place(word);
        &self.pieces[piece][at..]
    }

    /// Adds a list of one plane.
    #[inline(always)]
    pub(crate) fn push(&mut self, shard: usize, list: &[u64]) {
        let at = self.add(shard, list.len());
        self.list_mut(Some(at))[..list.len()].copy_from_slice(list);
    }

    /// Adds a list of so many words, which hold anything; the word it begins with.
    #[inline(always)]
    pub(crate) fn add(&mut self, shard: usize, words: usize) -> usize {
        if self.pieces.is_empty() || self.used + words > 1 << self.pool.bits {
            self.pieces.push(self.pool.take());
            self.used = 0;
        }
        let at = ((self.pieces.len() - 1) << self.pool.bits) + self.used;
        debug_assert!(at < NONE as usize, "a tier's lists outgrow 32-bit offsets");
        self.used += words;
        self.at[shard] = at as u32;
        at
    }

    /// The planes of a list and what comes behind it, to be written, as [`Half::list`] gives them to be read; empty for
    /// no word.
    #[inline(always)]
    pub(crate) fn list_mut(&mut self, word: Option<usize>) -> &mut [u64] {
        let Some(word) = word else { return &mut [] };
        let (piece, at) = self.place(word);
        &mut self.pieces[piece][at..]
    }

    /// The lists in the order of their shards, as stretches of memory: the first word and how many there are. Each
    /// list has as many planes as said, and the words of a plane that `sizes` has for its shard.
    pub(super) fn stretches(&self, planes: usize, sizes: &[u32]) -> Vec<(usize, usize)> {
        let mut stretches: Vec<(usize, usize)> = vec![];
        for (&at, &size) in self.at.iter().zip(sizes).filter(|(at, _)| **at < NONE) {
            let (at, words) = (at as usize, planes * size as usize);
            let starts_piece = self.place(at).1 == 0;
            match stretches.last_mut() {
                Some((from, many)) if *from + *many == at && !starts_piece => *many += words,
                _ => stretches.push((at, words)),
            }
        }
        stretches
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.at.len() as u64 * 4 + self.pieces.len() as u64 * self.pool.piece_bytes()
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        self.pool.give(std::mem::take(&mut self.pieces));
    }
}
