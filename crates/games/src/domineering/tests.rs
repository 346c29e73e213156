//! Tests laws and refusals, and compares values with textbooks and with plain play.

use super::*;
use std::collections::HashMap;
use std::time::Duration;
use zermelo_core::laws;

/// Limits longer than any of these searches takes.
const LONG: Limits = Limits { time: Duration::from_secs(600), memory: 1 << 20 };

fn long() -> Instant {
    Instant::now() + LONG.time
}

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

/// Values from Winning Ways, chapter 5, and On Numbers and Games, chapter 10, for vertical as Left.
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
        assert_eq!(
            DomineeringValues::new(&game).until(long()).name(0).as_deref(),
            Some(value),
            "{rows}x{cols}"
        );
    }
    let three = game("rows=3,cols=3");
    let shape = |text: &str| {
        let covered =
            text.bytes().enumerate().filter(|(_, b)| *b == b'x').fold(0u64, |set, (i, _)| set | 1 << i);
        DomineeringValues::new(&three).until(long()).name(covered)
    };
    assert_eq!(shape("-xx--xxxx").as_deref(), Some("*"), "a bent three");
    assert_eq!(shape("-xx-xx--x").as_deref(), Some("1/2"), "a tall L of four");
    assert_eq!(shape("-xx-x--x-").as_deref(), Some("2"), "two upright rooms, one of them of three cells");
    assert_eq!(shape("-x--x-xxx").as_deref(), Some("2"), "regions add up");
}

/// Whether a player who begins wins, by plain play.
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

/// Compares the winner by the value with the winner by plain play, for either player to begin on any shape.
#[test]
fn values_tell_who_wins() {
    for options in ["rows=3,cols=4", "rows=4,cols=3", "rows=2,cols=6"] {
        let (game, known) = (game(options), &mut HashMap::new());
        let mut values = DomineeringValues::new(&game);
        for covered in 0..=game.grid.full() {
            for (turn, stands) in [(Turn::First, true), (Turn::Second, false)] {
                let want = wins(&game, game.free(covered), stands, known);
                assert_eq!(values.wins(covered, turn), Some(want), "{covered:b} {options}");
            }
        }
    }
}

const TURNS: [(Turn, bool); 2] = [(Turn::First, true), (Turn::Second, false)];

/// Compares the winner by search with the winner by plain play, for either player to begin on any shape. One table is
/// large enough, and one forgets.
#[test]
fn a_search_tells_who_wins() {
    for (options, bits) in [
        ("rows=4,cols=4", 12),
        ("rows=3,cols=5", 3),
        ("rows=5,cols=3", 12),
        ("rows=2,cols=7", 0),
        ("rows=8,cols=2", 12),
    ] {
        let (game, known) = (game(options), &mut HashMap::new());
        let mut outcomes = Outcomes::new(&game, bits, u64::MAX);
        for covered in 0..=game.grid.full() {
            for (turn, stands) in TURNS {
                let want = wins(&game, game.free(covered), stands, known);
                assert_eq!(outcomes.wins(covered, turn), Some(want), "{covered:b} {options}");
            }
        }
    }
}

/// Compares search and plain play on positions of larger boards, from few free cells to as many as plain play can
/// bear.
#[test]
fn a_search_tells_who_wins_on_larger_boards() {
    for (rows, cols, least) in [(5, 5, 8), (6, 5, 13), (4, 7, 11), (7, 7, 32), (8, 8, 47)] {
        let (game, known) = (game(&format!("rows={rows},cols={cols}")), &mut HashMap::new());
        let mut outcomes = Outcomes::new(&game, 12, u64::MAX);
        let mut numbers = (1u64..).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) as usize);
        for n in 0..200 {
            let mut covered = 0u64;
            while covered.count_ones() < least + n % 8 {
                covered |= 1 << (numbers.next().expect("a number") % (rows * cols));
            }
            for (turn, stands) in TURNS {
                let want = wins(&game, game.free(covered), stands, known);
                assert_eq!(outcomes.wins(covered, turn), Some(want), "{covered:b} {rows}x{cols}");
            }
        }
    }
}

/// The winners on boards of 1 to 8 rows (down) and columns (across): 1 and 2 for the first and the second to move, V
/// and H for standing and lying dominoes. Boards of two rows and columns and more are from Breuker, Uiterwijk and van
/// den Herik, "Solving 8x8 Domineering" (2000). A single row or column has moves for one player only.
const WINNERS: [&str; 8] =
    ["2HHHHHHH", "V11HV11H", "V11HHHHH", "VVV1V1VH", "VHVH2HHH", "V1V1V1VH", "V1VHVH1H", "VVVVVVV1"];

#[test]
fn who_wins_empty_boards() {
    for (rows, want) in (1..).zip(WINNERS) {
        for (cols, want) in (1..).zip(want.chars()).filter(|(cols, _)| rows * cols < 64) {
            let game = game(&format!("rows={rows},cols={cols}"));
            let class = class(&mut Outcomes::new(&game, 18, 20_000_000));
            assert_eq!(class, Some(want), "{rows} rows, {cols} columns");
        }
    }
}

/// The winner on the empty board, as in published tables: 1, 2, V or H.
fn class(outcomes: &mut Outcomes<'_>) -> Option<char> {
    let class = Class::of(outcomes.wins(0, Turn::First)?, outcomes.wins(0, Turn::Second)?);
    Some(match class {
        Class::First => '1',
        Class::Second => '2',
        Class::Standing => 'V',
        Class::Lying => 'H',
    })
}

#[test]
fn a_search_ends_with_its_steps() {
    let game = game("rows=8,cols=8");
    let mut outcomes = Outcomes::new(&game, 4, 100);
    assert_eq!(outcomes.wins(0, Turn::First), None);
    assert!(outcomes.steps < 100);
    assert_eq!(class(&mut outcomes), None);
}

#[test]
fn a_note_tells_what_is_not_too_much() {
    for (options, want) in [
        ("rows=2,cols=2", Some("value ±1; whoever is to move wins")),
        ("rows=4,cols=1", Some("value 2; standing dominoes win, whoever is to move")),
        ("rows=5,cols=5", Some("whoever is to move loses")),
        ("rows=6,cols=7", Some("standing dominoes win, whoever is to move")),
        ("rows=7,cols=6", Some("lying dominoes win, whoever is to move")),
        ("rows=7,cols=7", Some("whoever is to move wins")),
        ("rows=8,cols=8", None),
    ] {
        assert_eq!(game(options).note(Turn::First, 0, LONG).as_deref(), want, "{options}");
    }
    let none = Limits { time: Duration::ZERO, ..LONG };
    assert_eq!(game("rows=7,cols=7").note(Turn::First, 0, none), None, "no time at all");
    // The board has fallen apart, so the search takes little work again.
    let (game, mut covered) = (game("rows=8,cols=8"), 0u64);
    (0..8).for_each(|r| covered |= 0x24 << (8 * r));
    (0..8).for_each(|c| covered |= 1 << (c + 16) | 1 << (c + 40));
    let want = "value ±1; whoever is to move wins";
    assert_eq!(game.note(Turn::First, covered, LONG).as_deref(), Some(want), "nine squares");
}
