//! One search of an engine's own for a position with all its moves.

use zermelo_core::{AnyGame, AskError, Limits, Report};

use crate::machine::search_threads;

/// Looks at a position and all its moves at once; `None` where the engine cannot do that, or not within the limits. An
/// error where the system has no threads for it.
pub(crate) fn examine(
    game: &dyn AnyGame,
    position: &str,
    limits: Limits,
) -> Result<Option<Report>, AskError> {
    if game.examine_bytes(position)?.is_none() {
        return Ok(None);
    }
    search_threads().map_err(|why| AskError::Tables(why.into()))?;
    Ok(game.examine(position, limits)?)
}
