//! Law: no text read as a position or as moves panics, and an accepted position has a normal form that reads back as
//! the same position.

use std::sync::LazyLock;

use zermelo_catalogue::Catalogue;
use zermelo_core::Opened;

/// Variants with every kind of notation.
const NAMES: [&str; 16] = [
    "mnk",
    "mnk:rows=4,cols=5,line=4",
    "mnk:rows=8,cols=8,line=5",
    "quixo:rows=3,cols=3,line=3",
    "quixo",
    "connect4",
    "othello",
    "othello:rows=4,cols=5,start=parallel",
    "xiangqi",
    "xiangqi:material=KRPkaa",
    "meaningless:loops=1",
    "mnk:misere=yes",
    "hex",
    "domineering:rows=3,cols=4",
    "qbf",
    "toot",
];

static GAMES: LazyLock<Vec<Opened>> = LazyLock::new(|| {
    let open = |name| Catalogue::standard().open(name, None, None).expect("a variant of the catalogue");
    NAMES.into_iter().map(open).collect()
});

/// Panics if a position, or moves after `|`, break the law in any game.
pub(crate) fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (position, moves) = text.split_once('|').unwrap_or((&text, ""));
    for game in GAMES.iter() {
        let oracle = game.oracle();
        if let Ok(at) = oracle.parse(position) {
            assert_eq!(oracle.parse(&oracle.text(at)), Ok(at));
            assert!(oracle.report(at, &()).is_ok());
        }
        if let Ok(at) = oracle.follow(oracle.start(), moves) {
            assert_eq!(oracle.parse(&oracle.text(at)), Ok(at));
        }
    }
}
