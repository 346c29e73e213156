//! Numbers the positions of a tier.
//!
//! A number is a row of digits: whose move it is, where the kings stand, and one digit for each group of like men:
//! their squares among those they can stand on, as a combination. Each side is numbered on its own board, so that
//! swapping colours changes nothing. Of two mirror images one has a number, which the kings decide: 45 of their 81
//! pairs remain. Where both kings stand on the middle file, the image of the lower number counts. A man who moves
//! changes one digit.
//!
//! Neighbouring numbers should have like values, for the sake of the tables: men who roam the board come first, then
//! the kings, then pawns and men who never leave their own side. By measurement cannons come before knights before
//! rooks (`docs/lab/xiangqi.md`).
//!
//! This is the longest file of a game. A tier is scanned and its unmoves are numbered digit by digit, which takes
//! tables of each digit and no look at the whole board.

use std::ops::Range;

use zermelo_core::{Flow, Tier, Tiers};

use super::kings::{Fold, KING_PAIRS, Kings};
use super::material::{Camp, camps, children, name, tier_of};
use super::men::{Army, Counts, Kind, MEN, home_squares};
use super::scene::{Scene, row};
use super::squares::{NOWHERE, SQUARES, Set, bit, mirrored, turned};
use super::{Xiangqi, XiangqiMen};

/// Like men of one side, with one digit for where they stand.
pub(super) struct Group {
    pub(super) side: usize,
    /// The kind of men, which groups of like men on both sides share: the place of the kind in [`ORDER`], and the row
    /// of pawns.
    pub(super) like: (usize, usize),
    /// The places of the men among those of the side.
    pub(super) men: Range<usize>,
    /// By digit: the squares of the men, one after the other, as their side numbers the board.
    squares: Vec<u8>,
    /// By digit: the squares of the men as a set, seen from the bottom.
    sets: Vec<Set>,
    /// By square: its place among those that the men can stand on.
    place: [u8; SQUARES],
    /// By square, for a single man: what the man adds to the number, as he stands and mirrored.
    adds: [[u64; SQUARES]; 2],
    pub(super) stride: u64,
    /// The group of the same men on the other side.
    twin: usize,
}

/// What men add to a number: as they stand, and mirrored.
type Sums = [u64; 2];

/// The numbering of one tier.
pub struct XiangqiNumbers {
    pub(super) camps: [Camp; 2],
    counts: [Counts; 2],
    /// Whether both sides have the same men. If so, the first side is always the one to move.
    pub(super) same: bool,
    pub(super) groups: Vec<Group>,
    /// By side and man: the group of the man.
    group_of: [[u8; MEN]; 2],
    /// The number of groups that come before the kings.
    pub(super) roaming: usize,
    /// The number of numbers with one pair of kings.
    pub(super) stride: u64,
    /// The number of numbers with one side to move.
    pub(super) half: u64,
    /// A scene with the men of both sides, none of them placed yet.
    empty: Scene,
    pub(super) kings: Kings,
}

/// The number of ways to choose `k` of `n` squares.
#[inline]
pub(super) fn binomial(n: usize, k: usize) -> u64 {
    let n = n as u64;
    match k {
        1 => n,
        2 => n * n.saturating_sub(1) / 2,
        _ => (0..k as u64).fold(1, |ways, j| ways * n.saturating_sub(j) / (j + 1)),
    }
}

/// The men of one digit.
struct Digit {
    /// The place of their kind in [`ORDER`], and the row of pawns.
    like: (usize, usize),
    homes: Vec<u8>,
    many: usize,
}

/// The kinds in the order of their digits.
pub(super) const ORDER: [Kind; 6] =
    [Kind::Cannon, Kind::Knight, Kind::Rook, Kind::Pawn, Kind::Bishop, Kind::Advisor];
/// The number of kinds that come before the kings.
const ROAMING: usize = 3;

/// The squares of so many like men by digit, one after the other: the combinations of the squares that they can stand
/// on in colexicographic order, in which the highest place counts most.
pub(super) fn combinations(homes: &[u8], many: usize) -> Vec<u8> {
    let mut squares = vec![];
    for digit in 0..binomial(homes.len(), many) {
        let (mut rest, mut places) = (digit, vec![]);
        for k in (1..=many).rev() {
            let at = (0..homes.len()).rev().find(|at| binomial(*at, k) <= rest).unwrap_or(0);
            rest -= binomial(at, k);
            places.push(homes[at]);
        }
        squares.extend(places.into_iter().rev());
    }
    squares
}

/// The digits of a side, in the order of its men.
fn digits_of(camp: Camp) -> Vec<Digit> {
    let place = |kind: Kind| ORDER.iter().position(|k| *k == kind).unwrap_or(0);
    let men = Kind::ALL[1..6].iter().map(|kind| {
        let many = camp.counts().get(*kind);
        Digit { like: (place(*kind), 0), homes: home_squares(*kind), many }
    });
    let pawns = Camp::rows().map(|r| Digit {
        like: (place(Kind::Pawn), r),
        homes: pawn_squares(r),
        many: camp.on_row(r),
    });
    men.chain(pawns).filter(|digit| digit.many > 0).collect()
}

/// The squares of a row where pawns may stand, as their side numbers the board.
pub(super) fn pawn_squares(r: usize) -> Vec<u8> {
    home_squares(Kind::Pawn).into_iter().filter(|s| row(r * 9) & bit(*s) != 0).collect()
}

impl Group {
    fn new(side: usize, first: usize, Digit { like, homes, many }: Digit) -> Group {
        let mut place = [NOWHERE; SQUARES];
        homes.iter().enumerate().for_each(|(at, s)| place[usize::from(*s)] = at as u8);
        let squares = combinations(&homes, many);
        let shown = |s: u8| if side == 0 { s } else { turned(s) };
        let sets = squares.chunks(many).map(|c| c.iter().fold(0, |set, s| set | bit(shown(*s)))).collect();
        let adds = [[0; SQUARES]; 2];
        Group { side, like, men: first..first + many, squares, sets, place, adds, stride: 1, twin: 0 }
    }

    /// Sets the number that one step of the digit adds.
    fn set_stride(&mut self, stride: u64) {
        self.stride = stride;
        for square in 0..SQUARES as u8 {
            let place = |s: u8| u64::from(self.place[usize::from(s)]);
            self.adds[0][usize::from(square)] = place(square) * stride;
            self.adds[1][usize::from(square)] = place(mirrored(square)) * stride;
        }
    }

    fn size(&self) -> u64 {
        self.sets.len() as u64
    }

    /// What men on these squares add to the number, as they stand and mirrored.
    #[inline]
    fn adds(&self, squares: &[u8]) -> Sums {
        match squares {
            [one] => [self.adds[0][usize::from(*one)], self.adds[1][usize::from(*one)]],
            _ => [self.combination(squares, |s| s), self.combination(squares, mirrored)],
        }
    }

    fn combination(&self, squares: &[u8], image: fn(u8) -> u8) -> u64 {
        let mut places = [u8::MAX; 5];
        for (place, s) in places.iter_mut().zip(squares) {
            *place = self.place[usize::from(image(*s))];
        }
        let places = &mut places[..squares.len()];
        places.sort_unstable();
        let digit = places.iter().enumerate().map(|(k, at)| binomial(usize::from(*at), k + 1));
        digit.sum::<u64>() * self.stride
    }
}

impl XiangqiNumbers {
    pub(super) fn new(tier: Tier) -> XiangqiNumbers {
        let camps = camps(tier);
        let mut groups: Vec<Group> = vec![];
        for (side, camp) in camps.into_iter().enumerate() {
            let mut first = 1;
            for digit in digits_of(camp) {
                let many = digit.many;
                groups.push(Group::new(side, first, digit));
                first += many;
            }
        }
        groups.sort_by_key(|group| (group.like, group.side));
        let roaming = groups.iter().filter(|group| group.like.0 < ROAMING).count();
        let (mut product, mut stride) = (1, 1);
        for (at, group) in groups.iter_mut().enumerate().rev() {
            if at + 1 == roaming {
                (stride, product) = (product, product * KING_PAIRS);
            }
            group.set_stride(product);
            product *= group.size();
        }
        if roaming == 0 {
            (stride, product) = (product, product * KING_PAIRS);
        }
        let same = camps[0] == camps[1];
        let mut group_of = [[0; MEN]; 2];
        for at in 0..groups.len() {
            let (like, side) = (groups[at].like, groups[at].side);
            group_of[side][groups[at].men.clone()].fill(at as u8);
            let twin = |other: &Group| other.like == like && (other.side != side) == same;
            groups[at].twin = groups.iter().position(twin).unwrap_or(at);
        }
        let counts = camps.map(Camp::counts);
        let armies = counts.map(|counts| Army { counts, at: [0; MEN] });
        let mut empty = Scene::new(&armies[0], &armies[1]);
        (empty.at, empty.sets) = ([[NOWHERE; MEN]; 2], [0; 2]);
        let kings = Kings::new();
        XiangqiNumbers { camps, counts, same, groups, group_of, roaming, stride, half: product, empty, kings }
    }

    pub(super) fn size(&self) -> u64 {
        if self.same { self.half } else { 2 * self.half }
    }

    /// The number of a pair of kings and the sums of the other men.
    #[inline]
    fn number(&self, half: u64, one: u8, two: u8, sums: Sums) -> u64 {
        let (fold, pair) = self.kings.fold(one, two);
        let rest = match fold {
            Fold::Kept => sums[0],
            Fold::Mirrored => sums[1],
            Fold::Both => sums[0].min(sums[1]),
        };
        half + u64::from(pair) * self.stride + rest
    }

    /// The armies in the order of the tier, and the first number with this side to move.
    #[inline]
    fn ordered<'a>(&self, p: &'a XiangqiMen) -> ([&'a Army; 2], u64) {
        if self.same || Camp::of(&p.own) == self.camps[0] {
            ([&p.own, &p.other], 0)
        } else {
            ([&p.other, &p.own], self.half)
        }
    }

    #[inline]
    fn sums(&self, squares: [&[u8; MEN]; 2]) -> Sums {
        let adds = |g: &Group| g.adds(&squares[g.side][g.men.clone()]);
        self.groups.iter().map(adds).fold([0, 0], |a, b| [a[0] + b[0], a[1] + b[1]])
    }

    /// The squares of a number, if no two men share one. Whether the position is legal is checked elsewhere.
    #[inline]
    fn decode(&self, i: u64) -> Option<Scene> {
        let mut scene = self.empty;
        let rest = i % self.half;
        for (at, group) in self.groups.iter().enumerate() {
            if at == self.roaming && !self.put_kings(&mut scene, rest / self.stride % KING_PAIRS) {
                return None;
            }
            let digit = (rest / group.stride % group.size()) as usize;
            if scene.all() & group.sets[digit] != 0 {
                return None;
            }
            self.put(&mut scene, group, digit);
        }
        let kings_last = self.groups.len() == self.roaming;
        (!kings_last || self.put_kings(&mut scene, rest / self.stride % KING_PAIRS)).then_some(scene)
    }

    /// Puts a pair of kings on the board, if their squares are free.
    #[inline]
    fn put_kings(&self, scene: &mut Scene, pair: u64) -> bool {
        let [one, two] = self.kings.pairs[pair as usize];
        let two = turned(two);
        if scene.all() & (bit(one) | bit(two)) != 0 {
            return false;
        }
        (scene.at[0][0], scene.at[1][0]) = (one, two);
        scene.sets[0] |= bit(one);
        scene.sets[1] |= bit(two);
        true
    }

    #[inline]
    fn put(&self, scene: &mut Scene, group: &Group, digit: usize) {
        let many = group.men.len();
        let squares = &group.squares[digit * many..(digit + 1) * many];
        for (man, square) in group.men.clone().zip(squares) {
            scene.at[group.side][man] = if group.side == 0 { *square } else { turned(*square) };
        }
        scene.sets[group.side] |= group.sets[digit];
    }

    /// The side to move in the positions of a number.
    #[inline]
    fn side(&self, i: u64) -> usize {
        usize::from(i >= self.half)
    }

    /// Whether a scene is the position of its number: legal, and the lower of its images.
    #[inline]
    fn stands(&self, i: u64, scene: &Scene) -> bool {
        if scene.in_check(1 - self.side(i)) {
            return false;
        }
        let (one, two) = (scene.king(0), turned(scene.king(1)));
        if self.kings.fold(one, two).0 != Fold::Both {
            return true;
        }
        let [here, image] = self.scene_sums(scene);
        here <= image
    }

    /// The sums that the men of a scene add, each man in the group of his own kind and side.
    #[inline]
    fn scene_sums(&self, scene: &Scene) -> Sums {
        self.sums([0, 1].map(|side| self.own_board(scene, side)).each_ref())
    }

    /// The squares of a side, as the side itself numbers them.
    #[inline]
    fn own_board(&self, scene: &Scene, side: usize) -> [u8; MEN] {
        let mut at = scene.at[side];
        if side == 1 {
            at[..scene.men[1]].iter_mut().for_each(|s| *s = turned(*s));
        }
        at
    }

    /// The position of a scene with a side to move.
    #[inline]
    pub(super) fn men(&self, scene: &Scene, side: usize) -> XiangqiMen {
        let army = |side: usize| Army::sorted(self.counts[side], self.own_board(scene, side));
        XiangqiMen { own: army(side), other: army(1 - side) }
    }

    pub(super) fn unrank(&self, i: u64) -> Option<XiangqiMen> {
        let scene = self.decode(i).filter(|scene| self.stands(i, scene))?;
        Some(self.men(&scene, self.side(i)))
    }

    /// Steps through the positions of a range of numbers.
    #[inline]
    pub(super) fn scan(&self, range: Range<u64>, mut visit: impl FnMut(u64, usize, &Scene)) {
        let mut scene = self.empty;
        for side in 0..2 {
            // Where both sides are alike there is one half.
            let half = side * self.half;
            if range.start < half + self.half && range.end > half {
                self.step(0, half, &range, &mut scene, &mut |i, scene| {
                    if self.stands(i, scene) {
                        visit(i, self.side(i), scene);
                    }
                });
            }
        }
    }

    /// Visits all squares of the digits from `level` on. Numbers begin at `base`.
    fn step(
        &self,
        level: usize,
        base: u64,
        range: &Range<u64>,
        scene: &mut Scene,
        visit: &mut impl FnMut(u64, &Scene),
    ) {
        if level > self.groups.len() {
            return visit(base, scene);
        }
        let kings = level == self.roaming;
        let group = self.groups.get(level - usize::from(level > self.roaming)).filter(|_| !kings);
        let (stride, size) = group.map_or((self.stride, KING_PAIRS), |g| (g.stride, g.size()));
        let first = range.start.saturating_sub(base) / stride;
        let end = (range.end - base).div_ceil(stride).min(size);
        let sets = scene.sets;
        for digit in first..end {
            scene.sets = sets;
            let fits = match group {
                None => self.put_kings(scene, digit),
                Some(group) if scene.all() & group.sets[digit as usize] != 0 => false,
                Some(group) => {
                    self.put(scene, group, digit as usize);
                    true
                }
            };
            if fits {
                self.step(level + 1, base + digit * stride, range, scene, visit);
            }
        }
        scene.sets = sets;
    }

    /// Visits the numbers of positions that have a quiet move to number `i`, once for each move. Some of these
    /// numbers are holes.
    #[inline]
    pub(super) fn sources(&self, i: u64, mut visit: impl FnMut(u64)) {
        let Some(scene) = self.decode(i) else { return };
        let back = 1 - self.side(i);
        let own = [0, 1].map(|side| self.own_board(&scene, side));
        // The player who moves back is to move there: among like sides this is always the first side.
        let half = if self.same || back == 0 { 0 } else { self.half };
        let mut sums = [0, 0];
        let mut adds = [[0u64; 2]; 2 * MEN];
        for (at, group) in self.groups.iter().enumerate() {
            adds[at] = self.groups[group.twin].adds(&own[group.side][group.men.clone()]);
            sums = [sums[0] + adds[at][0], sums[1] + adds[at][1]];
        }
        let kings = |one: u8, two: u8| if self.same { (two, one) } else { (one, two) };
        let (one, two) = kings(own[0][0], own[1][0]);
        let fold = self.kings.fold(one, two).0;
        let even = fold == Fold::Both && sums[0] == sums[1];
        let mut visit = |one: u8, two: u8, sums: Sums| {
            let fold = self.kings.fold(one, two).0;
            let even_there = fold == Fold::Both && sums[0] == sums[1];
            // A symmetric position has a move to each of two images. Two images have a move each to a symmetric
            // position, and only one of the images has a number.
            if even && !even_there && (fold == Fold::Mirrored || fold == Fold::Both && sums[0] > sums[1]) {
                return;
            }
            let number = self.number(half, one, two, sums);
            visit(number);
            if even_there && !even {
                visit(number);
            }
        };
        for king in super::squares::squares(scene.origins(back, 0)) {
            let (a, b) = if back == 0 { (king, own[1][0]) } else { (own[0][0], turned(king)) };
            let (one, two) = kings(a, b);
            visit(one, two, sums);
        }
        for man in 1..scene.men[back] {
            let at = usize::from(self.group_of[back][man]);
            let group = &self.groups[at];
            let twin = &self.groups[group.twin];
            let rest = [sums[0] - adds[at][0], sums[1] - adds[at][1]];
            let mut squares = own[back];
            for from in super::squares::squares(scene.origins(back, man)) {
                squares[man] = if back == 0 { from } else { turned(from) };
                let add = twin.adds(&squares[group.men.clone()]);
                visit(one, two, [rest[0] + add[0], rest[1] + add[1]]);
            }
        }
    }
}

impl Tiers for Xiangqi {
    type Index = XiangqiNumbers;

    // A tenth smaller than with the usual blocks, and packed sooner.
    const BLOCK_ENTRIES: Option<usize> = Some(1 << 16);

    fn roots(&self) -> Vec<Tier> {
        self.material.roots()
    }

    #[inline]
    fn tier(&self, p: XiangqiMen) -> Tier {
        tier_of(Camp::of(&p.own), Camp::of(&p.other))
    }

    fn name(&self, t: Tier) -> String {
        name(t)
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        children(t)
    }

    fn flow(&self, _: Tier) -> Flow {
        Flow::Loops
    }

    fn size(&self, t: Tier) -> u64 {
        let camps = camps(t);
        let digits = camps.into_iter().flat_map(digits_of).map(|d| binomial(d.homes.len(), d.many));
        let turns = if camps[0] == camps[1] { 1 } else { 2 };
        digits.fold(turns * KING_PAIRS, u64::saturating_mul)
    }

    fn index(&self, t: Tier) -> XiangqiNumbers {
        XiangqiNumbers::new(t)
    }

    #[inline]
    fn rank(&self, index: &XiangqiNumbers, p: XiangqiMen) -> u64 {
        let (armies, half) = index.ordered(&p);
        index.number(half, armies[0].at[0], armies[1].at[0], index.sums(armies.map(|army| &army.at)))
    }

    fn unrank(&self, index: &XiangqiNumbers, i: u64) -> Option<XiangqiMen> {
        index.unrank(i)
    }

    fn canonical(&self, p: XiangqiMen) -> XiangqiMen {
        let image = p.mirrored();
        let key = |p: &XiangqiMen| (p.own.at, p.other.at);
        if key(&image) < key(&p) { image } else { p }
    }

    fn copies(&self, index: &XiangqiNumbers, p: XiangqiMen) -> u64 {
        let (armies, _) = index.ordered(&p);
        let sums = index.sums(armies.map(|army| &army.at));
        let both = index.kings.fold(armies[0].at[0], armies[1].at[0]).0 == Fold::Both;
        if both && sums[0] == sums[1] { 1 } else { 2 }
    }

    fn alike(&self, p: XiangqiMen) -> u64 {
        if p.mirrored() == p { 1 } else { 2 }
    }

    #[inline]
    fn scan(&self, index: &XiangqiNumbers, range: Range<u64>, mut visit: impl FnMut(u64, XiangqiMen)) {
        index.scan(range, |i, side, scene| visit(i, index.men(scene, side)));
    }
}
