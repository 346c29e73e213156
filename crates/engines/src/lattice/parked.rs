//! The lists of a tier as bytes that pack well.
//!
//! Lists of one size follow one another, plane by plane from the top, and each plane is told by where it differs from
//! the one above: of codes next to each other in the order of values most planes differ likewise.

use super::slab::{ALL_WIN, Half, NONE, SPACE};

/// Marks a shard that has no list: the mover wins.
const WITHOUT: u32 = 1 << 31;

impl Half {
    /// Appends all of it as bytes; its codes have so many planes. Of all shards a tier has few: each that is there is
    /// told by how far it and its list are from those before.
    pub(crate) fn write(&self, planes: usize, out: &mut Vec<u8>) {
        let there = || self.at.iter().zip(0u32..).filter(|(at, _)| **at != NONE);
        let words = self.words.len() - SPACE;
        out.reserve(24 + 8 * (there().count() + words));
        for count in [self.at.len(), there().count(), words] {
            out.extend((count as u64).to_le_bytes());
        }
        let (mut last_shard, mut last) = (0, 0);
        for (&at, shard) in there() {
            let further = shard - std::mem::replace(&mut last_shard, shard);
            let (further, list) = match at {
                ALL_WIN => (further | WITHOUT, 0),
                _ => (further, at.wrapping_sub(std::mem::replace(&mut last, at))),
            };
            [further, list].iter().for_each(|n| out.extend(n.to_le_bytes()));
        }
        let begin = out.len();
        out.resize(begin + words * 8, 0);
        let mut to = out[begin..].as_chunks_mut().0;
        let lists = by_size(&self.at, words);
        for plane in (0..planes).rev() {
            for &(size, at) in &lists {
                let pitch = size / planes;
                let (here, above) = self.words[at + plane * pitch..].split_at(pitch);
                let out = to.split_off_mut(..pitch).unwrap_or_default();
                // Nothing is above the top.
                match plane + 1 == planes {
                    true => out.iter_mut().zip(here).for_each(|(out, here)| *out = here.to_le_bytes()),
                    false => {
                        let differ = here.iter().zip(above).map(|(here, above)| here ^ above);
                        out.iter_mut().zip(differ).for_each(|(out, differ)| *out = differ.to_le_bytes());
                    }
                }
            }
        }
    }

    /// Takes it back from the front of some bytes; there are so many shards.
    pub(crate) fn read(planes: usize, bytes: &mut &[u8], shards: usize) -> Option<Half> {
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
            shard += (further & !WITHOUT) as usize;
            last = last.wrapping_add(list);
            *at.get_mut(shard)? = if further & WITHOUT == 0 { last } else { ALL_WIN };
        }
        let mut from = bytes.split_off(..words.checked_mul(8)?)?.as_chunks().0;
        let lists = by_size(&at, words);
        // Lists that do not fit together, or have no whole planes, are not what was written.
        let good = |(size, at): &(usize, usize)| size.is_multiple_of(planes) && at + size <= words;
        if !lists.iter().all(good) || lists.iter().map(|(size, _)| size).sum::<usize>() != words {
            return None;
        }
        let mut out = vec![0; words + SPACE];
        for plane in (0..planes).rev() {
            for &(size, at) in &lists {
                let pitch = size / planes;
                let (here, above) = out[at + plane * pitch..].split_at_mut(pitch);
                here.iter_mut()
                    .zip(from.split_off(..pitch)?)
                    .for_each(|(here, b)| *here = u64::from_le_bytes(*b));
                if plane + 1 < planes {
                    here.iter_mut().zip(above).for_each(|(here, above)| *here ^= *above);
                }
            }
        }
        Some(Half { at, words: out })
    }
}

/// The size and the first word of every list, the smallest first; each ends where the next begins, or with the words.
fn by_size(at: &[u32], words: usize) -> Vec<(usize, usize)> {
    let mut begins: Vec<usize> = at.iter().filter(|at| **at < NONE).map(|at| *at as usize).collect();
    begins.sort_unstable();
    let ends = begins.iter().skip(1).chain([&words]);
    let mut lists: Vec<_> = begins.iter().zip(ends).map(|(at, end)| (end.saturating_sub(*at), *at)).collect();
    lists.sort_unstable();
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half(planes: usize) -> Half {
        let mut half = Half::new(40, 0);
        half.all_win(3);
        for (n, (shard, size)) in
            [(39, 4), (30, 1), (20, 10), (7, 1), (2, 10), (0, 60)].into_iter().enumerate()
        {
            let list: Vec<u64> = (0..size * planes as u64)
                .map(|word| (word + 7 * n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .collect();
            half.push(shard, &list);
        }
        half
    }

    #[test]
    fn what_is_written_comes_back() {
        for planes in [1, 2] {
            let (half, mut bytes) = (half(planes), vec![]);
            half.write(planes, &mut bytes);
            bytes.push(99);
            let mut rest = &bytes[..];
            let back = Half::read(planes, &mut rest, 40).expect("good bytes");
            assert_eq!((back.at, back.words, rest), (half.at, half.words, &[99][..]));
            assert!(Half::read(planes, &mut &bytes[..], 41).is_none(), "of another board");
        }
        let (mut bytes, empty) = (vec![], Half::new(4, 0));
        empty.write(5, &mut bytes);
        assert_eq!(Half::read(5, &mut &bytes[..], 4).expect("good bytes").words, [0; SPACE]);
    }

    /// Whatever is changed, it is refused or read within its bounds.
    #[test]
    fn spoilt_bytes_do_no_harm() {
        let mut bytes = vec![];
        half(2).write(2, &mut bytes);
        for (n, bit) in (0..bytes.len() - 8 * 2 * 86).flat_map(|n| (0..8).map(move |bit| (n, bit))) {
            let mut spoilt = bytes.clone();
            spoilt[n] ^= 1 << bit;
            if let Some(half) = Half::read(2, &mut &spoilt[..], 40) {
                assert!(half.at.iter().all(|at| *at >= NONE || *at as usize <= half.words.len()));
            }
        }
        assert!((0..bytes.len()).all(|n| Half::read(2, &mut &bytes[..n], 40).is_none()), "cut short");
        // A list that begins behind all words.
        let mut bytes = vec![];
        [40u64, 1, 0].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        [11u32, 1000].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        assert!(Half::read(1, &mut &bytes[..], 40).is_none());
    }
}
