//! The lists of a tier as bytes that pack well, or as they are in memory where nothing packs them.
//!
//! To pack well, lists of one size follow one another, in groups. Of a group the planes are written from the top
//! down, and of each plane but the first the bits in which it differs from the plane above (exclusive or). Most of
//! these differences are 0: values close to each other in the order of preference have codes that agree in the upper
//! planes, and so have most entries of a list. The lengths of the lists are not written, as the board gives them.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::sync::Arc;

use zermelo_core::Keep;

use super::slab::{ALL_WIN, Half, NONE, Pool};
use crate::spill::misfit;

/// In the number of shards: the lists are as they are in memory, one shard after another.
const AS_THEY_ARE: u64 = 1 << 63;

/// Marks a shard that has no list: the mover wins.
const WITHOUT: u32 = 1 << 31;
/// Words that are written or read together.
const BATCH: usize = 512;
/// Lists of so many words, all planes counted, stay in a core's cache while their planes are taken one by one.
const GROUP: usize = 1 << 17;

/// All lists in groups of about [`GROUP`] words, each as often as there are planes, with the plane that is due.
fn grouped(lists: &[(usize, usize)], planes: usize) -> impl Iterator<Item = (usize, &[(usize, usize)])> {
    let mut words = 0;
    let groups = lists.chunk_by(move |(size, _), _| {
        words += planes * size;
        let same = words < GROUP;
        words *= usize::from(same);
        same
    });
    groups.flat_map(move |group| (0..planes).rev().map(move |plane| (plane, group)))
}

impl Half {
    /// The length and the first word of every list, the shortest first; `sizes` has the words of a plane for each
    /// shard.
    fn by_size(&self, sizes: &[u32]) -> Vec<(usize, usize)> {
        let lists = self.at.iter().zip(sizes).filter(|(at, _)| **at < NONE);
        let mut lists: Vec<_> = lists.map(|(at, size)| (*size as usize, *at as usize)).collect();
        lists.sort_by_key(|(size, _)| *size);
        lists
    }

    /// How many bytes [`Half::write`] writes.
    pub(crate) fn spilled_bytes(&self, planes: usize, sizes: &[u32]) -> u64 {
        let lists = self.at.iter().zip(sizes).filter(|(at, _)| **at < NONE);
        let words: u64 = lists.map(|(_, size)| u64::from(*size)).sum();
        let there = self.at.iter().filter(|at| **at != NONE).count() as u64;
        8 + 4 * there + 8 * planes as u64 * words
    }

    /// Writes all of it; its codes have so many planes. Of all shards a tier has few: each that is there is told by how
    /// far it is from the one before.
    pub(crate) fn write(
        &self,
        planes: usize,
        sizes: &[u32],
        out: &mut dyn Write,
        keep: Keep,
    ) -> io::Result<()> {
        out.write_all(&self.index(keep))?;
        match keep {
            Keep::Packed => self.write_to_pack(planes, sizes, out),
            Keep::AsTheyAre => self.write_as_is(planes, sizes, out),
        }
    }

    /// Which shards there are.
    fn index(&self, keep: Keep) -> Vec<u8> {
        let there = || self.at.iter().zip(0u32..).filter(|(at, _)| **at != NONE);
        let many = there().count();
        let mut index = Vec::with_capacity(8 + 4 * many);
        let mark = if keep == Keep::AsTheyAre { AS_THEY_ARE } else { 0 };
        index.extend((many as u64 | mark).to_le_bytes());
        let mut last = 0;
        for (&at, shard) in there() {
            let further = shard - std::mem::replace(&mut last, shard);
            index.extend((further | if at == ALL_WIN { WITHOUT } else { 0 }).to_le_bytes());
        }
        index
    }

    fn write_as_is(&self, planes: usize, sizes: &[u32], out: &mut dyn Write) -> io::Result<()> {
        let mut bytes = [[0; 8]; BATCH];
        for (at, many) in self.stretches(planes, sizes) {
            for words in self.list(at)[..many].chunks(BATCH) {
                let bytes = &mut bytes[..words.len()];
                bytes.iter_mut().zip(words).for_each(|(out, word)| *out = word.to_le_bytes());
                out.write_all(bytes.as_flattened())?;
            }
        }
        Ok(())
    }

    fn write_to_pack(&self, planes: usize, sizes: &[u32], out: &mut dyn Write) -> io::Result<()> {
        // Most lists are short, and each call of the other side costs something.
        let mut out = BufWriter::new(out);
        let (lists, mut bytes) = (self.by_size(sizes), [[0; 8]; BATCH]);
        for (plane, group) in grouped(&lists, planes) {
            for &(size, at) in group {
                let (here, above) = self.list(at)[plane * size..].split_at(size);
                // Nothing is above the top.
                let above = if plane + 1 == planes { None } else { Some(&above[..size]) };
                for from in (0..size).step_by(BATCH) {
                    let here = &here[from..size.min(from + BATCH)];
                    let bytes = &mut bytes[..here.len()];
                    match above {
                        None => bytes.iter_mut().zip(here).for_each(|(out, here)| *out = here.to_le_bytes()),
                        Some(above) => {
                            let differ = here.iter().zip(&above[from..]).map(|(here, above)| here ^ above);
                            bytes.iter_mut().zip(differ).for_each(|(out, word)| *out = word.to_le_bytes());
                        }
                    }
                    out.write_all(bytes.as_flattened())?;
                }
            }
        }
        out.flush()
    }

    /// Takes it back.
    pub(crate) fn read(
        pool: &Arc<Pool>,
        planes: usize,
        sizes: &[u32],
        from: &mut dyn Read,
    ) -> io::Result<Half> {
        let (mut half, keep) = Half::read_index(pool, planes, sizes, from)?;
        match keep {
            Keep::Packed => half.read_packed(planes, sizes, from)?,
            Keep::AsTheyAre => half.read_as_is(planes, sizes, from)?,
        }
        Ok(half)
    }

    fn read_as_is(&mut self, planes: usize, sizes: &[u32], from: &mut dyn Read) -> io::Result<()> {
        let mut bytes = [[0; 8]; BATCH];
        for (at, many) in self.stretches(planes, sizes) {
            for words in self.list_mut(Some(at))[..many].chunks_mut(BATCH) {
                let bytes = &mut bytes[..words.len()];
                from.read_exact(bytes.as_flattened_mut())?;
                words.iter_mut().zip(bytes).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
            }
        }
        Ok(())
    }

    fn read_packed(&mut self, planes: usize, sizes: &[u32], from: &mut dyn Read) -> io::Result<()> {
        let (lists, mut bytes) = (self.by_size(sizes), [[0; 8]; BATCH]);
        // Not a byte further: another half may follow.
        let words = planes * lists.iter().map(|(size, _)| size).sum::<usize>();
        let mut from = BufReader::new(Read::take(from, 8 * words as u64));
        for (plane, group) in grouped(&lists, planes) {
            for &(size, at) in group {
                let (here, above) = self.list_mut(Some(at))[plane * size..].split_at_mut(size);
                for here in here.chunks_mut(BATCH) {
                    let bytes = &mut bytes[..here.len()];
                    from.read_exact(bytes.as_flattened_mut())?;
                    here.iter_mut().zip(bytes).for_each(|(here, bytes)| *here = u64::from_le_bytes(*bytes));
                }
                if plane + 1 < planes {
                    here.iter_mut().zip(above).for_each(|(here, above)| *here ^= *above);
                }
            }
        }
        Ok(())
    }

    /// Which shards there are, with room for their lists, and how those are kept.
    fn read_index(
        pool: &Arc<Pool>,
        planes: usize,
        sizes: &[u32],
        from: &mut dyn Read,
    ) -> io::Result<(Half, Keep)> {
        let mut half = Half::new(pool, sizes.len());
        let mut count = [0; 8];
        from.read_exact(&mut count)?;
        let count = u64::from_le_bytes(count);
        let keep = if count & AS_THEY_ARE == 0 { Keep::Packed } else { Keep::AsTheyAre };
        let there = usize::try_from(count & !AS_THEY_ARE).ok().filter(|there| *there <= sizes.len());
        let mut index = vec![[0; 4]; there.ok_or_else(misfit)?];
        from.read_exact(index.as_flattened_mut())?;
        let mut shard = 0usize;
        for further in index.into_iter().map(u32::from_le_bytes) {
            shard += (further & !WITHOUT) as usize;
            match (half.at.get(shard), sizes.get(shard)) {
                (Some(&NONE), Some(_)) if further & WITHOUT != 0 => half.all_win(shard),
                (Some(&NONE), Some(size)) if *size > 0 => _ = half.add(shard, planes * *size as usize),
                _ => return Err(misfit()),
            }
        }
        Ok((half, keep))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a plane of each shard's list.
    const SIZES: [u32; 40] = {
        let mut sizes = [0; 40];
        (sizes[39], sizes[30], sizes[20], sizes[7], sizes[2], sizes[0]) = (4, 1, 10, 1, 10, 600);
        sizes
    };

    fn half(planes: usize) -> Half {
        let mut half = Half::new(&Pool::new(600 * planes), 40);
        half.all_win(3);
        for (n, shard) in [39, 30, 20, 7, 2, 0].into_iter().enumerate() {
            let list: Vec<u64> = (0..u64::from(SIZES[shard]) * planes as u64)
                .map(|word| (word + 7 * n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .collect();
            half.push(shard, &list);
        }
        half
    }

    const BOTH: [Keep; 2] = [Keep::Packed, Keep::AsTheyAre];

    fn bytes_of(half: &Half, planes: usize, keep: Keep) -> Vec<u8> {
        let mut bytes = vec![];
        half.write(planes, &SIZES, &mut bytes, keep).expect("memory");
        assert_eq!(bytes.len() as u64, half.spilled_bytes(planes, &SIZES));
        bytes
    }

    fn read(planes: usize, mut bytes: &[u8]) -> io::Result<Half> {
        Half::read(&Pool::new(600 * planes), planes, &SIZES, &mut bytes)
    }

    #[test]
    fn what_is_written_comes_back() {
        for (planes, keep) in [1, 2, 3].into_iter().flat_map(|planes| BOTH.map(|keep| (planes, keep))) {
            let half = half(planes);
            let back = read(planes, &bytes_of(&half, planes, keep)).expect("good bytes");
            for (shard, size) in SIZES.iter().enumerate() {
                let list = |half: &Half| match half.at[shard] {
                    NONE => None,
                    ALL_WIN => Some(vec![]),
                    at => Some(half.list(at as usize)[..planes * *size as usize].to_vec()),
                };
                assert_eq!(list(&half), list(&back), "shard {shard}");
            }
        }
        let empty = Half::new(&Pool::new(1), 40);
        for keep in BOTH {
            assert!(read(5, &bytes_of(&empty, 5, keep)).expect("good bytes").at.iter().all(|at| *at == NONE));
        }
    }

    /// Whatever is changed, it is refused or read within its bounds.
    #[test]
    fn spoilt_bytes_do_no_harm() {
        for bytes in BOTH.map(|keep| bytes_of(&half(2), 2, keep)) {
            for (n, bit) in (0..8 + 4 * 7).flat_map(|n| (0..8).map(move |bit| (n, bit))) {
                let mut spoilt = bytes.clone();
                spoilt[n] ^= 1 << bit;
                if let Ok(half) = read(2, &spoilt) {
                    assert!(half.by_size(&SIZES).iter().all(|(size, at)| half.list(*at).len() >= 2 * size));
                }
            }
            assert!((0..bytes.len()).step_by(7).all(|n| read(2, &bytes[..n]).is_err()), "cut short");
        }
    }

    /// What a tier gave back is taken again.
    #[test]
    fn pieces_are_used_again() {
        let pool = Pool::new(100);
        let (mut first, mut second) = (Half::new(&pool, 9), Half::new(&pool, 9));
        let list = vec![7; 100];
        (0..9).for_each(|shard| first.push(shard, &list));
        let old = first.list(0).as_ptr();
        drop(first);
        second.push(3, &list);
        assert_eq!(second.list(0).as_ptr(), old);
        assert!(pool.bytes(900) >= 900 * 8);
    }
}
