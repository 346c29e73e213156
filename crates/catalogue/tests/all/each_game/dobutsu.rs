//! Dobutsu shogi with few men, solved by every engine and by the oracle.

use std::collections::HashMap;

use zermelo_core::{Game, Value};
use zermelo_games::Dobutsu;

use crate::games::{agreed, right, value};

#[test]
fn dobutsu_is_right() {
    for options in
        ["rows=3,chicks=0,elephants=0", "rows=3,chicks=0,giraffes=0", "chicks=0,elephants=0,giraffes=0"]
    {
        right::<Dobutsu>(options);
    }
    right::<Dobutsu>("elephants=0,giraffes=0");
}

#[test]
fn lions_and_a_pair_of_men() {
    let start = |options: &str| {
        let (game, done) = agreed::<Dobutsu>(options);
        value(&game, &done, &mut HashMap::new(), game.start())
    };
    assert_eq!(start("elephants=0,giraffes=0"), Some(Value::Win(15)));
    assert_eq!(start("chicks=0,giraffes=0"), Some(Value::Draw));
}
