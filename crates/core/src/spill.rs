//! Bytes of tiers that are spilled to scratch files while other tiers are worked on.

use std::io::{self, Write};

/// Bytes that are made while they are written, because memory may have no room for them a second time.
pub struct Spill<'a> {
    bytes: u64,
    write: Box<WriteTo<'a>>,
}

/// Writes all bytes.
type WriteTo<'a> = dyn FnOnce(&mut dyn Write, Keep) -> io::Result<()> + 'a;

/// What is done with spilled bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The bytes are compressed, so like bytes should be together.
    Packed,
    /// The bytes are stored as they are, so the order that is quickest to write and to read is best.
    AsTheyAre,
}

impl<'a> Spill<'a> {
    /// A spill of exactly `bytes` bytes, which `write` writes.
    pub fn new(bytes: u64, write: impl FnOnce(&mut dyn Write) -> io::Result<()> + 'a) -> Spill<'a> {
        Spill::either(bytes, |out, _| write(out))
    }

    /// A spill of exactly `bytes` bytes, whose order may depend on what is done with them.
    pub fn either(bytes: u64, write: impl FnOnce(&mut dyn Write, Keep) -> io::Result<()> + 'a) -> Spill<'a> {
        Spill { bytes, write: Box::new(write) }
    }

    /// The number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes the bytes.
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
