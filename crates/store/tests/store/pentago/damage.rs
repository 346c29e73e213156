//! Damaged and forged files.

use super::*;

/// Changes every byte in several ways; returns how many changes did no harm.
pub(super) fn flip_everywhere(bytes: &[u8]) -> usize {
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
