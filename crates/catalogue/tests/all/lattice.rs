//! The lattice engine against the sweep and the oracle: every value of every position, with
//! every instruction set, with mirror images folded and not; counts against a walk.

use std::collections::HashMap;

use proptest::prelude::*;
use zermelo_core::{Game, Opened, Placing, Tiers, Value, laws};
use zermelo_engines::{Isa, Lattice, LatticeTiers, opened};
use zermelo_games::{Connect4, Mnk};

use crate::games::{agreed, make, value};
use crate::run::order;
use crate::tables::{Bytes, counted, value_at, walked};

fn isas() -> impl Iterator<Item = Isa> {
    [Isa::Portable, Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.is_here())
}

/// The engine for a variant, with its mirror images folded or not.
fn lattice<G: Placing>(options: &str, mirror: bool, isa: Isa) -> Opened {
    let game: G = make(options);
    let mut layout = game.layout().expect("a board for the engine");
    layout.mirror &= mirror;
    let tiers = LatticeTiers::of(game, layout, isa).expect("within the engine's reach");
    opened::<Lattice<G>>(tiers, options.into()).expect("an engine for any such board")
}

/// The plainest solver: down to the end of the game and back, with a stack and a table.
fn by_stack<G: Game>(game: &G) -> HashMap<G::Position, Value> {
    let (mut values, mut stack) = (HashMap::new(), vec![game.start()]);
    while let Some(p) = stack.last().copied() {
        let children = laws::list_moves(game, p);
        let before = stack.len();
        stack.extend(children.iter().map(|(_, child)| *child).filter(|child| !values.contains_key(child)));
        if stack.len() == before {
            let best = children
                .iter()
                .map(|(_, child)| Value::for_mover(values[child]))
                .min_by_key(|v| v.preference());
            values.insert(p, best.or(game.outcome(p).map(|o| o.value())).expect("over, or some move"));
            stack.pop();
        }
    }
    values
}

/// Every number of the sweep's tiers, reachable or not, has the same value here and there; so
/// has every position that the plainest solver meets; and every instruction set writes the same
/// bytes.
pub(crate) fn as_sweep<G: Placing + Tiers>(options: &str) {
    let (game, done) = agreed::<G>(options);
    let (stack, mut indexes) = (by_stack(&game), HashMap::new());
    for mirror in [true, false] {
        let all: Vec<_> = isas().map(|isa| Bytes::of(&lattice::<G>(options, mirror, isa))).collect();
        assert!(all.iter().all(|bytes| bytes.0 == all[0].0), "{options}: instruction sets differ");
        let lattice = lattice::<G>(options, mirror, Isa::best());
        for tier in done.keys() {
            game.scan(&game.index(*tier), 0..game.size(*tier), |_, p| {
                let found = value_at(&lattice, p, &all[0]);
                let want = value(&game, &done, &mut indexes, p);
                assert_eq!(found, want, "{options}, mirror {mirror}: {p:?}");
            });
        }
        for (p, want) in &stack {
            let found = value_at(&lattice, *p, &all[0]);
            assert_eq!(found, Some(*want), "{options}, mirror {mirror}: {p:?}");
        }
    }
}

#[test]
fn connect4_is_as_the_sweep_has_it() {
    let small = (1..=5).flat_map(|rows| (1..=4).map(move |cols| (rows, cols)));
    let others = [(1, 5), (1, 8), (2, 5), (3, 5), (7, 2), (9, 1)];
    for (rows, cols) in small.filter(|board| *board != (5, 4)).chain(others) {
        for connect in [3, 4] {
            as_sweep::<Connect4>(&format!("rows={rows},cols={cols},connect={connect}"));
        }
    }
    as_sweep::<Connect4>("rows=3,cols=5,connect=5");
}

#[test]
fn connect4_5x4_is_as_the_sweep_has_it() {
    as_sweep::<Connect4>("rows=5,cols=4,connect=3");
}

#[test]
fn connect4_5x4_with_four_in_a_row_is_as_the_sweep_has_it() {
    as_sweep::<Connect4>("rows=5,cols=4,connect=4");
}

/// A database of few stones answers as a whole one does: numbers and positions go both ways, and what is left out is
/// searched.
#[test]
fn a_database_of_few_stones_is_as_the_sweep_has_it() {
    for (options, stones) in [
        ("rows=4,cols=4", 0),
        ("rows=4,cols=4", 6),
        ("rows=4,cols=4,connect=3", 9),
        ("rows=3,cols=5,connect=3", 8),
        ("rows=4,cols=4", 16),
    ] {
        let (game, done) = agreed::<Connect4>(options);
        let mut indexes = HashMap::new();
        for mirror in [true, false] {
            let mut layout = game.layout().expect("a board for the engine");
            layout.mirror &= mirror;
            let tiers = LatticeTiers::storing(make(options), layout, Isa::best(), stones).expect("a board");
            let few =
                opened::<Lattice<Connect4>>(tiers, options.into()).expect("an engine for any such board");
            let bytes = Bytes::of(&few);
            for tier in done.keys() {
                game.scan(&game.index(*tier), 0..game.size(*tier), |_, p| {
                    let found = value_at(&few, p, &bytes);
                    let want = value(&game, &done, &mut indexes, p);
                    assert_eq!(found, want, "{options}, {stones} stones, mirror {mirror}: {p:?}");
                });
            }
            // Every number is a position with few enough stones, and verifies.
            let mut kept = 0;
            for (tier, table) in &bytes.0 {
                for rank in 0..few.tiers().size(*tier) {
                    assert!((rank as usize) < table.len());
                    let checked = few.audit().verify_one(*tier, rank, &bytes).expect("tables");
                    assert_eq!(checked.wrong, 0, "{options}, {stones} stones: number {rank} of tier {tier}");
                    kept += checked.checked;
                }
            }
            let whole = lattice::<Connect4>(options, mirror, Isa::best());
            let all: u64 = bytes.0.keys().map(|tier| whole.tiers().size(*tier)).sum();
            assert_eq!(kept < all, stones < 16, "{options}: {kept} of {all} kept with {stones} stones");
        }
    }
}

#[test]
fn mnk_is_as_the_sweep_has_it() {
    for options in
        ["", "rows=2,cols=4,line=3", "rows=2,cols=4,line=2", "rows=1,cols=6,line=2", "rows=4,cols=3,line=3"]
    {
        as_sweep::<Mnk>(options);
    }
}

#[test]
fn counts_are_those_of_a_walk() {
    for options in ["rows=3,cols=3,connect=3", "rows=4,cols=4", "rows=2,cols=5,connect=3", "rows=6,cols=2"] {
        for isa in isas() {
            assert_eq!(counted(&lattice::<Connect4>(options, true, isa)), walked(&make::<Connect4>(options)));
        }
    }
    assert_eq!(counted(&lattice::<Mnk>("", true, Isa::best())), walked(&make::<Mnk>("")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Numbers and positions of the database are two sides of one thing.
    #[test]
    fn verified_numbers_are_positions(rows in 1u32..4, cols in 1u32..5, seed: u64) {
        let lattice = lattice::<Connect4>(&format!("rows={rows},cols={cols},connect=3"), true, Isa::best());
        let bytes = Bytes::of(&lattice);
        let tiers: Vec<_> = order(&lattice);
        let tier = tiers[(seed % tiers.len() as u64) as usize];
        for number in 0..lattice.tiers().size(tier) {
            let checked = lattice.audit().verify_one(tier, number, &bytes).expect("tables");
            prop_assert_eq!(checked.wrong, 0, "{:?}", checked.examples);
        }
    }
}

#[test]
fn a_wrong_byte_is_found() {
    let lattice = lattice::<Connect4>("rows=4,cols=4", true, Isa::best());
    let mut bytes = Bytes::of(&lattice);
    let tiers = order(&lattice);
    let mut tried = 0;
    for tier in tiers.iter().step_by(3) {
        let stored: Vec<_> = (0..bytes.0[tier].len()).filter(|i| bytes.0[tier][*i] != u8::MAX).collect();
        for i in stored.into_iter().step_by(97) {
            let good = bytes.0[tier][i];
            for wrong in (0..20).chain([200, 254, 255]).filter(|wrong| *wrong != good) {
                bytes.0.get_mut(tier).expect("a tier")[i] = wrong;
                let checked = lattice.audit().verify_one(*tier, i as u64, &bytes).expect("tables");
                assert_eq!(checked.wrong, 1, "tier {tier}, number {i}: {wrong} for {good}");
                tried += 1;
            }
            bytes.0.get_mut(tier).expect("a tier")[i] = good;
        }
    }
    assert!(tried > 1000, "{tried}");
}
