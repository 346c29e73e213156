//! Published and doubly counted figures of Othello, reproduced exactly (`golden/othello.json`).

use serde_json::Value;

use crate::scratch::Scratch;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/othello.json")).unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn name(board: &str) -> String {
    let (board, start) = board.split_once(' ').unwrap_or((board, "standard"));
    // The name of a board has its width before its height.
    let (cols, rows) = board.split_once('x').unwrap();
    format!("othello:rows={rows},cols={cols},start={start}")
}

/// Returns the figures of a count, row by row.
fn rows(counted: &Value, keys: [&str; 4]) -> Vec<[u64; 4]> {
    let row = |row: &Value| keys.map(|key| number(&row[key]));
    counted["plies"].as_array().unwrap().iter().map(row).filter(|row| row[0] > 0).collect()
}

#[test]
fn positions_of_every_size_come_out_exactly() {
    let (golden, scratch) = (golden(), Scratch::new("reversi-count"));
    for (board, more) in [("4x4", &[][..]), ("5x4", &["--memory", "40M"]), ("8x8", &["--plies", "10"])] {
        let name = name(board);
        let counted = scratch.json(&[&["count", &name, "--json"], more].concat());
        let found = rows(&counted, ["canonical_positions", "canonical_finals", "passes", "moves"]);
        let levels = golden[board]["levels"].as_array().unwrap();
        let want = levels.iter().map(|level| {
            let [_, active, pass, _, over, moves] = [0, 1, 2, 3, 4, 5].map(|i| number(&level[i]));
            [active + over, over, pass, moves]
        });
        assert_eq!(found, want.collect::<Vec<_>>(), "{board}");
        if let Some(placed) = golden[board]["placed"].as_array() {
            let found = counted["plies"].as_array().unwrap().iter().map(|row| &row["placed"]);
            assert!(found.eq(placed), "right after a move, as Edax counts: {counted}");
        }
    }
}

#[test]
fn boards_with_the_turn_come_out_exactly() {
    let (golden, scratch) = (&golden()["4x4"], Scratch::new("reversi-sides"));
    for (symmetries, column) in [(false, 0), (true, 1)] {
        let more: &[&str] = if symmetries { &[] } else { &["--no-symmetries"] };
        let game = name("4x4");
        let counted = scratch.json(&[&["count", &game, "--sides", "--json"], more].concat());
        let (all, finals) = match symmetries {
            true => (&counted["canonical_positions"], &counted["canonical_finals"]),
            false => (&counted["positions"], &counted["finals"]),
        };
        assert_eq!(number(finals), number(&golden["final_boards"][column]));
        let active = number(&golden["board_and_turn"]["active"][column]);
        assert_eq!(number(all) - number(finals), active);
        let passes: u64 = counted["plies"].as_array().unwrap().iter().map(|row| number(&row["passes"])).sum();
        assert_eq!(passes, number(&golden["board_and_turn"]["must_pass"][column]));
        let games = &counted["complete_games"];
        let games = ["total", "first", "second", "ties"].map(|key| games[key].clone());
        assert_eq!(Value::from(games.to_vec()), golden["games"]);
    }
    let pairs = scratch.json(&["count", &name("4x4"), "--no-symmetries", "--json"]);
    assert_eq!(number(&pairs["positions"]) - number(&pairs["finals"]), number(&golden["pairs"]["active"]));
}

#[test]
fn values_come_out_exactly() {
    let (golden, scratch) = (golden(), Scratch::new("reversi-values"));
    for board in ["4x4", "4x4 parallel", "5x4"] {
        let (want, game) = (&golden[board], name(board));
        let solve = |objective: &str| {
            scratch.json(&["solve", &game, "--no-database", "--objective", objective, "--json"])
        };
        let (distance, margin) = (solve("remoteness"), solve("margin"));
        assert_eq!(margin["margin"], want["score"], "{board}");
        assert_eq!((&distance["positions"], &margin["positions"]), (&want["total"], &want["total"]));
        let counts = &distance["canonical_counts"];
        let sum = |word: &str| counts[word].as_object().unwrap().values().map(number).sum::<u64>();
        let over = |word: &str| counts[word].get("0").map_or(0, number);
        let active = ["win", "lose", "tie"].map(|word| sum(word) - over(word));
        match want["active"].as_array() {
            Some(want) => assert_eq!(active.to_vec(), want.iter().map(number).collect::<Vec<_>>(), "{board}"),
            None => assert_eq!(active.iter().sum::<u64>(), number(&want["active"]), "{board}"),
        }
        // Wins, losses and ties are the same for every objective.
        let margins = &margin["canonical_counts"];
        for word in ["win", "lose", "tie"] {
            let by = margins[word].as_object().unwrap().values().map(number).sum::<u64>();
            assert_eq!(by, sum(word), "{board}: {word}");
        }
    }
}
