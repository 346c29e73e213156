//! Writes values in words and letters, as everything on the screen shows them.

use zermelo::Bound;
use zermelo_core::{Turn, Unit, Value};

use super::Player;
use super::session::Session;

/// Orders values from best to worst, as a player sees them. A move of unknown value is better than a lost one.
pub(super) fn preference(value: Option<Value>, unit: Unit) -> (u8, i32) {
    match value {
        Some(value @ Value::Lose(_)) => (4, unit.preference(value).1),
        Some(value) => unit.preference(value),
        None => (3, 0),
    }
}

/// Returns `W3`, `T9`, `D`, `L4`, or `?`; the letter alone where nothing is counted; `S3` or `U` in a puzzle.
pub(super) fn label(value: Option<Value>, unit: Unit) -> String {
    match value {
        Some(Value::Win(r)) if unit == Unit::Goal => format!("S{r}"),
        Some(_) if unit == Unit::Goal => "U".into(),
        Some(value) if unit == Unit::Winner => value.word()[..1].to_uppercase(),
        Some(Value::Win(r)) => format!("W{r}"),
        // A tie by nothing: only finished games are a tie in no moves, and a finished game is not a move.
        Some(Value::Tie(0)) => "T".into(),
        Some(Value::Tie(r)) => format!("T{r}"),
        Some(Value::Draw) => "D".into(),
        Some(Value::Lose(r)) => format!("L{r}"),
        None => "?".into(),
    }
}

/// Returns the heading above the moves of a value.
pub(super) fn heading(value: Option<Value>, unit: Unit) -> &'static str {
    match value {
        Some(Value::Win(_)) if unit == Unit::Goal => "Solvable",
        Some(_) if unit == Unit::Goal => "Unsolvable",
        Some(Value::Win(_)) => "Wins",
        Some(Value::Tie(_)) => "Ties",
        Some(Value::Draw) => "Draws",
        Some(Value::Lose(_)) => "Loses",
        None => "Not known",
    }
}

/// Returns `wins in 7 moves`, or `wins by 7`.
pub(super) fn verdict(value: Value, unit: Unit) -> String {
    match value {
        Value::Win(n) if unit == Unit::Goal => format!("solvable{}", number(n, unit)),
        _ if unit == Unit::Goal => unit.text(value),
        Value::Win(n) => format!("wins{}", number(n, unit)),
        Value::Tie(n) => format!("tie{}", number(n, unit)),
        Value::Draw => "draw: play never ends".into(),
        Value::Lose(n) => format!("loses{}", number(n, unit)),
    }
}

/// Returns ` in 7 moves` or ` by 7`; nothing for no margin and where nothing is counted.
pub(crate) fn number(n: u16, unit: Unit) -> String {
    match (unit, n) {
        (Unit::Moves | Unit::Goal, 1) => " in 1 move".into(),
        (Unit::Moves | Unit::Goal, n) => format!(" in {n} moves"),
        (Unit::Nimber, n) => format!(", nimber {n}"),
        (Unit::Margin, 0) | (Unit::Winner, _) => String::new(),
        (Unit::Margin, n) => format!(" by {n}"),
    }
}

/// Returns `First player (x)`, with the letter if the game has one for each player; or `Red`, if the game has names
/// for the players.
pub(super) fn player(session: &Session<'_>, turn: Turn) -> String {
    if session.unit() == Unit::Goal {
        return "The player".into();
    }
    let (word, i) = match turn {
        Turn::First => ("First player", 0),
        Turn::Second => ("Second player", 1),
    };
    match (session.board().sides.get(i), session.marks()) {
        (Some(side), Some(marks)) => format!("{} ({})", side.name, marks[i]),
        (Some(side), None) => side.name.clone(),
        (None, Some(marks)) => format!("{word} ({})", marks[i]),
        (None, None) => word.into(),
    }
}

/// Returns the form of a verb after the name of a player: `wins`, or `win` for a plural.
fn does<'a>(session: &Session<'_>, turn: Turn, verb: &'a str) -> &'a str {
    session.board().sides.get(usize::from(turn == Turn::Second)).map_or(verb, |side| side.does(verb))
}

/// Returns `Red wins` or `Crows win`.
pub(super) fn wins(session: &Session<'_>, turn: Turn) -> String {
    format!("{} {}", player(session, turn), does(session, turn, "wins"))
}

/// Returns the verdict on a player.
pub(super) fn verdict_on(session: &Session<'_>, turn: Turn, value: Value) -> String {
    let told = verdict(value, session.unit());
    let verb = ["wins", "loses"].into_iter().find(|verb| told.starts_with(verb));
    verb.map_or(told.clone(), |verb| told.replacen(verb, does(session, turn, verb), 1))
}

/// Returns which side is played by a person and which by the computer: `x human, o computer 70%`.
pub(super) fn seats(session: &Session<'_>) -> String {
    // A computer that knows no value has no strength.
    let computer = |strength: f32| match session.guesses() {
        true => "computer (guesses)".into(),
        false => format!("computer {:.0}%", strength * 100.0),
    };
    if session.unit() == Unit::Goal {
        return match session.players[0] {
            Player::Human => "human".into(),
            Player::Computer { strength } => computer(strength),
        };
    }
    let sit = |i: usize| {
        let side = match (session.board().sides.get(i), session.marks()) {
            (Some(side), _) => side.name.to_lowercase(),
            (None, Some(marks)) => marks[i].into(),
            (None, None) => ["first", "second"][i].into(),
        };
        match session.players[i] {
            Player::Human => format!("{side} human"),
            Player::Computer { strength } => format!("{side} {}", computer(strength)),
        }
    };
    format!("{}, {}", sit(0), sit(1))
}

/// Returns the sentence above the board, and the value that gives the sentence its colour.
pub(super) fn sentence(session: &Session<'_>) -> (String, Option<Value>) {
    let (report, unit) = (session.report(), session.unit());
    let worth = session.worth();
    if report.over {
        return (ending(session, worth.map(|w| w.value)), None);
    }
    let mover = match unit {
        Unit::Goal => "To be solved".into(),
        _ => format!("{} to move", player(session, report.at.turn)),
    };
    if !session.hints {
        return (mover, None);
    }
    match worth {
        Some(Bound { value, exact: true }) => {
            (format!("{mover}: {}", verdict_on(session, report.at.turn, value)), Some(value))
        }
        Some(Bound { value, .. }) => {
            let bound = if unit == Unit::Margin { "or more" } else { "or fewer" };
            (format!("{mover}: {} {bound}", verdict_on(session, report.at.turn, value)), Some(value))
        }
        None => (format!("{mover}{}", unknown(session)), None),
    }
}

fn ending(session: &Session<'_>, value: Option<Value>) -> String {
    let turn = session.report().at.turn;
    match value {
        Some(Value::Win(_)) if session.unit() == Unit::Goal => "Solved".into(),
        _ if session.unit() == Unit::Goal => "Stuck: there is no move left".into(),
        Some(Value::Win(_)) => wins(session, turn),
        Some(Value::Lose(_)) => wins(session, turn.other()),
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
        format!("; not known: too deep to search; {}", session.advice())
    }
}

/// Returns the best move in words.
pub(super) fn hint(name: &str, value: Value, unit: Unit) -> String {
    match (value, unit) {
        (Value::Lose(_) | Value::Draw, Unit::Goal) => "Hint: it cannot be solved from here".into(),
        (Value::Lose(_), Unit::Nimber) => "Hint: every move loses".into(),
        (Value::Lose(n), Unit::Moves) => {
            let moves = if n == 1 { "1 move".into() } else { format!("{n} moves") };
            format!("Hint: every move loses; {name} holds out longest: {moves}")
        }
        (Value::Lose(_), Unit::Winner) => "Hint: every move loses".into(),
        (Value::Lose(n), Unit::Margin) => format!("Hint: every move loses; {name} by the least: {n}"),
        (Value::Tie(n), _) => format!("Hint: {name} ties{}", number(n, unit)),
        (Value::Draw, _) => format!("Hint: {name} draws: play never ends"),
        (Value::Win(_), _) => format!("Hint: {name} {}", verdict(value, unit)),
    }
}
