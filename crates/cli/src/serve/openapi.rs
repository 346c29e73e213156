//! The description of the API for programs: OpenAPI 3.

use std::sync::OnceLock;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::api::Shared;
use super::reply;

/// `GET /openapi.json`
pub(crate) async fn document(State(app): Shared) -> Response {
    static DOCUMENT: OnceLock<Bytes> = OnceLock::new();
    let bytes = DOCUMENT.get_or_init(|| made(&app.library.names()).to_string().into());
    reply::with(StatusCode::OK, "application/json", bytes.clone().into())
}

fn made(games: &[&str]) -> Value {
    let mut paths = json!({});
    for (path, mut methods) in own_paths().into_iter().chain(universal_paths()) {
        let named = ["game", "variant"].into_iter().filter(|name| path.contains(&format!("{{{name}}}")));
        let place =
            |name| json!({ "name": name, "in": "path", "required": true, "schema": named_by(name, games) });
        methods["parameters"] = named.map(place).collect();
        paths[path] = methods;
    }
    json!({
        "openapi": "3.0.3",
        "info": {
            "title": "Zermelo",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Values and distances of every position of solved two-player games. Errors are \
                4xx or 5xx with {\"error\": text}. Answers from a finished database carry an ETag.",
            "license": { "name": "MIT" },
        },
        "paths": paths,
        "components": { "schemas": schemas() },
    })
}

/// Returns the schema of one name in a path.
fn named_by(name: &str, games: &[&str]) -> Value {
    match name {
        "game" => json!({ "type": "string", "enum": games }),
        // Options in normal form, with underscores in the universal API.
        _ => json!({ "anyOf": [
            { "type": "string", "enum": ["default"] },
            { "type": "string", "pattern": "^[a-z]+=?[0-9]+([,_][a-z]+=?[0-9]+){0,3}$", "maxLength": 64 },
        ] }),
    }
}

/// Returns the schema of a position: as games with two kinds of pieces write it, or in a form of the game's own.
fn position() -> Value {
    json!({ "anyOf": [
        { "type": "string", "pattern": "^[12]_[xo-]{9}$" },
        { "type": "string", "maxLength": 200 },
    ] })
}

/// Returns the paths of our own API.
fn own_paths() -> Vec<(&'static str, Value)> {
    let p = json!({
        "name": "p", "in": "query", "description": "the position; the start if left out", "schema": position(),
    });
    let m = query(
        "m",
        "moves from there, separated by commas or blanks; the answer is about the position after them",
        "string",
    );
    let value = query("value", "win, lose, tie or draw", "string");
    let remoteness = query("remoteness", "moves to the end", "integer");
    let batch = json!({
        "required": true,
        "content": { "application/json": { "schema": refer("Batch") } },
    });
    vec![
        ("/api/v1/games", get("All games and their variants", &[], "Games")),
        ("/api/v1/games/{game}", get("One game: rules, notation, options", &[], "Game")),
        ("/api/v1/games/{game}/{variant}", get("One variant: board, start, database", &[], "Variant")),
        (
            "/api/v1/games/{game}/{variant}/position",
            get("A position, its value, and its moves, best first", &[p.clone(), m.clone()], "Position"),
        ),
        (
            "/api/v1/games/{game}/{variant}/line",
            get("Perfect play from a position to the end", &[p, m], "Line"),
        ),
        (
            "/api/v1/games/{game}/{variant}/random",
            get("A random position with a value", &[value, remoteness], "Position"),
        ),
        (
            "/api/v1/games/{game}/{variant}/positions",
            json!({ "post": operation("Values of up to 1000 positions", &[], "Values", Some(batch)) }),
        ),
        (
            "/api/v1/games/{game}/{variant}/statistics",
            get("Positions by value and remoteness; 202 while they are being counted", &[], "Statistics"),
        ),
        ("/api/v1/games/{game}/{variant}/export", exported()),
        (
            "/api/v1/games/{game}/{variant}/solve",
            json!({
                "get": operation("How far the solve of this variant is", &[], "Solving", None),
                "post": operation("Start to solve a small variant; 202, or 409 while another is", &[], "Solving", None),
            }),
        ),
        ("/api/v1/openapi.json", get("This document", &[], "Any")),
        ("/api/v1/health", get("Whether the server works, and how many databases it has", &[], "Health")),
    ]
}

/// Returns the operation that sends positions as rows.
fn exported() -> Value {
    let texts = [
        ("format", "csv, jsonl, npy or parquet; csv if left out"),
        ("positions", "reached, those that the start reaches; or stored, those that the tables number"),
        ("symmetries", "false for a row for every position, and not one for each set of symmetric ones"),
        ("value", "win, lose, tie or draw"),
        ("remoteness", "a number, or two with dots between: 7..12"),
    ];
    let numbers = [
        ("tier", "the number of a tier"),
        ("sample", "rows to draw at random, up to 100000"),
        ("seed", "which random rows"),
        ("limit", "the most rows, up to 1000000; 100000 if left out"),
    ];
    let texts = texts.into_iter().map(|(name, what)| query(name, what, "string"));
    let numbers = numbers.into_iter().map(|(name, what)| query(name, what, "integer"));
    let parameters: Vec<_> = texts.chain(numbers).collect();
    let mut get = get("Positions with their values as rows, sent as they are made", &parameters, "Any");
    let kinds =
        ["text/csv", "application/x-ndjson", "application/octet-stream", "application/vnd.apache.parquet"];
    let content: serde_json::Map<_, _> =
        kinds.into_iter().map(|kind| (kind.to_string(), json!({ "schema": {} }))).collect();
    get["get"]["responses"]["200"]["content"] = content.into();
    get
}

/// Returns the paths of the API of GamesmanUni.
fn universal_paths() -> Vec<(&'static str, Value)> {
    let p = json!({ "name": "p", "in": "query", "required": true, "schema": position() });
    let locale = query("locale", "ignored: all is English", "string");
    vec![
        ("/universal/v1/", get("Games with a solved variant, for GamesmanUni", &[], "Any")),
        ("/universal/v1/{game}/", get("Solved variants of a game", &[], "Any")),
        ("/universal/v1/{game}/{variant}/", get("A variant and how to draw it", &[], "Any")),
        ("/universal/v1/{game}/{variant}/positions/", get("A position and its moves", &[p], "Any")),
        ("/universal/v1/{game}/{variant}/instructions/", get("The rules in Markdown", &[locale], "Any")),
    ]
}

fn refer(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

fn query(name: &str, what: &str, kind: &str) -> Value {
    json!({ "name": name, "in": "query", "description": what, "schema": { "type": kind } })
}

fn get(what: &str, parameters: &[Value], answer: &str) -> Value {
    json!({ "get": operation(what, parameters, answer, None) })
}

fn operation(what: &str, parameters: &[Value], answer: &str, body: Option<Value>) -> Value {
    let content = |schema: &str| json!({ "application/json": { "schema": refer(schema) } });
    let mut operation = json!({
        "summary": what,
        "parameters": parameters,
        "responses": {
            "200": { "description": "the answer", "content": content(answer) },
            "default": { "description": "an error", "content": content("Error") },
        },
    });
    if let Some(body) = body {
        operation["requestBody"] = body;
    }
    operation
}

/// Returns the objects, by the names and types of their fields. `?` marks types that may be null and names that may
/// be left out.
fn schemas() -> Value {
    json!({
        "Any": {},
        "Error": object(&[("error", "string")]),
        "Games": { "type": "array", "items": refer("GameRow") },
        "GameRow": object(&[
            ("id", "string"), ("title", "string"), ("aliases", "[Any]"), ("summary", "string"),
            ("variants", "[VariantRow]"),
        ]),
        "VariantRow": object(&[
            ("id", "string"), ("name", "string"), ("state", "string"), ("solvable", "boolean"), ("note", "string?"),
        ]),
        "Game": object(&[
            ("id", "string"), ("title", "string"), ("aliases", "[Any]"), ("summary", "string"), ("rules", "string"),
            ("notation", "string"), ("options", "[Any]"), ("examples", "[Any]"), ("variants", "[VariantRow]"),
        ]),
        "Variant": object(&[
            ("game", "string"), ("variant", "string"), ("title", "string"), ("name", "string"),
            ("rules", "string"), ("notation", "string"), ("state", "string"), ("solvable", "boolean"),
            ("start", "string"), ("board", "Board"), ("database", "Database"),
        ]),
        "Board": object(&[
            ("width", "number"), ("height", "number"), ("cells", "[Any]"), ("names", "[Any]"),
            ("lines", "[Any]"), ("labels", "[Any]"), ("sides", "[Side]"),
            ("twists", "[Twist]"),
        ]),
        "Side": object(&[("name", "string"), ("men", "[Man]")]),
        "Twist": object(&[("about", "Any"), ("reach", "number"), ("left", "boolean")]),
        "Man": object(&[("letter", "string"), ("sign", "string"), ("name", "string")]),
        "Database": {
            "nullable": true,
            "allOf": [object(&[("bytes", "integer"), ("positions", "integer?"), ("etag", "string")])],
        },
        "Position": object(&[
            ("position", "string"), ("turn", "integer"), ("pieces", "string"), ("over", "boolean"),
            ("value", "string?"), ("remoteness", "integer?"), ("margin?", "integer"), ("nimber?", "integer"), ("source", "string"),
            ("note?", "string"), ("moves", "[Move]"),
        ]),
        "Move": object(&[
            ("move", "string"), ("position", "string"), ("value", "string?"), ("remoteness", "integer?"),
            ("margin?", "integer"), ("nimber?", "integer"), ("mover", "Any"), ("drawing", "Any"),
        ]),
        "Line": object(&[("position", "string"), ("complete", "boolean"), ("line", "[Any]")]),
        "Batch": object(&[("positions", "[Any]")]),
        "Values": object(&[("positions", "[Any]")]),
        "Statistics": object(&[
            ("counted", "string"), ("positions", "integer?"), ("canonical_positions", "integer"), ("counts", "Any"),
            ("longest", "Any"), ("plies", "[Any]"),
        ]),
        "Solving": object(&[
            ("state", "string"), ("done", "number"), ("tiers", "integer"), ("all_tiers", "integer"),
            ("seconds_left", "number?"), ("error", "string?"),
        ]),
        "Health": object(&[("status", "string"), ("version", "string"), ("databases", "integer")]),
    })
}

fn object(fields: &[(&str, &str)]) -> Value {
    let mut properties = json!({});
    for (name, kind) in fields {
        properties[name.trim_end_matches('?')] = field(kind);
    }
    let required: Vec<_> = fields.iter().map(|(name, _)| name).filter(|name| !name.ends_with('?')).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn field(kind: &str) -> Value {
    if let Some(kind) = kind.strip_suffix('?') {
        return json!({ "type": kind, "nullable": true });
    }
    if let Some(items) = kind.strip_prefix('[') {
        return json!({ "type": "array", "items": refer(items.trim_end_matches(']')) });
    }
    match kind.starts_with(char::is_uppercase) {
        true => refer(kind),
        false => json!({ "type": kind }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_described_and_every_reference_resolved() {
        let document = made(&["mnk"]);
        // The paths without their last slash, the page, and what only machines watch are left out.
        let paths = super::super::router::paths();
        let told = |path: &&&str| {
            path.starts_with("/api/") || (path.starts_with("/universal/") && path.ends_with('/'))
        };
        let mut served: Vec<_> = paths.iter().filter(told).copied().collect();
        let mut described: Vec<_> =
            document["paths"].as_object().expect("an object").keys().map(String::as_str).collect();
        served.sort_unstable();
        described.sort_unstable();
        assert_eq!(served, described);
        for part in document.to_string().split("#/components/schemas/").skip(1) {
            let name = part.split('"').next().unwrap_or_default();
            assert!(!document["components"]["schemas"][name].is_null(), "{name}");
        }
    }
}
