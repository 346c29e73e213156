//! Everything that can go wrong with a database, in one enum. Each message names the file, and the tier and
//! block where there is one, and ends with what to do, because the person who reads it did not write the store.

use std::io;
use zermelo_core::Tier;

/// What went wrong with a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no database in this folder.
    #[error(
        "no database in {folder}: run `zermelo solve` for this game first, or give its folder with --data"
    )]
    NotFound {
        /// The folder that was looked into.
        folder: String,
    },
    /// Another writer holds the database.
    #[error("{file} is locked: another solve is writing this database; wait for it, or use another --data")]
    Busy {
        /// The locked file.
        file: String,
    },
    /// Somebody still appends to an annex.
    #[error(
        "{file} is locked: a process of another run still writes to it; wait until that has ended, or end it, and \
         run the same command again"
    )]
    AnnexBusy {
        /// The locked file.
        file: String,
    },
    /// The database was begun with other parameters.
    #[error(
        "{file} was begun with {key} = {recorded}, this run wants {key} = {wanted}: \
         solve with --fresh to start over, or use another --data"
    )]
    Mismatch {
        /// The manifest.
        file: String,
        /// The first key that differs.
        key: String,
        /// The value in the database, or "(nothing)".
        recorded: String,
        /// The value asked for, or "(nothing)".
        wanted: String,
    },
    /// The database was written by another version of the format.
    #[error(
        "{file} has format {found}, this program reads format {known}: use a matching zermelo, or solve with --fresh"
    )]
    Version {
        /// The file that says so.
        file: String,
        /// The version in the file.
        found: u32,
        /// The version this program writes.
        known: u32,
    },
    /// A file is damaged outside any one block.
    #[error(
        "{file} is damaged at byte {offset}: {why}; restore it from a copy, or run `zermelo solve ... --fresh`"
    )]
    Damaged {
        /// The damaged file.
        file: String,
        /// Where the damaged part begins.
        offset: u64,
        /// What does not fit.
        why: String,
    },
    /// The database was begun anew while it was open for reading.
    #[error(
        "{file}: this database is being solved again, or was since it was opened; run the same command again"
    )]
    SolvedAgain {
        /// The manifest.
        file: String,
    },
    /// One block of one table is damaged; the others can still be read.
    #[error(
        "{file}: block {block} of tier {tier} is damaged: {why}; \
         restore the file from a copy, or run `zermelo solve ... --fresh`"
    )]
    DamagedBlock {
        /// The damaged file.
        file: String,
        /// The tier whose table it is.
        tier: Tier,
        /// The number of the block in its table.
        block: u64,
        /// What does not fit.
        why: String,
    },
    /// The database has no table for a tier.
    #[error("{file} has no table for tier {tier}: run `zermelo solve` to finish this database")]
    NoTable {
        /// The file that was searched.
        file: String,
        /// The missing tier.
        tier: Tier,
    },
    /// An index is past the end of a table or of its blocks.
    #[error(
        "{file}: tier {tier} has {len} {of}, number {index} was asked for: the game's numbering does not fit this database"
    )]
    OutOfRange {
        /// The file that was read.
        file: String,
        /// The tier whose table it is.
        tier: Tier,
        /// "entries" or "blocks".
        of: &'static str,
        /// What was asked for.
        index: u64,
        /// How many there are.
        len: u64,
    },
    /// A scratch file of a run is damaged, or a part of it was lost with the power.
    #[error(
        "{file}: the working form of tier {tier} is damaged at byte {offset}: {why}; remove this file and run the \
         same command again, which solves its tiers again, or run `zermelo solve ... --fresh`"
    )]
    DamagedParked {
        /// The scratch file.
        file: String,
        /// The tier that was asked for.
        tier: Tier,
        /// Where the damaged part begins.
        offset: u64,
        /// What does not fit.
        why: String,
    },
    /// No scratch file holds the working form of a tier.
    #[error("{files}: there is no working form of tier {tier}; run the same command again to solve it again")]
    NotParked {
        /// The files that were searched.
        files: String,
        /// The missing tier.
        tier: Tier,
    },
    /// A file of the published Pentago database is damaged.
    #[error("{file}, {place}: {why}; fetch this file again, or write it again")]
    DamagedPentago {
        /// The damaged file.
        file: String,
        /// The header, section or block in it.
        place: String,
        /// What does not fit.
        why: String,
    },
    /// A file of the published Pentago database does not have what was asked for.
    #[error("{file}, {place}: {why}; look into the file with the right number of stones")]
    NotInPentago {
        /// The file.
        file: String,
        /// The board or block that was asked for.
        place: String,
        /// Why it is not there.
        why: String,
    },
    /// What was handed over makes no file of a Pentago database.
    #[error("{file}, {place}: {why}; this is a mistake in the program, please report it")]
    UnstorablePentago {
        /// The file that was being written.
        file: String,
        /// The section or block.
        place: String,
        /// What does not fit.
        why: String,
    },
    /// A table was handed over in a form that cannot be stored.
    #[error("tier {tier} cannot be stored: {why}; this is a mistake in the program, please report it")]
    Unstorable {
        /// The tier.
        tier: Tier,
        /// What does not fit.
        why: String,
    },
    /// A file cannot be an annex.
    #[error("{file} cannot be opened as an annex: {why}; this is a mistake in the program, please report it")]
    BadAnnex {
        /// The file.
        file: String,
        /// What does not fit.
        why: String,
    },
    /// The summary or the identity cannot be kept in a manifest.
    #[error("the manifest cannot be written: {why}; this is a mistake in the program, please report it")]
    BadManifest {
        /// What does not fit.
        why: String,
    },
    /// A table was to be added to a database that is already finished.
    #[error("{file} belongs to a finished database: nothing can be added; solve with --fresh to start over")]
    Finished {
        /// The file.
        file: String,
    },
    /// The disk is full.
    #[error(
        "{file}: the disk is full: free at least {needed} bytes and run the same command again; what was finished is kept"
    )]
    Full {
        /// The file that was being written.
        file: String,
        /// How many bytes were to be written.
        needed: u64,
    },
    /// The operating system refused something.
    #[error("cannot {doing} {file}: {source}")]
    Io {
        /// What was being done, as a verb.
        doing: &'static str,
        /// The file.
        file: String,
        /// The operating system's reason.
        source: io::Error,
    },
}

/// A result with the store's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn io(doing: &'static str, file: &str, source: io::Error) -> Error {
        Error::Io { doing, file: file.to_string(), source }
    }

    /// The error of a failed write of `needed` bytes, with the full disk told apart.
    pub(crate) fn write(file: &str, needed: u64, source: io::Error) -> Error {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Error::Full { file: file.to_string(), needed }
            }
            _ => Error::io("write", file, source),
        }
    }

    pub(crate) fn damaged(file: &str, offset: u64, why: impl Into<String>) -> Error {
        Error::Damaged { file: file.to_string(), offset, why: why.into() }
    }

    /// The error of a failed read: a file that ends too early is damage, anything else the system's.
    pub(crate) fn read(file: &str, offset: u64, source: io::Error) -> Error {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => Error::damaged(file, offset, "the file ends too early"),
            _ => Error::io("read", file, source),
        }
    }

    /// Whether the files themselves are at fault, as opposed to the request or the machine.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            Error::Damaged { .. }
                | Error::DamagedBlock { .. }
                | Error::DamagedParked { .. }
                | Error::DamagedPentago { .. }
        )
    }
}
