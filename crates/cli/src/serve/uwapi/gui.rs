//! Describes how the client draws a board: places, characters, and pictures that the client has.
//!
//! The client cannot load a picture from this server. Games whose pieces the client knows use its pictures; all other
//! games get letters.

use std::collections::BTreeMap;

use serde::Serialize;
use zermelo_core::{Board, Drawing, Turn, Twist};

/// Units of the client's plane for one unit of ours.
const UNIT: f32 = 4.0;
/// How far an arrow reaches towards its end, in our units. Without this limit, slides of a row in both directions
/// would cover each other.
const REACH: f32 = 0.45;
/// The character that the client shows for an empty cell.
const EMPTY: char = '-';

/// The look of a game's pieces, and the sound of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Look {
    /// For each piece: its letter, the character for it, and its picture.
    pieces: &'static [(char, char, &'static str)],
    /// The sound of a move.
    sound: Option<&'static str>,
}

/// The pictures of this look and of the others below are among the files that GamesmanUni 5.0 is built with.
const QUIXO: Look = Look {
    pieces: &[('-', 'B', "quixo/blank.svg"), ('x', 'X', "quixo/x.svg"), ('o', 'O', "quixo/o.svg")],
    sound: Some("general/slide.mp3"),
};
const CONNECT4: Look = Look {
    pieces: &[('x', 'X', "general/red_circle.svg"), ('o', 'O', "general/yellow_circle.svg")],
    sound: Some("general/place.mp3"),
};
const MNK: Look =
    Look { pieces: &[('x', 'X', "ttt/x.svg"), ('o', 'O', "ttt/o.svg")], sound: Some("general/place.mp3") };
const OTHELLO: Look = Look {
    pieces: &[('x', 'B', "general/blackpiece.svg"), ('o', 'W', "general/whitepiece.svg")],
    sound: Some("general/place.mp3"),
};
const PENTAGO: Look = Look {
    pieces: &[
        ('-', 'E', "general/brown_circle.svg"),
        ('x', 'B', "general/blackpiece.svg"),
        ('o', 'W', "general/whitepiece.svg"),
    ],
    sound: Some("general/place.mp3"),
};
const LETTERS: Look = Look { pieces: &[], sound: None };

impl Look {
    /// Returns the look of a game.
    pub(crate) fn of(game: &str) -> Look {
        match game {
            "quixo" => QUIXO,
            "connect4" => CONNECT4,
            "mnk" => MNK,
            "othello" => OTHELLO,
            "pentago" => PENTAGO,
            _ => LETTERS,
        }
    }

    /// Returns the client's word for how much is drawn: with moving pictures, or plainly.
    pub(crate) fn tier(self) -> &'static str {
        if self == LETTERS { "v1" } else { "v3" }
    }

    /// Returns a position as the client draws it: the turn, a character for each cell, and the letters of cells that
    /// have one.
    pub(crate) fn board(self, turn: Turn, pieces: &str) -> String {
        let (mut cells, mut letters) = (String::with_capacity(pieces.len()), String::new());
        for piece in pieces.chars() {
            match self.pieces.iter().find(|(own, _, _)| *own == piece) {
                Some((_, shown, _)) => cells.push(*shown),
                None if piece.is_ascii_alphanumeric() => {
                    cells.push('.');
                    letters.extend(['~', piece]);
                }
                None => cells.push(EMPTY),
            }
        }
        format!("{}_{cells}{letters}", turn.digit())
    }

    /// Returns the button of a move.
    pub(crate) fn button(self, drawing: Drawing, board: &Board) -> String {
        let sound = if self.sound.is_some() { "_x" } else { "" };
        match drawing {
            Drawing::Cell(at) => format!("A_-_{at}{sound}"),
            // The man that is taken has no button; moves that share a button are told apart by name.
            Drawing::Take { from, to, .. } if from == to => format!("A_-_{to}{sound}"),
            Drawing::Arrow(from, to) | Drawing::Take { from, to, .. } => {
                let (from, to) = ends(from, to, board);
                format!("M_{from}_{to}{sound}")
            }
        }
    }
}

/// Returns the numbers of the places where the arrow of a move begins and ends; see [`centers`].
fn ends(from: usize, to: usize, board: &Board) -> (usize, usize) {
    let cells = board.cells.len();
    match (board.twists.is_empty(), board.lines.is_empty()) {
        // The stone is on the board already; the arrow goes the way of the turn.
        (false, _) => (cells + 2 * (to - board.places()), cells + 2 * (to - board.places()) + 1),
        // Where men go from point to point, several may lie in one direction.
        (true, false) => (from, to),
        (true, true) => (from, cells + from * cells + to),
    }
}

/// The object that the client calls `imageAutoGUIData`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Gui {
    default_theme: &'static str,
    themes: BTreeMap<&'static str, Theme>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Theme {
    space: [f32; 2],
    centers: Vec<[f32; 2]>,
    char_images: BTreeMap<char, Image>,
    circle_button_radius: f32,
    arrow_width: f32,
    text_entity_font_size: f32,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    sounds: BTreeMap<&'static str, &'static str>,
    animation_type: &'static str,
}

#[derive(Serialize)]
struct Image {
    image: &'static str,
    scale: f32,
}

impl Gui {
    pub(crate) fn new(look: Look, board: &Board) -> Gui {
        let image =
            |(_, shown, image): &(char, char, &'static str)| (*shown, Image { image, scale: UNIT * 0.9 });
        let theme = Theme {
            space: [board.width * UNIT, board.height * UNIT],
            centers: centers(board),
            char_images: look.pieces.iter().map(image).collect(),
            circle_button_radius: UNIT * 0.12,
            arrow_width: UNIT * 0.06,
            text_entity_font_size: UNIT * 0.6,
            sounds: look.sound.iter().map(|sound| ("x", *sound)).collect(),
            animation_type: "entityFade",
        };
        Gui { default_theme: "regular", themes: [("regular", theme)].into() }
    }
}

/// Returns the places that a move may be drawn at: the cells first. Where parts turn, the ends of an arrow follow for
/// every turn; where the cells are tiles, an arrow's end follows for every pair of cells. Every move that a game
/// draws has its place.
fn centers(board: &Board) -> Vec<[f32; 2]> {
    let scaled =
        |(x, y): (f32, f32)| [(x * UNIT * 100.0).round() / 100.0, (y * UNIT * 100.0).round() / 100.0];
    let cells = board.cells.iter().copied();
    if !board.twists.is_empty() {
        let turns = board.twists.iter().zip(&board.cells[board.places()..]);
        return cells.chain(turns.flat_map(|(twist, at)| along(*twist, *at))).map(scaled).collect();
    }
    if !board.lines.is_empty() {
        return cells.map(scaled).collect();
    }
    let tips = board.cells.iter().flat_map(|(x, y)| {
        board.cells.iter().map(move |(to_x, to_y)| {
            let (dx, dy) = (to_x - x, to_y - y);
            let length = dx.hypot(dy).max(f32::MIN_POSITIVE);
            (x + dx / length * REACH, y + dy / length * REACH)
        })
    });
    cells.chain(tips).map(scaled).collect()
}

/// Returns the ends of an arrow through the place of a turn, in the direction of the turn.
fn along(twist: Twist, (x, y): (f32, f32)) -> [(f32, f32); 2] {
    let (dx, dy) = (x - twist.about.0, y - twist.about.1);
    let length = dx.hypot(dy).max(f32::MIN_POSITIVE) * if twist.left { -1.0 } else { 1.0 };
    let (ax, ay) = (-dy / length * REACH, dx / length * REACH);
    [(x - ax, y - ay), (x + ax, y + ay)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_told_after_the_board() {
        assert_eq!(LETTERS.board(Turn::Second, "x-o"), "2_.-.~x~o");
        assert_eq!(QUIXO.board(Turn::First, "x-o"), "1_XBO");
        assert_eq!(CONNECT4.board(Turn::First, "x-o?"), "1_X-O-");
    }

    #[test]
    fn every_arrow_has_a_place_of_its_own() {
        let cells: Vec<_> = (0..9).map(|n| ((n % 3) as f32 + 0.5, (n / 3) as f32 + 0.5)).collect();
        let board =
            Board { width: 3.0, height: 3.0, names: vec![String::new(); 9], cells, ..Board::default() };
        let centers = centers(&board);
        for (from, to) in (0..9).flat_map(|from| (0..9).map(move |to| (from, to))) {
            assert!(ends(from, to, &board).1 < centers.len());
        }
        assert_eq!(centers[ends(0, 2, &board).1], [3.8, 2.0]);
        let points = Board { lines: vec![[0.5, 0.5, 2.5, 0.5]], ..board };
        let centers = super::centers(&points);
        assert_eq!(
            (centers.len(), centers[ends(0, 2, &points).1]),
            (9, [10.0, 2.0]),
            "an arrow to its point"
        );
        let twists = vec![Twist { about: (1.5, 1.5), reach: 0.5, left: false }];
        let wheel = Board { twists, lines: vec![], ..points };
        let ((from, to), centers) = (ends(1, 8, &wheel), super::centers(&wheel));
        assert_eq!((from, to, centers.len()), (9, 10, 11), "an arrow for the turn, wherever the stone is");
        assert!(centers[to][0] < centers[from][0] && centers[to][1] > centers[from][1], "with the clock");
    }
}
