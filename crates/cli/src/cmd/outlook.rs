//! Says before a solve whether it will take long or more memory than there is, and which smaller variant to try.

use std::io::{BufRead, IsTerminal, Write};
use std::time::Duration;

use zermelo::{
    Catalogue, Database, Estimate, EstimateLimits, Graph, GraphExtent, Settings, available_memory, bytes,
    estimate, full_name, lasts,
};
use zermelo_core::{Complaint, Opened};

use super::games::named;
use crate::args::Solve;

/// A variant with so many numbers at most is solved in some minutes by any engine.
const QUICK: u64 = 50_000_000;
/// A solve of more seconds is begun only by those who know.
const LONG: f64 = 600.0;
/// Without an estimate of its time, a variant with more numbers counts as long.
const MANY: u64 = 1_000_000_000;
/// How far the tiers are walked, and how long the engine is tried.
const LIMITS: EstimateLimits = EstimateLimits { tiers: 1_000_000, time: Duration::from_millis(100) };

/// What a long solve will take.
pub(super) struct Outlook {
    told: Estimate,
    /// Whether it will take long.
    long: bool,
    /// Bytes that are free, where the solve needs more.
    lacking: Option<u64>,
    /// A smaller variant of the game, and its numbers.
    smaller: Option<(String, u64)>,
}

impl Outlook {
    /// Returns what a solve will take; `None` where it takes neither long nor more memory than is free.
    pub(super) fn of(
        catalogue: Catalogue,
        game: &Opened,
        settings: &Settings,
    ) -> anyhow::Result<Option<Outlook>> {
        // Where only reached positions are numbered, the numbers of tiers are a bound that says little.
        if !game.tiers().filing().marked && numbers_of(game)?.is_some() {
            return Ok(None);
        }
        let told = estimate(game, settings, &LIMITS)?;
        let need = told.memory.map_or(0, |memory| memory.least);
        let lacking = available_memory().filter(|free| need > *free);
        let long = told.seconds.map_or(told.more || told.numbers > MANY, |seconds| seconds > LONG);
        let hopeless = told.obstacle.is_some();
        let asks = long || hopeless || lacking.is_some();
        Ok(asks.then(|| Outlook { told, long, lacking, smaller: smaller(catalogue, game) }))
    }

    /// Returns the size, the time and the memory: `>10^19 positions and takes a time that cannot be told`.
    fn takes(&self) -> String {
        let told = &self.told;
        let time = match told.seconds {
            Some(seconds) => format!("about {}", lasts(seconds)),
            None => "a time that cannot be told".into(),
        };
        let free = self.lacking.map_or(String::new(), |free| format!(", and {} are free", bytes(free)));
        let memory = told.memory.map(|memory| bytes(memory.least));
        let memory = memory.map_or(String::new(), |least| format!("; at least {least} of memory{free}"));
        format!("{} positions and takes {time}{memory}", told.numbers_in_short())
    }

    /// Returns the smaller variant to try, as the end of a sentence.
    fn instead(&self) -> String {
        self.smaller.as_ref().map_or(String::new(), |(name, numbers)| {
            format!("; a smaller one is {name} ({} positions)", super::grouped(*numbers))
        })
    }

    /// Returns what a remark on an unsolved position says of a solve.
    pub(super) fn aside(&self, name: &str) -> String {
        let smaller = self.smaller.as_ref().map(|(name, _)| format!("; `zermelo solve {name}` is quick"));
        let smaller = smaller.unwrap_or_default();
        match (self.told.seconds, &self.told.obstacle, self.lacking) {
            (Some(seconds), None, None) => {
                format!("`zermelo solve {name}` helps, and takes about {}{smaller}", lasts(seconds))
            }
            _ => format!("to solve {name} is beyond this machine{smaller}"),
        }
    }
}

/// Lets a solve begin that is short, that goes on with an earlier one, or that its user wants all the same. Else it is
/// refused, with what it would take.
pub(super) fn ask(
    catalogue: Catalogue,
    args: &Solve,
    game: &Opened,
    settings: &Settings,
) -> anyhow::Result<()> {
    if args.yes || (!args.fresh && has_begun(game, settings)) {
        return Ok(());
    }
    let Some(outlook) = Outlook::of(catalogue, game, settings)? else { return Ok(()) };
    let (name, smaller) = (full_name(game), outlook.instead());
    if let Some(why) = outlook.told.obstacle.as_ref().filter(|_| !args.keep_going) {
        return Err(anyhow::anyhow!("{why}{smaller}"));
    }
    if !outlook.long && outlook.lacking.is_none() {
        return Ok(());
    }
    let what = format!("{name} has {}", outlook.takes());
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        eprint!("zermelo: {what}{smaller}.\nSolve it all the same? [y/N] ");
        std::io::stderr().flush()?;
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        return if agrees(&answer) { Ok(()) } else { Err(Complaint::new("not begun").into()) };
    }
    Err(Complaint::new(format!("{what}: add --yes to solve it all the same{smaller}")).into())
}

/// Whether an answer to the question is yes; silence is no.
fn agrees(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

/// Whether there is a database of the game: then the user has agreed before.
fn has_begun(game: &Opened, settings: &Settings) -> bool {
    settings.resume.as_ref().is_some_and(|folder| folder.is_dir())
        || settings.data.as_ref().is_some_and(|data| Database::open(data, game).is_ok())
}

/// Returns the numbers of a game, where they are few.
fn numbers_of(game: &Opened) -> anyhow::Result<Option<u64>> {
    Ok(match Graph::within(game, LIMITS.tiers, QUICK)? {
        GraphExtent::Whole(graph) => Some(graph.entries()).filter(|numbers| *numbers <= QUICK),
        GraphExtent::MoreThan { .. } => None,
    })
}

/// Returns the largest example of a game that is solved quickly.
fn smaller(catalogue: Catalogue, game: &Opened) -> Option<(String, u64)> {
    let sized = |options: &&str| {
        let name = named(game.card, options);
        let open = catalogue.open(&name, None, None).ok().filter(|open| open.variant != game.variant)?;
        let numbers = match open.tiers().filing().marked {
            false => numbers_of(&open).ok()??,
            true => estimate(&open, &Settings::default(), &LIMITS).ok()?.numbers,
        };
        (numbers <= QUICK).then_some((name, numbers))
    };
    let examples = game.card.examples.iter().map(|(options, _)| *options);
    examples.filter_map(|options| sized(&options)).max_by_key(|(_, numbers)| *numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<Outlook> {
        let catalogue = Catalogue::standard();
        let game = catalogue.open(name, None, None).expect("a game");
        Outlook::of(catalogue, &game, &Settings::default()).expect("a good game")
    }

    #[test]
    fn small_variants_are_begun_at_once() {
        // The last has more than 200,000 tiers, but few numbers.
        for name in ["mnk", "quixo:4x4", "xiangqi", "othello:4x4", "connect4:9x3"] {
            assert!(of(name).is_none(), "{name}");
        }
    }

    #[test]
    fn large_variants_are_told_with_a_smaller_one() {
        for name in ["othello", "quixo", "mnk:8x8"] {
            let outlook = of(name).expect(name);
            let smaller = outlook.smaller.as_ref().expect(name);
            assert!(of(&smaller.0).is_none(), "{name}: {smaller:?}");
            assert!(outlook.takes().contains(" positions and takes "), "{name}: {}", outlook.takes());
        }
    }

    #[test]
    fn silence_is_no() {
        for (answer, want) in [("y\n", true), ("YES", true), ("", false), ("\n", false), ("yet", false)] {
            assert_eq!(agrees(answer), want, "{answer:?}");
        }
    }
}
