//! Hex: values of small boards and the openings that win.

use std::collections::HashMap;

use zermelo_core::{Face, Game, Remoteness, Tiers, Turn, Value, laws};
use zermelo_games::Hex;

use crate::blobs::{is_right, remoteness};
use crate::games::{make, open, right, value};
use crate::lattice::as_sweep;
use crate::run::{PLENTY, codes, solve};

#[test]
fn every_engine_is_right() {
    for options in ["rows=2,cols=2", "rows=2,cols=4", "rows=3,cols=3", "rows=4,cols=2"] {
        right::<Hex>(options);
        as_sweep::<Hex>(options);
        is_right::<Hex, Remoteness>(options, None, remoteness);
    }
}

/// The start's value, and the first moves that win: on 2x2 as in HexWiki ("Small boards", after Queenbee), on
/// 3x3 and 4x4 as a brute force that shares no code with this one finds. By Nash's argument the first player
/// wins on every square board; and nobody ever ties.
#[test]
fn squares_are_won_by_whoever_begins() {
    for (size, moves, openings) in [(2, 3, "b1 a2"), (3, 5, "c1 a2 b2 c2 a3"), (4, 9, "d1 c2 b3 a4")] {
        let options = format!("rows={size},cols={size}");
        let any = open(&format!("hex:{options}"), Some("sweep"), None).expect("opens");
        let done = solve(&any, PLENTY);
        let game = make::<Hex>(&options);
        let mut indexes = HashMap::new();
        let mut valued = |p| value(&game, &done, &mut indexes, p);
        assert_eq!(valued(game.start()), Some(Value::Win(moves)), "{options}");
        let mut wins = vec![];
        for (m, child) in laws::list_moves(&game, game.start()) {
            if matches!(valued(child), Some(Value::Lose(_))) {
                wins.push(game.show_move(Turn::First, game.start(), m));
            }
        }
        assert_eq!(wins.join(" "), openings, "{options}");
        for (tier, solved) in &done {
            let codes = codes::<Hex, Remoteness>(solved);
            let tied = |i: &u64| matches!(codes.get(*i).value(), Some(Value::Tie(_) | Value::Draw));
            assert_eq!((0..game.size(*tier)).find(tied), None, "tier {tier} of {options}");
        }
    }
}
