//! Draws the board: lines around the cells or through them, their names, what stands on them,
//! and what the moves there are worth.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use zermelo_core::{Board, Drawing, MoveReport, Stroke};

use super::geometry::{self, Plan};
use super::session::{Focus, Session};
use super::{paint, words};

/// Line characters by their arms: thin lines here, thick ones in [`THICK`].
const THIN: [char; 16] = [' ', '│', '│', '│', '─', '┘', '┐', '┤', '─', '└', '┌', '├', '─', '┴', '┬', '┼'];
const THICK: [char; 16] = [' ', '┃', '┃', '┃', '━', '┛', '┓', '┫', '━', '┗', '┏', '┣', '━', '┻', '┳', '╋'];

/// Draws the board as large as the area allows; `false` when it does not fit.
pub(super) fn draw(buf: &mut Buffer, area: Rect, session: &Session<'_>) -> bool {
    let Some(plan) = geometry::plan(session.board(), area) else { return false };
    let all: Vec<usize> = (0..plan.boxes.len()).collect();
    if plan.scale.lines {
        frames(buf, &plan, &[(&all[..plan.places], paint::DIM)], &THIN);
    }
    if plan.points {
        lines(buf, &plan, session.board());
    }
    coordinates(buf, &plan, session);
    for cell in &all {
        let content = Content::of(session, *cell);
        if *cell < plan.places {
            fill(buf, &plan, *cell, &content)
        } else {
            twist(buf, &plan, *cell, &content)
        }
    }
    let pointed: Vec<usize> = all.into_iter().filter(|cell| is_pointed(session, *cell)).collect();
    let layers: [Layer<'_>; 2] = [(&session.picks, paint::PICKED), (&pointed, paint::CURSOR)];
    if plan.scale.lines {
        frames(buf, &plan, &layers, &THICK);
    }
    for (cells, style) in layers {
        for cell in cells.iter().filter(|cell| !plan.scale.lines || **cell >= plan.places) {
            buf.set_style(touched(&plan, *cell), style.add_modifier(Modifier::REVERSED));
        }
    }
    true
}

/// Returns the part of the screen that is reversed under the cursor: a cell, or the place of a man.
fn touched(plan: &Plan, cell: usize) -> Rect {
    let inside = plan.inside(cell);
    if cell >= plan.places || !plan.points || inside.height == 1 {
        return inside;
    }
    let spot = plan.spot(cell);
    Rect { x: spot.x.saturating_sub(1), y: spot.y, width: 3, height: 1 }
}

/// Draws the lines of a board of points and the words between them.
fn lines(buf: &mut Buffer, plan: &Plan, board: &Board) {
    let (Some(first), Some(&(x0, y0))) = (plan.boxes.first(), board.cells.first()) else { return };
    let spot = plan.spot(0);
    let (wide, high) = plan.scale.pitch;
    // The place (0.5, 0.5) of the board, from which lines are counted.
    let left = i32::from(spot.x) - ((x0 - 0.5) * f32::from(wide)).round() as i32;
    let top = i32::from(spot.y) - ((y0 - 0.5) * f32::from(high)).round() as i32;
    let place = |x: i32, y: i32| Some((u16::try_from(left + x).ok()?, u16::try_from(top + y).ok()?));
    if first.height == 1 {
        return dots(buf, plan, board);
    }
    for ((x, y), stroke) in board.strokes(plan.scale.pitch) {
        if let Some(cell) = place(x, y).and_then(|at| buf.cell_mut(at)) {
            cell.set_char(line(stroke)).set_style(paint::DIM);
        }
    }
    for (x, y, text) in &board.labels {
        let label = Line::styled(text.as_str(), paint::DIM);
        let at = |place: f32, pitch: u16| ((place - 0.5) * f32::from(pitch)).round() as i32;
        if let Some((x, y)) = place(at(*x, wide) - label.width() as i32 / 2, at(*y, high)) {
            buf.set_line(x, y, &label, label.width() as u16);
        }
    }
}

/// Draws the points of a board without room between them: on each point the crossing of its lines, or a cross where
/// diagonals meet.
fn dots(buf: &mut Buffer, plan: &Plan, board: &Board) {
    // At two rows to a rank, the strokes show which lines go on.
    let strokes = board.strokes((2, 2));
    let at = |place: f32| ((place - 0.5) * 2.0).round() as i32;
    let slanting = |x: f32, y: f32| {
        board.lines.iter().any(|[x1, y1, x2, y2]| {
            let (dx, dy) = (x2 - x1, y2 - y1);
            let within = (x - x1) * (x - x2) <= 0.0 && (y - y1) * (y - y2) <= 0.0;
            dx * dy != 0.0 && within && ((x - x1) * dy - (y - y1) * dx).abs() < 0.01
        })
    };
    for (cell, &(x, y)) in board.cells.iter().enumerate() {
        let stroke = strokes.get(&(at(x), at(y))).copied().unwrap_or_default();
        let dot = if slanting(x, y) { '╳' } else { line(stroke) };
        if let Some(cell) = buf.cell_mut(plan.spot(cell)) {
            cell.set_char(dot).set_style(paint::DIM);
        }
    }
}

fn line(stroke: Stroke) -> char {
    match (stroke.arms(), stroke.0 & Stroke::RISE != 0, stroke.0 & Stroke::FALL != 0) {
        (0, true, true) => '╳',
        (0, true, false) => '╱',
        (0, false, true) => '╲',
        (arms, _, _) => THIN[arms],
    }
}

/// Whether a cell is under the cursor, or is part of the move under the cursor of the list.
fn is_pointed(session: &Session<'_>, cell: usize) -> bool {
    match session.focus {
        Focus::Board => session.cursor == cell,
        Focus::List => selected(session).is_some_and(|m| m.drawing.cells().contains(&cell)),
    }
}

fn selected<'a>(session: &'a Session<'_>) -> Option<&'a MoveReport> {
    session.listed().get(session.selected).copied().filter(|_| session.focus == Focus::List)
}

/// Cells, and the style of the lines around them.
type Layer<'a> = (&'a [usize], Style);

/// Draws lines around cells; where lines meet they join, and the last style wins.
fn frames(buf: &mut Buffer, plan: &Plan, layers: &[Layer<'_>], glyphs: &[char; 16]) {
    let area = plan.area;
    let width = usize::from(area.width);
    let mut lines = vec![(0u8, Style::new()); width * usize::from(area.height)];
    for (cells, style) in layers {
        let mut join = |x: u16, y: u16, arm: u8| {
            let at = usize::from(y - area.y) * width + usize::from(x - area.x);
            if let Some(line) = lines.get_mut(at) {
                *line = (line.0 | arm, *style);
            }
        };
        let boxes = cells.iter().filter_map(|cell| plan.boxes[..plan.places].get(*cell));
        for b in boxes.filter(|b| b.width > 1 && b.height > 1) {
            for x in b.left()..b.right() - 1 {
                for y in [b.top(), b.bottom() - 1] {
                    join(x, y, Stroke::RIGHT);
                    join(x + 1, y, Stroke::LEFT);
                }
            }
            for y in b.top()..b.bottom() - 1 {
                for x in [b.left(), b.right() - 1] {
                    join(x, y, Stroke::DOWN);
                    join(x, y + 1, Stroke::UP);
                }
            }
        }
    }
    for (at, (arms, style)) in lines.iter().enumerate().filter(|(_, line)| line.0 != 0) {
        let place = (area.x + (at % width) as u16, area.y + (at / width) as u16);
        if let Some(cell) = buf.cell_mut(place) {
            cell.set_char(glyphs[usize::from(*arms)]).set_style(*style);
        }
    }
}

/// Draws the names of columns and rows along the edges, columns as their moves are named; on other boards, each cell's own name in the line above it.
fn coordinates(buf: &mut Buffer, plan: &Plan, session: &Session<'_>) {
    let board = session.board();
    let Some(axes) = board.axes() else {
        for (b, name) in plan.boxes.iter().zip(&board.names).filter(|_| plan.scale.lines) {
            let room = usize::from(b.width.saturating_sub(2));
            buf.set_stringn(b.x + 1, b.y, name, room, paint::DIM);
        }
        return;
    };
    for (name, cell) in &axes.columns {
        let name = session.column_name(*cell).unwrap_or(name);
        let below = Rect { y: plan.area.bottom(), height: 1, ..plan.inside(*cell) };
        match plan.points {
            true => _ = buf.set_stringn(plan.spot(*cell).x, below.y, name, below.width.into(), paint::DIM),
            false => centred(buf, below, name, paint::DIM),
        }
    }
    for (name, cell) in &axes.rows {
        let inside = plan.inside(*cell);
        let x = plan.area.x.saturating_sub(1 + name.len() as u16);
        let y = if plan.points { plan.spot(*cell).y } else { inside.y + inside.height / 2 };
        buf.set_stringn(x, y, name, 3, paint::DIM);
    }
}

/// The content of one cell on the screen.
struct Content {
    /// A star and an arrow.
    mark: String,
    piece: Option<(char, Style)>,
    label: Option<(String, Style)>,
}

impl Content {
    fn of(session: &Session<'_>, cell: usize) -> Content {
        Content { mark: mark(session, cell), piece: piece(session, cell), label: label(session, cell) }
    }
}

/// Returns what stands on a cell, or would stand there after the move begun or selected; for a twist, its arrow.
fn piece(session: &Session<'_>, cell: usize) -> Option<(char, Style)> {
    let board = session.board();
    let last = session.steps.get(session.at).and_then(|step| step.played.as_ref()).map(|played| played.1);
    let style = |at: Option<usize>| match at {
        Some(at) if at == cell => Modifier::REVERSED,
        _ => Modifier::empty(),
    };
    if let Some(twist) = board.twist(cell) {
        let turned = style(last.and_then(|drawing| drawing.cells().last().copied()));
        let lit = session.offer(cell).map_or(paint::DIM, |m| paint::value(m.worth));
        return Some((twist.sign(), lit.add_modifier(turned)));
    }
    let letter = session.report().pieces.chars().nth(cell).unwrap_or('-');
    if !matches!(letter, '-' | '.' | ' ') {
        let came = style(last.map(|drawing| board.landing(drawing)));
        return Some((letter, paint::man(board, letter).add_modifier(came)));
    }
    let begun = selected(session).and_then(|m| m.drawing.cells().first().copied());
    let ghost = session.picks.first() == Some(&cell) || begun == Some(cell);
    session.stone().filter(|_| ghost).map(|stone| (stone, paint::ghost(board, stone)))
}

/// Returns `*` for the cells of the hint, and an arrow where the hint or the selected move begins.
fn mark(session: &Session<'_>, cell: usize) -> String {
    let hinted = session.moves.iter().find(|m| Some(&m.name) == session.hinted.as_ref());
    let is_hint = hinted.is_some_and(|m| m.drawing.cells().contains(&cell));
    let drawing = if is_hint { hinted } else { selected(session) }.map(|m| m.drawing);
    let star = if is_hint { "*" } else { "" };
    match drawing {
        Some(Drawing::Arrow(from, to) | Drawing::Take { from, to, .. })
            if from == cell && to != from && session.board().twist(to).is_none() =>
        {
            format!("{star}{}", arrow(session.board(), from, to))
        }
        _ => star.into(),
    }
}

/// Returns an arrow that points from a cell towards another.
fn arrow(board: &Board, from: usize, to: usize) -> char {
    let (Some(a), Some(b)) = (board.cells.get(from), board.cells.get(to)) else { return '>' };
    let eighths = (b.1 - a.1).atan2(b.0 - a.0) / std::f32::consts::FRAC_PI_4;
    let arrows = ['→', '↘', '↓', '↙', '←', '↖', '↑', '↗'];
    arrows[eighths.round().rem_euclid(8.0) as usize % 8]
}

/// Returns the value of the best move that goes on with a cell.
fn label(session: &Session<'_>, cell: usize) -> Option<(String, Style)> {
    if session.picks.contains(&cell) {
        let word = if session.stone().is_some() { "put" } else { "from" };
        return Some((word.into(), paint::PICKED));
    }
    let offer = session.offer(cell)?;
    if !session.hints {
        return Some(("•".into(), paint::DIM));
    }
    let text = match offer.worth {
        None if session.is_searching() => "…".into(),
        value => words::label(value, session.unit()),
    };
    Some((text, paint::value(offer.worth)))
}

fn fill(buf: &mut Buffer, plan: &Plan, cell: usize, content: &Content) {
    let inside = plan.inside(cell);
    let row = |n: u16| Rect { y: inside.y + n, height: 1, ..inside };
    let piece = content.piece.map(|(letter, style)| (letter.to_string(), style));
    match inside.height {
        0 => {}
        1 => {
            buf.set_stringn(inside.x, inside.y, &content.mark, 1, paint::PICKED);
            if let Some((text, style)) = piece {
                buf.set_stringn(inside.x + 1, inside.y, text, 1, style);
            }
            if let Some((text, style)) = &content.label {
                let room = inside.width.saturating_sub(2);
                let text = shortened(text, room);
                let x = inside.right() - text.chars().count() as u16;
                buf.set_stringn(x, inside.y, text, room.into(), *style);
            }
        }
        height => {
            let tall = height > 2;
            buf.set_stringn(inside.x, inside.y, &content.mark, 2, paint::PICKED);
            if let Some((text, style)) = piece {
                // A blank on each side separates a man from the line that the man is on.
                let text = if tall || plan.points { format!(" {text} ") } else { text };
                centred(buf, row(u16::from(tall)), &text, style);
            }
            if let Some((text, style)) = &content.label {
                centred(buf, row(height - 1), shortened(text, inside.width), *style);
            }
        }
    }
}

/// Draws a twist: its arrow and what it is worth.
fn twist(buf: &mut Buffer, plan: &Plan, cell: usize, content: &Content) {
    let Some((sign, style)) = content.piece else { return };
    let label = content.label.as_ref().map_or("", |label| label.0.as_str());
    let text = format!("{}{sign} {label}", content.mark);
    centred(buf, plan.inside(cell), text.trim_end(), style);
}

/// Returns a label, or its letter alone if there is no room for the distance.
fn shortened(label: &str, room: u16) -> &str {
    let first = label.chars().next().map_or(0, char::len_utf8);
    if label.chars().count() <= usize::from(room) { label } else { &label[..first] }
}

fn centred(buf: &mut Buffer, row: Rect, text: &str, style: Style) {
    let spare = usize::from(row.width).saturating_sub(text.chars().count());
    buf.set_stringn(row.x + spare as u16 / 2, row.y, text, row.width.into(), style);
}
