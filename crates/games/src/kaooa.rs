//! Kaooa: seven crows try to shut in a vulture on the ten points of a five-pointed star, before it
//! takes four of them.
//!
//! The players are not alike, so a position includes whose turn it is. While crows are put, a tier is the number of
//! crows put, the number that stand and whose turn it is, and every move leaves it. After that play can go round in
//! circles, and a tier has both turns; a crow taken leaves it for good.

use std::f32::consts::PI;
use std::sync::Arc;

use zermelo_core::prelude::*;
use zermelo_core::rank::FoldedPair;

/// Kaooa, the game of crows and a vulture, with its jumps worked out.
pub struct Kaooa {
    points: Points,
    /// By point: the jumps from it, each as the point jumped over and the point where it ends.
    jumps: Vec<Vec<(usize, usize)>>,
    crows: u32,
    /// The number of crows taken that wins.
    enough: u32,
    /// Whether the vulture has to take a crow if it can.
    must: bool,
    symmetries: Arc<Symmetries>,
}

/// The places of the birds, the number of crows put, and whether it is the vulture's turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Birds {
    crows: u64,
    vulture: u64,
    put: u32,
    hunts: bool,
}

impl Birds {
    /// The number of crows taken.
    fn taken(self) -> u32 {
        self.put - self.crows.count_ones()
    }
}

/// The turns that a tier has, as the lowest four bits of its number.
const CROWS: u64 = 0;
const VULTURE: u64 = 1;
const BOTH: u64 = 2;

/// The numbers of a tier.
pub struct KaooaNumbers {
    birds: FoldedPair,
    put: u32,
    turns: u64,
}

impl Kaooa {
    fn empty(&self, p: Birds) -> u64 {
        self.points.full() & !(p.crows | p.vulture)
    }

    /// The crows that the vulture can take, each with the point where the vulture lands.
    fn captures(&self, p: Birds) -> impl Iterator<Item = (usize, usize)> {
        let empty = self.empty(p);
        let jumps = members(p.vulture).flat_map(|at| self.jumps[at].iter().copied());
        jumps.filter(move |(over, to)| p.crows >> over & 1 != 0 && empty >> to & 1 != 0)
    }

    /// The points that a bird can step to.
    fn steps(&self, p: Birds, from: usize) -> impl Iterator<Item = usize> {
        members(self.points.near(from) & self.empty(p))
    }

    fn tier_of(&self, put: u32, standing: u32, hunts: bool) -> Tier {
        let turns = if put == self.crows && put - standing < self.enough { BOTH } else { hunts.into() };
        Tier(u64::from(put << 8 | standing << 4) | turns)
    }

    /// The number of vultures on the board, of crows on the board, and of turns that the tier has.
    fn shape(&self, t: Tier) -> (usize, usize, u64) {
        let (put, standing, turns) = parts(t);
        let vulture = put > 1 || put == 1 && turns == CROWS;
        (vulture.into(), standing as usize, if turns == BOTH { 2 } else { 1 })
    }
}

/// The number of crows put, the number of crows that stand, and whose turns the tier has.
fn parts(t: Tier) -> (u32, u32, u64) {
    ((t.0 >> 8) as u32, (t.0 >> 4 & 15) as u32, t.0 & 15)
}

impl Game for Kaooa {
    type Position = Birds;
    type Move = Step;

    const LAST_WINS: bool = true;

    fn start(&self) -> Birds {
        Birds { crows: 0, vulture: 0, put: 0, hunts: false }
    }

    fn outcome(&self, p: Birds) -> Option<Outcome> {
        let mut stuck = true;
        self.moves(p, |_| stuck = false);
        (p.taken() >= self.enough || stuck).then_some(Outcome::Lose)
    }

    fn moves(&self, p: Birds, mut visit: impl FnMut(Step)) {
        let mut go = |from, to| visit(Step::new(from, to));
        if if p.hunts { p.vulture == 0 } else { p.put < self.crows } {
            return members(self.empty(p)).for_each(|to| go(to, to));
        }
        if !p.hunts {
            return members(p.crows).for_each(|from| self.steps(p, from).for_each(|to| go(from, to)));
        }
        let (from, mut free) = (p.vulture.trailing_zeros() as usize, true);
        self.captures(p).for_each(|(_, to)| {
            free = !self.must;
            go(from, to);
        });
        if free {
            self.steps(p, from).for_each(|to| go(from, to));
        }
    }

    fn play(&self, p: Birds, m: Step) -> Birds {
        if !p.hunts {
            let put = p.put + u32::from(m.is_put());
            return Birds { crows: m.moved(p.crows), put, hunts: true, ..p };
        }
        let jump = self.jumps[usize::from(m.from)].iter().find(|(_, to)| *to == usize::from(m.to));
        let taken = jump.map_or(0, |(over, _)| 1 << over);
        Birds { crows: p.crows & !taken, vulture: m.moved(p.vulture), hunts: false, ..p }
    }
}

impl Tiers for Kaooa {
    type Index = KaooaNumbers;

    fn tier(&self, p: Birds) -> Tier {
        self.tier_of(p.put, p.crows.count_ones(), p.hunts)
    }

    fn name(&self, t: Tier) -> String {
        let (put, standing, turns) = parts(t);
        let mover = match turns {
            CROWS => "crows to move",
            VULTURE => "vulture to move",
            _ => "either to move",
        };
        format!("{put} of {} crows put, {standing} stand, {mover}", self.crows)
    }

    fn children(&self, t: Tier) -> Vec<Tier> {
        let (put, standing, turns) = parts(t);
        let take = || standing.checked_sub(1).map(|left| self.tier_of(put, left, false));
        match turns {
            CROWS if put - standing >= self.enough => vec![],
            CROWS => vec![self.tier_of(put + 1, standing + 1, true)],
            VULTURE if put == 1 => vec![self.tier_of(put, standing, false)],
            VULTURE => take().into_iter().chain([self.tier_of(put, standing, false)]).collect(),
            _ => take().into_iter().collect(),
        }
    }

    fn flow(&self, t: Tier) -> Flow {
        if parts(t).2 == BOTH { Flow::Loops } else { Flow::Leaves }
    }

    fn size(&self, t: Tier) -> u64 {
        let (vulture, crows, turns) = self.shape(t);
        FoldedPair::size_of(&self.symmetries, vulture, crows) * turns
    }

    fn index(&self, t: Tier) -> KaooaNumbers {
        let ((vulture, crows, _), (put, _, turns)) = (self.shape(t), parts(t));
        KaooaNumbers { birds: FoldedPair::new(&self.symmetries, vulture, crows), put, turns }
    }

    fn rank(&self, index: &KaooaNumbers, p: Birds) -> u64 {
        let half = if index.turns == BOTH && p.hunts { index.birds.size() } else { 0 };
        half + index.birds.rank(p.vulture, p.crows)
    }

    fn unrank(&self, index: &KaooaNumbers, i: u64) -> Option<Birds> {
        let half = i.checked_sub(index.birds.size());
        let (vulture, crows) = index.birds.unrank(half.unwrap_or(i))?;
        Some(Birds { crows, vulture, put: index.put, hunts: half.is_some() || index.turns == VULTURE })
    }

    fn copies(&self, _: &KaooaNumbers, p: Birds) -> u64 {
        self.symmetries.images(p.vulture, p.crows)
    }
}

impl Unmove for Kaooa {
    fn unmoves(&self, p: Birds, mut visit: impl FnMut(Birds)) {
        if self.flow(self.tier(p)) != Flow::Loops {
            return;
        }
        let came = if p.hunts { p.crows } else { p.vulture };
        for to in members(came) {
            for from in self.steps(p, to) {
                let before = came & !(1 << to) | 1 << from;
                let q = match p.hunts {
                    true => Birds { crows: before, hunts: false, ..p },
                    false => Birds { vulture: before, hunts: true, ..p },
                };
                // A vulture that had to take a crow did not step.
                if !(q.hunts && self.must && self.captures(q).next().is_some()) {
                    visit(q);
                }
            }
        }
    }
}

impl Packed for Birds {
    fn pack(self) -> [u64; 2] {
        [self.crows << 16 | self.vulture, u64::from(self.put << 1 | u32::from(self.hunts))]
    }

    fn unpack([birds, rest]: [u64; 2]) -> Birds {
        Birds { crows: birds >> 16, vulture: birds & 0xffff, put: (rest >> 1) as u32, hunts: rest & 1 != 0 }
    }
}

impl Face for Kaooa {
    const CARD: Card = Card {
        name: "kaooa",
        revision: 1,
        title: "Kaooa",
        summary: "seven crows against a vulture on a star; play can go round in circles",
        rules: "The board is the ten points of a five-pointed star. The first player puts crows on empty points, one a \
                turn; when all are put, a crow moves along a line to the next point. The second player puts the \
                vulture after the first crow. From then on it moves along a line to the next point, or jumps along a \
                line over a crow next to it onto the empty point behind, and takes the crow. With capture=must it has \
                to jump if it can. The vulture wins when it has taken `enough` crows, the crows when it cannot move.",
        notation: "A position is the player to move, 1 for the crows and 2 for the vulture, then _ and the points, the \
                   tips from the top and then the crossings, both by the clock: x for a crow, o for the vulture, - for \
                   empty; then, while there are crows in hand, _ and how many, as in 2_x---------_6. A move names \
                   points by their numbers: 3 puts a bird, 3-8 moves one.",
        options: &[
            Choice::number("crows", "crows to put", (4, 8), 7),
            Choice::number("enough", "crows taken that win", (1, 8), 4),
            Choice::word("capture", "whether the vulture has to take a crow if it can", &["may", "must"]),
        ],
        examples: &[
            ("", "solved in a blink: the crows win in 15"),
            ("capture=must", "the vulture has to take: the crows win in 15 as well"),
            ("crows=6,enough=3", "one crow less: a draw"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let (crows, enough) = (options.get("crows") as u32, options.get("enough") as u32);
        if enough > crows {
            refuse!("enough={enough} is more than crows={crows}");
        }
        let points = star();
        let mut jumps = vec![vec![]; 10];
        points.jumps().for_each(|[from, over, to]| jumps[from].push((over, to)));
        let symmetries = Arc::new(points.symmetries_of(&points.row_sets(2)));
        Ok(Kaooa { points, jumps, crows, enough, must: options.get("capture") == 1, symmetries })
    }

    fn show(&self, turn: Turn, p: Birds) -> String {
        show_hands(format!("{}_{}", turn.digit(), self.pieces(turn, p)), [self.crows - p.put])
    }

    fn read(&self, text: &str) -> Result<(Turn, Birds), Complaint> {
        let (board, [hand]) = read_hands::<1>(text)?;
        let (turn, p) = self.points.text().read(self, board)?;
        let hunts = turn == Turn::Second;
        let [crows, vulture] = p.by_player(turn);
        let impossible = |why: String| Err(Complaint::position(text, why));
        let Some(put) = self.crows.checked_sub(hand).filter(|put| *put >= crows.count_ones()) else {
            return impossible(format!("there are {} crows, on the board and in hand", self.crows));
        };
        let p = Birds { crows, vulture, put, hunts };
        // The vulture's first turn puts it on the board.
        let turns = put - u32::from(hunts && put > 0);
        if vulture.count_ones() != turns.min(1) || hunts && put == 0 {
            return impossible(
                "the vulture comes to the board after the first crow, and there is one".into(),
            );
        }
        if p.taken() > self.enough || hunts && p.taken() == self.enough {
            return impossible("the vulture has won already".into());
        }
        if hand > 0 && p.taken() > turns.saturating_sub(1) {
            return impossible("the vulture takes one crow a turn, so fewer can be missing".into());
        }
        Ok((turn, p))
    }

    fn show_move(&self, _: Turn, _: Birds, m: Step) -> String {
        m.show(|point| self.points.name(point).into())
    }

    fn board(&self) -> Board {
        let crows = Side::alike("Crows", "crow", 'x', 'C');
        let vulture = Side::alike("Vulture", "vulture", 'o', 'V');
        Board { sides: vec![crows, vulture], ..self.points.board() }
    }

    fn pieces(&self, _: Turn, p: Birds) -> String {
        self.points.text().pieces(Turn::First, Pair { own: p.crows, other: p.vulture })
    }

    fn draw(&self, _: Turn, _: Birds, m: Step) -> Drawing {
        m.draw()
    }
}

/// The star: its tips from the top, and the crossings between them, both clockwise.
fn star() -> Points {
    let around = |reach: f32, first: f32| {
        (0..5).map(move |n| {
            let angle = (first + 72.0 * n as f32) * PI / 180.0;
            (3.5 + reach * angle.cos(), 3.5 + reach * angle.sin())
        })
    };
    // Crossings lie as far in as the lines between tips say: the golden section, squared.
    let places = around(3.5, -90.0).chain(around(3.5 * 0.381_966, -54.0)).collect();
    let names = (1..=10).map(|n| n.to_string()).collect();
    let lines = [[0, 5, 6, 2], [1, 6, 7, 3], [2, 7, 8, 4], [3, 8, 9, 0], [4, 9, 5, 1]];
    Points::new(places, names, lines.map(|line| line.to_vec()).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game(options: &str) -> Kaooa {
        Kaooa::new(&Options::read(&Kaooa::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        for options in
            ["", "capture=must", "crows=6,enough=3", "crows=4,enough=4", "crows=8,enough=1,capture=must"]
        {
            let game = game(options);
            assert!(!laws::check(&game, 100_000).expect("no law is broken").cut);
            laws::check_face(&game, 5_000).expect("no law is broken");
            let tier = game.tier_of(game.crows, game.crows, false);
            for tier in [vec![tier], game.children(tier)].concat() {
                laws::check_unmoves(&game, tier).expect("no law is broken");
                laws::check_outlook(&game, tier).expect("no law is broken");
            }
        }
        assert_eq!(game("").symmetries.count(), 10, "those of a regular pentagon");
    }

    #[test]
    fn the_vulture_jumps() {
        let names = |options: &str, text: &str| {
            let game = game(options);
            let (turn, p) = game.read(text).expect("a position");
            let list = laws::list_moves(&game, p).into_iter();
            list.map(|(m, c)| (game.show_move(turn, p, m), game.show(turn.other(), c))).collect::<Vec<_>>()
        };
        let jump = ("1-7".to_string(), "1_--x---o---_5".to_string());
        let step = ("1-10".to_string(), "1_--x--x---o_5".to_string());
        assert_eq!(names("", "2_o-x--x----_5"), [jump.clone(), step.clone()]);
        assert_eq!(names("capture=must", "2_o-x--x----_5"), [jump]);
        assert_eq!(names("", "2_oxx--xx-xx_1"), [], "shut in");
    }

    #[test]
    fn refuses_the_impossible() {
        let game = game("");
        for text in [
            "2_----------_7",
            "1_x---------_6",
            "2_xo--------_6",
            "1_xo--------_8",
            "1_xoo-------_6",
            "1_-o--------_6",
            "1_o---------_4",
            "2_xxx------o",
            "1_xx-------o",
            "1_xxxxxxxx-o",
            "1_xo--------_é",
        ] {
            assert!(game.read(text).is_err(), "{text}");
        }
        for text in ["1_----------_7", "2_x---------_6", "1_xo--------_6", "1_-o-x------_5", "1_xxx------o"] {
            assert!(game.read(text).is_ok(), "{text}");
        }
        assert!(Kaooa::new(&Options::read(&Kaooa::CARD, "crows=4,enough=5").expect("options")).is_err());
    }
}
