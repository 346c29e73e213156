//! Quarto on small boards, and endgames on the whole one.

use std::collections::HashMap;
use std::time::Duration;

use zermelo_core::{Game, Limits};
use zermelo_engines::search;
use zermelo_games::Quarto;

use crate::games::{agreed, right, value};

#[test]
fn small_boards_are_right() {
    for options in
        ["rows=2,attributes=1", "rows=2,attributes=2", "rows=3,attributes=2", "rows=2,attributes=3"]
    {
        right::<Quarto>(options);
    }
}

#[test]
fn a_small_board_with_eight_pieces_is_agreed_on() {
    let (game, done) = agreed::<Quarto>("rows=3,attributes=3");
    let limits = Limits { time: Duration::from_secs(60), memory: 1 << 30 };
    let found = search(&game, game.start(), limits);
    assert_eq!(value(&game, &done, &mut HashMap::new(), game.start()), found);
}

#[test]
fn endgames_are_right() {
    // Ten pieces placed, and nine.
    right::<Quarto>("start=0f3-5-a1-cbe7---9");
    let (game, done) = agreed::<Quarto>("start=0f3-5-a1-c-e7---9");
    let limits = Limits { time: Duration::from_secs(60), memory: 1 << 30 };
    let found = search(&game, game.start(), limits);
    assert!(found.is_some());
    assert_eq!(value(&game, &done, &mut HashMap::new(), game.start()), found);
}
