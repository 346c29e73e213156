//! A folder in memory. Clones share the same files, so a test can hold one handle and look at, cut or change what
//! the store wrote through another.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use std::time::Duration;

use zermelo_store::{FileSource, Fill, Folder, Lock, Sink};

/// A folder in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(Arc<Mutex<Files>>);

#[derive(Debug, Default)]
struct Files {
    files: BTreeMap<String, Bytes>,
    locks: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
struct Bytes(Arc<RwLock<Vec<u8>>>);

impl Memory {
    /// An empty folder.
    pub(crate) fn new() -> Memory {
        Memory::default()
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.files().files.keys().cloned().collect()
    }

    /// A copy of a file's bytes.
    pub(crate) fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        self.files().files.get(name).map(|b| b.0.read().unwrap().clone())
    }

    /// Replaces a file's bytes.
    pub(crate) fn put(&self, name: &str, bytes: Vec<u8>) {
        self.files().files.insert(name.to_string(), Bytes(Arc::new(RwLock::new(bytes))));
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap()
    }
}

impl Folder for Memory {
    fn place(&self, name: &str) -> String {
        format!("memory:{name}")
    }

    fn source(&self, name: &str) -> io::Result<Box<dyn FileSource>> {
        let files = self.files();
        let bytes = files.files.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(bytes.clone()))
    }

    fn sink(&self, name: &str) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(self.files().files.entry(name.to_string()).or_default().clone()))
    }

    fn publish(&self, name: &str, fill: &mut Fill<'_>) -> io::Result<()> {
        let mut bytes = Vec::new();
        fill(&mut bytes)?;
        self.put(name, bytes);
        Ok(())
    }

    /// No other process changes what is in memory.
    fn pause(&self, _time: Duration) {}

    fn remove(&self, name: &str) -> io::Result<()> {
        self.files().files.remove(name);
        Ok(())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Ok(Memory::names(self))
    }

    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Lock>>> {
        let mut files = self.files();
        files.files.entry(name.to_string()).or_default();
        if !files.locks.insert(name.to_string()) {
            return Ok(None);
        }
        Ok(Some(Box::new(Held { folder: self.clone(), name: name.to_string() })))
    }
}

struct Held {
    folder: Memory,
    name: String,
}

impl Lock for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        self.folder.files().locks.remove(&self.name);
    }
}

impl FileSource for Bytes {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.0.read().unwrap();
        let rest = usize::try_from(offset).ok().and_then(|o| bytes.get(o..)).unwrap_or(&[]);
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.read().unwrap().len() as u64)
    }
}

impl Sink for Bytes {
    fn length(&self) -> io::Result<u64> {
        FileSource::length(self)
    }

    fn write_all_at(&mut self, new: &[u8], offset: u64) -> io::Result<()> {
        let mut bytes = self.0.write().unwrap();
        let start = usize::try_from(offset).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let end = start.checked_add(new.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[start..end].copy_from_slice(new);
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.0.write().unwrap().resize(length, 0);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
