//! Law: no text read as a position or as moves panics, and what is accepted reads back
//! as itself once in normal form.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use zermelo_core::AnyGame;

static GAMES: LazyLock<Vec<Box<dyn AnyGame>>> = LazyLock::new(|| {
    let names = ["mnk", "mnk:rows=4,cols=5,line=4", "mnk:rows=8,cols=8,line=5", "quixo:rows=3,cols=3,line=3", "quixo", "connect4", "othello", "othello:rows=4,cols=5,start=parallel", "xiangqi", "xiangqi:material=KRPkaa", "meaningless:loops=1", "mnk:misere=yes", "hex", "domineering:rows=3,cols=4", "qbf", "toot"];
    names.iter().filter_map(|name| zermelo_engines::open(name, None, None).ok()).collect()
});

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (position, moves) = text.split_once('|').unwrap_or((&text, ""));
    for game in GAMES.iter() {
        if let Ok(normal) = game.follow(position, "") {
            assert_eq!(game.follow(&normal, "").as_deref(), Ok(normal.as_str()));
            assert!(game.report(&normal, &()).is_ok());
        }
        if let Ok(reached) = game.follow(&game.start(), moves) {
            assert_eq!(game.follow(&reached, "").as_deref(), Ok(reached.as_str()));
        }
    }
});
