//! Draws the list of moves, best first, under a heading for each outcome.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};
use zermelo_core::{MoveReport, Value};

use super::session::{Focus, Session};
use super::{paint, words};

/// Draws the moves of the position, or the moves that begin with the cell picked.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, session: &Session<'_>) {
    let shown = session.listed();
    let focused = session.focus == Focus::List;
    let border = if focused { paint::CURSOR } else { paint::DIM };
    let rows = rows(session, &shown, focused);
    let height = usize::from(area.height.saturating_sub(2));
    let at = rows.iter().position(|row| row.1 == Some(session.selected)).unwrap_or(0);
    let window = window(rows.len(), height, if focused { at } else { 0 });
    let mut block = Block::bordered().border_style(border).title(title(session));
    let hidden = rows.len() - window.len();
    if hidden > 0 {
        block = block.title_bottom(format!(" {hidden} more lines "));
    }
    let lines: Vec<Line<'_>> =
        rows.into_iter().map(|row| row.0).skip(window.start).take(window.len()).collect();
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn title(session: &Session<'_>) -> String {
    let count = session.shown().count();
    match (session.picks.first(), session.stone()) {
        (None, _) => format!(" Moves ({count}) "),
        (Some(at), Some(_)) => format!(" Stone on {}: turns ({count}) ", session.cell_name(*at)),
        (Some(from), None) => format!(" Moves from {} ({count}) ", session.cell_name(*from)),
    }
}

/// Returns the text of a row: a move, or the cell where several moves begin, and how many.
fn name(session: &Session<'_>, m: &MoveReport) -> String {
    let from = m.drawing.cells().first().copied();
    let alike = session.shown().filter(|other| other.drawing.cells().first().copied() == from).count();
    match from {
        Some(cell) if session.is_folded() && alike > 1 => format!("{} ({alike})", session.cell_name(cell)),
        _ => m.name.clone(),
    }
}

/// Returns the lines of the list, each with the number of its move; headings have none.
fn rows(session: &Session<'_>, shown: &[&MoveReport], focused: bool) -> Vec<(Line<'static>, Option<usize>)> {
    let names: Vec<String> = shown.iter().map(|m| name(session, m)).collect();
    let wide = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let kind = |value: Option<Value>| words::preference(value, session.unit()).0;
    let mut rows = vec![];
    for (i, m) in shown.iter().enumerate() {
        let first = i == 0 || kind(shown[i - 1].worth) != kind(m.worth);
        if session.hints && first {
            let count = shown.iter().filter(|other| kind(other.worth) == kind(m.worth)).count();
            let text = format!("{} ({count})", words::heading(m.worth, session.unit()));
            rows.push((Line::styled(text, paint::value(m.worth)), None));
        }
        let selected = focused && i == session.selected;
        let here = m.drawing.cells().get(session.picks.len()) == Some(&session.cursor);
        let style = match (selected, here && !focused) {
            (true, _) => paint::CURSOR,
            (false, true) => Style::new().add_modifier(Modifier::BOLD),
            (false, false) => Style::new(),
        };
        let mark = if selected { "> " } else { "  " };
        let star = if session.hinted.as_ref() == Some(&m.name) { " *" } else { "" };
        let value = if session.hints { words::label(m.worth, session.unit()) } else { String::new() };
        let mut line = Line::from(vec![
            Span::styled(format!("{mark}{:wide$}  ", names[i]), style),
            Span::styled(value, paint::value(m.worth)),
            Span::styled(star, paint::PICKED),
        ]);
        if selected {
            line = line.style(Modifier::REVERSED);
        }
        rows.push((line, Some(i)));
    }
    rows
}

/// Returns the rows to show so that row `at` is seen.
fn window(rows: usize, height: usize, at: usize) -> Range<usize> {
    let start = (at + 1).saturating_sub(height.div_ceil(2)).min(rows.saturating_sub(height));
    start..(start + height).min(rows)
}
