//! Northcott's game on one row: each player has a man at an end of a row of cells, and in turn moves it one to `reach`
//! cells forward or back, never over the other's man. Whoever cannot move loses.

use zermelo::kit::{
    Board, Card, Choice, Complaint, Drawing, Face, Flow, Game, Options, Outcome, Packed, Tier, Tiers, Turn,
};

/// The game.
pub struct Northcott {
    cells: u8,
    reach: u8,
}

/// Cells behind the mover's man, between the men, and behind the other's man.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Row {
    behind: u8,
    gap: u8,
    beyond: u8,
}

/// Cells to go: forward, or back where it is less than none.
pub type Step = i8;

impl Northcott {
    fn row(&self, behind: u8, gap: u8) -> Row {
        Row { behind, gap, beyond: self.cells - 2 - behind - gap }
    }

    /// Where the men of the first player and of the second stand, from the left.
    fn men(&self, turn: Turn, p: Row) -> [usize; 2] {
        let (left, right) = match turn {
            Turn::First => (p.behind, p.beyond),
            Turn::Second => (p.beyond, p.behind),
        };
        [usize::from(left), usize::from(self.cells - 1 - right)]
    }

    /// From which cell to which a step leads.
    fn way(&self, turn: Turn, p: Row, step: Step) -> [usize; 2] {
        let [first, second] = self.men(turn, p);
        match turn {
            Turn::First => [first, first.saturating_add_signed(step.into())],
            Turn::Second => [second, second.saturating_add_signed(-isize::from(step))],
        }
    }
}

impl Game for Northcott {
    type Position = Row;
    type Move = Step;

    fn start(&self) -> Row {
        self.row(0, self.cells - 2)
    }

    fn outcome(&self, p: Row) -> Option<Outcome> {
        (p.behind == 0 && p.gap == 0).then_some(Outcome::Lose)
    }

    fn moves(&self, p: Row, mut visit: impl FnMut(Step)) {
        (1..=self.reach.min(p.gap)).for_each(|n| visit(n as Step));
        (1..=self.reach.min(p.behind)).for_each(|n| visit(-(n as Step)));
    }

    fn play(&self, p: Row, step: Step) -> Row {
        // The row as the other player sees it.
        Row {
            behind: p.beyond,
            gap: p.gap.saturating_add_signed(-step),
            beyond: p.behind.saturating_add_signed(step),
        }
    }
}

// One tier in which play can go round in circles.
impl Tiers for Northcott {
    type Index = ();

    fn flow(&self, _: Tier) -> Flow {
        Flow::Loops
    }

    fn size(&self, _: Tier) -> u64 {
        u64::from(self.cells - 1).pow(2)
    }

    fn index(&self, _: Tier) {}

    fn rank(&self, _: &(), p: Row) -> u64 {
        u64::from(p.behind) * u64::from(self.cells - 1) + u64::from(p.gap)
    }

    // Numbers with more cells than the row has are holes.
    fn unrank(&self, _: &(), i: u64) -> Option<Row> {
        let side = u64::from(self.cells - 1);
        let (behind, gap) = (i / side, i % side);
        (behind + gap < side).then(|| self.row(behind as u8, gap as u8))
    }
}

impl Packed for Row {
    fn pack(self) -> [u64; 2] {
        [self.behind, self.gap, self.beyond].pack()
    }

    fn unpack(packed: [u64; 2]) -> Row {
        let [behind, gap, beyond] = Packed::unpack(packed);
        Row { behind, gap, beyond }
    }
}

impl Face for Northcott {
    const CARD: Card = Card {
        name: "northcott",
        revision: 1,
        title: "Northcott's game, one row",
        summary: "two men on a row push each other back",
        rules: "Each player has a man at an end of a row and moves it in turn one to `reach` cells forward or back, \
                not over the other's man. Whoever cannot move loses.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells from the left: x is the first \
                   player's man, o the second's. A move is the number of the cell it goes to.",
        options: &[
            Choice::number("cells", "cells of the row", (3, 60), 9),
            Choice::number("reach", "most cells of a move", (1, 20), 2),
        ],
        examples: &[
            ("", "seven cells between the men: the first player wins"),
            ("cells=8", "six: the second wins"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        Ok(Northcott { cells: options.get("cells") as u8, reach: options.get("reach") as u8 })
    }

    fn show(&self, turn: Turn, p: Row) -> String {
        format!("{}_{}", turn.digit(), self.pieces(turn, p))
    }

    fn read(&self, text: &str) -> Result<(Turn, Row), Complaint> {
        let bad = || {
            let start = self.show(Turn::First, self.start());
            Complaint::new(format!(
                "position {text:?}: want 1_ or 2_ and {} cells with x somewhere before o, as in {start}",
                self.cells
            ))
        };
        let (turn, row) = text.split_once('_').ok_or_else(bad)?;
        let row = row.to_ascii_lowercase();
        let one = |man: char| row.matches(man).count() == 1 && row.len() == usize::from(self.cells);
        let plain = row.bytes().all(|b| b"-xo".contains(&b));
        let (x, o) = (row.find('x').ok_or_else(bad)?, row.find('o').ok_or_else(bad)?);
        if !plain || !one('x') || !one('o') || x > o {
            return Err(bad());
        }
        let (left, gap, right) = (x as u8, (o - x - 1) as u8, self.cells - 1 - o as u8);
        match turn {
            "1" => Ok((Turn::First, self.row(left, gap))),
            "2" => Ok((Turn::Second, self.row(right, gap))),
            _ => Err(bad()),
        }
    }

    fn show_move(&self, turn: Turn, p: Row, step: Step) -> String {
        (self.way(turn, p, step)[1] + 1).to_string()
    }

    fn board(&self) -> Board {
        let cells = usize::from(self.cells);
        Board {
            width: cells as f32,
            height: 1.0,
            cells: (0..cells).map(|i| (i as f32 + 0.5, 0.5)).collect(),
            names: (1..=cells).map(|i| i.to_string()).collect(),
            ..Board::default()
        }
    }

    fn pieces(&self, turn: Turn, p: Row) -> String {
        let [x, o] = self.men(turn, p);
        let on = |i: usize| if i == x { 'x' } else { '-' };
        (0..usize::from(self.cells)).map(|i| if i == o { 'o' } else { on(i) }).collect()
    }

    fn draw(&self, turn: Turn, p: Row, step: Step) -> Drawing {
        let [from, to] = self.way(turn, p, step);
        Drawing::Arrow(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo::kit::laws;

    #[test]
    fn obeys_the_laws() {
        for (cells, reach) in [(3, 1), (9, 2), (12, 5), (60, 20)] {
            let game = Northcott { cells, reach };
            laws::check(&game, 10_000).expect("no law is broken");
            laws::check_face(&game, 10_000).expect("no law is broken");
        }
    }
}
