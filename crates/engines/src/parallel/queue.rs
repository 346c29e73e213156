//! Tasks that wait for a thread, and the threads that take them up.
//!
//! Threads help each other with the loops of a task when they have nothing else to do. A thread that waits for such help
//! must not begin another task meanwhile: its own would stand still until that is done, and with it all that wait for
//! it. So a thread in the middle of a task leaves tasks to others, which are woken for them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use rayon::Scope;
use zermelo_core::Unpoisoned;

/// Tells the loops of a task whether other tasks wait for a thread. Idle threads help a loop only where none waits.
pub trait Others: Send + Sync {
    /// Whether any task waits for a thread. Loops ask before each part.
    fn wait(&self) -> bool;
}

thread_local! {
    /// The tasks beside the one that this thread is in the middle of.
    static BESIDE: RefCell<Option<Arc<dyn Others>>> = const { RefCell::new(None) };
}

/// The tasks beside the one that this thread has; none where it has none.
pub(super) fn others() -> Option<Arc<dyn Others>> {
    BESIDE.with_borrow(Option::clone)
}

/// As long as this value lives, its thread works on a task, whose loops ask whether other tasks wait. When the value is
/// dropped, also after a panic, the thread works on what it worked on before.
#[must_use]
pub struct OthersGuard(Option<Arc<dyn Others>>);

impl OthersGuard {
    /// Makes what this thread does next part of a task: its loops ask `others` whether other tasks wait.
    pub fn new(others: Arc<dyn Others>) -> OthersGuard {
        OthersGuard(BESIDE.replace(Some(others)))
    }
}

impl Drop for OthersGuard {
    fn drop(&mut self) {
        BESIDE.set(self.0.take());
    }
}

/// How many tasks wait: asked all the time.
#[derive(Default)]
struct Many(AtomicUsize);

impl Others for Many {
    fn wait(&self) -> bool {
        self.0.load(Relaxed) > 0
    }
}

/// Tasks that no thread has begun. The task with the least key is due first.
pub struct Queue<K, T> {
    tasks: Mutex<BTreeMap<K, T>>,
    many: Arc<Many>,
}

impl<K, T> Default for Queue<K, T> {
    fn default() -> Queue<K, T> {
        Queue { tasks: Mutex::default(), many: Arc::default() }
    }
}

impl<K: Ord, T> Queue<K, T> {
    /// Adds a task.
    pub fn add(&self, turn: K, task: T) {
        let mut tasks = self.tasks.lock().unpoisoned();
        tasks.insert(turn, task);
        self.many.0.store(tasks.len(), Relaxed);
    }

    /// Takes the task that is due first: the one with the least key, whenever it was added.
    pub fn take(&self) -> Option<(K, T)> {
        self.take_if(|_| true)
    }

    /// Takes the task that is due first, if it fits.
    pub fn take_if(&self, fits: impl Fn(&T) -> bool) -> Option<(K, T)> {
        let mut tasks = self.tasks.lock().unpoisoned();
        let first = tasks.first_entry().filter(|task| fits(task.get())).map(|task| task.remove_entry());
        self.many.0.store(tasks.len(), Relaxed);
        first
    }

    /// Drops all tasks.
    pub fn clear(&self) {
        self.tasks.lock().unpoisoned().clear();
        self.many.0.store(0, Relaxed);
    }

    /// Tells the loops of a task whether tasks wait in this queue.
    pub fn others(&self) -> Arc<dyn Others> {
        self.many.clone()
    }
}

/// Tasks that wait, and how they are done.
pub trait Tasks: Sync {
    /// Tells the loops of a task whether other tasks wait.
    fn others(&self) -> Arc<dyn Others>;
    /// Does the task that is due first; whether there was one.
    fn next(&self) -> bool;

    /// Does at most `most` tasks that go before work that no other task waits for, such as packing. Returns how many
    /// were done.
    fn first(&self, most: usize) -> usize {
        (0..most).take_while(|_| self.next()).count()
    }
}

/// Lets a number of tasks go before the parts of work that no other task waits for, such as packing.
pub struct Turns<'a> {
    tasks: &'a dyn Tasks,
    left: AtomicUsize,
}

impl<'a> Turns<'a> {
    /// Lets at most `most` of these tasks go before the work.
    pub fn of(tasks: &'a dyn Tasks, most: usize) -> Turns<'a> {
        Turns { tasks, left: AtomicUsize::new(most) }
    }

    /// Does those of them that wait now.
    pub(super) fn give(&self) {
        let left = self.left.load(Relaxed);
        self.left.store(left - self.tasks.first(left), Relaxed);
    }
}

/// Does tasks until none waits. A thread that is in the middle of another task leaves them to the other threads. Spawn
/// this for every task that was added to the queue.
pub fn work<'s>(tasks: &'s dyn Tasks, scope: &Scope<'s>) {
    let do_all = move || {
        let is_free = BESIDE.with_borrow(Option::is_none);
        if is_free {
            let _beside = OthersGuard::new(tasks.others());
            while tasks.next() {}
        }
        is_free
    };
    if !do_all() {
        scope.spawn_broadcast(move |_, _| _ = do_all());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// Turns from the last to the first.
    type Turn = std::cmp::Reverse<usize>;

    /// Writes down what is done.
    #[derive(Default)]
    struct Pad {
        queued: Queue<Turn, usize>,
        done: Mutex<Vec<usize>>,
    }

    impl Tasks for Pad {
        fn others(&self) -> Arc<dyn Others> {
            self.queued.others()
        }

        fn next(&self) -> bool {
            let Some((task, number)) = self.queued.take() else { return false };
            assert_eq!(task.0, number);
            self.done.lock().expect("nobody panics").push(number);
            true
        }
    }

    fn task(at: usize) -> Turn {
        std::cmp::Reverse(at)
    }

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
    }

    #[test]
    fn what_is_due_first_is_done_first() {
        let pad = Pad::default();
        [3, 9, 1].into_iter().for_each(|at| pad.queued.add(task(at), at));
        let others = pad.others();
        assert!(others.wait());
        let turns = Turns::of(&pad, 4);
        turns.give();
        assert_eq!((turns.left.load(Relaxed), others.wait()), (1, false));
        [7, 8].into_iter().for_each(|at| pad.queued.add(task(at), at));
        turns.give();
        assert!(others.wait(), "one had a turn left");
        assert_eq!((pad.first(2), pad.first(5), others.wait()), (1, 0, false));
        pad.queued.add(task(4), 4);
        pad.queued.add(task(2), 2);
        assert!(pad.queued.take_if(|at| *at == 2).is_none(), "4 is due first");
        assert_eq!(pad.queued.take_if(|at| *at == 4).map(|(_, at)| at), Some(4));
        pool(1).scope(|scope| scope.spawn(|scope| work(&pad, scope)));
        assert_eq!(*pad.done.lock().expect("nobody panics"), [9, 3, 1, 8, 7, 2]);
    }

    /// One task that comes upon another one in its middle, and does not end before that is done.
    struct Waits {
        queued: Queue<Turn, usize>,
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

    impl Tasks for Waits {
        fn others(&self) -> Arc<dyn Others> {
            self.queued.others()
        }

        fn next(&self) -> bool {
            let Some((_, number)) = self.queued.take() else { return false };
            if number == 9 {
                // As a thread does that waits for help: it takes what there is, until it has met the other.
                while rayon::yield_now() != Some(rayon::Yield::Executed) {}
                assert!(self.queued.others().wait(), "it began a task in the middle of another");
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
        let waits =
            Waits { queued: Queue::default(), done: Mutex::default(), seen: channel(), over: channel() };
        let begun = channel();
        pool(2).in_place_scope(|scope| {
            scope.spawn(|_| {
                tell(&begun.0);
                hear(&waits.seen.1, "the task is not met");
            });
            hear(&begun.1, "there are two threads");
            for at in [9, 1] {
                waits.queued.add(task(at), at);
                scope.spawn(|scope| work(&waits, scope));
                // The first is begun before the other comes.
                while at == 9 && waits.queued.others().wait() {
                    std::thread::yield_now();
                }
            }
        });
        assert_eq!(*waits.done.lock().expect("nobody panics"), [1, 9]);
    }
}
