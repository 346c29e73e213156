//! Ten to nothing: take one or two off a number in turn; the player who comes to 0 wins.

use zermelo_core::prelude::*;

/// Ten to nothing, the game of taking one or two off a number.
pub struct Tento0 {
    from: u32,
    by: u32,
}

/// The most numbers in a row of the board.
const ROW: usize = 11;

impl Game for Tento0 {
    type Position = u32; // the number
    type Move = u32; // what is taken off

    // Both players have the same moves, so it does not matter who is to make them.
    const SIDES: bool = false;
    const LAST_WINS: bool = true;

    fn start(&self) -> u32 {
        self.from
    }

    fn outcome(&self, p: u32) -> Option<Outcome> {
        (p == 0).then_some(Outcome::Lose)
    }

    fn moves(&self, p: u32, visit: impl FnMut(u32)) {
        (1..=self.by.min(p)).for_each(visit);
    }

    fn play(&self, p: u32, m: u32) -> u32 {
        p - m
    }
}

impl Impartial for Tento0 {
    fn grundy(&self, p: u32) -> Option<u32> {
        Some(p % (self.by + 1))
    }
}

// One tier, in which positions are numbered by how much was taken off.
impl Tiers for Tento0 {
    type Index = ();

    fn name(&self, _: Tier) -> String {
        "all positions".into()
    }

    fn flow(&self, _: Tier) -> Flow {
        Flow::Rises
    }

    fn size(&self, _: Tier) -> u64 {
        u64::from(self.from) + 1
    }

    fn index(&self, _: Tier) {}

    fn rank(&self, _: &(), p: u32) -> u64 {
        u64::from(self.from - p)
    }

    fn unrank(&self, _: &(), i: u64) -> Option<u32> {
        Some(self.from - i as u32)
    }
}

impl Face for Tento0 {
    const CARD: Card = Card {
        name: "tento0",
        revision: 1,
        title: "Ten to nothing",
        summary: "take one or two off a number; whoever comes to 0 wins",
        rules: "The game begins with the number 10, or `from`. Players in turn take 1 or 2 off it, or anything from \
                1 to `by`. Whoever comes to 0 wins.",
        notation: "A position is the player to move, 1 or 2, then _ and the number: 1_10. A move is what is taken \
                   off.",
        options: &[
            Choice::number("from", "the number at the start", (1, 250), 10),
            Choice::number("by", "the most that may be taken off", (1, 20), 2),
        ],
        examples: &[("", "from 10 by 1 or 2, a blink"), ("from=100,by=9", "a hundred, by up to 9, a blink")],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        Ok(Tento0 { from: options.get("from") as u32, by: options.get("by") as u32 })
    }

    fn show(&self, turn: Turn, p: u32) -> String {
        format!("{}_{p}", turn.digit())
    }

    fn read(&self, text: &str) -> Result<(Turn, u32), Complaint> {
        let (turn, number) = Turn::split(self, text)?;
        let bad = |want: String| Complaint::position(text, want);
        let p = whole_number::<u32>(number).filter(|p| *p <= self.from);
        let p = p.ok_or_else(|| bad(format!("want a number from 0 to {}", self.from)))?;
        // The least and the most moves in which this much is taken off.
        let (least, most) = ((self.from - p).div_ceil(self.by), self.from - p);
        if least == most && most % 2 != u32::from(turn == Turn::Second) {
            return Err(bad(format!("after {most} moves it is {}'s turn", turn.other().digit())));
        }
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, _: u32, m: u32) -> String {
        m.to_string()
    }

    // The numbers in rows, the greatest first; a move is drawn on the number it leads to.
    fn board(&self) -> Board {
        Board::tiles(ROW, (0..=self.from).rev().map(|n| n.to_string()).collect())
    }

    fn pieces(&self, _: Turn, p: u32) -> String {
        (0..=self.from).rev().map(|n| if n == p { 'x' } else { '-' }).collect()
    }

    fn draw(&self, _: Turn, p: u32, m: u32) -> Drawing {
        Drawing::Cell((self.from - (p - m)) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game(options: &str) -> Tento0 {
        Tento0::new(&Options::read(&Tento0::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        for options in ["", "from=1,by=1", "from=100,by=9", "from=12,by=20"] {
            laws::check(&game(options), 1_000).expect("no law is broken");
            laws::check_face(&game(options), 1_000).expect("no law is broken");
        }
    }

    #[test]
    fn refuses_the_impossible() {
        for text in ["", "1_", "3_4", "1_11", "1_-1", "2_10", "1_9", "1_x", "1_10 ", "1_+8"] {
            assert!(game("").read(text).is_err(), "{text}");
        }
        assert!(game("by=1").read("2_8").is_err() && game("by=1").read("1_8").is_ok());
        assert!(game("").read("2_8").is_ok() && game("").read("1_8").is_ok());
    }
}
