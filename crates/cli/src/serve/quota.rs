//! Bounds the disk space that solves on request may fill.
//!
//! The folder of a database that was solved on request has an empty file beside the tables, [`MARK`]. Only folders
//! with that file count; databases solved from the command line do not.

use std::path::Path;

use axum::http::StatusCode;

use super::refusal::{Refusal, Result};
use zermelo::bytes;

/// The file that marks a folder.
const MARK: &str = "on-request";
/// The most files of one folder that are counted; a database has a few.
const FILES: usize = 1000;

/// Refuses a solve that might take more than what is left of a quota.
pub(crate) fn check(data: &Path, quota: u64, needed: u64) -> Result<()> {
    let used = used(data);
    if used.saturating_add(needed) <= quota {
        return Ok(());
    }
    let text = format!(
        "databases solved on request take {} and this one may take {} more, but {} are allowed; remove some, run \
         `zermelo solve`, or start the server with a larger --solve-disk",
        bytes(used),
        bytes(needed),
        bytes(quota)
    );
    Err(Refusal::new(StatusCode::INSUFFICIENT_STORAGE, text))
}

/// Marks the folder of a database that is about to be solved. The data directory must be there.
pub(crate) fn mark(data: &Path, folder: &Path) -> std::io::Result<()> {
    std::fs::metadata(data)?;
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(MARK), b"")
}

/// Returns the bytes of all databases in a data directory that were solved on request.
fn used(data: &Path) -> u64 {
    let below = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = below(data).flat_map(|game| below(&game.path()).collect::<Vec<_>>());
    let marked = folders.map(|folder| folder.path()).filter(|folder| folder.join(MARK).is_file());
    let size = |folder: &Path| -> u64 {
        below(folder).take(FILES).filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).sum()
    };
    marked.map(|folder| size(&folder)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_folders_count() {
        let data = std::env::temp_dir().join(format!("zermelo-quota-{}", std::process::id()));
        for folder in ["mnk/default", "mnk/rows=4", "quixo/default"] {
            std::fs::create_dir_all(data.join(folder)).expect("a folder");
            std::fs::write(data.join(folder).join("tables.zmo"), [0; 1000]).expect("a file");
        }
        assert!(check(&data, 0, 0).is_ok(), "nothing was solved on request");
        mark(&data, &data.join("mnk/default")).expect("a mark");
        mark(&data, &data.join("hex/default")).expect("a new folder");
        assert!(check(&data, 1500, 500).is_ok());
        let refusal = check(&data, 1500, 501).expect_err("too much");
        assert!(refusal.status == 507 && refusal.text.contains("--solve-disk"), "{}", refusal.text);
        std::fs::remove_dir_all(&data).expect("a folder");
        assert!(mark(&data, &data.join("mnk/default")).is_err() && !data.exists());
    }
}
