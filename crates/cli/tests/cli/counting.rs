//! Counts without a database, with a directory for spilled tiers.

use std::path::PathBuf;
use std::process::Stdio;

use crate::resume::wait_for;
use crate::scratch::{Scratch, text};

const GAME: &str = "connect4:rows=6,cols=4";
/// Enough memory for each tier with its child tiers, and not for all solved tiers that are still needed.
const LITTLE: &str = "900k";

/// Returns what a run reports about positions.
fn counts(told: &serde_json::Value) -> [&serde_json::Value; 5] {
    ["value", "remoteness", "counts", "canonical_counts", "plies"].map(|key| &told[key])
}

/// Returns the arguments of a run that has a directory for spilled tiers.
fn with_directory<'a>(game: &'a str, directory: &'a str) -> Vec<&'a str> {
    vec!["solve", game, "--no-database", "--resume", directory, "--json"]
}

/// Returns the file of counts of the only run in a directory.
fn log(scratch: &Scratch) -> PathBuf {
    scratch.path().join("connect4").join("cols=4;folded").join("counting").join("counts.log")
}

#[test]
fn what_does_not_fit_the_memory_waits_on_disk() {
    let scratch = Scratch::new("counting");
    let directory = scratch.path().to_str().unwrap();
    let plain = scratch.json(&["solve", GAME, "--no-database", "--json"]);
    let refused = scratch.run(&["solve", GAME, "--no-database", "--memory", LITTLE]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("--resume"));
    let little = scratch.json(&[&with_directory(GAME, directory)[..], &["--memory", LITTLE]].concat());
    assert_eq!(counts(&little), counts(&plain));
    let othello = "othello:rows=4,cols=4";
    let plain = scratch.json(&["solve", othello, "--no-database", "--json"]);
    assert_eq!(counts(&scratch.json(&with_directory(othello, directory))), counts(&plain));
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is kept");
}

#[test]
fn values_are_checked_while_they_are_solved() {
    let scratch = Scratch::new("checked");
    let told = scratch.json(&["solve", GAME, "--no-database", "--check", "20000", "--json"]);
    let checked = &told["checked"];
    assert!(checked["agreed"].as_u64().unwrap() > 10_000 && checked["too_long"] == 0, "{checked}");
    // With a database, and in words.
    let told = text(&scratch.run(&["solve", "connect4:rows=4,cols=4", "--check", "300"]).stdout);
    assert!(told.contains("values agree, 0 took too long"), "{told}");
    let plain = scratch.json(&["solve", "mnk", "--no-database", "--json"]);
    assert_eq!(plain["checked"], serde_json::Value::Null);
}

#[test]
fn a_killed_count_goes_on_and_two_do_not_mix() {
    let scratch = Scratch::new("counting-killed");
    let directory = scratch.path().to_str().unwrap();
    let plain = scratch.json(&["solve", GAME, "--no-database", "--json"]);
    let arguments = with_directory(GAME, directory);
    let mut child = scratch.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
    wait_for(&log(&scratch), 20_000);
    let second = scratch.run(&arguments);
    let was_running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(was_running, "the run was over too soon for this test");
    assert!(text(&second.stderr).contains("another run"), "{}", text(&second.stderr));
    let resumed = scratch.json(&arguments);
    assert!(resumed["resumed_tiers"].as_u64().unwrap() > 0);
    assert_eq!(counts(&resumed), counts(&plain));
    assert!(!log(&scratch).exists());
}

#[test]
fn a_directory_that_is_of_no_use_is_refused() {
    let scratch = Scratch::new("counting-refused");
    let directory = scratch.path().to_str().unwrap();
    let refused = scratch.run(&with_directory("mnk", directory));
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("engine sweep"), "{}", text(&refused.stderr));
    assert_eq!(scratch.run(&["solve", GAME, "--resume", directory]).status.code(), Some(2));
    let file = scratch.path().join("file");
    std::fs::write(&file, "").unwrap();
    let refused = scratch.run(&with_directory(GAME, file.to_str().unwrap()));
    assert!(text(&refused.stderr).contains("--resume"), "{}", text(&refused.stderr));
}
