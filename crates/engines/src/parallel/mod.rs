//! The executor: which thread does what, decided here and nowhere else.
//!
//! Whole tasks wait in a [`Queue`], the one first that is due first, and [`work`] is how a thread takes them up. The loops
//! inside a task ask here whether tasks wait: if so, the thread that has the task does all parts itself, for threads
//! that share a tier wait for each other; if not, idle threads help. Work that nobody waits for, such as to pack a
//! table, lets some of the tasks that wait go first ([`Turns`]): to solve comes before to pack.
//!
//! An engine knows only the loops.

mod loops;
mod queue;

pub use loops::over_giving_turns;
pub(crate) use loops::{
    each, merged, over, threads, try_over, try_with_room, try_within, with_buffer, within,
};
pub use queue::{Others, OthersGuard, Queue, Tasks, Turns, work};
