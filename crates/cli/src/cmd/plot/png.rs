//! Writes a picture of dots as PNG: a byte for each dot, which is its place in a list of colours.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::{Anchor, HEIGHT, INK, Shape, WIDTH, font};

/// Dots for a unit of the picture.
const SCALE: usize = 2;
const WIDE: usize = WIDTH as usize * SCALE;
const HIGH: usize = HEIGHT as usize * SCALE;

/// The dots of a picture, and its colours; the first is that of the paper.
struct Canvas {
    dots: Vec<u8>,
    colours: Vec<[u8; 3]>,
}

/// Returns the picture of some shapes.
pub(super) fn draw(shapes: &[Shape]) -> Vec<u8> {
    let mut canvas = Canvas { dots: vec![0; WIDE * HIGH], colours: vec![[255; 3]] };
    for shape in shapes {
        match shape {
            Shape::Bar { x, y, wide, high, fill, .. } => canvas.bar((*x, *y), (*wide, *high), fill),
            Shape::Text { x, y, anchor, large, text } => {
                canvas.text((dot(*x), dot(*y)), *anchor, if *large { 3 } else { 2 }, text);
            }
        }
    }
    canvas.png()
}

fn dot(place: f64) -> isize {
    (place * SCALE as f64).round() as isize
}

impl Canvas {
    /// Returns the number of a colour such as `#a03030`.
    fn colour(&mut self, name: &str) -> u8 {
        let part =
            |at: usize| name.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0);
        let colour = [part(1), part(3), part(5)];
        let known = self.colours.iter().position(|own| *own == colour);
        known.unwrap_or_else(|| {
            self.colours.push(colour);
            self.colours.len() - 1
        }) as u8
    }

    fn fill(&mut self, (left, top): (isize, isize), (wide, high): (isize, isize), colour: u8) {
        let within = |from: isize, long: isize, all: usize| {
            let clamp = |at: isize| at.clamp(0, all as isize) as usize;
            clamp(from)..clamp(from + long)
        };
        for y in within(top, high, HIGH) {
            self.dots[y * WIDE..][..WIDE][within(left, wide, WIDE)].fill(colour);
        }
    }

    fn bar(&mut self, (x, y): (f64, f64), (wide, high): (f64, f64), fill: &str) {
        let colour = self.colour(fill);
        let (left, top) = (dot(x), dot(y));
        // Even the thinnest bar is seen.
        let size = ((dot(x + wide) - left).max(1), (dot(y + high) - top).max(1));
        self.fill((left, top), size, colour);
    }

    /// Writes a text with letters of so many dots for each of their own.
    fn text(&mut self, (x, y): (isize, isize), anchor: Anchor, size: isize, text: &str) {
        let colour = self.colour(INK);
        let step = (font::WIDE as isize + 1) * size;
        let long = step * text.chars().count() as isize;
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - long / 2,
            Anchor::End => x - long,
        };
        let top = y - font::HIGH as isize * size;
        for (n, letter) in text.chars().enumerate() {
            for (row, dots) in font::rows(letter).into_iter().enumerate() {
                for column in (0..font::WIDE).filter(|column| dots >> (font::WIDE - 1 - column) & 1 == 1) {
                    let at = (left + n as isize * step + column as isize * size, top + row as isize * size);
                    self.fill(at, (size, size), colour);
                }
            }
        }
    }

    /// Returns the bytes of a file: the header, the colours, the dots row by row, and the end.
    fn png(&self) -> Vec<u8> {
        let mut rows = ZlibEncoder::new(vec![], Compression::default());
        for row in self.dots.chunks(WIDE) {
            // A row begins with how it is written: 0 is dot by dot. Writing to a vector cannot fail.
            let _ = rows.write_all(&[0]).and_then(|()| rows.write_all(row));
        }
        let [wide, high] = [WIDE, HIGH].map(|side| (side as u32).to_be_bytes());
        let header = [&wide[..], &high, &[8, 3, 0, 0, 0]].concat();
        let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
        for (name, bytes) in [
            (b"IHDR", header),
            (b"PLTE", self.colours.concat()),
            (b"IDAT", rows.finish().unwrap_or_default()),
            (b"IEND", vec![]),
        ] {
            let body = [&name[..], &bytes].concat();
            out.extend((bytes.len() as u32).to_be_bytes());
            out.extend(&body);
            out.extend(crc32fast::hash(&body).to_be_bytes());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// The dots of a picture, read back: its chunks have the right sums, and the bar and the letter are where they
    /// should be.
    #[test]
    fn dots_can_be_read_back() {
        let bar = Shape::Bar { x: 10.0, y: 20.0, wide: 3.0, high: 2.0, fill: "#a03030", hint: String::new() };
        let text = Shape::Text { x: 100.0, y: 50.0, anchor: Anchor::Start, large: false, text: "L".into() };
        let outside =
            Shape::Bar { x: -5.0, y: 419.0, wide: 9e9, high: 9e9, fill: "#000000", hint: String::new() };
        let file = draw(&[bar, text, outside]);
        let mut rest = &file[8..];
        let mut chunks = std::collections::BTreeMap::new();
        while let [a, b, c, d, more @ ..] = rest {
            let long = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
            let (body, more) = more.split_at(4 + long);
            assert_eq!(crc32fast::hash(body).to_be_bytes(), more[..4]);
            chunks.insert(String::from_utf8_lossy(&body[..4]).into_owned(), body[4..].to_vec());
            rest = &more[4..];
        }
        assert_eq!(chunks["PLTE"], [255, 255, 255, 0xa0, 0x30, 0x30, 0, 0, 0]);
        let mut dots = vec![];
        flate2::read::ZlibDecoder::new(&chunks["IDAT"][..]).read_to_end(&mut dots).expect("good");
        assert_eq!(dots.len(), (WIDE + 1) * HIGH);
        let at = |x: usize, y: usize| dots[y * (WIDE + 1) + 1 + x];
        assert_eq!((at(20, 40), at(25, 43), at(26, 40), at(20, 44)), (1, 1, 0, 0));
        // The foot of an L is as wide as a letter, and its trunk is at the left.
        assert_eq!((at(200, 86), at(209, 99), at(209, 90), at(200, 85)), (2, 2, 0, 0));
        assert_eq!((at(0, HIGH - 1), at(WIDE - 1, HIGH - 2), at(0, HIGH - 3)), (2, 2, 0));
    }
}
