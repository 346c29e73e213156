//! Where the files of a database live: a folder with a handful of files, behind a trait. The trait is there so
//! that tests can fail any single operation and rebuild the image that a crash would leave; the store itself
//! only ever talks to [`Folder`].
//!
//! Files are read with positioned reads, not through a memory map: a file cut short under a map kills the
//! process with SIGBUS, which no Rust code can turn into an error.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Result, StoreError};
use crate::plain::{open_plain, open_plain_with};

/// Opens a file for reading, with its length; `None` where there is none.
pub(crate) fn open_if_any(folder: &dyn Folder, name: &str) -> Result<Option<(Box<dyn FileSource>, u64)>> {
    let place = || folder.place(name);
    let source = match folder.source(name) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|e| StoreError::io("open", &place(), e))?,
    };
    let length = source.length().map_err(|e| StoreError::io("read", &place(), e))?;
    Ok(Some((source, length)))
}

/// A directory of files, which holds one database. A trait, so that tests can make each operation fail.
pub trait Folder: Send + Sync {
    /// The full name of a file, for messages.
    fn place(&self, name: &str) -> String;

    /// Opens an existing file for reads at any offset.
    fn source(&self, name: &str) -> io::Result<Box<dyn FileSource>>;

    /// Opens a file for writing, creating it (and the folder) when missing and keeping what it holds.
    fn sink(&self, name: &str) -> io::Result<Box<dyn Sink>>;

    /// Replaces a whole file by what `fill` writes: readers see the old file or the new one, never a part.
    fn publish(&self, name: &str, fill: &mut Fill<'_>) -> io::Result<()>;

    /// Removes a file, and waits until that is on the disk. A missing file is no error.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Takes the exclusive lock on a file, creating the file when missing; `None` when somebody holds it.
    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Lock>>>;

    /// The names of all files, in no order; a missing folder has none.
    fn names(&self) -> io::Result<Vec<String>>;

    /// Lets some time pass in which another process may finish what it changes in the folder. A folder that no other
    /// process can reach need not wait.
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    /// Opens an empty file for writing, in place of one that is there. Unlike [`Folder::sink`] it need not wait
    /// for the disk: a power loss may take the file away.
    fn scratch(&self, name: &str) -> io::Result<Box<dyn Sink>> {
        let mut sink = self.sink(name)?;
        sink.truncate(0)?;
        Ok(sink)
    }

    /// Removes a file like [`Folder::remove`], but need not wait for the disk: a power loss may bring it back.
    fn discard(&self, name: &str) -> io::Result<()> {
        self.remove(name)
    }
}

/// A function that writes the new content of a file that [`Folder::publish`] replaces.
pub type Fill<'a> = dyn FnMut(&mut dyn Write) -> io::Result<()> + 'a;

/// A file open for positioned reads.
pub trait FileSource: Send + Sync {
    /// Reads some bytes at an offset; fewer than asked for only before the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// The length of the file now.
    fn length(&self) -> io::Result<u64>;

    /// Fills the whole buffer, or fails with `UnexpectedEof`.
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => {
                    buffer = &mut buffer[n..];
                    offset += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

/// A file open for writing at its end.
pub trait Sink: Send {
    /// The length of the file now.
    fn length(&self) -> io::Result<u64>;

    /// Whether the name that the file was opened by still names this file, which may have been removed or replaced.
    fn is_in_place(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// Writes all bytes at an offset; after an error any part of them may have been written.
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Cuts the file to a length.
    fn truncate(&mut self, length: u64) -> io::Result<()>;

    /// Waits until everything written is on the disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// A lock, held until it is dropped.
pub trait Lock: Send + Sync {}

/// A directory on disk.
#[derive(Clone, Debug)]
pub struct Disk(PathBuf);

impl Disk {
    /// The directory at a path, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Disk {
        Disk(path.into())
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn sync_folder(path: &Path) -> io::Result<()> {
        File::open(if path.as_os_str().is_empty() { Path::new(".") } else { path })?.sync_all()
    }

    /// Makes the directory, and the names of all that had to be made durable.
    fn create(&self) -> io::Result<()> {
        let missing: Vec<&Path> = self.0.ancestors().take_while(|path| !path.is_dir()).collect();
        fs::create_dir_all(&self.0)?;
        for parent in missing.iter().filter_map(|path| path.parent()) {
            Disk::sync_folder(parent)?;
        }
        Ok(())
    }

    /// Opens a file for writing; when it is new, its name is made durable as well.
    fn open(&self, name: &str) -> io::Result<File> {
        let path = self.0.join(name);
        match open_plain_with(OpenOptions::new().read(true).write(true), &path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        self.create()?;
        // Not `create_new`: two writers may come here together, and the lock decides between them.
        let mut options = OpenOptions::new();
        let file = open_plain_with(options.read(true).write(true).create(true).truncate(false), &path)?;
        Disk::sync_folder(&self.0)?;
        Ok(file)
    }
}

impl Folder for Disk {
    fn place(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn source(&self, name: &str) -> io::Result<Box<dyn FileSource>> {
        Ok(Box::new(open_plain(self.0.join(name))?))
    }

    fn sink(&self, name: &str) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(Named { file: self.open(name)?, path: self.0.join(name) }))
    }

    fn publish(&self, name: &str, fill: &mut Fill<'_>) -> io::Result<()> {
        let (path, temporary) = (self.0.join(name), self.0.join(format!("{name}.tmp")));
        let mut write = || {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true);
            let file = open_plain_with(&mut options, &temporary)?;
            let mut writer = BufWriter::new(&file);
            fill(&mut writer)?;
            writer.flush()?;
            file.sync_all()?;
            fs::rename(&temporary, &path)
        };
        // The first error is the one to report; a leftover is overwritten next time.
        write().inspect_err(|_| drop(fs::remove_file(&temporary)))?;
        Disk::sync_folder(&self.0)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.0.join(name)) {
            Ok(()) => Disk::sync_folder(&self.0),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(e),
        }
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.0) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        // A name that is no text is none of the store's.
        let name = |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().into_string().ok());
        entries.filter_map(|entry| name(entry).transpose()).collect()
    }

    // A sync of the directory can wait for gigabytes of other files that are on their way to the disk.
    fn scratch(&self, name: &str) -> io::Result<Box<dyn Sink>> {
        fs::create_dir_all(&self.0)?;
        let (path, mut options) = (self.0.join(name), OpenOptions::new());
        let file = open_plain_with(options.write(true).create(true).truncate(true), &path)?;
        Ok(Box::new(Named { file, path }))
    }

    fn discard(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.0.join(name)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }

    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Lock>>> {
        let file = self.open(name)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(e),
        }
    }
}

impl FileSource for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, offset)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

/// A file with the path that it was opened by.
struct Named {
    file: File,
    path: PathBuf,
}

impl Sink for Named {
    fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn is_in_place(&self) -> io::Result<bool> {
        let own = self.file.metadata()?;
        match fs::metadata(&self.path) {
            Ok(there) => Ok((there.dev(), there.ino()) == (own.dev(), own.ino())),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(e),
        }
    }

    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

impl Lock for File {}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Identity, MANIFEST, TABLES, Writer, pack};
    use zermelo_core::{Tier, Width};

    /// What may happen to the file of tables, given its path.
    const HARMS: [fn(&Path); 4] = [
        |path| fs::remove_file(path).unwrap(),
        |path| {
            fs::copy(path, path.with_extension("copy")).unwrap();
            fs::rename(path.with_extension("copy"), path).unwrap();
        },
        |path| OpenOptions::new().write(true).open(path).unwrap().set_len(20).unwrap(),
        |path| fs::remove_dir_all(path.parent().unwrap()).unwrap(),
    ];

    #[test]
    fn a_file_of_tables_that_others_touch_is_never_declared_complete() {
        for (n, harm) in HARMS.into_iter().enumerate() {
            let folder = std::env::temp_dir().join(format!("zermelo-harm-{}-{n}", std::process::id()));
            let identity: Identity = [("game", "test")].into_iter().collect();
            let writer = Writer::open(Disk::new(&folder), identity.clone()).unwrap();
            let append = |writer: &Writer, tier| {
                let blocks = [pack(&mut [1, 2, 3, 1], Width::One, 3)];
                writer.append(Tier(tier), Width::One, 4, 4, &blocks)
            };
            append(&writer, 1).unwrap();
            harm(&folder.join(TABLES));
            let told = [append(&writer, 2).unwrap_err(), writer.finish(().into()).unwrap_err()];
            for error in told.map(|error| error.to_string()) {
                assert!(error.contains(TABLES) && error.contains("another program"), "{n}: {error}");
            }
            let manifest = fs::read_to_string(folder.join(MANIFEST)).unwrap_or_default();
            assert!(!manifest.contains("complete"), "{n}: {manifest}");
            drop(writer);
            let again = Writer::open(Disk::new(&folder), identity).unwrap();
            [1, 2].into_iter().filter(|tier| !again.contains(Tier(*tier))).for_each(|tier| {
                append(&again, tier).unwrap();
            });
            again.finish(().into()).unwrap();
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}
