use std::collections::HashSet;

use zermelo_core::{Face, Options, laws};

use super::*;

fn game(options: &str) -> Morris {
    Morris::new(&Options::read(&Morris::CARD, options).expect("options")).expect("a game")
}

#[test]
fn obeys_the_laws() {
    for options in ["men=3", "men=3,diagonals=all,fly=no", "men=3,diagonals=mills"] {
        let walked = laws::check(&game(options), 100_000).expect("no law is broken");
        assert!(!walked.cut, "{options}: {walked:?}");
        laws::check_face(&game(options), 5_000).expect("no law is broken");
    }
    for options in ["men=4", "men=6,fly=no", "", "men=7", "stage=3-3", "men=6,stage=5-4"] {
        laws::check(&game(options), 2_000).expect("no law is broken");
        laws::check_face(&game(options), 500).expect("no law is broken");
    }
}

#[test]
fn plays_backwards() {
    for (options, a, b) in [
        ("men=3", 3, 3),
        ("men=3,fly=no,diagonals=all", 3, 3),
        ("men=6", 4, 3),
        ("men=6,fly=no", 3, 3),
        ("men=6,fly=no", 6, 5),
    ] {
        let game = game(options);
        let tier = game.tier_of(game.all(), a, b);
        laws::check_unmoves(&game, tier).expect("no law is broken");
        laws::check_outlook(&game, tier).expect("no law is broken");
    }
}

#[test]
fn boards_have_their_symmetries() {
    for (options, points, mills, symmetries, flying) in [
        ("men=3", 9, 6, 8, 8),
        ("men=3,diagonals=mills", 9, 8, 8, 8),
        ("men=6", 16, 8, 16, 16),
        ("", 24, 16, 16, 48),
        ("fly=no", 24, 16, 16, 16),
    ] {
        let game = game(options);
        let counts = (game.points.text().cells(), game.mills.len());
        assert_eq!(counts, (points, mills), "{options}");
        assert_eq!((game.symmetries.count(), game.flying.count()), (symmetries, flying), "{options}");
    }
}

/// Counts endgames up to symmetry. With 3 against 3 there are as many states as in the database of Gasser, "Solving
/// Nine Men's Morris" (1996), where both fly and squares may change places. The other counts are by Burnside's lemma,
/// worked out apart.
#[test]
fn as_many_endgames_as_there_are() {
    let game = game("");
    for (a, b, states) in [(3, 3, 56_922), (4, 3, 1_520_796), (4, 4, 3_225_597)] {
        let tier = game.tier_of(18, a, b);
        let mut seen = 0;
        game.scan(&game.index(tier), 0..game.size(tier), |_, _| seen += 1);
        assert_eq!(seen, states, "{a}-{b}");
    }
}

/// Boards with the turn that a start leads to, counted up to symmetry.
fn reached(options: &str) -> u64 {
    let game = game(options);
    let mut seen = HashSet::from([(false, game.start())]);
    let (mut todo, mut boards) = (vec![(false, game.start())], 0);
    while let Some((turn, p)) = todo.pop() {
        boards += game.alike(p);
        for (_, child) in laws::list_moves(&game, p) {
            let next = (!turn, game.canonical(child));
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    boards
}

/// The reachable positions of `morris4` and `morris4-flying` in github.com/brianhliou/game-solver, "Morris tablebases
/// v1".
#[test]
fn as_many_boards_with_four_men_as_published() {
    assert_eq!((reached("men=4,fly=no"), reached("men=4")), (4_111_151, 4_111_327));
}

#[test]
fn mills_take_men() {
    let game = game("men=6");
    let moves = |text: &str| {
        let (turn, p) = game.read(text).expect("a position");
        let mut names: Vec<_> =
            laws::list_moves(&game, p).into_iter().map(|(m, _)| game.show_move(turn, p, m)).collect();
        names.sort();
        names
    };
    // The last point of the upper row closes a mill, and the mill of o is safe from it.
    let names = moves("1_xx-ooo-----o----_22");
    let taking: Vec<_> = names.iter().filter(|name| name.contains('x')).map(String::as_str).collect();
    assert_eq!((names.len(), taking), (10, vec!["e5xc2"]));
    // With no other men, the men in the mill are taken.
    let names = moves("1_xx-ooo----------_33");
    assert_eq!(
        names.iter().filter(|name| name.starts_with("e5")).collect::<Vec<_>>(),
        ["e5xb4", "e5xc4", "e5xd4"]
    );
    // With three men left x flies; o does not.
    let names = moves("1_x-x-o------oo-ox");
    assert_eq!((names.len(), names.contains(&"e1-c5xc4".into())), (25 + 2 * 4, true), "{names:?}");
}

#[test]
fn refuses_the_impossible() {
    let six = game("men=6");
    for text in [
        "1_----------------",
        "1_----------------_56",
        "2_----------------_66",
        "2_x---------------_66",
        "1_----------------_6",
        "1_----------------_99",
        "1_xxxxxxx---ooo---",
        "1_xxx-----------oo",
        "1_x------------ooo",
        "2_---------------_56",
        "1_x--------------_55",
    ] {
        assert!(six.read(text).is_err(), "{text}");
    }
    for text in ["1_----------------_66", "2_X---------------_56", "1_xx-----------ooo", "2_xxxx---------ooo"]
    {
        assert!(six.read(text).is_ok(), "{text}");
    }
    assert!(game("stage=4-3").read("1_xxxx---------------xoooo").is_err());
    for options in ["men=6,stage=7-3", "stage=2-3", "stage=x", "stage=+4-3", "stage=10-3", "diagonals=mills"]
    {
        let options = Options::read(&Morris::CARD, options);
        assert!(options.and_then(|options| Morris::new(&options)).is_err());
    }
}
