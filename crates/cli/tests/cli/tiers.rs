//! `zermelo tiers`: names, numbers, memory and state of every tier, in the order in which tiers are solved.

use std::collections::HashSet;

use serde_json::Value;

use crate::scratch::{Scratch, text};

const GAME: &str = "quixo:rows=3,cols=4,line=3";

/// The tiers that a command lists, and the totals.
fn listed(scratch: &Scratch, args: &[&str]) -> (Vec<Value>, Value) {
    let output = scratch.run(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    let mut lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let totals = lines.pop().unwrap();
    (lines, totals)
}

fn sum(rows: &[Value], key: &str) -> u64 {
    rows.iter().filter_map(|row| row[key].as_u64()).sum()
}

#[test]
fn tiers_come_in_the_order_in_which_they_are_solved() {
    let scratch = Scratch::new("tiers");
    let (rows, totals) = listed(&scratch, &["tiers", GAME, "--json"]);
    let mut before = HashSet::new();
    for row in &rows {
        let children = row["children"].as_array().unwrap();
        assert!(children.iter().all(|child| before.contains(child)), "{row}");
        assert!(before.insert(row["tier"].clone()), "{row} is there twice");
        assert_eq!(row["state"], "not solved");
        assert!(row["memory_useful_bytes"].as_u64() >= row["memory_least_bytes"].as_u64(), "{row}");
    }
    let last = rows.last().unwrap();
    assert_eq!((&last["name"], &last["numbers"]), (&"0 and 0 marks, 12 blank".into(), &1.into()));
    let estimate = scratch.json(&["check", GAME, "--json", "--seconds", "1"]);
    let least = rows.iter().filter_map(|row| row["memory_least_bytes"].as_u64()).max();
    assert_eq!(least, estimate["estimate"]["memory_least_bytes"].as_u64(), "{estimate}");

    let solved = scratch.json(&["solve", GAME, "--json"]);
    assert_eq!((&totals["tiers"], &totals["numbers"]), (&solved["tiers"], &solved["positions"]));
    assert_eq!(
        (&totals["stored"], &totals["listed"], &totals["more"]),
        (&0.into(), &totals["tiers"], &false.into())
    );
    let (rows, totals) = listed(&scratch, &["tiers", GAME, "--json", "--all"]);
    assert!(rows.iter().all(|row| row["state"] == "stored"), "{rows:?}");
    assert_eq!((&totals["stored"], totals["bytes"].as_u64()), (&totals["tiers"], Some(sum(&rows, "bytes"))));
    assert!(totals["bytes"].as_u64() < solved["database_bytes"].as_u64());
    let checked = scratch.json(&["verify", GAME, "--json"])["checked"].as_u64();
    assert_eq!(Some(sum(&rows, "positions")), checked);
}

#[test]
fn a_list_may_be_cut() {
    let scratch = Scratch::new("tiers-cut");
    let (all, whole) = listed(&scratch, &["tiers", GAME, "--json"]);
    let (rows, totals) = listed(&scratch, &["tiers", GAME, "--json", "--limit", "3"]);
    assert_eq!((&rows[..], &totals["listed"]), (&all[..3], &3.into()));
    for key in ["tiers", "numbers", "stored", "bytes", "more"] {
        assert_eq!(totals[key], whole[key], "{key}");
    }
    let told = text(&scratch.run(&["tiers", GAME, "--limit", "3"]).stdout);
    assert_eq!(told.lines().count(), 1 + 3 + 2, "{told}");
    assert!(told.contains("3 listed, --all lists all"), "{told}");
    assert!(told.contains(" marks, "), "{told}");
    let (none, _) = listed(&scratch, &["tiers", GAME, "--json", "--limit", "0"]);
    assert_eq!(none, Vec::<Value>::new());
}

/// Tiers too large for the engine are named, and so are those whose memory nobody knows before their positions are found.
#[test]
fn tiers_that_cannot_be_told_of_are_marked() {
    let scratch = Scratch::new("tiers-large");
    let (rows, totals) = listed(&scratch, &["tiers", "othello:rows=4,cols=4", "--engine", "blobs", "--json"]);
    assert!(rows.iter().all(|row| row["memory_least_bytes"].is_null()), "{rows:?}");
    assert_eq!(totals["engine"], "blobs");
    let told = text(&scratch.run(&["tiers", "quixo", "--engine", "retrograde"]).stdout);
    let line = told.lines().find(|line| line.contains("9 and 8 marks, 8 blank")).unwrap();
    assert!(line.contains("too large") && line.trim_start().starts_with("908 "), "{line}");
    assert!(told.contains("182 tiers of"), "{told}");
}

#[test]
fn the_tiers_of_a_part_are_those_below_its_position() {
    let scratch = Scratch::new("tiers-part");
    let part = ["tiers", "mnk", "--engine", "sweep", "--from", "2_----x----", "--json"];
    let (rows, totals) = listed(&scratch, &part);
    assert_eq!(
        (rows.last().unwrap()["name"].as_str(), totals["tiers"].as_u64()),
        (Some("0 own, 1 other, 8 blank"), Some(9))
    );
    let refused = scratch.run(&["tiers", "mnk", "--all", "--limit", "3"]);
    assert_eq!(refused.status.code(), Some(2));
}

/// Whatever stops a solve, the message names the tier in a player's words.
#[test]
fn messages_name_tiers() {
    let scratch = Scratch::new("tier-names");
    let told = |args: &[&str]| text(&scratch.run(args).stderr);
    let little = told(&["solve", GAME, "--memory", "20000"]);
    assert!(little.contains(" marks, ") && little.contains("tier "), "{little}");
    scratch.json(&["solve", GAME, "--json"]);
    let tables = scratch.path().join("quixo/rows=3,cols=4,line=3/tables.zmo");
    let mut bytes = std::fs::read(&tables).unwrap();
    let middle = bytes.len() / 2..bytes.len() / 2 + 64;
    bytes[middle].fill(0);
    std::fs::write(&tables, bytes).unwrap();
    for args in [&["verify", GAME][..], &["analyze", GAME]] {
        let damaged = told(args);
        assert!(damaged.contains(" blank)") && damaged.contains("damaged"), "{args:?}: {damaged}");
    }
}
