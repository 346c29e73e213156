//! Reads a Parquet file as this program writes them: plain pages, compressed with zstd. This shares no code with the
//! writer.

use std::collections::BTreeMap;

use super::table::Cell;

/// A value in the compact protocol of Thrift.
enum Thrift {
    Number(i64),
    Text(Vec<u8>),
    List(Vec<Thrift>),
    Struct(BTreeMap<i64, Thrift>),
}

impl Thrift {
    fn get(&self, field: i64) -> Option<&Thrift> {
        match self {
            Thrift::Struct(fields) => fields.get(&field),
            _ => panic!("no struct"),
        }
    }

    fn at(&self, field: i64) -> &Thrift {
        self.get(field).unwrap_or_else(|| panic!("no field {field}"))
    }

    fn number(&self) -> i64 {
        let Thrift::Number(n) = self else { panic!("no number") };
        *n
    }

    fn text(&self) -> String {
        let Thrift::Text(bytes) = self else { panic!("no text") };
        String::from_utf8(bytes.clone()).unwrap()
    }

    fn list(&self) -> &[Thrift] {
        let Thrift::List(list) = self else { panic!("no list") };
        list
    }
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap();
        self.0 = rest;
        *first
    }

    fn take(&mut self, many: usize) -> Vec<u8> {
        let (taken, rest) = self.0.split_at(many);
        self.0 = rest;
        taken.to_vec()
    }

    fn varint(&mut self) -> u64 {
        let (mut n, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            n |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return n;
            }
        }
    }

    fn signed(&mut self) -> i64 {
        let n = self.varint();
        (n >> 1) as i64 ^ -((n & 1) as i64)
    }

    fn value(&mut self, kind: u8) -> Thrift {
        match kind {
            5 | 6 => Thrift::Number(self.signed()),
            8 => {
                let many = self.varint() as usize;
                Thrift::Text(self.take(many))
            }
            9 => {
                let head = self.byte();
                let many = if head >> 4 == 15 { self.varint() } else { u64::from(head >> 4) };
                Thrift::List((0..many).map(|_| self.value(head & 15)).collect())
            }
            12 => {
                let (mut fields, mut last) = (BTreeMap::new(), 0);
                loop {
                    match self.byte() {
                        0 => return Thrift::Struct(fields),
                        head => {
                            last = if head >> 4 == 0 { self.signed() } else { last + i64::from(head >> 4) };
                            fields.insert(last, self.value(head & 15));
                        }
                    }
                }
            }
            other => panic!("type {other}"),
        }
    }
}

/// Returns the names of the columns, and the rows.
pub(super) fn read(file: &[u8]) -> (Vec<String>, Vec<Vec<Cell>>) {
    assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
    let end = file.len() - 8;
    let footer = u32::from_le_bytes(file[end..end + 4].try_into().unwrap()) as usize;
    let footer = Bytes(&file[end - footer..end]).value(12);
    let schema = footer.at(2).list();
    assert_eq!(schema[0].at(5).number() as usize, schema.len() - 1);
    let names: Vec<String> = schema[1..].iter().map(|field| field.at(4).text()).collect();
    let mut rows = vec![];
    for group in footer.at(4).list() {
        let many = group.at(3).number() as usize;
        let chunks = group.at(1).list();
        assert_eq!(chunks.len(), names.len());
        let columns: Vec<Vec<Cell>> =
            chunks.iter().zip(&schema[1..]).map(|(chunk, field)| column(file, chunk, field, many)).collect();
        rows.extend((0..many).map(|row| columns.iter().map(|column| column[row].clone()).collect()));
    }
    assert_eq!(footer.at(3).number() as usize, rows.len());
    (names, rows)
}

fn column(file: &[u8], chunk: &Thrift, field: &Thrift, many: usize) -> Vec<Cell> {
    let about = chunk.at(3);
    assert_eq!(about.at(3).list()[0].text(), field.at(4).text());
    assert_eq!((about.at(4).number(), about.at(5).number() as usize), (6, many));
    let mut bytes = Bytes(&file[about.at(9).number() as usize..]);
    let before = bytes.0.len();
    let header = bytes.value(12);
    let (plain, packed) = (header.at(2).number() as usize, header.at(3).number() as usize);
    assert_eq!((before - bytes.0.len() + packed) as i64, about.at(7).number());
    let page = zstd::bulk::decompress(&bytes.0[..packed], plain).unwrap();
    assert_eq!((page.len(), header.at(5).at(1).number() as usize), (plain, many));
    let mut page = Bytes(&page);
    let mut there = vec![];
    if field.at(3).number() == 1 {
        let length = u32::from_le_bytes(page.take(4).try_into().unwrap()) as usize;
        let runs = page.take(length);
        let mut runs = Bytes(&runs);
        while !runs.0.is_empty() {
            let head = runs.varint();
            assert_eq!(head & 1, 0, "a run");
            let value = runs.byte() == 1;
            there.extend(std::iter::repeat_n(value, (head >> 1) as usize));
        }
    } else {
        there = vec![true; many];
    }
    assert_eq!(there.len(), many);
    let mut cell = |there: bool| match (there, about.at(1).number()) {
        (false, _) => Cell::None,
        (true, 1) => Cell::Number(i32::from_le_bytes(page.take(4).try_into().unwrap()).into()),
        (true, 2) => Cell::Number(u64::from_le_bytes(page.take(8).try_into().unwrap()).into()),
        (true, 6) => {
            let length = u32::from_le_bytes(page.take(4).try_into().unwrap()) as usize;
            Cell::Text(String::from_utf8(page.take(length)).unwrap())
        }
        (true, other) => panic!("type {other}"),
    };
    let cells = there.into_iter().map(&mut cell).collect();
    assert!(page.0.is_empty(), "all of the page is read");
    cells
}
