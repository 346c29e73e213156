//! Games that break the contract: an engine must say what is wrong, and where it cannot notice it must at
//! least not invent a win.

use std::ops::Range;
use std::sync::Arc;

use zermelo_core::Outcome::{Lose, Tie, Win};
use zermelo_core::{EngineError, Flow, Remoteness, Solved, Value, Width};

use crate::graph::Slot::{Hole, Over, To};
use crate::graph::{Graph, Layer, chain, tier_of};
use crate::run::{Done, codes};
use crate::ways::{ALL, LOOPY, SWEEP, graph};

/// A solved tier of no engine here.
struct Foreign;

impl Solved for Foreign {
    fn entries(&self) -> u64 {
        3
    }
    fn positions(&self) -> u64 {
        3
    }
    fn width(&self) -> Width {
        Width::One
    }
    fn bytes(&self) -> u64 {
        3
    }
    fn write(&self, _: Range<u64>, _: &mut Vec<u8>) {}
}

/// Three positions below, and a tier over them.
fn over_three(flow: Flow, slots: Vec<crate::graph::Slot>) -> [Layer; 2] {
    [Layer::plain(Flow::Leaves, vec![Over(Lose), Over(Tie), Over(Win)]), Layer::plain(flow, slots)]
}

#[test]
fn an_undeclared_child_tier_is_named() {
    for slots in [
        vec![To(vec![(0, 2)])],
        vec![To(vec![(0, 1)]), To(vec![(0, 2)])],
        vec![Over(Win), To(vec![(0, 1), (1, 2)]), To(vec![(0, 1)])],
    ] {
        let mut game = Graph::new(&over_three(Flow::Rises, slots));
        let done = Done::from([(tier_of(0), SWEEP.solve(&game, tier_of(0), &Done::new()).expect("good"))]);
        game.hide(1, 0);
        for way in ALL {
            match way.solve(&game, tier_of(1), &done) {
                Err(EngineError::BadGame { tier, fault }) => {
                    assert_eq!(tier, tier_of(1));
                    assert!(fault.contains(&format!("tier {}", tier_of(0))), "{}: {fault}", way.name);
                }
                Err(error) => panic!("{}: {error}", way.name),
                Ok(_) => panic!("{} noticed nothing", way.name),
            }
        }
    }
}

#[test]
fn an_undeclared_child_tier_is_named_although_the_tier_is_also_too_long() {
    let below = Layer::plain(Flow::Rises, chain(0, 120, Tie));
    let other = Layer::plain(Flow::Leaves, vec![Over(Tie)]);
    let mut game =
        Graph::new(&[below, other, Layer::plain(Flow::Leaves, vec![To(vec![(0, 0)]), To(vec![(1, 0)])])]);
    let done = graph(&game, &[LOOPY[0]]).expect("a good game");
    game.hide(2, 1);
    for way in ALL {
        let error = way.solve(&game, tier_of(2), &done).err();
        assert!(matches!(error, Some(EngineError::BadGame { .. })), "{}: {error:?}", way.name);
    }
}

#[test]
fn a_child_in_another_form_is_an_error() {
    let game = Graph::new(&over_three(Flow::Rises, vec![To(vec![(0, 0)]), To(vec![(0, 1), (0, 2)])]));
    let done = Done::from([(tier_of(0), Arc::new(Foreign) as Arc<dyn Solved>)]);
    for way in ALL {
        match way.solve(&game, tier_of(1), &done) {
            Err(EngineError::BadGame { tier, fault }) => {
                assert!(
                    tier == tier_of(1) && fault.contains(&tier_of(0).to_string()),
                    "{}: {fault}",
                    way.name
                );
            }
            Err(error) => panic!("{}: {error}", way.name),
            Ok(_) => panic!("{} noticed nothing", way.name),
        }
    }
}

#[test]
fn a_sweep_refuses_loops() {
    let game = Graph::new(&[Layer::plain(
        Flow::Loops,
        vec![To(vec![(0, 1)]), To(vec![(0, 0), (0, 2)]), Over(Lose)],
    )]);
    let error = SWEEP.solve(&game, tier_of(0), &Done::new()).err();
    assert!(matches!(error, Some(EngineError::Loops(tier, "sweep")) if tier == tier_of(0)), "{error:?}");
}

#[test]
fn a_sweep_notices_a_move_that_should_have_left() {
    let game = Graph::new(&over_three(Flow::Leaves, vec![To(vec![(0, 0), (1, 1)]), To(vec![(0, 1)])]));
    let done = graph(&game, &LOOPY[..1]).expect("the other engines do not mind");
    let error = SWEEP.solve(&game, tier_of(1), &done).err();
    assert!(matches!(error, Some(EngineError::BadGame { .. })), "{error:?}");
}

/// Today a sweep calls it out of range and the others a draw.
#[test]
fn a_position_without_moves_is_an_error_or_a_draw() {
    let game = Graph::new(&over_three(Flow::Rises, vec![To(vec![]), To(vec![(0, 1)])]));
    let done = Done::from([(tier_of(0), SWEEP.solve(&game, tier_of(0), &Done::new()).expect("good"))]);
    for way in ALL {
        if let Ok(solved) = way.solve(&game, tier_of(1), &done) {
            let codes = codes::<Graph, Remoteness>(&solved);
            assert_eq!(codes.get(0).value(), Some(Value::Draw), "{}", way.name);
            assert_eq!(codes.get(1).value(), Some(Value::Tie(1)), "{}", way.name);
        }
    }
}

#[test]
fn a_position_without_moves_is_named() {
    let game = Graph::new(&[Layer::plain(Flow::Rises, vec![To(vec![])])]);
    for way in ALL {
        let error = way.solve(&game, tier_of(0), &Done::new()).err();
        assert!(matches!(error, Some(EngineError::BadGame { .. })), "{}: {error:?}", way.name);
    }
}

#[test]
fn a_sweep_notices_a_move_that_falls() {
    let slots = vec![To(vec![(0, 0)]), To(vec![(1, 0), (0, 2)])];
    let game = Graph::new(&over_three(Flow::Rises, slots));
    let done = Done::from([(tier_of(0), SWEEP.solve(&game, tier_of(0), &Done::new()).expect("good"))]);
    // Number 0 is won in 1, so both moves of number 1 lose and the slower does so in 2.
    let solved = SWEEP.solve(&game, tier_of(1), &done);
    let value = solved.ok().map(|s| codes::<Graph, Remoteness>(&s).get(1).value());
    assert!(matches!(value, None | Some(Some(Value::Lose(2)))), "{value:?}");
}

#[test]
fn tiers_without_positions_are_solved() {
    for slots in [vec![], vec![Hole], vec![Hole; 5_000]] {
        let game = Graph::new(&[Layer::plain(Flow::Leaves, slots)]);
        for way in ALL {
            let solved = way.solve(&game, tier_of(0), &Done::new()).expect("nothing to do");
            assert_eq!(solved.positions(), 0, "{}", way.name);
        }
    }
}
