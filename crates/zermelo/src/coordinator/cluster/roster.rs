//! Who takes part in a run on a cluster, kept on rank 0: who is alive, who is busy, and whether all share the folder.

use std::cmp::Reverse;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::mailbox::Mailbox;
use super::message::{Hello, Stats, ToCoordinator, ToWorker, Welcome};
use super::{PROBE, SHARED, SILENCE_LIMIT, lost, probe_name};
use crate::Progress;
use crate::coordinator::cache::Key;
use crate::coordinator::session::{Session, remove_files};
use crate::coordinator::{Result, SolveError};
use crate::machine::cores;

/// Opening a database usually takes less.
const BRIEFLY: Duration = Duration::from_millis(200);

/// A worker as the coordinator sees it.
pub(super) struct Rank {
    pub(super) hello: Hello,
    heard: Instant,
    /// Tasks at work, and what they may use.
    pub(super) tasks: usize,
    pub(super) need: u64,
    /// Tasks at work whose tiers others can have already: only their tables are left to do, which can wait.
    pub(super) storing: usize,
    /// What it has spilled and nobody wants any more.
    pub(super) forget: Vec<u64>,
    /// What it may hold in memory and nobody wants any more.
    pub(super) unwanted: Vec<Key>,
    pub(super) stats: Option<Stats>,
}

impl Rank {
    fn new(hello: Hello) -> Rank {
        let (tasks, need, storing, forget, unwanted, stats) = Default::default();
        Rank { hello, heard: Instant::now(), tasks, need, storing, forget, unwanted, stats }
    }

    pub(super) fn free(&self) -> u64 {
        self.hello.memory.saturating_sub(self.need)
    }

    /// Whether it can take up another task: one for each thread that makes no more than a table, and perhaps a next one,
    /// so that it need not wait. It has one more than threads at most: a table that waits keeps what it is made from.
    pub(super) fn has_time(&self, next: bool) -> bool {
        let threads = self.hello.threads.max(1);
        self.tasks <= threads && (next || self.tasks - self.storing < threads)
    }

    /// How busy it is; one without threads of its own comes last.
    pub(super) fn load(&self) -> (bool, usize, Reverse<u64>) {
        let threads = self.hello.threads;
        (threads == 0, self.tasks * 1024 / threads.max(1), Reverse(self.free()))
    }
}

/// Everybody's messages, and who is silent.
pub(super) struct Roster<'a> {
    pub(super) mailbox: &'a Mailbox<'a>,
    inbox: &'a Receiver<(usize, ToCoordinator)>,
    pub(super) ranks: Vec<Rank>,
    progress: &'a Progress,
    /// When the coordinator last listened: while it does not, nobody's silence counts.
    left: Instant,
}

impl<'a> Roster<'a> {
    /// Waits for all ranks and refuses those that run another program or were asked for something else.
    pub(super) fn open(
        mailbox: &'a Mailbox<'a>,
        inbox: &'a Receiver<(usize, ToCoordinator)>,
        progress: &'a Progress,
    ) -> Result<Roster<'a>> {
        let begun = Instant::now();
        let mut hellos: Vec<Option<Hello>> = (0..mailbox.net.size()).map(|_| None).collect();
        while let Some(missing) = hellos.iter().position(Option::is_none) {
            match mailbox.for_coordinator(inbox) {
                (rank, ToCoordinator::Hello(hello)) => hellos[rank] = Some(hello),
                (rank, ToCoordinator::Unable(why)) => return Err(lost(format!("rank {rank}: {why}"))),
                // Rank 0's own heartbeats tell the time.
                (rank, _) if begun.elapsed() > SILENCE_LIMIT => {
                    mailbox.to_worker(rank, ToWorker::Heartbeat);
                    return Err(lost(format!(
                        "rank {missing} did not join within {} s",
                        SILENCE_LIMIT.as_secs()
                    )));
                }
                (rank, _) => mailbox.to_worker(rank, ToWorker::Heartbeat),
            }
        }
        let ranks: Vec<Rank> = hellos.into_iter().flatten().map(Rank::new).collect();
        let first = &ranks[0].hello;
        for (n, Rank { hello, .. }) in ranks.iter().enumerate() {
            let who = format!("rank {n} on {}", hello.host);
            if hello.program != first.program {
                let (theirs, ours) = (&hello.program, &first.program);
                let told =
                    format!("{who} runs {theirs}, rank 0 runs {ours}: install the same program everywhere");
                return Err(lost(told));
            }
            if hello.options != first.options {
                let (theirs, ours) = (&hello.options, &first.options);
                return Err(lost(format!(
                    "{who} was asked for {theirs}, rank 0 for {ours}: give all ranks the same options"
                )));
            }
        }
        let mut roster = Roster { mailbox, inbox, ranks, progress, left: Instant::now() };
        roster.keep_a_core();
        Ok(roster)
    }

    /// The coordinator must answer at once, and waiting for messages takes a core: where rank 0's machine has none to
    /// spare, its worker has a thread less.
    fn keep_a_core(&mut self) {
        let (all, allowed) = cores();
        let here = self.ranks.iter().filter(|rank| rank.hello.host == self.ranks[0].hello.host);
        let threads: usize = here.map(|rank| rank.hello.threads).sum();
        let own = &mut self.ranks[0].hello.threads;
        if self.mailbox.net.size() > 1 && (threads >= all || *own >= allowed) {
            *own -= 1;
        }
    }

    /// The next message that is not just a heartbeat; an error when a rank is silent for too long. Rank 0's own
    /// heartbeats see to it that the others' are missed in time.
    pub(super) fn next(&mut self) -> Result<(usize, ToCoordinator)> {
        loop {
            if let (rank, Some(message)) = self.listen()? {
                return Ok((rank, message));
            }
        }
    }

    /// Takes one message, and answers it if it is a heartbeat.
    fn listen(&mut self) -> Result<(usize, Option<ToCoordinator>)> {
        let away = self.left.elapsed();
        self.ranks.iter_mut().for_each(|rank| rank.heard += away);
        let (rank, message) = self.mailbox.for_coordinator(self.inbox);
        self.left = Instant::now();
        self.ranks[rank].heard = self.left;
        self.all_heard()?;
        match message {
            ToCoordinator::Heartbeat(entries) => {
                zermelo_core::Watch::advance(self.progress, entries);
                self.mailbox.to_worker(rank, ToWorker::Heartbeat);
                Ok((rank, None))
            }
            ToCoordinator::Unable(why) => Err(lost(format!("rank {rank}: {why}"))),
            message => Ok((rank, Some(message))),
        }
    }

    /// Answers heartbeats while something is done that may take long, such as finding all tiers or opening a large
    /// database. Rank 0's own heartbeats see to it that the end is noticed. Where a rank cannot go on the run ends
    /// at once: nobody waits for work that is of no use any more.
    pub(super) fn meanwhile<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Result<T> {
        std::thread::scope(|scope| {
            let (send, done) = mpsc::channel();
            let job = self.mailbox.start(scope, move || {
                let result = work();
                let _ = send.send(());
                result
            });
            // Most databases are open at once.
            if done.recv_timeout(BRIEFLY).is_err() {
                while !job.is_finished() {
                    let heard = self.listen().and_then(|(rank, message)| match message {
                        Some(_) => Err(lost(format!("rank {rank} is out of step"))),
                        None => Ok(()),
                    });
                    self.mailbox.or_end(heard);
                }
            }
            job.join().map_err(|_| lost("beginning the run failed with a panic; please report it".into()))
        })
    }

    fn all_heard(&self) -> Result<()> {
        let silent = |rank: &Rank| rank.stats.is_none() && rank.heard.elapsed() > SILENCE_LIMIT;
        let Some(n) = self.ranks.iter().position(silent) else { return Ok(()) };
        let (host, seconds) = (&self.ranks[n].hello.host, SILENCE_LIMIT.as_secs());
        Err(lost(format!(
            "rank {n} on {host} has not been heard of for {seconds} s: its machine or the network is gone; \
             start the same command again to go on from the tiers that are done"
        )))
    }

    /// Has every rank read and write the shared folder once.
    pub(super) fn probe(&mut self, session: &Session) -> Result<()> {
        let folder = &session.folder;
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // New names each time: a network file system may answer with what it remembers of an old one.
        let run = format!("{}-{}", std::process::id(), wall.as_nanos());
        // Removes probe files that runs left which were killed.
        remove_files(folder, PROBE);
        let unusable = |reason: String| SolveError::data(folder, reason, SHARED);
        let own = folder.join(probe_name(&run, None));
        std::fs::write(&own, &run).map_err(|e| unusable(format!("cannot write: {e}")))?;
        let first = session.scratch.as_ref().map_or(0, |scratch| scratch.next_segment());
        let sequence = session.scratch.as_ref().map_or(0, |scratch| scratch.next_sequence());
        let count = self.ranks.len();
        let one_machine = self.ranks.iter().all(|rank| rank.hello.host == self.ranks[0].hello.host);
        for rank in 0..count {
            let annex =
                u16::try_from(rank + 1).map_err(|_| lost("there are more than 65,534 ranks".into()))?;
            let welcome = Welcome {
                run: run.clone(),
                annex: (annex, session.writer.annex_end(annex)),
                threads: self.ranks[rank].hello.threads,
                segments: (first + rank as u64, count as u64),
                sequence,
                one_machine,
                begun: wall.as_micros() as u64,
            };
            self.mailbox.to_worker(rank, ToWorker::Welcome(welcome));
        }
        for _ in 0..count {
            let (rank, message) = self.next()?;
            if !matches!(message, ToCoordinator::Ready) {
                return Err(lost(format!("rank {rank} is out of step")));
            }
            let theirs = folder.join(probe_name(&run, Some(rank)));
            let back = std::fs::read_to_string(&theirs);
            let _ = std::fs::remove_file(&theirs);
            if back.as_ref().ok() != Some(&run) {
                let host = &self.ranks[rank].hello.host;
                return Err(unusable(format!("what rank {rank} on {host} wrote cannot be read back")));
            }
        }
        let _ = std::fs::remove_file(&own);
        Ok(())
    }

    /// Sends everybody home.
    pub(super) fn close(&mut self) -> Result<()> {
        (0..self.ranks.len()).for_each(|rank| self.mailbox.to_worker(rank, ToWorker::Stop));
        while self.ranks.iter().any(|rank| rank.stats.is_none()) {
            if let (rank, ToCoordinator::Bye(stats)) = self.next()? {
                self.ranks[rank].stats = Some(stats);
            }
        }
        // The heartbeats of rank 0 were the coordinator's clock until now.
        self.mailbox.fall_silent();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_can_wait_for_a_task() {
        let hello = Hello {
            host: "here".into(),
            program: String::new(),
            options: String::new(),
            threads: 2,
            memory: 1 << 20,
        };
        let has_time = |tasks, storing, next| {
            let rank = Rank { tasks, storing, ..Rank::new(hello.clone()) };
            rank.has_time(next)
        };
        assert!(has_time(1, 0, false) && !has_time(2, 0, false), "two threads, two tasks");
        assert!(has_time(2, 0, true) && !has_time(3, 0, true), "and a next one");
        assert!(has_time(2, 1, false) && has_time(2, 2, false), "a table waits");
        assert!(!has_time(3, 1, false) && !has_time(3, 3, false), "what waits is kept in memory");
    }
}
