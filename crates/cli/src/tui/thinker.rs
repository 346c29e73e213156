//! Searches positions that no table knows, away from the keyboard and the screen.
//!
//! A new order replaces the old one: nobody looks at the old position any more.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::Duration;

use zermelo::{Answers, Budget, search_memory};
use zermelo_core::{Limits, Position, Report, Value};

/// Bytes for one search.
const MEMORY: u64 = 64 << 20;
/// An engine that looks at all moves at once ends by itself.
const PATIENCE: Duration = Duration::from_secs(3600);

/// What to find out about the position on the board.
pub(super) struct Request {
    pub(super) position: Position,
    /// What to search one by one, where the whole cannot be looked at.
    pub(super) tasks: Vec<Task>,
}

/// One position to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) position: Position,
    pub(super) time: Duration,
}

impl Task {
    /// The position on the board, which people wait for.
    pub(super) fn position(position: Position) -> Task {
        Task { position, time: Duration::from_secs(1) }
    }

    /// Where a move leads; there are many of these.
    pub(super) fn child(position: Position) -> Task {
        Task { position, time: Duration::from_millis(250) }
    }

    /// Does it.
    pub(super) fn search(self, answers: &Answers) -> Finding {
        let limits = Limits { time: self.time, memory: MEMORY };
        Finding { position: self.position, value: answers.searched(self.position, limits) }
    }
}

/// What a search found; no value when it was too deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) position: Position,
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
pub(super) struct Look {
    pub(super) position: Position,
    /// What is known of it then.
    pub(super) report: Option<Report>,
    /// Why something could not be read.
    pub(super) message: Option<String>,
}

impl Look {
    /// Looks at the published files, and else asks the engine for all moves at once.
    pub(super) fn at(position: Position, answers: &Answers) -> Look {
        let budget = Budget { time: PATIENCE, memory: MEMORY, whole: search_memory() };
        match answers.known(position, budget) {
            Ok(report) => Look { position, report: Some(report), message: None },
            Err(error) => Look { position, report: None, message: Some(format!("Not looked up: {error}")) },
        }
    }

    fn knows(&self, position: Position) -> bool {
        self.report.as_ref().is_some_and(|report| {
            let moves = report.moves.iter().map(|m| (m.to, m.value));
            moves.chain([(report.at, report.value)]).any(|(at, value)| at == position && value.is_some())
        })
    }
}

/// Works until the other end is gone.
pub(super) fn work(answers: &Answers, orders: &Receiver<Request>, tell: &Sender<News>) {
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
                let look = Look::at(order.position, answers);
                queue = order.tasks.into_iter().filter(|task| !look.knows(task.position)).collect();
                News::Looked(look)
            }
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => match queue.pop_front() {
                Some(task) => News::Found(task.search(answers)),
                None => continue,
            },
        };
        if tell.send(news).is_err() {
            return;
        }
    }
}
