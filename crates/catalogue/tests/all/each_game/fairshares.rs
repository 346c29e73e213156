//! Fair Shares and Varied Pairs.

use std::collections::{BTreeMap, HashMap};

use zermelo_core::{Face, Game, Tiers, Value};
use zermelo_games::FairShares;

use crate::games::{agreed, right, value};

/// How many positions there are of each value.
fn counts(almonds: u32) -> BTreeMap<String, u32> {
    let (game, done) = agreed::<FairShares>(&format!("almonds={almonds}"));
    let (tier, mut counts) = (game.tier(game.start()), BTreeMap::new());
    game.scan(&(), 0..game.size(tier), |_, p| {
        let value = value(&game, &done, &mut HashMap::new(), p).expect("a value");
        *counts.entry(value.to_string()).or_default() += 1;
    });
    counts
}

#[test]
fn every_position_is_right() {
    for almonds in [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15] {
        right::<FairShares>(&format!("almonds={almonds}"));
    }
}

/// Counted by a program of its own from lists of heaps. Up to ten almonds nobody can go on for ever.
#[test]
fn values_are_as_counted_elsewhere() {
    let lost = [(0, 1), (2, 2), (4, 1), (6, 1), (8, 1), (10, 3), (12, 1), (14, 2)];
    let won = [(1, 9), (3, 5), (5, 3), (7, 2), (9, 5), (11, 3), (13, 2), (15, 1)];
    let lost = lost.map(|(n, count)| (Value::Lose(n).to_string(), count));
    let won = won.map(|(n, count)| (Value::Win(n).to_string(), count));
    assert_eq!(counts(10), lost.into_iter().chain(won).collect());
    assert_eq!(counts(12).get("draw"), Some(&56));
    assert_eq!(counts(20).get("draw"), Some(&589));
}

#[test]
fn ten_almonds_are_won_and_lost() {
    let (game, done) = agreed::<FairShares>("");
    let of = |text: &str| {
        let (_, p) = game.read(text).expect("a position");
        value(&game, &done, &mut HashMap::new(), p)
    };
    assert_eq!(of("1_10"), Some(Value::Win(1)), "into single almonds");
    assert_eq!((of("1_5.5"), of("1_7.3")), (Some(Value::Lose(2)), Some(Value::Lose(2))));
    assert_eq!((of("1_8.2"), of("1_4.2.2.2")), (Some(Value::Lose(14)), Some(Value::Lose(14))));
}
