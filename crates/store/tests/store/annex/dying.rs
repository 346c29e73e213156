//! Disks that fail and runs that die at any operation: what was adopted stays, and the run can go on.

use super::*;

/// An operation of an annex that fails leaves it as it was, and can be tried again.
#[test]
fn a_failing_disk_is_survived_by_annexes() {
    for mode in [Mode::Refuse, Mode::Half, Mode::Late] {
        for n in 0.. {
            let folder = Faulty::new(Memory::new(), n, mode);
            let twice = |step: &mut dyn FnMut() -> Result<()>| step().or_else(|_| step());
            let (mut writer, mut annex) = (None, None);
            let open = || Annex::open(folder.clone(), &identity(), 1, 0);
            twice(&mut || Writer::open(folder.clone(), identity()).map(|w| writer = Some(w))).unwrap();
            twice(&mut || open().map(|a| annex = Some(a))).unwrap();
            let (writer, annex) = (writer.unwrap(), annex.unwrap());
            for sample in samples() {
                let mut extent = None;
                twice(&mut || append(&annex, &sample).map(|e| extent = Some(e))).unwrap();
                twice(&mut || writer.adopt(sample.tier, extent.unwrap(), sample.positions())).unwrap();
                twice(&mut || sample.read(&annex.reader(0))).unwrap();
                twice(&mut || sample.read(&writer.reader(0))).unwrap();
            }
            twice(&mut || writer.finish(json!(0))).unwrap_or_else(|e| panic!("{mode:?} {n}: {e}"));
            assert_complete(&folder.inner);
            if folder.left.load(Relaxed) >= 0 {
                assert!(n > 100, "only {n} operations");
                break;
            }
        }
    }
}

/// A run that dies at any operation leaves a database that goes on.
#[test]
fn a_run_that_dies_anywhere_keeps_what_was_adopted() {
    for n in 0.. {
        let folder = Faulty::new(Memory::new(), n, Mode::Dead);
        let mut adopted = Vec::new();
        let _ = (|| {
            let writer = Writer::open(folder.clone(), identity())?;
            let annexes = [1, 2].map(|file| Annex::open(folder.clone(), &identity(), file, 0));
            for (n, sample) in samples().iter().enumerate() {
                let extent = append(
                    annexes[n % 2].as_ref().map_err(|_| StoreError::NotFound { folder: String::new() })?,
                    sample,
                )?;
                writer.adopt(sample.tier, extent, sample.positions())?;
                adopted.push(sample.tier);
            }
            writer.finish(json!(0))
        })();
        let writer = Writer::open(folder.inner.clone(), identity()).unwrap();
        read_all(&writer.reader(0)).unwrap();
        adopted.iter().for_each(|tier| assert!(writer.contains(*tier), "{n}: tier {tier} is lost"));
        match writer.state() {
            State::Solving => complete_and_read(writer, &folder.inner),
            State::Complete => assert_complete(&folder.inner),
        }
        if folder.left.load(Relaxed) >= 0 {
            break;
        }
    }
}

#[test]
fn starting_over_that_dies_never_revives_old_annexes() {
    for n in 0.. {
        let inner = cluster(false);
        let old = inner.bytes(MANIFEST);
        let folder = Faulty::new(inner.clone(), n, Mode::Dead);
        let other = || [("game", "other")].into_iter().collect();
        let begun = Writer::fresh(folder.clone(), other()).is_ok();
        match Writer::open(inner.clone(), other()) {
            Ok(writer) => assert!(writer.reader(0).tiers().is_empty()),
            Err(StoreError::Mismatch { .. }) => assert_eq!(inner.bytes(MANIFEST), old),
            Err(e) => assert!(e.is_damage() && e.to_string().contains("--fresh"), "{n}: {e}"),
        }
        let writer = Writer::fresh(inner.clone(), identity()).unwrap();
        assert_eq!(inner.names(), [MANIFEST, TABLES]);
        complete_and_read(writer, &inner);
        if begun && folder.left.load(Relaxed) >= 0 {
            break;
        }
    }
}
