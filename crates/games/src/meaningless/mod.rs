//! The meaningless game: tiers, moves and results all follow from a hash.
//!
//! The game is there to test coordinators, stores and clusters on. It has any number of tiers of any size, with values
//! that no rule of a real game makes regular, and the same values on every machine.
//!
//! Tier 0 is the start alone. Below it lie `depth` layers of `width` tiers each. Every tier leads into two or three
//! further down, mostly of the next layer. A position has up to `moves` slots, each a move. A slot stays inside the
//! tier by a rule that can be undone, or leaves the tier.

mod shape;
#[cfg(test)]
mod tests;

use std::ops::Range;

use zermelo_core::mix;
use zermelo_core::prelude::*;

use shape::{HashedPosition, Shape};

/// A game for tests, whose tiers, moves and results all follow from a hash.
pub struct Meaningless(Shape);

impl Game for Meaningless {
    type Position = HashedPosition;
    type Move = u8; // the slot

    fn start(&self) -> HashedPosition {
        HashedPosition { tier: 0, number: 0 }
    }

    #[inline]
    fn outcome(&self, p: HashedPosition) -> Option<Outcome> {
        let fate = self.0.fate(p);
        let over = p.tier != 0 && (fate >> 3 & 15 == 0 || !self.0.loops && self.0.last(p.tier));
        // Few ties: a player who can have one takes it, and with many ties there would be nothing else.
        over.then_some(match fate >> 8 & 7 {
            0 => Outcome::Tie,
            1..=3 => Outcome::Lose,
            _ => Outcome::Win,
        })
    }

    #[inline]
    fn moves(&self, p: HashedPosition, visit: impl FnMut(u8)) {
        (0..self.0.slots(p)).for_each(visit);
    }

    #[inline]
    fn play(&self, p: HashedPosition, m: u8) -> HashedPosition {
        self.0.inside(p, m).unwrap_or_else(|| self.0.outside(p, m))
    }
}

impl Tiers for Meaningless {
    type Index = u32; // the tier

    #[inline]
    fn tier(&self, p: HashedPosition) -> Tier {
        Tier(p.tier.into())
    }

    fn name(&self, t: Tier) -> String {
        let (layer, place) = self.0.place(t.0 as u32);
        if layer == 0 { "the start".into() } else { format!("layer {layer}, place {place}") }
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        if self.0.last(t.0 as u32) {
            return vec![];
        }
        Tier::each_once((0..3).map(|which| Tier(self.0.child(t.0 as u32, which).into())))
    }

    // The start's tier has this flow too, so that a look at that tier shows how the variant flows.
    fn flow(&self, _: Tier) -> Flow {
        if self.0.loops { Flow::Loops } else { Flow::Leaves }
    }

    fn size(&self, t: Tier) -> u64 {
        self.0.numbers(t.0 as u32)
    }

    fn index(&self, t: Tier) -> u32 {
        t.0 as u32
    }

    #[inline]
    fn rank(&self, _: &u32, p: HashedPosition) -> u64 {
        p.number.into()
    }

    #[inline]
    fn unrank(&self, tier: &u32, i: u64) -> Option<HashedPosition> {
        Some(HashedPosition { tier: *tier, number: i as u32 }).filter(|p| !self.0.hole(*p))
    }
}

// Both `outlook` and `sources` count every move apart, so that nothing need be sorted.
impl Unmove for Meaningless {
    fn unmoves(&self, p: HashedPosition, mut visit: impl FnMut(HashedPosition)) {
        for m in 0..self.0.moves {
            let from = self.0.shifted(p, m, true);
            let moves = || !self.0.hole(from) && self.outcome(from).is_none() && m < self.0.slots(from);
            if moves() && self.0.inside(from, m) == Some(p) {
                visit(from);
            }
        }
    }

    fn outlook(&self, tier: Tier, index: &u32, range: Range<u64>, sight: &mut impl Sight<Self>) {
        self.scan(index, range, |i, p| {
            let (over, mut inside) = (self.outcome(p), 0);
            if over.is_none() {
                self.moves(p, |m| match self.play(p, m) {
                    child if self.tier(child) == tier => inside += 1,
                    child => sight.leaves(child),
                });
            }
            sight.seen(i, over, inside);
        });
    }

    fn sources(&self, index: &u32, i: u64, mut visit: impl FnMut(u64)) {
        if let Some(p) = self.unrank(index, i) {
            self.unmoves(p, |q| visit(q.number.into()));
        }
    }
}

impl Packed for HashedPosition {
    fn pack(self) -> [u64; 2] {
        [self.tier.into(), self.number.into()]
    }

    fn unpack([tier, number]: [u64; 2]) -> HashedPosition {
        HashedPosition { tier: tier as u32, number: number as u32 }
    }
}

impl Face for Meaningless {
    const CARD: Card = Card {
        name: "meaningless",
        revision: 1,
        title: "The meaningless game",
        summary: "no game to play but one to test with: moves and results follow from a hash",
        rules: "Nobody would play this: it is there to test solvers, databases and clusters exactly, with as many tiers \
                of any size as one likes. A position is a number of a tier; where its moves lead, and who wins where \
                it is over, follows from a hash of it and of `seed`. The start is a tier of its own above `depth` layers of \
                `width` tiers. Tiers have from an eighth of `size` to `size` numbers, some of which no position has. With \
                loops=1 some moves stay in their tier, and play can go round in circles.",
        notation: "A position is the player to move, 1 or 2, then _, the tier, - and the number there, as in 2_3-17. A move \
                   is its place among the moves of the position, from 1 on; the picture has a cell for each.",
        options: &[
            Choice::number("depth", "layers of tiers below the start", (1, 1000), 8),
            Choice::number("width", "tiers in a layer", (1, 1000), 3),
            Choice::number("size", "most numbers of a tier", (1, 1_000_000_000), 200),
            Choice::number("moves", "most moves of a position", (1, 32), 8),
            Choice::number("loops", "1 where play can go round in circles", (0, 1), 0),
            Choice::number("seed", "another number, another game", (0, u32::MAX), 1),
        ],
        examples: &[
            ("", "24 tiers of up to 200 numbers, solved in a blink"),
            ("loops=1", "the same with loops"),
            (
                "depth=40,width=20,size=20000",
                "7.5 million numbers in 667 tiers, a second: for coordinators and stores",
            ),
            (
                "depth=4,width=2,size=10000000,loops=1",
                "28 million in 9 tiers, some seconds: for engines and clusters",
            ),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let number = |name| options.get(name) as u32;
        Ok(Meaningless(Shape {
            depth: number("depth"),
            width: number("width"),
            size: number("size").into(),
            moves: number("moves") as u8,
            loops: number("loops") == 1,
            // Mixed, so that neighbouring seeds share nothing.
            seed: mix(u64::from(number("seed")) + 1),
        }))
    }

    fn show(&self, turn: Turn, p: HashedPosition) -> String {
        format!("{}_{}-{}", turn.digit(), p.tier, p.number)
    }

    fn read(&self, text: &str) -> Result<(Turn, HashedPosition), Complaint> {
        let bad = |want: String| Complaint::new(format!("position {}: want {want}", quoted(text)));
        let form = || bad("the player to move, the tier and the number, as in 1_0-0".into());
        let (turn, place) = match text.split_once('_').ok_or_else(form)? {
            ("1", place) => (Turn::First, place),
            ("2", place) => (Turn::Second, place),
            _ => return Err(form()),
        };
        let numbers = place.split_once('-').and_then(|(t, n)| Some((t.parse().ok()?, n.parse().ok()?)));
        let (tier, number) = numbers.ok_or_else(form)?;
        if tier > self.0.depth * self.0.width {
            return Err(bad(format!("a tier up to {}", self.0.depth * self.0.width)));
        }
        let (p, size) = (HashedPosition { tier, number }, self.0.numbers(tier));
        if u64::from(number) >= size || self.0.hole(p) {
            return Err(bad(format!("a number below {size} that is not a hole")));
        }
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, _: HashedPosition, m: u8) -> String {
        (m + 1).to_string()
    }

    fn board(&self) -> Board {
        Board::tiles(self.0.moves.into(), (1..=self.0.moves).map(|m| m.to_string()).collect())
    }

    fn pieces(&self, _: Turn, p: HashedPosition) -> String {
        let slots = if self.outcome(p).is_some() { 0 } else { self.0.slots(p) };
        (0..self.0.moves).map(|m| if m < slots { 'o' } else { '-' }).collect()
    }

    fn draw(&self, _: Turn, _: HashedPosition, m: u8) -> Drawing {
        Drawing::Cell(m.into())
    }
}
