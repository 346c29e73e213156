//! Colours of what is printed. Everything that a colour says is also said in words.

use std::fmt;
use std::io::stdout;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use zermelo_core::Value;

use crate::args::Coloured;

/// Names of games, and headings.
pub(crate) const STRONG: Style = Style::new().bold();
/// Less important text.
pub(crate) const DIM: Style = Style::new().dimmed();

/// Whether standard output has colours. One process has one standard output.
static ON: AtomicBool = AtomicBool::new(false);

/// Decides whether standard output has colours: as asked, or on a terminal that can show them, where the environment
/// (`NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`) does not say otherwise.
pub(crate) fn decide(asked: Coloured) {
    ON.store(
        match asked {
            Coloured::Always => true,
            Coloured::Never => false,
            Coloured::Auto => AutoStream::choice(&stdout()) != ColorChoice::Never,
        },
        Relaxed,
    );
}

/// Returns a text in a style, or plain where there are no colours.
pub(crate) fn styled<T: fmt::Display>(style: Style, text: T) -> Styled<T> {
    Styled { style, text, on: ON.load(Relaxed) }
}

/// Returns a text in the colour of a value: green wins, yellow ties, blue never ends, red loses.
pub(crate) fn valued<T: fmt::Display>(value: Option<Value>, text: T) -> Styled<T> {
    styled(of(value), text)
}

fn of(value: Option<Value>) -> Style {
    let colour = match value {
        Some(Value::Win(_)) => AnsiColor::Green,
        Some(Value::Tie(_)) => AnsiColor::Yellow,
        Some(Value::Draw) => AnsiColor::BrightBlue,
        Some(Value::Lose(_)) => AnsiColor::Red,
        None => return DIM,
    };
    Style::new().fg_color(Some(colour.into()))
}

/// A text with its style. Widths are for the text inside: a style takes no room.
pub(crate) struct Styled<T> {
    style: Style,
    text: T,
    on: bool,
}

impl<T: fmt::Display> fmt::Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Styled { style, text, on } = self;
        if !on {
            return text.fmt(f);
        }
        write!(f, "{style}")?;
        text.fmt(f)?;
        write!(f, "{style:#}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_take_no_room() {
        let plain = Styled { style: of(Some(Value::Win(1))), text: "win", on: false };
        assert_eq!(format!("{plain:5}|"), "win  |");
        let green = Styled { on: true, ..plain };
        assert_eq!(format!("{green:5}|"), "\u{1b}[32mwin  \u{1b}[0m|");
    }
}
