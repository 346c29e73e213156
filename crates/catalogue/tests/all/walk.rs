//! Walks from the start, ply by ply: how many positions and games there are.

use std::collections::HashSet;

use zermelo_catalogue::Catalogue;
use zermelo_core::{Record, Tally, Walking};

/// Walks with a sorted list in memory: the tallies by ply.
fn walk(name: &str, how: Walking, room: usize) -> Vec<Tally> {
    let game = Catalogue::standard().open(name, None, None).expect("opens");
    let walker = game.audit().walker(how).expect("single positions");
    let (mut ply, mut frontier, mut tallies) = (0, vec![walker.start()], vec![]);
    let mut seen = HashSet::new();
    while !frontier.is_empty() {
        seen.extend(frontier.iter().map(Record::place));
        let (mut tally, mut next, mut out, mut at) = (Tally::default(), vec![], vec![], 0);
        while at < frontier.len() {
            at += walker.expand(ply, false, &frontier[at..], &mut out, room, &mut tally);
            next.append(&mut out);
        }
        next.sort_by_key(Record::id);
        next.dedup_by(|b, a| a.id() == b.id() && (a.merge(b), true).1);
        next.retain(|record| !seen.contains(&record.place()));
        (frontier, ply) = (next, ply + 1);
        tallies.push(tally);
    }
    tallies
}

fn sum(tallies: &[Tally]) -> Tally {
    let mut all = Tally::default();
    tallies.iter().for_each(|tally| all.merge(tally));
    all
}

#[test]
fn tic_tac_toe_by_the_textbook() {
    for fold in [true, false] {
        let all = sum(&walk("mnk", Walking { fold, sides: false }, 5));
        assert_eq!((all.positions, all.unfolded), (if fold { 765 } else { 5_478 }, 5_478));
        assert_eq!((all.finals, all.unfolded_finals), (if fold { 138 } else { 958 }, 958));
        assert_eq!(all.ended, [131_184, 77_904, 46_080]);
        assert_eq!(all.games[..5], [0, 9, 72, 504, 3024]);
        assert_eq!((all.passes, all.placed), (0, all.positions));
    }
}

#[test]
fn quixo_counts_positions_but_no_games() {
    let all = sum(&walk("quixo:rows=3,cols=3,line=3", Walking { fold: true, sides: false }, usize::MAX));
    assert_eq!((all.positions, all.unfolded), (4_433, 32_027));
    assert_eq!((all.games, all.ended), (vec![], [0; 3]));
}

#[test]
fn the_last_ply_has_moves_but_no_children() {
    let game = Catalogue::standard().open("mnk", None, None).expect("opens");
    let walker = game.audit().walker(Walking { fold: true, sides: false }).expect("single positions");
    let (mut out, mut tally) = (vec![], Tally::default());
    walker.expand(0, true, &[walker.start()], &mut out, 1, &mut tally);
    assert_eq!((out.len(), tally.moves, tally.games), (0, 9, vec![]));
}
