//! `counts-N.npy`: the totals of every section of a slice, as a NumPy array of unsigned 64-bit numbers with four
//! columns: signature of the section, boards that black wins, boards that white wins, boards.
//!
//! The file has no checksum. What follows from the section is compared; a wrong number of wins can go unnoticed.

use std::io::Write;
use std::path::Path;

use crate::backend::replace;
use crate::error::{Error, Result};
use crate::plain::read_plain;
use zermelo_core::sections::Section;

const MAGIC: &[u8; 8] = b"\x93NUMPY\x01\x00";
const ROW: usize = 32;
/// No file of counts is longer.
const MAX_BYTES: u64 = 1 << 24;

/// The boards of one section by value, symmetric ones counted one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The section, a standard one.
    pub section: Section,
    /// Boards that black wins.
    pub black: u64,
    /// Boards that white wins.
    pub white: u64,
    /// All boards.
    pub total: u64,
}

/// Reads a file of counts.
pub fn read_counts(path: impl AsRef<Path>) -> Result<Vec<Count>> {
    let name = path.as_ref().display().to_string();
    let bytes = read_plain(path, MAX_BYTES).map_err(|e| Error::io("read", &name, e))?;
    decode_counts(&bytes, &name)
}

/// Writes a file of counts, replacing one that is there as a whole.
pub fn write_counts(path: impl AsRef<Path>, counts: &[Count]) -> Result<()> {
    let name = path.as_ref().display().to_string();
    let bytes = encode_counts(counts);
    let wrap = |error| Error::write(&name, bytes.len() as u64, error);
    replace(path.as_ref(), |mut file| file.write_all(&bytes).map_err(wrap), wrap)
}

/// The bytes of a file of counts, as the published ones are.
pub fn encode_counts(counts: &[Count]) -> Vec<u8> {
    let mut text = format!("{{'descr': '<u8', 'fortran_order': False, 'shape': ({},4), }}", counts.len());
    // Magic, length, text and a newline fill whole lines of 16 bytes.
    while !(MAGIC.len() + 2 + text.len() + 1).is_multiple_of(16) {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    for count in counts {
        let row = [count.section.sig(), count.black, count.white, count.total];
        bytes.extend(row.iter().flat_map(|word| word.to_le_bytes()));
    }
    bytes
}

/// Reads the bytes of a file of counts; `file` is its name for messages.
pub fn decode_counts(bytes: &[u8], file: &str) -> Result<Vec<Count>> {
    let damaged = |place: String, why| Error::DamagedPentago { file: file.to_string(), place, why };
    let (rows, body) = decode_header(bytes).map_err(|why| damaged("header".to_string(), why))?;
    if body.len() as u64 / ROW as u64 != rows || body.len() % ROW != 0 {
        let why = format!("{} bytes are not {rows} rows of {ROW}", body.len());
        return Err(damaged("body".to_string(), why));
    }
    let mut counts: Vec<Count> = Vec::with_capacity(body.len() / ROW);
    for (number, row) in body.as_chunks::<ROW>().0.iter().enumerate() {
        let count = decode_row(row).map_err(|why| damaged(format!("row {number}"), why))?;
        let follows = counts.last().is_none_or(|before| {
            before.section < count.section && before.section.stones() == count.section.stones()
        });
        if !follows {
            let why = format!("section {} is not in the order of one slice", count.section);
            return Err(damaged(format!("row {number}"), why));
        }
        counts.push(count);
    }
    Ok(counts)
}

fn decode_header(bytes: &[u8]) -> Result<(u64, &[u8]), String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("it does not begin like version 1.0 of an .npy file")?;
    let (length, rest) = rest.split_first_chunk::<2>().ok_or("the file ends too early")?;
    let length = usize::from(u16::from_le_bytes(*length));
    let (text, body) = rest.split_at_checked(length).ok_or("the file ends too early")?;
    let text: String = text.iter().map(|&b| b as char).filter(|c| !c.is_ascii_whitespace()).collect();
    let rows = text
        .strip_prefix("{'descr':'<u8','fortran_order':False,'shape':(")
        .and_then(|rest| rest.strip_suffix('}'))
        .map(|rest| rest.strip_suffix(',').unwrap_or(rest))
        .and_then(|rest| rest.strip_suffix(",4)"))
        .filter(|rows| rows.bytes().all(|b| b.is_ascii_digit()))
        .and_then(|rows| rows.parse().ok());
    let rows = rows.ok_or_else(|| format!("{text:?} is no array of '<u8' with four columns"))?;
    Ok((rows, body))
}

fn decode_row(row: &[u8; ROW]) -> Result<Count, String> {
    let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| row[8 * i + k]));
    let (sig, black, white, total) = (word(0), word(1), word(2), word(3));
    let section = Section::from_sig(sig).filter(|section| section.is_standard());
    let section = section.ok_or_else(|| format!("there is no standard section {sig:#018x}"))?;
    if total != section.boards() {
        return Err(format!("section {section} has {} boards, not {total}", section.boards()));
    }
    if black.checked_add(white).is_none_or(|won| won > total) {
        return Err(format!("section {section}: {black} and {white} won boards are more than {total}"));
    }
    Ok(Count { section, black, white, total })
}
