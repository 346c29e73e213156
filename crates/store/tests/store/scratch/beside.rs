//! Several processes scratch in one folder: each reads what the others wrote and removes only what is its own.

use super::*;

fn beside(folder: impl Folder + 'static, first: u64) -> ScratchFiles {
    ScratchFiles::beside(folder, &identity(), first, 3).sized(SIZES)
}

#[test]
fn processes_read_what_others_spilled() {
    let folder = Memory::new();
    let old = open_with(folder.clone(), &identity(), false);
    old.put(Tier(1), b"of an earlier run").unwrap();
    drop(old);
    let first = open_with(folder.clone(), &identity(), false);
    assert_eq!(first.next_segment(), 1);
    first.share(3);
    let others = [beside(folder.clone(), 2), beside(folder.clone(), 3)];
    let all = [&first, &others[0], &others[1]];
    assert!(others.iter().all(|scratch| scratch.tiers().is_empty()));
    for (n, (tier, bytes)) in records().iter().enumerate() {
        let spot = all[n % 3].put(*tier, bytes).unwrap();
        assert_eq!(all[n % 3].spot(*tier), Some(spot));
        assert_eq!(spot.segment % 3, [1, 2, 0][n % 3]);
        // As it would come from another process.
        let spot = serde_json::from_value(serde_json::json!(spot)).unwrap();
        all.iter().for_each(|scratch| scratch.know(*tier, spot));
    }
    others[0].know(Tier(1), first.spot(Tier(1)).unwrap());
    assert_eq!(others[0].get(Tier(1)).unwrap(), b"of an earlier run");
    first.forget(Tier(1));
    all[1].forget(Tier(1));
    all.iter().for_each(|scratch| check_all(scratch));
    assert_eq!(first.bytes() + others[0].bytes() + others[1].bytes(), size(&folder));
    drop(others);
    drop(first);
    let first = open_with(folder.clone(), &identity(), false);
    check_all(&first);
    assert!(folder.names().iter().all(|name| *name != format!("scratch-{}.zmo", first.next_segment())));
    first.clear().unwrap();
    assert!(folder.names().is_empty());
}

#[test]
fn a_spill_that_leaves_takes_its_own_files_along() {
    let folder = Memory::new();
    let first = open_with(folder.clone(), &identity(), false);
    first.share(3);
    let other = beside(folder.clone(), first.next_segment() + 1);
    let of_first = first.put(Tier(1), b"stays").unwrap();
    other.know(Tier(1), of_first);
    other.put(Tier(2), b"goes").unwrap();
    other.put(Tier(3), vec![7; 2 * SIZES.shared as usize]).unwrap();
    assert_eq!(folder.names().len(), 3);
    other.leave();
    assert_eq!(first.get(Tier(1)).unwrap(), b"stays");
    assert_eq!(folder.names(), [format!("scratch-{}.zmo", of_first.segment)]);
}

/// A record that another process made anew counts before the one of an earlier run.
#[test]
fn records_of_a_later_run_count_before_those_of_an_earlier_one() {
    let folder = Memory::new();
    let old = open_with(folder.clone(), &identity(), false);
    old.put(Tier(7), b"wanted").unwrap();
    old.put(Tier(1), b"spoilt").unwrap();
    drop(old);
    let first = open_with(folder.clone(), &identity(), false);
    let other = beside(folder.clone(), first.next_segment()).counting_from(first.next_sequence());
    other.put(Tier(1), b"anew").unwrap();
    drop((first, other));
    let next = open_with(folder.clone(), &identity(), false);
    assert_eq!(next.get(Tier(1)).unwrap(), b"anew");
    assert_eq!(next.get(Tier(7)).unwrap(), b"wanted");
}

#[test]
fn only_who_wrote_a_file_removes_it() {
    let folder = Memory::new();
    let (one, two) = (beside(folder.clone(), 0), beside(folder.clone(), 1));
    let spot = one.put(Tier(5), bytes(1, 900, 1)).unwrap();
    two.know(Tier(5), spot);
    two.forget(Tier(5));
    assert!(!two.contains(Tier(5)) && two.get(Tier(5)).is_err());
    assert_eq!(one.get(Tier(5)).unwrap(), bytes(1, 900, 1));
    // A record of its own takes the place of the note, and a note that of its own.
    two.know(Tier(5), spot);
    let own = two.put(Tier(5), bytes(2, 900, 1)).unwrap();
    assert!(own.segment == 1 && own.sequence > spot.sequence);
    assert_eq!(two.get(Tier(5)).unwrap(), bytes(2, 900, 1));
    assert_eq!(folder.names(), ["scratch-0.zmo", "scratch-1.zmo"]);
    two.know(Tier(5), spot);
    assert_eq!(folder.names(), ["scratch-0.zmo"]);
    assert_eq!(two.get(Tier(5)).unwrap(), bytes(1, 900, 1));
    // To be told what it knows changes nothing.
    one.know(Tier(5), spot);
    assert_eq!(one.get(Tier(5)).unwrap(), bytes(1, 900, 1));
    one.forget(Tier(5));
    assert!(folder.names().is_empty());
    assert!(two.get(Tier(5)).is_err_and(|e| e.is_damage()), "the file is gone");
}

#[test]
fn what_is_spilled_for_others_is_synced() {
    let folder = Faulty::new(Memory::new(), i64::MAX, Mode::Refuse);
    let put = |scratch: &ScratchFiles, len| {
        folder.take_log();
        scratch.put(Tier(1), bytes(1, len, 1)).unwrap();
        folder.take_log()
    };
    let first = open(folder.clone());
    assert!(!put(&first, 100).contains(&"sync") && !put(&first, 900).contains(&"sync"));
    first.share(2);
    for scratch in [first, beside(folder.clone(), 9)] {
        for len in [100, 900, 100] {
            assert_eq!(put(&scratch, len).last(), Some(&"sync"));
        }
    }
    // A failed sync is a failed put.
    for n in 0.. {
        let folder = Faulty::new(Memory::new(), n, Mode::Late);
        let scratch = beside(folder.clone(), 0);
        for (tier, bytes) in records() {
            let spot = scratch.put(tier, &bytes).or_else(|_| scratch.put(tier, &bytes)).unwrap();
            let other = beside(folder.inner.clone(), 1);
            other.know(tier, spot);
            assert_eq!(other.get(tier).unwrap(), bytes, "{n}");
        }
        if folder.left.load(Relaxed) >= 0 {
            break;
        }
    }
}
