//! Games whose moves are columns, where pieces drop: what columns are called, and where a piece comes to rest.

use zermelo::Answers;
use zermelo_core::{Board, Drawing};

use super::session::Session;

/// The places of columns across the board, with the names of their moves; none in games whose moves are no columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns(Vec<(f32, String)>);

impl Columns {
    /// Finds the columns of a game. Its moves are columns if each move of the start has a name that is not that of the
    /// cell where its piece comes to stand, and no two share a column.
    pub(super) fn of(answers: &Answers, board: &Board) -> Columns {
        let oracle = answers.game.oracle();
        let Ok(report) = oracle.moves(oracle.start()) else { return Columns::default() };
        let mut columns: Vec<(f32, String)> = vec![];
        for m in &report.moves {
            let Drawing::Cell(cell) = m.drawing else { return Columns::default() };
            let Some((x, _)) = board.cells.get(cell) else { return Columns::default() };
            if board.names.get(cell) == Some(&m.name) || columns.iter().any(|(other, _)| other == x) {
                return Columns::default();
            }
            columns.push((*x, m.name.clone()));
        }
        Columns(columns)
    }
}

impl Session<'_> {
    /// Returns the name of the column of a cell, in games whose moves are columns.
    pub(super) fn column_name(&self, cell: usize) -> Option<&str> {
        let (x, _) = self.board().cells.get(cell)?;
        self.columns.0.iter().find(|(place, _)| place == x).map(|(_, name)| name.as_str())
    }

    /// Whether a text is the name of a column, in games whose moves are columns.
    pub(super) fn is_column(&self, text: &str) -> bool {
        self.columns.0.iter().any(|(_, name)| name == text)
    }

    /// Returns the cell that a move puts something on, for a cell of the same column, in games whose moves are columns.
    pub(super) fn drop_from(&self, cell: usize) -> Option<usize> {
        self.column_name(cell)?;
        let x = self.board().cells.get(cell)?.0;
        let landings = self.shown().filter_map(|m| m.drawing.cells().first().copied());
        landings.into_iter().find(|landing| self.board().cells.get(*landing).is_some_and(|at| at.0 == x))
    }
}
