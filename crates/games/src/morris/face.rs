//! How people see Morris: its card, positions and moves as text, the board.

use std::sync::Arc;

use zermelo_core::prelude::*;

use super::lines::{Diagonals, board};
use super::{FEW, Go, Morris, MorrisMen};

impl Packed for MorrisMen {
    fn pack(self) -> [u64; 2] {
        [self.own, self.other << 8 | u64::from(self.put)]
    }

    fn unpack([own, rest]: [u64; 2]) -> MorrisMen {
        MorrisMen { own, other: rest >> 8, put: rest as u8 }
    }
}

impl Face for Morris {
    const CARD: Card = Card {
        name: "morris",
        revision: 1,
        title: "Nine Men's Morris",
        summary: "close mills to take men; also with three or six men. Play can go round in circles",
        rules: "Players put their men on empty points in turn, and when all are put, move one man along a line to the \
                next point. Three men of one player in a row on a line are a mill. Whoever closes a mill takes a man \
                of the other player: one that is in no mill, unless all are; one man even where two mills are closed \
                at once. A player with three men left may go to any empty point. Whoever has fewer than three men, \
                on the board and in hand, or cannot move, loses. Up to six men play on two squares; three men on \
                three by three points, so that the first mill wins.",
        notation: "A position is the player to move, 1 or 2, then _ and the points row by row from the top left: x for \
                   the first player, o for the second, - for empty; then, while there are men in hand, _ and how many \
                   each player has there, as in 1_---------_33. A move names points by column and row from below: d6 \
                   puts a man, d6-d5 moves one, and d6xa7 or d6-d5xa7 takes one.",
        options: &[
            Choice::number(
                "men",
                "men of each player: 3 on nine points, 4 to 6 on two squares, 7 to 9 on three",
                (3, 9),
                9,
            ),
            Choice::word("fly", "whether a player with three men may go anywhere", &["yes", "no"]),
            Choice::word("diagonals", "with three men: what diagonals are good for", &["no", "mills", "all"]),
            Choice::text("stage", "solve an endgame only: men of each side, as in 4-3", read_stage),
        ],
        examples: &[
            (
                "men=3,diagonals=mills,fly=no",
                "three men's morris, solved in a blink: the first player wins in 9",
            ),
            ("men=6", "six men's morris, a second: a draw"),
            ("stage=4-3", "nine men's morris, four men against three that fly: some seconds"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let men = options.get("men");
        let diagonals = [Diagonals::None, Diagonals::Mills, Diagonals::All][options.get("diagonals")];
        let (points, mills) = board(men, diagonals)?;
        let flies = options.get("fly") == 0;
        let stage = stage_of(options.text("stage"));
        if let Some((most, _)) = stage.filter(|(most, _)| *most > men) {
            refuse!("stage={}: {most} is more than men={men}", options.text("stage"));
        }
        let through = |point: usize| mills.iter().copied().filter(|mill| mill >> point & 1 != 0).collect();
        let symmetries = Arc::new(points.symmetries_of(&[points.row_sets(2), mills.clone()].concat()));
        // The other boards have more such symmetries than can be listed, or no others than these.
        let rings = flies && men > 6;
        let flying = if rings { Arc::new(points.symmetries_of(&mills)) } else { symmetries.clone() };
        let through = (0..points.text().cells()).map(through).collect();
        Ok(Morris { points, mills, through, men, flies, stage, symmetries, flying })
    }

    fn show(&self, turn: Turn, p: MorrisMen) -> String {
        let hands = self.by_turn(turn, p.put.into()).map(|men| men as u32);
        show_hands(format!("{}_{}", turn.digit(), self.pieces(turn, p)), hands)
    }

    fn read(&self, text: &str) -> Result<(Turn, MorrisMen), Complaint> {
        let (board, hands) = read_hands::<2>(text)?;
        let (turn, Pair { own, other }) = self.points.text().read(self, board)?;
        let hands = hands.map(|men| men as usize);
        let put = self.all().saturating_sub(hands[0] + hands[1]);
        let p = MorrisMen { own, other, put: put as u8 };
        let men = self.men;
        let in_turn = put == self.all() || put % 2 == usize::from(turn == Turn::Second);
        let why = if in_turn && hands == self.by_turn(turn, put) {
            self.impossible(p)
        } else {
            Some(format!(
                "x begins with {men} men in hand and both put one in turn, so they have as many left when 1 is to \
                 move and x has one less when 2 is"
            ))
        };
        why.map_or(Ok((turn, p)), |why| Err(Complaint::position(text, why)))
    }

    fn show_move(&self, _: Turn, _: MorrisMen, m: Go) -> String {
        let taken = m.taken.map_or_else(String::new, |man| format!("x{}", self.points.name(man.into())));
        m.step.show(|point| self.points.name(point).into()) + &taken
    }

    fn board(&self) -> Board {
        let side = |name, letter| Side::alike(name, "man", letter, ' ');
        Board { sides: vec![side("White", 'x'), side("Black", 'o')], ..self.points.board() }
    }

    fn pieces(&self, turn: Turn, p: MorrisMen) -> String {
        self.points.text().pieces(turn, p.pair())
    }

    fn draw(&self, _: Turn, _: MorrisMen, Go { step, taken }: Go) -> Drawing {
        let take = |man: u8| Drawing::Take { from: step.from.into(), to: step.to.into(), taken: man.into() };
        taken.map_or(step.draw(), take)
    }
}

impl Morris {
    /// The men in hand of the first player and of the second.
    fn by_turn(&self, turn: Turn, put: usize) -> [usize; 2] {
        let [own, other] = self.hands(put);
        if turn == Turn::First { [own, other] } else { [other, own] }
    }

    /// The reason why no game leads to a position, where this is easy to see.
    fn impossible(&self, p: MorrisMen) -> Option<String> {
        let [own, other] = [p.own, p.other].map(|men| men.count_ones() as usize);
        let put = usize::from(p.put);
        let hands = self.hands(put);
        if own + hands[0] > self.men || other + hands[1] > self.men {
            return Some(format!("a player has more than {} men", self.men));
        }
        if other + hands[1] < FEW || own + hands[0] < FEW - 1 {
            return Some("the game was over when a player had fewer than three men".into());
        }
        // The third man is the first that can close a mill, and each man closes one mill at the most.
        let mills = |put: usize| put.saturating_sub(FEW - 1);
        let lost = [self.men - own - hands[0], self.men - other - hands[1]];
        let placing = put < self.all();
        if placing && (lost[0] > mills(self.men - hands[1]) || lost[1] > mills(self.men - hands[0])) {
            return Some("more men are missing than mills can have been closed".into());
        }
        let beyond = |(a, b): (usize, usize)| own.max(other) > a || own.min(other) > b || placing;
        self.stage
            .filter(|stage| beyond(*stage))
            .map(|(a, b)| format!("stage={a}-{b} has no more men than that"))
    }
}

/// The men of the fuller side and of the other.
fn stage_of(text: &str) -> Option<(usize, usize)> {
    let (a, b) = text.split_once('-')?;
    let (a, b): (usize, usize) = (whole_number(a)?, whole_number(b)?);
    Some((a.max(b), a.min(b))).filter(|(a, b)| *a <= 9 && *b >= FEW)
}

fn read_stage(text: &str) -> Result<String, Complaint> {
    let want =
        || Complaint::new(format!("stage={}: want the men of each side, 3 to 9, as in 4-3", quoted(text)));
    stage_of(text).map(|(a, b)| format!("{a}-{b}")).ok_or_else(want)
}
