//! Where the bytes of a published file come from: anything that reads ranges of bytes.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::backend::Source;
use crate::error::{Error, Result};

/// A file of which ranges of bytes can be read, by many threads at a time.
pub trait Ranges: Send + Sync {
    /// The name, for messages.
    fn name(&self) -> &str;

    /// The length of the file.
    fn length(&self) -> io::Result<u64>;

    /// Fills the whole buffer with the bytes from an offset on, or fails with `UnexpectedEof`.
    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

/// A file on disk, read with positioned reads.
pub struct LocalFile {
    name: String,
    file: File,
}

impl LocalFile {
    /// Opens a file.
    pub fn open(path: impl AsRef<Path>) -> Result<LocalFile> {
        let name = path.as_ref().display().to_string();
        let file = crate::plain::open_plain(path).map_err(|e| Error::io("open", &name, e))?;
        Ok(LocalFile { name, file })
    }
}

impl Ranges for LocalFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}
