//! Counts what can be reached from the start, ply by ply: positions, finished ones, games.
//!
//! The positions of a ply are the *frontier*: sorted records in packed blocks. Every thread
//! takes blocks of it in order and fills a buffer with what their moves lead to; a full buffer
//! is sorted, doubles are merged, and it becomes a *run*. At the end of the ply all runs are
//! merged into the next frontier. Runs stay in memory while they fit and go to files after
//! that. Where positions may come again, the frontiers before are kept and left out in merging.
//!
//! Work is done in order, so a checkpoint is small: how many blocks of the frontier are done
//! and the runs so far, or up to which position the runs are merged.

mod checkpoint;
mod expand;
mod files;
mod merge;
mod pack;
mod ply;
mod result;
mod run;
mod shares;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zermelo_core::{Complaint, Opened, Walker, Walking};

use crate::{Progress, Settings, cpu_seconds, peak_memory};
use checkpoint::{Checkpoint, Identity, Saved, Stage, State};
use expand::{Buffers, Expand, blocks};
use files::{Pause, RunFiles};
use merge::Merge;
use ply::EachPly;
use run::{Filed, Run, RunWriter, Sorted};
use shares::Shares;

pub(crate) use ply::{Ply, each_ply};
pub use result::{Counted, Games, Row, Sums};

/// How to count.
#[derive(Clone, Debug)]
pub struct CountSettings {
    /// The last ply to count; `None` to count all plies.
    pub plies: Option<u32>,
    /// Whether symmetric positions count as one, and whether the player to move tells positions apart.
    pub walking: Walking,
    /// Threads to use.
    pub threads: usize,
    /// Bytes for records: buffers, runs, and what is read in merging.
    pub memory: u64,
    /// The directory where checkpoints are kept; `None` for no checkpoints.
    pub resume: Option<PathBuf>,
    /// The directory for files of records while a count without checkpoints runs; `None` for the system's directory for
    /// temporary files.
    pub scratch: Option<PathBuf>,
    /// The time between checkpoints within a ply.
    pub every: Duration,
}

impl Default for CountSettings {
    /// All plies, up to symmetry, with all cores and three quarters of the memory that is free.
    fn default() -> Self {
        let Settings { threads, memory, .. } = Settings::default();
        CountSettings {
            plies: None,
            walking: Walking { fold: true, sides: false },
            threads,
            memory,
            resume: None,
            scratch: None,
            every: Duration::from_secs(60),
        }
    }
}

/// Why a count stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// What was asked for cannot be done.
    #[error("{0}")]
    Input(#[from] Complaint),
    /// A file could not be read or written.
    #[error("{file}: {reason}; the count keeps records there, give another place with --scratch or --resume")]
    File {
        /// The file or folder.
        file: String,
        /// Why.
        reason: String,
    },
    /// A file is not what was written.
    #[error("{file} is damaged: {why}; restore it from a copy, or begin again with another --resume")]
    Damaged {
        /// The file.
        file: String,
        /// What does not fit.
        why: String,
    },
    /// Somebody else works there.
    #[error("{0} is in use by another count; wait for it, or use another --resume")]
    Busy(String),
    /// The engine does not know single positions.
    #[error("engine {0} cannot count this game; open it with another one")]
    Engine(&'static str),
    /// No threads could be had.
    #[error("{0}")]
    Threads(String),
}

/// A result with the error of a count.
type Result<T, E = CountError> = std::result::Result<T, E>;

/// Counts the positions and games of a variant, without solving it.
///
/// ```
/// let game = zermelo::open("mnk", None, None)?;
/// let settings = zermelo::CountSettings::default();
/// let counted = zermelo::count(&game, &settings, &zermelo::Progress::new("count"))?;
/// assert_eq!(counted.json("mnk", "")["positions"], 5_478);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count(game: &Opened, settings: &CountSettings, progress: &Progress) -> Result<Counted, CountError> {
    walk(game, settings, progress, None)
}

/// Walks through the positions of a variant, and shows the positions of each ply to `each`, if it is given.
fn walk<'e>(
    game: &Opened,
    settings: &CountSettings,
    progress: &Progress,
    each: Option<&'e mut EachPly<'e>>,
) -> Result<Counted> {
    let walker = game.audit().walker(settings.walking).ok_or(CountError::Engine(game.takes.name))?;
    let shares = Shares::of(settings.memory, settings.threads as u64)?;
    let pool = crate::machine::pool(settings.threads).map_err(CountError::Threads)?;
    let (files, checkpoint) = match &settings.resume {
        Some(folder) => {
            let identity = Identity {
                game: game.card.name.into(),
                variant: game.variant.clone(),
                revision: game.card.revision,
                symmetries: settings.walking.fold,
                sides: walker.turns(),
                plies: settings.plies,
            };
            let files = RunFiles::durable(folder, shares.runs)?;
            (files, Some(Checkpoint::new(folder, identity)))
        }
        None => {
            let under = settings.scratch.clone().unwrap_or_else(std::env::temp_dir);
            if settings.scratch.is_some() && !under.is_dir() {
                let told = under.display();
                let fix = "leave --scratch out, or name a directory that is there";
                return Err(Complaint::new(format!("--scratch {told}: no such directory; {fix}")).into());
            }
            (RunFiles::temporary(under, shares.runs), None)
        }
    };
    let files = Arc::new(files);
    let stage = checkpoint.as_ref().map_or(Ok(None), Checkpoint::load)?;
    let saved = match stage {
        Some(Stage::Finished(counted)) => {
            files.clean(&|_| false)?;
            return Ok(*counted);
        }
        Some(Stage::Going(saved)) => Some(saved),
        None => None,
    };
    let mut count = Count {
        walker: &*walker,
        settings,
        shares,
        files,
        checkpoint,
        progress,
        buffers: Buffers::new(settings.threads, shares.buffer),
        each,
        begun: Instant::now(),
        cpu_begun: cpu_seconds(),
        state: State::default(),
    };
    count.begin(saved.map(|saved| *saved))?;
    pool.install(|| count.go())
}

struct Count<'a, 'e> {
    walker: &'a dyn Walker,
    settings: &'a CountSettings,
    shares: Shares,
    files: Arc<RunFiles>,
    checkpoint: Option<Checkpoint>,
    progress: &'a Progress,
    buffers: Buffers,
    each: Option<&'e mut EachPly<'e>>,
    begun: Instant,
    cpu_begun: f64,
    state: State<Sorted>,
}

impl Count<'_, '_> {
    /// Begins with the start, or where an earlier run was.
    fn begin(&mut self, saved: Option<Saved>) -> Result<()> {
        let Some(saved) = saved else {
            if self.files.durable {
                self.files.clean(&|_| false)?;
            }
            let mut writer = RunWriter::new(&self.files);
            writer.push(&self.walker.start())?;
            self.state.frontier = writer.finish()?.into_iter().map(Arc::new).collect();
            self.state.sums = Sums::new(self.walker);
            return Ok(());
        };
        self.files.clean(&|name| saved.files().any(|filed| filed.file == name))?;
        saved.files().for_each(|filed| self.files.name_after(&filed.file));
        let files = &self.files;
        let open = |filed: &Filed| Run::open(filed, files).map(Arc::new);
        self.state = saved.with(|list| list.iter().map(open).collect())?;
        Ok(())
    }

    /// Walks to the end.
    fn go(mut self) -> Result<Counted> {
        loop {
            if !self.state.merging {
                if let Some(each) = &mut self.each
                    && !each(&Ply::of(&self.state.frontier))
                {
                    return self.finish(false);
                }
                self.expand()?;
                if self.is_last() || self.state.runs.is_empty() {
                    let ended = self.state.sums.moves() == 0;
                    return self.finish(ended);
                }
                let frontier = std::mem::take(&mut self.state.frontier);
                if !self.walker.level() {
                    self.state.layers.push(frontier);
                }
                self.state.merging = true;
            }
            self.merge()?;
            if self.state.frontier.is_empty() {
                return self.finish(true);
            }
            self.state.ply += 1;
            self.state.sums.next_ply();
            self.save()?;
        }
    }

    fn is_last(&self) -> bool {
        self.settings.plies == Some(self.state.ply)
    }

    /// Time to work before the next checkpoint.
    fn pause(&self) -> Pause {
        Pause::after(self.checkpoint.is_some().then_some(self.settings.every))
    }

    /// Looks at the whole frontier.
    fn expand(&mut self) -> Result<()> {
        let all = blocks(&self.state.frontier);
        self.progress.expect(1, self.state.frontier.iter().map(|run| run.records()).sum());
        while self.state.done < all {
            let expand = Expand {
                walker: self.walker,
                ply: self.state.ply,
                last: self.is_last(),
                frontier: &self.state.frontier,
                buffers: &self.buffers,
                files: &self.files,
                progress: self.progress,
            };
            let found = expand.go(self.state.done, &self.pause())?;
            self.state.sums.add(&found.tally);
            self.state.runs.extend(found.runs);
            self.state.done = found.done;
            if self.state.done < all {
                self.save()?;
            }
        }
        self.state.done = 0;
        self.progress.tier_done();
        Ok(())
    }

    /// Makes the next frontier of the runs.
    fn merge(&mut self) -> Result<()> {
        self.fewer_lists()?;
        loop {
            let (runs, from) =
                self.merging(&self.state.runs, &self.state.layers).go(self.state.from, &self.pause())?;
            self.state.merged.extend(runs);
            self.state.from = from;
            if from.is_none() {
                break;
            }
            self.save()?;
        }
        self.state.runs.clear();
        self.state.merging = false;
        self.state.frontier = std::mem::take(&mut self.state.merged);
        Ok(())
    }

    fn merging<'b>(&'b self, lists: &'b [Sorted], without: &'b [Sorted]) -> Merge<'b> {
        Merge { lists, without, segment: self.shares.segment, files: &self.files }
    }

    /// Merges runs with each other where there are too many to merge at once.
    fn fewer_lists(&mut self) -> Result<()> {
        let most = self.shares.lists;
        while self.state.layers.len() > most / 2 {
            let (all, _) = self.merging(&self.state.layers, &[]).go(None, &Pause::after(None))?;
            self.state.layers = vec![all];
        }
        while self.state.runs.len() + self.state.layers.len() > most {
            // Short ones first: they are merged again.
            self.state.runs.sort_by_key(|list| Reverse(list.iter().map(|run| run.bytes()).sum::<u64>()));
            let short = self.state.runs.split_off(self.state.runs.len().saturating_sub(most));
            let (merged, _) = self.merging(&short, &[]).go(None, &Pause::after(None))?;
            self.state.runs.push(merged);
        }
        Ok(())
    }

    /// Keeps a checkpoint, where that is wanted.
    fn save(&mut self) -> Result<()> {
        let Some(checkpoint) = &self.checkpoint else { return Ok(()) };
        let state = &mut self.state;
        let lists = [&mut state.frontier, &mut state.merged].into_iter();
        for list in lists.chain(&mut state.runs).chain(&mut state.layers) {
            for run in list {
                *run = run.secured()?;
            }
        }
        let saved = self.state.with(|list| Ok(list.iter().filter_map(|run| run.filed()).collect()))?;
        let (seconds, cpu_seconds, disk_bytes) = self.spent();
        let saved = Saved { seconds, cpu_seconds, disk_bytes, ..saved };
        checkpoint.save(&Stage::Going(Box::new(saved)))?;
        self.files.sweep();
        Ok(())
    }

    /// Seconds and CPU seconds of all runs so far, and the most bytes on the disk.
    fn spent(&self) -> (f64, f64, u64) {
        let State { seconds, cpu_seconds: cpu, disk_bytes, .. } = self.state;
        let (cpu, disk) = (cpu + cpu_seconds() - self.cpu_begun, disk_bytes.max(self.files.most_disk()));
        (seconds + self.begun.elapsed().as_secs_f64(), cpu, disk)
    }

    /// All is counted.
    fn finish(self, ended: bool) -> Result<Counted> {
        let (seconds, cpu_seconds, disk_bytes) = self.spent();
        let counted = Counted {
            sums: self.state.sums,
            ended,
            folded: self.settings.walking.fold,
            whole: self.walker.whole(),
            level: self.walker.level(),
            turns: self.walker.turns(),
            seconds,
            cpu_seconds,
            peak_memory_bytes: peak_memory(),
            disk_bytes,
        };
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.save(&Stage::Finished(Box::new(counted.clone())))?;
            self.files.clean(&|_| false)?;
        }
        Ok(counted)
    }
}
