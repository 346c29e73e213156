//! A folder whose n-th operation fails, for every n. The error must be clean, every table whose append
//! returned must be there afterwards, and the run must be able to go on: in the same process by trying again,
//! or in another one.

use std::io;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use serde_json::json;
use zermelo_core::{Tier, Width};
use zermelo_store::{FileSource, Fill, Folder, Lock, Result, Sink, State, StoreError, Writer, pack};

use crate::memory::Memory;

use crate::sample::{assert_complete, complete_and_read, identity, read_all, samples};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// The operation does nothing and fails.
    Refuse,
    /// A write does half its work and fails.
    Half,
    /// The operation does its work and still fails.
    Late,
    /// From the n-th operation on everything fails, after half its work.
    Dead,
}

#[derive(Clone)]
pub(crate) struct Faulty {
    pub(crate) inner: Memory,
    /// How many operations go well before one fails.
    pub(crate) left: Arc<AtomicI64>,
    mode: Mode,
    /// The operations that change something, in their order.
    log: Arc<Mutex<Vec<&'static str>>>,
}

impl Faulty {
    pub(crate) fn new(inner: Memory, n: i64, mode: Mode) -> Faulty {
        Faulty { inner, left: Arc::new(AtomicI64::new(n)), mode, log: Arc::default() }
    }

    fn log(&self, operation: &'static str) {
        self.log.lock().unwrap().push(operation);
    }

    pub(crate) fn take_log(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.log.lock().unwrap())
    }

    /// Runs an operation, or fails it when its turn has come; `half` is what a torn write does.
    fn turn<T>(&self, whole: impl FnOnce() -> io::Result<T>, half: impl FnOnce()) -> io::Result<T> {
        let left = self.left.fetch_sub(1, Relaxed);
        if left > 0 || (left < 0 && self.mode != Mode::Dead) {
            return whole();
        }
        match self.mode {
            Mode::Refuse => {}
            Mode::Half | Mode::Dead => half(),
            Mode::Late => drop(whole()),
        }
        Err(io::ErrorKind::StorageFull.into())
    }
}

struct FaultyFile<F: ?Sized>(Faulty, Box<F>);

impl Folder for Faulty {
    fn place(&self, name: &str) -> String {
        self.inner.place(name)
    }
    fn source(&self, name: &str) -> io::Result<Box<dyn FileSource>> {
        let source = self.turn(|| self.inner.source(name), || ())?;
        Ok(Box::new(FaultyFile(self.clone(), source)))
    }
    fn sink(&self, name: &str) -> io::Result<Box<dyn Sink>> {
        let sink = self.turn(|| self.inner.sink(name), || ())?;
        Ok(Box::new(FaultyFile(self.clone(), sink)))
    }
    fn publish(&self, name: &str, fill: &mut Fill<'_>) -> io::Result<()> {
        self.log("publish");
        self.turn(|| self.inner.publish(name, fill), || ())
    }
    fn remove(&self, name: &str) -> io::Result<()> {
        self.turn(|| self.inner.remove(name), || ())
    }
    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Lock>>> {
        self.turn(|| self.inner.lock(name), || ())
    }
    fn names(&self) -> io::Result<Vec<String>> {
        self.turn(|| Folder::names(&self.inner), || ())
    }
}

impl FileSource for FaultyFile<dyn FileSource> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        // Reads also come in small pieces, as the system allows.
        let n = buffer.len().min(100);
        self.0.turn(|| self.1.read_at(&mut buffer[..n], offset), || ())
    }
    fn length(&self) -> io::Result<u64> {
        self.0.turn(|| self.1.length(), || ())
    }
}

impl Sink for FaultyFile<dyn Sink> {
    fn length(&self) -> io::Result<u64> {
        self.0.turn(|| self.1.length(), || ())
    }
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let FaultyFile(fault, file) = self;
        fault.log("write");
        let file = std::cell::RefCell::new(file);
        let write = |bytes: &[u8]| file.borrow_mut().write_all_at(bytes, offset);
        fault.turn(|| write(bytes), || write(&bytes[..bytes.len() / 2]).unwrap())
    }
    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let FaultyFile(fault, file) = self;
        fault.log("truncate");
        fault.turn(|| file.truncate(length), || ())
    }
    fn sync(&mut self) -> io::Result<()> {
        let FaultyFile(fault, file) = self;
        fault.log("sync");
        fault.turn(|| file.sync(), || ())
    }
}

/// A run that tries each step `tries` times; the tiers whose append returned, and how it ended.
fn run(folder: &Faulty, tries: usize) -> (Vec<Tier>, Result<()>) {
    fn again<T>(tries: usize, mut step: impl FnMut() -> Result<T>) -> Result<T> {
        (1..tries).find_map(|_| step().ok()).map_or_else(step, Ok)
    }
    let mut stored = Vec::new();
    let result = (|| {
        let writer = again(tries, || Writer::open(folder.clone(), identity()))?;
        for sample in samples() {
            again(tries, || sample.append(&writer))?;
            stored.push(sample.tier);
            again(tries, || writer.sync())?;
            again(tries, || sample.read(&writer.reader(0)))?;
        }
        again(tries, || writer.finish(json!(null)))
    })();
    (stored, result)
}

#[test]
fn any_single_failure_is_clean_and_loses_nothing() {
    for mode in [Mode::Refuse, Mode::Half, Mode::Late, Mode::Dead] {
        for n in 0.. {
            let folder = Faulty::new(Memory::new(), n, mode);
            let (stored, result) = run(&folder, 1);
            if folder.left.load(Relaxed) >= 0 {
                result.unwrap();
                assert!(n > 60, "only {n} operations");
                break;
            }
            if let Err(error) = result {
                let clean = matches!(error, StoreError::Full { .. } | StoreError::Io { .. });
                assert!(clean, "{mode:?} {n}: {error}");
            }
            let writer = Writer::open(folder.inner.clone(), identity()).unwrap();
            read_all(&writer.reader(0)).unwrap();
            for tier in stored {
                assert!(writer.contains(tier), "{mode:?} {n}: tier {tier} is lost");
            }
            match writer.state() {
                State::Solving => complete_and_read(writer, &folder.inner),
                State::Complete => assert_complete(&folder.inner),
            }
        }
    }
}

#[test]
fn what_failed_once_can_be_tried_again() {
    for mode in [Mode::Refuse, Mode::Half, Mode::Late] {
        for n in 0.. {
            let folder = Faulty::new(Memory::new(), n, mode);
            let (stored, result) = run(&folder, 2);
            result.unwrap_or_else(|e| panic!("{mode:?} {n}: {e}"));
            assert_eq!(stored.len(), samples().len());
            assert_complete(&folder.inner);
            if folder.left.load(Relaxed) >= 0 {
                break;
            }
        }
    }
}

/// A failed write whose undoing fails too is undone before the next write.
#[test]
fn a_failed_truncation_is_made_up_for() {
    let folder = Faulty::new(Memory::new(), i64::MAX, Mode::Dead);
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    samples()[0].append(&writer).unwrap();
    let good = folder.inner.bytes("tables.zmo").unwrap();
    // The first operation looks at the length of the file.
    folder.left.store(1, Relaxed);
    let error = samples()[3].append(&writer).unwrap_err();
    assert!(error.to_string().contains("free at least"), "{error}");
    assert!(folder.inner.bytes("tables.zmo").unwrap().len() > good.len());
    folder.left.store(i64::MAX, Relaxed);
    // A smaller table than the one that failed: what is left of that one must not stay behind it.
    samples()[2].append(&writer).unwrap();
    assert_eq!(folder.inner.bytes("tables.zmo").unwrap().len() as u64, writer.bytes());
    complete_and_read(writer, &folder.inner);
}

/// Starting over may die anywhere; old tables are never taken for new ones.
#[test]
fn a_fresh_start_that_fails_never_revives_old_tables() {
    for mode in [Mode::Refuse, Mode::Half, Mode::Late, Mode::Dead] {
        for n in 0.. {
            let inner = crate::sample::database(false);
            let folder = Faulty::new(inner.clone(), n, mode);
            let begun = Writer::fresh(folder.clone(), identity()).is_ok();
            let removed = inner.bytes("manifest.json")
                != crate::sample::database(false).bytes("manifest.json")
                || inner.bytes("tables.zmo").unwrap().len() <= 16;
            match Writer::open(inner.clone(), identity()) {
                Ok(writer) if removed => assert!(writer.reader(0).tiers().is_empty(), "{mode:?} {n}"),
                Ok(writer) => assert!(!begun && writer.reader(0).table_count() == samples().len()),
                Err(e) => assert!(e.is_damage() && e.to_string().contains("--fresh"), "{mode:?} {n}: {e}"),
            }
            complete_and_read(Writer::fresh(inner.clone(), identity()).unwrap(), &inner);
            if begun && folder.left.load(Relaxed) >= 0 {
                break;
            }
        }
    }
}

/// What a power loss may take is what was not synced, so the order of writes and syncs is part of the format.
#[test]
fn syncs_come_where_a_power_loss_would_hurt() {
    let folder = Faulty::new(Memory::new(), i64::MAX, Mode::Refuse);
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    assert_eq!(folder.take_log(), ["truncate", "write", "sync", "publish"]);
    samples()[0].append(&writer).unwrap();
    // On a machine that stalled for a second this one is synced already.
    let synced = folder.take_log() == ["write", "sync"];
    // A large table begins with all before it synced, and ends with a sync.
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let mut entries: Vec<u8> = (0..9 << 20).map(|_| noise()).collect();
    let blocks: Vec<_> = entries.chunks_mut(1 << 20).map(|b| pack(b, Width::One, 1)).collect();
    writer.append(Tier(5), Width::One, 9 << 20, 0, &blocks).unwrap();
    let log = folder.take_log();
    assert!(log.len() > 8 && (synced || log[0] == "sync") && log[log.len() - 1] == "sync", "{log:?}");
    assert!(log[1..log.len() - 1].iter().all(|&l| l == "write"));
    samples()[1].append(&writer).unwrap();
    writer.finish(json!(0)).unwrap();
    assert!(folder.take_log().ends_with(&["write", "sync", "publish"]));
}
