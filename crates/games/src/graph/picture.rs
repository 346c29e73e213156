//! The board of a list. Where the texts of all positions are rows of as many characters each, with `/` between the rows,
//! these are the cells; a move is drawn where two texts differ. Other lists have cells for moves alone.

use zermelo_core::{Board, Drawing};

use super::GraphList;

/// The most cells of a board.
const MOST: usize = 400;
/// The most cells for moves in a row.
const ROW: usize = 8;

/// The cells of a list.
#[derive(Debug)]
pub(super) struct Picture {
    /// Rows and columns; none where texts are no boards.
    rows: usize,
    cols: usize,
    /// Cells below the board, for moves that are not drawn on it.
    slots: usize,
}

/// What stands on the cells.
fn cells(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| *c != '/').map(|c| if matches!(c, '.' | '_' | ' ') { '-' } else { c })
}

/// The rows and columns of a text; `None` where its rows differ in length.
fn shape(text: &str) -> Option<(usize, usize)> {
    let mut rows = text.split('/').map(|row| row.chars().count());
    let cols = rows.next()?;
    rows.try_fold(1, |rows, other| (other == cols).then_some(rows + 1)).map(|rows| (rows, cols))
}

impl Picture {
    pub(super) fn of(list: &GraphList) -> Picture {
        let all = || 0..list.len() as u32;
        let first = shape(list.text(0)).filter(|(rows, cols)| rows * cols <= MOST && *cols > 0);
        let board = first.filter(|first| all().all(|p| shape(list.text(p)) == Some(*first)));
        let (rows, cols) = board.unwrap_or((0, 0));
        let picture = Picture { rows, cols, slots: 0 };
        let unclear = |p: &u32| picture.drawings(list, *p).is_none();
        let slots = all().filter(unclear).map(|p| list.moves(p).len()).max().unwrap_or(0);
        let least = usize::from(rows == 0);
        Picture { slots: slots.max(least), ..picture }
    }

    pub(super) fn board(&self) -> Board {
        let cells = self.rows * self.cols;
        let width = if cells == 0 { ROW.min(self.slots) } else { self.cols };
        let place = |cell: usize| match cell.checked_sub(cells) {
            None => (cell % self.cols, cell / self.cols),
            Some(slot) => (slot % width, self.rows + slot / width),
        };
        let name = |cell: usize| match cell.checked_sub(cells) {
            None if self.cols <= 26 => {
                format!("{}{}", (b'a' + (cell % self.cols) as u8) as char, self.rows - cell / self.cols)
            }
            None => format!("c{}r{}", cell % self.cols + 1, self.rows - cell / self.cols),
            Some(slot) => format!("m{}", slot + 1),
        };
        let all = 0..cells + self.slots;
        Board {
            width: width as f32,
            height: (self.rows + self.slots.div_ceil(width)) as f32,
            cells: all.clone().map(place).map(|(x, y)| (x as f32 + 0.5, y as f32 + 0.5)).collect(),
            names: all.map(name).collect(),
            ..Board::default()
        }
    }

    pub(super) fn pieces(&self, list: &GraphList, p: u32) -> String {
        let empty = std::iter::repeat_n('-', self.slots);
        match self.rows {
            0 => empty.collect(),
            _ => cells(list.text(p)).chain(empty).collect(),
        }
    }

    pub(super) fn draw(&self, list: &GraphList, p: u32, m: u32) -> Drawing {
        let place = (m - list.moves(p).start) as usize;
        match self.drawings(list, p) {
            Some(drawings) => drawings[place],
            None => Drawing::Cell(self.rows * self.cols + place),
        }
    }

    /// The drawings of all moves of a position on the board; `None` where two are alike or one cannot be drawn.
    fn drawings(&self, list: &GraphList, p: u32) -> Option<Vec<Drawing>> {
        if list.moves(p).is_empty() {
            return Some(vec![]);
        }
        if self.rows == 0 {
            return None;
        }
        let before: Vec<char> = cells(list.text(p)).collect();
        let mut drawings = vec![];
        for m in list.moves(p) {
            let drawing = difference(&before, cells(list.text(list.target(m))))?;
            if drawings.contains(&drawing) {
                return None;
            }
            drawings.push(drawing);
        }
        Some(drawings)
    }
}

/// A move between two boards: an arrow where a piece left one cell and came to another, else the first cell that is
/// taken, or else the first that changes.
fn difference(before: &[char], after: impl Iterator<Item = char>) -> Option<Drawing> {
    let changed: Vec<(usize, char, char)> = before
        .iter()
        .zip(after)
        .enumerate()
        .filter(|(_, (a, b))| *a != b)
        .map(|(at, (a, b))| (at, *a, b))
        .collect();
    let came = changed.iter().find(|(_, _, after)| *after != '-');
    let left = came.and_then(|(_, _, piece)| changed.iter().find(|(_, a, b)| *b == '-' && a == piece));
    match (left, came) {
        (Some((from, _, _)), Some((to, _, _))) => Some(Drawing::Arrow(*from, *to)),
        (None, Some((at, _, _))) => Some(Drawing::Cell(*at)),
        _ => changed.first().map(|(at, _, _)| Drawing::Cell(*at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_one_shape_are_boards() {
        let text = "graph a\nx./.. a>.x/.. b>../x.\n.x/.. up>x./..\n../x. c>x./.. d>xo/..\nxo/.. lose";
        let list = GraphList::read(text).expect("a list");
        let picture = list.picture();
        assert_eq!(picture.pieces(&list, 0), "x-----");
        let drawn = |p| list.moves(p).map(|m| picture.draw(&list, p, m)).collect::<Vec<_>>();
        assert_eq!(drawn(0), [Drawing::Arrow(0, 1), Drawing::Arrow(0, 2)]);
        let board = picture.board();
        assert_eq!((board.names[0].as_str(), board.names[3].as_str(), board.height), ("a2", "b1", 3.0));
        // Both moves carry x to the corner, so that cells below stand for them.
        assert_eq!(drawn(2), [Drawing::Cell(4), Drawing::Cell(5)]);
        assert_eq!((board.cells.len(), board.cells[5]), (6, (1.5, 2.5)));
    }

    #[test]
    fn other_texts_have_cells_for_moves() {
        let list = GraphList::read("graph a\nstart a>b b>end\nb x>end\nend lose").expect("a list");
        let picture = list.picture();
        assert_eq!((picture.board().cells.len(), picture.pieces(&list, 0).as_str()), (2, "--"));
        assert_eq!(
            list.moves(0).map(|m| picture.draw(&list, 0, m)).collect::<Vec<_>>(),
            [0, 1].map(Drawing::Cell)
        );
        let over = GraphList::read("graph a\nend lose").expect("a list");
        assert_eq!(over.picture().board().cells.len(), 3, "a text is a row");
    }
}
