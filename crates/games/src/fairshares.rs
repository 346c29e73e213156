//! Fair Shares and Varied Pairs (from Winning Ways): divide a heap into equal shares, or unite two different heaps;
//! the player who leaves nothing but heaps of one wins.
//!
//! Positions are the partitions of a number. One tier holds them all, and play may go in circles.

use zermelo_core::prelude::*;

/// The most almonds.
const MOST: usize = 60;

/// Fair Shares and Varied Pairs, the game of dividing and uniting heaps.
pub struct FairShares {
    almonds: usize,
    /// `parts[n][k]`: the number of partitions of `n` into parts up to `k`.
    parts: Vec<[u64; MOST + 1]>,
}

/// The number of heaps of each size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Heaps([u8; MOST + 1]);

/// A move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// Divides a heap of a size into heaps of another.
    Split(u8, u8),
    /// Unites heaps of two sizes, the greater first.
    Join(u8, u8),
}

impl Heaps {
    fn of(sizes: impl IntoIterator<Item = usize>) -> Heaps {
        let mut heaps = Heaps([0; MOST + 1]);
        sizes.into_iter().for_each(|size| heaps.0[size] += 1);
        heaps
    }

    /// The sizes of heaps, each once, the greatest first.
    fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        (1..=MOST).rev().filter(|size| self.0[*size] > 0)
    }

    /// The sizes of all heaps, the greatest first.
    fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.sizes().flat_map(|size| std::iter::repeat_n(size, self.0[size].into()))
    }
}

impl Packed for Heaps {
    // By rising size: a one for each heap, and a zero before the next size.
    fn pack(self) -> [u64; 2] {
        let bits = (1..=MOST).rev().fold(0u128, |bits, size| {
            let heaps = u32::from(self.0[size]);
            bits << (heaps + 1) | ((1 << heaps) - 1)
        });
        [bits as u64, (bits >> 64) as u64]
    }

    fn unpack([low, high]: [u64; 2]) -> Heaps {
        let (mut heaps, mut bits) = ([0; MOST + 1], u128::from(high) << 64 | u128::from(low));
        for heaps in &mut heaps[1..] {
            *heaps = bits.trailing_ones() as u8;
            bits = bits.checked_shr(u32::from(*heaps) + 1).unwrap_or(0);
        }
        Heaps(heaps)
    }
}

/// The signs of 0 heaps, 1 heap and so on. After the digits come small letters and then capitals.
const SIGNS: &[u8; MOST + 1] = b"-123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXY";

fn sign(size: usize) -> char {
    char::from(SIGNS[size])
}

impl Game for FairShares {
    type Position = Heaps;
    type Move = Share;

    const SIDES: bool = false;
    const LAST_WINS: bool = true;

    // An odd number of almonds in one heap could only be divided into odd shares.
    fn start(&self) -> Heaps {
        match self.almonds % 2 {
            0 => Heaps::of([self.almonds]),
            _ => Heaps::of([self.almonds - 1, 1]),
        }
    }

    fn outcome(&self, p: Heaps) -> Option<Outcome> {
        (usize::from(p.0[1]) == self.almonds).then_some(Outcome::Lose)
    }

    fn moves(&self, p: Heaps, mut visit: impl FnMut(Share)) {
        for size in p.sizes() {
            let shares = (1..=size / 2).filter(|share| size % share == 0);
            shares.for_each(|share| visit(Share::Split(size as u8, share as u8)));
            let less = p.sizes().filter(|less| *less < size);
            less.for_each(|less| visit(Share::Join(size as u8, less as u8)));
        }
    }

    fn play(&self, Heaps(mut heaps): Heaps, m: Share) -> Heaps {
        match m {
            Share::Split(size, share) => {
                heaps[usize::from(size)] -= 1;
                heaps[usize::from(share)] += size / share;
            }
            Share::Join(size, less) => {
                heaps[usize::from(size)] -= 1;
                heaps[usize::from(less)] -= 1;
                heaps[usize::from(size + less)] += 1;
            }
        }
        Heaps(heaps)
    }
}

impl Tiers for FairShares {
    type Index = ();

    fn name(&self, _: Tier) -> String {
        "all positions".into()
    }

    fn flow(&self, _: Tier) -> Flow {
        Flow::Loops
    }

    fn size(&self, _: Tier) -> u64 {
        self.parts[self.almonds][self.almonds]
    }

    fn index(&self, _: Tier) {}

    // Partitions with a lesser greatest part come first.
    fn rank(&self, _: &(), p: Heaps) -> u64 {
        let mut left = self.almonds;
        let lesser = p.all().map(|size| {
            let lesser = self.parts[left][size - 1];
            left -= size;
            lesser
        });
        lesser.sum()
    }

    fn unrank(&self, _: &(), mut i: u64) -> Option<Heaps> {
        let (mut heaps, mut left) = (Heaps::of([]), self.almonds);
        while left > 0 {
            let size = self.parts[left].partition_point(|parts| *parts <= i);
            i -= self.parts[left][size - 1];
            heaps.0[size] += 1;
            left -= size;
        }
        Some(heaps)
    }
}

impl Face for FairShares {
    const CARD: Card = Card {
        name: "fairshares",
        revision: 1,
        title: "Fair Shares and Varied Pairs",
        summary: "divide heaps evenly or unite different ones; leave single almonds to win",
        rules: "A move either divides one heap of almonds into two or more heaps of equal size, or unites two heaps of \
                different sizes. Whoever cannot move, because all almonds lie alone, has lost. The game begins with one \
                heap, or with one almond beside it where their number is odd. Play may go on for ever.",
        notation: "A position is the player to move, 1 or 2, then _ and the sizes of the heaps with points between them: \
                   1_4.3.2.1. A move is 6/2 to divide a heap of 6 into heaps of 2, or 4+3 to unite a heap of 4 and one of 3. \
                   On the board sizes from 10 on are letters, from 36 on capitals: a is 10, A is 36.",
        options: &[Choice::number("almonds", "how many almonds there are", (2, MOST as u32), 10)],
        examples: &[
            ("", "42 positions"),
            ("almonds=30", "5,604 positions, a blink"),
            ("almonds=50", "204,226 positions, some seconds"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let mut parts = vec![[0; MOST + 1]; MOST + 1];
        parts[0] = [1; MOST + 1];
        for number in 1..=MOST {
            for most in 1..=MOST {
                let with = number.checked_sub(most).map_or(0, |left| parts[left][most]);
                parts[number][most] = parts[number][most - 1] + with;
            }
        }
        Ok(FairShares { almonds: options.get("almonds"), parts })
    }

    fn show(&self, turn: Turn, p: Heaps) -> String {
        let sizes: Vec<_> = p.all().map(|size| size.to_string()).collect();
        format!("{}_{}", turn.digit(), sizes.join("."))
    }

    fn read(&self, text: &str) -> Result<(Turn, Heaps), Complaint> {
        let (turn, heaps) = Turn::split(self, text)?;
        let size = |word: &str| whole_number(word).filter(|size| (1..=self.almonds).contains(size));
        let sizes = heaps.split('.').map(size).collect::<Option<Vec<usize>>>();
        let sizes = sizes.filter(|sizes| sizes.len() <= MOST && sizes.iter().sum::<usize>() == self.almonds);
        let wrong = || {
            let why = format!("want heaps of {} almonds together, as in {}", self.almonds, self.sample());
            Complaint::position(text, why)
        };
        Ok((turn, Heaps::of(sizes.ok_or_else(wrong)?)))
    }

    fn show_move(&self, _: Turn, _: Heaps, m: Share) -> String {
        match m {
            Share::Split(size, share) => format!("{size}/{share}"),
            Share::Join(size, less) => format!("{size}+{less}"),
        }
    }

    // Ten heaps a row, and below them the sizes of shares to pick.
    fn board(&self) -> Board {
        let (across, rows) = (self.almonds.min(10), self.almonds.div_ceil(10));
        let place = |n: usize, top: usize| ((n % 10) as f32 + 0.5, (n / 10 + top) as f32 + 0.5);
        let heaps = (0..self.almonds).map(|n| (place(n, 0), format!("heap{}", n + 1)));
        let shares = (0..self.almonds / 2).map(|n| (place(n, rows + 1), format!("share{}", n + 1)));
        let (cells, names) = heaps.chain(shares).unzip();
        let height = (rows + 1 + (self.almonds / 2).div_ceil(10)) as f32;
        let labels = vec![(across as f32 / 2.0, rows as f32 + 0.5, "shares of".into())];
        Board { width: across as f32, height, cells, names, labels, ..Board::default() }
    }

    fn pieces(&self, _: Turn, p: Heaps) -> String {
        let heaps = p.all().chain(std::iter::repeat(0)).take(self.almonds);
        heaps.chain(1..=self.almonds / 2).map(sign).collect()
    }

    fn draw(&self, _: Turn, p: Heaps, m: Share) -> Drawing {
        let heap = |size: u8| p.all().position(|heap| heap == size.into()).unwrap_or(0);
        match m {
            Share::Split(size, share) => Drawing::Arrow(heap(size), self.almonds + usize::from(share) - 1),
            Share::Join(size, less) => Drawing::Arrow(heap(size), heap(less)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::{laws, play_moves};

    fn game(almonds: u32) -> FairShares {
        let options = Options::read(&FairShares::CARD, &format!("almonds={almonds}")).expect("options");
        FairShares::new(&options).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        let walked = laws::check(&game(10), 1_000).expect("no law is broken");
        assert_eq!((walked.positions, walked.cut), (42, false), "all partitions of ten");
        for almonds in [2, 3, 4, 7, 12, 25, 40] {
            laws::check(&game(almonds), 1_500).expect("no law is broken");
            laws::check_face(&game(almonds), 1_500).expect("no law is broken");
        }
        assert_eq!(game(60).size(Tier(0)), 966_467, "partitions of 60");
    }

    #[test]
    fn heaps_are_shared_and_paired() {
        let game = game(10);
        let after = |from: &str, moves: &str| {
            let (turn, p) = play_moves(&game, game.read(from)?, moves)?;
            Ok::<_, Complaint>(game.show(turn, p))
        };
        assert_eq!(after("1_10", "10/5 5/1 5+1 6/2").expect("moves"), "1_2.2.2.1.1.1.1");
        for (from, wrong) in [("1_5.5", "5+5"), ("1_10", "10/4"), ("1_10", "10/10"), ("1_9.1", "1/1")] {
            assert!(after(from, wrong).is_err(), "{from} {wrong}");
        }
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game(10);
        for text in [
            "",
            "1_",
            "1_9",
            "1_11",
            "3_10",
            "1_10.0",
            "1_5.é",
            "1_5,5",
            "1_+5.5",
            "1_99999999999999999999999.1",
        ] {
            assert!(game.read(text).is_err(), "{text}");
        }
        assert_eq!(game.read("2_1.2.3.4"), game.read("2_4.3.2.1"));
    }

    #[test]
    fn every_size_has_a_sign_of_its_own() {
        let shown: Vec<char> = (0..=MOST).map(sign).collect();
        assert!((1..=MOST).all(|size| !shown[..size].contains(&shown[size])));
        assert_eq!((shown[0], shown[10], shown[35], shown[36], shown[60]), ('-', 'a', 'z', 'A', 'Y'));
    }
}
