//! m,n,k games: players take turns to put a stone on an empty cell, and the first with
//! `line` stones in a row wins, or loses where that is the game (misère). Tic-tac-toe is the default.
//!
//! A tier is the number of stones, so every move leads one tier down.

use std::ops::Range;
use std::sync::Arc;

use zermelo_core::grid::{Grid, Lines, Symmetries, placed_in_turn};
use zermelo_core::rank::FoldedPair;
use zermelo_core::{
    Board, Card, Choice, Colours, Complaint, Drawing, Face, File, Game, Growing, Layout, Options, Outcome,
    Placing, Tier, Tiers, Turn,
};

/// The game, with its lines and symmetries worked out.
pub struct Mnk {
    grid: Grid,
    lines: Lines,
    /// Whether a line loses.
    misere: bool,
    symmetries: Arc<Symmetries>,
}

/// Stones of the player to move and of the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stones {
    own: u64,
    other: u64,
}

impl Game for Mnk {
    type Position = Stones;
    type Move = u8;

    fn start(&self) -> Stones {
        Stones { own: 0, other: 0 }
    }

    #[inline]
    fn outcome(&self, p: Stones) -> Option<Outcome> {
        // Only an impossible position has a line of the player to move.
        let lines = [p.other, p.own].map(|stones| self.lines.within(stones));
        if lines[0] || lines[1] {
            return Some(if lines[0] == self.misere { Outcome::Win } else { Outcome::Lose });
        }
        (p.own | p.other == self.grid.full()).then_some(Outcome::Tie)
    }

    #[inline]
    fn moves(&self, p: Stones, mut visit: impl FnMut(u8)) {
        let mut empty = self.grid.full() & !(p.own | p.other);
        while empty != 0 {
            visit(empty.trailing_zeros() as u8);
            empty &= empty - 1;
        }
    }

    #[inline]
    fn play(&self, p: Stones, m: u8) -> Stones {
        Stones { own: p.other, other: p.own | 1 << m }
    }

    fn ply(&self, p: Stones) -> Option<u32> {
        Some((p.own | p.other).count_ones())
    }
}

impl Tiers for Mnk {
    type Index = FoldedPair;

    #[inline]
    fn tier(&self, p: Stones) -> Tier {
        Tier((p.own | p.other).count_ones().into())
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        if t.0 < self.grid.cells() as u64 { vec![Tier(t.0 + 1)] } else { vec![] }
    }

    fn size(&self, t: Tier) -> u64 {
        FoldedPair::size_of(&self.symmetries, t.0 as usize / 2, t.0.div_ceil(2) as usize)
    }

    fn index(&self, t: Tier) -> FoldedPair {
        FoldedPair::new(&self.symmetries, t.0 as usize / 2, t.0.div_ceil(2) as usize)
    }

    #[inline]
    fn rank(&self, index: &FoldedPair, p: Stones) -> u64 {
        index.rank(p.own, p.other)
    }

    #[inline]
    fn unrank(&self, index: &FoldedPair, i: u64) -> Option<Stones> {
        index.unrank(i).map(|(own, other)| Stones { own, other })
    }

    fn index_bytes(&self) -> u64 {
        self.symmetries.bytes()
    }

    fn canonical(&self, p: Stones) -> Stones {
        let (own, other) = self.symmetries.least(p.own, p.other);
        Stones { own, other }
    }

    fn alike(&self, p: Stones) -> u64 {
        self.symmetries.images(p.own, p.other)
    }

    fn copies(&self, index: &FoldedPair, p: Stones) -> u64 {
        index.copies(p.own, p.other)
    }

    #[inline]
    fn scan(&self, index: &FoldedPair, range: Range<u64>, mut visit: impl FnMut(u64, Stones)) {
        index.scan(range, |i, own, other| visit(i, Stones { own, other }));
    }
}

impl Placing for Mnk {
    fn layout(&self) -> Option<Layout> {
        if self.misere {
            return None;
        }
        let Grid { rows, cols, .. } = self.grid;
        let file = |r: usize| File { shift: (r * cols) as u32, cells: cols as u32 };
        let lines = self.lines.sets();
        Some(Layout {
            files: (0..rows).map(file).collect(),
            stacked: false,
            lines: [lines.clone(), lines],
            mirror: true,
        })
    }

    fn stones(&self, p: Stones) -> [u64; 2] {
        [p.own, p.other]
    }

    fn placed(&self, own: u64, other: u64) -> Stones {
        Stones { own, other }
    }
}

impl Growing for Mnk {
    type Spot = u64;

    fn symmetries(&self) -> &Symmetries {
        &self.symmetries
    }

    fn cells(&self) -> u32 {
        self.grid.cells() as u32
    }

    fn fillable(&self, occupied: u64) -> u64 {
        self.grid.full() & !occupied
    }

    fn spot(&self, cell: u32) -> u64 {
        1 << cell
    }

    #[inline]
    fn fill(&self, [own, other]: Colours, stone: u64) -> Option<Colours> {
        Some([other, own | stone])
    }
}

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
        let (rows, cols, line) = (options.get("rows"), options.get("cols"), options.get("line"));
        let grid = Grid::new(rows, cols);
        let lines = grid.lines_that_fit(line, 1)?;
        let misere = options.get("misere") == 1;
        Ok(Mnk { grid, lines, misere, symmetries: Arc::new(grid.symmetries()) })
    }

    fn show(&self, turn: Turn, p: Stones) -> String {
        self.grid.show(turn, p.own, p.other)
    }

    fn read(&self, text: &str) -> Result<(Turn, Stones), Complaint> {
        let (turn, own, other) = self.grid.read(text)?;
        placed_in_turn(text, (turn, own, other), other, |set| self.lines.within(set))?;
        Ok((turn, Stones { own, other }))
    }

    fn pack(&self, p: Stones) -> [u64; 2] {
        [p.own, p.other]
    }

    fn unpack(&self, [own, other]: [u64; 2]) -> Stones {
        Stones { own, other }
    }

    fn show_move(&self, _: Turn, _: Stones, m: u8) -> String {
        self.grid.name(m.into())
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, turn: Turn, p: Stones) -> String {
        self.grid.pieces(turn, p.own, p.other)
    }

    fn draw(&self, _: Turn, _: Stones, m: u8) -> Drawing {
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
