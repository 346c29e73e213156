//! What is set aside while others are worked on.

use std::io::{self, Write};

/// Bytes that are made while they are written: there may be more of them than memory has room for twice.
pub struct Spill<'a> {
    bytes: u64,
    write: Box<WriteTo<'a>>,
}

/// Writes all bytes.
type WriteTo<'a> = dyn FnOnce(&mut dyn Write, Keep) -> io::Result<()> + 'a;

/// What becomes of spilled bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// They are compressed: what is alike should be together.
    Packed,
    /// They stay as they are: what takes the least time to write and to read is best.
    AsTheyAre,
}

impl<'a> Spill<'a> {
    /// So many bytes, no more and no less, as `write` writes them.
    pub fn new(bytes: u64, write: impl FnOnce(&mut dyn Write) -> io::Result<()> + 'a) -> Spill<'a> {
        Spill::either(bytes, |out, _| write(out))
    }

    /// The same where it depends on what becomes of them.
    pub fn either(bytes: u64, write: impl FnOnce(&mut dyn Write, Keep) -> io::Result<()> + 'a) -> Spill<'a> {
        Spill { bytes, write: Box::new(write) }
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes them.
    pub fn write(self, out: &mut dyn Write, keep: Keep) -> io::Result<()> {
        (self.write)(out, keep)
    }
}

impl<'a, B: AsRef<[u8]> + ?Sized> From<&'a B> for Spill<'a> {
    fn from(bytes: &'a B) -> Spill<'a> {
        let bytes = bytes.as_ref();
        Spill::new(bytes.len() as u64, |out| out.write_all(bytes))
    }
}

impl From<Vec<u8>> for Spill<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Spill::new(bytes.len() as u64, move |out| out.write_all(&bytes))
    }
}
