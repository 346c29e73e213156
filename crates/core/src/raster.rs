//! Draws a board in characters: its lines cut into pieces of one character each, and a plain picture of the board
//! with what stands there.

use std::collections::BTreeMap;

use crate::Board;

/// The parts of lines in one character. [`UP`](Stroke::UP) to [`RIGHT`](Stroke::RIGHT) are arms from the middle of
/// the character; the other strokes cross the middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stroke(pub u8);

impl Stroke {
    /// A line from the middle upwards.
    pub const UP: u8 = 1;
    /// A line from the middle downwards.
    pub const DOWN: u8 = 2;
    /// A line from the middle to the left.
    pub const LEFT: u8 = 4;
    /// A line from the middle to the right.
    pub const RIGHT: u8 = 8;
    /// A line like `/`.
    pub const RISE: u8 = 16;
    /// A line like `\`.
    pub const FALL: u8 = 32;

    /// The arms among the strokes.
    pub fn arms(self) -> usize {
        usize::from(self.0 & 15)
    }

    /// The nearest character that any terminal has.
    fn plain(self) -> char {
        const ARMS: [char; 16] =
            [' ', '|', '|', '|', '-', '+', '+', '+', '-', '+', '+', '+', '-', '+', '+', '+'];
        match (self.arms(), self.0 & Stroke::RISE != 0, self.0 & Stroke::FALL != 0) {
            (0, true, true) => 'X',
            (0, true, false) => '/',
            (0, false, true) => '\\',
            (arms, _, _) => ARMS[arms],
        }
    }
}

/// The column or row of the middle of a place, at `pitch` characters to a unit.
fn at(place: f32, pitch: u16) -> i32 {
    ((place - 0.5) * f32::from(pitch)).round() as i32
}

impl Board {
    /// The lines in characters, by column and row from the place (0.5, 0.5), at `wide` columns and `high` rows to a
    /// unit.
    pub fn strokes(&self, (wide, high): (u16, u16)) -> BTreeMap<(i32, i32), Stroke> {
        let mut strokes: BTreeMap<(i32, i32), Stroke> = BTreeMap::new();
        let mut add = |x: i32, y: i32, stroke: u8| strokes.entry((x, y)).or_default().0 |= stroke;
        for [x1, y1, x2, y2] in &self.lines {
            let (from, to) = ((at(*x1, wide), at(*y1, high)), (at(*x2, wide), at(*y2, high)));
            let ((left, top), (right, bottom)) =
                ((from.0.min(to.0), from.1.min(to.1)), (from.0.max(to.0), from.1.max(to.1)));
            if top == bottom {
                (left..right).for_each(|x| {
                    add(x, top, Stroke::RIGHT);
                    add(x + 1, top, Stroke::LEFT);
                });
            } else if left == right {
                (top..bottom).for_each(|y| {
                    add(left, y, Stroke::DOWN);
                    add(left, y + 1, Stroke::UP);
                });
            } else {
                let falls = (to.0 > from.0) == (to.1 > from.1);
                let slope = (right - left) as f32 / (bottom - top) as f32;
                for y in top + 1..bottom {
                    let along = ((y - top) as f32 * slope).round() as i32;
                    let x = if falls { left + along } else { right - along };
                    add(x, y, if falls { Stroke::FALL } else { Stroke::RISE });
                }
            }
        }
        strokes
    }

    /// A picture in plain text, line by line: what stands on each cell, and, where the cells are
    /// points, the lines between them and the names along the edges.
    pub fn plain(&self, pieces: &str) -> Vec<String> {
        if self.lines.is_empty() { self.plain_tiles(pieces) } else { self.plain_points(pieces) }
    }

    fn plain_tiles(&self, pieces: &str) -> Vec<String> {
        let cells = &self.cells[..self.places()];
        let columns = tracks(cells.iter().map(|cell| cell.0).collect());
        let lines = tracks(cells.iter().map(|cell| cell.1).collect());
        let last = |tracks: &[(f32, usize)]| tracks.last().map_or(0, |track| track.1);
        let find = |tracks: &[(f32, usize)], place| tracks.iter().find(|track| track.0 == place).map(|t| t.1);
        let mut rows = vec![vec![' '; last(&columns) * 2 + 1]; last(&lines) + 1];
        for ((x, y), piece) in cells.iter().zip(pieces.chars()) {
            if let (Some(x), Some(y)) = (find(&columns, *x), find(&lines, *y)) {
                put(&mut rows, x * 2, y, piece);
            }
        }
        joined(rows)
    }

    fn plain_points(&self, pieces: &str) -> Vec<String> {
        // Four columns and two rows to a unit: the least in which diagonals show.
        const PITCH: (u16, u16) = (4, 2);
        // Room for the numbers of the rows.
        const LEFT: usize = 3;
        let place =
            |(x, y): (f32, f32)| (at(x, PITCH.0).max(0) as usize + LEFT, at(y, PITCH.1).max(0) as usize);
        let (width, height) = place((self.width - 0.5, self.height - 0.5));
        let mut rows = vec![vec![' '; width + 1]; height + 3];
        for ((x, y), stroke) in self.strokes(PITCH).into_iter().filter(|((x, y), _)| *x >= 0 && *y >= 0) {
            put(&mut rows, x as usize + LEFT, y as usize, stroke.plain());
        }
        for (cell, piece) in self.cells.iter().zip(pieces.chars()) {
            let (x, y) = place(*cell);
            put(&mut rows, x, y, if piece == '-' { '.' } else { piece });
        }
        let axes = self.axes().unwrap_or_default();
        for (name, cell) in axes.rows {
            let y = place(self.cells[cell]).1;
            name.chars().enumerate().for_each(|(x, letter)| put(&mut rows, x, y, letter));
        }
        for (name, cell) in axes.columns {
            let x = place(self.cells[cell]).0;
            name.chars().enumerate().for_each(|(i, letter)| put(&mut rows, x + i, height + 2, letter));
        }
        joined(rows)
    }
}

/// The places of cells along one axis, each with its number in characters. A gap between cells takes one character
/// more.
fn tracks(mut places: Vec<f32>) -> Vec<(f32, usize)> {
    places.sort_by(f32::total_cmp);
    places.dedup();
    let mut tracks: Vec<(f32, usize)> = vec![];
    for place in places {
        let after = tracks.last().map_or(0, |(last, at)| at + (place - last - 0.01).ceil().max(1.0) as usize);
        tracks.push((place, after));
    }
    tracks
}

fn put(rows: &mut [Vec<char>], x: usize, y: usize, letter: char) {
    if let Some(place) = rows.get_mut(y).and_then(|row| row.get_mut(x)) {
        *place = letter;
    }
}

fn joined(rows: Vec<Vec<char>>) -> Vec<String> {
    rows.into_iter().map(|row| row.into_iter().collect::<String>().trim_end().into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two by three points, with a gap between the last two of the middle column.
    fn ladder() -> Board {
        let cells: Vec<_> = (0..6).map(|n| ((n % 2) as f32 + 0.5, (n / 2) as f32 + 0.5)).collect();
        Board {
            width: 2.0,
            height: 3.0,
            names: ["a3", "b3", "a2", "b2", "a1", "b1"].map(String::from).to_vec(),
            cells,
            lines: vec![
                [0.5, 0.5, 1.5, 0.5],
                [0.5, 1.5, 1.5, 1.5],
                [0.5, 2.5, 1.5, 2.5],
                [0.5, 0.5, 0.5, 2.5],
                [1.5, 0.5, 1.5, 1.5],
                [0.5, 0.5, 1.5, 1.5],
                [1.5, 0.5, 0.5, 1.5],
                [1.5, 1.5, 0.5, 2.5],
            ],
            ..Board::default()
        }
    }

    #[test]
    fn points_stand_on_lines() {
        let want = ["3  K---.", "   | X |", "2  .---r", "   | /", "1  .---.", "", "   a   b"];
        assert_eq!(ladder().plain("K--r--"), want);
    }

    #[test]
    fn tiles_have_no_lines() {
        let board = Board { lines: vec![], ..ladder() };
        assert_eq!(board.plain("K--r--"), ["K -", "- r", "- -"]);
    }

    #[test]
    fn gaps_between_tiles_are_seen() {
        let cells = [(0.75, 1.0), (1.75, 1.0), (3.25, 1.0), (0.75, 2.5)].to_vec();
        let board = Board { width: 4.0, height: 3.0, cells, ..Board::default() };
        assert_eq!(board.plain("x-ox"), ["x -   o", "", "x"]);
    }

    #[test]
    fn lines_join_where_they_meet() {
        let strokes = ladder().strokes((6, 2));
        let arms = |x, y| strokes.get(&(x, y)).map_or(0, |stroke| stroke.0 & 15);
        assert_eq!(arms(0, 0), Stroke::RIGHT | Stroke::DOWN);
        assert_eq!(arms(0, 2), Stroke::UP | Stroke::DOWN | Stroke::RIGHT);
        assert_eq!(arms(6, 2), Stroke::UP | Stroke::LEFT, "the gap");
        assert_eq!(strokes.get(&(3, 3)), Some(&Stroke(Stroke::RISE)));
    }

    #[test]
    fn names_of_columns_and_rows() {
        let axes = ladder().axes().expect("axes");
        assert_eq!(axes.columns, [("a".into(), 0), ("b".into(), 1)]);
        assert_eq!(axes.rows, [("3".into(), 0), ("2".into(), 2), ("1".into(), 4)]);
        let names = ["a3", "b3", "b2", "a2", "a1", "b1"].map(String::from).to_vec();
        assert_eq!(Board { names, ..ladder() }.axes(), None, "a stands over b");
    }
}
