//! A game of nine positions in three tiers that obeys every law, and can be made to break any one of them.
//!
//! ```text
//!   tier 2          0 (start)
//!                 / | \
//!   tier 1       1->2  3     1 moves to 2 and 3, which are symmetric and share number 2; number 1 is a hole
//!                 \ | /
//!   tier 0     4 <-> 5, 6 (lost), 7 (tied), 8 (never reached: moves to 4)
//! ```

use std::ops::Range;

use zermelo_core::{
    Board, Card, Complaint, Drawing, Face, Flow, Game, Options, Outcome, Packed, Tier, Tiers, Turn, Unmove,
};

/// One fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    None,
    /// Position 7 is numbered past the end of its tier.
    RankTooHigh,
    /// Numbers 0 and 1 of tier 0 give each other's position.
    Swapped,
    /// Position 7 has the number of a hole.
    Hole,
    /// Position 5 has position 4's number, and other moves.
    FalseTwin,
    /// Position 7 has position 6's number, and another outcome.
    FalseEnd,
    /// Position 3 is in tier 0, and its canonical position in tier 1.
    TwinElsewhere,
    /// Tier 1 declares no children.
    Undeclared,
    /// The tier of position 4 has too high a name.
    HighName,
    /// Tier 0 declares tier 2.
    Cycle,
    /// Tier 0 declares itself.
    OwnChild,
    /// Position 5 has no moves.
    Stuck,
    /// Copies of 2 and 3 are too few.
    FewCopies,
    /// Copies of 4 are too many.
    ManyCopies,
    /// A scan leaves position 5 out.
    ScanSkips,
    /// A scan gives 3 for 2.
    ScanOther,
    /// A scan of part of a tier begins at the tier's first number.
    ScanFromStart,
    /// A scan of part of a tier runs to the tier's end.
    ScanToEnd,
    /// Position 2 moves to 1, a lower number of a rising tier.
    Falls,
    /// Tier 1 says that all its moves leave it.
    Stays,
    /// 4 has no unmove to 5.
    NoUnmove,
    /// 5 has an unmove to itself.
    FalseUnmove,
    /// 4 has an unmove to 2, in another tier.
    StrayUnmove,
    /// A complaint offers what is no position.
    BadSample,
    /// 6 reads as 7.
    Misread,
    /// 5 cannot be read.
    Unread,
    /// The turn is lost in reading 1.
    TurnLost,
    /// Both moves of 4 have one name.
    OneName,
    /// The names of both moves of 4 differ in case alone, and people type either.
    OneNameInCapitals,
    /// A move of 4 has a blank in its name, which parts moves.
    BlankInName,
    /// Both moves of 4 look the same.
    OneDrawing,
    /// A move of 4 is drawn off the board.
    OffBoard,
    /// 7 shows a piece too few.
    FewPieces,
    /// Position 8, which is numbered and never reached, has no moves.
    UnreachedStuck,
    /// Position 8 moves into tier 2, which is not declared.
    UnreachedStray,
    /// Position 4 says that it has one move.
    Mobility,
    /// The start alone gives the number of moves made before it.
    Ply,
    /// The canonical position of 4 has the other player to move, again and again.
    Turned,
    /// Tier 1 alone is to be solved.
    NoRoot,
    /// Tiers 1 and 2 have one name.
    OneTierName,
    /// The name of tier 0 is blank.
    BlankTierName,
    /// The name of tier 0 has two lines.
    TwoLines,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct P(pub(crate) u8);

pub(crate) struct Toy(pub(crate) Fault);

pub(crate) const TIERS: [Tier; 3] = [Tier(0), Tier(1), Tier(2)];

/// Tier, number and moves of each position.
const TABLE: [(u64, u64, &[u8]); 9] = [
    (2, 0, &[1, 2, 3]),
    (1, 0, &[2, 3, 6]),
    (1, 2, &[4, 6]),
    (1, 2, &[4, 6]),
    (0, 0, &[5, 7]),
    (0, 1, &[4, 6]),
    (0, 2, &[]),
    (0, 3, &[]),
    (0, 5, &[4]),
];

const SIZES: [u64; 3] = [6, 3, 1];

impl Game for Toy {
    type Position = P;
    type Move = u8;

    fn start(&self) -> P {
        P(0)
    }
    fn outcome(&self, p: P) -> Option<Outcome> {
        match p {
            P(6) => Some(Outcome::Lose),
            P(7) => Some(Outcome::Tie),
            _ => None,
        }
    }
    fn moves(&self, p: P, visit: impl FnMut(u8)) {
        let moves: &[u8] = match (self.0, p) {
            (Fault::Stuck, P(5)) | (Fault::UnreachedStuck, P(8)) => &[],
            (Fault::UnreachedStray, P(8)) => &[0],
            (Fault::Falls, P(2 | 3)) => &[4, 6, 1],
            _ => TABLE[p.0 as usize].2,
        };
        moves.iter().copied().for_each(visit);
    }
    fn mobility(&self, p: P) -> u64 {
        let mut count = 0;
        self.moves(p, |_| count += 1);
        if (self.0, p) == (Fault::Mobility, P(4)) { 1 } else { count }
    }
    fn play(&self, _: P, to: u8) -> P {
        P(to)
    }
    fn ply(&self, p: P) -> Option<u32> {
        ((self.0, p) == (Fault::Ply, P(0))).then_some(0)
    }
}

impl Tiers for Toy {
    type Index = Tier;

    fn roots(&self) -> Vec<Tier> {
        vec![if self.0 == Fault::NoRoot { Tier(1) } else { Tier(2) }]
    }
    fn name(&self, t: Tier) -> String {
        match (self.0, t.0) {
            (Fault::OneTierName, 1 | 2) => "upper".into(),
            (Fault::BlankTierName, 0) => " ".into(),
            (Fault::TwoLines, 0) => "the\nlowest".into(),
            _ => t.to_string(),
        }
    }
    fn canonical_turn(&self, turn: Turn, p: P) -> (Turn, P) {
        let turn = if (self.0, p) == (Fault::Turned, P(4)) { turn.other() } else { turn };
        (turn, self.canonical(p))
    }
    fn tier(&self, p: P) -> Tier {
        match (self.0, p) {
            (Fault::TwinElsewhere, P(3)) => Tier(0),
            (Fault::HighName, P(4)) => Tier(1 << 63),
            _ => Tier(TABLE[p.0 as usize].0),
        }
    }
    fn children(&self, t: Tier) -> Vec<Tier> {
        match (self.0, t.0) {
            (Fault::Undeclared, 1) => vec![],
            (Fault::HighName, 1) => vec![Tier(0), Tier(1 << 63)],
            (Fault::Cycle, 0) => vec![Tier(2)],
            (Fault::OwnChild, 0) => vec![Tier(0)],
            (Fault::TwinElsewhere, 2) => vec![Tier(1), Tier(0)],
            (_, 0) => vec![],
            (_, n) => vec![Tier(n - 1)],
        }
    }
    fn flow(&self, t: Tier) -> Flow {
        match (self.0, t.0) {
            (Fault::Stays, 1) | (_, 2) => Flow::Leaves,
            (_, 1) => Flow::Rises,
            _ => Flow::Loops,
        }
    }
    fn size(&self, t: Tier) -> u64 {
        SIZES[t.0 as usize]
    }
    /// A number of bytes above 0, so that a test can allow less.
    fn index_bytes(&self) -> u64 {
        100
    }
    fn index(&self, t: Tier) -> Tier {
        t
    }
    fn rank(&self, _: &Tier, p: P) -> u64 {
        match (self.0, p) {
            (Fault::RankTooHigh, P(7)) => 6,
            (Fault::Hole, P(7)) => 4,
            (Fault::FalseTwin, P(5)) => 0,
            (Fault::FalseEnd, P(7)) => 2,
            _ => TABLE[p.0 as usize].1,
        }
    }
    fn unrank(&self, t: &Tier, i: u64) -> Option<P> {
        match (self.0, t.0, i) {
            (Fault::Swapped, 0, 0) => return Some(P(5)),
            (Fault::Swapped, 0, 1) => return Some(P(4)),
            (Fault::FalseTwin, 0, 1) | (Fault::FalseEnd | Fault::Hole, 0, 3) => return None,
            _ => {}
        }
        (0..9).find(|p| TABLE[*p as usize].0 == t.0 && TABLE[*p as usize].1 == i).map(P)
    }
    fn copies(&self, _: &Tier, p: P) -> u64 {
        match (self.0, p) {
            (Fault::FewCopies, P(2 | 3)) => 1,
            (Fault::ManyCopies, P(4)) => 2,
            (_, P(2 | 3)) => 2,
            _ => 1,
        }
    }
    fn scan(&self, t: &Tier, range: Range<u64>, mut visit: impl FnMut(u64, P)) {
        let range = match self.0 {
            Fault::ScanFromStart => 0..range.end,
            Fault::ScanToEnd => range.start..self.size(*t),
            _ => range,
        };
        for i in range {
            match (self.0, self.unrank(t, i)) {
                (Fault::ScanSkips, Some(P(5))) | (_, None) => {}
                (Fault::ScanOther, Some(P(2))) => visit(i, P(3)),
                (_, Some(p)) => visit(i, p),
            }
        }
    }
}

impl Unmove for Toy {
    fn unmoves(&self, p: P, mut visit: impl FnMut(P)) {
        let before: &[u8] = match (self.0, p.0) {
            (Fault::NoUnmove, 4) => &[8],
            (Fault::FalseUnmove, 5) => &[4, 5],
            (Fault::StrayUnmove, 4) => &[5, 8, 2],
            // A position that is over, and a repeat, do no harm.
            (_, 4) => &[5, 8, 6, 5],
            (_, 5) => &[4],
            (_, 6) => &[5],
            (_, 7) => &[4],
            (_, 2 | 3) => &[1],
            _ => &[],
        };
        before.iter().for_each(|q| visit(P(*q)));
    }
}

impl Packed for P {
    fn pack(self) -> [u64; 2] {
        self.0.pack()
    }
    fn unpack(packed: [u64; 2]) -> P {
        P(u8::unpack(packed))
    }
}

impl Face for Toy {
    const CARD: Card = Card {
        name: "toy",
        revision: 1,
        title: "Toy",
        summary: "",
        rules: "",
        notation: "",
        options: &[],
        examples: &[],
    };

    fn new(_: &Options) -> Result<Toy, Complaint> {
        Ok(Toy(Fault::None))
    }
    fn show(&self, turn: Turn, p: P) -> String {
        format!("{}_{}", turn.digit(), p.0)
    }
    fn read(&self, text: &str) -> Result<(Turn, P), Complaint> {
        let (turn, p) = text.split_once('_').ok_or_else(|| Complaint::new("want a turn, _ and a digit"))?;
        let turn = if turn == "1" { Turn::First } else { Turn::Second };
        match (self.0, p) {
            (Fault::Misread, "6") => Ok((turn, P(7))),
            (Fault::Unread, "5") => Err(Complaint::new("cannot be")),
            (Fault::TurnLost, "1") => Ok((Turn::First, P(1))),
            _ => {
                let sample = if self.0 == Fault::BadSample { "1_z" } else { "1_0" };
                let bad = |_| Complaint::new(format!("want a digit, as in {sample}"));
                Ok((turn, P(p.parse().map_err(bad)?)))
            }
        }
    }
    fn show_move(&self, _: Turn, p: P, m: u8) -> String {
        match (self.0, p, m) {
            (Fault::OneName, P(4), _) => "x".into(),
            (Fault::OneNameInCapitals, P(4), 5) => "x".into(),
            (Fault::OneNameInCapitals, P(4), _) => "X".into(),
            (Fault::BlankInName, P(4), 5) => "to five".into(),
            _ => m.to_string(),
        }
    }
    fn board(&self) -> Board {
        Board {
            width: 9.0,
            height: 1.0,
            cells: vec![(0.5, 0.5); 9],
            names: (0..9).map(|n| n.to_string()).collect(),
            ..Board::default()
        }
    }
    fn pieces(&self, _: Turn, p: P) -> String {
        "-".repeat(if (self.0, p) == (Fault::FewPieces, P(7)) { 8 } else { 9 })
    }
    fn draw(&self, _: Turn, p: P, m: u8) -> Drawing {
        match (self.0, p) {
            (Fault::OneDrawing, P(4)) => Drawing::Cell(0),
            (Fault::OffBoard, P(4)) => Drawing::Arrow(m.into(), 9),
            _ => Drawing::Cell(m.into()),
        }
    }
}
