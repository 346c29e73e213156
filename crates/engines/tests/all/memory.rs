//! What `retrograde` does with the memory it is granted: with as much as it asks for it collects the moves backwards in
//! one go, however many there are; with less in slices; and where there is no room for them it looks forward again at
//! every distance, and says so. The values are the same each time.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use zermelo_core::Outcome::{Lose, Tie};
use zermelo_core::{Flow, Job, Remoteness, Solved, Tiers, Value, Watch};

use crate::graph::Slot::{Over, To};
use crate::graph::{Graph, Layer, by_rounds, tier_of};
use crate::run::{PLENTY, codes, pools};
use crate::ways::{LOOPY, Way};

const RETROGRADE: Way = LOOPY[0];
const ITERATE: Way = LOOPY[2];

/// Keeps remarks.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Watch for Heard {
    fn advance(&self, _: u64) {}

    fn remark(&self, text: &str) {
        self.0.lock().expect("nobody panics").push(text.into());
    }
}

/// What an engine did with a game of one tier.
struct Did {
    values: Vec<Option<Value>>,
    /// How often it asked for moves.
    asked: u64,
    remarks: Vec<String>,
}

fn solve(way: Way, layer: &Layer, memory: u64) -> Did {
    let (game, watch, tier) = (Graph::new(std::slice::from_ref(layer)), Heard::default(), tier_of(0));
    let job = Job { tier, reached: None, children: &[], memory, watch: &watch, checkpoint: None };
    let engine = way.engine(&game);
    let solved = pools()[1].install(|| engine.solve(&job)).expect("a good game");
    let codes = codes::<Graph, Remoteness>(&solved);
    let values = (0..game.size(tier)).map(|i| codes.get(i).value()).collect();
    Did { values, asked: game.asked.load(Relaxed), remarks: watch.0.into_inner().expect("nobody panics") }
}

const SIZE: usize = 4_800;

/// About a hundred moves a position. The strong side, at even numbers, goes far down, where the weak side has lost; the
/// weak side goes up a little and must be followed. Some weak positions have a way to a tie.
fn many_moves() -> Layer {
    let slots = (0..SIZE).map(|i| {
        let (down, up) = if i % 2 == 0 { ((80, 4), 20) } else { ((70, 2), 30) };
        let below = (0..down.0).filter_map(|k| i.checked_sub(1 + k * down.1));
        let above = (0..up).map(|k| i + 1 + 2 * k).filter(|to| *to < SIZE);
        let tie = (i % 41 == 7 && i > SIZE / 2).then_some(1);
        match i {
            1 => Over(Tie),
            3..40 if i % 2 == 1 => Over(Lose),
            _ => To(below.chain(above).chain(tie).map(|to| (0, to)).collect()),
        }
    });
    Layer::plain(Flow::Loops, slots.collect())
}

/// Moves between positions that are neither over nor won at once.
fn edges(layer: &Layer) -> u64 {
    let over = |i: usize| if let Over(outcome) = &layer.slots[i].0 { Some(*outcome) } else { None };
    let is_open = |i: usize| match &layer.slots[i].0 {
        To(moves) => moves.iter().all(|(_, to)| over(*to) != Some(Lose)),
        _ => false,
    };
    let from = |i: usize| if let To(moves) = &layer.slots[i].0 { &moves[..] } else { &[] };
    let open = (0..layer.slots.len()).filter(|i| is_open(*i));
    open.flat_map(from).filter(|(_, to)| is_open(*to)).count() as u64
}

#[test]
fn a_hundred_moves_a_position_are_collected_while_there_is_memory() {
    let layer = many_moves();
    let game = Graph::new(std::slice::from_ref(&layer));
    let truth: Vec<_> = by_rounds(&game).into_iter().map(Some).collect();
    let most = truth.iter().flatten().filter_map(|value| value.remoteness()).max();
    assert!(most.is_some_and(|most| most > 20) && truth.contains(&Some(Value::Tie(1))), "{most:?}");
    let need = RETROGRADE.engine(&game).need(tier_of(0));
    assert_eq!(need, RETROGRADE.engine(&game).need(tier_of(0)));
    // Neither too little nor out of all proportion.
    let size = SIZE as u64;
    assert!((size * 600..size * 1_500).contains(&need.useful), "{need:?}");
    let plenty = solve(RETROGRADE, &layer, PLENTY);
    let granted = solve(RETROGRADE, &layer, need.useful);
    for did in [&plenty, &granted] {
        assert!(did.values == truth && did.remarks.is_empty(), "{:?}", did.remarks);
    }
    assert_eq!(plenty.asked, granted.asked, "no other way was taken");
    // Edges of four bytes each, and what the slices take beside them.
    let edges = edges(&layer);
    assert!(edges > 80 * size, "{edges}");
    for (held, slices) in [(1.7, 2), (1.4, 4), (1.23, 8)] {
        let did = solve(RETROGRADE, &layer, 34 * size + (held * 4.0 * edges as f64) as u64);
        assert!(did.values == truth && did.remarks.is_empty(), "{slices}: {:?}", did.remarks);
        let looks = (did.asked - plenty.asked) as f64 / size as f64;
        assert!((f64::from(slices) - 1.4..f64::from(slices)).contains(&looks), "{slices} and {looks}");
    }
    for memory in [0, need.working, 34 * size + 3 * edges] {
        let did = solve(RETROGRADE, &layer, memory);
        assert_eq!(did.values, truth);
        let [remark] = &did.remarks[..] else { panic!("{:?}", did.remarks) };
        assert!(remark.starts_with("tier a: ") && remark.ends_with("give more with --memory"), "{remark}");
        assert!(did.asked > 2 * plenty.asked);
    }
    let did = solve(ITERATE, &layer, PLENTY);
    assert!(did.values == truth && did.remarks.is_empty(), "it takes no other way than the one asked for");
}

/// A sample tells of about one edge a number, but one position has a great many: what was collected is given up, or
/// collected once more in slices.
#[test]
fn edges_that_no_sample_tells_of_take_no_more_memory() {
    const MANY: usize = 30_000;
    let to = |i: usize, many: usize| To((1..=many).map(|step| (0, (i + step) % SIZE)).collect());
    let slots = (0..SIZE).map(|i| to(i, if i == 77 { MANY } else { 1 })).collect();
    let layer = Layer::plain(Flow::Loops, slots);
    let (size, edges) = (SIZE as u64, (SIZE + MANY) as u64);
    let asked = |memory: u64, remarks: usize| {
        let did = solve(RETROGRADE, &layer, memory);
        assert!(did.values.iter().all(|value| *value == Some(Value::Draw)));
        assert_eq!(did.remarks.len(), remarks, "{:?}", did.remarks);
        did.asked
    };
    let plenty = asked(PLENTY, 0);
    // One look too many, which told how many there are, and then two.
    assert_eq!(asked(34 * size + 7 * edges, 0), plenty + 2 * size);
    // One look too many again, and then as if there were no memory at all.
    assert!(asked(34 * size + 4 * edges, 1) >= plenty + 3 * size);
}

/// A tier that every move leaves has no moves backwards, and memory for none is asked for.
#[test]
fn a_tier_that_all_moves_leave_takes_no_other_way() {
    let below = (0..SIZE).map(|i| Over(if i % 3 == 0 { Tie } else { Lose })).collect();
    // Most of these are not won at once, so that the second look finds them open.
    let above = (0..SIZE).map(|i| To(vec![(1, i / 3 * 3), (1, (i + 3) / 3 * 3 % SIZE)])).collect();
    let layers = [Layer::plain(Flow::Leaves, above), Layer::plain(Flow::Leaves, below)];
    let (game, watch) = (Graph::new(&layers), Heard::default());
    let engine = RETROGRADE.engine(&game);
    let solve = |at: usize, children: &[Arc<dyn Solved>]| {
        let tier = tier_of(at);
        let memory = engine.need(tier).useful;
        let job = Job { tier, reached: None, children, memory, watch: &watch, checkpoint: None };
        pools()[1].install(|| engine.solve(&job)).expect("a good game")
    };
    let below = solve(1, &[]);
    let solved = solve(0, &[below]);
    let codes = codes::<Graph, Remoteness>(&solved);
    assert!((0..SIZE as u64).all(|i| codes.get(i).value() == Some(Value::Tie(1))));
    let remarks = watch.0.into_inner().expect("nobody panics");
    assert!(remarks.is_empty(), "{remarks:?}");
}
