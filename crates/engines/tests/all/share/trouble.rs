//! Whatever goes wrong at one process, nobody is left waiting.

use std::sync::atomic::Ordering::Relaxed;

use zermelo_core::Outcome::{Lose, Tie, Win};
use zermelo_core::{EngineError, Flow, Peers, Reason, SharedJob, Watch, Width};

use super::table::{Answer, Tables, tables};
use super::wire::{Wire, spread, spread_all};
use super::{UNMOVES, share};
use crate::graph::Slot::{Over, To};
use crate::graph::{Graph, Layer, chain, large, tier_of};
use crate::run::PLENTY;
use crate::ways::{LOOPY, SWEEP, Way, graph};

const COUNT: usize = 3;

/// Solves the last tier of a graph whose other tiers are done, with both engines.
fn both(layers: &[Layer], hide: bool, memory: u64, check: impl Fn(&str, &[Answer])) {
    let mut game = Graph::new(layers);
    let done = graph(&game, &[SWEEP]).expect("a good game");
    let (tables, last) = (tables(&done), tier_of(layers.len() - 1));
    if hide {
        game.hide(layers.len() - 1, 0);
    }
    check("sweep", &spread_all(COUNT, |wire| share(SWEEP, (&game, last), &tables, (wire, 1, memory), &())));
    check(
        "unmoves",
        &spread_all(COUNT, |wire| share(UNMOVES, (&game, last), &tables, (wire, 1, memory), &())),
    );
}

fn over_three(slots: Vec<crate::graph::Slot>) -> [Layer; 2] {
    [Layer::plain(Flow::Leaves, vec![Over(Lose), Over(Tie), Over(Win)]), Layer::plain(Flow::Leaves, slots)]
}

#[test]
fn a_fault_that_one_process_sees_ends_all() {
    let layers = over_three(vec![Over(Win), To(vec![(0, 1), (0, 2)]), Over(Lose), Over(Tie)]);
    both(&layers, true, PLENTY, |engine, said| {
        let bad = |s: &&Answer| matches!(s, Err(EngineError::BadGame { .. }));
        assert_eq!(said.iter().filter(bad).count(), 1, "{engine}");
        for error in said.iter().filter(|s| !bad(s)) {
            let told =
                matches!(error, Err(EngineError::Peer(_, why)) if why.contains("not among its children"));
            assert!(told, "{engine}: {:?}", error.as_ref().err());
        }
    });
}

#[test]
fn a_position_without_moves_ends_all() {
    let game = Graph::new(&[Layer::plain(Flow::Leaves, vec![Over(Win), Over(Tie), To(vec![]), Over(Win)])]);
    let tables = Tables::new();
    let said = spread_all(COUNT, |wire| share(SWEEP, (&game, tier_of(0)), &tables, (wire, 1, 0), &()));
    assert!(said.iter().all(|s| s.is_err()));
    let said = spread_all(COUNT, |wire| share(UNMOVES, (&game, tier_of(0)), &tables, (wire, 1, 0), &()));
    assert!(said.iter().all(|s| s.is_err()));
}

/// A table below cannot be read at one process.
fn unreadable(way: Way, wire: &Wire) -> Answer {
    let engine = way.engine(&Graph::new(&over_three(vec![To(vec![(0, 0)]); 9])));
    let at = wire.here();
    let read = |range: std::ops::Range<u64>, out: &mut Vec<u8>| -> Result<(), Reason> {
        if at == 1 {
            return Err("block 3 is damaged".into());
        }
        out.extend(vec![u8::MAX; (range.end - range.start) as usize]);
        Ok(())
    };
    engine.sharing().expect("it can").solve(&SharedJob {
        tier: tier_of(1),
        children: &[(Width::One, &read)],
        block: 1,
        peers: wire,
        memory: PLENTY,
        watch: &(),
    })
}

#[test]
fn a_table_that_one_process_cannot_read_ends_all() {
    for way in [SWEEP, UNMOVES] {
        let said = spread_all(COUNT, |wire| unreadable(way, wire));
        for (peer, answer) in said.into_iter().enumerate() {
            let error = answer.err().expect("an error");
            match &error {
                EngineError::Load { tier, .. } if peer == 1 => assert_eq!(*tier, tier_of(0)),
                EngineError::Peer(1, _) if peer != 1 => {}
                _ => panic!("process {peer}: {error}"),
            }
            assert!(error.to_string().contains("block 3 is damaged"), "{error}");
        }
    }
}

#[test]
fn distances_that_take_more_memory_or_more_than_two_bytes_are_the_same_error_for_all() {
    let over = |length| {
        let end = if length == 95 { Lose } else { Win };
        let below = Layer::plain(Flow::Rises, chain(0, length, end));
        [below, Layer::plain(Flow::Leaves, vec![Over(Win), Over(Lose), To(vec![(0, 0)])])]
    };
    both(&over(95), false, 0, |engine, said| {
        let long = |s: &Answer| matches!(s, Err(EngineError::LongLines(..)));
        assert!(said.iter().all(long), "{engine}");
    });
    let game = Graph::new(&over(19_999));
    let below = SWEEP.solve(&game, tier_of(0), &Default::default()).expect("within range");
    let tables = tables(&[(tier_of(0), below)].into());
    let ask = |wire: &Wire| {
        let job = (wire, 1, PLENTY);
        [
            share(SWEEP, (&game, tier_of(1)), &tables, job, &()),
            share(UNMOVES, (&game, tier_of(1)), &tables, job, &()),
        ]
    };
    for error in spread_all(COUNT, ask).into_iter().flatten() {
        assert!(matches!(error.err(), Some(EngineError::OutOfRange(_))));
    }
}

/// Panics when it hears of progress at one process.
struct Fright(usize);

impl Watch for Fright {
    fn advance(&self, _: u64) {
        assert_ne!(self.0, 1, "this one panics");
    }
}

#[test]
fn a_panic_of_one_process_ends_all() {
    let game = Graph::new(&large(Flow::Leaves, 3));
    let tables = tables(&graph(&game, &[SWEEP]).expect("a good game"));
    for way in [SWEEP, UNMOVES] {
        let said = spread(COUNT, u64::MAX, |wire| {
            share(way, (&game, tier_of(2)), &tables, (wire, 1, 0), &Fright(wire.here())).map(|_| ())
        });
        assert!(said[1].is_err());
        for peer in [0, 2] {
            assert!(matches!(&said[peer], Ok(Err(EngineError::Peer(1, why))) if why.contains("panic")));
        }
    }
}

#[test]
fn a_line_that_is_cut_is_an_error_of_all() {
    let game = Graph::new(&large(Flow::Loops, 3));
    let tables = tables(&graph(&game, &[UNMOVES]).expect("a good game"));
    for breaks in [0, 1, 2, 5, 12] {
        let said = spread(COUNT, breaks, |wire| {
            let error = share(UNMOVES, (&game, tier_of(2)), &tables, (wire, 1, 0), &()).err();
            (error, wire.exchanges.load(Relaxed))
        });
        for one in said {
            let (error, exchanges) = one.expect("no panic");
            assert!(matches!(error, Some(EngineError::Exchange { .. })), "{error:?}");
            assert_eq!(exchanges, breaks + 1, "nobody tries again");
        }
    }
}

#[test]
fn engines_that_cannot_say_so() {
    let game = Graph::new(&large(Flow::Loops, 3));
    let tables = tables(&graph(&game, &[UNMOVES]).expect("a good game"));
    let sweep = |wire: &Wire| share(SWEEP, (&game, tier_of(2)), &tables, (wire, 1, PLENTY), &());
    for sweep in spread_all(2, sweep) {
        assert!(matches!(sweep.err(), Some(EngineError::Loops(_, "sweep"))));
    }
    for way in LOOPY {
        assert_eq!(way.engine(&game).sharing().is_some(), way.name == "unmoves", "{}", way.name);
    }
}
