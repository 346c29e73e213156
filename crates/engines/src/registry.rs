//! Every game by name. To add one, write its module in `games` and its line here.

use std::collections::HashSet;

use zermelo_core::{
    AnyGame, Card, Complaint, Engine, Face, Growing, Margin, Nimber, Objective, Placing, Remoteness, Tiers,
    laws::Bounds, quoted,
};
use zermelo_games::{
    AllQueens, Connect4, Dawson, Dobutsu, Domineering, FairShares, Hex, Kalah, Kaooa, Kayles, Meaningless,
    Mnk, Morris, Nim, Othello, Pegs, Pentago, Qbf, Quarto, Quixo, Slide, Teeko, Tento0, Toot, Xiangqi,
};

use crate::check::{self, Verdict};
use crate::more::games;
use crate::{Blobs, Erased, Iterate, Lattice, Retrograde, Rotations, Sweep, Unmoves};

/// Every game of this crate; [`games`] has those too that were added.
pub static GAMES: &[Entry] = &[
    Entry::new::<AllQueens>(&[way::<AllQueens, Unmoves>(), way::<AllQueens, Retrograde>()]),
    Entry::new::<Connect4>(&[
        lattice::<Connect4>(),
        blobs::<Connect4, Remoteness>(),
        way::<Connect4, Sweep>(),
        way::<Connect4, Retrograde>(),
    ]),
    Entry::new::<Dawson>(&[way::<Dawson, Sweep>(), way::<Dawson, Sweep<Nimber>>()]),
    Entry::new::<Dobutsu>(&[way::<Dobutsu, Unmoves>(), way::<Dobutsu, Retrograde>()]),
    Entry::new::<Domineering>(&[way::<Domineering, Sweep>(), way::<Domineering, Retrograde>()]),
    Entry::new::<FairShares>(&[way::<FairShares, Retrograde>(), way::<FairShares, Iterate>()]),
    Entry::new::<Hex>(&[
        way::<Hex, Sweep>(),
        lattice::<Hex>(),
        blobs::<Hex, Remoteness>(),
        way::<Hex, Retrograde>(),
    ]),
    Entry::new::<Kalah>(&[way::<Kalah, Sweep>(), way::<Kalah, Sweep<Margin>>()]),
    Entry::new::<Kaooa>(&[way::<Kaooa, Retrograde>(), way::<Kaooa, Unmoves>()]),
    Entry::new::<Kayles>(&[
        way::<Kayles, Sweep>(),
        way::<Kayles, Retrograde>(),
        way::<Kayles, Sweep<Nimber>>(),
    ]),
    Entry::new::<Mnk>(&[
        way::<Mnk, Sweep>(),
        lattice::<Mnk>(),
        blobs::<Mnk, Remoteness>(),
        way::<Mnk, Retrograde>(),
        way::<Mnk, Iterate>(),
    ]),
    Entry::new::<Morris>(&[way::<Morris, Unmoves>(), way::<Morris, Retrograde>()]),
    Entry::new::<Nim>(&[way::<Nim, Sweep>(), way::<Nim, Retrograde>(), way::<Nim, Sweep<Nimber>>()]),
    Entry::new::<Othello>(&[
        blobs::<Othello, Remoteness>(),
        blobs::<Othello, Margin>(),
        way::<Othello, Sweep>(),
        way::<Othello, Sweep<Margin>>(),
    ]),
    Entry::new::<Pegs>(&[way::<Pegs, Sweep>(), way::<Pegs, Retrograde>()]),
    Entry::new::<Pentago>(&[way::<Pentago, Rotations>(), way::<Pentago, Rotations<Remoteness>>()]),
    Entry::new::<Qbf>(&[way::<Qbf, Sweep>()]),
    Entry::new::<Quarto>(&[way::<Quarto, Sweep>(), way::<Quarto, Retrograde>()]),
    Entry::new::<Quixo>(&[way::<Quixo, Retrograde>(), way::<Quixo, Unmoves>(), way::<Quixo, Iterate>()]),
    Entry::new::<Slide>(&[way::<Slide, Unmoves>(), way::<Slide, Retrograde>()]),
    Entry::new::<Teeko>(&[way::<Teeko, Unmoves>(), way::<Teeko, Retrograde>()]),
    Entry::new::<Tento0>(&[way::<Tento0, Sweep>(), way::<Tento0, Sweep<Nimber>>()]),
    Entry::new::<Toot>(&[way::<Toot, Sweep>(), way::<Toot, Retrograde>()]),
    Entry::new::<Xiangqi>(&[
        way::<Xiangqi, Unmoves>(),
        way::<Xiangqi, Retrograde>(),
        way::<Xiangqi, Iterate>(),
    ]),
    Entry::new::<Meaningless>(&[
        way::<Meaningless, Sweep>(),
        way::<Meaningless, Retrograde>(),
        way::<Meaningless, Unmoves>(),
        way::<Meaningless, Iterate>(),
    ]),
];

/// One game, and the ways to solve it.
pub struct Entry {
    /// What the game tells of itself.
    pub card: &'static Card,
    /// Every way to solve it, the best first.
    pub ways: &'static [Way],
    laws: fn(&str, &Bounds<'_>) -> Result<Verdict, Complaint>,
    /// Whether it is a puzzle for one.
    pub alone: bool,
}

/// An engine for a game, and what it solves for.
#[derive(Clone, Copy)]
pub struct Way {
    /// What people type after `--engine`.
    pub engine: &'static str,
    /// What people type after `--objective`.
    pub objective: &'static str,
    open: Open,
    laws: fn(&str, &Bounds<'_>) -> Result<Verdict, Complaint>,
}

/// Opens a variant by its options and the position to solve it from, if that is not its start;
/// `None` when it is beyond the engine.
type Open = fn(&str, Option<&str>) -> Result<Option<Box<dyn AnyGame>>, Complaint>;

/// A game by its tiers, solved by an engine such as [`Sweep`].
pub const fn way<G: Tiers + Face, E: Engine<G>>() -> Way {
    Way {
        engine: E::NAME,
        objective: <E::Objective as Objective<G>>::NAME,
        open: |options, from| {
            Ok(Erased::<G, E::Objective>::open::<E>(options, from)?
                .map(|game| Box::new(game) as Box<dyn AnyGame>))
        },
        laws: check::engine::<G, E>,
    }
}

/// A game in which stones never move, solved by lists of what stands on parts of the board.
pub const fn lattice<G: Placing>() -> Way {
    Way {
        engine: "lattice",
        objective: "remoteness",
        open: |options, from| {
            Ok(Lattice::<G>::open(options, from)?.map(|game| Box::new(game) as Box<dyn AnyGame>))
        },
        laws: check::none,
    }
}

/// A game whose cells only fill up, solved by what the start reaches alone.
pub const fn blobs<G: Growing, O: Objective<G, Fold: Send>>() -> Way {
    Way {
        engine: "blobs",
        objective: O::NAME,
        open: |options, from| Ok(Some(Box::new(Blobs::<G, O>::open(options, from)?))),
        laws: check::none,
    }
}

impl Entry {
    /// A game with the ways to solve it, the best first.
    pub const fn new<G: Tiers + Face>(ways: &'static [Way]) -> Entry {
        Entry { card: &const { G::CARD }, ways, alone: G::ALONE, laws: check::game::<G> }
    }

    /// Whether a variant obeys the laws, those that its engines need included, as far as bounds go.
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
}

/// Why there is no such game.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No game of that name.
    #[error("there is no game {0}; the games are {1} (see `zermelo games`)")]
    Game(String, String),
    /// A variant the game does not have.
    #[error("{game}: {complaint} (see `zermelo games {game}`)")]
    Variant {
        /// The game.
        game: &'static str,
        /// What is wrong with its options.
        complaint: Complaint,
    },
    /// A variant that the engine cannot take.
    #[error("{game}: this variant is beyond engine {engine}; leave --engine out")]
    Beyond {
        /// The game.
        game: &'static str,
        /// The engine.
        engine: &'static str,
    },
    /// A variant that none of the game's engines can take.
    #[error(
        "{game}: this variant is beyond {engines}, all there is for this game; choose another variant (a game that \
         can return to a position needs an engine for loops: enter retrograde for it)"
    )]
    BeyondAll {
        /// The game.
        game: &'static str,
        /// Its engines.
        engines: String,
    },
    /// A variant that has no values of that kind.
    #[error("{game}: this variant cannot be solved for {objective}; leave --objective out")]
    Objective {
        /// The game.
        game: &'static str,
        /// What was asked for.
        objective: String,
    },
    /// A position that the engine cannot begin at.
    #[error(
        "{game}: engine {engine} cannot solve this variant from a position; leave --engine or --from out"
    )]
    From {
        /// The game.
        game: &'static str,
        /// The engine.
        engine: &'static str,
    },
    /// A position that no engine can begin at.
    #[error("{game}: this variant cannot be solved from a position; leave --from out")]
    FromAll {
        /// The game.
        game: &'static str,
    },
    /// The game has the engine and the objective, but not together.
    #[error("{game}: engine {engine} does not solve for {objective}; {have} does: leave --engine out")]
    Pair {
        /// The game.
        game: &'static str,
        /// The engine.
        engine: &'static str,
        /// What was asked for.
        objective: String,
        /// Engines that solve for it.
        have: String,
    },
    /// No such engine or objective for this game.
    #[error("{game} cannot be solved with {what} {got}; it can with {have}")]
    Way {
        /// The game.
        game: &'static str,
        /// `engine` or `objective`.
        what: &'static str,
        /// What was asked for.
        got: String,
        /// What there is.
        have: String,
    },
}

/// A game by its name, in either case.
pub fn find(game: &str) -> Result<&'static Entry, OpenError> {
    games().find(|entry| entry.card.name.eq_ignore_ascii_case(game.trim())).ok_or_else(|| {
        let names: Vec<_> = games().map(|entry| entry.card.name).collect();
        OpenError::Game(quoted(game), names.join(", "))
    })
}

/// Opens a variant such as `quixo:rows=4,cols=4,line=4`, with the best engine that can take
/// it or with a given one.
pub fn open(
    name: &str,
    engine: Option<&str>,
    objective: Option<&str>,
) -> Result<Box<dyn AnyGame>, OpenError> {
    open_from(name, engine, objective, None)
}

/// The same, to be solved from a position: that one and all it leads to.
pub fn open_from(
    name: &str,
    engine: Option<&str>,
    objective: Option<&str>,
    from: Option<&str>,
) -> Result<Box<dyn AnyGame>, OpenError> {
    let mut all = open_all_from(name, engine, objective, from)?;
    Ok(all.swap_remove(0))
}

/// The same with every engine that can take it, the best first; there is at least one.
pub fn open_all(
    name: &str,
    engine: Option<&str>,
    objective: Option<&str>,
) -> Result<Vec<Box<dyn AnyGame>>, OpenError> {
    open_all_from(name, engine, objective, None)
}

/// The same, to be solved from a position.
pub fn open_all_from(
    name: &str,
    engine: Option<&str>,
    objective: Option<&str>,
    from: Option<&str>,
) -> Result<Vec<Box<dyn AnyGame>>, OpenError> {
    let (game, options) = name.split_once(':').unwrap_or((name, ""));
    open_entry(find(game)?, options, (engine, objective), from)
}

fn open_entry(
    entry: &Entry,
    options: &str,
    (engine, objective): (Option<&str>, Option<&str>),
    from: Option<&str>,
) -> Result<Vec<Box<dyn AnyGame>>, OpenError> {
    let game = entry.card.name;
    let have = |what: &'static str, got: &str, of: fn(&Way) -> &'static str| OpenError::Way {
        game,
        what,
        got: quoted(got),
        have: listed(entry.ways.iter().map(of)),
    };
    let engines: Vec<_> = entry.ways.iter().filter(|w| engine.is_none_or(|e| w.engine == e)).collect();
    let Some(first) = engines.first() else {
        return Err(have("engine", engine.unwrap_or(""), |w| w.engine));
    };
    let wanted = objective.unwrap_or(entry.ways[0].objective);
    let for_it = listed(entry.ways.iter().filter(|w| w.objective == wanted).map(|w| w.engine));
    let ways: Vec<_> = engines.iter().filter(|w| w.objective == wanted).collect();
    match (ways.is_empty(), for_it.is_empty()) {
        (_, true) => return Err(have("objective", wanted, |w| w.objective)),
        (true, false) => {
            let (engine, objective) = (first.engine, wanted.into());
            return Err(OpenError::Pair { game, engine, objective, have: for_it });
        }
        (false, false) => {}
    }
    let mut all = vec![];
    for way in ways {
        all.extend((way.open)(options, from).map_err(|complaint| OpenError::Variant { game, complaint })?);
    }
    let usual = wanted == entry.ways[0].objective;
    let chosen = engine.map(|_| first.engine);
    match (all.is_empty(), from, chosen) {
        (false, _, _) => Ok(all),
        (true, None, _) if !usual => Err(OpenError::Objective { game, objective: wanted.into() }),
        (true, None, Some(engine)) => Err(OpenError::Beyond { game, engine }),
        (true, None, None) => Err(OpenError::BeyondAll { game, engines: for_it }),
        (true, Some(_), Some(engine)) => Err(OpenError::From { game, engine }),
        (true, Some(_), None) => Err(OpenError::FromAll { game }),
    }
}

/// Words in their order, each once.
fn listed(words: impl Iterator<Item = &'static str>) -> String {
    let mut seen = HashSet::new();
    words.filter(|word| seen.insert(*word)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game with loops whose author has entered an engine for games without.
    const LOOPS: Entry = Entry::new::<Meaningless>(&[way::<Meaningless, Sweep>()]);

    fn told(entry: &Entry, options: &str, engine: Option<&str>, objective: Option<&str>) -> String {
        open_entry(entry, options, (engine, objective), None).err().expect("refused").to_string()
    }

    #[test]
    fn nobody_is_told_to_leave_out_what_they_have_not_given() {
        let all = told(&LOOPS, "loops=1", None, None);
        assert!(all.contains("beyond sweep, all there is") && all.contains("retrograde"), "{all}");
        assert!(!all.contains("--engine"), "{all}");
        let one = told(&LOOPS, "loops=1", Some("sweep"), None);
        assert!(one.contains("leave --engine out"), "{one}");
        let from = open_entry(&LOOPS, "loops=1", (None, None), Some("1_0.0"));
        let from = from.err().expect("refused").to_string();
        assert!(!from.contains("--engine"), "{from}");
    }

    #[test]
    fn an_engine_that_lacks_the_objective_is_named_with_those_that_have_it() {
        let nim = find("nim").expect("a game");
        let pair = told(nim, "", Some("retrograde"), Some("nimber"));
        assert_eq!(pair, "nim: engine retrograde does not solve for nimber; sweep does: leave --engine out");
        let none = told(nim, "", Some("retrograde"), Some("fame"));
        assert!(none.contains("objective \"fame\"; it can with remoteness, nimber"), "{none}");
    }
}
