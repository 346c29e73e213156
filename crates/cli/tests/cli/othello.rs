//! Othello on the smallest board, for distances and for margins: the output of each command.

use serde_json::{Value, json};

use crate::scratch::{Scratch, text};

const SMALL: &str = "othello:rows=4,cols=4";

/// Solves one of the two objectives, or both.
fn solved(name: &str, objectives: &[&str]) -> Scratch {
    let scratch = Scratch::new(name);
    for objective in objectives {
        let output = scratch.run(&["solve", SMALL, "--objective", objective]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    scratch
}

fn told(scratch: &Scratch, args: &[&str]) -> String {
    let output = scratch.run(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn solve_tells_the_distance_or_the_margin() {
    let scratch = Scratch::new("othello-solve");
    let fields = |json: &Value| ["objective", "value", "remoteness", "margin"].map(|key| json[key].clone());
    let moves = scratch.json(&["solve", SMALL, "--json"]);
    assert_eq!(fields(&moves), [json!("remoteness"), json!("lose"), json!(11), Value::Null]);
    let margin = scratch.json(&["solve", SMALL, "--objective", "margin", "--json"]);
    assert_eq!(fields(&margin), [json!("margin"), json!("lose"), Value::Null, json!(-8)]);
    let manifest = scratch.path().join("othello/rows=4,cols=4;margin;blobs/manifest.json");
    let manifest: Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
    let summary = &manifest["summary"];
    assert_eq!((&summary["margin"], &summary["remoteness"]), (&json!(-8), &Value::Null));
    assert!(told(&scratch, &["solve", SMALL]).contains("the second player wins in 11 moves"));
    let text = told(&scratch, &["solve", SMALL, "--objective", "margin"]);
    assert!(text.contains(": the second player wins by 8\n"), "{text}");
    assert!(text.contains("zermelo query othello:rows=4,cols=4 --objective margin"), "{text}");
    let line = text.lines().find_map(|line| line.strip_prefix("A perfect game: ")).unwrap();
    assert!(line.split(' ').count() > 8, "longer than the margin is wide: {line}");
    let end = scratch.json(&["query", SMALL, "--moves", line, "--json", "--objective", "margin"]);
    assert_eq!(end["moves"], json!([]), "the line goes to the end");
    let lost = if end["position"].as_str().unwrap().starts_with('1') { -8 } else { 8 };
    assert_eq!(end["margin"], lost);
}

#[test]
fn a_query_tells_margins_beside_distances() {
    let scratch = solved("othello-query", &["remoteness"]);
    let answer = scratch.json(&["query", SMALL, "--json"]);
    assert_eq!([&answer["remoteness"], &answer["margin"]], [&json!(11), &Value::Null]);
    // A late position needs no table, but without one there are no margins either.
    let late = scratch.json(&["query", SMALL, "1_-xxxoxxxoxox-x--", "--json"]);
    assert_eq!((late["value"].is_string(), &late["margin"]), (true, &Value::Null));
    assert!(!told(&scratch, &["query", SMALL]).contains(", by"));

    scratch.run(&["solve", SMALL, "--objective", "margin"]);
    let answer = scratch.json(&["query", SMALL, "--json"]);
    assert_eq!(
        ["value", "remoteness", "margin"].map(|key| &answer[key]),
        [&json!("lose"), &json!(11), &json!(-8)]
    );
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 4);
    assert!(moves.iter().all(|m| m["margin"] == 8 && m["value"] == "win" && m["remoteness"] == 10));
    let text = told(&scratch, &["query", SMALL]);
    assert!(text.contains("  lose in 11, by 8 for the first player"), "{text}");
}

#[test]
fn a_query_for_margins_knows_no_distances() {
    let scratch = solved("othello-margins", &["margin"]);
    let answer = scratch.json(&["query", SMALL, "--objective", "margin", "--json"]);
    assert_eq!(
        ["value", "remoteness", "margin", "source"].map(|key| &answer[key]),
        [&json!("lose"), &Value::Null, &json!(-8), &json!("database")]
    );
    let text = told(&scratch, &["query", SMALL, "--objective", "margin"]);
    assert!(text.contains("  lose by 8 for the first player") && !text.contains(" in "), "{text}");
    // Every position of a game: the first move is the one with the best margin for its player.
    let mut position = answer["position"].as_str().unwrap().to_string();
    loop {
        let here = scratch.json(&["query", SMALL, &position, "--objective", "margin", "--json"]);
        let moves = here["moves"].as_array().unwrap();
        let turn = |position: &Value| position.as_str().unwrap().as_bytes()[0];
        let own = |m: &Value| {
            let margin = m["margin"].as_i64().unwrap();
            if turn(&m["position"]) == turn(&here["position"]) { margin } else { -margin }
        };
        let margins: Vec<_> = moves.iter().map(own).collect();
        assert!(margins.is_sorted_by(|a, b| a >= b), "{here}");
        let Some(last) = moves.last() else { break };
        assert_eq!(here["margin"], margins[0]);
        position = last["position"].as_str().unwrap().into();
    }
}

#[test]
fn without_a_database_margins_are_searched_for() {
    let scratch = Scratch::new("othello-search");
    let answer = scratch.json(&["query", SMALL, "--objective", "margin", "--time", "60", "--json"]);
    assert_eq!([&answer["margin"], &answer["source"]], [&json!(-8), &json!("search")]);
    assert!(answer["moves"].as_array().unwrap().iter().all(|m| m["margin"] == 8), "{answer}");
    let wrong = scratch.run(&["query", "mnk", "--objective", "margin"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("it can with remoteness"), "{}", text(&wrong.stderr));
}

#[test]
fn analyze_counts_by_margin() {
    let scratch = solved("othello-analyze", &["remoteness", "margin"]);
    let sum = |counts: &Value| counts.as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum::<u64>();
    for objective in ["remoteness", "margin"] {
        let counts = scratch.json(&["analyze", SMALL, "--objective", objective, "--json"]);
        assert_eq!(
            (&counts["objective"], &counts["canonical_positions"]),
            (&json!(objective), &json!(10_513))
        );
        let of = ["win", "lose", "tie"].map(|word| sum(&counts["canonical_counts"][word]));
        assert_eq!(of, [5_724, 3_864, 925], "{objective}");
    }
    let plot = scratch.path().join("plot.svg");
    let table =
        told(&scratch, &["analyze", SMALL, "--objective", "margin", "--plot", plot.to_str().unwrap()]);
    assert!(table.starts_with("    margin ") && table.contains("widest win: by "), "{table}");
    let svg = std::fs::read_to_string(plot).unwrap();
    assert!(svg.contains("positions against margin") && svg.contains("win by 2: "));
    assert!(told(&scratch, &["analyze", SMALL]).starts_with("remoteness "));
}

#[test]
fn verify_checks_either_database() {
    let scratch = solved("othello-verify", &["margin"]);
    let checked = scratch.json(&["verify", SMALL, "--objective", "margin", "--json"]);
    assert!(checked["checked"].as_u64().unwrap() > 0 && checked["wrong"] == 0, "{checked}");
    assert!(!scratch.run(&["verify", SMALL]).status.success(), "the other one is not there");
}
