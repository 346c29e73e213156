//! One search of an engine's own for a position with all its moves.

use zermelo_core::{AskError, Limits, Opened, Position, Report};

use crate::machine::search_threads;

/// Looks at a position and all its moves at once; `None` where the engine cannot do that, or not within the limits. An
/// error where the system has no threads for it.
pub(crate) fn examine(game: &Opened, position: Position, limits: Limits) -> Result<Option<Report>, AskError> {
    if game.oracle().examine_bytes(position).is_none() {
        return Ok(None);
    }
    search_threads().map_err(|why| AskError::Tables(why.into()))?;
    game.oracle().examine(position, limits)
}
