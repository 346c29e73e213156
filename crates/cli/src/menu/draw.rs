//! Draws the menu as a function of its state.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Padding, Paragraph, Wrap};

use super::state::{Menu, Page, Row};
use crate::tui::paint;

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, menu: &Menu) {
    let rows = [
        Constraint::Length(1),
        Constraint::Length(2),
        Constraint::Min(3),
        Constraint::Length(3),
        Constraint::Length(1),
    ];
    let [bar, head, list, foot, keys] = Layout::vertical(rows).areas(frame.area());
    frame.render_widget(Line::raw(" Zermelo ").style(paint::BAR), bar);
    let (title, prompt) = match menu.page {
        Page::Games => ("Pick a game", "type letters of its name: "),
        Page::Variants => ("Pick a board", "or type options, as 4x4 or rows=4: "),
        Page::Actions => ("What to do", ""),
    };
    let game = if menu.page == Page::Games { String::new() } else { format!(" {}", menu.title()) };
    let variant = if menu.page == Page::Actions { format!("  {}", menu.variant) } else { String::new() };
    let head_line = Line::from(vec![
        Span::styled(game, Modifier::BOLD),
        Span::raw(variant),
        Span::raw(format!(" {title}  ")),
        Span::styled(prompt, paint::DIM),
        Span::styled(menu.typed.clone(), paint::PICKED),
    ]);
    frame.render_widget(head_line, head);
    let height = usize::from(list.height.saturating_sub(2));
    let from = (menu.at + 1).saturating_sub(height);
    let wide = menu.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(40);
    let lines: Vec<_> = menu
        .rows
        .iter()
        .enumerate()
        .skip(from)
        .take(height)
        .map(|(n, row)| line(row, wide, n == menu.at))
        .collect();
    let hidden = menu.rows.len().saturating_sub(from + lines.len());
    let mut block = Block::bordered().border_style(paint::DIM);
    if hidden > 0 {
        block = block.title_bottom(format!(" {hidden} more below "));
    }
    frame.render_widget(Paragraph::new(lines).block(block), list);
    let note = match (&menu.message, menu.page) {
        (Some(message), _) => Line::styled(message.clone(), paint::CURSOR),
        (None, Page::Variants) => Line::styled(format!("Options: {}", menu.options()), paint::DIM),
        (None, Page::Actions) => {
            let verb = menu.rows.get(menu.at).map_or("", |row| row.name.as_str());
            Line::styled(format!("$ zermelo {verb} {}", menu.variant), paint::DIM)
        }
        (None, Page::Games) => Line::default(),
    };
    let note = Paragraph::new(note).wrap(Wrap { trim: true });
    frame.render_widget(note.block(Block::new().padding(Padding::horizontal(1))), foot);
    frame
        .render_widget(Line::styled(" Up Down  Enter picks  Esc goes back  Ctrl-C leaves", paint::DIM), keys);
}

fn line(row: &Row, wide: usize, here: bool) -> Line<'static> {
    let mark = if here { " > " } else { "   " };
    let solved = if row.solved { "solved  " } else { "" };
    let line = Line::from(vec![
        Span::raw(format!("{mark}{:wide$}  ", row.name)),
        Span::styled(solved, paint::SOLVED),
        Span::raw(row.told.clone()),
    ]);
    if here { line.style(Modifier::REVERSED) } else { line }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use zermelo::Catalogue;

    use super::*;
    use crate::tui::keys::Key;

    fn screen(menu: &Menu, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
        terminal.draw(|frame| draw(frame, menu)).expect("drawn");
        terminal.backend().to_string()
    }

    #[test]
    fn the_row_under_the_cursor_is_seen_on_any_terminal() {
        let mut menu = Menu::new(Catalogue::standard(), |_| false);
        for _ in 0..50 {
            menu.apply(Key::Down);
        }
        let last = menu.rows.last().expect("rows").name.clone();
        let text = screen(&menu, 80, 24);
        assert!(text.contains(&format!("> {last}")), "{text}");
        for (width, height) in [(1, 1), (20, 5), (300, 100)] {
            screen(&menu, width, height);
        }
    }

    #[test]
    fn the_command_of_an_action_is_shown() {
        let mut menu = Menu::new(Catalogue::standard(), |_| true);
        "quixo".chars().for_each(|letter| _ = menu.apply(Key::Char(letter)));
        menu.apply(Key::Enter);
        let text = screen(&menu, 100, 24);
        assert!(
            text.contains("solved") && text.contains("Options: rows= a whole number from 2 to 8"),
            "{text}"
        );
        menu.apply(Key::Enter);
        let text = screen(&menu, 100, 24);
        assert!(text.contains("$ zermelo play quixo"), "{text}");
    }
}
