//! Parts: what `solve --from` solves, and which commands find a part again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;
use zermelo_core::{Opened, Tier};
use zermelo_store::{Disk, Reader, State};

use crate::scratch::{Scratch, text};

const CONNECT4: &str = "connect4:rows=4,cols=5";
/// A board with six stones, whose outcome is still open.
const MIDDLE: &str = "332244";
const MNK: &str = "mnk:rows=4,cols=4,line=4";
const CORNER: &str = "2_xo--ox---------x";
const QUIXO: &str = "quixo:rows=3,cols=3,line=3";
const LOOPY: &str = "2_x---o-x-o";

fn open(game: &str, from: Option<&str>) -> Opened {
    zermelo::Catalogue::standard().open_all(game, None, None, from).unwrap().swap_remove(0)
}

/// Returns every table of a part or of the whole game.
fn tables(scratch: &Scratch, game: &str, from: Option<&str>) -> BTreeMap<Tier, Vec<u8>> {
    let reader = Reader::open(&Disk::new(folder(scratch, game, from)), 0).unwrap();
    assert_eq!(reader.state(), State::Complete);
    reader.tiers().into_iter().map(|tier| (tier, reader.load(tier).unwrap())).collect()
}

fn folder(scratch: &Scratch, game: &str, from: Option<&str>) -> PathBuf {
    zermelo::data_folder(scratch.path(), &open(game, from))
}

/// Returns a position and up to `many` positions below it, taken at random.
fn below(game: &str, from: &str, many: usize) -> BTreeSet<String> {
    let game = open(game, None);
    let from = game.oracle().parse(from).unwrap();
    let (mut found, mut dice) = (BTreeSet::from([game.oracle().text(from)]), 1u64);
    for _ in 0..many * 20 {
        let mut position = from;
        loop {
            let moves = game.oracle().report(position, &()).unwrap().moves;
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Walks stop before the end, so that loops end too.
            if moves.is_empty() || (dice >> 40).is_multiple_of(9) {
                break;
            }
            position = moves[(dice >> 33) as usize % moves.len()].to;
        }
        found.insert(game.oracle().text(position));
        if found.len() > many {
            break;
        }
    }
    found
}

/// Returns the answers of `query` for many positions, with their moves sorted by name.
fn answers(scratch: &Scratch, game: &str, positions: &BTreeSet<String>) -> Vec<Value> {
    let mut command = scratch.command(&["query", game, "-", "--json", "--time", "20"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: Vec<_> = positions.iter().cloned().collect();
    let writer = std::thread::spawn(move || stdin.write_all((lines.join("\n") + "\n").as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let mut answers: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for answer in &mut answers {
        answer["moves"].as_array_mut().unwrap().sort_by_key(|m| m["move"].to_string());
    }
    answers
}

/// Removes the sources from answers and returns them.
fn sources(answers: &mut [Value]) -> BTreeSet<String> {
    answers.iter_mut().map(|a| a["source"].take().as_str().unwrap().to_string()).collect()
}

#[test]
fn a_part_agrees_with_search() {
    let (part, nothing) = (Scratch::new("from-part"), Scratch::new("from-nothing"));
    let solved = part.json(&["solve", CONNECT4, "--from", MIDDLE, "--json"]);
    // The lattice engine solves from the start only.
    assert_eq!((&solved["engine"], &solved["from"]), (&"blobs".into(), &"1_-----------ooo--xxx-".into()));
    let positions = below(CONNECT4, MIDDLE, 200);
    assert_eq!(positions.len(), 201);
    let mut found = answers(&part, CONNECT4, &positions);
    let mut searched = answers(&nothing, CONNECT4, &positions);
    assert!(sources(&mut searched).contains("search"));
    let sources = sources(&mut found);
    assert!(sources.contains("database") && !sources.contains("search"), "{sources:?}");
    assert_eq!(found, searched);
    let root = found.iter().find(|answer| answer["position"] == solved["from"]).unwrap();
    assert_eq!((&root["value"], &root["remoteness"]), (&solved["value"], &solved["remoteness"]));
}

/// A part has some of the tables of the whole game, to the byte; so do parts with loops.
#[test]
fn a_part_equals_the_whole() {
    for (game, from) in [(MNK, CORNER), (QUIXO, LOOPY)] {
        let (part, whole) = (Scratch::new("from-some"), Scratch::new("from-whole"));
        let solved = part.json(&["solve", game, "--from", from, "--json"]);
        whole.json(&["solve", game, "--json"]);
        let (some, all) = (tables(&part, game, Some(from)), tables(&whole, game, None));
        assert!(!some.is_empty() && some.len() < all.len(), "{game}: {} of {}", some.len(), all.len());
        assert!(some.iter().all(|(tier, bytes)| all[tier] == *bytes), "{game}");
        let known = whole.json(&["query", game, from, "--json"]);
        assert_eq!((&solved["value"], &solved["remoteness"]), (&known["value"], &known["remoteness"]));
        let positions = below(game, from, 100);
        let (mut found, mut known) = (answers(&part, game, &positions), answers(&whole, game, &positions));
        assert!(!sources(&mut found).contains("search"));
        sources(&mut known);
        assert_eq!(found, known, "{game}");
        let verified = part.json(&["verify", game, "--from", from, "--json"]);
        assert_eq!((&verified["wrong"], &verified["damaged_blocks"]), (&0.into(), &0.into()));
        let sampled = part.json(&["verify", game, "--from", from, "--sample", "500", "--json"]);
        assert!(sampled["wrong"] == 0 && sampled["checked"].as_u64().unwrap() > 100);
    }
}

/// The centre of tic-tac-toe looks the same from all sides, so every position that can be
/// reached is counted once.
#[test]
fn a_part_is_counted_from_its_position() {
    let (scratch, centre) = (Scratch::new("from-counts"), "2_----x----");
    scratch.json(&["solve", "mnk", "--from", centre, "--json"]);
    let game = open("mnk", None);
    let (mut seen, mut todo) =
        (BTreeSet::from([centre.to_string()]), vec![game.oracle().parse(centre).unwrap()]);
    while let Some(position) = todo.pop() {
        let moves = game.oracle().report(position, &()).unwrap().moves;
        todo.extend(moves.into_iter().filter(|m| seen.insert(m.position.clone())).map(|m| m.to));
    }
    let counts = scratch.json(&["analyze", "mnk", "--from", centre, "--json"]);
    assert_eq!(counts["positions"], seen.len());
    let longest = counts["longest"]["tie"]["position"].as_str().unwrap();
    assert_eq!((longest, &counts["longest"]["tie"]["remoteness"]), (centre, &8.into()));
    let other = Scratch::new("from-no-database");
    let counted = other.json(&["solve", "mnk", "--from", centre, "--no-database", "--json"]);
    assert_eq!(counted["counts"], counts["counts"]);
    assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 0, "nothing is kept");
}

#[test]
fn a_part_is_silent_about_other_positions() {
    let scratch = Scratch::new("from-outside");
    scratch.json(&["solve", MNK, "--from", CORNER, "--json"]);
    for position in ["1_----------------", "2_x---------------", "1_xo--------------"] {
        let answer = scratch.json(&["query", MNK, position, "--time", "0.05", "--json"]);
        assert_ne!(answer["source"], "database", "{position}");
    }
    // The game still begins at its own start.
    let moved = scratch.json(&["query", MNK, "--moves", "a4 b4", "--time", "0.05", "--json"]);
    assert_eq!(moved["position"], "1_xo--------------");
    // A part is not a database of the game, nor a part of another variant.
    for (verb, game) in [("analyze", MNK), ("verify", MNK), ("analyze", "mnk")] {
        assert_eq!(scratch.run(&[verb, game]).status.code(), Some(1), "{verb} {game}");
    }
    let other = scratch.json(&["query", "mnk:rows=4,cols=4,line=3", CORNER, "--json"]);
    assert_eq!(other["source"], "search");
}

/// Parts lie side by side, and the whole game beside them; a damaged part is ignored.
#[test]
fn parts_lie_side_by_side() {
    let scratch = Scratch::new("from-beside");
    let (first, second) = ("1_--x-o----", "2_x--------");
    for from in [first, second] {
        scratch.json(&["solve", "mnk", "--from", from, "--json"]);
        assert_eq!(scratch.json(&["query", "mnk", from, "--json"])["source"], "database");
    }
    let names: BTreeSet<_> = std::fs::read_dir(scratch.path().join("mnk"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(
        names.into_iter().collect::<Vec<_>>(),
        ["default;from=1_--x-o----", "default;from=2_x--------"]
    );
    std::fs::write(folder(&scratch, "mnk", Some(second)).join("manifest.json"), "{}").unwrap();
    assert_eq!(scratch.json(&["query", "mnk", second, "--json"])["source"], "search");
    assert_eq!(scratch.json(&["query", "mnk", first, "--json"])["source"], "database");
    let refused = scratch.run(&["verify", "mnk", "--from", second]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
    // A solve from the start is a solve of the whole game.
    let whole = scratch.json(&["solve", "mnk", "--from", "1_---------", "--json"]);
    assert_eq!((&whole["from"], &whole["remoteness"]), (&Value::Null, &9.into()));
    assert_eq!(scratch.json(&["analyze", "mnk", "--json"])["positions"], 5478);
}

#[test]
fn a_killed_part_goes_on() {
    let (game, from) = ("quixo:rows=4,cols=4,line=4", "1_x----------o----");
    let (killed, whole) = (Scratch::new("from-killed"), Scratch::new("from-unkilled"));
    let mut child = killed
        .command(&["solve", game, "--from", from, "--json"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    crate::resume::wait_for(&folder(&killed, game, Some(from)).join("tables.zmo"), 20_000);
    assert!(child.try_wait().unwrap().is_none(), "the run was over too soon for this test");
    child.kill().unwrap();
    child.wait().unwrap();
    // An unfinished part answers nothing.
    let early = killed.json(&["query", game, from, "--time", "0.05", "--json"]);
    assert_ne!(early["source"], "database");
    let solved = killed.json(&["solve", game, "--from", from, "--json"]);
    let (resumed, tiers) = (solved["resumed_tiers"].as_u64().unwrap(), solved["tiers"].as_u64().unwrap());
    assert!(0 < resumed && resumed < tiers, "{resumed} of {tiers}");
    whole.json(&["solve", game, "--from", from, "--engine", "unmoves", "--json"]);
    assert_eq!(tables(&killed, game, Some(from)), tables(&whole, game, Some(from)));
    let again = killed.run(&["solve", game, "--from", from]);
    assert!(text(&again.stdout).contains("already solved"), "{}", text(&again.stdout));
}

#[test]
fn a_fresh_part_starts_over() {
    let scratch = Scratch::new("from-fresh");
    let solve = |more: &[&str]| {
        let args = [&["solve", QUIXO, "--from", LOOPY, "--json"], more].concat();
        let solved = scratch.json(&args);
        (solved["resumed_tiers"].as_u64().unwrap(), solved["tiers"].as_u64().unwrap())
    };
    let (_, tiers) = solve(&[]);
    assert_eq!((solve(&[]), solve(&["--fresh"])), ((tiers, tiers), (0, tiers)));
}

#[test]
fn the_value_is_told_for_the_player_to_move() {
    let scratch = Scratch::new("from-words");
    for (from, words) in [
        ("1_xo---ox--", "the player to move (the first) wins in "),
        ("2_x-x-o-o-x", "the player to move (the second) loses in 2 moves"),
        ("2_----x----", "a tie in 8 moves"),
    ] {
        let told = scratch.run(&["solve", "mnk", "--from", from]);
        let told = text(&told.stdout);
        assert!(told.contains(&format!("mnk from {from}: {words}")), "{told}");
        assert!(told.contains(&format!("zermelo query mnk {from}\n")), "{told}");
    }
}

#[test]
fn positions_that_will_not_do_are_refused() {
    let scratch = Scratch::new("from-refused");
    let cases: [(&[&str], i32, &str); 8] = [
        (&["solve", "mnk", "--from", "nonsense"], 2, "begin with 1_ or 2_"),
        (&["solve", "mnk", "--from", "1_xxxxxxxxx"], 2, "as many x as o"),
        (&["solve", "mnk", "--from", "2_xxx-oo---"], 2, "the game is over at 2_xxx-oo---; give --from"),
        (&["solve", "connect4", "--from", "448"], 2, "columns from 1 to 7"),
        (&["solve", "connect4", "--engine", "lattice", "--from", "44"], 2, "leave --engine or --from out"),
        (&["analyze", "mnk", "--from", "2_xxx-oo---"], 2, "the game is over"),
        (&["verify", "mnk", "--from", ""], 2, "begin with 1_ or 2_"),
        (&["verify", "mnk", "--from", "2_----x----"], 1, "from=2_----x----"),
    ];
    for (args, status, message) in cases {
        let output = scratch.run(args);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {told}");
        assert!(told.contains(message) && output.stdout.is_empty(), "{args:?}: {told}");
    }
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left behind");
}
