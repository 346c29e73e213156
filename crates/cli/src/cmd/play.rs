//! `zermelo play`: a game in the terminal.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use zermelo::Catalogue;

use crate::tui::{Player, Setup, play};

use crate::args::{Play, Who};

/// Plays until the person quits.
pub(crate) fn run(catalogue: Catalogue, args: &Play) -> anyhow::Result<ExitCode> {
    let (answers, _) = super::answers(catalogue, &args.which, &args.published, &args.place)?;
    let position = args.from.as_ref().map(|text| answers.game.oracle().parse(text)).transpose()?;
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
    play(&answers, setup)?;
    Ok(ExitCode::SUCCESS)
}
