//! TOOT and OTTO: what GamesmanClassic found on 4x4.

use std::collections::HashMap;

use zermelo_core::{Face, Value};
use zermelo_games::Toot;

use crate::games::{make, open, right, value};
use crate::run::{PLENTY, solve};

#[test]
fn every_engine_is_right() {
    for options in
        ["rows=2,cols=4,each=2", "rows=4,cols=2,each=2", "rows=1,cols=6,each=1", "rows=4,cols=1,each=1"]
    {
        right::<Toot>(options);
    }
}

/// An example game in GamesmanClassic, `src/mtootnotto.c`, with four discs of each letter. There the first
/// player has OTTO, so letters are swapped here.
#[test]
fn four_by_four_is_a_tie() {
    let options = "rows=4,cols=4,each=4";
    let any = open(&format!("toot:{options}"), Some("sweep"), None).expect("opens");
    let done = solve(&any, PLENTY);
    let game = make::<Toot>(options);
    let mut indexes = HashMap::new();
    for (position, want) in [
        ("1_----------------_0", Value::Tie(16)),
        ("2_------------o---_0", Value::Win(13)),
        ("1_------------o--o_0", Value::Lose(12)),
        ("2_------------ot-o_1", Value::Win(1)),
        ("1_------------otto_1", Value::Lose(0)),
    ] {
        let (_, p) = game.read(position).expect("a position");
        assert_eq!(value(&game, &done, &mut indexes, p), Some(want), "{position}");
    }
}
