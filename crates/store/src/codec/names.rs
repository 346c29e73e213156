//! Two-byte entries by name: a list of the different entries of a block, then a byte for each entry, its place in the
//! list.
//!
//! A block of a tier with long lines of play has few different entries, though some need two bytes. By name the block
//! takes half the time to compress, and no byte is spent on what the high bytes repeat.

/// The most entries that can have names.
const MOST: usize = 256;

/// Entries by name, if there are few enough different ones.
pub(super) fn encode(entries: &[u8]) -> Option<Vec<u8>> {
    let entries = entries.as_chunks::<2>().0;
    let mut seen = vec![0u64; 1 << 10];
    for entry in entries {
        let entry = u16::from_le_bytes(*entry);
        seen[usize::from(entry >> 6)] |= 1 << (entry & 63);
    }
    let many: u32 = seen.iter().map(|word| word.count_ones()).sum();
    if many == 0 || many as usize > MOST {
        return None;
    }
    let mut out = Vec::with_capacity(1 + 2 * many as usize + entries.len());
    out.push((many - 1) as u8);
    let mut names = vec![0u8; 1 << 16];
    let is_in = |entry: &u16| seen[usize::from(entry >> 6)] >> (entry & 63) & 1 != 0;
    for (name, entry) in (0..=u16::MAX).filter(is_in).enumerate() {
        names[usize::from(entry)] = name as u8;
        out.extend(entry.to_le_bytes());
    }
    out.extend(entries.iter().map(|entry| names[usize::from(u16::from_le_bytes(*entry))]));
    Some(out)
}

/// The most bytes that so many entries take by name.
pub(super) fn most_bytes(entries: usize) -> usize {
    1 + 2 * MOST + entries
}

/// Decodes `entries` entries by name; an error says what does not fit.
pub(super) fn decode(bytes: &[u8], entries: usize) -> Result<Vec<u8>, &'static str> {
    const SHORT: &str = "its names end in the middle";
    let (many, rest) = bytes.split_first().ok_or(SHORT)?;
    let (list, names) = rest.split_at_checked(2 * (usize::from(*many) + 1)).ok_or(SHORT)?;
    if names.len() != entries {
        return Err("its names are not as many as its entries");
    }
    if names.iter().max().is_some_and(|name| name > many) {
        return Err("an entry has a name that is not listed");
    }
    let mut entry = [[0; 2]; MOST];
    entry[..=usize::from(*many)].copy_from_slice(list.as_chunks().0);
    let mut out = vec![0; 2 * entries];
    out.as_chunks_mut::<2>().0.iter_mut().zip(names).for_each(|(out, name)| *out = entry[usize::from(*name)]);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for different in [1u32, 2, 255, 256] {
            let block: Vec<u8> =
                (0..5000u32).flat_map(|i| ((i * i % different * 251) as u16).to_le_bytes()).collect();
            let named = encode(&block).expect("few different entries");
            assert!(named.len() <= most_bytes(5000));
            assert_eq!(decode(&named, 5000).as_deref(), Ok(&*block));
            assert!(decode(&named, 4999).is_err() && decode(&named[..named.len() - 1], 5000).is_err());
        }
        let many: Vec<u8> = (0..257u16).flat_map(u16::to_le_bytes).collect();
        assert_eq!(encode(&many), None);
    }

    #[test]
    fn what_is_no_list_of_names_is_an_error() {
        for bytes in [&[][..], &[0], &[0, 1], &[1, 1, 0, 2], &[0, 1, 0, 1]] {
            assert!(decode(bytes, 1).is_err(), "{bytes:?}");
        }
        assert_eq!(decode(&[0, 7, 1, 0], 1), Ok(vec![7, 1]));
    }
}
