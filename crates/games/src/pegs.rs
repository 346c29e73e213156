//! Peg solitaire: a peg jumps over a neighbouring peg into a hole, and the peg jumped over is taken off; one peg is
//! to be left.
//!
//! A tier is the number of pegs, so every jump leads one tier down. Boards are sets of cells of a plane. Symmetries
//! of the board that leave the goal in its place share a number.

use std::iter::successors;
use std::sync::Arc;

use zermelo_core::prelude::*;

/// Peg solitaire, the puzzle of jumping over pegs.
pub struct Pegs {
    points: Points,
    jumps: Vec<Jump>,
    /// The hole that is empty at the start.
    hole: usize,
    /// The hole where the last peg must be, if this matters.
    last: Option<usize>,
    symmetries: Arc<Symmetries>,
}

/// A peg from one hole over another into a third.
struct Jump {
    step: Step,
    /// The pegs that must be there: the one that jumps and the one jumped over.
    pegs: u64,
    /// All three holes.
    all: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Triangle,
    Square,
    English,
}

impl Shape {
    /// Whether there is a hole at a row and a column. Rows of a triangle begin at its left side.
    fn has(self, size: i32, (row, col): (i32, i32)) -> bool {
        let arm = |at: i32| (2..5).contains(&at);
        let inside = (0..size).contains(&row) && (0..size).contains(&col);
        inside
            && match self {
                Shape::Triangle => col <= row,
                Shape::Square => true,
                Shape::English => arm(row) || arm(col),
            }
    }

    /// The steps to a neighbouring hole, one of each two opposite steps.
    fn steps(self) -> &'static [(i32, i32)] {
        match self {
            Shape::Triangle => &[(0, 1), (1, 0), (1, 1)],
            Shape::Square | Shape::English => &[(0, 1), (1, 0)],
        }
    }

    /// The hole that is usually empty, counted from 1.
    fn usual(self) -> usize {
        match self {
            Shape::Triangle => 1,
            Shape::Square => 2,
            Shape::English => 17,
        }
    }

    /// The board: its holes row by row, and the lines that they are on.
    fn board(self, size: i32) -> Points {
        let has = |hole: &(i32, i32)| self.has(size, *hole);
        let all = (0..size).flat_map(|row| (0..size).map(move |col| (row, col)));
        let holes: Vec<(i32, i32)> = all.filter(has).collect();
        let number = |hole| holes.iter().position(|other| *other == hole);
        let mut lines = vec![];
        for (down, right) in self.steps() {
            // A line begins where there is no hole before it.
            for first in holes.iter().filter(|(row, col)| !has(&(row - down, col - right))) {
                let next = |(row, col): &(i32, i32)| Some((row + down, col + right)).filter(has);
                lines.push(successors(Some(*first), next).filter_map(number).collect());
            }
        }
        // Rows of a triangle are centred.
        let place = |(row, col): &(i32, i32)| match self {
            Shape::Triangle => (*col as f32 + (size - 1 - row) as f32 / 2.0, *row as f32),
            _ => (*col as f32, *row as f32),
        };
        let name = |(hole, (row, col)): (usize, &(i32, i32))| match self {
            Shape::Triangle => (hole + 1).to_string(),
            _ => format!("{}{}", char::from(b'a' + *col as u8), size - row),
        };
        Points::new(holes.iter().map(place).collect(), holes.iter().enumerate().map(name).collect(), lines)
    }
}

impl Game for Pegs {
    type Position = u64; // holes with a peg
    type Move = u8; // a jump

    const ALONE: bool = true;

    fn start(&self) -> u64 {
        self.points.full() & !(1 << self.hole)
    }

    #[inline]
    fn outcome(&self, p: u64) -> Option<Outcome> {
        if p.is_power_of_two() && self.last.is_none_or(|last| p == 1 << last) {
            return Some(Outcome::Win);
        }
        let stuck = self.jumps.iter().all(|jump| p & jump.all != jump.pegs);
        stuck.then_some(Outcome::Lose)
    }

    #[inline]
    fn moves(&self, p: u64, mut visit: impl FnMut(u8)) {
        for (n, jump) in self.jumps.iter().enumerate() {
            if p & jump.all == jump.pegs {
                visit(n as u8);
            }
        }
    }

    #[inline]
    fn play(&self, p: u64, m: u8) -> u64 {
        p ^ self.jumps[usize::from(m)].all
    }

    fn ply(&self, p: u64) -> Option<u32> {
        Some((self.symmetries.cells() as u32 - 1).saturating_sub(p.count_ones()))
    }
}

impl Folded for Pegs {
    fn men_of(&self, t: Tier) -> (usize, usize) {
        (t.0 as usize, 0)
    }

    fn name_of(&self, t: Tier) -> String {
        format!("{} of {} pegs", t.0, self.symmetries.cells())
    }

    fn leads_to(&self, t: Tier) -> Vec<Tier> {
        if t.0 > 1 { vec![Tier(t.0 - 1)] } else { vec![] }
    }

    fn symmetries(&self) -> &Arc<Symmetries> {
        &self.symmetries
    }
}

impl Face for Pegs {
    const CARD: Card = Card {
        name: "pegs",
        revision: 1,
        title: "Peg solitaire",
        summary: "jump pegs over pegs until one is left",
        rules: "All holes of a board have a peg but one. A peg jumps over a neighbour, in a straight line, into the \
                empty hole behind it, and the neighbour is taken off. The goal is to have one peg left, anywhere or \
                in the hole `last`. It is a puzzle for one.",
        notation: "A position is 1_ and the holes row by row from the top: x for a peg and - for none, as in \
                   1_-xxxxxxxxxxxxxx. A move names the hole a peg jumps from and the one it jumps into: 4-1 on a \
                   triangle, whose holes are counted from the top, d2-d4 on other boards.",
        options: &[
            Choice::word("board", "its shape", &["triangle", "square", "english"]),
            Choice::number(
                "size",
                "holes on a side: a square has 3 to 5; leave it out for english",
                (3, 7),
                5,
            ),
            Choice::number("hole", "the empty hole, counted row by row; 0 for the usual one", (0, 33), 0),
            Choice::number("last", "where the last peg must be; 0 for anywhere", (0, 33), 0),
        ],
        examples: &[
            ("", "the triangle of 15 holes, a blink"),
            ("last=1", "the same with the last peg at the top"),
            ("board=square,size=4", "a square of 16 holes, a blink"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let shape = [Shape::Triangle, Shape::Square, Shape::English][options.get("board").min(2)];
        let size = match (shape, options.get("size")) {
            (Shape::Square, size @ 6..) => {
                refuse!("size={size}: a square has at most 5 holes on a side, as in size=4")
            }
            (Shape::English, 5) => 7,
            (Shape::English, size) => refuse!("size={size}: the english board has its own; leave it out"),
            (_, size) => size as i32,
        };
        let points = shape.board(size);
        let count = points.text().cells();
        let (hole, last) = match (options.get("hole"), options.get("last")) {
            (hole, last) if hole.max(last) > count => {
                refuse!("there are {count} holes: give hole and last from 0 to {count}")
            }
            (0, last) => (shape.usual() - 1, last.checked_sub(1)),
            (hole, last) => (hole - 1, last.checked_sub(1)),
        };
        let goal = last.map(|last| 1 << last).into_iter().collect();
        let kept = [points.row_sets(2), points.row_sets(3), goal].concat();
        let symmetries = Arc::new(points.symmetries_of(&kept));
        let jump = |[from, over, to]: [usize; 3]| {
            let (pegs, all) = (set_of([from, over]), set_of([from, over, to]));
            Jump { step: Step::new(from, to), pegs, all }
        };
        let jumps = points.jumps().map(jump).collect();
        Ok(Pegs { points, jumps, hole, last, symmetries })
    }

    /// Reads a position. Any number of pegs is a problem, except for none and for a full board.
    fn read(&self, text: &str) -> Result<(Turn, u64), Complaint> {
        match read_set(self, text, self.symmetries.cells())? {
            (turn, p) if p != 0 && p != self.points.full() => Ok((turn, p)),
            _ => Err(Complaint::position(text, "want some pegs and some holes")),
        }
    }

    fn show_move(&self, _: Turn, _: u64, m: u8) -> String {
        self.jumps[usize::from(m)].step.show(|hole| self.points.name(hole).into())
    }

    // Cells are drawn as holes, not as points on lines.
    fn board(&self) -> Board {
        Board { lines: vec![], ..self.points.board() }
    }

    fn pieces(&self, _: Turn, p: u64) -> String {
        show_set(p, self.symmetries.cells())
    }

    fn draw(&self, _: Turn, _: u64, m: u8) -> Drawing {
        self.jumps[usize::from(m)].step.draw()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use zermelo_core::{Tiers, laws};

    fn game(options: &str) -> Pegs {
        Pegs::new(&Options::read(&Pegs::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        for options in ["", "hole=5", "last=1", "hole=4,last=6", "size=4", "board=square,size=4"] {
            laws::check(&game(options), 8_000).expect("no law is broken");
            laws::check_face(&game(options), 3_000).expect("no law is broken");
        }
        laws::check_face(&game("board=english"), 2_000).expect("no law is broken");
    }

    #[test]
    fn boards_have_their_holes_jumps_and_symmetries() {
        let facts = |options| {
            let game = game(options);
            (
                game.symmetries.cells(),
                game.jumps.len(),
                game.symmetries.count(),
                game.show(Turn::First, game.start()),
            )
        };
        assert_eq!(facts(""), (15, 36, 6, "1_-xxxxxxxxxxxxxx".into()));
        assert_eq!(facts("hole=5,last=13"), (15, 36, 2, "1_xxxx-xxxxxxxxxx".into()));
        assert_eq!(facts("board=square,size=4"), (16, 32, 8, "1_x-xxxxxxxxxxxxxx".into()));
        assert_eq!(facts("board=english"), (33, 76, 8, format!("1_{0}-{0}", "x".repeat(16))));
    }

    /// Compares with OEIS A112737 (Bell): positions after n jumps from the central vacancy, up to symmetry.
    #[test]
    fn the_english_board_opens_as_published() {
        let game = game("board=english");
        let mut level = HashSet::from([game.start()]);
        let mut counts = vec![];
        for _ in 0..9 {
            counts.push(level.len());
            let next = level.iter().flat_map(|p| laws::list_moves(&game, *p)).map(|(_, child)| child);
            level = next.map(|child| game.canonical(child)).collect();
        }
        assert_eq!(counts, [1, 1, 2, 8, 39, 171, 719, 2_757, 9_751]);
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game("");
        for text in [
            "",
            "1_",
            "2_-xxxxxxxxxxxxxx",
            "1_xxxxxxxxxxxxxxx",
            "1_---------------",
            "1_-xxxxxxxxxxxxx",
            "1_-oxxxxxxxxxxxxx",
        ] {
            assert!(game.read(text).is_err(), "{text}");
        }
        assert!(game.read("1_- xx xxx xxxx xxxxx").is_ok(), "rows may be told apart");
        for bad in [
            "hole=16",
            "last=20",
            "board=square,size=6",
            "board=english,size=4",
            "board=square,size=4,hole=17",
        ] {
            assert!(Pegs::new(&Options::read(&Pegs::CARD, bad).expect("options")).is_err(), "{bad}");
        }
    }
}
