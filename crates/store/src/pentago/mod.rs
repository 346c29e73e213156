//! Irving's published Pentago database: `slice-N.pentago` files with the values of all boards of N stones, and
//! `counts-N.npy` files with their totals. `docs/format.md` has the bytes.
//!
//! A [`Slice`] reads such a file, from the disk or by range requests from a web server, and answers for any board
//! of its number of stones; [`write_slice`] writes one.

mod blocks;
mod counts;
mod file;
mod ranges;
mod remote;
mod write;

pub use blocks::{Block, Entry, PackedBlock, pack_block};
pub use counts::{Count, decode_counts, encode_counts, read_counts, write_counts};
pub use file::{Slice, Value};
pub use ranges::{LocalFile, Ranges};
pub use remote::Remote;
pub use write::{SliceWriter, write_slice};
