//! Rows as a NumPy array: a head that names the fields, and records of one length.
//!
//! ```text
//! "\x93NUMPY" 1 0     magic, version
//! u16                 length of the head
//! head                {'descr': [...], 'fortran_order': False, 'shape': (rows,), }, blanks, a line end; the array
//!                     begins at a multiple of 64
//! records             position (text, zeros at its end), tier, number (u64), value (4 letters), remoteness (i32),
//!                     copies (u64); numbers little-endian
//! ```

use zermelo_core::{Oracle, Unit};

use super::Row;
use super::row::Column;

/// The tier and number of a position that no table has.
const NOWHERE: u64 = u64::MAX;
/// The number of a value that has none.
const NONE: i32 = -1;
/// The length of a value, and what follows the position in a record without a number.
const VALUE: usize = 4;
/// Where the array begins is a multiple of this.
const ALIGNED: usize = 64;

/// The number of rows, and the bytes of the longest text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Widths {
    pub(super) rows: u64,
    pub(super) text: usize,
}

impl Widths {
    /// The widths of some rows.
    pub(super) fn of(oracle: &dyn Oracle, rows: &[Row]) -> Widths {
        let texts = rows.iter().map(|row| oracle.text(row.position).len());
        Widths { rows: rows.len() as u64, text: texts.max().unwrap_or(0) }
    }

    /// The widths of these rows and others.
    pub(super) fn and(self, more: Widths) -> Widths {
        Widths { rows: self.rows + more.rows, text: self.text.max(more.text) }
    }
}

/// The form of an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Npy {
    widths: Widths,
    unit: Unit,
}

impl Npy {
    pub(super) fn new(widths: Widths, unit: Unit) -> Npy {
        // A field of no bytes is none.
        Npy { widths: Widths { text: widths.text.max(1), ..widths }, unit }
    }

    /// All that comes before the records.
    pub(super) fn head(&self) -> Vec<u8> {
        let (Widths { rows, text }, number) = (self.widths, Column::of(self.unit));
        let number = number.map_or(String::new(), |column| format!("('{}', '<i4'), ", column.name()));
        let mut head = format!(
            "{{'descr': [('position', '|S{text}'), ('tier', '<u8'), ('number', '<u8'), ('value', '|S{VALUE}'), \
             {number}('copies', '<u8')], 'fortran_order': False, 'shape': ({rows},), }}"
        );
        let before = 10;
        let end = (before + head.len() + 1).next_multiple_of(ALIGNED);
        head.push_str(&" ".repeat(end - before - head.len() - 1));
        head.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((head.len() as u16).to_le_bytes());
        bytes.extend(head.bytes());
        bytes
    }

    /// The records of some rows.
    pub(super) fn rows(&self, oracle: &dyn Oracle, rows: &[Row]) -> Vec<u8> {
        let (width, column) = (self.widths.text, Column::of(self.unit));
        let mut out = Vec::with_capacity(rows.len() * (width + 8 + 8 + VALUE + 4 + 8));
        for row in rows {
            padded(&mut out, oracle.text(row.position).as_bytes(), width);
            let (tier, number) = row.place.map_or((NOWHERE, NOWHERE), |(tier, number)| (tier.0, number));
            out.extend(tier.to_le_bytes());
            out.extend(number.to_le_bytes());
            padded(&mut out, row.value.word().as_bytes(), VALUE);
            if let Some(column) = column {
                out.extend(column.of_value(self.unit, row.value).unwrap_or(NONE).to_le_bytes());
            }
            out.extend(row.copies.to_le_bytes());
        }
        out
    }
}

/// A text of so many bytes, zeros at its end.
fn padded(out: &mut Vec<u8>, text: &[u8], width: usize) {
    let end = out.len() + width;
    out.extend(&text[..text.len().min(width)]);
    out.resize(end, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_array_begins_where_it_can_be_mapped() {
        for unit in [Unit::Moves, Unit::Margin, Unit::Winner] {
            for rows in [0, 7, 1_000_000_000] {
                let head = Npy::new(Widths { rows, text: 11 }, unit).head();
                assert_eq!((head.len() % ALIGNED, head.last()), (0, Some(&b'\n')));
                let said = usize::from(u16::from_le_bytes([head[8], head[9]]));
                assert_eq!(said + 10, head.len());
            }
        }
    }
}
