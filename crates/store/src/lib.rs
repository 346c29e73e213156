//! Databases of solved tiers: compressed, checksummed, resumable.
//!
//! A database is a directory with two files, whatever the number of its tables: `manifest.json` says what it
//! is, and `tables.zmo` holds one record per solved tier. The store knows nothing of games: a tier is a number, an
//! entry one or two bytes. The format is described byte by byte in `docs/reference/format.md`.
//!
//! - A [`Writer`] appends tables as they are solved, and goes on where a killed run stopped.
//! - A [`Reader`] looks up single entries from any number of threads.
//! - An [`Annex`] is a file of tables of one more process, where several solve tiers of one database. One process has
//!   the writer, and the writer adopts the tables of all annexes.
//! - [`ScratchFiles`] keep what the engines may need again while a database is being solved.
//! - The module [`pentago`] reads and writes the files of the published solution of Pentago, which have a format of
//!   their own.
//!
//! ```
//! use zermelo_core::{Tier, Width};
//! use zermelo_store::{BLOCK_ENTRIES, DEFAULT_LEVEL, Disk, Identity, Reader, Writer, pack};
//!
//! let path = std::env::temp_dir().join(format!("zermelo-example-{}", std::process::id()));
//! let folder = Disk::new(&path);
//! let identity: Identity = [("game", "connect4"), ("variant", "connect4")].into_iter().collect();
//! let writer = Writer::open(folder.clone(), identity)?;
//! let mut entries = vec![1, 2, 0xff, 4]; // 0xff: don't care
//! let blocks: Vec<_> =
//!     entries.chunks_mut(BLOCK_ENTRIES).map(|block| pack(block, Width::One, DEFAULT_LEVEL)).collect();
//! writer.append(Tier(7), Width::One, 4, 3, &blocks)?;
//! writer.finish(serde_json::json!({"value": "win"}))?;
//!
//! let reader = Reader::open(&folder, 1 << 20)?;
//! assert_eq!(reader.get(Tier(7), 3)?, 4);
//! # std::fs::remove_dir_all(&path).ok();
//! # Ok::<(), zermelo_store::StoreError>(())
//! ```

mod annex;
mod backend;
mod book;
mod cache;
mod check;
mod codec;
mod error;
mod files;
mod format;
mod manifest;
pub mod pentago;
mod plain;
mod reader;
mod scan;
mod scratch;
mod tables;
mod tail;
mod writer;

pub use annex::Annex;
pub use backend::{Disk, FileSource, Fill, Folder, Lock, Sink};
pub use book::{BookError, BookFile, BookHeader, LEFT_OUT, MOST_BOOK_BYTES, NOT_KNOWN, make_book};
pub use check::Damage;
pub use codec::{
    BLOCK_ENTRIES, BlockLine, COMPRESSOR_BYTES, DEFAULT_LEVEL, MAX_BLOCK_ENTRIES, PackedBlock,
    limit_compressors, pack,
};
pub use error::{Result, StoreError};
pub use format::{FORMAT_VERSION, MANIFEST, TABLES, TableExtent};
pub use manifest::{Identity, State};
pub use plain::{open_plain, open_plain_with, read_plain};
pub use reader::{OpenTable, Reader};
#[doc(hidden)]
pub use scratch::ScratchSizes;
pub use scratch::{SCRATCH, ScratchFiles, ScratchPlace};
pub use tables::TableInfo;
pub use writer::Writer;
