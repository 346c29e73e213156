//! Lays the cells of a board out on a screen of characters, and finds the cell next to another. Cells may stand
//! anywhere on the plane, so nothing here assumes a grid.

use ratatui::layout::{Position, Rect, Size};
use zermelo_core::Board;

/// How large a cell is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    /// Characters from a cell to the next, across and down.
    pub(super) pitch: (u16, u16),
    /// Whether cells have lines around them, which neighbours share.
    pub(super) lines: bool,
}

/// The scales of boards of tiles, largest first.
const SCALES: [Scale; 4] = [
    Scale { pitch: (8, 4), lines: true },
    Scale { pitch: (6, 3), lines: true },
    Scale { pitch: (7, 2), lines: true },
    Scale { pitch: (6, 1), lines: false },
];

/// The scales of boards of points, largest first. Men stand on the lines, values below them.
const POINTS: [Scale; 4] = [
    Scale { pitch: (8, 4), lines: false },
    Scale { pitch: (8, 3), lines: false },
    Scale { pitch: (6, 2), lines: false },
    Scale { pitch: (5, 1), lines: false },
];

/// The room for the names of rows beside the board, and of columns below it.
const MARGIN: (u16, u16) = (3, 1);

/// A board laid out in an area.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) scale: Scale,
    /// Each cell with its lines, if it has any; twists are one row without lines.
    pub(super) boxes: Vec<Rect>,
    /// How many of the boxes are cells and not twists.
    pub(super) places: usize,
    /// The board without the margin.
    pub(super) area: Rect,
    /// Whether the cells are points on lines.
    pub(super) points: bool,
}

impl Plan {
    /// Returns the part of a cell that things stand on.
    pub(super) fn inside(&self, cell: usize) -> Rect {
        let Rect { x, y, width, height } = self.boxes[cell];
        if self.points || cell >= self.places {
            self.boxes[cell]
        } else if self.scale.lines {
            Rect { x: x + 1, y: y + 1, width: width.saturating_sub(2), height: height.saturating_sub(2) }
        } else {
            Rect { x, y, width: width.saturating_sub(1), height }
        }
    }

    /// Returns where the man on a cell is written.
    pub(super) fn spot(&self, cell: usize) -> Position {
        let Rect { x, y, width, height } = self.inside(cell);
        let across = if height == 1 { 1 } else { width.saturating_sub(1) / 2 };
        Position { x: x + across, y: y + u16::from(height > 2) }
    }
}

fn scales(board: &Board) -> &'static [Scale; 4] {
    if board.lines.is_empty() { &SCALES } else { &POINTS }
}

fn needed(board: &Board, scale: Scale) -> Size {
    let line = u16::from(scale.lines);
    let chars = |units: f32, pitch: u16| (units * f32::from(pitch)).ceil() as u16 + line;
    Size {
        width: chars(board.width, scale.pitch.0) + MARGIN.0,
        height: chars(board.height, scale.pitch.1) + MARGIN.1,
    }
}

/// Returns the least room that a board can be drawn in.
pub(super) fn least(board: &Board) -> Size {
    needed(board, scales(board)[3])
}

/// Lays a board out in the middle of an area, as large as fits; `None` when the smallest scale does not fit.
pub(super) fn plan(board: &Board, area: Rect) -> Option<Plan> {
    let fits = |scale: &&Scale| {
        let need = needed(board, **scale);
        need.width <= area.width && need.height <= area.height
    };
    let scale = *scales(board).iter().find(fits)?;
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
    let row = |y: f32| (y / board.height * f32::from(whole.height)) as u16;
    let twist = |at: &(f32, f32)| Rect { y: top + row(at.1), width: scale.pitch.0, height: 1, ..place(at) };
    let places = board.places();
    let (cells, twists) = board.cells.split_at(places);
    let boxes = cells.iter().map(place).chain(twists.iter().map(twist));
    let boxes = boxes.map(|rect| rect.intersection(whole)).collect();
    Some(Plan { scale, boxes, places, area: whole, points: !board.lines.is_empty() })
}

/// Returns the accepted cell that is one step away in a direction, or `from` at the edge.
pub(super) fn neighbour(
    board: &Board,
    from: usize,
    (dx, dy): (f32, f32),
    will_do: impl Fn(usize) -> bool,
) -> usize {
    let Some(&(x, y)) = board.cells.get(from) else { return from };
    // A cell straight ahead comes before one that is nearer but off to a side.
    let cost = |cell: usize| {
        let (cx, cy) = (board.cells[cell].0 - x, board.cells[cell].1 - y);
        let (ahead, aside) = (cx * dx + cy * dy, (cx * dy - cy * dx).abs());
        (ahead > 0.1 && aside < 2.0 * ahead + 0.1).then_some(ahead + 2.5 * aside)
    };
    let costs =
        (0..board.cells.len()).filter(|cell| will_do(*cell)).filter_map(|cell| Some((cost(cell)?, cell)));
    costs.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(from, |(_, cell)| cell)
}

/// Returns the accepted cell that is nearest to the middle of the board.
pub(super) fn middle(board: &Board, will_do: impl Fn(usize) -> bool) -> usize {
    let away = |&(x, y): &(f32, f32)| (x - board.width / 2.0).powi(2) + (y - board.height / 2.0).powi(2);
    let cells = board.cells.iter().enumerate().filter(|(cell, _)| will_do(*cell));
    cells.min_by(|a, b| away(a.1).total_cmp(&away(b.1))).map_or(0, |(cell, _)| cell)
}
