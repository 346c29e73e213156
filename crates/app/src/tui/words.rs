//! Values in words and letters, as everything on the screen says them.

use zermelo_core::{Turn, Value};

use super::Player;
use super::session::{Session, Worth};

/// Best first, as a player sees it. A move nobody understands is better than a lost one.
pub(super) fn preference(value: Option<Value>) -> (u8, i32) {
    match value {
        Some(Value::Win(r)) => (0, i32::from(r)),
        Some(Value::Tie(r)) => (1, i32::from(r)),
        Some(Value::Draw) => (2, 0),
        None => (3, 0),
        Some(Value::Lose(r)) => (4, -i32::from(r)),
    }
}

/// `W3`, `T9`, `D`, `L4`, or `?`.
pub(super) fn label(value: Option<Value>) -> String {
    match value {
        Some(Value::Win(r)) => format!("W{r}"),
        Some(Value::Tie(r)) => format!("T{r}"),
        Some(Value::Draw) => "D".into(),
        Some(Value::Lose(r)) => format!("L{r}"),
        None => "?".into(),
    }
}

/// What moves of a value have in common.
pub(super) fn heading(value: Option<Value>) -> &'static str {
    match value {
        Some(Value::Win(_)) => "Wins",
        Some(Value::Tie(_)) => "Ties",
        Some(Value::Draw) => "Draws",
        Some(Value::Lose(_)) => "Loses",
        None => "Not known",
    }
}

/// `wins in 7 moves`.
pub(super) fn verdict(value: Value) -> String {
    match value {
        Value::Win(r) => format!("wins in {}", moves(r)),
        Value::Tie(r) => format!("tie in {}", moves(r)),
        Value::Draw => "draw: play never ends".into(),
        Value::Lose(r) => format!("loses in {}", moves(r)),
    }
}

fn moves(n: u16) -> String {
    if n == 1 { "1 move".into() } else { format!("{n} moves") }
}

/// `First player (x)`; the letter where the game has one for each player.
pub(super) fn player(turn: Turn, marks: Option<[char; 2]>) -> String {
    let (word, i) = match turn {
        Turn::First => ("First player", 0),
        Turn::Second => ("Second player", 1),
    };
    marks.map_or(word.into(), |marks| format!("{word} ({})", marks[i]))
}

/// Who sits where: `x human, o computer 70%`.
pub(super) fn seats(session: &Session<'_>) -> String {
    let sit = |i: usize| {
        let side = session.marks().map_or(["first", "second"][i].to_string(), |marks| marks[i].into());
        match session.players()[i] {
            Player::Human => format!("{side} human"),
            Player::Computer { strength } => format!("{side} computer {:.0}%", strength * 100.0),
        }
    };
    format!("{}, {}", sit(0), sit(1))
}

/// The sentence above the board, and the value that gives it its colour.
pub(super) fn sentence(session: &Session<'_>) -> (String, Option<Value>) {
    let report = session.report();
    let worth = session.worth();
    if report.over {
        return (ending(session, worth.map(|w| w.value)), None);
    }
    let mover = format!("{} to move", player(report.turn, session.marks()));
    if !session.hints() {
        return (mover, None);
    }
    match worth {
        Some(Worth { value, exact: true }) => (format!("{mover}: {}", verdict(value)), Some(value)),
        Some(Worth { value, .. }) => (format!("{mover}: {} or fewer", verdict(value)), Some(value)),
        None => (format!("{mover}{}", unknown(session)), None),
    }
}

fn ending(session: &Session<'_>, value: Option<Value>) -> String {
    let turn = session.report().turn;
    match value {
        Some(Value::Win(_)) => format!("{} wins", player(turn, session.marks())),
        Some(Value::Lose(_)) => format!("{} wins", player(turn.other(), session.marks())),
        Some(Value::Tie(_)) => "Tie".into(),
        Some(Value::Draw) | None => "The game is over".into(),
    }
}

fn unknown(session: &Session<'_>) -> String {
    let (done, all) = session.searched();
    if !session.is_position_searched() {
        ": thinking...".into()
    } else if done < all {
        format!(": not known yet; {done} of {all} moves searched...")
    } else {
        format!("; not known: too deep to search; run `zermelo solve {}`", session.name())
    }
}

/// The best move in words.
pub(super) fn hint(name: &str, value: Value) -> String {
    match value {
        Value::Lose(r) => format!("Hint: every move loses; {name} holds out longest: {}", moves(r)),
        Value::Tie(r) => format!("Hint: {name} ties in {}", moves(r)),
        Value::Draw => format!("Hint: {name} draws: play never ends"),
        Value::Win(_) => format!("Hint: {name} {}", verdict(value)),
    }
}
