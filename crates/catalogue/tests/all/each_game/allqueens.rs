//! All Queens Chess on small boards, solved by every engine and by the oracle.

use std::collections::HashMap;

use zermelo_core::{Game, Value};
use zermelo_games::AllQueens;

use crate::games::{agreed, right, value};

#[test]
fn all_queens_is_right() {
    for options in
        ["rows=3,cols=3,queens=2,line=3", "rows=3,cols=3,queens=3,line=3", "rows=3,cols=4,queens=3,line=3"]
    {
        right::<AllQueens>(options);
    }
    right::<AllQueens>("rows=3,cols=3,queens=4,line=3");
    right::<AllQueens>("rows=4,cols=3,queens=4,line=4");
}

#[test]
fn three_and_four_queens() {
    let start = |options: &str| {
        let (game, done) = agreed::<AllQueens>(options);
        value(&game, &done, &mut HashMap::new(), game.start())
    };
    assert_eq!(start("rows=3,cols=3,queens=3,line=3"), Some(Value::Draw));
    assert_eq!(start("rows=4,cols=4,queens=4,line=3"), Some(Value::Win(3)));
    assert_eq!(start("rows=4,cols=4,queens=4,line=4"), Some(Value::Draw));
}
