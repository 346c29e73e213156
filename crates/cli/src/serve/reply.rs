//! Builds answers from bytes, and says how long clients may keep them.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use serde::Serialize;
use zermelo_core::{FNV, fnv};

/// Returns an answer as JSON.
pub(crate) fn json(body: &impl Serialize) -> Response {
    let mut bytes = Vec::with_capacity(6 * 1024);
    match serde_json::to_writer(&mut bytes, body) {
        Ok(()) => json_bytes(bytes),
        // None of our answers has a map with keys other than text, so this does not happen.
        Err(_) => {
            with(StatusCode::INTERNAL_SERVER_ERROR, "application/json", r#"{"error":"no JSON"}"#.into())
        }
    }
}

/// Returns an answer that is JSON already.
pub(crate) fn json_bytes(bytes: impl Into<Body>) -> Response {
    with(StatusCode::OK, "application/json", bytes.into())
}

/// Returns an answer of any kind.
pub(crate) fn with(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Marks an answer that no client or cache may keep.
pub(crate) fn fleeting(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The mark (`ETag`) of an answer, which stays the same for as long as the database and the program do.
#[derive(Clone)]
pub(crate) struct Mark(HeaderValue);

impl Mark {
    /// Returns the mark of an answer that depends on some data and on the request.
    pub(crate) fn new(checksum: u64, uri: &Uri) -> Option<Mark> {
        let asked = uri.path_and_query().map_or("", |asked| asked.as_str());
        let hash = fnv(fnv(FNV, env!("CARGO_PKG_VERSION").as_bytes()), asked.as_bytes());
        // Weak, because the same answer may go out compressed.
        HeaderValue::from_str(&format!("W/\"{checksum:016x}{hash:016x}\"")).ok().map(Mark)
    }

    /// Whether the client has the answer already.
    pub(crate) fn is_known(&self, headers: &HeaderMap) -> bool {
        let Some(known) = headers.get(IF_NONE_MATCH).and_then(|known| known.to_str().ok()) else {
            return false;
        };
        let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_string();
        let own = self.0.to_str().map(bare).unwrap_or_default();
        known.split(',').any(|tag| bare(tag) == own)
    }

    /// Returns the response to a client that has the answer already.
    pub(crate) fn unchanged(self, keep: &'static str) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        self.put(response, keep)
    }

    /// Returns the answer with the mark on it, to be kept as long as `keep` says.
    pub(crate) fn put(self, mut response: Response, keep: &'static str) -> Response {
        let headers = response.headers_mut();
        headers.insert(ETAG, self.0);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
        response
    }
}

/// Keeps an answer for an hour: what a finished database says changes only when the game is solved again.
pub(crate) const HOUR: &str = "public, max-age=3600";
/// Makes the client ask again each time, though the answer may well be unchanged.
pub(crate) const REVALIDATE: &str = "no-cache";
