//! Exports over HTTP: rows as the command has them, within the bounds of the server.

use std::collections::BTreeMap;
use std::time::Duration;

use zermelo_cli::serve::ServerSettings;

use crate::client::{Client, Running, Scratch, settings, shared};

const CONNECT4: &str = "/api/v1/games/connect4/rows=4,cols=4/export";

#[test]
fn rows_are_sent_as_they_are_made() {
    let reply = shared().get("/api/v1/games/mnk/default/export");
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/csv; charset=utf-8")));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let text = reply.text();
    assert!(
        text.starts_with("position,tier,number,value,remoteness,copies\n1_---------,0,0,tie,9,1\n"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 766);
    // All rows of Connect 4, which take many chunks: their values are those that the statistics count.
    let text = shared().get(&format!("{CONNECT4}?symmetries=false&limit=1000000&format=jsonl")).text();
    let mut counts: BTreeMap<(String, String), u64> = BTreeMap::new();
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let key = (row["value"].as_str().unwrap().to_string(), row["remoteness"].to_string());
        *counts.entry(key).or_default() += 1;
    }
    assert_eq!(counts.values().sum::<u64>(), 161_029);
    let told = shared().until(|server| {
        let reply = server.get("/api/v1/games/connect4/rows=4,cols=4/statistics");
        (reply.status == 200).then(|| reply.json())
    });
    for word in ["win", "lose", "tie"] {
        for (number, many) in told["counts"][word].as_object().unwrap() {
            assert_eq!(counts.remove(&(word.to_string(), number.clone())), many.as_u64(), "{word} {number}");
        }
    }
    assert!(counts.is_empty(), "{counts:?}");
}

#[test]
fn rows_are_bounded_chosen_and_drawn() {
    let lines = |query: &str| {
        let reply = shared().get(&format!("{CONNECT4}?{query}"));
        assert_eq!(reply.status, 200, "{query}: {}", reply.text());
        reply.text().lines().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(lines("symmetries=false").len(), 100_001, "the bound where none is given");
    let first = lines("limit=7");
    assert_eq!((first.len(), &first[..]), (8, &lines("limit=20")[..8]));
    let lost = lines("value=lose&remoteness=2..4&limit=50");
    assert!(lost[1..].iter().all(|row| row.contains(",lose,2,") || row.contains(",lose,4,")), "{lost:?}");
    let drawn = lines("sample=40&seed=5&positions=stored");
    assert_eq!((drawn.len(), &drawn), (41, &lines("sample=40&seed=5&positions=stored")));
    for (format, begins) in [("npy", &b"\x93NUMPY"[..]), ("parquet", b"PAR1")] {
        let reply = shared().get(&format!("{CONNECT4}?format={format}&limit=1000"));
        assert!(reply.body.starts_with(begins), "{format}");
    }
}

#[test]
fn what_cannot_be_exported_is_refused() {
    for (path, status, says) in [
        (format!("{CONNECT4}?format=xml"), 400, "parquet"),
        (format!("{CONNECT4}?limit=0"), 400, "limit"),
        (format!("{CONNECT4}?sample=100001"), 400, "zermelo export"),
        (format!("{CONNECT4}?tier=123456"), 400, "no such table"),
        (format!("{CONNECT4}?positions=stored&symmetries=false"), 400, "reached positions"),
        ("/api/v1/games/mnk/rows=3,cols=4/export".into(), 404, "no database"),
        ("/api/v1/games/chess/default/export".into(), 404, "no game"),
    ] {
        let text = shared().get(&path).refused(status);
        assert!(text.contains(says), "{path}: {text}");
    }
}

#[test]
fn clients_that_leave_or_do_not_read_keep_nobody_waiting() {
    let scratch = Scratch::new("export-crowd");
    scratch.solve("connect4:rows=4,cols=4");
    scratch.solve("mnk");
    let server = Running::start(ServerSettings { data: scratch.path().into(), ..settings() });
    // More than there are places for, and more bytes than the system keeps for a connection that nobody reads.
    let path = format!("{CONNECT4}?symmetries=false&limit=1000000&format=jsonl");
    for _ in 0..20 {
        let mut gone = Client::new(server.address);
        gone.write(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).unwrap();
    }
    let mut still: Vec<_> = (0..2).map(|_| Client::new(server.address)).collect();
    for client in &mut still {
        client.write(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).unwrap();
    }
    // Look-ups have threads of their own.
    assert_eq!(server.get("/api/v1/games/mnk/default/position").status, 200);
    let rows = server.until(|server| {
        let reply = server.get(&format!("{CONNECT4}?limit=5"));
        if reply.status == 503 {
            std::thread::sleep(Duration::from_millis(20));
        }
        (reply.status == 200).then(|| reply.text().lines().count())
    });
    assert_eq!(rows, 6);
}
