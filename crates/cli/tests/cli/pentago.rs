//! Pentago from outside: values without distances, boards searched with all their moves at once, and published
//! files.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use zermelo::Slices;

use crate::published::{real, serve, write_small};
use crate::scratch::{Scratch, text};

/// A board with 18 stones whose value and those of its moves are published.
const ROOT: &str = "274440791932540184";
/// Some of the moves from that board, with their values for the player to move after them.
const AFTER: [(&str, &str); 8] = [
    ("274440791932537041", "tie"),
    ("274440791786788121", "win"),
    ("1855204261139584281", "win"),
    ("274440791932537275", "win"),
    ("274440791950890267", "lose"),
    ("274440791998666008", "lose"),
    ("707067831136818456", "lose"),
    ("684268358023255321", "tie"),
];
/// A small end of the game: boards with these 34 stones and what they lead to.
const SECTION: &str = "pentago:section=90090880";

fn failed(output: &Output, status: i32) -> String {
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(status), String::new()));
    text(&output.stderr)
}

fn count(found: &Value) -> BTreeMap<&str, usize> {
    let mut count = BTreeMap::new();
    for m in found["moves"].as_array().unwrap() {
        *count.entry(m["value"].as_str().unwrap_or("not known")).or_default() += 1;
    }
    count
}

#[test]
fn the_published_root_is_searched_with_all_its_moves() {
    let scratch = Scratch::new("pentago-root");
    let found = scratch.json(&["query", "pentago", ROOT, "--json"]);
    assert_eq!((&found["value"], &found["source"]), (&json!("win"), &json!("search")));
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(count(&found).values().sum::<usize>(), 144);
    assert!(moves.iter().chain([&found]).all(|m| m["remoteness"].is_null() && !m["value"].is_null()));
    for (position, value) in AFTER {
        let m = moves.iter().find(|m| m["position"] == position).unwrap();
        assert_eq!(m["value"], value, "{position}");
    }
    let worth = |m: &Value| ["lose", "tie", "win"].iter().position(|word| m["value"] == *word);
    assert!(moves.iter().is_sorted_by_key(worth), "the best move first");
}

#[test]
fn too_little_memory_or_no_time_is_no_search() {
    let scratch = Scratch::new("pentago-memory");
    let told = |more: &[&str]| text(&scratch.run(&[&["query", "pentago"], more].concat()).stdout);
    for (args, remark) in [
        (&[ROOT, "--time", "0.1", "--memory", "500M"][..], "the search takes more memory; --memory 9"),
        (&[ROOT, "--time", "0"][..], "not searched, for --time is 0"),
        (
            &[ROOT, "--time", "0.1", "--objective", "remoteness", "--memory", "2G"][..],
            "more memory; --memory 3",
        ),
        (&["0", "--time", "0.1"][..], "boards with fewer than 18 stones are in the published files alone"),
    ] {
        let told = told(args);
        assert!(told.contains(remark), "{told}");
    }
    let large = told(&["0", "--time", "0.1", "--objective", "remoteness"]);
    assert!(!large.contains("zermelo solve"), "nobody can: {large}");
}

#[test]
fn openings_are_read_from_the_published_files() {
    let Some(folder) = real() else { return };
    let (scratch, folder) = (Scratch::new("pentago-opening"), folder.display().to_string());
    let ask = |args: &[&str]| {
        let usual = ["query", "pentago", "--json", "--time", "0", "--slices", &folder];
        scratch.json(&[&usual, args].concat())
    };
    let start = ask(&[]);
    assert_eq!((&start["value"], &start["source"]), (&json!("win"), &json!("slices")));
    let mut tied = BTreeMap::from([("a1", 0), ("a6", 0), ("f1", 0), ("f6", 0)]);
    for m in start["moves"].as_array().unwrap() {
        let cell = m["move"].as_str().unwrap().split('-').next().unwrap();
        match tied.get_mut(cell) {
            Some(corner) => *corner += usize::from(m["value"] == "tie"),
            None => assert!(m["value"] == "lose" || m["value"] == "tie", "{m}"),
        }
    }
    assert!(tied.values().all(|n| *n == 8), "a stone on a corner ties, however a quadrant is turned");
    for (column, row) in "abcdef".chars().flat_map(|c| ('1'..='6').map(move |r| (c, r))) {
        let cell = format!("{column}{row}");
        let first = |m: &&Value| m["move"].as_str().unwrap().starts_with(&cell);
        let wins = start["moves"].as_array().unwrap().iter().filter(first).any(|m| m["value"] == "lose");
        assert_eq!(wins, !tied.contains_key(cell.as_str()), "{cell}");
    }
    let line = "a2-ll-r b5-ul-l c3-lr-r d4-ur-r e1-ll-l f5-ul-r";
    let five = ask(&["--moves", &line[..line.len() - 8]]);
    assert_eq!((&five["source"], count(&five).get("not known")), (&json!("slices"), None));
    let six = ask(&["--moves", line]);
    assert_eq!((&six["source"], &six["value"]), (&json!("slices"), &json!("win")));
    assert_eq!(count(&six), BTreeMap::from([("not known", 240)]), "seven stones are in no file here");
}

#[test]
fn published_values_fit_those_of_their_moves() {
    let Some(folder) = real() else { return };
    let game = zermelo::open("pentago", None, None).unwrap();
    let slices = Slices::of(Path::new("none"), Some(&folder.display().to_string()), 64 << 20).unwrap();
    let word = |value: Option<zermelo_core::Value>| value.map(zermelo_core::Value::word);
    let mut seen = BTreeMap::new();
    for seed in 0..200usize {
        let mut position = game.oracle().start();
        for ply in 0..6 {
            let report = game.oracle().report(position, &slices).unwrap();
            assert_eq!(word(report.value), word(report.moves[0].worth), "{}", report.position);
            *seen.entry(word(report.value).unwrap()).or_insert(0) += 1;
            position = report.moves[(seed * seed * 31 + ply * 101) % report.moves.len()].to;
        }
    }
    assert!(seen["win"] > 100 && seen["lose"] > 100 && seen["tie"] > 10, "{seen:?}");
}

/// Checks the answer for the empty board from the small files.
fn is_small(found: &Value) {
    assert_eq!((&found["value"], &found["source"]), (&json!("tie"), &json!("slices")));
    // Four quadrants, each with one centre or with four cells of a kind, and eight turns.
    let counts: Vec<_> = count(found).into_iter().collect();
    let mut sizes: Vec<_> = counts.iter().map(|(_, n)| *n).collect();
    sizes.sort_unstable();
    assert_eq!((counts.len(), sizes), (3, vec![32, 128, 128]));
}

#[test]
fn files_are_found_in_the_data_directory_in_a_folder_and_on_a_server() {
    let (data, other, empty) =
        (Scratch::new("pentago-data"), Scratch::new("pentago-other"), Scratch::new("pentago-none"));
    write_small(&data.path().join("pentago"));
    is_small(&data.json(&["query", "pentago", "--json"]));
    write_small(other.path());
    let folder = other.path().display().to_string();
    is_small(&empty.json(&["query", "pentago", "0", "--json", "--slices", &folder]));
    let address = serve(other.path().into());
    is_small(&empty.json(&["query", "pentago", "--json", "--slices", &address]));
    let set = empty.command(&["query", "pentago"]).env("ZERMELO_SLICES", &address).output().unwrap();
    assert!(text(&set.stdout).starts_with("0  tie for Black, who is to move\n"), "{}", text(&set.stdout));
    assert!(text(&set.stdout).ends_with("(from the published files)\n"), "{}", text(&set.stdout));
    let others = empty.command(&["query", "mnk"]).env("ZERMELO_SLICES", &address).output().unwrap();
    assert!(others.status.success(), "other games have none: {}", text(&others.stderr));
    let one = empty.json(&["query", "pentago", "1", "--json", "--time", "0", "--slices", &address]);
    assert_eq!(
        (&one["source"], count(&one)["not known"]),
        (&json!("slices"), 280),
        "two stones are not there"
    );
}

#[test]
fn places_without_files_are_refused_with_the_fix() {
    let scratch = Scratch::new("pentago-refused");
    let refused = |game: &str, place: &str| failed(&scratch.run(&["query", game, "--slices", place]), 2);
    assert!(refused("pentago", "https://").contains("the address has no host"));
    assert!(refused("pentago", "no/such/folder").contains("there is no such folder"));
    let bare = scratch.path().display().to_string();
    assert!(refused("pentago", &bare).contains("no file slice-N.pentago is there"));
    assert!(refused("mnk", &bare).contains("only pentago has published files"));
    let args = ["query", "pentago", "--objective", "remoteness", "--slices", &bare];
    assert!(failed(&scratch.run(&args), 2).contains("leave it out"));
    let args = ["serve", "--listen", "127.0.0.1:0", "--slices", "https://"];
    assert!(failed(&scratch.run(&args), 2).contains("the address has no host"));
}

#[test]
fn a_damaged_file_is_named() {
    let scratch = Scratch::new("pentago-damage");
    let folder = scratch.path().join("pentago");
    write_small(&folder);
    let file = folder.join("slice-1.pentago");
    let good = std::fs::read(&file).unwrap();
    let ask = || scratch.run(&["query", "pentago", "--time", "0"]);
    // The one block comes after the header of the file and the header of its one section.
    let mut bad = good.clone();
    bad[32 + 85 + 30] ^= 1;
    std::fs::write(&file, bad).unwrap();
    let why = failed(&ask(), 1);
    assert!(why.contains("slice-1.pentago, section 1-") && why.contains("block [0, 0, 0, 0]"), "{why}");
    std::fs::write(&file, &good[..100]).unwrap();
    let why = failed(&ask(), 1);
    assert!(why.contains("slice-1.pentago") && why.contains("fetch this file again"), "{why}");
    std::fs::copy(folder.join("slice-0.pentago"), &file).unwrap();
    let why = failed(&ask(), 1);
    assert!(why.contains("slice-1.pentago has boards with 0 stones"), "{why}");
    let root = scratch.json(&["query", "pentago", ROOT, "--json", "--time", "0"]);
    assert!(root["value"].is_null(), "boards with other numbers of stones are not concerned");
}

#[test]
fn a_section_is_solved_for_who_wins() {
    let scratch = Scratch::new("pentago-section");
    let told = text(&scratch.run(&["solve", SECTION]).stdout);
    let first = told.lines().next().unwrap();
    assert!(first.ends_with(": Black wins"), "{first}");
    assert!(told.contains("zermelo query pentago:section=90090880\n"), "the objective goes without saying");
    let solved = scratch.json(&["solve", SECTION, "--json"]);
    assert_eq!(
        ["value", "remoteness", "margin"].map(|key| &solved[key]),
        [&json!("win"), &json!(null), &json!(null)]
    );
    let start = text(&scratch.run(&["query", SECTION, "--line"]).stdout);
    assert!(start.starts_with("2747279611747509873  win for Black, who is to move\n"), "{start}");
    assert!(start.contains("  e5       win          ") && start.contains("perfect play: e5\n"), "{start}");
    let found = scratch.json(&["query", SECTION, "--json"]);
    assert_eq!((&found["source"], &found["remoteness"]), (&json!("database"), &json!(null)));
    let verified = scratch.json(&["verify", SECTION, "--json"]);
    assert_eq!((&verified["wrong"], &verified["damaged_blocks"]), (&json!(0), &json!(0)));
    counted(&scratch);
    // Without the database the engine looks at all moves at once, and finds the same values.
    let bare = Scratch::new("pentago-bare");
    let searched = bare.json(&["query", "pentago", found["position"].as_str().unwrap(), "--json", "--line"]);
    assert_eq!((&searched["source"], &searched["line"]), (&json!("search"), &json!(["e5"])));
    assert_eq!((&searched["value"], &searched["moves"]), (&found["value"], &found["moves"]));
}

#[test]
fn a_part_is_found_by_its_objective() {
    let scratch = Scratch::new("pentago-part");
    let position = "2747279611747509873";
    scratch.json(&["solve", "pentago", "--from", position, "--json"]);
    let found = scratch.json(&["query", "pentago", position, "--json"]);
    assert_eq!((&found["value"], &found["source"]), (&json!("win"), &json!("database")));
    let distances = scratch.json(&["query", "pentago", position, "--json", "--objective", "remoteness"]);
    assert_eq!((&distances["remoteness"], &distances["source"]), (&json!(1), &json!("search")));
}

#[test]
fn a_stone_that_wins_at_once_needs_no_search() {
    let scratch = Scratch::new("pentago-at-once");
    // Four black stones in the lowest row, and as many white ones out of the way.
    let board = "1_oo------------------------oo--xxxx--";
    let found = scratch.json(&["query", "pentago", board, "--json", "--time", "0"]);
    assert_eq!((&found["value"], &found["moves"][0]["move"]), (&json!("win"), &json!("e1")));
    assert_ne!(found["source"], "slices", "there are no files");
}

fn counted(scratch: &Scratch) {
    let analysis = scratch.json(&["analyze", SECTION, "--json"]);
    assert_eq!(analysis["counts"]["win"], json!({ "over": 344, "goes on": 40 }));
    assert_eq!(
        (&analysis["positions"], &analysis["longest"]["win"]["remoteness"]),
        (&json!(1982), &json!(null))
    );
    let plot = scratch.path().join("plot.svg");
    let output = scratch.run(&["analyze", SECTION, "--plot", &plot.display().to_string()]);
    let (table, plot) = (text(&output.stdout), std::fs::read_to_string(plot).unwrap());
    assert!(!table.contains("remoteness") && table.contains("\na win, for example: "), "{table}");
    assert!(table.contains("\n      over ") && table.contains("\n   goes on "), "{table}");
    assert!(plot.contains("positions by winner") && plot.contains(">goes on</text>"), "{plot}");
    assert!(plot.contains("<title>win, over: 344</title>") && !plot.contains("remoteness"), "{plot}");
}

/// With one empty cell the rules give the values of all moves, whether there are files or not.
#[test]
fn what_the_rules_tell_is_not_said_to_be_read() {
    let scratch = Scratch::new("pentago-rules");
    for more in [&[][..], &["--slices", "http://127.0.0.1:1/none"]] {
        let args = [&["query", "pentago", "3465263465757551174", "--json"], more].concat();
        let found = scratch.json(&args);
        assert_eq!(found["source"], "rules");
        assert_eq!(count(&found).get("not known"), None);
    }
}

/// A place that cannot be read does not hide the files of the data directory.
#[test]
fn the_next_place_is_asked() {
    let Some(folder) = real() else { return };
    let scratch = Scratch::new("pentago-places");
    let beside = scratch.path().join("pentago");
    std::fs::create_dir_all(&beside).unwrap();
    for name in ["slice-0.pentago", "slice-1.pentago"] {
        std::fs::copy(folder.join(name), beside.join(name)).unwrap();
    }
    let found = scratch.json(&["query", "pentago", "0", "--json", "--slices", "http://127.0.0.1:1/none"]);
    assert_eq!((&found["value"], &found["source"]), (&json!("win"), &json!("slices")));
}

#[test]
fn places_that_are_none_are_refused_with_the_reason() {
    let scratch = Scratch::new("pentago-no-place");
    let file = scratch.path().join("slice-0.pentago");
    std::fs::write(&file, "x").unwrap();
    for (place, why) in [("http://", "no host"), (file.to_str().unwrap(), "this is a file")] {
        let refused = scratch.run(&["query", "pentago", "0", "--slices", place]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
    }
}
