//! Tests the laws, and that the game has what a game to test with must have.

use super::*;
use zermelo_core::{Value, laws};

fn game(options: &str) -> Meaningless {
    Meaningless::new(&Options::read(&Meaningless::CARD, options).expect("options")).expect("a game")
}

/// Every tier that the start leads to.
fn tiers(game: &Meaningless) -> Vec<Tier> {
    let mut tiers = vec![Tier(0)];
    let mut at = 0;
    while at < tiers.len() {
        for child in game.children(tiers[at]) {
            assert!(child > tiers[at], "tier {child} is not below {}", tiers[at]);
            if !tiers.contains(&child) {
                tiers.push(child);
            }
        }
        at += 1;
    }
    tiers
}

#[test]
fn obeys_the_laws() {
    for options in [
        "",
        "loops=1",
        "loops=1,seed=7,moves=32,size=50",
        "depth=1,width=1,size=1,loops=1",
        "depth=1,width=1,size=1,moves=1",
        "depth=5,width=1,size=90,moves=2,loops=1",
        "depth=30,width=2,size=9,loops=1,seed=4294967295",
    ] {
        let game = game(options);
        laws::check(&game, 20_000).expect("no law is broken");
        laws::check_face(&game, 2_000).expect("no law is broken");
        for tier in tiers(&game) {
            laws::check_unmoves(&game, tier).expect("no law is broken");
            laws::check_outlook(&game, tier).expect("no law is broken");
        }
    }
    laws::check_face(&game("depth=1000,width=1000,size=1000000000"), 2_000).expect("no law is broken");
}

/// The game is of use only if it has everything that a game may have, and if much of it is reached.
#[test]
fn there_is_something_of_everything() {
    for options in ["", "loops=1", "loops=1,seed=2"] {
        let game = game(options);
        let (mut sizes, mut holes) = (vec![], 0);
        for tier in tiers(&game).into_iter().skip(1) {
            let (size, index) = (game.size(tier), game.index(tier));
            holes += (0..size).filter(|i| game.unrank(&index, *i).is_none()).count() as u64;
            sizes.push(size);
        }
        let numbers: u64 = sizes.iter().sum();
        let positions = numbers - holes + 1;
        assert!(sizes.len() >= 20 && sizes.iter().all(|size| (25..=200).contains(size)), "{sizes:?}");
        assert!(sizes.iter().max() > sizes.iter().min().map(|least| least * 3).as_ref(), "{sizes:?}");
        assert!((5..20).contains(&(100 * holes / numbers)), "{holes} holes of {numbers}");
        let values = zermelo_testing::oracle(&game, &[game.start()]);
        let of = |kind: fn(&Value) -> bool| values.values().filter(|v| kind(v)).count();
        assert!(values.len() as u64 * 5 > positions * 2, "{} reached of {positions}", values.len());
        assert!(of(|v| matches!(v, Value::Win(4..))) > 20 && of(|v| matches!(v, Value::Lose(2..))) > 40);
        assert!(of(|v| matches!(v, Value::Tie(2..))) > 40);
        assert_eq!(of(|v| *v == Value::Draw) > 50, !options.is_empty(), "draws where there are loops");
    }
}

/// Databases of the game are kept, so another hash would need another revision.
#[test]
fn known_values() {
    for (options, reached, start) in [("", 973, Value::Win(5)), ("loops=1", 1_769, Value::Win(5))] {
        let game = game(options);
        let values = zermelo_testing::oracle(&game, &[game.start()]);
        assert_eq!((values.len(), values[&game.start()]), (reached, start), "{options:?}");
    }
}

#[test]
fn refuses_what_is_not_there() {
    let game = game("");
    let hole = (0..).find(|i| game.unrank(&1, *i).is_none()).expect("a hole");
    for (text, part) in [
        ("", "as in 1_0-0"),
        ("3_0-0", "as in 1_0-0"),
        ("1_0", "as in 1_0-0"),
        ("1_-1-0", "as in 1_0-0"),
        ("1_0-99999999999", "as in 1_0-0"),
        ("1_25-0", "a tier up to 24"),
        ("1_0-1", "a number below 1 "),
        (&format!("1_1-{hole}"), "not a hole"),
    ] {
        let complaint = game.read(text).expect_err(text).to_string();
        assert!(complaint.contains(part), "{text}: {complaint}");
    }
    assert_eq!(game.read("2_24-0"), Ok((Turn::Second, HashedPosition { tier: 24, number: 0 })));
}
