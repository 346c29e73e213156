//! Blocks of entries to bytes and back. Every block carries the id of the codec that suits it best, so
//! blocks decode independently and a new codec is one more line in [`Codec`], one candidate in [`pack`] and
//! one arm in [`unpack`]. Packing is pure and runs on as many threads as the caller likes.
//!
//! Entries that nobody will ask for arrive as all ones. They take the value before them, which lengthens runs
//! and costs any codec next to nothing.

mod names;
mod runs;

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};

use serde::{Deserialize, Serialize};
use zermelo_core::{Unpoisoned, Width};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{self, CParameter, WriteBuf};

use crate::format::{INDEX_LINE, LENGTH_BITS};

/// Entries in a block, but for the last of a table. Chosen by measurement (`docs/lab/packing.md`): blocks four
/// or sixteen times larger are 2% smaller on disk and take that many times longer to open.
pub const BLOCK_ENTRIES: usize = 1 << 14;

/// The most entries a block may have.
pub const MAX_BLOCK_ENTRIES: usize = 1 << 22;

/// The zstd level that [`pack`] is normally called with: 10% smaller than level 9, and higher ones gain nothing.
pub const DEFAULT_LEVEL: i32 = 15;

/// The bytes that begin every zstd frame; they are left out on disk.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Entries that are looked at together, no more than a byte can count.
const RUN: usize = 64;

/// Entries whose runs take this part of their bytes, or less, are also compressed as runs.
const LONG_RUNS: usize = 4;
/// As runs only, for that takes a fraction of the time and few are smaller otherwise.
const LONGER_RUNS: usize = 8;

/// How a block's bytes are to be read; the numbers are on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Codec {
    /// All entries are equal: no bytes, the value stands in the index in place of the length.
    Constant = 0,
    /// The entries as they are.
    Raw = 1,
    /// A zstd frame without its magic.
    Zstd = 2,
    /// Two-byte entries only: a zstd frame of all low bytes followed by all high bytes.
    Planes = 3,
    /// A zstd frame of the entries as runs.
    Runs = 4,
    /// Two-byte entries only: a zstd frame of the different entries and of the name of each entry, a byte.
    Names = 5,
}

impl Codec {
    pub(crate) const fn from_byte(byte: u8) -> Option<Codec> {
        match byte {
            0 => Some(Codec::Constant),
            1 => Some(Codec::Raw),
            2 => Some(Codec::Zstd),
            3 => Some(Codec::Planes),
            4 => Some(Codec::Runs),
            5 => Some(Codec::Names),
            _ => None,
        }
    }
}

/// One compressed block, ready to be stored.
#[derive(Clone, Debug)]
pub struct PackedBlock {
    line: BlockLine,
    pub(crate) bytes: Vec<u8>,
}

impl PackedBlock {
    /// How many entries the block has.
    pub fn entries(&self) -> usize {
        self.line.entries as usize
    }

    /// How many bytes the block takes on disk, its line in the index included.
    pub fn stored_bytes(&self) -> usize {
        self.bytes.len() + INDEX_LINE
    }

    /// The line that the index of the table has for this block.
    pub fn line(&self) -> BlockLine {
        self.line
    }

    /// The block's bytes as they will be in the file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// What the index of a table says of one block: all that must be known of it before its bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockLine {
    pub(crate) entries: u32,
    /// Bytes per entry.
    pub(crate) width: u8,
    pub(crate) codec: u8,
    /// Bytes in the file, or the value of a constant block.
    pub(crate) length: u32,
    pub(crate) crc: u32,
}

impl BlockLine {
    /// Bytes that the block has in the file.
    pub fn stored(&self) -> u64 {
        if self.codec == Codec::Constant as u8 { 0 } else { self.length.into() }
    }

    /// Whether a block can be so: a line may come from another process.
    pub(crate) fn is_sound(&self, width: Width) -> bool {
        match Codec::from_byte(self.codec) {
            Some(Codec::Constant) => self.length <= width.dont_care().into() && self.crc == 0,
            Some(_) => self.length < 1 << LENGTH_BITS,
            None => false,
        }
    }
}

/// Compresses one block of little-endian entries. An entry of all ones stands for no position; it is given the value
/// before it, which packs best.
///
/// A block without any value becomes a constant block of all ones.
///
/// # Panics
///
/// When the bytes are not a whole number of entries, or more than [`MAX_BLOCK_ENTRIES`].
pub fn pack(entries: &mut [u8], width: Width, level: i32) -> PackedBlock {
    let count = entries.len() / width.bytes();
    assert!(entries.len().is_multiple_of(width.bytes()), "half an entry at the end of a block");
    assert!(count <= MAX_BLOCK_ENTRIES, "a block of {count} entries");
    fill(entries, width);
    let packed = |codec, length: usize, bytes: Vec<u8>| {
        let (entries, width, crc) = (count as u32, width.bytes() as u8, crc32fast::hash(&bytes));
        PackedBlock {
            line: BlockLine { entries, width, codec: codec as u8, length: length as u32, crc },
            bytes,
        }
    };
    // Each is equal to the next, which one comparison of long stretches tells.
    if count < 2 || entries[width.bytes()..] == entries[..entries.len() - width.bytes()] {
        return packed(Codec::Constant, width.code_at(entries, 0).into(), Vec::new());
    }
    let runs = runs::encode(entries, width, entries.len() / LONG_RUNS);
    // A low level asks for speed.
    let only = if level < DEFAULT_LEVEL { LONG_RUNS } else { LONGER_RUNS };
    let few = runs.as_ref().is_some_and(|runs| runs.len() <= entries.len() / only);
    let tried = |codec, bytes: &[u8]| Some((codec, compress(bytes, level)?));
    let names = if few || width == Width::One { None } else { names::encode(entries) };
    // A low level tries names alone where there are names.
    let plain = !few && (names.is_none() || level >= DEFAULT_LEVEL);
    let candidates = [
        runs.and_then(|runs| tried(Codec::Runs, &runs)),
        names.and_then(|names| tried(Codec::Names, &names)),
        if plain { tried(Codec::Zstd, entries) } else { None },
        if plain && width == Width::Two { tried(Codec::Planes, &split(entries)) } else { None },
    ];
    // The first of the smallest.
    match candidates.into_iter().flatten().min_by_key(|(_, bytes)| bytes.len()) {
        Some((codec, bytes)) if bytes.len() < entries.len() => packed(codec, bytes.len(), bytes),
        _ => packed(Codec::Raw, entries.len(), entries.to_vec()),
    }
}

/// Decodes a block of a known number of entries; an error says what does not fit.
///
/// `value` is that of a constant block. No more than the decoded size is ever allocated.
pub(crate) fn unpack(
    codec: Codec,
    value: u16,
    bytes: &[u8],
    width: Width,
    entries: usize,
) -> Result<Vec<u8>, &'static str> {
    let size = entries * width.bytes();
    match codec {
        Codec::Constant => Ok(value.to_le_bytes()[..width.bytes()].repeat(entries)),
        Codec::Raw if bytes.len() == size => Ok(bytes.to_vec()),
        Codec::Raw => Err("its length does not fit its number of entries"),
        Codec::Zstd => decompress(bytes, size),
        Codec::Planes if width == Width::Two => decompress(bytes, size).map(|planes| join(&planes)),
        Codec::Planes => Err("its codec does not fit its width"),
        Codec::Names if width == Width::Two => {
            names::decode(&decompress_most(bytes, names::most_bytes(entries))?, entries)
        }
        Codec::Names => Err("its codec does not fit its width"),
        Codec::Runs => runs::decode(&decompress_most(bytes, size)?, width, entries),
    }
}

/// Gives every don't care the value before it, and those at the start the first value there is.
fn fill(entries: &mut [u8], width: Width) {
    match width {
        Width::One => fill_with(entries, 0xff),
        Width::Two => fill_with(entries.as_chunks_mut::<2>().0, [0xff; 2]),
    }
}

fn fill_with<T: Copy + PartialEq>(entries: &mut [T], dont_care: T) {
    let Some(&first) = entries.iter().find(|e| **e != dont_care) else { return };
    let mut last = first;
    for entries in entries.chunks_mut(RUN) {
        // Most don't cares are beside others, and most values too: runs of one kind need no look at each entry.
        let cares = entries.iter().fold(0, |sum, e| sum + u8::from(*e != dont_care));
        if cares == 0 {
            entries.fill(last);
            continue;
        }
        if usize::from(cares) < entries.len() {
            for entry in entries.iter_mut() {
                last = if *entry == dont_care { last } else { *entry };
                *entry = last;
            }
        }
        last = entries[entries.len() - 1];
    }
}

/// All low bytes, then all high bytes.
fn split(entries: &[u8]) -> Vec<u8> {
    let low = entries.iter().step_by(2);
    let high = entries.iter().skip(1).step_by(2);
    low.chain(high).copied().collect()
}

/// The inverse of [`split`].
fn join(planes: &[u8]) -> Vec<u8> {
    let (low, high) = planes.split_at(planes.len() / 2);
    low.iter().zip(high).flat_map(|(&l, &h)| [l, h]).collect()
}

thread_local! {
    // Making a zstd context costs more than a small block; each thread keeps its own.
    static COMPRESSOR: RefCell<Option<(i32, Compressor<'static>)>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// About so many bytes a thread holds to compress blocks.
pub const COMPRESSOR_BYTES: u64 = 2 << 20;

/// How many threads compress at once; without a limit each keeps a context of its own.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The contexts that threads share where there is a limit.
static SHARED: Shared = Shared { contexts: Mutex::new((Vec::new(), 0)), given_back: Condvar::new() };

/// Limits how many threads of this process compress blocks at once; the others wait. Each holds [`COMPRESSOR_BYTES`].
/// `None` removes the limit.
pub fn limit_compressors(most: Option<usize>) {
    MOST.store(most.map_or(usize::MAX, |most| most.max(1)), Relaxed);
}

struct Shared {
    /// Compressors that no thread uses, with their levels, and how many there are in all.
    contexts: Mutex<(Vec<(i32, Compressor<'static>)>, usize)>,
    given_back: Condvar,
}

impl Shared {
    /// Works with one of at most so many contexts; `None` where there is no memory for one.
    fn with<T>(
        &self,
        most: usize,
        level: i32,
        work: impl FnOnce(&mut Compressor<'static>) -> T,
    ) -> Option<T> {
        let mut contexts = self.contexts.lock().unpoisoned();
        while contexts.0.is_empty() && contexts.1 >= most {
            contexts = self.given_back.wait(contexts).unpoisoned();
        }
        let idle = contexts.0.pop();
        contexts.1 += usize::from(idle.is_none());
        drop(contexts);
        let own = idle.filter(|(made_for, _)| *made_for == level).map(|(_, context)| context);
        let mut context = own.or_else(|| compressor(level));
        let done = context.as_mut().map(work);
        let mut contexts = self.contexts.lock().unpoisoned();
        match context {
            Some(context) => contexts.0.push((level, context)),
            None => contexts.1 -= 1,
        }
        self.given_back.notify_one();
        done
    }
}

/// A compressor for frames that carry neither their size nor a checksum.
pub(crate) fn compressor(level: i32) -> Option<Compressor<'static>> {
    let range = zstd::compression_level_range();
    let mut compressor = Compressor::new(level.clamp(*range.start(), *range.end())).ok()?;
    // The store knows the decoded size and has its own checksum.
    compressor.set_parameter(CParameter::ContentSizeFlag(false)).ok()?;
    compressor.set_parameter(CParameter::ChecksumFlag(false)).ok()?;
    Some(compressor)
}

/// A zstd frame without its magic; `None` where zstd fails, which leaves the block raw.
fn compress(bytes: &[u8], level: i32) -> Option<Vec<u8>> {
    let frame = |compressor: &mut Compressor<'static>| {
        let mut frame = Vec::with_capacity(zstd_safe::compress_bound(bytes.len()));
        compressor.compress_to_buffer(bytes, &mut frame).ok()?;
        frame.strip_prefix(&ZSTD_MAGIC).map(<[u8]>::to_vec)
    };
    let most = MOST.load(Relaxed);
    if most < usize::MAX {
        return SHARED.with(most, level, frame)?;
    }
    COMPRESSOR.with_borrow_mut(|slot| {
        if slot.as_ref().is_none_or(|(made_for, _)| *made_for != level) {
            *slot = Some((level, compressor(level)?));
        }
        frame(&mut slot.as_mut()?.1)
    })
}

fn decompress(bytes: &[u8], size: usize) -> Result<Vec<u8>, &'static str> {
    let decoded = decompress_most(bytes, size)?;
    if decoded.len() == size { Ok(decoded) } else { Err(OTHER_SIZE) }
}

/// Decompresses what is no longer than `most` bytes.
fn decompress_most(bytes: &[u8], most: usize) -> Result<Vec<u8>, &'static str> {
    let frame = [&ZSTD_MAGIC, bytes].concat();
    let mut decoded = Vec::with_capacity(most);
    decompress_into(&frame, &mut decoded)?;
    Ok(decoded)
}

/// Decompresses a whole frame into a buffer that takes no more than `size` bytes, and has to be filled.
pub(crate) fn decompress_frame(
    frame: &[u8],
    buffer: &mut (impl WriteBuf + ?Sized),
    size: usize,
) -> Result<(), &'static str> {
    if decompress_into(frame, buffer)? == size { Ok(()) } else { Err(OTHER_SIZE) }
}

const OTHER_SIZE: &str = "it decompresses to another size";

/// Decompresses a whole frame into a buffer that has room for it; its size.
fn decompress_into(frame: &[u8], buffer: &mut (impl WriteBuf + ?Sized)) -> Result<usize, &'static str> {
    const BAD: &str = "it does not decompress";
    DECOMPRESSOR.with_borrow_mut(|slot| {
        if slot.is_none() {
            *slot = Some(Decompressor::new().map_err(|_| "there is no memory to decompress it")?);
        }
        let decompressor = slot.as_mut().ok_or(BAD)?;
        decompressor.decompress_to_buffer(frame, buffer).map_err(|_| BAD)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn round_trip(entries: &[u8], width: Width) -> (Codec, Vec<u8>) {
        let packed = pack(&mut entries.to_vec(), width, DEFAULT_LEVEL);
        let count = entries.len() / width.bytes();
        assert_eq!(packed.entries(), count);
        let codec = Codec::from_byte(packed.line.codec).unwrap();
        let value = if codec == Codec::Constant { packed.line.length as u16 } else { 0 };
        (codec, unpack(codec, value, &packed.bytes, width, count).unwrap())
    }

    #[test]
    fn dont_cares_take_the_value_before_them() {
        let (_, back) = round_trip(&[0xff, 0xff, 3, 0xff, 4, 4, 0xff], Width::One);
        assert_eq!(back, [3, 3, 3, 3, 4, 4, 4]);
        let (_, back) = round_trip(&[0xff, 0xff, 0xff, 1, 0xff, 0xff, 1, 0xff], Width::Two);
        assert_eq!(back, [0xff, 1, 0xff, 1, 0xff, 1, 1, 0xff]);
    }

    #[test]
    fn each_codec_is_chosen_where_it_suits() {
        assert_eq!(round_trip(&[0xff; 1000], Width::One).0, Codec::Constant);
        assert_eq!(round_trip(&[0xff, 7, 7, 0xff], Width::One), (Codec::Constant, vec![7; 4]));
        assert_eq!(round_trip(&[1, 2], Width::One).0, Codec::Raw);
        let runs: Vec<u8> = (0..1000u32).map(|i| (i / 100) as u8).collect();
        assert_eq!(round_trip(&runs, Width::One), (Codec::Runs, runs));
        let runs: Vec<u8> = (0..1000u32).flat_map(|i| [(i / 100) as u8, 1]).collect();
        assert_eq!(round_trip(&runs, Width::Two), (Codec::Runs, runs));
        let pattern: Vec<u8> = (0..1000u32).map(|i| (i % 7) as u8).collect();
        assert_eq!(round_trip(&pattern, Width::One), (Codec::Zstd, pattern));
        let slow: Vec<u8> = (0..2000u32).flat_map(|i| [(i * i / 7 % 251) as u8, (i / 900) as u8]).collect();
        assert_eq!(round_trip(&slow, Width::Two), (Codec::Planes, slow));
        let few = |i: u32| (i.wrapping_mul(i.wrapping_mul(0x9e37_79b9)) >> 27) as u8;
        let few: Vec<u8> = (0..2000).flat_map(|i| [few(i), few(i) / 3]).collect();
        assert_eq!(round_trip(&few, Width::Two), (Codec::Names, few));
    }

    #[test]
    fn threads_that_share_compressors_make_the_same_blocks() {
        let block = |n: u32| -> Vec<u8> { (0..20_000u32).map(|i| (i * (i + n) / 7 % 29) as u8).collect() };
        let packed = |n: u32, level| pack(&mut block(n), Width::One, level).bytes;
        let own: Vec<_> = (0..16).map(|n| packed(n, 3 + n as i32 % 2)).collect();
        limit_compressors(Some(2));
        std::thread::scope(|scope| {
            let threads = (0..16).map(|n| scope.spawn(move || packed(n, 3 + n as i32 % 2)));
            let threads: Vec<_> = threads.collect();
            let shared: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            assert!(shared == own);
        });
        let (idle, all) = SHARED.contexts.lock().map(|contexts| (contexts.0.len(), contexts.1)).unwrap();
        assert!(idle <= all && all <= 2, "{idle} of {all}");
        limit_compressors(None);
    }

    #[test]
    fn a_wrong_size_is_an_error() {
        let pattern = [1, 2, 3, 4, 5, 6, 7, 8].repeat(18);
        let runs = [[1; 12], [2; 12]].concat().repeat(6);
        for (mut block, codec) in [(pattern, Codec::Zstd), (runs, Codec::Runs)] {
            let packed = pack(&mut block, Width::One, 3);
            assert_eq!((packed.line.codec, packed.entries()), (codec as u8, 144));
            for entries in [0, 1, 143, 145, 1000] {
                assert!(unpack(codec, 0, &packed.bytes, Width::One, entries).is_err(), "{entries}");
            }
        }
        assert!(unpack(Codec::Raw, 0, &[1, 2], Width::Two, 2).is_err());
        let packed = pack(&mut [1, 2, 3, 4, 5, 6, 7, 8].repeat(18), Width::One, 3);
        assert!(unpack(Codec::Planes, 0, &packed.bytes, Width::One, 144).is_err());
    }
}
