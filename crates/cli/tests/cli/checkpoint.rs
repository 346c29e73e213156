//! Runs that are killed in the middle of a tier and go on there, and runs that leave out what does not fit the memory.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::resume::tables;
use crate::scratch::{Scratch, text};

const GAME: &str = "quixo:rows=3,cols=5,line=3";

/// A solve that saves its state all the time.
const SOLVE: [&str; 8] = ["solve", GAME, "--engine", "compact", "--threads", "1", "--checkpoint", "0"];

fn folder(scratch: &Scratch) -> PathBuf {
    zermelo::data_folder(scratch.path(), &zermelo::open(GAME, None, None).unwrap())
}

/// The files with the states of tiers at work.
fn states(scratch: &Scratch) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder(scratch)).into_iter().flatten().flatten().map(|file| file.path());
    files.filter(|file| file.file_name().unwrap().to_str().unwrap().starts_with("scratch-")).collect()
}

/// Solves for so long and kills the run; what it told on standard error.
fn killed_after(scratch: &Scratch, time: Duration) -> String {
    let mut child = scratch.command(&SOLVE).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(time);
    child.kill().unwrap();
    text(&child.wait_with_output().unwrap().stderr)
}

/// The tables that another engine writes.
fn others() -> Vec<(zermelo_core::Tier, u64, Vec<u8>)> {
    let whole = Scratch::new("checkpoint-whole");
    whole.json(&["solve", GAME, "--engine", "retrograde", "--json"]);
    tables(&whole, GAME)
}

/// How long a solve takes that nobody stops.
fn undisturbed() -> Duration {
    let (scratch, begun) = (Scratch::new("checkpoint-undisturbed"), Instant::now());
    assert!(scratch.run(&SOLVE).status.success());
    assert!(states(&scratch).is_empty(), "nothing is left behind");
    begun.elapsed()
}

#[test]
fn a_killed_run_goes_on_in_the_middle_of_a_tier() {
    let (want, took) = (others(), undisturbed());
    let mut went_on = 0;
    for round in 1..=4u32 {
        let scratch = Scratch::new("checkpoint-killed");
        for kill in 1..=5 {
            let told = killed_after(&scratch, took * (2 * round + kill) / 16);
            went_on += usize::from(told.contains("goes on from its checkpoint"));
        }
        let solved = scratch.run(&SOLVE);
        let told = text(&solved.stderr);
        assert!(solved.status.success(), "{told}");
        went_on += usize::from(told.contains("goes on from its checkpoint"));
        assert!(tables(&scratch, GAME) == want, "round {round}");
        assert!(states(&scratch).is_empty());
    }
    assert!(went_on > 2, "{went_on} runs went on in the middle of a tier");
}

#[test]
fn a_spoilt_state_costs_work_and_nothing_else() {
    let (want, took) = (others(), undisturbed());
    let mut spoilt = 0;
    for round in 1..=6u32 {
        let scratch = Scratch::new("checkpoint-spoilt");
        killed_after(&scratch, took * round / 8);
        for file in states(&scratch) {
            let mut bytes = std::fs::read(&file).unwrap();
            match round % 3 {
                0 => bytes.truncate(bytes.len() / 2),
                1 => bytes.iter_mut().skip(100).step_by(97).for_each(|byte| *byte ^= 4),
                _ => bytes.clear(),
            }
            std::fs::write(&file, bytes).unwrap();
            spoilt += 1;
        }
        let solved = scratch.run(&SOLVE);
        assert!(solved.status.success(), "{}", text(&solved.stderr));
        assert!(tables(&scratch, GAME) == want, "round {round}");
    }
    assert!(spoilt > 2, "{spoilt} states");
}

#[test]
fn a_run_that_keeps_going_leaves_out_what_does_not_fit_and_another_goes_on() {
    let scratch = Scratch::new("keep-going");
    let told = scratch.json(&["check", GAME, "--engine", "compact", "--json"]);
    let least = told["estimate"]["memory_least_bytes"].as_u64().unwrap();
    let little = (least - 1).to_string();
    let solve = ["solve", GAME, "--engine", "compact", "--memory", &little];
    let all = scratch.run(&solve);
    assert_eq!(all.status.code(), Some(1));
    assert!(!folder(&scratch).exists(), "refused before anything is written");
    let some = scratch.run(&[&solve[..], &["--keep-going"]].concat());
    let told = text(&some.stderr);
    assert_eq!(some.status.code(), Some(1), "{told}");
    assert!(
        told.contains("left out") && told.contains(", which needs ") && told.contains("and above them"),
        "{told}"
    );
    assert!(told.contains("--memory"), "{told}");
    // As many are solved as it says.
    let words: Vec<&str> = told.split_whitespace().collect();
    let at = words.windows(2).position(|two| two[0] == "solved").unwrap();
    let solved: u64 = words[at + 1].parse().unwrap();
    let again = scratch.json(&["solve", GAME, "--keep-going", "--json"]);
    assert_eq!(again["resumed_tiers"].as_u64(), Some(solved));
    assert!(solved > 0 && solved < again["tiers"].as_u64().unwrap());
    assert!(tables(&scratch, GAME) == others());
}
