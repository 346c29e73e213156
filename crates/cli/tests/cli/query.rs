//! Answers of `query`, for people and for programs.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::scratch::{Scratch, text};

#[test]
fn answers_are_right_and_best_first() {
    let scratch = Scratch::new("query");
    scratch.run(&["solve", "mnk"]);
    let answer = scratch.json(&["query", "mnk", "2_----X----", "--json"]);
    assert_eq!(
        (&answer["position"], &answer["value"], &answer["remoteness"]),
        (&"2_----x----".into(), &"tie".into(), &8.into())
    );
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 8);
    // The corners are ties. The edges lose: for the player to move after an edge, that is a win.
    let values: Vec<_> =
        moves.iter().map(|m| (m["value"].as_str().unwrap(), m["remoteness"].as_u64().unwrap())).collect();
    assert_eq!(values, [[("tie", 7); 4], [("win", 5); 4]].concat());
    let by_moves = scratch.json(&["query", "mnk", "--moves", "B2", "--json"]);
    assert_eq!(by_moves, answer);
    let over = scratch.json(&["query", "mnk", "2_xxx-oo---", "--json"]);
    assert_eq!(
        (&over["value"], &over["remoteness"], over["moves"].as_array().unwrap().len()),
        (&"lose".into(), &0.into(), 0)
    );
    let told = text(&scratch.run(&["query", "mnk"]).stdout);
    assert!(told.contains("tie in 9") && !told.contains("searched"));
}

#[test]
fn a_stream_answers_good_lines_and_names_bad_ones() {
    let scratch = Scratch::new("stream");
    scratch.run(&["solve", "mnk"]);
    let mut command = scratch.command(&["query", "mnk", "-", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let long = "x".repeat(1 << 20);
    let input = format!("1_---------\n\nnonsense\n{long}\n2_----x----");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    stdin.write_all(b"\n\xff\xfe\n").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<Value> = text(&output.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let good: Vec<bool> = lines.iter().map(|l| l.get("error").is_none()).collect();
    assert_eq!(good, [true, false, false, true, false]);
    assert!(lines.iter().all(|l| l["position"].is_string()));
}

/// Without a database small positions are searched, and the answer says so; large ones
/// end with "not known" within the time.
#[test]
fn unsolved_games_are_searched() {
    let scratch = Scratch::new("search");
    let answer = scratch.json(&["query", "mnk", "--json"]);
    assert_eq!(
        (&answer["value"], &answer["remoteness"], &answer["source"]),
        (&"tie".into(), &9.into(), &"search".into())
    );
    assert_eq!(answer["moves"][0]["remoteness"], 8);
    let begun = std::time::Instant::now();
    let answer = scratch.json(&["query", "quixo", "--time", "0.5", "--json"]);
    assert_eq!((&answer["value"], &answer["source"]), (&Value::Null, &"none".into()));
    assert!(begun.elapsed().as_secs() < 10, "it must stop near its time");
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

/// The mover's view stands beside that of the opponent; values that are not known are left out.
#[test]
fn moves_have_the_view_of_who_makes_them() {
    let scratch = Scratch::new("mover");
    scratch.run(&["solve", "mnk"]);
    let answer = scratch.json(&["query", "mnk", "2_----x----", "--json"]);
    let (first, last) = (&answer["moves"][0], &answer["moves"][7]);
    assert_eq!(first["mover"], serde_json::json!({ "value": "tie", "remoteness": 8 }));
    assert_eq!(last["mover"], serde_json::json!({ "value": "lose", "remoteness": 6 }));
    assert!([&answer, first, last].iter().all(|of| of.get("margin").is_none() && of.get("nimber").is_none()));
    let unknown = scratch.json(&["query", "quixo", "--time", "0", "--json"]);
    assert_eq!(unknown["moves"][0]["mover"], Value::Null);
    let help = text(&scratch.run(&["query", "--help"]).stdout);
    assert!(help.contains("mover"), "{help}");
}

/// If the value of a position is not known, no move is the best; and play that never ends has no end to print.
#[test]
fn a_line_begins_where_the_value_is_known() {
    let scratch = Scratch::new("line");
    // The only move whose value is known loses at once.
    let told =
        text(&scratch.run(&["query", "mnk:misere=yes", "1_xx-oo----", "--line", "--time", "0"]).stdout);
    assert!(told.contains("perfect play: not known"), "{told}");
    let endless = "quixo:rows=2,cols=3,line=3";
    let told = text(&scratch.run(&["solve", endless]).stdout);
    assert!(told.contains("never ends") && !told.contains("perfect game"), "{told}");
    let told = text(&scratch.run(&["query", endless, "--line"]).stdout);
    assert!(told.contains("perfect play: it never ends"), "{told}");
}

#[test]
fn draws_have_no_remoteness() {
    let scratch = Scratch::new("draws");
    let game = "quixo:rows=3,cols=4,line=4";
    scratch.run(&["solve", game]);
    let start = scratch.json(&["query", game, "--json"]);
    let counts = scratch.json(&["analyze", game, "--json"]);
    assert!(counts["counts"]["draw"].as_u64().unwrap() > 0, "a variant with draws");
    assert_eq!((&start["value"], &start["remoteness"]), (&"draw".into(), &Value::Null));
}

#[test]
fn the_plot_is_a_picture() {
    let scratch = Scratch::new("plot");
    scratch.run(&["solve", "mnk"]);
    let file = scratch.path().join("plot.svg");
    scratch.json(&["analyze", "mnk", "--json", "--plot", file.to_str().unwrap()]);
    let svg = std::fs::read_to_string(file).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("win in 1: 2,358"));
}
