//! Teeko on boards small enough for the oracle.

use zermelo_games::Teeko;

use crate::games::right;

#[test]
fn teeko_is_right() {
    for options in
        ["rows=3,cols=3,men=3,line=3", "rows=3,cols=4,men=3,line=3", "rows=3,cols=3,men=4,line=3,squares=any"]
    {
        right::<Teeko>(options);
    }
}
