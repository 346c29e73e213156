//! Ten to nothing: whoever leaves a multiple of one more than may be taken off wins.

use zermelo_core::Value;
use zermelo_games::Tento0;

use crate::each_game::{nimbers_are_right, start};
use crate::games::right;

#[test]
fn every_engine_is_right() {
    ["", "from=1,by=1", "from=250,by=20", "from=60,by=3"].into_iter().for_each(right::<Tento0>);
}

#[test]
fn nimbers_are_remainders() {
    ["", "from=250,by=20", "from=17,by=1"].into_iter().for_each(nimbers_are_right::<Tento0>);
    assert_eq!(start("tento0", Some("nimber")), (Value::Win(1), "win, nimber 1".into()));
    // One, then whatever makes three: 9, 6, 3, 0.
    assert_eq!(start("tento0", None), (Value::Win(7), "win in 7".into()));
    assert_eq!(start("tento0:from=12", None), (Value::Lose(8), "lose in 8".into()));
}
