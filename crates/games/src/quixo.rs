//! Quixo: take a blank or own cube from the rim, turn it to your mark, and push it back in from an end of its row or
//! column. `line` own marks in a row win. A player who completes the other player's line loses, even with an own line
//! beside it.
//!
//! A tier is the number of cubes that each player has, the larger number first: (a, b) and (b, a) are one tier,
//! because sliding an own cube swaps them. Taking a blank leaves the tier for good. Inside a tier play can go round
//! in circles.

use std::sync::Arc;

use zermelo_core::device::{DeviceRules, Slot, folded_header};
use zermelo_core::grid::STRAIGHT;
use zermelo_core::prelude::*;

/// Quixo, with its slides, lines and symmetries worked out.
pub struct Quixo {
    grid: Grid,
    lines: Lines,
    /// All slides, by the cell they begin at.
    slides: Vec<Slide>,
    /// By cell: the place in `slides` where its slides begin.
    begins: Vec<u8>,
    /// The cells that slides begin at.
    rim: u64,
    symmetries: Arc<Symmetries>,
}

/// A move: the cube at the step's start is taken, the cubes up to its end shift one cell back, and the cube is put in
/// there.
#[derive(Clone, Copy, Debug)]
struct Slide {
    step: Step,
    /// The cells from `from` to `to`, both included.
    path: u64,
    /// The number of bits by which to rotate a set of cells right so that each shifted cube comes to its new cell.
    turn: u32,
}

impl Slide {
    /// Shifts a set. The cube put in at `to` is not part of the result yet.
    #[inline]
    fn shift(&self, set: u64) -> u64 {
        let moving = set & self.path & !(1 << self.step.from);
        set & !self.path | moving.rotate_right(self.turn)
    }

    /// Undoes [`shift`](Slide::shift). The cube taken at `from` is not part of the result yet.
    #[inline]
    fn unshift(&self, set: u64) -> u64 {
        let moving = set & self.path & !(1 << self.step.to);
        set & !self.path | moving.rotate_left(self.turn)
    }
}

/// Every slide of a board: from each rim cell to the other ends of its row and column.
fn slides(grid: Grid) -> Vec<Slide> {
    let along = |from: usize, (down, right): (i32, i32)| {
        let (ray, step) = (grid.ray(from, (down, right), 8), down * grid.cols as i32 + right);
        let last = ray.checked_ilog2()?;
        let to = if step > 0 { last } else { ray.trailing_zeros() };
        let (path, turn) = (ray | 1 << from, step.rem_euclid(64) as u32);
        Some(Slide { step: Step::new(from, to as usize), path, turn })
    };
    let rim = (0..grid.cells()).filter(|cell| grid.around(*cell).count_ones() < 8);
    rim.flat_map(|from| STRAIGHT.map(|way| along(from, way))).flatten().collect()
}

impl Game for Quixo {
    type Position = Pair;
    type Move = u8;

    fn start(&self) -> Pair {
        Pair::EMPTY
    }

    #[inline]
    fn outcome(&self, p: Pair) -> Option<Outcome> {
        let lost = || self.lines.within(p.other).then_some(Outcome::Lose);
        if self.lines.within(p.own) { Some(Outcome::Win) } else { lost() }
    }

    #[inline]
    fn moves(&self, p: Pair, mut visit: impl FnMut(u8)) {
        for cell in members(self.rim & !p.other) {
            (self.begins[cell]..self.begins[cell + 1]).for_each(&mut visit);
        }
    }

    #[inline]
    fn play(&self, p: Pair, m: u8) -> Pair {
        let slide = &self.slides[m as usize];
        Pair { own: slide.shift(p.other), other: slide.shift(p.own) | 1 << slide.step.to }
    }
}

impl Folded for Quixo {
    const EITHER_WAY: bool = true;

    #[inline]
    fn tier_of(&self, a: usize, b: usize) -> Tier {
        Tier((a.max(b) << 8 | a.min(b)) as u64)
    }

    fn men_of(&self, t: Tier) -> (usize, usize) {
        ((t.0 >> 8) as usize, (t.0 & 255) as usize)
    }

    fn name_of(&self, t: Tier) -> String {
        let (a, b) = self.men_of(t);
        format!("{a} and {b} marks, {} blank", self.grid.cells().saturating_sub(a + b))
    }

    fn leads_to(&self, t: Tier) -> Vec<Tier> {
        let (a, b) = self.men_of(t);
        // Only the mover's side grows, and the mover may be either side.
        let mut below = vec![self.tier_of(a + 1, b), self.tier_of(a, b + 1)];
        below.dedup();
        if a + b < self.grid.cells() { below } else { vec![] }
    }

    fn flow_of(&self, _: Tier) -> Flow {
        Flow::Loops
    }

    fn symmetries(&self) -> &Arc<Symmetries> {
        &self.symmetries
    }
}

impl Unmove for Quixo {
    fn unmoves(&self, p: Pair, mut visit: impl FnMut(Pair)) {
        // The player who just moved has `other`, and put an own cube in at `to`. Inside the tier this was their own
        // cube before, too.
        for slide in self.slides.iter().filter(|s| p.other >> s.step.to & 1 != 0) {
            visit(Pair { own: slide.unshift(p.other) | 1 << slide.step.from, other: slide.unshift(p.own) });
        }
    }
}

impl DeviceRules for Quixo {
    fn header(&self) -> String {
        [&folded_header(), include_str!("device/quixo.cuh")].concat()
    }

    fn constants(&self) -> Vec<(&'static str, u64)> {
        let (rows, cols) = (self.grid.rows as u64, self.grid.cols as u64);
        vec![("ROWS", rows), ("COLS", cols), ("LINE", self.lines.length().into())]
    }

    fn numbering(&self, index: &Halves) -> Vec<Slot> {
        index.slots()
    }
}

impl Face for Quixo {
    const CARD: Card = Card {
        name: "quixo",
        revision: 1,
        title: "Quixo",
        summary: "slide cubes to get your marks in a row; play can go round in circles",
        rules: "The board begins full of blank cubes. A move takes a cube from the rim that is blank or shows your mark, \
                turns it to your mark, and pushes it back in at another end of its row or column, so that the cubes \
                between shift by one. `line` of your marks in a row, across, down or diagonally, win. If a move \
                completes a line of the other player, that player wins, even if your own line stands too.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells row by row from the top left: x for \
                   the first player, o for the second, - for blank, as in 2_--x------. A move names the cube taken and \
                   the end where it goes in, as in a3-c3.",
        options: &[
            Choice::number("rows", "rows of the board", (2, 8), 5),
            Choice::number("cols", "columns of the board", (2, 8), 5),
            Choice::number("line", "marks in a row that win", (2, 8), 5),
        ],
        examples: &[
            ("rows=3,cols=3,line=3", "solved in a blink: the first player wins in 7"),
            ("rows=4,cols=4,line=4", "5 million positions, some seconds: the first player wins in 21"),
            ("", "the board that is sold: 10^12 positions, for a cluster"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let grid = Grid::of(options);
        let lines = grid.lines_that_fit(options.get("line"), 2)?;
        let slides = slides(grid);
        let before = |cell: usize| slides.iter().filter(|s| usize::from(s.step.from) < cell).count() as u8;
        Ok(Quixo {
            grid,
            lines,
            begins: (0..=grid.cells()).map(before).collect(),
            rim: set_of(slides.iter().map(|slide| slide.step.from.into())),
            slides,
            symmetries: Arc::new(grid.symmetries()),
        })
    }

    fn read(&self, text: &str) -> Result<(Turn, Pair), Complaint> {
        let (turn, p) = self.grid.read(self, text)?;
        // Marks never leave the board.
        let [x, o] = p.by_player(turn).map(|marks| marks != 0);
        let missing = if turn == Turn::Second || o { (!x).then_some("x") } else { x.then_some("o") };
        let why = |mark| Complaint::position(text, format!("{mark} has moved, so some {mark} must stand"));
        missing.map_or(Ok((turn, p)), |mark| Err(why(mark)))
    }

    fn show_move(&self, _: Turn, _: Pair, m: u8) -> String {
        self.slides[usize::from(m)].step.show(|cell| self.grid.name(cell))
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, turn: Turn, p: Pair) -> String {
        self.grid.pieces(turn, p)
    }

    fn draw(&self, _: Turn, _: Pair, m: u8) -> Drawing {
        self.slides[usize::from(m)].step.draw()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game(options: &str) -> Quixo {
        Quixo::new(&Options::read(&Quixo::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        let three = game("rows=3,cols=3,line=3");
        let walked = laws::check(&three, 100_000).expect("no law is broken");
        assert_eq!(
            (walked.positions, walked.canonical),
            (32_027, 4_433),
            "EECS-2024-139, tables B.5 and B.6"
        );
        for options in
            ["rows=2,cols=2,line=2", "rows=2,cols=3,line=2", "rows=3,cols=4,line=3", "rows=4,cols=5,line=4"]
        {
            laws::check(&game(options), 4_000).expect("no law is broken");
            laws::check_face(&game(options), 2_000).expect("no law is broken");
        }
        for (a, b) in [(0, 0), (1, 0), (2, 1), (3, 2), (2, 2), (4, 4)] {
            laws::check_unmoves(&three, three.tier_of(a, b)).expect("no law is broken");
            laws::check_outlook(&three, three.tier_of(a, b)).expect("no law is broken");
        }
    }

    #[test]
    fn a_slide_by_hand() {
        // x takes the top left blank of 3x3 and pushes it in at the top right.
        let game = game("rows=3,cols=3,line=3");
        let (turn, p) = game.read("1_-xo------".replace("-xo", "-ox").as_str()).expect("a position");
        let names: Vec<_> = laws::list_moves(&game, p)
            .into_iter()
            .map(|(m, c)| (game.show_move(turn, p, m), game.show(turn.other(), c)))
            .collect();
        assert!(names.contains(&("a3-c3".into(), "2_oxx------".into())), "{names:?}");
        assert!(names.contains(&("a3-a1".into(), "2_-ox---x--".into())));
        assert!(!names.iter().any(|(m, _)| m.starts_with("b3")), "the other player's cube stays");
    }
}
