//! The board as tables: 9 files, 10 rows, and what each man reaches from each point.
//!
//! Squares are numbered row by row from the left of a side's own end. A side at the top sees the board turned round:
//! its square `s` is square `89 - s` for the side at the bottom. Sets of squares are 90 bits of a `u128`.

/// The number of points of the board.
pub(super) const SQUARES: usize = 90;
/// A square that is not on the board.
pub(super) const NOWHERE: u8 = 90;

/// A set of squares.
pub(super) type Set = u128;

/// Every point.
pub(super) const ALL: Set = (1 << SQUARES) - 1;

/// The set of one square.
#[inline]
pub(super) const fn bit(square: u8) -> Set {
    1 << square
}

/// A point as the other side numbers it.
#[inline]
pub(super) const fn turned(square: u8) -> u8 {
    89 - square
}

/// The mirror image of a square.
#[inline]
pub(super) const fn mirrored(square: u8) -> u8 {
    square + 8 - 2 * (square % 9)
}

/// The squares of a set, the lowest first.
#[inline]
pub(super) fn squares(mut set: Set) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as u8);
        set &= set.wrapping_sub(1);
        next
    })
}

/// The square `files` files and `rows` rows away, if there is one.
const fn step(square: usize, files: i32, rows: i32) -> Option<u8> {
    let (file, row) = (square as i32 % 9 + files, square as i32 / 9 + rows);
    if file < 0 || file > 8 || row < 0 || row > 9 { None } else { Some((row * 9 + file) as u8) }
}

const fn step_set(square: usize, files: i32, rows: i32) -> Set {
    match step(square, files, rows) {
        Some(to) => bit(to),
        None => 0,
    }
}

/// The palace of the side at the bottom.
pub(super) const PALACE: Set = 0b111 << 3 | 0b111 << 12 | 0b111 << 21;
/// The squares where the advisors of the side at the bottom stand.
pub(super) const ADVISORS: Set = 0b101 << 3 | 0b1 << 13 | 0b101 << 21;
/// The squares where the bishops of the side at the bottom stand.
pub(super) const BISHOPS: Set = bit(2) | bit(6) | bit(18) | bit(22) | bit(26) | bit(38) | bit(42);

/// A set as the other side numbers it.
pub(super) const fn turned_set(set: Set) -> Set {
    set.reverse_bits() >> (128 - SQUARES)
}

const DIAGONAL: [(i32, i32); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
const STRAIGHT: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// A way that another square may bar.
#[derive(Clone, Copy)]
pub(super) struct Path {
    /// The squares that bar the way.
    pub(super) block: Set,
    /// The squares that the way leads to; none where it leads off the board.
    pub(super) to: Set,
}

const NO_PATH: Path = Path { block: 0, to: 0 };

macro_rules! table {
    ($type:ty, $zero:expr, |$square:ident| $of:expr) => {{
        let mut table: [$type; SQUARES] = [$zero; SQUARES];
        let mut $square = 0;
        while $square < SQUARES {
            table[$square] = $of;
            $square += 1;
        }
        table
    }};
}

/// Steps of a king, for the side at the bottom and for the one at the top.
pub(super) static KING: [[Set; SQUARES]; 2] = sides(table!(Set, 0, |s| near(s, STRAIGHT) & PALACE));
/// Steps of an advisor.
pub(super) static ADVISOR: [[Set; SQUARES]; 2] = sides(table!(Set, 0, |s| near(s, DIAGONAL) & ADVISORS));
/// Steps of a pawn.
pub(super) static PAWN: [[Set; SQUARES]; 2] = sides(table!(Set, 0, |s| step_set(s, 0, 1) | aside(s)));
/// The squares from which a pawn reaches a square.
pub(super) static PAWN_FROM: [[Set; SQUARES]; 2] = sides(table!(Set, 0, |s| step_set(s, 0, -1) | aside(s)));
/// The four ways of a bishop: the same there and back.
pub(super) static BISHOP: [[[Path; 4]; SQUARES]; 2] = {
    let (mut ways, mut at) = ([[[NO_PATH; 4]; SQUARES]; 2], 0);
    while at < 4 * SQUARES {
        let (square, (files, rows)) = (at / 4, DIAGONAL[at % 4]);
        let (block, to) = (step_set(square, files, rows), step_set(square, 2 * files, 2 * rows) & BISHOPS);
        ways[0][square][at % 4] = Path { block, to };
        ways[1][SQUARES - 1 - square][at % 4] = Path { block: turned_set(block), to: turned_set(to) };
        at += 1;
    }
    ways
};
/// The ways of a knight: four legs, each with two squares.
pub(super) static KNIGHT: [[Path; 4]; SQUARES] = table!([Path; 4], [NO_PATH; 4], |s| knight(s, STRAIGHT));
/// The squares that a knight may have come from, by the leg it came over. The leg is beside the square where the
/// knight began, one step diagonally from here.
pub(super) static KNIGHT_FROM: [[Path; 4]; SQUARES] =
    table!([Path; 4], [NO_PATH; 4], |s| knight(s, DIAGONAL));
/// All squares of a straight line, by direction: up, right, down, left.
pub(super) static RAYS: [[Set; 4]; SQUARES] = table!([Set; 4], [0; 4], |s| {
    let (mut rays, mut way) = ([0; 4], 0);
    while way < 4 {
        let ((f, r), mut far) = (STRAIGHT[way], 1);
        while far < 10 {
            rays[way] |= step_set(s, f * far, r * far);
            far += 1;
        }
        way += 1;
    }
    rays
});
/// The squares between two squares on one line. For other pairs the set is all squares, so that no such line looks
/// open.
pub(super) static BETWEEN: [[Set; SQUARES]; SQUARES] = {
    let (mut table, mut at) = ([[ALL; SQUARES]; SQUARES], 0);
    while at < 4 * SQUARES {
        let (a, (f, r), mut far, mut path) = (at / 4, STRAIGHT[at % 4], 1, 0);
        while let Some(b) = step(a, f * far, r * far) {
            table[a][b as usize] = path;
            path |= bit(b);
            far += 1;
        }
        at += 1;
    }
    table
};
/// By the king's square and the knight's: the squares that bar the knight. The set is all squares where the king is
/// out of the knight's reach.
pub(super) static LEG: [[Set; SQUARES]; SQUARES] = {
    let (mut table, mut at) = ([[ALL; SQUARES]; SQUARES], 0);
    while at < 4 * SQUARES * SQUARES {
        let (king, knight, way) =
            (at / 4 / SQUARES, at / 4 % SQUARES, &KNIGHT_FROM[at / 4 / SQUARES][at % 4]);
        if way.to & bit(knight as u8) != 0 {
            table[king][knight] = way.block;
        }
        at += 1;
    }
    table
};

/// A table for the side at the bottom, and the table of the side at the top made from it.
const fn sides(bottom: [Set; SQUARES]) -> [[Set; SQUARES]; 2] {
    let (mut top, mut square) = ([0; SQUARES], 0);
    while square < SQUARES {
        top[square] = turned_set(bottom[SQUARES - 1 - square]);
        square += 1;
    }
    [bottom, top]
}

const fn near(square: usize, ways: [(i32, i32); 4]) -> Set {
    let (mut set, mut way) = (0, 0);
    while way < 4 {
        set |= step_set(square, ways[way].0, ways[way].1);
        way += 1;
    }
    set
}

/// The squares beside one that is across the river.
const fn aside(square: usize) -> Set {
    if square < 45 { 0 } else { step_set(square, 1, 0) | step_set(square, -1, 0) }
}

/// The squares a knight's move away, by the leg between, which is one of the steps `legs` from here.
const fn knight(square: usize, legs: [(i32, i32); 4]) -> [Path; 4] {
    let (mut ways, mut way) = ([NO_PATH; 4], 0);
    while way < 4 {
        let (f, r) = legs[way];
        let [a, b] = if f * r == 0 {
            [(2 * f + r, 2 * r + f), (2 * f - r, 2 * r - f)]
        } else {
            [(2 * f, r), (f, 2 * r)]
        };
        let to = step_set(square, a.0, a.1) | step_set(square, b.0, b.1);
        ways[way] = Path { block: step_set(square, f, r), to };
        way += 1;
    }
    ways
}
