//! The catalogue from outside: games that a program adds, the laws through it, and how it refuses.

use zermelo_catalogue::{Catalogue, Entry, way};
use zermelo_core::{
    Board, Card, Choice, Complaint, Drawing, Face, Flow, Game, Options, Outcome, Tier, Tiers, Turn,
    laws::Bounds,
};
use zermelo_engines::{Retrograde, Sweep};
use zermelo_games::Mnk;

/// Count down by one or two; whoever reaches 0 wins. With `fault` set one thing is wrong.
struct Countdown {
    from: u32,
    fault: usize,
}

const RANK: usize = 1;
const TEXT: usize = 2;

impl Game for Countdown {
    type Position = u32;
    type Move = u32;

    fn start(&self) -> u32 {
        self.from
    }

    fn outcome(&self, p: u32) -> Option<Outcome> {
        (p == 0).then_some(Outcome::Lose)
    }

    fn moves(&self, p: u32, visit: impl FnMut(u32)) {
        (1..=2.min(p)).for_each(visit);
    }

    fn play(&self, p: u32, m: u32) -> u32 {
        p - m
    }
}

impl Tiers for Countdown {
    type Index = ();

    fn flow(&self, _: Tier) -> Flow {
        Flow::Rises
    }

    fn size(&self, _: Tier) -> u64 {
        u64::from(self.from) + 1
    }

    fn index(&self, _: Tier) {}

    fn rank(&self, _: &(), p: u32) -> u64 {
        let p = if self.fault == RANK && p == 7 { 6 } else { p };
        u64::from(self.from - p)
    }

    fn unrank(&self, _: &(), i: u64) -> Option<u32> {
        Some(self.from - i as u32)
    }
}

impl Face for Countdown {
    const CARD: Card = Card {
        name: "countdown",
        revision: 1,
        title: "Countdown",
        summary: "",
        rules: "",
        notation: "",
        options: &[
            Choice::number("from", "where it begins", (1, 100_000_000), 20),
            Choice::word("fault", "what is wrong", &["none", "rank", "text"]),
        ],
        examples: &[],
    };

    fn new(options: &Options) -> Result<Self, Complaint> {
        Ok(Countdown { from: options.get("from") as u32, fault: options.get("fault") })
    }

    fn show(&self, turn: Turn, p: u32) -> String {
        format!("{}_{p}", turn.digit())
    }

    fn read(&self, text: &str) -> Result<(Turn, u32), Complaint> {
        let turn = if text.starts_with('2') && self.fault != TEXT { Turn::Second } else { Turn::First };
        let p = text.get(2..).and_then(|p| p.parse().ok()).filter(|p| *p <= self.from);
        p.map(|p| (turn, p)).ok_or_else(|| Complaint::new("want 1_20"))
    }

    fn show_move(&self, _: Turn, _: u32, m: u32) -> String {
        m.to_string()
    }

    fn board(&self) -> Board {
        Board { width: 2.0, height: 1.0, cells: vec![(0.5, 0.5), (1.5, 0.5)], ..Board::default() }
    }

    fn pieces(&self, _: Turn, _: u32) -> String {
        "--".into()
    }

    fn draw(&self, _: Turn, _: u32, m: u32) -> Drawing {
        Drawing::Cell(m as usize - 1)
    }
}

fn standard() -> Catalogue {
    Catalogue::standard()
}

static MORE: &[Entry] =
    &[Entry::new::<Countdown>(&[way::<Sweep<Countdown>>(), way::<Retrograde<Countdown>>()])];

const BOUNDS: Bounds<'static> =
    Bounds { positions: 1000, numbers: 10_000, memory: 1 << 30, seed: 1, stop: &|_| false };

#[test]
fn a_broken_law_is_named_with_its_position() {
    let check = |options: &str| MORE[0].check(options, &BOUNDS).expect("good options");
    let walked = check("").expect("no law is broken");
    assert_eq!((walked.positions, walked.tiers, walked.numbers, walked.cut), (40, 1, 21, false));
    let large = check("from=100000000").expect("no law is broken");
    assert!(large.cut && large.positions == 1000 && large.numbers > 10, "{large:?}");
    let broken = check("fault=rank").expect_err("a law is broken");
    assert!(broken.law.contains("as flow says") && broken.position.starts_with("1_7 "), "{broken}");
    let broken = check("fault=text").expect_err("a law is broken");
    assert!(broken.law == "read undoes show" && !broken.found.is_empty(), "{broken}");
    assert!(MORE[0].check("from=0", &BOUNDS).is_err());
}

/// Boards whose numberings no machine can hold are walked without numbers.
#[test]
fn boards_too_large_to_number_obey_the_laws() {
    for (name, options) in [
        ("mnk", "rows=8,cols=8"),
        ("mnk", "rows=6,cols=6"),
        ("hex", "rows=8,cols=8"),
        ("quixo", "rows=8,cols=8"),
        ("pegs", "board=english,last=33"),
    ] {
        let bounds = Bounds { positions: 200, ..BOUNDS };
        let walked = standard()
            .find(name)
            .expect("a game")
            .check(options, &bounds)
            .expect("options")
            .expect("no law is broken");
        assert_eq!((walked.numbered, walked.numbers, walked.cut), (false, 0, true), "{name}: {walked:?}");
        assert!(walked.positions > 100 && walked.tiers > 3, "{name}: {walked:?}");
    }
}

/// A game counts the tables that its own tiers need: not those of boards with more men than it has.
#[test]
fn numberings_take_what_the_tiers_of_a_game_need() {
    let bytes = |name: &str| standard().open(name, None, None).expect("a game").tiers().index_bytes();
    for (name, most) in [
        ("teeko:rows=7,cols=7,men=6", 120 << 20),
        ("allqueens", 2 << 20),
        ("allqueens:rows=6,cols=6,queens=7", 60 << 20),
        ("morris", 20 << 20),
        ("kayles:pins=24", 220 << 20),
    ] {
        let bytes = bytes(name);
        assert!((most / 4..most).contains(&bytes), "{name}: {bytes}");
    }
    assert_eq!(bytes("mnk:rows=8,cols=8"), u64::MAX);
}

#[test]
fn every_game_obeys_the_laws_by_its_name() {
    for (name, options) in [
        ("connect4", "rows=3,cols=3"),
        ("mnk", ""),
        ("othello", "rows=4,cols=4"),
        ("quixo", "rows=3,cols=3,line=3"),
        ("xiangqi", "pieces=3"),
        ("meaningless", "loops=1"),
    ] {
        let walked = standard()
            .find(name)
            .expect("a game")
            .check(options, &BOUNDS)
            .expect("options")
            .expect("no law is broken");
        assert!(walked.positions > 10 && walked.numbers > 0, "{name}: {walked:?}");
    }
}

#[test]
fn games_are_added_and_are_like_any_other() {
    static TWICE: &[Entry] =
        &[Entry::new::<Countdown>(&[way::<Sweep<Countdown>>()]), Entry::new::<Countdown>(&[])];
    static NO_WAY: &[Entry] = &[Entry::new::<Countdown>(&[])];
    static TAKEN: &[Entry] = &[Entry::new::<Mnk>(&[way::<Sweep<Mnk>>()])];
    for (entries, why) in [(TWICE, "countdown already"), (NO_WAY, "no engine"), (TAKEN, "mnk already")] {
        let told = standard().with(entries).expect_err(why).to_string();
        assert!(told.contains(why), "{told}");
    }
    assert!(standard().find("countdown").is_err());
    let catalogue = standard().with(MORE).expect("added");
    // Games added a second time would take the place of those added before.
    let again = catalogue.with(MORE);
    assert!(again.is_err_and(|error| error.to_string().contains("at once")));
    assert!(catalogue.with(&[]).is_err_and(|error| error.to_string().contains("at once")));
    assert_eq!(catalogue.games().last().map(|entry| entry.card.name), Some("countdown"));
    let game = catalogue.open("Countdown:from=9", None, None).expect("opens");
    let start = game.oracle().text(game.oracle().start());
    assert_eq!((game.takes.name, start.as_str()), ("sweep", "1_9"));
    assert_eq!(
        game.look(game.tiers().root(), 0..10).map(|l| (l.positions, l.moves, l.one_by_one)),
        Some((10, 17, true))
    );
    let chess = catalogue.open("chess", None, None);
    assert!(chess.is_err_and(|error| error.to_string().contains("meaningless, countdown")));
}

/// Variants that an engine does not take, though others of the game it does: an error when they are opened and not
/// when they are solved.
#[test]
fn what_an_engine_does_not_take_is_refused_at_once() {
    for (name, engine) in
        [("meaningless:loops=1", "sweep"), ("mnk:misere=yes", "lattice"), ("othello", "sweep")]
    {
        let one = standard().open(name, Some(engine), None).err().expect("refused").to_string();
        let game = name.split(':').next().unwrap_or_default();
        assert_eq!(one, format!("{game}: this variant is beyond engine {engine}; leave --engine out"));
    }
    let from = standard().open_all("connect4", Some("lattice"), None, Some("44"));
    assert_eq!(
        from.err().expect("refused").to_string(),
        "connect4: engine lattice cannot solve this variant from a position; leave --engine or --from out"
    );
}

/// Whoever looks for a game by one of its names finds that game and no other.
#[test]
fn no_two_games_share_a_name() {
    let letters = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let mut owners = std::collections::HashMap::new();
    for entry in Catalogue::standard().games() {
        for name in std::iter::once(entry.card.name).chain(entry.aliases.iter().copied()) {
            let owner = *owners.entry(letters(name)).or_insert(entry.card.name);
            assert_eq!(owner, entry.card.name, "{name}");
            assert_eq!(Catalogue::standard().find(name).expect(name).card.name, entry.card.name, "{name}");
        }
    }
}

#[test]
fn games_are_found_by_the_names_that_people_use() {
    let found = |name: &str| Catalogue::standard().find(name).map(|entry| entry.card.name);
    for (name, want) in [
        ("tictactoe", "mnk"),
        ("Tic-Tac-Toe", "mnk"),
        ("noughts and crosses", "mnk"),
        ("connect-4", "connect4"),
        ("four in a row", "connect4"),
        ("reversi", "othello"),
        ("mancala", "kalah"),
        ("chinesechess", "xiangqi"),
        ("nine men's morris", "morris"),
        (" QUIXO ", "quixo"),
    ] {
        assert_eq!(found(name).expect(name), want);
    }
    for (name, part) in [
        ("conect4", "did you mean connect4?"),
        ("tictacto", "did you mean mnk?"),
        ("riversi", "did you mean othello?"),
        ("nosuchgame", "the games are allqueens, "),
        ("", "the games are allqueens, "),
        ("--", "the games are allqueens, "),
    ] {
        let told = found(name).expect_err(name).to_string();
        assert!(told.contains(part), "{told}");
    }
}
