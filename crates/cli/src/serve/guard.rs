//! Checks every request and finishes every answer: limits, headers, metrics, log.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::App;
use super::export::Streamed;
use super::refusal::{Refusal, Result};

/// The most bytes of a path; a position takes a hundred.
const LONGEST_URL: usize = 4096;
/// The most bytes of a body; a thousand positions of the largest board fit.
pub(crate) const LONGEST_BODY: usize = 256 * 1024;
/// A request that takes longer than this is given up.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The content security policy: only this server's own scripts, styles and pictures, and no site may frame the page.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
     connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);

/// The address at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Answers a request or refuses it, and notes the result in the metrics and the log.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let client = client(&app, &request);
    let route = request.extensions().get::<MatchedPath>().cloned();
    let asked = app.log.is_some().then(|| (request.method().clone(), request.uri().clone()));
    let route = route.as_ref().map(MatchedPath::as_str);
    // The answer to a HEAD request has no bytes to count, and what is sent as it is made is never in memory.
    let is_head = request.method() == Method::HEAD;
    let mut response = match admit(&app, client, route, begun, request, next).await {
        Ok(response) if is_head || response.extensions().get::<Streamed>().is_some() => response,
        Ok(response) => app.outgoing.count(response).await.unwrap_or_else(Refusal::into_response),
        Err(refusal) => refusal.into_response(),
    };
    protect(response.headers_mut());
    let (status, took) = (response.status(), begun.elapsed());
    app.metrics.note(route, status.as_u16(), took);
    if let (Some(log), Some((method, uri))) = (&app.log, asked) {
        log.note(format_args!(
            "{} {method} {} {} {} us",
            shown(client),
            path(&uri),
            status.as_u16(),
            took.as_micros()
        ));
    }
    response
}

async fn admit(
    app: &Arc<App>,
    client: Option<IpAddr>,
    route: Option<&str>,
    now: Instant,
    request: Request,
    next: Next,
) -> Result<Response> {
    app.hosts.check(request.uri(), request.headers())?;
    if path(request.uri()).len() > LONGEST_URL {
        let text = format!("this URL has more than {LONGEST_URL} bytes; ask for several positions with POST");
        return Err(Refusal::new(StatusCode::URI_TOO_LONG, text));
    }
    if client.is_some_and(|client| !app.clients.admit(client, now)) {
        let text = "too many requests from your address; make fewer a second";
        return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, text));
    }
    // The programs that watch the server must get an answer even when no other client does.
    if matches!(route, Some("/healthz" | "/metrics")) {
        return Ok(next.run(request).await);
    }
    let work = async {
        // A body is read before a place is taken, so that slow clients take no places.
        let request = if request.method() == Method::POST { read_body(request).await? } else { request };
        let inside = app.working.enter();
        let _inside = inside.ok_or_else(|| Refusal::busy("the server is busy; try again in a moment"))?;
        Ok(next.run(request).await)
    };
    match tokio::time::timeout(TIMEOUT, work).await {
        Ok(done) => done,
        Err(_) => Err(Refusal::busy("this took longer than ten seconds; try again later")),
    }
}

async fn read_body(request: Request) -> Result<Request> {
    let (parts, body) = request.into_parts();
    match Limited::new(body, LONGEST_BODY).collect().await {
        Ok(body) => Ok(Request::from_parts(parts, Body::from(body.to_bytes()))),
        Err(error) if error.is::<LengthLimitError>() => {
            let text = format!("a body of more than {LONGEST_BODY} bytes; ask for fewer positions at once");
            Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, text))
        }
        Err(error) => Err(Refusal::bad(format!("the body could not be read: {error}"))),
    }
}

fn protect(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// Returns the address of the client. Behind a proxy, that is the address of the proxy's client.
fn client(app: &App, request: &Request) -> Option<IpAddr> {
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
    if !app.settings.behind_proxy {
        return peer;
    }
    // The proxy adds the address that it sees at the end; everything before is what the client claims.
    let told = request.headers().get_all("x-forwarded-for").iter().next_back();
    let last = told.and_then(|told| told.to_str().ok()).and_then(|told| told.rsplit(',').next());
    last.and_then(|last| last.trim().parse().ok()).or(peer)
}

fn path(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |asked| asked.as_str())
}

fn shown(client: Option<IpAddr>) -> String {
    client.map_or("-".into(), |client| client.to_string())
}
