//! Values by looking at all lines of play: for positions with few empty cells, where that is
//! quicker than a database, and for single positions without one.

use std::collections::HashMap;
use std::time::Instant;

use zermelo_core::rank::members;
use zermelo_core::{Code, Colours, Growing, Limits, Objective, Packed, Settled};

/// The code of a position in which somebody can move.
pub(super) fn exhaust<G: Growing, O: Objective<G>>(game: &G, [own, other]: Colours) -> Option<Code> {
    let mut fold = O::EMPTY;
    for cell in members(game.fillable(own | other)) {
        if let Some(next) = game.fill([own, other], game.spot(cell as u32)) {
            fold = O::fold(fold, opposed::<G, O>(game, next, |next| exhaust::<G, O>(game, next))?);
        }
    }
    O::parent(fold)
}

/// The code of a board that a move has led to, as the other player sees it.
fn opposed<G: Growing, O: Objective<G>>(
    game: &G,
    colours: Colours,
    code: impl FnOnce(Colours) -> Option<Code>,
) -> Option<Code> {
    match game.settle(colours) {
        Settled::Open(next) => code(next),
        Settled::Passed(next) => code(next).map(O::other),
        Settled::Over(seen) => {
            let p = G::Position::unpack(seen);
            let code = O::finished(game, p, game.outcome(p)?);
            Some(if seen == colours { code } else { O::other(code) })
        }
    }
}

/// The code of one position, with the codes of all positions on the way kept in memory; `None` when the limits are
/// reached first.
pub(super) fn search<G: Growing, O: Objective<G>>(
    game: &G,
    position: Colours,
    limits: Limits,
) -> Option<Code> {
    let entry = 2 * size_of::<(Colours, Code)>() as u64;
    let until = Instant::now().checked_add(limits.time);
    let room = (limits.memory / entry) as usize;
    Search { game, known: HashMap::new(), room, until, visits: 0 }.code::<O>(position)
}

struct Search<'a, G> {
    game: &'a G,
    known: HashMap<Colours, Code>,
    room: usize,
    until: Option<Instant>,
    visits: u64,
}

impl<G: Growing> Search<'_, G> {
    fn code<O: Objective<G>>(&mut self, [own, other]: Colours) -> Option<Code> {
        let game = self.game;
        let moves = game.fillable(own | other);
        // Near the end a look-up costs more than it saves.
        if game.cells() - (own | other).count_ones() <= 4 {
            return exhaust::<G, O>(game, [own, other]);
        }
        if let Some(code) = self.known.get(&[own, other]) {
            return Some(*code);
        }
        self.visits += 1;
        if self.visits.is_multiple_of(64) && self.until.is_some_and(|until| Instant::now() >= until) {
            return None;
        }
        let mut fold = O::EMPTY;
        for cell in members(moves) {
            if let Some(next) = game.fill([own, other], game.spot(cell as u32)) {
                fold = O::fold(fold, opposed::<G, O>(game, next, |next| self.code::<O>(next))?);
            }
        }
        let code = O::parent(fold)?;
        if self.known.len() < self.room {
            self.known.insert([own, other], code);
        }
        Some(code)
    }
}
