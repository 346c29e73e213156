//! Quantified boolean formulas as games. Players choose the values of variables from the outermost in: the first
//! player those that should exist, the second player those that stand for all. The first player wins if the formula
//! comes out true. So the first player has a winning strategy just when the formula is satisfiable.
//!
//! The player to move may be the same again. As in other such games a finished position is seen by the loser. A tier
//! is the number of variables that have values, and a number is the bits of these values.

mod formula;

use zermelo_core::prelude::*;

use formula::Formula;

/// The game of a quantified Boolean formula: two players choose the values of its variables.
pub struct Qbf {
    formula: Formula,
}

/// The values chosen so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QbfValues {
    /// The number of variables that have a value.
    count: u8,
    /// The variables that are true.
    bits: u64,
}

/// The formula of the default variant; EECS-2022-219, section 10.2, says that it is not satisfiable.
const DEFAULT: &str = "eae.x1x2.-1-3.-2x3";

impl Qbf {
    fn variables(&self) -> u8 {
        self.formula.for_all.len() as u8
    }

    /// Whether the formula is true or false whatever the remaining values; `None` where it is undecided.
    #[inline]
    fn settled(&self, p: QbfValues) -> Option<bool> {
        let chosen = (1u64 << p.count) - 1;
        let mut all = true;
        for [good, bad] in &self.formula.clauses {
            if p.bits & good | !p.bits & chosen & bad == 0 {
                if (good | bad) & !chosen == 0 {
                    return Some(false);
                }
                all = false;
            }
        }
        all.then_some(true)
    }

    /// The player to move, or the loser of a finished game.
    fn turn(&self, p: QbfValues) -> Turn {
        let second = match self.settled(p) {
            Some(outcome) => outcome,
            None => self.formula.for_all[usize::from(p.count)],
        };
        if second { Turn::Second } else { Turn::First }
    }
}

impl Game for Qbf {
    type Position = QbfValues;
    type Move = bool;
    const AGAIN: bool = true;

    fn start(&self) -> QbfValues {
        QbfValues { count: 0, bits: 0 }
    }

    #[inline]
    fn outcome(&self, p: QbfValues) -> Option<Outcome> {
        self.settled(p).map(|_| Outcome::Lose)
    }

    #[inline]
    fn moves(&self, _: QbfValues, mut visit: impl FnMut(bool)) {
        visit(true);
        visit(false);
    }

    #[inline]
    fn play(&self, p: QbfValues, m: bool) -> QbfValues {
        QbfValues { count: p.count + 1, bits: p.bits | u64::from(m) << p.count }
    }

    #[inline]
    fn again(&self, _: bool, after: QbfValues) -> bool {
        let mover = self.formula.for_all[usize::from(after.count) - 1];
        (self.turn(after) == Turn::Second) == mover
    }

    fn ply(&self, p: QbfValues) -> Option<u32> {
        Some(p.count.into())
    }
}

impl Tiers for Qbf {
    type Index = u8;

    fn tier(&self, p: QbfValues) -> Tier {
        Tier(p.count.into())
    }

    fn name(&self, t: Tier) -> String {
        format!("{} of {} variables set", t.0, self.variables())
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        if t.0 < self.variables().into() { vec![Tier(t.0 + 1)] } else { vec![] }
    }

    fn size(&self, t: Tier) -> u64 {
        1 << t.0
    }

    fn index(&self, t: Tier) -> u8 {
        t.0 as u8
    }

    #[inline]
    fn rank(&self, _: &u8, p: QbfValues) -> u64 {
        p.bits
    }

    #[inline]
    fn unrank(&self, count: &u8, i: u64) -> Option<QbfValues> {
        Some(QbfValues { count: *count, bits: i })
    }

    fn canonical(&self, p: QbfValues) -> QbfValues {
        p
    }
}

impl Packed for QbfValues {
    fn pack(self) -> [u64; 2] {
        [self.bits, self.count.into()]
    }

    fn unpack([bits, count]: [u64; 2]) -> QbfValues {
        QbfValues { count: count as u8, bits }
    }
}

impl Face for Qbf {
    const CARD: Card = Card {
        name: "qbf",
        revision: 1,
        title: "Quantified boolean formula",
        summary: "choose the values of a formula's variables: is it satisfiable?",
        rules: "A formula has variables, each with a quantifier, and clauses. Players choose true or false for the \
                variables from the outermost in: the first player for those with e (there is a value), the second for \
                those with a (for all values). The first player wins when every clause holds, the second when one \
                fails. The first player can win just when the formula is satisfiable. A variable of no account is put \
                first where the outermost quantifier is a.",
        notation: "A formula is a letter e or a for each variable, then clauses, each after a full stop: eae.x1-2.-1x3 \
                   is (1 or not 2) and (not 1 or 3). On the command line file=NAME reads one in QDIMACS instead. A \
                   position is the player to move, 1 or 2, or the one who has lost, then _ and the variables' values in \
                   order: 1, 0 and - for none yet, as in 2_1--. A move is a variable's number, or -number to make it \
                   false.",
        options: &[Choice::text("formula", "quantifiers and clauses, as in eae.x1-2.-1x3", |text| {
            Ok(Formula::read(text)?.show())
        })
        .or_file(|text| Ok(Formula::read_qdimacs(text)?.show()))],
        examples: &[
            ("", "three variables, not satisfiable, solved in a blink"),
            ("formula=eaee.x2x3.-2-4.-3x4", "the same clauses with other quantifiers are satisfiable"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let text = options.text("formula");
        Ok(Qbf { formula: Formula::read(if text.is_empty() { DEFAULT } else { text })? })
    }

    fn show(&self, turn: Turn, p: QbfValues) -> String {
        let value = |v: u8| match (v < p.count, p.bits >> v & 1) {
            (false, _) => '-',
            (true, 0) => '0',
            (true, _) => '1',
        };
        format!("{}_{}", turn.digit(), (0..self.variables()).map(value).collect::<String>())
    }

    fn read(&self, text: &str) -> Result<(Turn, QbfValues), Complaint> {
        let bad = |why: String| Complaint::position(text, why);
        let (said, values) = Turn::split(self, text)?;
        let known = values.trim_end_matches('-');
        if values.len() != self.formula.for_all.len() || !known.bytes().all(|b| matches!(b, b'0' | b'1')) {
            let (variables, sample) = (self.variables(), self.sample());
            return Err(bad(format!(
                "want 0 or 1 for some of {variables} variables and - for the rest, as in {sample}"
            )));
        }
        let bits = known.bytes().zip(0..).fold(0, |bits, (b, v)| bits | u64::from(b == b'1') << v);
        let p = QbfValues { count: known.len() as u8, bits };
        let before =
            p.count.checked_sub(1).map(|count| QbfValues { count, bits: bits & !(u64::MAX << count) });
        if before.is_some_and(|before| self.settled(before).is_some()) {
            return Err(bad(
                "the formula was true or false before the last value, so the game was over".into()
            ));
        }
        let turn = self.turn(p);
        if said != turn {
            let who = if self.settled(p).is_some() { "who has lost" } else { "to move" };
            return Err(bad(format!("the player {who} is {}", turn.digit())));
        }
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, p: QbfValues, m: bool) -> String {
        format!("{}{}", if m { "" } else { "-" }, p.count + 1)
    }

    // A column for each variable: true above, false below.
    fn board(&self) -> Board {
        let n = usize::from(self.variables());
        let name = |cell: usize| if cell < n { (cell + 1).to_string() } else { format!("-{}", cell + 1 - n) };
        Board::tiles(n, (0..2 * n).map(name).collect())
    }

    fn pieces(&self, _: Turn, p: QbfValues) -> String {
        let row = |want: bool| {
            (0..self.variables()).map(move |v| {
                match (v < p.count && (p.bits >> v & 1 != 0) == want, self.formula.for_all[usize::from(v)]) {
                    (false, _) => '-',
                    (true, false) => 'x',
                    (true, true) => 'o',
                }
            })
        };
        row(true).chain(row(false)).collect()
    }

    fn draw(&self, _: Turn, p: QbfValues, m: bool) -> Drawing {
        Drawing::Cell(usize::from(p.count) + if m { 0 } else { usize::from(self.variables()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game(options: &str) -> Qbf {
        Qbf::new(&Options::read(&Qbf::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        for options in [
            "",
            "formula=eaee.x2x3.-2-4.-3x4",
            "formula=a.x1",
            "formula=eeaaee.x1x3x5.-2-4x6.x2-3-6.-1x4-5",
            "formula=eaeaeaea.x1-2x8.-3x4-8.x5x6-7.-1x7x2",
        ] {
            laws::check(&game(options), 2_000).expect("no law is broken");
            laws::check_face(&game(options), 2_000).expect("no law is broken");
        }
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game("");
        for (text, why) in [
            ("", "begin with"),
            ("3_---", "begin with"),
            ("1_--", "3 variables"),
            ("1_-1-", "3 variables"),
            ("1_é-", "3 variables"),
            ("2_---", "to move is 1"),
            ("1_1--", "to move is 2"),
            ("1_001", "was over"),
            ("2_00-", "has lost is 1"),
            ("1_000", "was over"),
        ] {
            let found = game.read(text).expect_err(text).to_string();
            assert!(found.contains(why), "{text}: {found}");
        }
        assert!(game.read("1_00-").is_ok() && game.read("1_10-").is_ok());
    }
}
