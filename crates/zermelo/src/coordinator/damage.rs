//! Tests: bytes of every file that a killed run has left are changed, one at a time, and a run goes on from there. It
//! ends with the tables and counts of an undisturbed run, or with an error that names the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use zermelo_core::{Count, Opened, Tier};
use zermelo_store::{Disk, Reader};

use super::*;
use crate::counts::{COUNTS, CountLog};

/// A run that keeps counts and ends in an error after some tiers.
struct Stops<'a> {
    log: &'a CountLog,
    left: AtomicUsize,
}

impl Counting for Stops<'_> {
    fn has(&self, tier: Tier) -> bool {
        self.log.has(tier)
    }

    fn take(&self, tier: Tier, counts: Vec<Count>) -> Result<(), SolveError> {
        let go = |left: usize| left.checked_sub(1);
        self.left.fetch_update(Relaxed, Relaxed, go).map_err(|_| SolveError::NotFinished)?;
        self.log.take(tier, counts)
    }
}

/// A data directory that is gone when the test is over.
struct Data {
    game: Opened,
    settings: Settings,
    data: PathBuf,
    folder: PathBuf,
}

impl Drop for Data {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.data);
    }
}

type Files = BTreeMap<String, Vec<u8>>;

impl Data {
    fn new(game: &str) -> Data {
        let game = crate::open(game, None, None).expect("a game");
        let name = format!("zermelo-damage-{}-{}", game.card.name, std::process::id());
        let data = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&data);
        let folder = crate::data_folder(&data, &game);
        let settings =
            Settings { threads: 1, memory: 1 << 30, data: Some(data.clone()), ..Settings::default() };
        Data { game, settings, data, folder }
    }

    /// Runs until so many tiers are counted.
    fn stopped(&self, tiers: usize) -> Files {
        let (game, graph) = (&self.game, Graph::of(&self.game).expect("tiers"));
        let session = Session::begin(game, &self.data, false, &Progress::new("test")).expect("files");
        let log = session.log.as_ref().expect("counts");
        let stops = Stops { log, left: AtomicUsize::new(tiers) };
        let progress = Progress::new("test");
        let worker = Worker::new(game, &graph, &progress);
        let (records, counting) = (session.records(), Some(&stops as &dyn Counting));
        let worker = Worker { records: Some(&records), counting, ..worker };
        assert!(local::run(worker, &self.settings).is_err(), "it stops");
        drop(session);
        self.files()
    }

    fn files(&self) -> Files {
        let files = std::fs::read_dir(&self.folder).expect("a folder").flatten();
        let read = |path: &Path| std::fs::read(path).expect("a file");
        files.map(|f| (f.file_name().to_string_lossy().into_owned(), read(&f.path()))).collect()
    }

    fn put(&self, files: &Files) {
        let _ = std::fs::remove_dir_all(&self.folder);
        std::fs::create_dir_all(&self.folder).expect("a folder");
        files
            .iter()
            .for_each(|(name, bytes)| std::fs::write(self.folder.join(name), bytes).expect("written"));
    }

    /// Goes on; all tables and what the manifest says of them.
    fn go_on(&self) -> Result<(Vec<Vec<u8>>, serde_json::Value), SolveError> {
        solve(&self.game, &self.settings, &Progress::new("test"))?;
        let reader = Reader::open(&Disk::new(&self.folder), 0)?;
        let tables = reader.tiers().into_iter().map(|tier| reader.load(tier));
        Ok((tables.collect::<Result<_, _>>()?, reader.summary().clone()))
    }
}

/// Changes each byte of the counts, and so many bytes of each other file at most, spread over it.
fn no_changed_byte_does_harm(game: &str, tiers: usize, most: usize) {
    let data = Data::new(game);
    let want = data.go_on().expect("solved");
    data.put(&Files::new());
    let left = data.stopped(tiers);
    assert!(left[COUNTS].iter().filter(|b| **b == b'\n').count() == tiers + 1);
    assert!(left.keys().any(|name| name.starts_with(zermelo_store::SCRATCH)), "{:?}", left.keys());
    let (mut runs, mut refused) = (0, 0);
    for (name, bytes) in &left {
        let most = if name == COUNTS { bytes.len() } else { most };
        for at in (0..bytes.len()).step_by(bytes.len().div_ceil(most.max(1)).max(1)) {
            let mut files = left.clone();
            files.get_mut(name).expect("the file")[at] ^= 1 << (at % 8);
            data.put(&files);
            runs += 1;
            match data.go_on() {
                Ok(found) => assert!(found == want, "{name}, byte {at}"),
                Err(error) => {
                    refused += 1;
                    let (error, known) =
                        (error.to_string(), [zermelo_store::TABLES, zermelo_store::MANIFEST]);
                    assert!(
                        error.contains(name) && known.contains(&name.as_str()),
                        "{name}, byte {at}: {error}"
                    );
                }
            }
        }
    }
    eprintln!("{game}: {runs} changed bytes, {refused} refused");
}

const LATTICE: (&str, usize) = ("connect4:rows=3,cols=3,connect=3", 4);
const BLOBS: (&str, usize) = ("othello:rows=4,cols=4", 3);
/// What a test has time for: a run waits for the disk several times.
const SOME: usize = 31;

#[test]
fn no_changed_byte_does_harm_to_the_lattice() {
    no_changed_byte_does_harm(LATTICE.0, LATTICE.1, SOME);
}

#[test]
fn no_changed_byte_does_harm_to_blobs() {
    no_changed_byte_does_harm(BLOBS.0, BLOBS.1, SOME);
}
