//! Bounds the bytes of all answers that clients have not taken yet.
//!
//! A connection makes one answer at a time, and begins the next when the last has left. So a client that does not
//! read has one answer in memory, and all such clients together have no more than the bound: further answers are
//! refused.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use axum::response::Response;
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::Pool;
use super::refusal::{Refusal, Result};

/// Bytes are counted in pieces of this size.
const PIECE: usize = 1024;
/// The least room for answers, whatever the memory of the server: some thousands of positions.
const LEAST: u64 = 8 << 20;
/// The most room for answers; more is of no use.
const MOST: u64 = 256 << 20;

/// The room for answers under way.
pub(crate) struct Outgoing {
    room: Arc<Semaphore>,
    /// The threads that compress answers, which takes longer than to make the answers.
    packing: Pool,
}

/// The bytes of an answer, whose room becomes free when the last of the bytes has left.
struct Counted {
    bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Outgoing {
    /// Makes room in proportion to the memory of a server.
    pub(crate) fn new(memory: u64, packing: Pool) -> Outgoing {
        let room = (memory / 16).clamp(LEAST, MOST);
        Outgoing { room: Arc::new(Semaphore::new(room as usize / PIECE)), packing }
    }

    /// Returns the answer with all its bytes ready and counted, or a refusal when there is no room for them.
    pub(crate) async fn count(&self, response: Response) -> Result<Response> {
        let (mut parts, body) = response.into_parts();
        let bytes = if parts.headers.contains_key(CONTENT_ENCODING) {
            let handle = tokio::runtime::Handle::current();
            let packed = self.packing.run(move || handle.block_on(body.collect())).await?;
            // The new length is known from the bytes.
            parts.headers.remove(CONTENT_LENGTH);
            packed
        } else {
            body.collect().await
        };
        let bytes = bytes.map_err(|error| Refusal::broken(format!("the answer was not made: {error}")))?;
        let bytes = bytes.to_bytes();
        if bytes.is_empty() {
            return Ok(Response::from_parts(parts, Body::empty()));
        }
        let pieces = bytes.len().div_ceil(PIECE) as u32;
        let room = self.room.clone().try_acquire_many_owned(pieces);
        let _room =
            room.map_err(|_| Refusal::busy("too many answers wait to be read; try again in a moment"))?;
        Ok(Response::from_parts(parts, Body::from(Bytes::from_owner(Counted { bytes, _room }))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(bytes: usize) -> Response {
        Response::new(Body::from(vec![b'x'; bytes]))
    }

    #[test]
    fn answers_take_room_until_they_are_gone() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let outgoing = Outgoing::new(0, Pool::new(1, 1));
            let half = LEAST as usize / 2;
            let first = outgoing.count(answer(half)).await.expect("room");
            let second = outgoing.count(answer(half)).await.expect("room");
            assert_eq!(outgoing.count(answer(1)).await.expect_err("no room").status, 503);
            drop(first);
            assert!(outgoing.count(answer(1)).await.is_ok());
            let bytes = second.into_body().collect().await.expect("bytes").to_bytes();
            let end = bytes.slice(half - 1..);
            drop(bytes);
            assert!(outgoing.count(answer(LEAST as usize)).await.is_err(), "the last byte has not left");
            drop(end);
            assert!(outgoing.count(answer(LEAST as usize)).await.is_ok());
        });
    }
}
