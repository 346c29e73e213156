//! Opening plain files and nothing else.
//!
//! A name in a data folder may belong to a named pipe, a device or a folder. Opening a named pipe waits until somebody
//! writes to it, and reading a device may wait for ever. So every file is opened without waiting, and what is no plain
//! file is refused before it is read.

use std::fs::{File, FileType, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a plain file for reading; anything else under that name, such as a pipe or a device, is an error.
pub fn open_plain(path: impl AsRef<Path>) -> io::Result<File> {
    open_plain_with(OpenOptions::new().read(true), path)
}

/// Opens a plain file with options, whose own flags are replaced.
pub fn open_plain_with(options: &mut OpenOptions, path: impl AsRef<Path>) -> io::Result<File> {
    let file = options.custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() { Ok(file) } else { Err(no_plain_file(kind)) }
}

/// Reads the whole of a plain file of at most so many bytes.
pub fn read_plain(path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
    let file = open_plain(path)?;
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(file, most.saturating_add(1)), &mut bytes)?;
    if bytes.len() as u64 > most {
        let why = format!("it has more than {most} bytes; remove it, or restore it from a copy");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

fn no_plain_file(kind: FileType) -> io::Error {
    let what = if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "no file"
    };
    let why = format!("it is {what} where a plain file belongs; remove it, or restore the file from a copy");
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_are_opened() {
        let folder = std::env::temp_dir().join(format!("zermelo-plain-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (pipe, plain) = (folder.join("pipe"), folder.join("plain"));
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        std::fs::write(&plain, "text").unwrap();
        assert_eq!(read_plain(&plain, 4).unwrap(), b"text");
        assert_eq!(read_plain(&plain, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        let read_write = |path: &Path| open_plain_with(OpenOptions::new().read(true).write(true), path);
        assert!(read_write(&plain).is_ok());
        for (path, what) in
            [(&*pipe, "a named pipe"), (&*folder, "a folder"), (Path::new("/dev/zero"), "a device")]
        {
            let told = open_plain(path).unwrap_err().to_string();
            assert!(told.contains(what) && told.contains("remove it"), "{told}");
        }
        assert!(read_write(&pipe).unwrap_err().to_string().contains("a named pipe"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
