use super::*;
use zermelo_core::{Face, Options, laws};

fn game(options: &str) -> Quarto {
    Quarto::new(&Options::read(&Quarto::CARD, options).expect("options")).expect("a game")
}

const ENDGAME: &str = "start=0f3-5-a1-c-e7---9";

#[test]
fn obeys_the_laws() {
    for options in
        ["rows=2,attributes=1", "rows=2,attributes=2", "rows=3,attributes=2", "rows=2,attributes=3"]
    {
        let walked = laws::check(&game(options), 30_000).expect("no law is broken");
        assert!(!walked.cut, "{options}");
    }
    for options in
        ["", "rows=3", "rows=3,attributes=3", "rows=4,attributes=3", ENDGAME, "rows=3,start=0--1-----2"]
    {
        laws::check(&game(options), 1_500).expect("no law is broken");
        laws::check_face(&game(options), 1_500).expect("no law is broken");
    }
}

#[test]
fn lines_have_something_in_common() {
    let game = game("");
    // Odd ones; even ones; all bits and none in common; nothing again; 8 in all.
    for (line, given, wins) in
        [("135", '7', true), ("024", '8', true), ("124", 'f', false), ("03c", '5', false), ("89a", 'b', true)]
    {
        let (turn, p) = game.read(&format!("1_{line}-{}{given}", "-".repeat(12))).expect("a position");
        let names: Vec<_> =
            laws::list_moves(&game, p).iter().map(|(m, _)| game.show_move(turn, p, *m)).collect();
        assert_eq!(names.contains(&"d4".to_string()), wins, "{line}{given}");
        assert_eq!(names.contains(&"d4-6".to_string()), !wins, "{line}{given}");
    }
}

#[test]
fn the_whole_game_is_planned() {
    let game = game("");
    assert_eq!((game.cells.symmetries(), game.cells.kinds(1), game.cells.kinds(15)), (32, 2, 2));
    let sizes: Vec<u64> = (0..=15).map(|placed| game.size(Tier(2 * placed + 1))).collect();
    assert_eq!(sizes[..6], [1, 8, 220, 4_732, 132_300, 2_628_360]);
    assert_eq!(sizes.iter().sum::<u64>(), 2_736_579_309_581, "by Burnside's count of sets and of sequences");
    let mut tiers = vec![game.tier(game.start())];
    while let Some(next) = game.children(tiers[tiers.len() - 1]).first() {
        tiers.push(*next);
    }
    assert_eq!(tiers.len(), 18, "17 moves, the first of which only gives");
}

#[test]
fn refuses_the_impossible() {
    let game = game("");
    let empty = "-".repeat(16);
    for text in [
        "".to_string(),
        "2_".into(),
        format!("2_{empty}"),
        format!("1_{empty}0"),
        format!("2_{empty}-"),
        format!("2_{empty}g"),
        format!("2_{empty}é"),
        format!("1_0{}0", "-".repeat(15)),
        format!("1_135-{}-", "-".repeat(12)),
        format!("1_1357{}2", "-".repeat(12)),
        format!("1_13570246{}-", "-".repeat(8)),
        format!("1_1357{}-", "-".repeat(12)),
    ] {
        assert!(game.read(&text).is_err(), "{text}");
    }
    assert!(game.read(&format!("1_{empty}-")).is_ok() && game.read(&format!("2_{empty}F")).is_ok());
    assert!(game.read(&format!("2_1357{}-", "-".repeat(12))).is_ok(), "won");
    let left = "0123456789abcde-";
    assert_eq!(game.read(&format!("2_{empty}f{left}")), game.read(&format!("2_{empty}f")));
    for left in ["zzzzzzzzzzzzzzzz", "0123456789abcdef", "----------------"] {
        assert!(game.read(&format!("2_{empty}f{left}")).is_err(), "{left}");
    }
    for start in [
        "0f3-5-a1-c-e7---9--2-4-6-8--b-d--",
        "0f3-5-a1-c-e7---9ffffffffffffffff",
        "0",
        "x",
        "1357------------0",
        "0---------------0",
        "0----------------",
        "----------------",
    ] {
        let options = Options::read(&Quarto::CARD, &format!("start={start}"));
        assert!(options.and_then(|options| Quarto::new(&options)).is_err(), "{start}");
    }
    let game = self::game(ENDGAME);
    assert!(game.read("1_0f3-5-a1-c-e7---9").is_ok() && game.read("1_0f3-5-a1-c-e7--9-").is_err());
    assert!(game.read(&format!("2_{empty}0")).is_err(), "not from its start");
    assert!(game.read("2_0f3-5-a1-c-e7-9-2").is_ok() && game.read("2_0f395-a1-c-e7---2").is_ok());
    assert!(game.read("2_0f345-a1-c-e7---2").is_err(), "the piece given was not placed");
    // Two lines that cross on a piece of the start, which was not placed last.
    let game = self::game("rows=3,attributes=3,start=7--------1");
    assert!(game.read("1_713-------").is_ok() && game.read("1_7134--6---").is_err());
}
