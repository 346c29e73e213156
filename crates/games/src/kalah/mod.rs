//! Kalah: sow the seeds of one of your pits, one by one, round the board; most seeds in the store
//! win. Kalah(m,n) has m pits a side and n seeds in each.
//!
//! A tier is the number of seeds in the pits. A number is the lay of these seeds ([`lays`]) and the mover's store,
//! for the stores decide who wins. There are no loops: a move that leaves its tier takes seeds out of the pits, and a
//! move that stays leads to a higher number.
//!
//! A finished board has empty pits, for what is left goes to the store of its side. The board is seen by the player
//! who did not make the last move, even if that move ended in the store.

mod lays;

use lays::{Layer, Lays};
use zermelo_core::Scored;
use zermelo_core::prelude::*;

/// The most seeds there may be.
const MOST: usize = 48;

/// Kalah, the game of sowing seeds round a board.
pub struct Kalah {
    pits: usize,
    seeds: usize,
    lays: Lays,
}

/// The seeds in the mover's pits, in the mover's store, and in the other's pits, in the order of sowing.
type Seeds = [u8; 13];

/// A move: the pit, and whether its last seed falls into the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sow {
    pit: u8,
    home: bool,
}

impl Kalah {
    fn sides(&self, p: Seeds) -> [usize; 2] {
        let sum = |cells: &[u8]| cells.iter().map(|n| usize::from(*n)).sum();
        [sum(&p[..self.pits]), sum(&p[self.pits + 1..])]
    }

    fn over(&self, p: Seeds) -> bool {
        self.sides(p) == [0, 0]
    }

    fn store(&self, p: Seeds) -> usize {
        p[self.pits].into()
    }

    fn other_store(&self, p: Seeds) -> usize {
        self.seeds - self.store(p) - self.sides(p).iter().sum::<usize>()
    }

    /// The board as the other player sees it.
    fn swapped(&self, p: Seeds) -> Seeds {
        let (m, mut cells) = (self.pits, [0; 13]);
        cells[..m].copy_from_slice(&p[m + 1..=2 * m]);
        cells[m] = self.other_store(p) as u8;
        cells[m + 1..=2 * m].copy_from_slice(&p[..m]);
        cells
    }

    /// The cell of a pit. The other player's pits come second.
    fn cell(&self, pit: usize) -> usize {
        if pit < self.pits { pit } else { pit + 1 }
    }

    /// The pits and stores of both players, the first player's first.
    fn rows(&self, turn: Turn, p: Seeds) -> Vec<u8> {
        let (first, second) = if turn == Turn::First { (p, self.swapped(p)) } else { (self.swapped(p), p) };
        [&first[..=self.pits], &second[..=self.pits]].concat()
    }

    fn read_rows(&self, cells: &str) -> Result<Vec<u8>, String> {
        let digit = |c: char| match c {
            '*' => Ok(None),
            '-' => Ok(Some(0)),
            _ => c.to_digit(36).map(|n| Some(n as usize)).ok_or(format!("{c:?} is no number of seeds")),
        };
        let cells = cells.chars().filter(|c| !matches!(c, '/' | ' ')).map(digit);
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        let (want, told) = (2 * self.pits + 2, cells.iter().flatten().sum::<usize>());
        let stars = cells.iter().filter(|n| n.is_none()).count();
        if cells.len() != want {
            return Err(format!("it has {} pits and stores, not {want}", cells.len()));
        }
        let rest = self.seeds.checked_sub(told).filter(|rest| stars == 1 || stars == 0 && *rest == 0);
        let rest = rest.ok_or(format!("it has {told} seeds, not {}", self.seeds))?;
        Ok(cells.into_iter().map(|n| n.unwrap_or(rest) as u8).collect())
    }
}

impl Game for Kalah {
    type Position = Seeds;
    type Move = Sow;

    const AGAIN: bool = true;

    fn start(&self) -> Seeds {
        let (m, mut cells) = (self.pits, [0; 13]);
        cells[..=2 * m].fill((self.seeds / (2 * m)) as u8);
        cells[m] = 0;
        cells
    }

    fn outcome(&self, p: Seeds) -> Option<Outcome> {
        self.over(p).then(|| match self.score(p) {
            0 => Outcome::Tie,
            n if n < 0 => Outcome::Lose,
            _ => Outcome::Win,
        })
    }

    #[inline]
    fn moves(&self, p: Seeds, mut visit: impl FnMut(Sow)) {
        for (pit, n) in p[..self.pits].iter().enumerate().filter(|(_, n)| **n > 0) {
            let home = usize::from(*n) % (2 * self.pits + 1) == self.pits - pit;
            visit(Sow { pit: pit as u8, home });
        }
    }

    fn play(&self, mut cells: Seeds, m: Sow) -> Seeds {
        let (pits, mut at) = (self.pits, usize::from(m.pit));
        for _ in 0..std::mem::take(&mut cells[at]) {
            at = if at == 2 * pits { 0 } else { at + 1 };
            cells[at] += 1;
        }
        if at < pits && cells[at] == 1 {
            cells[pits] += std::mem::take(&mut cells[at]) + std::mem::take(&mut cells[2 * pits - at]);
        }
        let [own, other] = self.sides(cells);
        let over = own == 0 || other == 0;
        if over {
            let store = cells[pits] + own as u8;
            cells = [0; 13];
            cells[pits] = store;
        }
        if m.home && !over { cells } else { self.swapped(cells) }
    }

    fn again(&self, m: Sow, after: Seeds) -> bool {
        m.home && !self.over(after)
    }
}

impl Scored for Kalah {
    fn score(&self, p: Seeds) -> i32 {
        self.store(p) as i32 - self.other_store(p) as i32
    }
}

impl Tiers for Kalah {
    type Index = Layer;

    fn tier(&self, p: Seeds) -> Tier {
        Tier(self.sides(p).iter().sum::<usize>() as u64)
    }

    fn name(&self, t: Tier) -> String {
        format!("{} of {} seeds in the pits", t.0, self.seeds)
    }

    // Most moves take few seeds out of the game, so those tiers come first.
    fn children(&self, t: Tier) -> Vec<Tier> {
        (0..t.0).rev().map(Tier).collect()
    }

    fn flow(&self, _: Tier) -> Flow {
        Flow::Rises
    }

    fn size(&self, t: Tier) -> u64 {
        let pits = 2 * self.pits;
        CHOOSE[t.0 as usize + pits - 1][pits - 1] * (self.seeds as u64 - t.0 + 1)
    }

    fn index(&self, t: Tier) -> Layer {
        self.lays.layer(t.0 as usize)
    }

    fn rank(&self, index: &Layer, p: Seeds) -> u64 {
        let lay = self.lays.rank(index, |pit| p[self.cell(pit)].into());
        lay * (self.seeds - index.seeds + 1) as u64 + self.store(p) as u64
    }

    fn unrank(&self, index: &Layer, i: u64) -> Option<Seeds> {
        let (stores, mut cells) = ((self.seeds - index.seeds + 1) as u64, [0; 13]);
        self.lays.unrank(index, i / stores, |pit| cells[self.cell(pit)] += 1);
        cells[self.pits] = (i % stores) as u8;
        // With an empty side the game is over, and then no pit has seeds.
        (self.over(cells) || !self.sides(cells).contains(&0)).then_some(cells)
    }
}

impl Face for Kalah {
    const CARD: Card = Card {
        name: "kalah",
        revision: 1,
        title: "Kalah",
        summary: "sow seeds round the board into your store",
        rules: "Each player has `pits` pits with `seeds` seeds in each, and a store at their right end. A move takes \
                all seeds of one of your pits and sows them one by one into the next pits, your store and the \
                other's pits, on and round; the other's store is left out. If the last seed falls into your store, \
                you move again. If it falls into an empty pit of yours, it goes to your store with all seeds of the \
                pit opposite, even if there are none. When a side is empty the game is over, and the seeds \
                left go to the store of the player whose side they are on; most seeds win.",
        notation: "A position is the player to move, 1 or 2, then _, the first player's pits in the order of sowing and \
                   their store, then the second's: 1_333-333-. A count is a digit, - for none, a letter from 10 on \
                   (a is 10, b is 11), and * for as many as are missing. A move names a pit: a1 is the first of the \
                   first player, b1 of the second.",
        options: &[
            Choice::number("pits", "pits of each player", (1, 6), 3),
            Choice::number("seeds", "seeds in each pit", (1, 6), 3),
        ],
        examples: &[
            ("", "half a million positions, a second"),
            ("pits=3,seeds=4", "2.6 million, some seconds"),
            ("pits=4,seeds=2", "two million, some seconds"),
            ("pits=4,seeds=3", "39 million, some twenty seconds"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let (pits, each) = (options.get("pits"), options.get("seeds"));
        let seeds = 2 * pits * each;
        if seeds > MOST {
            let fit = MOST / (2 * pits);
            refuse!(
                "pits={pits},seeds={each} make {seeds} seeds and {MOST} are the most: give seeds=1 to {fit}"
            );
        }
        Ok(Kalah { pits, seeds, lays: Lays::new(pits, seeds) })
    }

    /// Reads a position without asking whether a game leads there. The start alone is checked, for it never comes
    /// back.
    fn read(&self, text: &str) -> Result<(Turn, Seeds), Complaint> {
        let (turn, cells) = Turn::split(self, text)?;
        let wrong = |why: String| Complaint::position(text, format!("{why}, as in {}", self.sample()));
        let rows = self.read_rows(cells).map_err(wrong)?;
        let (mut cells, pits) = ([0; 13], self.pits);
        cells[..=2 * pits].copy_from_slice(&rows[..=2 * pits]);
        if !self.over(cells) && self.sides(cells).contains(&0) {
            return Err(wrong("a side is empty, so the seeds left go to their store".into()));
        }
        if cells == self.start() && turn == Turn::Second {
            return Err(wrong("the first player begins".into()));
        }
        Ok((turn, if turn == Turn::First { cells } else { self.swapped(cells) }))
    }

    fn show_move(&self, turn: Turn, _: Seeds, m: Sow) -> String {
        format!("{}{}", if turn == Turn::First { 'a' } else { 'b' }, m.pit + 1)
    }

    // The first player sits below and sows to the right.
    fn board(&self) -> Board {
        let (m, across) = (self.pits, |n: usize| n as f32 + 0.5);
        let below = (0..m).map(|pit| (across(pit + 1), 2.5)).chain([(across(m + 1), 1.5)]);
        let above = (0..m).map(|pit| (across(m - pit), 0.5)).chain([(0.5, 1.5)]);
        let name = |cell: usize| match (if cell <= m { "a" } else { "b" }, cell % (m + 1) + 1) {
            (side, n) if n <= m => format!("{side}{n}"),
            (side, _) => format!("{side}-store"),
        };
        Board {
            width: (m + 2) as f32,
            height: 3.0,
            cells: below.chain(above).collect(),
            names: (0..2 * m + 2).map(name).collect(),
            ..Board::default()
        }
    }

    fn pieces(&self, turn: Turn, p: Seeds) -> String {
        let digit = |n: &u8| match n {
            0 => '-',
            n => char::from_digit((*n).into(), 36).unwrap_or('*'),
        };
        self.rows(turn, p).iter().map(digit).collect()
    }

    fn draw(&self, turn: Turn, _: Seeds, m: Sow) -> Drawing {
        Drawing::Cell(usize::from(m.pit) + if turn == Turn::First { 0 } else { self.pits + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::{laws, play_moves};

    fn game(options: &str) -> Kalah {
        Kalah::new(&Options::read(&Kalah::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        // Positions as another program counts them.
        for (options, positions) in [("pits=2,seeds=3", 114), ("pits=3,seeds=2", 2_442), ("", 23_118)] {
            let walked = laws::check(&game(options), 30_000).expect("no law is broken");
            assert_eq!((walked.positions, walked.cut), (positions, false), "{options}");
        }
        for options in ["", "pits=1,seeds=6", "pits=2,seeds=3", "pits=4,seeds=1", "pits=6,seeds=4"] {
            laws::check(&game(options), 4_000).expect("no law is broken");
            laws::check_face(&game(options), 2_000).expect("no law is broken");
        }
    }

    #[test]
    fn seeds_are_sown_and_captured() {
        let after = |options: &str, from: &str, moves: &str| {
            let game = game(options);
            let (turn, p) = play_moves(&game, game.read(from).expect("a position"), moves).expect("moves");
            game.show(turn, p)
        };
        // The last seed falls into the store, and the same player moves again.
        assert_eq!(after("", "1_333-333-", "a1"), "1_-441333-");
        // Past the store into the other's pits, not into the other's store.
        assert_eq!(after("", "1_333-333-", "a3"), "2_33-1443-");
        // A capture that empties the side: what is left goes to the store.
        assert_eq!(after("pits=2,seeds=1", "1_1--21-", "a1"), "2_--3--1");
        // Nothing lies opposite: the seed itself goes to the store.
        assert_eq!(after("pits=3,seeds=1", "1_1-1-2-11", "a1"), "2_--112-11");
        // A lap ends in the pit it began in, which is empty by then.
        assert_eq!(after("pits=2,seeds=2", "1_-5-12-", "a2"), "2_1-4-3-");
    }

    #[test]
    fn numbers_are_the_boards() {
        // Irving, Donkers and Uiterwijk, Solving Kalah (2000), table 2; they count both players to move.
        let game = game("pits=4,seeds=3");
        assert_eq!(2 * (0..=24).map(|seeds| game.size(Tier(seeds))).sum::<u64>(), 77_134_200);
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game("");
        for text in [
            "",
            "1",
            "1_",
            "3_333-333-",
            "1_333-333",
            "1_333-333--",
            "1_333-3331",
            "1_332-333-",
            "1_33?-333-",
            "1_---9333-",
            "1_**3-333-",
            "1_333-33é-",
            "1_zzzzzzzz",
            "2_333-333-",
        ] {
            assert!(game.read(text).is_err(), "{text}");
        }
        assert_eq!(game.read("1_33303330"), game.read("1_333-33*-"));
        assert!(game.read("2_---9---9").is_ok() && game.read("1_---I----").is_ok());
        let options = Options::read(&Kalah::CARD, "pits=6,seeds=5").expect("options");
        assert!(Kalah::new(&options).err().expect("too many").to_string().contains("1 to 4"));
    }
}
