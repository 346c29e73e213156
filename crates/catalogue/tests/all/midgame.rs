//! The mid-game solver of Pentago: published values, and a plain search of single boards.

use std::collections::HashMap;

use zermelo_core::laws::list_moves;
use zermelo_core::sections::quadrants::{ALL, LINES, turn};
use zermelo_core::{Face, Game, Outcome, Packed, Turn, Value};
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
    let start = Pentago::default().read(root).expect("good");
    let found = Midgame::new(Isa::best()).solve(&Pentago::default(), start.1).expect("good");
    assert_eq!(found.root, want[root]);
    let children = list_moves(&Pentago::default(), start.1);
    assert_eq!((children.len(), found.moves.len()), (144, 144));
    for ((m, child), (name, score)) in children.into_iter().zip(&found.moves) {
        assert_eq!(*name, Pentago::default().show_move(start.0, start.1, m));
        let board = Pentago::default().show(start.0.other(), child);
        assert_eq!(*score, want[board.as_str()], "{name}: {board}");
    }
    // By cell: the best of the moves that put a stone there.
    let mut placed = HashMap::new();
    for (name, score) in &found.moves {
        let best = placed.entry(name.split('-').next().expect("a cell")).or_insert(-1);
        *best = (*best).max(-score);
    }
    assert_eq!(placed.len(), 18);
    for (cell, score) in placed {
        let board = format!("{}m", root.parse::<u64>().expect("good") + black_stone(cell));
        assert_eq!(score, want[board.as_str()], "{cell}: {board}");
    }
    assert_eq!(want.len(), 1 + 144 + 18);
}

/// What a black stone adds to a board's number: a digit to base 3 in its quadrant.
fn black_stone(cell: &str) -> u64 {
    let [x, y] = [cell.as_bytes()[0] - b'a', cell.as_bytes()[1] - b'1'];
    3u64.pow(u32::from(3 * (x % 3) + y % 3)) << (16 * (2 * (x / 3) + y / 3))
}

fn five(side: u64) -> bool {
    LINES.iter().any(|line| side & line == *line)
}

/// Whether a stone makes five at once.
fn one_stone(own: u64, other: u64) -> bool {
    LINES.iter().any(|line| (own & line).count_ones() == 4 && other & line == 0)
}

/// Alpha-beta over single boards, with bounds of the values seen so far.
#[derive(Default)]
struct Plain(HashMap<[u64; 2], [i8; 2]>);

impl Plain {
    /// The value for the player to move of a board that is not over, if it is within the bounds;
    /// otherwise one that lies outside of them too.
    fn value(&mut self, [own, other]: [u64; 2], least: i8, most: i8) -> i8 {
        if one_stone(own, other) {
            return 1;
        }
        let [low, high] = *self.0.get(&[own, other]).unwrap_or(&[-1, 1]);
        let (alpha, beta) = (least.max(low), most.min(high));
        if alpha >= beta {
            return if low >= most { low } else { high };
        }
        let best = self.best([own, other], alpha, beta);
        let known =
            [if best > alpha { best.max(low) } else { low }, if best < beta { best.min(high) } else { high }];
        self.0.insert([own, other], known);
        best
    }

    fn best(&mut self, [own, other]: [u64; 2], mut alpha: i8, beta: i8) -> i8 {
        let (mut best, mut open) = (-1, vec![]);
        let free = ALL & !(own | other);
        for stone in (0..64).map(|n| 1u64 << n).filter(|stone| free & stone != 0) {
            for (quadrant, quarters) in (0..8).map(|n| (n / 2, 1 + n % 2 * 2)) {
                let turned = |set: u64| turn(set, quadrant, quarters);
                let [mine, theirs] = [turned(own | stone), turned(other)];
                match (five(mine), five(theirs)) {
                    (true, false) => return 1,
                    (true, true) => best = best.max(0),
                    (false, true) => {}
                    (false, false) if free == stone => best = best.max(0),
                    // Where the other wins with a stone, this is lost.
                    (false, false) if !one_stone(theirs, mine) => open.push([theirs, mine]),
                    (false, false) => {}
                }
            }
        }
        open.sort_unstable();
        open.dedup();
        for child in open {
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
            best = best.max(-self.value(child, -beta, -alpha));
        }
        best
    }

    /// The value for the player to move of any board.
    fn solve(&mut self, p: Stones) -> i8 {
        match Pentago::default().outcome(p) {
            Some(Outcome::Win) => 1,
            Some(Outcome::Tie) => 0,
            Some(Outcome::Lose) => -1,
            None => self.value(p.pack(), -1, 1),
        }
    }
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
        let text = format!("{}_{}", 1 + stones % 2, String::from_utf8_lossy(&cells));
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
        let stones = 24 + n % 12;
        let (turn, p) = random(&mut dice, stones);
        let found = midgame.solve(&Pentago::default(), p).expect("good");
        let mut search = Plain::default();
        let want = search.solve(p);
        assert_eq!(found.root, want, "{}", Pentago::default().show(turn, p));
        seen[(want + 1) as usize] += 1;
        if n % 20 == 0 {
            for ((_, child), (name, score)) in
                list_moves(&Pentago::default(), p).into_iter().zip(&found.moves)
            {
                assert_eq!(*score, search.solve(child), "{name}");
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
            .map(|isa| Midgame::new(isa).solve(&Pentago::default(), p))
            .collect();
        assert!(all[0].is_some() && all.iter().all(|scores| *scores == all[0]), "{name}");
    }
}

/// The value and the moves to the end, by looking at all lines of play.
fn plain_value(p: Stones, seen: &mut HashMap<Stones, Value>) -> Value {
    if let Some(outcome) = Pentago::default().outcome(p) {
        return match outcome {
            Outcome::Win => Value::Win(0),
            Outcome::Tie => Value::Tie(0),
            Outcome::Lose => Value::Lose(0),
        };
    }
    if let Some(value) = seen.get(&p) {
        return *value;
    }
    let mut best = None;
    for (_, child) in list_moves(&Pentago::default(), p) {
        let value = match plain_value(child, seen) {
            Value::Lose(moves) => Value::Win(moves + 1),
            Value::Win(moves) => Value::Lose(moves + 1),
            Value::Tie(moves) => Value::Tie(moves + 1),
            Value::Draw => unreachable!("stones are never taken"),
        };
        best = [Some(value), best].into_iter().flatten().min_by_key(|value| value.preference());
        // Nothing is better.
        if value == Value::Win(1) {
            break;
        }
    }
    let best = best.expect("a move");
    seen.insert(p, best);
    best
}

#[test]
fn distances_are_those_of_a_plain_search() {
    let midgame = Midgame::new(Isa::best());
    let (mut dice, mut boards, mut longest) = (11, 0, 0);
    for n in 0..2_000 {
        let (turn, p) = random(&mut dice, 29 + n % 7);
        let name = Pentago::default().show(turn, p);
        let found = midgame.solve_distances(&Pentago::default(), p).expect("good");
        // Most end at once: of those a few will do.
        if found.root == Value::Win(1) && n % 50 != 0 {
            continue;
        }
        boards += 1;
        let mut seen = HashMap::new();
        let want = plain_value(p, &mut seen);
        assert_eq!(found.root, want, "{name}");
        longest = longest.max(want.remoteness().expect("an end"));
        let children = list_moves(&Pentago::default(), p);
        assert_eq!(children.len(), found.moves.len());
        for ((_, child), (m, value)) in children.into_iter().zip(&found.moves) {
            assert_eq!(*value, plain_value(child, &mut seen), "{name}: {m}");
        }
    }
    assert!(boards > 100 && longest >= 4, "{boards} {longest}");
}

#[test]
fn distances_have_the_same_winners() {
    let midgame = Midgame::new(Isa::best());
    let mut dice = 5;
    let score = |value: &Value| match value {
        Value::Win(_) => 1,
        Value::Lose(_) => -1,
        _ => 0,
    };
    for n in 0..48 {
        let (turn, p) = random(&mut dice, 24 + n % 12);
        let name = Pentago::default().show(turn, p);
        let (found, want) = (
            midgame.solve_distances(&Pentago::default(), p).expect("good"),
            midgame.solve(&Pentago::default(), p).expect("good"),
        );
        assert_eq!(score(&found.root), want.root);
        let pairs = found.moves.iter().zip(&want.moves);
        for ((m, value), (same, wanted)) in pairs {
            assert_eq!((m, score(value)), (same, *wanted), "{name}");
        }
    }
}

#[test]
fn what_a_search_takes() {
    // Two slices of 32 bytes a node, four times that with distances.
    let nodes = 17_153_136 + 14_702_688;
    let [bits, bytes] = [Midgame::bytes_needed(18), Midgame::bytes_needed_for_distances(18)];
    assert!((32 * nodes..34 * nodes).contains(&bits), "{bits}");
    assert!((128 * nodes..136 * nodes).contains(&bytes), "{bytes}");
}

#[test]
fn what_it_cannot_solve() {
    let midgame = Midgame::new(Isa::best());
    let game = Pentago::default();
    assert_eq!(midgame.solve(&game, game.read("0").expect("the start").1), None, "too many empty cells");
    let (_, over) = game.read("2_xxxxx-oooo--------------------------").expect("a board");
    assert!(game.outcome(over).is_some());
    assert_eq!(midgame.solve(&game, over), None, "over");
    assert!(game.read("nonsense").is_err());
}
