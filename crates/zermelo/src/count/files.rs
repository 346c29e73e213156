//! Where records are kept: in memory while they fit, in files after that. Files have numbers
//! for names and are there under them only when they are whole.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use zermelo_core::Unpoisoned;

use super::{CountError, Result};

/// What the names of folders for one run begin with.
const TEMPORARY: &str = "zermelo-count-";
/// The file in a folder that whoever uses the folder holds locked.
const LOCK: &str = "lock";
/// What the names of files of records begin with.
pub(super) const RUN: &str = "run-";

/// Memory for records, and a folder for those that do not fit.
pub(super) struct RunFiles {
    folder: Mutex<Folder>,
    /// Whether what is in the folder is to outlive this process.
    pub(super) durable: bool,
    room: u64,
    held: AtomicU64,
    next: AtomicU64,
    disk: AtomicU64,
    most_disk: AtomicU64,
    /// Files that nobody needs but the last checkpoint.
    done_with: Mutex<Vec<(String, u64)>>,
}

enum Folder {
    /// To be made under this one when it is first needed.
    Later(PathBuf),
    /// Made, and locked.
    Open(PathBuf, #[expect(dead_code, reason = "holds the lock")] File),
}

/// What is wrong with a file or a folder.
pub(super) fn failed(path: &Path, error: &std::io::Error) -> CountError {
    CountError::File { file: path.display().to_string(), reason: error.to_string() }
}

impl RunFiles {
    /// With so many bytes of memory, and a folder under this one that is gone in the end.
    pub(super) fn temporary(under: PathBuf, room: u64) -> RunFiles {
        RunFiles::new(Folder::Later(under), room, false)
    }

    /// With so many bytes of memory, and a folder that stays.
    pub(super) fn durable(folder: &Path, room: u64) -> Result<RunFiles> {
        std::fs::create_dir_all(folder).map_err(|e| failed(folder, &e))?;
        match locked(folder).map_err(|e| failed(folder, &e))? {
            Some(file) => Ok(RunFiles::new(Folder::Open(folder.into(), file), room, true)),
            None => Err(CountError::Busy(folder.display().to_string())),
        }
    }

    fn new(folder: Folder, room: u64, durable: bool) -> RunFiles {
        let (held, next, disk, most_disk, done_with) = Default::default();
        RunFiles { folder: Mutex::new(folder), durable, room, held, next, disk, most_disk, done_with }
    }

    /// Asks for memory; `false` when there is too little.
    pub(super) fn take(&self, bytes: u64) -> bool {
        let fits = |held: u64| held.checked_add(bytes).filter(|held| *held <= self.room);
        self.held.fetch_update(Relaxed, Relaxed, fits).is_ok()
    }

    /// Gives memory back.
    pub(super) fn give(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Relaxed);
    }

    /// The name of the next file.
    pub(super) fn name(&self) -> String {
        format!("{RUN}{}", self.next.fetch_add(1, Relaxed))
    }

    /// Names from here on are not yet used.
    pub(super) fn name_after(&self, name: &str) {
        let number = name.strip_prefix(RUN).and_then(|n| n.parse::<u64>().ok());
        self.next.fetch_max(number.map_or(0, |n| n + 1), Relaxed);
    }

    /// The full name of a file; the folder is there then.
    pub(super) fn path(&self, name: &str) -> Result<PathBuf> {
        let mut folder = self.folder.lock().unpoisoned();
        if let Folder::Later(under) = &*folder {
            *folder = make_temporary(under).map_err(|e| failed(under, &e))?;
        }
        match &*folder {
            Folder::Open(path, _) | Folder::Later(path) => Ok(path.join(name)),
        }
    }

    /// A file of so many bytes is there now.
    pub(super) fn grew(&self, bytes: u64) {
        self.most_disk.fetch_max(self.disk.fetch_add(bytes, Relaxed) + bytes, Relaxed);
    }

    /// The most bytes that files took at once.
    pub(super) fn most_disk(&self) -> u64 {
        self.most_disk.load(Relaxed)
    }

    /// Nobody needs a file any more, but perhaps the last checkpoint.
    pub(super) fn discard(&self, name: &str, bytes: u64) {
        self.done_with.lock().unpoisoned().push((name.into(), bytes));
        if !self.durable {
            self.sweep();
        }
    }

    /// Removes the files that nobody needs.
    pub(super) fn sweep(&self) {
        for (name, bytes) in std::mem::take(&mut *self.done_with.lock().unpoisoned()) {
            self.disk.fetch_sub(bytes, Relaxed);
            // One that stays takes space and does no other harm.
            let _ = self.path(&name).map(std::fs::remove_file);
        }
    }

    /// Removes what runs that were killed have left: every file of records but these.
    pub(super) fn clean(&self, keep: &dyn Fn(&str) -> bool) -> Result<()> {
        let folder = self.path("")?;
        let files = std::fs::read_dir(&folder).map_err(|e| failed(&folder, &e))?;
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.starts_with(RUN) && !keep(&name) {
                std::fs::remove_file(file.path()).map_err(|e| failed(&file.path(), &e))?;
            }
        }
        Ok(())
    }
}

impl Drop for RunFiles {
    fn drop(&mut self) {
        if let (false, Folder::Open(path, _)) = (self.durable, &*self.folder.lock().unpoisoned()) {
            // What stays is removed by a later run.
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

/// Locks a folder; `None` when somebody else has.
fn locked(folder: &Path) -> std::io::Result<Option<File>> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let file = zermelo_store::open_plain_with(&mut options, folder.join(LOCK))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(e)) => Err(e),
    }
}

/// Makes a folder for this run, and removes those of runs that were killed.
fn make_temporary(under: &Path) -> std::io::Result<Folder> {
    for old in std::fs::read_dir(under)?.flatten() {
        if old.file_name().to_string_lossy().starts_with(TEMPORARY) && is_left_over(&old.path()) {
            let _ = std::fs::remove_dir_all(old.path());
        }
    }
    // One process may count several games at once.
    static MADE: AtomicU64 = AtomicU64::new(0);
    let name = format!("{TEMPORARY}{}-{}", std::process::id(), MADE.fetch_add(1, Relaxed));
    let path = under.join(name);
    std::fs::create_dir(&path)?;
    match locked(&path)? {
        Some(file) => Ok(Folder::Open(path, file)),
        None => Err(std::io::ErrorKind::ResourceBusy.into()),
    }
}

/// Whether nobody uses a folder. One that is new may be about to be locked.
fn is_left_over(folder: &Path) -> bool {
    let lock = folder.join(LOCK);
    let age = lock.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age > Duration::from_secs(60)) && locked(folder).is_ok_and(|file| file.is_some())
}

/// Says when work should pause for a checkpoint, and when it must stop.
pub(super) struct Pause {
    until: Option<std::time::Instant>,
    stop: AtomicBool,
}

impl Pause {
    /// After so long; never without.
    pub(super) fn after(time: Option<Duration>) -> Pause {
        let until = time.and_then(|time| std::time::Instant::now().checked_add(time));
        Pause { until, stop: AtomicBool::new(false) }
    }

    /// Whether it is time.
    pub(super) fn is_due(&self) -> bool {
        self.stop.load(Relaxed) || self.until.is_some_and(|until| std::time::Instant::now() >= until)
    }

    /// Hands a result on; after an error there is no use in going on.
    pub(super) fn checked<T>(&self, result: Result<T>) -> Result<T> {
        if result.is_err() {
            self.stop.store(true, Relaxed);
        }
        result
    }
}
