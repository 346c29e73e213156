//! A game given by a list: every position with its moves. It serves games whose rules are written elsewhere, in another
//! language or by hand.
//!
//! A position is its place in the list. There is one tier. Where play cannot return to a position, positions are
//! numbered so that every move raises the number; otherwise the number is the place.

mod known;
mod list;
mod order;
mod picture;
mod text;

use std::sync::Arc;

use zermelo_core::Scored;
use zermelo_core::prelude::*;

pub use known::GraphLists;
pub use list::{GraphList, GraphParts, Strings};

/// The list that is meant where none is named: a loop with a way out to a tie and a way out to a loss.
const SAMPLE: &str = "graph sample\n\
    top left>west right>east\n\
    west back>top on>pit\n\
    east back>top on>field\n\
    pit lose\n\
    field tie\n";

/// The game of a list. With `AGAIN` set, the same player may move again; other engines take that than take loops.
pub struct GraphGame<const AGAIN: bool> {
    list: Arc<GraphList>,
}

impl<const AGAIN: bool> GraphGame<AGAIN> {
    /// The list of positions.
    pub fn list(&self) -> &GraphList {
        &self.list
    }
}

impl<const AGAIN: bool> Game for GraphGame<AGAIN> {
    type Position = u32;
    type Move = u32; // the place of the move among the moves of all positions

    const AGAIN: bool = AGAIN;
    // A position is what its list says. A list in which it matters who is to move has two positions.
    const SIDES: bool = false;

    fn start(&self) -> u32 {
        0
    }

    fn outcome(&self, p: u32) -> Option<Outcome> {
        self.list.outcome(p)
    }

    fn moves(&self, p: u32, visit: impl FnMut(u32)) {
        self.list.moves(p).for_each(visit);
    }

    fn mobility(&self, p: u32) -> u64 {
        self.list.moves(p).len() as u64
    }

    fn play(&self, _: u32, m: u32) -> u32 {
        self.list.target(m)
    }

    fn again(&self, m: u32, _: u32) -> bool {
        AGAIN && self.list.again(m)
    }
}

impl<const AGAIN: bool> Tiers for GraphGame<AGAIN> {
    type Index = ();

    fn flow(&self, _: Tier) -> Flow {
        if self.list.loops() { Flow::Loops } else { Flow::Rises }
    }

    fn size(&self, _: Tier) -> u64 {
        self.list.len() as u64
    }

    // A list with moves after which the same player moves again is nothing for the engines that take no such moves.
    fn roots(&self) -> Vec<Tier> {
        if AGAIN || !self.list.has_again() { vec![Tier(0)] } else { vec![] }
    }

    fn index(&self, _: Tier) {}

    fn rank(&self, _: &(), p: u32) -> u64 {
        self.list.rank(p)
    }

    fn unrank(&self, _: &(), i: u64) -> Option<u32> {
        self.list.unrank(i)
    }

    fn canonical(&self, p: u32) -> u32 {
        p
    }

    fn alike(&self, _: u32) -> u64 {
        1
    }
}

impl<const AGAIN: bool> Scored for GraphGame<AGAIN> {
    fn score(&self, p: u32) -> i32 {
        self.list.score(p)
    }

    fn has_scores(&self) -> bool {
        self.list.has_scores()
    }
}

impl Impartial for GraphGame<false> {
    fn normal(&self) -> bool {
        self.list.is_impartial()
    }
}

/// Accepts the name of a list that was read.
fn named(text: &str) -> Result<String, Complaint> {
    GraphLists::find(text).map(|_| text.to_string())
}

/// Reads a list, and returns its name.
fn read_file(text: &str) -> Result<String, Complaint> {
    let list = GraphList::read(text)?;
    Ok(GraphLists::keep(list).id().to_string())
}

impl<const AGAIN: bool> Face for GraphGame<AGAIN> {
    const CARD: Card = Card {
        name: "graph",
        revision: 1,
        title: "A game from a list",
        summary: "positions and moves as a list",
        rules: "A file lists every position with its moves, or with how the game ended there; see the reference of \
                games for its format. Without a file it is a small example: from the top one goes left or right, then \
                back to the top or on. Who has to move in the pit loses; the field is a tie.",
        notation: "A position is the player to move, 1 or 2, then _ and the text that the list has for it: 1_top. A \
                   move is the word that the list has for it.",
        options: &[Choice::text("list", "the list; give its file as file=NAME", named).or_file(read_file)],
        examples: &[("", "a small example, a blink")],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        let list = match options.text("list") {
            "" => Arc::new(GraphList::read(SAMPLE)?),
            name => GraphLists::find(name)?,
        };
        Ok(GraphGame { list })
    }

    fn show(&self, turn: Turn, p: u32) -> String {
        format!("{}_{}", turn.digit(), self.list.text(p))
    }

    fn read(&self, text: &str) -> Result<(Turn, u32), Complaint> {
        let (turn, rest) = Turn::split(self, text)?;
        let none = || format!("the list has no such position; one that it has is {}", self.sample());
        Ok((turn, self.list.find(rest).ok_or_else(|| Complaint::position(text, none()))?))
    }

    fn show_move(&self, _: Turn, _: u32, m: u32) -> String {
        self.list.word(m).into()
    }

    fn board(&self) -> Board {
        self.list.picture().board()
    }

    fn pieces(&self, _: Turn, p: u32) -> String {
        self.list.picture().pieces(&self.list, p)
    }

    fn draw(&self, _: Turn, p: u32, m: u32) -> Drawing {
        self.list.picture().draw(&self.list, p, m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_core::laws;

    fn game<const AGAIN: bool>(text: &str) -> GraphGame<AGAIN> {
        GraphGame { list: Arc::new(GraphList::read(text).expect("a list")) }
    }

    #[test]
    fn obeys_the_laws() {
        for text in [
            SAMPLE,
            "graph line\na x>b y>c\nb x>c\nc lose",
            "graph boards\n--/-- a>x-/-- b>-x/--\nx-/-- lose\n-x/-- tie",
        ] {
            laws::check(&game::<false>(text), 1_000).expect("no law is broken");
            laws::check_face(&game::<false>(text), 1_000).expect("no law is broken");
            laws::check(&game::<true>(text), 1_000).expect("no law is broken");
        }
        laws::check(&game::<true>("graph twice\na x>>b y>c\nb x>c\nc lose"), 1_000)
            .expect("no law is broken");
    }

    #[test]
    fn a_list_has_a_name_by_what_it_says() {
        let name = read_file("graph own\na x>b\nb lose\n").expect("a list");
        assert!(name.starts_with("own-") && name.len() == 20, "{name}");
        let options = Options::read(&GraphGame::<true>::CARD, &format!("list={name}")).expect("a list");
        let game = GraphGame::<true>::new(&options).expect("a game");
        assert_eq!((game.list().len(), game.sample().as_str()), (2, "1_a"));
        assert_ne!(read_file("graph own\na x>b\nb tie\n"), Ok(name));
        let none = Options::read(&GraphGame::<true>::CARD, "list=own-1").expect_err("no list").to_string();
        assert!(none.contains("graph:file="), "{none}");
    }

    #[test]
    fn positions_are_read_back() {
        let game = game::<true>(SAMPLE);
        for p in 0..5 {
            assert_eq!(game.read(&game.show(Turn::Second, p)), Ok((Turn::Second, p)));
        }
        for bad in ["top", "1_", "1_sky", "3_top", ""] {
            assert!(game.read(bad).is_err(), "{bad}");
        }
    }
}
