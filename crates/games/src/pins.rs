//! Games of striking pins out of a row, such as `kayles` and `dawson`. The rules differ only in which pins fall
//! together. A player who cannot strike any pin has lost.
//!
//! A tier is the number of pins that stand; a row and its mirror image share a number.

use std::marker::PhantomData;
use std::sync::Arc;

use zermelo_core::prelude::*;

/// The rule by which one game of striking pins differs from the others: which pins fall together.
pub trait Rule: Send + Sync + 'static {
    /// The card of the game, with an option `pins`.
    const CARD: Card;
    /// The pins that fall together.
    fn strike(options: &Options) -> Strike;
    /// The published nimber of a row of `pins` pins.
    fn row(strike: Strike, pins: u32) -> u32;
}

/// The pins that fall together when a player of a game such as Kayles strikes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strike {
    /// Any one pin, or any two neighbours.
    OneOrTwo,
    /// Any two neighbours.
    Two,
    /// Any one pin and its neighbours, as many as stand.
    Around,
}

/// A game of a row of pins, out of which players strike one or a few in turn, as in Kayles.
pub struct Pins<R> {
    pins: usize,
    strike: Strike,
    symmetries: Arc<Symmetries>,
    rule: PhantomData<fn() -> R>,
}

impl Strike {
    /// The places where one pin, two or three may be struck, each as the first pin of the strike.
    #[inline]
    fn starts(self, standing: u64) -> [u64; 3] {
        let s = standing;
        let pairs = s & s >> 1;
        match self {
            Strike::OneOrTwo => [s, pairs, 0],
            Strike::Two => [0, pairs, 0],
            // A pin alone; a pin at the end of a run and the next one; a pin between two.
            Strike::Around => [s & !(s << 1 | s >> 1), pairs & !(s << 1 & s >> 2), pairs & s >> 2],
        }
    }

    /// The least and the most strikes that make a gap of `gap` pins which touches `ends` ends of the row; `None`
    /// where no strikes do.
    fn strikes(self, gap: u32, ends: u32) -> Option<(u32, u32)> {
        match (self, ends) {
            (Strike::OneOrTwo, _) => Some((gap.div_ceil(2), gap)),
            (Strike::Two, _) => gap.is_multiple_of(2).then_some((gap / 2, gap / 2)),
            // **Claim.** At least `gap / 3` strikes, rounded up, and at most `(gap + ends - 1) / 2`. **Proof.** Three
            // pins fall at the most. A gap inside the row begins with three, one at an end with two. Later strikes
            // take two at least, except for a pin that is left alone when the whole row goes.
            (Strike::Around, ends) => {
                let (least, most) = (gap.div_ceil(3), (gap + ends - 1) / 2);
                (least <= most).then_some((least, most))
            }
        }
    }
}

/// Calls `visit` with the length of every run of pins in a set, and the number of ends of the row that the run
/// touches.
fn runs(pins: usize, set: u64, mut visit: impl FnMut(u32, u32)) {
    let mut rest = set;
    while rest != 0 {
        let first = rest.trailing_zeros();
        let length = (rest >> first).trailing_ones();
        let after = first + length;
        visit(length, u32::from(first == 0) + u32::from(after == pins as u32));
        rest &= !(all_cells(length as usize) << first);
    }
}

impl<R: Rule> Game for Pins<R> {
    type Position = u64; // the pins that stand
    type Move = u64; // those that fall

    // Both players have the same moves, so it does not matter who is to make them.
    const SIDES: bool = false;
    const LAST_WINS: bool = true;

    fn start(&self) -> u64 {
        all_cells(self.pins)
    }

    #[inline]
    fn outcome(&self, p: u64) -> Option<Outcome> {
        (self.strike.starts(p) == [0; 3]).then_some(Outcome::Lose)
    }

    #[inline]
    fn moves(&self, p: u64, mut visit: impl FnMut(u64)) {
        for (n, starts) in self.strike.starts(p).into_iter().enumerate() {
            members(starts).for_each(|first| visit(all_cells(n + 1) << first));
        }
    }

    #[inline]
    fn play(&self, p: u64, m: u64) -> u64 {
        p & !m
    }
}

impl<R: Rule> Impartial for Pins<R> {
    // Rows do not touch each other, so their nimbers add without carrying.
    fn grundy(&self, p: u64) -> Option<u32> {
        let mut sum = 0;
        runs(self.pins, p, |length, _| sum ^= R::row(self.strike, length));
        Some(sum)
    }
}

impl<R: Rule> Folded for Pins<R> {
    fn symmetries(&self) -> &Arc<Symmetries> {
        &self.symmetries
    }

    fn men_of(&self, t: Tier) -> (usize, usize) {
        (t.0 as usize, 0)
    }

    fn name_of(&self, t: Tier) -> String {
        format!("{} of {} pins stand", t.0, self.pins)
    }

    fn leads_to(&self, t: Tier) -> Vec<Tier> {
        let fall: &[u64] = match self.strike {
            Strike::OneOrTwo => &[1, 2],
            Strike::Two => &[2],
            Strike::Around => &[1, 2, 3],
        };
        fall.iter().filter_map(|n| t.0.checked_sub(*n).map(Tier)).collect()
    }
}

impl<R: Rule> Face for Pins<R> {
    const CARD: Card = R::CARD;

    fn new(options: &Options) -> Result<Self, Complaint> {
        let pins = options.get("pins");
        let symmetries = Arc::new(Symmetries::reversal(pins));
        Ok(Pins { pins, strike: R::strike(options), symmetries, rule: PhantomData })
    }

    fn read(&self, text: &str) -> Result<(Turn, u64), Complaint> {
        let (turn, p) = read_set(self, text, self.pins)?;
        let (mut sum, mut good) = ((0, 0), true);
        runs(self.pins, !p & self.start(), |gap, ends| match self.strike.strikes(gap, ends) {
            Some((least, most)) => sum = (sum.0 + least, sum.1 + most),
            None => good = false,
        });
        if !good {
            return Err(Complaint::position(text, "no strikes leave such a gap"));
        }
        // The first player strikes after an even number of strikes.
        if sum.0 == sum.1 && sum.0 % 2 != u32::from(turn == Turn::Second) {
            let why = format!("after {} strikes it is {}'s", sum.0, turn.other().digit());
            return Err(Complaint::position(text, why));
        }
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, _: u64, m: u64) -> String {
        let (first, last) = (m.trailing_zeros() + 1, m.ilog2() + 1);
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    }

    fn board(&self) -> Board {
        Board::tiles(self.pins, (1..=self.pins).map(|pin| pin.to_string()).collect())
    }

    fn pieces(&self, _: Turn, p: u64) -> String {
        show_set(p, self.pins)
    }

    fn draw(&self, _: Turn, _: u64, m: u64) -> Drawing {
        match (m.trailing_zeros() as usize, m.ilog2() as usize) {
            (first, last) if first == last => Drawing::Cell(first),
            (first, last) => Drawing::Arrow(first, last),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::HashSet;

    use super::*;
    use zermelo_core::laws;

    pub(crate) fn game<R: Rule>(options: &str) -> Pins<R> {
        Pins::new(&Options::read(&R::CARD, options).expect("options")).expect("a game")
    }

    /// Checks the game with `laws::check`, and reads what can be reached by the player to move and nothing else.
    pub(crate) fn is_sound<R: Rule>(options: &str) {
        let game = game::<R>(options);
        laws::check(&game, 10_000).expect("no law is broken");
        laws::check_face(&game, 10_000).expect("no law is broken");
        let start = (Turn::First, game.start());
        let (mut seen, mut todo) = (HashSet::from([start]), vec![start]);
        while let Some((turn, p)) = todo.pop() {
            let next = laws::list_moves(&game, p).into_iter().map(|(_, child)| (turn.other(), child));
            todo.extend(next.filter(|next| seen.insert(*next)));
        }
        for (turn, p) in (0..=game.start()).flat_map(|p| [(Turn::First, p), (Turn::Second, p)]) {
            let text = game.show(turn, p);
            assert_eq!(game.read(&text).is_ok(), seen.contains(&(turn, p)), "{options}: {text}");
        }
        assert!(game.read("2_").is_err());
    }

    /// The nimbers of single rows of 0 to `most` pins, straight from the rules.
    pub(crate) fn by_the_rules(strike: Strike, most: usize) -> Vec<u32> {
        let mut rows: Vec<u32> = vec![];
        for n in 0..=most {
            let mut after: HashSet<u32> = HashSet::new();
            for (fall, first) in (1..=3usize).flat_map(|fall| (0..n).map(move |first| (fall, first))) {
                let Some(right) = n.checked_sub(first + fall) else { continue };
                let (left, right) = (first.min(right), first.max(right));
                let allowed = match (strike, fall) {
                    (Strike::OneOrTwo, _) => fall < 3,
                    (Strike::Two, _) => fall == 2,
                    (Strike::Around, 1) => right == 0,
                    (Strike::Around, 2) => left == 0,
                    (Strike::Around, _) => true,
                };
                if allowed {
                    after.insert(rows[left] ^ rows[right]);
                }
            }
            rows.extend((0..).find(|nimber| !after.contains(nimber)));
        }
        rows
    }
}
