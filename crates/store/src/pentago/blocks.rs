//! Blocks: up to 8 x 8 x 8 x 8 entries of a section, the unit of compression.
//!
//! An entry is two tables of 256 bits, bit `r` for the way `r` to turn the quadrants: whether black wins, whether
//! white wins. In the file the bits of the two tables alternate (`filter` 1), which compresses better, because
//! never both win. A block is then an .xz stream with a CRC-64 of its content.

use liblzma::stream::{Action, Error as XzError, Status, Stream, TELL_NO_CHECK, TELL_UNSUPPORTED_CHECK};

/// Bytes of an entry.
pub(super) const ENTRY_BYTES: usize = 64;
/// What a decoder may use: enough for the highest preset, and a forged stream gets no more.
const DECODER_MEMORY: u64 = 80 << 20;

/// The entry of one board in a published file of Pentago: two tables of 256 bits, the ways to turn the quadrants in which
/// black wins, and those in which white wins.
pub type BoardTables = [[u64; 4]; 2];

/// The decoded entries of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    shape: [usize; 4],
    entries: Vec<BoardTables>,
}

impl Block {
    /// All entries, the last index running fastest.
    pub fn entries(&self) -> &[BoardTables] {
        &self.entries
    }

    /// The entry at a place of the block; `None` for a place outside.
    pub fn get(&self, at: [usize; 4]) -> Option<&BoardTables> {
        if at.iter().zip(self.shape).any(|(&i, n)| i >= n) {
            return None;
        }
        self.entries.get(at.iter().zip(self.shape).fold(0, |n, (&i, side)| n * side + i))
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.entries.len() * ENTRY_BYTES
    }

    /// A block from the bytes after decompression.
    pub(super) fn decode(shape: [usize; 4], bytes: &[u8]) -> Result<Block, String> {
        let (chunks, rest) = bytes.as_chunks::<ENTRY_BYTES>();
        let entries: Vec<BoardTables> = chunks.iter().map(decode_entry).collect();
        if !rest.is_empty() || entries.len() != shape.iter().product::<usize>() {
            return Err(format!("{} bytes are no block of shape {shape:?}", bytes.len()));
        }
        // There is no such board, so this is damage that came before the checksum was made.
        match entries.iter().position(|[black, white]| (0..4).any(|i| black[i] & white[i] != 0)) {
            Some(entry) => Err(format!("both players win in entry {entry}")),
            None => Ok(Block { shape, entries }),
        }
    }
}

fn decode_entry(bytes: &[u8; ENTRY_BYTES]) -> BoardTables {
    let mut entry = [[0; 4]; 2];
    for (i, word) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        for (side, table) in entry.iter_mut().enumerate() {
            table[i / 2] |= gather(word >> side) << (32 * (i % 2));
        }
    }
    entry
}

/// Steps in which the even bits of a number come together, the last first, and those that are kept before each.
const STEPS: [(u32, u64); 5] = [
    (16, 0x0000_ffff_0000_ffff),
    (8, 0x00ff_00ff_00ff_00ff),
    (4, 0x0f0f_0f0f_0f0f_0f0f),
    (2, 0x3333_3333_3333_3333),
    (1, 0x5555_5555_5555_5555),
];

/// Moves bit `2i` to bit `i`, and drops the odd bits.
fn gather(word: u64) -> u64 {
    let even = word & STEPS[4].1;
    let folded = STEPS[..4].iter().zip(&STEPS[1..]).rev();
    let bits = folded.fold(even, |bits, ((_, keep), (by, _))| (bits | bits >> by) & keep);
    (bits | bits >> 16) & 0xffff_ffff
}

/// Decompresses an .xz stream that must hold exactly `size` bytes and have a checksum, and nothing behind it.
pub(super) fn decompress(bytes: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let flags = TELL_NO_CHECK | TELL_UNSUPPORTED_CHECK;
    let mut decoder = Stream::new_stream_decoder(DECODER_MEMORY, flags).map_err(|e| e.to_string())?;
    let mut out = vec![0; size];
    loop {
        let (done, made) = (decoder.total_in() as usize, decoder.total_out() as usize);
        match decoder.process(&bytes[done..], &mut out[made..], Action::Finish).map_err(xz_reason)? {
            Status::StreamEnd => break,
            _ if decoder.total_in() as usize > done || decoder.total_out() as usize > made => {}
            _ if made == size => return Err(format!("the compressed data holds more than {size} bytes")),
            _ => return Err("the compressed data ends too early".to_string()),
        }
    }
    let (done, made) = (decoder.total_in() as usize, decoder.total_out() as usize);
    if done != bytes.len() {
        return Err(format!("the compressed data ends after {done} of its {} bytes", bytes.len()));
    }
    if made != size {
        return Err(format!("the compressed data holds {made} bytes instead of {size}"));
    }
    Ok(out)
}

fn xz_reason(error: XzError) -> String {
    let why = match error {
        XzError::Data => "is damaged",
        XzError::Format => "is no .xz stream",
        XzError::Options => "has an unknown option",
        XzError::MemLimit => "wants too much memory",
        XzError::NoCheck | XzError::UnsupportedCheck => "has no checksum that is known",
        _ => return format!("the compressed data cannot be read: {error}"),
    };
    format!("the compressed data {why}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use zermelo_testing::pentago::{compress, interleaved};

    #[test]
    fn bits_alternate_and_come_back() {
        let black = [u64::MAX, 0, 0x1234_5678_9abc_def0, 1];
        let white = [0, u64::MAX, !0x1234_5678_9abc_def0, 1 << 63];
        let block = Block::decode([1; 4], &interleaved([black, white])).unwrap();
        assert_eq!(block.entries(), [[black, white]]);
    }

    #[test]
    fn a_board_cannot_be_won_by_both() {
        let both = interleaved([[4; 4], [6; 4]]);
        assert_eq!(Block::decode([1; 4], &both), Err("both players win in entry 0".to_string()));
    }

    #[test]
    fn shapes_are_checked() {
        assert!(Block::decode([2, 1, 1, 1], &[0; 64]).is_err());
        assert!(Block::decode([1; 4], &[0; 65]).is_err());
        let bytes: Vec<u8> = (0..4).flat_map(|i| interleaved([[i; 4], [0; 4]])).collect();
        let block = Block::decode([1, 2, 1, 2], &bytes).unwrap();
        assert_eq!((block.get([0, 1, 0, 0]), block.get([0, 0, 1, 0])), (Some(&[[2; 4], [0; 4]]), None));
    }

    #[test]
    fn a_stream_holds_what_it_should_and_no_more() {
        for size in [0, 1, 64, 100_000] {
            let bytes: Vec<u8> = (0..size).map(|i| ((i * i) >> 3) as u8).collect();
            let packed = compress(&bytes);
            assert_eq!(decompress(&packed, size).as_ref(), Ok(&bytes));
            assert!(decompress(&packed, size + 1).unwrap_err().contains(&format!("instead of {}", size + 1)));
            assert!(decompress(&[&packed[..], &[0]].concat(), size).unwrap_err().contains("ends after"));
            assert!((0..packed.len().min(200)).all(|cut| decompress(&packed[..cut], size).is_err()));
            if size > 0 {
                assert!(decompress(&packed, size - 1).unwrap_err().contains("more than"));
            }
        }
    }
}
