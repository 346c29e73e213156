//! How people see Chinese chess: its card, positions as text and as a picture, positions packed, and materials as
//! text.

use zermelo_core::prelude::*;

use super::material::Material;
use super::men::{Army, Counts, Kind, homes};
use super::squares::{SQUARES, bit, turned};
use super::{ManMove, Xiangqi, XiangqiMen};

/// The names of the files, from red's left.
const FILES: &[u8; 9] = b"abcdefghi";

/// The name of a square, as red numbers squares.
fn square_name(square: u8) -> String {
    format!("{}{}", char::from(FILES[usize::from(square % 9)]), square / 9)
}

/// The square, as red numbers it, of a cell of the board. Cells are counted from black's end.
fn of_cell(cell: usize) -> u8 {
    ((9 - cell / 9) * 9 + cell % 9) as u8
}

/// The contents of each cell, row by row from black's end.
fn cells(turn: Turn, p: &XiangqiMen) -> Vec<char> {
    let [red, black] = if turn == Turn::First { [&p.own, &p.other] } else { [&p.other, &p.own] };
    let mut cells = vec!['-'; SQUARES];
    red.iter().for_each(|(kind, s)| cells[cell_of(Turn::First, s)] = kind.letter());
    black.iter().for_each(|(kind, s)| cells[cell_of(Turn::Second, s)] = kind.letter().to_ascii_lowercase());
    cells
}

/// Reads a FEN, or the player to move and all 90 cells as in `1_--k...`.
pub(super) fn read(text: &str) -> Result<(Turn, XiangqiMen), Complaint> {
    let wrong = |why: &str| Complaint::position(text, why);
    let (turn, cells) = match text.trim().split_once('_') {
        Some((turn, cells)) => (read_turn(turn), cells.chars().collect()),
        None => {
            // Counters of moves may follow. The rules here have no use for them.
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
    let men = if turn == Turn::First {
        XiangqiMen { own: red, other: black }
    } else {
        XiangqiMen { own: black, other: red }
    };
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

/// The kinds besides the king, each with the number of bits that its count takes.
const PACKED: [(Kind, u32); 6] = [
    (Kind::Advisor, 2),
    (Kind::Bishop, 2),
    (Kind::Knight, 2),
    (Kind::Cannon, 2),
    (Kind::Rook, 2),
    (Kind::Pawn, 3),
];

/// Packs each side into 64 bits: the counts of its men, then seven bits for the square of each of up to seven men.
impl Packed for XiangqiMen {
    fn pack(self) -> [u64; 2] {
        [self.own, self.other].map(|army| {
            let squares = army.men().iter().rev().fold(0, |all, s| all << 7 | u64::from(*s));
            PACKED.iter().fold(squares, |all, (kind, bits)| all << bits | army.counts.get(*kind) as u64)
        })
    }

    fn unpack(packed: [u64; 2]) -> XiangqiMen {
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
        XiangqiMen { own, other }
    }
}

/// The number of men on the board where the variant does not give it.
const DEFAULT_PIECES: u32 = 4;

/// The men of the example that variants by number of pieces begin with.
const EXAMPLES: [&str; 5] = ["Kk", "KRk", "KRkn", "KRkaa", "KRkaab"];

impl Face for Xiangqi {
    const CARD: Card = Card {
        name: "xiangqi",
        revision: 1,
        title: "Chinese chess endgames",
        summary: "every position with few men on the board, by distance to mate",
        rules: "Chinese chess on 9 files and 10 ranks. A king steps straight and an advisor diagonally inside the palace; \
                a bishop steps two points diagonally, stays on its side of the river, and is blocked by a man between; \
                a knight goes one point straight and one diagonally onward, and is blocked by a man on the first; a \
                rook slides; a cannon slides too, but takes by leaping over exactly one man; a pawn steps forward, \
                and sideways once across the river. The kings may not see each other on an open file, and no move may \
                leave the own king to be taken. Whoever has no move, mated or not, has lost. There are no rules \
                against repetition: what nobody can win is a draw. Every legal position counts, whether a game can \
                lead to it or not.",
        notation: "A position is a FEN: ranks from black's end to red's, upper case for red, K A B N C R P (E and H are \
                   read too), then w or b for the side to move, as in 3ak4/9/9/9/9/9/9/9/R8/3K5 w. A move names the two points, \
                   files a to i from red's left and ranks 0 to 9 from red's end, as in e1e9.",
        options: &[
            Choice::number("pieces", "the most men on the board, kings included", (2, 6), DEFAULT_PIECES),
            Choice::text("material", "only these men and what is left of them, as in KRkn", |text| {
                Ok(show_material(read_material(text)?))
            }),
        ],
        examples: &[
            ("pieces=3", "70,482 positions, at once"),
            ("", "four men: 22.7 million positions, in seconds"),
            ("pieces=5", "4.7 billion positions, in minutes"),
            ("material=KRkaa", "a rook against two advisors, and what is left when men are taken"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let (pieces, material) = (options.get("pieces"), options.text("material"));
        let sides = match material {
            "" => read_material(EXAMPLES.get(pieces - 2).copied().unwrap_or("Kk"))?,
            named if pieces != DEFAULT_PIECES as usize => {
                refuse!("material={named} tells how many men there are; leave pieces out")
            }
            named => read_material(named)?,
        };
        let Some(start) = Xiangqi::example(sides) else {
            refuse!("material={}: every position is over", show_material(sides))
        };
        let material = if material.is_empty() { Material::Pieces(pieces) } else { Material::Sides(sides) };
        Ok(Xiangqi { material, start })
    }

    /// Writes a FEN: the board, and `w` or `b` for who is to move.
    fn show(&self, turn: Turn, p: XiangqiMen) -> String {
        let mut text = String::new();
        for (rank, row) in cells(turn, &p).chunks(9).enumerate() {
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

    fn read(&self, text: &str) -> Result<(Turn, XiangqiMen), Complaint> {
        let (turn, men) = read(text)?;
        if !self.material.allows(men.own.counts, men.other.counts) {
            let why = match &self.material {
                Material::Pieces(most) => format!("this variant has at most {most} men"),
                Material::Sides(sides) => {
                    format!("this variant has {} and what is left of it", show_material(*sides))
                }
            };
            return Err(Complaint::position(text, why));
        }
        Ok((turn, men))
    }

    fn show_move(&self, turn: Turn, _: XiangqiMen, m: ManMove) -> String {
        [m.from, m.to].map(|square| square_name(of_cell(cell_of(turn, square)))).concat()
    }

    /// The board: points where lines cross.
    fn board(&self) -> Board {
        Board {
            lines: lines(),
            labels: vec![(2.5, 5.0, "楚河".into()), (6.5, 5.0, "漢界".into())],
            sides: vec![
                side("Red", RED, |letter| letter),
                side("Black", BLACK, |letter| letter.to_ascii_lowercase()),
            ],
            ..Board::tiles(9, (0..SQUARES).map(|cell| square_name(of_cell(cell))).collect())
        }
    }

    fn pieces(&self, turn: Turn, p: XiangqiMen) -> String {
        cells(turn, &p).into_iter().collect()
    }

    fn draw(&self, turn: Turn, _: XiangqiMen, m: ManMove) -> Drawing {
        Drawing::Arrow(cell_of(turn, m.from), cell_of(turn, m.to))
    }
}

/// The signs on the men, in the order of their kinds.
const RED: &str = "帥仕相傌炮俥兵";
const BLACK: &str = "將士象馬砲車卒";

fn side(name: &str, signs: &str, letter: fn(char) -> char) -> Side {
    let man =
        |(kind, sign): (Kind, char)| Man { letter: letter(kind.letter()), sign, name: kind.name().into() };
    Side { name: name.into(), men: Kind::ALL.into_iter().zip(signs.chars()).map(man).collect() }
}

/// The lines: ranks, files, which the river breaks but for those at the edges, and the diagonals of the palaces.
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
fn cell_of(turn: Turn, square: u8) -> usize {
    let red = if turn == Turn::First { square } else { turned(square) };
    usize::from((9 - red / 9) * 9 + red % 9)
}

/// The order in which men are named.
const NAMED: [Kind; 7] =
    [Kind::King, Kind::Rook, Kind::Cannon, Kind::Knight, Kind::Pawn, Kind::Advisor, Kind::Bishop];

/// The most men that a named material may have.
const MOST: usize = 8;

/// Reads `KRkn`: red men in upper case, black ones in lower case.
fn read_material(text: &str) -> Result<[Counts; 2], Complaint> {
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
fn show_material(sides: [Counts; 2]) -> String {
    let side = |counts: Counts| -> String {
        NAMED.into_iter().flat_map(|kind| std::iter::repeat_n(kind.letter(), counts.get(kind))).collect()
    };
    side(sides[0]) + &side(sides[1]).to_ascii_lowercase()
}
