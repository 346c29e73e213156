//! Boards as text, one character a cell, and back.

use super::Grid;
use crate::{Complaint, Face, Pair, Turn};

impl Grid {
    /// The cells as text: `x` for each cell of the first player, `o` for the second, `-` for an empty one.
    pub fn pieces(self, turn: Turn, p: Pair) -> String {
        let [x, o] = p.by_player(turn);
        let piece = |cell: usize| match (x >> cell & 1, o >> cell & 1) {
            (0, 0) => '-',
            (_, 0) => 'x',
            _ => 'o',
        };
        (0..self.cells()).map(piece).collect()
    }

    /// Reads a position of the game from text: the player to move, then the pieces, as in `1_x--o-----`. Blanks and
    /// row separators `/` are skipped.
    pub fn read<G: Face>(self, game: &G, text: &str) -> Result<(Turn, Pair), Complaint> {
        self.read_letters(game, text, ['x', 'o'])
    }

    /// Reads a position of the game from text as [`read`](Grid::read) does, with the two small letters given for the
    /// first player and the second.
    pub fn read_letters<G: Face>(
        self,
        game: &G,
        text: &str,
        [x, o]: [char; 2],
    ) -> Result<(Turn, Pair), Complaint> {
        let want = format!("one of {x}, {o} and -");
        let (turn, [x, o]) = read_kinds(game, text, self.cells(), [x, o], &want)?;
        let (own, other) = if turn == Turn::First { (x, o) } else { (o, x) };
        Ok((turn, Pair { own, other }))
    }
}

/// A set of cells as text: `x` for each cell in the set and `-` for each of the others.
pub fn show_set(set: u64, cells: usize) -> String {
    (0..cells).map(|cell| if set >> cell & 1 == 1 { 'x' } else { '-' }).collect()
}

/// Inverse of [`show_set`], for a position of the game; blanks and row separators `/` are skipped.
pub fn read_set<G: Face>(game: &G, text: &str, cells: usize) -> Result<(Turn, u64), Complaint> {
    read_kinds(game, text, cells, ['x'], "one of x and -").map(|(turn, [set])| (turn, set))
}

/// Reads the cells of each letter, in either case.
fn read_kinds<G: Face, const KINDS: usize>(
    game: &G,
    text: &str,
    cells: usize,
    letters: [char; KINDS],
    want: &str,
) -> Result<(Turn, [u64; KINDS]), Complaint> {
    let (turn, rest) = Turn::split(game, text)?;
    let (mut sets, mut n) = ([0u64; KINDS], 0);
    for ch in rest.chars().filter(|c| !matches!(c, '/' | ' ')) {
        let bit = if n < cells { 1u64 << n } else { 0 };
        match letters.iter().position(|letter| *letter == ch.to_ascii_lowercase()) {
            Some(kind) => sets[kind] |= bit,
            None if ch == '-' => {}
            None => return Err(Complaint::position(text, format!("{ch:?} is not {want}"))),
        }
        n += 1;
    }
    if n != cells {
        let why = format!("it has {n} cells and the board has {cells}, as in {}", game.sample());
        return Err(Complaint::position(text, why));
    }
    Ok((turn, sets))
}
