//! Writing a `.pentago` file: blocks in any order, then the indexes, and the headers last of all. The file gets
//! its name only when it is whole and on the disk.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::blocks::{ENTRY_BYTES, PackedBlock, compress};
use super::file::{Blob, FILE_HEADER, FILE_MAGIC, SECTION_HEADER, VERSION, section_header};
use crate::backend::replace;
use crate::error::{Error, Result};
use zermelo_core::sections::Section;

/// A file that is being written.
pub struct SliceWriter<'a> {
    name: String,
    file: &'a File,
    end: u64,
    sections: Vec<(Section, Vec<Blob>)>,
    numbers: HashMap<Section, usize>,
}

/// Writes a file with these standard sections of one number of stones: `fill` adds every block of every section,
/// in any order. After an error the file that was there before, if any, is as it was.
pub fn write_slice(
    path: impl AsRef<Path>,
    sections: &[Section],
    fill: impl FnOnce(&mut SliceWriter<'_>) -> Result<()>,
) -> Result<()> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let wrap = |error| Error::write(&name, 0, error);
    replace(
        path,
        |file| {
            let mut writer = SliceWriter::new(name.clone(), file, sections)?;
            fill(&mut writer)?;
            writer.finish()
        },
        wrap,
    )
}

impl SliceWriter<'_> {
    fn new<'a>(name: String, file: &'a File, sections: &[Section]) -> Result<SliceWriter<'a>> {
        let end = (FILE_HEADER + SECTION_HEADER * sections.len()) as u64;
        let mut writer = SliceWriter { name, file, end, sections: Vec::new(), numbers: HashMap::new() };
        if sections.is_empty() {
            return Err(writer.wrong("file".to_string(), "it has no sections"));
        }
        for (number, &section) in sections.iter().enumerate() {
            let place = format!("section {section}");
            if !section.is_standard() || section.stones() != sections[0].stones() {
                return Err(writer.wrong(place, "it is not a standard section of this number of stones"));
            }
            if writer.numbers.insert(section, number).is_some() {
                return Err(writer.wrong(place, "it is there twice"));
            }
            writer.sections.push((section, vec![Blob::default(); section.grid().len()]));
        }
        Ok(writer)
    }

    /// Adds a block.
    pub fn append(&mut self, section: Section, block: [usize; 4], packed: &PackedBlock) -> Result<()> {
        let grid = section.grid();
        let place = || format!("section {section}, block {block:?}");
        let found = self.numbers.get(&section).copied().zip(grid.number(block));
        let (number, at) = found.ok_or_else(|| self.wrong(place(), "there is no such block"))?;
        if packed.shape != grid.block_shape(block) {
            return Err(self.wrong(place(), "it has another shape"));
        }
        if self.sections[number].1[at] != Blob::default() {
            return Err(self.wrong(place(), "it is there twice"));
        }
        let size = packed.shape.iter().product::<usize>() * ENTRY_BYTES;
        self.sections[number].1[at] = self.put(&packed.bytes, size)?;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        let mut headers = FILE_MAGIC.to_vec();
        for word in [VERSION, self.sections.len() as u32, SECTION_HEADER as u32] {
            headers.extend(word.to_le_bytes());
        }
        for (section, blobs) in std::mem::take(&mut self.sections) {
            if let Some(at) = blobs.iter().position(|blob| *blob == Blob::default()) {
                let place = format!("section {section}, block {:?}", section.grid().block(at));
                return Err(self.wrong(place, "it is missing"));
            }
            let index: Vec<u8> = blobs.iter().flat_map(Blob::encode).collect();
            let blob = self.put(&compress(&index)?, index.len())?;
            headers.extend(section_header(section));
            headers.extend(blob.encode());
        }
        self.write_at(&headers, 0)
    }

    /// Writes compressed bytes at the end.
    fn put(&mut self, packed: &[u8], size: usize) -> Result<Blob> {
        self.write_at(packed, self.end)?;
        let blob = Blob { size: size as u64, packed: packed.len() as u64, offset: self.end };
        self.end += blob.packed;
        Ok(blob)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let written = self.file.write_all_at(bytes, offset);
        written.map_err(|e| Error::write(&self.name, bytes.len() as u64, e))
    }

    fn wrong(&self, place: String, why: &str) -> Error {
        Error::UnstorablePentago { file: self.name.clone(), place, why: why.to_string() }
    }
}
