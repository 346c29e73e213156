//! The sliding puzzle: tiles on a board with one empty cell, into which a neighbour slides, to be put
//! in order. The 8-puzzle is the default.
//!
//! Sliding never changes a parity, so half of all positions cannot be solved (Johnson and Story, 1879). Each half is
//! a tier. A number has the empty cell for its first digit; then for every tile but the last two, row by row, how
//! many smaller tiles come later. The parity gives the order of the last two.

use zermelo_core::grid::STRAIGHT;
use zermelo_core::prelude::*;
use zermelo_core::{Limits, Value};

/// The puzzle of sliding numbered tiles into order.
pub struct Slide {
    grid: Grid,
    /// The cells beside each cell.
    beside: Vec<u64>,
    goal: u64,
    start: u64,
    /// The number of orders of the tiles with one parity: half of all.
    orders: u64,
}

/// The most cells: boards with one more have six thousand million positions.
const MOST: usize = 12;
/// The signs of tiles; the first is the empty cell.
const SIGNS: &[u8; MOST] = b"-123456789ab";

/// The tile on a cell; 0 on the empty one. A position has four bits for each cell.
#[inline]
fn tile(p: u64, cell: usize) -> u32 {
    (p >> (4 * cell)) as u32 & 15
}

fn packed(tiles: impl IntoIterator<Item = u32>) -> u64 {
    tiles.into_iter().enumerate().fold(0, |p, (cell, tile)| p | u64::from(tile) << (4 * cell))
}

impl Slide {
    #[inline]
    fn empty(&self, p: u64) -> usize {
        (0..self.grid.cells()).find(|cell| tile(p, *cell) == 0).unwrap_or(0)
    }

    /// The parity that the row of the empty cell adds. A tile that slides a row up or down passes the others between,
    /// and an odd number of them turns the parity.
    fn turn(&self, empty: usize) -> u64 {
        let Grid { rows, cols } = self.grid;
        if cols % 2 == 0 { (rows - 1 - empty / cols) as u64 & 1 } else { 0 }
    }

    /// Visits for each tile in turn the number of smaller tiles that come later. Returns the empty cell.
    #[inline]
    fn digits(&self, p: u64, mut visit: impl FnMut(u64)) -> usize {
        let (mut empty, mut left) = (0, (1u32 << self.grid.cells()) - 2);
        for cell in 0..self.grid.cells() {
            match tile(p, cell) {
                0 => empty = cell,
                tile => {
                    left &= !(1 << tile);
                    visit((left & ((1 << tile) - 1)).count_ones().into());
                }
            }
        }
        empty
    }
}

impl Game for Slide {
    type Position = u64;
    type Move = u8; // the cell that slides

    const ALONE: bool = true;

    // All tiles the wrong way round.
    fn start(&self) -> u64 {
        self.start
    }

    #[inline]
    fn outcome(&self, p: u64) -> Option<Outcome> {
        (p == self.goal).then_some(Outcome::Win)
    }

    #[inline]
    fn moves(&self, p: u64, mut visit: impl FnMut(u8)) {
        members(self.beside[self.empty(p)]).for_each(|cell| visit(cell as u8));
    }

    #[inline]
    fn play(&self, p: u64, m: u8) -> u64 {
        let moved = u64::from(tile(p, m.into()));
        p & !(15 << (4 * m)) | moved << (4 * self.empty(p))
    }

    /// A position of the wrong parity is a draw without any search.
    fn own_search(&self, p: u64, _: Limits) -> Option<Option<Value>> {
        (self.tier(p) != self.tier(self.goal)).then_some(Some(Value::Draw))
    }
}

impl Tiers for Slide {
    type Index = Tier;

    /// The tier: 0 where the position can be solved, 1 where not.
    #[inline]
    fn tier(&self, p: u64) -> Tier {
        let mut sum = 0;
        let empty = self.digits(p, |digit| sum += digit);
        Tier((sum + self.turn(empty)) & 1)
    }

    fn name(&self, t: Tier) -> String {
        if t.0 == 0 { "solvable".into() } else { "unsolvable".into() }
    }

    fn flow(&self, _: Tier) -> Flow {
        Flow::Loops
    }

    fn size(&self, _: Tier) -> u64 {
        self.grid.cells() as u64 * self.orders
    }

    fn index(&self, t: Tier) -> Tier {
        t
    }

    #[inline]
    fn rank(&self, _: &Tier, p: u64) -> u64 {
        let (mut number, mut base) = (0, self.grid.cells() as u64 - 1);
        let empty = self.digits(p, |digit| {
            if base > 2 {
                number = number * base + digit;
            }
            base -= 1;
        });
        empty as u64 * self.orders + number
    }

    #[inline]
    fn unrank(&self, index: &Tier, i: u64) -> Option<u64> {
        let cells = self.grid.cells();
        let (empty, mut rest) = ((i / self.orders) as usize, i % self.orders);
        // How many smaller tiles come later, from the last tile to the first.
        let mut digits = [0; MOST];
        let mut sum = self.turn(empty) + index.0;
        for (base, digit) in (3..cells as u64).zip(digits[..cells - 3].iter_mut().rev()) {
            *digit = rest % base;
            rest /= base;
            sum += *digit;
        }
        digits[cells - 3] = sum & 1;
        let (mut p, mut left) = (0, (1u64 << cells) - 2);
        let mut places = (0..cells).filter(|cell| *cell != empty);
        for (digit, cell) in digits[..cells - 1].iter().zip(&mut places) {
            let mut above = left;
            (0..*digit).for_each(|_| above &= above - 1);
            let tile = above.trailing_zeros();
            left &= !(1 << tile);
            p |= u64::from(tile) << (4 * cell);
        }
        Some(p)
    }
}

impl Unmove for Slide {
    // A tile that slid can slide back.
    fn unmoves(&self, p: u64, mut visit: impl FnMut(u64)) {
        self.moves(p, |m| visit(self.play(p, m)));
    }
}

impl Face for Slide {
    const CARD: Card = Card {
        name: "slide",
        revision: 1,
        title: "Sliding puzzle",
        summary: "the 8-puzzle and its kin: slide tiles into order",
        rules: "Numbered tiles lie on a board with one empty cell. A tile beside the empty cell may slide into it. \
                The goal is to have all tiles in order, row by row, and the last cell empty. It is a puzzle for one.",
        notation: "A position is 1_ and the tiles row by row from the top left, 10 and 11 as a and b, and - for the \
                   empty cell, as in 1_12345678-. A move names the tile that slides.",
        options: &[
            Choice::number("rows", "rows of the board", (2, 6), 3),
            Choice::number("cols", "columns of the board", (2, 6), 3),
        ],
        examples: &[
            ("", "the 8-puzzle: 181,440 positions, a blink"),
            ("rows=2,cols=4", "seven tiles: 20,160 positions, a blink"),
            ("rows=2,cols=5", "nine tiles: 1.8 million positions, a second"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let grid = Grid::of(options);
        let cells = grid.cells();
        if cells > MOST {
            let (rows, cols) = (grid.rows, grid.cols);
            refuse!(
                "a board of {rows} rows of {cols} is too large: give at most {MOST} cells, as in rows=3,cols=4"
            );
        }
        let beside = |cell| STRAIGHT.iter().fold(0, |set, step| set | grid.ray(cell, *step, 1));
        let (tiles, orders) = (cells as u32 - 1, (3..cells as u64).product());
        let beside = (0..cells).map(beside).collect();
        let mut slide = Slide { grid, beside, goal: packed(1..=tiles), start: 0, orders };
        let back = |first: [u32; 2]| packed(first.into_iter().chain((1..tiles - 1).rev()));
        // Of the two parities the start has the one that can be solved.
        let solvable = |p: &u64| slide.tier(*p) == slide.tier(slide.goal);
        slide.start = [back([tiles, tiles - 1]), back([tiles - 1, tiles])]
            .into_iter()
            .find(solvable)
            .unwrap_or(slide.goal);
        Ok(slide)
    }

    fn read(&self, text: &str) -> Result<(Turn, u64), Complaint> {
        let (turn, rest) = Turn::split(self, text)?;
        let cells = self.grid.cells();
        let sign = |ch: char| {
            let at = SIGNS[..cells].iter().position(|sign| char::from(*sign) == ch.to_ascii_lowercase());
            at.map(|at| at as u32)
        };
        let tiles = rest.chars().filter(|ch| !matches!(ch, '/' | ' ')).map(sign).take(cells + 1);
        let tiles: Option<Vec<u32>> = tiles.collect();
        let each_once = |tiles: &Vec<u32>| {
            tiles.len() == cells && tiles.iter().fold(0, |seen, tile| seen | 1u32 << tile) == (1 << cells) - 1
        };
        match tiles.filter(each_once) {
            Some(tiles) => Ok((turn, packed(tiles))),
            None => {
                let signs = String::from_utf8_lossy(&SIGNS[..cells]);
                Err(Complaint::position(text, format!("want each of {signs} once, as in {}", self.sample())))
            }
        }
    }

    fn show_move(&self, _: Turn, p: u64, m: u8) -> String {
        char::from(SIGNS[tile(p, m.into()) as usize]).into()
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, _: Turn, p: u64) -> String {
        (0..self.grid.cells()).map(|cell| char::from(SIGNS[tile(p, cell) as usize])).collect()
    }

    fn draw(&self, _: Turn, p: u64, m: u8) -> Drawing {
        Drawing::Arrow(m.into(), self.empty(p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game(options: &str) -> Slide {
        Slide::new(&Options::read(&Slide::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        for (options, positions) in
            [("rows=2,cols=2", 12), ("rows=2,cols=3", 360), ("rows=3,cols=2", 360), ("rows=2,cols=4", 20_160)]
        {
            let game = game(options);
            let walked = laws::check(&game, 30_000).expect("no law is broken");
            assert_eq!((walked.positions, walked.tiers, walked.cut), (positions, 1, false), "half of all");
            laws::check_face(&game, 2_000).expect("no law is broken");
            for tier in [Tier(0), Tier(1)].into_iter().filter(|_| positions < 1_000) {
                laws::check_unmoves(&game, tier).expect("no law is broken");
                laws::check_outlook(&game, tier).expect("no law is broken");
                let index = game.index(tier);
                let back = |i| game.unrank(&index, i).map(|p| (game.tier(p), game.rank(&index, p)));
                assert!((0..game.size(tier)).all(|i| back(i) == Some((tier, i))));
            }
        }
        laws::check(&game("rows=3,cols=4"), 3_000).expect("no law is broken");
        laws::check_face(&game(""), 3_000).expect("no law is broken");
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game("");
        for text in [
            "",
            "1_",
            "2_12345678-",
            "1_1234567-",
            "1_12345678--",
            "1_11345678-",
            "1_12345679-",
            "1_123456780",
        ] {
            assert!(game.read(text).is_err(), "{text}");
        }
        assert!(game.read("1_123/456/78-").is_ok(), "rows may be told apart");
        let (_, p) = game.read("1_12345687-").expect("a position");
        let limits = Limits { time: std::time::Duration::ZERO, memory: 0 };
        assert_eq!(game.own_search(p, limits), Some(Some(Value::Draw)), "two tiles changed places");
        assert!(Slide::new(&Options::read(&Slide::CARD, "rows=4,cols=4").expect("options")).is_err());
    }
}
