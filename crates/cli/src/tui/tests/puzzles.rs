//! Puzzles, which have one player, and nimbers on the screen.

use super::*;

#[test]
fn a_puzzle_is_solved_by_one_player() {
    let solution = solved("slide:rows=2,cols=3");
    let mut session = session(&solution, [PERFECT; 2]);
    set(&mut session, "1_45-123");
    assert_eq!(sentence(&session), "To be solved: solvable in 21 moves");
    let screen = look(&session, 100, 32);
    assert!(screen.contains("Solvable (2)") && screen.contains("5  S21"), "{screen}");
    assert!(!screen.contains("First") && !screen.contains("first"), "{screen}");
    press(&mut session, "h");
    assert!(session.message.as_deref().is_some_and(|m| m.ends_with("solvable in 21 moves")));
    assert_eq!(run(&mut session, Instant::now()), 21, "the computer finds a shortest way");
    assert_eq!(sentence(&session), "Solved");
    press(&mut session, "c");
    assert_eq!(session.message.as_deref(), Some("Players: human"));
}

#[test]
fn a_puzzle_may_be_stuck() {
    let solution = solved("pegs:hole=5,last=1");
    let mut session = session(&solution, HUMANS);
    assert_eq!(sentence(&session), "To be solved: unsolvable");
    assert!(session.moves.iter().all(|m| words::label(m.worth, session.unit()) == "U"));
    press(&mut session, "h");
    assert_eq!(session.message.as_deref(), Some("Hint: it cannot be solved from here"));
    set(&mut session, "1_x-------------x");
    assert_eq!(sentence(&session), "Stuck: there is no move left");
}

#[test]
fn nimbers_are_told_with_who_wins() {
    let told = [Value::Win(0), Value::Lose(4)].map(|value| words::hint("b3", value, Unit::Nimber));
    assert_eq!(told, ["Hint: b3 wins, nimber 0", "Hint: every move loses"]);
    assert_eq!(words::verdict(Value::Win(3), Unit::Nimber), "wins, nimber 3");
    assert_eq!(words::label(Some(Value::Lose(4)), Unit::Nimber), "L4");
}

#[test]
fn crows_win_and_a_vulture_wins() {
    let game = open("kaooa");
    let session = Session::new(&game, Setup { players: HUMANS, ..Setup::default() }).expect("a session");
    let told = [Turn::First, Turn::Second].map(|turn| {
        [Value::Win(7), Value::Lose(2), Value::Tie(3)].map(|value| words::verdict_on(&session, turn, value))
    });
    assert_eq!(told[0], ["win in 7 moves", "lose in 2 moves", "tie in 3 moves"]);
    assert_eq!(told[1], ["wins in 7 moves", "loses in 2 moves", "tie in 3 moves"]);
    let wins = [Turn::First, Turn::Second].map(|turn| words::wins(&session, turn));
    assert!(wins[0].starts_with("Crows") && wins[0].ends_with(" win"), "{wins:?}");
    assert!(wins[1].starts_with("Vulture") && wins[1].ends_with(" wins"), "{wins:?}");
}
