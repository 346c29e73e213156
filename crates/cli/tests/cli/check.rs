//! The commands `check` and `games`: the laws of a game by its name, and estimates of what solving it takes.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scratch::{Scratch, text};

#[test]
fn a_small_game_is_checked_whole() {
    let scratch = Scratch::new("check");
    let told = scratch.json(&["check", "mnk", "--json"]);
    assert_eq!(
        (&told["game"], &told["laws_hold"], &told["broken"]),
        (&"mnk".into(), &true.into(), &Value::Null)
    );
    let walked = &told["walked"];
    assert_eq!(
        (&walked["positions"], &walked["tiers"], &walked["whole"]),
        (&5478.into(), &10.into(), &true.into())
    );
    let estimate = &told["estimate"];
    assert_eq!(
        (&estimate["engine"], &estimate["positions"], &estimate["tiers"]),
        (&"sweep".into(), &1264.into(), &10.into())
    );
    assert!(estimate["how"].as_str().unwrap().contains("all 10 of 10 tiers"), "{estimate}");
    let solved = scratch.json(&["solve", "mnk", "--json"]);
    assert_eq!((&solved["positions"], &solved["tiers"]), (&estimate["positions"], &estimate["tiers"]));
    // A trial that packs the whole game gives the size of the database, but for its frame.
    let (guess, size) =
        (estimate["database_bytes"].as_u64().unwrap(), solved["database_bytes"].as_u64().unwrap());
    assert!(guess / 3 < size && size < guess * 3, "{guess} and {size}");
    let plain = text(&scratch.run(&["check", "mnk"]).stdout);
    for part in [
        "mnk: no law is broken",
        "5,478 positions",
        "memory     at least",
        "time       about",
        "database   about",
    ] {
        assert!(plain.contains(part), "{part}: {plain}");
    }
}

/// What can be found in time is reported exactly; the rest is reported as not known.
#[test]
fn a_game_of_reached_positions_is_estimated_by_what_was_reached() {
    let scratch = Scratch::new("check-reached");
    let small = scratch.json(&["check", "othello:rows=4,cols=4", "--json"])["estimate"].clone();
    assert_eq!((&small["positions"], &small["guessed"]), (&10_513.into(), &false.into()), "{small}");
    assert!(small["memory_least_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{small}");
    let large = text(&scratch.run(&["check", "othello", "--positions", "100"]).stdout);
    for part in
        ["more than can be counted", "not known before positions are found", "positions were found in"]
    {
        assert!(large.contains(part), "{part}: {large}");
    }
    let games = scratch.json(&["games", "othello", "--json"]);
    let whole = games["variants"].as_array().unwrap().iter().find(|row| row["variant"] == "othello").unwrap();
    assert_eq!(whole["estimate"]["memory_least_bytes"], Value::Null, "{whole}");
    let listed = text(&scratch.run(&["games", "othello"]).stdout);
    assert!(listed.contains(" >10^19 blobs "), "{listed}");
}

/// A check without time still looks at the start, and reports what happened.
#[test]
fn a_check_without_time_says_so() {
    let scratch = Scratch::new("check-late");
    let told = scratch.json(&["check", "mnk", "--seconds", "0", "--json"]);
    assert_eq!((&told["walked"]["positions"], &told["walked"]["time_over"]), (&1.into(), &true.into()));
    let plain = text(&scratch.run(&["check", "mnk", "--seconds", "0"]).stdout);
    assert!(plain.contains("the time was over") && plain.contains("--seconds"), "{plain}");
    let enough = scratch.json(&["check", "mnk", "--json"]);
    assert_eq!(enough["walked"]["time_over"], false);
}

/// A file may stand in place of a text, as with every other command.
#[test]
fn games_read_files() {
    let scratch = Scratch::new("games-file");
    let file = scratch.path().join("f.qdimacs");
    std::fs::write(&file, "p cnf 2 1\na 1 0\ne 2 0\n1 2 0\n").unwrap();
    let told = scratch.run(&["games", &format!("qbf:file={}", file.display())]);
    assert!(told.status.success(), "{}", text(&told.stderr));
    assert!(text(&told.stdout).contains("what you asked for"));
}

/// Boards that no machine can solve, and more tiers than can be listed, are described in seconds.
#[test]
fn large_games_are_checked_in_part() {
    let scratch = Scratch::new("check-large");
    for (game, more) in
        [("pentago", false), ("othello", true), ("quixo", false), ("meaningless:depth=1000,width=1000", true)]
    {
        let begun = Instant::now();
        let told = scratch.json(&["check", game, "--positions", "300", "--seconds", "0.5", "--json"]);
        assert_eq!(
            (&told["laws_hold"], &told["estimate"]["more"]),
            (&true.into(), &more.into()),
            "{game}: {told}"
        );
        assert_eq!(told["walked"]["whole"], false, "{game}");
        assert!(told["walked"]["positions"].as_u64().unwrap() > 1, "{told}");
        // Twenty times the usual time, because machines are busy.
        assert!(begun.elapsed() < Duration::from_secs(60), "{game}: {:?}", begun.elapsed());
    }
}

/// Boards whose numberings no machine can hold are walked without numbers, and the engine is not tried.
#[test]
fn boards_too_large_to_number_are_told_of() {
    let scratch = Scratch::new("check-unnumbered");
    for game in ["mnk:rows=8,cols=8", "quixo:rows=8,cols=8", "hex:rows=8,cols=8"] {
        let begun = Instant::now();
        let told = scratch.json(&["check", game, "--positions", "300", "--seconds", "0.5", "--json"]);
        assert_eq!(
            (&told["laws_hold"], &told["walked"]["numbered"]),
            (&true.into(), &false.into()),
            "{told}"
        );
        assert!(told["walked"]["positions"].as_u64().unwrap() > 1, "{told}");
        assert!(told["estimate"]["how"].as_str().unwrap().contains("the tables that number"), "{told}");
        let plain = scratch.run(&["check", game, "--positions", "300", "--seconds", "0.5"]);
        assert!(text(&plain.stdout).contains("no numbers of the"), "{}", text(&plain.stdout));
        let listed = scratch.run(&["games", game]);
        assert!(listed.status.success(), "{}", text(&listed.stderr));
        assert!(begun.elapsed() < Duration::from_secs(60), "{game}: {:?}", begun.elapsed());
    }
    // Too little memory has the same effect.
    let told = scratch.json(&["check", "mnk:rows=4,cols=4", "--memory", "10K", "--json"]);
    assert_eq!(told["walked"]["numbered"], false, "{told}");
}

#[test]
fn another_seed_is_another_walk_and_the_same_again() {
    let scratch = Scratch::new("check-seed");
    let walk = |seed: &str| {
        let args = ["check", "mnk:rows=4,cols=4,line=4", "--positions", "200", "--seed", seed, "--json"];
        scratch.json(&args)["walked"].clone()
    };
    assert_eq!(walk("5"), walk("5"));
    assert!(["2", "3", "4"].iter().any(|seed| walk(seed) != walk("1")));
}

#[test]
fn games_tell_what_they_take_and_whether_they_are_solved() {
    let scratch = Scratch::new("games");
    assert!(scratch.run(&["solve", "mnk"]).status.success());
    let all = scratch.json(&["games", "--json"]);
    for game in all.as_array().unwrap() {
        let variants = game["variants"].as_array().unwrap();
        let name = game["name"].as_str().unwrap();
        assert!(variants.iter().any(|variant| variant["variant"] == name), "{name}: the default variant");
        assert!(variants.len() >= game["examples"].as_array().unwrap().len(), "{name}: all examples");
        for variant in variants {
            assert_eq!(variant["error"], Value::Null, "{variant}");
            assert!(variant["estimate"]["positions"].as_u64().unwrap() > 0, "{variant}");
            let state = if variant["variant"] == "mnk" { "solved" } else { "unsolved" };
            assert_eq!(variant["state"], state, "{variant}");
        }
    }
    let one = text(&scratch.run(&["games", "mnk:rows=2,line=2"]).stdout);
    assert!(
        one.contains("mnk:rows=2,line=2 ") && one.contains("solved, ") && one.contains("Options"),
        "{one}"
    );
    let none = scratch.run(&["games", "--data", "/no/such/directory"]);
    assert_eq!(none.status.code(), Some(2));
}

/// Sections of Pentago with an odd number of stones have White to move at their start.
#[test]
fn a_start_of_the_second_player_breaks_no_law() {
    let scratch = Scratch::new("check-second");
    for section in ["27177171", "71176116"] {
        let game = format!("pentago:section={section}");
        let output = scratch.run(&["check", &game, "--positions", "500", "--seconds", "2"]);
        let told = text(&output.stdout);
        assert!(output.status.success() && told.contains("no law is broken"), "{game}: {told}");
    }
}
