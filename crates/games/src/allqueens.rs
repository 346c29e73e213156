//! All Queens Chess: queens move as in chess and never take; `line` own queens in a row win.
//!
//! No queen ever leaves the board, so all positions are one tier, in which play can go round in circles. A player who
//! completes a line does so by their own move, and a player without a move has lost: the last move wins. Boards with
//! a line of the player to move cannot arise and are holes.

use std::ops::Range;
use std::sync::Arc;

use zermelo_core::device::{DeviceRules, Slot, folded_header};
use zermelo_core::grid::KING;
use zermelo_core::prelude::*;

/// All Queens Chess, with its lines, rays and symmetries worked out.
pub struct AllQueens {
    grid: Grid,
    lines: Lines,
    queens: usize,
    /// By direction and cell, the cells that a queen passes on an empty board. The directions in which numbers rise
    /// come first.
    rays: [Vec<u64>; 8],
    /// The cells next to each cell.
    next_to: Vec<u64>,
    start: Pair,
    symmetries: Arc<Symmetries>,
}

/// The published set-up, for any board: queens of both colours by turns along the first row, then at the end of the
/// middle row. For each of these queens the other player has one on the opposite cell.
fn start(grid: Grid, queens: usize) -> Pair {
    let middle = (grid.rows - 1) / 2 * grid.cols;
    let mut sides = [0u64; 2];
    for (n, cell) in (0..grid.cols).chain([middle]).take(queens).enumerate() {
        sides[n % 2] |= 1 << cell;
        sides[1 - n % 2] |= 1 << (grid.cells() - 1 - cell);
    }
    Pair { own: sides[0], other: sides[1] }
}

impl AllQueens {
    /// The cells that a queen can go to.
    #[inline]
    fn reach(&self, cell: usize, occupied: u64) -> u64 {
        let mut reach = 0;
        for (direction, rays) in self.rays.iter().enumerate() {
            let ray = rays[cell];
            let first = match ray & occupied {
                0 => {
                    reach |= ray;
                    continue;
                }
                met if direction < 4 => met.trailing_zeros(),
                met => 63 - met.leading_zeros(),
            };
            reach |= ray & !rays[first as usize] & !(1 << first);
        }
        reach
    }

    /// Visits one player's moves, each as a step and the queens after it. A move played backwards is a move, too.
    #[inline]
    fn slides(&self, own: u64, other: u64, mut visit: impl FnMut(Step, u64)) {
        for from in members(own) {
            let steps = members(self.reach(from, own | other)).map(|to| Step::new(from, to));
            steps.for_each(|step| visit(step, step.moved(own)));
        }
    }
}

impl Game for AllQueens {
    type Position = Pair;
    type Move = Step;

    const LAST_WINS: bool = true;

    fn start(&self) -> Pair {
        self.start
    }

    #[inline]
    fn outcome(&self, p: Pair) -> Option<Outcome> {
        let empty = self.grid.empty(p);
        let stuck = members(p.own).all(|cell| self.next_to[cell] & empty == 0);
        (stuck || self.lines.within(p.other)).then_some(Outcome::Lose)
    }

    #[inline]
    fn moves(&self, p: Pair, mut visit: impl FnMut(Step)) {
        self.slides(p.own, p.other, |step, _| visit(step));
    }

    #[inline]
    fn mobility(&self, p: Pair) -> u64 {
        members(p.own).map(|from| u64::from(self.reach(from, p.both()).count_ones())).sum()
    }

    #[inline]
    fn play(&self, p: Pair, m: Step) -> Pair {
        Pair { own: p.other, other: m.moved(p.own) }
    }
}

impl Folded for AllQueens {
    fn tier_of(&self, _: usize, _: usize) -> Tier {
        Tier(0)
    }

    fn men_of(&self, _: Tier) -> (usize, usize) {
        (self.queens, self.queens)
    }

    fn name_of(&self, _: Tier) -> String {
        format!("{} queens each", self.queens)
    }

    fn leads_to(&self, _: Tier) -> Vec<Tier> {
        vec![]
    }

    fn flow_of(&self, _: Tier) -> Flow {
        Flow::Loops
    }

    // The game was over before the player to move has a line.
    #[inline]
    fn possible(&self, p: Pair) -> bool {
        !self.lines.within(p.own)
    }

    fn symmetries(&self) -> &Arc<Symmetries> {
        &self.symmetries
    }
}

impl Unmove for AllQueens {
    #[inline]
    fn unmoves(&self, p: Pair, mut visit: impl FnMut(Pair)) {
        self.slides(p.other, p.own, |_, before| {
            if !self.lines.within(before) {
                visit(Pair { own: before, other: p.own });
            }
        });
    }

    #[inline]
    fn outlook(&self, _: Tier, index: &Halves, range: Range<u64>, sight: &mut impl Sight<Self>) {
        self.scan(index, range, |i, p| {
            let over = self.outcome(p);
            sight.seen(i, over, if over.is_none() { self.mobility(p) as usize } else { 0 });
        });
    }

    // **Claim.** `q` has `n * copies(p) / copies(q)` moves to `p` and its images, if `n` moves lead from images of
    // `q` to `p`.
    //
    // **Proof.** Count the moves from all images of `q` to all images of `p`: each image of `p` is reached by `n` of
    // them, and each image of `q` has as many of them as `q` has.
    #[inline]
    fn sources(&self, index: &Halves, i: u64, mut visit: impl FnMut(u64)) {
        let Some(p) = self.unrank(index, i) else { return };
        let (_, copies) = index.rank_and_copies(p.own, p.other);
        if copies == self.symmetries.count() as u64 {
            return self.unmoves(p, |q| {
                let (number, of_q) = index.rank_and_copies(q.own, q.other);
                (0..copies / of_q).for_each(|_| visit(number));
            });
        }
        let mut found = vec![];
        self.unmoves(p, |q| found.push(index.rank_and_copies(q.own, q.other)));
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a == b) {
            let (number, of_q) = same[0];
            (0..same.len() as u64 * copies / of_q).for_each(|_| visit(number));
        }
    }
}

impl DeviceRules for AllQueens {
    fn header(&self) -> String {
        [&folded_header(), include_str!("device/allqueens.cuh")].concat()
    }

    fn constants(&self) -> Vec<(&'static str, u64)> {
        let (rows, cols) = (self.grid.rows as u64, self.grid.cols as u64);
        vec![("ROWS", rows), ("COLS", cols), ("LINE", self.lines.length().into())]
    }

    fn numbering(&self, index: &Halves) -> Vec<Slot> {
        index.slots()
    }
}

impl Face for AllQueens {
    const CARD: Card = Card {
        name: "allqueens",
        revision: 1,
        title: "All Queens Chess",
        summary: "queens on a small board that never take: first to line up four of them",
        rules: "Both players have `queens` queens, set up by turns along the first and the last row and at the ends of \
                the middle one. A move takes an own queen any distance across, down or diagonally over empty cells, as \
                in chess; nobody is taken. Whoever has `line` queens in a row, across, down or diagonally, wins; who \
                cannot move loses. Play that goes round in circles is a draw.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells row by row from the top left: x for \
                   the first player's queens, o for the second's, - for empty, as in 1_xoxox-----o---x-----oxoxo. A \
                   move names the cell that a queen leaves and the one it goes to, as in a5-a4.",
        options: &[
            Choice::number("rows", "rows of the board", (3, 6), 5),
            Choice::number("cols", "columns of the board", (3, 6), 5),
            Choice::number("queens", "queens of each player", (2, 7), 6),
            Choice::number("line", "queens in a row that win", (3, 6), 4),
        ],
        examples: &[
            ("rows=4,cols=4,queens=4", "four queens on 4x4: a hundred thousand positions, in a blink"),
            (
                "rows=4,cols=5,queens=5",
                "five queens on 4x5: 11 million positions, some seconds; the first player wins in 3",
            ),
            (
                "",
                "the board that is sold: 610 million numbers, 2 GB and half an hour of one core; the first player wins in 19",
            ),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let (grid, queens) = (Grid::of(options), options.get("queens"));
        let Grid { rows, cols } = grid;
        let lines = grid.lines_that_fit(options.get("line"), 3)?;
        if queens > cols + 1 {
            refuse!("a board of {cols} columns has room for queens=2 to {}", cols + 1);
        }
        let start = start(grid, queens);
        if [start.own, start.other].iter().any(|side| lines.within(*side)) {
            refuse!("with these options the game would begin with a line");
        }
        let all = |step| (0..grid.cells()).map(|cell| grid.ray(cell, step, rows.max(cols) as i32)).collect();
        Ok(AllQueens {
            grid,
            lines,
            queens,
            rays: KING.map(all),
            next_to: (0..grid.cells()).map(|cell| grid.around(cell)).collect(),
            start,
            symmetries: Arc::new(grid.symmetries()),
        })
    }

    fn read(&self, text: &str) -> Result<(Turn, Pair), Complaint> {
        let (turn, p) = self.grid.read(self, text)?;
        let impossible = |why: &str| Err(Complaint::position(text, why));
        if [p.own, p.other].iter().any(|side| side.count_ones() as usize != self.queens) {
            return impossible(&format!("each player has {} queens, x and o", self.queens));
        }
        if self.lines.within(p.own) {
            return impossible("the player to move already has a line, so the game was over before");
        }
        let mut entered = !self.lines.within(p.other);
        self.unmoves(p, |_| entered = true);
        if !entered {
            return impossible("its lines cannot have been completed by one move");
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

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn open(options: &str) -> Result<AllQueens, Complaint> {
        AllQueens::new(&Options::read(&AllQueens::CARD, options).expect("options"))
    }

    fn game(options: &str) -> AllQueens {
        open(options).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        for options in [
            "rows=3,cols=3,queens=2,line=3",
            "rows=3,cols=3,queens=3,line=3",
            "rows=3,cols=3,queens=4,line=3",
            "rows=3,cols=4,queens=3,line=3",
            "rows=4,cols=3,queens=2,line=3",
        ] {
            let game = game(options);
            laws::check(&game, 30_000).expect("no law is broken");
            laws::check_unmoves(&game, Tier(0)).expect("no law is broken");
            laws::check_outlook(&game, Tier(0)).expect("no law is broken");
        }
        for options in ["", "rows=4,cols=4,queens=4,line=3", "rows=6,cols=5,queens=5,line=5"] {
            laws::check(&game(options), 1_000).expect("no law is broken");
            laws::check_face(&game(options), 500).expect("no law is broken");
        }
    }

    #[test]
    fn the_set_up_is_the_published_one() {
        // GamesmanOne, mallqueenschess.c.
        let game = game("");
        assert_eq!(game.show(Turn::First, game.start()), "1_xoxox-----o---x-----oxoxo");
        assert_eq!(laws::list_moves(&game, game.start()).len(), 34);
        // Burnside's lemma: all sets of six, those that a half turn and those that a reflection leaves as they are.
        let orbits = (177_100 + 220 + 4 * 620) / 8;
        assert_eq!(game.size(Tier(0)), orbits * 27_132);
    }

    #[test]
    fn queens_stop_at_queens() {
        let game = game("rows=4,cols=4,queens=2,line=4");
        let (turn, p) = game.read("1_x--o----------ox").expect("a position");
        let moves = laws::list_moves(&game, p);
        let mut names: Vec<_> = moves.into_iter().map(|(m, _)| game.show_move(turn, p, m)).collect();
        names.sort();
        let corner = ["a4-a1", "a4-a2", "a4-a3", "a4-b3", "a4-b4", "a4-c2", "a4-c4"];
        assert_eq!(names[..7], corner);
        assert_eq!(names[7..], ["d1-b3", "d1-c2", "d1-d2", "d1-d3"]);
    }

    #[test]
    fn who_cannot_move_has_lost() {
        let game = game("rows=3,cols=3,queens=4,line=3");
        let over = |text: &str| game.outcome(game.read(text).expect("a position").1);
        assert_eq!(over("1_oxxxooxo-"), Some(Outcome::Lose));
        assert_eq!(over("2_oxxxooxo-"), None);
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game("rows=4,cols=4,queens=4,line=3");
        for text in [
            "1_----------------",
            "1_xxxx----o-o-o---",
            "1_xxx-x---o-o-o-o-",
            "1_x-x-x-x-ooo-ooo-",
            "1_xx-xxx---------",
            "1_xxx-x-----oo--oo",
        ] {
            assert!(game.read(text).is_err(), "{text}");
        }
        assert!(game.read("1_xx-xx-----oo--oo").is_ok());
        assert!(game.read("2_xxx-x-----oo--oo").is_ok(), "one move ago there was no line");
        // Two lines far apart cannot come of one move.
        let wide = self::game("rows=6,cols=6,queens=6,line=3");
        assert!(wide.read("2_xxx---------oo-oo-oo----------xxx---").is_err());
        assert!(open("rows=3,cols=3,queens=5,line=3").is_err(), "too many queens");
        assert!(open("rows=3,cols=3,queens=3,line=4").is_err(), "too long a line");
    }
}
