//! Published files of Pentago for tests: the real ones, if they are on this machine, and small ones of our own whose
//! values are made up.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use zermelo_testing::pentago::{BoardTables, standard_sections, write_slice};

/// An entry in which black wins in every way to turn the quadrants.
const BLACK: BoardTables = [[u64::MAX; 4], [0; 4]];
const WHITE: BoardTables = [[0; 4], [u64::MAX; 4]];
const TIE: BoardTables = [[0; 4]; 2];

/// Returns the folder of the real files; prints a message if there is none.
pub(crate) fn real() -> Option<PathBuf> {
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

/// Writes files for no stones and for one. By the pattern that the stone is on, white wins, neither or black.
pub(crate) fn write_small(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    write(folder, 0, vec![TIE]);
    write(folder, 1, vec![WHITE, TIE, BLACK]);
}

/// Writes a file for `stones` stones, of one block.
pub(crate) fn write(folder: &Path, stones: u32, entries: Vec<BoardTables>) {
    let sections = standard_sections(stones);
    assert_eq!((sections.len(), sections[0].entries()), (1, entries.len() as u64));
    write_slice(folder.join(format!("slice-{stones}.pentago")), &sections, |_, _| entries.clone());
}

/// Serves the files of a folder by ranges until the process ends, and returns the address.
pub(crate) fn serve(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/data", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A connection stays open for each file.
            let folder = folder.clone();
            std::thread::spawn(move || while answer(&stream, &folder).is_some() {});
        }
    });
    address
}

fn answer(stream: &TcpStream, folder: &Path) -> Option<()> {
    let lines = BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let lines: Vec<String> = lines.collect();
    let file = lines.first()?.strip_prefix("GET /data/")?.strip_suffix(" HTTP/1.1")?;
    let mut out = stream;
    let Ok(bytes) = std::fs::read(folder.join(file)) else {
        return out.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").ok();
    };
    let range = lines.iter().find_map(|line| line.strip_prefix("range: bytes=")?.split_once('-'))?;
    let (first, last): (usize, usize) = (range.0.parse().ok()?, range.1.parse().ok()?);
    let part = bytes.get(first..=last)?;
    let (length, whole) = (part.len(), bytes.len());
    let head = format!(
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {first}-{last}/{whole}\r\nContent-Length: {length}\r\n\r\n"
    );
    out.write_all(head.as_bytes()).ok()?;
    out.write_all(part).ok()
}
