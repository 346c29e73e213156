use std::collections::HashSet;

use super::*;
use zermelo_core::laws;

fn game(options: &str) -> Toot {
    Toot::new(&Options::read(&Toot::CARD, options).expect("options")).expect("a game")
}

#[test]
fn obeys_the_laws() {
    for options in [
        "rows=2,cols=4,each=2",
        "rows=3,cols=4,each=3",
        "rows=4,cols=4,each=4",
        "rows=4,cols=1,each=1",
        "rows=1,cols=5,each=1",
        "",
    ] {
        laws::check(&game(options), 3_000).expect("no law is broken");
        laws::check_face(&game(options), 1_000).expect("no law is broken");
    }
}

#[test]
fn skylines_are_counted_and_listed_alike() {
    let game = game("");
    for discs in 0..=24 {
        let list = game.skylines(discs);
        assert_eq!(list.len() as u64, game.count_skylines(discs), "{discs}");
        assert!(list.is_sorted_by(|a, b| a < b) && list.iter().all(|set| set.count_ones() == discs));
    }
}

#[test]
fn words_by_hand() {
    let game = game("rows=4,cols=4,each=4");
    let outcome = |text: &str| game.outcome(game.read(text).expect(text).1);
    // TOOT wins for the first player, whichever player made it: here the second did.
    assert_eq!(outcome("1_------------toot_1"), Some(Outcome::Win));
    assert_eq!(outcome("1_------------otto_1"), Some(Outcome::Lose));
    // The last O, at the top, makes both.
    let (_, both) = game.read("1_toot/ttoo/ttoo/toto_4").expect("a position");
    assert_eq!((game.words(both.t, both.all), game.outcome(both)), ([true; 2], Some(Outcome::Tie)));
    assert_eq!(outcome("1_----------------_0"), None);
}

#[test]
fn refuses_the_impossible() {
    let game = game("rows=4,cols=4,each=2");
    for (text, why) in [
        ("", "end with"),
        ("1_----------------", "end with"),
        ("_0", "end with"),
        ("3_----------------_0", "begin with"),
        ("1_---x------------_0", "not one of t, o"),
        ("1_---_0", "cells"),
        ("1_------------t---_1", "in turn"),
        ("2_--------t-------_1", "nothing below"),
        ("2_------------t---_0", "more discs"),
        ("2_------------ttt-_3", "more discs"),
        ("2_------------t---_2", "more discs"),
        ("2_t---o---o---t---_1", "in turn"),
    ] {
        let found = game.read(text).expect_err(text).to_string();
        assert!(found.contains(why), "{text}: {found}");
    }
    let over = self::game("rows=4,cols=4,each=4").read("1_--------otootoot_2").expect_err("TOOT lies below");
    assert!(over.to_string().contains("game was over"), "{over}");
    assert!(game.read("2_------------t---_1").is_ok() && game.read("2_------------O---_0").is_ok());
    assert!(game.read("2_------------t---_+1").is_err(), "a number has no sign");
}

/// Checks every text with the right number of cells: it is readable if and only if play leads there.
#[test]
fn only_what_can_be_reached_is_read() {
    for (options, cells) in [
        ("rows=4,cols=1,each=2", 4),
        ("rows=4,cols=2,each=4", 8),
        ("rows=3,cols=2,each=3", 6),
        ("rows=2,cols=4,each=2", 8),
        ("rows=1,cols=5,each=2", 5),
    ] {
        let game = game(options);
        let start = (Turn::First, game.start());
        let (mut seen, mut todo) = (HashSet::from([start]), vec![start]);
        while let Some((turn, p)) = todo.pop() {
            let next = laws::list_moves(&game, p).into_iter().map(|(_, child)| (turn.other(), child));
            todo.extend(next.filter(|next| seen.insert(*next)));
        }
        let reached: HashSet<String> = seen.iter().map(|(turn, p)| game.show(*turn, *p)).collect();
        for number in 0..3usize.pow(cells) {
            let letters: String =
                (0..cells).map(|cell| ['-', 't', 'o'][number / 3usize.pow(cell) % 3]).collect();
            for (turn, first) in (1..=2).flat_map(|turn| (0..=4).map(move |first| (turn, first))) {
                let text = format!("{turn}_{letters}_{first}");
                assert_eq!(game.read(&text).is_ok(), reached.contains(&text), "{options} {text}");
            }
        }
    }
}

#[test]
fn letters_are_picked_on_cells_of_their_own() {
    for options in ["rows=1,cols=1,each=1", "rows=1,cols=5", ""] {
        let board = game(options).board();
        let cells = &board.cells;
        assert!((1..cells.len()).all(|cell| !cells[..cell].contains(&cells[cell])), "{options}");
        assert!(cells.iter().all(|(x, y)| *x < board.width && *y < board.height), "{options}");
    }
}
