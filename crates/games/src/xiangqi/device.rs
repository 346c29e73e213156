//! What a GPU must know of Chinese chess: the tables of `device/xiangqi.cuh`, and the numbering of each tier.

use std::sync::{Arc, LazyLock};

use zermelo_core::Tier;
use zermelo_core::device::{DeviceRules, DeviceTable, Slot};

use super::Xiangqi;
use super::kings::{Fold, KING_PAIRS, Kings};
use super::material::{Camp, camps, children, tier_of};
use super::men::{Kind, home_squares};
use super::numbers::{Group, ORDER, XiangqiNumbers, binomial, combinations, pawn_squares};
use super::squares::{ADVISOR, ALL, BETWEEN, BISHOP, KING, KNIGHT, LEG, PAWN, PAWN_FROM, SQUARES, Set, bit};

/// The most men that a position on a device can have.
const MOST_MEN: usize = 7;
/// The digits that a numbering has room for, the kings among them.
const MOST_DIGITS: usize = 6;
/// Bytes that a square on a device may have: its row in the upper half, its file in the lower one.
const BYTES: usize = 160;
/// What a man to whom no line leads has in the way.
const NEVER: u32 = 1 << 31;
/// No pawn that steps forward, or no man that is taken.
const NOBODY: usize = 7;

impl DeviceRules for Xiangqi {
    fn header(&self) -> String {
        [include_str!("../device/xiangqi.cuh"), include_str!("../device/xiangqi_moves.cuh")].concat()
    }

    fn fits(&self) -> bool {
        self.material.men() <= MOST_MEN
    }

    fn constants(&self) -> Vec<(&'static str, u64)> {
        let digits = LISTS.last().map_or(KING_PAIRS, List::end);
        vec![("MEN", self.material.men().max(2) as u64), ("DIGITS", digits)]
    }

    fn numbering(&self, index: &XiangqiNumbers) -> Vec<Slot> {
        let men = [0, 1].map(|side| labels(index.camps[side], side));
        let many = men[0].len() + men[1].len();
        let kings = [Slot::Number(index.stride), Slot::Number(inverse(index.stride)), Slot::Number(1 << 32)];
        let mut digits: Vec<[Slot; 3]> =
            index.groups.iter().map(|group| digit(group, men[0].len())).collect();
        digits.insert(index.roaming, kings);
        let mut digit_of_man = vec![index.roaming; many];
        for (at, group) in index.groups.iter().enumerate() {
            let first = first_man(group, men[0].len());
            digit_of_man[first..first + group.men.len()].fill(at + usize::from(at >= index.roaming));
        }
        let shape = [men[0].len(), many, digits.len(), usize::from(index.same)];
        digits.resize(MOST_DIGITS, [0, 0, 0].map(Slot::Number));
        let bytes = |list: &mut dyn Iterator<Item = usize>| {
            list.enumerate().fold(0, |word, (at, byte)| word | (byte as u64) << (8 * at))
        };
        let kinds = bytes(&mut men.iter().flatten().map(|man| man.kind as usize));
        let board = DeviceTable { name: ("chinese chess", 0, 0), make: Arc::new(board) };
        let tier = tier_of(index.camps[0], index.camps[1]);
        let make = Arc::new(move || leads(tier).into_iter().flat_map(u64::to_le_bytes).collect());
        let leads = DeviceTable { name: ("moves to tiers below", tier.0, 0), make };
        let mut slots: Vec<Slot> = digits.into_iter().flatten().collect();
        slots.extend([bytes(&mut shape.into_iter()), kinds, index.half].map(Slot::Number));
        slots.extend([board, leads].map(Slot::Table));
        slots.push(Slot::Number(bytes(&mut digit_of_man.into_iter())));
        slots
    }
}

/// 2^64 by a number, rounded down, and at most 2^64 - 1.
fn inverse(number: u64) -> u64 {
    u64::try_from((1u128 << 64) / u128::from(number.max(1))).unwrap_or(u64::MAX)
}

/// The first man of a group, among all men.
fn first_man(group: &Group, first_camp: usize) -> usize {
    group.men.start + if group.side == 0 { 0 } else { first_camp }
}

/// A digit of like men, as `Digit` of the header.
fn digit(group: &Group, first_camp: usize) -> [Slot; 3] {
    let first = first_man(group, first_camp);
    let (like, many) = (group.like, group.men.len());
    let begins =
        LISTS.iter().find(|list| (list.like, list.many) == (like, many)).map_or(0, |list| list.begins);
    let what = [group.side, first, many, class(like)];
    let what =
        what.into_iter().enumerate().fold(begins << 40, |word, (at, byte)| word | (byte as u64) << (8 * at));
    [group.stride, inverse(group.stride), what].map(Slot::Number)
}

/// The class of squares that like men stand on: 0 for all squares, 1 for bishops, 2 for advisors, 3 and 4 for pawns
/// before and across the river.
fn class((kind, row): (usize, usize)) -> usize {
    match ORDER.get(kind) {
        Some(Kind::Bishop) => 1,
        Some(Kind::Advisor) => 2,
        Some(Kind::Pawn) => 3 + usize::from(row > 4),
        _ => 0,
    }
}

/// The squares of so many like men, by digit.
struct List {
    like: (usize, usize),
    many: usize,
    homes: Vec<u8>,
    /// The place in the table where the list begins.
    begins: u64,
}

impl List {
    fn end(&self) -> u64 {
        self.begins + binomial(self.homes.len(), self.many)
    }
}

/// All lists of squares that tiers need, in the order of the table. Before them are the pairs of kings.
static LISTS: LazyLock<Vec<List>> = LazyLock::new(|| {
    let mut lists: Vec<List> = vec![];
    for (place, kind) in ORDER.into_iter().enumerate() {
        let rows = if kind == Kind::Pawn { Camp::rows() } else { 0..1 };
        for (row, many) in rows.flat_map(|row| (1..=kind.most()).map(move |many| (row, many))) {
            let homes = if kind == Kind::Pawn { pawn_squares(row) } else { home_squares(kind) };
            let begins = lists.last().map_or(KING_PAIRS, List::end);
            lists.push(List { like: (place, row), many, homes, begins });
        }
    }
    lists
});

/// A square as a device has it.
fn on_device(square: u8) -> u8 {
    square / 9 * 16 + square % 9
}

/// The square of a byte, if it is one.
fn square_of(byte: usize) -> Option<u8> {
    let (row, file) = (byte / 16, byte % 16);
    (row < 10 && file < 9).then_some((row * 9 + file) as u8)
}

/// The squares of both palaces, in the order that a device has them.
fn thrones() -> Vec<u8> {
    let bottom = home_squares(Kind::King);
    let top = bottom.iter().map(|square| square + 63);
    bottom.iter().copied().chain(top).collect()
}

/// The structure `Board` of the header.
fn board() -> Vec<u8> {
    let kings = Kings::new();
    let mut bytes = vec![];
    let mut squares = |list: &[u8]| {
        let word =
            list.iter().enumerate().fold(0u64, |word, (at, s)| word | u64::from(on_device(*s)) << (8 * at));
        bytes.extend(word.to_le_bytes());
    };
    kings.pairs.iter().for_each(|pair| squares(pair));
    for list in LISTS.iter() {
        combinations(&list.homes, list.many).chunks(list.many).for_each(&mut squares);
    }
    let mut words = |of: &dyn Fn(u8, u8) -> u32| {
        for king in thrones() {
            bytes.extend((0..BYTES).flat_map(|at| square_of(at).map_or(0, |s| of(king, s)).to_le_bytes()));
        }
    };
    words(&|king, s| cross(king, bit(s)));
    words(&|king, s| barred(king, BETWEEN[usize::from(king)][usize::from(s)]));
    words(&|king, s| barred(king, LEG[usize::from(king)][usize::from(s)]));
    // The pawns of the other side.
    words(&|king, s| {
        if PAWN_FROM[usize::from(king < 45)][usize::from(king)] & bit(s) != 0 { 0 } else { NEVER }
    });
    for kind in Kind::ALL {
        for side in 0..2 {
            bytes.extend((0..BYTES).map(|at| square_of(at).map_or(0, |s| steps(kind, side, s))));
        }
    }
    bytes.extend(places());
    bytes.extend((0..512u32).map(|set| {
        let members = (0..9).filter(|at| set >> at & 1 != 0).enumerate();
        members.map(|(k, at)| binomial(at, k + 1)).sum::<u64>() as u8
    }));
    for one in home_squares(Kind::King) {
        bytes.extend(home_squares(Kind::King).into_iter().map(|two| match kings.fold(one, two) {
            (Fold::Kept, pair) => pair,
            (Fold::Mirrored, pair) => pair | 1 << 6,
            (Fold::Both, pair) => pair | 2 << 6,
        }));
    }
    bytes
}

/// The squares of a set as bits that matter to a king: those of his row, of his file, and beside him diagonally.
fn cross(king: u8, set: Set) -> u32 {
    let (row, file) = (king / 9, king % 9);
    let bit_of = |s: u8| match (s / 9, s % 9) {
        _ if s == king => 0,
        (r, f) if r == row => 1 << f,
        (r, f) if f == file => 1 << (9 + r),
        (r, f) if r.abs_diff(row) == 1 && f.abs_diff(file) == 1 => {
            1 << (19 + 2 * u32::from(r > row) + u32::from(f > file))
        }
        _ => 0,
    };
    super::squares::squares(set).map(bit_of).fold(0, |all, bit| all | bit)
}

/// What bars a way to a king.
fn barred(king: u8, way: Set) -> u32 {
    if way == ALL { NEVER } else { cross(king, way) }
}

/// The steps of a man, a bit each, in the order of the header.
fn steps(kind: Kind, side: usize, s: u8) -> u8 {
    let at = usize::from(s);
    let all = |ways: &[super::squares::Path; 4]| ways.iter().fold(0, |set, way| set | way.to);
    let straight: &[i32] = &[16, 1, -16, -1];
    let (to, by): (Set, &[i32]) = match kind {
        Kind::King => (KING[side][at], straight),
        Kind::Pawn => (PAWN[side][at], straight),
        Kind::Advisor => (ADVISOR[side][at], &[17, 15, -15, -17]),
        Kind::Bishop => (all(&BISHOP[side][at]), &[34, 30, -30, -34]),
        Kind::Knight => (all(&KNIGHT[at]), &[33, 31, 18, -14, -31, -33, 14, -18]),
        Kind::Cannon | Kind::Rook => (0, &[]),
    };
    let leads = |by: &i32| {
        let byte = usize::try_from(i32::from(on_device(s)) + by).ok();
        byte.and_then(square_of).is_some_and(|s| to & bit(s) != 0)
    };
    by.iter().enumerate().fold(0, |set, (way, by)| set | u8::from(leads(by)) << way)
}

/// By class and square: the place of the square among those of the class. Pawns are told apart by file alone.
fn places() -> Vec<u8> {
    let roam = (0..SQUARES as u8).collect();
    let classes =
        [roam, home_squares(Kind::Bishop), home_squares(Kind::Advisor), pawn_squares(3), pawn_squares(5)];
    let of = |class: usize, homes: &[u8], s: u8| {
        let like = |home: &u8| if class < 3 { *home == s } else { *home % 9 == s % 9 };
        homes.iter().position(like).unwrap_or(0) as u8
    };
    let all = classes.iter().enumerate().flat_map(|(class, homes): (usize, &Vec<u8>)| {
        (0..BYTES).map(move |at| square_of(at).map_or(0, |s| of(class, homes, s)))
    });
    all.collect()
}

/// A man of a tier.
#[derive(Clone, Copy)]
struct Label {
    side: usize,
    kind: Kind,
    /// The row of a pawn.
    row: usize,
}

/// The men of a side in the order that a device has them.
fn labels(camp: Camp, side: usize) -> Vec<Label> {
    let men = camp.counts().kinds().filter(|kind| *kind != Kind::Pawn);
    let men = men.map(|kind| Label { side, kind, row: 0 });
    let pawns = Camp::rows()
        .flat_map(|row| std::iter::repeat_n(Label { side, kind: Kind::Pawn, row }, camp.on_row(row)));
    men.chain(pawns).collect()
}

/// Where moves that leave a tier lead, by the pawn that steps forward and the man who is taken: see `lead` in the header.
fn leads(tier: Tier) -> Vec<u64> {
    let below = children(tier);
    let men: Vec<Label> =
        camps(tier).into_iter().enumerate().flat_map(|(side, camp)| labels(camp, side)).collect();
    let of = |n: usize| lead(&men, &below, n / 8, n % 8).unwrap_or(0);
    (0..64).map(of).collect()
}

/// One of [`leads`]; `None` where there is no such move.
fn lead(men: &[Label], below: &[Tier], pawn: usize, taken: usize) -> Option<u64> {
    let mut left: Vec<(usize, Label)> =
        men.iter().copied().enumerate().filter(|(man, _)| *man != taken).collect();
    if pawn != NOBODY {
        left.iter_mut().find(|(man, label)| *man == pawn && label.kind == Kind::Pawn)?.1.row += 1;
    }
    let camp = |side| Camp::of_men(left.iter().filter(|(_, m)| m.side == side).map(|(_, m)| (m.kind, m.row)));
    let (one, two) = (camp(0), camp(1));
    let tier = tier_of(one, two);
    let child = below.iter().position(|below| *below == tier)? as u64;
    let swap = camps(tier)[0] != one;
    let order = |(_, m): &(usize, Label)| ((m.side == 1) != swap, m.kind, m.row);
    left.sort_by_key(order);
    let who = |at: usize| left.get(at).map_or(NOBODY, |(man, _)| *man) as u64;
    let order = (0..8).fold(0, |word, at| word | who(at) << (32 + 4 * at));
    Some(child | u64::from(swap) << 8 | order)
}

#[cfg(test)]
mod tests {
    use super::super::squares::{mirrored, turned};
    use super::*;

    #[test]
    fn both_sides_see_the_same_board() {
        for s in 0..SQUARES as u8 {
            assert_eq!(square_of(on_device(s).into()), Some(s));
            assert_eq!(on_device(turned(s)), 0x98 - on_device(s));
            assert_eq!(on_device(mirrored(s)) & 15, 8 - (on_device(s) & 15));
        }
    }
}
