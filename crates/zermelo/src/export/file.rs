//! A file that is there under its name only when all of it is.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file under another name, in the same folder, until [`NewFile::finish`]. Dropped before, it leaves nothing.
///
/// ```
/// use std::io::Write;
///
/// let path = std::env::temp_dir().join(format!("zermelo-doc-file-{}", std::process::id()));
/// let mut file = zermelo::NewFile::create(&path)?;
/// file.write_all(b"position,value\n")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert!(path.exists());
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct NewFile {
    file: File,
    /// The name meanwhile; `None` for a device or a pipe, which is written as it is.
    temporary: Option<PathBuf>,
    path: PathBuf,
}

impl NewFile {
    /// Makes the file under its other name. A device or a pipe, such as `/dev/null`, is opened and written directly.
    pub fn create(path: &Path) -> io::Result<NewFile> {
        let kind = std::fs::metadata(path).map(|meta| meta.file_type());
        match kind {
            Ok(kind) if kind.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(kind) if !kind.is_file() => {
                let file = File::options().write(true).open(path)?;
                Ok(NewFile { file, temporary: None, path: path.into() })
            }
            _ => {
                let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_string_lossy();
                let temporary = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
                let file = File::create(&temporary)?;
                Ok(NewFile { file, temporary: Some(temporary), path: path.into() })
            }
        }
    }

    /// The name that the file has meanwhile; `None` where it is written under its own.
    pub fn temporary(&self) -> Option<&Path> {
        self.temporary.as_deref()
    }

    /// Makes sure that all is on the disk, and gives the file its name.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return self.file.flush() };
        self.file.sync_all()?;
        std::fs::rename(temporary, &self.path)?;
        self.temporary = None;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // A file that stays is in nobody's way.
            let _ = std::fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("zermelo-new-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("rows.csv");
        let names = || std::fs::read_dir(&folder).expect("the folder").count();
        std::fs::write(&path, "old").expect("a file");
        let mut file = NewFile::create(&path).expect("a file");
        file.write_all(b"new").expect("written");
        assert_eq!((names(), std::fs::read(&path).expect("the old one")), (2, b"old".to_vec()));
        drop(file);
        assert_eq!(names(), 1, "nothing is left behind");
        let mut file = NewFile::create(&path).expect("a file");
        file.write_all(b"new").expect("written");
        file.finish().expect("renamed");
        assert_eq!((names(), std::fs::read(&path).expect("the new one")), (1, b"new".to_vec()));
        assert!(NewFile::create(&folder).is_err());
        let mut null = NewFile::create(Path::new("/dev/null")).expect("a device");
        assert!(null.temporary().is_none() && null.write_all(b"gone").is_ok() && null.finish().is_ok());
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
