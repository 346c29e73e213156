//! The files of a run: opened before the first task; the database is declared complete after the last.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zermelo_core::{Opened, Unit, Value};
use zermelo_store::{Disk, SCRATCH, ScratchFiles, State, StoreError, Writer};

use super::records::Records;
use super::{Counting, Graph, Result, Settings, Solution, SolveError, entries, start_value};
use crate::counts::{COUNTS, CountLog};
use crate::database::{self, Database, data_folder};
use crate::{Analysis, Progress};

/// A process of a cluster that has lost its coordinator ends within 32 s, and the next run waits somewhat longer for it.
pub(crate) const OUTLIVED: Duration = Duration::from_secs(35);

/// All files that a run writes.
pub(crate) struct Session {
    pub(crate) folder: PathBuf,
    pub(crate) writer: Writer,
    /// Counts, where values are counted while they are solved.
    pub(crate) log: Option<CountLog>,
    /// Working forms of finished tiers, for engines that cannot load tables, and for ranks, which read each other's.
    pub(crate) scratch: Option<ScratchFiles>,
    /// States of tiers at work, for engines that can load tables.
    states: Option<ScratchFiles>,
}

/// What a run without a database has on disk while it runs.
pub(crate) struct Checkpoint {
    folder: PathBuf,
    pub(crate) log: CountLog,
    pub(crate) scratch: ScratchFiles,
}

impl Checkpoint {
    /// Opens the files, or makes them. They have a folder of their own for each variant, and one that no database
    /// has.
    pub(crate) fn begin(game: &Opened, directory: &Path) -> Result<Checkpoint> {
        let folder = data_folder(directory, game).join("counting");
        if game.tiers().filing().by_tier {
            let reason = format!("engine {} has no use for it without a database", game.takes.name);
            return Err(SolveError::data(directory, reason, "leave --resume out, or --no-database"));
        }
        let fix = "give a directory that you may write to with --resume";
        std::fs::create_dir_all(&folder).map_err(|e| SolveError::data(directory, e, fix))?;
        let identity = database::identity(game);
        let log = CountLog::open(&folder, &identity, Analysis::of(game), false)?;
        let scratch = ScratchFiles::open_for(Disk::new(folder.clone()), &identity, false)?;
        Ok(Checkpoint { folder, log, scratch })
    }

    /// Gives the counts, and leaves nothing behind.
    pub(crate) fn finish(self) -> Result<Analysis> {
        let analysis = self.log.analysis();
        self.scratch.clear()?;
        self.log.remove();
        // Folders go as far as they are empty: that of the run, of the variant, and of the game.
        let _ = self.folder.ancestors().take(3).try_for_each(std::fs::remove_dir);
        Ok(analysis)
    }
}

/// What a finished database says; `None` where there is still something to do. It needs no memory and no right to
/// write.
pub(crate) fn already_solved(game: &Opened, graph: &Graph, settings: &Settings) -> Result<Option<Solution>> {
    let Some(data) = settings.data.as_ref().filter(|_| !settings.fresh) else { return Ok(None) };
    let Ok(database) = Database::open(data, game) else { return Ok(None) };
    if !database.is_complete() {
        return Ok(None);
    }
    let value = start_value(game, &database)?;
    let folder = data_folder(data, game);
    sweep_up(&folder);
    let entries = entries(game, graph, database.reader().positions().unwrap_or(0));
    let tiers = graph.nodes.len() as u64;
    Ok(Some(Solution::new(graph, entries, tiers, value, folder_bytes(&folder))))
}

impl Session {
    /// Opens the files, or makes them.
    pub(crate) fn begin(game: &Opened, data: &Path, fresh: bool, progress: &Progress) -> Result<Session> {
        let writer = open_writer(game, data, fresh, progress)?;
        let (folder, identity) = (data_folder(data, game), database::identity(game));
        let files = Some(ScratchFiles::open_for(Disk::new(folder.clone()), &identity, fresh)?);
        let (log, scratch, states) = match game.tiers().filing().by_tier {
            true => (None, None, files),
            false => (Some(CountLog::open(&folder, &identity, Analysis::of(game), fresh)?), files, None),
        };
        Ok(Session { folder, writer, log, scratch, states })
    }

    /// What is on disk.
    pub(crate) fn records(&self) -> Records<'_> {
        Records::of_writer(&self.writer, self.scratch.as_ref()).with_states(self.states.as_ref())
    }

    /// Whoever takes counts, where there are any.
    pub(crate) fn counting(&self) -> Option<&dyn Counting> {
        self.log.as_ref().map(|log| log as &dyn Counting)
    }

    /// With scratch files in any case: for other ranks to take a tier up as it is in memory is quicker than to load its
    /// table, and they need not wait until that is packed. After a kill tables will do.
    pub(crate) fn for_ranks(mut self, game: &Opened) -> Result<Session> {
        self.states = None;
        if self.scratch.is_none() {
            let disk = Disk::new(self.folder.clone());
            self.scratch = Some(ScratchFiles::open_for(disk, &database::identity(game), true)?);
        }
        Ok(self)
    }

    /// Declares the database complete.
    pub(crate) fn complete(&self, game: &Opened, graph: &Graph, value: Value) -> Result<()> {
        if self.writer.state() == State::Complete {
            return Ok(());
        }
        let mut summary = serde_json::json!({
            "start": game.oracle().text(game.oracle().start()),
            "value": value.word(),
            "entries": entries(game, graph, self.writer.positions()),
            "analysis": self.log.as_ref().map(|log| log.analysis().json(game.unit)),
        });
        match game.unit {
            unit @ (Unit::Moves | Unit::Goal) => summary["remoteness"] = unit.remoteness(value).into(),
            unit @ Unit::Margin => summary["margin"] = unit.margin(value).into(),
            unit @ Unit::Nimber => summary["nimber"] = unit.nimber(value).into(),
            Unit::Winner => {}
        }
        Ok(self.writer.finish(summary)?)
    }

    /// Declares the database complete, and removes what is no longer needed.
    pub(crate) fn finish(self, game: &Opened, graph: &Graph, resumed: u64, value: Value) -> Result<Solution> {
        self.complete(game, graph, value)?;
        let entries = entries(game, graph, self.writer.positions());
        if let Some(log) = self.log {
            log.remove();
        }
        match self.scratch.or(self.states) {
            Some(scratch) => scratch.clear()?,
            // Ranks may have begun what one process has ended.
            None => sweep_up(&self.folder),
        }
        Ok(Solution::new(graph, entries, resumed, value, folder_bytes(&self.folder)))
    }
}

fn open_writer(game: &Opened, data: &Path, fresh: bool, progress: &Progress) -> Result<Writer> {
    let unusable = |e| SolveError::data(data, e, "give a directory that you may write to with --data");
    // The last part is made if need be; a whole missing path is more likely a slip.
    if !data.exists() {
        std::fs::create_dir(data).map_err(unusable)?;
    }
    let folder = data_folder(data, game);
    std::fs::create_dir_all(&folder).map_err(unusable)?;
    let open = if fresh { Writer::fresh } else { Writer::open };
    Ok(once_free(OUTLIVED, progress, || open(Disk::new(folder.clone()), database::identity(game)))?)
}

/// Opens files that a process of an earlier run may still be writing to, as soon as it has ended.
pub(crate) fn once_free<T>(
    limit: Duration,
    progress: &Progress,
    mut open: impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let (begun, mut told) = (Instant::now(), false);
    loop {
        match open() {
            Err(StoreError::AnnexBusy { file }) if begun.elapsed() < limit => {
                if !std::mem::replace(&mut told, true) {
                    let seconds = limit.as_secs();
                    progress.tell(&format!(
                        "{file}: a process of another run still writes to it; waiting up to {seconds} s for its end"
                    ));
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            opened => return opened,
        }
    }
}

/// Removes what a run leaves that was killed at the very end, as far as that is allowed.
fn sweep_up(folder: &Path) {
    let _ = std::fs::remove_file(folder.join(COUNTS));
    remove_files(folder, SCRATCH);
}

/// Removes the files whose names begin with a word, as far as that is allowed.
pub(crate) fn remove_files(folder: &Path, word: &str) {
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if file.file_name().to_string_lossy().starts_with(word) {
            let _ = std::fs::remove_file(file.path());
        }
    }
}

fn folder_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).sum()
}
