//! Entries as runs: a value, then how many more there are of it ([`varint`]).
//!
//! Values of neighbouring positions are mostly the same. A compressor finds that out byte by byte; told as runs, it
//! has a tenth of the bytes to look at, and those say more.

use zermelo_core::{Width, varint};

/// The runs of some entries, if they take no more than so many bytes.
pub(super) fn encode(entries: &[u8], width: Width, most: usize) -> Option<Vec<u8>> {
    match width {
        Width::One => encode_wide::<1>(entries, most),
        Width::Two => encode_wide::<2>(entries, most),
    }
}

fn encode_wide<const WIDTH: usize>(entries: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut runs = Vec::with_capacity(most);
    let mut rest = entries;
    while let Some((value, after)) = rest.split_first_chunk::<WIDTH>() {
        let more = repeats(after, *value);
        runs.extend(*value);
        varint::put(&mut runs, (more / WIDTH) as u64);
        if runs.len() > most {
            return None;
        }
        rest = &after[more..];
    }
    Some(runs)
}

/// How many bytes at the beginning repeat a value.
#[inline]
fn repeats<const WIDTH: usize>(bytes: &[u8], value: [u8; WIDTH]) -> usize {
    let eight = std::array::from_fn(|n| value[n % WIDTH]);
    let (eights, rest) = bytes.as_chunks::<8>();
    for (at, bytes) in eights.iter().enumerate() {
        let differ = u64::from_le_bytes(*bytes) ^ u64::from_le_bytes(eight);
        if differ != 0 {
            let equal = 8 * at + differ.trailing_zeros() as usize / 8;
            return equal - equal % WIDTH;
        }
    }
    let equal = rest.as_chunks::<WIDTH>().0.iter().take_while(|next| **next == value).count();
    bytes.len() - rest.len() + equal * WIDTH
}

/// Decodes `entries` entries from runs; an error says what does not fit.
pub(super) fn decode(runs: &[u8], width: Width, entries: usize) -> Result<Vec<u8>, &'static str> {
    const SHORT: &str = "its runs end in the middle";
    let size = entries * width.bytes();
    let (mut out, mut at) = (Vec::with_capacity(size), 0);
    while out.len() < size {
        let value = runs.get(at..at + width.bytes()).ok_or(SHORT)?;
        at += width.bytes();
        let more = varint::take(runs, &mut at).ok_or(SHORT)?;
        if more >= ((size - out.len()) / width.bytes()) as u64 {
            return Err("its runs have too many entries");
        }
        match value {
            [value] => out.resize(out.len() + 1 + more as usize, *value),
            _ => (0..=more).for_each(|_| out.extend_from_slice(value)),
        }
    }
    if at == runs.len() { Ok(out) } else { Err("something follows its runs") }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Runs of many lengths, some longer than a byte can tell.
    fn entries(width: Width) -> Vec<u8> {
        let lengths = [1, 7, 1, 8, 9, 2, 63, 64, 65, 127, 128, 129, 3, 16384, 16385, 1, 1, 20000];
        let run = |(n, length): (usize, &usize)| [n as u8 % 5, 1][..width.bytes()].repeat(*length);
        lengths.iter().enumerate().flat_map(run).collect()
    }

    #[test]
    fn runs_come_back() {
        for width in [Width::One, Width::Two] {
            let all = entries(width);
            for end in (0..400).chain([all.len() / 2]).map(|n| n * width.bytes()) {
                let runs = encode(&all[..end], width, 2 * all.len()).unwrap();
                assert_eq!(decode(&runs, width, end / width.bytes()).unwrap(), &all[..end], "{end}");
            }
            let runs = encode(&all, width, all.len()).unwrap();
            assert_eq!(decode(&runs, width, all.len() / width.bytes()).unwrap(), all);
            assert!(encode(&all, width, runs.len()).is_some());
            assert!(encode(&all, width, runs.len() - 1).is_none());
        }
    }

    #[test]
    fn runs_that_do_not_fit_are_errors() {
        let runs = encode(&[3, 3, 3, 4], Width::One, 10).unwrap();
        assert_eq!(runs, [3, 2, 4, 0]);
        for (runs, entries) in [(&runs[..3], 4), (&runs[..2], 4), (&runs, 3), (&runs, 5), (&[], 1)] {
            assert!(decode(runs, Width::One, entries).is_err(), "{runs:?} {entries}");
        }
        for more in [[0xff; 6], [0x80; 6], [0xff, 0xff, 0xff, 0xff, 0x7f, 0]] {
            assert!(decode(&[&[1][..], &more].concat(), Width::One, 1 << 20).is_err(), "{more:?}");
        }
        assert_eq!(decode(&[], Width::Two, 0), Ok(vec![]));
    }
}
