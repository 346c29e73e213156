//! How far a long task is, for whoever draws it: bars on a terminal, lines in a log.

use std::io::{IsTerminal, Write};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use zermelo_core::{Opened, Tier, Tiering, Unpoisoned, Watch};

use crate::coordinator::Left;
use crate::names::with_name;
use crate::trace::{Doing, Trace};

/// The progress of a task: counters that the task moves on, and that other threads read.
pub struct Progress {
    task: &'static str,
    parts: &'static str,
    /// Whether it is found out on the way how much there is to do.
    open: bool,
    begun: Instant,
    /// When it was known how much there is to do; opening what an earlier run left may take its time before that.
    known: OnceLock<Instant>,
    tiers: AtomicU64,
    all_tiers: AtomicU64,
    entries: AtomicU64,
    all_entries: AtomicU64,
    /// Numbers that all entries stand for; 0 where they stand for something else.
    numbers: AtomicU64,
    done: AtomicBool,
    /// Whether somebody wants the task to end early.
    stopped: AtomicBool,
    pace: Mutex<Pace>,
    /// Remarks of engines, told or not.
    remarks: AtomicU64,
    trace: Option<Trace>,
    /// To name tiers.
    names: OnceLock<Arc<dyn Tiering>>,
    listener: Option<Box<Listener>>,
}

/// What a thread leaves its work with after [`Progress::stop`]: like a panic, but without a message. So no engine needs
/// a way of its own to end early.
pub(crate) struct Stop;

/// Hears what people should know of a run that goes on.
type Listener = dyn Fn(&str) + Send + Sync;

impl Watch for Progress {
    fn advance(&self, entries: u64) {
        self.entries.fetch_add(entries, Relaxed);
        if let Some(trace) = &self.trace {
            trace.chunk();
        }
    }

    /// The first of a run is told at once; of others it is told at the end how many there were, for they say the same of
    /// other tiers.
    fn remark(&self, text: &str) {
        if self.remarks.fetch_add(1, Relaxed) == 0 {
            self.tell(text);
        }
    }
}

impl Progress {
    /// The progress of a task of that name, such as `solve`.
    pub fn new(task: &'static str) -> Progress {
        Progress {
            task,
            parts: "tiers",
            open: false,
            begun: Instant::now(),
            known: OnceLock::new(),
            tiers: AtomicU64::new(0),
            all_tiers: AtomicU64::new(0),
            entries: AtomicU64::new(0),
            all_entries: AtomicU64::new(0),
            numbers: AtomicU64::new(0),
            done: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            pace: Mutex::default(),
            remarks: AtomicU64::new(0),
            trace: None,
            names: OnceLock::new(),
            listener: None,
        }
    }

    /// Has `listener` called with each remark that a person should see while the task runs.
    pub fn remarked(self, listener: impl Fn(&str) + Send + Sync + 'static) -> Progress {
        Progress { listener: Some(Box::new(listener)), ..self }
    }

    /// Tells people something, if anybody does.
    pub(crate) fn tell(&self, text: &str) {
        self.listener.iter().for_each(|listener| listener(text));
    }

    /// Has what every thread does written to a trace.
    pub fn traced(self, trace: Option<Trace>) -> Progress {
        Progress { trace, ..self }
    }

    /// Has messages and the trace name the tiers of a game.
    pub(crate) fn names_tiers_of(&self, game: &Opened) {
        let _ = self.names.set(game.tiering.clone());
    }

    /// The name of a tier; its number where the game is not known.
    fn name_of(&self, tier: Tier) -> String {
        self.names.get().map_or_else(|| tier.to_string(), |tiers| tiers.name(tier))
    }

    /// Reports a remark on a tier, with the name of the tier.
    pub(crate) fn remark_on(&self, tier: Tier, text: &str) {
        self.remark(&with_name(text, tier, &self.name_of(tier)));
    }

    /// Notes in the trace, if there is one, what this thread is at until the span is dropped.
    pub(crate) fn span(&self, doing: Doing, tier: Option<Tier>) -> Option<Span<'_>> {
        self.trace.as_ref().map(|trace| Span { trace, progress: self, doing, tier, since: Instant::now() })
    }

    /// Has the times of the trace count from a moment, in microseconds of the clock on the wall.
    pub(crate) fn trace_from(&self, moment: u64) {
        self.trace.as_ref().inspect(|trace| trace.count_from(moment));
    }

    /// Ends the trace, and says why where a part of it could not be written.
    pub fn end_trace(&self) -> Result<(), String> {
        self.trace.as_ref().map_or(Ok(()), Trace::finish)
    }

    /// Numbers that are through.
    pub(crate) fn entries(&self) -> u64 {
        self.entries.load(Relaxed)
    }

    /// Names the parts of a task that finds out on the way how many there are, such as the plies of a count. No share
    /// and no time left are told of it.
    pub fn of(self, parts: &'static str) -> Progress {
        Progress { parts, open: true, ..self }
    }

    /// Takes entries off the progress, as they have to be gone over again.
    pub(crate) fn take_back(&self, entries: u64) {
        self.entries.fetch_sub(entries, Relaxed);
    }

    /// Sets how much there is to do: tiers, and entries of all tiers.
    pub fn expect(&self, tiers: u64, entries: u64) {
        self.expect_all(&Left { tiers, numbers: entries, effort: entries });
    }

    /// How much there is to do, where a number takes more than one entry, or less.
    pub(crate) fn expect_all(&self, left: &Left) {
        self.known.get_or_init(Instant::now);
        self.all_tiers.fetch_add(left.tiers, Relaxed);
        self.all_entries.fetch_add(left.effort, Relaxed);
        self.numbers.fetch_add(left.numbers, Relaxed);
    }

    /// Counts one more tier as done.
    pub fn tier_done(&self) {
        self.tiers.fetch_add(1, Relaxed);
    }

    /// Tiers done, and tiers in all.
    pub fn tiers(&self) -> (u64, u64) {
        (self.tiers.load(Relaxed), self.all_tiers.load(Relaxed))
    }

    /// Has a solve end soon with [`SolveError::Stopped`](crate::SolveError::Stopped). Tiers that are in its database stay
    /// there, and another solve goes on from them.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Whether the task is to end early.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Leaves the work of this thread if the task is to end early. Whoever began the work catches the [`Stop`].
    pub(crate) fn heed(&self) {
        if self.is_stopped() {
            resume_unwind(Box::new(Stop));
        }
    }

    /// A line for people who wait: how much is done, how fast, and how long the rest takes.
    pub fn text(&self) -> String {
        self.line(self.at_work(), usize::MAX)
    }

    /// The share of the work that is done, from 0 to 1.
    pub fn share(&self) -> f64 {
        let (done, all) = (self.entries.load(Relaxed), self.all_entries.load(Relaxed).max(1));
        (done as f64 / all as f64).min(1.0)
    }

    /// An estimate of the seconds that are left, at the speed since some earlier call of this function; `None` before
    /// anything is done.
    pub fn seconds_left(&self) -> Option<f64> {
        let mut pace = self.pace.lock().unpoisoned();
        pace.seconds_left(self.at_work().as_secs_f64(), self.share())
    }

    /// How long the work has been going on.
    fn at_work(&self) -> Duration {
        self.known.get().unwrap_or(&self.begun).elapsed()
    }

    /// Reports on standard error until what it gives is dropped: a line that is drawn over on a terminal, else a line
    /// every ten seconds. Tells at the end how many remarks were not told.
    pub fn show<'s>(&'s self, scope: &'s thread::Scope<'s, '_>) -> Shown<'s> {
        // Work goes on without a word where the system has no thread for the report.
        let reporter = thread::Builder::new().spawn_scoped(scope, || self.report()).ok();
        Shown { progress: self, reporter }
    }

    /// Tells how many remarks were not told.
    pub fn tell_more(&self) {
        self.more_remarks().iter().for_each(|more| self.tell(more));
    }

    /// What there is to say of remarks after the first.
    fn more_remarks(&self) -> Option<String> {
        match self.remarks.load(Relaxed) {
            0 | 1 => None,
            2 => Some("the same holds for 1 more tier".into()),
            many => Some(format!("the same holds for {} more tiers", many - 1)),
        }
    }

    fn report(&self) {
        let terminal = std::io::stderr().is_terminal();
        let every = Duration::from_millis(if terminal { 200 } else { 10_000 });
        let mut drawn = false;
        // Tasks of under two seconds need no report.
        let mut next = self.begun + Duration::from_secs(2).max(every);
        while !self.done.load(Relaxed) {
            let now = Instant::now();
            if now < next {
                thread::park_timeout(next - now);
                continue;
            }
            let line = self.line(self.at_work(), if terminal { columns() } else { usize::MAX });
            let mut out = std::io::stderr().lock();
            // A report that cannot be written is no reason to stop the work.
            let _ = if terminal { write!(out, "\r\x1b[2K{line}") } else { writeln!(out, "{line}") };
            let _ = out.flush();
            drawn |= terminal;
            next = now + every;
        }
        if drawn {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }

    /// The line of at most `wide` characters; what people need least is left out first.
    fn line(&self, spent: Duration, wide: usize) -> String {
        let share = self.share();
        // Some games find out on the way how many numbers there are.
        let (numbers, all) = (self.numbers.load(Relaxed), self.all_entries.load(Relaxed).max(1));
        let done = self.entries.load(Relaxed) as f64 * numbers as f64 / all as f64;
        let rate = done / spent.as_secs_f64();
        let bar = |long: u32| -> String {
            let full = |i: u32| f64::from(i) < share * f64::from(long);
            let bar: String = (0..long).map(|i| if full(i) { '#' } else { '.' }).collect();
            if bar.is_empty() { bar } else { format!("[{bar}] ") }
        };
        let tiers = match (self.tiers.load(Relaxed), self.all_tiers.load(Relaxed)) {
            (_, 0) => String::new(),
            (done, _) if self.open => format!("{done} {}, ", self.parts),
            (done, all) => format!("{done} of {all} {}, ", self.parts),
        };
        let [positions, speed] = match numbers {
            0 => Default::default(),
            _ => [format!("{} positions, ", short(done)), format!("{}/s, ", short(rate))],
        };
        if self.open {
            return cut(format!("{}  {tiers}{positions}{speed}", self.task).trim_end_matches(", "), wide);
        }
        let left = clock(self.seconds_left().unwrap_or(f64::NAN));
        let line = |long: u32, parts: &[&str]| {
            format!("{} {}{:.0}%  {}{left} left", self.task, bar(long), share * 100.0, parts.concat())
        };
        let ways = [
            line(20, &[&tiers, &positions, &speed]),
            line(10, &[&tiers, &positions, &speed]),
            line(10, &[&tiers, &positions]),
            line(10, &[&positions]),
            line(10, &[]),
        ];
        let fitting = ways.into_iter().find(|line| line.chars().count() <= wide);
        fitting.unwrap_or_else(|| cut(&line(0, &[]), wide))
    }
}

/// The first characters of a text.
fn cut(text: &str, wide: usize) -> String {
    text.chars().take(wide).collect()
}

/// The columns of the terminal on standard error that a line may fill: all but the last one, where some terminals go on
/// to the next line.
fn columns() -> usize {
    let columns = rustix::termios::tcgetwinsize(std::io::stderr()).map_or(0, |size| size.ws_col);
    match columns {
        0 => 79,
        columns => usize::from(columns - 1),
    }
}

/// How far the work was when: the beginning of a long run is quicker than the rest, while everything is in memory.
#[derive(Default)]
struct Pace {
    /// Seconds, and the share that was done by then; ever further apart.
    seen: Vec<(f64, f64)>,
}

impl Pace {
    /// The least time between two looks, for each second before.
    const APART: f64 = 0.02;
    /// What is looked back at is the last third of the time so far.
    const BACK: f64 = 2.0 / 3.0;

    /// What the rest takes at the speed of the last third of the time.
    fn seconds_left(&mut self, now: f64, share: f64) -> Option<f64> {
        if self.seen.last().is_none_or(|(last, _)| now > last * (1.0 + Pace::APART) + Pace::APART) {
            self.seen.push((now, share));
        }
        let before = self.seen.partition_point(|(at, _)| *at <= now * Pace::BACK);
        let (from, had) = before.checked_sub(1).map_or((0.0, 0.0), |last| self.seen[last]);
        // Work that was taken back, or a long rest, tells nothing.
        let (from, had) = if share > had { (from, had) } else { (0.0, 0.0) };
        (share > had).then(|| (now - from) * (1.0 - share) / (share - had))
    }
}

/// A report of the progress of a run on standard error, which goes on until this value is dropped.
#[must_use]
pub struct Shown<'a> {
    progress: &'a Progress,
    reporter: Option<thread::ScopedJoinHandle<'a, ()>>,
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.progress.done.store(true, Relaxed);
        if let Some(reporter) = self.reporter.take() {
            reporter.thread().unpark();
            // A report that panicked is no reason to stop the work.
            let _ = reporter.join();
        }
        self.progress.tell_more();
    }
}

/// What a thread is at, for the trace, until this is dropped.
#[must_use]
pub(crate) struct Span<'a> {
    trace: &'a Trace,
    progress: &'a Progress,
    doing: Doing,
    tier: Option<Tier>,
    since: Instant,
}

impl Drop for Span<'_> {
    fn drop(&mut self) {
        let name = self.tier.map(|tier| self.progress.name_of(tier)).unwrap_or_default();
        self.trace.span(self.doing, &name, self.since);
    }
}

/// A number in three digits: `5.4M`.
pub(crate) fn short(n: f64) -> String {
    let (mut n, mut unit) = (n, 0);
    while n >= 999.5 && unit < 5 {
        (n, unit) = (n / 1000.0, unit + 1);
    }
    let digits = if unit == 0 || n >= 99.95 { 0 } else { 1 };
    format!("{n:.digits$}{}", ["", "k", "M", "G", "T", "P"][unit])
}

fn clock(seconds: f64) -> String {
    // A guess of more than ten years says nothing.
    if !seconds.is_finite() || seconds > 3.2e8 {
        return "?".into();
    }
    let s = seconds.round() as u64;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{} min {} s", s / 60, s % 60),
        _ => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (n, want) in
            [(0.0, "0"), (999.0, "999"), (1000.0, "1.0k"), (5_398_083.0, "5.4M"), (123_456.0, "123k")]
        {
            assert_eq!(short(n), want);
        }
        assert_eq!(clock(3725.0), "1 h 2 min");
    }

    #[test]
    fn the_rest_is_told_by_the_speed_of_late() {
        assert_eq!(Pace::default().seconds_left(1.0, 0.0), None);
        let mut pace = Pace::default();
        // A tenth in the first 60 seconds, then half as fast.
        let share = |at: f64| if at < 60.0 { at / 600.0 } else { 0.1 + (at - 60.0) / 1200.0 };
        for at in (2..=180).map(f64::from) {
            let left = pace.seconds_left(at, share(at)).expect("something is done");
            let right = (1.0 - share(at)) * if at < 60.0 { 600.0 } else { 1200.0 };
            assert!((60.0..92.0).contains(&at) || (left / right - 1.0).abs() < 0.02, "{left} s at {at} s");
        }
        assert!(pace.seen.len() < 200);
        // Taken back.
        assert!(pace.seconds_left(181.0, 0.01).is_some_and(|left| (left - 181.0 * 99.0).abs() < 1.0));
    }

    #[test]
    fn work_is_shown() {
        let progress = Progress::new("test");
        progress.expect(1, 10);
        thread::scope(|scope| drop(progress.show(scope)));
        progress.advance(5);
        assert!(progress.line(Duration::from_secs(1), 80).contains("50%"));
    }

    #[test]
    fn a_line_fits_its_terminal() {
        let progress = Progress::new("analyze");
        progress.expect(123_456, 999_999_999_999);
        progress.advance(123_456_789_012);
        let line = |wide| progress.line(Duration::from_secs(1234), wide);
        for wide in 0..120 {
            assert!(line(wide).chars().count() <= wide, "{}", line(wide));
        }
        let (whole, few) = ("0 of 123456 tiers, 123G positions, 100M/s, 0 s left", "0 s left");
        assert_eq!(line(87), format!("analyze [###.................] 12%  {whole}"));
        assert_eq!(line(86), format!("analyze [##........] 12%  {whole}"));
        assert_eq!(line(70), "analyze [##........] 12%  0 of 123456 tiers, 123G positions, 0 s left");
        assert_eq!(line(60), "analyze [##........] 12%  123G positions, 0 s left");
        assert_eq!(line(45), format!("analyze [##........] 12%  {few}"));
        assert_eq!(line(30), format!("analyze 12%  {few}"));
    }

    /// A count does not know how many plies come, so a share of those that are known would mislead.
    #[test]
    fn a_task_of_unknown_length_tells_no_share() {
        let progress = Progress::new("count").of("plies");
        progress.expect(1, 10);
        progress.advance(5);
        progress.tier_done();
        assert_eq!(progress.line(Duration::from_secs(1), 80), "count  1 plies, 5 positions, 5/s");
        assert_eq!(progress.line(Duration::from_secs(1), 10), "count  1 p");
    }

    /// A solve that is stopped ends with an error, and another one goes on where it was.
    #[test]
    fn a_solve_can_be_stopped_and_goes_on() {
        let data = std::env::temp_dir().join(format!("zermelo-stop-{}", std::process::id()));
        let mut known = std::collections::HashMap::new();
        for (name, engine) in [
            ("quixo:rows=3,cols=5,line=3", "retrograde"),
            ("quixo:rows=3,cols=5,line=3", "unmoves"),
            ("connect4:rows=5,cols=5", "lattice"),
            ("mnk:rows=4,cols=4,line=4", "sweep"),
        ] {
            let game = crate::open(name, Some(engine), None).expect("a game");
            let settings =
                crate::Settings { data: Some(data.clone()), fresh: true, ..crate::Settings::default() };
            let progress = Progress::new("solve");
            thread::scope(|scope| {
                let run = scope.spawn(|| crate::solve(&game, &settings, &progress));
                while progress.share() < 0.3 && !run.is_finished() {
                    thread::sleep(Duration::from_millis(1));
                }
                progress.stop();
                let ended = run.join().expect("no panic");
                assert!(matches!(ended, Err(crate::SolveError::Stopped)), "{name}: {ended:?}");
            });
            let settings = crate::Settings { fresh: false, ..settings };
            let solution = crate::solve(&game, &settings, &Progress::new("solve")).expect("a solution");
            let at_once = || crate::solve(&game, &crate::Settings::default(), &Progress::new("solve"));
            // Whatever the engine.
            let whole = known.entry(name).or_insert_with(|| at_once().expect("a solution"));
            assert_eq!((solution.value, solution.tiers), (whole.value, whole.tiers), "{name}");
        }
        std::fs::remove_dir_all(data).expect("a folder");
    }

    #[test]
    fn remarks_are_counted_after_the_first() {
        let progress = Progress::new("test");
        for more in
            [None, None, Some("the same holds for 1 more tier"), Some("the same holds for 2 more tiers")]
        {
            assert_eq!(progress.more_remarks().as_deref(), more);
            progress.remark("tier 1: the slow way");
        }
    }

    #[test]
    fn a_solve_does_as_much_as_was_expected_of_it() {
        let data = std::env::temp_dir().join(format!("zermelo-effort-{}", std::process::id()));
        let games = ["connect4:rows=3,cols=4", "mnk:rows=3,cols=3,line=3", "quixo:rows=3,cols=3,line=3"];
        for (name, data) in games.iter().flat_map(|name| [(name, Some(data.clone())), (name, None)]) {
            let game = crate::open(name, None, None).expect("a game");
            let settings = crate::Settings { data, ..crate::Settings::default() };
            let progress = Progress::new("solve");
            crate::solve(&game, &settings, &progress).expect("a solution");
            let (done, all) = (progress.entries(), progress.all_entries.load(Relaxed));
            assert_eq!(done, all, "{name}, {:?}", settings.data);
        }
        std::fs::remove_dir_all(data).expect("a folder");
    }
}
