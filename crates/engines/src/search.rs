//! The value of one position without any table: iterative deepening.
//!
//! With d moves to look ahead a position's value is known when it has a win within d,
//! or when the values of all its moves are known. Looking one move further each time,
//! the first value found is the true one, remoteness included. A draw by endless play
//! is never found; time runs out instead.

use std::collections::HashMap;
use std::time::Instant;

use zermelo_core::{Game, Limits, Value};

/// Deeper than any game that a search could finish.
const DEEPEST: u16 = 400;

/// The value of a position by a search of all lines of play; `None` when the limits are reached first.
pub fn search<G: Game>(game: &G, p: G::Position, limits: Limits) -> Option<Value> {
    let entry = size_of::<(G::Position, Known)>() as u64 * 2;
    let mut search = Search {
        game,
        known: HashMap::new(),
        room: (limits.memory / entry) as usize,
        until: Instant::now().checked_add(limits.time),
        visits: 0,
        late: false,
    };
    (0..=DEEPEST).map_while(|depth| (!search.late).then(|| search.value(p, depth))).flatten().next()
}

/// The value, or how far it was looked for in vain.
enum Known {
    Value(Value),
    NotWithin(u16),
}

struct Search<'a, G: Game> {
    game: &'a G,
    known: HashMap<G::Position, Known>,
    room: usize,
    /// None when that is beyond all time.
    until: Option<Instant>,
    visits: u64,
    late: bool,
}

impl<G: Game> Search<'_, G> {
    fn value(&mut self, p: G::Position, depth: u16) -> Option<Value> {
        if let Some(outcome) = self.game.outcome(p) {
            return Some(outcome.value());
        }
        if depth == 0 || self.is_late() {
            return None;
        }
        match self.known.get(&p) {
            Some(Known::Value(value)) => return Some(*value),
            Some(Known::NotWithin(d)) if *d >= depth => return None,
            _ => {}
        }
        let value = self.by_moves(p, depth);
        // A child cut short by the clock may have hidden a better move.
        if self.late {
            return None;
        }
        if self.known.len() < self.room || self.known.contains_key(&p) {
            self.known.insert(p, value.map_or(Known::NotWithin(depth), Known::Value));
        }
        value
    }

    fn by_moves(&mut self, p: G::Position, depth: u16) -> Option<Value> {
        let (mut best, mut all) = (None, true);
        self.game.moves(p, |m| {
            if best == Some(Value::Win(1)) {
                return;
            }
            let child = self.game.play(p, m);
            let again = G::AGAIN && self.game.again(m, child);
            match self.value(child, depth - 1) {
                Some(value) if again => best = better(best, value.other().for_mover()),
                Some(value) => best = better(best, value.for_mover()),
                None => all = false,
            }
        });
        // A move not yet understood could only win later than `depth`.
        best.filter(|value| all || matches!(value, Value::Win(r) if *r <= depth))
    }

    fn is_late(&mut self) -> bool {
        self.visits += 1;
        if self.visits.is_multiple_of(1024) {
            self.late |= self.until.is_some_and(|until| Instant::now() >= until);
        }
        self.late
    }
}

fn better(so_far: Option<Value>, value: Value) -> Option<Value> {
    so_far.into_iter().chain([value]).min_by_key(|v| v.preference())
}
