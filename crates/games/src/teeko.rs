//! Teeko: put your men on the board, then move one at a time as a king of chess moves. A line of
//! your men wins, and so does a square.
//!
//! While men are put, a tier is the number of men that stand. The last tier has all men, and there play can go round
//! in circles.

use std::sync::Arc;

use zermelo_core::device::{DeviceRules, Slot, folded_header};
use zermelo_core::prelude::*;

/// Teeko, with its lines, squares and steps worked out.
pub struct Teeko {
    grid: Grid,
    lines: Lines,
    squares: Vec<u64>,
    /// The steps along a side of the largest square that wins; 0 where none does.
    largest: usize,
    /// By cell: the cells a king's move away.
    near: Vec<u64>,
    /// The number of men of both players together.
    men: u32,
    symmetries: Arc<Symmetries>,
}

impl Teeko {
    fn wins(&self, men: u64) -> bool {
        self.lines.within(men) || self.squares.iter().any(|square| men & square == *square)
    }

    /// Whether one move can have led to a board with all men: a step, or the last man put.
    fn entered(&self, turn: Turn, p: Pair) -> bool {
        let mut entered = !self.wins(p.other);
        self.unmoves(p, |q| entered |= !self.wins(q.own));
        let put = || members(p.other).any(|man| !self.wins(p.other & !(1 << man)));
        entered || turn == Turn::First && put()
    }
}

impl Game for Teeko {
    type Position = Pair;
    type Move = Step;

    const LAST_WINS: bool = true;

    fn start(&self) -> Pair {
        Pair::EMPTY
    }

    #[inline]
    fn outcome(&self, p: Pair) -> Option<Outcome> {
        // A player to move who has a line: no game leads there, but the position has a number.
        let won = self.wins(p.other) || self.wins(p.own);
        let empty = self.grid.empty(p);
        let stuck = || p.count() == self.men && members(p.own).all(|man| self.near[man] & empty == 0);
        (won || stuck()).then_some(Outcome::Lose)
    }

    #[inline]
    fn moves(&self, p: Pair, mut visit: impl FnMut(Step)) {
        let empty = self.grid.empty(p);
        if p.count() < self.men {
            return members(empty).for_each(|to| visit(Step::put(to)));
        }
        for from in members(p.own) {
            members(self.near[from] & empty).for_each(|to| visit(Step::new(from, to)));
        }
    }

    #[inline]
    fn play(&self, p: Pair, m: Step) -> Pair {
        Pair { own: p.other, other: m.moved(p.own) }
    }
}

impl Folded for Teeko {
    fn leads_to(&self, t: Tier) -> Vec<Tier> {
        if t.0 < self.men.into() { vec![Tier(t.0 + 1)] } else { vec![] }
    }

    fn flow_of(&self, t: Tier) -> Flow {
        if t.0 < self.men.into() { Flow::Leaves } else { Flow::Loops }
    }

    fn symmetries(&self) -> &Arc<Symmetries> {
        &self.symmetries
    }
}

impl Unmove for Teeko {
    fn unmoves(&self, p: Pair, mut visit: impl FnMut(Pair)) {
        let men = if p.count() == self.men { p.other } else { 0 };
        for to in members(men) {
            for from in members(self.near[to] & self.grid.empty(p)) {
                visit(Pair { own: Step::new(to, from).moved(p.other), other: p.own });
            }
        }
    }
}

impl DeviceRules for Teeko {
    fn header(&self) -> String {
        [&folded_header(), include_str!("device/teeko.cuh")].concat()
    }

    fn constants(&self) -> Vec<(&'static str, u64)> {
        let (rows, cols) = (self.grid.rows as u64, self.grid.cols as u64);
        let numbers =
            [("MEN", self.men.into()), ("LINE", self.lines.length().into()), ("SQUARE", self.largest as u64)];
        [&[("ROWS", rows), ("COLS", cols)], &numbers[..]].concat()
    }

    fn numbering(&self, index: &Halves) -> Vec<Slot> {
        index.slots()
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
        let grid = Grid::of(options);
        let (men, line) = (options.get("men"), options.get("line"));
        if men < line || 2 * men >= grid.cells() {
            refuse!(
                "men={men} on {}x{} cells with line={line}: want at least as many as in a line, and room to move",
                grid.rows,
                grid.cols
            );
        }
        let largest = [1, grid.rows.min(grid.cols) - 1, 0][options.get("squares")];
        Ok(Teeko {
            lines: grid.lines_that_fit(line, 2)?,
            squares: (1..=largest).flat_map(|size| squares(grid, size)).collect(),
            largest,
            near: (0..grid.cells()).map(|cell| grid.around(cell)).collect(),
            men: 2 * men as u32,
            symmetries: Arc::new(grid.symmetries()),
            grid,
        })
    }

    fn read(&self, text: &str) -> Result<(Turn, Pair), Complaint> {
        let (turn, p) = self.grid.read(self, text)?;
        if p.count() < self.men {
            placed_in_turn(text, (turn, p), p.other, |men| self.wins(men))?;
        } else if p.own.count_ones() != p.other.count_ones() || p.count() > self.men || self.wins(p.own) {
            let men = self.men / 2;
            let why =
                format!("with all men put, each player has {men}, and the player to move no line or square");
            return Err(Complaint::position(text, why));
        } else if !self.entered(turn, p) {
            return Err(Complaint::position(text, "its lines cannot have been completed by one move"));
        }
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, _: Pair, m: Step) -> String {
        m.show(|cell| self.grid.name(cell))
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, turn: Turn, p: Pair) -> String {
        self.grid.pieces(turn, p)
    }

    fn draw(&self, _: Turn, _: Pair, m: Step) -> Drawing {
        m.draw()
    }
}

/// The corners of every square with sides of `size` steps.
fn squares(grid: Grid, size: usize) -> Vec<u64> {
    let first = set_of([0, size, size * grid.cols, size * grid.cols + size]);
    let (rows, cols) = (grid.rows.saturating_sub(size), grid.cols.saturating_sub(size));
    (0..rows).flat_map(|r| (0..cols).map(move |c| first << (r * grid.cols + c))).collect()
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
        // Two lines far apart cannot come of one move; two that share a man can, and by a step of it, too.
        let game = self::game("men=6,line=3");
        for text in ["2_xxxoooo-o-o---------xxx--", "1_ooo--xx-x-x-x-x-----ooo--"] {
            assert!(game.read(text).is_err(), "{text}");
        }
        for text in ["2_xxx-o--x-oo-x-----o-xo--o", "1_ooo-x--o-xx-o-----x-ox--x"] {
            assert!(game.read(text).is_ok(), "{text}");
        }
        for options in ["men=3", "rows=2,cols=2", "rows=2,cols=3,men=3,line=3", "rows=3,cols=3"] {
            let options = Options::read(&Teeko::CARD, options).expect("options");
            assert!(Teeko::new(&options).is_err());
        }
    }
}
