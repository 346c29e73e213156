//! The names in a path, decoded; a path that cannot be is refused like any other request.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use super::refusal::Refusal;

/// The game.
pub(crate) struct GameName(pub(crate) String);

/// The game and the variant.
pub(crate) struct Names(pub(crate) String, pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for GameName {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<GameName, Refusal> {
        let Path(game) = Path::from_request_parts(parts, state).await.map_err(|_| unreadable())?;
        Ok(GameName(game))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Names {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Names, Refusal> {
        let Path((game, id)) = Path::from_request_parts(parts, state).await.map_err(|_| unreadable())?;
        Ok(Names(game, id))
    }
}

fn unreadable() -> Refusal {
    Refusal::bad("the path has escapes that are no UTF-8 text; write names of games and variants plainly")
}
