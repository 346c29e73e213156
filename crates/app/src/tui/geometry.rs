//! Where the cells of a board go on a screen of characters, and which cell is next to
//! which. Cells may stand anywhere on the plane, so nothing here assumes a grid.

use ratatui::layout::{Rect, Size};
use zermelo_core::Board;

/// How large a cell is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    /// Characters from a cell to the next, across and down.
    pub(super) pitch: (u16, u16),
    /// Whether cells have lines around them, which neighbours share.
    pub(super) lines: bool,
}

/// Largest first.
const SCALES: [Scale; 4] = [
    Scale { pitch: (8, 4), lines: true },
    Scale { pitch: (6, 3), lines: true },
    Scale { pitch: (7, 2), lines: true },
    Scale { pitch: (6, 1), lines: false },
];

/// Room for the names of rows beside the board, and of columns below it.
const MARGIN: (u16, u16) = (3, 1);

/// A board laid out in an area.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) scale: Scale,
    /// Each cell with its lines, if it has any.
    pub(super) boxes: Vec<Rect>,
    /// The board without the margin.
    pub(super) area: Rect,
}

impl Plan {
    /// The part of a cell that things stand on.
    pub(super) fn inside(&self, cell: usize) -> Rect {
        let Rect { x, y, width, height } = self.boxes[cell];
        if self.scale.lines {
            Rect { x: x + 1, y: y + 1, width: width.saturating_sub(2), height: height.saturating_sub(2) }
        } else {
            Rect { x, y, width: width.saturating_sub(1), height }
        }
    }
}

fn needed(board: &Board, scale: Scale) -> Size {
    let line = u16::from(scale.lines);
    let chars = |units: f32, pitch: u16| (units * f32::from(pitch)).ceil() as u16 + line;
    Size {
        width: chars(board.width, scale.pitch.0) + MARGIN.0,
        height: chars(board.height, scale.pitch.1) + MARGIN.1,
    }
}

/// The least room a board can be drawn in.
pub(super) fn least(board: &Board) -> Size {
    needed(board, SCALES[SCALES.len() - 1])
}

/// Lays a board out in the middle of an area, as large as fits; `None` when none does.
pub(super) fn plan(board: &Board, area: Rect) -> Option<Plan> {
    let fits = |scale: &&Scale| {
        let need = needed(board, **scale);
        need.width <= area.width && need.height <= area.height
    };
    let scale = *SCALES.iter().find(fits)?;
    let need = needed(board, scale);
    let left = area.x + (area.width - need.width) / 2 + MARGIN.0;
    let top = area.y + (area.height - need.height) / 2;
    let line = u16::from(scale.lines);
    let place = |&(x, y): &(f32, f32)| {
        let at = |centre: f32, pitch: u16| ((centre - 0.5) * f32::from(pitch)).round().max(0.0) as u16;
        Rect {
            x: left + at(x, scale.pitch.0),
            y: top + at(y, scale.pitch.1),
            width: scale.pitch.0 + line,
            height: scale.pitch.1 + line,
        }
    };
    let whole = Rect { x: left, y: top, width: need.width - MARGIN.0, height: need.height - MARGIN.1 };
    let boxes = board.cells.iter().map(|cell| place(cell).intersection(whole)).collect();
    Some(Plan { scale, boxes, area: whole })
}

/// The cell a step away in a direction; the same one at the edge.
pub(super) fn neighbour(board: &Board, from: usize, (dx, dy): (f32, f32)) -> usize {
    let Some(&(x, y)) = board.cells.get(from) else { return from };
    // What lies straight ahead comes before what is nearer but off to a side.
    let cost = |cell: usize| {
        let (cx, cy) = (board.cells[cell].0 - x, board.cells[cell].1 - y);
        let (ahead, aside) = (cx * dx + cy * dy, (cx * dy - cy * dx).abs());
        (ahead > 0.1 && aside < 2.0 * ahead + 0.1).then_some(ahead + 2.5 * aside)
    };
    let costs = (0..board.cells.len()).filter_map(|cell| Some((cost(cell)?, cell)));
    costs.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(from, |(_, cell)| cell)
}

/// Of the cells that will do, the nearest to the middle of the board.
pub(super) fn middle(board: &Board, will_do: impl Fn(usize) -> bool) -> usize {
    let away = |&(x, y): &(f32, f32)| (x - board.width / 2.0).powi(2) + (y - board.height / 2.0).powi(2);
    let cells = board.cells.iter().enumerate().filter(|(cell, _)| will_do(*cell));
    cells.min_by(|a, b| away(a.1).total_cmp(&away(b.1))).map_or(0, |(cell, _)| cell)
}

/// Names for whole columns and rows, each with the cell that shows where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Axes {
    pub(super) columns: Vec<(String, usize)>,
    pub(super) rows: Vec<(String, usize)>,
}

/// The axes of a board whose cells are named by column and row, like `b3`; `None` when
/// they are not.
pub(super) fn axes(board: &Board) -> Option<Axes> {
    let mut axes = Axes::default();
    for (cell, name) in board.names.iter().enumerate() {
        let (column, row) = name.split_at(name.find(|c: char| c.is_ascii_digit())?);
        let (x, y) = *board.cells.get(cell)?;
        note(&mut axes.columns, column, cell, |other| board.cells[other].0 == x)?;
        note(&mut axes.rows, row, cell, |other| board.cells[other].1 == y)?;
    }
    Some(axes)
}

/// Adds a name; `None` when the same name stands elsewhere or another name here.
fn note(
    names: &mut Vec<(String, usize)>,
    name: &str,
    cell: usize,
    same: impl Fn(usize) -> bool,
) -> Option<()> {
    if name.is_empty() {
        return None;
    }
    for (known, other) in names.iter() {
        match (known == name, same(*other)) {
            (true, true) => return Some(()),
            (false, false) => {}
            _ => return None,
        }
    }
    names.push((name.into(), cell));
    Some(())
}
