//! Solves from the page, and databases that appear while the server runs.

use serde_json::json;
use zermelo_cli::serve::ServerSettings;

use crate::client::{Client, Running, Scratch, settings};

#[test]
fn a_small_variant_is_solved_on_request_and_served_at_once() {
    let scratch = Scratch::new("solve");
    let server = Running::start(ServerSettings { data: scratch.path().into(), ..settings() });
    let variant = "/api/v1/games/mnk/rows=4,cols=4";
    assert_eq!(server.json(variant)["solvable"], true);
    assert_eq!(server.json(&format!("{variant}/solve"))["state"], "none");
    let begun = server.post(&format!("{variant}/solve"), "");
    assert_eq!((begun.status, &begun.json()["state"]), (202, &json!("solving")));
    let other = server.post("/api/v1/games/mnk/default/solve", "");
    assert!(matches!(other.status, 202 | 409), "{}", other.text());
    server.until(|server| {
        let told = server.json(&format!("{variant}/solve"));
        assert!(matches!(told["state"].as_str(), Some("solving" | "solved")), "{told}");
        assert!((0.0..=1.0).contains(&told["done"].as_f64().unwrap()));
        (told["state"] == "solved").then_some(())
    });
    let position = server.json(&format!("{variant}/position"));
    assert_eq!((&position["source"], &position["value"]), (&json!("database"), &json!("win")));
    assert_eq!(server.json(variant)["state"], "solved");
    let again = server.post(&format!("{variant}/solve"), "");
    assert_eq!((again.status, &again.json()["state"]), (200, &json!("solved")));
}

#[test]
fn what_is_too_large_or_not_allowed_is_not_solved() {
    let scratch = Scratch::new("forbidden");
    let data = scratch.path().to_path_buf();
    let server = Running::start(ServerSettings { data: data.clone(), ..settings() });
    for large in [
        "quixo/default",
        "connect4/default",
        "connect4/rows=7,cols=8",
        "mnk/rows=8,cols=8",
        "quixo/rows=8,cols=8",
    ] {
        let text = server.post(&format!("/api/v1/games/{large}/solve"), "").refused(403);
        assert!(text.contains("too large"), "{text}");
        assert_eq!(server.json(&format!("/api/v1/games/{large}"))["solvable"], false);
    }
    let foreign = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "http://other.test"),
        ("origin", "null"),
    ];
    for header in foreign {
        let mut client = Client::new(server.address);
        client.send("POST", "/api/v1/games/mnk/default/solve", &[header], b"").refused(403);
    }
    let server = Running::start(ServerSettings { data, may_solve: false, ..settings() });
    server.post("/api/v1/games/mnk/default/solve", "").refused(403);
    assert_eq!(server.json("/api/v1/games/mnk/default")["solvable"], false);
}

#[test]
fn a_solve_that_fails_says_why() {
    let scratch = Scratch::new("failing");
    let server = Running::start(ServerSettings { data: scratch.path().join("no/such"), ..settings() });
    assert_eq!(server.post("/api/v1/games/mnk/default/solve", "").status, 202);
    let told = server.until(|server| {
        let told = server.json("/api/v1/games/mnk/default/solve");
        (told["state"] != "solving").then_some(told)
    });
    assert_eq!(told["state"], "failed", "{told}");
    assert!(told["error"].as_str().unwrap().contains("data directory"), "{told}");
}

#[test]
fn a_database_that_appears_is_noticed() {
    let scratch = Scratch::new("appears");
    let server = Running::start(ServerSettings { data: scratch.path().into(), ..settings() });
    assert_eq!(server.json("/api/v1/games/mnk/default")["state"], "unsolved");
    scratch.solve("mnk");
    server.until(|server| (server.json("/api/v1/games/mnk/default")["state"] == "solved").then_some(()));
    server.until(|server| (server.json("/api/v1/health")["databases"] == 1).then_some(()));
}

/// A part that appears answers for its positions and does not make the variant look solved.
#[test]
fn a_part_is_found_and_is_not_the_whole() {
    let scratch = Scratch::new("part");
    let settings = ServerSettings {
        data: scratch.path().into(),
        search_time: std::time::Duration::from_millis(1),
        ..settings()
    };
    let server = Running::start(settings);
    let variant = "/api/v1/games/mnk/rows=4,cols=4,line=4";
    let position = format!("{variant}/position?p=2_xo--ox---------x");
    assert_ne!(server.json(&position)["source"], "database");
    scratch.solve_from("mnk:rows=4,cols=4,line=4", Some("2_xo--ox---------x"));
    let found = server.until(|server| Some(server.json(&position)).filter(|p| p["source"] == "database"));
    assert_eq!((&found["value"], &found["remoteness"]), (&json!("tie"), &json!(11)));
    let start = server.json(&format!("{variant}/position"));
    assert_eq!((&start["position"], start["source"] == "database"), (&json!("1_----------------"), false));
    let described = server.json(variant);
    assert_eq!((&described["state"], &described["database"]), (&json!("unsolved"), &json!(null)));
    let games = server.until(|server| {
        let game = server.json("/api/v1/games/mnk");
        game["variants"].as_array().unwrap().iter().find(|v| v["id"] == "rows=4,cols=4,line=4").cloned()
    });
    assert_eq!(games["state"], "unsolved");
}
