//! Serves the files of the page, from the program itself or from a folder.

use std::borrow::Cow;
use std::path::{Component, Path};
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;

use zermelo_core::{FNV, fnv};

use super::App;
use super::refusal::{Refusal, Result};
use super::reply::{self, Mark, REVALIDATE};

/// The place in the page that describes the API, and the addresses under which people look for it.
const DOCS: HeaderValue = HeaderValue::from_static("/docs");
const DOCS_SOUGHT: [&str; 4] = ["/api", "/api/", "/api/v1", "/api/v1/"];

/// The most bytes of a file of the page.
const LARGEST: u64 = 16 << 20;

/// All files of the folder `ui`. Debug builds read them at run time.
#[derive(rust_embed::Embed)]
#[folder = "ui"]
struct BuiltIn;

/// Answers every path that is not part of an API: `/ui/...` are files, and a path without a dot is a place in the
/// page. Who looks for the API is sent to the page that describes it.
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response> {
    let path = uri.path();
    let nothing = || Refusal::missing(format!("there is nothing at {}", zermelo_core::quoted(path)));
    if DOCS_SOUGHT.contains(&path) && (method == Method::GET || method == Method::HEAD) {
        let mut response =
            reply::with(StatusCode::TEMPORARY_REDIRECT, "text/plain; charset=utf-8", "/docs\n".into());
        response.headers_mut().insert(LOCATION, DOCS);
        return Ok(response);
    }
    if path.starts_with("/api/") || path.starts_with("/universal/") {
        return Err(Refusal::missing(format!(
            "there is nothing at {}; see /docs or /api/v1/openapi.json for what there is",
            zermelo_core::quoted(path)
        )));
    }
    if method != Method::GET && method != Method::HEAD {
        let text = format!("{method} {}: this path can only be read", zermelo_core::quoted(path));
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, text));
    }
    let name = match path.strip_prefix("/ui/") {
        Some(name) => name,
        // Browsers and robots ask for these files by themselves.
        None if matches!(path, "/favicon.ico" | "/favicon.svg" | "/robots.txt") => &path[1..],
        None if path.contains('.') => return Err(nothing()),
        None => "index.html",
    };
    let file = read(&app, name).await?.ok_or_else(nothing)?;
    let mark = Mark::new(fnv(FNV, &file), &uri).ok_or_else(nothing)?;
    if mark.is_known(&headers) {
        return Ok(mark.unchanged(REVALIDATE));
    }
    let response = reply::with(StatusCode::OK, kind(name), file.into_owned().into());
    Ok(mark.put(response, REVALIDATE))
}

async fn read(app: &App, name: &str) -> Result<Option<Cow<'static, [u8]>>> {
    // Only plain names are accepted, so that no file outside of the folder can be asked for.
    if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
        return Ok(None);
    }
    match &app.settings.ui {
        Some(folder) => {
            let path = folder.join(name);
            let read = move || zermelo_store::read_plain(path, LARGEST).ok().map(Cow::Owned);
            Ok(app.reading.run(read).await?)
        }
        None => Ok(BuiltIn::get(name).map(|file| file.data)),
    }
}

/// Returns the media type of a file, by the end of its name.
fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" | "webmanifest" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
