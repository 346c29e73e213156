//! Puts two sides on one board and finds what attacks what, and which moves are legal.

use super::men::{Army, Kind, MEN};
use super::squares::{
    ADVISOR, ALL, BETWEEN, BISHOP, KING, KNIGHT, KNIGHT_FROM, LEG, NOWHERE, PAWN, PAWN_FROM, Path, RAYS, Set,
    bit, squares, turned,
};

/// The men of both sides on one board, seen from the bottom: side 0 is at the bottom.
#[derive(Clone, Copy)]
pub(super) struct Scene {
    pub(super) kinds: [[Kind; MEN]; 2],
    pub(super) at: [[u8; MEN]; 2],
    pub(super) men: [usize; 2],
    /// The squares that are taken, by side.
    pub(super) sets: [Set; 2],
}

/// The dangers to a side's king.
#[derive(Clone, Copy)]
pub(super) struct Alarm {
    check: bool,
    /// The squares that matter. To fill or to empty any other square cannot expose the king.
    zone: Set,
}

/// The squares that a man can go to.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    pub(super) quiet: Set,
    pub(super) captures: Set,
}

impl Scene {
    /// Puts both sides on one board, each given as it numbers the board itself.
    #[inline]
    pub(super) fn new(bottom: &Army, top: &Army) -> Scene {
        let mut scene =
            Scene { kinds: [[Kind::King; MEN]; 2], at: [[NOWHERE; MEN]; 2], men: [0; 2], sets: [0; 2] };
        for (side, army) in [bottom, top].into_iter().enumerate() {
            for (man, (kind, square)) in army.iter().enumerate() {
                scene.kinds[side][man] = kind;
                scene.place(side, man, square);
            }
            scene.men[side] = army.counts.men();
        }
        scene
    }

    /// Puts a man on a square of its own side's board.
    #[inline]
    fn place(&mut self, side: usize, man: usize, square: u8) {
        let square = if side == 0 { square } else { turned(square) };
        self.at[side][man] = square;
        self.sets[side] |= bit(square);
    }

    #[inline]
    pub(super) fn all(&self) -> Set {
        self.sets[0] | self.sets[1]
    }

    #[inline]
    pub(super) fn king(&self, side: usize) -> u8 {
        self.at[side][0]
    }

    /// Whether men of the other side attack `king`, when `all` squares are taken and the man on
    /// `gone` is not there any more. Kings attack along open files.
    #[inline]
    fn attacked(&self, side: usize, king: u8, all: Set, gone: u8) -> bool {
        let other = 1 - side;
        let (between, leg) = (&BETWEEN[king as usize], &LEG[king as usize]);
        let men = self.men[other];
        self.kinds[other][..men].iter().zip(&self.at[other][..men]).any(|(kind, at)| {
            let s = *at as usize;
            let reaches = match kind {
                Kind::Rook | Kind::King => between[s] & all == 0,
                Kind::Cannon => is_one(between[s] & all),
                Kind::Knight => leg[s] & all == 0,
                Kind::Pawn => PAWN_FROM[other][king as usize] & bit(*at) != 0,
                Kind::Advisor | Kind::Bishop => false,
            };
            reaches && *at != gone
        })
    }

    /// Whether a side's king can be taken.
    #[inline]
    pub(super) fn in_check(&self, side: usize) -> bool {
        self.attacked(side, self.king(side), self.all(), NOWHERE)
    }

    /// Whether the kings see each other.
    pub(super) fn kings_face(&self) -> bool {
        BETWEEN[self.king(0) as usize][self.king(1) as usize] & self.all() == 0
    }

    #[inline]
    pub(super) fn alarm(&self, side: usize) -> Alarm {
        let (other, king, all) = (1 - side, self.king(side), self.all());
        let (between, leg) = (&BETWEEN[king as usize], &LEG[king as usize]);
        let mut alarm = Alarm { check: false, zone: 0 };
        let men = self.men[other];
        for (kind, at) in self.kinds[other][..men].iter().zip(&self.at[other][..men]) {
            let s = *at as usize;
            let (path, reaches) = match kind {
                Kind::Rook | Kind::King => (between[s], between[s] & all == 0),
                Kind::Cannon => (between[s], is_one(between[s] & all)),
                Kind::Knight => (leg[s], leg[s] & all == 0),
                Kind::Pawn => {
                    alarm.check |= PAWN_FROM[other][king as usize] & bit(*at) != 0;
                    continue;
                }
                Kind::Advisor | Kind::Bishop => continue,
            };
            alarm.check |= reaches;
            // Where no line leads to the king, the path is all squares.
            alarm.zone |= if path == ALL { 0 } else { path };
        }
        alarm
    }

    /// The squares that a man can go to, whether the move exposes the king or not.
    #[inline]
    pub(super) fn targets(&self, side: usize, man: usize) -> Targets {
        let (at, all, theirs) = (self.at[side][man] as usize, self.all(), self.sets[1 - side]);
        let to = match self.kinds[side][man] {
            Kind::King => KING[side][at],
            Kind::Advisor => ADVISOR[side][at],
            Kind::Pawn => PAWN[side][at],
            Kind::Bishop => open_ways(&BISHOP[side][at], all),
            Kind::Knight => open_ways(&KNIGHT[at], all),
            Kind::Rook => {
                let (quiet, hit) = rays(at, all);
                return Targets { quiet, captures: hit & theirs };
            }
            Kind::Cannon => {
                let (quiet, hit) = rays(at, all);
                // With the screens taken away, the rays meet the men behind them.
                let (_, next) = rays(at, all & !hit);
                return Targets { quiet, captures: next & theirs };
            }
        };
        Targets { quiet: to & !all, captures: to & theirs }
    }

    /// The targets of a man that do not expose his king.
    #[inline]
    pub(super) fn legal(&self, side: usize, man: usize, alarm: &Alarm, targets: Set) -> Set {
        let (from, king) = (self.at[side][man], self.king(side));
        let rest = self.all() & !bit(from);
        if man == 0 {
            let safe = |to: &u8| !self.attacked(side, *to, rest | bit(*to), *to);
            return squares(targets).filter(safe).fold(0, |set, to| set | bit(to));
        }
        let doubtful =
            if alarm.check || alarm.zone & bit(from) != 0 { targets } else { targets & alarm.zone };
        let exposed = |to: &u8| self.attacked(side, king, rest | bit(*to), *to);
        squares(doubtful).filter(exposed).fold(targets, |set, to| set & !bit(to))
    }

    /// Whether a side can move at all.
    #[inline]
    pub(super) fn can_move(&self, side: usize) -> bool {
        let alarm = self.alarm(side);
        (0..self.men[side]).rev().any(|man| {
            let Targets { quiet, captures } = self.targets(side, man);
            self.legal(side, man, &alarm, quiet | captures) != 0
        })
    }

    /// The squares that a man may have come from by a move that takes no man and leaves the tier as it is.
    #[inline]
    pub(super) fn origins(&self, side: usize, man: usize) -> Set {
        let (at, all) = (self.at[side][man] as usize, self.all());
        let from = match self.kinds[side][man] {
            Kind::King => KING[side][at],
            Kind::Advisor => ADVISOR[side][at],
            // Forward steps come from another tier.
            Kind::Pawn => PAWN_FROM[side][at] & row(at),
            Kind::Bishop => open_ways(&BISHOP[side][at], all),
            Kind::Knight => open_ways(&KNIGHT_FROM[at], all),
            Kind::Rook | Kind::Cannon => rays(at, all).0,
        };
        from & !all
    }
}

/// Whether a set has exactly one square. Counting bits takes longer on old processors.
#[inline]
fn is_one(set: Set) -> bool {
    set != 0 && set & (set - 1) == 0
}

/// All squares of a square's row.
#[inline]
pub(super) fn row(square: usize) -> Set {
    0b1_1111_1111 << (square / 9 * 9)
}

#[inline]
fn open_ways(ways: &[Path; 4], all: Set) -> Set {
    let open = |way: &Path| if way.block & all == 0 { way.to } else { 0 };
    open(&ways[0]) | open(&ways[1]) | open(&ways[2]) | open(&ways[3])
}

/// Along the four lines from a square: the free squares, and the first men met.
#[inline]
fn rays(at: usize, all: Set) -> (Set, Set) {
    let [up, right, down, left] = RAYS[at];
    let (mut free, mut hit) = (0, 0);
    for ray in [up, right] {
        let met = ray & all;
        let first = met & met.wrapping_neg();
        // Below the first man: all of the ray when there is none.
        free |= ray & first.wrapping_sub(1);
        hit |= first;
    }
    for ray in [down, left] {
        let met = ray & all;
        if met == 0 {
            free |= ray;
        } else {
            let first = bit(127 - met.leading_zeros() as u8);
            free |= ray & !(first | (first - 1));
            hit |= first;
        }
    }
    (free, hit)
}

/// The armies of both sides of a scene after a man went to a square. A man who stood there is taken.
pub(super) fn moved(own: &Army, other: &Army, man: usize, to: u8) -> (Army, Army) {
    let mut mine = own.at;
    mine[man] = to;
    let mine = Army::sorted(own.counts, mine);
    let hit = turned(to);
    match other.men().iter().position(|s| *s == hit) {
        None => (mine, *other),
        Some(taken) => {
            let kind = other.counts.kinds().nth(taken).unwrap_or(Kind::King);
            let mut theirs = other.at;
            theirs[taken..].rotate_left(1);
            theirs[MEN - 1] = NOWHERE;
            (mine, Army { counts: other.counts.without(kind), at: theirs })
        }
    }
}
