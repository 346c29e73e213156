//! The laws of games and of engines; a broken one names its position as text.

use std::collections::HashSet;

use zermelo_core::{
    Complaint, Face, Options, TierGraph, Tiers, Turn,
    laws::{self, Bounds, Broken, Walked},
};
use zermelo_engines::{Layout, Opens};

/// The result of checking a variant: the counts of what the check saw, or the law that the game breaks.
pub type Verdict = Result<Walked, Broken<String>>;

/// Checks a variant, as far as bounds go.
pub(crate) type Laws = fn(&str, &Bounds<'_>) -> Result<Verdict, Complaint>;

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
pub(crate) fn engine<E: Opens>(options: &str, bounds: &Bounds<'_>) -> Result<Verdict, Complaint> {
    let Some(laws) = E::LAWS else { return Ok(Ok(NOTHING)) };
    let card = &const { <<E::Layout as Layout>::Game as Face>::CARD };
    let game = <<E::Layout as Layout>::Game as Face>::new(&Options::read(card, options)?)?;
    let Some(tiers) = E::Layout::new(game, None) else { return Ok(Ok(NOTHING)) };
    if tiers.index_bytes() > bounds.memory {
        return Ok(Ok(NOTHING));
    }
    let (mut seen, mut stack, mut walked) = (HashSet::new(), tiers.roots(), NOTHING);
    while let Some(tier) = stack.pop() {
        if seen.len() >= TIERS || (bounds.stop)(1.0) {
            break;
        }
        if !seen.insert(tier) {
            continue;
        }
        let size = tiers.size(tier);
        if size <= (bounds.positions as u64).min(bounds.numbers.saturating_sub(walked.numbers)) {
            if let Err(broken) = laws(tiers.game(), tier) {
                return Ok(Err(named(tiers.game(), broken)));
            }
            walked.numbers += size;
        }
        stack.extend(tiers.children(tier));
    }
    Ok(Ok(walked))
}

/// The position as people write it and as the game keeps it.
fn named<G: Face>(game: &G, broken: Broken<G::Position>) -> Broken<String> {
    let p = broken.position;
    let position = format!("{} ({p:?})", game.show(Turn::First, p));
    Broken { law: broken.law, position, found: broken.found }
}
