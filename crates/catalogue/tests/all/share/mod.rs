//! Real games by several processes: the shares, one after another, are the table that one process writes, byte for
//! byte.

mod sections;
#[path = "../../../../engines/tests/all/share/table.rs"]
mod table;
#[path = "../../../../engines/tests/all/share/wire.rs"]
mod wire;

use std::collections::BTreeMap;

use zermelo_core::{Job, Opened, Tier};

use crate::games::open;
use crate::run::{Done, PLENTY};
use table::{Table, differs, share, tables};
use wire::spread_all;

/// The tiers of a game, children first, and each solved by one process.
fn solved(game: &Opened) -> (Vec<Tier>, Done) {
    fn visit(game: &Opened, tier: Tier, seen: &mut BTreeMap<Tier, ()>, order: &mut Vec<Tier>) {
        if seen.insert(tier, ()).is_none() {
            game.tiers().children(tier).into_iter().for_each(|child| visit(game, child, seen, order));
            order.push(tier);
        }
    }
    let (mut order, mut done) = (vec![], Done::new());
    game.tiers().roots().into_iter().for_each(|root| visit(game, root, &mut BTreeMap::new(), &mut order));
    let mut seen = BTreeMap::new();
    order.retain(|tier| seen.insert(*tier, ()).is_none());
    for tier in &order {
        let children: Vec<_> = game.tiers().children(*tier).iter().map(|t| done[t].clone()).collect();
        let job = Job {
            tier: *tier,
            reached: None,
            children: &children,
            memory: PLENTY,
            watch: &(),
            checkpoint: None,
        };
        done.insert(*tier, game.engine().solve(&job).expect("a good game"));
    }
    (order, done)
}

/// Solves every tier of a variant with so many processes, and compares.
fn right(name: &str, engine: &str, objective: Option<&str>, counts: &[usize], block: u64, memory: u64) {
    let game = open(name, Some(engine), objective).expect("opens");
    let (order, done) = solved(&game);
    let tables = tables(&done);
    for (count, tier) in counts.iter().flat_map(|count| order.iter().map(move |tier| (*count, *tier))) {
        let below = game.tiers().children(tier);
        let shares = spread_all(count, |wire| {
            let part = (wire as _, block, memory);
            share(game.engine(), tier, (&tables, &below), part, Table::read, &()).expect("a good game")
        });
        assert_eq!(differs(&shares, block, &done[&tier]), None, "{name} with {count}, tier {tier}");
    }
}

#[test]
fn sweeps_are_as_of_one_process() {
    right("mnk", "sweep", None, &[1, 2, 3, 5], 4, PLENTY);
    right("mnk:rows=3,cols=4,line=3", "sweep", None, &[2, 3], 64, 0);
    right("connect4:rows=3,cols=4", "sweep", None, &[2, 5], 16, PLENTY);
    right("connect4:rows=4,cols=4", "sweep", None, &[3], 1 << 10, 0);
}

#[test]
fn margins_and_moves_of_the_same_player_are_as_of_one_process() {
    right("othello:rows=4,cols=4", "sweep", Some("margin"), &[2], 16, PLENTY);
}

#[test]
fn loops_are_as_of_one_process() {
    right("quixo:rows=2,cols=3,line=2", "unmoves", None, &[1, 2, 5], 4, PLENTY);
    right("quixo:rows=3,cols=3,line=3", "unmoves", None, &[1, 2, 3, 5], 16, PLENTY);
    right("quixo:rows=3,cols=4,line=3", "unmoves", None, &[3], 1 << 9, 0);
    right("slide:rows=2,cols=3", "unmoves", None, &[1, 2, 5], 4, PLENTY);
}

#[test]
fn endgames_are_as_of_one_process() {
    right("xiangqi:material=KPk", "unmoves", None, &[1, 3], 1 << 8, PLENTY);
    right("xiangqi:pieces=3", "unmoves", None, &[2], 1 << 10, 0);
}
