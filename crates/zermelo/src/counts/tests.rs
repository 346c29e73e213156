//! What a spoilt file of counts is believed of.

use std::sync::LazyLock;

use super::*;

/// A folder that is gone when the test is over, and the file of counts in it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let folder = std::env::temp_dir().join(format!("zermelo-counts-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Place(folder)
    }

    fn open(&self, identity: &Identity) -> CountLog {
        CountLog::open(&self.0, identity, empty(), false).expect("a file of counts")
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.0.join(COUNTS)).expect("a file of counts")
    }

    fn put(&self, bytes: &[u8]) {
        std::fs::write(self.0.join(COUNTS), bytes).expect("written");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn empty() -> Analysis {
    static EMPTY: LazyLock<Analysis> =
        LazyLock::new(|| Analysis::of(&crate::open("connect4:rows=4,cols=4", None, None).expect("a game")));
    EMPTY.clone()
}

fn identity(variant: &str) -> Identity {
    [("game", "connect4"), ("variant", variant)].into_iter().collect()
}

/// Counts of a tier that are like those of no other.
fn counts(tier: u64) -> Vec<Count> {
    let values = [Value::Win(tier as u16), Value::Lose(2), Value::Draw];
    let count = |(n, value): (usize, Value)| Count {
        value,
        positions: 196 + 1000 * tier + n as u64,
        twice_canonical: 200 + tier,
        ply: Some(tier as u16),
        example: Some(format!("1_x-{tier}")),
    };
    values.into_iter().enumerate().map(count).collect()
}

const TIERS: u64 = 5;

/// A file with the counts of some tiers.
fn written(place: &Place) -> Vec<u8> {
    let log = place.open(&identity("a"));
    (0..TIERS).for_each(|tier| log.take(Tier(tier), counts(tier)).expect("written"));
    drop(log);
    place.bytes()
}

/// Opens the file, and makes sure that its sums are those of the tiers that it says it has, now and when the others
/// have been counted; the tiers.
fn found(place: &Place, what: &str) -> Vec<u64> {
    let sum = |tiers: &[u64]| {
        let mut sum = empty();
        tiers.iter().for_each(|tier| sum.add(counts(*tier)));
        sum
    };
    let log = place.open(&identity("a"));
    let tiers: Vec<u64> = (0..TIERS).filter(|tier| log.has(Tier(*tier))).collect();
    assert!(!log.has(Tier(TIERS)) && log.analysis() == sum(&tiers), "{what}");
    (0..TIERS).for_each(|tier| log.take(Tier(tier), counts(tier)).expect("written"));
    assert!(log.analysis() == sum(&[0, 1, 2, 3, 4]), "{what}");
    drop(log);
    let again = place.open(&identity("a"));
    assert!(
        (0..TIERS).all(|tier| again.has(Tier(tier))) && again.analysis() == sum(&[0, 1, 2, 3, 4]),
        "{what}"
    );
    tiers
}

#[test]
fn every_changed_byte_and_every_cut_is_noticed() {
    let place = Place::new("changed");
    let good = written(&place);
    let lines = |bytes: &[u8]| bytes.iter().filter(|b| **b == b'\n').count() as u64;
    for at in 0..good.len() {
        // The head is no tier; a spoilt one is the end of all.
        let whole: Vec<u64> = (1..lines(&good[..at])).map(|line| line - 1).collect();
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        place.put(&bad);
        assert_eq!(found(&place, &format!("byte {at}")), whole, "byte {at}");
        place.put(&good[..at]);
        assert_eq!(found(&place, &format!("cut at {at}")), whole, "cut at {at}");
    }
}

#[test]
fn records_may_be_lost_doubled_or_in_another_order() {
    let place = Place::new("records");
    let good = written(&place);
    let with = |change: &dyn Fn(&mut Vec<&[u8]>)| {
        let mut lines: Vec<&[u8]> = good.split_inclusive(|b| *b == b'\n').collect();
        change(&mut lines);
        place.put(&lines.concat());
        found(&place, "lines")
    };
    assert_eq!(with(&|lines| _ = lines.remove(2)), [0, 2, 3, 4]);
    assert_eq!(with(&|lines| lines.push(lines[3])), [0, 1, 2, 3, 4]);
    assert_eq!(with(&|lines| lines.insert(1, lines[5])), [0, 1, 2, 3, 4]);
    assert_eq!(with(&|lines| lines.swap(1, 4)), [0, 1, 2, 3, 4]);
    assert_eq!(with(&|lines| _ = lines.remove(0)), [0; 0], "no head");
    assert_eq!(with(&|lines| lines.swap(0, 1)), [0; 0], "the head is not the first");
    assert_eq!(with(&|lines| lines.insert(2, b"\0\0\0\0\n")), [0]);
    assert_eq!(with(&|lines| lines.insert(2, b"\n")), [0]);
}

/// Records of another database are none, whatever head is put before them.
#[test]
fn records_of_another_database_are_not_believed() {
    let place = Place::new("another");
    written(&place);
    let other = place.open(&identity("b"));
    assert!(!other.has(Tier(0)) && other.analysis() == empty());
    other.take(Tier(0), counts(3)).expect("written");
    drop(other);
    let bytes = text(place.bytes()).replace(&Form::of(&identity("b")).head, &Form::of(&identity("a")).head);
    place.put(bytes.as_bytes());
    assert_eq!(found(&place, "records of another"), [0; 0]);
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text")
}

/// What `docs/reference/format-scratch.md` has as an example.
#[test]
fn the_bytes_are_as_they_are_described() {
    let place = Place::new("bytes");
    let log = place.open(&[("game", "g"), ("revision", "1")].into_iter().collect());
    let value = Value::Win(1);
    let example = Some("1_x".to_string());
    let count = Count { value, positions: 3, twice_canonical: 4, ply: Some(2), example };
    log.take(Tier(7), vec![count]).expect("written");
    drop(log);
    let told = concat!(
        r#"{"format":1,"identity":{"game":"g","revision":"1"}}"#,
        "\n",
        r#"e728ed6d {"tier":7,"counts":[["win",1,3,4,2,"1_x"]]}"#,
        "\n"
    );
    assert_eq!(text(place.bytes()), told);
}

#[test]
fn a_file_that_cannot_be_opened_is_named_with_what_to_do() {
    let place = Place::new("folder");
    std::fs::create_dir(place.0.join(COUNTS)).expect("a folder in its place");
    let error = CountLog::open(&place.0, &identity("a"), empty(), false).err().expect("an error").to_string();
    assert!(error.contains(COUNTS) && error.contains("may be removed"), "{error}");
}
