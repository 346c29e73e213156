//! Laws, refusals, and values against textbooks and against plain play.

use super::*;
use std::collections::HashMap;
use zermelo_core::laws;

fn game(options: &str) -> Domineering {
    Domineering::new(&Options::read(&Domineering::CARD, options).expect("options")).expect("a game")
}

#[test]
fn obeys_the_laws() {
    for options in
        ["rows=4,cols=4", "rows=3,cols=4", "rows=5,cols=3", "rows=1,cols=1", "rows=8,cols=1", "rows=2,cols=8"]
    {
        laws::check(&game(options), 5_000).expect("no law is broken");
        laws::check_face(&game(options), 300).expect("no law is broken");
    }
    laws::check_face(&game("rows=8,cols=8"), 50).expect("no law is broken");
}

#[test]
fn only_what_dominoes_laid_in_turn_cover_is_read() {
    let game = game("rows=3,cols=3");
    for (text, why) in [
        ("2_x--------", "no dominoes"),
        ("2_xx-------", "no dominoes"),
        ("1_x--x-----", "other player's turn"),
        ("2_x---x----", "no dominoes"),
        ("1_x--x-x--x", "no dominoes"),
        ("2_---------", "other player's turn"),
        ("1_xx", "cells"),
        ("2_o--o-----", "'o' is not one of x and -"),
    ] {
        let complaint = game.read(text).expect_err(text).to_string();
        assert!(complaint.contains(why), "{text}: {complaint}");
    }
    for text in ["1_---------", "2_x--x-----", "1_X--xxx---"] {
        assert!(game.read(text).is_ok(), "{text}");
    }
    // Every set of cells: readable if and only if play leads there.
    let mut reached = std::collections::HashSet::from([0u64]);
    let mut todo = vec![0u64];
    while let Some(p) = todo.pop() {
        todo.extend(
            laws::list_moves(&game, p).into_iter().map(|(_, child)| child).filter(|c| reached.insert(*c)),
        );
    }
    for p in 0..=game.grid.full() {
        let turn = if is_first(p) { Turn::First } else { Turn::Second };
        assert_eq!(game.read(&game.show(turn, p)).is_ok(), reached.contains(&p), "{p:b}");
    }
}

/// Winning Ways, chapter 5, and On Numbers and Games, chapter 10, for vertical as Left.
#[test]
fn textbook_values() {
    for (rows, cols, value) in [
        (1, 1, "0"),
        (2, 1, "1"),
        (1, 2, "-1"),
        (3, 1, "1"),
        (4, 1, "2"),
        (2, 2, "±1"),
        (2, 3, "{2|-1/2}"),
        (3, 2, "{1/2|-2}"),
        (3, 3, "±1"),
    ] {
        let game = game(&format!("rows={rows},cols={cols}"));
        assert_eq!(super::value(&game, 0).as_deref(), Some(value), "{rows}x{cols}");
    }
    let three = game("rows=3,cols=3");
    let shape = |text: &str| {
        let covered =
            text.bytes().enumerate().filter(|(_, b)| *b == b'x').fold(0u64, |set, (i, _)| set | 1 << i);
        super::value(&three, covered)
    };
    assert_eq!(shape("-xx--xxxx").as_deref(), Some("*"), "a bent three");
    assert_eq!(shape("-xx-xx--x").as_deref(), Some("1/2"), "a tall L of four");
    assert_eq!(shape("-xx-x--x-").as_deref(), Some("2"), "two upright rooms, one of them of three cells");
    assert_eq!(shape("-x--x-xxx").as_deref(), Some("2"), "regions add up");
}

/// Who wins, from the value and from plain play, for either player to begin on any shape.
#[test]
fn values_tell_who_wins() {
    fn wins(game: &Domineering, free: u64, stands: bool, known: &mut HashMap<(u64, bool), bool>) -> bool {
        if let Some(known) = known.get(&(free, stands)) {
            return *known;
        }
        let mut rooms = game.rooms(free, stands);
        let mut found = false;
        while rooms != 0 && !found {
            let domino = game.domino(rooms.trailing_zeros() as u8, stands);
            found = !wins(game, free & !domino, !stands, known);
            rooms &= rooms - 1;
        }
        known.insert((free, stands), found);
        found
    }
    for options in ["rows=3,cols=4", "rows=4,cols=3", "rows=2,cols=6"] {
        let (game, known) = (game(options), &mut HashMap::new());
        let mut values = Values::new(&game);
        for covered in 0..=game.grid.full() {
            for (turn, stands) in [(Turn::First, true), (Turn::Second, false)] {
                let want = wins(&game, game.free(covered), stands, known);
                assert_eq!(values.wins(covered, turn), Some(want), "{covered:b} {options}");
            }
        }
    }
}

#[test]
fn a_value_that_is_too_much_is_left_out() {
    for options in ["rows=5,cols=5", "rows=8,cols=8"] {
        assert_eq!(game(options).note(Turn::First, 0), None);
    }
    // The board has fallen apart, so it is little work again.
    let (game, mut covered) = (game("rows=8,cols=8"), 0u64);
    (0..8).for_each(|r| covered |= 0x24 << (8 * r));
    (0..8).for_each(|c| covered |= 1 << (c + 16) | 1 << (c + 40));
    assert_eq!(game.note(Turn::First, covered).as_deref(), Some("value ±1"), "nine squares");
}
