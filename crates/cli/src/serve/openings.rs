//! Opens things from a disk that may not answer.
//!
//! Each thing is opened by a thread of its own. A request for the thing waits for a limited time, and nothing is
//! locked meanwhile. When the disk does not answer, the thread keeps waiting alone, and no other thread opens the
//! same thing until that thread ends.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use zermelo_core::Unpoisoned;

use super::refusal::{Refusal, Result};

/// The most threads that open things at once. More would mean that a whole disk does not answer.
const THREADS: usize = 64;

/// The jobs that open something, by name.
pub(crate) struct Openings<T>(Arc<Mutex<HashMap<String, Arc<Job<T>>>>>);

impl<T> Default for Openings<T> {
    fn default() -> Self {
        Openings(Arc::default())
    }
}

/// One thing that is being opened.
struct Job<T> {
    begun: Instant,
    /// `None` until the job ends; then what was opened, or `Some(None)` where the thread panicked.
    opened: Mutex<Option<Option<T>>>,
    ended: Condvar,
}

impl<T: Clone> Job<T> {
    fn end(&self, opened: Option<T>) {
        *self.opened.lock().unpoisoned() = Some(opened);
        self.ended.notify_all();
    }

    /// Returns what was opened, or a refusal when that takes longer than `limit` from the beginning of the job.
    fn wait(&self, name: &str, limit: Duration) -> Result<T> {
        let left = limit.saturating_sub(self.begun.elapsed());
        let opened = self.opened.lock().unpoisoned();
        let waited = self.ended.wait_timeout_while(opened, left, |opened| opened.is_none());
        match &*waited.unpoisoned().0 {
            Some(Some(opened)) => Ok(opened.clone()),
            Some(None) => Err(Refusal::broken("this request met a fault in zermelo; please report it")),
            None => Err(Refusal::busy(format!(
                "{name} is not open after {:.1} s: its disk does not answer or this machine is busy; try again later",
                limit.as_secs_f64()
            ))),
        }
    }
}

impl<T: Clone + Send + 'static> Openings<T> {
    /// Opens a thing, or waits for the thread that is opening the thing already.
    pub(crate) fn run(
        &self,
        name: &str,
        limit: Duration,
        open: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        self.job(name, open)?.wait(name, limit)
    }

    /// Returns the job of a name; a new job is begun if there is none.
    fn job(&self, name: &str, open: impl FnOnce() -> T + Send + 'static) -> Result<Arc<Job<T>>> {
        let mut jobs = self.0.lock().unpoisoned();
        if let Some(job) = jobs.get(name) {
            return Ok(job.clone());
        }
        if jobs.len() >= THREADS {
            return Err(Refusal::busy("too many files are being opened; try again in a moment"));
        }
        let job = Arc::new(Job { begun: Instant::now(), opened: Mutex::default(), ended: Condvar::new() });
        jobs.insert(name.into(), job.clone());
        drop(jobs);
        let (all, own, key) = (self.0.clone(), job.clone(), name.to_string());
        let work = move || {
            let opened = catch_unwind(AssertUnwindSafe(open)).ok();
            all.lock().unpoisoned().remove(&key);
            own.end(opened);
        };
        if let Err(error) = std::thread::Builder::new().name("open".into()).spawn(work) {
            self.0.lock().unpoisoned().remove(name);
            job.end(None);
            return Err(Refusal::busy(format!("no thread to open {name}: {error}; try again later")));
        }
        Ok(job)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::mpsc::channel;

    use super::*;

    const SHORT: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_disk_that_does_not_answer_holds_up_nobody_else() {
        let openings = Openings::default();
        let (go_on, waiting) = channel::<()>();
        let hung = openings.run("one", SHORT, move || waiting.recv().map_or(0, |()| 1));
        assert_eq!(hung.expect_err("too slow").status, 503);
        assert_eq!(openings.run("other", LONG, || 2).expect("opened"), 2);
        let begun = Instant::now();
        let again = openings.run("one", SHORT, || unreachable!("it is being opened"));
        assert!(again.expect_err("still hung").text.contains("does not answer"));
        assert!(begun.elapsed() < LONG, "whoever comes later does not wait again");
        go_on.send(()).expect("somebody waits");
        let opened = openings.run("one", LONG, || 3).expect("opened");
        assert!(matches!(opened, 1 | 3), "{opened}");
    }

    #[test]
    fn a_thing_is_opened_once_by_all_who_want_it() {
        let (openings, opened) = (Openings::default(), Arc::new(AtomicUsize::new(0)));
        let (go_on, waiting) = channel::<()>();
        let mut waiting = Some(waiting);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                let (opened, waiting) = (opened.clone(), waiting.take());
                let open = move || {
                    waiting.map(|waiting| waiting.recv());
                    opened.fetch_add(1, SeqCst)
                };
                let job = openings.job("one", open).expect("a job");
                scope.spawn(move || assert_eq!(job.wait("one", LONG).expect("opened"), 0));
            }
            go_on.send(()).expect("the first waits");
        });
        assert_eq!(opened.load(SeqCst), 1);
    }

    #[test]
    fn a_panic_is_a_fault_and_not_for_ever() {
        let openings = Openings::default();
        let broken = openings.run("one", LONG, || -> u8 { panic!("on purpose") });
        assert_eq!(broken.expect_err("a fault").status, 500);
        assert_eq!(openings.run("one", LONG, || 1).expect("opened"), 1);
    }

    #[test]
    fn there_are_only_so_many_threads() {
        let openings = Openings::default();
        let mut senders = vec![];
        for n in 0..THREADS {
            let (go_on, waiting) = channel::<()>();
            senders.push(go_on);
            let job = openings.job(&n.to_string(), move || waiting.recv().unwrap_or(()));
            job.expect("a thread");
        }
        assert_eq!(openings.run("more", LONG, || ()).expect_err("too many").status, 503);
    }
}
