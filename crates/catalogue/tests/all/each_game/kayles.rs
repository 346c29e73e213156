//! Kayles: nimbers of all positions of a row from those of rows, which are published (Guy and Smith 1956).

use zermelo_core::Value;
use zermelo_games::Kayles;

use crate::each_game::{nimbers_are_right, start};
use crate::games::right;

#[test]
fn every_engine_is_right() {
    ["pins=1", "pins=5", "pins=12"].into_iter().for_each(right::<Kayles>);
}

#[test]
fn nimbers_are_those_of_the_rows() {
    ["pins=3", "pins=11", "pins=17"].into_iter().for_each(nimbers_are_right::<Kayles>);
}

/// Whoever begins wins from every row, by striking its middle.
#[test]
fn the_first_player_wins() {
    for pins in 1..=14 {
        let (value, _) = start(&format!("kayles:pins={pins}"), None);
        assert!(matches!(value, Value::Win(_)), "{pins} pins: {value}");
    }
    assert_eq!(start("kayles:pins=11", Some("nimber")).1, "win, nimber 6");
}
