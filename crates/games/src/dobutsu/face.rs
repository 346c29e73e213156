//! Options, text and picture of Dobutsu shogi.

use zermelo_core::diagram::Diagram;
use zermelo_core::prelude::*;

use super::men::{CHICK, DobutsuMen, ELEPHANT, Field, GIRAFFE, LION, OTHER, WORTH, at, held, lions};
use super::numbers::{Others, lion_pairs};
use super::{DROP, DROPPED, Dobutsu, Move, TAKEN};

/// The letters of the men, from 1; those of the second player are small.
const LETTERS: &[u8] = b"-CEGHL";
const NAMES: [&str; 6] = ["", "chick", "elephant", "giraffe", "hen", "lion"];

/// The letter of a man on a cell, as the first player sees it.
fn letter(man: u64) -> char {
    let letter = char::from(LETTERS[(man & 7).min(5) as usize]);
    if man < OTHER { letter } else { letter.to_ascii_lowercase() }
}

fn man_of(letter: char) -> Option<u64> {
    let man = LETTERS.iter().position(|l| char::from(*l) == letter.to_ascii_uppercase())? as u64;
    Some(if letter.is_ascii_lowercase() { man + OTHER } else { man })
}

impl Dobutsu {
    fn grid(&self) -> Grid {
        Grid::new(self.rows as usize, 3)
    }

    /// The position as the first player sees it.
    fn seen_by_first(&self, turn: Turn, p: DobutsuMen) -> DobutsuMen {
        if turn == Turn::First { p } else { self.turned(p) }
    }

    /// The cell of the picture. The second player's own cells are turned round.
    fn cell(&self, turn: Turn, cell: u8) -> usize {
        let last = self.field.cells as usize - 1;
        if turn == Turn::First { cell.into() } else { last - usize::from(cell) }
    }

    /// The letters of the men in a hand.
    fn hand(hand: u8, side: u64) -> impl Iterator<Item = char> {
        let men = DROPPED.into_iter().flat_map(move |man| (0..held(hand, man)).map(move |_| man + side));
        men.map(letter)
    }

    /// The reason why a position, as the mover sees it, cannot arise.
    fn flaw(&self, p: DobutsuMen) -> Option<String> {
        let [lion, other] = lions(p.board).map(|lions| lions.count_ones());
        if p == TAKEN {
            return None;
        }
        if (lion, other) != (1, 1) {
            return Some(
                "each player has one lion L or l; where one was taken the other stands at home alone".into(),
            );
        }
        if lions(p.board)[0] & self.field.far != 0 {
            return Some(
                "the lion of the player to move is on the far row, so the game was over before".into(),
            );
        }
        let men = (0..self.field.cells).map(|cell| at(p.board, cell));
        for man in DROPPED {
            let counts = |m: &u64| *m != 0 && WORTH[*m as usize] == WORTH[man as usize];
            let all = men.clone().filter(counts).count()
                + p.hands.map(|h| usize::from(held(h, man))).iter().sum::<usize>();
            let want = usize::from(held(self.pairs, man));
            if all != want {
                let name = NAMES[man as usize];
                return Some(format!(
                    "there are {all} of the {name}s on the board and in hand, and not {want}"
                ));
            }
        }
        None
    }

    /// Reads the cells and the hands, as the first player sees them.
    fn parse(&self, cells: &str, hands: &str) -> Result<DobutsuMen, String> {
        let (mut board, mut n) = (0, 0);
        for ch in cells.chars().filter(|c| !matches!(c, '/' | ' ')) {
            let man = man_of(ch)
                .ok_or_else(|| format!("{ch:?} is not one of L, G, E, C, H, their small letters, and -"))?;
            board |= if n < self.field.cells { man << (4 * n) } else { 0 };
            n += 1;
        }
        if n != self.field.cells {
            return Err(format!("there are {n} cells, and not {}", self.field.cells));
        }
        let mut sums = [[0u8; 3]; 2];
        for ch in hands.chars().filter(|c| *c != '-') {
            let man = man_of(ch).unwrap_or(0);
            let kind = DROPPED.iter().position(|kind| *kind == man & 7);
            let kind =
                kind.ok_or_else(|| format!("{ch:?} in hand is not one of G, E, C and their small letters"))?;
            let count = &mut sums[usize::from(man >= OTHER)][kind];
            *count += 1;
            if *count > 2 {
                return Err(format!("there are more than two {ch} in hand"));
            }
        }
        let hand = |counts: [u8; 3]| (0..3).map(|k| counts[k] * WORTH[DROPPED[k] as usize]).sum();
        Ok(DobutsuMen { board, hands: sums.map(hand) })
    }
}

impl Packed for DobutsuMen {
    fn pack(self) -> [u64; 2] {
        [self.board, u64::from(self.hands[0]) | u64::from(self.hands[1]) << 8]
    }

    fn unpack([board, hands]: [u64; 2]) -> DobutsuMen {
        DobutsuMen { board, hands: [hands as u8, (hands >> 8) as u8] }
    }
}

impl Face for Dobutsu {
    const CARD: Card = Card {
        name: "dobutsu",
        revision: 1,
        title: "Dobutsu shogi",
        summary: "shogi with four animals: take the lion, or bring yours across",
        rules: "A chick steps straight forward, a giraffe to the four sides, an elephant to the four corners, a lion to \
                all eight neighbours, a hen to all but the two corners behind. A man who steps on one of the other \
                player takes him into the hand, a hen as a chick; instead of a step a man in hand may be dropped on \
                any empty cell. A chick that steps onto the far row becomes a hen, one that is dropped there stays a \
                chick. Whoever takes the lion wins, and whoever brings their lion to the far row where it cannot be \
                taken at once. A lion that can be taken is taken; who cannot move has lost. Play that goes round in circles is a draw.",
        notation: "A position is the player to move, 1 or 2, then _ and the cells row by row from the second player's \
                   end: L, G, E, C, H for the first player's lion, giraffe, elephant, chick and hen, small letters for \
                   the second's, - for empty; then, if there are any, _ and the men in hand: \
                   1_gle-c--C-ELG, 2_-l-g------L-_CCEEg. Where a lion was taken, the other stands at home alone. A \
                   move names two cells, as in b2-b3, or a man from the hand and a cell, as in C*b2.",
        options: &[
            Choice::number("rows", "rows of the board, of three cells each", (3, 5), 4),
            Choice::number("chicks", "pairs of chicks", (0, 1), 1),
            Choice::number("elephants", "pairs of elephants", (0, 1), 1),
            Choice::number("giraffes", "pairs of giraffes", (0, 1), 1),
        ],
        examples: &[
            ("elephants=0,giraffes=0", "lions and chicks: solved in a blink"),
            ("elephants=0", "lions, giraffes and chicks: 6 million positions, two seconds"),
            (
                "",
                "the whole game: 640 million numbers, 2 GB and some minutes of one processor; the first player loses in 78",
            ),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let rows = options.get("rows") as u32;
        if rows == 3 && options.get("chicks") > 0 {
            refuse!("rows=3 has no room for chicks: give chicks=0 or rows=4");
        }
        let kinds = [(CHICK, "chicks"), (ELEPHANT, "elephants"), (GIRAFFE, "giraffes")];
        let kinds = kinds.into_iter().filter(|(_, name)| options.get(name) > 0).map(|(man, _)| man);
        let field = Field::new(rows);
        let home = |man: u64| match man {
            CHICK => field.cells - 5,
            ELEPHANT => field.cells - 3,
            _ => field.cells - 1,
        };
        let side =
            kinds.clone().fold(LION << (4 * (field.cells - 2)), |board, man| board | man << (4 * home(man)));
        let pairs = kinds.map(|man| 2 * WORTH[man as usize]).sum();
        let Some(others) = Diagram::new(&Others { cells: field.cells as usize - 2, pairs }) else {
            refuse!("this board is too large to be numbered")
        };
        let (lions, places) = lion_pairs(&field);
        let start = DobutsuMen { board: side | field.turned(side), hands: [0, 0] };
        Ok(Dobutsu { rows, field, pairs, start, others, lions, places })
    }

    fn show(&self, turn: Turn, p: DobutsuMen) -> String {
        let DobutsuMen { board, hands } = self.seen_by_first(turn, p);
        let cells: String = (0..self.field.cells).map(|cell| letter(at(board, cell))).collect();
        let held: String = Self::hand(hands[0], 0).chain(Self::hand(hands[1], OTHER)).collect();
        let hands = if held.is_empty() { held } else { format!("_{held}") };
        format!("{}_{cells}{hands}", turn.digit())
    }

    fn read(&self, text: &str) -> Result<(Turn, DobutsuMen), Complaint> {
        let wrong = |why: String| Complaint::position(text, format!("{why}, as in {}", self.sample()));
        let (turn, rest) = Turn::split(self, text.trim())?;
        let (cells, hands) = rest.split_once('_').unwrap_or((rest, ""));
        if hands.contains('_') {
            return Err(wrong("after the cells and the men in hand there is nothing more".into()));
        }
        let p = self.seen_by_first(turn, self.parse(cells, hands).map_err(wrong)?);
        self.flaw(p).map_or(Ok((turn, p)), |why| Err(wrong(why)))
    }

    fn show_move(&self, turn: Turn, _: DobutsuMen, m: Move) -> String {
        let name = |cell| self.grid().name(self.cell(turn, cell));
        if m.from >= DROP {
            return format!("{}*{}", letter(u64::from(m.from - DROP)), name(m.to));
        }
        format!("{}-{}", name(m.from), name(m.to))
    }

    // The second player's hand is to the left of the board, the first's to the right: two cells for each kind.
    fn board(&self) -> Board {
        let mut board = self.grid().board();
        board.cells.iter_mut().for_each(|cell| cell.0 += 2.5);
        for (side, columns) in [(0, ['r', 's']), (1, ['p', 'q'])] {
            for kind in 0..3 {
                for (n, column) in columns.into_iter().enumerate() {
                    let row = if side == 0 { kind + 1 } else { self.rows as usize - kind };
                    let x = if side == 0 { 6.5 } else { 0.5 } + n as f32;
                    board.cells.push((x, (self.rows as usize - row) as f32 + 0.5));
                    board.names.push(format!("{column}{row}"));
                }
            }
        }
        board.width = 8.0;
        let man =
            |man: u64| Man { letter: letter(man), sign: letter(man), name: NAMES[(man & 7) as usize].into() };
        let side = |name: &str, other| Side {
            name: name.into(),
            men: (CHICK..=LION).rev().map(|m| man(m + other)).collect(),
        };
        board.sides = vec![side("Black", 0), side("White", OTHER)];
        board
    }

    fn pieces(&self, turn: Turn, p: DobutsuMen) -> String {
        let DobutsuMen { board, hands } = self.seen_by_first(turn, p);
        let mut pieces: String = (0..self.field.cells).map(|cell| letter(at(board, cell))).collect();
        for (hand, side) in hands.into_iter().zip([0, OTHER]) {
            for man in DROPPED {
                pieces.extend((0..2).map(|n| if n < held(hand, man) { letter(man + side) } else { '-' }));
            }
        }
        pieces
    }

    fn draw(&self, turn: Turn, p: DobutsuMen, m: Move) -> Drawing {
        let to = self.cell(turn, m.to);
        if m.from < DROP {
            return Drawing::Arrow(self.cell(turn, m.from), to);
        }
        let man = u64::from(m.from - DROP);
        let kind = man.saturating_sub(1) as usize;
        let last = usize::from(held(p.hands[0], man).saturating_sub(1));
        let side = if turn == Turn::First { 0 } else { 6 };
        Drawing::Arrow(self.field.cells as usize + side + 2 * kind + last, to)
    }
}
