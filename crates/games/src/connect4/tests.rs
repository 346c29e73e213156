use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::table::{Bounds, SearchTable};
use super::*;
use zermelo_core::{laws, soon};

const AMPLE: Limits = Limits { time: Duration::from_secs(60), memory: 1 << 24 };

fn game(options: &str) -> Connect4 {
    Connect4::new(&Options::read(&Connect4::CARD, options).expect("options")).expect("a game")
}

#[test]
fn obeys_the_laws() {
    // Positions from the start, counted by Tromp and by Böck's BDD solver.
    for (options, positions) in
        [("rows=3,cols=3", 869), ("rows=4,cols=2", 179), ("rows=2,cols=4", 741), ("rows=5,cols=2", 537)]
    {
        let walked = laws::check(&game(options), 10_000).expect("no law is broken");
        assert_eq!((walked.positions, walked.cut), (positions, false), "{options}");
    }
    for options in
        ["rows=3,cols=4,connect=3", "rows=4,cols=4", "", "rows=1,cols=16", "rows=15,cols=4,connect=8"]
    {
        laws::check(&game(options), 2_000).expect("no law is broken");
        laws::check_face(&game(options), 500).expect("no law is broken");
    }
}

#[test]
fn reads_moves_and_boards() {
    let game = game("");
    let (turn, p) = game.read("4455").expect("moves");
    let text = game.show(turn, p);
    assert_eq!(text, format!("1_{}---oo-----xx--", "-".repeat(28)));
    assert_eq!(game.read(&text), Ok((turn, p)));
    for bad in ["8", "0", "4444444", "12121212", "1_x"] {
        assert!(game.read(bad).is_err(), "{bad}");
    }
    let air = format!("2_{}x{}", "-".repeat(10), "-".repeat(31));
    assert!(game.read(&air).expect_err("hangs").to_string().contains("in the air"));
}

/// A sequence of numbers that look random.
fn randoms(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |n| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((u128::from(seed) * n as u128) >> 64) as usize
    }
}

/// A position after `stones` random moves, none of which ends the game.
fn played(game: &Connect4, stones: usize, random: &mut impl FnMut(usize) -> usize) -> Stones {
    let mut p = game.start();
    for _ in 0..stones {
        let list = laws::list_moves(game, p);
        let going: Vec<_> = list.into_iter().filter(|(_, child)| game.outcome(*child).is_none()).collect();
        match going.len() {
            0 => return played(game, stones, random),
            n => p = going[random(n)].1,
        }
    }
    p
}

/// The value of a position by definition.
fn plain(game: &Connect4, p: Stones, known: &mut HashMap<Stones, Value>) -> Value {
    if let Some(value) = game.outcome(p).map(Outcome::value).or_else(|| known.get(&p).copied()) {
        return value;
    }
    let list = laws::list_moves(game, p).into_iter();
    let values = list.map(|(_, child)| plain(game, child, known).for_mover());
    let best = values.min_by_key(|value| value.preference()).expect("a move");
    known.insert(p, best);
    best
}

#[test]
fn searches_all_positions_of_small_boards_right() {
    let without = Limits { memory: 0, ..AMPLE };
    for (options, every) in [
        ("rows=3,cols=3", 1),
        ("rows=4,cols=3,connect=3", 1),
        ("rows=3,cols=4,connect=3", 1),
        ("rows=6,cols=2,connect=5", 1),
        ("rows=1,cols=7,connect=3", 1),
        ("rows=3,cols=5,connect=3", 1),
        ("rows=4,cols=4", 1),
        ("rows=5,cols=4", 50),
    ] {
        let game = game(options);
        let values = zermelo_testing::oracle(&game, &[game.start()]);
        // The order of a hash map differs from run to run, so this is another sample each time.
        for (p, value) in values.iter().step_by(every) {
            assert_eq!(game.own_search(*p, AMPLE), Some(Some(*value)), "{options}: {p:?}");
        }
        for (p, value) in values.iter().take(500) {
            assert_eq!(game.own_search(*p, without), Some(Some(*value)), "{options}: {p:?} without a table");
        }
    }
}

#[test]
fn searches_ends_of_large_boards_right() {
    let mut random = randoms(1);
    for (options, cells, left) in [
        ("", 42, 14),
        ("connect=3", 42, 20),
        ("connect=5", 42, 13),
        ("connect=6", 42, 12),
        ("rows=7,cols=8", 56, 16),
        ("rows=7,cols=8,connect=5", 56, 12),
        ("rows=8,cols=7,connect=7", 56, 12),
        ("rows=15,cols=4,connect=4", 60, 18),
        ("rows=15,cols=4,connect=8", 60, 14),
        ("rows=3,cols=16", 48, 12),
        ("rows=1,cols=16", 16, 10),
    ] {
        let game = game(options);
        for i in 0..60 {
            let p = played(&game, cells - left + i % 6, &mut random);
            let value = plain(&game, p, &mut HashMap::new());
            // The least is a table of a few slots only, or none where tags are long.
            for memory in [1 << 24, 1 << 20, 1 << 8] {
                let found = game.own_search(p, Limits { memory, ..AMPLE });
                assert_eq!(found, Some(Some(value)), "{options}: {p:?}");
            }
        }
    }
}

#[test]
fn searches_the_middle_of_the_game() {
    let game = game("");
    // Found by this search; the moves' values, searched apart, must agree.
    for (moves, value) in [
        ("2342173652716335", Value::Tie(26)),
        ("6642754441612746", Value::Win(25)),
        ("2311535176762222", Value::Lose(26)),
    ] {
        let p = game.read(moves).expect("moves").1;
        assert_eq!(game.own_search(p, AMPLE), Some(Some(value)), "{moves}");
        let values = laws::list_moves(&game, p).into_iter().map(|(_, child)| game.own_search(child, AMPLE));
        let values = values.map(|found| found.flatten().expect("time enough").for_mover());
        assert_eq!(values.min_by_key(|value| value.preference()), Some(value), "{moves}");
    }
}

#[test]
fn search_stops_in_time_with_much_memory_and_with_none() {
    for options in ["", "rows=7,cols=8", "rows=15,cols=4,connect=8"] {
        let game = game(options);
        for memory in [0, 1 << 10, 1 << 26] {
            for time in [Duration::ZERO, Duration::from_millis(50)] {
                let begin = Instant::now();
                assert_eq!(game.own_search(game.start(), Limits { time, memory }), Some(None));
                let late = begin.elapsed().saturating_sub(time);
                assert!(late < Duration::from_millis(500), "{late:?} late");
            }
        }
    }
    let endless = Limits { time: Duration::MAX, memory: u64::MAX };
    assert_eq!(
        game("rows=4,cols=4").own_search(Stones { own: 0, all: 0 }, endless),
        Some(Some(Value::Tie(16)))
    );
}

#[test]
fn a_table_confuses_no_keys() {
    for bits in [2, 3, 9, 16, 17, 49, 63, 64] {
        for memory in [0, 8, 100, 5_000, 1 << 20, 1 << 22] {
            let (mut table, mut random, mut known) =
                (SearchTable::new(bits, memory), randoms(2), HashMap::new());
            for _ in 0..100_000 {
                // Keys that differ in few bits, low ones and high ones.
                let key = (random(256) as u64 | (random(256) as u64) << 56 >> (64 - bits))
                    & u64::MAX >> (64 - bits);
                if let Some(bounds) = table.get(key) {
                    assert_eq!(known.get(&key), Some(&bounds), "key {key} of {bits} bits");
                }
                let bounds = Bounds { low: random(31) as i32 - 30, high: random(31) as i32 };
                table.put(key, bounds);
                known.insert(key, bounds);
            }
        }
    }
}

/// Compares the value found within three moves with the rules. Returns which value it was: none, over, 1, 2, 3.
fn check_soon(game: &Connect4, p: Stones) -> usize {
    let found = game.soon(p);
    assert_eq!(found, soon(game, p), "{}x{}, {}: {p:?}", game.grid.rows, game.grid.cols, game.connect);
    found.and_then(Value::remoteness).map_or(0, |r| usize::from(r) + 1)
}

/// A position with the same stones in other colours, as a tier has them. Few of these can be reached, and either
/// player may have a line.
fn recoloured(p: Stones, random: &mut impl FnMut(usize) -> usize) -> Stones {
    let any = (random(1 << 32) as u64) << 32 | random(1 << 32) as u64;
    Stones { own: p.all & any, all: p.all }
}

#[test]
fn soon_is_what_the_rules_say_on_all_boards() {
    let sizes = (1..=6).flat_map(|rows| (1..=7).map(move |cols| (rows, cols)));
    let mut random = randoms(3);
    let mut seen = [0; 5];
    for (rows, cols) in sizes.chain([(7, 8), (15, 4), (3, 16), (1, 16), (8, 7)]) {
        for connect in 3..=8 {
            let game = game(&format!("rows={rows},cols={cols},connect={connect}"));
            for _ in 0..20 {
                let mut p = game.start();
                seen[check_soon(&game, p)] += 1;
                while game.outcome(p).is_none() {
                    let list = laws::list_moves(&game, p);
                    p = list[random(list.len())].1;
                    seen[check_soon(&game, p)] += 1;
                    check_soon(&game, recoloured(p, &mut random));
                }
            }
        }
    }
    assert!(seen.iter().all(|n| *n > 200), "{seen:?}");
}

#[test]
fn soon_is_the_value_where_that_is_near() {
    for options in [
        "rows=3,cols=3,connect=3",
        "rows=4,cols=4,connect=3",
        "rows=4,cols=4,connect=4",
        "rows=5,cols=4",
        "rows=2,cols=7,connect=3",
        "rows=1,cols=9,connect=3",
        "rows=15,cols=1",
    ] {
        let game = game(options);
        for (p, value) in zermelo_testing::oracle(&game, &[game.start()]) {
            let near = match value {
                Value::Win(..=3) | Value::Lose(..=2) | Value::Tie(0) => Some(value),
                _ => None,
            };
            assert_eq!(game.soon(p), near, "{options}: {p:?}");
        }
    }
}
