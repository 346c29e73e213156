//! Kaooa: small enough for the oracle as it is played.

use std::collections::HashMap;

use zermelo_core::{Game, Value};
use zermelo_games::Kaooa;

use crate::games::{agreed, right, value};

#[test]
fn kaooa_is_right() {
    for options in ["", "capture=must", "crows=6,enough=3"] {
        right::<Kaooa>(options);
    }
}

#[test]
fn seven_crows_win_and_six_do_not() {
    // Nobody has published these; the oracle agrees.
    for (options, want) in
        [("", Value::Win(15)), ("capture=must", Value::Win(15)), ("crows=6,enough=3", Value::Draw)]
    {
        let (game, done) = agreed::<Kaooa>(options);
        assert_eq!(value(&game, &done, &mut HashMap::new(), game.start()), Some(want), "{options}");
    }
}
