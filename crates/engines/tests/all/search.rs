//! Search without tables: where it answers it is right, remoteness included; without loops, and for wins and
//! losses, it always answers given the time.

use std::time::Duration;

use proptest::prelude::*;
use zermelo_core::{Flow, Limits, Outcome, Value};
use zermelo_engines::search;

use crate::graph::{Graph, Layer, Slot, by_rounds, graphs, tall_graphs};

const AMPLE: Limits = Limits { time: Duration::from_secs(60), memory: 1 << 24 };

/// Says where a search is wrong, or silent where it must answer.
fn fault(layers: &[Layer], limits: Limits, must: fn(Value) -> bool) -> Option<String> {
    let game = Graph::new(layers);
    let truth = by_rounds(&game);
    game.positions().into_iter().find_map(|p| {
        let (found, want) = (search(&game, p, limits), truth[p as usize]);
        let fine = if must(want) { found == Some(want) } else { found.is_none_or(|value| value == want) };
        (!fine).then(|| format!("position {p} is {want}, and the search says {found:?}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(80) })]

    #[test]
    fn right_without_loops(layers in graphs(&[Flow::Leaves, Flow::Rises])) {
        prop_assert_eq!(fault(&layers, AMPLE, |_| true), None);
    }

    #[test]
    fn right_or_silent_with_loops(layers in graphs(&[Flow::Loops])) {
        // A tie is never certain while another move may go round in circles.
        prop_assert_eq!(fault(&layers, AMPLE, |v| matches!(v, Value::Win(_) | Value::Lose(_))), None);
    }

    #[test]
    fn right_far_down(layers in tall_graphs(&[Flow::Rises, Flow::Loops])) {
        prop_assert_eq!(fault(&layers, AMPLE, |v| matches!(v, Value::Win(_) | Value::Lose(_))), None);
    }

    #[test]
    fn right_or_silent_in_a_hurry(layers in graphs(&[Flow::Rises, Flow::Loops]), micros in 0..300u64, memory in 0..2_000u64) {
        let limits = Limits { time: Duration::from_micros(micros), memory };
        prop_assert_eq!(fault(&layers, limits, |_| false), None);
    }
}

/// A value found deep on one line of play is met again where less depth is left, beside a faster way that is not
/// understood yet: 6 moves to 4, lost in 4, and to 5, lost in 3. The slower win must not be taken for the value.
#[test]
fn a_known_slow_win_waits_for_a_faster_one() {
    let to = |moves: &[usize]| Slot::To(moves.iter().map(|m| (0, *m)).collect());
    let slots = vec![
        to(&[1, 8]),
        to(&[4]),
        Slot::Over(Outcome::Lose),
        to(&[2]),
        to(&[10]),
        to(&[12]),
        to(&[4, 5]),
        to(&[6]),
        to(&[7]),
        to(&[3]),
        to(&[9]),
        Slot::Over(Outcome::Win),
        to(&[13]),
        to(&[11]),
    ];
    let layers = [Layer::plain(Flow::Loops, slots)];
    let truth = by_rounds(&Graph::new(&layers));
    let want = [(4, Value::Lose(4)), (5, Value::Lose(3)), (6, Value::Win(4)), (0, Value::Lose(7))];
    assert!(want.iter().all(|(p, value)| truth[*p] == *value), "{truth:?}");
    assert_eq!(fault(&layers, AMPLE, |_| true), None);
}
