//! Colours, each with one meaning. Everything that a colour says is also said in letters.

use ratatui::style::{Color, Modifier, Style};
use zermelo_core::{Board, Value};

/// Less important text.
pub(crate) const DIM: Style = Style::new().fg(Color::DarkGray);
/// The cursor, and the selected line of the list.
pub(crate) const CURSOR: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
/// A cell picked for a move, and the hint.
pub(crate) const PICKED: Style = Style::new().fg(Color::LightCyan).add_modifier(Modifier::BOLD);
/// The bars at the top and the names of keys.
pub(crate) const BAR: Style = Style::new().add_modifier(Modifier::REVERSED);

/// What is solved.
pub(crate) const SOLVED: Style = Style::new().fg(Color::Green);

/// Green wins, yellow ties, blue never ends, red loses.
pub(crate) fn value(value: Option<Value>) -> Style {
    let colour = match value {
        Some(Value::Win(_)) => Color::Green,
        Some(Value::Tie(_)) => Color::Yellow,
        Some(Value::Draw) => Color::LightBlue,
        Some(Value::Lose(_)) => Color::Red,
        None => return DIM,
    };
    Style::new().fg(colour).add_modifier(Modifier::BOLD)
}

/// Returns the colour of a man's side, if the board names a colour.
pub(crate) fn man(board: &Board, letter: char) -> Style {
    let colour = match board.side_of(letter).map(|side| side.name.as_str()) {
        Some("Red") => Color::LightRed,
        // Black letters cannot be seen on most terminals.
        Some("Black") => Color::Cyan,
        Some("White") => Color::White,
        _ => return piece(letter),
    };
    Style::new().fg(colour).add_modifier(Modifier::BOLD)
}

/// Returns the style of a man that a move would put on a cell: the colour of its side, dimmed.
pub(crate) fn ghost(board: &Board, letter: char) -> Style {
    man(board, letter).remove_modifier(Modifier::BOLD).add_modifier(Modifier::DIM | Modifier::ITALIC)
}

/// Returns one colour for each side, as far as a letter shows the side.
fn piece(letter: char) -> Style {
    let colour = match letter {
        'x' | 'b' => Color::Cyan,
        'o' | 'w' => Color::Magenta,
        c if c.is_uppercase() => Color::Cyan,
        c if c.is_lowercase() => Color::Magenta,
        _ => Color::White,
    };
    Style::new().fg(colour).add_modifier(Modifier::BOLD)
}
