//! The real files, where they are.

use super::damage::flip_everywhere;
use super::*;

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
        let path = folder.join(format!("slice-{stones}.pentago"));
        let slice = Slice::open_file(path, 1 << 20).unwrap();
        let all: Vec<Section> = slice.sections().collect();
        assert_eq!((slice.stones(), all.len(), &all), (stones, sections, &standard_sections(stones)));
        let read = read_all(&slice).unwrap();
        assert_eq!(read.len(), blocks);
        assert_eq!(read.iter().map(|b| b.entries().len() as u64).sum::<u64>(), entries);
        let slice = &slice;
        let entries = |section| move |block| slice.block(section, block).unwrap().entries().to_vec();
        let counted: Vec<Count> = all.iter().map(|&section| count(section, entries(section))).collect();
        let sum = |of: fn(&Count) -> u64| counted.iter().map(of).sum::<u64>();
        assert_eq!((sum(|c| c.black), sum(|c| c.white), sum(|c| c.total)), (black, white, total));
        assert!(counted.iter().all(|c| c.total == c.section.boards()));
        assert_eq!(counted, read_counts(folder.join(format!("counts-{stones}.npy"))));
    }
}

#[test]
fn published_counts_add_up() {
    let Some(folder) = published() else { return };
    let (mut black, mut white, mut total) = (0, 0, 0);
    for stones in 0..36 {
        let counts = read_counts(folder.join(format!("counts-{stones}.npy")));
        assert!(counts.iter().map(|c| c.section).eq(standard_sections(stones)));
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
        let path = folder.join(format!("slice-{stones}.pentago"));
        let slice = Slice::open_file(path, 1 << 20).unwrap();
        let sections: Vec<Section> = slice.sections().collect();
        let path = scratch.0.join(format!("slice-{stones}.pentago"));
        let entries = |section, block| slice.block(section, block).unwrap().entries().to_vec();
        write_slice(&path, &sections, entries);
        let again = Slice::open_file(&path, 1 << 20).unwrap();
        assert!(again.sections().eq(sections));
        assert_eq!(read_all(&again).unwrap(), read_all(&slice).unwrap());
    }
}

#[test]
fn published_openings_have_their_known_values() {
    let Some(folder) = published() else { return };
    let open = |n: u32| Slice::open_file(folder.join(format!("slice-{n}.pentago")), 1 << 20);
    assert_eq!(value(&open(0).unwrap(), 0), Value::Black);
    let one = open(1).unwrap();
    for (spot, &known) in OPENING.iter().enumerate() {
        // The stone at digit `spot % 9` of quadrant `spot / 9`, with white to move.
        let board = 3u64.pow(spot as u32 % 9) << (16 * (spot / 9));
        assert_eq!(value(&one, board), if known == b'b' { Value::Black } else { Value::Tie }, "{spot}");
    }
    assert_eq!(fixed_turns(3u16.pow(4)), Some(4), "the centre of a quadrant");
    // Sums over all boards of every orientation.
    let two = open(2).unwrap();
    let mut wins = [0; 3];
    boards(1, 1, &mut |board| wins[value(&two, board) as usize] += 1);
    assert_eq!(wins, [1240, 0, 20]);
    let four = open(4).unwrap();
    let mut wins = [0; 3];
    boards(2, 2, &mut |board| wins[value(&four, board) as usize] += 1);
    assert_eq!(wins, [331_920, 0, 21_510]);
}

/// The values of boards with one stone, nine digits for each quadrant: black wins, or tie.
const OPENING: &[u8; 36] = b"tbtbbbtbbtbtbbbbbttbbbbbtbtbbtbbbtbt";

#[test]
fn published_files_with_a_changed_byte_are_refused_or_read_right() {
    let Some(folder) = published() else { return };
    let bytes = fs::read(folder.join("slice-2.pentago")).unwrap();
    // There are gaps of 1,024 bytes behind the blocks and behind the indexes.
    let harmless = flip_everywhere(&bytes);
    assert!((4 * 2048..4 * 2048 + 4 * 8).contains(&harmless), "{harmless} changes went unnoticed");
}
