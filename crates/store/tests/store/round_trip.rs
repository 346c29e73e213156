//! What is written comes back, whatever the widths, lengths and don't cares; and the small promises of the
//! interface: sizes, errors, live readers.

use proptest::prelude::*;
use serde_json::json;
use zermelo_core::{Tier, Width};
use zermelo_store::{BLOCK_ENTRIES, Reader, State, StoreError, Writer, pack};

use crate::memory::Memory;

use crate::sample::{Sample, complete_and_read, database, identity, read_all, samples};

fn codes() -> impl Strategy<Value = Vec<u16>> {
    let few = prop::collection::vec(prop_oneof![3 => 0..4u16, 1 => Just(0xffff)], 0..300);
    let many = prop::collection::vec(any::<u16>(), 0..200);
    let runs = prop::collection::vec((any::<u16>(), 1..90usize), 0..8)
        .prop_map(|runs| runs.into_iter().flat_map(|(code, n)| vec![code; n]).collect());
    prop_oneof![few, many, runs]
}

fn tables() -> impl Strategy<Value = Vec<Sample>> {
    let table = (any::<bool>(), 0..9u32, codes()).prop_map(|(wide, shift, mut codes)| {
        let width = if wide { Width::Two } else { Width::One };
        codes.iter_mut().for_each(|c| *c &= width.dont_care());
        Sample { tier: Tier(0), width, block: 1 << shift, codes }
    });
    prop::collection::btree_map(any::<u64>(), table, 0..6)
        .prop_map(|tables| tables.into_iter().map(|(tier, t)| Sample { tier: Tier(tier), ..t }).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_comes_back(tables in tables(), reopen in 0..6usize) {
        let folder = Memory::new();
        let mut writer = Writer::open(folder.clone(), identity()).unwrap();
        for (n, table) in tables.iter().rev().enumerate() {
            if n == reopen {
                drop(writer);
                writer = Writer::open(folder.clone(), identity()).unwrap();
            }
            table.append(&writer).unwrap();
        }
        let live = writer.reader(1000);
        tables.iter().for_each(|t| t.read(&live).unwrap());
        writer.finish(json!([1.5, {"a": "b"}])).unwrap();
        let reader = Reader::open(&folder, 5000).unwrap();
        prop_assert_eq!(reader.tiers(), tables.iter().map(|t| t.tier).collect::<Vec<_>>());
        prop_assert_eq!(reader.summary(), &json!([1.5, {"a": "b"}]));
        tables.iter().for_each(|t| t.read(&reader).unwrap());
        prop_assert!(reader.check().is_empty());
    }
}

#[test]
fn what_was_read_is_in_memory_and_nothing_else_is_read() {
    let reader = Reader::open(&database(true), 1 << 20).unwrap();
    for sample in samples() {
        for index in 0..sample.codes.len() as u64 {
            let (tier, width) = (sample.tier, sample.width);
            if index == 0 {
                assert_eq!(reader.get_cached(tier, index).unwrap(), None, "nothing was read yet");
            }
            let code = reader.get(tier, index).unwrap();
            assert_eq!(reader.get_cached(tier, index).unwrap(), Some((code, width)));
        }
        if !sample.codes.is_empty() {
            assert!(reader.get_cached(sample.tier, sample.codes.len() as u64).is_err(), "out of range");
        }
    }
}

#[test]
fn the_sample_has_every_codec() {
    let (mut constant, mut raw, mut zstd) = (0, 0, 0);
    for sample in samples() {
        for block in sample.blocks() {
            match block.stored_bytes() - 8 {
                0 => constant += 1,
                n if n == block.entries() * sample.width.bytes() => raw += 1,
                _ => zstd += 1,
            }
        }
    }
    assert!(constant >= 2 && raw >= 1 && zstd >= 3, "{constant} constant, {raw} raw, {zstd} zstd");
}

#[test]
fn thirty_tiny_tables_stay_below_five_kilobytes() {
    let folder = Memory::new();
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    for tier in 0..30u64 {
        let codes = (0..tier as u16 / 2).collect();
        Sample { tier: Tier(tier), width: Width::One, block: BLOCK_ENTRIES, codes }.append(&writer).unwrap();
    }
    writer.finish(json!({"value": "tie", "remoteness": 9})).unwrap();
    let bytes = Reader::open(&folder, 0).unwrap().bytes().unwrap();
    let on_disk: usize = folder.names().iter().map(|n| folder.bytes(n).unwrap().len()).sum();
    assert_eq!(bytes, on_disk as u64);
    assert!(bytes < 5000, "{bytes} bytes");
    assert_eq!(folder.names().len(), 2);
}

#[test]
fn a_full_sized_table_comes_back() {
    let codes = (0..3 * BLOCK_ENTRIES as u32 + 5).map(|i| (i.wrapping_mul(i) >> 20) as u16 % 250).collect();
    let sample = Sample { tier: Tier(1), width: Width::One, block: BLOCK_ENTRIES, codes };
    let folder = Memory::new();
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    sample.append(&writer).unwrap();
    writer.finish(json!(0)).unwrap();
    sample.read(&Reader::open(&folder, 1 << 20).unwrap()).unwrap();
}

#[test]
fn what_is_not_there_is_told_apart() {
    let empty = Memory::new();
    assert!(matches!(Reader::open(&empty, 0), Err(StoreError::NotFound { .. })));
    let reader = Reader::open(&database(true), 1 << 20).unwrap();
    assert!(matches!(reader.get(Tier(99), 0), Err(StoreError::NoTable { tier: Tier(99), .. })));
    assert!(matches!(
        reader.get(Tier(40), 1),
        Err(StoreError::OutOfRange { tier: Tier(40), index: 1, len: 1, .. })
    ));
    assert!(matches!(reader.get(Tier(0), 0), Err(StoreError::OutOfRange { len: 0, .. })));
    assert!(matches!(
        reader.load_block(Tier(12), 3),
        Err(StoreError::OutOfRange { of: "blocks", len: 3, .. })
    ));
    assert!(matches!(reader.load_block(Tier(12), u64::MAX), Err(StoreError::OutOfRange { .. })));
}

#[test]
fn a_lost_manifest_is_damage_for_reader_and_writer() {
    let folder = Memory::new();
    folder.put("tables.zmo", database(true).bytes("tables.zmo").unwrap());
    assert!(Reader::open(&folder, 0).err().unwrap().is_damage());
    assert!(Writer::open(folder.clone(), identity()).err().unwrap().is_damage());
    complete_and_read(Writer::fresh(folder.clone(), identity()).unwrap(), &folder);
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let folder = Memory::new();
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    let block = |n: usize, width: Width| pack(&mut vec![1; n * width.bytes()], width, 1);
    let one = Width::One;
    let bad = [
        writer.append(Tier(1), one, 9, 9, &[block(8, one)]),
        writer.append(Tier(1), one, 8, 8, &[block(8, Width::Two)]),
        writer.append(Tier(1), one, 14, 14, &[block(7, one), block(7, one)]),
        writer.append(Tier(1), one, 12, 12, &[block(4, one), block(8, one)]),
        writer.append(Tier(1), one, 8, 8, &[block(8, one), block(0, one)]),
    ];
    for (n, result) in bad.into_iter().enumerate() {
        assert!(matches!(result, Err(StoreError::Unstorable { tier: Tier(1), .. })), "case {n}");
    }
    writer.append(Tier(1), one, 12, 12, &[block(8, one), block(4, one)]).unwrap();
    assert!(matches!(
        writer.append(Tier(1), one, 4, 4, &[block(4, one)]),
        Err(StoreError::Unstorable { .. })
    ));
    assert_eq!(writer.reader(0).table_count(), 1);
}

#[test]
fn a_complete_database_says_so_and_takes_nothing_more() {
    let folder = database(true);
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    assert_eq!(writer.state(), State::Complete);
    assert_eq!(writer.summary()["remoteness"], 9);
    assert_eq!(writer.reader(0).table_count(), samples().len());
    let extra = Sample { tier: Tier(77), ..samples().remove(0) };
    assert!(matches!(extra.append(&writer), Err(StoreError::Finished { .. })));
    assert!(matches!(writer.finish(json!(1)), Err(StoreError::Finished { .. })));
    read_all(&writer.reader(0)).unwrap();
    drop(writer);
    // Starting over is possible, also with another identity.
    let other = [("game", "other")].into_iter().collect();
    let writer = Writer::fresh(folder.clone(), other).unwrap();
    assert_eq!((writer.state(), writer.reader(0).table_count()), (State::Solving, 0));
    complete_and_read(writer, &folder);
}

#[test]
fn a_folder_in_memory_has_one_writer_too() {
    let folder = Memory::new();
    let first = Writer::open(folder.clone(), identity()).unwrap();
    assert!(matches!(Writer::open(folder.clone(), identity()), Err(StoreError::Busy { .. })));
    drop(first);
    assert!(Writer::open(folder, identity()).is_ok());
}

#[test]
fn another_identity_is_refused_with_both_values() {
    let folder = database(false);
    let identity = [("game", "quixo"), ("objective", "margin"), ("variant", "quixo:size=3")];
    let error = Writer::open(folder.clone(), identity.into_iter().collect()).err().unwrap();
    let text = error.to_string();
    for part in ["objective", "margin", "outcome", "--fresh", "--data"] {
        assert!(text.contains(part), "{text}");
    }
    let error = Writer::open(folder.clone(), identity.into_iter().skip(1).collect()).err().unwrap();
    assert!(matches!(error, StoreError::Mismatch { key, .. } if key == "game"));
    complete_and_read(Writer::open(folder.clone(), crate::sample::identity()).unwrap(), &folder);
}

#[test]
fn the_checksum_follows_the_values() {
    let checksum = |folder: &Memory| Reader::open(folder, 0).unwrap().checksum();
    assert_eq!(checksum(&database(true)), checksum(&database(true)));
    let folder = Memory::new();
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    for mut sample in samples() {
        if sample.tier == Tier(12) {
            sample.codes[100] ^= 1;
        }
        sample.append(&writer).unwrap();
    }
    writer.finish(json!({"value": "win", "remoteness": 9})).unwrap();
    assert_ne!(checksum(&folder), checksum(&database(true)));
}

#[test]
fn many_threads_write_and_read_at_once() {
    let writer = Writer::open(Memory::new(), identity()).unwrap();
    let reader = writer.reader(3000);
    let table = |tier: u64| Sample {
        tier: Tier(tier),
        width: Width::Two,
        block: 64,
        codes: (0..500u64).map(|i| ((i * tier + i / 9) % 1000) as u16).collect(),
    };
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let (writer, reader) = (&writer, &reader);
            scope.spawn(move || {
                for tier in (0..40).map(|n| n * 4 + thread) {
                    table(tier).append(writer).unwrap();
                    for seen in reader.tiers().into_iter().rev().take(5) {
                        table(seen.0).read(reader).unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(reader.table_count(), 160);
    (0..160).for_each(|tier| table(tier).read(&reader).unwrap());
}

/// What one process writes has always been these bytes; none of the blocks here depends on a compressor.
#[test]
fn a_database_of_one_file_stays_the_same_bytes() {
    let folder = Memory::new();
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    for (tier, codes) in [(9, vec![7; 40]), (3, vec![1, 2, 4, 8, 16]), (u64::MAX, vec![])] {
        Sample { tier: Tier(tier), width: Width::One, block: 16, codes }.append(&writer).unwrap();
    }
    writer.finish(json!({"value": "win"})).unwrap();
    let crc = |name| crc32fast::hash(&folder.bytes(name).unwrap());
    assert_eq!((crc("tables.zmo"), crc("manifest.json")), (280_079_779, 3_042_057_958));
}
