//! What Ctrl-C does while a command works: it says how to go on, and ends the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use signal_hook::consts::SIGINT;
use zermelo::Progress;

/// The exit status of a command that Ctrl-C ended, as shells have it.
pub(super) const STATUS: u8 = 130;
/// How long a person waits for an answer to Ctrl-C.
const BEAT: Duration = Duration::from_millis(50);

/// Hears Ctrl-C from its making on. The second Ctrl-C ends the process at once.
pub(super) struct Interrupt {
    heard: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Interrupt {
    /// Hears Ctrl-C, unless whoever started the process has it ignored, as `nohup` in a script does.
    pub(super) fn hear() -> Interrupt {
        let heard = Arc::new(AtomicBool::new(false));
        if !is_ignored() {
            // In this order the first signal finds the flag unset, and sets it. Where a handler cannot be installed,
            // Ctrl-C ends the process without a word.
            let _ = signal_hook::flag::register_conditional_shutdown(SIGINT, STATUS.into(), heard.clone());
            let _ = signal_hook::flag::register(SIGINT, heard.clone());
        }
        Interrupt { heard, over: Arc::default() }
    }

    /// Whether Ctrl-C was pressed.
    pub(super) fn was_heard(&self) -> bool {
        self.heard.load(Relaxed)
    }

    /// Calls `then` once when Ctrl-C is pressed, until what is returned is dropped.
    pub(super) fn watch<'s>(
        &'s self,
        scope: &'s thread::Scope<'s, '_>,
        then: impl FnOnce() + Send + 's,
    ) -> Watching<'s> {
        let watcher = thread::Builder::new().spawn_scoped(scope, move || {
            while !self.over.load(Relaxed) {
                if self.was_heard() {
                    return then();
                }
                thread::park_timeout(BEAT);
            }
        });
        // Without a thread for it, the second Ctrl-C still ends the process.
        Watching { interrupt: self, watcher: watcher.ok().map(|watcher| watcher.thread().clone()) }
    }

    /// Stops the work when Ctrl-C is pressed, with a word on what is kept.
    pub(super) fn stops<'s>(
        &'s self,
        scope: &'s thread::Scope<'s, '_>,
        progress: &'s Progress,
        kept: &'static str,
    ) -> Watching<'s> {
        self.watch(scope, move || {
            progress.stop();
            super::remark(&format!("stopping; press Ctrl-C again to end at once ({kept})"));
        })
    }

    /// Ends the process when Ctrl-C is pressed, with a word on how to go on.
    pub(super) fn ends<'s>(&'s self, scope: &'s thread::Scope<'s, '_>, how: String) -> Watching<'s> {
        self.watch(scope, move || {
            super::remark(&format!("interrupted; {how}"));
            std::process::exit(STATUS.into());
        })
    }
}

/// A watch that ends when this is dropped, also by a panic of the work.
#[must_use]
pub(super) struct Watching<'a> {
    interrupt: &'a Interrupt,
    watcher: Option<thread::Thread>,
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        self.interrupt.over.store(true, Relaxed);
        self.watcher.iter().for_each(thread::Thread::unpark);
    }
}

/// Whether the process was started with Ctrl-C ignored.
fn is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (SIGINT - 1) & 1 == 1)
}
