//! The laws for games with their types erased: the broken law names its position as text.

use std::collections::HashSet;

use zermelo_core::{
    Complaint, Engine, Face, Options, Tiers, Turn,
    laws::{self, Bounds, Broken, Walked},
};

/// What a check saw, or the law that is broken.
pub type Verdict = Result<Walked, Broken<String>>;

/// Tiers that are looked at for the laws of engines.
const TIERS: usize = 10_000;

const NOTHING: Walked =
    Walked { positions: 0, canonical: 0, tiers: 0, numbers: 0, numbered: true, cut: false };

/// The laws for all games.
pub(crate) fn game<G: Tiers + Face>(options: &str, bounds: &Bounds<'_>) -> Result<Verdict, Complaint> {
    let game = G::new(&Options::read(&G::CARD, options)?)?;
    let walked = laws::check_within(&game, bounds).map_err(|broken| named(&game, broken));
    let face = || laws::check_face_within(&game, bounds).map_err(|broken| named(&game, broken));
    Ok(walked.and_then(|walked| face().map(|()| walked)))
}

/// The laws that an engine needs, on tiers that are small enough; they are laws of numbers.
pub(crate) fn engine<G: Tiers + Face, E: Engine<G>>(
    options: &str,
    bounds: &Bounds<'_>,
) -> Result<Verdict, Complaint> {
    let game = G::new(&Options::read(&G::CARD, options)?)?;
    if !E::LAWS || !game.countable() || !E::takes(&game) || game.index_bytes() > bounds.memory {
        return none(options, bounds);
    }
    let (mut seen, mut stack, mut walked) = (HashSet::new(), game.roots(), NOTHING);
    while let Some(tier) = stack.pop() {
        if seen.len() >= TIERS || (bounds.stop)(1.0) {
            break;
        }
        if !seen.insert(tier) {
            continue;
        }
        let size = game.size(tier);
        if size <= (bounds.positions as u64).min(bounds.numbers.saturating_sub(walked.numbers)) {
            if let Err(broken) = E::check(&game, tier) {
                return Ok(Err(named(&game, broken)));
            }
            walked.numbers += size;
        }
        stack.extend(game.children(tier));
    }
    Ok(Ok(walked))
}

/// No laws of its own.
pub(crate) fn none(_: &str, _: &Bounds<'_>) -> Result<Verdict, Complaint> {
    Ok(Ok(NOTHING))
}

/// The position as people write it and as the game keeps it.
fn named<G: Face>(game: &G, broken: Broken<G::Position>) -> Broken<String> {
    let p = broken.position;
    let position = format!("{} ({p:?})", game.show(Turn::First, p));
    Broken { law: broken.law, position, found: broken.found }
}
