//! As much of the compact protocol of Apache Thrift as Parquet takes: structs of numbers, texts, lists and structs.

use zermelo_core::varint;

/// How the protocol numbers types.
const INT32: u8 = 5;
const INT64: u8 = 6;
const TEXT: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct that is being written; fields are added in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    fn field(&mut self, number: u8, kind: u8) {
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    pub(super) fn int32(&mut self, number: u8, n: i64) -> &mut Struct {
        self.field(number, INT32);
        varint::put(&mut self.bytes, zigzag(n));
        self
    }

    pub(super) fn int64(&mut self, number: u8, n: u64) -> &mut Struct {
        self.field(number, INT64);
        varint::put(&mut self.bytes, zigzag(n as i64));
        self
    }

    pub(super) fn text(&mut self, number: u8, text: &str) -> &mut Struct {
        self.field(number, TEXT);
        put_text(&mut self.bytes, text);
        self
    }

    pub(super) fn inner(&mut self, number: u8, inner: &[u8]) -> &mut Struct {
        self.field(number, STRUCT);
        self.bytes.extend(inner);
        self
    }

    pub(super) fn structs(&mut self, number: u8, list: &[Vec<u8>]) -> &mut Struct {
        self.list(number, STRUCT, list.len());
        list.iter().for_each(|inner| self.bytes.extend(inner));
        self
    }

    pub(super) fn ints32(&mut self, number: u8, list: &[i64]) -> &mut Struct {
        self.list(number, INT32, list.len());
        list.iter().for_each(|n| varint::put(&mut self.bytes, zigzag(*n)));
        self
    }

    pub(super) fn texts(&mut self, number: u8, list: &[&str]) -> &mut Struct {
        self.list(number, TEXT, list.len());
        list.iter().for_each(|text| put_text(&mut self.bytes, text));
        self
    }

    fn list(&mut self, number: u8, kind: u8, many: usize) {
        self.field(number, LIST);
        if many < 15 {
            self.bytes.push((many as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint::put(&mut self.bytes, many as u64);
        }
    }

    /// The bytes of the struct.
    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    varint::put(bytes, text.len() as u64);
    bytes.extend(text.bytes());
}

/// A signed number as one without a sign: small ones stay small.
fn zigzag(n: i64) -> u64 {
    (n << 1 ^ n >> 63) as u64
}
