//! Perfect play from a position to the end.

use zermelo_core::{AnyGame, AskError, MoveReport, Tables, Unit};

/// More moves than any game has that ends by itself.
const MOST: u16 = 10_000;

/// The best moves of both sides, one after another; empty where values are unknown or
/// play never ends.
pub fn perfect_line(
    game: &dyn AnyGame,
    tables: &dyn Tables,
    position: &str,
) -> Result<Vec<MoveReport>, AskError> {
    let mut report = game.report(position, tables)?;
    let mut line = vec![];
    let bound = report.value.map(|value| match game.unit() {
        // Each best move brings the end one move nearer.
        unit @ (Unit::Moves | Unit::Goal) => unit.remoteness(value).unwrap_or(0),
        // This does not tell when the game ends, but all games that have one do.
        Unit::Margin | Unit::Winner | Unit::Nimber => MOST,
    });
    for _ in 0..bound.unwrap_or(0) {
        let Some(best) = report.moves.into_iter().next().filter(|best| best.value.is_some()) else { break };
        report = game.report(&best.position, tables)?;
        line.push(best);
    }
    Ok(line)
}
