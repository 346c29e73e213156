//! Scratch files that were cut, changed or forged: what cannot be right is an error or is gone, and costs no memory.

use super::*;

/// A folder with one segment that holds all records, and where each of them ends.
fn one_segment() -> (Memory, Vec<usize>) {
    let folder = Memory::new();
    let scratch = ScratchFiles::open_for(folder.clone(), &Identity::default(), false).unwrap();
    let put = |(tier, bytes): &(Tier, Vec<u8>)| {
        scratch.put(*tier, bytes).unwrap();
        scratch.bytes() as usize
    };
    let ends = records().iter().map(put).collect();
    assert_eq!(folder.names(), ["scratch-0.zmo"]);
    (folder, ends)
}

#[test]
fn a_run_killed_at_any_byte_finds_the_records_before_it() {
    let (folder, ends) = one_segment();
    let good = folder.bytes("scratch-0.zmo").unwrap();
    let mut zeros = good.clone();
    for length in (0..=good.len()).rev() {
        // A kill cuts the file, a power loss may also leave zeros.
        zeros[length..].fill(0);
        let whole = ends.iter().filter(|&&end| end <= length).count();
        folder.put("scratch-0.zmo", good[..length].to_vec());
        let scratch = open(folder.clone());
        assert_eq!(scratch.tiers().len(), whole, "cut to {length}");
        records()[..whole].iter().for_each(|(tier, bytes)| assert_eq!(&scratch.get(*tier).unwrap(), bytes));
        // The rest is put again, and a later run finds everything.
        put_all(&scratch, &records()[whole..]);
        check_all(&scratch);
        drop(scratch);
        let scratch = open(folder.clone());
        check_all(&scratch);
        scratch.clear().unwrap();
        folder.put("scratch-0.zmo", zeros.clone());
        let scratch = open(folder.clone());
        for (tier, bytes) in records() {
            let damaged = |e: StoreError| assert!(e.is_damage(), "{e}");
            let found = scratch.contains(tier).then(|| scratch.get(tier).map_err(damaged).ok()).flatten();
            assert!(found.is_none_or(|found| found == bytes), "zeros from {length}");
        }
        scratch.clear().unwrap();
    }
}

/// Calls `visit` with every single-byte change of the only file of a folder.
fn each_flip(folder: &Memory, masks: &[u8], mut visit: impl FnMut(usize)) {
    let name = folder.names().remove(0);
    let good = folder.bytes(&name).unwrap();
    for at in 0..good.len() {
        for mask in masks {
            let mut bad = good.clone();
            bad[at] ^= mask;
            folder.put(&name, bad);
            visit(at);
        }
    }
    folder.put(&name, good);
}

#[test]
fn every_flipped_byte_is_noticed() {
    let (folder, ends) = one_segment();
    let spoilt = open(folder.clone());
    each_flip(&folder, &[0x01, 0x80, 0xff], |at| {
        let before = ends.iter().filter(|&&end| end <= at).count();
        let scratch = open(folder.clone());
        // Damage that comes during a run, and damage that an earlier run left behind.
        for scratch in [&spoilt, &scratch] {
            let mut wrong = 0;
            for (n, (tier, bytes)) in records().into_iter().enumerate() {
                let found = scratch.get(tier);
                assert_eq!(scratch.check(tier).ok(), found.as_ref().ok().map(|found| found.len() as u64));
                match found {
                    Ok(found) => assert_eq!(found, bytes, "byte {at}"),
                    Err(e) => {
                        assert!(n >= before && (e.is_damage() || !scratch.contains(tier)), "byte {at}: {e}");
                        wrong += 1;
                    }
                }
            }
            // The header matters only to those who open the file.
            assert!(wrong > 0 || (at < 16 && std::ptr::eq(scratch, &spoilt)), "byte {at} was not noticed");
        }
        // Opening may have removed a file of which nothing could be used.
        if scratch.tiers().is_empty() {
            assert!(folder.names().is_empty());
        }
    });
    check_all(&spoilt);
}

#[test]
fn every_flipped_byte_of_a_large_record_is_noticed() {
    let folder = Memory::new();
    let value = bytes(1, LARGE, usize::MAX);
    let scratch = ScratchFiles::open_for(folder.clone(), &identity(), false).unwrap().sized(ScratchSizes {
        shared: 0,
        segment: 0,
        loose: 0,
    });
    scratch.put(Tier(3), &value).unwrap();
    assert!(scratch.bytes() < 1000, "{} bytes", scratch.bytes());
    // A wrong header is a file of another database; that it is noticed is tested with the small records.
    each_flip(&folder, &[0x04], |at| match scratch.get(Tier(3)) {
        Ok(found) => assert!(at < 16 && found == value, "byte {at}"),
        Err(e) => assert!(e.is_damage(), "byte {at}: {e}"),
    });
    let good = folder.bytes("scratch-0.zmo").unwrap();
    for length in 0..good.len() {
        folder.put("scratch-0.zmo", good[..length].to_vec());
        assert!(scratch.get(Tier(3)).unwrap_err().is_damage());
        assert!(open_with(folder.clone(), &identity(), false).tiers().is_empty(), "cut to {length}");
    }
}

#[test]
fn errors_name_the_file_and_the_way_out() {
    let (folder, ends) = one_segment();
    let scratch = ScratchFiles::open_for(folder.clone(), &Identity::default(), false).unwrap();
    let mut bad = folder.bytes("scratch-0.zmo").unwrap();
    bad[ends[2] - 1] ^= 1;
    folder.put("scratch-0.zmo", bad);
    let (tier, _) = records()[2];
    let error = scratch.get(tier).unwrap_err();
    assert!(matches!(&error, StoreError::DamagedSpill { tier: t, .. } if *t == tier));
    for part in ["scratch-0.zmo", "--fresh", "solves its tiers again", &tier.to_string()] {
        assert!(error.to_string().contains(part), "{error}");
    }
    // The way out without starting over: solve the tier again.
    let (_, bytes) = &records()[2];
    scratch.put(tier, bytes).unwrap();
    check_all(&scratch);
    let error = scratch.get(Tier(12345)).unwrap_err().to_string();
    assert!(error.contains("scratch-*.zmo"), "{error}");
}

/// A head with a right checksum and impossible lengths must not be believed either.
#[test]
fn forged_lengths_allocate_nothing() {
    let (folder, ends) = one_segment();
    let good = folder.bytes("scratch-0.zmo").unwrap();
    let head = ends[2];
    for raw in [0, 399, 401, 4 << 20, 1 << 40, u64::MAX / 2, u64::MAX] {
        for stored in [None, Some(0), Some(1), Some(1 << 33), Some(u64::MAX)] {
            let mut bad = good.clone();
            bad[head + 20..head + 28].copy_from_slice(&raw.to_le_bytes());
            if let Some(stored) = stored {
                bad[head + 28..head + 36].copy_from_slice(&u64::to_le_bytes(stored));
            }
            let crc = crc32fast::hash(&bad[head..head + 36]);
            bad[head + 36..head + 40].copy_from_slice(&crc.to_le_bytes());
            folder.put("scratch-0.zmo", bad);
            let scratch = open(folder.clone());
            let (tier, _) = records()[3];
            assert!(scratch.get(tier).is_err(), "{raw} bytes, {stored:?} stored");
            records()[..3].iter().for_each(|(tier, bytes)| assert_eq!(&scratch.get(*tier).unwrap(), bytes));
        }
    }
}

#[test]
fn opening_reads_nothing_but_heads() {
    let folder = Memory::new();
    ScratchFiles::open_for(folder.clone(), &Identity::default(), false)
        .unwrap()
        .put(Tier(1), bytes(1, 1 << 20, 1))
        .unwrap();
    // Reads come in pieces of 100 bytes here, so reading it all would take ten thousand.
    let faulty = Faulty::new(folder, 10, Mode::Dead);
    assert!(ScratchFiles::open_for(faulty.clone(), &Identity::default(), false).unwrap().contains(Tier(1)));
    assert!(faulty.left.load(Relaxed) >= 0);
}
