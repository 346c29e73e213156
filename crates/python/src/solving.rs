//! Solving, and what there is to solve.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use zermelo::{Catalogue, Error, Progress, Settings, SolveError, solve as run, with_file};
use zermelo_core::{Choice, Unpoisoned};

use crate::answers::{Number, number};
use crate::fault::{Fault, Told, panicked};

/// How often the thread that waits looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);
/// How often the progress is told: every so many looks.
const TELL: u32 = 4;

/// An option of a game: its name, its meaning, the values that may be given, and the default.
type OptionOf = (&'static str, &'static str, String, String);
/// A game: name, title, summary, rules, notation, engines, objectives, options, and examples with a word on each.
type Card = (
    [&'static str; 5],
    Vec<&'static str>,
    Vec<&'static str>,
    Vec<OptionOf>,
    Vec<(&'static str, &'static str)>,
);
/// A solution: the value of the start and its number, tiers, numbers of tiers, tiers that were solved before, and bytes of
/// the database.
type Solution = (Number, u64, u64, u64, u64);

/// Every game with its options.
#[pyfunction]
pub(crate) fn games() -> Vec<Card> {
    let option = |choice: &Choice| {
        let default = choice.text.map_or_else(|| choice.show(choice.default), |_| String::new());
        (choice.name, choice.help, choice.range(), default)
    };
    let distinct = |words: Vec<&'static str>| {
        let mut all: Vec<&'static str> = vec![];
        words.into_iter().for_each(|word| {
            if !all.contains(&word) {
                all.push(word)
            }
        });
        all
    };
    let games = Catalogue::standard().games().map(|entry| {
        let card = entry.card;
        (
            [card.name, card.title, card.summary, card.rules, card.notation],
            distinct(entry.ways.iter().map(|way| way.engine).collect()),
            distinct(entry.ways.iter().map(|way| way.objective).collect()),
            card.options.iter().map(option).collect(),
            card.examples.to_vec(),
        )
    });
    games.collect()
}

/// Solves a variant into a data directory. `tell` is called with a line of text now and then, and at the end with none.
/// Ctrl-C stops the solve, which can be gone on with.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve(
    py: Python<'_>,
    name: &str,
    data: PathBuf,
    memory: Option<u64>,
    threads: Option<usize>,
    engine: Option<&str>,
    objective: Option<&str>,
    fresh: bool,
    tell: Option<Py<PyAny>>,
) -> Told<Solution> {
    let catalogue = Catalogue::standard();
    let name = with_file(catalogue, name)?;
    let game = catalogue.open_all(&name, engine, objective, None)?.swap_remove(0);
    let standard = Settings::default();
    let settings = Settings {
        data: Some(data),
        memory: memory.unwrap_or(standard.memory),
        threads: threads.unwrap_or(standard.threads).max(1),
        fresh,
        ..standard
    };
    let progress = Progress::new("solve");
    let solution = std::thread::scope(|scope| {
        let (send, receive) = channel();
        let (progress, settings, game) = (&progress, &settings, &game);
        let work = move || drop(send.send(run(game, settings, progress)));
        let thread = std::thread::Builder::new().spawn_scoped(scope, work);
        let thread = thread.map_err(|error| Fault::Failed(zermelo::no_threads(1, &error)))?;
        let receive = Mutex::new(receive);
        let mut looks = 0;
        loop {
            let ended = py.detach(|| receive.lock().unpoisoned().recv_timeout(LOOK));
            match ended {
                Ok(solution) => return solution.map_err(|error| told(&error)),
                Err(RecvTimeoutError::Disconnected) => {
                    // The message of the panic is on standard error.
                    let _ = thread.join();
                    return Err(panicked());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            looks += 1;
            let wait = || -> PyResult<()> {
                py.check_signals()?;
                match &tell {
                    Some(tell) if looks % TELL == 0 => {
                        tell.call1(py, (progress.text(), progress.share())).map(drop)
                    }
                    _ => Ok(()),
                }
            };
            if let Err(error) = wait() {
                progress.stop();
                // What is stored by then stays; the thread ends soon.
                let _ = py.detach(|| receive.lock().unpoisoned().recv());
                return Err(Fault::Python(error));
            }
        }
    })?;
    let value = number(Some(solution.value));
    Ok((value, solution.tiers, solution.entries, solution.resumed_tiers, solution.database_bytes))
}

/// The words of an error of a solve.
fn told(error: &SolveError) -> Fault {
    Fault::Failed(error.to_string())
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error {
            Error::Input(complaint) => complaint.into(),
            Error::Open(error) => error.into(),
            Error::Ask(error) => error.into(),
            other => Fault::Failed(other.to_string()),
        }
    }
}
