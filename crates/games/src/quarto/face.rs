//! How people see Quarto: its card, text and board.

use super::cells::Cells;
use super::order::{Opening, Sequences};
use super::{EMPTY, NONE, Quarto, QuartoPosition, QuartoPut};
use zermelo_core::prelude::*;

impl Quarto {
    fn read_cells(&self, text: &str) -> Result<QuartoPosition, String> {
        let (squares, pieces) = (self.squares(), self.pieces());
        let letters: Vec<char> = text.chars().filter(|c| !matches!(c, '/' | ' ')).collect();
        if ![squares + 1, squares + 1 + pieces].contains(&letters.len()) {
            return Err(format!("there are {squares} cells and the piece given, not {}", letters.len()));
        }
        let (mut p, mut seen) = (EMPTY, 0u32);
        for (cell, letter) in letters[..=squares].iter().enumerate().filter(|(_, letter)| **letter != '-') {
            let piece = letter.to_digit(16).filter(|piece| (*piece as usize) < pieces);
            let piece = piece.ok_or(format!("{letter:?} is no piece: they are 0 to {:x}", pieces - 1))?;
            if seen >> piece & 1 != 0 {
                return Err(format!("piece {piece:x} is there twice"));
            }
            seen |= 1 << piece;
            if cell < squares { p.put(cell, piece as u8) } else { p.given = piece as u8 }
        }
        // The pieces that are left may follow, as on the board.
        let all = Face::pieces(self, Turn::First, p);
        match letters.iter().zip(all.chars()).find(|(letter, want)| !letter.eq_ignore_ascii_case(want)) {
            Some((letter, want)) => {
                Err(format!("{letter:?} stands where {want:?} should among the pieces left"))
            }
            None => Ok(p),
        }
    }

    fn check(&self, turn: Turn, p: QuartoPosition) -> Result<(), String> {
        let fixed = |cell: usize| p.holds(cell) && p.at(cell) == self.start.at(cell);
        if !self.start.cells().all(fixed) {
            return Err("the pieces of the start are not all in place".into());
        }
        if !self.sound(p) {
            let (over, on) = ("the game is over, so no piece is given", "the piece given is missing");
            return Err(if p.given == NONE { on } else { over }.into());
        }
        let added: Vec<usize> = p.cells().filter(|cell| !self.start.holds(*cell)).collect();
        let first = self.start.given;
        if p != self.start && first != NONE && !added.iter().any(|cell| p.at(*cell) == first) {
            return Err("the piece given at the start is not on the board".into());
        }
        if self.has_line(p) && !added.iter().any(|cell| !self.has_line(p.without(*cell))) {
            return Err("its lines cannot have been completed by one piece".into());
        }
        let due = if self.plies(p).is_multiple_of(2) { Turn::First } else { Turn::Second };
        let placed = p.placed();
        if due == turn {
            Ok(())
        } else {
            Err(format!("with {placed} pieces placed player {} is to move", due.digit()))
        }
    }

    fn letter(piece: u8) -> char {
        char::from_digit(piece.into(), 16).unwrap_or('-')
    }

    fn show_cells(&self, p: QuartoPosition) -> String {
        let cell = |cell: usize| if p.holds(cell) { Quarto::letter(p.at(cell)) } else { '-' };
        (0..self.squares()).map(cell).chain([Quarto::letter(p.given)]).collect()
    }
}

fn read_start(text: &str) -> Result<String, Complaint> {
    match text.chars().find(|c| !matches!(c, '-' | '0'..='9' | 'a'..='f' | 'A'..='F')) {
        Some(odd) => refuse!("start={}: {odd:?} is neither a piece nor -", quoted(text)),
        None => Ok(text.to_lowercase()),
    }
}

impl Packed for QuartoPosition {
    fn pack(self) -> [u64; 2] {
        [self.pieces, u64::from(self.taken) | u64::from(self.given) << 16]
    }

    fn unpack([pieces, rest]: [u64; 2]) -> QuartoPosition {
        QuartoPosition { pieces, taken: rest as u16, given: (rest >> 16) as u8 }
    }
}

impl Face for Quarto {
    const CARD: Card = Card {
        name: "quarto",
        revision: 1,
        title: "Quarto",
        summary: "give the other the piece to place; a line with something in common wins",
        rules: "Each piece has `attributes` attributes of two kinds (high or low, light or dark, round or square, full \
                or hollow), and no two are alike. The first player gives the other a piece. From then on a move places \
                the piece one was given on an empty cell and gives the other one of those left. Whoever completes a \
                row, a column or one of the two long diagonals whose pieces all have something in common wins. \
                When there is no cell or no piece left, it is a tie.",
        notation: "A position is the player to move, 1 or 2, then _, the cells row by row from the top left and the \
                   piece given: 0 to f, whose four bits are the attributes, and - for none, as in 2_----------------0. \
                   A move is a cell by column and row from below and the piece to give, b2-5; the first move only gives, \
                   5, and the last only places, b2.",
        options: &[
            Choice::number("rows", "rows and columns of the board", (2, 4), 4),
            Choice::number("attributes", "attributes of the pieces", (1, 4), 4),
            Choice::text("start", "cells and the piece given at the start, as in a position", read_start),
        ],
        examples: &[
            ("attributes=3", "eight pieces on the whole board: a second"),
            ("rows=3,attributes=3", "eight pieces on a small board: a blink"),
            ("start=0f3-5-a1-c-e7---9", "an endgame with nine pieces placed: a second"),
            (
                "",
                "the whole game: 1.7 * 10^12 positions, planned but not solved; give a start to solve an endgame",
            ),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let (rows, attributes, text) =
            (options.get("rows"), options.get("attributes"), options.text("start"));
        let longest = (1usize << attributes).min(rows * rows + 1);
        let mut game = Quarto {
            rows,
            attributes,
            cells: Cells::new(rows, 0),
            orders: (0..=longest).map(|length| Sequences::new(attributes, length)).collect(),
            start: EMPTY,
            opening: Opening::new(attributes, &[]),
        };
        if !text.is_empty() {
            let wrong = |why: String| Complaint::new(format!("start={}: {why}", quoted(text)));
            let start = game.read_cells(text).map_err(wrong)?;
            if text.len() > game.squares() + 1 {
                return Err(wrong("end with the piece given, without those left".into()));
            }
            if start.given == NONE || !game.sound(start) {
                return Err(wrong("a piece must be given, and the game not be over".into()));
            }
            let pieces: Vec<u8> = start.cells().map(|cell| start.at(cell)).collect();
            game.cells = Cells::new(rows, start.taken);
            (game.start, game.opening) = (start, Opening::new(attributes, &pieces));
        }
        Ok(game)
    }

    fn show(&self, turn: Turn, p: QuartoPosition) -> String {
        format!("{}_{}", turn.digit(), self.show_cells(p))
    }

    fn read(&self, text: &str) -> Result<(Turn, QuartoPosition), Complaint> {
        let (turn, cells) = Turn::split(self, text)?;
        let wrong = |why: String| Complaint::position(text, format!("{why}, as in {}", self.sample()));
        let p = self.read_cells(cells).map_err(wrong)?;
        self.check(turn, p).map_err(wrong)?;
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, _: QuartoPosition, m: QuartoPut) -> String {
        let cell = || Grid::new(self.rows, self.rows).name(m.cell.into());
        match (m.cell, m.next) {
            (NONE, next) => Quarto::letter(next).into(),
            (_, NONE) => cell(),
            (_, next) => format!("{}-{}", cell(), Quarto::letter(next)),
        }
    }

    // The board, below it the piece given, and beside it the pieces that are left.
    fn board(&self) -> Board {
        let (mut board, rows) = (Grid::new(self.rows, self.rows).board(), self.rows as f32);
        let below = rows.max(self.pieces().div_ceil(4) as f32) + 0.5;
        board.cells.push((0.5, below));
        board.names.push("given".into());
        for piece in 0..self.pieces() {
            board.cells.push(((piece % 4) as f32 + rows + 1.5, (piece / 4) as f32 + 0.5));
            board.names.push(Quarto::letter(piece as u8).into());
        }
        Board { width: rows + 5.0, height: below + 0.5, ..board }
    }

    fn pieces(&self, _: Turn, p: QuartoPosition) -> String {
        let used = p.used();
        let left = (0..self.pieces() as u8).map(|n| if used >> n & 1 == 0 { Quarto::letter(n) } else { '-' });
        self.show_cells(p).chars().chain(left).collect()
    }

    fn draw(&self, _: Turn, _: QuartoPosition, m: QuartoPut) -> Drawing {
        let left = |piece: u8| self.squares() + 1 + usize::from(piece);
        match (m.cell, m.next) {
            (NONE, next) => Drawing::Cell(left(next)),
            (cell, NONE) => Drawing::Cell(cell.into()),
            (cell, next) => Drawing::Arrow(cell.into(), left(next)),
        }
    }
}
