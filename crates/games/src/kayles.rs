//! Kayles: strike one pin or two neighbours out of a row; the player who strikes the last pin wins.
//!
//! Rows and numbering are those of `pins`.

use zermelo_core::{Card, Choice, Options};

use crate::pins::{Pins, Rule, Strike};

/// Kayles, the game of striking one pin or two neighbours out of a row.
pub type Kayles = Pins<OneOrTwo>;

/// The rule of Kayles: a player strikes one pin or two neighbours.
pub struct OneOrTwo;

/// The nimbers from 71 pins on, by the remainder after division by 12.
const PERIOD: [u32; 12] = [4, 1, 2, 8, 1, 4, 7, 2, 1, 8, 2, 7];

/// The numbers of pins below 71 with other nimbers, each with its nimber.
const EXCEPTIONS: [(u32, u32); 14] = [
    (0, 0),
    (3, 3),
    (6, 3),
    (9, 4),
    (11, 6),
    (15, 7),
    (18, 3),
    (21, 4),
    (22, 6),
    (28, 5),
    (34, 6),
    (39, 3),
    (57, 4),
    (70, 6),
];

impl Rule for OneOrTwo {
    const CARD: Card = Card {
        name: "kayles",
        revision: 1,
        title: "Kayles",
        summary: "strike one pin or two neighbours out of a row",
        rules: "Pins stand in a row. Players in turn strike out one pin, or two that stand side by side. \
                Whoever strikes the last pin wins.",
        notation: "A position is the player to move, 1 or 2, then _ and the row: x for a pin and - for a gap, \
                   as in 2_xxxx-xxx. Pins are counted from the left: a move is 3, or 3-4 for two.",
        options: &[Choice::number("pins", "pins in the row", (1, 24), 12)],
        examples: &[
            ("", "12 pins: 2,100 numbers, a blink"),
            ("pins=20", "20 pins: 525,000 numbers, a blink"),
        ],
    };

    fn strike(_: &Options) -> Strike {
        Strike::OneOrTwo
    }

    // Guy and Smith, The G-values of various games (1956); the list is that of OEIS A002186.
    fn row(_: Strike, pins: u32) -> u32 {
        let odd = EXCEPTIONS.iter().find(|(n, _)| *n == pins);
        odd.map_or(PERIOD[pins as usize % 12], |(_, nimber)| *nimber)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pins::tests::{by_the_rules, is_sound};

    #[test]
    fn obeys_the_laws_and_reads_what_can_be_reached() {
        (1..=9).chain([11]).for_each(|pins| is_sound::<OneOrTwo>(&format!("pins={pins}")));
    }

    /// OEIS A002186 and Winning Ways, chapter 4: period 12, "the only exceptions are n=0, 3, 6, 9, 11,
    /// 15, 18, 21, 22, 28, 34, 39, 57 and 70".
    #[test]
    fn rows_have_the_published_nimbers() {
        let rules = by_the_rules(Strike::OneOrTwo, 300);
        let published = [
            0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7, 4, 1, 2, 8, 5, 4, 7, 2,
            1, 8, 6, 7, 4, 1, 2, 3, 1, 4, 7, 2, 1, 8, 2, 7, 4, 1, 2, 8, 1, 4, 7, 2, 1, 4, 2, 7, 4, 1, 2, 8,
            1, 4, 7, 2, 1, 8, 6, 7, 4, 1, 2, 8, 1, 4, 7, 2, 1, 8, 2, 7,
        ];
        assert_eq!(rules[..84], published);
        let rows: Vec<u32> = (0..=300).map(|n| OneOrTwo::row(Strike::OneOrTwo, n)).collect();
        assert_eq!(rows, rules);
        assert!(EXCEPTIONS.iter().all(|(n, nimber)| PERIOD[*n as usize % 12] != *nimber));
    }
}
