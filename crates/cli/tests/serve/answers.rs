//! Every route of our own API: that it answers, and that the answer is right.

use serde_json::{Value as Json, json};

use zermelo_cli::serve::ServerSettings;

use crate::client::{Running, SOLVED, Scratch, settings, shared};

#[test]
fn games_are_listed_with_their_variants() {
    let games = shared().json("/api/v1/games");
    let titles: Vec<_> = games.as_array().unwrap().iter().map(|g| g["title"].as_str().unwrap()).collect();
    assert!(titles.is_sorted(), "{titles:?}");
    for solved in SOLVED {
        let (game, variant) = solved.split_once('/').unwrap();
        let game = games.as_array().unwrap().iter().find(|g| g["id"] == game).unwrap();
        let variant = game["variants"].as_array().unwrap().iter().find(|v| v["id"] == variant).unwrap();
        assert_eq!((&variant["state"], &variant["solvable"]), (&json!("solved"), &json!(false)));
    }
    let quixo = shared().json("/api/v1/games/quixo");
    assert_eq!(
        quixo["options"][0],
        json!({"name": "rows", "help": "rows of the board", "words": [], "min": 2, "max": 8, "default": 5, "text": false})
    );
    let five = quixo["variants"].as_array().unwrap().iter().find(|v| v["id"] == "default").unwrap();
    assert_eq!(
        (&five["state"], &five["solvable"], &five["name"]),
        (&json!("unsolved"), &json!(false), &json!("5x5, line 5"))
    );
    assert!(quixo["rules"].as_str().unwrap().len() > 100 && quixo["examples"][0]["note"].is_string());
}

#[test]
fn a_variant_tells_how_to_draw_it() {
    let variant = shared().json("/api/v1/games/quixo/rows=3,cols=3,line=3");
    assert_eq!(variant["start"], "1_---------");
    assert_eq!(variant["board"]["cells"][0], json!([0.5, 0.5]));
    assert_eq!(variant["board"]["names"][0], "a3");
    assert_eq!(variant["state"], "solved");
    assert!(variant["database"]["bytes"].as_u64().unwrap() > 1000);
    assert_eq!(variant["database"]["etag"].as_str().unwrap().len(), 16);
    // Any way to write the options names the same variant.
    let same = shared().json("/api/v1/games/quixo/line=3,cols=3,rows=3");
    assert_eq!(same, variant);
    assert_eq!(shared().json("/api/v1/games/quixo/default")["database"], Json::Null);
    for part in ["lines", "labels", "sides"] {
        assert_eq!(variant["board"][part], json!([]), "{part} of a board of tiles");
    }
}

#[test]
fn a_board_of_points_has_lines_and_names_for_its_men() {
    let board = &shared().json("/api/v1/games/xiangqi/pieces=3")["board"];
    let lines = board["lines"].as_array().unwrap();
    // The file at the edge crosses the river, the next does not.
    assert!(lines.contains(&json!([0.5, 0.5, 0.5, 9.5])) && lines.contains(&json!([1.5, 0.5, 1.5, 4.5])));
    assert_eq!(board["sides"][1]["name"], "Black");
    assert_eq!(board["sides"][1]["men"][5], json!({"letter": "r", "sign": "車", "name": "rook"}));
    assert_eq!(shared().json("/api/v1/games/xiangqi")["options"][1]["text"], true);
}

#[test]
fn a_position_has_its_value_and_its_moves_best_first() {
    let start = shared().json("/api/v1/games/quixo/rows=3,cols=3,line=3/position");
    assert_eq!(
        (&start["value"], &start["remoteness"], &start["source"]),
        (&json!("win"), &json!(7), &json!("database"))
    );
    assert_eq!(
        (&start["turn"], &start["over"], &start["pieces"]),
        (&json!(1), &json!(false), &json!("---------"))
    );
    let best = &start["moves"][0];
    assert_eq!(best["mover"], json!({"value": "win", "remoteness": 7}));
    assert_eq!((&best["value"], &best["remoteness"]), (&json!("lose"), &json!(6)));
    assert_eq!(best["drawing"]["arrow"].as_array().unwrap().len(), 2);
    let centre = shared().json("/api/v1/games/mnk/default/position?p=2_----x----");
    assert_eq!(centre["moves"][0]["drawing"], json!({"cell": 0}));
    assert_eq!((&centre["turn"], &centre["value"]), (&json!(2), &json!("tie")));
    let over = shared().json("/api/v1/games/mnk/default/position?p=2_xxxoo----");
    assert_eq!((&over["over"], &over["moves"], &over["remoteness"]), (&json!(true), &json!([]), &json!(0)));
}

#[test]
fn moves_lead_on_from_a_position() {
    let at = |query: &str| shared().json(&format!("/api/v1/games/mnk/default/position?{query}"));
    assert_eq!(at("m=b2,a1,c3"), at("p=2_--x-x-o--"));
    assert_eq!(at("p=2_----x----&m=a1%20c3"), at("p=2_--x-x-o--"));
    assert_eq!(at("m="), at(""));
    let line = |query: &str| shared().json(&format!("/api/v1/games/mnk/default/line?{query}"));
    assert_eq!(line("m=b2,a1"), line("p=1_----x-o--"));
    let refusal = shared().get("/api/v1/games/mnk/default/position?m=b2,b2").refused(400);
    assert!(refusal.contains("b2"), "{refusal}");
}

#[test]
fn a_position_without_a_table_is_searched_and_not_kept() {
    // A position one move from the end, so that any search finds its value.
    let near = shared().get("/api/v1/games/mnk/rows=4,cols=4,line=4/position?p=1_xxx-ooo---------");
    assert_eq!(near.header("cache-control"), Some("no-store"));
    assert_eq!(near.header("etag"), None);
    let near = near.json();
    assert_eq!(
        (&near["value"], &near["remoteness"], &near["source"]),
        (&json!("win"), &json!(1), &json!("search"))
    );
    let far = shared().json("/api/v1/games/quixo/default/position");
    assert_eq!((&far["value"], &far["source"]), (&Json::Null, &json!("none")));
    assert_eq!(far["moves"][0]["mover"], Json::Null);
}

#[test]
fn perfect_play_leads_to_the_end() {
    let line = shared().json("/api/v1/games/quixo/rows=3,cols=3,line=3/line");
    assert_eq!((&line["complete"], line["line"].as_array().unwrap().len()), (&json!(true), 7));
    assert_eq!((&line["line"][6]["value"], &line["line"][6]["remoteness"]), (&json!("lose"), &json!(0)));
    let endless = shared().json("/api/v1/games/quixo/rows=2,cols=3,line=3/line");
    let positions: Vec<_> =
        endless["line"].as_array().unwrap().iter().map(|step| &step["position"]).collect();
    let (last, before) = positions.split_last().unwrap();
    assert!(before.contains(last) || **last == endless["position"], "it ends where it comes again");
    assert_eq!((&endless["complete"], &endless["line"][0]["value"]), (&json!(false), &json!("draw")));
    let unknown = shared().json("/api/v1/games/quixo/default/line");
    assert_eq!((&unknown["complete"], &unknown["line"]), (&json!(false), &json!([])));
    // One move is known to lose at once, and the value of the position itself is not known.
    let open = shared().json("/api/v1/games/mnk/misere=yes,cols=4/line?p=1_xx--oo------");
    assert_eq!((&open["complete"], &open["line"]), (&json!(false), &json!([])));
}

#[test]
fn random_positions_have_the_value_asked_for() {
    for (value, remoteness) in [("win", 5), ("lose", 4), ("tie", 6), ("win", 1)] {
        let path = format!("/api/v1/games/mnk/default/random?value={value}&remoteness={remoteness}");
        let found = shared().json(&path);
        assert_eq!((&found["value"], &found["remoteness"]), (&json!(value), &json!(remoteness)));
    }
    for variant in SOLVED {
        assert_eq!(shared().json(&format!("/api/v1/games/{variant}/random"))["source"], "database");
    }
    let endless = shared().json("/api/v1/games/quixo/rows=2,cols=3,line=3/random?value=draw");
    assert_eq!((&endless["value"], &endless["remoteness"]), (&json!("draw"), &Json::Null));
    assert!(shared().json("/api/v1/games/quixo/default/random")["position"].is_string());
    shared().get("/api/v1/games/mnk/default/random?value=draw").refused(404);
    shared().get("/api/v1/games/quixo/default/random?value=win").refused(404);
    shared().get("/api/v1/games/mnk/default/random?value=good").refused(400);
    shared().get("/api/v1/games/mnk/default/random?remoteness=-1").refused(400);
}

#[test]
fn a_batch_is_answered_in_order() {
    let body = json!({"positions": ["2_----x----", "nonsense", "1_---------"]}).to_string();
    let reply = shared().post("/api/v1/games/mnk/default/positions", &body);
    assert_eq!(reply.status, 200);
    let rows = &reply.json()["positions"];
    assert_eq!(rows[0], json!({"position": "2_----x----", "value": "tie", "remoteness": 8}));
    assert!(rows[1]["error"].as_str().unwrap().contains("nonsense"));
    assert_eq!(rows[2]["remoteness"], 9);
}

/// A list gives what is known of a position without a search, and that includes the result of an earlier search.
#[test]
fn lists_know_what_was_found_for_single_positions() {
    let path = "/api/v1/games/mnk/misere=yes";
    let alone = shared().json(&format!("{path}/position?p=1_xx-oo----"));
    assert_eq!((&alone["value"], &alone["source"]), (&json!("tie"), &json!("search")));
    let body = json!({"positions": ["1_xx-oo----"]}).to_string();
    let row = &shared().post(&format!("{path}/positions"), &body).json()["positions"][0];
    assert_eq!((&row["value"], &row["remoteness"]), (&alone["value"], &alone["remoteness"]));
}

/// A part is enough to draw positions with values from.
#[test]
fn random_positions_come_from_parts() {
    let scratch = Scratch::new("random-parts");
    scratch.solve_from("mnk:rows=4,cols=4,line=4", Some("2_xo--ox---------x"));
    let server = Running::start(ServerSettings { data: scratch.path().into(), ..settings() });
    let path = "/api/v1/games/mnk/rows=4,cols=4,line=4/random";
    for value in ["win", "lose", "tie"] {
        let found = server.json(&format!("{path}?value={value}"));
        assert_eq!(found["value"], value, "{found}");
        // The rules alone tell the value where the game is over or about to be.
        assert!(found["source"] == "database" || found["source"] == "rules", "{found}");
    }
    let text = server.get(&format!("{path}?value=draw")).refused(404);
    assert!(!text.contains("no database"), "{text}");
}

#[test]
fn statistics_are_those_of_analyze() {
    let path = "/api/v1/games/mnk/default/statistics";
    let counts = shared().until(|server| {
        let reply = server.get(path);
        match reply.status {
            202 => {
                assert_eq!(reply.json(), json!({"state": "counting"}));
                None
            }
            _ => Some(reply.json()),
        }
    });
    assert_eq!((&counts["positions"], &counts["canonical_positions"]), (&json!(5478), &json!(765)));
    assert_eq!(counts["longest"]["tie"]["remoteness"], 9);
    shared().get("/api/v1/games/quixo/default/statistics").refused(404);
}

#[test]
fn the_server_tells_how_it_is() {
    let health = shared().json("/api/v1/health");
    assert_eq!((&health["status"], &health["databases"]), (&json!("ok"), &json!(SOLVED.len())));
    assert_eq!(shared().get("/healthz").text(), "ok\n");
    let route = "zermelo_requests_total{route=\"/api/v1/games/{game}/{variant}/line\",status=\"404\"}";
    let before = shared().metric(route);
    shared().get("/api/v1/games/chess/default/line").refused(404);
    assert_eq!(shared().metric(route), before + 1);
    assert!(shared().metric("zermelo_connections") >= 1);
}

#[test]
fn every_route_of_the_description_exists() {
    let document = shared().json("/api/v1/openapi.json");
    for (path, methods) in document["paths"].as_object().unwrap() {
        let path = path.replace("{game}", "mnk").replace("{variant}", "default");
        for method in methods.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            let reply = match method.as_str() {
                "get" => shared().get(&path),
                _ => shared().post(&path, "{\"positions\": []}"),
            };
            assert!(matches!(reply.status, 200 | 202 | 400), "{method} {path}: {}", reply.text());
        }
    }
}
