//! Checkpoints of the engine `compact`: from any state that it saves it goes on to the same table, and a state that is
//! of no use is noticed.

use std::io::Read;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use zermelo_core::Outcome::{Lose, Tie, Win};
use zermelo_core::{
    Engine, Flow, Job, Keep, Remoteness, Solved, Spill, Tier, TierCheckpoint, Tiers, Watch, Width,
};
use zermelo_engines::{Compact, Ranked};

use crate::graph::{Graph, Layer, chain, graphs, tall_graphs, tier_of};
use crate::run::{Done, PLENTY, pools};
use crate::ways::{LOOPY, graph};

/// Keeps every state that is saved, and gives one that was.
#[derive(Default)]
struct States {
    saves: bool,
    saved: Mutex<Vec<Vec<u8>>>,
    old: Option<Vec<u8>>,
}

impl TierCheckpoint for States {
    fn due(&self) -> bool {
        self.saves
    }

    fn save(&self, state: Spill<'_>) {
        let (told, mut bytes) = (state.bytes(), vec![]);
        state.write(&mut bytes, Keep::AsTheyAre).expect("memory");
        assert_eq!(bytes.len() as u64, told);
        self.saved.lock().expect("nobody panics").push(bytes);
    }

    fn load(&self) -> Option<Box<dyn Read + '_>> {
        self.old.as_ref().map(|bytes| Box::new(&bytes[..]) as Box<dyn Read>)
    }
}

/// Keeps remarks.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Watch for Heard {
    fn advance(&self, _: u64) {}

    fn remark(&self, text: &str) {
        self.0.lock().expect("nobody panics").push(text.into());
    }
}

/// The stored codes of a tier, and what was said of it.
type Table = (Width, u64, Vec<u8>);

fn solve(game: &Graph, tier: Tier, done: &Done, states: &States, piece: u64) -> (Table, Vec<String>) {
    let engine = Compact::over(&Arc::new(Ranked::<Graph, Remoteness>::of(game.clone()))).in_pieces(piece);
    let children: Vec<_> = game.children(tier).iter().map(|t| done[t].clone()).collect();
    let heard = Heard::default();
    let job = Job {
        tier,
        reached: None,
        children: &children,
        memory: PLENTY,
        watch: &heard,
        checkpoint: Some(states),
    };
    let solved: Arc<dyn Solved> = pools()[1].install(|| engine.solve(&job)).expect("a good game");
    let mut bytes = vec![];
    solved.write(0..solved.entries(), &mut bytes);
    ((solved.width(), solved.positions(), bytes), heard.0.into_inner().expect("nobody panics"))
}

/// Says where a tier ends otherwise when it goes on from a state, if it does; and from how many it went on. The state is
/// saved after each piece of so many numbers, and one of so many is tried.
fn goes_on(layers: &[Layer], piece: u64, each: usize) -> Result<usize, String> {
    let game = Graph::new(layers);
    let done = graph(&game, &[LOOPY[0]]).expect("a good game");
    let mut many = 0;
    for tier in (0..game.layers()).map(tier_of) {
        let states = States { saves: true, ..States::default() };
        let (want, _) = solve(&game, tier, &done, &states, piece);
        let mut bytes = vec![];
        done[&tier].write(0..done[&tier].entries(), &mut bytes);
        if want != (done[&tier].width(), done[&tier].positions(), bytes) {
            return Err(format!("tier {tier} is not as retrograde has it"));
        }
        let saved = states.saved.into_inner().expect("nobody panics");
        for (n, state) in saved.into_iter().enumerate().step_by(each) {
            let (found, remarks) =
                solve(&game, tier, &done, &States { old: Some(state), ..States::default() }, piece);
            // A tier whose cells turned out too narrow goes on from the state of wide ones.
            if !remarks.iter().any(|remark| remark.ends_with("goes on from its checkpoint")) {
                return Err(format!("tier {tier}, state {n}: {remarks:?}"));
            }
            if found != want {
                return Err(format!("tier {tier} ends otherwise after state {n}"));
            }
            many += 1;
        }
    }
    Ok(many)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn a_tier_goes_on_from_any_state(layers in graphs(&[Flow::Loops])) {
        let found = goes_on(&layers, 16, 1);
        prop_assert!(found.is_ok(), "{found:?}");
    }

    #[test]
    fn a_tall_tier_goes_on_from_any_state(layers in tall_graphs(&[Flow::Loops])) {
        let found = goes_on(&layers, 16, 2);
        prop_assert!(found.is_ok(), "{found:?}");
    }
}

/// More than 250 different codes in a tier.
#[test]
fn a_tier_with_wide_cells_goes_on_from_any_state() {
    for end in [Lose, Tie, Win] {
        let many = goes_on(&[Layer::plain(Flow::Loops, chain(0, 400, end))], 256, 41);
        assert!(many.as_ref().is_ok_and(|many| *many > 20), "{end:?}: {many:?}");
    }
}

#[test]
fn a_state_of_no_use_is_noticed() {
    let game = Graph::new(&[Layer::plain(Flow::Loops, chain(0, 90, Lose))]);
    let (tier, done) = (tier_of(0), Done::new());
    let states = States { saves: true, ..States::default() };
    let (want, remarks) = solve(&game, tier, &done, &states, 16);
    assert_eq!(remarks, [""; 0]);
    let saved = states.saved.into_inner().expect("nobody panics");
    let good = &saved[saved.len() / 2];
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut state = good.clone();
        change(&mut state);
        state
    };
    let spoilt = [
        with(&|state| state.clear()),
        with(&|state| state.truncate(20)),
        with(&|state| state.truncate(state.len() - 1)),
        with(&|state| state.push(0)),
        with(&|state| state[3] ^= 1),
        with(&|state| state[8] ^= 1),
        with(&|state| state[16] = 9),
        with(&|state| state[20] = 9),
    ];
    for (n, state) in spoilt.into_iter().enumerate() {
        let (found, remarks) =
            solve(&game, tier, &done, &States { old: Some(state), ..States::default() }, 16);
        assert!(found == want, "{n}");
        assert!(remarks.len() == 1 && remarks[0].contains("checkpoint cannot be read"), "{n}: {remarks:?}");
    }
}
