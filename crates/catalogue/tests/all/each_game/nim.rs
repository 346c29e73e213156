//! Nim: nimbers are the exclusive or of the heaps (Bouton 1901), and so is misère play until all heaps
//! are small.

use std::collections::HashMap;

use zermelo_catalogue::OpenError;
use zermelo_core::{Game, Tiers, Value};
use zermelo_games::Nim;

use crate::each_game::{nimbers_are_right, start};
use crate::games::{agreed, open, right, value};

#[test]
fn every_engine_is_right() {
    for options in ["", "play=misere", "heaps=1-1-2-2,play=misere", "heaps=6", "heaps=1-3-5-7"] {
        right::<Nim>(options);
    }
}

#[test]
fn nimbers_are_the_exclusive_or() {
    ["", "heaps=1-3-5-7", "heaps=9-9-9", "heaps=2-2-2-2-2-2", "heaps=60"]
        .into_iter()
        .for_each(nimbers_are_right::<Nim>);
    assert_eq!(start("nim", Some("nimber")), (Value::Win(2), "win, nimber 2".into()));
    assert_eq!(start("nim:heaps=1-3-5-7", Some("nimber")), (Value::Lose(0), "lose, nimber 0".into()));
}

/// Bouton: whoever may not take the last stone plays as if they had to, until only heaps of one are
/// left; then an even number of them is wanted.
#[test]
fn misere_play_is_as_bouton_says() {
    let (game, done) = agreed::<Nim>("heaps=1-3-5-7,play=misere");
    let mut indexes = HashMap::new();
    game.scan(&(), 0..game.size(game.tier(game.start())), |_, p| {
        let sum = p.iter().fold(0, |sum, heap| sum ^ heap);
        let wins = if p.iter().all(|heap| *heap < 2) { sum == 0 } else { sum != 0 };
        let found = value(&game, &done, &mut indexes, p).expect("a value");
        assert_eq!(matches!(found, Value::Win(_)), wins, "{p:?}: {found}");
    });
}

#[test]
fn misere_play_has_no_nimbers() {
    let refused = open("nim:play=misere", None, Some("nimber")).err().expect("refused");
    assert!(matches!(refused, OpenError::Objective { .. }), "{refused}");
    assert!(refused.to_string().contains("leave --objective out"), "{refused}");
}
