//! Databases whose tables lie in several files, written by several processes: what is true of one file is true of
//! all, and what was solved twice does no harm.

mod dying;

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use serde_json::{Value, json};
use zermelo_core::Tier;
use zermelo_store::{
    Annex, BlockLine, Folder, MANIFEST, PackedBlock, Reader, Result, State, StoreError, TABLES, TableExtent,
    Writer,
};

use crate::memory::Memory;

use crate::faults::{Faulty, Mode};
use crate::sample::{Sample, assert_complete, complete_and_read, database, identity, read_all, samples};

const ONE: &str = "tables-1.zmo";
const THREE: &str = "tables-3.zmo";

pub(crate) fn append(annex: &Annex, sample: &Sample) -> Result<TableExtent> {
    let entries = sample.codes.len() as u64;
    annex.append(sample.tier, sample.width, entries, sample.positions(), &sample.blocks())
}

pub(crate) fn annex(folder: &Memory, file: u16) -> Annex {
    Annex::open(folder.clone(), &identity(), file, 0).unwrap()
}

/// The samples in turn in `tables.zmo` and the annexes 1 and 3, of which the writer knows.
fn spread(folder: &Memory) -> (Writer, [Annex; 2]) {
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    let annexes = [annex(folder, 1), annex(folder, 3)];
    for (n, sample) in samples().iter().enumerate() {
        match n % 3 {
            0 => sample.append(&writer).unwrap(),
            n => {
                let extent = append(&annexes[n - 1], sample).unwrap();
                writer.adopt(sample.tier, extent, sample.positions()).unwrap();
                assert_eq!(writer.extent(sample.tier), Some(extent));
            }
        }
    }
    (writer, annexes)
}

fn cluster(finish: bool) -> Memory {
    let folder = Memory::new();
    let (writer, _) = spread(&folder);
    if finish {
        writer.finish(json!({"value": "win", "remoteness": 9})).unwrap();
    }
    folder
}

pub(crate) fn length(folder: &Memory, name: &str) -> u64 {
    folder.bytes(name).unwrap().len() as u64
}

fn copy(folder: &Memory) -> Memory {
    let other = Memory::new();
    folder.names().iter().for_each(|name| other.put(name, folder.bytes(name).unwrap()));
    other
}

#[test]
fn tables_of_several_files_come_back_in_both_states() {
    let folder = Memory::new();
    let (writer, annexes) = spread(&folder);
    read_all(&writer.reader(0)).unwrap();
    assert_eq!(writer.reader(0).table_count(), samples().len());
    // A process sees its own tables, and those it was told of.
    for annex in &annexes {
        let reader = annex.reader(1 << 16);
        assert_eq!(reader.table_count(), 2);
        read_all(&reader).unwrap();
        for sample in samples() {
            annex.know(sample.tier, writer.extent(sample.tier).unwrap());
        }
        assert_eq!(reader.table_count(), samples().len());
        read_all(&reader).unwrap();
        assert!(reader.check().is_empty());
    }
    let reader = Reader::open(&folder, 0).unwrap();
    assert_eq!((reader.state(), reader.table_count()), (State::Solving, samples().len()));
    read_all(&reader).unwrap();
    assert!(reader.check().is_empty());
    writer.finish(json!(1)).unwrap();
    assert_complete(&folder);
    read_all(&writer.reader(0)).unwrap();
    let reader = Reader::open(&folder, 0).unwrap();
    let on_disk: u64 = folder.names().iter().map(|name| length(&folder, name)).sum();
    assert_eq!(reader.bytes().unwrap(), on_disk);
    assert_eq!(writer.bytes(), on_disk - length(&folder, MANIFEST));
    let manifest: Value = serde_json::from_slice(&folder.bytes(MANIFEST).unwrap()).unwrap();
    assert_eq!(manifest["annexes"], json!([length(&folder, ONE), 0, length(&folder, THREE)]));
    assert_eq!(folder.names(), [MANIFEST, ONE, THREE, TABLES]);
    drop((writer, annexes));
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    assert_eq!((writer.state(), writer.annex_end(3)), (State::Complete, length(&folder, THREE)));
    assert_eq!((writer.annex_end(2), writer.annex_end(4)), (0, 0));
    read_all(&writer.reader(0)).unwrap();
}

/// Each file cut at every length, with a torn record behind the others.
#[test]
fn a_run_killed_at_any_byte_of_any_file_goes_on() {
    let good = cluster(false);
    for name in [ONE, THREE, TABLES] {
        for cut in 0..length(&good, name) as usize {
            let folder = copy(&good);
            for other in [ONE, THREE, TABLES] {
                let mut bytes = good.bytes(other).unwrap();
                let torn = bytes[16..50].to_vec();
                bytes.extend(torn);
                folder.put(other, bytes);
            }
            folder.put(name, good.bytes(name).unwrap()[..cut].to_vec());
            let seen = Reader::open(&folder, 0).unwrap();
            assert!(seen.table_count() < samples().len() && seen.table_count() >= 4, "{name} cut to {cut}");
            read_all(&seen).unwrap();
            let writer = Writer::open(folder.clone(), identity()).unwrap();
            assert_eq!(writer.reader(0).table_count(), seen.table_count());
            assert!(writer.dropped() >= 2 * 34);
            let again = Annex::open(folder.clone(), &identity(), 3, writer.annex_end(3)).unwrap();
            let missing: Vec<_> = samples().into_iter().filter(|s| !writer.contains(s.tier)).collect();
            for sample in &missing {
                let extent = append(&again, sample).unwrap();
                writer.adopt(sample.tier, extent, sample.positions()).unwrap();
            }
            complete_and_read(writer, &folder);
        }
    }
}

/// Near its end an annex is read again as a whole: a damaged last record is dropped, any other is reported.
#[test]
fn damage_inside_an_annex_is_never_dropped_silently() {
    let folder = cluster(false);
    let good = folder.bytes(ONE).unwrap();
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    let first = writer.extent(samples()[1].tier).unwrap();
    let last = (first.offset + first.length) as usize;
    drop(writer);
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x40;
        folder.put(ONE, bad);
        match Writer::open(folder.clone(), identity()) {
            Err(StoreError::Version { file, .. } | StoreError::Damaged { file, .. }) => {
                assert!(at < last && file.ends_with(ONE), "byte {at} of {file}");
            }
            Err(e) => panic!("byte {at}: {e}"),
            Ok(writer) => {
                assert!(at >= last, "byte {at} was not noticed");
                assert_eq!(
                    (writer.reader(0).table_count(), writer.annex_end(1)),
                    (samples().len() - 1, last as u64)
                );
            }
        }
    }
}

/// Tier 40 in `tables.zmo` and both annexes, tier 12 in both annexes.
fn twice() -> (Memory, Writer) {
    let folder = cluster(false);
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    for (file, tiers) in [(1, [0, 3]), (3, [3, 0])] {
        let annex = Annex::open(folder.clone(), &identity(), file, writer.annex_end(file)).unwrap();
        tiers.iter().for_each(|&n| assert!(append(&annex, &samples()[n]).is_ok()));
    }
    drop(writer);
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    (folder, writer)
}

#[test]
fn a_tier_that_was_solved_twice_is_no_damage() {
    let (folder, writer) = twice();
    assert_eq!(writer.extent(Tier(40)).unwrap().file, 0);
    assert_eq!(writer.reader(0).table_count(), samples().len());
    assert_eq!(writer.positions(), samples().iter().map(Sample::positions).sum::<u64>());
    assert_eq!((writer.dropped(), writer.annex_end(3)), (0, length(&folder, THREE)));
    assert!(Reader::open(&folder, 0).unwrap().check().is_empty());
    complete_and_read(writer, &folder);
    // The copies are checked like the tables that count.
    let good = folder.bytes(THREE).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 4;
        folder.put(THREE, bad);
        let reader = Reader::open(&folder, 0).unwrap();
        assert!(!reader.check().is_empty(), "byte {at}");
    }
}

#[test]
fn a_tier_twice_in_one_annex_is_damage() {
    let folder = cluster(false);
    let bytes = folder.bytes(ONE).unwrap();
    folder.put(ONE, [&bytes[..], &bytes[16..]].concat());
    let error = Writer::open(folder.clone(), identity()).err().unwrap();
    assert!(error.is_damage() && error.to_string().contains("is here twice"), "{error}");
}

/// What nobody adopted goes when the database is finished: torn records, whole ones, whole files.
#[test]
fn finishing_leaves_nothing_in_annexes_that_nobody_adopted() {
    let folder = Memory::new();
    let (writer, [one, _]) = spread(&folder);
    let before = length(&folder, ONE);
    append(&one, &samples()[0]).unwrap();
    append(&annex(&folder, 2), &samples()[0]).unwrap();
    drop(annex(&folder, 9));
    let three = folder.bytes(THREE).unwrap();
    folder.put(THREE, [&three[..], b"ZTBL and no more"].concat());
    writer.finish(json!(1)).unwrap();
    assert_eq!(folder.names(), [MANIFEST, ONE, THREE, TABLES]);
    assert_eq!((length(&folder, ONE), folder.bytes(THREE).unwrap()), (before, three));
    assert_complete(&folder);
}

#[test]
fn every_flipped_byte_of_an_annex_is_noticed() {
    let folder = cluster(true);
    for name in [ONE, THREE] {
        let good = folder.bytes(name).unwrap();
        for at in 0..good.len() {
            for mask in [0x01, 0x20, 0x80, 0x55, 0xff] {
                let mut bad = good.clone();
                bad[at] ^= mask;
                folder.put(name, bad);
                let reader = Reader::open(&folder, 1 << 16).unwrap();
                let _error_or_right = read_all(&reader);
                let found = reader.check();
                assert_eq!(found.len(), 1, "byte {at} of {name}: {found:?}");
                let error = &found[0].error;
                assert!(error.is_damage() || matches!(error, StoreError::Version { .. }), "{error}");
                assert!(error.to_string().contains(name), "{error}");
            }
        }
        folder.put(name, good);
    }
    assert_complete(&folder);
}

#[test]
fn an_annex_that_is_wrong_or_missing_is_named_and_the_others_are_read() {
    let good = cluster(true);
    let three = good.bytes(THREE).unwrap();
    let other = Memory::new();
    let foreign = Annex::open(other.clone(), &[("game", "x")].into_iter().collect(), 3, 0).unwrap();
    samples().iter().skip(2).step_by(3).for_each(|s| assert!(append(&foreign, s).is_ok()));
    assert_eq!(length(&other, THREE), three.len() as u64);
    let wrong = [
        ("missing", None),
        ("the manifest says", Some(three[..three.len() - 1].to_vec())),
        ("the manifest says", Some([&three[..], b"x"].concat())),
        ("the manifest says", good.bytes(ONE)),
        ("another manifest", other.bytes(THREE)),
        ("too early", Some(three[..9].to_vec())),
    ];
    for (why, bytes) in wrong {
        let folder = copy(&good);
        match bytes {
            Some(bytes) => folder.put(THREE, bytes),
            None => Folder::remove(&folder, THREE).unwrap(),
        }
        let reader = Reader::open(&folder, 0).unwrap();
        for (n, sample) in samples().iter().enumerate() {
            match sample.read(&reader) {
                Ok(()) => assert_ne!(n % 3, 2, "{why}"),
                Err(e) => assert!(n % 3 == 2 && e.is_damage() && e.to_string().contains(why), "{why}: {e}"),
            }
        }
        let found = reader.check();
        assert_eq!(found.len(), 1);
        assert!(found[0].error.to_string().contains(THREE), "{}", found[0]);
    }
}

#[test]
fn bytes_of_no_table_in_an_annex_are_noticed() {
    let folder = cluster(true);
    let manifest = String::from_utf8(folder.bytes(MANIFEST).unwrap()).unwrap();
    let bytes = folder.bytes(THREE).unwrap();
    let old = format!("{}\n  ]", bytes.len());
    for (extra, wrong) in [(vec![0; 60], 1), (forge(Tier(99)), 1), (forge(Tier(40)), 0)] {
        let text = manifest.replace(&old, &format!("{}\n  ]", bytes.len() + extra.len()));
        assert_ne!(text, manifest);
        let body = &text[..text.len() - 12];
        let crc = crc32fast::hash(body.as_bytes());
        folder.put(MANIFEST, format!("{body}{crc:08x}\"\n}}\n").into_bytes());
        folder.put(THREE, [&bytes[..], &extra].concat());
        let reader = Reader::open(&folder, 0).unwrap();
        read_all(&reader).unwrap();
        assert_eq!(reader.check().len(), wrong);
    }
}

/// The record of a small table.
fn forge(tier: Tier) -> Vec<u8> {
    let folder = Memory::new();
    append(&annex(&folder, 1), &Sample { tier, ..samples().remove(0) }).unwrap();
    folder.bytes(ONE).unwrap().split_off(16)
}

type Pieces = Vec<io::Result<Vec<u8>>>;

fn stream(annex: &Annex, sample: &Sample, lines: &[BlockLine], pieces: Pieces) -> Result<TableExtent> {
    let mut pieces = pieces.into_iter();
    let entries = sample.codes.len() as u64;
    let mut next = || pieces.next().transpose();
    annex.append_streamed(sample.tier, sample.width, entries, sample.positions(), lines, &mut next)
}

#[test]
fn a_streamed_table_is_the_same_bytes() {
    for size in [1, 7, 100, 1 << 20] {
        let (plain, streamed) = (Memory::new(), Memory::new());
        let (first, second) = (annex(&plain, 5), annex(&streamed, 5));
        for sample in samples() {
            let lines: Vec<_> = sample.blocks().iter().map(PackedBlock::line).collect();
            let bytes: Vec<u8> = sample.blocks().into_iter().flat_map(PackedBlock::into_bytes).collect();
            assert_eq!(bytes.len() as u64, lines.iter().map(BlockLine::stored).sum::<u64>());
            // As they would come from another process.
            let lines: Vec<BlockLine> = serde_json::from_value(json!(lines)).unwrap();
            let extent =
                stream(&second, &sample, &lines, bytes.chunks(size).map(|b| Ok(b.to_vec())).collect());
            assert_eq!(extent.unwrap(), append(&first, &sample).unwrap());
        }
        assert_eq!(plain.bytes("tables-5.zmo"), streamed.bytes("tables-5.zmo"));
        read_all(&second.reader(0)).unwrap();
    }
}

#[test]
fn a_stream_that_does_not_fit_leaves_nothing() {
    let folder = Memory::new();
    let annex = annex(&folder, 1);
    append(&annex, &samples()[0]).unwrap();
    let before = folder.bytes(ONE);
    let sample = &samples()[3];
    let lines: Vec<_> = sample.blocks().iter().map(PackedBlock::line).collect();
    let blocks: Vec<Vec<u8>> = sample.blocks().into_iter().map(PackedBlock::into_bytes).collect();
    let good = || blocks.iter().cloned().map(Ok).collect::<Pieces>();
    let mut swapped = good();
    swapped.rotate_left(1);
    let mut short = good();
    short.pop();
    let mut long = good();
    long.push(Ok(vec![0]));
    for (why, pieces) in [("other", swapped), ("fewer", short), ("more", long), ("fewer", vec![])] {
        let error = stream(&annex, sample, &lines, pieces).unwrap_err();
        assert!(matches!(&error, StoreError::Unstorable { tier, .. } if *tier == sample.tier), "{error}");
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(folder.bytes(ONE), before, "{why}");
    }
    let mut broken = good();
    broken.insert(1, Err(io::ErrorKind::ConnectionReset.into()));
    assert!(matches!(stream(&annex, sample, &lines, broken), Err(StoreError::Io { .. })));
    assert_eq!(folder.bytes(ONE), before);
    // Lines that no block can have.
    let bent = |field: &str, value: u32| {
        let mut line = json!(lines[0]);
        line[field] = value.into();
        let line: BlockLine = serde_json::from_value(line).unwrap();
        stream(&annex, sample, &[&[line][..], &lines[1..]].concat(), good())
    };
    for (field, value) in [("codec", 9), ("length", 1 << 24), ("entries", 63), ("width", 2)] {
        assert!(matches!(bent(field, value), Err(StoreError::Unstorable { .. })), "{field}");
    }
    assert_eq!(folder.bytes(ONE), before);
    stream(&annex, sample, &lines, good()).unwrap();
    sample.read(&annex.reader(0)).unwrap();
    assert!(matches!(stream(&annex, sample, &lines, good()), Err(StoreError::Unstorable { .. })));
}

#[test]
fn only_tables_that_are_there_are_adopted() {
    let folder = Memory::new();
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    let sample = &samples()[3];
    let extent = append(&annex(&folder, 1), sample).unwrap();
    assert_eq!(writer.annex_end(1), 0);
    let adopt = |tier, extent, positions| writer.adopt(tier, extent, positions).unwrap_err();
    let (tier, positions) = (sample.tier, sample.positions());
    let bad = [
        TableExtent { offset: extent.offset + 1, ..extent },
        TableExtent { length: extent.length - 1, ..extent },
        TableExtent { length: extent.length + 1, ..extent },
        TableExtent { crc: extent.crc ^ 1, ..extent },
        TableExtent { file: 2, ..extent },
    ];
    for bad in bad {
        assert!(adopt(tier, bad, positions).is_damage(), "{bad:?}");
    }
    assert!(adopt(Tier(5), extent, positions).is_damage());
    let unstorable = [
        adopt(tier, TableExtent { file: 0, ..extent }, positions),
        adopt(tier, TableExtent { offset: 1 << 48, ..extent }, positions),
        adopt(tier, extent, positions + 1),
    ];
    unstorable.iter().for_each(|e| assert!(matches!(e, StoreError::Unstorable { .. }), "{e}"));
    assert_eq!((writer.reader(0).table_count(), writer.annex_end(1)), (0, 0));
    writer.adopt(tier, extent, positions).unwrap();
    assert_eq!((writer.reader(0).table_count(), writer.annex_end(1)), (1, length(&folder, ONE)));
    assert!(matches!(adopt(tier, extent, positions), StoreError::Unstorable { .. }));
    assert!(sample.append(&writer).is_err());
    writer.finish(json!(1)).unwrap();
    assert!(matches!(adopt(Tier(40), extent, 1), StoreError::Finished { .. }));
    assert!(matches!(adopt(tier, extent, positions), StoreError::Finished { .. }));
}

#[test]
fn an_annex_goes_on_where_it_is_told() {
    let folder = Memory::new();
    let open = |file, end| Annex::open(folder.clone(), &identity(), file, end);
    assert!(matches!(open(0, 0), Err(StoreError::BadAnnex { .. })));
    let first = append(&open(1, 0).unwrap(), &samples()[1]).unwrap();
    let end = first.offset + first.length;
    let again = open(1, end).unwrap();
    again.know(samples()[1].tier, first);
    append(&again, &samples()[3]).unwrap();
    read_all(&again.reader(0)).unwrap();
    assert_eq!(again.reader(0).table_count(), 2);
    drop(again);
    // What nobody adopted is cut off.
    let again = open(1, end).unwrap();
    assert_eq!(length(&folder, ONE), end);
    again.know(samples()[1].tier, first);
    read_all(&again.reader(0)).unwrap();
    drop(again);
    assert!(open(1, end + 1).is_err_and(|e| e.is_damage()));
    assert!(open(2, end).is_err_and(|e| e.is_damage()));
    let other = [("game", "other")].into_iter().collect();
    for end in [0, end] {
        assert!(Annex::open(folder.clone(), &other, 1, end).is_err_and(|e| e.is_damage()));
        assert_eq!(length(&folder, ONE), first.offset + first.length);
    }
    drop(open(1, 0).unwrap());
    assert_eq!(length(&folder, ONE), 16);
}

#[test]
fn annexes_without_a_manifest_are_damage() {
    let folder = cluster(false);
    Folder::remove(&folder, MANIFEST).unwrap();
    folder.put(TABLES, Vec::new());
    assert!(Reader::open(&folder, 0).is_err_and(|e| e.is_damage() && e.to_string().contains(ONE)));
    assert!(Writer::open(folder.clone(), identity()).is_err_and(|e| e.is_damage()));
    // Nothing but a header is nothing, whose ever it is.
    let folder = Memory::new();
    drop(Annex::open(folder.clone(), &[("game", "other")].into_iter().collect(), 4, 0).unwrap());
    assert!(matches!(Reader::open(&folder, 0), Err(StoreError::NotFound { .. })));
    complete_and_read(Writer::open(folder.clone(), identity()).unwrap(), &folder);
}

/// A process that has outlived its run is not disturbed, and nobody takes over its file before it is gone.
#[test]
fn an_annex_that_is_being_written_keeps_the_next_run_waiting() {
    let folder = Memory::new();
    let (writer, [one, three]) = spread(&folder);
    drop((writer, one));
    let before: Vec<_> = folder.names().iter().map(|name| folder.bytes(name)).collect();
    let refused = |error: Option<StoreError>| {
        let told = error.unwrap().to_string();
        assert!(told.contains(THREE) && told.contains("still writes to it; wait until"), "{told}");
    };
    refused(Writer::open(folder.clone(), identity()).err());
    refused(Writer::fresh(folder.clone(), identity()).err());
    refused(Annex::open(folder.clone(), &identity(), 3, 0).err());
    let after: Vec<_> = folder.names().iter().map(|name| folder.bytes(name)).collect();
    assert!(before == after, "nothing was changed");
    append(&three, &samples()[0]).unwrap();
    drop(three);
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    let three = Annex::open(folder.clone(), &identity(), 3, writer.annex_end(3)).unwrap();
    drop(three);
    complete_and_read(writer, &folder);
}

/// The files of one process do not depend on there being annexes.
#[test]
fn annexes_that_hold_nothing_leave_no_trace() {
    let folder = Memory::new();
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    drop(annex(&folder, 1));
    samples().iter().for_each(|s| s.append(&writer).unwrap());
    writer.finish(json!({"value": "win", "remoteness": 9})).unwrap();
    let alone = database(true);
    assert_eq!(folder.names(), alone.names());
    alone.names().iter().for_each(|name| assert_eq!(folder.bytes(name), alone.bytes(name)));
}
