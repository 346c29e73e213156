//! The commands of the command line, one file for each.

pub(crate) mod analyze;
pub(crate) mod bench;
pub(crate) mod book;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod colour;
pub(crate) mod completions;
pub(crate) mod count;
pub(crate) mod devices;
pub(crate) mod export;
pub(crate) mod games;
mod groups;
pub(crate) mod hints;
mod interrupt;
mod outlook;
pub(crate) mod play;
pub(crate) mod plot;
pub(crate) mod query;
pub(crate) mod serve;
mod sides;
pub(crate) mod solve;
pub(crate) mod tiers;
mod transcript;
pub(crate) mod variants;
pub(crate) mod verify;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use zermelo::{Answers, CACHE, Catalogue, Database, Settings, Slices};
use zermelo_core::{Complaint, Opened};

use crate::args::{FIRST, Published, Resources, Where, Which};

/// Bytes of memory for what is read of published files.
const SLICES: usize = 256 << 20;
/// A number of moves larger than that of any game that ends by itself.
const MOST: usize = 10_000;

/// Greets a user who typed `zermelo` with no arguments: on a terminal with the menu, else with the first commands.
pub(crate) fn welcome(catalogue: Catalogue) -> anyhow::Result<ExitCode> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && std::io::stderr().is_terminal() {
        return crate::menu::run(catalogue, Where { data: None }.path());
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "Zermelo {} solves two-player games of perfect information:", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "for every position, who wins and in how many moves.\n")?;
    writeln!(out, "{FIRST}\n\nzermelo --help lists all commands.")?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a remark about a run that goes on.
pub(crate) fn remark(text: &str) {
    // On a terminal the line replaces the progress bar, which is drawn again below it.
    let clear = if std::io::stderr().is_terminal() { "\r\x1b[2K" } else { "" };
    eprintln!("{clear}zermelo: {text}");
}

/// Returns the settings that the arguments ask for.
fn settings(resources: &Resources, place: Option<&Where>) -> Settings {
    let standard = Settings::default();
    let threads = threads(resources.threads).unwrap_or(standard.threads);
    let memory = memory(resources.memory, threads).unwrap_or(standard.memory);
    Settings { data: place.map(Where::path), threads, memory, ..standard }
}

/// Returns the number of threads that was asked for, or fewer: at most four for each core, or 64.
fn threads(asked: Option<u16>) -> Option<usize> {
    let asked = usize::from(asked?);
    let most = (4 * zermelo::cores().0).max(64);
    if asked > most {
        eprintln!("zermelo: --threads {asked}: {most} are used, as more would only wait for each other here");
    }
    Some(asked.min(most))
}

/// Returns the memory that was asked for, or less where the limits of this process leave less.
fn memory(asked: Option<u64>, threads: usize) -> Option<u64> {
    let asked = asked?;
    match zermelo::limited_memory(threads) {
        Some((left, limit)) if left < asked => {
            let [asked, used] = [asked, left].map(zermelo::bytes);
            eprintln!(
                "zermelo: --memory {asked}: {used} are used, as {limit} no more; raise that limit to use more"
            );
            Some(left)
        }
        _ => Some(asked),
    }
}

/// Returns everything that answers questions about a game's positions: its tables, the tables of its parts, and
/// published files.
fn answers(
    catalogue: Catalogue,
    which: &Which,
    published: &Published,
    place: &Where,
) -> anyhow::Result<(Answers, Option<Arc<Database>>)> {
    let games = catalogue.open_all(&which.game, None, which.objective.as_deref(), None)?;
    let (mut answers, database) = Answers::stored(catalogue, &place.existing()?, games, CACHE)?;
    answers.slices = open_slices(&answers.game, published, place)?.map(Arc::new);
    Ok((answers, database))
}

/// Opens the published files of a game, if the game has such files.
fn open_slices(game: &Opened, published: &Published, place: &Where) -> Result<Option<Slices>, Complaint> {
    if Slices::fit(game) {
        return Slices::of(&place.path(), published.place().as_deref(), SLICES).map(Some);
    }
    match &published.slices {
        Some(_) => Err(Complaint::new(
            "--slices: only pentago has published files, and they tell who wins and nothing else; leave it out",
        )),
        None => Ok(None),
    }
}

/// Opens a game with its database, or with the database of a part of it. The database must exist. The cache of what
/// is read has at most `bytes` bytes.
fn open_solved(
    catalogue: Catalogue,
    which: &Which,
    from: Option<&str>,
    place: &Where,
    bytes: usize,
) -> anyhow::Result<(Opened, Database)> {
    find_solved(catalogue.open_all(&which.game, None, which.objective.as_deref(), from)?, place, bytes)
}

/// Finds the first of several ways to solve a game that has a database. The database must exist.
fn find_solved(games: Vec<Opened>, place: &Where, bytes: usize) -> anyhow::Result<(Opened, Database)> {
    let (game, database) = Database::find(&place.existing()?, games, bytes.min(CACHE))?;
    let database = match database {
        Some(database) => database,
        // This call fails, and its error names the place that was searched.
        None => Database::open(&place.existing()?, &game)?,
    };
    Ok((game, database))
}

/// Returns the game with all its positions counted, and not only those that the start reaches.
fn counting_all(game: Opened) -> Result<Opened, Complaint> {
    let (engine, name) = (game.takes.name, game.card.name);
    game.counting_all().ok_or_else(|| {
        Complaint::new(format!(
            "--all: engine {engine} does not number board by board; leave --all out, or solve with another --engine \
             (`zermelo games {name}` lists them)"
        ))
    })
}

/// Returns those of several ways to solve a game that can count all its positions, with all of them counted; an error
/// about the first way where none can.
fn all_counting_all(games: Vec<Opened>) -> Result<Vec<Opened>, Complaint> {
    let (able, mut others): (Vec<_>, Vec<_>) = games.into_iter().partition(Opened::can_count_all);
    match able.is_empty() {
        true => counting_all(others.swap_remove(0)).map(|game| vec![game]),
        false => able.into_iter().map(counting_all).collect(),
    }
}

/// Prints the board as lines of text.
fn draw(out: &mut impl Write, game: &Opened, pieces: &str) -> std::io::Result<()> {
    for row in game.oracle().board().plain(pieces) {
        writeln!(out, "{}", format!("    {row}").trim_end())?;
    }
    Ok(())
}

/// Formats a number with its digits in groups of three.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    /// Returns the lines that `query` and `solve` print for a position.
    fn drawn(game: &str, position: &str) -> String {
        let game = zermelo::open(game, None, None).expect("a game");
        let mut out = vec![];
        let at = game.oracle().parse(position).expect("a position");
        let pieces = game.oracle().report(at, &()).expect("a position").pieces;
        super::draw(&mut out, &game, &pieces).expect("drawn");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn tiles_are_rows_of_letters() {
        assert_eq!(drawn("mnk", "1_--o-x----"), "    - - o\n    - x -\n    - - -\n");
    }

    #[test]
    fn xiangqi_has_lines_a_river_and_palaces() {
        let want = "
    9  .---.---.---.---k---.---.---.---.
       |   |   |   | \\ | / |   |   |   |
    8  .---.---.---.---.---.---.---.---.
       |   |   |   | / | \\ |   |   |   |
    7  .---.---.---.---.---.---.---.---.
       |   |   |   |   |   |   |   |   |
    6  .---.---.---.---.---.---.---.---.
       |   |   |   |   |   |   |   |   |
    5  .---.---.---.---.---.---.---.---.
       |                               |
    4  .---.---.---.---.---.---.---.---.
       |   |   |   |   |   |   |   |   |
    3  .---.---.---.---.---.---.---.---.
       |   |   |   |   |   |   |   |   |
    2  .---.---.---.---.---.---.---.---.
       |   |   |   | \\ | / |   |   |   |
    1  R---.---.---.---.---.---.---.---.
       |   |   |   | / | \\ |   |   |   |
    0  .---.---.---K---.---.---.---.---.

       a   b   c   d   e   f   g   h   i
";
        assert_eq!(drawn("xiangqi:pieces=3", "4k4/9/9/9/9/9/9/9/R8/3K5 w"), want[1..]);
    }

    #[test]
    fn digits_in_threes() {
        for (n, want) in [(0, "0"), (999, "999"), (1000, "1,000"), (82_497_861, "82,497,861")] {
            assert_eq!(super::grouped(n), want);
        }
    }
}
