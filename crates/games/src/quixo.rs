//! Quixo: take a blank or own cube from the rim, turn it to your mark, and push it back
//! in from an end of its row or column. `line` own marks in a row win; whoever completes
//! the other player's line loses, even if their own stands too.
//!
//! A tier is how many cubes each player has, the larger number first: (a, b) and (b, a)
//! are one tier, because sliding an own cube swaps them. Taking a blank leaves the tier
//! for good. Inside a tier play can go round in circles.

use std::ops::Range;
use std::sync::Arc;

use zermelo_core::grid::{Grid, Lines, Symmetries};
use zermelo_core::{
    Board, Card, Choice, Complaint, Drawing, Face, Flow, Game, Halves, Options, Outcome, Tier, Tiers, Turn,
    Unmove, quoted,
};

/// The game, with its slides, lines and symmetries worked out.
pub struct Quixo {
    grid: Grid,
    lines: Lines,
    /// By the cell they begin at.
    slides: Vec<Slide>,
    /// Where the slides of each cell begin in the list.
    begins: Vec<u8>,
    /// The cells that slides begin at.
    rim: u64,
    symmetries: Arc<Symmetries>,
}

/// Cubes of the player to move and of the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cubes {
    own: u64,
    other: u64,
}

/// Take the cube at `from`; those up to `to` shift one step back; put it in at `to`.
#[derive(Clone, Copy, Debug)]
struct Slide {
    from: u8,
    to: u8,
    /// The cells from `from` to `to`, both included.
    path: u64,
    /// Rotating a set of cells right by this moves a shifted cube to its new cell.
    turn: u32,
}

impl Slide {
    /// Shifts a set; the cube put in at `to` is not part of it yet.
    #[inline]
    fn shift(&self, set: u64) -> u64 {
        let moving = set & self.path & !(1 << self.from);
        set & !self.path | moving.rotate_right(self.turn)
    }

    /// Undoes [`shift`](Slide::shift); the cube taken at `from` is not part of it yet.
    #[inline]
    fn unshift(&self, set: u64) -> u64 {
        let moving = set & self.path & !(1 << self.to);
        set & !self.path | moving.rotate_left(self.turn)
    }
}

/// Every slide of a board: from each rim cell to the other ends of its row and column.
fn slides(grid: Grid) -> Vec<Slide> {
    let (rows, cols) = (grid.rows, grid.cols);
    let mut slides = vec![];
    for from in 0..grid.cells() {
        let (r, c) = (from / cols, from % cols);
        if r != 0 && r != rows - 1 && c != 0 && c != cols - 1 {
            continue;
        }
        for to in [r * cols, r * cols + cols - 1, c, (rows - 1) * cols + c] {
            if to == from {
                continue;
            }
            let step = if to / cols == r { 1 } else { cols };
            let path = (from.min(to)..=from.max(to)).step_by(step).fold(0, |set, cell| set | 1 << cell);
            let turn = if to > from { step } else { 64 - step } as u32;
            slides.push(Slide { from: from as u8, to: to as u8, path, turn });
        }
    }
    slides
}

impl Game for Quixo {
    type Position = Cubes;
    type Move = u8;

    fn start(&self) -> Cubes {
        Cubes { own: 0, other: 0 }
    }

    #[inline]
    fn outcome(&self, p: Cubes) -> Option<Outcome> {
        if self.lines.within(p.own) {
            Some(Outcome::Win)
        } else {
            self.lines.within(p.other).then_some(Outcome::Lose)
        }
    }

    #[inline]
    fn moves(&self, p: Cubes, mut visit: impl FnMut(u8)) {
        let mut free = self.rim & !p.other;
        while free != 0 {
            let cell = free.trailing_zeros() as usize;
            for m in self.begins[cell]..self.begins[cell + 1] {
                visit(m);
            }
            free &= free - 1;
        }
    }

    #[inline]
    fn play(&self, p: Cubes, m: u8) -> Cubes {
        let slide = &self.slides[m as usize];
        Cubes { own: slide.shift(p.other), other: slide.shift(p.own) | 1 << slide.to }
    }
}

fn counts(t: Tier) -> (usize, usize) {
    ((t.0 >> 8) as usize, (t.0 & 255) as usize)
}

fn tier_of(a: usize, b: usize) -> Tier {
    Tier((a.max(b) << 8 | a.min(b)) as u64)
}

impl Tiers for Quixo {
    type Index = Halves;

    #[inline]
    fn tier(&self, p: Cubes) -> Tier {
        tier_of(p.own.count_ones() as usize, p.other.count_ones() as usize)
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        let (a, b) = counts(t);
        if a + b >= self.grid.cells() {
            return vec![];
        }
        // Only the mover's side grows; whichever side that is.
        let mut below = vec![tier_of(a + 1, b), tier_of(a, b + 1)];
        below.dedup();
        below
    }

    fn flow(&self, _: Tier) -> Flow {
        Flow::Loops
    }

    fn size(&self, t: Tier) -> u64 {
        let (a, b) = counts(t);
        Halves::size_of(&self.symmetries, a, b)
    }

    fn index(&self, t: Tier) -> Halves {
        let (a, b) = counts(t);
        Halves::new(&self.symmetries, a, b)
    }

    #[inline]
    fn rank(&self, index: &Halves, p: Cubes) -> u64 {
        index.rank(p.own, p.other)
    }

    #[inline]
    fn unrank(&self, index: &Halves, i: u64) -> Option<Cubes> {
        index.unrank(i).map(|(own, other)| Cubes { own, other })
    }

    fn index_bytes(&self) -> u64 {
        self.symmetries.bytes()
    }

    fn canonical(&self, p: Cubes) -> Cubes {
        let (own, other) = self.symmetries.least(p.own, p.other);
        Cubes { own, other }
    }

    fn alike(&self, p: Cubes) -> u64 {
        self.symmetries.images(p.own, p.other)
    }

    fn copies(&self, index: &Halves, p: Cubes) -> u64 {
        index.copies(p.own, p.other)
    }

    #[inline]
    fn scan(&self, index: &Halves, range: Range<u64>, mut visit: impl FnMut(u64, Cubes)) {
        index.scan(range, |i, own, other| visit(i, Cubes { own, other }));
    }
}

impl Unmove for Quixo {
    fn unmoves(&self, p: Cubes, mut visit: impl FnMut(Cubes)) {
        // The player who just moved has `other`, and put an own cube in at `to`. Inside
        // the tier it was their own cube before, too.
        for slide in self.slides.iter().filter(|s| p.other >> s.to & 1 != 0) {
            visit(Cubes { own: slide.unshift(p.other) | 1 << slide.from, other: slide.unshift(p.own) });
        }
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
            ("", "the game in the shops: 10^12 positions, for a cluster"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let (rows, cols, line) = (options.get("rows"), options.get("cols"), options.get("line"));
        let grid = Grid::new(rows, cols);
        let lines = grid.lines_that_fit(line, 2)?;
        let slides = slides(grid);
        let before = |cell: usize| slides.iter().filter(|s| usize::from(s.from) < cell).count() as u8;
        Ok(Quixo {
            grid,
            lines,
            begins: (0..=grid.cells()).map(before).collect(),
            rim: slides.iter().fold(0, |rim, slide| rim | 1 << slide.from),
            slides,
            symmetries: Arc::new(grid.symmetries()),
        })
    }

    fn show(&self, turn: Turn, p: Cubes) -> String {
        self.grid.show(turn, p.own, p.other)
    }

    fn read(&self, text: &str) -> Result<(Turn, Cubes), Complaint> {
        let (turn, own, other) = self.grid.read(text)?;
        let impossible = |why: &str| Err(Complaint::new(format!("position {}: {why}", quoted(text))));
        let (x, o) = if turn == Turn::First { (own, other) } else { (other, own) };
        if x == 0 && (o != 0 || turn == Turn::Second) {
            return impossible("x moves first, and a mark never leaves the board, so some x must stand");
        }
        if o == 0 && x != 0 && turn == Turn::First {
            return impossible("o has moved too, and a mark never leaves the board, so some o must stand");
        }
        Ok((turn, Cubes { own, other }))
    }

    fn pack(&self, p: Cubes) -> [u64; 2] {
        [p.own, p.other]
    }

    fn unpack(&self, [own, other]: [u64; 2]) -> Cubes {
        Cubes { own, other }
    }

    fn show_move(&self, _: Turn, _: Cubes, m: u8) -> String {
        let slide = &self.slides[m as usize];
        format!("{}-{}", self.grid.name(slide.from.into()), self.grid.name(slide.to.into()))
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, turn: Turn, p: Cubes) -> String {
        self.grid.pieces(turn, p.own, p.other)
    }

    fn draw(&self, _: Turn, _: Cubes, m: u8) -> Drawing {
        let slide = &self.slides[m as usize];
        Drawing::Arrow(slide.from.into(), slide.to.into())
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
            laws::check_unmoves(&three, tier_of(a, b)).expect("no law is broken");
            laws::check_outlook(&three, tier_of(a, b)).expect("no law is broken");
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
