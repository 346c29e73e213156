//! Nim: take any number of stones from one heap; the player who takes the last stone wins, or loses.
//!
//! There is one tier. Heaps in another order share a number. A set stands for the heaps in rising order: heap `i`
//! gives the place `stones + i`. Sets have numbers ([`rank_set`](zermelo_core::rank::rank_set)), and taking stones
//! lowers the number of the set. So positions are numbered from the largest set down.

use zermelo_core::prelude::*;

/// The most heaps.
const HEAPS: usize = 8;
/// The heaps when the options name none.
const USUAL: &str = "3-4-5";

/// The stones of each heap. Heaps beyond the number of the variant have none.
type Heaps = [u8; HEAPS];

/// Nim, the game of taking stones from heaps.
pub struct Nim {
    /// The heaps at the start, in rising order.
    start: Heaps,
    count: usize,
    misere: bool,
    /// The picture: a column a heap, with the stones from below.
    grid: Grid,
}

impl Nim {
    fn most(&self) -> usize {
        self.grid.rows
    }

    fn last(&self) -> u64 {
        CHOOSE[self.most() + self.count][self.count] - 1
    }

    fn fits(&self, p: &Heaps) -> bool {
        p.iter().zip(&self.start).all(|(heap, most)| heap <= most)
    }
}

impl Game for Nim {
    type Position = Heaps;
    type Move = (u8, u8); // a heap, and what is left of it

    // Both players have the same moves, so it does not matter who is to make them.
    const SIDES: bool = false;

    fn start(&self) -> Heaps {
        self.start
    }

    fn outcome(&self, p: Heaps) -> Option<Outcome> {
        (p == [0; HEAPS]).then_some(if self.misere { Outcome::Win } else { Outcome::Lose })
    }

    fn moves(&self, p: Heaps, mut visit: impl FnMut((u8, u8))) {
        for (i, heap) in p.into_iter().enumerate() {
            (0..heap).for_each(|left| visit((i as u8, left)));
        }
    }

    fn play(&self, mut p: Heaps, (i, left): (u8, u8)) -> Heaps {
        p[usize::from(i)] = left;
        p
    }
}

impl Impartial for Nim {
    fn normal(&self) -> bool {
        !self.misere
    }

    // Bouton, Nim, a game with a complete mathematical theory (1901).
    fn grundy(&self, p: Heaps) -> Option<u32> {
        (!self.misere).then(|| p.iter().fold(0, |sum, heap| sum ^ u32::from(*heap)))
    }
}

impl Tiers for Nim {
    type Index = ();

    fn name(&self, _: Tier) -> String {
        "all positions".into()
    }

    fn flow(&self, _: Tier) -> Flow {
        Flow::Rises
    }

    fn size(&self, _: Tier) -> u64 {
        self.last() + 1
    }

    fn index(&self, _: Tier) {}

    fn rank(&self, _: &(), p: Heaps) -> u64 {
        let heaps = self.canonical(p);
        let places = heaps[..self.count].iter().enumerate().map(|(i, heap)| usize::from(*heap) + i);
        self.last() - rank_set(set_of(places))
    }

    // A number is a hole where a heap is larger than any start heap for it.
    fn unrank(&self, _: &(), i: u64) -> Option<Heaps> {
        let mut set = unrank_set(self.last().checked_sub(i)?, self.count);
        let mut p = [0; HEAPS];
        for (i, heap) in p[..self.count].iter_mut().enumerate() {
            *heap = (set.trailing_zeros() - i as u32) as u8;
            set &= set - 1;
        }
        self.fits(&p).then_some(p)
    }

    // Heaps in rising order.
    fn canonical(&self, mut p: Heaps) -> Heaps {
        p[..self.count].sort_unstable();
        p
    }

    fn copies(&self, _: &(), p: Heaps) -> u64 {
        self.alike(p)
    }

    // The number of ways in which the heaps can stand, placed from the largest on: each heap where the start has one
    // as large.
    fn alike(&self, p: Heaps) -> u64 {
        let heaps = self.canonical(p);
        let (mut ways, mut alike) = (1, 1);
        for i in (0..self.count).rev() {
            let room = self.start[..self.count].iter().filter(|most| **most >= heaps[i]).count();
            let later = self.count - 1 - i;
            alike = if later > 0 && heaps[i] == heaps[i + 1] { alike + 1 } else { 1 };
            ways = ways * (room - later) as u64 / alike;
        }
        ways
    }
}

/// Reads `3-4-5`.
fn heaps(text: &str) -> Option<Vec<u8>> {
    let heaps: Option<Vec<u8>> = text.split('-').map(|heap| whole_number(heap.trim())).collect();
    heaps.filter(|heaps| heaps.len() <= HEAPS)
}

/// The heaps in rising order; an empty text for the usual ones.
fn normal(text: &str) -> Result<String, Complaint> {
    let bad = |want: String| {
        let text = quoted(text);
        Complaint::new(format!("heaps={}: {want}", text.trim_matches('"')))
    };
    let some = || bad(format!("want 1 to {HEAPS} heaps of at least one stone, as in heaps={USUAL}"));
    let mut heaps = heaps(text).filter(|heaps| heaps.iter().all(|heap| *heap > 0)).ok_or_else(some)?;
    heaps.sort_unstable();
    // Heaps are drawn on a grid, and numbered as a set of places.
    let (count, largest) = (heaps.len(), usize::from(heaps[heaps.len() - 1]));
    if count * largest > 64 || count + largest > 64 {
        let want = "the number of heaps times the largest must be at most 64, and one heap at most 63";
        return Err(bad(want.into()));
    }
    let text = heaps.iter().map(u8::to_string).collect::<Vec<_>>().join("-");
    Ok(if text == USUAL { String::new() } else { text })
}

impl Face for Nim {
    const CARD: Card = Card {
        name: "nim",
        revision: 1,
        title: "Nim",
        summary: "take any number of stones from one heap",
        rules: "There are some heaps of stones. Players in turn take one stone or more from one heap, up to all of \
                it. Whoever takes the last stone of all wins; with `play=misere` they lose.",
        notation: "A position is the player to move, 1 or 2, then _ and the heaps: 1_3-4-5. Heaps are called a, b, c \
                   and so on, their stones counted from below: the move b3 takes the third stone of heap b and all \
                   above it.",
        options: &[
            Choice::text("heaps", "stones of each heap; 3-4-5 when not given", normal),
            Choice::word("play", "whether the last stone wins or loses", &["normal", "misere"]),
        ],
        examples: &[
            ("", "heaps of 3, 4 and 5, a blink"),
            ("heaps=1-3-5-7", "as in the film Last Year at Marienbad, a blink"),
            ("heaps=1-3-5-7,play=misere", "the same, but whoever takes the last stone loses"),
        ],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let text = options.text("heaps");
        let list = heaps(if text.is_empty() { USUAL } else { text }).unwrap_or_default();
        let mut start = [0; HEAPS];
        start[..list.len()].copy_from_slice(&list);
        let most = list.iter().copied().max().unwrap_or(0);
        let grid = Grid::new(most.into(), list.len());
        Ok(Nim { start, count: list.len(), misere: options.get("play") == 1, grid })
    }

    fn show(&self, turn: Turn, p: Heaps) -> String {
        let heaps = p[..self.count].iter().map(u8::to_string).collect::<Vec<_>>();
        format!("{}_{}", turn.digit(), heaps.join("-"))
    }

    fn read(&self, text: &str) -> Result<(Turn, Heaps), Complaint> {
        let (turn, rest) = Turn::split(self, text)?;
        let bad = |want: String| Complaint::position(text, want);
        let list = heaps(rest).filter(|list| list.len() == self.count);
        let list = list.ok_or_else(|| bad(format!("want {} heaps, as in {}", self.count, self.sample())))?;
        let mut p = [0; HEAPS];
        p[..self.count].copy_from_slice(&list);
        if !self.fits(&p) {
            return Err(bad(format!("no heap is larger than in {}", self.sample())));
        }
        // Each heap that is not whole was taken from; one that lacks a single stone, once.
        let taken = || self.start.iter().zip(&p).map(|(most, heap)| most - heap);
        let forced = taken().all(|taken| taken <= 1);
        if forced && taken().sum::<u8>() % 2 != u8::from(turn == Turn::Second) {
            return Err(bad(format!("it is {}'s turn there", turn.other().digit())));
        }
        Ok((turn, p))
    }

    fn show_move(&self, turn: Turn, p: Heaps, m: (u8, u8)) -> String {
        self.grid.name(self.draw(turn, p, m).cells()[0])
    }

    fn board(&self) -> Board {
        self.grid.board()
    }

    fn pieces(&self, _: Turn, p: Heaps) -> String {
        let stone = |cell: usize| {
            let above = usize::from(p[cell % self.count]) <= self.most() - 1 - cell / self.count;
            if above { '-' } else { 'x' }
        };
        (0..self.grid.cells()).map(stone).collect()
    }

    // A move is drawn on the lowest stone taken.
    fn draw(&self, _: Turn, _: Heaps, (heap, left): (u8, u8)) -> Drawing {
        Drawing::Cell((self.most() - 1 - usize::from(left)) * self.count + usize::from(heap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game(options: &str) -> Nim {
        Nim::new(&Options::read(&Nim::CARD, options).expect("options")).expect("a game")
    }

    #[test]
    fn obeys_the_laws() {
        for (options, positions, canonical) in [
            ("", 120, 48),
            ("heaps=2-2-2", 27, 10),
            ("heaps=4-1-4,play=misere", 0, 0),
            ("heaps=7", 0, 0),
            ("heaps=63", 64, 64),
        ] {
            let walked = laws::check(&game(options), 10_000).expect("no law is broken");
            laws::check_face(&game(options), 10_000).expect("no law is broken");
            if positions > 0 {
                assert_eq!((walked.positions, walked.canonical), (positions, canonical), "{options}");
            }
        }
        laws::check(&game("heaps=5-5-5-5-6-6"), 20_000).expect("no law is broken");
    }

    #[test]
    fn heaps_have_a_normal_form() {
        let name = |text: &str| Options::read(&Nim::CARD, text).map(|options| options.normal(&Nim::CARD));
        assert_eq!(name("heaps=5-3-4"), Ok(String::new()));
        assert_eq!(name("heaps=7-1-5-3"), Ok("heaps=1-3-5-7".into()));
        for bad in ["0-1", "", "a", "1--2", "9-9-9-9-9-9-9-9", "1-1-1-1-1-1-1-1-1", "300", "-", "64", "+3-4"]
        {
            assert!(name(&format!("heaps={bad}")).is_err(), "{bad}");
        }
    }

    #[test]
    fn refuses_the_impossible() {
        for text in
            ["1_", "1_3-4", "1_3-4-6", "1_4-4-4", "2_3-4-5", "1_3-4-4", "1_3-4-5-0", "1_3-x-5", "1_+3-4-3"]
        {
            assert!(game("").read(text).is_err(), "{text}");
        }
        assert!(game("").read("2_3-4-4").is_ok() && game("").read("1_3-4-3").is_ok());
    }
}
