//! Play in the terminal: the board, what every move is worth, and an opponent.
//!
//! [`Session`](session::Session) holds the whole state and knows no terminal; the screen
//! is a function of it; this file joins the two with keys, a clock, and a thread that
//! searches where no table has the answer. So everything but the loop below is tested
//! without a terminal.

mod board;
mod computer;
mod geometry;
mod help;
mod keys;
mod list;
mod paint;
mod screen;
mod session;
#[cfg(test)]
mod tests;
mod thinker;
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

/// Who plays one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Player {
    /// Somebody at the keyboard.
    Human,
    /// The program.
    Computer {
        /// How often it plays the best move instead of a random one: 0 never, 1 always.
        strength: f32,
    },
}

/// What a session begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Where to begin; the game's start when not given.
    pub position: Option<Position>,
    /// Who plays first and who second.
    pub players: [Player; 2],
    /// Whether the values of moves are shown.
    pub hints: bool,
    /// Seeds the computer's choices: the same seed gives the same play.
    pub seed: u64,
}

/// How long to wait for a key before the clock is looked at again.
const BEAT: Duration = Duration::from_millis(60);
/// Columns and lines that are drawn on at most.
const WIDEST: u16 = 1_000;
const HIGHEST: u16 = 500;

/// Plays a game in the terminal until the person quits.
///
/// Values come from tables; where these have none, from published files of a game that has such, or from a search, both
/// in the background.
/// The terminal is put back as it was on return, on an error and on a panic.
pub fn play(answers: &Answers, setup: Setup) -> anyhow::Result<()> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        bail!(
            "play needs a terminal for input and output, and this is none; `zermelo query` answers in plain text"
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

/// Prepares the terminal. What stood on it comes back with [`ratatui::try_restore`].
fn begin() -> std::io::Result<DefaultTerminal> {
    let viewport = Viewport::Fixed(area()?);
    let terminal = ratatui::try_init_with_options(TerminalOptions { viewport })?;
    // Where only a part is drawn on, the library leaves this to us.
    execute!(std::io::stdout(), EnterAlternateScreen)?;
    Ok(terminal)
}

/// What of the terminal is drawn on: no more than any real one has, for memory is taken for each cell.
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
            // A failure shows below, as the other end of the news.
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
