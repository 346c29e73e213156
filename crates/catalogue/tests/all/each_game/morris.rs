//! Morris: three men for the oracle; endgames of the larger boards against what was published.

use std::collections::HashMap;

use zermelo_core::{Face, Game, Opened, Tiers, Turn, Value, laws};
use zermelo_games::Morris;

use crate::games::{agreed, make, open, right, value};
use crate::run::{Done, PLENTY, order, solve};

/// Solves a variant with the best engine alone.
fn solved(options: &str) -> (Morris, Opened, Done) {
    let any = open(&format!("morris:{options}"), None, None).expect("opens");
    let done = solve(&any, PLENTY);
    let game = make::<Morris>(options);
    (game, any, done)
}

#[test]
fn three_mens_morris_is_right() {
    for options in ["men=3", "men=3,fly=no", "men=3,diagonals=mills,fly=no", "men=3,diagonals=all"] {
        right::<Morris>(options);
    }
}

#[test]
fn the_middle_wins_three_mens_morris() {
    // Wikipedia, "Three men's morris", on moves to adjacent points: "there is a winning strategy for the player who
    // goes first, unless the first player is not allowed to place the first piece in the centre, in which case
    // neither player has a winning strategy".
    for options in ["men=3,diagonals=mills,fly=no", "men=3,diagonals=all,fly=no"] {
        let (game, done) = agreed::<Morris>(options);
        let mut indexes = HashMap::new();
        assert_eq!(value(&game, &done, &mut indexes, game.start()), Some(Value::Win(9)), "{options}");
        for (m, p) in laws::list_moves(&game, game.start()) {
            let name = game.show_move(Turn::First, game.start(), m);
            let want = match name.as_str() {
                "b2" => Value::Lose(8),
                "a1" | "a3" | "c1" | "c3" => Value::Draw,
                _ => Value::Win(7),
            };
            assert_eq!(value(&game, &done, &mut indexes, p), Some(want), "{options} {name}");
        }
    }
    // With men that fly nobody wins.
    let (game, done) = agreed::<Morris>("men=3,diagonals=mills");
    assert_eq!(value(&game, &done, &mut HashMap::new(), game.start()), Some(Value::Draw));
}

#[test]
fn endgames_verify() {
    let (_, any, done) = solved("men=6,stage=4-3");
    agreed::<Morris>("men=6,stage=4-3,fly=no");
    for tier in order(&any) {
        let below: Vec<_> = any.tiers().children(tier).iter().map(|t| done[t].clone()).collect();
        let checked = any.audit().verify(tier, &*done[&tier], &below).expect("plain form");
        assert_eq!((checked.checked, checked.wrong), (done[&tier].positions(), 0), "{:?}", checked.examples);
    }
}

#[test]
fn three_against_three_on_the_large_board() {
    // As many as Gasser's database has states (1996); the values are our own.
    let (game, _, done) = solved("stage=3-3");
    let (mut indexes, tier) = (HashMap::new(), game.tier(game.start()));
    let mut counts = [0; 3];
    game.scan(&game.index(tier), 0..game.size(tier), |_, p| {
        let place = match value(&game, &done, &mut indexes, p) {
            Some(Value::Win(_)) => 0,
            Some(Value::Lose(_)) => 1,
            _ => 2,
        };
        counts[place] += 1;
    });
    assert_eq!((counts, counts.iter().sum::<i32>()), ([47_167, 9_659, 96], 56_922));
}

#[test]
fn four_men_on_two_squares_are_a_draw() {
    // github.com/brianhliou/game-solver, "Morris tablebases v1": so is the start with four, five and six men.
    for options in ["men=4", "men=4,fly=no"] {
        let (game, _, done) = solved(options);
        assert_eq!(value(&game, &done, &mut HashMap::new(), game.start()), Some(Value::Draw), "{options}");
    }
}
