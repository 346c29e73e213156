//! Solved variants as databases would keep them, and their counts beside those of a walk.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use zermelo_core::{
    Game, Keep, Opened, Packed, Position, Reached, Reason, Solved, Tables, Tier, Turn, Value, Width, laws,
};

use crate::run::{PLENTY, bytes_kept, order, solve};

/// The bytes of every tier, as a database would keep them.
pub(crate) struct Bytes(pub(crate) HashMap<Tier, Vec<u8>>);

impl Bytes {
    pub(crate) fn of(game: &Opened) -> Bytes {
        let solved = solve(game, PLENTY);
        let bytes = |solved: &dyn Solved| {
            let mut bytes = vec![];
            solved.write(0..solved.entries(), &mut bytes);
            // Any range must give the same bytes as the whole.
            let (mid, mut again) = (solved.entries() / 3, vec![]);
            solved.write(0..mid, &mut again);
            solved.write(mid..solved.entries(), &mut again);
            assert_eq!(bytes, again);
            bytes
        };
        Bytes(solved.iter().map(|(tier, solved)| (*tier, bytes(&**solved))).collect())
    }
}

impl Tables for Bytes {
    fn has(&self, tier: Tier) -> bool {
        self.0.contains_key(&tier)
    }

    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
        Ok(self.0.get(&tier).map(|bytes| (bytes[rank as usize].into(), Width::One)))
    }
}

/// Counts by value, walked move by move from the start.
pub(crate) fn walked<G: Game>(game: &G) -> BTreeMap<(u16, &'static str, u16), u64> {
    let values = zermelo_testing::oracle(game, &[game.start()]);
    let (mut seen, mut counts) = (HashSet::from([game.start()]), BTreeMap::new());
    let mut todo = vec![(0u16, game.start())];
    while let Some((ply, p)) = todo.pop() {
        let value: Value = values[&p];
        *counts.entry((ply, value.word(), value.remoteness().unwrap_or(0))).or_default() += 1;
        for (_, child) in laws::list_moves(game, p) {
            if seen.insert(child) {
                todo.push((ply + 1, child));
            }
        }
    }
    counts
}

/// The engine's counts.
pub(crate) fn counted(game: &Opened) -> BTreeMap<(u16, &'static str, u16), u64> {
    let solved = solve(game, PLENTY);
    let mut marks: HashMap<Tier, Arc<dyn Reached>> = HashMap::new();
    let mut counts = BTreeMap::new();
    for tier in order(game).into_iter().rev() {
        let above: Vec<_> = marks.iter().map(|(tier, marks)| (*tier, marks.clone())).collect();
        let here = game.reach().empty(tier, tier == game.tiers().root());
        game.reach().discover(tier, &*here, &above, &[], &());
        // Through bytes and back, as when memory is short.
        let keep = if tier.0.is_multiple_of(2) { Keep::Packed } else { Keep::AsTheyAre };
        let spilled = bytes_kept(here.spill(), keep);
        let here = game.reach().restore(tier, &mut &spilled[..]).expect("the same board");
        marks.insert(tier, here.clone());
        for count in game.tally(tier, &*here, &*solved[&tier]).expect("counts") {
            let key = (count.ply.unwrap_or(0), count.value.word(), count.value.remoteness().unwrap_or(0));
            *counts.entry(key).or_default() += count.positions;
        }
    }
    counts
}

/// The value of a position, whoever is to move there.
pub(crate) fn value_at<P: Packed>(game: &Opened, p: P, tables: &dyn Tables) -> Option<Value> {
    game.oracle().value(Position { turn: Turn::First, packed: p.pack() }, tables).expect("tables")
}
