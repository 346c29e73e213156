//! A plain brute-force solver of xiangqi endgames, the reference for tests: no symmetry but that of the colours, which
//! it proves on smaller positions, and no unmoves.
//!
//! Squares are `rank * 9 + file`, rank 0 on red's side, file 0 on red's left. A man is its FEN letter, upper
//! case red. One predicate, `can_move`, holds all the rules of movement; everything else is built on it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

type Board = [u8; 90];
/// The men of a position, sorted by letter and then square, so that equal men have one order only.
type Men = Vec<(u8, usize)>;

const EMPTY: u8 = b'.';
const LETTERS: &[u8] = b"ABCKNPRabcknpr";

// A decided value is its remoteness: the loser has no move at 0, so odd is a win and even is a loss.
const ILLEGAL: u16 = u16::MAX;
const DRAW: u16 = u16::MAX - 1;
// No edge.
const NONE: u32 = u32::MAX;

/// The squares a man may stand on, in rising order, by its letter.
static SPOTS: LazyLock<Vec<Vec<usize>>> = LazyLock::new(|| {
    let spots = |man| (0..90).filter(|&s| may_stand(man, s)).collect();
    (0..128).map(spots).collect()
});

/// The place of a square among those a man may stand on, by its letter; [`NOWHERE`] for the others.
static PLACES: LazyLock<Vec<[u8; 90]>> = LazyLock::new(|| {
    let place = |man: usize, square: usize| SPOTS[man].binary_search(&square).map_or(NOWHERE, |at| at as u8);
    (0..128).map(|man| std::array::from_fn(|square| place(man, square))).collect()
});
const NOWHERE: u8 = u8::MAX;

fn may_stand(man: u8, square: usize) -> bool {
    let file = square % 9;
    // The rank counted from the man's own side.
    let rank = if is_red(man) { square / 9 } else { 9 - square / 9 };
    match man.to_ascii_uppercase() {
        b'K' => (3..=5).contains(&file) && rank <= 2,
        b'A' => [(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)].contains(&(file, rank)),
        b'B' => [(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)].contains(&(file, rank)),
        b'N' | b'R' | b'C' => true,
        // A pawn starts on rank 3 of an even file and cannot leave that file before the river.
        b'P' => rank >= 5 || (rank >= 3 && file.is_multiple_of(2)),
        _ => false,
    }
}

fn is_red(man: u8) -> bool {
    man.is_ascii_uppercase()
}

/// The number of men strictly between two different squares, None if they share neither file nor rank.
fn between(board: &Board, a: usize, b: usize) -> Option<usize> {
    let (low, high) = (a.min(b), a.max(b));
    let step = match (low / 9 == high / 9, low % 9 == high % 9) {
        (true, _) => 1,
        (_, true) => 9,
        _ => return None,
    };
    let inside = (low + step..high).step_by(step);
    Some(inside.filter(|&s| board[s] != EMPTY).count())
}

/// Whether the man on `from` can go to `to`, if it may stand there and its own king's safety did not matter.
/// A king "takes" a king it faces on an open file: so facing kings are simply kings in check.
fn can_move(board: &Board, from: usize, to: usize) -> bool {
    let (man, target) = (board[from], board[to]);
    if target != EMPTY && is_red(target) == is_red(man) {
        return false;
    }
    let files = (to % 9) as i32 - (from % 9) as i32;
    let ranks = (to / 9) as i32 - (from / 9) as i32;
    let shape = (files.abs(), ranks.abs());
    // The bishop's eye or the knight's leg: half of the step, a single step rounded down to none.
    let half_way = || board[(from as i32 + ranks / 2 * 9 + files / 2) as usize];
    match man.to_ascii_uppercase() {
        b'K' => {
            let faces = || files == 0 && between(board, from, to) == Some(0);
            shape == (0, 1) || shape == (1, 0) || (target.eq_ignore_ascii_case(&b'K') && faces())
        }
        b'A' => shape == (1, 1),
        b'B' => shape == (2, 2) && half_way() == EMPTY,
        b'N' => (shape == (1, 2) || shape == (2, 1)) && half_way() == EMPTY,
        b'R' => between(board, from, to) == Some(0),
        b'C' => between(board, from, to) == Some(if target == EMPTY { 0 } else { 1 }),
        b'P' => {
            let ahead = if is_red(man) { 1 } else { -1 };
            let crossed = (from / 9 >= 5) == is_red(man);
            (files, ranks) == (0, ahead) || (crossed && shape == (1, 0))
        }
        _ => false,
    }
}

/// The occupied squares.
fn occupied(board: &Board) -> Vec<usize> {
    (0..90).filter(|&s| board[s] != EMPTY).collect()
}

/// Whether the king of a colour is attacked. `squares` holds at least the occupied squares.
fn in_check(board: &Board, squares: &[usize], red: bool) -> bool {
    let own_king = if red { b'K' } else { b'k' };
    let king = squares.iter().find(|&&s| board[s] == own_king);
    let king = *king.expect("each side has a king");
    let enemy = |s: usize| board[s] != EMPTY && is_red(board[s]) != red;
    squares.iter().any(|&s| enemy(s) && can_move(board, s, king))
}

fn legal_moves(board: &Board, red: bool) -> Vec<(usize, usize)> {
    let mut moves = Vec::new();
    each_legal_move(board, &mut occupied(board), red, |from, to| moves.push((from, to)));
    moves
}

/// Visits every legal move. `squares` are the occupied ones.
fn each_legal_move(board: &Board, squares: &mut Vec<usize>, red: bool, mut visit: impl FnMut(usize, usize)) {
    let mut board = *board;
    for n in 0..squares.len() {
        let from = squares[n];
        let man = board[from];
        if is_red(man) != red {
            continue;
        }
        for &to in &SPOTS[man as usize] {
            if can_move(&board, from, to) {
                let taken = board[to];
                (board[from], board[to]) = (EMPTY, man);
                squares.push(to);
                if !in_check(&board, squares, red) {
                    visit(from, to);
                }
                squares.pop();
                (board[from], board[to]) = (man, taken);
            }
        }
    }
}

fn count_sequences(board: &Board, red: bool, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let after = |&(from, to): &(usize, usize)| {
        let mut board = *board;
        (board[from], board[to]) = (EMPTY, board[from]);
        count_sequences(&board, !red, depth - 1)
    };
    legal_moves(board, red).iter().map(after).sum()
}

/// The board of a FEN board field, None if malformed.
fn parse(placement: &str) -> Option<Board> {
    let mut board = [EMPTY; 90];
    if placement.split('/').count() != 10 {
        return None;
    }
    for (i, row) in placement.split('/').enumerate() {
        let mut file = 0;
        for c in row.bytes() {
            if (b'1'..=b'9').contains(&c) {
                file += usize::from(c - b'0');
            } else if LETTERS.contains(&c) && file < 9 {
                board[(9 - i) * 9 + file] = c;
                file += 1;
            } else {
                return None;
            }
        }
        if file != 9 {
            return None;
        }
    }
    Some(board)
}

/// The slot of a position in the table of its material: the men's squares as digits, then the turn.
/// None if a man stands where it may not.
fn slot(men: &Men, red: bool) -> Option<usize> {
    let mut slot = 0;
    for &(man, square) in men {
        let place = PLACES[man as usize][square];
        if place == NOWHERE {
            return None;
        }
        slot = slot * SPOTS[man as usize].len() + usize::from(place);
    }
    Some(slot * 2 + usize::from(red))
}

/// The position in a slot, None if it is not a legal one or not in the sorted order. The squares of its men are left in
/// `men` and `squares`.
fn unslot(letters: &[u8], slot: usize, men: &mut Men, squares: &mut Vec<usize>) -> Option<(Board, bool)> {
    let red = slot % 2 == 1;
    let mut rest = slot / 2;
    men.clear();
    for &man in letters.iter().rev() {
        let spots = &SPOTS[man as usize];
        men.push((man, spots[rest % spots.len()]));
        rest /= spots.len();
    }
    men.reverse();
    let mut board = [EMPTY; 90];
    men.iter().for_each(|m| board[m.1] = m.0);
    squares.clear();
    squares.extend(men.iter().map(|m| m.1));
    // Equal men on one square are not in strict order, different men overwrite each other.
    let one_each = men.is_sorted_by(|a, b| a < b) && men.iter().all(|m| board[m.1] == m.0);
    let legal = one_each && !in_check(&board, squares, !red);
    legal.then_some((board, red))
}

/// The men of a position with the colours exchanged and the board turned upside down.
fn exchanged(men: &Men) -> Men {
    let other = |man: u8| if is_red(man) { man.to_ascii_lowercase() } else { man.to_ascii_uppercase() };
    let mut men: Men = men.iter().map(|m| (other(m.0), (9 - m.1 / 9) * 9 + m.1 % 9)).collect();
    men.sort();
    men
}

fn letters_of(men: &Men) -> Vec<u8> {
    men.iter().map(|m| m.0).collect()
}

/// The values of all legal positions with few pieces.
#[derive(Default)]
pub(super) struct Plain {
    /// One table of values by slot for each material (the letters of its men, sorted).
    tables: BTreeMap<Vec<u8>, Vec<u16>>,
}

impl Plain {
    /// Solves every legal position with at most `pieces` pieces (kings included), both turns. Of two materials with
    /// `pieces` pieces that differ in the colours alone only one is solved; `alike` says that the others are as good.
    /// No other symmetry is used. Meant for up to 4 pieces: the edges of a whole material are kept in memory.
    pub(super) fn solve(pieces: usize) -> Plain {
        let mut plain = Plain::default();
        let mut materials = BTreeSet::from([b"Kk".to_vec()]);
        for n in 2..=pieces {
            let mut larger = BTreeSet::new();
            for letters in materials {
                let other = exchanged(&letters.iter().map(|man| (*man, 0)).collect());
                if n == pieces && plain.tables.contains_key(&letters_of(&other)) {
                    continue;
                }
                // A capture leads to a material with one piece less, which has been solved before.
                let table = plain.solve_material(&letters);
                for &man in LETTERS.iter().filter(|m| !m.eq_ignore_ascii_case(&b'K')) {
                    let most = if man.eq_ignore_ascii_case(&b'P') { 5 } else { 2 };
                    let mut more = letters.clone();
                    more.push(man);
                    more.sort();
                    if more.iter().filter(|&&m| m == man).count() <= most {
                        larger.insert(more);
                    }
                }
                plain.tables.insert(letters, table);
            }
            materials = larger;
        }
        plain
    }

    /// Retrograde analysis by counting, over the edges that the moves themselves give.
    fn solve_material(&self, letters: &[u8]) -> Vec<u16> {
        let sizes = letters.iter().map(|&m| SPOTS[m as usize].len());
        let slots = sizes.product::<usize>() * 2;
        let mut values = vec![ILLEGAL; slots];
        // Moves not yet known to lead to a win of the opponent; at zero the position is lost.
        let mut open = vec![0u16; slots];
        // The longest defence by a capture into a position the opponent wins.
        let mut defence = vec![0u16; slots];
        // Moves inside the material: (parent, earlier edge into the same child), and the last edge by child.
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut last = vec![NONE; slots];
        // Slots that are decided at a remoteness, if they have not been at a smaller one.
        let mut decided: Vec<Vec<u32>> = vec![Vec::new(); 1000];
        let (mut men, mut squares, mut next, mut rest) = (Men::new(), vec![], Men::new(), vec![]);
        for parent in 0..slots {
            let Some((board, red)) = unslot(letters, parent, &mut men, &mut squares) else {
                continue; // the slot stays illegal
            };
            values[parent] = DRAW;
            each_legal_move(&board, &mut squares, red, |from, to| {
                open[parent] += 1;
                next.clear();
                next.extend(men.iter().filter(|m| m.1 != to));
                let mover = next.iter_mut().find(|m| m.1 == from);
                mover.expect("the man that moves").1 = to;
                next.sort();
                let child = slot(&next, !red).expect("a move ends where the man may stand");
                if next.len() == men.len() {
                    edges.push((parent as u32, last[child]));
                    last[child] = edges.len() as u32 - 1;
                    return;
                }
                rest.clear();
                rest.extend(next.iter().map(|m| m.0));
                let value = self.tables[&rest][child];
                assert!(value != ILLEGAL, "a legal move leads to a legal position");
                if value != DRAW && value.is_multiple_of(2) {
                    decided[value as usize + 1].push(parent as u32);
                } else if value != DRAW {
                    open[parent] -= 1;
                    defence[parent] = defence[parent].max(value + 1);
                }
            });
            if open[parent] == 0 {
                decided[defence[parent] as usize].push(parent as u32);
            }
        }
        let sound = |c: usize| last[c] == NONE || values[c] != ILLEGAL;
        assert!((0..slots).all(sound), "a legal move leads to a legal position");
        // In order of remoteness, so that the first verdict is the shortest win or the longest defence.
        for n in 0..decided.len() {
            for child in std::mem::take(&mut decided[n]) {
                let child = child as usize;
                if values[child] != DRAW {
                    continue;
                }
                values[child] = n as u16;
                let mut edge = last[child];
                while edge != NONE {
                    let (parent, p) = (edges[edge as usize].0, edges[edge as usize].0 as usize);
                    if n.is_multiple_of(2) {
                        decided[n + 1].push(parent);
                    } else {
                        open[p] -= 1;
                        if open[p] == 0 {
                            decided[(n + 1).max(defence[p] as usize)].push(parent);
                        }
                    }
                    edge = edges[edge as usize].1;
                }
            }
        }
        values
    }

    /// The value of a position: "win", "lose" or "draw" for the side to move, and the remoteness in plies (0
    /// for a draw). `placement` is the FEN board field. None if not legal, or with too many pieces.
    pub(super) fn value(&self, placement: &str, red_to_move: bool) -> Option<(&'static str, u16)> {
        let board = parse(placement)?;
        let mut men: Men = occupied(&board).into_iter().map(|s| (board[s], s)).collect();
        men.sort();
        self.word(&men, red_to_move)
    }

    fn word(&self, men: &Men, red: bool) -> Option<(&'static str, u16)> {
        match self.tables.get(&letters_of(men)) {
            Some(table) => word(table[slot(men, red)?]),
            None => {
                let men = exchanged(men);
                word(self.tables.get(&letters_of(&men))?[slot(&men, !red)?])
            }
        }
    }

    /// Whether the values of all positions with `pieces` pieces stay the same when the colours are exchanged. All
    /// materials with so many pieces must be solved, each in its own right: so they are where larger ones are solved too.
    pub(super) fn alike(&self, pieces: usize) -> bool {
        let (mut men, mut squares) = (Men::new(), vec![]);
        self.tables.iter().filter(|(letters, _)| letters.len() == pieces).all(|(letters, table)| {
            (0..table.len()).all(|at| match unslot(letters, at, &mut men, &mut squares) {
                Some((_, red)) => {
                    let men = exchanged(&men);
                    slot(&men, !red).is_some_and(|other| self.tables[&letters_of(&men)][other] == table[at])
                }
                None => true,
            })
        })
    }

    /// All legal moves of a legal position, any number of pieces, as pairs of square names like "h2e2" (files
    /// a to i from red's left, ranks 0 to 9 from red's side), sorted. Panics if malformed or without a king.
    pub(super) fn moves(placement: &str, red_to_move: bool) -> Vec<String> {
        let name = |s: usize| format!("{}{}", (b'a' + (s % 9) as u8) as char, s / 9);
        let board = parse(placement).expect("a FEN board field");
        let moves = legal_moves(&board, red_to_move).into_iter();
        let mut names: Vec<String> = moves.map(|(from, to)| name(from) + &name(to)).collect();
        names.sort();
        names
    }

    /// The number of legal move sequences of `depth` plies. Panics as `moves` does.
    pub(super) fn perft(placement: &str, red_to_move: bool, depth: u32) -> u64 {
        count_sequences(&parse(placement).expect("a FEN board field"), red_to_move, depth)
    }
}

fn word(value: u16) -> Option<(&'static str, u16)> {
    match value {
        ILLEGAL => None,
        DRAW => Some(("draw", 0)),
        _ => Some((if value % 2 == 1 { "win" } else { "lose" }, value)),
    }
}
