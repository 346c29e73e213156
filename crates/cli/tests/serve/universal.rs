//! The rules of GamesmanUni's client, for every variant that is served. Each rule was found by breaking it: the
//! client then hangs or shows an empty board.

use std::collections::HashSet;

use serde_json::{Value as Json, json};

use crate::client::{SOLVED, shared};

const BASE: &str = "/universal/v1";

#[test]
fn all_solved_variants_are_listed_by_names_fit_for_urls() {
    let games = shared().json(&format!("{BASE}/"));
    let mut found = 0;
    for game in games.as_array().unwrap() {
        let id = game["id"].as_str().unwrap();
        assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()), "{id}");
        assert!(!["tictactoe", "quarto", "sim"].contains(&id), "these have boards of their own");
        assert_eq!(game["type"], "twoPlayer");
        assert!(matches!(game["gui"].as_str(), Some("v1" | "v2" | "v3")));
        let told = shared().json(&format!("{BASE}/{id}/"));
        assert_eq!(
            (&told["allowCustomVariantCreation"], &told["supportsWinBy"]),
            (&json!(false), &json!(false))
        );
        for variant in told["variants"].as_array().unwrap() {
            let variant = variant["id"].as_str().unwrap();
            assert!(is_plain(variant), "{variant}");
            walk(id, variant);
            found += 1;
        }
    }
    assert_eq!(found, SOLVED.len());
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// Looks at a variant and at positions along many lines of play.
fn walk(game: &str, variant: &str) {
    let told = shared().json(&format!("{BASE}/{game}/{variant}/"));
    assert_eq!(told["id"], variant);
    let centers = check_gui(&told["imageAutoGUIData"]);
    let theme = &told["imageAutoGUIData"]["themes"]["regular"];
    let rules = shared().json(&format!("{BASE}/{game}/{variant}/instructions/?locale=es"));
    assert!(rules["instructions"].as_str().unwrap().len() > 100);
    for n in 0..20 {
        let mut position = told["startPosition"].as_str().unwrap().to_string();
        let mut announced = Json::Null;
        for ply in 0..30 {
            let here = shared().json(&format!("{BASE}/{game}/{variant}/positions/?p={position}"));
            assert_eq!(here["position"], position, "what is asked for is what is told");
            check_position(&here, centers, theme);
            if !announced.is_null() {
                for key in ["autoguiPosition", "positionValue", "remoteness"] {
                    assert_eq!(announced[key], here[key], "{position}: a move announced another {key}");
                }
            }
            let moves = here["moves"].as_array().unwrap();
            if moves.is_empty() {
                break;
            }
            announced = moves[(n * 7 + ply * 3) % moves.len()].clone();
            position = announced["position"].as_str().unwrap().to_string();
        }
    }
}

/// Checks that there is a theme, that its places are pairs and that its images have one character; returns the number
/// of places.
fn check_gui(gui: &Json) -> usize {
    let theme = &gui["themes"][gui["defaultTheme"].as_str().unwrap()];
    let centers = theme["centers"].as_array().unwrap();
    assert!(centers.iter().all(|center| center.as_array().unwrap().len() == 2));
    assert_eq!(theme["space"].as_array().unwrap().len(), 2);
    for (piece, image) in theme["charImages"].as_object().unwrap() {
        assert_eq!(piece.chars().count(), 1);
        assert!(piece != "-" && image["image"].as_str().unwrap().ends_with(".svg"));
    }
    assert!(matches!(theme["animationType"].as_str(), None | Some("entityFade" | "simpleSlides")));
    centers.len()
}

fn check_position(here: &Json, centers: usize, theme: &Json) {
    let position = here["position"].as_str().unwrap();
    assert!(is_plain(position), "{position}");
    let (value, remoteness) = (here["positionValue"].as_str().unwrap(), here["remoteness"].as_i64().unwrap());
    let moves = here["moves"].as_array().unwrap();
    assert_eq!(remoteness == 0, moves.is_empty(), "{position}: 0 means that the game is over");
    assert_eq!(value == "draw", remoteness == -200, "{position}");
    check_board(here["autoguiPosition"].as_str().unwrap(), centers, theme);
    for key in ["move", "autoguiMove"] {
        let names: HashSet<_> = moves.iter().map(|m| m[key].as_str().unwrap()).collect();
        assert_eq!(names.len(), moves.len(), "{position}: {key} must differ");
    }
    let mut last = (0, 0);
    for m in moves {
        check_move(here, m, centers, theme);
        let rank = ["win", "tie", "draw", "lose"].iter().position(|word| m["moveValue"] == *word).unwrap();
        let key = (rank, m["deltaRemoteness"].as_i64().unwrap());
        assert!(key >= last, "{position}: best first");
        last = key;
    }
    if let Some(best) = moves.first() {
        assert_eq!(best["moveValue"], value, "{position}: worth what the best move is worth");
        if value != "draw" {
            assert_eq!(best["remoteness"].as_i64().unwrap() + 1, remoteness, "{position}");
        }
    }
}

fn check_board(board: &str, centers: usize, theme: &Json) {
    let (turn, rest) = board.split_once('_').unwrap();
    assert!(matches!(turn, "1" | "2"));
    let mut parts = rest.split('~');
    let cells = parts.next().unwrap();
    assert!(cells.len() <= centers);
    assert_eq!(cells.matches('.').count(), parts.count(), "{board}: a text for each dot");
    let known = |c: char| c == '-' || c == '.' || theme["charImages"].get(c.to_string()).is_some();
    assert!(cells.chars().all(known), "{board}: a picture for each character");
}

fn check_move(here: &Json, m: &Json, centers: usize, theme: &Json) {
    check_board(m["autoguiPosition"].as_str().unwrap(), centers, theme);
    for key in ["move", "position"] {
        assert!(!m[key].as_str().unwrap().contains([':', '\n', '#', '&', '+', '%', '?', ';', '~']), "{m}");
    }
    let turn = |of: &Json| of["autoguiPosition"].as_str().unwrap()[..1].to_string();
    // The client flips the value unless the same player moves again, as after a pass in Othello.
    let again = turn(here) == turn(m);
    let mover = match m["positionValue"].as_str().unwrap() {
        "win" if !again => "lose",
        "lose" if !again => "win",
        same => same,
    };
    assert_eq!(m["moveValue"], mover);
    assert!(!again || here["position"].as_str().unwrap().len() == 18, "no other board has passes");
    let button = m["autoguiMove"].as_str().unwrap();
    let parts: Vec<_> = button.split('_').collect();
    let places: Vec<usize> = match parts[0] {
        "A" => vec![parts[2].parse().unwrap()],
        "M" => vec![parts[1].parse().unwrap(), parts[2].parse().unwrap()],
        _ => panic!("{button}: a move without a button"),
    };
    assert!(places.iter().all(|place| *place < centers), "{button}");
    if let Some(sound) = parts.get(3) {
        assert!(theme["sounds"][*sound].is_string(), "{button}");
    }
}

/// Pentago with 30 stones, black to move; and with 31 stones, where white wins with a stone on d3.
const PENTAGO: [&str; 2] = ["5495561121343750226", "4688049120324758059"];

#[test]
fn a_stone_and_its_turn_are_two_moves_of_a_player() {
    let base = format!("{BASE}/pentago/default");
    let told = shared().json(&format!("{base}/"));
    let centers = check_gui(&told["imageAutoGUIData"]);
    let theme = &told["imageAutoGUIData"]["themes"]["regular"];
    let at = |position: &str| shared().json(&format!("{base}/positions/?p={position}"));
    let here = at(PENTAGO[0]);
    let stones = here["moves"].as_array().unwrap();
    assert_eq!(stones.len(), 6, "an empty cell each: {here}");
    for stone in stones {
        check_board(stone["autoguiPosition"].as_str().unwrap(), centers, theme);
        assert!(stone["autoguiMove"].as_str().unwrap().starts_with("A_-_"));
        let half = at(stone["position"].as_str().unwrap());
        for key in ["position", "autoguiPosition", "positionValue", "remoteness"] {
            assert_eq!(half[key], stone[key], "{key}");
        }
        let turn = |of: &Json| of["autoguiPosition"].as_str().unwrap()[..1].to_string();
        assert_eq!(turn(&here), turn(&half), "the same player goes on");
        let turns = half["moves"].as_array().unwrap();
        assert_eq!(turns.len(), 8);
        assert_eq!(turns[0]["moveValue"], half["positionValue"], "worth what the best turn is");
        let buttons: HashSet<_> = turns.iter().map(|m| m["autoguiMove"].as_str().unwrap()).collect();
        assert!(buttons.len() == 8 && buttons.iter().all(|button| button.starts_with("M_")), "{buttons:?}");
        for m in turns {
            check_move(&half, m, centers, theme);
            assert_ne!(turn(m), turn(&half));
            assert_eq!(at(m["position"].as_str().unwrap())["autoguiPosition"], m["autoguiPosition"]);
        }
    }
    shared().get(&format!("{base}/positions/?p={}-b6", PENTAGO[0])).refused(400);
}

#[test]
fn a_stone_that_wins_is_a_whole_move() {
    let base = format!("{BASE}/pentago/default/positions/?p=");
    let here = shared().json(&format!("{base}{}", PENTAGO[1]));
    let moves = here["moves"].as_array().unwrap();
    let won = moves.iter().find(|m| m["move"] == "d3").unwrap();
    assert_eq!((&won["moveValue"], &won["remoteness"]), (&json!("win"), &json!(0)));
    let end = shared().json(&format!("{base}{}", won["position"].as_str().unwrap()));
    assert_eq!(end["moves"], json!([]));
    shared().get(&format!("{base}{}-d3", PENTAGO[1])).refused(400);
}

#[test]
fn errors_are_objects_with_an_error() {
    for (path, status) in [
        ("/nosuchgame/", 404),
        ("/mnk/nosuchvariant/", 404),
        ("/mnk/default/positions/?p=not-a-position", 400),
        ("/mnk/default/positions/?p=", 400),
        ("/mnk/default/positions/", 400),
        ("/mnk/rows99/", 404),
    ] {
        shared().get(&format!("{BASE}{path}")).refused(status);
    }
}

#[test]
fn the_last_slash_may_be_left_out() {
    for path in ["", "/mnk", "/mnk/default", "/mnk/default/instructions"] {
        assert_eq!(shared().json(&format!("{BASE}{path}")), shared().json(&format!("{BASE}{path}/")));
    }
}

#[test]
fn an_unsolved_position_is_not_over() {
    let start = format!("{BASE}/quixo/default/positions/?p=1_{}", "-".repeat(25));
    let here = shared().json(&start);
    assert_eq!((&here["positionValue"], &here["remoteness"]), (&json!("unsolved"), &json!(-100)));
    assert!(!here["moves"].as_array().unwrap().is_empty());
}
