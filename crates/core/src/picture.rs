//! How a game is drawn: a board of cells, and moves as marks on it.
//!
//! The terminal, the web page and other people's clients all draw from this one
//! description, so a game gives it once.

/// A board: cells at places on a plane, in units of one cell, `y` downwards.
///
/// Boards of tiles need the first four fields only; `..Board::default()` fills the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    /// Width of the plane.
    pub width: f32,
    /// Height of the plane.
    pub height: f32,
    /// Where the centre of each cell is.
    pub cells: Vec<(f32, f32)>,
    /// A name for each cell that people can type, such as `b3`.
    pub names: Vec<String>,
    /// Lines from a point to another, `[x1, y1, x2, y2]`. Where there are any, the cells are
    /// points on them; where there are none, the cells are tiles.
    pub lines: Vec<[f32; 4]>,
    /// Words written on the board, each with the place of its middle.
    pub labels: Vec<(f32, f32, String)>,
    /// The first player's side and the second's, in games that have names for them.
    pub sides: Vec<Side>,
}

/// A player's name and men.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// What the player is called, such as `Red`. A colour that front ends know is drawn as such.
    pub name: String,
    /// The kinds of men of this side.
    pub men: Vec<Man>,
}

/// A kind of man: what it is called and how it looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Man {
    /// The character of it in [`pieces`](crate::Face::pieces).
    pub letter: char,
    /// What is written on it where that can be shown.
    pub sign: char,
    /// What it is called, such as `rook`.
    pub name: String,
}

/// Names for whole columns and rows, each with a cell that shows where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axes {
    /// Letters of the columns.
    pub columns: Vec<(String, usize)>,
    /// Numbers of the rows.
    pub rows: Vec<(String, usize)>,
}

impl Board {
    /// The axes of a board whose cells are named by column and row, like `b3`; `None` when
    /// they are not.
    pub fn axes(&self) -> Option<Axes> {
        let mut axes = Axes::default();
        for (cell, name) in self.names.iter().enumerate() {
            let (column, row) = name.split_at(name.find(|c: char| c.is_ascii_digit())?);
            let (x, y) = *self.cells.get(cell)?;
            note(&mut axes.columns, column, cell, |other| self.cells[other].0 == x)?;
            note(&mut axes.rows, row, cell, |other| self.cells[other].1 == y)?;
        }
        Some(axes)
    }

    /// The side that has men of a letter.
    pub fn side_of(&self, letter: char) -> Option<&Side> {
        self.sides.iter().find(|side| side.men.iter().any(|man| man.letter == letter))
    }
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

/// How one move is drawn, and which cells a person picks to make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// A mark on a cell.
    Cell(usize),
    /// An arrow from a cell to another.
    Arrow(usize, usize),
}

impl Drawing {
    /// The cells to pick, in order.
    pub fn cells(self) -> Vec<usize> {
        match self {
            Drawing::Cell(at) => vec![at],
            Drawing::Arrow(from, to) => vec![from, to],
        }
    }
}
