//! Dawson's games: strike two neighbours out of a row (Dawson's Kayles), or a man with his neighbours,
//! which is what is left of Dawson's chess when all forced moves are made.
//!
//! Rows and numbering are those of `pins`. Chess on n files is Kayles with one pin more.

use zermelo_core::{Card, Choice, Options};

use crate::pins::{Pins, Rule, Strike};

/// Dawson's Kayles, and what is left of Dawson's chess.
pub type Dawson = Pins<Neighbours>;

/// The rule of Dawson's games.
pub struct Neighbours;

/// Nimbers of the chess from 52 files on, by the remainder after division by 34.
const PERIOD: [u32; 34] =
    [8, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 4, 5, 5, 9, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1, 0, 4, 5, 3, 7, 4];

/// The numbers of files below 52 with other nimbers, each with its nimber.
const EXCEPTIONS: [(u32, u32); 7] = [(0, 0), (14, 0), (16, 2), (17, 2), (31, 2), (34, 0), (51, 2)];

fn chess(files: u32) -> u32 {
    let odd = EXCEPTIONS.iter().find(|(n, _)| *n == files);
    odd.map_or(PERIOD[files as usize % 34], |(_, nimber)| *nimber)
}

impl Rule for Neighbours {
    const CARD: Card = Card {
        name: "dawson",
        revision: 1,
        title: "Dawson's Kayles",
        summary: "strike two neighbours out of a row, or a man with his neighbours",
        rules: "Pins stand in a row. Players in turn strike out two that stand side by side; whoever cannot has \
                lost. With `rules=chess` a strike takes one pin and whatever stands next to it: three, two at the \
                end of a row, or one that stands alone. That is what Dawson's chess comes to. Dawson meant the last to \
                move to lose; here, as with Guy and Smith, they win.",
        notation: "A position is the player to move, 1 or 2, then _ and the row: x for a pin and - for a gap, \
                   as in 2_xx--xxxx. Pins are counted from the left: a move tells the first and the last that \
                   fall, as in 3-4, or the only one, 3.",
        options: &[
            Choice::number("pins", "pins in the row", (1, 24), 12),
            Choice::word("rules", "two pins fall, or one with its neighbours", &["kayles", "chess"]),
        ],
        examples: &[
            ("", "12 pins: 1,100 numbers, a blink"),
            ("pins=15,rules=chess", "15 files: 16,500 numbers, a blink"),
            ("pins=20", "20 pins: 263,000 numbers, a blink"),
        ],
    };

    fn strike(options: &Options) -> Strike {
        if options.get("rules") == 0 { Strike::Two } else { Strike::Around }
    }

    // Guy and Smith, The G-values of various games (1956); the list is that of OEIS A002187.
    fn row(strike: Strike, pins: u32) -> u32 {
        match (strike, pins) {
            (Strike::Two, 0) => 0,
            (Strike::Two, pins) => chess(pins - 1),
            (_, files) => chess(files),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pins::tests::{by_the_rules, is_sound};

    #[test]
    fn obeys_the_laws_and_reads_what_can_be_reached() {
        (1..=9).chain([12]).map(|pins| format!("pins={pins}")).for_each(|pins| {
            is_sound::<Neighbours>(&pins);
            is_sound::<Neighbours>(&format!("{pins},rules=chess"));
        });
    }

    /// OEIS A002187 and Winning Ways, chapter 4: "period 34 with the only exceptions at n=0, 14, 16, 17,
    /// 31, 34 and 51"; Dawson's Kayles "has values a(n-1)".
    #[test]
    fn rows_have_the_published_nimbers() {
        let rules = by_the_rules(Strike::Around, 300);
        let published = [
            0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1, 0, 4, 5, 2,
            7, 4, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 4, 5, 5, 2, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1, 0, 4,
            5, 3, 7, 4, 8, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 4, 5, 5, 9, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1,
            0, 4, 5, 3, 7, 4,
        ];
        assert_eq!(rules[..102], published);
        let row = |strike| (0..=300).map(|n| Neighbours::row(strike, n)).collect::<Vec<u32>>();
        assert_eq!(row(Strike::Around), rules);
        assert_eq!(row(Strike::Two), by_the_rules(Strike::Two, 300));
        assert!(EXCEPTIONS.iter().all(|(n, nimber)| PERIOD[*n as usize % 34] != *nimber));
    }
}
