//! Bad requests, which are refused with a text that helps and have no other effect.

use serde_json::json;
use zermelo_cli::serve::ServerSettings;

use crate::client::{Client, Running, Scratch, settings, shared};

#[test]
fn bad_names_and_positions_are_named() {
    for (path, status, part) in [
        ("/api/v1/games/chess", 404, "quixo"),
        ("/api/v1/games/chess/default/position", 404, "the games are"),
        ("/api/v1/games/mnk/rows=99", 404, "from 1 to 8"),
        ("/api/v1/games/mnk/nonsense/position", 404, "key=value"),
        ("/api/v1/games/mnk/rows=3,cols=3;lattice/position", 404, "3;lattice"),
        ("/api/v1/games/mnk/default/position?p=nonsense", 400, "nonsense"),
        ("/api/v1/games/mnk/default/position?p=1_x--------", 400, "1_x"),
        ("/api/v1/games/mnk/default/position?p=%zz", 400, "hexadecimal"),
        ("/api/v1/games/mnk/default/line?p=%00", 400, "position"),
        ("/api/v1/games/%ff/default/position", 400, "UTF-8"),
        ("/universal/v1/%ff/", 400, "UTF-8"),
        ("/api/v1/nothing", 404, "openapi"),
        ("/api/v1/games/mnk/default/nothing", 404, "openapi"),
        ("/universal/v1/mnk/default/nothing/", 404, "openapi"),
        ("/nothing.html", 404, "nothing.html"),
    ] {
        let text = shared().get(path).refused(status);
        assert!(text.contains(part), "{path}: {text}");
    }
}

#[test]
fn paths_lead_nowhere_outside() {
    for path in [
        "/ui/../Cargo.toml",
        "/ui/..%2fCargo.toml",
        "/ui/%2e%2e/Cargo.toml",
        "/ui//etc/passwd",
        "/../../etc/passwd",
        "/api/v1/games/mnk/..%2f..%2fetc/position",
        "/api/v1/games/..%2fmnk/default/position",
        "/universal/v1/..%2f/default/",
    ] {
        shared().get(path).refused(404);
    }
}

#[test]
fn requests_that_are_too_large_are_refused() {
    let long = "x".repeat(5000);
    shared().get(&format!("/api/v1/games/mnk/default/position?p={long}")).refused(414);
    shared().get(&format!("/{}", "x".repeat(12_000))).refused(414);
    // A request far beyond the limit: the connection is closed before the request has arrived.
    let mut client = Client::new(shared().address);
    let _ = client.write(format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(10_000_000)).as_bytes());
    client.wait_for_end();
    let path = "/api/v1/games/mnk/default/positions";
    let many = json!({ "positions": vec!["1_---------"; 1001] }).to_string();
    assert!(shared().post(path, &many).refused(400).contains("1000"));
    let big = format!("{{\"positions\": [\"{}\"]}}", "x".repeat(300_000));
    shared().post(path, &big).refused(413);
    let full = json!({ "positions": vec!["1_---------"; 1000] }).to_string();
    assert_eq!(shared().post(path, &full).json()["positions"].as_array().unwrap().len(), 1000);
}

#[test]
fn bodies_that_are_no_json_are_refused() {
    let path = "/api/v1/games/mnk/default/positions";
    for body in ["", "{", "[]", "{\"positions\": 3}", "{\"positions\": [1]}", "\u{0}\u{1}"] {
        assert!(shared().post(path, body).refused(400).contains("positions"), "{body}");
    }
}

#[test]
fn other_methods_are_refused() {
    for (method, path) in [
        ("POST", "/api/v1/games"),
        ("DELETE", "/api/v1/games/mnk/default/position"),
        ("PUT", "/"),
        ("GET", "/api/v1/games/mnk/default/positions"),
    ] {
        Client::new(shared().address).send(method, path, &[], b"").refused(405);
    }
}

#[test]
fn nonsense_is_no_http_and_harms_nobody() {
    for bytes in
        [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"GET\r\n\r\n", b"\0\0\0\0\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"]
    {
        let mut client = Client::new(shared().address);
        client.write(bytes).unwrap();
        client.write(b"\r\n\r\n").ok();
        let _ = client.is_closed();
    }
    assert_eq!(shared().get("/healthz").status, 200);
}

#[test]
fn a_damaged_database_is_an_error_and_no_panic() {
    let scratch = Scratch::new("damaged");
    scratch.solve("mnk");
    let tables = scratch.path().join("mnk/default/tables.zmo");
    let mut bytes = std::fs::read(&tables).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].iter_mut().for_each(|b| *b ^= 0x55);
    std::fs::write(&tables, bytes).unwrap();
    let server = Running::start(ServerSettings { data: scratch.path().into(), ..settings() });
    let reply = server.get("/api/v1/games/mnk/default/position");
    assert!(reply.refused(500).contains("tables.zmo"), "{}", reply.text());
    assert_eq!(server.get("/api/v1/games/quixo/rows=2,cols=2,line=2/position").status, 200);
}

#[test]
fn a_database_that_cannot_be_opened_is_listed_with_the_reason() {
    let scratch = Scratch::new("broken");
    scratch.solve("mnk");
    std::fs::write(scratch.path().join("mnk/default/manifest.json"), "{").unwrap();
    let server = Running::start(ServerSettings { data: scratch.path().into(), ..settings() });
    let game = server.json("/api/v1/games/mnk");
    let variant = game["variants"].as_array().unwrap().iter().find(|v| v["id"] == "default").unwrap();
    assert_eq!((&variant["state"], &variant["solvable"]), (&json!("unsolved"), &json!(false)));
    assert!(variant["note"].as_str().unwrap().contains("manifest.json"), "{variant}");
    server.get("/api/v1/games/mnk/default/position").refused(500);
}
