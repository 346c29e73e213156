//! A short fuzz run over the files of a database.

use std::time::Duration;

#[path = "../../../../fuzz/laws/tables.rs"]
mod tables;

use super::memory;

#[test]
fn any_bytes_are_a_database_or_refused() {
    zermelo_testing::fuzz::run("tables", Duration::from_secs(3), tables::check);
}
