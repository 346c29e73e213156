//! Searches positions that no table knows, away from the keyboard and the screen.
//!
//! A new order replaces the old one: nobody looks at the old position any more.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::Duration;

use zermelo_core::{AnyGame, AskError, Limits, Report, Value};

use crate::examine::examine;
use crate::{Slices, search_memory, settle};

/// Bytes for one search.
const MEMORY: u64 = 64 << 20;
/// An engine that looks at all moves at once ends by itself.
const PATIENCE: Duration = Duration::from_secs(3600);

/// What to find out about the position on the board.
pub(super) struct Order {
    pub(super) position: String,
    /// What to search one by one, where the whole cannot be looked at.
    pub(super) tasks: Vec<Task>,
}

/// One position to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) position: String,
    pub(super) time: Duration,
}

impl Task {
    /// The position on the board, which people wait for.
    pub(super) fn position(position: &str) -> Task {
        Task { position: position.into(), time: Duration::from_secs(1) }
    }

    /// Where a move leads; there are many of these.
    pub(super) fn child(position: &str) -> Task {
        Task { position: position.into(), time: Duration::from_millis(250) }
    }

    /// Does it.
    pub(super) fn search(self, game: &dyn AnyGame) -> Finding {
        let limits = Limits { time: self.time, memory: MEMORY };
        // A position that cannot be read is as unknown as one too deep.
        let value = game.search(&self.position, limits).ok().flatten();
        Finding { position: self.position, value }
    }
}

/// What a search found; no value when it was too deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) position: String,
    pub(super) value: Option<Value>,
}

/// What is told of the position on the board.
pub(super) enum News {
    /// What a look at the whole of it found: the position and its moves.
    Looked(Look),
    /// What a search found.
    Found(Finding),
}

/// A look at a position and all its moves.
#[derive(Default)]
pub(super) struct Look {
    pub(super) position: String,
    pub(super) findings: Vec<Finding>,
    /// Why something could not be read.
    pub(super) message: Option<String>,
}

impl Look {
    /// Looks at the published files, and else asks the engine for all moves at once.
    pub(super) fn at(position: &str, game: &dyn AnyGame, slices: Option<&Slices>) -> Look {
        let mut look = Look { position: position.into(), ..Look::default() };
        let read = slices.map(|slices| game.report(position, slices));
        match read {
            Some(Ok(report)) => look.take(report, game),
            Some(Err(AskError::Tables(reason))) => {
                look.message = Some(format!("The published files could not be read: {reason}"));
            }
            Some(Err(AskError::Input(_))) | None => {}
        }
        let limits = Limits { time: PATIENCE, memory: search_memory() };
        if !look.is_whole() {
            match examine(game, position, limits) {
                Ok(Some(report)) => look.take(report, game),
                Ok(None) | Err(AskError::Input(_)) => {}
                Err(AskError::Tables(reason)) => look.message = Some(format!("No search: {reason}")),
            }
        }
        look
    }

    fn take(&mut self, mut report: Report, game: &dyn AnyGame) {
        settle(&mut report, game.unit());
        let moves = report.moves.into_iter().map(|m| Finding { position: m.position, value: m.value });
        let here = Finding { position: report.position, value: report.value };
        self.findings = std::iter::once(here).chain(moves).collect();
    }

    fn is_whole(&self) -> bool {
        !self.findings.is_empty() && self.findings.iter().all(|finding| finding.value.is_some())
    }

    fn knows(&self, position: &str) -> bool {
        self.findings.iter().any(|finding| finding.position == position && finding.value.is_some())
    }
}

/// Works until the other end is gone.
pub(super) fn work(
    game: &dyn AnyGame,
    slices: Option<&Slices>,
    orders: &Receiver<Order>,
    tell: &Sender<News>,
) {
    let mut queue: VecDeque<Task> = VecDeque::new();
    loop {
        let newer = if queue.is_empty() {
            orders.recv().map_err(|_| TryRecvError::Disconnected)
        } else {
            orders.try_recv()
        };
        let news = match newer {
            Ok(order) if order.tasks.is_empty() => {
                queue.clear();
                continue;
            }
            Ok(order) => {
                let look = Look::at(&order.position, game, slices);
                queue = order.tasks.into_iter().filter(|task| !look.knows(&task.position)).collect();
                News::Looked(look)
            }
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => match queue.pop_front() {
                Some(task) => News::Found(task.search(game)),
                None => continue,
            },
        };
        if tell.send(news).is_err() {
            return;
        }
    }
}
