//! Nimbers beside values, and puzzles, which have one player.

use serde_json::{Value as Json, json};
use zermelo_cli::serve::ServerSettings;

use crate::client::{Running, Scratch, settings};

fn serve(scratch: &Scratch) -> Running {
    Running::start(ServerSettings { data: scratch.path().into(), ..settings() })
}

fn nimber(of: &Json) -> u64 {
    of["nimber"].as_u64().unwrap()
}

#[test]
fn positions_and_moves_have_nimbers() {
    let scratch = Scratch::new("nimbers");
    scratch.solve("nim");
    scratch.solve_for("nim", "nimber");
    let server = serve(&scratch);
    let here = server.json("/api/v1/games/nim/default/position");
    assert_eq!((&here["value"], nimber(&here)), (&json!("win"), 2));
    let moves = here["moves"].as_array().unwrap();
    let seen: Vec<u64> = moves.iter().map(nimber).collect();
    assert!(seen.contains(&0) && seen.contains(&1) && !seen.contains(&2), "{seen:?}");
    for m in moves {
        assert_eq!(m["mover"]["nimber"], m["nimber"]);
        assert_eq!(m["mover"]["value"] == "win", nimber(m) == 0, "{m}");
        assert!(m["remoteness"].is_u64() && m.get("margin").is_none(), "{m}");
    }
    let body = r#"{"positions":["2_0-0-5"]}"#;
    let listed = server.post("/api/v1/games/nim/default/positions", body).json();
    assert_eq!(listed["positions"][0]["nimber"], 5);
    let theirs = server.json("/universal/v1/nim/default/positions/?p=1_3-4-5");
    assert_eq!((&theirs["mex"], theirs.get("winby")), (&json!("2"), None));
    assert!(theirs["moves"].as_array().unwrap().iter().all(|m| m["mex"].is_string()));
    assert_eq!(server.json("/universal/v1/nim")["supportsWinBy"], false);
}

#[test]
fn puzzles_are_solvable_or_not_and_have_one_player() {
    let scratch = Scratch::new("puzzles");
    scratch.solve("slide:rows=2,cols=3");
    scratch.solve("mnk");
    let server = serve(&scratch);
    let own = "/api/v1/games/slide/rows=2,cols=3";
    assert_eq!(server.json(own)["puzzle"], true);
    assert_eq!(server.json("/api/v1/games/mnk/default")["puzzle"], false);
    let here = server.json(&format!("{own}/position?p=1_45-123"));
    assert_eq!((&here["value"], &here["remoteness"], &here["turn"]), (&json!("win"), &json!(21), &json!(1)));
    let best = &here["moves"][0];
    assert_eq!((&best["remoteness"], &best["mover"]["value"]), (&json!(20), &json!("win")));
    assert_eq!(best["mover"]["remoteness"], 21);
    let never = server.json(&format!("{own}/position?p=1_12354-"));
    assert_eq!((&never["value"], &never["remoteness"]), (&json!("draw"), &Json::Null));
    let line = server.json(&format!("{own}/line?p=1_45-123"));
    assert_eq!((line["line"].as_array().unwrap().len(), &line["complete"]), (21, &json!(true)));
    let games = server.json("/universal/v1/");
    let types: Vec<_> = games.as_array().unwrap().iter().map(|g| (&g["id"], &g["type"])).collect();
    assert!(types.contains(&(&json!("slide"), &json!("onePlayer"))), "{types:?}");
    assert!(types.contains(&(&json!("mnk"), &json!("twoPlayer"))), "{types:?}");
    let theirs = server.json("/universal/v1/slide/rows2_cols3/positions/?p=1_45-123");
    assert_eq!((&theirs["positionValue"], &theirs["remoteness"]), (&json!("win"), &json!(21)));
    assert!(theirs["moves"].as_array().unwrap().iter().all(|m| m["moveValue"] == "win"));
}
