//! Sliding puzzles against the published numbers of positions that are so many moves away.

use std::time::Duration;

use zermelo_core::{Limits, Remoteness, Value};
use zermelo_games::Slide;

use crate::each_game::start;
use crate::games::{agreed, open, right};
use crate::run::codes;

#[test]
fn every_engine_is_right() {
    ["rows=2,cols=2", "rows=2,cols=3", "rows=3,cols=2"].into_iter().for_each(right::<Slide>);
}

/// How many positions need 0, 1, 2, ... moves.
fn distances(options: &str) -> Vec<u64> {
    let (_, done) = agreed::<Slide>(options);
    let mut counts = vec![];
    for solved in done.values() {
        for i in 0..solved.entries() {
            let Some(Value::Win(r)) = codes::<Slide, Remoteness>(solved).get(i).value() else {
                panic!("number {i} cannot be solved");
            };
            counts.resize(counts.len().max(usize::from(r) + 1), 0);
            counts[usize::from(r)] += 1;
        }
    }
    counts
}

/// OEIS A090034 (Karlemo and Östergård) and A090035.
#[test]
fn boards_of_two_rows_have_the_published_distances() {
    let six = [1, 2, 3, 5, 6, 7, 10, 12, 12, 16, 23, 25, 28, 39, 44, 40, 29, 21, 18, 12, 6, 1];
    assert_eq!(distances("rows=2,cols=3"), six);
    assert_eq!(distances("rows=3,cols=2"), six);
    let eight = [
        1, 2, 3, 6, 10, 14, 19, 28, 42, 61, 85, 119, 161, 215, 293, 396, 506, 632, 788, 985, 1_194, 1_414,
        1_664, 1_884, 1_999, 1_958, 1_770, 1_463, 1_076, 667, 361, 190, 88, 39, 19, 7, 1,
    ];
    assert_eq!(distances("rows=2,cols=4"), eight);
}

/// OEIS A089473 (Reinefeld 1993): 181,440 positions, two of them 31 moves away.
#[test]
fn the_8_puzzle_has_the_published_distances() {
    let nine = [
        1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1_024, 1_893, 2_512, 4_485, 5_638, 9_529,
        10_878, 16_993, 17_110, 23_952, 20_224, 24_047, 15_578, 14_560, 6_274, 3_910, 760, 221, 2,
    ];
    assert_eq!(nine.iter().sum::<u64>(), 181_440);
    assert_eq!(distances(""), nine);
}

#[test]
fn a_start_is_told_as_a_puzzle() {
    assert_eq!(start("slide:rows=2,cols=2", None).1, "solvable in 4");
    let game = open("slide:rows=2,cols=3", None, None).expect("opens");
    let limits = Limits { time: Duration::from_secs(60), memory: 1 << 30 };
    let at = |text: &str| game.oracle().parse(text).expect("a position");
    // The farthest of all, by search alone; and one of the other half, which never ends.
    assert_eq!(game.oracle().search(at("1_45-123"), limits), Some(Value::Win(21)));
    assert_eq!(game.oracle().search(at("1_12354-"), limits), Some(Value::Draw));
    let report = game.oracle().report(at("1_12345-"), &()).expect("no tables");
    assert!(report.over && report.value == Some(Value::Win(0)));
    let report = game.oracle().report(at("1_1234-5"), &()).expect("no tables");
    assert_eq!(report.value, Some(Value::Win(1)), "the rules tell what is a move away");
    assert!(report.moves.iter().all(|m| m.again && m.position.starts_with("1_")));
}
