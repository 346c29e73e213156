//! Numbers positions, and makes moves backwards.
//!
//! A number has two digits: the cells of both lions, and all the rest as a word of a
//! [diagram](zermelo_core::diagram). The word is the other cells in order, then the mover's hand; the other hand
//! holds what is left. The mover's lion is never on the far row: it would have won before.
//!
//! Of two mirror images one has a number: the one whose lion stands further left, the mover's lion first. Where both
//! lions stand in the middle, the lesser board has the number. The other images are holes (8% of the numbers).

use std::ops::Range;

use zermelo_core::diagram::Automaton;
use zermelo_core::prelude::*;

use super::men::{
    CHICK, DobutsuMen, ELEPHANT, Field, GIRAFFE, HEN, LION, OTHER, WORTH, at, each, held, lions, occupied,
    one, own,
};
use super::{Dobutsu, TAKEN};

/// The tier of the position in which a lion was taken.
const END: Tier = Tier(0);
/// The tier of all other positions.
const PLAY: Tier = Tier(1);

/// Reads the cells without lions, then the hand. The state is the worth that the men read so far have in a hand.
pub(super) struct Others {
    pub(super) cells: usize,
    pub(super) pairs: u8,
}

/// The men that letters of words stand for: empty, the mover's men, the other's.
const MEN: [u64; 9] =
    [0, CHICK, ELEPHANT, GIRAFFE, HEN, CHICK + OTHER, ELEPHANT + OTHER, GIRAFFE + OTHER, HEN + OTHER];

/// The letter of each man: its place in [`MEN`].
const LETTERS: [u8; 16] = {
    let mut letters = [0; 16];
    let mut letter = 0;
    while letter < MEN.len() {
        letters[MEN[letter] as usize] = letter as u8;
        letter += 1;
    }
    letters
};

/// Whether one hand is part of another.
fn within(part: u8, whole: u8) -> bool {
    [CHICK, ELEPHANT, GIRAFFE].into_iter().all(|man| held(part, man) <= held(whole, man))
}

impl Automaton for Others {
    /// The men left for the hands.
    type State = u8;

    fn levels(&self) -> usize {
        self.cells + 1
    }

    fn letters(&self, level: usize) -> usize {
        if level < self.cells { MEN.len() } else { 27 }
    }

    fn start(&self) -> u8 {
        self.pairs
    }

    fn next(&self, level: usize, left: u8, letter: usize) -> Option<u8> {
        if level == self.cells {
            return within(letter as u8, left).then_some(0);
        }
        let worth = WORTH[MEN[letter] as usize];
        within(worth, left).then(|| left - worth)
    }
}

/// The cells of both lions, the mover's first, one of each two mirror images; and the place of each pair in the list.
pub(super) fn lion_pairs(field: &Field) -> (Vec<[u8; 2]>, [[u8; 16]; 16]) {
    let (mut list, mut places) = (vec![], [[0; 16]; 16]);
    for a in (0..field.cells).filter(|a| field.far & one(*a) == 0) {
        for b in (0..field.cells).filter(|b| *b != a) {
            if (a % 3, b % 3) <= (2 - a % 3, 2 - b % 3) {
                places[a as usize][b as usize] = list.len() as u8;
                list.push([a as u8, b as u8]);
            }
        }
    }
    (list, places)
}

/// A board without a cell. The cells behind it move up.
#[inline]
fn without(board: u64, cell: u32) -> u64 {
    let before = one(cell) - 1;
    board & before | board >> 4 & !before
}

/// A board with one more cell and a man on it.
#[inline]
fn with(board: u64, cell: u32, man: u64) -> u64 {
    let before = one(cell) - 1;
    board & before | (board & !before) << 4 | man << (4 * cell)
}

impl Dobutsu {
    /// The one of a board and its mirror image that has a number.
    #[inline]
    fn kept(&self, board: u64) -> u64 {
        let mirrored = self.field.mirrored(board);
        let ([own, other], [_, middle, right]) = (lions(board), self.field.columns);
        let both_in_the_middle = (other & middle != 0) & (mirrored < board);
        let other_decides = (other & right != 0) | both_in_the_middle;
        if (own & right != 0) | (own & middle != 0) & other_decides { mirrored } else { board }
    }

    /// The position of two lions and the other men.
    #[inline]
    fn assemble(&self, pair: [u8; 2], letters: &[u8]) -> Option<DobutsuMen> {
        let (hand, cells) = letters.split_last()?;
        let (mut board, mut worth) = (0, 0);
        for (cell, letter) in cells.iter().enumerate() {
            let man = MEN[usize::from(*letter)];
            board |= man << (4 * cell);
            worth += WORTH[man as usize];
        }
        let mut lions = [(u32::from(pair[0]), LION), (u32::from(pair[1]), LION + OTHER)];
        lions.sort_unstable();
        let board = lions.into_iter().fold(board, |board, (cell, lion)| with(board, cell, lion));
        (self.kept(board) == board)
            .then(|| DobutsuMen { board, hands: [*hand, self.pairs.wrapping_sub(worth).wrapping_sub(*hand)] })
    }

    fn is_mirror_of_itself(&self, board: u64) -> bool {
        self.field.mirrored(board) == board
    }
}

impl Tiers for Dobutsu {
    type Index = Tier;

    #[inline]
    fn tier(&self, p: DobutsuMen) -> Tier {
        if p == TAKEN { END } else { PLAY }
    }

    fn name(&self, t: Tier) -> String {
        if t == PLAY { "both lions on the board".into() } else { "a lion is taken".into() }
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        if t == PLAY { vec![END] } else { vec![] }
    }

    fn flow(&self, t: Tier) -> Flow {
        if t == PLAY { Flow::Loops } else { Flow::Leaves }
    }

    fn size(&self, t: Tier) -> u64 {
        if t == PLAY { self.lions.len() as u64 * self.others.size() } else { 1 }
    }

    fn index(&self, t: Tier) -> Tier {
        t
    }

    #[inline]
    fn rank(&self, index: &Tier, p: DobutsuMen) -> u64 {
        if *index == END {
            return 0;
        }
        let board = self.kept(p.board);
        let [a, b] = lions(board).map(|lion| (lion.trailing_zeros() / 4) & 15);
        let rest = without(without(board, a.max(b)), a.min(b));
        let letters = (0..self.field.cells - 2).map(|cell| usize::from(LETTERS[at(rest, cell) as usize]));
        let others = self.others.rank(letters.chain([usize::from(p.hands[0])]));
        let pair = u64::from(self.places[a as usize][b as usize]);
        pair * self.others.size() + others.unwrap_or(0)
    }

    #[inline]
    fn unrank(&self, index: &Tier, i: u64) -> Option<DobutsuMen> {
        if *index == END {
            return Some(TAKEN);
        }
        let (pair, others) = (i / self.others.size(), i % self.others.size());
        let mut space = [0; 16];
        let letters = &mut space[..self.field.cells as usize - 1];
        self.others.unrank(others, letters)?;
        self.assemble(*self.lions.get(pair as usize)?, letters)
    }

    fn canonical(&self, p: DobutsuMen) -> DobutsuMen {
        if p == TAKEN { p } else { DobutsuMen { board: self.kept(p.board), ..p } }
    }

    fn copies(&self, _: &Tier, p: DobutsuMen) -> u64 {
        if self.is_mirror_of_itself(p.board) { 1 } else { 2 }
    }

    #[inline]
    fn scan(&self, index: &Tier, range: Range<u64>, mut visit: impl FnMut(u64, DobutsuMen)) {
        if *index == END {
            return range.for_each(|i| visit(i, TAKEN));
        }
        let (mut i, size) = (range.start, self.others.size());
        while i < range.end {
            let (pair, first) = (i / size, i / size * size);
            let end = range.end.min(first + size);
            let Some(pair) = self.lions.get(pair as usize) else { return };
            self.others.scan(i - first..end - first, |others, letters| {
                if let Some(p) = self.assemble(*pair, letters) {
                    visit(first + others, p);
                }
            });
            i = end;
        }
    }
}

impl Unmove for Dobutsu {
    #[inline]
    fn unmoves(&self, p: DobutsuMen, mut visit: impl FnMut(DobutsuMen)) {
        if p == TAKEN {
            return;
        }
        // The player who has just moved, as they saw the board. Before the move they could not take the lion, and
        // their own lion was not yet on the far row.
        let DobutsuMen { board, hands } = self.turned(p);
        let [lion, prey] = lions(board);
        let checks = self.field.attackers(board, prey);
        let mut movers = if checks == 0 { own(board) } else { checks };
        if checks & checks.wrapping_sub(1) != 0 {
            return;
        }
        if lion & self.field.far != 0 {
            movers &= lion;
        }
        // The men that may have been taken.
        let victims = [(CHICK, CHICK), (CHICK, HEN), (ELEPHANT, ELEPHANT), (GIRAFFE, GIRAFFE)];
        let victims = victims.map(|(held_as, man)| if held(hands[0], held_as) > 0 { man + OTHER } else { 0 });
        let empty = self.field.all & !occupied(board);
        let mut unstep = |man: u64, to: u32, left: u64| {
            for from in each(left & empty) {
                if self.field.reach(man, from) & prey != 0 {
                    continue;
                }
                let before = board & !(15 * one(to)) | man << (4 * from);
                visit(DobutsuMen { board: before, hands });
                for victim in victims.into_iter().filter(|victim| *victim != 0) {
                    let hand = hands[0] - WORTH[victim as usize];
                    visit(DobutsuMen { board: before | victim << (4 * to), hands: [hand, hands[1]] });
                }
            }
        };
        for to in each(movers) {
            let (man, on_far) = (at(board, to), self.field.far & one(to) != 0);
            match man {
                // On the far row a chick was dropped there, and a hen may have been a chick.
                CHICK if on_far => {}
                HEN if on_far => {
                    unstep(CHICK, to, self.field.back(CHICK, to));
                    unstep(HEN, to, self.field.back(HEN, to));
                }
                LION => unstep(LION, to, self.field.back(LION, to) & !self.field.far),
                _ => unstep(man, to, self.field.back(man, to)),
            }
        }
        for (to, man) in each(movers).map(|to| (to, at(board, to))).filter(|(_, man)| *man < HEN) {
            let hand = hands[0] + WORTH[man as usize];
            visit(DobutsuMen { board: board & !(15 * one(to)), hands: [hand, hands[1]] });
        }
    }

    #[inline]
    fn outlook(&self, _: Tier, index: &Tier, range: Range<u64>, sight: &mut impl Sight<Self>) {
        self.scan(index, range, |i, p| {
            let over = self.outcome(p);
            let mut inside = 0;
            if over.is_none() {
                let takers = self.field.attackers(p.board, lions(p.board)[1]).count_ones();
                (0..takers).for_each(|_| sight.leaves(TAKEN));
                inside = if takers == 0 { self.quiet_moves(p) as usize } else { 0 };
            }
            sight.seen(i, over, inside);
        });
    }

    // **Claim.** Each number is visited once for every move of its position to `p` or to the mirror image of `p`.
    // **Proof.** Where `p` is its own mirror image, the moves to `p` come in mirror pairs with one number, of which
    // one counts. Where `q` alone is its own mirror image, it has a move to `p` and one to the image of `p`, and both
    // count.
    #[inline]
    fn sources(&self, index: &Tier, i: u64, mut visit: impl FnMut(u64)) {
        let Some(p) = self.unrank(index, i) else { return };
        let fixed = self.is_mirror_of_itself(p.board);
        self.unmoves(p, |q| {
            let twin = self.is_mirror_of_itself(q.board);
            if !fixed || self.kept(q.board) == q.board {
                let number = self.rank(index, q);
                visit(number);
                if twin && !fixed {
                    visit(number);
                }
            }
        });
    }
}
