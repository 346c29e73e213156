//! Kalah(m,n), m pits and n seeds in each.

use std::collections::HashMap;
use std::sync::Arc;

use zermelo_core::{Game, Margin, Objective, Remoteness, Scored, Tier, Tiers, Value, laws};
use zermelo_engines::{Ranked, Sweep};
use zermelo_games::Kalah;

use crate::games::make;
use crate::run::{Done, codes, tiers};

/// The rules, and the values of all positions for an objective.
fn solve<O: Objective<Kalah>>(pits: usize, seeds: usize) -> (Arc<Ranked<Kalah, O>>, Done) {
    let ranked = Arc::new(Ranked::of(make::<Kalah>(&format!("pits={pits},seeds={seeds}"))));
    let game = ranked.game();
    let order: Vec<Tier> = (0..=game.tier(game.start()).0).map(Tier).collect();
    let done = tiers(game, &Sweep::over(&ranked), &order);
    (ranked, done)
}

fn value<O: Objective<Kalah>>(game: &Kalah, done: &Done, p: <Kalah as Game>::Position) -> Option<Value> {
    let tier = game.tier(p);
    O::value(codes::<Kalah, O>(&done[&tier]).get(game.rank(&game.index(tier), p)))
}

/// Irving, Donkers and Uiterwijk, Solving Kalah (ICGA Journal 23, 2000): whether the first player wins,
/// loses or draws, by pits and from one seed on.
const PUBLISHED: [(usize, &str); 5] = [(1, "DLWLWD"), (2, "WLLLWW"), (3, "DWW"), (4, "W"), (5, "D")];

#[test]
fn small_boards_are_won_and_lost_as_published() {
    let letter = |value: Option<Value>| match value.expect("a value") {
        Value::Win(_) => 'W',
        Value::Lose(_) => 'L',
        _ => 'D',
    };
    for (pits, row) in PUBLISHED {
        for (n, want) in row.chars().enumerate() {
            let (moves, done) = solve::<Remoteness>(pits, n + 1);
            let (game, start) = (moves.game(), moves.game().start());
            let moves = value::<Remoteness>(game, &done, start);
            let margin = value::<Margin>(game, &solve::<Margin>(pits, n + 1).1, start);
            assert_eq!((letter(moves), letter(margin)), (want, want), "Kalah({pits},{})", n + 1);
        }
    }
}

#[test]
fn every_position_is_right() {
    for (pits, seeds) in [(1, 5), (2, 2), (2, 3), (3, 1)] {
        let (ranked, done) = solve::<Remoteness>(pits, seeds);
        let (game, mut roots) = (ranked.game(), vec![]);
        for tier in done.keys() {
            game.scan(&game.index(*tier), 0..game.size(*tier), |_, p| roots.push(p));
        }
        let values = zermelo_testing::oracle(game, &roots);
        for (p, want) in &values {
            assert_eq!(value::<Remoteness>(game, &done, *p), Some(*want), "{p:?}");
        }
        zermelo_testing::check_look(game, &values).expect("no law is broken");
    }
}

/// What the player to move wins by, from the rules alone.
fn margin(
    game: &Kalah,
    known: &mut HashMap<<Kalah as Game>::Position, i32>,
    p: <Kalah as Game>::Position,
) -> i32 {
    if game.outcome(p).is_some() {
        return game.score(p);
    }
    if let Some(score) = known.get(&p) {
        return *score;
    }
    let moves = laws::list_moves(game, p).into_iter();
    let score = moves.map(|(m, child)| {
        let score = margin(game, known, child);
        if game.again(m, child) { score } else { -score }
    });
    let best = score.max().expect("a move");
    known.insert(p, best);
    best
}

#[test]
fn margins_are_right() {
    for (pits, seeds) in [(2, 4), (2, 6), (3, 2)] {
        let (ranked, done) = solve::<Margin>(pits, seeds);
        let (game, mut known) = (ranked.game(), HashMap::new());
        margin(game, &mut known, game.start());
        for (p, want) in &known {
            let want = match *want {
                0 => Value::Tie(0),
                n if n > 0 => Value::Win(n as u16),
                n => Value::Lose(-n as u16),
            };
            assert_eq!(value::<Margin>(game, &done, *p), Some(want), "{p:?}");
        }
    }
}
