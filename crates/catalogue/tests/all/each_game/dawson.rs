//! Dawson's games: nimbers of all positions of a row from those of rows, which are published (Guy and
//! Smith 1956).

use zermelo_core::Value;
use zermelo_games::Dawson;

use crate::each_game::{nimbers_are_right, start};
use crate::games::right;

#[test]
fn every_engine_is_right() {
    ["pins=1", "pins=11", "pins=12,rules=chess"].into_iter().for_each(right::<Dawson>);
}

#[test]
fn nimbers_are_those_of_the_rows() {
    ["pins=17", "pins=16,rules=chess"].into_iter().for_each(nimbers_are_right::<Dawson>);
}

/// OEIS A002187 is 0 at 4, 8 and 14 files and nowhere else from 1 to 16.
#[test]
fn the_second_player_wins_where_the_nimber_is_0() {
    for files in 1..=16 {
        let (value, _) = start(&format!("dawson:pins={files},rules=chess"), None);
        assert_eq!(matches!(value, Value::Lose(_)), [4, 8, 14].contains(&files), "{files} files: {value}");
        let (same, _) = start(&format!("dawson:pins={}", files + 1), Some("nimber"));
        assert_eq!(matches!(same, Value::Lose(_)), [4, 8, 14].contains(&files), "{} pins: {same}", files + 1);
    }
}
