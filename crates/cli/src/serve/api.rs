//! The routes under `/api/v1`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use zermelo::{Budget, Found, Line, Source, Wanted};
use zermelo_core::{Board, Card, Kind, Man, Position as At, Side, Twist, Unit};

use super::answer::{InList, Position, Step, Worth};
use super::games::Listed;
use super::hosts::is_own_page;
use super::names::{Both, Names};
use super::refusal::{Refusal, Result};
use super::reply::{self, HOUR, Mark};
use super::solve::Stage;
use super::variant::{State as Solved, Variant};
use super::{App, query};
use crate::cmd::games::option_json;

/// The most positions of one batch.
pub(crate) const BATCH: usize = 1000;
/// The most moves of a line.
const PLIES: usize = 1000;
/// How long a draw of a random position may take, with the wait for a place in the pool.
const DRAW: Duration = Duration::from_millis(300);

pub(crate) type Answer = Result<Response>;
pub(crate) type Shared = State<Arc<App>>;

/// `GET /games`
pub(crate) async fn games(State(app): Shared) -> Answer {
    let row = |Listed { card, aliases, variants }: &Listed| {
        json!({
            "id": card.name, "title": card.title, "aliases": aliases, "summary": card.summary, "variants": variants,
        })
    };
    let told = move |list: &[Listed]| reply::json(&list.iter().map(row).collect::<Vec<_>>());
    app.list(move |list| Ok(reply::fleeting(told(list)))).await
}

/// `GET /games/{game}`
pub(crate) async fn game(State(app): Shared, Names(game): Names<String>) -> Answer {
    let card = app.library.card(&game)?;
    app.list(move |list| Ok(reply::fleeting(about(card, list)))).await
}

/// A game with its variants.
fn about(card: &Card, list: &[Listed]) -> Response {
    let listed = list.iter().find(|listed| std::ptr::eq(listed.card, card));
    let example = |(options, note): &(&str, &str)| {
        let variant = if options.is_empty() { "default" } else { options };
        json!({ "variant": variant, "note": note })
    };
    reply::json(&json!({
        "id": card.name,
        "title": card.title,
        "aliases": listed.map_or(&[][..], |listed| listed.aliases),
        "summary": card.summary,
        "rules": card.rules,
        "notation": card.notation,
        "options": card.options.iter().map(option_json).collect::<Vec<_>>(),
        "examples": card.examples.iter().map(example).collect::<Vec<_>>(),
        "variants": listed.map_or(&[][..], |listed| &listed.variants),
    }))
}

#[derive(Serialize)]
struct VariantAnswer<'a> {
    game: &'a str,
    variant: &'a str,
    title: &'a str,
    name: String,
    rules: &'a str,
    notation: &'a str,
    state: Solved,
    solvable: bool,
    /// Whether the game is a puzzle for one player.
    puzzle: bool,
    start: String,
    board: BoardAnswer<'a>,
    database: Option<Json>,
}

#[derive(Serialize)]
struct BoardAnswer<'a> {
    width: f32,
    height: f32,
    cells: &'a [(f32, f32)],
    names: &'a [String],
    lines: &'a [[f32; 4]],
    labels: &'a [(f32, f32, String)],
    sides: Vec<Json>,
    twists: Vec<TwistAnswer>,
}

#[derive(Serialize)]
struct TwistAnswer {
    about: (f32, f32),
    reach: f32,
    left: bool,
}

impl<'a> BoardAnswer<'a> {
    fn new(board: &'a Board) -> Self {
        let man = |man: &Man| json!({ "letter": man.letter, "sign": man.sign, "name": man.name });
        let men = |side: &Side| side.men.iter().map(man).collect::<Vec<_>>();
        let side = |side: &Side| json!({ "name": side.name, "men": men(side) });
        let twist = |&Twist { about, reach, left }: &Twist| TwistAnswer { about, reach, left };
        BoardAnswer {
            width: board.width,
            height: board.height,
            cells: &board.cells,
            names: &board.names,
            lines: &board.lines,
            labels: &board.labels,
            sides: board.sides.iter().map(side).collect(),
            twists: board.twists.iter().map(twist).collect(),
        }
    }
}

/// `GET /games/{game}/{variant}`
pub(crate) async fn variant(State(app): Shared, Names((game, id)): Both) -> Answer {
    let variant = app.variant(&game, &id).await?;
    let (memory, may_solve) = (app.solve_memory(), app.settings.may_solve);
    let work = move || described(&variant, may_solve, memory);
    Ok(reply::fleeting(app.reading.run(work).await??))
}

fn described(variant: &Variant, may_solve: bool, memory: u64) -> Answer {
    let (card, board, state) = (variant.card(), &variant.board, variant.state());
    let database = match &variant.database {
        Some(database) => {
            let reader = database.reader();
            let etag = format!("{:016x}", reader.checksum());
            Some(json!({ "bytes": reader.bytes()?, "positions": reader.positions(), "etag": etag }))
        }
        None => None,
    };
    Ok(reply::json(&VariantAnswer {
        game: card.name,
        variant: &variant.id,
        title: card.title,
        name: variant.name(),
        rules: card.rules,
        notation: card.notation,
        state,
        solvable: may_solve && state != Solved::Solved && variant.small(memory).is_some(),
        puzzle: variant.game().unit == Unit::Goal,
        start: variant.game().oracle().text(variant.game().oracle().start()),
        board: BoardAnswer::new(board),
        database,
    }))
}

/// The URI of a request, and its headers, which name the answers that the client has already.
pub(crate) type Asked = (Uri, HeaderMap);

/// Returns the mark of an answer from a variant's finished database. If the client has that answer already, returns
/// the response that says so, too.
pub(crate) fn marked(variant: &Variant, (uri, headers): &Asked) -> (Option<Mark>, Option<Response>) {
    let mark = variant.checksum().and_then(|checksum| Mark::new(checksum, uri));
    let known = mark.clone().filter(|mark| mark.is_known(headers));
    (mark, known.map(|mark| mark.unchanged(HOUR)))
}

/// Lets the client keep an answer that comes from a finished database.
pub(crate) fn kept(mark: Option<Mark>, source: Source, response: Response) -> Response {
    match mark {
        Some(mark) if matches!(source, Source::Database | Source::Rules) => mark.put(response, HOUR),
        _ => reply::fleeting(response),
    }
}

/// `GET /games/{game}/{variant}/position`
pub(crate) async fn position(State(app): Shared, Names((game, id)): Both, asked: Asked) -> Answer {
    let variant = app.variant(&game, &id).await?;
    let (mark, unchanged) = marked(&variant, &asked);
    if let Some(unchanged) = unchanged {
        return Ok(unchanged);
    }
    let at = from(&variant, asked.0.query())?;
    let search = app.search();
    let (found, note) = tokio::join!(app.ask(&variant, at, search), app.note(&variant, at, search));
    let (found, note) = (found?, note?);
    // An answer whose note was not found in time is not kept by the client: the next one may have the note.
    let mark = mark.filter(|_| note.is_some());
    Ok(kept(mark, found.source, told(&variant, &found, note.flatten().as_deref())))
}

/// Returns the position asked for, or the start; where moves are given, the position after them.
fn from(variant: &Variant, asked: Option<&str>) -> Result<At> {
    let text = |key| Ok::<_, Refusal>(query::value(asked, key)?.filter(|text| !text.is_empty()));
    let at = variant.parse(text("p")?.as_deref())?;
    match text("m")? {
        Some(moves) => Ok(variant.game().oracle().follow(at, &moves)?),
        None => Ok(at),
    }
}

fn told(variant: &Variant, found: &Found, note: Option<&str>) -> Response {
    reply::json(&Position::new(found, note, &variant.board, variant.game().unit))
}

/// `GET /games/{game}/{variant}/line`
pub(crate) async fn line(State(app): Shared, Names((game, id)): Both, asked: Asked) -> Answer {
    let variant = app.variant(&game, &id).await?;
    let (mark, unchanged) = marked(&variant, &asked);
    if let Some(unchanged) = unchanged {
        return Ok(unchanged);
    }
    let at = from(&variant, asked.0.query())?;
    app.look_up(&variant, move |variant, until| {
        let response = perfect_play(variant, at, until)?;
        // A line that was cut short is not kept by the client: the next one may be longer.
        Ok(kept(mark.filter(|_| Instant::now() < until), Source::Database, response))
    })
    .await
}

/// Returns the best moves of both sides to the end of the game, or until a position repeats or the time is over.
fn perfect_play(variant: &Variant, at: At, until: Instant) -> Answer {
    let Line { position, moves, complete } = variant.answers.line(at, PLIES, Budget::NONE, Some(until))?;
    let line: Vec<_> = moves.iter().map(|m| Step::new(m, variant.game().unit)).collect();
    Ok(reply::json(&json!({ "position": position, "complete": complete, "line": line })))
}

/// `GET /games/{game}/{variant}/random`
pub(crate) async fn random(State(app): Shared, Names((game, id)): Both, RawQuery(asked): RawQuery) -> Answer {
    let variant = app.variant(&game, &id).await?;
    let wanted = wanted(asked.as_deref())?;
    let (drawn, until) = (variant.clone(), Instant::now() + DRAW);
    let draw = move |time| draw(&drawn, wanted, time);
    let at = app.looking(&variant, &app.drawing).run_until(until, draw).await??;
    // A client that asks for that position gets the whole search; this search has only the time that is left.
    let search = app.search().shortened(until);
    let found = app.ask(&variant, at, search).await?;
    let note = app.note(&variant, at, search).await?;
    Ok(reply::fleeting(told(&variant, &found, note.flatten().as_deref())))
}

/// Returns a random position, or a refusal when none was found in time.
fn draw(variant: &Variant, wanted: Wanted, time: Duration) -> Result<At> {
    if wanted.remoteness.is_some() && !variant.game().unit.counts_moves() {
        return Err(Refusal::bad(
            "remoteness: values of this game tell who wins, not how soon; leave it out",
        ));
    }
    let missing = || {
        let why = match variant.answers.has_values() {
            true => "there may be none, or very few",
            false => "there is no database",
        };
        Refusal::missing(format!("no position {wanted} was found: {why}; ask for another value"))
    };
    variant.answers.random(wanted, time)?.ok_or_else(missing)
}

fn wanted(asked: Option<&str>) -> Result<Wanted> {
    let value = match query::value(asked, "value")?.filter(|text| !text.is_empty()) {
        None => None,
        Some(text) => {
            let kind = Kind::ALL.into_iter().find(|kind| kind.word() == text);
            Some(kind.ok_or_else(|| Refusal::bad("value: want win, lose, tie or draw"))?)
        }
    };
    let remoteness = match query::value(asked, "remoteness")?.filter(|text| !text.is_empty()) {
        None => None,
        Some(text) => Some(text.parse().map_err(|_| Refusal::bad("remoteness: want a whole number"))?),
    };
    Ok(Wanted { value, remoteness })
}

#[derive(Deserialize)]
struct Batch {
    positions: Vec<String>,
}

/// `POST /games/{game}/{variant}/positions`
pub(crate) async fn positions(State(app): Shared, Names((game, id)): Both, body: Bytes) -> Answer {
    let variant = app.variant(&game, &id).await?;
    let work = move |variant: &Variant, until| {
        let Batch { positions } = serde_json::from_slice(&body).map_err(|error| {
            Refusal::bad(format!("the body is not {{\"positions\": [\"...\", ...]}}: {error}"))
        })?;
        let n = positions.len();
        if n > BATCH {
            return Err(Refusal::bad(format!("{n} positions are too many; ask for up to {BATCH} at once")));
        }
        Ok(valued(variant, &positions, until))
    };
    Ok(reply::fleeting(app.look_up(&variant, work).await?))
}

/// Returns positions with their values. An error of one position is reported in its row.
fn valued(variant: &Variant, positions: &[String], until: Instant) -> Response {
    let row = |position| match worth(variant, position, until) {
        Ok(worth) => InList::Known { position, worth },
        Err(refusal) => InList::Refused { position, error: refusal.text },
    };
    let rows: Vec<_> = positions.iter().map(|position| row(position)).collect();
    reply::json(&BTreeMap::from([("positions", rows)]))
}

/// Returns what a position of a list is worth.
fn worth(variant: &Variant, position: &str, until: Instant) -> Result<Worth, Refusal> {
    let at = variant.parse(Some(position))?;
    if Instant::now() >= until {
        return Err(Refusal::busy("there was no time left for this position; ask for fewer at once"));
    }
    let (value, extra) = (variant.answers.value(at)?, variant.answers.extra(at)?);
    Ok(Worth::of(value, variant.game().unit, extra))
}

/// `GET /games/{game}/{variant}/statistics`
pub(crate) async fn statistics(State(app): Shared, Names((game, id)): Both, asked: Asked) -> Answer {
    let variant = app.variant(&game, &id).await?;
    let (mark, unchanged) = marked(&variant, &asked);
    if let Some(unchanged) = unchanged {
        return Ok(unchanged);
    }
    match app.counts(&variant)? {
        Some(json) => Ok(kept(mark, Source::Database, reply::json_bytes(json))),
        None => {
            let mut response = reply::fleeting(reply::json_bytes(r#"{"state":"counting"}"#));
            *response.status_mut() = StatusCode::ACCEPTED;
            Ok(response)
        }
    }
}

/// `GET /games/{game}/{variant}/solve`
pub(crate) async fn solving(State(app): Shared, Names((game, id)): Both) -> Answer {
    let variant = app.variant(&game, &id).await?;
    Ok(reply::fleeting(reply::json(&app.solving(&variant))))
}

/// `POST /games/{game}/{variant}/solve`
pub(crate) async fn solve(State(app): Shared, Names((game, id)): Both, headers: HeaderMap) -> Answer {
    // Pages of other sites may read everything here, but may not make this machine work.
    if !is_own_page(&headers) {
        let text = "a page of another site may not start a solve; use the page of this server";
        return Err(Refusal::new(StatusCode::FORBIDDEN, text));
    }
    let variant = app.variant(&game, &id).await?;
    let shared = app.clone();
    let solving = app.reading.run(move || shared.start_solve(variant)).await??;
    let mut response = reply::fleeting(reply::json(&solving));
    if solving.state == Stage::Solving {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

impl App {
    /// Passes the list of all games and their variants to `tell`. There may be thousands of variants, so `tell` runs
    /// on another thread.
    pub(crate) async fn list<T: Send + 'static>(
        self: &Arc<Self>,
        tell: impl FnOnce(&[Listed]) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let app = self.clone();
        self.opening.run(move || app.library.list().and_then(|list| tell(&list))).await?
    }
}
