//! Perfect play from a position to the end.

use std::collections::HashSet;
use std::time::Instant;

use zermelo_core::{AskError, MoveReport, Position, Report, Unit};

use super::{Answers, Budget, Stage};

/// A line of perfect play: the best moves of both players, one after another.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text of the position that the line begins at.
    pub position: String,
    /// The moves.
    pub moves: Vec<MoveReport>,
    /// Whether the line goes to the end of the game: the value of each position is known, and no position is repeated.
    pub complete: bool,
}

impl Answers {
    /// Follows perfect play from a position. The line ends when the game is over, a value is not known, a position is
    /// repeated, it has `most` moves, or the time is over. Each position is looked up in tables and files; the budget
    /// is for searches of all moves at once.
    ///
    /// ```
    /// # let data = std::env::temp_dir().join(format!("zermelo-doc-line-{}", std::process::id()));
    /// use zermelo::{Answers, Budget, Catalogue, Solve};
    ///
    /// Solve::new("mnk").data(&data).run()?;
    /// let answers = Answers::open(Catalogue::standard(), &data, "mnk")?;
    /// let line = answers.line(answers.game.oracle().start(), 100, Budget::NONE, None)?;
    /// assert!(line.complete && line.moves.len() == 9);
    /// # std::fs::remove_dir_all(&data).ok();
    /// # Ok::<(), zermelo::Error>(())
    /// ```
    pub fn line(
        &self,
        at: Position,
        most: usize,
        budget: Budget,
        until: Option<Instant>,
    ) -> Result<Line, AskError> {
        self.along(at, most, until, |at| self.known(at, budget))
    }

    /// Follows perfect play from a position as [`Answers::line`] does, and searches each position whose value is in no
    /// table.
    pub fn searched_line(
        &self,
        at: Position,
        most: usize,
        budget: Budget,
        until: Option<Instant>,
    ) -> Result<Line, AskError> {
        self.along(at, most, until, |at| Ok(self.find(at, budget)?.report))
    }

    fn along(
        &self,
        at: Position,
        most: usize,
        until: Option<Instant>,
        ask: impl Fn(Position) -> Result<Report, AskError>,
    ) -> Result<Line, AskError> {
        let mut report = ask(at)?;
        let position = report.position.clone();
        let (mut met, mut moves) = (HashSet::from([at]), vec![]);
        let late = || until.is_some_and(|until| Instant::now() >= until);
        while moves.len() < most && !late() {
            let Some(best) = best(&report, self.game.unit) else { break };
            let again = !met.insert(best.to);
            report = ask(best.to)?;
            moves.push(best);
            if again {
                break;
            }
        }
        Ok(Line { position, moves, complete: report.over })
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

/// A best move, where the value of a position is known and a move that keeps it.
fn best(report: &Report, unit: Unit) -> Option<MoveReport> {
    let (value, best) = (report.value?, report.moves.first()?);
    let keeps = unit == Unit::Nimber || unit.preference(best.worth?) == unit.preference(value);
    keeps.then(|| best.clone())
}
