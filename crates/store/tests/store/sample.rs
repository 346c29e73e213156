//! A small database with every kind of table and block, and the check that what can be read of it is right.

use serde_json::json;
use zermelo_core::{Tier, Width};
use zermelo_store::{Identity, PackedBlock, Reader, Result, Writer, pack};

use crate::memory::Memory;

/// A table as it is handed to the store; all ones are don't cares.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) tier: Tier,
    pub(crate) width: Width,
    pub(crate) block: usize,
    pub(crate) codes: Vec<u16>,
}

impl Sample {
    pub(crate) fn positions(&self) -> u64 {
        self.codes.iter().filter(|&&c| c != self.width.dont_care()).count() as u64
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.codes.iter().flat_map(|c| c.to_le_bytes()[..self.width.bytes()].to_vec()).collect()
    }

    pub(crate) fn blocks(&self) -> Vec<PackedBlock> {
        let mut bytes = self.bytes();
        bytes.chunks_mut(self.block * self.width.bytes()).map(|b| pack(b, self.width, 3)).collect()
    }

    pub(crate) fn append(&self, writer: &Writer) -> Result<()> {
        let entries = self.codes.len() as u64;
        writer.append(self.tier, self.width, entries, self.positions(), &self.blocks()).map(|_| ())
    }

    /// Reads the table in every way there is; an error is returned, a wrong value fails the test.
    pub(crate) fn read(&self, reader: &Reader) -> Result<()> {
        let info = reader.info(self.tier)?;
        assert_eq!((info.tier, info.width, info.entries), (self.tier, self.width, self.codes.len() as u64));
        assert_eq!(
            (info.positions, info.blocks),
            (self.positions(), self.codes.len().div_ceil(self.block) as u64)
        );
        let loaded = reader.load(self.tier)?;
        assert_eq!(loaded.len(), self.codes.len() * self.width.bytes());
        let mut joined = Vec::new();
        for block in 0..info.blocks {
            joined.extend(reader.load_block(self.tier, block)?);
        }
        assert_eq!(joined, loaded);
        for (index, &code) in self.codes.iter().enumerate() {
            let got = reader.get(self.tier, index as u64)?;
            assert_eq!(reader.table(self.tier)?.get(index as u64)?, got);
            let at = index * self.width.bytes();
            let raw = &got.to_le_bytes()[..self.width.bytes()];
            assert_eq!(raw, &loaded[at..at + self.width.bytes()]);
            if code != self.width.dont_care() {
                assert_eq!(got, code, "tier {} entry {index}", self.tier);
            }
        }
        Ok(())
    }
}

pub(crate) fn identity() -> Identity {
    [("game", "quixo"), ("objective", "outcome"), ("variant", "quixo:size=3")].into_iter().collect()
}

/// Tables of both widths, of no, one and several blocks, and blocks of every codec.
pub(crate) fn samples() -> Vec<Sample> {
    let noise = |i: u32| (i.wrapping_mul(2_654_435_761) >> 13) as u16;
    let table = |tier, width, block, codes: Vec<u16>| Sample { tier: Tier(tier), width, block, codes };
    vec![
        table(40, Width::One, 16, vec![7]),
        table(u64::MAX, Width::Two, 64, (0..150).map(|i| noise(i) % 3 * 300 + noise(i) % 5).collect()),
        table(0, Width::One, 16, vec![]),
        table(12, Width::One, 64, (0..64).map(|i| i / 20).chain((0..75).map(|i| noise(i) % 200)).collect()),
        table(11, Width::One, 32, (0..96).map(|i| if i % 3 == 0 { 9 - i / 32 } else { 0xff }).collect()),
        table(1 << 40, Width::Two, 8, vec![0xffff; 20]),
    ]
}

/// The sample database, with or without its end.
pub(crate) fn database(finish: bool) -> Memory {
    let folder = Memory::new();
    let writer = Writer::open(folder.clone(), identity()).unwrap();
    samples().iter().for_each(|s| s.append(&writer).unwrap());
    if finish {
        writer.finish(json!({"value": "win", "remoteness": 9})).unwrap();
    }
    folder
}

/// Reads all sample tables that a reader has.
pub(crate) fn read_all(reader: &Reader) -> Result<()> {
    samples().iter().filter(|s| reader.contains(s.tier)).try_for_each(|s| s.read(reader))
}

/// Adds what is missing, finishes, and reads everything back.
pub(crate) fn complete_and_read(writer: Writer, folder: &Memory) {
    for sample in samples().iter().filter(|s| !writer.contains(s.tier)) {
        sample.append(&writer).unwrap();
    }
    read_all(&writer.reader(1 << 16)).unwrap();
    writer.finish(json!(null)).unwrap();
    drop(writer);
    assert_complete(folder);
}

/// The folder holds the whole sample database, and nothing in it is damaged.
pub(crate) fn assert_complete(folder: &Memory) {
    let reader = Reader::open(folder, 1 << 16).unwrap();
    assert_eq!(reader.table_count(), samples().len());
    assert_eq!(reader.positions(), Some(samples().iter().map(Sample::positions).sum()));
    read_all(&reader).unwrap();
    assert!(reader.check().is_empty());
}
