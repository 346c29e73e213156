//! Draws the whole screen as a function of the session.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect, Size};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Padding, Paragraph, Wrap};

use super::session::{Focus, Session};
use super::{board, geometry, help, list, paint, words};

/// The columns of the list of moves.
const LIST: u16 = 26;
/// The least height with room for the position in text and for blank lines.
const TALL: u16 = 26;

/// The keys at the bottom, the most needed first; keys that do not fit are in the help.
const KEYS: [(&str, &str); 16] = [
    ("?", "help"),
    ("q", "quit"),
    ("arrows", "move"),
    ("Enter", "pick"),
    ("Esc", "cancel"),
    ("Tab", "list"),
    ("u", "undo"),
    ("r", "redo"),
    ("n", "new"),
    ("h", "hint"),
    ("v", "values"),
    ("c", "players"),
    ("s", "swap sides"),
    ("+-", "strength"),
    ("m", "type a move"),
    ("p", "position"),
];

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, session: &Session<'_>) {
    let area = frame.area();
    let tall = u16::from(area.height >= TALL);
    let keys = key_lines(area.width);
    let (text, value) = words::sentence(session);
    let style = if value.is_some() { paint::value(value) } else { Style::new().add_modifier(Modifier::BOLD) };
    let note = session.message.as_deref().unwrap_or_default();
    // The rows that are left when the board has its least height and everything else one row.
    let mut spare = area.height.saturating_sub(least(session).height);
    let mut more = |rows: u16| {
        let granted = spare.min(rows - 1);
        spare -= granted;
        Constraint::Length(1 + granted)
    };
    let rows = [
        Constraint::Length(1),
        Constraint::Length(tall),
        more(lines(&text, area.width)),
        Constraint::Min(0),
        more(lines(note, area.width)),
        Constraint::Length(1),
        Constraint::Length(tall),
        more(keys.len() as u16),
    ];
    let [bar, _, sentence, middle, message, history, position, bottom] = Layout::vertical(rows).areas(area);
    if !draw_middle(frame, middle, session) {
        too_small(frame, session);
        return;
    }
    title(frame, bar, session);
    frame.render_widget(wrapped(&text, style), sentence);
    frame.render_widget(wrapped(note, paint::CURSOR), message);
    frame.render_widget(past(session, history.width), history);
    frame.render_widget(
        Line::styled(format!(" Position: {}", session.report().position), paint::DIM),
        position,
    );
    frame.render_widget(Paragraph::new(keys), bottom);
    if let Some(prompt) = &session.prompt {
        help::draw_prompt(frame, session, prompt);
    }
    if session.help {
        help::draw(frame, session);
    }
}

/// Returns the rows that a text takes. Wrapping leaves some columns empty, so a little is added.
fn lines(text: &str, width: u16) -> u16 {
    let (long, width) = (text.chars().count() as u16 + 2, width.max(20));
    if long <= width { 1 } else { (long / (width - 9) + 1).min(4) }
}

fn wrapped(text: &str, style: Style) -> Paragraph<'_> {
    Paragraph::new(text)
        .style(style)
        .wrap(Wrap { trim: true })
        .block(Block::new().padding(Padding::horizontal(1)))
}

fn title(frame: &mut Frame<'_>, area: Rect, session: &Session<'_>) {
    let variant = &session.game().variant;
    let left = format!(" {} {variant}", session.game().card.title);
    let right = format!("{} ", words::seats(session));
    frame.render_widget(Line::raw(left).style(paint::BAR), area);
    let width = (right.chars().count() as u16).min(area.width);
    let place = Rect { x: area.right() - width, width, ..area };
    frame.render_widget(Line::raw(right).style(paint::BAR), place);
}

/// Draws the board and the list; if there is no room for both, only the one in use.
fn draw_middle(frame: &mut Frame<'_>, area: Rect, session: &Session<'_>) -> bool {
    let least = geometry::least(session.board());
    if area.width < 30 || area.height < 4 {
        return false;
    }
    if area.width >= least.width + LIST {
        let [left, right] = Layout::horizontal([Constraint::Min(0), Constraint::Length(LIST)]).areas(area);
        list::draw(frame, right, session);
        return board::draw(frame.buffer_mut(), left, session);
    }
    match session.focus {
        Focus::Board => board::draw(frame.buffer_mut(), area, session),
        Focus::List => {
            list::draw(frame, area, session);
            true
        }
    }
}

/// Returns the smallest terminal that will do: the board, and five rows of text.
fn least(session: &Session<'_>) -> Size {
    let board = geometry::least(session.board());
    Size { width: board.width.max(30), height: board.height.max(4) + 5 }
}

fn too_small(frame: &mut Frame<'_>, session: &Session<'_>) {
    let Size { width, height } = least(session);
    let text =
        format!("The terminal is too small: this board needs {width} columns and {height} rows. q quits.");
    frame.render_widget(Clear, frame.area());
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), frame.area());
}

/// Returns the line of the moves made so far, with the moves that were taken back dimmed. Of a line that is too long,
/// only the end is returned.
fn past(session: &Session<'_>, width: u16) -> Line<'static> {
    let played = session.steps.iter().enumerate().filter_map(|(i, step)| Some((i, step.played.as_ref()?)));
    let mut words: Vec<(String, bool)> =
        played.map(|(i, (name, _))| (format!(" {i}.{name}"), i <= session.at)).collect();
    // Moves that were taken back are left out first, then the oldest ones.
    let long = |words: &[(String, bool)]| words.iter().map(|w| w.0.chars().count()).sum::<usize>() + 10;
    while long(&words) > usize::from(width) && words.last().is_some_and(|w| !w.1) {
        words.pop();
    }
    let mut cut = false;
    while long(&words) > usize::from(width) && !words.is_empty() {
        words.remove(0);
        cut = true;
    }
    let head = match (words.is_empty(), cut) {
        (true, _) => " Moves: none yet",
        (_, true) => " Moves: …",
        (_, false) => " Moves:",
    };
    let mut spans = vec![Span::styled(head, paint::DIM)];
    spans.extend(words.into_iter().map(|(text, made)| match made {
        true => Span::raw(text),
        false => Span::styled(text, paint::DIM),
    }));
    Line::from(spans)
}

/// Returns at most two lines of keys.
fn key_lines(width: u16) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default()];
    for (key, does) in KEYS {
        let long = key.len() + does.len() + 4;
        let full = lines.last().is_some_and(|line| line.width() + long > usize::from(width));
        if full && lines.len() == 2 {
            break;
        }
        if full {
            lines.push(Line::default());
        }
        if let Some(line) = lines.last_mut() {
            line.push_span(Span::raw(" "));
            line.push_span(Span::styled(key, paint::BAR));
            line.push_span(Span::styled(format!(" {does} "), Style::new()));
        }
    }
    lines
}
