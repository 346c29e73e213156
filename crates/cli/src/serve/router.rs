//! Routes each path to the function that answers it.

use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, HeaderName, Method, StatusCode, Version, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::cors::{Any as Anyone, CorsLayer};

use super::export::Streamed;
use super::guard::guard;
use super::refusal::Refusal;
use super::{App, api, assets, export, openapi, status, uwapi};

/// Shorter answers are not compressed: that would take longer than to find them.
const COMPRESSED_ABOVE: u64 = 8 * 1024;

/// The name in the metrics for all paths without a route of their own.
const PAGE: &str = "page";

type Route = (&'static str, MethodRouter<Arc<App>>);

fn routes() -> Vec<Route> {
    vec![
        ("/api/v1/games", get(api::games)),
        ("/api/v1/games/{game}", get(api::game)),
        ("/api/v1/games/{game}/{variant}", get(api::variant)),
        ("/api/v1/games/{game}/{variant}/position", get(api::position)),
        ("/api/v1/games/{game}/{variant}/line", get(api::line)),
        ("/api/v1/games/{game}/{variant}/random", get(api::random)),
        ("/api/v1/games/{game}/{variant}/positions", axum::routing::post(api::positions)),
        ("/api/v1/games/{game}/{variant}/statistics", get(api::statistics)),
        ("/api/v1/games/{game}/{variant}/export", get(export::rows)),
        ("/api/v1/games/{game}/{variant}/solve", get(api::solving).post(api::solve)),
        ("/api/v1/openapi.json", get(openapi::document)),
        ("/api/v1/health", get(status::health)),
        ("/healthz", get(status::healthz)),
        ("/metrics", get(status::metrics)),
        ("/universal/v1/", get(uwapi::games)),
        ("/universal/v1/{game}/", get(uwapi::game)),
        ("/universal/v1/{game}/{variant}/", get(uwapi::variant)),
        ("/universal/v1/{game}/{variant}/positions/", get(uwapi::position)),
        ("/universal/v1/{game}/{variant}/instructions/", get(uwapi::instructions)),
        // For clients that leave the last slash out.
        ("/universal/v1", get(uwapi::games)),
        ("/universal/v1/{game}", get(uwapi::game)),
        ("/universal/v1/{game}/{variant}", get(uwapi::variant)),
        ("/universal/v1/{game}/{variant}/positions", get(uwapi::position)),
        ("/universal/v1/{game}/{variant}/instructions", get(uwapi::instructions)),
    ]
}

/// Returns the paths of all routes, and a last one for the rest.
pub(crate) fn paths() -> Vec<&'static str> {
    routes().into_iter().map(|(path, _)| path).chain([PAGE]).collect()
}

/// Returns the whole service.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for (path, methods) in routes() {
        router = router.route(path, methods.fallback(wrong_method));
    }
    // What is sent as it is made would be compressed between other answers.
    let whole = |_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions| {
        extensions.get::<Streamed>().is_none()
    };
    let compress = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(COMPRESSED_ABOVE).and(NotForContentType::IMAGES).and(whole));
    // The last layer sees a request first.
    router
        .fallback(assets::page)
        .layer(compress)
        .layer(CatchPanicLayer::custom(after_panic))
        .layer(from_fn_with_state(app.clone(), guard))
        .layer(cors())
        .with_state(app.clone())
}

fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(Anyone)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers([header::CONTENT_TYPE, header::IF_NONE_MATCH])
        .expose_headers([header::ETAG, header::RETRY_AFTER])
        .max_age(std::time::Duration::from_secs(86_400))
        // The answer is the same for every origin.
        .vary(Vec::<HeaderName>::new())
}

async fn wrong_method(request: Request) -> Response {
    let (method, path) = (request.method(), request.uri().path());
    let text = format!("{method} {path}: this path has another method; see /api/v1/openapi.json");
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, text).into_response()
}

fn after_panic(_: Box<dyn Any + Send + 'static>) -> Response {
    Refusal::broken("this request met a fault in zermelo; please report it").into_response()
}
