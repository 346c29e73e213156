//! Pentago: put a stone, then turn one of the four quadrants by a quarter. Five in a row wins: at once when the stone
//! makes it, otherwise after the turn, when both players may have five.
//!
//! Boards are named and numbered as in Irving's database (arXiv 1404.0743): see `quadrants` and `tiers`.

mod quadrants;
#[cfg(test)]
mod tests;
mod tiers;

use zermelo_core::Twist;
use zermelo_core::prelude::*;
use zermelo_core::sections::Section;
use zermelo_core::sections::quadrants::{ALL, CELLS, Rotating, bit, has_five, turn};

use quadrants::{board_of, by_turn, turn_of, unpack};

/// Pentago, or the end of the game from a section on.
#[derive(Default)]
pub struct Pentago {
    /// The standard section that is solved, with all that its boards lead to.
    section: Option<Section>,
}

/// A move: where a stone is put, and how a quadrant is turned then. There is no turn where the stone wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PentagoPut {
    /// The cell, `6 * x + y`.
    cell: u8,
    turn: Option<Quarter>,
}

/// A quarter turn of a quadrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quarter {
    quadrant: u8,
    left: bool,
}

/// The eight quarter turns, in the order of the published data: to the right, to the left.
const QUARTERS: [Quarter; 8] = {
    let mut all = [Quarter { quadrant: 0, left: false }; 8];
    let mut n = 0;
    while n < 8 {
        all[n] = Quarter { quadrant: n as u8 / 2, left: n % 2 == 1 };
        n += 1;
    }
    all
};

impl Quarter {
    #[inline]
    fn of(self, set: u64) -> u64 {
        turn(set, self.quadrant.into(), if self.left { 1 } else { 3 })
    }
}

/// The bit of a cell.
#[inline]
fn cell_bit(cell: u8) -> u64 {
    bit(usize::from(cell) / 6, usize::from(cell) % 6)
}

impl Game for Pentago {
    type Position = Pair;
    type Move = PentagoPut;

    // The number of stones determines who is to move.
    const SIDES: bool = false;

    fn start(&self) -> Pair {
        self.section.map_or(Pair::EMPTY, tiers::example)
    }

    /// The player to move at the start. A section with an odd number of stones has White to move.
    fn start_turn(&self) -> Turn {
        turn_of(self.start())
    }

    #[inline]
    fn outcome(&self, p: Pair) -> Option<Outcome> {
        match (has_five(p.own), has_five(p.other)) {
            (true, true) => Some(Outcome::Tie),
            (true, false) => Some(Outcome::Win),
            (false, true) => Some(Outcome::Lose),
            (false, false) => (p.own | p.other == ALL).then_some(Outcome::Tie),
        }
    }

    #[inline]
    fn moves(&self, p: Pair, mut visit: impl FnMut(PentagoPut)) {
        let free = ALL & !(p.own | p.other);
        for cell in (0..CELLS as u8).filter(|cell| free & cell_bit(*cell) != 0) {
            if has_five(p.own | cell_bit(cell)) {
                visit(PentagoPut { cell, turn: None });
            } else {
                QUARTERS.into_iter().for_each(|quarter| visit(PentagoPut { cell, turn: Some(quarter) }));
            }
        }
    }

    #[inline]
    fn play(&self, p: Pair, m: PentagoPut) -> Pair {
        let turned = |set: u64| m.turn.map_or(set, |quarter| quarter.of(set));
        Pair { own: turned(p.other), other: turned(p.own | cell_bit(m.cell)) }
    }

    #[inline]
    fn ply(&self, p: Pair) -> Option<u32> {
        Some((p.own | p.other).count_ones())
    }

    fn endgames(&self) -> bool {
        self.section.is_some()
    }
}

/// Names of the quadrants: lower or upper, left or right.
const QUADRANTS: [&str; 4] = ["ll", "ul", "lr", "ur"];

/// The cell of the picture: cells are counted row by row from the top left.
fn drawn(cell: u8) -> usize {
    let (x, y) = (usize::from(cell) / 6, usize::from(cell) % 6);
    (5 - y) * 6 + x
}

/// The name of a turn: `ul-r` turns the upper left quadrant to the right.
fn turn_name(Quarter { quadrant, left }: Quarter) -> String {
    format!("{}-{}", QUADRANTS[usize::from(quadrant)], if left { "l" } else { "r" })
}

fn cell_name(cell: u8) -> String {
    format!("{}{}", char::from(b'a' + cell / 6), cell % 6 + 1)
}

impl Rotating for Pentago {
    fn parts(m: PentagoPut) -> (u64, Option<usize>) {
        (cell_bit(m.cell), m.turn.map(|t| 2 * usize::from(t.quadrant) + usize::from(t.left)))
    }
}

impl Face for Pentago {
    const CARD: Card = Card {
        name: "pentago",
        revision: 1,
        title: "Pentago",
        summary: "put a stone and turn a quadrant; five in a row wins",
        rules: "The board has 6 by 6 cells in four quadrants of 3 by 3. A move puts a stone on an empty cell and then \
                turns one quadrant by a quarter, to the left or to the right. Five stones in a row, across, down or \
                diagonally, win. A stone that makes five wins at once, without a turn. After a turn both players \
                may have five: then it is a tie, and so is a full board without five.",
        notation: "A position is a number, as boards are named in Irving's database: 16 bits a quadrant (lower left, \
                   upper left, lower right, upper right), each a number in base three with the digit 3 x + y of a \
                   cell 0 for empty, 1 for black, 2 for white. Black begins; the number of stones says who is to \
                   move. Cells one by one from the top left, as in 1_x--o..., are read too. A move names the cell, \
                   the quadrant and the direction: a1-ul-r puts a stone on a1 and turns the upper left \
                   quadrant to the right. A stone that wins at once is the cell alone.",
        options: &[Choice::text(
            "section",
            "only boards with so many black and white stones in each quadrant, and what they lead to",
            |text| Ok(tiers::digits(tiers::read_section(text)?)),
        )],
        examples: &[
            ("", "the board that is sold: 3 * 10^15 positions"),
            ("section=71176116", "all boards with these 30 stones, and what they lead to"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let text = options.text("section");
        let section = (!text.is_empty()).then(|| tiers::read_section(text)).transpose()?;
        Ok(Pentago { section })
    }

    /// Writes a position. The turn may be wrong or unknown: the number of stones determines it.
    fn show(&self, _: Turn, p: Pair) -> String {
        board_of(p).to_string()
    }

    fn read(&self, text: &str) -> Result<(Turn, Pair), Complaint> {
        let wrong = |why: &str| Complaint::position(text, why);
        let text = text.trim();
        if text.strip_suffix('m').is_some_and(|board| board.parse::<u64>().is_ok()) {
            return Err(wrong("a board with a turn still due is half a move; give the board before it"));
        }
        let (black, white) = match text.split_once('_') {
            Some((_, cells)) => read_cells(cells).ok_or_else(|| wrong("there are 36 cells of x, o and -"))?,
            None => text.parse().ok().and_then(unpack).ok_or_else(|| {
                wrong("it is no number of a board: four times 16 bits, each less than 19683")
            })?,
        };
        let turn = match (black.count_ones(), white.count_ones()) {
            (b, w) if b == w => Turn::First,
            (b, w) if b == w + 1 => Turn::Second,
            (b, w) => {
                return Err(wrong(&format!(
                    "{b} black and {w} white stones: black begins, so as many or one more are black"
                )));
            }
        };
        if let Some((said, _)) = text.split_once('_')
            && said != turn.digit().to_string()
        {
            return Err(wrong(&format!("by its stones it is the turn of {}: begin with that", turn.digit())));
        }
        Ok((turn, by_turn(black, white)))
    }

    fn show_move(&self, _: Turn, _: Pair, m: PentagoPut) -> String {
        match m.turn {
            None => cell_name(m.cell),
            Some(quarter) => format!("{}-{}", cell_name(m.cell), turn_name(quarter)),
        }
    }

    /// The board: four quadrants of cells, and above or below each the two ways to turn it.
    fn board(&self) -> Board {
        // Quadrants lie apart. The turns take a little less room than a cell, so that the whole board fits a terminal
        // of 24 lines.
        let along = |n: usize| n as f32 + if n < 3 { 0.5 } else { 1.0 };
        let cells = (0..CELLS).map(|cell| (along(cell % 6) + 0.25, along(cell / 6) + 0.75));
        let name = |cell: usize| cell_name((cell % 6 * 6 + 5 - cell / 6) as u8);
        let twists = QUARTERS.map(|Quarter { quadrant, left }| Twist {
            about: (if quadrant / 2 == 1 { 5.25 } else { 1.75 }, if quadrant % 2 == 1 { 2.25 } else { 5.75 }),
            reach: 1.5,
            left,
        });
        // A turn is picked at the end of the outer side towards which that side moves.
        let spot = |twist: Twist| {
            let up = twist.about.1 < 4.0;
            let end = if twist.left == up { -1.0 } else { 1.0 };
            (twist.about.0 + end, if up { 0.375 } else { 7.625 })
        };
        let side = |name, letter| Side::alike(name, "stone", letter, ' ');
        Board {
            width: 7.0,
            height: 8.0,
            cells: cells.chain(twists.map(spot)).collect(),
            names: (0..CELLS).map(name).chain(QUARTERS.map(turn_name)).collect(),
            sides: vec![side("Black", 'x'), side("White", 'o')],
            twists: twists.to_vec(),
            ..Board::default()
        }
    }

    fn pieces(&self, turn: Turn, p: Pair) -> String {
        let on_picture = |set: u64| {
            set_of((0..CELLS).filter(|cell| set & cell_bit((cell % 6 * 6 + 5 - cell / 6) as u8) != 0))
        };
        let [own, other] = p.pack().map(on_picture);
        Grid::new(6, 6).pieces(turn, Pair { own, other })
    }

    /// Draws a move: put a stone, then pick a turn.
    fn draw(&self, _: Turn, _: Pair, m: PentagoPut) -> Drawing {
        match Self::parts(m).1 {
            None => Drawing::Cell(drawn(m.cell)),
            Some(turn) => Drawing::Arrow(drawn(m.cell), CELLS + turn),
        }
    }
}

/// Reads the cells row by row from the top left.
fn read_cells(text: &str) -> Option<(u64, u64)> {
    if text.len() != CELLS {
        return None;
    }
    let (mut black, mut white) = (0, 0);
    for (cell, letter) in text.chars().enumerate() {
        let bit = bit(cell % 6, 5 - cell / 6);
        match letter {
            'x' => black |= bit,
            'o' => white |= bit,
            '-' => {}
            _ => return None,
        }
    }
    Some((black, white))
}
