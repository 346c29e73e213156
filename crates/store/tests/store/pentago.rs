//! Pentago's published files: what we write is read again, damage is noticed, a web server will do, and the real
//! files, where there are any, say what is known of them.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zermelo_core::sections::{Section, fixed_turns, join, standard_sections, transform, turn_quadrant};
use zermelo_store::pentago::{
    Block, Count, Entry, LocalFile, Ranges, Remote, Slice, Value, decode_counts, encode_counts, pack_block,
    read_counts, write_counts, write_slice,
};
use zermelo_store::{Error, Result};

/// A file in memory.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl Ranges for Bytes {
    fn name(&self) -> &str {
        "memory.pentago"
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let from = self.0.get(offset as usize..offset as usize + buffer.len());
        buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
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

fn all_blocks(section: Section) -> Vec<[usize; 4]> {
    let [a, b, c, d] = Slice::blocks(section);
    let all = (0..a).flat_map(|i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])));
    all.flat_map(|[i, j, k]| (0..d).map(move |l| [i, j, k, l])).collect()
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

fn meaningless_block(section: Section, block: [usize; 4]) -> Block {
    let patterns = section.patterns();
    let shape = std::array::from_fn(|q| (patterns[q].len() - 8 * block[q]).min(8));
    let mut entries = Vec::new();
    let [a, b, c, d]: [usize; 4] = shape;
    for n in 0..a * b * c * d {
        let at = [n / (b * c * d), n / (c * d) % b, n / d % c, n % d];
        let mut entry: Entry = [[0; 4]; 2];
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
    Block::new(shape, entries).unwrap()
}

fn write_meaningless(path: &Path, stones: u32) -> Vec<u8> {
    let sections = standard_sections(stones);
    write_slice(path, &sections, |writer| {
        // Backwards: blocks may come in any order.
        for &section in sections.iter().rev() {
            for block in all_blocks(section) {
                writer.append(section, block, &pack_block(&meaningless_block(section, block))?)?;
            }
        }
        Ok(())
    })
    .unwrap();
    fs::read(path).unwrap()
}

/// Reads everything there is; the blocks in the order of the file.
fn read_all(slice: &Slice) -> Result<Vec<Arc<Block>>> {
    let mut all = Vec::new();
    for section in slice.sections().collect::<Vec<_>>() {
        for block in all_blocks(section) {
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

#[test]
fn what_is_written_is_read_for_every_board_of_any_orientation() {
    let scratch = Scratch::new("round");
    for stones in 0..=3 {
        let path = scratch.0.join(format!("slice-{stones}.pentago"));
        write_meaningless(&path, stones);
        // A cache of no bytes, one of a few blocks, one of all.
        for cache in [0, 100_000, 1 << 24] {
            let slice = Slice::open(LocalFile::open(&path).unwrap(), cache).unwrap();
            assert_eq!(slice.stones(), stones);
            assert_eq!(slice.sections().collect::<Vec<_>>(), standard_sections(stones));
            if cache > 0 {
                let check =
                    &mut |board| assert_eq!(slice.value(board).unwrap(), meaningless(board), "{board}");
                boards(stones.div_ceil(2), stones / 2, check);
            }
        }
    }
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 4, "a temporary file was left");
}

#[test]
fn what_is_not_there_is_said_so() {
    let scratch = Scratch::new("absent");
    let slice = Slice::open(Bytes(write_meaningless(&scratch.0.join("a.pentago"), 2)), 1 << 20).unwrap();
    let section = standard_sections(2)[0];
    let other = standard_sections(3)[0];
    for error in [
        slice.value(1).unwrap_err(),
        slice.value(u64::MAX).unwrap_err(),
        slice.value(2).unwrap_err(),
        slice.block(section, [9, 0, 0, 0]).unwrap_err(),
        slice.block(other, [0; 4]).unwrap_err(),
        slice.count(other).unwrap_err(),
    ] {
        assert!(matches!(error, Error::NotInPentago { .. }) && !error.is_damage(), "{error}");
        assert!(error.to_string().starts_with("memory.pentago, "), "{error}");
    }
}

#[test]
fn what_makes_no_file_is_refused_and_leaves_the_old_one() {
    let scratch = Scratch::new("refused");
    let path = scratch.0.join("a.pentago");
    let before = write_meaningless(&path, 2);
    let [section, other] = [standard_sections(2)[0], standard_sections(3)[0]];
    let moved = (0..8).map(|g| section.transform(g)).find(|s| !s.is_standard()).unwrap();
    let packed = pack_block(&meaningless_block(section, [0; 4])).unwrap();
    let small = pack_block(&Block::new([1; 4], vec![[[0; 4]; 2]]).unwrap()).unwrap();
    let errors = [
        write_slice(&path, &[], |_| Ok(())),
        write_slice(&path, &[section, section], |_| Ok(())),
        write_slice(&path, &[section, other], |_| Ok(())),
        write_slice(&path, &[moved], |_| Ok(())),
        write_slice(&path, &[section], |_| Ok(())),
        write_slice(&path, &[section], |w| w.append(other, [0; 4], &packed)),
        write_slice(&path, &[section], |w| w.append(section, [0; 4], &small)),
        write_slice(&path, &[section], |w| {
            w.append(section, [0; 4], &packed)?;
            w.append(section, [0; 4], &packed)
        }),
    ];
    for error in errors {
        assert!(matches!(error, Err(Error::UnstorablePentago { .. })), "{error:?}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1, "a temporary file was left");
    assert!(write_slice(scratch.0.join("no/such/folder"), &[section], |_| Ok(())).is_err());
}

/// Reads a damaged file: the error, or what it holds.
fn read_damaged(bytes: Vec<u8>) -> Result<Vec<Arc<Block>>> {
    Slice::open(Bytes(bytes), 0).and_then(|slice| read_all(&slice))
}

/// Changes every byte in several ways; returns how many changes did no harm.
fn flip_everywhere(bytes: &[u8]) -> usize {
    let right = read_damaged(bytes.to_vec()).unwrap();
    let mut harmless = 0;
    for at in 0..bytes.len() {
        for mask in [0x01, 0x10, 0x80, 0xff] {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= mask;
            match read_damaged(damaged) {
                Ok(read) => {
                    assert_eq!(read, right, "byte {at} with {mask:#x}");
                    harmless += 1;
                }
                Err(error) => {
                    assert!(error.is_damage(), "{error}");
                    assert!(error.to_string().starts_with("memory.pentago, "), "{error}");
                }
            }
        }
    }
    harmless
}

#[test]
fn a_changed_byte_is_noticed_or_harmless() {
    let scratch = Scratch::new("flips");
    let bytes = write_meaningless(&scratch.0.join("a.pentago"), 2);
    // There are no gaps in our files, but the last bits of a stream's arithmetic code can be of no account.
    let harmless = flip_everywhere(&bytes);
    assert!(harmless <= 4 * 8, "{harmless} of {} changes went unnoticed", 4 * bytes.len());
}

#[test]
fn published_files_with_a_changed_byte_are_refused_or_read_right() {
    let Some(folder) = published() else { return };
    let bytes = fs::read(folder.join("slice-2.pentago")).unwrap();
    // There are gaps of 1,024 bytes behind the blocks and behind the indexes.
    let harmless = flip_everywhere(&bytes);
    assert!((4 * 2048..4 * 2048 + 4 * 8).contains(&harmless), "{harmless} changes went unnoticed");
}

#[test]
fn a_small_file_cannot_ask_for_a_large_index() {
    let words = |of: &[u32]| of.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let shorts = |of: u16| [of.to_le_bytes(); 4].concat();
    let blocks = 53u64.pow(4);
    let places = [24 * blocks, 30_000, 117].map(u64::to_le_bytes).concat();
    let forged = [
        &b"pentago sections   \n"[..],
        &words(&[3, 1, 85]),
        b"pentago supertensor\n",
        &words(&[3]),
        &[1],
        &words(&[24]),
        &[3; 8],
        &shorts(420),
        &words(&[8]),
        &shorts(53),
        &words(&[1]),
        &places,
        &[0; 30_000],
    ]
    .concat();
    let error = read_damaged(forged).unwrap_err().to_string();
    assert!(error.contains("30117 bytes are too few for its sections"), "{error}");
}

#[test]
fn a_file_that_is_cut_short_is_an_error() {
    let scratch = Scratch::new("cut");
    let bytes = write_meaningless(&scratch.0.join("a.pentago"), 2);
    for length in 0..bytes.len() {
        let error = read_damaged(bytes[..length].to_vec()).unwrap_err();
        assert!(error.is_damage(), "{length}: {error}");
    }
}

#[test]
fn messages_name_the_section_and_the_block() {
    let scratch = Scratch::new("messages");
    let bytes = write_meaningless(&scratch.0.join("a.pentago"), 2);
    let changed = |at: usize, to: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = to;
        read_damaged(bytes).unwrap_err().to_string()
    };
    let headers = 32 + 3 * 85;
    for (at, to, message) in [
        (0, b'x', "header: it does not begin like a file of several sections"),
        (20, 2, "header: version 2 instead of 3"),
        (24, 0, "header: 0 sections, where 1 to 8239 can be"),
        (24, 2, "headers: there are more than the 2 sections that it says"),
        (28, 84, "header: 84 bytes for a section instead of 85"),
        (32 + 24, 0, "header of section number 0: section 2-11000000: wrong mark of a finished file"),
        (32 + 45, 4, "header of section number 0: section 2-11000000: wrong size of blocks"),
        (32 + 57, 0, "header of section number 0: section 2-11000000: wrong filter"),
        (32 + 84, 1, "index of section 2-11000000: "),
        (headers + 40, 0x55, "block [0, 0, 0, 0]: the compressed data is damaged"),
    ] {
        assert!(changed(at, to).contains(message), "{at}: {}", changed(at, to));
    }
}

/// How a server in a test behaves.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Proper,
    Closes,
    Whole,
    WrongRange,
    Short,
    Grows,
    Garbage,
}

/// Serves some bytes to one connection after another, each with as many requests as come.
fn serve(bytes: Vec<u8>, manner: Manner) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/data/slice.pentago", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut served = 0;
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            while answer(&stream, &bytes, manner, served).is_some() {
                served += 1;
                if manner == Manner::Closes {
                    break;
                }
            }
        }
    });
    url
}

fn answer(mut stream: &TcpStream, bytes: &[u8], manner: Manner, served: usize) -> Option<()> {
    let mut range = None;
    // A buffer of its own each time is right: the client waits for an answer before it asks again.
    for line in BufReader::new(stream).lines() {
        let line = line.ok()?;
        if let Some(wanted) = line.strip_prefix("Range: bytes=") {
            let (first, last) = wanted.split_once('-')?;
            range = Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok()?));
        }
        if line.is_empty() {
            break;
        }
    }
    let (first, last) = range?;
    let length = bytes.len() + if manner == Manner::Grows { served } else { 0 };
    let body = &bytes[first..=last];
    let said = first + usize::from(manner == Manner::WrongRange);
    let head = match manner {
        Manner::Whole => format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n"),
        Manner::Garbage => "SSH-2.0-OpenSSH\r\n\r\n".to_string(),
        _ => format!(
            "HTTP/1.1 206 Partial Content\r\ncontent-length: {}\r\nContent-Range: bytes {said}-{last}/{length}\r\n\r\n",
            body.len()
        ),
    };
    stream.write_all(head.as_bytes()).ok()?;
    if manner == Manner::Short && served > 0 {
        let _ = stream.write_all(&body[..body.len() - 1]);
        let _ = stream.shutdown(std::net::Shutdown::Both);
        return None;
    }
    stream.write_all(body).ok()
}

#[test]
fn a_web_server_will_do() {
    let scratch = Scratch::new("web");
    let bytes = write_meaningless(&scratch.0.join("a.pentago"), 2);
    let right = read_damaged(bytes.clone()).unwrap();
    for manner in [Manner::Proper, Manner::Closes] {
        let slice = Slice::open(Remote::open(&serve(bytes.clone(), manner)).unwrap(), 1 << 20).unwrap();
        assert_eq!(read_all(&slice).unwrap(), right);
    }
    for manner in [Manner::Whole, Manner::WrongRange, Manner::Short, Manner::Grows, Manner::Garbage] {
        let url = serve(bytes.clone(), manner);
        let error = Remote::open(&url).and_then(|remote| Slice::open(remote, 0)).err().unwrap();
        assert!(error.to_string().contains(&url), "{error}");
    }
    for url in ["https://example.com/a", "http:///a", "http://a b/c", "ftp://x"] {
        assert!(Remote::open(url).is_err(), "{url}");
    }
}

#[test]
fn counts_come_back_and_damage_is_noticed() {
    let rows: Vec<Count> = standard_sections(4)
        .into_iter()
        .map(|section| Count { section, black: section.boards() / 2, white: 1, total: section.boards() })
        .collect();
    let bytes = encode_counts(&rows);
    assert_eq!(bytes.len(), 80 + 32 * 18);
    assert_eq!(decode_counts(&bytes, "counts").unwrap(), rows);
    let scratch = Scratch::new("counts");
    let path = scratch.0.join("counts-4.npy");
    write_counts(&path, &rows).unwrap();
    assert_eq!(read_counts(&path).unwrap(), rows);
    let replaced = |from: &str, to: &str| {
        let text: String = bytes.iter().map(|&b| b as char).collect();
        let changed: Vec<u8> = text.replacen(from, to, 1).chars().map(|c| c as u8).collect();
        decode_counts(&changed, "counts")
    };
    assert_eq!(replaced("(18,4), }", "(18, 4)} ").unwrap(), rows);
    for (from, to) in
        [("<u8", ">u8"), ("<u8", "<f8"), ("False", "True "), ("(18", "(17"), (",4)", ",5)"), ("(18", "(-1")]
    {
        assert!(replaced(from, to).unwrap_err().is_damage(), "{from}");
    }
    for length in 0..bytes.len() {
        assert!(decode_counts(&bytes[..length], "counts").unwrap_err().is_damage());
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x81;
        // The wins have no check of their own; everything else has.
        let may_pass = at >= 80 && (1..3).contains(&((at - 80) % 32 / 8)) || (70..80).contains(&at);
        assert!(may_pass || decode_counts(&damaged, "counts").is_err(), "byte {at}");
    }
}

/// The folder with the published files, or `None` and a word about it.
fn published() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/pentago");
    let folder = std::env::var_os("PENTAGO_DATA").map_or(beside, PathBuf::from);
    if folder.join("slice-0.pentago").is_file() {
        return Some(folder);
    }
    eprintln!(
        "SKIPPED: no published Pentago files in {}; set PENTAGO_DATA to their folder",
        folder.display()
    );
    None
}

/// Stones, sections, entries, blocks, wins of black and of white, and boards, of the standard sections once each.
const KNOWN: [(u32, usize, u64, usize, u64, u64, u64); 7] = [
    (0, 1, 1, 1, 1, 0, 1),
    (1, 1, 3, 1, 6, 0, 9),
    (2, 3, 36, 5, 229, 0, 234),
    (3, 7, 286, 20, 1_316, 0, 3_654),
    (4, 18, 2_816, 101, 61_207, 0, 65_070),
    (5, 31, 15_772, 318, 171_116, 45_124, 582_084),
    (6, 59, 105_628, 1198, 5_332_608, 10_159, 5_854_596),
];

#[test]
fn published_slices_have_their_known_totals() {
    let Some(folder) = published() else { return };
    for (stones, sections, entries, blocks, black, white, total) in KNOWN {
        let file = LocalFile::open(folder.join(format!("slice-{stones}.pentago"))).unwrap();
        let slice = Slice::open(file, 1 << 20).unwrap();
        let all: Vec<Section> = slice.sections().collect();
        assert_eq!((slice.stones(), all.len(), &all), (stones, sections, &standard_sections(stones)));
        let read = read_all(&slice).unwrap();
        assert_eq!(read.len(), blocks);
        assert_eq!(read.iter().map(|b| b.entries().len() as u64).sum::<u64>(), entries);
        let counted: Vec<Count> = all.iter().map(|&section| slice.count(section).unwrap()).collect();
        let sum = |of: fn(&Count) -> u64| counted.iter().map(of).sum::<u64>();
        assert_eq!((sum(|c| c.black), sum(|c| c.white), sum(|c| c.total)), (black, white, total));
        assert!(counted.iter().all(|c| c.total == c.section.boards()));
        assert_eq!(counted, read_counts(folder.join(format!("counts-{stones}.npy"))).unwrap());
    }
}

#[test]
fn published_counts_are_read_and_written_byte_by_byte() {
    let Some(folder) = published() else { return };
    let (mut black, mut white, mut total) = (0, 0, 0);
    for stones in 0..36 {
        let path = folder.join(format!("counts-{stones}.npy"));
        let counts = read_counts(&path).unwrap();
        assert!(counts.iter().map(|c| c.section).eq(standard_sections(stones)));
        assert_eq!(encode_counts(&counts), fs::read(&path).unwrap(), "{stones}");
        for count in counts {
            let images = count.section.images() as u64;
            black += images * count.black;
            white += images * count.white;
            total += images * count.total;
        }
    }
    assert_eq!(
        (black, white, total),
        (12_473_843_014_417_465, 10_507_488_796_861_017, 24_072_641_303_494_501)
    );
}

#[test]
fn published_files_written_again_read_the_same() {
    let Some(folder) = published() else { return };
    let scratch = Scratch::new("again");
    for stones in 0..=6 {
        let file = LocalFile::open(folder.join(format!("slice-{stones}.pentago"))).unwrap();
        let slice = Slice::open(file, 1 << 20).unwrap();
        let sections: Vec<Section> = slice.sections().collect();
        let path = scratch.0.join(format!("slice-{stones}.pentago"));
        write_slice(&path, &sections, |writer| {
            for &section in &sections {
                for block in all_blocks(section) {
                    writer.append(section, block, &pack_block(&*slice.block(section, block)?)?)?;
                }
            }
            Ok(())
        })
        .unwrap();
        let again = Slice::open(LocalFile::open(&path).unwrap(), 1 << 20).unwrap();
        assert!(again.sections().eq(sections));
        assert_eq!(read_all(&again).unwrap(), read_all(&slice).unwrap());
    }
}

#[test]
fn published_openings_have_their_known_values() {
    let Some(folder) = published() else { return };
    let open =
        |n: u32| Slice::open(LocalFile::open(folder.join(format!("slice-{n}.pentago"))).unwrap(), 1 << 20);
    assert_eq!(open(0).unwrap().value(0).unwrap(), Value::Black);
    let one = open(1).unwrap();
    for (spot, &known) in OPENING.iter().enumerate() {
        // The stone at digit `spot % 9` of quadrant `spot / 9`, with white to move.
        let board = 3u64.pow(spot as u32 % 9) << (16 * (spot / 9));
        assert_eq!(
            one.value(board).unwrap(),
            if known == b'b' { Value::Black } else { Value::Tie },
            "{spot}"
        );
    }
    assert_eq!(fixed_turns(3u16.pow(4)), Some(4), "the centre of a quadrant");
    // Sums over all boards of every orientation.
    let two = open(2).unwrap();
    let mut wins = [0; 3];
    boards(1, 1, &mut |board| wins[two.value(board).unwrap() as usize] += 1);
    assert_eq!(wins, [1240, 0, 20]);
    let four = open(4).unwrap();
    let mut wins = [0; 3];
    boards(2, 2, &mut |board| wins[four.value(board).unwrap() as usize] += 1);
    assert_eq!(wins, [331_920, 0, 21_510]);
}

/// The values of boards with one stone, nine digits for each quadrant: black wins, or tie.
const OPENING: &[u8; 36] = b"tbtbbbtbbtbtbbbbbttbbbbbtbtbbtbbbtbt";
