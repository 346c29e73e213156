//! Law: no bytes in place of a database panic, hang or take much memory. Checksums are not compared in fuzzing
//! builds, so that the code after them is reached.

use std::sync::LazyLock;

use zermelo_core::{Tier, Width};
use zermelo_store::{Annex, Identity, MANIFEST, Reader, TABLES, Writer, pack};

use super::memory::Memory;

fn identity() -> Identity {
    [("game", "toy"), ("variant", "")].into_iter().collect()
}

/// The files of a database that the fuzzer damages.
const FILES: [&str; 3] = [TABLES, MANIFEST, "tables-1.zmo"];

/// How a manifest ends after its checksum.
const MANIFEST_END: &str = "\"\n}\n";

/// A good database to damage: both widths, several blocks, don't-cares, an annex with one of the tables.
static GOOD: LazyLock<[Vec<u8>; 3]> = LazyLock::new(|| {
    let folder = Memory::new();
    let writer = Writer::open(folder.clone(), identity()).expect("a new database");
    let annex = Annex::open(folder.clone(), &identity(), 1, 0).expect("a new annex");
    for (tier, width) in [(1, Width::One), (2, Width::Two), (300, Width::One)] {
        let mut entries: Vec<u8> = (0..200u32).map(|i| (i * i % 7 + tier) as u8).collect();
        let blocks: Vec<_> = entries.chunks_mut(64 * width.bytes()).map(|b| pack(b, width, 3)).collect();
        let count = 200 / width.bytes() as u64;
        let tier = Tier(tier.into());
        if tier == Tier(2) {
            let extent = annex.append(tier, width, count, count, &blocks).expect("memory");
            writer.adopt(tier, extent, count).expect("just appended");
        } else {
            writer.append(tier, width, count, count, &blocks).expect("memory");
        }
    }
    writer.finish(serde_json::json!({ "value": "win" })).expect("memory");
    FILES.map(|name| folder.bytes(name).expect("written"))
});

/// Panics if damaged files of a database break the law.
pub(crate) fn check(data: &[u8]) {
    let Some((mode, data)) = data.split_first() else { return };
    let mut files = GOOD.clone();
    match mode % 6 {
        n @ 0..3 => files[usize::from(n)] = data.to_vec(),
        // Edits of three bytes each, the place and the new byte; then the end of the file may be cut off.
        n => {
            let file = &mut files[usize::from(n) - 3];
            for edit in data.chunks_exact(3) {
                let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % file.len();
                file[at] = edit[2];
            }
            let cut = usize::from(mode / 6);
            if cut > 0 {
                file.truncate(cut * file.len() / 43);
            }
        }
    }
    read_and_write(files.clone());
    seal(&mut files[1]);
    read_and_write(files);
}

/// Gives a manifest the checksum of what it says, which is its last eight digits but for the end of the text.
fn seal(manifest: &mut [u8]) {
    let Some(at) = manifest.len().checked_sub(8 + MANIFEST_END.len()) else { return };
    let crc = format!("{:08x}", crc32fast::hash(&manifest[..at]));
    manifest[at..at + 8].copy_from_slice(crc.as_bytes());
}

/// Opens files as a database, reads what there is, and goes on writing it.
fn read_and_write(files: [Vec<u8>; 3]) {
    let folder = Memory::new();
    FILES.iter().zip(files).for_each(|(name, bytes)| folder.put(name, bytes));
    if let Ok(reader) = Reader::open(&folder, 1 << 16) {
        for tier in reader.tiers().into_iter().take(16) {
            let entries = reader.info(tier).map(|info| info.entries).unwrap_or(0);
            for index in [0, 1, 63, 64, entries / 2, entries.wrapping_sub(1), entries, u64::MAX] {
                let _ = reader.get(tier, index);
            }
            if entries < 1 << 20 {
                let _ = reader.load(tier);
            }
        }
        let _ = reader.check();
    }
    let _ = Writer::open(folder, identity()).map(|writer| writer.finish(serde_json::json!(null)));
}
