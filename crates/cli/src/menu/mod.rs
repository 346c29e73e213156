//! The menu that `zermelo` alone opens on a terminal: pick a game, a variant of it, and what to do with it.
//!
//! [`Menu`] has the whole state and no terminal. Each choice is a command line, which the menu shows before it runs it: so
//! people learn the commands on the way.

mod draw;
mod state;

use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use ratatui::crossterm::event::{self, Event};
use zermelo::{CACHE, Catalogue, Database};

use crate::tui::keys::Key;
use state::{Ended, Menu};

/// Shows the menu until the person leaves it, and runs what is chosen in between.
pub(crate) fn run(catalogue: Catalogue, data: PathBuf) -> anyhow::Result<ExitCode> {
    let mut menu = Menu::new(catalogue, move |name| is_solved(catalogue, &data, name));
    loop {
        let Ended::Chosen(words) = choose(&mut menu)? else { return Ok(ExitCode::SUCCESS) };
        let mut err = std::io::stderr().lock();
        writeln!(err, "\n$ zermelo {}", words.join(" "))?;
        drop(err);
        let program = OsString::from("zermelo");
        let args = [program].into_iter().chain(words.iter().map(OsString::from));
        let _ = crate::cli::run_with(catalogue, args);
        // A game that was played has ended with a key of its own; what was printed wants to be read.
        if words.first().is_none_or(|verb| verb != "play") {
            eprint!("\nEnter goes back to the menu. ");
            std::io::stderr().flush()?;
            std::io::stdin().lock().read_line(&mut String::new())?;
        }
    }
}

/// Whether the database of a variant is complete. One that cannot be read is not.
fn is_solved(catalogue: Catalogue, data: &std::path::Path, name: &str) -> bool {
    let games = catalogue.open_all(name, None, None, None);
    let found = games.ok().and_then(|games| Database::find(data, games, CACHE).ok());
    found.is_some_and(|(_, database)| database.is_some_and(|database| database.is_complete()))
}

/// Shows the menu until a command is chosen or the person leaves. The terminal is restored on return.
fn choose(menu: &mut Menu) -> anyhow::Result<Ended> {
    let mut terminal = ratatui::try_init().context("the terminal cannot be prepared for drawing")?;
    let chosen = loop {
        let drawn = terminal.draw(|frame| draw::draw(frame, menu)).map(drop);
        let key = drawn.and_then(|()| event::read());
        match key {
            Ok(Event::Key(event)) => {
                if let Some(ended) = Key::read(event).and_then(|key| menu.apply(key)) {
                    break Ok(ended);
                }
            }
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    ratatui::try_restore().context("the terminal could not be put back; type `reset`")?;
    Ok(chosen?)
}
