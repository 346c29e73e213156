//! Pentago on a server: values without distances, from the published files or by one search for all moves.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde_json::{Value as Json, json};
use zermelo_cli::serve::ServerSettings;

use crate::client::{Client, Running, Scratch, settings};
use crate::published;

const OWN: &str = "/api/v1/games/pentago/default";
const SECTION: &str = "pentago:section=90090880";

fn serve(data: &Scratch, slices: Option<PathBuf>) -> Running {
    let slices = slices.map(|folder| folder.display().to_string());
    Running::start(ServerSettings { data: data.path().into(), slices, ..settings() })
}

/// Returns a board with `stones` stones whose game is not over.
fn board(stones: usize) -> String {
    let game = zermelo::open("pentago", None, None).unwrap();
    let mut position = game.oracle().parse("274440791932540184").unwrap();
    for n in 18..stones {
        let moves = game.oracle().report(position, &()).unwrap().moves;
        let goes_on = moves.iter().filter(|m| !game.oracle().report(m.to, &()).unwrap().over);
        position = goes_on.cycle().nth(7 * n).unwrap().to;
    }
    game.oracle().text(position)
}

fn is_whole(found: &Json) {
    assert_eq!((&found["source"], &found["remoteness"]), (&json!("search"), &json!(null)));
    let moves = found["moves"].as_array().unwrap();
    assert!(!found["value"].is_null() && !moves.is_empty());
    assert!(moves.iter().all(|m| !m["mover"]["value"].is_null() && m["mover"]["remoteness"].is_null()));
    let order = |m: &Json| ["win", "tie", "lose"].iter().position(|word| m["mover"]["value"] == *word);
    assert!(moves.iter().is_sorted_by_key(order), "the best move first");
    assert_eq!(found["value"], moves[0]["mover"]["value"]);
}

#[test]
fn all_moves_are_searched_at_once_and_kept() {
    let scratch = Scratch::new("pentago");
    let server = serve(&scratch, None);
    let position = board(24);
    let path = format!("{OWN}/position?p={position}");
    let found = server.json(&path);
    is_whole(&found);
    let searched = server.metric("zermelo_positions_total{from=\"search\"}");
    assert_eq!(server.json(&path), found);
    assert_eq!(server.metric("zermelo_positions_total{from=\"search\"}"), searched, "it is remembered");
    let game = zermelo::open("pentago", None, None).unwrap();
    let at = |m: &Json| game.oracle().parse(m["position"].as_str().unwrap()).unwrap();
    let goes_on = |m: &&Json| !game.oracle().report(at(m), &()).unwrap().over;
    let next = found["moves"].as_array().unwrap().iter().find(goes_on).unwrap();
    let after = server.json(&format!("{OWN}/position?p={}", next["position"].as_str().unwrap()));
    is_whole(&after);
    assert_eq!(after["value"], next["value"]);
    universal_agrees(&server, &found);
}

/// Checks that GamesmanUni learns that there is an end, and not when.
fn universal_agrees(server: &Running, found: &Json) {
    let position = found["position"].as_str().unwrap();
    let theirs = server.json(&format!("/universal/v1/pentago/default/positions/?p={position}"));
    assert_eq!((&theirs["positionValue"], &theirs["remoteness"]), (&found["value"], &json!(-100)));
    for m in theirs["moves"].as_array().unwrap() {
        assert_eq!(m["deltaRemoteness"], 0, "{m}");
        assert!(m["remoteness"] == -100 || m["remoteness"] == 0, "{m}");
    }
}

#[test]
fn a_board_too_large_for_the_memory_is_not_known() {
    let scratch = Scratch::new("pentago-small");
    let (data, search_time) = (scratch.path().into(), std::time::Duration::from_millis(50));
    let server = Running::start(ServerSettings { data, memory: 64 << 20, search_time, ..settings() });
    let found = server.json(&format!("{OWN}/position?p={}", board(18)));
    assert_eq!((&found["value"], &found["source"]), (&json!(null), &json!("none")));
}

#[test]
fn published_files_are_read() {
    let (data, files) = (Scratch::new("pentago-data"), Scratch::new("pentago-files"));
    published::write_small(files.path());
    let server = serve(&data, Some(files.path().into()));
    let start = server.json(&format!("{OWN}/position"));
    assert_eq!((&start["value"], &start["source"]), (&json!("tie"), &json!("slices")));
    assert!(start["moves"].as_array().unwrap().iter().all(|m| !m["value"].is_null()));
    let values = server.post(&format!("{OWN}/positions"), r#"{"positions":["0"]}"#).json();
    assert_eq!(values["positions"][0], json!({ "position": "0", "value": "tie", "remoteness": null }));
    // No move keeps the value that the made-up files give the start, so that there is no line.
    let line = server.json(&format!("{OWN}/line"));
    assert_eq!((line["line"].as_array().unwrap().len(), &line["complete"]), (0, &json!(false)));
    // A damaged file gives an error that names it, if there is no other way to an answer.
    std::fs::write(files.path().join("slice-2.pentago"), b"not such a file").unwrap();
    let server = serve(&data, Some(files.path().into()));
    let reply = server.get(&format!("{OWN}/position?p={}", start["moves"][0]["position"].as_str().unwrap()));
    assert!(reply.refused(500).contains("slice-2.pentago"));
    is_whole(&server.json(&format!("{OWN}/position?p={}", board(26))));
    // In a list, the error concerns only the positions that need the file.
    let after = |position: &str| {
        let game = zermelo::open("pentago", None, None).unwrap();
        let at = game.oracle().parse(position).unwrap();
        game.oracle().report(at, &()).unwrap().moves[0].position.clone()
    };
    let (one, two) = (after("0"), after(&after("0")));
    let rows = server.post(&format!("{OWN}/positions"), &json!({ "positions": ["0", one, two] }).to_string());
    let rows = rows.json()["positions"].clone();
    assert_eq!(rows[0]["value"], "tie");
    assert!(rows[1]["value"].is_string() && rows[2]["error"].as_str().unwrap().contains("slice-2.pentago"));
}

/// A machine with files that does not answer does not delay look-ups in databases; and positions are drawn from
/// files, too.
#[test]
fn published_files_that_do_not_come_hold_up_nobody_else() {
    let (data, files) = (Scratch::new("pentago-slow"), Scratch::new("pentago-drawn"));
    data.solve("mnk");
    published::write_small(files.path());
    let drawn = serve(&data, Some(files.path().into())).json(&format!("{OWN}/random?value=tie"));
    assert_eq!((&drawn["value"], &drawn["source"]), (&json!("tie"), &json!("slices")));
    // This server takes connections and sends nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let slices = Some(format!("http://{}/data", silent.local_addr().unwrap()));
    let server = Running::start(ServerSettings { data: data.path().into(), slices, ..settings() });
    let many = 2 * std::thread::available_parallelism().unwrap().get() as u64 + 8;
    let (address, ended) = (server.address, AtomicU64::new(0));
    std::thread::scope(|scope| {
        for n in 0..many {
            let ended = &ended;
            scope.spawn(move || {
                let mut client = Client::new(address);
                match n % 2 {
                    0 => _ = client.get(&format!("{OWN}/line")),
                    _ => _ = client.send("POST", &format!("{OWN}/positions"), &[], br#"{"positions":["0"]}"#),
                }
                ended.fetch_add(1, Relaxed);
            });
        }
        server.until(|server| (server.metric("zermelo_requests_in_flight") >= many).then_some(()));
        let line = server.json("/api/v1/games/mnk/default/line");
        assert_eq!((&line["complete"], ended.load(Relaxed)), (&json!(true), 0), "it is there before them");
    });
}

#[test]
fn a_solved_section_has_statistics_without_distances() {
    let scratch = Scratch::new("pentago-section");
    scratch.solve(SECTION);
    let server = serve(&scratch, None);
    let path = "/api/v1/games/pentago/section=90090880";
    let start = server.json(&format!("{path}/position"));
    assert_eq!((&start["source"], &start["remoteness"]), (&json!("database"), &json!(null)));
    let counts = server
        .until(|server| Some(server.get(&format!("{path}/statistics"))).filter(|reply| reply.status == 200));
    assert_eq!(counts.json()["counts"]["win"], json!({ "over": 344, "goes on": 40 }));
    let refused = server.get(&format!("{path}/random?remoteness=1")).refused(400);
    assert!(refused.contains("not how soon"), "{refused}");
    assert_eq!(server.json(&format!("{path}/random?value=tie"))["value"], "tie");
}

/// Variants that differ by a text are listed apart, and a variant that is answered without a database is there for
/// GamesmanUni, too.
#[test]
fn sections_are_listed_and_the_whole_game_is_open_to_other_clients() {
    let scratch = Scratch::new("pentago-list");
    let game = zermelo::open(SECTION, None, None).unwrap();
    let settings = zermelo::Settings { data: Some(scratch.path().into()), ..zermelo::Settings::default() };
    zermelo::solve(&game, &settings, &zermelo::Progress::new("test")).unwrap();
    let ids = |server: &Running| -> Vec<String> {
        let universal = server.json("/universal/v1/pentago/");
        let variants = universal["variants"].as_array().unwrap().clone();
        variants.iter().map(|v| v["id"].as_str().unwrap().to_string()).collect()
    };
    let server = serve(&scratch, None);
    assert_eq!(ids(&server), ["section90090880"]);
    let list = server.json("/api/v1/games");
    let pentago = list.as_array().unwrap().iter().find(|game| game["id"] == "pentago").unwrap();
    let row = |id: &str| pentago["variants"].as_array().unwrap().iter().find(|v| v["id"] == id).cloned();
    assert_eq!(row("default").unwrap()["state"], "unsolved");
    assert_eq!(row(&game.variant).unwrap()["state"], "solved");
    let files = Scratch::new("pentago-list-files");
    published::write_small(files.path());
    assert_eq!(ids(&serve(&scratch, Some(files.path().into()))), ["default", "section90090880"]);
}
