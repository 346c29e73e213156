//! Refuses a request: a status, and a text that names the thing, the reason and the fix.

use axum::http::header::{CACHE_CONTROL, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use zermelo_core::{AskError, Complaint};

use super::reply;

/// The reason why a request is refused.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
}

/// An answer, or a refusal.
pub(crate) type Result<T, E = Refusal> = std::result::Result<T, E>;

impl Refusal {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Refusal {
        Refusal { status, text: text.into() }
    }

    /// Refuses a request that is wrong.
    pub(crate) fn bad(text: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, text)
    }

    /// Refuses a request for a thing that does not exist.
    pub(crate) fn missing(text: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, text)
    }

    /// Refuses a request that another state of things prevents.
    pub(crate) fn conflict(text: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, text)
    }

    /// Reports a fault of this program or of a disk.
    pub(crate) fn broken(text: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, text)
    }

    /// Refuses a request because too much is going on.
    pub(crate) fn busy(text: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, text)
    }
}

impl From<Complaint> for Refusal {
    fn from(complaint: Complaint) -> Refusal {
        Refusal::bad(complaint.to_string())
    }
}

impl From<AskError> for Refusal {
    fn from(error: AskError) -> Refusal {
        match error {
            AskError::Input(complaint) => complaint.into(),
            error => Refusal::broken(error.to_string()),
        }
    }
}

impl From<zermelo_store::StoreError> for Refusal {
    fn from(error: zermelo_store::StoreError) -> Refusal {
        Refusal::broken(error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = reply::json(&json!({ "error": self.text }));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if matches!(self.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
