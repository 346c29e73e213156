//! `zermelo book`: makes a book of the first plies of a game from its database, or checks one.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use anyhow::Context;
use serde_json::json;
use zermelo::{BookPlan, Catalogue, Database, NewFile, Progress, Settings, check_book, full_name, solve};
use zermelo_core::Opened;

use super::grouped;
use crate::args::Book;

/// Makes a book, or checks one; a check fails unless all values are right.
pub(crate) fn run(catalogue: Catalogue, args: &Book) -> anyhow::Result<ExitCode> {
    let settings = super::settings(&args.resources, Some(&args.place));
    let games = catalogue.open_all(&args.which.game, None, args.which.objective.as_deref(), None)?;
    if let Some(file) = &args.check {
        return check(catalogue, args, &games[0], file);
    }
    let plies = args.plies.unwrap_or(0);
    let plan = BookPlan::of(catalogue, &games[0], plies, args.late)?;
    let (game, database) = solved(games, args, &settings)?;
    let path = args.output.clone().unwrap_or_else(|| zermelo::Book::path(&args.place.path(), &game));
    let progress = Progress::new("book");
    let book = thread::scope(|scope| {
        let _shown = progress.show(scope);
        plan.make(&game, &database, &settings, &progress)
    })?;
    let unwritten = || format!("cannot write {}", path.display());
    let mut file = NewFile::create(&path).with_context(unwritten)?;
    file.write_all(&book.bytes).and_then(|()| file.finish()).with_context(unwritten)?;
    let (bytes, values) = (book.bytes.len() as u64, book.values);
    let mut out = std::io::stdout().lock();
    let name = full_name(&game);
    if args.json {
        let object = json!({
            "game": game.card.name, "variant": game.variant, "plies": plies, "late": args.late, "values": values,
            "numbers": book.numbers, "bytes": bytes, "file": path,
        });
        writeln!(out, "{object:#}")?;
    } else {
        let (file, values, bytes) = (path.display(), grouped(values), grouped(bytes));
        writeln!(out, "{file}: {values} values of {name} in {bytes} bytes")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the game with its finished database. Where there is none, the game is solved first.
fn solved(games: Vec<Opened>, args: &Book, settings: &Settings) -> anyhow::Result<(Opened, Database)> {
    let data = args.place.path();
    // Positions that follow each other in the book lie apart in the database, so its blocks are kept.
    let cache = usize::try_from(settings.memory / 2).unwrap_or(usize::MAX).max(zermelo::CACHE);
    let (game, database) = Database::find(&data, games, cache)?;
    if let Some(database) = database.filter(Database::is_complete) {
        return Ok((game, database));
    }
    super::remark(&format!("there is no finished database of {}; it is solved first", full_name(&game)));
    let progress = Progress::new("solve").remarked(super::remark);
    thread::scope(|scope| {
        let _shown = progress.show(scope);
        solve(&game, settings, &progress)
    })?;
    let database = Database::open_with_cache(&data, &game, cache)?;
    Ok((game, database))
}

/// Checks a book.
fn check(catalogue: Catalogue, args: &Book, game: &Opened, file: &Path) -> anyhow::Result<ExitCode> {
    let book = zermelo::Book::read(catalogue, game, file)?;
    let progress = Progress::new("check");
    let checked = thread::scope(|scope| {
        let _shown = progress.show(scope);
        check_book(game, &book, args.sample, &progress)
    })?;
    checked.examples.iter().for_each(|text| eprintln!("zermelo: {text}"));
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{:#}", json!({ "checked": checked.checked, "wrong": checked.wrong }))?,
        false => writeln!(out, "{} values checked, {} wrong", grouped(checked.checked), checked.wrong)?,
    }
    Ok(ExitCode::from(u8::from(checked.wrong > 0)))
}
