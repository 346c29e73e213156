//! Spilled tiers: what is put comes back from any thread and in a later run, and whatever happens to the scratch
//! files, a record is right, or gone, or an error.

mod beside;
mod damage;

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::Ordering::Relaxed;

use zermelo_core::Tier;
use zermelo_store::{Folder, Identity, ScratchFiles, ScratchSizes, StoreError};

use crate::memory::Memory;

use crate::faults::{Faulty, Mode};
use crate::sample::identity;

/// More than one chunk.
const LARGE: usize = (4 << 20) + 1000;

/// Records of more than 500 bytes have a segment of their own, shared segments are full with 600, and all are
/// compressed.
const SIZES: ScratchSizes = ScratchSizes { shared: 500, segment: 600, loose: 0 };

/// A scratch with small sizes.
fn open(folder: impl Folder + 'static) -> ScratchFiles {
    open_with(folder, &Identity::default(), false)
}

fn open_with(folder: impl Folder + 'static, identity: &Identity, fresh: bool) -> ScratchFiles {
    ScratchFiles::open_for(folder, identity, fresh).unwrap().sized(SIZES)
}

/// Bytes that tell the seed; each byte repeats `run` times, so that longer runs compress better.
fn bytes(seed: u64, len: usize, run: usize) -> Vec<u8> {
    let noise = |i: usize| {
        let mixed = (i as u64 + 1).wrapping_mul(2 * seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 56) as u8
    };
    (0..len).map(|i| noise(i / run)).collect()
}

/// The records of the tests: none, raw, compressed, of a segment of their own.
fn records() -> Vec<(Tier, Vec<u8>)> {
    let sizes = [(0, 1), (1, 1), (300, 1), (400, 50), (700, 1), (200, 3), (9000, 90), (450, 1)];
    let record = |(n, (len, run)): (usize, (usize, usize))| {
        (Tier((n as u64).wrapping_mul(u64::MAX / 5)), bytes(n as u64, len, run))
    };
    sizes.into_iter().enumerate().map(record).collect()
}

fn put_all(scratch: &ScratchFiles, records: &[(Tier, Vec<u8>)]) {
    for (tier, bytes) in records {
        scratch.put(*tier, bytes).unwrap();
    }
}

fn filled(folder: &Memory) -> ScratchFiles {
    let scratch = open(folder.clone());
    put_all(&scratch, &records());
    scratch
}

fn check_all(scratch: &ScratchFiles) {
    for (tier, bytes) in records() {
        assert!(scratch.contains(tier));
        assert_eq!(scratch.get(tier).unwrap(), bytes, "tier {tier}");
        let mut read = vec![];
        scratch.read(tier).unwrap().read_to_end(&mut read).unwrap();
        assert_eq!((read, scratch.check(tier).unwrap()), (bytes.clone(), bytes.len() as u64), "tier {tier}");
    }
    assert_eq!(scratch.tiers().len(), records().len());
}

fn size(folder: &Memory) -> u64 {
    folder.names().iter().map(|n| folder.bytes(n).unwrap().len() as u64).sum()
}

#[test]
fn what_is_spilled_comes_back_also_in_a_later_run() {
    let folder = Memory::new();
    let scratch = filled(&folder);
    check_all(&scratch);
    assert_eq!(scratch.bytes(), size(&folder));
    let names = folder.names();
    assert!(names.len() >= 4, "{names:?}");
    drop(scratch);
    let scratch = open(folder.clone());
    check_all(&scratch);
    assert_eq!((scratch.bytes(), folder.names()), (size(&folder), names.clone()));
    // New records go to new files.
    let before: Vec<_> = names.iter().map(|n| folder.bytes(n)).collect();
    scratch.put(Tier(1), b"new").unwrap();
    assert_eq!(before, names.iter().map(|n| folder.bytes(n)).collect::<Vec<_>>());
    drop(scratch);
    assert_eq!(open(folder).get(Tier(1)).unwrap(), b"new");
}

#[test]
fn records_of_several_chunks_come_back() {
    let sizes = [(LARGE, 1), (LARGE, 100), (4 << 20, 1), (8 << 20, usize::MAX), (33 << 20, 1 << 20)];
    let folder = Memory::new();
    let scratch = ScratchFiles::open_for(folder.clone(), &Identity::default(), false).unwrap();
    for (n, (len, run)) in sizes.into_iter().enumerate() {
        scratch.put(Tier(n as u64), bytes(n as u64, len, run)).unwrap();
    }
    assert_eq!(folder.names(), ["scratch-0.zmo", "scratch-1.zmo"]);
    for scratch in [scratch, ScratchFiles::open_for(folder, &Identity::default(), false).unwrap()] {
        for (n, (len, run)) in sizes.into_iter().enumerate() {
            assert!(scratch.get(Tier(n as u64)).unwrap() == bytes(n as u64, len, run), "record {n}");
        }
    }
}

#[test]
fn nothing_comes_after_the_end() {
    let scratch = ScratchFiles::open_for(Memory::new(), &Identity::default(), false).unwrap();
    scratch.put(Tier(1), b"some").unwrap();
    let (mut spilled, mut bytes) = (scratch.read(Tier(1)).unwrap(), vec![]);
    spilled.read_to_end(&mut bytes).unwrap();
    assert_eq!((bytes.as_slice(), spilled.read(&mut [0; 9]).unwrap()), (&b"some"[..], 0));
}

#[test]
fn many_threads_spill_and_read_at_once() {
    let folder = Memory::new();
    let scratch = open(folder.clone());
    let value = |tier: u64| bytes(tier, tier as usize % 97 * 11, 1 + tier as usize % 5);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (scratch, value) = (&scratch, &value);
            scope.spawn(move || {
                for tier in (0..100).map(|n| n * 4 + thread) {
                    // All threads put these again and again.
                    scratch.put(Tier(tier % 8), value(tier % 8)).unwrap();
                    assert_eq!(scratch.get(Tier(tier % 8)).unwrap(), value(tier % 8));
                    scratch.put(Tier(1000 + tier), value(tier)).unwrap();
                    assert_eq!(scratch.get(Tier(1000 + tier)).unwrap(), value(tier));
                    if tier % 3 == 0 {
                        scratch.forget(Tier(1000 + tier));
                    }
                }
            });
        }
    });
    let check = |scratch: &ScratchFiles| {
        (0..8).for_each(|tier| assert_eq!(scratch.get(Tier(tier)).unwrap(), value(tier)));
        let kept = (0..400).filter(|tier| tier % 3 != 0);
        kept.for_each(|tier| assert_eq!(scratch.get(Tier(1000 + tier)).unwrap(), value(tier)));
    };
    check(&scratch);
    assert_eq!(scratch.bytes(), size(&folder));
    (0..400).for_each(|tier| scratch.forget(Tier(1000 + tier)));
    assert_eq!(scratch.bytes(), size(&folder));
    (0..8).for_each(|tier| assert_eq!(scratch.get(Tier(tier)).unwrap(), value(tier)));
}

#[test]
fn a_second_put_replaces_the_first() {
    // From a shared segment to one of its own, and back.
    let versions = [bytes(1, 100, 1), bytes(2, 5000, 1), bytes(3, 50, 1), bytes(4, 60, 1), Vec::new()];
    let folder = Memory::new();
    for (n, version) in versions.iter().enumerate() {
        let scratch = open(folder.clone());
        scratch.put(Tier(8), b"this one makes sure that there is a shared segment").unwrap();
        scratch.put(Tier(7), &versions[(n + 1) % versions.len()]).unwrap();
        scratch.put(Tier(7), version).unwrap();
        assert_eq!(&scratch.get(Tier(7)).unwrap(), version);
        assert_eq!(scratch.tiers(), [Tier(7), Tier(8)]);
        drop(scratch);
        let scratch = open(folder.clone());
        assert_eq!(&scratch.get(Tier(7)).unwrap(), version);
        let needed = if version.len() > 500 { 2 } else { 1 };
        assert_eq!(folder.names().len(), needed, "the other files hold nothing that counts");
    }
}

#[test]
fn the_later_record_counts_also_when_it_lies_in_the_earlier_file() {
    let folder = Memory::new();
    let scratch = open(folder.clone());
    scratch.put(Tier(8), b"first in the shared segment").unwrap();
    scratch.put(Tier(7), bytes(1, 5000, 1)).unwrap();
    let old = folder.bytes("scratch-1.zmo").unwrap();
    scratch.put(Tier(7), b"new").unwrap();
    assert_eq!(folder.names(), ["scratch-0.zmo"]);
    drop(scratch);
    // As if the file could not have been removed.
    folder.put("scratch-1.zmo", old);
    assert_eq!(open(folder.clone()).get(Tier(7)).unwrap(), b"new");
    assert_eq!(folder.names(), ["scratch-0.zmo"]);
}

#[test]
fn files_of_which_nothing_is_wanted_are_removed() {
    let folder = Memory::new();
    let scratch = filled(&folder);
    let count = folder.names().len();
    // One of the records with a segment of its own.
    scratch.forget(Tier(4u64.wrapping_mul(u64::MAX / 5)));
    assert_eq!(folder.names().len(), count - 1);
    assert!(matches!(scratch.get(Tier(4u64.wrapping_mul(u64::MAX / 5))), Err(StoreError::NotSpilled { .. })));
    scratch.forget(Tier(4));
    for (tier, _) in records() {
        scratch.forget(tier);
        assert!(!scratch.contains(tier));
        assert_eq!(scratch.bytes(), size(&folder));
    }
    assert!(folder.names().len() <= 1, "{:?}", folder.names());
    // The one that is being written to goes when it is full.
    let last = folder.names();
    for _ in 0..5 {
        scratch.put(Tier(1), bytes(1, 400, 1)).unwrap();
        scratch.forget(Tier(1));
    }
    assert!(folder.names().len() == 1 && folder.names() != last);
    drop(filled(&folder));
    let scratch = open(folder.clone());
    scratch.tiers().into_iter().for_each(|tier| scratch.forget(tier));
    assert!(folder.names().is_empty() && scratch.bytes() == 0);
}

#[test]
fn fresh_and_clear_remove_all_scratch_files_and_no_others() {
    let folder = Memory::new();
    let others =
        ["manifest.json", "scratch-.zmo", "scratch-01.zmo", "scratch-1.zmo.tmp", "scratch-99999999999.zmo"];
    others.iter().for_each(|name| folder.put(name, b"not ours".to_vec()));
    drop(filled(&folder));
    let scratch = open_with(folder.clone(), &Identity::default(), true);
    assert_eq!((scratch.bytes(), scratch.tiers()), (0, Vec::new()));
    assert_eq!(folder.names(), others);
    scratch.put(Tier(1), &[1; 2000]).unwrap();
    scratch.put(Tier(2), &[2; 20]).unwrap();
    scratch.clear().unwrap();
    assert_eq!(folder.names(), others);
    filled(&folder).clear().unwrap();
    assert_eq!(folder.names(), others);
}

#[test]
fn what_was_spilled_for_another_database_is_removed() {
    let folder = Memory::new();
    open_with(folder.clone(), &identity(), false).put(Tier(1), b"one").unwrap();
    assert_eq!(open_with(folder.clone(), &identity(), false).get(Tier(1)).unwrap(), b"one");
    let other = [("game", "other")].into_iter().collect();
    assert!(open_with(folder.clone(), &other, false).tiers().is_empty());
    assert!(folder.names().is_empty());
}

/// What a tier may hold: all that was tried since the last put that returned; none once it was forgotten.
type Tried = BTreeMap<Tier, (bool, Vec<Vec<u8>>)>;

/// Puts, replaces and forgets, trying each put `tries` times.
fn run(folder: &Faulty, tries: usize) -> (Tried, bool) {
    let mut tried = Tried::new();
    let Some(scratch) = (0..tries)
        .find_map(|_| ScratchFiles::open_for(folder.clone(), &identity(), false).ok())
        .map(|scratch| scratch.sized(SIZES))
    else {
        return (tried, false);
    };
    for round in 0..2u64 {
        for (tier, bytes) in records() {
            let value: Vec<u8> = bytes.iter().map(|b| b ^ round as u8).collect();
            let entry = tried.entry(tier).or_default();
            let put = |_| match scratch.put(tier, &value) {
                Ok(_) => true,
                Err(e) => {
                    assert!(matches!(e, StoreError::Full { .. } | StoreError::Io { .. }), "{e}");
                    false
                }
            };
            if !(0..tries).any(put) {
                entry.1.push(value);
                return (tried, false);
            }
            *entry = (true, vec![value.clone()]);
            match (0..tries).find_map(|_| scratch.get(tier).ok()) {
                Some(found) => assert_eq!(found, value),
                None => return (tried, false),
            }
        }
        let (tier, _) = records()[4];
        scratch.forget(tier);
        tried.entry(tier).or_default().0 = false;
    }
    (tried, true)
}

#[test]
fn a_failed_operation_leaves_everything_else_usable() {
    for (mode, tries) in
        [(Mode::Refuse, 2), (Mode::Half, 2), (Mode::Late, 2), (Mode::Half, 1), (Mode::Dead, 1)]
    {
        for n in 0.. {
            let folder = Faulty::new(Memory::new(), n, mode);
            let (tried, ended) = run(&folder, tries);
            assert!(ended || tries == 1, "{mode:?} {n}");
            let scratch = open_with(folder.inner.clone(), &identity(), false);
            for (tier, (must, values)) in tried {
                assert!(scratch.contains(tier) || !must, "{mode:?} {n}: tier {tier} is lost");
                if must {
                    assert!(
                        values.contains(&scratch.get(tier).unwrap()),
                        "{mode:?} {n}: tier {tier} is wrong"
                    );
                }
            }
            put_all(&scratch, &records());
            check_all(&scratch);
            scratch.clear().unwrap();
            assert!(folder.inner.names().is_empty());
            if folder.left.load(Relaxed) >= 0 {
                assert!(ended && n > 60, "only {n} operations");
                break;
            }
        }
    }
}

/// A failed write whose undoing fails too must not hide the records that are put after it.
#[test]
fn a_full_disk_that_has_room_again_is_used_again() {
    let folder = Faulty::new(Memory::new(), i64::MAX, Mode::Dead);
    let scratch = open(folder.clone());
    let small = bytes(1, 300, 1);
    scratch.put(Tier(1), &small).unwrap();
    folder.left.store(0, Relaxed);
    for (tier, len) in [(1, 400), (2, 400), (3, 4000)] {
        let error = scratch.put(Tier(tier), bytes(9, len, 1)).unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        assert!(error.to_string().contains("scratch-"), "{error}");
    }
    folder.left.store(i64::MAX, Relaxed);
    // With the torn record still there nothing more may go into its file: it could make the next torn one look whole.
    let torn = folder.inner.bytes("scratch-0.zmo").unwrap();
    assert!(torn.len() > 500);
    scratch.put(Tier(4), b"a").unwrap();
    assert_eq!(folder.inner.bytes("scratch-0.zmo").unwrap(), torn);
    scratch.forget(Tier(4));
    assert_eq!(scratch.tiers(), [Tier(1)]);
    assert_eq!(scratch.get(Tier(1)).unwrap(), small);
    for scratch in [scratch, open(folder.inner.clone())] {
        (2..4).for_each(|tier| assert!(scratch.put(Tier(tier), &small).is_ok()));
        drop(scratch);
        let scratch = open(folder.inner.clone());
        (1..4).for_each(|tier| assert_eq!(scratch.get(Tier(tier)).unwrap(), small));
    }
}

#[test]
fn a_little_is_not_compressed_and_much_is() {
    let folder = Memory::new();
    let sizes = ScratchSizes { shared: 500, segment: 600, loose: 3000 };
    let scratch = ScratchFiles::open_for(folder.clone(), &identity(), false).unwrap().sized(sizes);
    let alike = |seed| bytes(seed, 1000, 1000);
    scratch.put(Tier(1), alike(1)).unwrap();
    scratch.put(Tier(2), alike(2)).unwrap();
    let loose = scratch.bytes();
    assert!(loose > 2000, "{loose} bytes");
    scratch.put(Tier(3), alike(3)).unwrap();
    assert!(scratch.bytes() < loose + 200, "{} bytes after {loose}", scratch.bytes());
    // Room that was given back counts again.
    scratch.forget(Tier(1));
    scratch.put(Tier(4), alike(4)).unwrap();
    assert!(scratch.bytes() > loose, "{} bytes after {loose}", scratch.bytes());
    let later = ScratchFiles::open_for(folder, &identity(), false).unwrap().sized(sizes);
    for tier in [2, 3, 4] {
        assert_eq!(later.get(Tier(tier)).unwrap(), alike(tier));
    }
    // What goes over a network is always compressed.
    let beside = ScratchFiles::beside(Memory::new(), &identity(), 0, 1).sized(sizes);
    beside.put(Tier(1), alike(1)).unwrap();
    assert!(beside.bytes() < 200);
    let beside = beside.on_one_machine();
    beside.put(Tier(2), alike(2)).unwrap();
    assert!(beside.bytes() > 1000);
}
