//! The store on a real disk: locks, names of files, leftovers, and a writer that is killed.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use zermelo_core::Tier;
use zermelo_store::{Annex, Disk, Folder, Reader, ScratchFiles, ScratchSizes, State, StoreError, Writer};

use crate::sample::{Sample, identity, read_all, samples};

/// A directory of its own for each test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("zermelo-store-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Scratch(path)
    }

    fn disk(&self) -> Disk {
        Disk::new(self.0.join("a/b"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_database_on_disk_is_two_files() {
    let scratch = Scratch::new("files");
    let disk = scratch.disk();
    assert!(matches!(Reader::open(&disk, 0), Err(StoreError::NotFound { .. })));
    assert!(!disk.path().exists(), "a reader made the directory");
    let writer = Writer::open(disk.clone(), identity()).unwrap();
    // What a kill inside a publish leaves behind is used up by the next one.
    fs::write(disk.path().join("manifest.json.tmp"), "half a manif").unwrap();
    samples().iter().for_each(|s| s.append(&writer).unwrap());
    read_all(&Reader::open(&disk, 0).unwrap()).unwrap();
    writer.finish(json!({"value": "tie"})).unwrap();
    let reader = Reader::open(&disk, 1 << 20).unwrap();
    read_all(&reader).unwrap();
    assert_eq!((reader.state(), reader.table_count()), (State::Complete, samples().len()));
    let files: Vec<_> = fs::read_dir(disk.path()).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    let bytes: u64 = files.iter().map(|f| f.metadata().unwrap().len()).sum();
    assert_eq!(reader.bytes().unwrap(), bytes);
}

/// Several processes: threads here, each with handles of its own.
#[test]
fn several_processes_fill_one_database_on_disk() {
    let scratch = Scratch::new("annexes");
    let writer = Writer::open(scratch.disk(), identity()).unwrap();
    let sample = |tier: u64| Sample { tier: Tier(tier), ..samples().remove(tier as usize % samples().len()) };
    let (told, adopted) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for file in 1..=3u16 {
            let (disk, told) = (scratch.disk(), told.clone());
            scope.spawn(move || {
                let annex = Annex::open(disk, &identity(), file, 0).unwrap();
                for tier in (0..20).map(|n| n * 3 + u64::from(file)) {
                    let table = sample(tier);
                    let entries = table.codes.len() as u64;
                    let (width, positions) = (table.width, table.positions());
                    let extent =
                        annex.append(table.tier, width, entries, positions, &table.blocks()).unwrap();
                    told.send((table, extent)).unwrap();
                }
            });
        }
        drop(told);
        let reader = writer.reader(1000);
        let other = Annex::open(scratch.disk(), &identity(), 4, 0).unwrap();
        for (table, extent) in adopted {
            writer.adopt(table.tier, extent, table.positions()).unwrap();
            table.read(&reader).unwrap();
            other.know(table.tier, extent);
            table.read(&other.reader(0)).unwrap();
        }
    });
    for finished in [false, true] {
        if finished {
            writer.finish(json!(1)).unwrap();
        }
        let reader = Reader::open(&scratch.disk(), 1000).unwrap();
        assert_eq!(reader.table_count(), 60);
        (1..=60).for_each(|tier| sample(tier).read(&reader).unwrap());
        assert!(reader.check().is_empty());
    }
    let mut names = scratch.disk().names().unwrap();
    names.sort_unstable();
    assert_eq!(names, ["manifest.json", "tables-1.zmo", "tables-2.zmo", "tables-3.zmo", "tables.zmo"]);
}

#[test]
fn a_second_writer_is_told_that_the_first_is_busy() {
    let scratch = Scratch::new("busy");
    let first = Writer::open(scratch.disk(), identity()).unwrap();
    samples()[0].append(&first).unwrap();
    for second in [Writer::open(scratch.disk(), identity()), Writer::fresh(scratch.disk(), identity())] {
        let error = second.err().unwrap();
        assert!(matches!(error, StoreError::Busy { .. }));
        assert!(error.to_string().contains("another solve is writing this database"), "{error}");
    }
    // Opening and closing the file elsewhere in this process must not give the lock away.
    read_all(&Reader::open(&scratch.disk(), 0).unwrap()).unwrap();
    assert!(matches!(Writer::open(scratch.disk(), identity()), Err(StoreError::Busy { .. })));
    // Nor is it while a process of the first one's run still has its annex.
    let annex = Annex::open(scratch.disk(), &identity(), 2, 0).unwrap();
    drop(first);
    let open = || Writer::open(scratch.disk(), identity());
    assert!(
        open()
            .is_err_and(|e| matches!(e, StoreError::AnnexBusy { .. }) && e.to_string().contains("tables-2"))
    );
    drop(annex);
    assert!(open().unwrap().contains(samples()[0].tier));
}

#[test]
fn a_run_without_an_end_goes_on() {
    let scratch = Scratch::new("resume");
    for sample in samples() {
        // Each writer ends without a finish, as a killed one does, and leaves a record cut short.
        let writer = Writer::open(scratch.disk(), identity()).unwrap();
        assert!(writer.dropped() > 0 || writer.reader(0).tiers().is_empty());
        sample.append(&writer).unwrap();
        drop(writer);
        let path = scratch.disk().path().join("tables.zmo");
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend_from_within(16..60);
        fs::write(&path, bytes).unwrap();
    }
    let writer = Writer::open(scratch.disk(), identity()).unwrap();
    assert_eq!(writer.reader(0).table_count(), samples().len());
    writer.finish(json!(1)).unwrap();
    read_all(&Reader::open(&scratch.disk(), 0).unwrap()).unwrap();
}

#[test]
fn a_directory_that_cannot_be_written_is_a_clean_error() {
    let scratch = Scratch::new("file");
    fs::create_dir_all(&scratch.0).unwrap();
    fs::write(scratch.0.join("a"), "a file, not a directory").unwrap();
    let error = Writer::open(scratch.disk(), identity()).err().unwrap();
    assert!(matches!(error, StoreError::Io { .. }) && error.to_string().contains("tables.zmo"), "{error}");
}

#[test]
fn scratch_files_come_and_go() {
    let scratch = Scratch::new("scratch");
    let disk = scratch.disk();
    assert!(disk.names().unwrap().is_empty(), "a missing folder has no files");
    let sizes = ScratchSizes { shared: 1000, segment: 1000, loose: 0 };
    let open = |fresh| ScratchFiles::open_for(scratch.disk(), &identity(), fresh).unwrap().sized(sizes);
    let scratch = open(false);
    assert!(!disk.path().exists(), "nothing is spilled yet");
    let bytes =
        |tier: u64, len: usize| -> Vec<u8> { (0..len).map(|i| (i as u64 * i as u64 % tier) as u8).collect() };
    for (tier, len) in [(5, 100), (200, 900), (77, 5000), (251, 100_000)] {
        scratch.put(Tier(tier), bytes(tier, len)).unwrap();
    }
    let mut names = disk.names().unwrap();
    names.sort_unstable();
    assert_eq!(names, ["scratch-0.zmo", "scratch-1.zmo", "scratch-2.zmo"]);
    let on_disk = |scratch: &ScratchFiles| {
        let sizes =
            disk.names().unwrap().into_iter().map(|n| fs::metadata(disk.path().join(n)).unwrap().len());
        assert_eq!(sizes.sum::<u64>(), scratch.bytes());
    };
    on_disk(&scratch);
    drop(scratch);
    let scratch = open(false);
    on_disk(&scratch);
    assert_eq!(scratch.get(Tier(251)).unwrap(), bytes(251, 100_000));
    scratch.forget(Tier(251));
    on_disk(&scratch);
    assert_eq!(disk.names().unwrap().len(), 2);
    fs::remove_file(disk.path().join("scratch-1.zmo")).unwrap();
    let error = scratch.get(Tier(77)).unwrap_err().to_string();
    assert!(error.contains("scratch-1.zmo") && error.contains("missing"), "{error}");
    assert_eq!(scratch.get(Tier(200)).unwrap(), bytes(200, 900));
    fs::write(disk.path().join("other"), "somebody else's").unwrap();
    scratch.put(Tier(1), &[1; 50]).unwrap();
    scratch.clear().unwrap();
    assert_eq!(disk.names().unwrap(), ["other"]);
}
