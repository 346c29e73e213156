//! Games by engines: which engine solves which game, and how a variant is opened by its name.
//!
//! This crate alone names games and engines together. So everything that is generic over a game is compiled here, and
//! nowhere else.
//!
//! ```
//! use zermelo_catalogue::Catalogue;
//!
//! let catalogue = Catalogue::standard();
//! let game = catalogue.open("quixo:rows=3,cols=3,line=3", None, None)?;
//! assert_eq!((game.card.name, game.takes.name), ("quixo", "retrograde"));
//! # Ok::<(), zermelo_catalogue::OpenError>(())
//! ```

mod books;
mod check;
mod error;
mod games;

use std::collections::HashSet;
use std::fmt;

use zermelo_core::{Card, Complaint, Face, Game, Objective, Opened, laws::Bounds, nearest, quoted};
use zermelo_engines::{Layout, Opens};

pub use check::Verdict;
pub use error::OpenError;

/// Games with the engines that solve them.
#[derive(Clone, Copy)]
pub struct Catalogue {
    own: &'static [Entry],
    more: &'static [Entry],
}

/// One game, and the ways to solve it.
pub struct Entry {
    /// The name, the options and the texts of the game.
    pub card: &'static Card,
    /// Other names of the game, as people write them.
    pub aliases: &'static [&'static str],
    /// Every way to solve it, the best first.
    pub ways: &'static [Way],
    laws: check::Laws,
    /// Whether the game is a puzzle for one player.
    pub alone: bool,
}

/// An engine for a game, and what it solves for.
#[derive(Clone, Copy)]
pub struct Way {
    /// What people type after `--engine`.
    pub engine: &'static str,
    /// What people type after `--objective`.
    pub objective: &'static str,
    /// The engine to take where play may return to a position, if this one does not take that.
    pub loops: Option<&'static str>,
    open: Open,
    laws: check::Laws,
}

/// Opens a variant by its options, the position to solve it from, if that is not its start, and whether the engine was
/// named; `None` when the variant is beyond the engine.
type Open = fn(&str, Option<&str>, bool) -> Result<Option<Opened>, Complaint>;

/// The game of an engine's layout.
type GameOf<E> = <<E as Opens>::Layout as Layout>::Game;

/// The way to solve a game with an engine, such as `way::<Sweep<Mnk>>()`. An engine that cannot solve the game is an
/// error at compile time:
///
/// ```compile_fail,E0080
/// # use zermelo_catalogue::{Way, way};
/// # use zermelo_engines::Retrograde;
/// # use zermelo_games::Kalah;
/// // Who ends in the store of Kalah moves again.
/// static WAY: Way = way::<Retrograde<Kalah>>();
/// ```
pub const fn way<E: Opens>() -> Way {
    const {
        let (alone, again) = (GameOf::<E>::ALONE, GameOf::<E>::AGAIN);
        assert!(
            alone || !again || E::TAKES.passes,
            "a player may move again, which this engine does not take: use Sweep"
        );
        assert!(
            !alone || E::TAKES.puzzles,
            "this engine does not take puzzles for one: use Sweep or Retrograde"
        );
    }
    Way {
        engine: E::TAKES.name,
        objective: <<E::Layout as Layout>::Objective as Objective<GameOf<E>>>::NAME,
        loops: if E::TAKES.loops { None } else { Some(E::TAKES.otherwise) },
        open: zermelo_engines::open::<E>,
        laws: check::engine::<E>,
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.games().map(|entry| entry.card.name)).finish()
    }
}

impl Entry {
    /// An entry for the game `G` with the ways to solve it, the best first.
    pub const fn new<G: zermelo_core::Tiers + Face>(ways: &'static [Way]) -> Entry {
        Entry { card: &const { G::CARD }, aliases: &[], ways, alone: G::ALONE, laws: check::game::<G> }
    }

    /// The entry with other names by which [`Catalogue::find`] finds the game too. Capitals and signs between the letters
    /// make no difference: "tic-tac-toe" is found as "Tic Tac Toe" and "tictactoe".
    pub const fn also(self, aliases: &'static [&'static str]) -> Entry {
        Entry { aliases, ..self }
    }

    /// Whether a text is a name of the game.
    fn is_called(&self, text: &str) -> bool {
        let wanted = letters(text);
        let names = [self.card.name].into_iter().chain(self.aliases.iter().copied());
        !wanted.is_empty() && names.map(letters).any(|name| name == wanted)
    }

    /// Checks that moves, outcomes, numbers, symmetries, tiers, texts and drawings of a variant agree, and what its engines
    /// need besides, as far as `bounds` go.
    pub fn check(&self, options: &str, bounds: &Bounds<'_>) -> Result<Verdict, Complaint> {
        let mut walked = match (self.laws)(options, bounds)? {
            Ok(walked) => walked,
            broken => return Ok(broken),
        };
        for way in self.ways {
            match (way.laws)(options, bounds)? {
                Ok(more) => walked.numbers += more.numbers,
                broken => return Ok(broken),
            }
        }
        Ok(Ok(walked))
    }

    /// Opens a variant with every engine that can take it, of those with a name and an objective, the best first: at
    /// least one. With a position, it is to be solved from there.
    pub fn open(
        &self,
        options: &str,
        (engine, objective): (Option<&str>, Option<&str>),
        from: Option<&str>,
    ) -> Result<Vec<Opened>, OpenError> {
        let game = self.card.name;
        let ways = self.ways_for(engine, objective)?;
        let mut all = vec![];
        for way in &ways {
            let opened = (way.open)(options, from, engine.is_some())
                .map_err(|complaint| OpenError::Variant { game, complaint })?;
            let usual = way.objective == self.ways[0].objective;
            all.extend(opened.map(|opened| Opened { usual, ..opened }));
        }
        if !all.is_empty() {
            return Ok(all);
        }
        let (first, chosen) = (ways[0], engine.map(|_| ways[0].engine));
        let engines = || listed(ways.iter().map(|way| way.engine));
        Err(match (from, chosen) {
            (None, _) if first.objective != self.ways[0].objective => {
                OpenError::Objective { game, objective: first.objective.into() }
            }
            (None, Some(engine)) => OpenError::Beyond { game, engine },
            (None, None) => OpenError::BeyondAll { game, engines: engines(), loops: first.loops },
            (Some(_), Some(engine)) => OpenError::From { game, engine },
            (Some(_), None) => OpenError::FromAll { game },
        })
    }

    /// The ways with an engine and an objective; at least one.
    fn ways_for(&self, engine: Option<&str>, objective: Option<&str>) -> Result<Vec<&Way>, OpenError> {
        let game = self.card.name;
        let lacks = |what: &'static str, got: &str, of: fn(&Way) -> &'static str| OpenError::Way {
            game,
            what,
            got: quoted(got),
            have: listed(self.ways.iter().map(of)),
        };
        let engines: Vec<_> = self.ways.iter().filter(|w| engine.is_none_or(|e| w.engine == e)).collect();
        let Some(first) = engines.first() else {
            let engine = engine.unwrap_or("");
            if engine == "gpu" && !cfg!(feature = "gpu") {
                return Err(OpenError::NoGpus { game });
            }
            return Err(lacks("engine", engine, |w| w.engine));
        };
        let wanted = objective.unwrap_or(self.ways[0].objective);
        let have = listed(self.ways.iter().filter(|w| w.objective == wanted).map(|w| w.engine));
        if have.is_empty() {
            return Err(lacks("objective", wanted, |w| w.objective));
        }
        let ways: Vec<_> = engines.iter().copied().filter(|w| w.objective == wanted).collect();
        if ways.is_empty() {
            return Err(OpenError::Pair { game, engine: first.engine, objective: wanted.into(), have });
        }
        Ok(ways)
    }
}

impl Catalogue {
    /// The catalogue with every game of the project.
    pub const fn standard() -> Catalogue {
        Catalogue { own: games::GAMES, more: &[] }
    }

    /// Adds games of another crate, all at once. A game whose name cannot be typed or is taken is an error, and so is a
    /// game without an engine.
    ///
    /// ```
    /// use zermelo_catalogue::{Catalogue, Entry, way};
    /// use zermelo_engines::Sweep;
    /// use zermelo_games::Mnk;
    ///
    /// // A game of one's own would stand here: this name is taken.
    /// static MORE: &[Entry] = &[Entry::new::<Mnk>(&[way::<Sweep<Mnk>>()])];
    ///
    /// let refused = Catalogue::standard().with(MORE);
    /// assert!(refused.is_err_and(|error| error.to_string().contains("mnk already")));
    /// let catalogue = Catalogue::standard().with(&[])?;
    /// assert!(catalogue.games().any(|entry| entry.card.name == "mnk") && catalogue.open("mnk", None, None).is_ok());
    /// # Ok::<(), zermelo_core::Complaint>(())
    /// ```
    pub fn with(self, more: &'static [Entry]) -> Result<Catalogue, Complaint> {
        if !self.more.is_empty() {
            return Err(Complaint::new("games were added before; add all of them at once"));
        }
        for (n, entry) in more.iter().enumerate() {
            let name = entry.card.name;
            let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            if name.is_empty() || !name.bytes().all(plain) {
                let why = "cannot be typed; use lower-case letters and digits for `Card::name`";
                return Err(Complaint::new(format!("the name {} {why}", quoted(name))));
            }
            if self.own.iter().chain(&more[..n]).any(|other| other.is_called(name)) {
                return Err(Complaint::new(format!(
                    "there is a game {name} already; give yours another name"
                )));
            }
            if entry.ways.is_empty() {
                let why = "has no engine; give `Entry::new` a way to solve it";
                return Err(Complaint::new(format!("the game {name} {why}")));
            }
        }
        Ok(Catalogue { more, ..self })
    }

    /// Every game.
    pub fn games(self) -> impl Iterator<Item = &'static Entry> + Clone {
        self.own.iter().chain(self.more)
    }

    /// The books that come with the program, each a file of exact values of one variant.
    pub fn books(self) -> &'static [&'static [u8]] {
        books::BOOKS
    }

    /// Whether a word is the name of an objective of any game.
    pub fn has_objective(self, word: &str) -> bool {
        self.games().flat_map(|entry| entry.ways).any(|way| way.objective == word)
    }

    /// Finds a game by its name or by another name that it is known by. Capitals and signs between letters make no
    /// difference.
    pub fn find(self, game: &str) -> Result<&'static Entry, OpenError> {
        self.games().find(|entry| entry.is_called(game)).ok_or_else(|| self.no_game(game))
    }

    /// The error for a name that no game has: with the game that may have been meant, or else with all.
    fn no_game(self, game: &str) -> OpenError {
        let names = self.games().map(|entry| (entry.card.name, entry.card.name));
        let names = names.chain(
            self.games().flat_map(|entry| entry.aliases.iter().map(move |alias| (*alias, entry.card.name))),
        );
        let names: Vec<_> = names.map(|(name, game)| (letters(name), game)).collect();
        let near = nearest(&letters(game), names.iter().map(|(name, _)| name.as_str()));
        let meant = near.and_then(|near| names.iter().find(|(name, _)| name == near));
        OpenError::Game(
            quoted(game),
            match meant {
                Some((_, name)) => format!("did you mean {name}?"),
                None => {
                    let names: Vec<_> = self.games().map(|entry| entry.card.name).collect();
                    format!("the games are {}", names.join(", "))
                }
            },
        )
    }

    /// Opens a variant such as `quixo:rows=4,cols=4,line=4`, with the best engine that can take
    /// it or with a given one.
    pub fn open(
        self,
        name: &str,
        engine: Option<&str>,
        objective: Option<&str>,
    ) -> Result<Opened, OpenError> {
        Ok(self.open_all(name, engine, objective, None)?.swap_remove(0))
    }

    /// Opens a variant with every engine that can solve it, at least one, the best first. With a position, only that
    /// position and all it leads to are to be solved.
    pub fn open_all(
        self,
        name: &str,
        engine: Option<&str>,
        objective: Option<&str>,
        from: Option<&str>,
    ) -> Result<Vec<Opened>, OpenError> {
        let (game, options) = name.split_once(':').unwrap_or((name, ""));
        self.find(game)?.open(options, (engine, objective), from)
    }
}

/// The letters and digits of a name, in lower case.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Words in their order, each once.
fn listed(words: impl Iterator<Item = &'static str>) -> String {
    let mut seen = HashSet::new();
    words.filter(|word| seen.insert(*word)).collect::<Vec<_>>().join(", ")
}
