//! Describes how a game is drawn: a board of cells, and moves as marks on it.
//!
//! The terminal, the web page and other people's clients all draw from this one description, so a game gives it once.

/// A board: cells at places on a plane, in units of one cell, `y` downwards.
///
/// Boards of tiles need the first four fields only; `..Board::default()` fills the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    /// Width of the plane.
    pub width: f32,
    /// Height of the plane.
    pub height: f32,
    /// The centre of each cell.
    pub cells: Vec<(f32, f32)>,
    /// A name for each cell that people can type, such as `b3`.
    pub names: Vec<String>,
    /// Lines from one point to another, `[x1, y1, x2, y2]`. On a board with lines the cells are points on them; on a
    /// board without lines the cells are tiles.
    pub lines: Vec<[f32; 4]>,
    /// Words written on the board, each with the place of its middle.
    pub labels: Vec<(f32, f32, String)>,
    /// The first player's side and the second's, in games that have names for sides.
    pub sides: Vec<Side>,
    /// The quarter turns that can end a move. The last cells, as many as there are turns, hold no pieces: a person
    /// picks a turn there.
    pub twists: Vec<Twist>,
}

/// A quarter turn of a square part of the board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// The middle of the part.
    pub about: (f32, f32),
    /// The distance from the middle of the part to its sides.
    pub reach: f32,
    /// Whether the part turns to the left, against the clock.
    pub left: bool,
}

impl Twist {
    /// An arrow that shows the direction of the turn.
    pub fn sign(self) -> char {
        if self.left { '\u{21ba}' } else { '\u{21bb}' }
    }

    /// Where a place goes in the turn. A place outside the part stays.
    pub fn turned(self, (x, y): (f32, f32)) -> (f32, f32) {
        let (dx, dy) = (x - self.about.0, y - self.about.1);
        if dx.abs().max(dy.abs()) > self.reach {
            return (x, y);
        }
        let (dx, dy) = if self.left { (dy, -dx) } else { (-dy, dx) };
        (self.about.0 + dx, self.about.1 + dy)
    }
}

/// A player's name and men.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The name of the player, such as `Red`. A name that front ends know as a colour is drawn in that colour. A name
    /// that ends in `s`, such as `Crows`, is a plural.
    pub name: String,
    /// The kinds of men of this side.
    pub men: Vec<Man>,
}

impl Side {
    /// A side whose men are all of one kind.
    pub fn alike(name: &str, man: &str, letter: char, sign: char) -> Side {
        Side { name: name.into(), men: vec![Man { letter, sign, name: man.into() }] }
    }

    /// The verb after the side's name. `verb` is given with an `s`, which a plural name drops: `Red wins`, `Crows
    /// win`.
    pub fn does<'a>(&self, verb: &'a str) -> &'a str {
        if self.name.ends_with('s') { verb.trim_end_matches('s') } else { verb }
    }
}

/// A kind of man: its name and its look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Man {
    /// The character of the man in [`pieces`](crate::Face::pieces).
    pub letter: char,
    /// The sign written on the man where it can be shown; a blank for a plain stone.
    pub sign: char,
    /// The name of the man, such as `rook`.
    pub name: String,
}

/// Names for whole columns and rows, each with a cell that shows where the column or row is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axes {
    /// Letters of the columns.
    pub columns: Vec<(String, usize)>,
    /// Numbers of the rows.
    pub rows: Vec<(String, usize)>,
}

impl Board {
    /// The axes of a board whose cells are named by column and row, like `b3`; `None` for a board with other names.
    pub fn axes(&self) -> Option<Axes> {
        let mut axes = Axes::default();
        for (cell, name) in self.names.iter().enumerate().take(self.places()) {
            let (column, row) = name.split_at(name.find(|c: char| c.is_ascii_digit())?);
            let (x, y) = *self.cells.get(cell)?;
            note(&mut axes.columns, column, cell, |other| self.cells[other].0 == x)?;
            note(&mut axes.rows, row, cell, |other| self.cells[other].1 == y)?;
        }
        Some(axes)
    }

    /// A board of tiles with these names, row by row, `cols` to a row.
    pub fn tiles(cols: usize, names: Vec<String>) -> Board {
        let centre = |cell: usize| ((cell % cols) as f32 + 0.5, (cell / cols) as f32 + 0.5);
        Board {
            width: cols.min(names.len()) as f32,
            height: names.len().div_ceil(cols) as f32,
            cells: (0..names.len()).map(centre).collect(),
            names,
            ..Board::default()
        }
    }

    /// The number of cells that pieces can stand on: all cells but those of the twists.
    pub fn places(&self) -> usize {
        self.cells.len().saturating_sub(self.twists.len())
    }

    /// The twist that is picked at a cell.
    pub fn twist(&self, cell: usize) -> Option<Twist> {
        self.twists.get(cell.checked_sub(self.places())?).copied()
    }

    /// The cell where the piece that a move puts or takes along stands in the end. A twist may carry the piece on.
    pub fn landing(&self, drawing: Drawing) -> usize {
        let (from, to) = match drawing {
            Drawing::Cell(at) => return at,
            Drawing::Arrow(from, to) => (from, to),
            Drawing::Take { to, .. } => return to,
        };
        let Some((twist, place)) = self.twist(to).zip(self.cells.get(from)) else { return to };
        let (x, y) = twist.turned(*place);
        let there = |cell: &(f32, f32)| (cell.0 - x).hypot(cell.1 - y) < 0.01;
        self.cells.iter().position(there).unwrap_or(from)
    }

    /// The side that has men of a letter.
    pub fn side_of(&self, letter: char) -> Option<&Side> {
        self.sides.iter().find(|side| side.men.iter().any(|man| man.letter == letter))
    }
}

/// Adds a name for a cell; `None` when the name belongs to another cell or the cell has another name.
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
    /// An arrow from a cell to another; or a stone on the first and the twist of the second.
    Arrow(usize, usize),
    /// An arrow, or a stone put on a cell, and a man elsewhere that is taken. For a stone that is put, `from` is the
    /// cell where it stands in the end, for it comes from no other cell.
    Take {
        /// The cell that the man comes from.
        from: usize,
        /// The cell where the man stands in the end.
        to: usize,
        /// The cell of the man that is taken.
        taken: usize,
    },
}

impl Drawing {
    /// The cell of the man that is taken, where this is not the cell where the move ends.
    pub fn taken(self) -> Option<usize> {
        match self {
            Drawing::Take { taken, .. } => Some(taken),
            Drawing::Cell(_) | Drawing::Arrow(..) => None,
        }
    }

    /// The cells to pick for this move, in order.
    pub fn cells(self) -> Vec<usize> {
        match self {
            Drawing::Cell(at) => vec![at],
            Drawing::Arrow(from, to) => vec![from, to],
            Drawing::Take { from, to, taken } if from == to => vec![to, taken],
            Drawing::Take { from, to, taken } => vec![from, to, taken],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board of two by two cells that turn, one cell beside them that does not, and a turn either way.
    fn wheel() -> Board {
        let twist = |left| Twist { about: (1.0, 1.0), reach: 1.0, left };
        let cells = [(0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (1.5, 1.5), (2.5, 0.5), (0.5, 2.5), (1.5, 2.5)];
        Board {
            width: 3.0,
            height: 3.0,
            cells: cells.to_vec(),
            names: ["a2", "b2", "a1", "b1", "c2", "left", "right"].map(String::from).to_vec(),
            twists: [true, false].map(twist).to_vec(),
            ..Board::default()
        }
    }

    #[test]
    fn a_twist_carries_a_stone_along() {
        let landings = |to| (0..5).map(|from| wheel().landing(Drawing::Arrow(from, to))).collect::<Vec<_>>();
        assert_eq!(landings(5), [2, 0, 3, 1, 4], "to the left");
        assert_eq!(landings(6), [1, 3, 0, 2, 4], "to the right");
        assert_eq!(landings(4), [4; 5], "an arrow ends where it points to");
        assert_eq!(wheel().landing(Drawing::Cell(2)), 2);
        assert_eq!(wheel().twists.iter().map(|twist| twist.sign()).collect::<String>(), "\u{21ba}\u{21bb}");
    }

    #[test]
    fn a_man_elsewhere_is_picked_last() {
        let put = Drawing::Take { from: 2, to: 2, taken: 4 };
        let moved = Drawing::Take { from: 1, to: 2, taken: 4 };
        assert_eq!((put.cells(), moved.cells()), (vec![2, 4], vec![1, 2, 4]));
        assert_eq!((wheel().landing(put), wheel().landing(moved)), (2, 2));
        assert_eq!((put.taken(), Drawing::Arrow(1, 2).taken()), (Some(4), None));
    }

    #[test]
    fn nothing_stands_on_the_cells_of_twists() {
        let board = wheel();
        assert_eq!((board.places(), board.twist(4), board.twist(6)), (5, None, Some(board.twists[1])));
        assert_eq!(board.axes().expect("axes").columns.len(), 3, "twists are in no row");
        assert_eq!(board.plain("x--o-"), ["x - -", "- o"]);
    }
}
