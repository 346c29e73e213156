//! The stored form of a tier leaves out what the rules tell, and the store fills those places with whatever
//! compresses best. So a tier must come back the same whatever stands in them, at either width, and in
//! whatever pieces it was written.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use proptest::prelude::*;
use zermelo_core::Outcome::Tie;
use zermelo_core::{EngineError, Flow, Made, Reason, Remoteness, Solved, StoredTier, Tier, Tiers, Width};
use zermelo_engines::Codes;

use crate::graph::{Graph, Layer, Slot, chain, graphs, large, tall_graphs, tier_of};
use crate::run::{bytes as spilled_bytes, codes, pools, soil};
use crate::ways::{ALL, LOOPY, SWEEP, Way, graph};

/// All stored codes, written in pieces of a size.
fn written(solved: &Arc<dyn Solved>, piece: u64) -> Vec<u8> {
    let mut bytes = vec![];
    for from in (0..solved.entries()).step_by(piece.max(1) as usize) {
        solved.write(from..solved.entries().min(from + piece.max(1)), &mut bytes);
    }
    bytes
}

/// Reads codes from bytes.
fn reader(width: Width, bytes: &[u8]) -> impl Fn(Range<u64>, &mut Vec<u8>) -> Result<(), Reason> + Sync {
    move |range, out| {
        let at = |i: u64| (i as usize * width.bytes()).min(bytes.len());
        out.extend(&bytes[at(range.start)..at(range.end)]);
        Ok(())
    }
}

fn load(way: &Way, game: &Graph, tier: Tier, width: Width, bytes: &[u8]) -> Made {
    way.load(game, &StoredTier { tier, width, read: &reader(width, bytes) })
}

/// The plain form by itself, without an engine.
fn load_plain(game: &Graph, tier: Tier, width: Width, bytes: &[u8]) -> Made {
    let stored = StoredTier { tier, width, read: &reader(width, bytes) };
    Ok(Codes::<Graph, Remoteness>::load(game, &tier, &stored, 0..game.size(tier))?)
}

/// Says what does not come back, if anything.
fn lost(layers: &[Layer], ways: &[Way], rubbish: &[u8], piece: u64) -> Option<String> {
    let game = Graph::new(layers);
    ways.iter().find_map(|way| {
        let done = graph(&game, &[*way]).expect("a good game");
        (0..game.layers()).map(tier_of).find_map(|tier| {
            let solved = &done[&tier];
            let mut bytes = written(solved, piece);
            if bytes.len() != (solved.entries() as usize) * solved.width().bytes() {
                return Some(format!("{}: {} bytes", way.name, bytes.len()));
            }
            soil(&mut bytes, solved.width(), rubbish);
            let width = solved.width();
            let loaded = [load(way, &game, tier, width, &bytes), load_plain(&game, tier, width, &bytes)];
            let spilled = spilled_bytes(solved.spill());
            let restored = way.restore(&game, tier, &mut &spilled[..]);
            loaded.into_iter().chain([restored]).find_map(|back| {
                let back = back.expect("loads");
                let code = |s, i| codes::<Graph, Remoteness>(s).get(i);
                let odd = (0..game.size(tier)).find(|i| code(&back, *i) != code(solved, *i));
                // How many bytes a code has in memory is the engine's choice.
                let same = |s: &Arc<dyn Solved>| (s.entries(), s.positions(), s.width(), written(s, 7));
                let named = |i| format!("{}: number {i} of tier {tier}", way.name);
                odd.map(named).or((same(&back) != same(solved)).then(|| format!("{}: tier {tier}", way.name)))
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn a_tier_comes_back_from_its_stored_form(
        layers in graphs(&[Flow::Leaves, Flow::Rises]),
        rubbish in prop::collection::vec(any::<u8>(), 1..40),
        piece in 1..40u64,
    ) {
        prop_assert_eq!(lost(&layers, &ALL, &rubbish, piece), None);
    }

    #[test]
    fn a_tier_with_loops_or_wide_codes_comes_back(
        layers in tall_graphs(&[Flow::Rises, Flow::Loops]),
        rubbish in prop::collection::vec(any::<u8>(), 1..40),
        piece in 1..40u64,
    ) {
        prop_assert_eq!(lost(&layers, &LOOPY, &rubbish, piece), None);
    }
}

/// What was spilled comes back whole or not at all.
#[test]
fn nothing_else_is_taken_for_a_spilled_tier() {
    for length in [10, 100] {
        let game = Graph::new(&[Layer::plain(Flow::Rises, chain(0, length, Tie))]);
        let done = graph(&game, &[SWEEP]).expect("a good game");
        let (tier, bytes) = (tier_of(0), spilled_bytes(done[&tier_of(0)].spill()));
        let restore = |bytes: &[u8]| SWEEP.restore(&game, tier, &mut &bytes[..]);
        assert!(restore(&bytes).is_ok());
        assert!((0..bytes.len()).all(|end| restore(&bytes[..end]).is_err()), "cut short");
        assert!(restore(&[&bytes[..], &[0]].concat()).is_err(), "too long");
        for width in [0, 3, u8::MAX, 3 - bytes[0]] {
            assert!(restore(&[&[width], &bytes[1..]].concat()).is_err(), "another width");
        }
    }
}

#[test]
fn a_tier_of_many_tasks_comes_back() {
    for pool in pools() {
        let layers = large(Flow::Loops, 11);
        pool.install(|| assert_eq!(lost(&layers, &LOOPY[..1], &[0, 253, 17, 254, 95, 200, 1], 5_000), None));
    }
}

/// Of a large table nobody reads on after a block that cannot be read.
#[test]
fn reading_ends_at_the_first_damage() {
    let game = Graph::new(&[Layer::plain(Flow::Rises, vec![Slot::Over(Tie); 200_000])]);
    let read = AtomicU64::new(0);
    let damaged = |_: Range<u64>, _: &mut Vec<u8>| -> Result<(), Reason> {
        read.fetch_add(1, Relaxed);
        Err("block 3 is damaged".into())
    };
    let tier = tier_of(0);
    let stored = StoredTier { tier, width: Width::One, read: &damaged };
    assert!(pools()[0].install(|| SWEEP.load(&game, &stored)).is_err());
    assert_eq!(read.load(Relaxed), 1);
}

#[test]
fn a_table_of_another_length_or_that_cannot_be_read_is_an_error() {
    for length in [10, 100] {
        let game = Graph::new(&[Layer::plain(Flow::Rises, chain(0, length, Tie))]);
        let done = graph(&game, &[SWEEP]).expect("a good game");
        let (tier, solved) = (tier_of(0), &done[&tier_of(0)]);
        assert_eq!(solved.width() == Width::Two, length == 100);
        let bytes = written(solved, 1000);
        for way in ALL {
            for cut in 1..bytes.len() {
                let short = load(&way, &game, tier, solved.width(), &bytes[..cut]);
                assert!(matches!(short, Err(EngineError::Load { tier: t, .. }) if t == tier), "{}", way.name);
            }
            let read =
                |_: Range<u64>, _: &mut Vec<u8>| -> Result<(), Reason> { Err("block 3 is damaged".into()) };
            let stored = StoredTier { tier, width: solved.width(), read: &read };
            let error = way.load(&game, &stored).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(error.contains("block 3 is damaged") && error.contains(&tier.to_string()), "{error}");
            // Too much is as wrong as too little.
            let read = |range: Range<u64>, out: &mut Vec<u8>| -> Result<(), Reason> {
                out.extend(vec![0; (range.end - range.start + 1) as usize * 2]);
                Ok(())
            };
            let stored = StoredTier { tier, width: solved.width(), read: &read };
            assert!(way.load(&game, &stored).is_err());
        }
        assert_eq!(game.size(tier), length as u64 + 1);
    }
}
