//! Domineering: who wins on small boards, and values of combinatorial game theory beside solved ones.

use std::collections::HashMap;
use std::time::Duration;

use zermelo_core::laws::list_moves;
use zermelo_core::{Face, Game, Limits, Options, Tiers, Turn, Value};
use zermelo_games::Domineering;
use zermelo_games::domineering::{DomineeringValues, Outcomes};

use crate::games::{agreed, open, right, value};
use crate::run::{Done, PLENTY, solve};

#[test]
fn every_engine_is_right() {
    for options in ["rows=3,cols=3", "rows=2,cols=5", "rows=4,cols=3", "rows=1,cols=4", "rows=4,cols=4"] {
        right::<Domineering>(options);
    }
}

/// The rules and everything solved.
fn solved(rows: usize, cols: usize) -> (Domineering, Done) {
    let game = open(&format!("domineering:rows={rows},cols={cols}"), None, None).expect("opens");
    let options = Options::read(&Domineering::CARD, &format!("rows={rows},cols={cols}")).expect("options");
    (Domineering::new(&options).expect("a game"), solve(&game, PLENTY))
}

/// Whether the player who begins wins, standing dominoes first.
fn first_wins(rows: usize, cols: usize) -> bool {
    let (rules, done) = solved(rows, cols);
    matches!(value(&rules, &done, &mut HashMap::new(), 0), Some(Value::Win(_)))
}

/// Who wins on boards of so many rows (down) and columns (across): 1 and 2 for the first and the second to
/// move, V and H for standing and lying dominoes. Breuker, Uiterwijk and van den Herik, "Solving 8x8
/// Domineering" (2000), table 1; Lachmann, Moore and Rapaport, "Who wins Domineering on rectangular
/// boards?" (2000).
const WINNERS: [&str; 6] = ["2HHHHHHH", "V11HV11H", "V11HHHHH", "VVV1V1VH", "VHVH2HHH", "V1V1V1VH"];

#[test]
fn who_wins_small_boards() {
    for (rows, list) in (1..).zip(WINNERS) {
        for (cols, want) in (1..).zip(list.chars()).filter(|(cols, _)| rows * cols <= 21) {
            // Whoever lies begins on the board turned by its diagonal, where they stand.
            let found = match (first_wins(rows, cols), first_wins(cols, rows)) {
                (true, true) => '1',
                (true, false) => 'V',
                (false, true) => 'H',
                (false, false) => '2',
            };
            assert_eq!(found, want, "{rows} rows, {cols} columns");
        }
    }
}

/// Whoever begins loses on 5x5; and a search says of positions of many games what solving says.
#[test]
fn five_by_five() {
    let (rules, done) = solved(5, 5);
    let (mut indexes, mut outcomes) = (HashMap::new(), Outcomes::new(&rules, 12, u64::MAX));
    assert_eq!(outcomes.wins(0, Turn::First), Some(false));
    let mut number = 1u64;
    for _ in 0..500 {
        let (mut p, mut turn) = (rules.start(), Turn::First);
        loop {
            let wins = matches!(value(&rules, &done, &mut indexes, p), Some(Value::Win(_)));
            assert_eq!(outcomes.wins(p, turn), Some(wins), "{}", rules.show(turn, p));
            let moves = list_moves(&rules, p);
            if moves.is_empty() {
                break;
            }
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (p, turn) = (moves[(number >> 33) as usize % moves.len()].1, turn.other());
        }
    }
}

/// What the value of a position says of the player to move, and what a search says, is what solving says,
/// for all of them.
#[test]
fn values_are_those_of_the_solver() {
    for options in ["rows=4,cols=4", "rows=3,cols=5"] {
        let (game, done) = agreed::<Domineering>(options);
        let mut values = DomineeringValues::new(&game);
        let mut outcomes = Outcomes::new(&game, 12, u64::MAX);
        let mut compared = 0;
        for tier in done.keys() {
            let (index, mut indexes) = (game.index(*tier), HashMap::new());
            let turn = if tier.0 % 2 == 0 { Turn::First } else { Turn::Second };
            game.scan(&index, 0..game.size(*tier), |_, p| {
                let solved = matches!(value(&game, &done, &mut indexes, p), Some(Value::Win(_)));
                // Each position has its steps of its own, but for what is known by then.
                let found = values.wins(p, turn).unwrap_or_else(|| {
                    values = DomineeringValues::new(&game);
                    values.wins(p, turn).expect("a small board")
                });
                assert_eq!(found, solved, "{}", game.show(turn, p));
                assert_eq!(outcomes.wins(p, turn), Some(solved), "{}", game.show(turn, p));
                compared += 1;
            });
        }
        assert!(compared > 1_000, "{compared}");
    }
}

#[test]
fn a_note_tells_the_value() {
    let limits = Limits { time: Duration::from_secs(600), memory: 1 << 20 };
    let game = open("domineering:rows=2,cols=2", None, None).expect("opens");
    let at = |text: &str| game.oracle().parse(text);
    let note = game.oracle().note(at("1_----").expect("a position"), limits);
    assert_eq!(note.as_deref(), Some("value ±1; whoever is to move wins"));
    let no_time = Limits { time: Duration::ZERO, ..limits };
    assert_eq!(game.oracle().note(at("1_----").expect("a position"), no_time), None);
    assert!(game.oracle().has_notes() && at("1_x---").is_err());
    let plain = open("mnk", None, None).expect("opens");
    let start = plain.oracle().parse("1_---------").expect("a position");
    assert_eq!((plain.oracle().has_notes(), plain.oracle().note(start, limits)), (false, None));
}
