//! Long games: where distances outgrow one byte an engine takes two, for that tier alone, and where they
//! outgrow two it says so. A distance that is cut, wrapped or taken for a draw would be a wrong value.

use std::sync::atomic::Ordering::Relaxed;

use proptest::prelude::*;
use zermelo_core::Outcome::{self, Lose, Tie, Win};
use zermelo_core::{Code, EngineError, Flow, Remoteness, Value, Width};

use crate::graph::Slot::{Over, To};
use crate::graph::{Graph, Layer, Slot, by_rounds, chain, tall_graphs, tier_of};

use crate::run::{Done, codes};
use crate::values::differs;
use crate::ways::{ALL, LOOPY, SWEEP, Way, graph};

/// Solves with each way and checks every value against the definition; gives the widths of the tiers.
fn widths(layers: &[Layer], ways: &[Way]) -> Vec<Width> {
    let game = Graph::new(layers);
    let truth = by_rounds(&game);
    let each = ways.iter().map(|way| {
        let done = graph(&game, &[*way]).expect("within range");
        assert_eq!(differs(&game, &truth, &done), None, "{}", way.name);
        (0..game.layers()).map(|l| done[&tier_of(l)].width()).collect::<Vec<_>>()
    });
    let each: Vec<_> = each.collect();
    assert!(each.windows(2).all(|w| w[0] == w[1]), "engines choose different widths: {each:?}");
    each[0].clone()
}

#[test]
fn one_byte_holds_94_moves_to_a_win_and_63_to_a_tie() {
    for (end, most) in [(Lose, 94), (Win, 94), (Tie, 63)] {
        for (length, width) in
            [(most - 1, Width::One), (most, Width::One), (most + 1, Width::Two), (300, Width::Two)]
        {
            let slots = chain(0, length, end);
            assert_eq!(
                widths(&[Layer::plain(Flow::Rises, slots.clone())], &ALL),
                [width],
                "{end:?} in {length}"
            );
            assert_eq!(widths(&[Layer::plain(Flow::Loops, slots)], &LOOPY), [width], "{end:?} in {length}");
        }
    }
}

#[test]
fn long_values_enter_a_tier_of_short_ones_and_the_other_way_round() {
    for end in [Lose, Tie] {
        let long = Layer::plain(Flow::Rises, chain(0, 120, end));
        // Out of all the long ones below, only those near the end are within reach.
        let short = vec![To(vec![(0, 118)]), To(vec![(0, 117), (1, 0)]), To(vec![(1, 0), (1, 1)])];
        // One byte again, then two, and one above that.
        let far = chain(2, 150, end).into_iter().map(|slot| match slot {
            Slot::Over(_) => To(vec![(1, 0)]),
            slot => slot,
        });
        let last = vec![To(vec![(2, 148), (1, 1)]), To(vec![(0, 119)]), Over(Win)];
        let layers = |flow| {
            let above = |slots| Layer::plain(flow, slots);
            [
                long.clone(),
                above(short.clone()),
                Layer::plain(Flow::Rises, far.clone().collect()),
                above(last.clone()),
            ]
        };
        let want = [Width::Two, Width::One, Width::Two, Width::One];
        assert_eq!(widths(&layers(Flow::Loops), &LOOPY), want, "{end:?}");
    }
}

/// A move out to a child lost in 94 would win in 95, which takes two bytes; but a move inside the tier wins in
/// 3. Every value fits one byte, and any two engines must write the same table.
#[test]
fn a_long_way_that_nobody_takes_needs_no_second_byte() {
    let below = Layer::plain(Flow::Rises, chain(0, 94, Lose));
    let above = vec![To(vec![(0, 0), (1, 1)]), To(vec![(1, 2)]), To(vec![(0, 94)])];
    assert_eq!(widths(&[below, Layer::plain(Flow::Rises, above)], &ALL), [Width::One; 2]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn a_tier_has_two_bytes_only_where_a_value_needs_them(layers in tall_graphs(&[Flow::Leaves, Flow::Rises])) {
        let game = Graph::new(&layers);
        let truth = by_rounds(&game);
        let fits = |p: &u32| Code::of(truth[*p as usize]).and_then(Code::narrow).is_some();
        let widths = widths(&layers, &ALL);
        for (layer, width) in widths.into_iter().enumerate() {
            let mut positions = game.positions().into_iter().filter(|p| game.place(*p).0 == tier_of(layer));
            prop_assert_eq!(width == Width::One, positions.all(|p| fits(&p)), "tier {}", tier_of(layer));
        }
    }
}

/// At the end of two bytes a way that is too long for them does no harm where a shorter one is taken.
#[test]
fn a_way_beyond_range_that_nobody_takes_is_no_error() {
    let (below, done) = longest(19_999, Win);
    let above = vec![To(vec![(0, 0), (1, 1)]), To(vec![(1, 2)]), To(vec![(0, 19_998)])];
    // Number 19,998 is lost in 1; who moves there wins in 2, before that it is lost in 3, ...
    let game = Graph::new(&[below, Layer::plain(Flow::Rises, above)]);
    for way in ALL {
        let solved =
            way.solve(&game, tier_of(1), &done).unwrap_or_else(|error| panic!("{}: {error}", way.name));
        assert_eq!(codes::<Graph, Remoteness>(&solved).get(0).value(), Some(Value::Win(4)), "{}", way.name);
    }
}

/// Number 0 wins, but in more moves than can be written down; number 1 ties at once. That is no reason to call
/// number 0 a tie.
#[test]
fn a_win_beyond_range_is_never_a_tie() {
    let (below, done) = longest(19_999, Win);
    let above = vec![To(vec![(0, 0), (1, 1)]), To(vec![(1, 2), (1, 0)]), Over(Tie)];
    let game = Graph::new(&[below, Layer::plain(Flow::Loops, above)]);
    for way in LOOPY {
        match way.solve(&game, tier_of(1), &done) {
            Err(EngineError::OutOfRange(tier)) => assert_eq!(tier, tier_of(1), "{}", way.name),
            Err(error) => panic!("{}: {error}", way.name),
            Ok(solved) => {
                let value = codes::<Graph, Remoteness>(&solved).get(0).value();
                panic!("{}: number 0 is {value:?}", way.name)
            }
        }
    }
}

/// A move for each of 300 positions, which is more than a byte counts: the loss is found all the same, and written in
/// one byte.
#[test]
fn many_moves_inside_a_tier_are_counted() {
    for moves in [254, 255, 256, 300] {
        let mut slots = vec![To((1..=moves).map(|i| (1, i)).collect())];
        slots.extend((1..=moves).map(|_| To(vec![(0, 0), (1, 0)])));
        let layers = [Layer::plain(Flow::Rises, vec![Over(Lose)]), Layer::plain(Flow::Loops, slots)];
        assert_eq!(by_rounds(&Graph::new(&layers))[1], Value::Lose(2));
        assert_eq!(widths(&layers, &LOOPY), [Width::One; 2], "{moves}");
    }
}

/// Who looks again at every distance does so up to the farthest value of a kind, and not for the others.
#[test]
fn rounds_end_with_the_farthest_of_their_kind() {
    const FAR: usize = 2000;
    for end in [Lose, Tie] {
        let (below, done) = longest(FAR, end);
        // A way out that is far, and two that wait for each other.
        let above = vec![To(vec![(0, 0)]), To(vec![(1, 2)]), To(vec![(1, 1)])];
        let game = Graph::new(&[below, Layer::plain(Flow::Loops, above)]);
        let solved = LOOPY[2].solve(&game, tier_of(1), &done).expect("within range");
        assert_eq!(codes::<Graph, Remoteness>(&solved).get(1).value(), Some(Value::Draw));
        // Up to three positions a round, in one byte and then, as that is too narrow, in two.
        let asked = game.asked.load(Relaxed);
        assert!((6 * FAR as u64..7 * FAR as u64).contains(&asked), "{end:?}: {asked}");
    }
}

/// A chain of so many moves, solved.
fn longest(length: usize, end: Outcome) -> (Layer, Done) {
    let layer = Layer::plain(Flow::Rises, chain(0, length, end));
    let done = graph(&Graph::new(std::slice::from_ref(&layer)), &[SWEEP]).expect("within range");
    (layer, done)
}

#[test]
fn a_line_of_20_000_moves_is_an_error_and_never_a_value() {
    for end in [Lose, Tie] {
        let (below, done) = longest(19_995, end);
        for (more, fits) in [(4, true), (5, false), (6, false), (100, false)] {
            // The last of the new chain moves to the first of the long one.
            let slots = (1..more).map(|i| To(vec![(1, i)])).chain([To(vec![(0, 0)])]).collect();
            let game = Graph::new(&[below.clone(), Layer::plain(Flow::Rises, slots)]);
            for way in ALL {
                match way.solve(&game, tier_of(1), &done) {
                    Ok(solved) if fits => {
                        let value = codes::<Graph, Remoteness>(&solved).get(0).value();
                        assert_eq!(
                            value,
                            Some(if end == Tie { Value::Tie(19_999) } else { Value::Win(19_999) })
                        );
                        assert_eq!(solved.width(), Width::Two);
                    }
                    Err(EngineError::OutOfRange(tier)) if !fits => assert_eq!(tier, tier_of(1)),
                    Ok(_) => panic!("{}: {end:?} in {} has a value", way.name, 19_995 + more),
                    Err(error) => panic!("{}: {end:?} in {}: {error}", way.name, 19_995 + more),
                }
            }
        }
    }
}

#[test]
fn a_long_line_inside_one_tier_is_an_error_too() {
    for way in [SWEEP, LOOPY[0], LOOPY[1]] {
        for (length, fits) in [(19_999, true), (20_000, false)] {
            let game = Graph::new(&[Layer::plain(Flow::Rises, chain(0, length, Lose))]);
            match way.solve(&game, tier_of(0), &Done::new()) {
                Ok(solved) => {
                    assert!(fits, "{}", way.name);
                    assert_eq!(codes::<Graph, Remoteness>(&solved).get(0).value(), Some(Value::Win(19_999)));
                }
                Err(error) => {
                    assert!(!fits && matches!(error, EngineError::OutOfRange(_)), "{}: {error}", way.name)
                }
            }
        }
    }
}
