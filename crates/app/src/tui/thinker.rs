//! Searches positions that no table knows, away from the keyboard and the screen.
//!
//! A new list of tasks replaces the old one: nobody looks at the old position any more.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::Duration;

use zermelo_core::{AnyGame, Limits, Value};

/// Bytes for one search.
const MEMORY: u64 = 64 << 20;

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

/// Works until the other end is gone.
pub(super) fn work(game: &dyn AnyGame, tasks: &Receiver<Vec<Task>>, tell: &Sender<Finding>) {
    let mut queue: VecDeque<Task> = VecDeque::new();
    loop {
        let newer = if queue.is_empty() {
            tasks.recv().map_err(|_| TryRecvError::Disconnected)
        } else {
            tasks.try_recv()
        };
        match newer {
            Ok(list) => queue = list.into(),
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                if let Some(task) = queue.pop_front()
                    && tell.send(task.search(game)).is_err()
                {
                    return;
                }
            }
        }
    }
}
