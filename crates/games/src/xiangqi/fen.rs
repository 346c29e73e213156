//! Positions as text, as a picture, and packed; what men there are as text.

use zermelo_core::prelude::*;

use super::Men;
use super::men::{Army, Counts, Kind, homes};
use super::squares::{SQUARES, bit, turned};

/// Names of the files, from red's left.
const FILES: &[u8; 9] = b"abcdefghi";

/// The name of a square that red numbers so.
pub(super) fn square_name(square: u8) -> String {
    format!("{}{}", char::from(FILES[usize::from(square % 9)]), square / 9)
}

/// The square, as red numbers it, of a cell of the board, which are counted from black's end.
fn of_cell(cell: usize) -> u8 {
    ((9 - cell / 9) * 9 + cell % 9) as u8
}

/// What stands on each cell, row by row from black's end.
pub(super) fn cells(turn: Turn, p: &Men) -> Vec<char> {
    let (red, black) = if turn == Turn::First { (&p.own, &p.other) } else { (&p.other, &p.own) };
    let mut cells = vec!['-'; SQUARES];
    let cell = |square: u8| usize::from((9 - square / 9) * 9 + square % 9);
    red.iter().for_each(|(kind, s)| cells[cell(s)] = kind.letter());
    black.iter().for_each(|(kind, s)| cells[cell(turned(s))] = kind.letter().to_ascii_lowercase());
    cells
}

/// Writes a FEN: the board, and `w` or `b` for who is to move.
pub(super) fn show(turn: Turn, p: &Men) -> String {
    let mut text = String::new();
    for (rank, row) in cells(turn, p).chunks(9).enumerate() {
        if rank > 0 {
            text.push('/');
        }
        for run in row.chunk_by(|a, b| a == b && *a == '-') {
            if run[0] == '-' {
                text += &run.len().to_string();
            } else {
                text.extend(run);
            }
        }
    }
    text + if turn == Turn::First { " w" } else { " b" }
}

/// Says why a text is no position.
pub(super) fn impossible(text: &str, why: &str) -> Complaint {
    Complaint::position(text, why)
}

/// Reads a FEN, or the player to move and all 90 cells as in `1_--k...`.
pub(super) fn read(text: &str) -> Result<(Turn, Men), Complaint> {
    let wrong = |why: &str| impossible(text, why);
    let (turn, cells) = match text.trim().split_once('_') {
        Some((turn, cells)) => (read_turn(turn), cells.chars().collect()),
        None => {
            // Counters of moves may follow; the rules here have no use for them.
            let mut words = text.split_whitespace();
            let board = words.next().unwrap_or("");
            (read_turn(words.next().unwrap_or("w")), read_board(board).map_err(|why| wrong(&why))?)
        }
    };
    let turn = turn.ok_or_else(|| wrong("after the board comes w where red is to move, b where black is"))?;
    if cells.len() != SQUARES {
        return Err(wrong("there are 90 cells, row by row from black's end"));
    }
    let mut sides = [Army::NONE; 2];
    for (cell, letter) in cells.into_iter().enumerate().filter(|(_, letter)| *letter != '-') {
        let black = letter.is_ascii_lowercase();
        let kind = Kind::of_letter(letter);
        let kind = kind.ok_or_else(|| wrong(&format!("{letter:?} is no man; they are K A B N C R P")))?;
        let name = format!("{} {}", if black { "black" } else { "red" }, kind.name());
        let square = of_cell(cell);
        let own = if black { turned(square) } else { square };
        if homes(kind) & bit(own) == 0 {
            return Err(wrong(&format!("a {name} can never stand on {}", square_name(square))));
        }
        let side = &mut sides[usize::from(black)];
        if side.counts.get(kind) == kind.most() {
            return Err(wrong(&format!("there is one {name} too many; a side has at most {}", kind.most())));
        }
        *side = side.add(kind, own);
    }
    for (side, colour) in sides.iter().zip(["red", "black"]) {
        if side.counts.get(Kind::King) != 1 {
            return Err(wrong(&format!("there is no {colour} king")));
        }
    }
    let [red, black] = sides;
    let men =
        if turn == Turn::First { Men { own: red, other: black } } else { Men { own: black, other: red } };
    let scene = men.scene();
    if scene.kings_face() {
        return Err(wrong("the kings face each other on an open file"));
    }
    if scene.in_check(1) {
        let (mover, other) = if turn == Turn::First { ("red", "black") } else { ("black", "red") };
        return Err(wrong(&format!("{mover} is to move and can take the {other} king")));
    }
    Ok((turn, men))
}

fn read_turn(word: &str) -> Option<Turn> {
    match word {
        "w" | "r" | "1" => Some(Turn::First),
        "b" | "2" => Some(Turn::Second),
        _ => None,
    }
}

fn read_board(board: &str) -> Result<Vec<char>, String> {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 10 {
        return Err(format!("it has {} ranks between slashes, not 10", ranks.len()));
    }
    let mut cells = vec![];
    for (n, rank) in ranks.into_iter().enumerate() {
        for letter in rank.chars() {
            match letter.to_digit(10) {
                Some(0) => return Err("0 is no number of empty points".into()),
                Some(empty) => cells.extend(std::iter::repeat_n('-', empty as usize)),
                None => cells.push(letter),
            }
        }
        if cells.len() != 9 * (n + 1) {
            return Err(format!("rank {} does not have 9 points", 9 - n));
        }
    }
    Ok(cells)
}

/// Kinds besides the king with the bits that their counts take.
const PACKED: [(Kind, u32); 6] = [
    (Kind::Advisor, 2),
    (Kind::Bishop, 2),
    (Kind::Knight, 2),
    (Kind::Cannon, 2),
    (Kind::Rook, 2),
    (Kind::Pawn, 3),
];

/// Each side in 64 bits: the counts of its men, then seven bits for the square of each of up to
/// seven men.
pub(super) fn pack(p: &Men) -> [u64; 2] {
    [&p.own, &p.other].map(|army| {
        let squares = army.men().iter().rev().fold(0, |all, s| all << 7 | u64::from(*s));
        PACKED.iter().fold(squares, |all, (kind, bits)| all << bits | army.counts.get(*kind) as u64)
    })
}

/// The inverse of [`pack`].
pub(super) fn unpack(packed: [u64; 2]) -> Men {
    let [own, other] = packed.map(|mut packed| {
        let mut many = [0; 7];
        for (kind, bits) in PACKED.iter().rev() {
            many[*kind as usize] = packed & ((1 << bits) - 1);
            packed >>= bits;
        }
        let mut counts = Counts::default().with(Kind::King);
        for (kind, _) in PACKED {
            (0..many[kind as usize]).for_each(|_| counts = counts.with(kind));
        }
        let mut army = Army { counts, ..Army::NONE };
        for man in army.at.iter_mut().take(counts.men()) {
            *man = (packed & 127) as u8;
            packed >>= 7;
        }
        army
    });
    Men { own, other }
}

/// The empty board: points where lines cross.
pub(super) fn board() -> Board {
    let centre = |cell: usize| ((cell % 9) as f32 + 0.5, (cell / 9) as f32 + 0.5);
    Board {
        width: 9.0,
        height: 10.0,
        cells: (0..SQUARES).map(centre).collect(),
        names: (0..SQUARES).map(|cell| square_name(of_cell(cell))).collect(),
        lines: lines(),
        labels: vec![(2.5, 5.0, "楚河".into()), (6.5, 5.0, "漢界".into())],
        sides: vec![
            side("Red", RED, |letter| letter),
            side("Black", BLACK, |letter| letter.to_ascii_lowercase()),
        ],
        ..Board::default()
    }
}

/// What is written on the men, in the order of their kinds.
const RED: &str = "帥仕相傌炮俥兵";
const BLACK: &str = "將士象馬砲車卒";

fn side(name: &str, signs: &str, letter: fn(char) -> char) -> Side {
    let man =
        |(kind, sign): (Kind, char)| Man { letter: letter(kind.letter()), sign, name: kind.name().into() };
    Side { name: name.into(), men: Kind::ALL.into_iter().zip(signs.chars()).map(man).collect() }
}

/// Ranks, files, which the river breaks but for those at the edges, and the diagonals of the palaces.
fn lines() -> Vec<[f32; 4]> {
    let ranks = (0..10).map(|rank| [0.5, rank as f32 + 0.5, 8.5, rank as f32 + 0.5]);
    let files = (0..9).flat_map(|file| {
        let x = file as f32 + 0.5;
        if file == 0 || file == 8 { vec![[x, 0.5, x, 9.5]] } else { vec![[x, 0.5, x, 4.5], [x, 5.5, x, 9.5]] }
    });
    let palaces = [0.5, 7.5].into_iter().flat_map(|y| [[3.5, y, 5.5, y + 2.0], [5.5, y, 3.5, y + 2.0]]);
    ranks.chain(files).chain(palaces).collect()
}

/// The cell of a square as the side to move numbers it.
pub(super) fn cell_of(turn: Turn, square: u8) -> usize {
    let red = if turn == Turn::First { square } else { turned(square) };
    usize::from((9 - red / 9) * 9 + red % 9)
}

/// The order in which men are named.
const NAMED: [Kind; 7] =
    [Kind::King, Kind::Rook, Kind::Cannon, Kind::Knight, Kind::Pawn, Kind::Advisor, Kind::Bishop];

/// The most men that a named material may have.
const MOST: usize = 8;

/// Reads `KRkn`: red men in upper case, black ones in lower case.
pub(super) fn read_material(text: &str) -> Result<[Counts; 2], Complaint> {
    let wrong = |why: &str| {
        Complaint::new(format!(
            "material={}: {why}; write the men of one side in upper case and those of the other in lower case, as in KRkn",
            quoted(text).trim_matches('"')
        ))
    };
    let mut sides = [Counts::default(); 2];
    for letter in text.chars() {
        let kind = Kind::of_letter(letter).ok_or_else(|| wrong("the letters are K R C N P A B"))?;
        let side = &mut sides[usize::from(letter.is_ascii_lowercase())];
        *side = side.with(kind);
        if side.get(kind) > kind.most() {
            return Err(wrong(&format!("a side has at most {} of {}", kind.most(), kind.letter())));
        }
    }
    if sides.iter().any(|side| side.get(Kind::King) != 1) {
        return Err(wrong("each side has a king"));
    }
    if sides[0].men() + sides[1].men() > MOST {
        return Err(wrong(&format!("at most {MOST} men may be named")));
    }
    let strength = |side: &Counts| NAMED.map(|kind| side.get(kind));
    if strength(&sides[0]) < strength(&sides[1]) {
        sides.swap(0, 1);
    }
    Ok(sides)
}

/// The normal form of a material: the stronger side first, its men in a fixed order.
pub(super) fn show_material(sides: [Counts; 2]) -> String {
    let side = |counts: Counts| -> String {
        NAMED.into_iter().flat_map(|kind| std::iter::repeat_n(kind.letter(), counts.get(kind))).collect()
    };
    side(sides[0]) + &side(sides[1]).to_ascii_lowercase()
}
