//! Everything that can go wrong with a database, in one enum. Each message names the file, and the tier and
//! block where there is one, and ends with what to do, because the person who reads it did not write the store.

use std::io;
use zermelo_core::Tier;

/// What went wrong with a database. Each `why` says what does not fit, each `file` is a full name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Error {
    /// There is no database in this folder.
    #[error(
        "no database in {folder}: run `zermelo solve` for this game first, or give its folder with --data"
    )]
    NotFound { folder: String },
    /// Another writer holds the database.
    #[error("{file} is locked: another solve is writing this database; wait for it, or use another --data")]
    Busy { file: String },
    /// Somebody still appends to an annex.
    #[error(
        "{file} is locked: a process of another run still writes to it; wait until that has ended, or end it, and \
         run the same command again"
    )]
    AnnexBusy { file: String },
    /// The database was begun with other parameters.
    #[error(
        "{file} was begun with {key} = {recorded}, this run wants {key} = {wanted}: \
         solve with --fresh to start over, or use another --data"
    )]
    Mismatch { file: String, key: String, recorded: String, wanted: String },
    /// The database was written by another version of the format.
    #[error(
        "{file} has format {found}, this program reads format {known}: use a matching zermelo, or solve with --fresh"
    )]
    Version { file: String, found: u32, known: u32 },
    /// A file is damaged outside any one block.
    #[error(
        "{file} is damaged at byte {offset}: {why}; restore it from a copy, or run `zermelo solve ... --fresh`"
    )]
    Damaged { file: String, offset: u64, why: String },
    /// The database was begun anew while it was open for reading.
    #[error(
        "{file}: this database is being solved again, or was since it was opened; run the same command again"
    )]
    SolvedAgain { file: String },
    /// One block of one table is damaged; the others can still be read.
    #[error(
        "{file}: block {block} of tier {tier} is damaged: {why}; \
         restore the file from a copy, or run `zermelo solve ... --fresh`"
    )]
    DamagedBlock { file: String, tier: Tier, block: u64, why: String },
    /// The database has no table for a tier.
    #[error("{file} has no table for tier {tier}: run `zermelo solve` to finish this database")]
    NoTable { file: String, tier: Tier },
    /// An index is past the end of a table or of its blocks.
    #[error(
        "{file}: tier {tier} has {len} {of}, number {index} was asked for: the game's numbering does not fit this database"
    )]
    OutOfRange { file: String, tier: Tier, of: &'static str, index: u64, len: u64 },
    /// A scratch file of a run is damaged, or a part of it was lost with the power.
    #[error(
        "{file}: the working form of tier {tier} is damaged at byte {offset}: {why}; remove this file and run the \
         same command again, which solves its tiers again, or run `zermelo solve ... --fresh`"
    )]
    DamagedSpill { file: String, tier: Tier, offset: u64, why: String },
    /// No scratch file holds the working form of a tier.
    #[error("{files}: there is no working form of tier {tier}; run the same command again to solve it again")]
    NotSpilled { files: String, tier: Tier },
    /// A file of the published Pentago database is damaged.
    #[error("{file}, {place}: {why}; fetch this file again, or write it again")]
    DamagedPentago { file: String, place: String, why: String },
    /// A file of the published Pentago database does not have what was asked for.
    #[error("{file}, {place}: {why}; look into the file with the right number of stones")]
    NotInPentago { file: String, place: String, why: String },
    /// A table was handed over in a form that cannot be stored.
    #[error("tier {tier} cannot be stored: {why}; this is a mistake in the program, please report it")]
    Unstorable { tier: Tier, why: String },
    /// A file cannot be an annex.
    #[error("{file} cannot be opened as an annex: {why}; this is a mistake in the program, please report it")]
    BadAnnex { file: String, why: String },
    /// The summary or the identity cannot be kept in a manifest.
    #[error("the manifest cannot be written: {why}; this is a mistake in the program, please report it")]
    BadManifest { why: String },
    /// A table was to be added to a database that is already finished.
    #[error("{file} belongs to a finished database: nothing can be added; solve with --fresh to start over")]
    Finished { file: String },
    /// The disk is full.
    #[error(
        "{file}: the disk is full: free at least {needed} bytes and run the same command again; what was finished is kept"
    )]
    Full { file: String, needed: u64 },
    /// The operating system refused something.
    #[error("cannot {doing} {file}: {source}")]
    Io { doing: &'static str, file: String, source: io::Error },
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
                | Error::DamagedSpill { .. }
                | Error::DamagedPentago { .. }
        )
    }
}
