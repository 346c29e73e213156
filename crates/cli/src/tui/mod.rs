//! Play in the terminal: the board, what every move is worth, and an opponent.
//!
//! [`Session`](session::Session) has the whole state and no access to a terminal. The screen is a function of the
//! session. This file joins the two with keys, a clock, and a thread that searches when no table has the answer. So
//! everything but the loop below is tested without a terminal.

mod board;
mod columns;
pub(crate) mod computer;
mod geometry;
mod help;
pub(crate) mod keys;
mod list;
pub(crate) mod paint;
mod screen;
mod session;
#[cfg(test)]
mod tests;
mod thinker;
mod typing;
pub(crate) mod words;

use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use ratatui::crossterm::event::{self, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::EnterAlternateScreen;
use ratatui::layout::Rect;
use ratatui::{DefaultTerminal, TerminalOptions, Viewport};
use zermelo_core::Position;

use session::Session;
use thinker::{News, Request};
use zermelo::Answers;

/// The player of one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Player {
    /// A person at the keyboard.
    Human,
    /// The program.
    Computer {
        /// How often the computer plays the best move instead of a random one: 0 never, 1 always.
        strength: f32,
    },
}

/// The settings that a session begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The position to begin at; the game's start if not given.
    pub position: Option<Position>,
    /// The players of the first and of the second side.
    pub players: [Player; 2],
    /// Whether the values of moves are shown.
    pub hints: bool,
    /// Seeds the computer's choices: the same seed gives the same play.
    pub seed: u64,
}

/// How long to wait for a key before the clock is checked again.
const BEAT: Duration = Duration::from_millis(60);
/// The most columns and lines that are drawn on.
const WIDEST: u16 = 1_000;
const HIGHEST: u16 = 500;

/// Plays a game in the terminal until the person quits.
///
/// Values come from tables. If these have none, values come from published files of a game that has such files, or
/// from a search, both in the background. The terminal is restored on return, on an error and on a panic.
pub fn play(answers: &Answers, setup: Setup) -> anyhow::Result<()> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        bail!(
            "play needs a terminal for its output, and this is none; it writes lines of text when moves come from a pipe, \
             and `zermelo query` answers in plain text"
        );
    }
    let mut session = Session::new(answers, setup)?;
    std::thread::scope(|scope| {
        let (ask, orders) = channel();
        let (tell, news) = channel();
        let thinker = std::thread::Builder::new();
        thinker
            .spawn_scoped(scope, move || thinker::work(answers, &orders, &tell))
            .map_err(|error| anyhow::anyhow!(zermelo::no_threads(1, &error)))?;
        let mut terminal = begin().context("the terminal cannot be prepared for drawing")?;
        let result = run(&mut terminal, &mut session, &ask, &news);
        let restored = ratatui::try_restore().context("the terminal could not be put back; type `reset`");
        result.and(restored)
    })
}

/// Prepares the terminal. Its previous content comes back with [`ratatui::try_restore`].
fn begin() -> std::io::Result<DefaultTerminal> {
    let viewport = Viewport::Fixed(area()?);
    let terminal = ratatui::try_init_with_options(TerminalOptions { viewport })?;
    // If only a part is drawn on, the library leaves this call to us.
    execute!(std::io::stdout(), EnterAlternateScreen)?;
    Ok(terminal)
}

/// Returns the part of the terminal that is drawn on: no larger than any real terminal, because each cell takes
/// memory.
fn area() -> std::io::Result<Rect> {
    let (width, height) = ratatui::crossterm::terminal::size()?;
    Ok(Rect::new(0, 0, width.min(WIDEST), height.min(HIGHEST)))
}

fn run(
    terminal: &mut DefaultTerminal,
    session: &mut Session<'_>,
    ask: &Sender<Request>,
    news: &Receiver<News>,
) -> anyhow::Result<()> {
    let mut drawn = area()?;
    while !session.done {
        if let Some(order) = session.take_request() {
            // A failure shows below, when the receiver of the news finds the sender gone.
            let _ = ask.send(order);
        }
        let now = area()?;
        if now != drawn {
            terminal.resize(now)?;
            drawn = now;
        }
        terminal.draw(|frame| screen::draw(frame, session))?;
        if event::poll(BEAT)?
            && let Event::Key(event) = event::read()?
            && let Some(key) = keys::Key::read(event)
        {
            session.apply(key);
        }
        loop {
            match news.try_recv() {
                Ok(News::Looked(look)) => session.looked(look),
                Ok(News::Found(finding)) => session.learn(finding),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => bail!("the search in the background failed"),
            }
        }
        session.tick(Instant::now());
    }
    Ok(())
}
