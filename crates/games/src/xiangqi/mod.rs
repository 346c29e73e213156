//! Chinese chess (xiangqi) endgames, under the simplified rules: no rule against repetition, and a player who cannot
//! move has lost.
//!
//! There is no start to solve from: every legal position with the men of the variant counts, whether a game can lead
//! to it or not. A tier is the men of both sides with the rows of their pawns (`material`), and its numbers are the
//! squares of the men (`numbers`). The rules proper are in `scene`, over the tables in `squares`; text and picture
//! are in `fen`.

mod device;
mod fen;
mod kings;
mod material;
mod men;
mod numbers;
mod scene;
mod squares;
#[cfg(test)]
mod tests;

use std::ops::Range;

use zermelo_core::prelude::*;

use material::Material;
use men::{Army, Counts, Kind};
use scene::{Scene, Targets, moved, row};
use squares::{squares, turned};

use numbers::XiangqiNumbers;

/// Endgames of Chinese chess, with the men that may be on the board.
pub struct Xiangqi {
    material: Material,
    start: XiangqiMen,
}

/// The men of the side to move and of the other, each as its side numbers the board from its own end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct XiangqiMen {
    own: Army,
    other: Army,
}

/// A move of a man from a square to another, both as the side to move numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManMove {
    from: u8,
    to: u8,
}

impl XiangqiMen {
    fn scene(&self) -> Scene {
        Scene::new(&self.own, &self.other)
    }

    fn mirrored(&self) -> XiangqiMen {
        XiangqiMen { own: self.own.mirrored(), other: self.other.mirrored() }
    }

    /// The position after a man of the side to move goes to a square.
    fn after(&self, man: usize, to: u8) -> XiangqiMen {
        let (own, other) = moved(&self.own, &self.other, man, to);
        XiangqiMen { own: other, other: own }
    }
}

impl Game for Xiangqi {
    type Position = XiangqiMen;
    type Move = ManMove;

    const LAST_WINS: bool = true;
    // Stalemate wins as well as mate, so to find a winning move the replies to all moves must be tried.
    const FORESEES: bool = false;

    fn start(&self) -> XiangqiMen {
        self.start
    }

    #[inline]
    fn outcome(&self, p: XiangqiMen) -> Option<Outcome> {
        (!p.scene().can_move(0)).then_some(Outcome::Lose)
    }

    #[inline]
    fn moves(&self, p: XiangqiMen, mut visit: impl FnMut(ManMove)) {
        let scene = p.scene();
        let alarm = scene.alarm(0);
        for man in 0..scene.men[0] {
            let Targets { quiet, captures } = scene.targets(0, man);
            for to in squares(scene.legal(0, man, &alarm, quiet | captures)) {
                visit(ManMove { from: scene.at[0][man], to });
            }
        }
    }

    #[inline]
    fn play(&self, p: XiangqiMen, m: ManMove) -> XiangqiMen {
        let man = p.own.men().iter().position(|s| *s == m.from).unwrap_or(0);
        p.after(man, m.to)
    }

    fn endgames(&self) -> bool {
        true
    }
}

impl Unmove for Xiangqi {
    fn unmoves(&self, p: XiangqiMen, mut visit: impl FnMut(XiangqiMen)) {
        let scene = p.scene();
        for man in 0..scene.men[1] {
            for from in squares(scene.origins(1, man)) {
                let mut at = p.other.at;
                at[man] = turned(from);
                let before = XiangqiMen { own: Army::sorted(p.other.counts, at), other: p.own };
                if !before.scene().in_check(1) {
                    visit(before);
                }
            }
        }
    }

    fn outlook(&self, _: Tier, index: &XiangqiNumbers, range: Range<u64>, sight: &mut impl Sight<Self>) {
        index.scan(range, |i, side, scene| {
            let alarm = scene.alarm(side);
            let (mut inside, mut leaving, mut here) = (0, false, None);
            for man in 0..scene.men[side] {
                let Targets { mut quiet, captures: mut leaves } = scene.targets(side, man);
                if scene.kinds[side][man] == Kind::Pawn {
                    // A step forward leaves the tier.
                    let aside = quiet & row(scene.at[side][man].into());
                    (quiet, leaves) = (aside, leaves | quiet & !aside);
                }
                inside += scene.legal(side, man, &alarm, quiet).count_ones() as usize;
                if leaves == 0 {
                    continue;
                }
                for to in squares(scene.legal(side, man, &alarm, leaves)) {
                    leaving = true;
                    let here = here.get_or_insert_with(|| index.men(scene, side));
                    sight.leaves(here.after(place_of(here, scene.at[side][man], side), seen_by(side, to)));
                }
            }
            let over = (inside == 0 && !leaving).then_some(Outcome::Lose);
            sight.seen(i, over, inside);
        });
    }

    #[inline]
    fn sources(&self, index: &XiangqiNumbers, i: u64, visit: impl FnMut(u64)) {
        index.sources(i, visit);
    }
}

/// A square of the board as a side numbers it.
#[inline]
fn seen_by(side: usize, square: u8) -> u8 {
    if side == 0 { square } else { turned(square) }
}

/// The place among the men to move of the man on a square of the board.
#[inline]
fn place_of(p: &XiangqiMen, square: u8, side: usize) -> usize {
    let square = seen_by(side, square);
    p.own.men().iter().position(|s| *s == square).unwrap_or(0)
}

impl Xiangqi {
    /// A position with the men given that is not over, for front ends to begin at.
    fn example(sides: [Counts; 2]) -> Option<XiangqiMen> {
        let roots = Material::Sides(sides).roots();
        let tier = *roots.get(roots.len() / 2)?;
        let index = XiangqiNumbers::new(tier);
        // Red, who begins, has the men that were named first.
        let good = |p: &XiangqiMen| p.own.counts == sides[0] && p.scene().can_move(0);
        let middle = index.size() / 3;
        (middle..index.size()).chain(0..middle).filter_map(|i| index.unrank(i)).find(good)
    }
}
