//! Rows as text: comma-separated values, and JSON lines.

use zermelo_core::{Oracle, Unit};

use super::Row;
use super::row::Column;

/// Bytes of a row, about.
const ROW: usize = 64;

/// The line of names.
pub(super) fn csv_head(unit: Unit) -> Vec<u8> {
    let number = Column::of(unit).map_or(String::new(), |column| format!(",{}", column.name()));
    format!("position,tier,number,value{number},copies\n").into_bytes()
}

/// A line for each row.
pub(super) fn csv_rows(oracle: &dyn Oracle, unit: Unit, rows: &[Row]) -> Vec<u8> {
    let (mut out, column) = (Vec::with_capacity(rows.len() * ROW), Column::of(unit));
    for row in rows {
        quote(&mut out, &oracle.text(row.position));
        out.push(b',');
        row.place.iter().for_each(|(tier, _)| whole(&mut out, tier.0));
        out.push(b',');
        row.place.iter().for_each(|(_, number)| whole(&mut out, *number));
        out.push(b',');
        out.extend(row.value.word().bytes());
        out.push(b',');
        if let Some(column) = column {
            column.of_value(unit, row.value).iter().for_each(|n| signed(&mut out, *n));
            out.push(b',');
        }
        whole(&mut out, row.copies);
        out.push(b'\n');
    }
    out
}

/// An object for each row.
pub(super) fn json_rows(oracle: &dyn Oracle, unit: Unit, rows: &[Row]) -> Vec<u8> {
    let (mut out, column) = (Vec::with_capacity(rows.len() * 2 * ROW), Column::of(unit));
    for row in rows {
        out.extend(b"{\"position\":");
        out.extend(serde_json::Value::from(oracle.text(row.position)).to_string().bytes());
        out.extend(b",\"tier\":");
        or_null(&mut out, row.place, |out, (tier, _)| whole(out, tier.0));
        out.extend(b",\"number\":");
        or_null(&mut out, row.place, |out, (_, number)| whole(out, number));
        out.extend(b",\"value\":\"");
        out.extend(row.value.word().bytes());
        out.push(b'"');
        if let Some(column) = column {
            out.extend(b",\"");
            out.extend(column.name().bytes());
            out.extend(b"\":");
            or_null(&mut out, column.of_value(unit, row.value), signed);
        }
        out.extend(b",\"copies\":");
        whole(&mut out, row.copies);
        out.extend(b"}\n");
    }
    out
}

fn or_null<T>(out: &mut Vec<u8>, value: Option<T>, write: impl FnOnce(&mut Vec<u8>, T)) {
    match value {
        Some(value) => write(out, value),
        None => out.extend(b"null"),
    }
}

/// A text in quotes where it has a character that would end it.
fn quote(out: &mut Vec<u8>, text: &str) {
    if !text.contains(['"', ',', '\n', '\r']) {
        out.extend(text.bytes());
        return;
    }
    out.push(b'"');
    out.extend(text.replace('"', "\"\"").bytes());
    out.push(b'"');
}

fn signed(out: &mut Vec<u8>, n: i32) {
    if n < 0 {
        out.push(b'-');
    }
    whole(out, n.unsigned_abs().into());
}

/// The digits of a number; a good part of the time of an export goes by here.
fn whole(out: &mut Vec<u8>, mut n: u64) {
    let (mut digits, mut at) = ([0u8; 20], 20);
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_written_as_everybody_reads_them() {
        for n in [0, 7, 10, 99, 100, u64::MAX] {
            let mut out = vec![];
            whole(&mut out, n);
            assert_eq!(String::from_utf8(out).expect("digits"), n.to_string());
        }
        let mut out = vec![];
        signed(&mut out, -12);
        quote(&mut out, "a b");
        quote(&mut out, "a,\"b\"");
        assert_eq!(String::from_utf8(out).expect("text"), "-12a b\"a,\"\"b\"\"\"");
    }
}
