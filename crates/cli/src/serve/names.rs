//! The names in a path, decoded. A path that cannot be decoded is refused like any other bad request.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::refusal::{Refusal, Result};

/// The game, or the game and the variant.
pub(crate) struct Names<T>(pub(crate) T);

/// A game and a variant.
pub(crate) type Both = Names<(String, String)>;

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Names<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Names<T>> {
        let Path(names) = Path::from_request_parts(parts, state).await.map_err(|_| {
            Refusal::bad(
                "the path has escapes that are no UTF-8 text; write names of games and variants plainly",
            )
        })?;
        Ok(Names(names))
    }
}
