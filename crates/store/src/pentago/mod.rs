//! Irving's published Pentago database: `slice-N.pentago` files with the values of all boards of N stones.
//! `docs/reference/format-pentago.md` has the bytes.
//!
//! A [`Slice`] reads such a file, from the disk or by range requests from a web server, and answers for any board
//! of its number of stones.

mod blocks;
mod file;
mod remote;

/// The game that the files are of, and the folder of a data directory that they are looked for in.
pub const GAME: &str = "pentago";

pub use blocks::{Block, BoardTables};
pub use file::Slice;
pub use remote::Remote;
