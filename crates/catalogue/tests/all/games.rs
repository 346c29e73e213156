//! Real games through the catalogue: all engines that can solve a variant write the same bytes, and every raw
//! position, not only canonical ones, has the value that the oracle gives. Tables that are loaded again
//! verify; tables with one wrong code do not.

use std::collections::HashMap;
use std::sync::Arc;

use zermelo_catalogue::{Catalogue, OpenError};
use zermelo_core::{
    Code, Face, Objective, Opened, Options, Reason, Remoteness, Solved, Tier, Tiers, Value, Width,
};
use zermelo_games::{Meaningless, Mnk, Quixo};

use crate::run::{Done, PLENTY, codes, order, pools, solve};

/// Opens a variant of a game of the project.
pub(crate) fn open(name: &str, engine: Option<&str>, objective: Option<&str>) -> Result<Opened, OpenError> {
    Catalogue::standard().open(name, engine, objective)
}

/// A game without an engine.
pub(crate) fn make<G: Face>(options: &str) -> G {
    G::new(&Options::read(&G::CARD, options).expect("options")).expect("a game")
}

fn children(game: &Opened, tier: Tier, done: &Done) -> Vec<Arc<dyn Solved>> {
    game.tiers().children(tier).iter().map(|t| done[t].clone()).collect()
}

fn table(solved: &Arc<dyn Solved>) -> (Width, u64, Vec<u8>) {
    let mut bytes = vec![];
    solved.write(0..solved.entries(), &mut bytes);
    (solved.width(), solved.positions(), bytes)
}

/// Solves a variant in every way there is and compares; gives one solution.
pub(crate) fn agreed<G: Tiers + Face>(options: &str) -> (G, Done) {
    let name = format!("{}:{options}", G::CARD.name);
    let entry = Catalogue::standard().find(G::CARD.name).expect("in the catalogue");
    let mut all: Vec<(String, Done)> = vec![];
    // Two engines number tiers in their own ways: see lattice.rs and blobs.rs. The engine for GPUs is compared in the
    // tests of its crate, with the processor as its device.
    let ways = entry.ways.iter().filter(|way| way.objective == "remoteness");
    for way in ways.filter(|way| !matches!(way.engine, "lattice" | "blobs" | "gpu")) {
        let game = match open(&name, Some(way.engine), Some(way.objective)) {
            Err(OpenError::Beyond { .. }) => continue,
            game => game.expect("opens"),
        };
        assert_eq!((game.takes.name, game.objective), (way.engine, way.objective));
        for (pool, memory) in pools().iter().zip([0, PLENTY]) {
            let label = format!("{name}, {} with memory {memory}", way.engine);
            all.push((label, pool.install(|| solve(&game, memory))));
        }
    }
    let (first, others) = all.split_first().expect("some way");
    for (label, done) in others {
        for (tier, solved) in &first.1 {
            assert!(table(solved) == table(&done[tier]), "tier {tier}: {label} is not {}", first.0);
            for i in 0..solved.entries() {
                let (a, b) =
                    (codes::<G, Remoteness>(solved).get(i), codes::<G, Remoteness>(&done[tier]).get(i));
                assert_eq!(a, b, "number {i} of tier {tier}: {label} is not {}", first.0);
            }
        }
    }
    (make(options), all.swap_remove(0).1)
}

pub(crate) fn value<G: Tiers>(
    game: &G,
    done: &Done,
    indexes: &mut HashMap<Tier, G::Index>,
    p: G::Position,
) -> Option<Value> {
    let tier = game.tier(p);
    let index = indexes.entry(tier).or_insert_with(|| game.index(tier));
    codes::<G, Remoteness>(&done[&tier]).get(game.rank(index, p)).value()
}

/// Agreed on by every engine, and as the oracle has it from every position that has a number, reachable or not.
pub(crate) fn right<G: Tiers + Face>(options: &str) {
    let (game, done) = agreed::<G>(options);
    let mut roots = vec![];
    for tier in done.keys() {
        game.scan(&game.index(*tier), 0..game.size(*tier), |_, p| roots.push(p));
    }
    let (values, mut indexes) = (zermelo_testing::oracle(&game, &roots), HashMap::new());
    assert!(values.len() >= roots.len());
    for (p, want) in &values {
        assert_eq!(value(&game, &done, &mut indexes, *p), Some(*want), "{}:{options} {p:?}", G::CARD.name);
    }
    zermelo_testing::check_look(&game, &values).expect("no law is broken");
}

#[test]
fn quixo_is_right() {
    for options in
        ["rows=2,cols=2,line=2", "rows=2,cols=3,line=2", "rows=2,cols=3,line=3", "rows=3,cols=2,line=2"]
    {
        right::<Quixo>(options);
    }
    right::<Quixo>("rows=3,cols=3,line=3");
    right::<Quixo>("rows=3,cols=3,line=2");
}

#[test]
fn larger_quixo_is_agreed_on() {
    let (game, done) = agreed::<Quixo>("rows=3,cols=4,line=3");
    let (turned, other) = agreed::<Quixo>("rows=4,cols=3,line=3");
    let start = |game: &Quixo, done| value(game, done, &mut HashMap::new(), zermelo_core::Game::start(game));
    assert_eq!(start(&game, &done), start(&turned, &other), "a board on its side");
    // Every value again from its children, one look-up at a time.
    for (name, done) in [("quixo:rows=3,cols=4,line=3", &done), ("quixo:rows=4,cols=3,line=3", &other)] {
        let game = open(name, None, None).expect("opens");
        for tier in order(&game) {
            let checked =
                game.audit().verify(tier, &*done[&tier], &children(&game, tier, done)).expect("plain form");
            assert_eq!(
                (checked.checked, checked.wrong),
                (done[&tier].positions(), 0),
                "{:?}",
                checked.examples
            );
        }
    }
}

#[test]
fn quixo_on_oblong_boards_is_right() {
    right::<Quixo>("rows=3,cols=4,line=3");
    right::<Quixo>("rows=4,cols=3,line=3");
}

#[test]
fn mnk_is_right() {
    for options in
        ["", "rows=2,cols=4,line=3", "rows=2,cols=4,line=2", "rows=1,cols=1,line=1", "rows=1,cols=6,line=2"]
    {
        right::<Mnk>(options);
        right::<Mnk>(&format!("{options},misere=yes"));
    }
    right::<Mnk>("rows=3,cols=4,line=3");
}

#[test]
fn the_meaningless_game_is_right() {
    for options in ["", "loops=1", "depth=1,width=1,size=1,loops=1", "size=30,moves=32,loops=1,seed=5"] {
        right::<Meaningless>(options);
    }
    for seed in 2..8 {
        right::<Meaningless>(&format!("depth=4,width=2,size=300,moves=3,loops=1,seed={seed}"));
        right::<Meaningless>(&format!("depth=5,size=90,moves=4,seed={seed}"));
    }
    // Larger than one task of an engine.
    agreed::<Meaningless>("depth=2,width=1,size=60000,loops=1,seed=3");
    agreed::<Meaningless>("depth=3,width=2,size=20000,moves=3");
}

#[test]
fn a_sweep_is_not_tried_on_a_variant_with_loops() {
    let engine = |name| open(name, None, None).expect("opens").takes.name;
    assert_eq!((engine("meaningless"), engine("meaningless:loops=1")), ("sweep", "retrograde"));
    let refused = open("meaningless:loops=1", Some("sweep"), None).err();
    assert!(matches!(refused, Some(OpenError::Beyond { engine: "sweep", .. })), "{refused:?}");
}

#[test]
fn known_values_of_starts() {
    // EECS-2024-139 for Quixo on 3x3; tic-tac-toe is everybody's.
    let (game, done) = agreed::<Quixo>("rows=3,cols=3,line=3");
    assert_eq!(
        value(&game, &done, &mut HashMap::new(), zermelo_core::Game::start(&game)),
        Some(Value::Win(7))
    );
    let (game, done) = agreed::<Mnk>("");
    assert_eq!(
        value(&game, &done, &mut HashMap::new(), zermelo_core::Game::start(&game)),
        Some(Value::Tie(9))
    );
}

/// Loads a tier from bytes.
fn load(game: &Opened, tier: Tier, width: Width, bytes: &[u8]) -> Arc<dyn Solved> {
    let read = |range: std::ops::Range<u64>, out: &mut Vec<u8>| -> Result<(), Reason> {
        out.extend(&bytes[range.start as usize * width.bytes()..range.end as usize * width.bytes()]);
        Ok(())
    };
    game.audit().load_plain(tier, width, &read).expect("loads")
}

#[test]
fn stored_games_verify_and_one_wrong_code_does_not() {
    for name in [
        "mnk",
        "quixo:rows=3,cols=3,line=3",
        "meaningless",
        "meaningless:depth=4,loops=1",
        "slide:rows=2,cols=3",
        "pegs:size=4,hole=2",
    ] {
        let game = open(name, None, None).expect("opens");
        let done = solve(&game, PLENTY);
        let mut tried = 0;
        for tier in order(&game) {
            let (width, _, bytes) = table(&done[&tier]);
            let below = children(&game, tier, &done);
            let good =
                game.audit().verify(tier, &*load(&game, tier, width, &bytes), &below).expect("plain form");
            assert_eq!((good.checked, good.wrong), (done[&tier].positions(), 0), "{name}, tier {tier}");
            // Some numbers whose codes are stored, each with every kind of wrong code.
            let stored = (0..bytes.len()).filter(|i| bytes[*i] != u8::MAX);
            for i in stored.step_by(13) {
                for wrong in [0, 1, 95, 96, 159, 252, 253, 254].into_iter().filter(|w| *w != bytes[i]) {
                    let mut bytes = bytes.clone();
                    bytes[i] = wrong;
                    let bad = game
                        .audit()
                        .verify(tier, &*load(&game, tier, width, &bytes), &below)
                        .expect("plain form");
                    let code = Code::widen(wrong).value();
                    assert!(bad.wrong > 0, "{name}, tier {tier}: number {i} as {code:?} went unnoticed");
                    tried += 1;
                }
            }
        }
        assert!(tried > 30, "{name}: {tried}");
    }
}

#[test]
fn names_that_do_not_exist_are_refused() {
    for (name, engine, objective) in [
        ("chess", None, None),
        ("mnk:rows=9", None, None),
        ("mnk", Some("unmoves"), None),
        ("mnk", Some(""), None),
        ("quixo", Some("sweep"), None),
        ("quixo", None, Some("margin")),
        ("quixo", None, Some("nimber")),
        ("nim:play=misere", None, Some("nimber")),
    ] {
        assert!(open(name, engine, objective).is_err(), "{name} {engine:?} {objective:?}");
    }
    assert_eq!(<Remoteness as Objective<Mnk>>::NAME, open("MNK", None, None).expect("opens").objective);
}
