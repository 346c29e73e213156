//! Reads a structured NumPy array as this program writes them. This shares no code with the writer.

use super::table::Cell;

/// Returns the names of the fields, and the records.
pub(super) fn read(file: &[u8]) -> (Vec<String>, Vec<Vec<Cell>>) {
    assert!(file.starts_with(b"\x93NUMPY\x01\x00"));
    let end = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
    let head = std::str::from_utf8(&file[10..end]).unwrap();
    assert!(
        end.is_multiple_of(64) && head.ends_with('\n') && head.contains("'fortran_order': False"),
        "{head}"
    );
    let between = |a: &str, b: &str| head.split_once(a).unwrap().1.split_once(b).unwrap().0.to_string();
    let rows: usize = between("'shape': (", ",").parse().unwrap();
    let fields: Vec<(String, String)> = between("'descr': [", "]")
        .split("), ")
        .map(|field| {
            let mut parts = field.split('\'');
            let name = parts.nth(1).unwrap().to_string();
            (name, parts.nth(1).unwrap().to_string())
        })
        .collect();
    let width = |kind: &str| kind[2..].parse::<usize>().unwrap();
    let record: usize = fields.iter().map(|(_, kind)| width(kind)).sum();
    assert_eq!(file.len() - end, rows * record);
    let cell = |kind: &str, bytes: &[u8]| match &kind[..2] {
        "|S" => {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            Cell::Text(text.trim_end_matches('\0').to_string())
        }
        "<u" => match u64::from_le_bytes(bytes.try_into().unwrap()) {
            u64::MAX => Cell::None,
            n => Cell::Number(n.into()),
        },
        "<i" => Cell::Number(i32::from_le_bytes(bytes.try_into().unwrap()).into()),
        other => panic!("{other}"),
    };
    let row = |bytes: &[u8]| {
        let mut rest = bytes;
        let mut next = |kind: &str| {
            let (own, more) = rest.split_at(width(kind));
            rest = more;
            cell(kind, own)
        };
        fields.iter().map(|(_, kind)| next(kind)).collect()
    };
    let all = file[end..].chunks(record.max(1)).map(row).collect();
    (fields.into_iter().map(|(name, _)| name).collect(), all)
}
