//! Perfect play from a position to the end.

use std::collections::HashSet;

use zermelo_core::{AskError, MoveReport, Opened, Position, Report, Tables};

use super::{Answers, Budget, Stage};

/// More moves than any game has that ends by itself.
const MOST: usize = 10_000;

/// The best moves of both sides, one after another.
#[derive(Clone, Debug)]
pub struct Line {
    /// The position that it begins at, as text.
    pub position: String,
    /// The moves.
    pub moves: Vec<MoveReport>,
    /// Whether it goes to the end of the game: values are known all the way, and no position comes again.
    pub complete: bool,
}

/// Perfect play from a position to the end by tables alone.
///
/// ```
/// # let data = std::env::temp_dir().join(format!("zermelo-doc-line-{}", std::process::id()));
/// zermelo::Solve::new("mnk").data(&data).run()?;
/// let game = zermelo::open("mnk", None, None)?;
/// let database = zermelo::Database::open(&data, &game)?;
/// let line = zermelo::perfect_line(&game, &database, game.oracle().start())?;
/// assert!(line.complete && line.moves.len() == 9);
/// # std::fs::remove_dir_all(&data).ok();
/// # Ok::<(), zermelo::Error>(())
/// ```
pub fn perfect_line(game: &Opened, tables: &dyn Tables, at: Position) -> Result<Line, AskError> {
    line_by(at, MOST, |at| game.oracle().report(at, tables))
}

/// Follows the best moves as `report` has them, until the game is over, a value is not known or a position comes again.
fn line_by(
    at: Position,
    most: usize,
    report_of: impl Fn(Position) -> Result<Report, AskError>,
) -> Result<Line, AskError> {
    let mut report = report_of(at)?;
    let position = report.position.clone();
    let (mut met, mut moves, mut complete) = (HashSet::from([at]), vec![], report.over);
    while !complete && moves.len() < most {
        let Some(best) = report.moves.into_iter().next().filter(|best| best.value.is_some()) else { break };
        let again = !met.insert(best.to);
        report = report_of(best.to)?;
        complete = report.over;
        moves.push(best);
        if again {
            break;
        }
    }
    Ok(Line { position, moves, complete })
}

impl Answers {
    /// Perfect play from a position, of so many moves at most. Each position is looked up in tables and files; `whole`
    /// is the memory for searches of all moves at once, 0 for none.
    pub fn line(&self, at: Position, most: usize, budget: Budget) -> Result<Line, AskError> {
        line_by(at, most, |at| self.known(at, budget))
    }

    /// A position as far as it is known without a search of one position after another.
    pub fn known(&self, at: Position, budget: Budget) -> Result<Report, AskError> {
        let mut query = self.begin(at, budget)?;
        while !matches!(query.stage(), Stage::Search | Stage::Beside | Stage::Done) {
            self.step(&mut query)?;
        }
        Ok(query.found()?.report)
    }
}
