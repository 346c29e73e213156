//! Play: moves, undo, hints, positions, the computer, searches.

use super::super::session::Focus;
use super::super::thinker::{self, Look};
use super::*;

#[test]
fn a_game_of_tic_tac_toe_to_the_end() {
    let solution = solved(TIC_TAC_TOE);
    let mut session = session(&solution, HUMANS);
    assert_eq!(sentence(&session), "First player (x) to move: tie in 9 moves");
    for (cell, then) in [
        ("b2", "Second player (o) to move: tie in 8 moves"),
        ("b1", "First player (x) to move: wins in 5 moves"),
        ("a1", "Second player (o) to move: loses in 4 moves"),
        ("c3", "First player (x) to move: wins in 3 moves"),
        ("a2", "Second player (o) to move: loses in 2 moves"),
        ("a3", "First player (x) to move: wins in 1 move"),
    ] {
        pick(&mut session, cell);
        assert_eq!(sentence(&session), then, "after {cell}");
    }
    pick(&mut session, "b2");
    assert_eq!(session.message.as_deref(), Some("No move begins at b2"), "a stone stands there");
    pick(&mut session, "c2");
    assert_eq!(sentence(&session), "First player (x) wins");
    assert_eq!(session.report().position, "2_o-oxxxxo-");
    pick(&mut session, "b3");
    assert_eq!(session.at, 7, "nobody moves after the end");
    assert!(session.message.as_deref().is_some_and(|m| m.contains("over")));
}

#[test]
fn arrows_take_two_picks() {
    let solution = solved(QUIXO);
    let mut session = session(&solution, HUMANS);
    assert_eq!(sentence(&session), "First player (x) to move: wins in 7 moves");
    pick(&mut session, "a3");
    assert_eq!((session.at, session.shown().count()), (0, 2), "from a corner a cube goes two ways");
    pick(&mut session, "b2");
    assert!(session.message.as_deref().is_some_and(|m| m.starts_with("No move from a3 to b2")));
    press(&mut session, "!");
    assert!(session.picks.is_empty(), "Esc cancels");
    pick(&mut session, "a3");
    session.apply(Key::Enter);
    assert!(session.picks.is_empty(), "picking the cell again cancels, too");
    pick(&mut session, "a3");
    pick(&mut session, "c3");
    assert_eq!((session.at, session.report().position.as_str()), (1, "2_--x------"));
    assert_eq!(sentence(&session), "Second player (o) to move: loses in 6 moves");
}

#[test]
fn a_stone_is_put_and_then_the_board_turned() {
    let game = open("pentago");
    let setup = Setup { players: HUMANS, ..Setup::default() };
    let mut session = Session::new(&game, setup).expect("a session");
    let cell = |name: &str| game.game.oracle().board().names.iter().position(|n| n == name).expect("a cell");
    pick(&mut session, "c4");
    assert_eq!((session.at, session.shown().count()), (0, 8), "eight turns");
    assert!(game.game.oracle().board().twist(session.cursor).is_some(), "the cursor goes on to them");
    assert_eq!(session.message.as_deref(), Some("Stone on c4: now pick a turn, or Esc"));
    for _ in 0..3 {
        press(&mut session, "<v");
        assert!(game.game.oracle().board().twist(session.cursor).is_some(), "and stays among them");
    }
    press(&mut session, "!");
    assert_eq!((session.picks.len(), session.cursor), (0, cell("c4")), "Esc takes the stone back");
    press(&mut session, "^^^^^");
    assert_eq!(session.cursor, cell("c6"), "without a stone no turn can be reached");
    pick(&mut session, "c4");
    pick(&mut session, "ul-l");
    assert_eq!((session.at, session.cursor), (1, cell("c4")));
    assert_eq!(session.report().pieces.find('x'), Some(cell("c6")), "the quadrant took it along");
    assert!(sentence(&session).starts_with("White (o) to move"), "{}", sentence(&session));
    press(&mut session, "u");
    assert!(!session.report().pieces.contains('x'));
}

#[test]
fn a_stone_that_wins_is_one_pick() {
    let game = open("pentago");
    let setup = Setup { players: HUMANS, position: Some(at(&game, PENTAGO[1])), ..Setup::default() };
    let mut session = Session::new(&game, setup).expect("a session");
    pick(&mut session, "d3");
    assert_eq!((session.at, sentence(&session).as_str()), (1, "White (o) wins"));
}

#[test]
fn very_many_moves_are_listed_by_cell() {
    let game = open("pentago");
    let setup = Setup { players: HUMANS, ..Setup::default() };
    let mut session = Session::new(&game, setup).expect("a session");
    assert_eq!((session.moves.len(), session.listed().len()), (288, 36));
    press(&mut session, "|vv");
    let chosen = session.listed()[2].drawing.cells()[0];
    press(&mut session, ".");
    assert_eq!((session.at, session.picks.clone(), session.focus), (0, vec![chosen], Focus::List));
    assert_eq!(session.listed().len(), 8, "and then the turns after a stone there");
    press(&mut session, "vv.");
    assert_eq!((session.at, session.listed().len()), (1, 35));
}

#[test]
fn a_cell_shows_its_best_move() {
    let solution = solved(QUIXO);
    let mut session = session(&solution, HUMANS);
    set(&mut session, "1_--o--x---");
    let a2 = session.board().names.iter().position(|n| n == "a2").expect("a cell");
    assert_eq!(session.offer(a2).expect("moves").worth, Some(Value::Win(5)));
    assert_eq!(value_of(&session, "a2-c2"), Some(Value::Lose(8)), "the same cell has worse moves");
}

#[test]
fn every_move_can_be_made_from_the_list() {
    let solution = solved(QUIXO);
    let mut session = session(&solution, HUMANS);
    press(&mut session, "|");
    assert_eq!(session.focus, Focus::List);
    press(&mut session, "kkjjj^");
    let third = session.moves[2].name.clone();
    session.apply(Key::Enter);
    assert_eq!(session.steps[1].played.as_ref().expect("a move").0, third);
    for _ in 0..100 {
        session.apply(Key::Down);
    }
    let last = session.moves.last().expect("moves").name.clone();
    session.apply(Key::Enter);
    assert_eq!(session.steps[2].played.as_ref().expect("a move").0, last);
}

#[test]
fn undo_and_redo() {
    let solution = solved(TIC_TAC_TOE);
    let mut session = session(&solution, HUMANS);
    press(&mut session, "u");
    assert_eq!(session.message.as_deref(), Some("There is no move to take back"));
    pick(&mut session, "b2");
    pick(&mut session, "b1");
    let there = session.report().position.clone();
    press(&mut session, "uu");
    assert_eq!((session.at, session.report().position.as_str()), (0, "1_---------"));
    press(&mut session, "rr");
    assert_eq!((session.at, session.report().position.clone()), (2, there));
    press(&mut session, "r");
    assert_eq!(session.message.as_deref(), Some("There is no move to make again"));
    press(&mut session, "u");
    pick(&mut session, "a1");
    assert_eq!((session.at, session.steps.len()), (2, 3), "a new move forgets those taken back");
    press(&mut session, "n");
    assert_eq!((session.at, session.steps.len()), (0, 1));
}

#[test]
fn undo_against_the_computer_comes_back_to_the_person() {
    let solution = solved(TIC_TAC_TOE);
    let mut session = session(&solution, [Player::Human, PERFECT]);
    pick(&mut session, "b2");
    assert_eq!(run(&mut session, Instant::now()), 1);
    let reply = session.moves[0].name.clone();
    pick(&mut session, &reply);
    press(&mut session, "u");
    assert_eq!(session.at, 2, "one's own move is taken back while the computer thinks");
    press(&mut session, "u");
    assert_eq!(session.at, 0, "and then the computer's together with one's own");
    assert_eq!(run(&mut session, Instant::now()), 0);
    press(&mut session, "s");
    assert_eq!(run(&mut session, Instant::now()), 1, "after the swap the computer begins");
    press(&mut session, "u");
    assert_eq!(run(&mut session, Instant::now()), 0, "it waits after an undo");
    press(&mut session, ".");
    assert_eq!(run(&mut session, Instant::now()), 1, "until it is told to go on");
}

#[test]
fn hints_in_words() {
    let solution = solved(QUIXO);
    let mut session = session(&solution, HUMANS);
    set(&mut session, "1_--o--x---");
    press(&mut session, "h");
    let message = session.message.clone().expect("a hint");
    assert!(message.starts_with("Hint: ") && message.ends_with(" wins in 5 moves"), "{message}");
    let hinted = session.hinted.clone().expect("a marked move");
    assert!(message.contains(&hinted));
    assert_eq!(value_of(&session, &hinted), Some(Value::Win(5)));
    set(&mut session, "2_--x------");
    press(&mut session, "h");
    assert!(
        session.message.as_deref().is_some_and(|m| m.contains("every move loses") && m.ends_with("6 moves"))
    );
}

#[test]
fn a_bad_position_says_why_and_changes_nothing() {
    let solution = solved(TIC_TAC_TOE);
    let mut session = session(&solution, HUMANS);
    pick(&mut session, "b2");
    set(&mut session, "1_xxx------");
    let prompt = session.prompt.clone().expect("the prompt stays open");
    let want = solution.game.oracle().parse("1_xxx------").expect_err("bad").to_string();
    assert_eq!(prompt.complaint, Some(want));
    assert_eq!((session.at, session.report().position.as_str()), (1, "2_----x----"));
    session.apply(Key::Clear);
    press(&mut session, " 2_xxx-oo---.");
    assert_eq!((session.prompt.clone(), sentence(&session)), (None, "First player (x) wins".into()));
    set(&mut session, "q");
    assert!(!session.done, "letters are text at the prompt");
    press(&mut session, "!q");
    assert!(session.done);
}

#[test]
fn perfect_players_tie_at_tic_tac_toe() {
    let solution = solved(TIC_TAC_TOE);
    let mut games = std::collections::HashSet::new();
    for seed in 0..20 {
        let setup = Setup { players: [PERFECT; 2], seed, ..Setup::default() };
        let mut session = Session::new(&solution, setup).expect("a session");
        assert_eq!(run(&mut session, Instant::now()), 9);
        assert_eq!(sentence(&session), "Tie");
        games.insert(session.report().position.clone());
    }
    assert!(games.len() > 1, "equal moves are chosen by chance");
}

#[test]
fn strength_is_how_often_the_best_move_is_played() {
    let solution = solved(TIC_TAC_TOE);
    let mut lost = [0; 2];
    for seed in 0..60 {
        for (i, strength) in [0.0, 0.9].into_iter().enumerate() {
            let players = [PERFECT, Player::Computer { strength }];
            let setup = Setup { players, seed, ..Setup::default() };
            let mut session = Session::new(&solution, setup).expect("a session");
            run(&mut session, Instant::now());
            assert_ne!(sentence(&session), "Second player (o) wins", "nobody beats the perfect player");
            lost[i] += usize::from(sentence(&session) == "First player (x) wins");
        }
    }
    assert!(lost[0] > 40 && lost[1] < 25 && lost[1] > 0, "random loses most, nearly perfect few: {lost:?}");
}

#[test]
fn strength_and_seats_change_by_keys() {
    let solution = solved(TIC_TAC_TOE);
    let mut session = session(&solution, HUMANS);
    for want in [
        "x human, o computer 100%",
        "x computer 100%, o human",
        "x computer 100%, o computer 100%",
        "x human, o human",
    ] {
        press(&mut session, "c");
        assert_eq!(words::seats(&session), want);
    }
    press(&mut session, "c---");
    assert_eq!(words::seats(&session), "x human, o computer 70%");
    press(&mut session, "----------");
    assert_eq!(words::seats(&session), "x human, o computer 0%");
    press(&mut session, "++++++++++++s");
    assert_eq!(words::seats(&session), "x computer 100%, o human");
}

#[test]
fn without_tables_values_are_searched() {
    let game = open(TIC_TAC_TOE);
    let mut session = Session::new(&game, Setup { players: HUMANS, ..Setup::default() }).expect("a session");
    assert_eq!(sentence(&session), "First player (x) to move: thinking...");
    press(&mut session, "h");
    assert_eq!(session.message.as_deref(), Some("No hint yet: still thinking"));
    search(&mut session, &game);
    assert_eq!(sentence(&session), "First player (x) to move: tie in 9 moves");
    assert!(session.moves.iter().all(|m| m.worth == Some(Value::Tie(9))));
    assert_eq!(session.take_tasks(), None, "a position is searched once");
    let known = game.look_up(game.game.oracle().start()).expect("a position");
    assert_eq!(known.value, Some(Value::Tie(9)), "and whoever asks again knows it");
    pick(&mut session, "b2");
    search(&mut session, &game);
    press(&mut session, "u");
    assert_eq!(session.take_tasks(), Some(vec![]), "what was found is kept");
}

#[test]
fn a_solved_part_is_looked_up() {
    let data = std::env::temp_dir().join(format!("zermelo-tui-{}-part", std::process::id()));
    let part = zermelo::Catalogue::standard().open_all(TIC_TAC_TOE, None, None, Some("2_----x----"));
    let part = part.expect("a game").swap_remove(0);
    let settings = zermelo::Settings { data: Some(data.clone()), ..zermelo::Settings::default() };
    zermelo::solve(&part, &settings, &zermelo::Progress::new("solve")).expect("solvable");
    let mut game = open(TIC_TAC_TOE);
    game.parts = zermelo::Parts::of(zermelo::Catalogue::standard(), &data, &game.game, zermelo::CACHE);
    let setup = Setup { players: HUMANS, position: Some(at(&game, "2_----x----")), ..Setup::default() };
    let mut session = Session::new(&game, setup).expect("a session");
    assert_eq!(sentence(&session), "Second player (o) to move: tie in 8 moves");
    assert_eq!(session.take_tasks(), Some(vec![]), "nothing is left to search");
    press(&mut session, "n");
    assert_eq!(sentence(&session), "First player (x) to move: thinking...", "the start of the game");
    std::fs::remove_dir_all(data).expect("its own folder");
}

#[test]
fn what_is_too_deep_is_not_known() {
    let game = open("quixo");
    let mut session =
        Session::new(&game, Setup { players: [PERFECT; 2], ..Setup::default() }).expect("a session");
    let tasks = session.take_tasks().expect("tasks");
    assert_eq!(
        (session.moves.len(), tasks.len()),
        (44, 1 + 16),
        "moves to the same position are searched once"
    );
    for task in tasks {
        assert!(sentence(&session).ends_with('.'), "{}", sentence(&session));
        session.learn(super::super::thinker::Finding { position: task.position, value: None });
    }
    let want = "First player (x) to move; not known: too deep to search; run `zermelo solve quixo`";
    assert_eq!(sentence(&session), want);
    let moves = run(&mut session, Instant::now());
    assert!(
        (20..200).contains(&moves),
        "the computer waits for a search, then plays at random: {moves} moves"
    );
}

#[test]
fn a_found_win_is_a_win_before_the_rest_is_known() {
    let game = open(QUIXO);
    let mut session = Session::new(&game, Setup { players: HUMANS, ..Setup::default() }).expect("a session");
    let position = session.moves[3].to;
    session.learn(super::super::thinker::Finding { position, value: Some(Value::Lose(8)) });
    assert_eq!(sentence(&session), "First player (x) to move: wins in 9 moves or fewer");
}

#[test]
fn tables_that_cannot_be_read_are_told_and_done_without() {
    let mut game = open(TIC_TAC_TOE);
    game.database = Some(std::sync::Arc::new(Broken));
    let mut session = Session::new(&game, Setup { players: HUMANS, ..Setup::default() }).expect("a session");
    assert!(session.message.as_deref().is_some_and(|m| m.contains("block 7 is damaged")));
    search(&mut session, &game);
    assert_eq!(sentence(&session), "First player (x) to move: tie in 9 moves");
}

/// A late position of Othello: six empty cells are few enough for an answer without a table.
fn late_othello(game: &Opened, seed: usize) -> Option<Position> {
    let mut position = game.oracle().start();
    for ply in 0..6 {
        let moves = game.oracle().report(position, &()).expect("a position").moves;
        position = moves.get((seed * 7 + ply * 3) % moves.len().max(1))?.to;
    }
    Some(position).filter(|position| !game.oracle().report(*position, &()).expect("a position").over)
}

#[test]
fn othello_is_played_for_the_margin_to_the_end() {
    let game = zermelo::open("othello:rows=4,cols=4", None, Some("margin")).expect("a game");
    let game = Answers::of(game);
    let (mut again, mut won) = (0, [0, 0]);
    for position in (0..40).filter_map(|seed| late_othello(&game.game, seed)) {
        let setup = Setup { position: Some(position), players: [PERFECT; 2], ..Setup::default() };
        let mut session = Session::new(&game, setup).expect("a session");
        let (turn, promised) = (session.report().at.turn, session.worth().expect("known").value);
        let promised = session.unit().margin(promised).expect("a margin");
        let told = sentence(&session);
        assert!(told.contains(" by ") != told.ends_with("tie"), "{told}");
        run(&mut session, Instant::now());
        assert!(session.report().over);
        let turns: Vec<_> = session.steps.iter().map(|step| step.position.turn).collect();
        again += turns[..turns.len() - 1].windows(2).filter(|w| w[0] == w[1]).count();
        let discs = |letter| session.report().pieces.matches(letter).count() as i32;
        let first = discs('x') - discs('o');
        assert_eq!(if turn == Turn::First { first } else { -first }, promised, "both play perfectly");
        let end = match first {
            0 => "Tie",
            n if n > 0 => "First player (x) wins",
            _ => "Second player (o) wins",
        };
        assert_eq!(sentence(&session), end);
        won[usize::from(first < 0)] += 1;
    }
    assert!(again > 0 && won[0] > 0 && won[1] > 0, "{again} {won:?}");
}

#[test]
fn margins_are_preferred_by_their_size() {
    let best_first =
        [Some(Value::Win(9)), Some(Value::Win(2)), Some(Value::Tie(0)), None, Some(Value::Lose(1))];
    assert!(best_first.is_sorted_by_key(|value| words::preference(*value, Unit::Margin)));
    assert!(
        words::preference(Some(Value::Lose(1)), Unit::Margin)
            < words::preference(Some(Value::Lose(8)), Unit::Margin)
    );
    let told =
        [Value::Win(9), Value::Lose(1), Value::Tie(0)].map(|value| words::hint("c1", value, Unit::Margin));
    assert_eq!(told, ["Hint: c1 wins by 9", "Hint: every move loses; c1 by the least: 1", "Hint: c1 ties"]);
}

/// A board of Pentago with two empty cells, where one move wins and all others tie.
const LATE: &str = "2747279611747509873";

#[test]
fn pentago_is_looked_at_as_a_whole() {
    let game = open("pentago");
    let setup = Setup { position: Some(at(&game, LATE)), players: [PERFECT; 2], ..Setup::default() };
    let mut session = Session::new(&game, setup).expect("a session");
    assert_eq!(sentence(&session), "Black (x) to move: wins", "that move ends the game");
    assert!(session.is_searching(), "the others are not known");
    let order = session.take_request().expect("an order");
    assert_eq!((order.position, order.tasks.is_empty()), (at(&game, LATE), false));
    let now = Instant::now();
    session.tick(now);
    session.tick(now + Duration::from_secs(60));
    assert_eq!(session.at, 0, "the computer waits for a look that ends by itself");
    session.looked(Look::at(order.position, &game));
    assert!(session.moves.iter().all(|m| m.worth.is_some()) && !session.is_searching());
    assert_eq!(sentence(&session), "Black (x) to move: wins");
    let mut labels: Vec<_> = session.moves.iter().map(|m| words::label(m.worth, session.unit())).collect();
    labels.dedup();
    assert_eq!(labels, ["W", "T"]);
    press(&mut session, "h");
    assert_eq!(session.message.as_deref(), Some("Hint: e5 wins"));
    session.help = true;
    assert!(look(&session, 100, 40).contains("W wins, T ties, L loses"));
    session.help = false;
    run(&mut session, now);
    assert_eq!(sentence(&session), "Black (x) wins");
}

#[test]
fn an_opening_of_pentago_is_in_published_files_or_not_known() {
    let mut game = open("pentago");
    let data = std::env::temp_dir().join(format!("zermelo-tui-{}-slices", std::process::id()));
    std::fs::create_dir_all(data.join("pentago")).expect("a folder");
    std::fs::write(data.join("pentago/slice-1.pentago"), "spoilt").expect("a file");
    let slices = zermelo::Slices::of(&data, None, 1 << 20).expect("a folder");
    game.slices = Some(std::sync::Arc::new(slices));
    let mut session = session(&game, HUMANS);
    let order = session.take_request().expect("an order");
    session.looked(Look::at(order.position, &game));
    assert!(
        session.message.as_deref().is_some_and(|m| m.contains("slice-1.pentago")),
        "{:?}",
        session.message
    );
    std::fs::remove_dir_all(data).expect("its own folder");
    for task in order.tasks {
        session.learn(super::super::thinker::Finding { position: task.position, value: None });
    }
    assert!(sentence(&session).ends_with("see `zermelo play --help`, --slices"), "{}", sentence(&session));
}

#[test]
fn moves_can_be_typed() {
    let answers = open(TIC_TAC_TOE);
    let mut session = session(&answers, HUMANS);
    press(&mut session, "mB2 a1.");
    assert_eq!((session.at, session.report().position.as_str()), (2, "1_----x-o--"));
    // A letter that is no key begins a move.
    press(&mut session, "b");
    let prompt = session.prompt.clone().expect("a prompt");
    assert_eq!(prompt.text, "b");
    press(&mut session, "9.");
    let complaint = session.prompt.clone().and_then(|prompt| prompt.complaint).expect("a complaint");
    assert!(complaint.contains("b9"), "{complaint}");
    assert!(look(&session, 80, 30).contains("b9"));
    press(&mut session, "!");
    assert_eq!((session.prompt.clone(), session.at), (None, 2));
}

#[test]
fn columns_are_digits_in_connect_4() {
    let answers = open("connect4:rows=4,cols=5");
    let mut session = session(&answers, HUMANS);
    press(&mut session, "33");
    assert_eq!(session.report().position, "1_------------o----x--");
    // The columns are labelled as their moves are named.
    let screen = look(&session, 100, 32);
    let labels = screen.lines().find(|line| line.split_whitespace().take(5).eq(["1", "2", "3", "4", "5"]));
    assert!(labels.is_some(), "{screen}");
    // A piece that is let go above its column drops.
    pick(&mut session, "a4");
    assert_eq!(
        session.steps.last().and_then(|step| step.played.clone()).map(|played| played.0),
        Some("1".into())
    );
    press(&mut session, "333");
    assert_eq!((session.at, session.message.as_deref()), (5, Some("Column 3 is full")));
    pick(&mut session, "c4");
    assert_eq!((session.at, session.message.as_deref()), (5, Some("Column 3 is full")));
    // Cells have names of their own in other games, and are no columns.
    let cells = open(TIC_TAC_TOE);
    assert!((0..9).all(|cell| super::session(&cells, HUMANS).column_name(cell).is_none()));
}

#[test]
fn nothing_is_typed_for_the_computer() {
    let answers = open("connect4:rows=4,cols=5");
    let mut session = session(&answers, [PERFECT, Player::Human]);
    press(&mut session, "3");
    assert_eq!((session.at, session.message.as_deref()), (0, Some("The computer is to move")));
    press(&mut session, "m");
    assert_eq!(session.prompt, None);
}

/// A computer that knows no value says that it guesses, once no search goes on.
#[test]
fn a_computer_without_values_guesses() {
    let answers = open("connect4");
    let mut session = session(&answers, [Player::Human, PERFECT]);
    assert!(words::seats(&session).contains("computer 100%"), "{}", words::seats(&session));
    for task in session.take_tasks().expect("tasks") {
        session.learn(thinker::Finding { position: task.position, value: None });
    }
    assert!(words::seats(&session).ends_with("computer (guesses)"), "{}", words::seats(&session));
}
