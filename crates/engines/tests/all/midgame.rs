//! The mid-game solver of Pentago: published values, and a plain search of single boards.

use std::collections::HashMap;

use zermelo_core::laws::list_moves;
use zermelo_core::{Face, Game, Outcome, Turn};
use zermelo_engines::{Isa, Midgame};
use zermelo_games::Pentago;

type Stones = <Pentago as Game>::Position;

/// The root with 18 stones of the published benchmark, and the values of it and its moves.
const VECTORS: &str = include_str!("../../../games/src/pentago/vectors.txt");

fn published() -> HashMap<&'static str, i8> {
    let lines = VECTORS.lines().filter_map(|line| line.strip_prefix("value "));
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(board, value)| (board, value.parse().expect("good")))
        .collect()
}

#[test]
fn published_values_below_eighteen_stones() {
    let (root, want) = ("274440791932540184", published());
    let found = Midgame::new(Isa::best()).solve(root).expect("good");
    assert_eq!(found.root, want[root]);
    let start = Pentago::default().read(root).expect("good");
    let children = list_moves(&Pentago::default(), start.1);
    assert_eq!((children.len(), found.moves.len()), (144, 144));
    for ((m, child), (name, score)) in children.into_iter().zip(&found.moves) {
        assert_eq!(*name, Pentago::default().show_move(start.0, start.1, m));
        let board = Pentago::default().show(start.0.other(), child);
        assert_eq!(*score, want[board.as_str()], "{name}: {board}");
    }
}

/// The value for the player to move, by looking at all lines of play.
fn plain(p: Stones, mut least: i8, most: i8, seen: &mut HashMap<Stones, i8>) -> i8 {
    if let Some(outcome) = Pentago::default().outcome(p) {
        return match outcome {
            Outcome::Win => 1,
            Outcome::Tie => 0,
            Outcome::Lose => -1,
        };
    }
    if let Some(value) = seen.get(&p) {
        return *value;
    }
    let (mut best, mut cut) = (-1, false);
    for (_, child) in list_moves(&Pentago::default(), p) {
        best = best.max(-plain(child, -most, -least, seen));
        least = least.max(best);
        if least >= most {
            cut = best < 1;
            break;
        }
    }
    if !cut {
        seen.insert(p, best);
    }
    best
}

/// A fixed sequence of numbers that look random (splitmix64).
fn roll(state: &mut u64, sides: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ z >> 31) % sides as u64) as usize
}

/// A board with so many stones, put anywhere, on which nobody has five.
fn random(state: &mut u64, stones: usize) -> (Turn, Stones) {
    loop {
        let mut cells = [b'-'; 36];
        for stone in 0..stones {
            let free: Vec<usize> = (0..36).filter(|c| cells[*c] == b'-').collect();
            cells[free[roll(state, free.len())]] = b"xo"[stone % 2];
        }
        let text = format!("1_{}", String::from_utf8_lossy(&cells));
        let (turn, p) = Pentago::default().read(&text).expect("good");
        if Pentago::default().outcome(p).is_none() {
            return (turn, p);
        }
    }
}

#[test]
fn a_plain_search_agrees_on_a_thousand_boards() {
    let midgame = Midgame::new(Isa::best());
    let (mut dice, mut seen) = (7, [0; 3]);
    for n in 0..1_000 {
        let stones = 28 + n % 8;
        let (turn, p) = random(&mut dice, stones);
        let found = midgame.solve(&Pentago::default().show(turn, p)).expect("good");
        let want = plain(p, -1, 1, &mut HashMap::new());
        assert_eq!(found.root, want, "{}", Pentago::default().show(turn, p));
        seen[(want + 1) as usize] += 1;
        if n % 20 == 0 {
            for ((_, child), (name, score)) in
                list_moves(&Pentago::default(), p).into_iter().zip(&found.moves)
            {
                assert_eq!(*score, plain(child, -1, 1, &mut HashMap::new()), "{name}");
            }
        }
    }
    assert!(seen.iter().all(|many| *many > 20), "{seen:?}");
}

#[test]
fn every_instruction_set_gives_the_same() {
    let mut dice = 3;
    for stones in [21, 22, 27, 30, 34, 35] {
        let (turn, p) = random(&mut dice, stones);
        let name = Pentago::default().show(turn, p);
        let all: Vec<_> = [Isa::Portable, Isa::Avx2, Isa::Avx512]
            .into_iter()
            .filter(|isa| isa.is_here())
            .map(|isa| Midgame::new(isa).solve(&name))
            .collect();
        assert!(all[0].is_some() && all.iter().all(|scores| *scores == all[0]), "{name}");
    }
}

#[test]
fn what_it_cannot_solve() {
    let midgame = Midgame::new(Isa::best());
    assert_eq!(midgame.solve("0"), None, "too many empty cells");
    assert_eq!(midgame.solve("nonsense"), None);
}
