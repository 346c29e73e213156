//! Locks whose holder may have panicked.

use std::sync::{LockResult, PoisonError};

/// Takes a lock even if a thread panicked while holding it: that thread has reported its error itself.
pub trait Unpoisoned<Guard> {
    /// Returns the guard.
    fn unpoisoned(self) -> Guard;
}

impl<Guard> Unpoisoned<Guard> for LockResult<Guard> {
    fn unpoisoned(self) -> Guard {
        self.unwrap_or_else(PoisonError::into_inner)
    }
}
