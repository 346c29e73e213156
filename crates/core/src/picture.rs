//! How a game is drawn: a board of cells, and moves as marks on it.
//!
//! The terminal, the web page and other people's clients all draw from this one
//! description, so a game gives it once.

/// A board: cells at places on a plane, in units of one cell, `y` downwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// Width of the plane.
    pub width: f32,
    /// Height of the plane.
    pub height: f32,
    /// Where the centre of each cell is.
    pub cells: Vec<(f32, f32)>,
    /// A name for each cell that people can type, such as `b3`.
    pub names: Vec<String>,
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
