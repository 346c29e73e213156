//! Draws the help overlay and the prompt for a position.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use zermelo_core::Unit;

use super::paint;
use super::session::Session;
use super::typing::{Prompt, Typed};

/// Every key and what it does; read down the left column, then the right.
const KEYS: [(&str, &str); 16] = [
    ("arrows", "move (or Shift with HJKL)"),
    ("Enter", "pick a cell or a move"),
    ("Esc", "cancel the pick"),
    ("Tab", "from board to list and back"),
    ("u  r", "undo, redo"),
    ("n", "new game"),
    ("q", "quit (also Ctrl-C)"),
    ("h", "hint: the best move"),
    ("v", "show or hide the values"),
    ("c", "who plays which side"),
    ("s", "swap sides"),
    ("+  -", "strength of the computer"),
    ("m", "type moves, as b2 a1"),
    ("1 2 3", "a move that begins so"),
    ("p", "type or paste a position"),
    ("?", "this help"),
];

const STRENGTH: &str = "A computer of strength 70% plays the best move 7 times out of 10, and else any.";

/// Explains the marks of moves.
fn values(unit: Unit) -> String {
    let marks = match unit {
        Unit::Moves => "W3 wins in 3 moves, T9 ties in 9, D draws because play never ends, L4 loses in 4",
        Unit::Margin => "W3 wins by 3, T ties, L4 loses by 4",
        Unit::Winner => "W wins, T ties, L loses; how soon is not known",
        Unit::Nimber => "W0 wins, L4 loses; the number is the nimber of what is left",
        Unit::Goal => {
            return "S3 leaves a puzzle that is solvable in 3 moves, that one included; U leaves none."
                .into();
        }
    };
    format!("Moves are marked for the player who makes them: {marks}. {STRENGTH}")
}

/// Draws the keys and the rules over everything else.
pub(super) fn draw(frame: &mut Frame<'_>, session: &Session<'_>) {
    let card = session.game().card;
    let screen = frame.area();
    let mut lines = keys(if screen.width < 72 { 1 } else { 2 });
    for text in [&values(session.unit()), card.rules, card.notation] {
        lines.extend([Line::default(), Line::raw(text.to_string())]);
    }
    let width = screen.width.min(78);
    // Wrapping wastes about one column in ten at the ends of lines.
    let room = usize::from(width.saturating_sub(2)) * 9 / 10;
    let rows = |line: &Line<'_>| if line.width() < room { 1 } else { line.width() / room.max(1) + 1 };
    let height = |lines: &[Line<'_>]| lines.iter().map(rows).sum::<usize>() as u16 + 2;
    if height(&lines) > screen.height {
        lines.retain(|line| line.width() > 0);
    }
    let area = middle(screen, width, height(&lines));
    let block = Block::bordered().title(format!(" {} ", card.title)).title_bottom(" any key closes this ");
    let block = block.border_style(paint::CURSOR);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(block), area);
}

fn keys(columns: usize) -> Vec<Line<'static>> {
    let rows = KEYS.len().div_ceil(columns);
    let row = |i: usize| {
        let spans = KEYS.iter().skip(i).step_by(rows).flat_map(|(key, does)| {
            [Span::styled(format!(" {key:<7}"), paint::CURSOR), Span::raw(format!("{does:<28}"))]
        });
        Line::from(spans.collect::<Vec<_>>())
    };
    (0..rows).map(row).collect()
}

/// Draws the line where a position is typed.
pub(super) fn draw_prompt(frame: &mut Frame<'_>, session: &Session<'_>, prompt: &Prompt) {
    let area = middle(frame.area(), 76, 8);
    let inner = usize::from(area.width.saturating_sub(4));
    let long = prompt.text.chars().count();
    let tail: String = prompt.text.chars().skip((long + 1).saturating_sub(inner)).collect();
    let typed = Line::from(vec![Span::raw("> "), Span::raw(tail), Span::styled(" ", paint::BAR)]);
    let note = match &prompt.complaint {
        Some(complaint) => Line::styled(complaint.clone(), paint::CURSOR),
        None if prompt.typed == Typed::Moves => Line::styled(moves(session), paint::DIM),
        None => Line::styled(format!("now: {}", session.report().position), paint::DIM),
    };
    let (title, keys) = match prompt.typed {
        Typed::Position => (" Position ", " Enter sets it, Esc keeps the old one, Up edits the old one "),
        Typed::Moves => (" Move ", " Enter makes it, Esc leaves it; several with blanks between "),
    };
    let block = Block::bordered().title(title).border_style(paint::CURSOR).title_bottom(keys);
    frame.render_widget(Clear, area);
    frame.render_widget(
        Paragraph::new(vec![typed, Line::default(), note]).wrap(Wrap { trim: false }).block(block),
        area,
    );
}

/// Returns the names of some moves, for an example.
fn moves(session: &Session<'_>) -> String {
    let names: Vec<_> = session.moves.iter().take(12).map(|m| m.name.as_str()).collect();
    let more = if session.moves.len() > names.len() { ", ..." } else { "" };
    format!("moves: {}{more}", names.join(", "))
}

fn middle(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}
