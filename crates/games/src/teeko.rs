//! Teeko: put your men on the board, then move one at a time as a king of chess moves. A line of
//! your men wins, and so does a square.
//!
//! While men are put, a tier is how many stand; the last tier has them all, and there play can go
//! round in circles.

use std::ops::Range;
use std::sync::Arc;

use zermelo_core::grid::{Grid, Lines, Symmetries, placed_in_turn};
use zermelo_core::points::members;
use zermelo_core::rank::FoldedPair;
use zermelo_core::{
    Board, Card, Choice, Complaint, Drawing, Face, Flow, Game, Options, Outcome, Tier, Tiers, Turn, Unmove,
    quoted,
};

/// The game, with its lines, squares and steps worked out.
pub struct Teeko {
    grid: Grid,
    lines: Lines,
    squares: Vec<u64>,
    /// By cell: those a king's move away.
    near: Vec<u64>,
    /// Men of both players together.
    men: u32,
    symmetries: Arc<Symmetries>,
}

/// Men of the player to move and of the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Men {
    own: u64,
    other: u64,
}

impl Men {
    fn count(self) -> u32 {
        (self.own | self.other).count_ones()
    }
}

/// A man goes from a cell to another, or is put there if both are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    from: u8,
    to: u8,
}

impl Teeko {
    fn wins(&self, men: u64) -> bool {
        self.lines.within(men) || self.squares.iter().any(|square| men & square == *square)
    }

    fn empty(&self, p: Men) -> u64 {
        self.grid.full() & !(p.own | p.other)
    }
}

impl Game for Teeko {
    type Position = Men;
    type Move = Step;

    const LAST_WINS: bool = true;

    fn start(&self) -> Men {
        Men { own: 0, other: 0 }
    }

    #[inline]
    fn outcome(&self, p: Men) -> Option<Outcome> {
        // A player with a line and to move: nobody gets there, but it has a number.
        let won = self.wins(p.other) || self.wins(p.own);
        let empty = self.empty(p);
        let stuck = || p.count() == self.men && members(p.own).all(|man| self.near[man] & empty == 0);
        (won || stuck()).then_some(Outcome::Lose)
    }

    #[inline]
    fn moves(&self, p: Men, mut visit: impl FnMut(Step)) {
        let empty = self.empty(p);
        if p.count() < self.men {
            return members(empty).for_each(|to| visit(Step { from: to as u8, to: to as u8 }));
        }
        for from in members(p.own) {
            members(self.near[from] & empty).for_each(|to| visit(Step { from: from as u8, to: to as u8 }));
        }
    }

    #[inline]
    fn play(&self, p: Men, m: Step) -> Men {
        Men { own: p.other, other: p.own & !(1 << m.from) | 1 << m.to }
    }
}

impl Tiers for Teeko {
    type Index = FoldedPair;

    #[inline]
    fn tier(&self, p: Men) -> Tier {
        Tier(p.count().into())
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        if t.0 < self.men.into() { vec![Tier(t.0 + 1)] } else { vec![] }
    }

    fn flow(&self, t: Tier) -> Flow {
        if t.0 < self.men.into() { Flow::Leaves } else { Flow::Loops }
    }

    fn size(&self, t: Tier) -> u64 {
        FoldedPair::size_of(&self.symmetries, t.0 as usize / 2, t.0.div_ceil(2) as usize)
    }

    fn index(&self, t: Tier) -> FoldedPair {
        FoldedPair::new(&self.symmetries, t.0 as usize / 2, t.0.div_ceil(2) as usize)
    }

    #[inline]
    fn rank(&self, index: &FoldedPair, p: Men) -> u64 {
        index.rank(p.own, p.other)
    }

    #[inline]
    fn unrank(&self, index: &FoldedPair, i: u64) -> Option<Men> {
        index.unrank(i).map(|(own, other)| Men { own, other })
    }

    fn canonical(&self, p: Men) -> Men {
        let (own, other) = self.symmetries.least(p.own, p.other);
        Men { own, other }
    }

    fn alike(&self, p: Men) -> u64 {
        self.symmetries.images(p.own, p.other)
    }

    fn copies(&self, index: &FoldedPair, p: Men) -> u64 {
        index.copies(p.own, p.other)
    }

    #[inline]
    fn scan(&self, index: &FoldedPair, range: Range<u64>, mut visit: impl FnMut(u64, Men)) {
        index.scan(range, |i, own, other| visit(i, Men { own, other }));
    }
}

impl Unmove for Teeko {
    fn unmoves(&self, p: Men, mut visit: impl FnMut(Men)) {
        let men = if p.count() == self.men { p.other } else { 0 };
        for to in members(men) {
            for from in members(self.near[to] & self.empty(p)) {
                visit(Men { own: p.other & !(1 << to) | 1 << from, other: p.own });
            }
        }
    }
}

impl Face for Teeko {
    const CARD: Card = Card {
        name: "teeko",
        revision: 1,
        title: "Teeko",
        summary: "four men to a line or a square; play can go round in circles",
        rules: "Players put their men on empty cells in turn, and when all are put, move one man to an empty cell next \
                to it, across, down or diagonally. `line` men of one player in a row, across, down or diagonally, win, \
                and so do four on the corners of a square: on cells next to each other in the standard game, of any \
                size with squares=any. Whoever cannot move loses.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells row by row from the top left: x for \
                   the first player, o for the second, - for empty, as in 2_x--------. A move names cells by column \
                   and row from below: b2 puts a man, b2-c3 moves one.",
        options: &[
            Choice::number("rows", "rows of the board", (2, 7), 5),
            Choice::number("cols", "columns of the board", (2, 7), 5),
            Choice::number("men", "men of each player", (2, 6), 4),
            Choice::number("line", "men in a row that win", (2, 6), 4),
            Choice::word("squares", "squares that win", &["small", "any", "no"]),
        ],
        examples: &[
            ("", "12.9 million numbers, ten seconds: a draw"),
            ("squares=any", "Advanced Teeko, ten seconds: the first player wins in 13"),
            ("rows=4,cols=4", "a small board, solved in a blink: a draw"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let grid = Grid::new(options.get("rows"), options.get("cols"));
        let (men, line) = (options.get("men"), options.get("line"));
        if men < line || 2 * men >= grid.cells() {
            let want = format!(
                "men={men} on {}x{} cells with line={line}: want at least as many as in a line, and room to move",
                grid.rows, grid.cols
            );
            return Err(Complaint::new(want));
        }
        let largest = [1, grid.rows.min(grid.cols) - 1, 0][options.get("squares")];
        Ok(Teeko {
            lines: grid.lines_that_fit(line, 2)?,
            squares: (1..=largest).flat_map(|size| squares(grid, size)).collect(),
            near: (0..grid.cells()).map(|cell| near(grid, cell)).collect(),
            men: 2 * men as u32,
            symmetries: Arc::new(grid.symmetries()),
            grid,
        })
    }

    fn show(&self, turn: Turn, p: Men) -> String {
        self.grid.show(turn, p.own, p.other)
    }

    fn read(&self, text: &str) -> Result<(Turn, Men), Complaint> {
        let (turn, own, other) = self.grid.read(text)?;
        let p = Men { own, other };
        if p.count() < self.men {
            placed_in_turn(text, (turn, own, other), other, |men| self.wins(men))?;
        } else if own.count_ones() != other.count_ones() || p.count() > self.men || self.wins(own) {
            let men = self.men / 2;
            let why =
                format!("with all men put, each player has {men}, and the player to move no line or square");
            return Err(Complaint::new(format!("position {}: {why}", quoted(text))));
        }
        Ok((turn, p))
    }

    fn pack(&self, p: Men) -> [u64; 2] {
        [p.own, p.other]
    }

    fn unpack(&self, [own, other]: [u64; 2]) -> Men {
        Men { own, other }
    }

    fn show_move(&self, _: Turn, _: Men, m: Step) -> String {
        let [from, to] = [m.from, m.to].map(|cell| self.grid.name(cell.into()));
        if from == to { to } else { format!("{from}-{to}") }
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, turn: Turn, p: Men) -> String {
        self.grid.pieces(turn, p.own, p.other)
    }

    fn draw(&self, _: Turn, _: Men, m: Step) -> Drawing {
        if m.from == m.to { Drawing::Cell(m.to.into()) } else { Drawing::Arrow(m.from.into(), m.to.into()) }
    }
}

/// The corners of every square with sides of so many steps.
fn squares(grid: Grid, size: usize) -> Vec<u64> {
    let corners = |r: usize, c: usize| {
        [(r, c), (r, c + size), (r + size, c), (r + size, c + size)]
            .iter()
            .fold(0, |set, (r, c)| set | 1 << (r * grid.cols + c))
    };
    let (rows, cols) = (grid.rows.saturating_sub(size), grid.cols.saturating_sub(size));
    (0..rows).flat_map(|r| (0..cols).map(move |c| corners(r, c))).collect()
}

/// The cells a king's move away.
fn near(grid: Grid, cell: usize) -> u64 {
    let (r, c) = (cell / grid.cols, cell % grid.cols);
    let next = |other: &usize| {
        *other != cell && r.abs_diff(other / grid.cols) <= 1 && c.abs_diff(other % grid.cols) <= 1
    };
    (0..grid.cells()).filter(next).fold(0, |set, other| set | 1 << other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game(options: &str) -> Teeko {
        Teeko::new(&Options::read(&Teeko::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        for options in ["rows=3,cols=3,men=3,line=3", "rows=3,cols=3,men=3,line=3,squares=no"] {
            assert!(!laws::check(&game(options), 10_000).expect("no law is broken").cut);
            laws::check_face(&game(options), 5_000).expect("no law is broken");
            laws::check_unmoves(&game(options), Tier(6)).expect("no law is broken");
            laws::check_outlook(&game(options), Tier(6)).expect("no law is broken");
        }
        for options in ["", "squares=any", "rows=4,cols=3,men=4,line=3", "rows=2,cols=5,men=3,line=3"] {
            laws::check(&game(options), 2_000).expect("no law is broken");
            laws::check_face(&game(options), 1_000).expect("no law is broken");
        }
    }

    #[test]
    fn as_many_goals_as_scarne_counts() {
        // "Teeko 44 positions", and 58 in Advanced Teeko.
        for (options, goals) in [("", 44), ("squares=any", 58), ("squares=no", 28)] {
            let game = game(options);
            assert_eq!(game.lines.sets().len() + game.squares.len(), goals, "{options}");
        }
    }

    #[test]
    fn men_are_put_and_then_move_like_kings() {
        let game = game("");
        let names = |text: &str| {
            let (turn, p) = game.read(text).expect("a position");
            laws::list_moves(&game, p)
                .into_iter()
                .map(|(m, _)| game.show_move(turn, p, m))
                .collect::<Vec<_>>()
        };
        assert_eq!(names("2_x------------------------").len(), 24);
        assert_eq!(names("1_xo---ox---xo-------o----x")[..3], ["b4-c5", "b4-c4", "b4-c3"]);
        assert!(names("1_xo---ox---xo-------o----x").contains(&"e1-d2".into()));
        assert_eq!(names("2_xx---xx---oo-------o----o"), Vec::<String>::new(), "a square has won");
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game("rows=3,cols=3,men=3,line=3");
        for text in ["1_x--------", "2_---------", "1_xxxoo----", "1_xxx-o--oo", "1_xxxxoooo-", "2_xxxo-oo-o"]
        {
            assert!(game.read(text).is_err(), "{text}");
        }
        for text in ["2_x--------", "2_xxx-oo---", "2_xxx-o--oo", "1_xx-xoo--o"] {
            assert!(game.read(text).is_ok(), "{text}");
        }
        for options in ["men=3", "rows=2,cols=2", "rows=2,cols=3,men=3,line=3", "rows=3,cols=3"] {
            let options = Options::read(&Teeko::CARD, options).expect("options");
            assert!(Teeko::new(&options).is_err());
        }
    }
}
