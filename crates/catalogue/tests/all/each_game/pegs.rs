//! Peg solitaire against the table of the triangle of 15 holes that Beeler found (HAKMEM, 1972, item 76), and
//! against a search that knows no tiers and no symmetries.

use std::collections::HashMap;

use zermelo_core::{Game, Outcome, Value, laws::list_moves};
use zermelo_games::Pegs;

use crate::each_game::start;
use crate::games::{make, right};

#[test]
fn every_engine_is_right() {
    ["size=3", "size=4,hole=2", "size=4,hole=2,last=2", "board=square,size=3"]
        .into_iter()
        .for_each(right::<Pegs>);
    right::<Pegs>("hole=5");
}

/// Whether the goal can be reached, one jump after another.
fn solvable(game: &Pegs, p: u64, known: &mut HashMap<u64, bool>) -> bool {
    if let Some(found) = known.get(&p) {
        return *found;
    }
    let found = match game.outcome(p) {
        Some(outcome) => outcome == Outcome::Win,
        None => list_moves(game, p).into_iter().any(|(_, child)| solvable(game, child, known)),
    };
    known.insert(p, found);
    found
}

/// By the empty hole, up to symmetry, where the last peg can be.
const ENDS: [(usize, &[usize]); 4] =
    [(1, &[1, 7, 10, 13]), (2, &[2, 6, 11, 14]), (4, &[3, 4, 9, 12, 15]), (5, &[13])];

#[test]
fn the_triangle_ends_where_beeler_says() {
    for (hole, ends) in ENDS {
        for last in 1..=15 {
            let options = format!("hole={hole},last={last}");
            let (value, text) = start(&format!("pegs:{options}"), None);
            assert_eq!(value == Value::Win(13), ends.contains(&last), "{options}: {text}");
            let game = make::<Pegs>(&options);
            let found = solvable(&game, game.start(), &mut HashMap::new());
            assert_eq!(found, ends.contains(&last), "{options} by search");
            assert_eq!(text, if found { "solvable in 13" } else { "unsolvable" });
        }
    }
}

/// Every problem of one empty hole on other boards, against the plain search.
#[test]
fn small_boards_are_as_a_search_finds_them() {
    for (board, holes) in [("size=4", 10), ("board=square,size=3", 9), ("board=square,size=4", 16)] {
        let mut solved = 0;
        for hole in 1..=holes {
            let options = format!("{board},hole={hole}");
            let game = make::<Pegs>(&options);
            let found = solvable(&game, game.start(), &mut HashMap::new());
            let (value, _) = start(&format!("pegs:{options}"), None);
            assert_eq!(matches!(value, Value::Win(_)), found, "{options}: {value}");
            solved += usize::from(found);
        }
        assert_eq!(solved > 0, board != "board=square,size=3", "{board}: {solved}");
    }
}
