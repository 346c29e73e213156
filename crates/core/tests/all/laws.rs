//! Checks that every law finds the fault it is there for, and names the position. A law that lets its fault pass is
//! worse than none: the author of a game trusts it, and the engines trust the game.

use zermelo_core::laws::{Bounds, Walked, check, check_face, check_face_within, check_unmoves, check_within};
use zermelo_testing::{check_look, oracle};

use crate::toy::{Fault, P, TIERS, Toy};

/// All complaints of all laws about a toy with a fault.
fn complaints(fault: Fault) -> Vec<String> {
    let game = Toy(fault);
    let mut all: Vec<String> = check(&game, 1000).err().into_iter().map(|b| b.to_string()).collect();
    all.extend(TIERS.iter().filter_map(|t| check_unmoves(&game, *t).err()).map(|b| b.to_string()));
    all.extend(check_face(&game, 1000).err().map(|b| b.to_string()));
    all
}

/// Whether some complaint says this and names one of these positions.
fn finds(fault: Fault, law: &str, positions: &[u8]) {
    let all = complaints(fault);
    let named = |text: &String| positions.iter().any(|p| text.contains(&format!("{:?}", P(*p))));
    assert!(
        all.iter().any(|text| text.contains(law) && named(text)),
        "{fault:?} of {positions:?} gives {all:#?}"
    );
}

#[test]
fn a_good_game_passes() {
    assert_eq!(complaints(Fault::None), Vec::<String>::new());
    let game = Toy(Fault::None);
    // Positions 2 to 7 with either turn, 0 with the first and 1 with the second; 2 and 3 count once.
    let want = Walked { positions: 14, canonical: 12, tiers: 3, numbers: 10, numbered: true, cut: false };
    assert_eq!(check(&game, 1000).ok(), Some(want));
    check_look(&game, &oracle(&game, &[P(0), P(8)])).expect("a look finds wins in one");
}

#[test]
fn a_walk_cut_short_says_so_and_does_not_complain() {
    for limit in 1..14 {
        let walked = check(&Toy(Fault::None), limit).expect("no law is broken");
        assert!(walked.cut && walked.positions <= limit as u64, "{limit}: {walked:?}");
        check_face(&Toy(Fault::None), limit).expect("no law is broken");
    }
}

/// Random walks visit positions in any order, and see tiers too large to be looked at as a whole.
#[test]
fn random_walks_find_faults_too() {
    for (fault, law) in [
        (Fault::Swapped, "unrank undoes rank"),
        (Fault::FewCopies, "copies"),
        (Fault::Stuck, "has a move"),
        (Fault::Misread, "read undoes show"),
        (Fault::ScanSkips, "scan"),
        (Fault::UnreachedStuck, "has a move"),
    ] {
        for (positions, seed) in [(1000, 1), (1000, 2), (2, 3), (2, 4)] {
            let bounds = Bounds { positions, numbers: 5000, memory: 100, seed, stop: &|_| false };
            let good = Toy(Fault::None);
            let walked = check_within(&good, &bounds).expect("no law is broken");
            assert_eq!((walked.cut, walked.numbers > 100), (positions == 2, positions == 2), "{walked:?}");
            assert!(walked.numbered, "{walked:?}");
            check_face_within(&good, &bounds).expect("no law is broken");
            let bad = Toy(fault);
            let found =
                check_within(&bad, &bounds).map(|_| ()).and_then(|()| check_face_within(&bad, &bounds));
            let told = found.err().map(|broken| broken.to_string()).unwrap_or_default();
            // Two positions are too few to reach every fault, but numbers are taken at random.
            let reached = positions > 2 || matches!(fault, Fault::ScanSkips | Fault::UnreachedStuck);
            assert!(told.contains(law) || !reached, "{fault:?}: {told}");
        }
    }
}

/// Where numberings take more memory than there is, the walk goes on without them, and finds the other faults.
#[test]
fn laws_hold_without_numbers_too() {
    let bounds = Bounds { memory: 99, ..Bounds::depth_first(1000) };
    let want = Walked { positions: 14, canonical: 12, tiers: 3, numbers: 0, numbered: false, cut: false };
    assert_eq!(check_within(&Toy(Fault::None), &bounds).ok(), Some(want));
    for (fault, law) in [
        (Fault::FewCopies, "copies"),
        (Fault::Stuck, "has a move"),
        (Fault::FalseEnd, "one outcome"),
        (Fault::Undeclared, "leads into a child tier"),
        (Fault::Stays, "stays as flow says"),
        (Fault::Cycle, "no cycle"),
    ] {
        let told = check_within(&Toy(fault), &bounds).expect_err("a law is broken");
        assert!(told.law.contains(law), "{fault:?}: {told}");
    }
    // No law has asked for a number.
    for fault in [Fault::Falls, Fault::ScanSkips, Fault::RankTooHigh] {
        assert_eq!(check_within(&Toy(fault), &bounds).map(|walked| walked.numbered).ok(), Some(false));
    }
}

/// Every number that is looked at counts.
#[test]
fn numbers_of_large_tiers_are_counted_as_they_are_looked_at() {
    let bounds = |numbers| Bounds { numbers, seed: 1, ..Bounds::depth_first(2) };
    // One tier has a single number; of the two others 64 places are looked at, up to four numbers at each.
    for (numbers, some) in [(1, 0..1), (10, 3..10), (100, 25..100), (5000, 130..512)] {
        let walked = check_within(&Toy(Fault::None), &bounds(numbers)).expect("no law is broken");
        assert!((1 + some.start..4 + some.end).contains(&walked.numbers), "{numbers}: {walked:?}");
    }
}

#[test]
fn a_check_ends_when_told() {
    let bounds = Bounds { stop: &|_| true, ..Bounds::depth_first(1000) };
    let walked = check_within(&Toy(Fault::Stuck), &bounds).expect("the start alone is looked at");
    assert_eq!((walked.positions, walked.numbers, walked.cut), (1, 0, true));
}

#[test]
fn numbers_and_positions() {
    finds(Fault::RankTooHigh, "less than its tier's size", &[7]);
    finds(Fault::Swapped, "unrank undoes rank", &[4, 5]);
    finds(Fault::Hole, "not a hole", &[7]);
    finds(Fault::FalseTwin, "symmetric", &[4, 5]);
    finds(Fault::FalseEnd, "one outcome", &[6, 7]);
    finds(Fault::TwinElsewhere, "", &[3]);
    finds(Fault::FewCopies, "copies", &[2, 3]);
    finds(Fault::ManyCopies, "copies", &[4]);
}

#[test]
fn moves_and_tiers() {
    finds(Fault::Undeclared, "leads into a child tier", &[1, 2, 3]);
    finds(Fault::HighName, "the name of a tier", &[4]);
    finds(Fault::Cycle, "no cycle", &[0]);
    finds(Fault::OwnChild, "no cycle", &[0]);
    finds(Fault::Stuck, "has a move", &[5]);
    finds(Fault::Falls, "stays as flow says", &[2, 3]);
    finds(Fault::Stays, "stays as flow says", &[1]);
    finds(Fault::NoRoot, "roots hold the tier of the start", &[0]);
    finds(Fault::OneTierName, "tiers have different names", &[0]);
    finds(Fault::BlankTierName, "one line of text", &[0]);
    finds(Fault::TwoLines, "one line of text", &[0]);
}

#[test]
fn what_counts_trust() {
    finds(Fault::Mobility, "mobility is how many moves there are", &[4]);
    finds(Fault::Ply, "ply is one more after every move", &[0]);
    finds(Fault::Turned, "canonical_turn gives the canonical position", &[4]);
}

#[test]
fn scans() {
    for fault in [Fault::ScanSkips, Fault::ScanOther] {
        finds(fault, "scan visits what unrank gives", &[0, 1, 2, 3, 4, 5]);
    }
}

#[test]
fn unmoves() {
    finds(Fault::NoUnmove, "every move has its unmove", &[5]);
    finds(Fault::FalseUnmove, "every unmove has its move", &[5]);
    finds(Fault::StrayUnmove, "stay inside the tier", &[4]);
}

#[test]
fn faces() {
    finds(Fault::Misread, "read undoes show", &[6]);
    finds(Fault::Unread, "read undoes show", &[5]);
    finds(Fault::TurnLost, "read undoes show", &[1]);
    finds(Fault::OneName, "different names", &[4]);
    finds(Fault::OneDrawing, "different drawings", &[4]);
    finds(Fault::OffBoard, "on the board", &[4]);
    finds(Fault::FewPieces, "one character a cell", &[7]);
    finds(Fault::BadSample, "the sample in a complaint", &[0]);
}

#[test]
fn a_scan_fault_names_the_position() {
    finds(Fault::ScanSkips, "scan", &[5]);
    finds(Fault::ScanOther, "scan", &[2, 3]);
}

#[test]
fn scans_of_parts() {
    finds(Fault::ScanFromStart, "scan", &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    finds(Fault::ScanToEnd, "scan", &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn positions_never_reached() {
    finds(Fault::UnreachedStuck, "has a move", &[8]);
    finds(Fault::UnreachedStray, "leads into a child tier", &[8]);
}

#[test]
fn names_that_cannot_be_typed() {
    finds(Fault::OneNameInCapitals, "names", &[4]);
    finds(Fault::BlankInName, "name", &[4]);
}
