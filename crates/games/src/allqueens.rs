//! All Queens Chess: queens move as in chess and never take; `line` own queens in a row win.
//!
//! No queen ever leaves the board, so all positions are one tier, in which play can go round in circles.
//! Whoever completes a line does so by their own move, and a player without a move has lost: the last
//! move wins. Boards with a line of the player to move cannot be and are holes.

use std::ops::Range;
use std::sync::Arc;

use zermelo_core::grid::{Grid, Lines, Symmetries};
use zermelo_core::rank::FoldedPair;
use zermelo_core::{
    Board, Card, Choice, Complaint, Drawing, Face, Flow, Game, Options, Outcome, Sight, Tier, Tiers, Turn,
    Unmove, quoted,
};

/// The game, with its lines, rays and symmetries worked out.
pub struct AllQueens {
    grid: Grid,
    lines: Lines,
    queens: u32,
    /// By direction and cell, the cells that a queen passes on an empty board: first the directions in
    /// which numbers rise.
    rays: [Vec<u64>; 8],
    /// The cells next to each cell.
    next_to: Vec<u64>,
    start: Queens,
    symmetries: Arc<Symmetries>,
}

/// Queens of the player to move and of the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Queens {
    own: u64,
    other: u64,
}

/// From a cell to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    from: u8,
    to: u8,
}

const STEPS: [(i32, i32); 8] = [(0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1)];

/// The cells of a set.
#[inline]
fn each(mut set: u64, mut visit: impl FnMut(u32)) {
    while set != 0 {
        visit(set.trailing_zeros());
        set &= set - 1;
    }
}

/// The cells from one on in a direction, as far as the board goes or one step only.
fn ray(grid: Grid, cell: usize, (down, right): (i32, i32), far: i32) -> u64 {
    let place = |n: i32| ((cell / grid.cols) as i32 + n * down, (cell % grid.cols) as i32 + n * right);
    let inside = |(r, c): &(i32, i32)| (0..grid.rows as i32).contains(r) && (0..grid.cols as i32).contains(c);
    let cells = (1..=far).map(place).take_while(inside);
    cells.fold(0, |set, (r, c)| set | 1 << (r as usize * grid.cols + c as usize))
}

/// The published set-up, for any board: queens of both colours by turns along the first row, then at the
/// end of the middle row; for each the other player has one on the opposite cell.
fn start(grid: Grid, queens: usize) -> Queens {
    let middle = (grid.rows - 1) / 2 * grid.cols;
    let mut sides = [0u64; 2];
    for (n, cell) in (0..grid.cols).chain([middle]).take(queens).enumerate() {
        sides[n % 2] |= 1 << cell;
        sides[1 - n % 2] |= 1 << (grid.cells() - 1 - cell);
    }
    Queens { own: sides[0], other: sides[1] }
}

impl AllQueens {
    /// Where a queen can go.
    #[inline]
    fn reach(&self, cell: u32, occupied: u64) -> u64 {
        let mut reach = 0;
        for (direction, rays) in self.rays.iter().enumerate() {
            let ray = rays[cell as usize];
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

    /// Visits one player's moves as the queens before and after; moving back is moving, too.
    #[inline]
    fn slides(&self, own: u64, other: u64, mut visit: impl FnMut(u32, u32, u64)) {
        each(own, |from| {
            each(self.reach(from, own | other), |to| visit(from, to, own & !(1 << from) | 1 << to));
        });
    }
}

impl Game for AllQueens {
    type Position = Queens;
    type Move = Move;

    const LAST_WINS: bool = true;

    fn start(&self) -> Queens {
        self.start
    }

    #[inline]
    fn outcome(&self, p: Queens) -> Option<Outcome> {
        let empty = self.grid.full() & !(p.own | p.other);
        let mut stuck = true;
        each(p.own, |cell| stuck &= self.next_to[cell as usize] & empty == 0);
        (stuck || self.lines.within(p.other)).then_some(Outcome::Lose)
    }

    #[inline]
    fn moves(&self, p: Queens, mut visit: impl FnMut(Move)) {
        self.slides(p.own, p.other, |from, to, _| visit(Move { from: from as u8, to: to as u8 }));
    }

    #[inline]
    fn mobility(&self, p: Queens) -> u64 {
        let mut moves = 0;
        each(p.own, |from| moves += u64::from(self.reach(from, p.own | p.other).count_ones()));
        moves
    }

    #[inline]
    fn play(&self, p: Queens, m: Move) -> Queens {
        Queens { own: p.other, other: p.own & !(1 << m.from) | 1 << m.to }
    }
}

impl Tiers for AllQueens {
    type Index = FoldedPair;

    fn tier(&self, _: Queens) -> Tier {
        Tier(0)
    }

    fn children(&self, _: Tier) -> Vec<Tier> {
        vec![]
    }

    fn flow(&self, _: Tier) -> Flow {
        Flow::Loops
    }

    fn size(&self, _: Tier) -> u64 {
        FoldedPair::size_of(&self.symmetries, self.queens as usize, self.queens as usize)
    }

    fn index(&self, _: Tier) -> FoldedPair {
        FoldedPair::new(&self.symmetries, self.queens as usize, self.queens as usize)
    }

    #[inline]
    fn rank(&self, index: &FoldedPair, p: Queens) -> u64 {
        index.rank(p.own, p.other)
    }

    #[inline]
    fn unrank(&self, index: &FoldedPair, i: u64) -> Option<Queens> {
        let (own, other) = index.unrank(i)?;
        (!self.lines.within(own)).then_some(Queens { own, other })
    }

    fn canonical(&self, p: Queens) -> Queens {
        let (own, other) = self.symmetries.least(p.own, p.other);
        Queens { own, other }
    }

    fn copies(&self, index: &FoldedPair, p: Queens) -> u64 {
        index.copies(p.own, p.other)
    }

    fn alike(&self, p: Queens) -> u64 {
        self.symmetries.images(p.own, p.other)
    }

    #[inline]
    fn scan(&self, index: &FoldedPair, range: Range<u64>, mut visit: impl FnMut(u64, Queens)) {
        index.scan(range, |i, own, other| {
            if !self.lines.within(own) {
                visit(i, Queens { own, other });
            }
        });
    }
}

impl Unmove for AllQueens {
    #[inline]
    fn unmoves(&self, p: Queens, mut visit: impl FnMut(Queens)) {
        self.slides(p.other, p.own, |_, _, before| {
            if !self.lines.within(before) {
                visit(Queens { own: before, other: p.own });
            }
        });
    }

    #[inline]
    fn outlook(&self, _: Tier, index: &FoldedPair, range: Range<u64>, sight: &mut impl Sight<Self>) {
        self.scan(index, range, |i, p| {
            let over = self.outcome(p);
            sight.seen(i, over, if over.is_none() { self.mobility(p) as usize } else { 0 });
        });
    }

    // Every move counts. Of the images of q some lead to p and the others to images of p; q alone has as many
    // moves to p and its images as there are copies of p for one of q.
    #[inline]
    fn sources(&self, index: &FoldedPair, i: u64, mut visit: impl FnMut(u64)) {
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
            ("", "the game in the shops: 610 million positions, 2 GB and some ten minutes of one processor"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let (rows, cols, queens) = (options.get("rows"), options.get("cols"), options.get("queens"));
        let grid = Grid::new(rows, cols);
        let lines = grid.lines_that_fit(options.get("line"), 3)?;
        if queens > cols + 1 {
            let most = cols + 1;
            return Err(Complaint::new(format!("a board of {cols} columns has room for queens=2 to {most}")));
        }
        let start = start(grid, queens);
        if [start.own, start.other].iter().any(|side| lines.within(*side)) {
            return Err(Complaint::new("with these options the game would begin with a line".to_string()));
        }
        let all = |step| (0..grid.cells()).map(|cell| ray(grid, cell, step, 6)).collect();
        let next_to = |cell| STEPS.iter().fold(0, |set, step| set | ray(grid, cell, *step, 1));
        Ok(AllQueens {
            grid,
            lines,
            queens: queens as u32,
            rays: STEPS.map(all),
            next_to: (0..grid.cells()).map(next_to).collect(),
            start,
            symmetries: Arc::new(grid.symmetries()),
        })
    }

    fn show(&self, turn: Turn, p: Queens) -> String {
        self.grid.show(turn, p.own, p.other)
    }

    fn read(&self, text: &str) -> Result<(Turn, Queens), Complaint> {
        let (turn, own, other) = self.grid.read(text)?;
        let p = Queens { own, other };
        let impossible = |why: String| Err(Complaint::new(format!("position {}: {why}", quoted(text))));
        if [own, other].iter().any(|side| side.count_ones() != self.queens) {
            return impossible(format!("each player has {} queens, x and o", self.queens));
        }
        if self.lines.within(own) {
            return impossible("the player to move already has a line, so the game was over before".into());
        }
        let mut entered = !self.lines.within(other);
        self.unmoves(p, |_| entered = true);
        if !entered {
            return impossible("its lines cannot have been completed by one move".into());
        }
        Ok((turn, p))
    }

    fn pack(&self, p: Queens) -> [u64; 2] {
        [p.own, p.other]
    }

    fn unpack(&self, [own, other]: [u64; 2]) -> Queens {
        Queens { own, other }
    }

    fn show_move(&self, _: Turn, _: Queens, m: Move) -> String {
        format!("{}-{}", self.grid.name(m.from.into()), self.grid.name(m.to.into()))
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, turn: Turn, p: Queens) -> String {
        self.grid.pieces(turn, p.own, p.other)
    }

    fn draw(&self, _: Turn, _: Queens, m: Move) -> Drawing {
        Drawing::Arrow(m.from.into(), m.to.into())
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
        // Burnside: all sets of six, those that a half turn and those that a reflection leaves as they are.
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
