//! Pentago's published files: what we write is read again, damage is noticed, a web server will do, and the real
//! files, where there are any, say what is known of them.

mod damage;
mod published;
mod web;

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zermelo_core::sections::{BoardPlace, SIDE, Section, fixed_turns, join, transform, turn_quadrant};
use zermelo_store::pentago::{Block, BoardTables, Remote, Slice};
use zermelo_store::{FileSource, Result, StoreError};
use zermelo_testing::pentago::{Count, blocks, count, read_counts, standard_sections, write_slice};

/// A file in memory.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl FileSource for Bytes {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut from = self.0.get(offset as usize..).unwrap_or_default();
        io::Read::read(&mut from, buffer)
    }
}

/// A directory of its own for each test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("zermelo-pentago-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The value of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Black,
    White,
    Tie,
}

/// What a file says of a board, however it is turned or reflected.
fn value(slice: &Slice, board: u64) -> Value {
    let spot = BoardPlace::of(board).unwrap();
    let block = slice.block(spot.section, spot.index.map(|i| i / SIDE)).unwrap();
    let entry = block.get(spot.index.map(|i| i % SIDE)).unwrap();
    let bit = |table: [u64; 4]| table[usize::from(spot.turns / 64)] >> (spot.turns % 64) & 1 == 1;
    match (bit(entry[0]), bit(entry[1])) {
        (true, _) => Value::Black,
        (_, true) => Value::White,
        _ => Value::Tie,
    }
}

/// A value without meaning that turned boards share as they must: it depends on the board alone.
fn meaningless(board: u64) -> Value {
    let least = (0..8).map(|g| transform(board, g).unwrap()).min().unwrap();
    match (least.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 3 {
        0 => Value::Black,
        1 => Value::White,
        _ => Value::Tie,
    }
}

fn meaningless_block(section: Section, block: [usize; 4]) -> Vec<BoardTables> {
    let patterns = section.patterns();
    let shape = std::array::from_fn(|q| (patterns[q].len() - 8 * block[q]).min(8));
    let mut entries = Vec::new();
    let [a, b, c, d]: [usize; 4] = shape;
    for n in 0..a * b * c * d {
        let at = [n / (b * c * d), n / (c * d) % b, n / d % c, n % d];
        let mut entry: BoardTables = [[0; 4]; 2];
        for r in 0..256usize {
            let quadrant =
                |q: usize| turn_quadrant(patterns[q][8 * block[q] + at[q]], (r >> (2 * q)) as u8).unwrap();
            match meaningless(join(std::array::from_fn(quadrant))) {
                Value::Black => entry[0][r / 64] |= 1 << (r % 64),
                Value::White => entry[1][r / 64] |= 1 << (r % 64),
                Value::Tie => {}
            }
        }
        entries.push(entry);
    }
    entries
}

fn write_meaningless(path: &Path, stones: u32) -> Vec<u8> {
    write_slice(path, &standard_sections(stones), meaningless_block)
}

/// Reads everything there is; the blocks in the order of the file.
fn read_all(slice: &Slice) -> Result<Vec<Arc<Block>>> {
    let mut all = Vec::new();
    for section in slice.sections().collect::<Vec<_>>() {
        for block in blocks(section) {
            all.push(slice.block(section, block)?);
        }
    }
    Ok(all)
}

/// All boards with a number of stones, of every orientation, as far as the closure wants them.
fn boards(black: u32, white: u32, visit: &mut impl FnMut(u64)) {
    fn go(spot: u32, board: u64, black: u32, white: u32, visit: &mut impl FnMut(u64)) {
        if spot == 36 || black + white > 36 - spot {
            if black + white == 0 {
                visit(board);
            }
            return;
        }
        let one = 3u64.pow(spot % 9) << (16 * (spot / 9));
        go(spot + 1, board, black, white, visit);
        if black > 0 {
            go(spot + 1, board + one, black - 1, white, visit);
        }
        if white > 0 {
            go(spot + 1, board + 2 * one, black, white - 1, visit);
        }
    }
    go(0, 0, black, white, visit);
}

/// Reads a damaged file: the error, or what it holds.
fn read_damaged(bytes: Vec<u8>) -> Result<Vec<Arc<Block>>> {
    Slice::open("memory.pentago", Bytes(bytes), 0).and_then(|slice| read_all(&slice))
}

#[test]
fn what_is_written_is_read_for_every_board_of_any_orientation() {
    let scratch = Scratch::new("round");
    for stones in 0..=3 {
        let path = scratch.0.join(format!("slice-{stones}.pentago"));
        write_meaningless(&path, stones);
        // A cache of no bytes, one of a few blocks, one of all.
        for cache in [0, 100_000, 1 << 24] {
            let slice = Slice::open_file(&path, cache).unwrap();
            assert_eq!(slice.stones(), stones);
            assert_eq!(slice.sections().collect::<Vec<_>>(), standard_sections(stones));
            if cache > 0 {
                let check = &mut |board| assert_eq!(value(&slice, board), meaningless(board), "{board}");
                boards(stones.div_ceil(2), stones / 2, check);
            }
        }
    }
}

#[test]
fn what_is_not_there_is_said_so() {
    let scratch = Scratch::new("absent");
    let slice =
        Slice::open("memory.pentago", Bytes(write_meaningless(&scratch.0.join("a.pentago"), 2)), 1 << 20)
            .unwrap();
    let section = standard_sections(2)[0];
    let other = standard_sections(3)[0];
    for error in [slice.block(section, [9, 0, 0, 0]).unwrap_err(), slice.block(other, [0; 4]).unwrap_err()] {
        assert!(matches!(error, StoreError::NotInPentago { .. }) && !error.is_damage(), "{error}");
        assert!(error.to_string().starts_with("memory.pentago, "), "{error}");
    }
}
