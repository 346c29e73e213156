//! Three, Six and Nine Men's Morris: put your men on the board, then move them along the lines;
//! three in a row are a mill, and a player who closes one takes a man. Fewer than three men lose.
//!
//! While men are put, a tier is the number of men put and the numbers of men of each player that stand, and every
//! move leaves it. After that a tier is the number of men of each player, the larger number first. Moves that take no
//! man swap the two numbers and can go round in circles; a man taken leaves the tier for good.

mod face;
mod lines;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use zermelo_core::prelude::*;

/// With fewer men a player loses; with exactly this many men they may fly.
const FEW: usize = 3;

/// Three, Six or Nine Men's Morris, with its mills and symmetries worked out.
pub struct Morris {
    points: Points,
    mills: Vec<u64>,
    /// By point: the mills that the point is part of.
    through: Vec<Vec<u64>>,
    /// The number of men of each player.
    men: usize,
    flies: bool,
    /// The most men of the fuller side and of the other, where only an endgame is solved.
    stage: Option<(usize, usize)>,
    symmetries: Arc<Symmetries>,
    /// The symmetries where both players fly. Lines then count for nothing but mills, so more boards are alike.
    flying: Arc<Symmetries>,
}

/// The men of the player to move and of the other, and how many were put by both together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MorrisMen {
    own: u64,
    other: u64,
    put: u8,
}

impl MorrisMen {
    fn pair(self) -> Pair {
        Pair { own: self.own, other: self.other }
    }
}

/// A move: a man goes to a point or is put there, and a mill takes a man.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Go {
    step: Step,
    taken: Option<u8>,
}

impl Morris {
    /// The number of men that are put in all.
    fn all(&self) -> usize {
        2 * self.men
    }

    /// The numbers of men in hand of the player to move and of the other.
    fn hands(&self, put: usize) -> [usize; 2] {
        [self.men - put / 2, self.men - put.div_ceil(2)]
    }

    /// Whether a player with these men may go to any empty point.
    #[inline]
    fn flies(&self, own: u64) -> bool {
        self.flies && own.count_ones() as usize == FEW
    }

    /// The points that a man may go to, or may come from.
    #[inline]
    fn reach(&self, flies: bool, point: usize, empty: u64) -> u64 {
        if flies { empty } else { self.points.near(point) & empty }
    }

    /// The men that are part of a mill.
    #[inline]
    fn milled(&self, men: u64) -> u64 {
        self.mills.iter().filter(|mill| men & **mill == **mill).fold(0, |all, mill| all | mill)
    }

    /// The men that a mill may take: those in mills only where there are no others.
    #[inline]
    fn takeable(&self, men: u64) -> u64 {
        match men & !self.milled(men) {
            0 => men,
            loose => loose,
        }
    }

    /// The tier of positions with `put` men put, `own` men of the player to move and `other` men of the other.
    #[inline]
    fn tier_of(&self, put: usize, own: usize, other: usize) -> Tier {
        let swapped = put == self.all() && own >= FEW && own < other;
        let (a, b) = if swapped { (other, own) } else { (own, other) };
        Tier((put << 8 | a << 4 | b) as u64)
    }

    /// The symmetries of a tier.
    fn group(&self, (put, a, b): (usize, usize, usize)) -> &Arc<Symmetries> {
        if put == self.all() && a.max(b) <= FEW { &self.flying } else { &self.symmetries }
    }

    fn group_of(&self, p: MorrisMen) -> &Symmetries {
        self.group((p.put.into(), p.own.count_ones() as usize, p.other.count_ones() as usize))
    }
}

/// The numbering of a tier: where the men stand, and how many were put.
pub struct MorrisNumbers {
    men: Halves,
    put: u8,
}

/// The number of men put, and the numbers of men of each side that stand.
fn counts(t: Tier) -> (usize, usize, usize) {
    ((t.0 >> 8) as usize, (t.0 >> 4 & 15) as usize, (t.0 & 15) as usize)
}

impl Game for Morris {
    type Position = MorrisMen;
    type Move = Go;

    const LAST_WINS: bool = true;

    fn start(&self) -> MorrisMen {
        let (a, b) = self.stage.unwrap_or_default();
        let put = if self.stage.is_some() { self.all() as u8 } else { 0 };
        let full = self.points.full();
        // An endgame starts with men at both ends of the board.
        MorrisMen { own: full & !(full << a), other: full & !(full >> b), put }
    }

    #[inline]
    fn outcome(&self, p: MorrisMen) -> Option<Outcome> {
        let hand = self.hands(p.put.into())[0];
        let few = (p.own.count_ones() as usize) + hand < FEW;
        let empty = self.points.full() & !(p.own | p.other);
        let stuck = || hand == 0 && !self.flies(p.own) && self.points.around(p.own) & empty == 0;
        (few || stuck()).then_some(Outcome::Lose)
    }

    #[inline]
    fn moves(&self, p: MorrisMen, mut visit: impl FnMut(Go)) {
        let empty = self.points.full() & !(p.own | p.other);
        let takeable = self.takeable(p.other);
        let mut go = |step: Step| {
            let men = step.moved(p.own);
            let mill = self.through[usize::from(step.to)].iter().any(|mill| men & mill == *mill);
            match takeable {
                _ if !mill => visit(Go { step, taken: None }),
                // The first mill may find no man to take.
                0 => visit(Go { step, taken: None }),
                men => members(men).for_each(|man| visit(Go { step, taken: Some(man as u8) })),
            }
        };
        if usize::from(p.put) < self.all() {
            return members(empty).for_each(|to| go(Step::put(to)));
        }
        let flies = self.flies(p.own);
        for from in members(p.own) {
            members(self.reach(flies, from, empty)).for_each(|to| go(Step::new(from, to)));
        }
    }

    #[inline]
    fn play(&self, p: MorrisMen, m: Go) -> MorrisMen {
        let taken = m.taken.map_or(0, |man| 1u64 << man);
        let put = p.put + u8::from(usize::from(p.put) < self.all());
        MorrisMen { own: p.other & !taken, other: m.step.moved(p.own), put }
    }

    fn endgames(&self) -> bool {
        self.stage.is_some()
    }
}

impl Tiers for Morris {
    type Index = MorrisNumbers;

    #[inline]
    fn tier(&self, p: MorrisMen) -> Tier {
        self.tier_of(p.put.into(), p.own.count_ones() as usize, p.other.count_ones() as usize)
    }

    fn name(&self, t: Tier) -> String {
        let (put, a, b) = counts(t);
        match self.flow(t) {
            Flow::Loops => format!("{a} and {b} men, all put"),
            _ => format!("{a} own, {b} other men, {put} of {} put", self.all()),
        }
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        let (put, a, b) = counts(t);
        let mut below = vec![];
        if a + self.hands(put)[0] < FEW {
            return below;
        }
        if put == self.all() {
            // Either side may be the one to move.
            below.extend([self.tier_of(put, b - 1, a), self.tier_of(put, a - 1, b)]);
        } else {
            below.push(self.tier_of(put + 1, b, a + 1));
            if a + 1 >= FEW && b > 0 {
                below.push(self.tier_of(put + 1, b - 1, a + 1));
            }
        }
        below.dedup();
        below
    }

    fn flow(&self, t: Tier) -> Flow {
        let (put, a, _) = counts(t);
        if put == self.all() && a >= FEW { Flow::Loops } else { Flow::Leaves }
    }

    fn size(&self, t: Tier) -> u64 {
        let (_, a, b) = counts(t);
        Halves::size_of(self.group(counts(t)), a, b, self.flow(t) == Flow::Loops)
    }

    fn index(&self, t: Tier) -> MorrisNumbers {
        let (put, a, b) = counts(t);
        let men = Halves::new(self.group(counts(t)), a, b, self.flow(t) == Flow::Loops);
        MorrisNumbers { men, put: put as u8 }
    }

    #[inline]
    fn rank(&self, index: &MorrisNumbers, p: MorrisMen) -> u64 {
        index.men.rank(p.own, p.other)
    }

    #[inline]
    fn unrank(&self, index: &MorrisNumbers, i: u64) -> Option<MorrisMen> {
        index.men.unrank(i).map(|(own, other)| MorrisMen { own, other, put: index.put })
    }

    fn index_bytes(&self) -> u64 {
        // Neither player ever has more men than are put, nor flies with more than a few.
        let sizes = |symmetries: &Symmetries, most: usize| {
            (0..=most).fold(0, |sum: u64, men| sum.saturating_add(symmetries.bytes_of(men)))
        };
        sizes(&self.symmetries, self.men).saturating_add(sizes(&self.flying, FEW.min(self.men)))
    }

    fn canonical(&self, p: MorrisMen) -> MorrisMen {
        let (own, other) = self.group_of(p).least(p.own, p.other);
        MorrisMen { own, other, ..p }
    }

    fn alike(&self, p: MorrisMen) -> u64 {
        self.group_of(p).images(p.own, p.other)
    }

    fn copies(&self, _: &MorrisNumbers, p: MorrisMen) -> u64 {
        self.alike(p)
    }

    #[inline]
    fn scan(&self, index: &MorrisNumbers, range: Range<u64>, mut visit: impl FnMut(u64, MorrisMen)) {
        index.men.scan(range, |i, own, other| visit(i, MorrisMen { own, other, put: index.put }));
    }
}

impl Unmove for Morris {
    fn unmoves(&self, p: MorrisMen, mut visit: impl FnMut(MorrisMen)) {
        if self.flow(self.tier(p)) != Flow::Loops {
            return;
        }
        let empty = self.points.full() & !(p.own | p.other);
        let flies = self.flies(p.other);
        // A man that came to stand in a mill took another, and so came from another tier.
        for to in members(p.other & !self.milled(p.other)) {
            for from in members(self.reach(flies, to, empty)) {
                visit(MorrisMen { own: p.other & !(1 << to) | 1 << from, other: p.own, ..p });
            }
        }
    }
}
