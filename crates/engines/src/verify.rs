//! A second look at what is stored, and at how much there is to look at: for a game and an objective, whatever the
//! engine.

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;

use zermelo_core::{Checked, Code, Face, Flow, Looked, Objective, Solved, Tier, Tiers, Turn};

use crate::below::Below;
use crate::{CHUNK, Codes, parallel};

/// Derives every code of a tier from those of its children.
pub(crate) fn tier<G: Tiers + Face, O: Objective<G>>(
    game: &G,
    tier: Tier,
    index: &G::Index,
    codes: &Codes<G, O>,
    below: &Below<'_, G, O>,
) -> Checked {
    let work = |range: Range<u64>| {
        let mut checked = Checked::default();
        game.scan(index, range, |i, p| {
            checked.checked += 1;
            let found = codes.get(i);
            // What a look at the rules tells was never stored: loading derived it.
            if O::derivable(found) {
                return;
            }
            let want = finished::<G, O>(game, p).or_else(|| {
                let mut fold = O::EMPTY;
                game.moves(p, |m| {
                    let child = game.play(p, m);
                    let code = match game.tier(child) {
                        t if t == tier => codes.get(game.rank(index, child)),
                        t => below.code(t, child),
                    };
                    // A child without a value is blamed in its own tier.
                    if code != Code::UNKNOWN {
                        fold = O::fold(fold, O::opposed(game, m, child, code));
                    }
                });
                O::parent(fold)
            });
            if want != Some(found) {
                checked.blame(wrong::<G, O>(game, p, found, want));
            }
        });
        checked
    };
    parallel::merged(codes.entries(), CHUNK, &work, Checked::default, Checked::merge)
}

/// The code of a position that is over.
pub(crate) fn finished<G: Tiers, O: Objective<G>>(game: &G, p: G::Position) -> Option<Code> {
    Some(O::finished(game, p, game.outcome(p)?))
}

/// What is wrong with a stored code.
pub(crate) fn wrong<G: Face, O: Objective<G>>(
    game: &G,
    p: G::Position,
    found: Code,
    want: Option<Code>,
) -> String {
    let want = want.map_or("no value".into(), O::text);
    format!("{}: stored {}, its moves give {want}", game.show(Turn::First, p), O::text(found))
}

/// Looks at the moves of a range of numbers, as engines do, and counts them.
pub(crate) fn look<G: Tiers>(
    game: &G,
    tier: Tier,
    range: Range<u64>,
    index_of: &dyn Fn(Tier) -> Arc<G::Index>,
) -> Looked {
    let index = index_of(tier);
    let mut looked = Looked { one_by_one: game.flow(tier) == Flow::Rises, ..Looked::default() };
    // Most positions lead into few tiers; a list of them is faster than asking for each.
    let mut below = vec![(tier, index.clone())];
    game.scan(&index, range, |_, p| {
        looked.positions += 1;
        if game.outcome(p).is_some() {
            return;
        }
        game.moves(p, |m| {
            let child = game.play(p, m);
            let to = game.tier(child);
            let at = below.iter().position(|(tier, _)| *tier == to).unwrap_or_else(|| {
                below.push((to, index_of(to)));
                below.len() - 1
            });
            black_box(game.rank(&below[at].1, child));
            looked.moves += 1;
        });
    });
    looked
}
