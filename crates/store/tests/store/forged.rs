//! Files that no writer made: random bytes, and records with right checksums but senseless content. Nothing
//! may panic, loop or take memory out of proportion.

use proptest::prelude::*;
use zermelo_core::Tier;
use zermelo_store::{MANIFEST, Reader, Result, TABLES, Writer};

use crate::memory::Memory;

use crate::sample::{database, identity, read_all, samples};

/// Opens and reads whatever a folder holds, in every way.
fn use_all(folder: &Memory) {
    if let Ok(reader) = Reader::open(folder, 1000) {
        for tier in reader.tiers() {
            let entries = reader.info(tier).map(|info| info.entries).unwrap_or(0);
            let (_, _) = (reader.get(tier, 0), reader.get(tier, entries.saturating_sub(1)));
            let (_, _) = (reader.get(tier, entries), reader.load_block(tier, 0));
            let _ = reader.load(tier);
        }
        let _ = reader.check();
    }
    if let Ok(writer) = Writer::open(folder.clone(), identity()) {
        let reader = writer.reader(0);
        reader.tiers().into_iter().for_each(|tier| _ = reader.info(tier));
    }
}

fn header() -> Vec<u8> {
    database(false).bytes(TABLES).unwrap()[..16].to_vec()
}

/// What a reader makes of a single forged record of tier 5.
fn read_forged(record: &[u8]) -> Result<Vec<u8>> {
    let folder = database(false);
    folder.put(TABLES, [&header(), record].concat());
    let reader = Reader::open(&folder, 0)?;
    assert_eq!(reader.get(Tier(5), 0).is_ok(), reader.load(Tier(5)).is_ok());
    reader.load(Tier(5))
}

/// Each senseless record differs in one thing from one that is read.
#[test]
fn senseless_records_are_refused() {
    let raw = [(1 << 24 | 4, vec![1, 2, 3, 4])];
    assert_eq!(read_forged(&forge(1, 2, [5, 4, 4, 4], &raw)).unwrap(), [1, 2, 3, 4]);
    assert!(read_forged(&forge(2, 2, [5, 4, 4, 4], &raw)).is_err(), "width");
    assert!(read_forged(&forge(3, 2, [5, 4, 4, 4], &raw)).is_err(), "no width");
    assert!(read_forged(&forge(1, 2, [5, 4, 4, 3], &raw)).is_err(), "length of the blocks");
    assert!(read_forged(&forge(1, 1, [5, 4, 4, 4], &raw)).is_err(), "number of blocks");
    assert!(read_forged(&forge(1, 2, [5, 3, 3, 4], &raw)).is_err(), "number of entries");
    assert!(read_forged(&forge(1, 2, [5, 4, 4, 4], &[(9 << 24 | 4, raw[0].1.clone())])).is_err(), "codec");
    assert_eq!(read_forged(&forge(1, 2, [5, 4, 4, 0], &[(255, vec![])])).unwrap(), [255; 4]);
    assert!(read_forged(&forge(1, 2, [5, 4, 4, 0], &[(256, vec![])])).is_err(), "value");
    assert!(read_forged(&forge(2, 2, [5, 4, 4, 0], &[(1 << 16, vec![])])).is_err(), "wide value");
    let mut reserved = forge(1, 2, [5, 4, 4, 4], &raw);
    reserved[6] = 1;
    reserved = with_checksums(reserved);
    assert!(read_forged(&reserved).is_err(), "reserved bytes");
}

fn with_checksums(mut record: Vec<u8>) -> Vec<u8> {
    let crc = crc32fast::hash(&record[..40]);
    record[40..44].copy_from_slice(&crc.to_le_bytes());
    let crc = crc32fast::hash(&[&record[..44], &record[48..56]].concat());
    record[44..48].copy_from_slice(&crc.to_le_bytes());
    record
}

/// The sample database with its directory changed and all checksums right again.
fn with_directory(gap: usize, change: impl Fn(&mut Vec<u8>)) -> Memory {
    let folder = database(true);
    let mut bytes = folder.bytes(TABLES).unwrap();
    let text = String::from_utf8(folder.bytes(MANIFEST).unwrap()).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let offset = manifest["directory"]["offset"].as_u64().unwrap() as usize;
    let mut lines = bytes.split_off(offset).split_off(16);
    change(&mut lines);
    let count = lines.len() / 28;
    let mut directory = [b"ZDIR", &[0; 4][..], &(count as u64).to_le_bytes(), &lines].concat();
    let crc = crc32fast::hash(&directory[8..]);
    directory[4..8].copy_from_slice(&crc.to_le_bytes());
    bytes.resize(offset + gap, 0);
    bytes.extend(&directory);
    manifest["directory"]["offset"] = (offset + gap).into();
    manifest["directory"]["length"] = directory.len().into();
    manifest["directory"]["crc32"] = crc.into();
    manifest["tables"] = count.into();
    manifest["bytes"] = bytes.len().into();
    manifest.as_object_mut().unwrap().remove("checksum");
    let json = serde_json::to_string_pretty(&manifest).unwrap();
    let body = format!("{},\n  \"checksum\": \"", json.strip_suffix("\n}").unwrap());
    let crc = crc32fast::hash(body.as_bytes());
    folder.put(MANIFEST, format!("{body}{crc:08x}\"\n}}\n").into_bytes());
    folder.put(TABLES, bytes);
    folder
}

#[test]
fn a_senseless_directory_is_noticed() {
    let open = |folder: Memory| Reader::open(&folder, 0);
    let whole = open(with_directory(0, |_| ())).unwrap();
    assert!(read_all(&whole).is_ok() && whole.check().is_empty());
    let gap = open(with_directory(10, |_| ())).unwrap();
    assert!(read_all(&gap).is_ok() && gap.check().len() == 1, "bytes of no table");
    let missing = open(with_directory(0, |lines| drop(lines.drain(28..56)))).unwrap();
    assert!(read_all(&missing).is_ok() && missing.check().len() == 1, "a table in no line");
    // Lines are 28 bytes: tier, offset, length, checksum.
    let swapped = open(with_directory(0, |lines| {
        let (first, second) = lines.split_at_mut(28);
        first[8..28].swap_with_slice(&mut second[8..28]);
    }))
    .unwrap();
    assert!(swapped.load(swapped.tiers()[0]).is_err_and(|e| e.is_damage()), "another tier's table");
    let order = open(with_directory(0, |lines| lines[..8].copy_from_slice(&99u64.to_le_bytes())));
    assert!(order.is_err_and(|e| e.is_damage()), "out of order");
    let outside = open(with_directory(0, |lines| lines[8..16].fill(0xff)));
    assert!(outside.is_err_and(|e| e.is_damage()), "outside the file");
    let length = open(with_directory(0, |lines| lines[28 + 16] -= 1)).unwrap();
    assert!(!length.check().is_empty(), "another length");
}

/// A record of the same tier and length, intact in itself, but of another run.
#[test]
fn a_record_of_another_run_is_noticed() {
    let folder = database(true);
    let other = Memory::new();
    let writer = Writer::open(other.clone(), identity()).unwrap();
    for mut sample in samples() {
        sample.codes.iter_mut().filter(|c| sample.tier == Tier(12) && **c == 100).for_each(|c| *c = 101);
        sample.append(&writer).unwrap();
    }
    let (mut ours, theirs) = (folder.bytes(TABLES).unwrap(), other.bytes(TABLES).unwrap());
    assert!(ours[..theirs.len()] != theirs);
    ours[..theirs.len()].copy_from_slice(&theirs);
    folder.put(TABLES, ours);
    let reader = Reader::open(&folder, 0).unwrap();
    let found = reader.check();
    assert_eq!(found.iter().map(|d| d.tier).collect::<Vec<_>>(), [Some(Tier(12))]);
    assert!(reader.get(Tier(12), 0).is_err_and(|e| e.is_damage()));
}

/// A record with right checksums.
fn forge(width: u8, shift: u8, numbers: [u64; 4], lines: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut head = [b"ZTBL", &[width, shift, 0, 0][..]].concat();
    numbers.iter().for_each(|n| head.extend(n.to_le_bytes()));
    head.extend(crc32fast::hash(&head).to_le_bytes());
    let mut index = Vec::new();
    for (word, bytes) in lines {
        index.extend(word.to_le_bytes());
        index.extend(crc32fast::hash(bytes).to_le_bytes());
    }
    let crc = crc32fast::hash(&[&head[..], &index].concat());
    head.extend(crc.to_le_bytes());
    head.extend(index);
    lines.iter().for_each(|(_, bytes)| head.extend(bytes));
    head
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..40u64, Just(u64::MAX), Just(1 << 63), any::<u64>()]
}

fn line() -> impl Strategy<Value = (u32, Vec<u8>)> {
    (0..6u32, prop::collection::vec(any::<u8>(), 0..20), 0..70_000u32).prop_map(|(codec, bytes, value)| {
        let constant = codec == 0;
        let word = codec << 24 | if constant { value } else { bytes.len() as u32 };
        (word, if constant { vec![] } else { bytes })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), magic: bool, complete: bool) {
        let folder = database(complete);
        let start = if magic { [header(), b"ZTBL".to_vec()].concat() } else { header() };
        folder.put(TABLES, [start, bytes.clone()].concat());
        use_all(&folder);
        folder.put(TABLES, bytes.clone());
        use_all(&folder);
        folder.put(MANIFEST, bytes);
        use_all(&folder);
    }

    #[test]
    fn forged_records_never_panic(
        width in 0..4u8,
        shift in prop_oneof![0..5u8, 20..25u8, any::<u8>()],
        tier in number(),
        entries in number(),
        positions in number(),
        data in number(),
        fit: bool,
        lines in prop::collection::vec(line(), 0..5),
        rest in prop::collection::vec(any::<u8>(), 0..70),
    ) {
        let real = lines.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let (entries, data) = match fit {
            true => ((lines.len() as u64) << shift.min(23), real),
            false => (entries, data),
        };
        let record = forge(width, shift, [tier, entries, positions, data], &lines);
        let folder = database(false);
        folder.put(TABLES, [header(), record.clone(), rest].concat());
        use_all(&folder);
        let folder = database(false);
        folder.put(TABLES, [header(), record.clone(), record].concat());
        use_all(&folder);
    }
}
