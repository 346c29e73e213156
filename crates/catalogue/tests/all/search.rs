//! Search without tables on games of the project: it is right, stops when its time is up, and a game's own comes first.

use std::time::{Duration, Instant};

use zermelo_catalogue::Catalogue;
use zermelo_core::{Face, Game, Limits, Options, Value, laws};
use zermelo_engines::search;
use zermelo_games::{Connect4, Mnk, Quixo};

const AMPLE: Limits = Limits { time: Duration::from_secs(60), memory: 1 << 24 };

fn open<G: Face>(options: &str) -> G {
    G::new(&Options::read(&G::CARD, options).expect("options")).expect("a game")
}

#[test]
fn right_on_tic_tac_toe() {
    let game: Mnk = open("");
    let values = zermelo_testing::oracle(&game, &[game.start()]);
    // The order of a hash map differs from run to run, so this is another sample each time.
    for (p, value) in values.iter().take(1_000) {
        assert_eq!(search(&game, *p, AMPLE), Some(*value), "{p:?}");
    }
    assert_eq!(search(&game, game.start(), AMPLE), Some(Value::Tie(9)));
    assert_eq!(
        search(&game, game.start(), Limits { memory: 0, ..AMPLE }),
        Some(Value::Tie(9)),
        "without a table"
    );
}

#[test]
fn right_on_small_quixo() {
    let game: Quixo = open("rows=3,cols=3,line=3");
    assert_eq!(search(&game, game.start(), AMPLE), Some(Value::Win(7)));
}

#[test]
fn a_game_s_own_search_comes_first() {
    let game = Catalogue::standard().open("connect4", None, None).expect("opens");
    // The general search would need hours here.
    let at = |text: &str| game.oracle().parse(text).expect("a position");
    assert_eq!(game.oracle().search(at("2342173652716335"), AMPLE), Some(Value::Tie(26)));
    assert_eq!(game.oracle().search(at("4"), Limits { time: Duration::ZERO, ..AMPLE }), None);
    let (small, plain) = ("connect4:rows=3,cols=4,connect=3", open::<Connect4>("rows=3,cols=4,connect=3"));
    let small = Catalogue::standard().open(small, None, None).expect("opens");
    let found = small.oracle().search(small.oracle().start(), AMPLE);
    assert_eq!(found, search(&plain, plain.start(), AMPLE));
}

#[test]
fn stops_in_time_with_much_memory_and_with_none() {
    let (quixo, mnk): (Quixo, Mnk) = (open(""), open("rows=5,cols=5,line=5"));
    for memory in [0, 1 << 10, 1 << 26] {
        for time in [Duration::ZERO, Duration::from_millis(20), Duration::from_millis(100)] {
            let (limits, begin) = (Limits { time, memory }, Instant::now());
            assert_eq!(search(&quixo, quixo.start(), limits), None);
            assert_eq!(search(&mnk, mnk.start(), limits), None);
            let late = begin.elapsed().saturating_sub(2 * time);
            assert!(late < Duration::from_millis(500), "{limits:?} took {late:?} too long");
        }
    }
}

#[test]
fn a_finished_game_needs_no_time() {
    let game: Mnk = open("rows=1,cols=1,line=1");
    let over = laws::list_moves(&game, game.start())[0].1;
    assert_eq!(search(&game, over, Limits { time: Duration::ZERO, memory: 0 }), Some(Value::Lose(0)));
}

#[test]
fn time_without_end_is_a_limit_too() {
    let game: Mnk = open("");
    let limits = Limits { time: Duration::MAX, memory: 1 << 20 };
    assert_eq!(search(&game, game.start(), limits), Some(Value::Tie(9)));
}
