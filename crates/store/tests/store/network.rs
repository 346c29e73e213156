//! Files that another machine appends to: what it has published is seen, few files are open at once, and a table is
//! synced before others hear of it.

use std::io;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use serde_json::json;
use zermelo_core::{Tier, Width};
use zermelo_store::{Annex, FileSource, Fill, Folder, Lock, Reader, Sink, Writer};

use crate::memory::Memory;

use crate::annex::{annex, append, length};
use crate::sample::{Sample, assert_complete, identity, read_all, samples};

/// A folder like one on a network: an open file shows what it held when it was opened. It also counts open files,
/// and logs the last changes.
#[derive(Clone, Default)]
struct Network {
    inner: Memory,
    opened: Arc<AtomicUsize>,
    alive: Arc<AtomicI64>,
    most: Arc<AtomicI64>,
    log: Arc<Mutex<Vec<&'static str>>>,
}

struct Snapshot(Vec<u8>, Arc<AtomicI64>);

struct Logged(Box<dyn Sink>, Arc<Mutex<Vec<&'static str>>>);

impl Folder for Network {
    fn place(&self, name: &str) -> String {
        self.inner.place(name)
    }
    fn source(&self, name: &str) -> io::Result<Box<dyn FileSource>> {
        let bytes = self.inner.bytes(name).ok_or(io::ErrorKind::NotFound)?;
        self.opened.fetch_add(1, Relaxed);
        self.most.fetch_max(self.alive.fetch_add(1, Relaxed) + 1, Relaxed);
        Ok(Box::new(Snapshot(bytes, Arc::clone(&self.alive))))
    }
    fn sink(&self, name: &str) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(Logged(self.inner.sink(name)?, Arc::clone(&self.log))))
    }
    fn publish(&self, name: &str, fill: &mut Fill<'_>) -> io::Result<()> {
        self.inner.publish(name, fill)
    }
    fn remove(&self, name: &str) -> io::Result<()> {
        self.inner.remove(name)
    }
    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Lock>>> {
        self.inner.lock(name)
    }
    fn names(&self) -> io::Result<Vec<String>> {
        Folder::names(&self.inner)
    }
}

impl FileSource for Snapshot {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self.0.get(offset as usize..).unwrap_or(&[]);
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Relaxed);
    }
}

impl Sink for Logged {
    fn length(&self) -> io::Result<u64> {
        self.0.length()
    }
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.1.lock().unwrap().push("write");
        self.0.write_all_at(bytes, offset)
    }
    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.truncate(length)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.1.lock().unwrap().push("sync");
        self.0.sync()
    }
}

#[test]
fn a_file_that_others_append_to_is_opened_anew_for_what_is_new() {
    let network = Network::default();
    let writer = Writer::open(network.inner.clone(), identity()).unwrap();
    let here = Annex::open(network.clone(), &identity(), 1, 0).unwrap();
    let there = Annex::open(network.inner.clone(), &identity(), 2, 0).unwrap();
    let (reader, before) = (here.reader(0), network.opened.load(Relaxed));
    for sample in samples() {
        here.know(sample.tier, append(&there, &sample).unwrap());
        sample.read(&reader).unwrap();
    }
    // Once for each new table, and not for each read.
    assert_eq!(network.opened.load(Relaxed) - before, samples().len());
    read_all(&reader).unwrap();
    assert_eq!(network.opened.load(Relaxed) - before, samples().len());
    // Tables of the writer, too, are found by opening its file once for each.
    let extra = Sample { tier: Tier(77), ..samples().remove(3) };
    for tier in [77, 78] {
        let extra = Sample { tier: Tier(tier), ..extra.clone() };
        extra.append(&writer).unwrap();
        here.know(extra.tier, writer.extent(extra.tier).unwrap());
        extra.read(&reader).unwrap();
    }
}

#[test]
fn the_writer_too_sees_what_others_append() {
    let network = Network::default();
    // The writer sees its own file as it is.
    let writer = Writer::open(network.clone(), identity()).unwrap();
    let there = Annex::open(network.inner.clone(), &identity(), 2, 0).unwrap();
    for sample in samples() {
        writer.adopt(sample.tier, append(&there, &sample).unwrap(), sample.positions()).unwrap();
        sample.read(&writer.reader(0)).unwrap();
    }
    writer.finish(json!(1)).unwrap();
    assert_complete(&network.inner);
}

#[test]
fn a_table_is_synced_before_others_hear_of_it() {
    let network = Network::default();
    let annex = Annex::open(network.clone(), &identity(), 1, 0).unwrap();
    assert_eq!(std::mem::take(&mut *network.log.lock().unwrap()), ["write", "sync"]);
    for sample in samples() {
        append(&annex, &sample).unwrap();
        assert_eq!(std::mem::take(&mut *network.log.lock().unwrap()), ["write", "sync"]);
    }
}

#[test]
fn many_annexes_need_few_open_files() {
    let network = Network::default();
    let writer = Writer::open(network.inner.clone(), identity()).unwrap();
    let table = |tier: u64| Sample {
        tier: Tier(tier),
        width: Width::Two,
        block: 64,
        codes: (0..100u64).map(|i| ((i * tier + i / 9) % 1000) as u16).collect(),
    };
    for tier in 1..=200u64 {
        let annex = annex(&network.inner, tier as u16 * 3);
        let extent = append(&annex, &table(tier)).unwrap();
        writer.adopt(Tier(tier), extent, table(tier).positions()).unwrap();
    }
    let read = |network: &Network| {
        let reader = Reader::open(network, 0).unwrap();
        network.most.store(0, Relaxed);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let (reader, table) = (&reader, &table);
                scope.spawn(move || {
                    (0..400u64)
                        .map(|n| n * (2 * thread + 1) % 200 + 1)
                        .for_each(|t| table(t).read(reader).unwrap());
                });
            }
        });
        assert!(reader.check().is_empty());
        let most = network.most.load(Relaxed);
        assert!((60..=75).contains(&most), "{most} open files");
        // What is used all the time stays open.
        let opened = network.opened.load(Relaxed);
        (0..50).for_each(|_| (1..=60).for_each(|tier| assert!(reader.load(Tier(tier)).is_ok())));
        assert!(network.opened.load(Relaxed) - opened <= 120, "{}", network.opened.load(Relaxed) - opened);
    };
    read(&network);
    writer.finish(json!(1)).unwrap();
    drop(writer);
    read(&network);
    assert_eq!(
        Writer::open(network.inner.clone(), identity()).unwrap().annex_end(600),
        length(&network.inner, "tables-600.zmo")
    );
}
