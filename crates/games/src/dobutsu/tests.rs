use super::*;
use zermelo_core::{Face, Options, Tier, Tiers, Turn, laws};

const PLAY: Tier = Tier(1);

fn game(options: &str) -> Dobutsu {
    Dobutsu::new(&Options::read(&Dobutsu::CARD, options).expect("options")).expect("a game")
}

fn at_text(game: &Dobutsu, text: &str) -> (Turn, DobutsuMen) {
    game.read(text).expect("a position")
}

fn names(game: &Dobutsu, text: &str) -> Vec<String> {
    let (turn, p) = at_text(game, text);
    laws::list_moves(game, p).into_iter().map(|(m, _)| game.show_move(turn, p, m)).collect()
}

#[test]
fn obeys_the_laws() {
    for options in ["rows=3,chicks=0,elephants=0", "rows=3,chicks=0,giraffes=0", "elephants=0,giraffes=0"] {
        let game = game(options);
        laws::check(&game, 50_000).expect("no law is broken");
        laws::check_unmoves(&game, PLAY).expect("no law is broken");
        laws::check_outlook(&game, PLAY).expect("no law is broken");
    }
    for options in ["", "rows=5", "rows=3,chicks=0", "chicks=0", "rows=5,giraffes=0"] {
        laws::check(&game(options), 5_000).expect("no law is broken");
        laws::check_face(&game(options), 2_000).expect("no law is broken");
    }
}

#[test]
fn positions_are_as_many_as_in_print() {
    // jh85/smallgames (2026): positions with the mover's lion off the far row, mirror images apart.
    for (options, positions) in [("", 1_175_944_473), ("rows=5", 11_986_076_088u64)] {
        let game = game(options);
        let rows = u64::from(game.rows);
        assert_eq!(3 * (rows - 1) * (3 * rows - 1) * game.others.size(), positions);
    }
    let game = game("");
    assert_eq!((game.size(PLAY), game.others.size()), (641_424_258, 11_878_227));
    // Numbers far apart, forth and back.
    for i in (0..game.size(PLAY)).step_by(6_400_001) {
        if let Some(p) = game.unrank(&PLAY, i) {
            assert_eq!(game.rank(&PLAY, p), i, "{p:?}");
            let mirrored = DobutsuMen { board: game.field.mirrored(p.board), ..p };
            assert_eq!(game.rank(&PLAY, mirrored), i, "{p:?}");
        }
    }
}

#[test]
fn men_step_drop_and_grow() {
    let game = game("");
    assert_eq!(names(&game, "1_gle-c--C-ELG"), ["b2-b3", "b1-a2", "b1-c2", "c1-c2"]);
    assert_eq!(game.show(Turn::First, game.start()), "1_gle-c--C-ELG");
    let after = |text: &str, name: &str| {
        let (turn, p) = at_text(&game, text);
        let found = laws::list_moves(&game, p).into_iter().find(|(m, _)| game.show_move(turn, p, *m) == name);
        game.show(turn.other(), found.expect("a move").1)
    };
    assert_eq!(after("1_gle-c--C-ELG", "b2-b3"), "2_gle-C----ELG_C", "taken men go into the hand");
    assert_eq!(after("2_gle-C----ELG_C", "b4-b3"), "1_g-e-l----ELG_Cc");
    assert_eq!(after("1_--lC------L-_CEEgg", "a3-a4"), "2_H-l-------L-_CEEgg", "a chick grows");
    assert_eq!(after("1_--l-------L-_CCEEgg", "C*a4"), "2_C-l-------L-_CEEgg", "but not when dropped");
    assert_eq!(after("2_H-l-------L-_CEEgg", "G*b4"), "1_Hgl-------L-_CEEg");
    assert_eq!(after("1_Hgl-------L-_CEEg", "a4-b4"), "2_-Hl-------L-_CEEGg", "a hen takes sideways");
    assert_eq!(after("1_-l----H-h-L-_EEgg", "a2-a1"), "2_-l------hHL-_EEgg", "a hen steps straight back");
    // A hen does not go back to the corners.
    assert!(!names(&game, "1_---lH-----L-_CEEgg").contains(&"b3-a2".to_string()));
}

#[test]
fn lions_are_taken_or_try() {
    let game = game("");
    // A lion that can be taken is taken, and the game is over.
    assert!(names(&game, "1_-----l-C--L-_EEggc").len() > 1, "nobody can take it");
    assert_eq!(names(&game, "1_----l--C--L-_EEggc"), ["b2-b3"]);
    let (_, p) = at_text(&game, "1_----l--C--L-_EEggc");
    let (_, taken) = laws::list_moves(&game, p)[0];
    assert_eq!(
        (game.outcome(taken), game.show(Turn::Second, taken)),
        (Some(Outcome::Lose), "2_----------L-".into())
    );
    // A try wins where the lion cannot be taken: the second player's is on the first one's last row.
    let over = |text: &str| game.outcome(at_text(&game, text).1);
    assert_eq!(over("1_---L-----l--_CCEEgg"), Some(Outcome::Lose));
    assert_eq!(over("1_------L--l--_CCEEgg"), None, "the lion takes it");
    assert_eq!(over("1_---L--G--l--_CCEEg"), None, "or another man does");
    assert_eq!(over("1_---L--E--l--_CCEgg"), Some(Outcome::Lose), "not one who steps elsewhere");
}

#[test]
fn who_cannot_move_has_lost() {
    let game = game("");
    for (text, over) in [
        ("1_GE-LGECCl---", true),
        ("1_GElLGECC----", true),
        ("1_GElLGEC-----_C", false),
        ("1_GE-LG-CClE--", false),
    ] {
        let p = at_text(&game, text).1;
        assert_eq!(game.outcome(p).is_some(), over, "{text}");
        // Neither player can have moved to this position.
        let mut before = 0;
        zermelo_core::Unmove::unmoves(&game, p, |_| before += 1);
        assert!(before == 0 || !over, "{text}");
    }
}

#[test]
fn hands_lie_beside_the_board() {
    let game = game("");
    let (turn, p) = at_text(&game, "2_gle------ELG_Cc");
    let picture = game.board().plain(&game.pieces(turn, p));
    assert_eq!(picture, ["c -   g l e", "- -   - - -   - -", "- -   - - -   - -", "      E L G   C -"]);
    // Drops come from the mover's hand, and end on the cell as the first player names it.
    let (m, _) = laws::list_moves(&game, p)
        .into_iter()
        .find(|(m, _)| game.show_move(turn, p, *m) == "C*a3")
        .expect("a drop");
    let cell = |name: &str| game.board().names.iter().position(|n| n == name).expect("a cell");
    assert_eq!(game.draw(turn, p, m), zermelo_core::Drawing::Arrow(cell("p4"), cell("a3")));
}

#[test]
fn refuses_the_impossible() {
    let game = game("");
    for text in [
        "",
        "1",
        "3_gle-c--C-ELG",
        "1_gle-c--C-EL",
        "1_gle-c--C-ELGG",
        "1_gle-c--C-ELX",
        "1_gle-c--C-EGG",
        "1_gle-c--C-ELL",
        "1_gle-c----ELG",
        "1_gle-c--C-ELG_C",
        "1_gle-c----ELG_CC",
        "1_gle------ELG_CCC",
        "1_gle------ELG_HH",
        "1_gle------ELG_L",
        "1_gle-c--C-ELG__",
        "1_gLe-c--C-ElG",
        "1_-----------l",
        "1_\u{e9}le-c--C-ELG",
    ] {
        assert!(game.read(text).is_err(), "{text}");
    }
    let spaced = at_text(&game, " 2_gle/-c-/-C-/ELG_- ");
    assert_eq!(spaced.0, Turn::Second);
    assert!(Dobutsu::new(&Options::read(&Dobutsu::CARD, "rows=3").expect("options")).is_err());
}

/// Whether the player to move wins within `moves` moves.
fn wins(game: &Dobutsu, p: DobutsuMen, moves: u32) -> bool {
    let loses = |p: DobutsuMen| {
        game.outcome(p).is_some()
            || moves >= 3 && {
                let list = laws::list_moves(game, p);
                list.iter().all(|(_, q)| wins(game, *q, moves - 2))
            }
    };
    moves > 0 && game.outcome(p).is_none() && laws::list_moves(game, p).into_iter().any(|(_, q)| loses(q))
}

#[test]
fn published_distances() {
    // tanakat01/dobutsu, sample1.md, the position "-1(31)": how soon the other player wins after each move.
    // There a count of 0 is a lion that can be taken now, which is one move here.
    let game = game("");
    let (turn, p) = at_text(&game, "1_g----lCe--L-_CEg");
    let sorted = |soon: u32, not: u32| {
        let list = laws::list_moves(&game, p).into_iter();
        let found = list.filter(|(_, q)| wins(&game, *q, soon) && !wins(&game, *q, not));
        let mut found: Vec<_> = found.map(|(m, _)| game.show_move(turn, p, m)).collect();
        found.sort();
        found
    };
    assert_eq!(laws::list_moves(&game, p).len(), 19);
    assert_eq!(sorted(1, 0), ["b1-a1", "b1-b2", "b1-c1", "b1-c2"]);
    let soon =
        ["C*a1", "C*a3", "C*b3", "C*c1", "C*c4", "E*a1", "E*a3", "E*b3", "E*c1", "E*c2", "E*c4", "a2-a3"];
    let with_b4 = ["C*b4"].into_iter().chain(soon);
    let mut want: Vec<_> = with_b4.collect();
    want.sort();
    assert_eq!(sorted(3, 1), want);
    assert_eq!(sorted(5, 3), ["E*b4"]);
}
