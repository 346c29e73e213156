//! Tasks that wait for a thread, and the threads that take them up.
//!
//! Threads help each other with the loops of a tier when they have nothing else to do. Who waits for such help must not
//! begin another tier meanwhile: his own would lie there until that one is done, and all that wait for it. So a thread
//! in the middle of a task leaves tasks to others, which are woken for it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rayon::Scope;

use super::Task;

thread_local! {
    /// Whether this thread is in the middle of a task.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Tasks that no thread has begun, with what they take along.
pub(crate) struct Queued<T> {
    tasks: Mutex<BTreeMap<Task, T>>,
    /// How many there are: asked all the time.
    many: AtomicUsize,
}

impl<T> Default for Queued<T> {
    fn default() -> Queued<T> {
        Queued { tasks: Mutex::default(), many: AtomicUsize::new(0) }
    }
}

impl<T> Queued<T> {
    /// One more.
    pub(crate) fn add(&self, task: Task, with: T) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.insert(task, with);
        self.many.store(tasks.len(), Relaxed);
    }

    /// The one that is due first, which may have come last.
    pub(crate) fn take(&self) -> Option<(Task, T)> {
        self.take_if(|_| true)
    }

    /// The same, but only such a one.
    pub(crate) fn take_if(&self, fits: impl Fn(&T) -> bool) -> Option<(Task, T)> {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let first = tasks.first_entry().filter(|task| fits(task.get())).map(|task| task.remove_entry());
        self.many.store(tasks.len(), Relaxed);
        first
    }

    /// Whether there is any.
    pub(crate) fn any(&self) -> bool {
        self.many.load(Relaxed) > 0
    }
}

/// All tasks that wait, and whoever does them.
pub(crate) trait ToDo: Sync {
    /// Whether any task waits for a thread.
    fn waits(&self) -> bool;
    /// Does the one that is due first; whether there was one.
    fn next(&self) -> bool;

    /// Does so many of them at most; how many there were.
    fn several(&self, most: usize) -> usize {
        (0..most).take_while(|_| self.next()).count()
    }
}

/// Has a thread take up a task that was added to those to do.
pub(crate) fn call<'s>(todo: &'s dyn ToDo, scope: &Scope<'s>) {
    scope.spawn(move |scope| {
        if !work(todo) {
            scope.spawn_broadcast(move |_, _| _ = work(todo));
        }
    });
}

/// Does tasks until none waits, but not in the middle of another; whether this thread could.
fn work(todo: &dyn ToDo) -> bool {
    if BUSY.replace(true) {
        return false;
    }
    let _free = Free;
    while todo.next() {}
    true
}

/// A thread is free again, also after a panic.
struct Free;

impl Drop for Free {
    fn drop(&mut self) {
        BUSY.set(false);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::super::Kind;
    use super::*;

    /// Writes down what is done.
    #[derive(Default)]
    struct Pad {
        queued: Queued<usize>,
        done: Mutex<Vec<usize>>,
    }

    impl ToDo for Pad {
        fn waits(&self) -> bool {
            self.queued.any()
        }

        fn next(&self) -> bool {
            let Some((task, number)) = self.queued.take() else { return false };
            assert_eq!(task.at, number);
            self.done.lock().expect("nobody panics").push(number);
            true
        }
    }

    fn task(at: usize) -> Task {
        Task { due: 100 - at, kind: Kind::Solve, at }
    }

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
    }

    #[test]
    fn what_is_due_first_is_done_first() {
        let pad = Pad::default();
        [3, 9, 1].into_iter().for_each(|at| pad.queued.add(task(at), at));
        assert!(pad.waits());
        assert_eq!((pad.several(2), pad.several(5), pad.waits()), (2, 1, false));
        pad.queued.add(task(4), 4);
        pad.queued.add(task(2), 2);
        assert!(pad.queued.take_if(|at| *at == 2).is_none(), "4 is due first");
        assert_eq!(pad.queued.take_if(|at| *at == 4).map(|(_, at)| at), Some(4));
        pool(1).scope(|scope| call(&pad, scope));
        assert_eq!(*pad.done.lock().expect("nobody panics"), [9, 3, 1, 2]);
    }

    /// One task that comes upon another one in its middle, and does not end before that is done.
    struct Waits {
        queued: Queued<usize>,
        done: Mutex<Vec<usize>>,
        /// Whether the first has seen the other, and whether that is done.
        seen: (Mutex<mpsc::Sender<()>>, Mutex<mpsc::Receiver<()>>),
        over: (Mutex<mpsc::Sender<()>>, Mutex<mpsc::Receiver<()>>),
    }

    fn tell(channel: &Mutex<mpsc::Sender<()>>) {
        channel.lock().expect("nobody panics").send(()).expect("somebody listens");
    }

    fn hear(channel: &Mutex<mpsc::Receiver<()>>, what: &str) {
        channel.lock().expect("nobody panics").recv_timeout(Duration::from_secs(60)).expect(what);
    }

    impl ToDo for Waits {
        fn waits(&self) -> bool {
            self.queued.any()
        }

        fn next(&self) -> bool {
            let Some((_, number)) = self.queued.take() else { return false };
            if number == 9 {
                // As a thread does that waits for help: it takes what there is, until it has met the other.
                while rayon::yield_now() != Some(rayon::Yield::Executed) {}
                assert!(self.waits(), "it began a task in the middle of another");
                tell(&self.seen.0);
                hear(&self.over.1, "nobody else did it");
            }
            self.done.lock().expect("nobody panics").push(number);
            if number == 1 {
                tell(&self.over.0);
            }
            true
        }
    }

    /// The other thread has something else to do until the task was left to it, and must be woken for it.
    #[test]
    fn nobody_leaves_a_task_for_another() {
        let channel = || {
            let (send, receive) = mpsc::channel();
            (Mutex::new(send), Mutex::new(receive))
        };
        let desk =
            Waits { queued: Queued::default(), done: Mutex::default(), seen: channel(), over: channel() };
        let begun = channel();
        pool(2).in_place_scope(|scope| {
            scope.spawn(|_| {
                tell(&begun.0);
                hear(&desk.seen.1, "the task is not met");
            });
            hear(&begun.1, "there are two threads");
            for at in [9, 1] {
                desk.queued.add(task(at), at);
                call(&desk, scope);
                // The first is begun before the other comes.
                while at == 9 && desk.waits() {
                    std::thread::yield_now();
                }
            }
        });
        assert_eq!(*desk.done.lock().expect("nobody panics"), [1, 9]);
    }
}
