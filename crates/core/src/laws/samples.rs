//! Checks the sample in each complaint: a refused position teaches how positions are written, so the sample must
//! itself be read.

use super::{Law, hold};
use crate::Face;

/// Types texts that are no positions, or hardly any, and reads the sample of each complaint.
pub(super) fn check<G: Face>(game: &G) -> Law<G::Position> {
    let sample = game.sample();
    let cut = sample.char_indices().last().map_or("", |(at, _)| &sample[..at]);
    let longer = format!("{sample}-");
    for typed in ["", "xx", "xx_0", "1_", "1_x", "1_?", "2_", "3_-", cut, longer.as_str()] {
        let Err(complaint) = game.read(typed) else { continue };
        let told = complaint.to_string();
        let Some((_, sample)) = told.rsplit_once("as in ") else { continue };
        hold(game.read(sample).is_ok(), "the sample in a complaint is a position", game.start(), || {
            format!("{typed:?} gives {told}")
        })?;
    }
    Ok(())
}
