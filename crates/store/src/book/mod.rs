//! Books: small files of exact values, made to come with a program.
//!
//! A book has the codes of some tiers of a variant. Entries whose value the rules tell are left out, and the reader says
//! which these are; so the values alone are stored, entropy coded in blocks that are decoded one by one.
//!
//! ```text
//!   magic        "ZERMBOOK"
//!   version      u16
//!   header       u32 bytes of JSON: identity (game, variant, objective, revision ...), plies, late
//!   tiers        u32 many, then of each, by rising number: the step from the one before, and the size (LEB128 each)
//!   codes        u8 many, then u16 each: symbol n stands for code n; one is 65,534, for an entry that is not known
//!   frequencies  u16 each: of every symbol at the beginning of a block, then after each symbol (with more than 64
//!                symbols: of every symbol); each list adds up to 4,096, or is all 0
//!   blocks       u32 many, then the bytes of each as u16; a block stands for 2,048 entries
//!   data         the blocks
//!   checksum     u32: CRC-32 of all before
//! ```
//!
//! Numbers are little-endian. The entries of all tiers are one sequence.

mod coder;

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use zermelo_core::Tier;

use crate::manifest::Identity;
use coder::{Decoder, Frequencies};

const MAGIC: &[u8; 8] = b"ZERMBOOK";
const VERSION: u16 = 1;
/// The number of entries that a block stands for.
const BLOCK: u64 = 2048;
/// The most bytes of a book.
pub const MOST_BOOK_BYTES: u64 = 64 << 20;

/// An entry of a book that is not stored, because the rules tell its value.
pub const LEFT_OUT: u16 = u16::MAX;
/// An entry of a book whose value is not known.
pub const NOT_KNOWN: u16 = u16::MAX - 1;

/// What is wrong with a book.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The bytes are no book, or a damaged one.
    #[error("the book is damaged: {0}; `zermelo book` makes it again")]
    Damaged(&'static str),
    /// The format is another one.
    #[error(
        "the book has format {0}, this program reads format {VERSION}; make it again with `zermelo book`"
    )]
    Version(u16),
    /// The values do not fit the format.
    #[error("the values do not fit a book: {0}")]
    TooMuch(&'static str),
}

use BookError::{Damaged, TooMuch};

/// What the header of a book says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookHeader {
    /// What the book must agree on with the game that reads it.
    pub identity: Identity,
    /// The number of moves from the start to the last tiers with all values.
    pub plies: u32,
    /// The least remoteness of the values of the tiers one move further, where the book has such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<u16>,
}

/// A book, ready to be read.
pub struct BookFile {
    bytes: Cow<'static, [u8]>,
    header: BookHeader,
    /// The tiers by number, each with its first entry and with the first one behind it.
    tiers: Vec<(Tier, Range<u64>)>,
    codes: Vec<u16>,
    frequencies: Frequencies,
    /// Where each block begins and ends in the bytes.
    blocks: Vec<Range<usize>>,
}

impl BookFile {
    /// The header of a book, without a look at the rest.
    pub fn header_of(bytes: &[u8]) -> Result<BookHeader, BookError> {
        header(&mut Cursor(bytes))
    }

    /// Opens a book.
    pub fn open(bytes: impl Into<Cow<'static, [u8]>>) -> Result<BookFile, BookError> {
        let bytes = bytes.into();
        let (content, sum) = bytes.split_last_chunk::<4>().ok_or(Damaged("it is too short"))?;
        let mut rest = Cursor(content);
        let header = header(&mut rest)?;
        if crc32fast::hash(content) != u32::from_le_bytes(*sum) {
            return Err(Damaged("its checksum is wrong"));
        }
        let tiers = tiers(&mut rest)?;
        let entries = tiers.last().map_or(0, |(_, range)| range.end);
        let many = usize::from(rest.take::<1>()?[0]);
        let codes = rest.shorts(many)?;
        let frequencies = rest.shorts(Frequencies::many(many))?;
        let frequencies =
            Frequencies::read(many, &frequencies).ok_or(Damaged("its frequencies are wrong"))?;
        let many = rest.long()? as u64;
        if many != entries.div_ceil(BLOCK) {
            return Err(Damaged("it has another number of blocks than its entries fill"));
        }
        let lengths = rest.shorts(many as usize)?;
        let mut at = content.len() - rest.0.len();
        let blocks = lengths.iter().map(|length| {
            let begin = at;
            at += usize::from(*length);
            begin..at
        });
        let blocks: Vec<_> = blocks.collect();
        if at != content.len() {
            return Err(Damaged("its blocks have another length than they say"));
        }
        Ok(BookFile { header, tiers, codes, frequencies, blocks, bytes })
    }

    /// What the header says.
    pub fn header(&self) -> &BookHeader {
        &self.header
    }

    /// The number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The number of entries of all tiers.
    pub fn entries(&self) -> u64 {
        self.tiers.last().map_or(0, |(_, range)| range.end)
    }

    /// The tiers of the book.
    pub fn tiers(&self) -> impl Iterator<Item = Tier> {
        self.tiers.iter().map(|(tier, _)| *tier)
    }

    /// Whether the book has a tier.
    pub fn has(&self, tier: Tier) -> bool {
        self.tiers.binary_search_by_key(&tier, |(tier, _)| *tier).is_ok()
    }

    /// The entry of a number of a tier, if the book has it.
    pub fn entry(&self, tier: Tier, rank: u64) -> Option<u64> {
        let at = self.tiers.binary_search_by_key(&tier, |(tier, _)| *tier).ok()?;
        let range = &self.tiers[at].1;
        range.start.checked_add(rank).filter(|entry| *entry < range.end)
    }

    /// The tier and the number of an entry.
    pub fn place(&self, entry: u64) -> Option<(Tier, u64)> {
        let at = self.tiers.partition_point(|(_, range)| range.end <= entry);
        let (tier, range) = self.tiers.get(at)?;
        Some((*tier, entry - range.start))
    }

    /// The block with an entry, and the entries that it stands for.
    pub fn block(&self, entry: u64) -> (usize, Range<u64>) {
        let first = entry / BLOCK * BLOCK;
        ((entry / BLOCK) as usize, first..self.entries().min(first + BLOCK))
    }

    /// The codes of the entries of a block, [`LEFT_OUT`] where `left_out` says so of an entry, and [`NOT_KNOWN`] where
    /// the book does not know one.
    pub fn decode(&self, block: usize, mut left_out: impl FnMut(u64) -> bool) -> Result<Vec<u16>, BookError> {
        let bytes = self.blocks.get(block).ok_or(Damaged("it has no such block"))?;
        let mut decoder = Decoder::new(&self.frequencies, &self.bytes[bytes.clone()]);
        let entries = self.block(block as u64 * BLOCK).1;
        let mut codes = Vec::with_capacity(BLOCK as usize);
        let mut any = false;
        for entry in entries {
            if left_out(entry) {
                codes.push(LEFT_OUT);
                continue;
            }
            any = true;
            let code = decoder.next().and_then(|symbol| self.codes.get(usize::from(symbol)));
            codes.push(*code.ok_or(Damaged("a block has no such values"))?);
        }
        // The block must end with its last symbol: else the rules that made the book were others.
        match any && !decoder.is_done() || !any && !bytes.is_empty() {
            true => Err(Damaged("a block has more values than the rules leave open")),
            false => Ok(codes),
        }
    }
}

/// Makes a book of the codes of some tiers, given by rising number with their sizes; the codes of all entries follow each
/// other.
pub fn make_book(header: &BookHeader, tiers: &[(Tier, u64)], codes: &[u16]) -> Result<Vec<u8>, BookError> {
    let mut all: Vec<u16> = codes.iter().copied().filter(|code| *code != LEFT_OUT).collect();
    all.sort_unstable();
    all.dedup();
    let many = u8::try_from(all.len()).map_err(|_| TooMuch("there are more than 255 different values"))?;
    let symbol = |code: &u16| all.binary_search(code).ok().map(|symbol| symbol as u8);
    let blocks: Vec<Vec<u8>> =
        codes.chunks(BLOCK as usize).map(|block| block.iter().filter_map(symbol).collect()).collect();
    let frequencies = Frequencies::of(all.len(), blocks.iter().map(|block| &**block));
    let coder = Frequencies::read(all.len(), &frequencies).ok_or(TooMuch("frequencies do not add up"))?;
    let packed: Vec<Vec<u8>> = blocks.iter().map(|block| coder.encode(block)).collect();

    let text = serde_json::to_vec(header).map_err(|_| TooMuch("the header cannot be written"))?;
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text);
    out.extend((tiers.len() as u32).to_le_bytes());
    let mut before = 0;
    for (tier, size) in tiers {
        let step = tier.0.checked_sub(before).ok_or(TooMuch("the tiers are not in order"))?;
        before = tier.0;
        leb128(&mut out, step);
        leb128(&mut out, *size);
    }
    out.push(many);
    all.iter().chain(&frequencies).for_each(|n| out.extend(n.to_le_bytes()));
    out.extend((packed.len() as u32).to_le_bytes());
    // A symbol takes at most 12 bits, so that a block has at most 3,076 bytes.
    packed.iter().for_each(|block| out.extend((block.len() as u16).to_le_bytes()));
    packed.iter().for_each(|block| out.extend(block));
    out.extend(crc32fast::hash(&out).to_le_bytes());
    match out.len() as u64 > MOST_BOOK_BYTES {
        true => Err(TooMuch("it would have more than 64 MB; leave some plies out")),
        false => Ok(out),
    }
}

fn leb128(out: &mut Vec<u8>, mut n: u64) {
    while n > 0x7f {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// What is left to read.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take<const N: usize>(&mut self) -> Result<&'a [u8; N], BookError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Damaged("it is too short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn many(&mut self, bytes: usize) -> Result<&'a [u8], BookError> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or(Damaged("it is too short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn long(&mut self) -> Result<u32, BookError> {
        Ok(u32::from_le_bytes(*self.take()?))
    }

    fn shorts(&mut self, many: usize) -> Result<Vec<u16>, BookError> {
        let bytes = self.many(many.checked_mul(2).ok_or(Damaged("it is too short"))?)?;
        Ok(bytes.as_chunks().0.iter().map(|n| u16::from_le_bytes(*n)).collect())
    }

    fn leb128(&mut self) -> Result<u64, BookError> {
        let mut n = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = self.take::<1>()?[0];
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(Damaged("a number is too large"))
    }
}

fn header(rest: &mut Cursor<'_>) -> Result<BookHeader, BookError> {
    if rest.take()? != MAGIC {
        return Err(Damaged("it does not begin as a book"));
    }
    let version = u16::from_le_bytes(*rest.take()?);
    if version != VERSION {
        return Err(BookError::Version(version));
    }
    let bytes = rest.long()? as usize;
    serde_json::from_slice(rest.many(bytes)?).map_err(|_| Damaged("its header cannot be read"))
}

fn tiers(rest: &mut Cursor<'_>) -> Result<Vec<(Tier, Range<u64>)>, BookError> {
    let many = rest.long()?;
    let (mut tiers, mut number, mut entry) = (vec![], 0u64, 0u64);
    for n in 0..many {
        let step = rest.leb128()?;
        let wrong = || Damaged("its tiers are wrong");
        if step == 0 && n > 0 {
            return Err(wrong());
        }
        number = number.checked_add(step).ok_or_else(wrong)?;
        let end = entry.checked_add(rest.leb128()?).ok_or_else(wrong)?;
        tiers.push((Tier(number), entry..end));
        entry = end;
    }
    Ok(tiers)
}
