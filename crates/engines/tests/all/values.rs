//! Every engine that can solve a game gives every position the value that the definition gives, on random
//! games of each shape, with one thread and with two. The oracle in `core` is held to the same, so engines
//! and oracle are tested against each other through a third solver that shares an idea with neither.

use proptest::prelude::*;
use zermelo_core::Outcome::{self, Lose, Tie, Win};
use zermelo_core::{Code, Flow, Remoteness, Tiers, Value, laws};

use crate::graph::Slot::{Over, To};
use crate::graph::{Graph, Layer, Slot, by_rounds, chain, graphs, large, tall_graphs, tier_of};
use crate::run::{Done, codes, pools};
use crate::ways::{ALL, LOOPY, SWEEP, Way, graph};

/// Says where a solved game differs from the truth, if it does.
pub(crate) fn differs(game: &Graph, truth: &[Value], done: &Done) -> Option<String> {
    for p in game.positions() {
        let (tier, rank) = game.place(p);
        let (want, code) = (truth[p as usize], codes::<Graph, Remoteness>(&done[&tier]).get(rank));
        if code.value() != Some(want) {
            return Some(format!(
                "number {rank} of tier {tier}: {want} is right, not {code:?} {:?}",
                code.value()
            ));
        }
    }
    for tier in (0..game.layers()).map(tier_of) {
        let solved = &done[&tier];
        let holes: Vec<_> = (0..game.size(tier)).filter(|i| game.unrank(&tier, *i).is_none()).collect();
        let known = holes.iter().find(|i| codes::<Graph, Remoteness>(solved).get(**i) != Code::UNKNOWN);
        if let Some(i) = known {
            return Some(format!("hole {i} of tier {tier} has a value"));
        }
        let counts = (solved.entries(), solved.positions());
        if counts != (game.size(tier), game.size(tier) - holes.len() as u64) {
            return Some(format!("tier {tier} counts {counts:?}"));
        }
    }
    None
}

fn fault(layers: &[Layer], choices: &[&[Way]]) -> Option<String> {
    let game = Graph::new(layers);
    let truth = by_rounds(&game);
    choices.iter().find_map(|ways| {
        pools().iter().find_map(|pool| {
            let done = pool.install(|| graph(&game, ways)).expect("a good game");
            let names: Vec<_> = ways.iter().map(|w| w.name).collect();
            differs(&game, &truth, &done)
                .map(|what| format!("{names:?}, {} threads: {what}", pool.current_num_threads()))
        })
    })
}

/// Each engine alone, and a mix that changes from tier to tier.
const LOOP_FREE: [&[Way]; 7] =
    [&[SWEEP], &[LOOPY[0]], &[LOOPY[1]], &[LOOPY[2]], &[LOOPY[3]], &[LOOPY[5]], &ALL];
const WITH_LOOPS: [&[Way]; 6] = [&[LOOPY[0]], &[LOOPY[1]], &[LOOPY[2]], &[LOOPY[3]], &[LOOPY[5]], &LOOPY];

const ANY: &[Flow] = &[Flow::Leaves, Flow::Rises, Flow::Loops];

fn oracle_differs(layers: &[Layer]) -> Option<String> {
    let game = Graph::new(layers);
    let (truth, found) = (by_rounds(&game), zermelo_testing::oracle(&game, &game.positions()));
    let wrong = game.positions().into_iter().find(|p| found[p] != truth[*p as usize])?;
    Some(format!("position {wrong} is {}, and the oracle says {}", truth[wrong as usize], found[&wrong]))
}

fn config(cases: u32) -> ProptestConfig {
    // The oracle may take a second a case when it is wrong, and shrinking tries thousands.
    ProptestConfig { failure_persistence: None, max_shrink_time: 5_000, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn engines_agree_where_every_move_leaves(layers in graphs(&[Flow::Leaves])) {
        prop_assert_eq!(fault(&layers, &LOOP_FREE), None);
    }

    #[test]
    fn engines_agree_where_moves_rise(layers in graphs(&[Flow::Rises])) {
        prop_assert_eq!(fault(&layers, &LOOP_FREE), None);
    }

    #[test]
    fn engines_agree_on_loops(layers in graphs(&[Flow::Loops])) {
        prop_assert_eq!(fault(&layers, &WITH_LOOPS), None);
    }

    #[test]
    fn engines_agree_where_near_and_far_values_meet(layers in tall_graphs(&[Flow::Loops])) {
        prop_assert_eq!(fault(&layers, &WITH_LOOPS), None);
    }

    #[test]
    fn engines_agree_on_tall_games_without_loops(layers in tall_graphs(&[Flow::Leaves, Flow::Rises])) {
        prop_assert_eq!(fault(&layers, &LOOP_FREE), None);
    }

    #[test]
    fn the_oracle_is_right(layers in graphs(ANY)) {
        prop_assert_eq!(oracle_differs(&layers), None);
    }

    #[test]
    fn the_oracle_is_right_far_down(layers in tall_graphs(ANY)) {
        prop_assert_eq!(oracle_differs(&layers), None);
    }

    #[test]
    fn graphs_obey_the_laws(mut layers in graphs(ANY)) {
        for layer in 0..layers.len() {
            let unmoves = laws::check_unmoves(&Graph::new(&layers), tier_of(layer)).map_err(|broken| broken.to_string());
            prop_assert_eq!(unmoves, Ok(()));
        }
        // A walk need not meet all of some symmetric positions, as it would in a game with a symmetric start.
        layers.iter_mut().flat_map(|layer| &mut layer.slots).for_each(|slot| slot.1 = 1);
        let game = Graph::new(&layers);
        if !game.positions().is_empty() {
            let law = laws::check(&game, 10_000).map(|_| ()).map_err(|broken| broken.to_string());
            prop_assert_eq!(law, Ok(()));
        }
    }
}

#[test]
fn engines_agree_on_tiers_of_many_tasks() {
    assert_eq!(fault(&large(Flow::Leaves, 7), &LOOP_FREE), None);
    assert_eq!(fault(&large(Flow::Rises, 8), &LOOP_FREE), None);
    assert_eq!(fault(&large(Flow::Loops, 9), &WITH_LOOPS), None);
    assert_eq!(fault(&large(Flow::Loops, 10), &WITH_LOOPS), None);
}

/// Thousands of positions at each distance: teeth of a comb, each a chain that begins below. Some may also wait.
#[test]
fn engines_agree_where_many_settle_at_once() {
    const TEETH: usize = 15_000;
    let below = Layer::plain(Flow::Rises, [chain_of(Lose), chain_of(Tie), chain_of(Win)].concat());
    let tooth = |i: usize| match i / TEETH {
        // Ends of chains lie at 3, 7 and 11; one or two moves before them is where teeth begin.
        0 => To(vec![(0, [1, 2, 5, 9][i % 4])]),
        row if i.is_multiple_of(3) && i % 4 == 2 => To(vec![(1, i - TEETH), (1, i), (1, row * TEETH)]),
        _ => To(vec![(1, i - TEETH), (1, i - TEETH)]),
    };
    let layers = [below, Layer::plain(Flow::Loops, (0..4 * TEETH).map(tooth).collect())];
    assert_eq!(fault(&layers, &WITH_LOOPS), None);
}

/// Three moves to an end, to be put after the chains of the ends before it.
fn chain_of(end: Outcome) -> Vec<Slot> {
    let first = [Lose, Tie, Win].iter().position(|o| *o == end).unwrap_or(0) * 4;
    let to = |slot| match slot {
        To(links) => To(links.into_iter().map(|(l, i)| (l, i + first)).collect()),
        slot => slot,
    };
    chain(0, 3, end).into_iter().map(to).collect()
}

/// The way out to a child won in 7 is slower than the loop-free inner one, so the loss comes late: in 8, when
/// nothing inside the tier has happened since 3.
#[test]
fn a_slow_loss_beside_a_fast_one_is_found() {
    let below = Layer::plain(Flow::Rises, chain(0, 7, Lose));
    let above = Layer::plain(Flow::Loops, vec![To(vec![(1, 1), (0, 0)]), To(vec![(0, 5)])]);
    assert_eq!(fault(&[below, above], &WITH_LOOPS), None);
}

/// Position 5 can wait in its loop or enter 4. Cut off soon, 4 is a tie; in truth its mover wins in 3, so 5
/// waits for ever.
#[test]
fn a_tie_that_turns_out_a_win_is_no_tie_for_the_oracle() {
    let slots = vec![
        Over(Lose),
        Over(Tie),
        To(vec![(0, 0)]),
        To(vec![(0, 2)]),
        To(vec![(0, 1), (0, 3)]),
        To(vec![(0, 4), (0, 5)]),
    ];
    let layers = [Layer::plain(Flow::Loops, slots)];
    assert_eq!(fault(&layers, &WITH_LOOPS), None, "engines");
    assert_eq!(oracle_differs(&layers), None, "oracle");
}
