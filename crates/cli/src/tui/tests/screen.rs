//! The content of the screen, at several sizes.

use ratatui::style::Color;
use zermelo_core::Board;

use super::super::{geometry, thinker};
use super::*;

fn count(screen: &str, part: &str) -> usize {
    screen.matches(part).count()
}

#[test]
fn quixo_with_values_in_letters_and_words() {
    let solution = solved(QUIXO);
    let mut session = session(&solution, HUMANS);
    set(&mut session, "1_--o--x---");
    let screen = look(&session, 100, 32);
    assert!(screen.contains("First player (x) to move: wins in 5 moves"), "{screen}");
    assert!(
        screen.contains("Wins (11)") && screen.contains("Loses (7)") && screen.contains("a2-c2  L8"),
        "{screen}"
    );
    assert!(screen.contains("   o   │") && screen.contains("│   x   │"), "{screen}");
    let board: String = screen.lines().map(|l| l.chars().take(74).collect::<String>() + "\n").collect();
    assert_eq!((count(&board, "W5"), count(&board, "L6")), (6, 1), "each cell's best move\n{board}");
    assert!(screen.contains("Position: 1_--o--x---") && screen.contains("? help"), "{screen}");
    for row in ["3 │", "2 │", "1 │"] {
        assert!(screen.contains(row), "{screen}");
    }
}

#[test]
fn picks_and_hints_are_marked() {
    let solution = solved(QUIXO);
    let mut session = session(&solution, HUMANS);
    press(&mut session, "h");
    let (screen, name) = (look(&session, 100, 32), session.hinted.clone().expect("a hint"));
    assert!(
        screen.contains(&format!("{name}  W7 *"))
            && screen.contains(&format!("Hint: {name} wins in 7 moves")),
        "{screen}"
    );
    assert!(screen.contains("*→") || screen.contains("*↓"), "{screen}");
    press(&mut session, "!");
    pick(&mut session, "a3");
    let screen = look(&session, 100, 32);
    assert!(screen.contains("Moves from a3 (2)") && screen.contains("from"), "{screen}");
    let board: String = screen.lines().map(|l| l.chars().take(74).collect::<String>() + "\n").collect();
    assert_eq!(count(&board, "W7"), 2, "only where the picked cube can go\n{board}");
}

#[test]
fn hidden_values_are_nowhere() {
    let solution = solved(QUIXO);
    let mut session = session(&solution, HUMANS);
    set(&mut session, "1_--o--x---");
    session.apply(Key::Char('v'));
    let screen = look(&session, 100, 32);
    for told in ["W5", "L6", "L8", "wins", "Wins", "Loses"] {
        assert!(!screen.contains(told), "{told}\n{screen}");
    }
    assert!(screen.contains("First player (x) to move") && screen.contains("a3-c3"), "{screen}");
    let order: Vec<_> = session.moves.iter().map(|m| m.drawing.cells()).collect();
    assert!(order.is_sorted(), "nor does the order of the list tell");
}

#[test]
fn values_have_colours() {
    let solution = solved(QUIXO);
    let mut session = session(&solution, HUMANS);
    set(&mut session, "1_--o--x---");
    let mut terminal = Terminal::new(TestBackend::new(100, 32)).expect("a test terminal");
    terminal.draw(|frame| drawing::draw(frame, &session)).expect("drawn");
    let buffer = terminal.backend().buffer();
    let mut seen = std::collections::HashSet::new();
    for (x, y) in (0..70).flat_map(|x| (4..25).map(move |y| (x, y))) {
        let cell = &buffer[(x, y)];
        let want = match cell.symbol() {
            "W" => Color::Green,
            "L" => Color::Red,
            "x" => Color::Cyan,
            "o" => Color::Magenta,
            _ => continue,
        };
        assert_eq!(cell.fg, want, "{} at {x},{y}", cell.symbol());
        seen.insert(cell.symbol());
    }
    assert_eq!(seen.len(), 4);
}

#[test]
fn every_size_is_drawn_or_refused() {
    let solution = solved(QUIXO);
    let mut session = session(&solution, HUMANS);
    let mut drawn = 0;
    for (width, height) in (1..130).step_by(6).flat_map(|w| (1..45).map(move |h| (w, h))) {
        let screen = look(&session, width, height);
        let refused = width < 30 || height < 9;
        drawn += usize::from(!refused);
        assert_eq!(screen.contains("W7"), !refused, "{width}x{height}\n{screen}");
        if refused && width > 20 && height > 4 {
            assert!(screen.contains("small"), "{width}x{height}\n{screen}");
        }
    }
    assert!(drawn > 100);
    session.help = true;
    let help = look(&session, 80, 24);
    assert!(
        help.contains("any key closes this") && help.contains("in a3-c3"),
        "to the notation's end\n{help}"
    );
    let narrow = |session: &Session<'_>| look(session, 40, 20);
    session.help = false;
    assert!(!narrow(&session).contains("Moves (20)") && narrow(&session).contains('┌'));
    press(&mut session, "|");
    assert!(narrow(&session).contains("Moves (20)"), "Tab shows the list where both have no room");
}

#[test]
fn a_long_list_scrolls_to_the_selected_move() {
    let game = open("quixo");
    let mut session = Session::new(&game, Setup { players: HUMANS, ..Setup::default() }).expect("a session");
    for task in session.take_tasks().expect("tasks") {
        session.learn(thinker::Finding { position: task.position, value: None });
    }
    let last = session.moves.last().expect("moves").name.clone();
    assert!(look(&session, 80, 24).contains(" more lines "));
    assert!(look(&session, 80, 24).contains("quixo`"), "a long sentence goes on in the next line");
    assert!(!look(&session, 80, 24).contains(&last));
    press(&mut session, "|");
    (0..100).for_each(|_| session.apply(Key::Down));
    let screen = look(&session, 80, 24);
    assert!(screen.contains(&format!("> {last}  ?")), "{screen}");
}

#[test]
fn a_long_game_shows_its_end() {
    let solution = solved(TIC_TAC_TOE);
    let mut session = session(&solution, [PERFECT; 2]);
    run(&mut session, Instant::now());
    let screen = look(&session, 100, 32);
    assert!(screen.contains("Moves: 1.") && screen.contains(" 9."), "{screen}");
    let narrow = look(&session, 40, 20);
    assert!(narrow.contains("Moves: …") && narrow.contains(" 9.") && !narrow.contains(" 1."), "{narrow}");
    assert!(narrow.contains(" Tie\n"), "{narrow}");
}

#[test]
fn any_board_can_be_walked_and_named() {
    // A hexagon of seven cells with names of their own.
    let cells = vec![(1.0, 0.5), (2.0, 0.5), (0.5, 1.5), (1.5, 1.5), (2.5, 1.5), (1.0, 2.5), (2.0, 2.5)];
    let names = (1..=7).map(|n| format!("c{n}")).collect();
    let board = Board { width: 3.0, height: 3.0, cells, names, ..Board::default() };
    assert_eq!(board.axes(), None, "no columns share a letter");
    assert_eq!(geometry::middle(&board, |_| true), 3);
    let mut reached = std::collections::HashSet::from([3]);
    for _ in 0..4 {
        for from in reached.clone() {
            let steps = [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)];
            reached.extend(steps.map(|step| geometry::neighbour(&board, from, step, |_| true)));
        }
    }
    assert_eq!(reached.len(), 7, "every cell can be reached with the cursor keys");
    assert_eq!(geometry::neighbour(&board, 4, (1.0, 0.0), |_| true), 4, "the cursor stays at the edge");
    let plan = geometry::plan(&board, ratatui::layout::Rect::new(5, 5, 60, 30)).expect("fits");
    for (a, b) in (0..7).flat_map(|a| (0..a).map(move |b| (a, b))) {
        assert!(plan.inside(a).intersection(plan.inside(b)).is_empty(), "cells {a} and {b} overlap");
    }
}

const XIANGQI: &str = "xiangqi:pieces=3";
const ROOK: &str = "4k4/9/9/9/9/9/9/9/R8/3K5 w";

#[test]
fn men_stand_on_the_points_of_lines() {
    let solution = solved(XIANGQI);
    let mut session = session(&solution, HUMANS);
    set(&mut session, ROOK);
    let screen = look(&session, 120, 45);
    assert!(screen.contains("Red to move: wins in "), "{screen}");
    assert!(screen.contains("red human, black human"), "{screen}");
    let lines: Vec<&str> = screen.lines().collect();
    let rank = |name: &str| {
        let found = lines.iter().position(|line| line.trim_start().starts_with(name));
        found.unwrap_or_else(|| panic!("no rank {name}\n{screen}"))
    };
    let column = |row: usize, letter: char| lines[row].chars().position(|c| c == letter);
    let (black, red) = (rank("9 "), rank("0 "));
    assert!(lines[black].contains("┌───────┬"), "the corner\n{screen}");
    assert_eq!(red - black, 27, "three rows to a rank\n{screen}");
    let files =
        lines[red + 2..].iter().find(|line| line.trim_start().starts_with("a ")).expect("names of files");
    for (row, man, file) in [(black, 'k', 'e'), (red, 'K', 'd'), (rank("1 "), 'R', 'a')] {
        assert_eq!(column(row, man), files.chars().position(|c| c == file), "{man} on file {file}\n{screen}");
    }
    assert_eq!((count(&screen, "╲"), count(&screen, "╱")), (8, 8), "the palaces\n{screen}");
    let river: String = lines[rank("5 ") + 1].chars().take(90).collect();
    assert_eq!(count(&river, "│"), 2, "only the files at the edges cross the river\n{screen}");
    // A wide character is followed by an empty one on the screen.
    assert!(screen.replace(' ', "").contains("楚河漢界"), "{screen}");
}

#[test]
fn men_have_the_colours_of_their_sides() {
    let solution = solved(XIANGQI);
    let mut session = session(&solution, HUMANS);
    set(&mut session, ROOK);
    let mut terminal = Terminal::new(TestBackend::new(120, 45)).expect("a test terminal");
    terminal.draw(|frame| drawing::draw(frame, &session)).expect("drawn");
    let buffer = terminal.backend().buffer();
    let mut seen = 0;
    for (x, y) in (4..90).flat_map(|x| (5..38).map(move |y| (x, y))) {
        let want = match buffer[(x, y)].symbol() {
            "K" | "R" => Color::LightRed,
            "k" => Color::Cyan,
            _ => continue,
        };
        assert_eq!(buffer[(x, y)].fg, want, "{} at {x},{y}", buffer[(x, y)].symbol());
        seen += 1;
    }
    assert_eq!(seen, 3);
}

#[test]
fn a_man_is_picked_and_put_on_a_point() {
    let solution = solved(XIANGQI);
    let mut session = session(&solution, HUMANS);
    set(&mut session, ROOK);
    pick(&mut session, "a1");
    let screen = look(&session, 120, 45);
    assert!(screen.contains("Moves from a1 (") && screen.contains("from"), "{screen}");
    pick(&mut session, "f1");
    assert_eq!(session.report().position, "4k4/9/9/9/9/9/9/9/5R3/3K5 b");
    assert!(sentence(&session).starts_with("Black to move"), "{}", sentence(&session));
}

#[test]
fn points_are_drawn_at_every_size() {
    let solution = solved(XIANGQI);
    let mut session = session(&solution, HUMANS);
    set(&mut session, ROOK);
    let mut drawn = [0; 2];
    for (width, height) in (30..140).step_by(10).flat_map(|w| (5..60).step_by(5).map(move |h| (w, h))) {
        let screen = look(&session, width, height);
        if screen.contains("small") {
            drawn[0] += 1;
            assert!(width < 48 || height < 16, "{width}x{height}\n{screen}");
        } else {
            drawn[1] += 1;
            for man in ['k', 'R', 'K'] {
                assert!(screen.contains(man), "{man} at {width}x{height}\n{screen}");
            }
        }
    }
    assert!(drawn[0] > 0 && drawn[1] > 50, "{drawn:?}");
    let usual = look(&session, 80, 24);
    assert!(usual.contains("Moves (") && usual.contains("┌    ┬"), "board and list side by side\n{usual}");
    assert!(usual.contains("5  ├    ┴") && usual.contains("4  ├    ┬"), "the river\n{usual}");
    // Nine points to a palace, of which four corners and the middle have diagonals; the king is on none.
    assert_eq!(count(&usual, "╳"), 9, "the palaces, with a king on one of the points\n{usual}");
}

/// Pentago, late in a game.
fn pentago(game: &Answers) -> Session<'_> {
    let setup = Setup { players: HUMANS, position: Some(at(game, PENTAGO[0])), ..Setup::default() };
    let mut session = Session::new(game, setup).expect("a session");
    search(&mut session, game);
    session
}

#[test]
fn quadrants_lie_apart_with_their_turns() {
    let game = open("pentago");
    let mut session = pentago(&game);
    let screen = look(&session, 100, 36);
    assert!(screen.contains("Black (x) to move") && screen.contains("black human, white human"), "{screen}");
    assert!(screen.contains("┌─────┬─────┬─────┐  ┌─────┬─────┬─────┐"), "{screen}");
    assert_eq!((count(&screen, "↺"), count(&screen, "↻")), (4, 4), "{screen}");
    for row in 1..7 {
        assert!(screen.contains(&format!(" {row}   │")), "row {row}\n{screen}");
    }
    let told = ["↺ W", "↺ L", "↻ W", "↻ L"];
    assert!(told.iter().all(|part| !screen.contains(part)), "no values before a stone is put\n{screen}");
    pick(&mut session, "d4");
    let screen = look(&session, 100, 36);
    assert!(screen.contains("Stone on d4: turns (8)") && screen.contains("┃  x  ┃"), "{screen}");
    assert!(screen.contains("┃ put ┃") && screen.contains("pick a turn"), "{screen}");
    assert_eq!(told.map(|part| count(&screen, part)), [1, 3, 1, 3], "{screen}");
}

#[test]
fn turns_have_the_colours_of_their_values() {
    let game = open("pentago");
    let mut session = pentago(&game);
    pick(&mut session, "d4");
    let mut terminal = Terminal::new(TestBackend::new(100, 36)).expect("a test terminal");
    terminal.draw(|frame| drawing::draw(frame, &session)).expect("drawn");
    let buffer = terminal.backend().buffer();
    let mut seen = std::collections::BTreeMap::new();
    for (x, y) in (0..70).flat_map(|x| (0..36).map(move |y| (x, y))) {
        if matches!(buffer[(x, y)].symbol(), "↺" | "↻") {
            *seen.entry(format!("{:?}", buffer[(x, y)].fg)).or_insert(0) += 1;
        }
    }
    // The cursor stands on one of the two that win.
    assert_eq!(
        seen.into_iter().map(|(colour, n)| format!("{colour} {n}")).collect::<Vec<_>>().join(", "),
        "Green 1, Red 6, Yellow 1"
    );
}

#[test]
fn turns_are_drawn_at_every_size() {
    let game = open("pentago");
    let mut session = pentago(&game);
    pick(&mut session, "d4");
    let mut drawn = 0;
    for (width, height) in (30..140).step_by(5).flat_map(|w| (5..60).map(move |h| (w, h))) {
        let screen = look(&session, width, height);
        if screen.contains("small") {
            assert!(width < 46 || height < 14, "{width}x{height}\n{screen}");
            continue;
        }
        drawn += 1;
        let board = count(&screen, "↺") + count(&screen, "↻");
        assert_eq!(board, 8, "{width}x{height}\n{screen}");
        assert_eq!(count(&screen, "put"), 1, "{width}x{height}\n{screen}");
    }
    assert!(drawn > 500, "{drawn}");
    let usual = look(&session, 80, 24);
    assert!(usual.contains("└──────┴──────┴──────┘  ┗━━━━━━┛──────┴──────┘"), "lines and list\n{usual}");
    assert!(usual.contains("Stone on d4: turns (8)"), "{usual}");
}
