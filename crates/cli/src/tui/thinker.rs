//! Searches positions that no table has, on a thread of its own.
//!
//! A new request replaces the old one, because the old position is no longer on the board.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::Duration;

use zermelo::{Answers, Budget, search_memory};
use zermelo_core::{Limits, Position, Report, Value};

/// Bytes of memory for one search.
const MEMORY: u64 = 64 << 20;
/// The limit for an engine that looks at all moves at once, which ends by itself.
const TIME_LIMIT: Duration = Duration::from_secs(3600);

/// A request to find out values of the position on the board.
pub(super) struct Request {
    pub(super) position: Position,
    /// The positions to search one by one, if the whole position cannot be searched at once.
    pub(super) tasks: Vec<Task>,
}

/// One position to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) position: Position,
    pub(super) time: Duration,
}

impl Task {
    /// Makes the task for the position on the board, which a person waits for.
    pub(super) fn position(position: Position) -> Task {
        Task { position, time: Duration::from_secs(1) }
    }

    /// Makes the task for the position after a move; there are many of these.
    pub(super) fn child(position: Position) -> Task {
        Task { position, time: Duration::from_millis(250) }
    }

    /// Runs the search.
    pub(super) fn search(self, answers: &Answers) -> Finding {
        let limits = Limits { time: self.time, memory: MEMORY };
        Finding { position: self.position, value: answers.searched(self.position, limits) }
    }
}

/// The result of a search; no value when the search was too deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) position: Position,
    pub(super) value: Option<Value>,
}

/// What the thread found out about the position on the board.
pub(super) enum News {
    /// The result of a look at the whole position: the position and its moves.
    Looked(Look),
    /// The result of the search of one position.
    Found(Finding),
}

/// A look at a position and all its moves.
pub(super) struct Look {
    pub(super) position: Position,
    /// What is known of the position after the look.
    pub(super) report: Option<Report>,
    /// Why something could not be read.
    pub(super) message: Option<String>,
}

impl Look {
    /// Looks in the published files, and otherwise asks the engine for all moves at once.
    pub(super) fn at(position: Position, answers: &Answers) -> Look {
        let budget = Budget { time: TIME_LIMIT, memory: MEMORY, whole: search_memory() };
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

/// Works until the sender of requests or the receiver of news is gone.
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
