//! Compares Othello with rules written out cell by cell, and with published counts.

use std::collections::HashSet;

use super::*;
use zermelo_core::laws;

fn game(options: &str) -> Othello {
    Othello::new(&Options::read(&Othello::CARD, options).expect("options")).expect("a game")
}

/// A board as a list of cells: b, w or a dot, with the simplest rules there can be.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Plain {
    cells: Vec<char>,
    rows: i32,
    cols: i32,
}

impl Plain {
    fn of(game: &Othello, turn: Turn, p: Pair) -> Plain {
        let pieces = game.pieces(turn, p);
        let cells = pieces.chars().map(|c| match c {
            'x' => 'b',
            'o' => 'w',
            _ => '.',
        });
        Plain { cells: cells.collect(), rows: game.grid.rows as i32, cols: game.grid.cols as i32 }
    }

    fn at(&self, r: i32, c: i32) -> Option<usize> {
        let inside = (0..self.rows).contains(&r) && (0..self.cols).contains(&c);
        inside.then_some((r * self.cols + c) as usize)
    }

    /// The board after a move, if it is one.
    fn play(&self, who: char, cell: usize) -> Option<Plain> {
        let mut next = self.clone();
        let (r0, c0) = (cell as i32 / self.cols, cell as i32 % self.cols);
        let mut turned = vec![];
        for (dr, dc) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
            let (mut r, mut c, mut row) = (r0 + dr, c0 + dc, vec![]);
            while let Some(at) = self.at(r, c) {
                if self.cells[at] == '.' {
                    break;
                }
                if self.cells[at] == who {
                    turned.append(&mut row);
                    break;
                }
                row.push(at);
                (r, c) = (r + dr, c + dc);
            }
        }
        if self.cells[cell] != '.' || turned.is_empty() {
            return None;
        }
        turned.iter().chain([&cell]).for_each(|at| next.cells[*at] = who);
        Some(next)
    }

    fn moves(&self, who: char) -> Vec<(usize, Plain)> {
        (0..self.cells.len()).filter_map(|cell| Some((cell, self.play(who, cell)?))).collect()
    }

    fn count(&self, who: char) -> i32 {
        self.cells.iter().filter(|c| **c == who).count() as i32
    }

    /// The board as the mover sees it: m for own, o for the other's.
    fn seen_by(&self, who: char) -> Plain {
        let see = |c: &char| match *c {
            '.' => '.',
            c if c == who => 'm',
            _ => 'o',
        };
        Plain { cells: self.cells.iter().map(see).collect(), ..self.clone() }
    }

    fn swapped(&self) -> Plain {
        let swap = |c: &char| match *c {
            'm' => 'o',
            'o' => 'm',
            c => c,
        };
        Plain { cells: self.cells.iter().map(swap).collect(), ..self.clone() }
    }

    /// The least of the boards that this one becomes when it is turned and mirrored.
    fn least(&self) -> Plain {
        let turns = if self.rows == self.cols { 8 } else { 4 };
        let image = |s: i32| {
            let mut image = self.clone();
            for r in 0..self.rows {
                for c in 0..self.cols {
                    let (a, b) = (if s & 1 == 0 { r } else { self.rows - 1 - r }, c);
                    let (a, b) = (a, if s & 2 == 0 { b } else { self.cols - 1 - b });
                    let (a, b) = if s & 4 == 0 { (a, b) } else { (b, a) };
                    image.cells[(a * self.cols + b) as usize] = self.cells[(r * self.cols + c) as usize];
                }
            }
            image
        };
        (0..turns).map(image).min().expect("the identity")
    }
}

fn other(who: char) -> char {
    if who == 'b' { 'w' } else { 'b' }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Active,
    MustPass,
    Terminal,
}

/// All boards with the player to move, passes being moves.
fn states(start: Plain) -> Vec<(Plain, char, Kind)> {
    let mut seen = HashSet::from([(start.clone(), 'b')]);
    let (mut todo, mut all) = (vec![(start, 'b')], vec![]);
    while let Some((board, who)) = todo.pop() {
        let mut next: Vec<_> = board.moves(who).into_iter().map(|(_, b)| (b, other(who))).collect();
        let kind = match (next.is_empty(), board.moves(other(who)).is_empty()) {
            (false, _) => Kind::Active,
            (true, false) => Kind::MustPass,
            (true, true) => Kind::Terminal,
        };
        if kind == Kind::MustPass {
            next.push((board.clone(), other(who)));
        }
        all.push((board, who, kind));
        todo.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
    }
    all
}

fn distinct<T: std::hash::Hash + Eq>(all: impl Iterator<Item = T>) -> usize {
    all.collect::<HashSet<T>>().len()
}

#[test]
fn obeys_the_laws() {
    for options in ["rows=4,cols=4", "rows=4,cols=5", "rows=5,cols=4", "rows=4,cols=4,start=parallel"] {
        laws::check(&game(options), 3_000).unwrap_or_else(|broken| panic!("{options}: {broken:?}"));
        laws::check_face(&game(options), 3_000).unwrap_or_else(|broken| panic!("{options}: {broken:?}"));
    }
    laws::check_face(&game(""), 3_000).expect("no law is broken");
}

#[test]
fn bitboards_play_as_the_plain_rules_say() {
    let mut seed = 1u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (seed >> 33) as usize % n
    };
    let mut passes = 0;
    for (rows, cols) in [(4, 4), (4, 7), (5, 4), (5, 8), (6, 6), (7, 5), (8, 8), (8, 8)] {
        let game = game(&format!("rows={rows},cols={cols}"));
        for _ in 0..40 {
            let (mut turn, mut p) = (Turn::First, game.start());
            loop {
                let who = if turn == Turn::First { 'b' } else { 'w' };
                let board = Plain::of(&game, turn, p);
                let moves = laws::list_moves(&game, p);
                let plain = board.moves(who);
                let cells: Vec<usize> = moves.iter().map(|(m, _)| usize::from(*m)).collect();
                assert_eq!(cells, plain.iter().map(|(cell, _)| *cell).collect::<Vec<_>>());
                let Some((m, after)) = moves.get(random(moves.len().max(1))).copied() else { break };
                let next = turn.after(&game, m, after);
                let (_, want) = plain.into_iter().find(|(cell, _)| *cell == m as usize).expect("a move");
                assert_eq!(Plain::of(&game, next, after), want);
                let stuck = want.moves(other(who)).is_empty();
                passes += usize::from(stuck);
                if !stuck {
                    assert_eq!(next, turn.other());
                } else if want.moves(who).is_empty() {
                    let margin = want.count(if next == Turn::First { 'b' } else { 'w' }) * 2
                        - want.count('b')
                        - want.count('w');
                    assert!(margin <= 0, "a finished board is the loser's");
                } else {
                    assert_eq!(next, turn);
                }
                (turn, p) = (next, after);
            }
        }
    }
    assert!(passes > 100, "passes and ends were seen: {passes}");
}

/// Compares every convention of counting the boards of 4x4.
#[test]
fn four_by_four_by_the_plain_rules() {
    let game = game("rows=4,cols=4");
    let all = states(Plain::of(&game, Turn::First, game.start()));
    let of = |kind: Kind| all.iter().filter(move |s| s.2 == kind);
    let seen = |s: &(Plain, char, Kind)| s.0.seen_by(s.1);
    assert_eq!(
        (all.len(), of(Kind::Active).count(), of(Kind::MustPass).count(), of(Kind::Terminal).count()),
        (62_789, 47_633, 8_988, 6_168)
    );
    assert_eq!(distinct(all.iter().map(|s| s.0.clone())), 51_943);
    assert_eq!(distinct(of(Kind::Terminal).map(|s| s.0.clone())), 5_254);
    assert_eq!(distinct(of(Kind::Terminal).map(|s| s.0.clone()).filter(|b| b.count('.') == 0)), 4_258);
    assert_eq!(distinct(all.iter().map(seen)), 58_533);
    assert_eq!(distinct(of(Kind::Active).map(seen)), 45_387);
    assert_eq!(distinct(of(Kind::Terminal).map(seen)), 4_882);
    // Up to symmetry.
    let turned = |s: &(Plain, char, Kind)| (s.0.least(), s.1);
    assert_eq!(distinct(all.iter().map(turned)), 14_401);
    assert_eq!(distinct(of(Kind::Active).map(turned)), 11_135);
    assert_eq!(distinct(of(Kind::MustPass).map(turned)), 2_027);
    assert_eq!(distinct(of(Kind::Terminal).map(turned)), 1_239);
    assert_eq!(distinct(all.iter().map(|s| s.0.least())), 11_914);
    assert_eq!(distinct(of(Kind::Terminal).map(|s| s.0.least())), 1_026);
    let least = |s: &(Plain, char, Kind)| seen(s).least();
    assert_eq!(distinct(all.iter().map(least)), 12_351);
    assert_eq!(distinct(of(Kind::Active).map(least)), 9_830);
    assert_eq!(distinct(of(Kind::MustPass).map(least)), 1_664);
    assert_eq!(distinct(of(Kind::Terminal).map(least)), 857);
    let either = |s: &(Plain, char, Kind)| least(s).min(seen(s).swapped().least());
    assert_eq!(distinct(of(Kind::Terminal).map(either)), 683);
    // Right after a move, and the start.
    let placed = |s: &(Plain, char, Kind)| {
        let (board, who) = (s.0.clone(), s.1);
        board.moves(who).into_iter().map(move |(_, next)| next.seen_by(other(who)).least())
    };
    assert_eq!(distinct(of(Kind::Active).flat_map(placed)) + 1, 11_108, "as Edax counts positions");
    let finals: HashSet<Plain> = of(Kind::Terminal).map(least).collect();
    let won_by = |sign: i32| finals.iter().filter(|b| (b.count('m') - b.count('o')).signum() == sign).count();
    assert_eq!((won_by(1), won_by(-1), won_by(0)), (239, 506, 112));
}

/// Counts boards of 4x4, and of five columns and four rows, by tiers with bitboards: positions with a move, positions
/// with a pass, and finished ones as the player who did not move last sees them.
#[test]
fn boards_as_the_other_player_sees_them() {
    for (options, active, pass, over, won) in [
        ("rows=4,cols=4", 9_830, 1_664, 857, [239, 506, 112]),
        ("rows=4,cols=5", 2_195_886, 189_062, 41_973, [13_672, 23_245, 5_056]),
        ("rows=4,cols=4,start=parallel", 16_083, 0, 1_182, [0; 3]),
    ] {
        let game = game(options);
        let least = |p: Pair| {
            let images = (0..game.symmetries.count()).map(|s| game.image(p, s));
            images.min().expect("the identity")
        };
        let (mut counts, mut ends) = ([0usize; 3], [0usize; 3]);
        let mut level = HashSet::from([least(game.start())]);
        while !level.is_empty() {
            let (mut next, mut passed) = (HashSet::new(), HashSet::new());
            let mut todo: Vec<Pair> = level.iter().copied().collect();
            while let Some(p) = todo.pop() {
                let mut cells = game.lines.moves(p.own, p.other);
                counts[0] += usize::from(cells != 0);
                while cells != 0 {
                    let rays = game.lines.rays[cells.trailing_zeros() as usize];
                    let flips = rays.flips(p.own, p.other);
                    next.insert(least(Pair { own: p.other & !flips, other: p.own | flips | rays.cell }));
                    cells &= cells - 1;
                }
                if !game.can_move(p) && game.can_move(p.swapped()) {
                    let swapped = least(p.swapped());
                    counts[1] += 1;
                    if !level.contains(&swapped) && passed.insert(swapped) {
                        todo.push(swapped);
                    }
                } else if !game.can_move(p) {
                    counts[2] += 1;
                    ends[[1, 2, 0][(p.lead().signum() + 1) as usize]] += 1;
                }
            }
            level = next;
        }
        assert_eq!((counts[0], counts[2]), (active, over), "{options}");
        assert!((counts[1], ends) == (pass, won) || pass == 0, "{options}: {counts:?}, {ends:?}");
    }
}

#[test]
fn text_is_read_as_people_write_it() {
    let game = game("");
    let start = "1_---------------------------ox------xo---------------------------";
    assert_eq!(game.show(Turn::First, game.start()), start);
    let (turn, p) = game.read("F5d6c3").expect("moves");
    assert_eq!(turn, Turn::Second);
    assert_eq!(game.read(&game.show(turn, p)).expect("a board"), (turn, p));
    assert_eq!(game.move_words("f5d6 c3,pass d3"), ["f5", "d6", "c3", "pass", "d3"]);
    for bad in [
        "a1",
        "f5f5",
        "f5d",
        "zz",
        "d",
        "1_",
        "é",
        "f5é",
        "1_----------------------------------------------------------------",
    ] {
        assert!(game.read(bad).is_err(), "{bad}");
    }
    // Nine moves after which the second player has no disc left.
    let (_, p) = game.read("e6f4e3f6g5d6e7f5c5").expect("the shortest game");
    assert_eq!(game.outcome(p), Some(Outcome::Lose));
}
