//! Every byte of every file changed, every file cut at every length. The outcome is an error or the right
//! answer, for readers and for writers that resume.

use serde_json::json;
use zermelo_core::Tier;
use zermelo_store::{MANIFEST, Reader, StoreError, TABLES, Writer};

use crate::memory::Memory;

use crate::sample::{assert_complete, complete_and_read, database, identity, read_all, samples};

const MASKS: [u8; 5] = [0x01, 0x20, 0x80, 0x55, 0xff];

/// Calls `visit` with every single-byte change of a file of a database, and puts the file back after.
fn each_flip(folder: &Memory, name: &str, mut visit: impl FnMut(usize)) {
    let good = folder.bytes(name).unwrap();
    for at in 0..good.len() {
        for mask in MASKS {
            let mut bad = good.clone();
            bad[at] ^= mask;
            folder.put(name, bad);
            visit(at);
        }
    }
    folder.put(name, good);
}

#[test]
fn every_flipped_byte_of_a_complete_database_is_noticed() {
    let folder = database(true);
    for name in [MANIFEST, TABLES] {
        each_flip(&folder, name, |at| match Reader::open(&folder, 1 << 16) {
            Err(e) => assert!(e.is_damage() || matches!(e, StoreError::Version { .. }), "{e}"),
            Ok(reader) => {
                assert_eq!(name, TABLES, "byte {at} of the manifest");
                let _error_or_right = read_all(&reader);
                let found = reader.check();
                assert_eq!(found.len(), 1, "byte {at}: {found:?}");
                assert!(found[0].tier.is_some() && found[0].error.is_damage());
            }
        });
    }
    assert_complete(&folder);
}

#[test]
fn every_cut_of_a_complete_database_is_noticed() {
    for name in [MANIFEST, TABLES] {
        let folder = database(true);
        let good = folder.bytes(name).unwrap();
        for length in 0..good.len() {
            folder.put(name, good[..length].to_vec());
            let reader = Reader::open(&folder, 0);
            assert!(reader.is_err_and(|e| e.is_damage()), "{name} cut to {length}");
            assert!(Writer::open(folder.clone(), identity()).is_err());
        }
        folder.put(name, [&good[..], b"x"].concat());
        assert!(Reader::open(&folder, 0).is_err_and(|e| e.is_damage()), "{name} with a byte more");
    }
}

#[test]
fn a_damaged_block_is_named_and_the_others_are_read() {
    let folder = database(true);
    let sample = samples().into_iter().find(|s| s.tier == Tier(12)).unwrap();
    let place = Reader::open(&folder, 0).unwrap();
    let last = place.load_block(Tier(12), 2).unwrap();
    let mut bytes = folder.bytes(TABLES).unwrap();
    let at = bytes.windows(last.len()).position(|w| w == last).unwrap();
    bytes[at] ^= 1;
    folder.put(TABLES, bytes);
    let reader = Reader::open(&folder, 1 << 20).unwrap();
    assert_eq!(reader.get(Tier(12), 3).unwrap(), sample.codes[3]);
    let error = reader.get(Tier(12), 130).unwrap_err();
    assert!(matches!(error, StoreError::DamagedBlock { tier: Tier(12), block: 2, .. }), "{error}");
    assert!(error.to_string().contains("--fresh"));
    let found = reader.check();
    assert_eq!(found.iter().map(|d| (d.tier, d.block)).collect::<Vec<_>>(), [(Some(Tier(12)), Some(2))]);
    assert_eq!(reader.check_table(Tier(12)).len(), 1);
    assert_eq!(reader.check_table(Tier(11)).len(), 0);
}

/// Where each record of the sample database begins, and where the last one ends.
fn offsets() -> Vec<usize> {
    let writer = Writer::open(Memory::new(), identity()).unwrap();
    let mut offsets = vec![writer.bytes() as usize];
    for sample in samples() {
        sample.append(&writer).unwrap();
        offsets.push(writer.bytes() as usize);
    }
    offsets
}

#[test]
fn a_resumed_database_keeps_right_tables_or_reports_the_damaged_one() {
    let folder = database(false);
    let offsets = offsets();
    let last = offsets[samples().len() - 1];
    let good = folder.bytes(TABLES).unwrap();
    assert_eq!(good.len(), offsets[samples().len()]);
    each_flip(&folder, TABLES, |at| {
        if let Ok(reader) = Reader::open(&folder, 0) {
            let _error_or_right = read_all(&reader);
        }
        match Writer::open(folder.clone(), identity()) {
            Err(StoreError::Damaged { offset, .. }) => {
                let record = offsets.iter().rfind(|&&o| o <= at).map_or(0, |&o| o as u64);
                assert!(at < last, "byte {at} is in the last record");
                assert_eq!(offset, record, "byte {at}");
            }
            Err(e) => assert!(at < offsets[0] && matches!(e, StoreError::Version { .. }), "byte {at}: {e}"),
            Ok(writer) => {
                assert!(at >= last, "byte {at} was not noticed");
                assert_eq!(writer.dropped(), (good.len() - last) as u64);
                assert_eq!(writer.reader(0).table_count(), samples().len() - 1);
                complete_and_read(writer, &folder);
                let manifest = database(false).bytes(MANIFEST).unwrap();
                folder.put(MANIFEST, manifest);
            }
        }
    });
    each_flip(&folder, MANIFEST, |at| {
        assert!(Writer::open(folder.clone(), identity()).is_err_and(|e| e.is_damage()), "byte {at}");
    });
}

/// A kill leaves the file cut anywhere, also inside the directory that is written before the manifest.
#[test]
fn a_run_killed_at_any_byte_goes_on_from_its_tables() {
    let finished = database(true).bytes(TABLES).unwrap();
    let manifest = database(false).bytes(MANIFEST).unwrap();
    let offsets = offsets();
    for length in 0..=finished.len() {
        let folder = Memory::new();
        folder.put(MANIFEST, manifest.clone());
        folder.put(TABLES, finished[..length].to_vec());
        let whole = offsets[1..].iter().filter(|&&end| end <= length).count();
        let reader = Reader::open(&folder, 0).unwrap();
        assert_eq!(reader.table_count(), whole, "cut to {length}");
        read_all(&reader).unwrap();
        let writer = Writer::open(folder.clone(), identity()).unwrap();
        assert_eq!(writer.reader(0).table_count(), whole, "cut to {length}");
        let kept = offsets.iter().rfind(|&&end| end <= length).map_or(0, |&end| end);
        assert_eq!(writer.dropped(), (length - kept) as u64);
        complete_and_read(writer, &folder);
        assert_eq!(folder.bytes(TABLES).unwrap(), finished, "cut to {length}");
    }
}

/// A power loss can leave zeros where the last tables were to be.
#[test]
fn zeros_at_the_end_are_dropped() {
    let good = database(false).bytes(TABLES).unwrap();
    for from in offsets()[2]..good.len() {
        let folder = database(false);
        let mut bytes = good.clone();
        bytes[from..].fill(0);
        bytes.extend([0; 5000]);
        folder.put(TABLES, bytes);
        let writer = Writer::open(folder.clone(), identity()).unwrap();
        assert!(writer.contains(Tier(40)) && writer.dropped() >= 5000);
        complete_and_read(writer, &folder);
    }
}

#[test]
fn tables_of_another_database_are_refused() {
    let folder = database(true);
    let other = Memory::new();
    let writer = Writer::open(other.clone(), [("game", "other")].into_iter().collect()).unwrap();
    samples().iter().for_each(|s| s.append(&writer).unwrap());
    writer.finish(json!({"value": "win", "remoteness": 9})).unwrap();
    folder.put(TABLES, other.bytes(TABLES).unwrap());
    assert!(Reader::open(&folder, 0).is_err_and(|e| e.is_damage()));
}
