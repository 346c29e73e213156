//! Puzzles that are nothing but a graph: one player makes all moves. Every engine gives every position
//! the value that the definition gives; so does the oracle in `core`.

use std::sync::Arc;

use proptest::prelude::*;
use zermelo_core::{
    Engine, Flow, Game, Objective, Outcome, Remoteness, Tier, Tiers, Unit, Unmove, Value, laws::list_moves,
};
use zermelo_engines::{Compact, Iterate, Ranked, Retrograde, Sweep, Unmoves, search};

use crate::graph::{Graph, Layer, graphs, large, tall_graphs, tier_of};
use crate::run::{Done, PLENTY, codes, pools, tier};

#[derive(Clone)]
struct Puzzle(Graph);

impl Game for Puzzle {
    type Position = u32;
    type Move = u32;
    const ALONE: bool = true;

    fn start(&self) -> u32 {
        self.0.start()
    }
    fn outcome(&self, p: u32) -> Option<Outcome> {
        self.0.outcome(p)
    }
    fn moves(&self, p: u32, visit: impl FnMut(u32)) {
        self.0.moves(p, visit);
    }
    fn play(&self, p: u32, m: u32) -> u32 {
        self.0.play(p, m)
    }
}

impl Tiers for Puzzle {
    type Index = Tier;

    fn tier(&self, p: u32) -> Tier {
        self.0.tier(p)
    }
    fn children(&self, t: Tier) -> Vec<Tier> {
        self.0.children(t)
    }
    fn flow(&self, t: Tier) -> Flow {
        self.0.flow(t)
    }
    fn size(&self, t: Tier) -> u64 {
        self.0.size(t)
    }
    fn index(&self, t: Tier) -> Tier {
        t
    }
    fn rank(&self, index: &Tier, p: u32) -> u64 {
        self.0.rank(index, p)
    }
    fn unrank(&self, index: &Tier, i: u64) -> Option<u32> {
        self.0.unrank(index, i)
    }
    fn copies(&self, index: &Tier, p: u32) -> u64 {
        self.0.copies(index, p)
    }
}

impl Unmove for Puzzle {
    fn unmoves(&self, p: u32, visit: impl FnMut(u32)) {
        self.0.unmoves(p, visit);
    }
}

/// The value of every position, by the definition. Round d finds what is won in d, with a move to
/// something won in d - 1, and what is lost in d, all moves leading to what is lost; then in the same
/// way ties. The rest are circles.
fn by_rounds(game: &Puzzle) -> Vec<Value> {
    let positions = game.0.positions();
    let below: Vec<Vec<u32>> =
        positions.iter().map(|p| list_moves(game, *p).into_iter().map(|m| m.1).collect()).collect();
    let mut values: Vec<Option<Value>> =
        positions.iter().map(|p| game.outcome(*p).map(Outcome::value)).collect();
    for ties in [false, true] {
        for d in 1.. {
            let rule = |p: &usize| {
                let has = |value| below[*p].iter().any(|c| values[*c as usize] == Some(value));
                let lost = below[*p].iter().all(|c| matches!(values[*c as usize], Some(Value::Lose(_))));
                match ties {
                    false if has(Value::Win(d - 1)) => Some((*p, Value::Win(d))),
                    false if lost => Some((*p, Value::Lose(d))),
                    true if has(Value::Tie(d - 1)) => Some((*p, Value::Tie(d))),
                    _ => None,
                }
            };
            let open = (0..values.len()).filter(|p| values[*p].is_none());
            let found: Vec<_> = open.filter_map(|p| rule(&p)).collect();
            if found.is_empty() {
                break;
            }
            found.into_iter().for_each(|(p, value)| values[p] = Some(value));
        }
    }
    values.into_iter().map(|v| v.unwrap_or(Value::Draw)).collect()
}

/// An engine by name, and the bytes it may use.
type Way = (&'static str, fn(&Puzzle) -> Box<dyn Engine>, u64);

fn over(game: &Puzzle) -> Arc<Ranked<Puzzle, Remoteness>> {
    Arc::new(Ranked::of(game.clone()))
}

const SWEEP: Way = ("sweep", |game| Box::new(Sweep::over(&over(game))), PLENTY);
const LOOPY: [Way; 5] = [
    ("retrograde", |game| Box::new(Retrograde::over(&over(game))), PLENTY),
    ("unmoves", |game| Box::new(Unmoves::over(&over(game))), PLENTY),
    ("iterate", |game| Box::new(Iterate::over(&over(game))), PLENTY),
    ("retrograde short of memory", |game| Box::new(Retrograde::over(&over(game))), 1),
    ("compact", |game| Box::new(Compact::over(&over(game))), PLENTY),
];

/// Says where some way to solve differs from the truth, if one does.
fn fault(layers: &[Layer], ways: &[Way]) -> Option<String> {
    let game = Puzzle(Graph::new(layers));
    let truth = by_rounds(&game);
    for (name, open, memory) in ways {
        let engine = open(&game);
        for pool in pools() {
            let mut done = Done::new();
            for t in (0..game.0.layers()).map(tier_of) {
                let solved = pool.install(|| tier(&game, &*engine, t, &done, *memory)).expect("a good game");
                done.insert(t, solved);
            }
            for p in game.0.positions() {
                let (t, rank) = game.0.place(p);
                let found = codes::<Puzzle, Remoteness>(&done[&t]).get(rank).value();
                if found != Some(truth[p as usize]) {
                    return Some(format!("{name}: {p} is {}, not {found:?}", truth[p as usize]));
                }
            }
        }
    }
    None
}

fn others_differ(layers: &[Layer]) -> Option<String> {
    let game = Puzzle(Graph::new(layers));
    let (truth, found) = (by_rounds(&game), zermelo_testing::oracle(&game, &game.0.positions()));
    if let Err(broken) = zermelo_testing::check_look(&game, &found) {
        return Some(broken.to_string());
    }
    let limits = zermelo_core::Limits { time: std::time::Duration::from_millis(20), memory: 1 << 20 };
    game.0.positions().into_iter().find_map(|p| {
        let want = truth[p as usize];
        let searched = if want == Value::Draw { want } else { search(&game, p, limits)? };
        let same = found[&p] == want && searched == want;
        (!same).then(|| format!("{p} is {want}; the oracle says {}, a search {searched}", found[&p]))
    })
}

const LOOP_FREE: [Way; 6] = [SWEEP, LOOPY[0], LOOPY[1], LOOPY[2], LOOPY[3], LOOPY[4]];
const ANY: &[Flow] = &[Flow::Leaves, Flow::Rises, Flow::Loops];

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, max_shrink_time: 5_000, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn engines_agree_on_puzzles_without_loops(layers in graphs(&[Flow::Leaves, Flow::Rises])) {
        prop_assert_eq!(fault(&layers, &LOOP_FREE), None);
    }

    #[test]
    fn engines_agree_on_puzzles_with_loops(layers in graphs(&[Flow::Loops])) {
        prop_assert_eq!(fault(&layers, &LOOPY), None);
    }

    #[test]
    fn engines_agree_on_puzzles_where_near_and_far_values_meet(layers in tall_graphs(&[Flow::Loops])) {
        prop_assert_eq!(fault(&layers, &LOOPY), None);
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn the_oracle_and_a_search_agree_on_puzzles(layers in graphs(ANY)) {
        prop_assert_eq!(others_differ(&layers), None);
    }
}

#[test]
fn large_puzzles_are_right() {
    assert_eq!(fault(&large(Flow::Loops, 3), &LOOPY), None);
    assert_eq!(fault(&large(Flow::Leaves, 4), &LOOP_FREE), None);
}

#[test]
fn values_of_puzzles_are_told_as_such() {
    assert_eq!(<Remoteness as Objective<Puzzle>>::UNIT, Unit::Goal);
    assert_eq!(<Remoteness as Objective<Graph>>::UNIT, Unit::Moves);
}
