//! The routes under `/universal/v1`: the API that GamesmanUni, the web client of GamesCrafters, calls.
//!
//! The client is strict: a missing list, a repeated name or a picture that it does not have leaves it with an empty
//! board. The names of the tests say what the client needs.

mod gui;
mod halves;
mod names;
mod position;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use serde_json::json;

use super::api::{Answer, Asked, Shared, kept, marked};
use super::games::{Listed, ListedVariant};
use super::names::{Both, Names};
use super::refusal::Refusal;
use super::variant::{State as Solved, Variant};
use super::{query, reply};
use gui::{Gui, Look};
use names::{plain, short};
use position::PositionAnswer;
use zermelo::{Found, Source};
use zermelo_core::Card;

fn solved(game: &Listed) -> impl Iterator<Item = &ListedVariant> {
    game.variants.iter().filter(|variant| variant.state == Solved::Solved || variant.answers)
}

/// `GET /`: the games that have a variant that is solved or answered without a database.
pub(crate) async fn games(State(app): Shared) -> Answer {
    let library = app.library.clone();
    let row = move |Listed { card, .. }: &Listed| {
        let kind = if library.is_puzzle(card) { "onePlayer" } else { "twoPlayer" };
        json!({ "id": card.name, "name": card.title, "type": kind, "gui": Look::of(card.name).tier() })
    };
    app.list(move |list| {
        let rows: Vec<_> = list.iter().filter(|game| solved(game).next().is_some()).map(row).collect();
        Ok(reply::fleeting(reply::json(&rows)))
    })
    .await
}

/// `GET /{game}/`
pub(crate) async fn game(State(app): Shared, Names(game): Names<String>) -> Answer {
    let card = app.library.card(&game)?;
    app.list(move |list| Ok(reply::fleeting(about(card, list)))).await
}

/// A game with its variants.
fn about(card: &Card, list: &[Listed]) -> Response {
    let gui = Look::of(card.name).tier();
    let row = |v: &ListedVariant| json!({ "id": short(&v.id), "name": v.name, "gui": gui });
    let listed = list.iter().find(|listed| listed.card.name == card.name);
    let variants = || listed.into_iter().flat_map(solved);
    reply::json(&json!({
        "id": card.name,
        "name": card.title,
        "variants": variants().map(row).collect::<Vec<_>>(),
        "allowCustomVariantCreation": false,
        "supportsWinBy": variants().any(|variant| variant.margins),
    }))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VariantAnswer<'a> {
    id: &'a str,
    name: String,
    gui: &'static str,
    start_position: &'a str,
    autogui_start_position: String,
    #[serde(rename = "imageAutoGUIData")]
    image_autogui_data: Gui,
}

/// `GET /{game}/{variant}/`
pub(crate) async fn variant(State(app): Shared, Names((game, id)): Both) -> Answer {
    let variant = app.variant(&game, &plain(app.library.card(&game)?, &id)).await?;
    let asked = variant.clone();
    let look = move || asked.game().oracle().moves(asked.game().oracle().start());
    let start = app.reading.run(look).await??;
    let look = Look::of(variant.card().name);
    Ok(reply::fleeting(reply::json(&VariantAnswer {
        id: &short(&variant.id),
        name: variant.name(),
        gui: look.tier(),
        start_position: &start.position,
        autogui_start_position: look.board(start.at.turn, &start.pieces),
        image_autogui_data: Gui::new(look, &variant.board),
    })))
}

/// `GET /{game}/{variant}/positions/`
pub(crate) async fn position(State(app): Shared, Names((game, id)): Both, asked: Asked) -> Answer {
    let variant = app.variant(&game, &plain(app.library.card(&game)?, &id)).await?;
    let (mark, unchanged) = marked(&variant, &asked);
    if let Some(unchanged) = unchanged {
        return Ok(unchanged);
    }
    let asked = query::value(asked.0.query(), "p")?.filter(|position| !position.is_empty());
    let asked = asked.ok_or_else(|| Refusal::bad("say which position, as in ?p=1_---------"))?;
    let (before, put) = halves::split(&variant.board, &asked);
    let found = app.ask(&variant, variant.parse(Some(before))?, app.search()).await?;
    let source = found.source;
    let response = if position::takes_long(&found.report) {
        app.reading.run(move || told(&variant, &found, put)).await??
    } else {
        told(&variant, &found, put)?
    };
    Ok(kept(mark, source, response))
}

fn told(variant: &Variant, found: &Found, put: Option<usize>) -> Answer {
    Ok(reply::json(&PositionAnswer::new(variant, found, put)?))
}

/// `GET /{game}/{variant}/instructions/`: there is one language, whatever the locale.
pub(crate) async fn instructions(State(app): Shared, Names((game, id)): Both, asked: Asked) -> Answer {
    let variant = app.variant(&game, &plain(app.library.card(&game)?, &id)).await?;
    let (mark, unchanged) = marked(&variant, &asked);
    if let Some(unchanged) = unchanged {
        return Ok(unchanged);
    }
    let response = reply::json(&json!({ "instructions": markdown(&variant) }));
    Ok(kept(mark, Source::Rules, response))
}

fn markdown(variant: &Variant) -> String {
    let card = variant.card();
    let name = variant.name();
    format!(
        "# {}\n\n{}.\n\n## This variant\n\n{name}\n\n## Rules\n\n{}\n\n## Notation\n\n{}\n",
        card.title, card.summary, card.rules, card.notation
    )
}
