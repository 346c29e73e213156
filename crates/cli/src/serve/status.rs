//! Reports the state of the server: for people, for programs that restart the server, and for Prometheus.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use super::api::{Answer, Shared};
use super::games::Listed;
use super::reply;
use super::variant::State as Solved;

/// `GET /health`
pub(crate) async fn health(State(app): Shared) -> Answer {
    let solved = |list: &[Listed]| {
        let all = list.iter().flat_map(|game| &game.variants);
        all.filter(|variant| variant.state == Solved::Solved).count()
    };
    let databases = app.list(move |list| Ok(solved(list))).await?;
    let health = json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION"), "databases": databases });
    Ok(reply::fleeting(reply::json(&health)))
}

/// `GET /healthz`
pub(crate) async fn healthz() -> Response {
    reply::fleeting(reply::with(StatusCode::OK, "text/plain; charset=utf-8", "ok\n".into()))
}

/// `GET /metrics`
pub(crate) async fn metrics(State(app): Shared) -> Response {
    let (open, solved) = app.library.counts();
    let text = app.metrics.text(&[
        ("zermelo_requests_in_flight", "Requests being worked on.", app.working.inside() as u64),
        (
            "zermelo_searches_in_flight",
            "Searches under way or waiting.",
            (app.searching.inside() + app.examining.inside()) as u64,
        ),
        ("zermelo_open_variants", "Variants held open.", open),
        ("zermelo_open_databases", "Finished databases held open.", solved),
        ("zermelo_solving", "Whether a solve is under way.", u64::from(app.is_solving())),
    ]);
    reply::fleeting(reply::with(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text.into()))
}
