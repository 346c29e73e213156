//! Nimbers and puzzles from the command line: solved, asked, counted and verified.

use serde_json::{Value, json};

use crate::scratch::{Scratch, text};

#[test]
fn nimbers_are_solved_asked_counted_and_verified() {
    let scratch = Scratch::new("nimbers");
    let told = text(&scratch.run(&["solve", "nim"]).stdout);
    assert!(told.contains("the first player wins in"), "{told}");
    let told = text(&scratch.run(&["solve", "nim", "--objective", "nimber"]).stdout);
    assert!(told.contains("the first player wins, nimber 2"), "{told}");
    assert!(told.contains("zermelo query nim --objective nimber"), "{told}");
    let told = text(&scratch.run(&["query", "nim", "--objective", "nimber"]).stdout);
    assert!(told.contains("win, nimber 2") && told.contains("a2       win, nimber 0"), "{told}");
    // If both objectives are solved, `query` prints both.
    let told = text(&scratch.run(&["query", "nim", "2_1-4-5"]).stdout);
    assert!(told.contains("lose in ") && told.contains(", nimber 0"), "{told}");
    let asked = scratch.json(&["query", "nim", "2_0-0-5", "--json"]);
    assert_eq!(
        (&asked["value"], &asked["nimber"], &asked["margin"]),
        (&json!("win"), &json!(5), &Value::Null)
    );
    let counted = scratch.json(&["analyze", "nim", "--objective", "nimber", "--json"]);
    // Of the 4 x 5 x 6 positions, those with nim-sum 0 are lost.
    let lost = (0..4).flat_map(|a| (0..5).map(move |b| a ^ b)).filter(|c| *c < 6).count();
    assert_eq!((&counted["positions"], &counted["counts"]["lose"]["0"]), (&json!(120), &json!(lost)));
    let verified = scratch.json(&["verify", "nim", "--objective", "nimber", "--json"]);
    assert_eq!((&verified["wrong"], &verified["damaged_blocks"]), (&json!(0), &json!(0)));
    let output = scratch.command(&["solve", "nim:play=misere", "--objective", "nimber"]).output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("cannot be solved for nimber"), "{}", text(&output.stderr));
}

#[test]
fn puzzles_are_solvable_or_not() {
    let scratch = Scratch::new("puzzles");
    let told = text(&scratch.run(&["solve", "slide:rows=2,cols=3"]).stdout);
    assert!(told.contains("solvable in") && told.contains("A shortest solution"), "{told}");
    let told = text(&scratch.run(&["query", "slide:rows=2,cols=3", "1_45-123", "--line"]).stdout);
    assert!(told.contains("1_45-123  solvable in 21") && told.contains("perfect play:"), "{told}");
    let told = text(&scratch.run(&["query", "slide:rows=2,cols=3", "1_12354-"]).stdout);
    assert!(told.contains("unsolvable") && !told.contains("draw"), "{told}");
    let counted = scratch.json(&["analyze", "slide:rows=2,cols=3", "--json"]);
    assert_eq!((&counted["positions"], &counted["counts"]["win"]["21"]), (&json!(360), &json!(1)));
    let told = text(&scratch.run(&["analyze", "slide:rows=2,cols=3"]).stdout);
    assert!(told.contains("longest solution: 21 moves, for example 1_45-123"), "{told}");
    let verified = scratch.json(&["verify", "slide:rows=2,cols=3", "--json"]);
    assert_eq!((&verified["checked"], &verified["wrong"]), (&json!(360), &json!(0)));
    // Jumps only take pegs off: such a puzzle has no loops, and gets stuck.
    let solved = scratch.json(&["solve", "pegs:hole=5,last=1", "--json"]);
    assert_eq!((&solved["value"], &solved["remoteness"]), (&json!("lose"), &Value::Null));
    let solved = scratch.json(&["solve", "pegs:hole=5,last=13", "--json"]);
    assert_eq!((&solved["value"], &solved["remoteness"]), (&json!("win"), &json!(13)));
    let counted = scratch.json(&["count", "pegs:hole=5", "--json"]);
    let plies: Vec<_> = counted["plies"].as_array().unwrap().iter().map(|row| &row["passes"]).collect();
    assert!(plies.iter().all(|passes| **passes == json!(0)), "nobody passes in a puzzle: {plies:?}");
}
