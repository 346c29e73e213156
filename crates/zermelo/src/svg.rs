//! A board as a picture (SVG), with what stands on it and what the moves are worth: for notebooks and papers.
//!
//! The picture is drawn from the same description of a board as the page and the terminal. Each value has a shape and a
//! colour, as on the page: a win is a disc, a tie a square, a draw a diamond, a loss a plate that points down.

use std::collections::HashSet;
use std::fmt::Write;

use zermelo_core::{Board, Drawing, Kind, MoveReport, Report, Unit, Value};

/// Points of the picture for one unit of the board.
const UNIT: f32 = 56.0;
/// The margin around the board.
const MARGIN: f32 = 8.0;
/// Two places that are nearer than this are one.
const NEAR: f32 = 0.01;

const PAPER: &str = "#ffffff";
const TILE: &str = "#eef1f5";
const LINE: &str = "#9aa4b2";
const INK: &str = "#1b2430";
const SOFT: &str = "#5d6878";
/// The colours of the first player's men and of the second's, where their sides have no colours for names.
const MEN: [&str; 2] = ["#2355a8", "#c05a12"];

/// Draws a position with what its moves are worth to the player to move.
///
/// ```
/// let game = zermelo::open("mnk", None, None)?;
/// let report = game.oracle().moves(game.oracle().parse("2_----x----").expect("a position")).expect("moves");
/// let picture = zermelo::svg(&game.oracle().board(), &report, game.unit);
/// assert!(picture.starts_with("<svg ") && picture.matches("<title>").count() == 9);
/// # Ok::<(), zermelo::OpenError>(())
/// ```
pub fn svg(board: &Board, report: &Report, unit: Unit) -> String {
    let mut picture = Picture { board, out: String::new() };
    let (wide, high) = (board.width * UNIT + 2.0 * MARGIN, board.height * UNIT + 2.0 * MARGIN);
    let text = unit_text(report.value, unit);
    picture.put(&format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" role="img">"#
    ));
    picture.put(&format!("<title>{}: {text}</title>", escaped(&report.position)));
    picture.put(&format!(r#"<rect width="{wide}" height="{high}" rx="6" fill="{PAPER}"/>"#));
    picture.empty_board();
    for (cell, letter) in report.pieces.chars().enumerate() {
        picture.man(cell, letter);
    }
    // Where a turn ends a move, many moves put a stone on one cell: the best of them stands for all.
    let mut put = HashSet::new();
    let twists = !board.twists.is_empty();
    let drawn = report.moves.iter().filter(|m| !twists || put.insert(m.drawing.cells()[0]));
    drawn.for_each(|m| picture.a_move(m, unit));
    picture.put("</svg>");
    picture.out
}

fn unit_text(value: Option<Value>, unit: Unit) -> String {
    value.map_or("not known".into(), |value| unit.text(value))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The colour of a value.
fn colour(worth: Option<Value>) -> &'static str {
    match worth.map(Value::kind) {
        Some(Kind::Win) => "#1a7f4b",
        Some(Kind::Lose) => "#b3261e",
        Some(Kind::Tie) => "#c79200",
        Some(Kind::Draw) => "#7a6a9b",
        None => "#8a94a3",
    }
}

struct Picture<'a> {
    board: &'a Board,
    out: String,
}

impl Picture<'_> {
    fn put(&mut self, element: &str) {
        self.out += element;
        self.out.push('\n');
    }

    fn place(&self, (x, y): (f32, f32)) -> (f32, f32) {
        (MARGIN + x * UNIT, MARGIN + y * UNIT)
    }

    fn cell(&self, cell: usize) -> (f32, f32) {
        self.place(self.board.cells.get(cell).copied().unwrap_or_default())
    }

    fn empty_board(&mut self) {
        let board = self.board;
        let tiles = board.lines.is_empty();
        for cell in (0..board.places()).filter(|_| tiles) {
            let ((x, y), side) = (self.cell(cell), UNIT * 0.94);
            let (left, top) = (x - side / 2.0, y - side / 2.0);
            self.put(&format!(
                r#"<rect x="{left}" y="{top}" width="{side}" height="{side}" rx="5" fill="{TILE}" stroke="{LINE}"/>"#
            ));
        }
        for [x1, y1, x2, y2] in &board.lines {
            let ((x1, y1), (x2, y2)) = (self.place((*x1, *y1)), self.place((*x2, *y2)));
            self.put(&format!(
                r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{LINE}" stroke-width="2"/>"#
            ));
        }
        for (x, y, label) in &board.labels {
            let at = self.place((*x, *y));
            self.text(at, label, UNIT * 0.4, SOFT);
        }
        for cell in board.places()..board.cells.len() {
            let sign = board.twist(cell).map(|twist| twist.sign().to_string()).unwrap_or_default();
            let at = self.cell(cell);
            self.text(at, &sign, UNIT * 0.5, SOFT);
        }
    }

    fn text(&mut self, (x, y): (f32, f32), text: &str, size: f32, colour: &str) {
        let text = escaped(text);
        self.put(&format!(
            r#"<text x="{x}" y="{y}" dy="0.35em" text-anchor="middle" font-family="sans-serif" font-size="{size}" fill="{colour}">{text}</text>"#
        ));
    }

    /// What stands on a cell.
    fn man(&mut self, cell: usize, letter: char) {
        let ((x, y), r) = (self.cell(cell), UNIT * 0.34);
        let side = self.board.sides.iter().position(|s| s.men.iter().any(|man| man.letter == letter));
        match (letter, side) {
            ('-' | ' ', _) => {}
            (_, Some(side)) => {
                let (name, men) = (&self.board.sides[side].name, &self.board.sides[side].men);
                let sign = men.iter().find(|man| man.letter == letter).map_or(' ', |man| man.sign);
                let fill = match name.to_lowercase().as_str() {
                    "red" => "#a8160f",
                    "yellow" => "#d9a400",
                    "black" => "#1c1b1a",
                    "white" => "#ffffff",
                    _ => MEN[side.min(1)],
                };
                self.put(&format!(r#"<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}" stroke="{SOFT}"/>"#));
                let on = if fill == "#ffffff" { INK } else { PAPER };
                if sign != ' ' {
                    self.text((x, y), &sign.to_string(), UNIT * 0.4, on);
                }
            }
            ('x', None) => {
                let (d, colour) = (r * 0.8, MEN[0]);
                let (left, right, top, bottom) = (x - d, x + d, y - d, y + d);
                self.put(&format!(
                    r#"<path d="M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}" stroke="{colour}" stroke-width="7" stroke-linecap="round" fill="none"/>"#
                ));
            }
            ('o', None) => {
                let (r, colour) = (r * 0.85, MEN[1]);
                self.put(&format!(
                    r#"<circle cx="{x}" cy="{y}" r="{r}" stroke="{colour}" stroke-width="7" fill="none"/>"#
                ));
            }
            (letter, None) => self.text((x, y), &letter.to_string(), UNIT * 0.55, INK),
        }
    }

    /// A move: an arrow where a man goes from cell to cell, and the shape of its worth.
    fn a_move(&mut self, m: &MoveReport, unit: Unit) {
        let fill = colour(m.worth);
        let (from, to) = match m.drawing {
            Drawing::Cell(at) => (at, at),
            Drawing::Arrow(at, twist) if self.board.twist(twist).is_some() => (at, at),
            Drawing::Arrow(from, to) | Drawing::Take { from, to, .. } => (from, to),
        };
        let ((x1, y1), (x2, y2)) = (self.cell(from), self.cell(to));
        let length = (x2 - x1).hypot(y2 - y1);
        self.put(&format!("<g><title>{}: {}</title>", escaped(&m.name), unit_text(m.worth, unit)));
        if length > NEAR {
            // Several moves may leave a cell or come to it, so the shape stands between the two.
            let (bx, by) = (x1 + (x2 - x1) * 0.62, y1 + (y2 - y1) * 0.62);
            self.put(&format!(
                r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{fill}" stroke-width="3" stroke-dasharray="2 4"/>"#
            ));
            self.worth((bx, by), UNIT * 0.2, m.worth);
        } else {
            self.worth((x2, y2), UNIT * 0.29, m.worth);
        }
        if let Some(taken) = m.drawing.taken() {
            let ((x, y), r) = (self.cell(taken), UNIT * 0.42);
            self.put(&format!(
                r#"<circle cx="{x}" cy="{y}" r="{r}" fill="none" stroke="{fill}" stroke-width="2" stroke-dasharray="4 4"/>"#
            ));
        }
        self.put("</g>");
    }

    /// The shape of a value, with its number.
    fn worth(&mut self, (x, y): (f32, f32), r: f32, worth: Option<Value>) {
        let fill = colour(worth);
        let points = |list: &[(f32, f32)]| {
            list.iter().fold(String::new(), |mut points, (dx, dy)| {
                // Writing to a string cannot fail.
                let _ = write!(points, "{},{} ", x + dx * r, y + dy * r);
                points
            })
        };
        let shape = match worth.map(Value::kind) {
            Some(Kind::Tie) => {
                let (left, top, side) = (x - r * 0.9, y - r * 0.9, r * 1.8);
                format!(r#"<rect x="{left}" y="{top}" width="{side}" height="{side}" fill="{fill}"/>"#)
            }
            Some(Kind::Draw) => {
                let points = points(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]);
                format!(r#"<polygon points="{points}" fill="{fill}"/>"#)
            }
            Some(Kind::Lose) => {
                let points = points(&[(-1.0, -0.85), (1.0, -0.85), (1.0, 0.25), (0.0, 1.2), (-1.0, 0.25)]);
                format!(r#"<polygon points="{points}" fill="{fill}"/>"#)
            }
            Some(Kind::Win) | None => format!(r#"<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}"/>"#),
        };
        self.put(&shape);
        let number = match worth {
            Some(value) => value.remoteness().map(|n| n.to_string()).unwrap_or_default(),
            None => "?".into(),
        };
        let size = if number.len() > 2 { r * 0.75 } else { r * 0.95 };
        self.text((x, y), &number, size, PAPER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_can_be_drawn() {
        for name in
            ["mnk", "connect4", "quixo", "morris", "xiangqi:pieces=3", "pentago", "kaooa", "dobutsu", "graph"]
        {
            let game = crate::open(name, None, None).expect("a game");
            let report = game.oracle().moves(game.oracle().start()).expect("moves");
            let picture = svg(&game.oracle().board(), &report, game.unit);
            let drawn = if name == "pentago" { 36 } else { report.moves.len() };
            assert_eq!(picture.matches("<g>").count(), drawn, "{name}");
            assert_eq!(picture.matches("<g>").count(), picture.matches("</g>").count(), "{name}");
            assert!(!picture.contains("NaN") && picture.ends_with("</svg>\n"), "{name}");
        }
    }

    #[test]
    fn values_have_shapes_and_texts_are_escaped() {
        let game = crate::open("mnk", None, None).expect("a game");
        let mut report = game.oracle().moves(game.oracle().start()).expect("moves");
        let values = [Value::Win(3), Value::Tie(4), Value::Draw, Value::Lose(2)];
        for (m, value) in report.moves.iter_mut().zip(values) {
            m.worth = Some(value);
        }
        report.position = "<a & b>".into();
        let picture = svg(&game.oracle().board(), &report, game.unit);
        assert!(picture.contains("&lt;a &amp; b&gt;: not known"), "{picture}");
        assert_eq!(picture.matches("<polygon").count(), 2);
        for text in [": win in 3", ": tie in 4", ": draw", ": lose in 2"] {
            assert!(picture.contains(text), "{text}");
        }
    }
}
