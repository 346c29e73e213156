//! Tiers of Chinese chess: which men each side has, and on which rows its pawns stand.
//!
//! Men that are taken never come back, and pawns never step back, so both only fall. The two sides of a tier have no
//! order: a position and its colour-swapped image are one.

use zermelo_core::Tier;

use super::men::{Army, Counts, Kind, homes};
use super::scene::row;

/// The number of rows that pawns can stand on, counted from the first such row.
const ROWS: usize = 7;
/// The lowest row of pawns, as their side numbers the board.
const FIRST_ROW: usize = 3;

/// One side of a tier: its men, and the number of pawns on each row, three bits a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Camp {
    key: u32,
}

/// Kinds that are not pawns or kings, the strongest first, with two bits each above the rows.
const KEYED: [(Kind, u32); 5] =
    [(Kind::Rook, 29), (Kind::Cannon, 27), (Kind::Knight, 25), (Kind::Bishop, 23), (Kind::Advisor, 21)];

impl Camp {
    #[inline]
    pub(super) fn of(army: &Army) -> Camp {
        let men = KEYED.iter().fold(0, |key, (kind, at)| key | (army.counts.get(*kind) as u32) << at);
        Camp { key: army.pawns().iter().fold(men, |key, s| key + (1 << Camp::shift(usize::from(*s) / 9))) }
    }

    /// The side with these men beside its king, each with the row that a pawn stands on.
    pub(super) fn of_men(men: impl Iterator<Item = (Kind, usize)>) -> Camp {
        let one = |(kind, row): (Kind, usize)| match KEYED.iter().find(|(keyed, _)| *keyed == kind) {
            Some((_, at)) => 1 << at,
            None if kind == Kind::Pawn => 1 << Camp::shift(row),
            None => 0,
        };
        Camp { key: men.map(one).sum() }
    }

    /// The place in the key of the count of a row.
    #[inline]
    fn shift(row: usize) -> u32 {
        3 * row.saturating_sub(FIRST_ROW) as u32
    }

    /// The number of pawns on a row.
    pub(super) fn on_row(self, row: usize) -> usize {
        (self.key >> Camp::shift(row) & 7) as usize
    }

    /// The rows with pawns, the lowest first.
    pub(super) fn rows() -> std::ops::Range<usize> {
        FIRST_ROW..FIRST_ROW + ROWS
    }

    pub(super) fn counts(self) -> Counts {
        let mut counts = Counts::default().with(Kind::King);
        for (kind, at) in KEYED {
            (0..self.key >> at & 3).for_each(|_| counts = counts.with(kind));
        }
        let pawns: usize = Camp::rows().map(|row| self.on_row(row)).sum();
        (0..pawns).fold(counts, |counts, _| counts.with(Kind::Pawn))
    }

    fn change(self, at: u32, by: i32) -> Camp {
        Camp { key: self.key.wrapping_add_signed(by << at) }
    }

    /// The camps that are left when one man is taken. With `at_row`, only men count who can stand on this row of
    /// their side's board, and pawns on it.
    fn losses(self, at_row: Option<usize>) -> Vec<Camp> {
        let stands = |kind: Kind| at_row.is_none_or(|r| homes(kind) & row(r * 9) != 0);
        let men = KEYED.iter().filter(|(kind, at)| self.key >> at & 3 != 0 && stands(*kind));
        let pawns = Camp::rows().filter(|r| self.on_row(*r) > 0 && at_row.is_none_or(|at| at == *r));
        men.map(|(_, at)| self.change(*at, -1))
            .chain(pawns.map(|r| self.change(Camp::shift(r), -1)))
            .collect()
    }

    /// The side after a pawn on a row steps forward.
    fn advanced(self, row: usize) -> Option<Camp> {
        let steps = self.on_row(row) > 0 && row + 1 < FIRST_ROW + ROWS;
        steps.then(|| self.change(Camp::shift(row), -1).change(Camp::shift(row + 1), 1))
    }

    /// All ways to spread the pawns of a side over the rows.
    fn spread(counts: Counts) -> Vec<Camp> {
        let men = KEYED.iter().fold(0, |key, (kind, at)| key | (counts.get(*kind) as u32) << at);
        let mut all = vec![Camp { key: men }];
        for _ in 0..counts.get(Kind::Pawn) {
            let more = all.iter().flat_map(|c| Camp::rows().map(|row| c.change(Camp::shift(row), 1)));
            all = more.collect();
            all.sort();
            all.dedup();
        }
        all
    }
}

/// The tier of two sides.
#[inline]
pub(super) fn tier_of(one: Camp, two: Camp) -> Tier {
    Tier(u64::from(one.key.max(two.key)) << 31 | u64::from(one.key.min(two.key)))
}

/// The two sides of a tier, the stronger first.
pub(super) fn camps(tier: Tier) -> [Camp; 2] {
    [Camp { key: (tier.0 >> 31) as u32 }, Camp { key: (tier.0 & ((1 << 31) - 1)) as u32 }]
}

/// The name of a tier: the men of both sides, the stronger in capitals, and the ranks of pawns as their own side counts
/// them from 0, such as `KRPPkn, P on ranks 3 6`.
pub(super) fn name(tier: Tier) -> String {
    let [strong, weak] = camps(tier);
    let men = |camp: Camp| camp.counts().kinds().map(Kind::letter).collect::<String>();
    let pawns = |camp: Camp, letter: char| {
        let ranks = Camp::rows().flat_map(|row| std::iter::repeat_n(format!(" {row}"), camp.on_row(row)));
        let ranks = ranks.collect::<Vec<_>>();
        let word = if ranks.len() == 1 { "rank" } else { "ranks" };
        if ranks.is_empty() { String::new() } else { format!(", {letter} on {word}{}", ranks.concat()) }
    };
    format!("{}{}{}{}", men(strong), men(weak).to_ascii_lowercase(), pawns(strong, 'P'), pawns(weak, 'p'))
}

/// The tiers that captures and steps of pawns lead into.
pub(super) fn children(tier: Tier) -> Vec<Tier> {
    let mut below = vec![];
    let [strong, weak] = camps(tier);
    for (mover, other) in [(strong, weak), (weak, strong)] {
        below.extend(other.losses(None).into_iter().map(|left| tier_of(mover, left)));
        for row in Camp::rows() {
            let Some(ahead) = mover.advanced(row) else { continue };
            below.push(tier_of(ahead, other));
            // The row that the pawn steps to, as the other side counts them.
            below.extend(other.losses(Some(8 - row)).into_iter().map(|left| tier_of(ahead, left)));
        }
    }
    Tier::each_once(below)
}

/// The men that the variant allows on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Material {
    /// At most this many men in all.
    Pieces(usize),
    /// The men of each side at the start, and what is left when some are taken.
    Sides([Counts; 2]),
}

impl Material {
    /// Whether two sides may stand against each other.
    pub(super) fn allows(&self, one: Counts, two: Counts) -> bool {
        match self {
            Material::Pieces(most) => one.men() + two.men() <= *most,
            Material::Sides([a, b]) => one.within(*a) && two.within(*b) || one.within(*b) && two.within(*a),
        }
    }

    /// The most men on the board.
    pub(super) fn men(&self) -> usize {
        match self {
            Material::Pieces(most) => *most,
            Material::Sides([a, b]) => a.men() + b.men(),
        }
    }

    /// Every tier that no other leads to, and perhaps more.
    pub(super) fn roots(&self) -> Vec<Tier> {
        let pairs: Vec<(Counts, Counts)> = match self {
            Material::Sides([a, b]) => vec![(*a, *b)],
            Material::Pieces(most) => {
                let all = every_side(most - 1);
                let fits = |a: &Counts, b: &Counts| a >= b && a.men() + b.men() <= *most;
                all.iter().flat_map(|a| all.iter().filter(|b| fits(a, b)).map(|b| (*a, *b))).collect()
            }
        };
        let tiers = pairs.into_iter().flat_map(|(a, b)| {
            let twos = Camp::spread(b);
            Camp::spread(a)
                .into_iter()
                .flat_map(move |one| twos.iter().map(|two| tier_of(one, *two)).collect::<Vec<_>>())
        });
        Tier::each_once(tiers)
    }
}

/// Every set of at most `most` men that one side may have.
fn every_side(most: usize) -> Vec<Counts> {
    let mut all = vec![Counts::default().with(Kind::King)];
    for kind in &Kind::ALL[1..] {
        let more = |c: &Counts| {
            let (c, room) = (*c, most - c.men());
            (1..=kind.most().min(room)).map(move |n| (0..n).fold(c, |c, _| c.with(*kind)))
        };
        let new: Vec<_> = all.iter().flat_map(more).collect();
        all.extend(new);
    }
    all
}
