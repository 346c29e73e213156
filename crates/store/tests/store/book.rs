//! Books: what was made is read back, and no bytes make the reader panic or take it beyond its tables.

use proptest::prelude::*;
use zermelo_core::Tier;
use zermelo_store::{BookError, BookFile, BookHeader, Identity, LEFT_OUT, NOT_KNOWN, make_book};

fn header() -> BookHeader {
    let identity: Identity = [("game", "mnk"), ("variant", "")].into_iter().collect();
    BookHeader { identity, plies: 3, late: Some(7) }
}

/// Tiers by number with their sizes, and codes for all entries: some left out, some not known.
fn contents() -> impl Strategy<Value = (Vec<(Tier, u64)>, Vec<u16>)> {
    let tiers = prop::collection::btree_map(0u64..1 << 60, 0u64..900, 0..12);
    let codes = |many: u64| {
        let code =
            prop_oneof![3 => 0u16..20, 1 => 20_000u16..20_100, 1 => Just(NOT_KNOWN), 2 => Just(LEFT_OUT)];
        prop::collection::vec(code, many as usize)
    };
    tiers.prop_flat_map(move |tiers| {
        let tiers: Vec<_> = tiers.into_iter().map(|(tier, size)| (Tier(tier), size)).collect();
        let many = tiers.iter().map(|(_, size)| size).sum();
        (Just(tiers), codes(many))
    })
}

/// The numbers of the blocks.
fn blocks(book: &BookFile) -> std::ops::Range<usize> {
    0..book.entries().checked_sub(1).map_or(0, |last| book.block(last).0 + 1)
}

/// All codes of a book, given which entries are left out.
fn all(book: &BookFile, codes: &[u16]) -> Result<Vec<u16>, BookError> {
    let blocks = blocks(book).map(|block| book.decode(block, |entry| codes[entry as usize] == LEFT_OUT));
    Ok(blocks.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Looks at everything in a book; what it says may be nonsense.
fn look(book: &BookFile) {
    for tier in book.tiers().collect::<Vec<_>>() {
        assert!(book.has(tier));
        book.entry(tier, u64::MAX);
        book.entry(tier, 0).map(|entry| book.place(entry));
    }
    for block in blocks(book).take(100) {
        let _ = book.decode(block, |entry| entry % 3 == 0);
        let _ = book.decode(block, |_| true);
    }
    let _ = book.decode(usize::MAX, |_| false);
}

/// The bytes with a checksum that fits.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len().saturating_sub(4));
    let sum = crc32fast::hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

proptest! {
    #[test]
    fn comes_back((tiers, codes) in contents()) {
        let book = BookFile::open(make_book(&header(), &tiers, &codes).unwrap()).unwrap();
        prop_assert_eq!(book.header(), &header());
        prop_assert_eq!(all(&book, &codes).unwrap(), codes.clone());
        let mut entry = 0;
        for (tier, size) in tiers {
            for rank in [0, size / 2, size.saturating_sub(1)].into_iter().filter(|rank| *rank < size) {
                prop_assert_eq!(book.entry(tier, rank), Some(entry + rank));
                prop_assert_eq!(book.place(entry + rank), Some((tier, rank)));
            }
            prop_assert_eq!(book.entry(tier, size), None);
            prop_assert!(!book.has(Tier(tier.0 + 1)) || book.entry(Tier(tier.0 + 1), 0) != Some(entry));
            entry += size;
        }
    }

    #[test]
    fn other_rules_are_noticed((tiers, codes) in contents()) {
        // A reader that leaves out one entry more or less than the maker does not get through.
        let book = BookFile::open(make_book(&header(), &tiers, &codes).unwrap()).unwrap();
        let mut values = codes.clone();
        values.retain(|code| *code != LEFT_OUT);
        values.dedup();
        prop_assume!(values.len() > 1);
        let first = codes.iter().position(|code| *code != LEFT_OUT).unwrap() as u64;
        let (block, _) = book.block(first);
        let fewer = book.decode(block, |entry| entry == first || codes[entry as usize] == LEFT_OUT);
        prop_assert!(fewer.is_err() || fewer.unwrap() != codes);
    }

    #[test]
    fn any_damage_is_an_error((tiers, codes) in contents(), at in any::<prop::sample::Index>(), bit in 0u32..8) {
        let mut bytes = make_book(&header(), &tiers, &codes).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(BookFile::open(bytes.clone()).is_err());
        bytes.truncate(at);
        prop_assert!(BookFile::open(bytes).is_err());
    }

    #[test]
    fn forged_books_do_no_harm(
        (tiers, codes) in contents(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = make_book(&header(), &tiers, &codes).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(book) = BookFile::open(signed(bytes)) {
            look(&book);
        }
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = BookFile::header_of(&bytes);
        prop_assert!(BookFile::open(bytes.clone()).is_err());
        let mut forged = b"ZERMBOOK\x01\x00\x1c\x00\x00\x00{\"identity\":{},\"plies\":3}   ".to_vec();
        forged.extend(bytes);
        if let Ok(book) = BookFile::open(signed(forged)) {
            look(&book);
        }
    }
}

#[test]
fn a_later_format_is_refused() {
    let mut bytes = make_book(&header(), &[], &[]).unwrap();
    bytes[8] = 9;
    assert!(matches!(BookFile::open(bytes), Err(BookError::Version(9))));
    assert!(
        make_book(&header(), &[(Tier(0), 300)], &(0..300).collect::<Vec<_>>()).is_err(),
        "too many values"
    );
    assert!(make_book(&header(), &[(Tier(2), 0), (Tier(1), 0)], &[]).is_err(), "not in order");
}
