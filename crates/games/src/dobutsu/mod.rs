//! Dobutsu shogi: the shogi of four animals on 3x4 cells. Lions, giraffes, elephants and chicks step to a
//! neighbouring cell. A man that is taken goes into the hand and may be dropped again. Taking the lion wins, and so
//! does a lion that reaches the far row where it cannot be taken.
//!
//! A lion that can be taken is taken: there is no other move then. So a game lasts as long as in print, and the same
//! positions are reached (Tanaka counts those in which a lion can be taken and plays no further). The player who
//! makes the last move wins: by taking, or by a try, which is over at once if the lion cannot be taken.
//!
//! A player who cannot move has lost. There are two such boards, up to the mirror, and no move leads to either.
//!
//! Nearly all positions are one tier, in which men come and go for ever. The other tier has one position: a lion was
//! taken, and how the board looked then is forgotten.

mod face;
mod men;
mod numbers;

#[cfg(test)]
mod tests;

use zermelo_core::diagram::Diagram;
use zermelo_core::{Game, Outcome};

use men::{
    CHICK, DobutsuMen, ELEPHANT, Field, GIRAFFE, HEN, LION, OTHER, WORTH, at, each, held, lions, occupied,
    one, own,
};

/// Dobutsu shogi, with its steps and numbers worked out.
pub struct Dobutsu {
    rows: u32,
    field: Field,
    /// The worth in a hand, all together, of the men that come in pairs.
    pairs: u8,
    start: DobutsuMen,
    /// The numbering of the men but the lions, on the cells but the lions', and of the mover's hand.
    others: Diagram,
    /// The cells of both lions, one of each two mirror images.
    lions: Vec<[u8; 2]>,
    /// By the cells of two lions: their place in the list `lions`.
    places: [[u8; 16]; 16],
}

/// The position at the end: the lion of the player to move was taken. The other lion stands alone.
const TAKEN: DobutsuMen = DobutsuMen { board: (LION + OTHER) << 4, hands: [0, 0] };

/// A step, or a drop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The cell that a man leaves; for a drop [`DROP`] and the man.
    from: u8,
    to: u8,
}

/// Added to the man that is dropped.
const DROP: u8 = 16;

/// The men that a hand may hold.
const DROPPED: [u64; 3] = [CHICK, ELEPHANT, GIRAFFE];

impl Game for Dobutsu {
    type Position = DobutsuMen;
    type Move = Move;

    const SIDES: bool = false;
    const LAST_WINS: bool = true;

    fn start(&self) -> DobutsuMen {
        self.start
    }

    #[inline]
    fn outcome(&self, p: DobutsuMen) -> Option<Outcome> {
        let [own, other] = lions(p.board);
        let tried = other & self.field.home != 0 && self.field.attackers(p.board, other) == 0;
        (own == 0 || tried || self.is_stuck(p)).then_some(Outcome::Lose)
    }

    #[inline]
    fn moves(&self, p: DobutsuMen, mut visit: impl FnMut(Move)) {
        let [_, lion] = lions(p.board);
        let takers = self.field.attackers(p.board, lion);
        if takers != 0 {
            let to = (lion.trailing_zeros() / 4) as u8;
            return each(takers).for_each(|from| visit(Move { from: from as u8, to }));
        }
        let own = own(p.board);
        for from in each(own) {
            let reach = self.field.reach(at(p.board, from), from) & !own;
            each(reach).for_each(|to| visit(Move { from: from as u8, to: to as u8 }));
        }
        for man in DROPPED.into_iter().filter(|man| held(p.hands[0], *man) > 0) {
            let empty = self.field.all & !occupied(p.board);
            each(empty).for_each(|to| visit(Move { from: DROP + man as u8, to: to as u8 }));
        }
    }

    #[inline]
    fn mobility(&self, p: DobutsuMen) -> u64 {
        let takers = self.field.attackers(p.board, lions(p.board)[1]).count_ones();
        u64::from(if takers > 0 { takers } else { self.quiet_moves(p) })
    }

    #[inline]
    fn play(&self, p: DobutsuMen, m: Move) -> DobutsuMen {
        let (from, to) = (u32::from(m.from), u32::from(m.to));
        let (mut board, mut hand, man) = (p.board, p.hands[0], u64::from(m.from.wrapping_sub(DROP)));
        let victim = at(board, to);
        if victim == LION + OTHER {
            return TAKEN;
        }
        if m.from >= DROP {
            hand -= WORTH[(man & 15) as usize];
            board |= man << (4 * to);
        } else {
            let man = at(board, from);
            let grown = if man == CHICK && self.field.far & one(to) != 0 { HEN } else { man };
            hand += WORTH[victim as usize];
            board = board & !(15 * (one(from) | one(to))) | grown << (4 * to);
        }
        DobutsuMen { board: self.field.turned(board), hands: [p.hands[1], hand] }
    }
}

impl Dobutsu {
    /// Whether a position has no move at all: on four rows or more, all seven men around a lion at the edge.
    #[inline]
    fn is_stuck(&self, p: DobutsuMen) -> bool {
        let own = own(p.board);
        p.hands[0] == 0 && each(own).all(|cell| self.field.reach(at(p.board, cell), cell) & !own == 0)
    }

    /// The number of moves where no lion can be taken.
    #[inline]
    fn quiet_moves(&self, p: DobutsuMen) -> u32 {
        let own = own(p.board);
        let steps = |from| (self.field.reach(at(p.board, from), from) & !own).count_ones();
        let moves: u32 = each(own).map(steps).sum();
        let kinds = DROPPED.into_iter().filter(|man| held(p.hands[0], *man) > 0).count() as u32;
        moves + kinds * (self.field.cells - occupied(p.board).count_ones())
    }

    /// The position as the other player sees it.
    #[inline]
    fn turned(&self, p: DobutsuMen) -> DobutsuMen {
        DobutsuMen { board: self.field.turned(p.board), hands: [p.hands[1], p.hands[0]] }
    }
}
