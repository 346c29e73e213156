//! Counts of positions and games: published figures, little memory, kills, damage.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scratch::{Scratch, text};

/// Returns the result of a count without the fields that differ from run to run.
fn figures(mut counted: Value) -> Value {
    let object = counted.as_object_mut().unwrap();
    for key in ["seconds", "cpu_seconds", "peak_memory_bytes", "disk_bytes"] {
        assert!(object.remove(key).is_some(), "{key}");
    }
    counted
}

fn column(counted: &Value, key: &str) -> Vec<Option<u64>> {
    counted["plies"].as_array().unwrap().iter().map(|row| row[key].as_u64()).collect()
}

#[test]
fn tic_tac_toe_by_the_textbook() {
    let scratch = Scratch::new("count-mnk");
    let folded = scratch.json(&["count", "mnk", "--json"]);
    let apart = scratch.json(&["count", "mnk", "--no-symmetries", "--json"]);
    for (counted, canonical, finals) in
        [(&folded, Value::from(765), Value::from(138)), (&apart, Value::Null, Value::Null)]
    {
        assert_eq!((&counted["positions"], &counted["canonical_positions"]), (&5_478.into(), &canonical));
        assert_eq!((&counted["finals"], &counted["canonical_finals"]), (&958.into(), &finals));
        let games = &counted["complete_games"];
        assert_eq!((&games["total"], &games["first"]), (&255_168.into(), &131_184.into()));
        assert_eq!((&games["second"], &games["ties"]), (&77_904.into(), &46_080.into()));
        assert_eq!(counted["finished"], true);
    }
    for key in ["ply", "positions", "finals", "games", "passes"] {
        assert_eq!(column(&folded, key), column(&apart, key), "{key}");
    }
    let cut = scratch.json(&["count", "mnk", "--plies", "3", "--json"]);
    assert_eq!((&cut["finished"], &cut["complete_games"]), (&false.into(), &Value::Null));
    assert_eq!(cut["plies"].as_array().unwrap()[..], folded["plies"].as_array().unwrap()[..4]);
    let told = text(&scratch.run(&["count", "mnk"]).stdout);
    assert!(told.contains("5,478") && told.contains("765") && told.contains("255,168"), "{told}");
}

#[test]
fn connect_4_by_the_literature() {
    let scratch = Scratch::new("count-connect4");
    let all: Value = serde_json::from_str(include_str!("../golden/connect4.json")).unwrap();
    let small = |board: &&Value| (100..200_000).contains(&board["positions"].as_u64().unwrap());
    let boards: Vec<_> = all["boards"].as_array().unwrap().iter().filter(small).collect();
    assert!(boards.len() > 15);
    for board in boards {
        let game = format!("connect4:rows={},cols={}", board["rows"], board["cols"]);
        let counted = scratch.json(&["count", &game, "--json"]);
        assert_eq!(counted["positions"], board["positions"], "{game}");
        if let Some(plies) = board["plies"].as_array() {
            let want: Vec<_> = plies.iter().map(Value::as_u64).collect();
            assert_eq!(column(&counted, "positions"), want, "{game}");
        }
    }
}

/// In a game with loops, a ply is the fewest moves to a position; games are not counted.
#[test]
fn quixo_as_analyze_counts_it() {
    let scratch = Scratch::new("count-quixo");
    for game in ["quixo:rows=3,cols=3,line=3", "quixo:rows=3,cols=4,line=3"] {
        scratch.json(&["solve", game, "--json"]);
        let want = scratch.json(&["analyze", game, "--json"]);
        let counted = scratch.json(&["count", game, "--json"]);
        for key in ["positions", "canonical_positions"] {
            assert_eq!(counted[key], want[key], "{game}: {key}");
        }
        assert!(column(&counted, "games").iter().all(Option::is_none) && counted["complete_games"].is_null());
        let apart =
            scratch.json(&["count", game, "--no-symmetries", "--memory", "4M", "--threads", "2", "--json"]);
        assert_eq!(column(&apart, "positions"), column(&counted, "positions"), "{game}");
    }
}

#[test]
fn othello_with_its_passes() {
    let scratch = Scratch::new("count-othello");
    let small = scratch.json(&["count", "othello:rows=4,cols=4", "--json"]);
    assert_eq!((&small["canonical_positions"], &small["canonical_finals"]), (&10_513.into(), &683.into()));
    let passes = [0, 0, 0, 0, 1, 2, 7, 30, 117, 308, 586, 613, 0, 0, 0, 0, 0, 0].map(Some);
    assert_eq!(column(&small, "passes"), passes);
    let games = [1, 4, 12, 44, 128, 424, 1256, 3624, 9112, 20_032, 36_412, 50_268, 55_112, 31_396, 12_920];
    assert_eq!(column(&small, "games")[..games.len()], games.map(Some));
    assert_eq!((&small["complete_games"]["total"], &small["positions"]), (&60_060.into(), &Value::Null));
    assert_eq!(small["complete_games"]["first"], Value::Null);
    // With the turn in each position, the winner is known from the board.
    let sides = scratch.json(&["count", "othello:rows=4,cols=4", "--sides", "--no-symmetries", "--json"]);
    assert_eq!((&sides["positions"], &sides["finals"]), (&(47_633 + 5_254).into(), &5_254.into()));
    let games = &sides["complete_games"];
    assert_eq!((&games["first"], &games["second"]), (&24_632.into(), &30_116.into()));
    assert_eq!((&games["total"], &games["ties"]), (&60_060.into(), &5_312.into()));
    // The usual board, as Edax counts it: positions right after a placement, and games.
    let large = scratch.json(&["count", "othello", "--plies", "9", "--json"]);
    let placed = [1, 1, 3, 14, 60, 322, 1_773, 10_649, 67_245, 434_029].map(Some);
    assert_eq!(column(&large, "placed"), placed);
    let games = [1, 4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288].map(Some);
    assert_eq!(column(&large, "games"), games);
    assert_eq!(large["finished"], false);
}

/// A game that does not fit the least memory.
const LARGE: &str = "connect4:rows=5,cols=4";

fn large(scratch: &Scratch) -> Value {
    let counted = scratch.json(&["count", LARGE, "--json"]);
    assert_eq!(counted["disk_bytes"], 0);
    assert_eq!(counted["positions"], 1_706_255);
    figures(counted)
}

#[test]
fn little_memory_gives_the_same_figures() {
    let scratch = Scratch::new("count-memory");
    let apart = ["count", LARGE, "--no-symmetries", "--json"];
    let want = figures(scratch.json(&apart));
    assert_eq!(column(&want, "games"), column(&large(&scratch), "games"));
    let folder = scratch.path().join("spilt");
    std::fs::create_dir(&folder).unwrap();
    let place = folder.to_str().unwrap();
    for (threads, memory) in [("1", "2M"), ("3", "6M")] {
        let limits = ["--threads", threads, "--memory", memory, "--scratch", place];
        let counted = scratch.json(&[&apart[..], &limits].concat());
        assert!(counted["disk_bytes"].as_u64().unwrap() > 100_000, "{}", counted["disk_bytes"]);
        assert_eq!(figures(counted), want, "{threads} threads");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "files are gone in the end");
    }
}

/// Returns the arguments of a count that writes checkpoints all the time.
fn resumed<'a>(folder: &'a str, game: &'a str) -> [&'a str; 11] {
    let rest = ["--memory", "4M", "--threads", "2", "--checkpoint-every", "0.001", "--json"];
    [&["count", game, "--resume", folder][..], &rest].concat().try_into().unwrap()
}

/// Returns the checkpoint, if there is a whole one.
fn checkpoint(folder: &Path) -> Option<Value> {
    let json: Value = serde_json::from_slice(&std::fs::read(folder.join("count.json")).ok()?).ok()?;
    Some(json["count"]["stage"]["going"].clone()).filter(|stage| !stage.is_null())
}

/// Runs a count until its checkpoint satisfies a condition, and kills it; `false` if the condition never held.
fn kill_when(scratch: &Scratch, folder: &Path, game: &str, wanted: impl Fn(&Value) -> bool) -> bool {
    let args = resumed(folder.to_str().unwrap(), game);
    let mut child = scratch.command(&args).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let mut killed = false;
    while child.try_wait().unwrap().is_none() && begun.elapsed() < Duration::from_secs(60) {
        if checkpoint(folder).is_some_and(|stage| wanted(&stage)) {
            killed = true;
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    killed
}

/// Kills a count early, within a ply, while runs are being merged, and near the end.
fn killed_counts_end_with_the_same_figures(game: &str, [early, late]: [u64; 2]) {
    let scratch = Scratch::new(&format!("count-killed-{late}"));
    let want = figures(scratch.json(&["count", game, "--json"]));
    let folder = scratch.path().join("kept");
    let place = folder.to_str().unwrap();
    assert!(kill_when(&scratch, &folder, game, |stage| stage["ply"].as_u64() > Some(early)));
    assert!(kill_when(&scratch, &folder, game, |stage| stage["done"].as_u64() > Some(0)));
    assert!(kill_when(&scratch, &folder, game, |stage| stage["merging"] == true));
    assert!(kill_when(&scratch, &folder, game, |stage| stage["ply"].as_u64() > Some(late)));
    // The file that a killed run was writing does no harm, and is removed.
    std::fs::write(folder.join("run-77777"), b"half a").unwrap();
    std::fs::write(folder.join("run-77778.tmp"), b"half a").unwrap();
    let counted = scratch.json(&resumed(place, game));
    assert_eq!(figures(counted), want);
    // Only the result stays, and is printed at once.
    let left: u64 = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().metadata().unwrap().len()).sum();
    assert!(left < 20_000, "{left} bytes left");
    assert_eq!(figures(scratch.json(&resumed(place, game))), want);
}

#[test]
fn killed_counts_of_connect_4_end_with_the_same_figures() {
    killed_counts_end_with_the_same_figures(LARGE, [4, 15]);
}

/// In this game earlier plies are kept as well.
#[test]
fn killed_counts_of_quixo_end_with_the_same_figures() {
    killed_counts_end_with_the_same_figures("quixo:rows=3,cols=4,line=3", [3, 9]);
}

#[test]
fn a_kept_count_is_not_mixed_with_another() {
    let scratch = Scratch::new("count-other");
    let folder = scratch.path().join("kept");
    let place = folder.to_str().unwrap();
    assert!(kill_when(&scratch, &folder, LARGE, |stage| stage["ply"].as_u64() > Some(4)));
    let others: [(&[&str], &str); 4] = [
        (&["connect4:rows=4,cols=4"], "variant"),
        (&["mnk"], "game"),
        (&[LARGE, "--no-symmetries"], "symmetries"),
        (&[LARGE, "--plies", "7"], "plies"),
    ];
    for (other, key) in others {
        let output = scratch.run(&[&["count", "--resume", place], other].concat());
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{other:?}: {told}");
        assert!(told.contains(&format!("{key} = ")) && told.contains("another --resume"), "{told}");
    }
}

#[test]
fn two_counts_do_not_share_a_folder() {
    let scratch = Scratch::new("count-busy");
    let folder = scratch.path().join("kept");
    let args = resumed(folder.to_str().unwrap(), LARGE);
    let mut first = scratch.command(&args).stdout(Stdio::null()).spawn().unwrap();
    while !folder.join("count.json").exists() && first.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = scratch.run(&args);
    let was_running = first.try_wait().unwrap().is_none();
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(was_running, "the first count was over too soon for this test");
    assert_eq!(second.status.code(), Some(1));
    assert!(text(&second.stderr).contains("in use by another count"), "{}", text(&second.stderr));
}

/// Every file of a killed count is damaged in turn: the result is an error that names the file, or the right figures.
#[test]
fn damage_gives_an_error_and_no_figures() {
    let scratch = Scratch::new("count-damage");
    let want = large(&scratch);
    let folder = scratch.path().join("kept");
    assert!(kill_when(&scratch, &folder, LARGE, |stage| stage["ply"].as_u64() > Some(13)));
    let named = checkpoint(&folder).unwrap().to_string();
    let files: Vec<(PathBuf, Vec<u8>)> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    let mut errors = 0;
    for (path, good) in &files {
        let name = path.file_name().unwrap().to_str().unwrap();
        if name == "lock" || name.starts_with("run-") && !named.contains(&format!("\"{name}\"")) {
            continue;
        }
        let middle = good.len() / 2;
        let flipped = good.iter().enumerate().map(|(i, b)| if i == middle { b ^ 1 } else { *b }).collect();
        for bad in [good[..middle].to_vec(), flipped] {
            for (path, good) in &files {
                std::fs::write(path, good).unwrap();
            }
            std::fs::write(path, bad).unwrap();
            let output = scratch.run(&resumed(folder.to_str().unwrap(), LARGE));
            let told = text(&output.stderr);
            if output.status.success() {
                assert_eq!(figures(serde_json::from_slice(&output.stdout).unwrap()), want, "{name}");
                continue;
            }
            errors += 1;
            assert_eq!(output.status.code(), Some(1), "{name}: {told}");
            assert!(told.contains(name) && told.contains("damaged") && output.stdout.is_empty(), "{told}");
        }
        if errors >= 8 {
            break;
        }
    }
    assert!(errors >= 4, "{errors} errors");
}

#[test]
fn wrong_commands_are_refused_with_the_fix() {
    let scratch = Scratch::new("count-refused");
    let cases: [(&[&str], &str); 7] = [
        (&["count", "chess"], "the games are"),
        (&["count", "mnk:rows=99"], "from 1 to 8"),
        (&["count", "mnk", "--memory", "1M", "--threads", "4"], "give at least 8.4 MB (8388608)"),
        (&["count", "mnk", "--plies", "few"], "invalid value"),
        (&["count", "mnk", "--threads", "0"], "1..=1024"),
        (&["count", "mnk", "--scratch", "/no/such/directory"], "name a directory that is there"),
        (&["count", "mnk", "--scratch", "/tmp", "--resume", "kept"], "cannot be used with"),
    ];
    for (args, message) in cases {
        let output = scratch.run(args);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(message) && output.stdout.is_empty(), "{args:?}: {told}");
    }
    let output = scratch.run(&["count", "mnk", "--resume", "/proc/no"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("/proc/no"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left behind");
}
