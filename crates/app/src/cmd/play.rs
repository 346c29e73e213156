//! `zermelo play`: the terminal UI.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::tui::{Player, Setup, play};
use zermelo_core::Tables;

use crate::args::{Play, Who};

/// Plays until the person has enough.
pub(crate) fn run(args: &Play) -> anyhow::Result<ExitCode> {
    let (game, database) = super::open_with_tables(&args.which, &args.place)?;
    let position = match &args.from {
        Some(text) => Some(game.follow(text, "")?),
        None => None,
    };
    let player = |who| match who {
        Who::Human => Player::Human,
        Who::Computer => Player::Computer { strength: args.strength },
    };
    let setup = Setup {
        position,
        players: [player(args.first), player(args.second)],
        hints: !args.no_hints,
        seed: SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |t| t.as_nanos() as u64),
    };
    let tables: &dyn Tables = database.as_ref().map_or(&() as &dyn Tables, |d| d);
    let parts = super::open_parts(&*game, database.as_ref(), &args.place);
    let slices = super::open_slices(&*game, &args.published, &args.place)?;
    play(&*game, tables, &parts, slices.as_ref(), setup)?;
    Ok(ExitCode::SUCCESS)
}
