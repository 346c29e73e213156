//! One process of a cluster: joins the others, opens the files it works with, and gives heartbeats.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, OnceLock};

use zermelo_core::Opened;
use zermelo_store::{Annex, Disk, ScratchFiles};

use super::mailbox::Mailbox;
use super::message::{Stats, ToCoordinator, ToWorker, Welcome};
use super::worker::RankWorker;
use super::{HEARTBEAT, SHARED, SILENCE_LIMIT, lost, probe_name};
use crate::coordinator::records::Records;
use crate::coordinator::session::{OUTLIVED, once_free};
use crate::coordinator::{Graph, Result, Settings, SolveError};
use crate::{Progress, database};

/// This process as a rank.
pub(super) struct Process<'a> {
    pub(super) game: &'a Opened,
    /// The game with every engine.
    pub(super) ways: &'a [Opened],
    /// The tiers of the game, once they are found.
    pub(super) graph: OnceLock<Graph>,
    /// Held by the thread that finds the tiers.
    pub(super) making: Mutex<()>,
    pub(super) settings: &'a Settings,
    /// The folder of the database.
    pub(super) folder: &'a Path,
    pub(super) progress: &'a Progress,
    pub(super) mailbox: &'a Mailbox<'a>,
}

impl Process<'_> {
    /// Works until it is told to stop.
    pub(super) fn run(&self, inbox: Receiver<ToWorker>) -> Result<()> {
        let stats = self.work(inbox)?;
        // Whoever began the trace asks again and tells what went wrong.
        let _ = self.progress.end_trace();
        // On rank 0 the coordinator receives, and needs heartbeats until all others are done.
        if self.mailbox.net.rank() != 0 {
            self.mailbox.fall_silent();
        }
        self.mailbox.to_coordinator(ToCoordinator::Bye(stats));
        Ok(())
    }

    /// The tier graph, which is made when first asked for; who asks meanwhile waits for it.
    pub(super) fn graph(&self) -> Result<&Graph> {
        let _making = self.making.lock();
        if let Some(graph) = self.graph.get() {
            return Ok(graph);
        }
        let graph = Graph::of(self.game)?;
        Ok(self.graph.get_or_init(|| graph))
    }

    fn work(&self, inbox: Receiver<ToWorker>) -> Result<Stats> {
        if self.mailbox.net.rank() != 0 {
            // While the coordinator makes it for rank 0. What is wrong with it is told when this rank is to join.
            let _ = self.mailbox.listening(|| self.graph().map(drop));
        }
        let welcome = loop {
            match self.mailbox.for_worker(&inbox) {
                Some(ToWorker::Welcome(welcome)) => break welcome,
                Some(ToWorker::Heartbeat) | None => {}
                // There is nothing to do, or some rank cannot take part.
                _ => return Ok(Stats::default()),
            }
        };
        self.progress.trace_from(welcome.begun);
        let (graph, annex, scratch) = match self.mailbox.listening(|| self.join(&welcome)) {
            Ok(files) => files,
            Err(error) => {
                self.mailbox.to_coordinator(ToCoordinator::Unable(error.to_string()));
                while !matches!(self.mailbox.for_worker(&inbox), Some(ToWorker::Stop)) {}
                return Ok(Stats::default());
            }
        };
        self.mailbox.to_coordinator(ToCoordinator::Ready);
        let threads = welcome.threads.max(1);
        let pool = Settings { threads, ..self.settings.clone() }.pool()?;
        let records = Records::of_annex(&annex, &scratch);
        let worker = RankWorker::new(self, graph, threads, &records, &annex, &scratch, inbox);
        worker.work(&pool);
        let stats = worker.stats();
        // Everything is stored. All ranks do this at once, and it may take a while: heartbeats are still answered.
        self.mailbox.listening(|| drop(worker));
        drop(records);
        self.mailbox.listening(|| scratch.leave());
        Ok(stats)
    }

    /// Reads what the coordinator has written, writes for it to read, and opens the files to work with.
    fn join(&self, welcome: &Welcome) -> Result<(&Graph, Annex, ScratchFiles)> {
        let (rank, graph) = (self.mailbox.net.rank(), self.graph()?);
        let unusable = |reason: String| {
            let reason = format!("rank {rank} on {}: {reason}", self.mailbox.net.host());
            SolveError::data(self.folder, reason, SHARED)
        };
        let read = std::fs::read_to_string(self.folder.join(probe_name(&welcome.run, None)));
        match read {
            Ok(text) if text == welcome.run => {}
            Ok(_) => return Err(unusable("its files are not those of rank 0".into())),
            Err(error) => return Err(unusable(format!("it cannot read what rank 0 wrote: {error}"))),
        }
        let own = self.folder.join(probe_name(&welcome.run, Some(rank)));
        std::fs::write(&own, &welcome.run).map_err(|e| unusable(format!("it cannot write: {e}")))?;
        let (disk, identity) = (Disk::new(self.folder), database::identity(self.game));
        let (file, end) = welcome.annex;
        let annex = once_free(OUTLIVED, self.progress, || Annex::open(disk.clone(), &identity, file, end))?;
        let (first, step) = welcome.segments;
        let scratch = ScratchFiles::beside(disk, &identity, first, step).counting_from(welcome.sequence);
        // Machines see each other's files once they are on the disk; the threads of one machine see them at once.
        Ok(match welcome.one_machine {
            true => (graph, annex.on_one_machine(), scratch.on_one_machine()),
            false => (graph, annex, scratch),
        })
    }

    /// Says now and then that it is alive and how far it is; ends everything when the coordinator is silent.
    pub(super) fn heartbeat(&self, over: &Receiver<()>) {
        let mut told = 0;
        while over.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
            let entries = self.progress.entries();
            // What has to be done again was told of already.
            let silence = self.mailbox.heartbeat(entries.saturating_sub(told));
            told = entries.max(told);
            if self.mailbox.net.rank() != 0 && silence > SILENCE_LIMIT {
                self.mailbox.end(&lost(format!(
                    "rank {} on {} has not heard of rank 0 for {} s: its machine or the network is gone; \
                     start the same command again to go on",
                    self.mailbox.net.rank(),
                    self.mailbox.net.host(),
                    SILENCE_LIMIT.as_secs()
                )));
            }
        }
    }
}
