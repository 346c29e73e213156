//! Perfect play from a position to the end.

use zermelo_core::{AnyGame, AskError, MoveReport, Tables};

/// The best moves of both sides, one after another; empty where values are unknown or
/// play never ends.
pub fn perfect_line(
    game: &dyn AnyGame,
    tables: &dyn Tables,
    position: &str,
) -> Result<Vec<MoveReport>, AskError> {
    let mut report = game.report(position, tables)?;
    let mut line = vec![];
    // Each best move brings the end one move nearer, so the distance bounds the line.
    for _ in 0..report.value.and_then(|value| value.remoteness()).unwrap_or(0) {
        let Some(best) = report.moves.into_iter().next() else { break };
        report = game.report(&best.position, tables)?;
        line.push(best);
    }
    Ok(line)
}
