//! Margins beside values: Othello solved for both objectives, or for one of them.

use serde_json::{Value as Json, json};
use zermelo_cli::serve::ServerSettings;

use crate::client::{Client, Running, Scratch, settings};

const SMALL: &str = "othello:rows=4,cols=4";
const OWN: &str = "/api/v1/games/othello/rows=4,cols=4";
const UNIVERSAL: &str = "/universal/v1/othello";

fn serve(scratch: &Scratch) -> Running {
    Running::start(ServerSettings { data: scratch.path().into(), ..settings() })
}

fn turn(of: &Json) -> u8 {
    of["position"].as_str().unwrap().as_bytes()[0]
}

/// Returns a move's margin for the player who makes the move.
fn own(here: &Json, m: &Json) -> i64 {
    let margin = m["margin"].as_i64().unwrap();
    if turn(m) == turn(here) { margin } else { -margin }
}

#[test]
fn positions_and_moves_have_margins() {
    let scratch = Scratch::new("margins");
    scratch.solve(SMALL);
    scratch.solve_margins(SMALL);
    let server = serve(&scratch);
    let mut again = 0;
    for n in 0..20 {
        let mut position = String::new();
        for ply in 0.. {
            let here = server.json(&format!("{OWN}/position?p={position}"));
            let moves = here["moves"].as_array().unwrap();
            if position.is_empty() {
                assert_eq!(
                    ["value", "remoteness", "margin"].map(|key| &here[key]),
                    [&json!("lose"), &json!(11), &json!(-8)]
                );
            }
            let margin = here["margin"].as_i64().unwrap();
            let word = ["lose", "tie", "win"][(margin.signum() + 1) as usize];
            assert_eq!(here["value"], word, "{here}");
            let best = moves.iter().map(|m| own(&here, m)).max();
            assert_eq!(best.unwrap_or(margin), margin, "{here}");
            assert!(moves.iter().all(|m| m["mover"]["margin"] == own(&here, m)), "{here}");
            universal_agrees(&server, &here);
            again += moves.iter().filter(|m| turn(m) == turn(&here)).count();
            let Some(next) = moves.get((n * 7 + ply * 3) % moves.len().max(1)) else { break };
            position = next["position"].as_str().unwrap().into();
        }
    }
    assert!(again > 0, "some player moved again");
    let body = format!(
        r#"{{"positions":["{}"]}}"#,
        server.json(&format!("{OWN}/position"))["position"].as_str().unwrap()
    );
    assert_eq!(server.post(&format!("{OWN}/positions"), &body).json()["positions"][0]["margin"], -8);
}

/// Checks that GamesmanUni gets the size of the margin, and learns from the turn which player moves again.
fn universal_agrees(server: &Running, here: &Json) {
    let position = here["position"].as_str().unwrap();
    let theirs = server.json(&format!("{UNIVERSAL}/rows4_cols4/positions/?p={position}"));
    assert_eq!(theirs["winby"], here["margin"].as_i64().unwrap().abs());
    for (m, own) in theirs["moves"].as_array().unwrap().iter().zip(here["moves"].as_array().unwrap()) {
        assert_eq!((&m["move"], &m["winby"]), (&own["move"], &json!(own["margin"].as_i64().unwrap().abs())));
        assert_eq!(m["moveValue"], own["mover"]["value"]);
        let drawn = m["autoguiPosition"].as_str().unwrap();
        assert_eq!(drawn.as_bytes()[0], turn(m));
        assert!(drawn[2..].chars().all(|c| matches!(c, 'B' | 'W' | '-')), "{drawn}");
    }
}

#[test]
fn margins_that_appear_are_noticed() {
    let scratch = Scratch::new("margins-appear");
    scratch.solve(SMALL);
    let server = serve(&scratch);
    let start = format!("{OWN}/position");
    let before = server.get(&start);
    let winby =
        format!("{UNIVERSAL}/rows4_cols4/positions/?p={}", before.json()["position"].as_str().unwrap());
    assert_eq!(before.json().get("margin"), None, "left out where it is not known");
    assert_eq!(server.json(&winby).get("winby"), None);
    assert_eq!(server.json(UNIVERSAL)["supportsWinBy"], false);
    scratch.solve_margins(SMALL);
    let after = server.until(|server| Some(server.get(&start)).filter(|reply| reply.json()["margin"] == -8));
    assert_ne!(before.header("etag"), after.header("etag"), "the answer is another one");
    let known = [("if-none-match", before.header("etag").unwrap())];
    assert_eq!(Client::new(server.address).send("GET", &start, &known, b"").status, 200);
    server.until(|server| Some(()).filter(|()| server.json(UNIVERSAL)["supportsWinBy"] == true));
    assert_eq!(server.json(&winby)["winby"], 8);
    assert_eq!(server.json("/universal/v1/mnk/")["supportsWinBy"], false);
}
