//! Runs, merges and checkpoints against plain ones in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use zermelo_core::{Record, WalkedPosition};

use super::files::{Pause, RunFiles};
use super::merge::{Merge, sort};
use super::run::{Run, RunWriter, Sorted};

/// Records with many doubles, some of them far apart.
fn record() -> impl Strategy<Value = Record> {
    let key = prop_oneof![(0..4u64, 0..600u64), (any::<u64>(), any::<u64>())];
    (key, 0..2u8, 1..4u8, 0..3u16, prop_oneof![0..3u64, Just(u64::MAX), any::<u64>()])
        .prop_map(|((a, b), turn, how, passes, games)| Record { key: [a, b], turn, how, passes, games })
}

fn run(files: &Arc<RunFiles>, mut records: Vec<Record>) -> Sorted {
    sort(&mut records);
    let mut writer = RunWriter::new(files);
    records.iter().for_each(|record| writer.push(record).expect("written"));
    writer.finish().expect("finished").into_iter().map(Arc::new).collect()
}

fn all(list: &Sorted) -> Vec<Record> {
    let (mut out, mut bytes, mut records) = (vec![], vec![], vec![]);
    for run in list {
        for block in 0..run.blocks() {
            run.load(block, &mut bytes, &mut records).expect("read");
            assert_eq!(records[0].place(), run.first(block));
            out.extend(&records);
        }
    }
    out
}

type Reference = BTreeMap<(WalkedPosition, u16), Record>;

fn reference(lists: &[Vec<Record>], without: &[Vec<Record>]) -> Reference {
    let mut map = Reference::new();
    for record in lists.iter().flatten() {
        map.entry(record.id()).and_modify(|same| same.merge(record)).or_insert(*record);
    }
    without.iter().flatten().for_each(|record| _ = map.remove(&record.id()));
    map
}

fn files(room: u64) -> Arc<RunFiles> {
    Arc::new(RunFiles::temporary(std::env::temp_dir(), room))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Merged runs are what a map of all records gives, in memory and in files, in one go and
    /// with a pause after every range.
    #[test]
    fn merged_runs_are_a_map(
        lists in prop::collection::vec(prop::collection::vec(record(), 0..3000), 0..5),
        without in prop::collection::vec(prop::collection::vec(record(), 0..300), 0..2),
        room in prop_oneof![Just(0u64), Just(20_000), Just(u64::MAX)],
        paused: bool,
    ) {
        let want: Vec<Record> = reference(&lists, &without).into_values().collect();
        let files = files(room);
        let runs = |lists: &[Vec<Record>]| -> Vec<Sorted> {
            lists.iter().map(|records| run(&files, records.clone())).collect()
        };
        let (lists, without) = (runs(&lists), runs(&without));
        let merge = Merge { lists: &lists, without: &without, segment: 1 << 10, files: &files };
        let (mut merged, mut from) = (vec![], None);
        loop {
            let pause = Pause::after(paused.then_some(std::time::Duration::ZERO));
            let (more, next) = merge.go(from, &pause).expect("merged");
            merged.extend(more);
            from = next;
            if from.is_none() {
                break;
            }
        }
        prop_assert_eq!(all(&merged), want);
    }
}

/// What is given back is as much as was taken, and files go with their runs.
#[test]
fn memory_and_files_are_given_back() {
    let records = |n: u64| (0..n).map(|i| Record { key: [i, i * i], turn: 0, how: 1, passes: 0, games: i });
    let files = files(10_000);
    let small = run(&files, records(100).collect());
    assert!(small[0].filed().is_none(), "it fits");
    let large = run(&files, records(100_000).collect());
    let file = files.path(&large[0].filed().expect("a file").file).expect("a path");
    assert!(file.is_file() && files.most_disk() == file.metadata().expect("there").len());
    assert_eq!(all(&large), records(100_000).collect::<Vec<_>>());
    drop((small, large));
    assert!(!file.exists() && files.take(10_000), "all is given back");
    let folder = file.parent().expect("a folder").to_path_buf();
    drop(files);
    assert!(!folder.exists());
}

/// Any byte of a file that is changed, and any cut, is an error.
#[test]
fn a_damaged_file_is_an_error() {
    let files = files(0);
    let records: Vec<_> =
        (0..50).map(|i| Record { key: [0, i * 1000], turn: 0, how: 1, passes: 0, games: 5 }).collect();
    let list = run(&files, records.clone());
    let filed = list[0].filed().expect("a file");
    let path = files.path(&filed.file).expect("a path");
    let good = std::fs::read(&path).expect("read");
    let read = || -> Result<Vec<Record>, super::CountError> {
        let run = std::mem::ManuallyDrop::new(Run::open(&filed, &files)?);
        let mut records = vec![];
        run.load(0, &mut vec![], &mut records)?;
        Ok(records)
    };
    assert_eq!(read().expect("whole"), records);
    // The first eight bytes say what the file is, and nothing else.
    for at in 8..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        std::fs::write(&path, &bad).expect("written");
        assert!(read().is_err(), "byte {at}");
        std::fs::write(&path, &good[..at]).expect("written");
        assert!(read().is_err(), "cut at {at}");
    }
}
