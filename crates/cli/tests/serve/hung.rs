//! Long work and files that cannot be read, which must not delay other requests.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use zermelo_cli::serve::ServerSettings;

use crate::client::{Client, Running, Scratch, settings};

const SQUARE: &str = "/api/v1/games/domineering/rows=8,cols=8";

#[test]
fn a_file_that_is_no_plain_file_concerns_its_variant_alone() {
    let scratch = Scratch::new("pipe");
    scratch.solve("mnk");
    let folder = scratch.path().join("mnk").join("cols=4");
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("manifest.json");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let server = Running::start(ServerSettings { data: scratch.path().into(), ..settings() });
    let text = server.get("/api/v1/games/mnk/cols=4/position").refused(500);
    assert!(text.contains("manifest.json") && text.contains("plain file"), "{text}");
    assert_eq!(server.json("/api/v1/games/mnk/default/position")["value"], "tie");
    let games = server.json("/api/v1/games/mnk");
    let rows = games["variants"].as_array().unwrap();
    let row = rows.iter().find(|row| row["id"] == "cols=4").unwrap();
    assert!(row["note"].as_str().unwrap().contains("plain file"), "{row}");
}

#[test]
fn no_time_to_search_means_no_search_and_no_note() {
    let scratch = Scratch::new("no-time");
    let settings = ServerSettings { data: scratch.path().into(), search_time: Duration::ZERO, ..settings() };
    let server = Running::start(settings);
    for variant in ["domineering/rows=8,cols=8", "domineering/rows=4,cols=4", "connect4/default"] {
        let told = server.json(&format!("/api/v1/games/{variant}/position"));
        assert_eq!((&told["source"], &told["note"]), (&"none".into(), &serde_json::Value::Null), "{told}");
    }
    assert_eq!(server.metric("zermelo_positions_total{from=\"search\"}"), 0);
}

#[test]
fn a_note_is_told_in_time_and_then_known() {
    let scratch = Scratch::new("note");
    let server = Running::start(ServerSettings { data: scratch.path().into(), ..settings() });
    let ask = || server.json("/api/v1/games/domineering/rows=2,cols=2/position");
    let note = server.until(|_| ask()["note"].as_str().map(String::from));
    assert_eq!(note, "value ±1; whoever is to move wins");
    assert_eq!(ask()["note"], note.as_str());
}

/// Many clients ask for long work; other clients are answered in a small part of the time that the many wait.
#[test]
fn long_work_keeps_nobody_else_waiting() {
    let scratch = Scratch::new("starve");
    scratch.solve("mnk");
    let server = Running::start(ServerSettings { data: scratch.path().into(), ..settings() });
    let (address, done) = (server.address, AtomicBool::new(false));
    let timed = |path: &str| {
        let begun = Instant::now();
        assert_eq!(Client::new(address).get(path).status, 200);
        begun.elapsed()
    };
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    timed("/api/v1/games/mnk/default/position");
    let (long, mut health, short) = std::thread::scope(|scope| {
        let slow = || (0..2).map(|_| timed(&format!("{SQUARE}/position"))).collect::<Vec<_>>();
        let others: Vec<_> = (0..8).map(|_| scope.spawn(slow)).collect();
        let quick = scope.spawn(|| {
            let (mut health, mut times) = (vec![], vec![]);
            while !done.load(Relaxed) {
                health.push(timed("/healthz"));
                times.push(timed("/api/v1/games/mnk/default/position"));
            }
            (health, times)
        });
        let long: Vec<_> = others.into_iter().flat_map(|one| one.join().unwrap()).collect();
        done.store(true, Relaxed);
        let (health, times) = quick.join().unwrap();
        (median(long), health, median(times))
    });
    assert!(short < long / 4, "{short:?} for others, {long:?} for those who want much");
    health.sort_unstable();
    let (worst, many) = (health[health.len() * 99 / 100], health.len());
    assert!(
        worst < long / 2,
        "{worst:?} for 99 of 100 of {many} who ask whether it is up, {long:?} for those"
    );
}

#[test]
fn random_positions_come_soon_where_notes_take_long() {
    let scratch = Scratch::new("random-notes");
    let server = Running::start(ServerSettings { data: scratch.path().into(), ..settings() });
    let begun = Instant::now();
    server.json(&format!("{SQUARE}/position"));
    let whole = begun.elapsed();
    let begun = Instant::now();
    for _ in 0..3 {
        server.json(&format!("{SQUARE}/random"));
    }
    assert!(begun.elapsed() / 3 < whole, "a draw of 0.3 s and a search of 1 s");
}

#[test]
fn a_quota_of_disk_bounds_solves_on_request() {
    let scratch = Scratch::new("quota");
    // Room for one small variant at a time; each may take a megabyte and two bytes a number.
    let data = scratch.path().to_path_buf();
    let server = Running::start(ServerSettings { data: data.clone(), solve_disk: 1 << 20, ..settings() });
    let text = server.post("/api/v1/games/mnk/default/solve", "").refused(507);
    assert!(text.contains("--solve-disk"), "{text}");
    let server = Running::start(ServerSettings { data, solve_disk: (1 << 20) + 20_000, ..settings() });
    assert_eq!(server.post("/api/v1/games/mnk/default/solve", "").status, 202);
    server
        .until(|server| (server.json("/api/v1/games/mnk/default/solve")["state"] == "solved").then_some(()));
    let text = server.post("/api/v1/games/mnk/rows=3,cols=4/solve", "").refused(507);
    assert!(text.contains("solved on request"), "{text}");
}
