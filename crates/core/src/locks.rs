//! Locks of threads of which one may have panicked.

use std::sync::{LockResult, PoisonError};

/// Takes a lock whether or not a thread panicked while it held it: that thread has told its error itself.
pub trait Unpoisoned<Guard> {
    /// The guard.
    fn unpoisoned(self) -> Guard;
}

impl<Guard> Unpoisoned<Guard> for LockResult<Guard> {
    fn unpoisoned(self) -> Guard {
        self.unwrap_or_else(PoisonError::into_inner)
    }
}
