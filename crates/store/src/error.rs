//! Everything that can go wrong with a database, in one enum. Each message names the file, and the tier and
//! block where there is one, and ends with what to do, because the person who reads it did not write the store.

use std::io;
use zermelo_core::Tier;

/// What went wrong with a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no database in this folder.
    #[error(
        "no database in {folder}: run `zermelo solve` for this game first, or give its folder with --data"
    )]
    NotFound {
        /// The folder that was looked in.
        folder: String,
    },
    /// Another writer holds the database.
    #[error("{file} is locked: another solve is writing this database; wait for it, or use another --data")]
    Busy {
        /// The full name of the file.
        file: String,
    },
    /// Somebody still appends to an annex.
    #[error(
        "{file} is locked: a process of another run still writes to it; wait until that has ended, or end it, and \
         run the same command again"
    )]
    AnnexBusy {
        /// The full name of the annex.
        file: String,
    },
    /// The database was begun with other parameters.
    #[error(
        "{file} was begun with {key} = {recorded}, this run wants {key} = {wanted}: \
         solve with --fresh to start over, or use another --data"
    )]
    Mismatch {
        /// The full name of the file.
        file: String,
        /// The name of the parameter.
        key: String,
        /// The value of the parameter in the database.
        recorded: String,
        /// The value of the parameter in this run.
        wanted: String,
    },
    /// The database was written by another version of the format.
    #[error(
        "{file} has format {found}, this program reads format {known}: use a matching zermelo, or solve with --fresh"
    )]
    Version {
        /// The full name of the file.
        file: String,
        /// The version of the format that the file has.
        found: u32,
        /// The version of the format that this program reads.
        known: u32,
    },
    /// A file is damaged outside any one block.
    #[error(
        "{file} is damaged at byte {offset}: {why}; restore it from a copy, or run `zermelo solve ... --fresh`"
    )]
    Damaged {
        /// The full name of the file.
        file: String,
        /// The byte of the file at which the damage is.
        offset: u64,
        /// What does not fit.
        why: String,
    },
    /// The database was begun anew while it was open for reading.
    #[error(
        "{file}: this database is being solved again, or was since it was opened; run the same command again"
    )]
    SolvedAgain {
        /// The full name of the file.
        file: String,
    },
    /// One block of one table is damaged; the others can still be read.
    #[error(
        "{file}: block {block} of tier {tier} is damaged: {why}; \
         restore the file from a copy, or run `zermelo solve ... --fresh`"
    )]
    DamagedBlock {
        /// The full name of the file.
        file: String,
        /// The tier of the table.
        tier: Tier,
        /// The number of the block in the table.
        block: u64,
        /// What does not fit.
        why: String,
    },
    /// The database has no table for a tier.
    #[error("{file} has no table for tier {tier}: run `zermelo solve` to finish this database")]
    NoTable {
        /// The full name of the file.
        file: String,
        /// The tier of the table.
        tier: Tier,
    },
    /// An index is past the end of a table or of its blocks.
    #[error(
        "{file}: tier {tier} has {len} {of}, number {index} was asked for: the game's numbering does not fit this database"
    )]
    OutOfRange {
        /// The full name of the file.
        file: String,
        /// The tier of the table.
        tier: Tier,
        /// What was counted: entries or blocks.
        of: &'static str,
        /// The number that was asked for.
        index: u64,
        /// How many entries or blocks there are.
        len: u64,
    },
    /// A scratch file of a run is damaged, or a part of it was lost with the power.
    #[error(
        "{file}: the working form of tier {tier} is damaged at byte {offset}: {why}; remove this file and run the \
         same command again, which solves its tiers again, or run `zermelo solve ... --fresh`"
    )]
    DamagedSpill {
        /// The full name of the file.
        file: String,
        /// The tier whose working form is damaged.
        tier: Tier,
        /// The byte of the file at which the damage is.
        offset: u64,
        /// What does not fit.
        why: String,
    },
    /// No scratch file holds the working form of a tier.
    #[error("{files}: there is no working form of tier {tier}; run the same command again to solve it again")]
    NotSpilled {
        /// The full names of the scratch files.
        files: String,
        /// The tier whose working form was asked for.
        tier: Tier,
    },
    /// A file of the published Pentago database is damaged.
    #[error("{file}, {place}: {why}; fetch this file again, or write it again")]
    DamagedPentago {
        /// The full name of the file.
        file: String,
        /// The part of the file, in words.
        place: String,
        /// What does not fit.
        why: String,
    },
    /// A file of the published Pentago database does not have what was asked for.
    #[error("{file}, {place}: {why}; look into the file with the right number of stones")]
    NotInPentago {
        /// The full name of the file.
        file: String,
        /// The part of the file that was asked for, in words.
        place: String,
        /// What the file does not have.
        why: String,
    },
    /// A table was handed over in a form that cannot be stored.
    #[error("tier {tier} cannot be stored: {why}; this is a mistake in the program, please report it")]
    Unstorable {
        /// The tier of the table.
        tier: Tier,
        /// Why the table cannot be stored.
        why: String,
    },
    /// A file cannot be an annex.
    #[error("{file} cannot be opened as an annex: {why}; this is a mistake in the program, please report it")]
    BadAnnex {
        /// The full name of the file.
        file: String,
        /// Why the file cannot be an annex.
        why: String,
    },
    /// The summary or the identity cannot be kept in a manifest.
    #[error("the manifest cannot be written: {why}; this is a mistake in the program, please report it")]
    BadManifest {
        /// Why the manifest cannot be written.
        why: String,
    },
    /// A table was to be added to a database that is already finished.
    #[error("{file} belongs to a finished database: nothing can be added; solve with --fresh to start over")]
    Finished {
        /// The full name of the file.
        file: String,
    },
    /// The disk is full.
    #[error(
        "{file}: the disk is full: free at least {needed} bytes and run the same command again; what was finished is kept"
    )]
    Full {
        /// The full name of the file.
        file: String,
        /// Bytes that were to be written.
        needed: u64,
    },
    /// The operating system refused something.
    #[error("cannot {doing} {file}: {source}")]
    Io {
        /// What was tried, as a verb.
        doing: &'static str,
        /// The full name of the file.
        file: String,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// A result with the store's error.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

impl StoreError {
    pub(crate) fn io(doing: &'static str, file: &str, source: io::Error) -> StoreError {
        StoreError::Io { doing, file: file.to_string(), source }
    }

    /// The error of a failed write of `needed` bytes, with the full disk told apart.
    pub(crate) fn write(file: &str, needed: u64, source: io::Error) -> StoreError {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                StoreError::Full { file: file.to_string(), needed }
            }
            _ => StoreError::io("write", file, source),
        }
    }

    pub(crate) fn damaged(file: &str, offset: u64, why: impl Into<String>) -> StoreError {
        StoreError::Damaged { file: file.to_string(), offset, why: why.into() }
    }

    /// The error of a failed read: a file that ends too early is damage, anything else the system's.
    pub(crate) fn read(file: &str, offset: u64, source: io::Error) -> StoreError {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => StoreError::damaged(file, offset, "the file ends too early"),
            _ => StoreError::io("read", file, source),
        }
    }

    /// The tier that the error is about, where it is about one. The store knows no games, so its messages have the
    /// number of a tier and not the name.
    pub fn tier(&self) -> Option<Tier> {
        match self {
            StoreError::DamagedBlock { tier, .. }
            | StoreError::NoTable { tier, .. }
            | StoreError::OutOfRange { tier, .. }
            | StoreError::DamagedSpill { tier, .. }
            | StoreError::NotSpilled { tier, .. }
            | StoreError::Unstorable { tier, .. } => Some(*tier),
            _ => None,
        }
    }

    /// Whether the files themselves are at fault, as opposed to the request or the machine.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            StoreError::Damaged { .. }
                | StoreError::DamagedBlock { .. }
                | StoreError::DamagedSpill { .. }
                | StoreError::DamagedPentago { .. }
        )
    }
}
