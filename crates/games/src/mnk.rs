//! m,n,k games: players take turns to put a stone on an empty cell, and the first with
//! `line` stones in a row wins, or loses where that is the game (misère). Tic-tac-toe is the default.
//!
//! A tier is the number of stones, so every move leads one tier down.

use std::sync::Arc;

use zermelo_core::prelude::*;

/// An m,n,k game such as tic-tac-toe, with its lines and symmetries worked out.
pub struct Mnk {
    grid: Grid,
    lines: Lines,
    /// Whether a line loses.
    misere: bool,
    symmetries: Arc<Symmetries>,
}

impl Game for Mnk {
    type Position = Pair;
    type Move = u8;

    fn start(&self) -> Pair {
        Pair::EMPTY
    }

    #[inline]
    fn outcome(&self, p: Pair) -> Option<Outcome> {
        // Only an impossible position has a line of the player to move.
        let lines = [p.other, p.own].map(|stones| self.lines.within(stones));
        if lines[0] || lines[1] {
            return Some(if lines[0] == self.misere { Outcome::Win } else { Outcome::Lose });
        }
        (self.grid.empty(p) == 0).then_some(Outcome::Tie)
    }

    #[inline]
    fn moves(&self, p: Pair, mut visit: impl FnMut(u8)) {
        members(self.grid.empty(p)).for_each(|cell| visit(cell as u8));
    }

    #[inline]
    fn play(&self, p: Pair, m: u8) -> Pair {
        p.put(m)
    }

    fn ply(&self, p: Pair) -> Option<u32> {
        Some(p.count())
    }
}

impl Folded for Mnk {
    fn symmetries(&self) -> &Arc<Symmetries> {
        &self.symmetries
    }
}

impl Placing for Mnk {
    fn layout(&self) -> Option<BoardFiles> {
        if self.misere {
            return None;
        }
        let lines = self.lines.sets();
        Some(BoardFiles::of_rows(self.grid, [lines.clone(), lines], true))
    }
}

impl Filling for Mnk {}

impl Face for Mnk {
    const CARD: Card = Card {
        name: "mnk",
        revision: 1,
        title: "m,n,k game",
        summary: "tic-tac-toe and its kin: first to get so many in a row",
        rules: "Players take turns to put a stone on an empty cell. The first player has x and the second o. \
                Whoever first has `line` stones in a row, across, down or diagonally, wins, or loses if the game is \
                played misère; a full board without a line is a tie.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells row by row from the top left: \
                   x, o, and - for empty, as in 2_----x----. A move names a cell by column and row from below: a1 is \
                   the bottom left.",
        options: &[
            Choice::number("rows", "rows of the board", (1, 8), 3),
            Choice::number("cols", "columns of the board", (1, 8), 3),
            Choice::number("line", "stones in a row that win", (1, 8), 3),
            Choice::word("misere", "whether a line loses instead", &["no", "yes"]),
        ],
        examples: &[
            ("", "tic-tac-toe, solved in a blink"),
            ("rows=4,cols=4,line=4", "four in a row on 4x4: about 1.3 million positions, a second"),
            ("rows=3,cols=6,line=4", "a longer board: some seconds"),
            ("misere=yes", "tic-tac-toe where three in a row lose"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let grid = Grid::of(options);
        let lines = grid.lines_that_fit(options.get("line"), 1)?;
        let misere = options.get("misere") == 1;
        Ok(Mnk { grid, lines, misere, symmetries: Arc::new(grid.symmetries()) })
    }

    fn read(&self, text: &str) -> Result<(Turn, Pair), Complaint> {
        let (turn, p) = self.grid.read(self, text)?;
        placed_in_turn(text, (turn, p), p.other, |set| self.lines.within(set))?;
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, _: Pair, m: u8) -> String {
        self.grid.name(m.into())
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, turn: Turn, p: Pair) -> String {
        self.grid.pieces(turn, p)
    }

    fn draw(&self, _: Turn, _: Pair, m: u8) -> Drawing {
        Drawing::Cell(m.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game(options: &str) -> Mnk {
        Mnk::new(&Options::read(&Mnk::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        let walked = laws::check(&game(""), 10_000).expect("no law is broken");
        assert_eq!((walked.positions, walked.canonical, walked.cut), (5_478, 765, false), "textbook numbers");
        for options in [
            "rows=2,cols=4,line=3",
            "rows=4,cols=3",
            "rows=1,cols=1,line=1",
            "rows=4,cols=4,line=4",
            "misere=yes",
        ] {
            laws::check(&game(options), 4_000).expect("no law is broken");
            laws::check_face(&game(options), 2_000).expect("no law is broken");
        }
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game("");
        for text in ["1_x--------", "2_---------", "1_xxx------", "1_xxxooo---", "2_xxxoooxo-", "1_xxxxxxxxx"]
        {
            assert!(game.read(text).is_err(), "{text}");
        }
        assert!(game.read("2_xxx-oo---").is_ok() && game.read("2_X--------").is_ok());
        // Two lines through one last stone are possible; two separate ones are not.
        assert!(game.read("2_xxxxooxoo").is_ok());
    }
}
