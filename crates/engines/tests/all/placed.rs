//! Games of placing stones with any lines: made at random, or Hex.

use zermelo_core::{
    Board, BoardFiles, Card, Complaint, Drawing, Face, File, Game, Options, Outcome, Placing, Turn,
};

/// A board with lines of its own for each player.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) layout: BoardFiles,
    /// Whether the game is over for a player; the lines of the layout say the same in another way.
    pub(crate) over: fn(&Placed, usize, u64) -> bool,
}

/// Stones of the player to move, and of the other.
pub(crate) type Stones = [u64; 2];

impl Placed {
    /// A board of files with the same number of cells and of lines as they come.
    pub(crate) fn new(files: u32, cells: u32, stacked: bool, lines: [Vec<u64>; 2]) -> Placed {
        let files = (0..files).map(|f| File { shift: f * cells, cells }).collect();
        Placed { layout: BoardFiles { files, stacked, lines, mirror: false }, over: Placed::has_line }
    }

    fn has_line(&self, player: usize, stones: u64) -> bool {
        self.layout.lines[player].iter().any(|line| stones & line == *line)
    }

    fn full(&self) -> u64 {
        self.layout.files.iter().fold(0, |all, f| all | f.mask())
    }

    /// The player to move: 0 or 1.
    fn turn(stones: Stones) -> usize {
        (stones[0].count_ones() + stones[1].count_ones()) as usize % 2
    }

    /// Hex on a rhombus: the first player joins the first row with the last, the second the
    /// first column with the last. The lines are all least sets of cells that do.
    pub(crate) fn hex(rows: u32, cols: u32) -> Placed {
        let mut hex = Placed::new(rows, cols, false, [vec![], vec![]]);
        hex.over = Placed::joined;
        for player in 0..2 {
            let mut sets: Vec<u64> =
                (0..1u64 << (rows * cols)).filter(|set| hex.joined(player, *set)).collect();
            sets.sort_by_key(|set| set.count_ones());
            let mut least: Vec<u64> = vec![];
            for set in sets {
                if least.iter().all(|l| set & l != *l) {
                    least.push(set);
                }
            }
            hex.layout.lines[player] = least;
        }
        hex
    }

    /// Whether stones join a player's sides, by flooding from one of them.
    fn joined(&self, player: usize, stones: u64) -> bool {
        let (rows, cols) = (self.layout.files.len() as i32, self.layout.files[0].cells as i32);
        let bit = |r: i32, c: i32| 1u64 << (r * cols + c);
        let inside = |r: i32, c: i32| (0..rows).contains(&r) && (0..cols).contains(&c);
        let side = |r: i32, c: i32, far: bool| match player {
            0 => r == if far { rows - 1 } else { 0 },
            _ => c == if far { cols - 1 } else { 0 },
        };
        let cells: Vec<_> = (0..rows * cols).map(|n| (n / cols, n % cols)).collect();
        let near = cells.iter().filter(|(r, c)| side(*r, *c, false)).fold(0, |s, (r, c)| s | bit(*r, *c));
        let mut seen = near & stones;
        loop {
            let mut next = seen;
            for (r, c) in cells.iter().filter(|(r, c)| seen & bit(*r, *c) != 0) {
                for (dr, dc) in [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)] {
                    if inside(r + dr, c + dc) {
                        next |= bit(r + dr, c + dc) & stones;
                    }
                }
            }
            if next == seen {
                break cells.iter().any(|(r, c)| side(*r, *c, true) && seen & bit(*r, *c) != 0);
            }
            seen = next;
        }
    }
}

impl Game for Placed {
    type Position = Stones;
    type Move = u64;

    fn start(&self) -> Stones {
        [0; 2]
    }

    fn outcome(&self, p: Stones) -> Option<Outcome> {
        let turn = Placed::turn(p);
        if (self.over)(self, 1 - turn, p[1]) {
            return Some(Outcome::Lose);
        }
        if (self.over)(self, turn, p[0]) {
            return Some(Outcome::Win);
        }
        (p[0] | p[1] == self.full()).then_some(Outcome::Tie)
    }

    fn moves(&self, p: Stones, mut visit: impl FnMut(u64)) {
        for file in &self.layout.files {
            let mut empty = file.mask() & !(p[0] | p[1]);
            if self.layout.stacked {
                empty &= empty.wrapping_neg();
            }
            while empty != 0 {
                visit(empty & empty.wrapping_neg());
                empty &= empty - 1;
            }
        }
    }

    fn play(&self, p: Stones, stone: u64) -> Stones {
        [p[1], p[0] | stone]
    }
}

impl Placing for Placed {
    fn layout(&self) -> Option<BoardFiles> {
        Some(self.layout.clone())
    }
}

impl Face for Placed {
    const CARD: Card = Card {
        name: "placed",
        revision: 1,
        title: "Placed",
        summary: "stones on cells",
        rules: "Players take turns to put a stone on an empty cell.",
        notation: "Two sets of cells in hexadecimal.",
        options: &[],
        examples: &[],
    };

    fn new(_: &Options) -> Result<Self, Complaint> {
        Err(Complaint::new("made by hand only"))
    }

    fn show(&self, turn: Turn, p: Stones) -> String {
        format!("{}_{:x}_{:x}", turn.digit(), p[0], p[1])
    }

    fn read(&self, text: &str) -> Result<(Turn, Stones), Complaint> {
        let bad = || Complaint::new(format!("{text}: not a position"));
        let mut parts = text.split('_');
        let turn = if parts.next() == Some("1") { Turn::First } else { Turn::Second };
        let mut set = || u64::from_str_radix(parts.next().unwrap_or(""), 16).map_err(|_| bad());
        Ok((turn, [set()?, set()?]))
    }

    fn show_move(&self, _: Turn, _: Stones, stone: u64) -> String {
        stone.trailing_zeros().to_string()
    }

    fn board(&self) -> Board {
        Board { width: 1.0, height: 1.0, ..Board::default() }
    }

    fn pieces(&self, _: Turn, _: Stones) -> String {
        String::new()
    }

    fn draw(&self, _: Turn, _: Stones, _: u64) -> Drawing {
        Drawing::Cell(0)
    }
}
