//! Checking a whole database: every record of every file is read, and every byte has to belong to one.

use std::collections::BTreeSet;
use std::fmt;

use zermelo_core::Tier;

use crate::error::StoreError;
use crate::format::{FILE_HEADER, TableExtent};
use crate::reader::Reader;
use crate::tables::{Table, read_table};

impl Reader {
    /// Reads every block of every table and returns all that is wrong.
    pub fn check(&self) -> Vec<Damage> {
        let mut found = Vec::new();
        let mut tables = self.tables.directory.all();
        tables.sort_unstable_by_key(|(_, extent)| (extent.file, extent.offset));
        let annexes = (1..).zip(&self.manifest.annexes).filter(|(_, length)| **length > 0).map(|(n, _)| n);
        let files: BTreeSet<u16> =
            annexes.chain(tables.iter().map(|(_, extent)| extent.file)).chain([0]).collect();
        for file in files {
            let begin = tables.partition_point(|(_, extent)| extent.file < file);
            let count = tables[begin..].partition_point(|(_, extent)| extent.file == file);
            self.check_file(file, &tables[begin..begin + count], &mut found);
        }
        found
    }

    /// Checks the tables of one file, which come in their order in it, and that there is nothing between them.
    fn check_file(&self, file: u16, tables: &[(Tier, TableExtent)], found: &mut Vec<Damage>) {
        if let Err(error) = self.tables.files.source(file, 0) {
            return found.push(Damage { tier: None, block: None, error });
        }
        let mut end = FILE_HEADER as u64;
        for &(tier, extent) in tables {
            if self.skip_ignored(file, end, extent.offset, found) != extent.offset {
                let why = format!(
                    "there are bytes of no table, or tables overlap, between byte {end} and byte {}",
                    extent.offset
                );
                let error = StoreError::damaged(&self.tables.files.place(file), end, why);
                found.push(Damage { tier: Some(tier), block: None, error });
            }
            self.check_extent(tier, extent, found);
            end = extent.end();
        }
        // While a database grows nobody can say what lies behind its last table.
        let Some(directory) = &self.manifest.directory else { return };
        let limit = if file == 0 { directory.offset } else { self.tables.files.end(file) };
        end = self.skip_ignored(file, end, limit, found);
        if end != limit {
            let why = "there are bytes of no table here";
            let error = StoreError::damaged(&self.tables.files.place(file), end, why);
            found.push(Damage { tier: None, block: None, error });
        }
    }

    /// Passes over the records in a part of an annex that hold tables of which the directory has another copy: their
    /// tiers were solved twice. Returns where the last of them ends.
    fn skip_ignored(&self, file: u16, from: u64, limit: u64, found: &mut Vec<Damage>) -> u64 {
        let mut end = from;
        while file > 0 && end < limit {
            let Some((table, extent)) = self.ignored(file, end, limit) else { break };
            self.check_blocks(&table, found);
            end = extent.end();
        }
        end
    }

    /// The whole record at an offset, if the directory has its tier in another place.
    fn ignored(&self, file: u16, offset: u64, limit: u64) -> Option<(Table, TableExtent)> {
        let source = self.tables.files.source(file, 0).ok()?;
        let table = read_table(&*source, &self.tables.files.place(file), offset, limit).ok()?;
        let extent = TableExtent { file, offset, length: table.head.record_bytes(), crc: table.head.crc };
        let counted = self.tables.directory.find(table.head.tier)?;
        ((counted.file, counted.offset) != (file, offset)).then_some((Table { file, ..table }, extent))
    }

    /// Reads every block of one table and returns all that is wrong, for callers that spread the work.
    pub fn check_table(&self, tier: Tier) -> Vec<Damage> {
        let mut found = Vec::new();
        match self.tables.directory.find(tier) {
            Some(extent) => self.check_extent(tier, extent, &mut found),
            None => {
                let error = StoreError::NoTable { file: self.tables.place(), tier };
                found.push(Damage { tier: Some(tier), block: None, error });
            }
        }
        found
    }

    fn check_extent(&self, tier: Tier, extent: TableExtent, found: &mut Vec<Damage>) {
        let table = match self.tables.table_at(tier, extent) {
            Ok(table) => table,
            Err(error) => return found.push(Damage { tier: Some(tier), block: None, error }),
        };
        if table.head.record_bytes() != extent.length {
            let file = self.tables.files.place(extent.file);
            let error = StoreError::damaged(&file, extent.offset, "the table has another length");
            found.push(Damage { tier: Some(tier), block: None, error });
        }
        self.check_blocks(&table, found);
    }

    fn check_blocks(&self, table: &Table, found: &mut Vec<Damage>) {
        for (block, line) in (0..).zip(&table.lines) {
            if let Err(error) = self.tables.block(table.file, &table.head, line, block) {
                found.push(Damage { tier: Some(table.head.tier), block: Some(block), error });
            }
        }
    }
}

/// One thing that is wrong with a database.
#[derive(Debug)]
pub struct Damage {
    /// The tier whose table is damaged, where it is one.
    pub tier: Option<Tier>,
    /// The damaged block, where it is one.
    pub block: Option<u64>,
    /// What is wrong, where, and what to do.
    pub error: StoreError,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}
