//! `zermelo play`: a game in the terminal, or by lines from a pipe.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use zermelo::Catalogue;

use super::transcript::Transcript;
use crate::args::{Play, Who};
use crate::tui::{Player, Setup, play};

/// Plays until the person quits, or until the moves on standard input end.
pub(crate) fn run(catalogue: Catalogue, args: &Play) -> anyhow::Result<ExitCode> {
    let (answers, _) = super::answers(catalogue, &args.which, &args.published, &args.place)?;
    let position = args.from.as_ref().map(|text| answers.game.oracle().parse(text)).transpose()?;
    let player = |who| match who {
        Who::Human => Player::Human,
        Who::Computer => Player::Computer { strength: args.strength },
    };
    let (players, hints) = ([player(args.first), player(args.second)], !args.no_hints);
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |t| t.as_nanos() as u64);
    if !std::io::stdin().is_terminal() {
        let game = Transcript::new(&answers, position, players, hints, seed)?;
        return game.run(std::io::stdin().lock(), &mut std::io::stdout().lock());
    }
    play(&answers, Setup { position, players, hints, seed })?;
    Ok(ExitCode::SUCCESS)
}
